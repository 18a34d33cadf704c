/**
 * A route as plain data: what the HTTP layer needs to validate, call, serialise and document an
 * endpoint. Domains declare routes; only `http` knows the web framework.
 */
import type { Static, TSchema } from 'typebox'
import type { Tx } from '../db/db.ts'
import {
  type GeneralCode,
  generalRefusals,
  type Outcome,
  type RefusalCodes,
  type RefusalSet,
} from '../lib/errors.ts'
import type { App, Scope } from './app.ts'
import type { Work } from './inside.ts'
import type { Ctx } from './outside.ts'
import type { OperationScope } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type RouteSchemas = {
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /** The schema of `data` in the envelope. */
  data: TSchema
}

type InputOf<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined

export type RouteInput<S extends RouteSchemas> = {
  params: InputOf<S['params']>
  query: InputOf<S['query']>
  body: InputOf<S['body']>
}

/** What a stream of events is asked with, beside its input. */
export type StreamRequest = {
  /** What the client had last, by its `Last-Event-ID`. */
  lastEventId: string | null
  /** Who asks: the same for all streams of a key. */
  caller: string
  /** Aborted when the client is gone, the server stops, or the key no longer works. */
  signal: AbortSignal
}

type RouteHead<S extends RouteSchemas> = Described<S> & {
  /** The operation's name, such as `createPayout`; generated clients call their method so. */
  id: string
  method: Method
  /** With `{name}` for parameters, as in the OpenAPI document. */
  path: string
  /** One of the groups of the reference page. */
  tag: string
  /** What it declares that it refuses with, beside what follows from its shape. */
  refusals: RefusalCodes
}

/**
 * Days are written as 2026-11-23. `sunset`: when it will be gone, where that is set. `successor`:
 * what to use instead, as `GET /payouts`.
 */
export type Deprecated = { since: string; sunset?: string; successor?: `${Method} /${string}` }

type Described<S extends RouteSchemas> = {
  /** The right that the operation requires. */
  scope: OperationScope
  /** A person confirms it with a fresh second factor in live mode, because it gives power. */
  givesPower?: true
  /** A stopped business may still do it: it ends something or only tries something out. */
  allowedWhenStopped?: true
  summary: string
  description?: string
  /** 201 for what creates, else 200. */
  status?: 200 | 201
  /** `test`: test keys only, a live key gets 403. */
  mode?: 'test'
  /** That it is to go: its answers say so, and the document. */
  deprecated?: Deprecated
  /** Fields of its answer that are shown once: what is kept of a page's answer lacks them. */
  once?: readonly string[]
  /**
   * A whole body that it takes, for the document. A test sends it: ids in it stand for records that
   * there are.
   */
  example?: InputOf<S['body']>
  schema: S
}

/**
 * The codes that an operation refuses with, beside those that follow from its shape
 * (`api/http/refusals.ts` says which): it can answer no other.
 */
type Refuses<Code extends string> = { refuses?: readonly Code[] }

/** A route that changes nothing. */
export type ReadRoute<S extends RouteSchemas = RouteSchemas> = RouteHead<S> & Reads<S>

type Reads<S extends RouteSchemas> = {
  message: string
  /** The answer is a file, made while it is sent; `schema.data` documents it as text. */
  file?: { contentType: string; name: string }
  /**
   * The answer is a stream of server-sent events, given as chunks of it; `schema.data` documents
   * what an event carries.
   */
  stream?: true
  /** `request` is there for streams only. */
  read(ctx: Ctx, input: RouteInput<S>, request?: StreamRequest): Promise<Static<S['data']>>
}

/**
 * A route that changes something. `prepare` asks whom it must, outside of any transaction; then the
 * HTTP layer opens the transaction, claims the Idempotency-Key, runs, keeps the answer and commits.
 */
export type WriteRoute<
  S extends RouteSchemas = RouteSchemas,
  Order = RouteInput<S>,
> = RouteHead<S> & Writes<S, Order>

type Writes<S extends RouteSchemas, Order> = {
  message: string | ((data: Static<S['data']>) => string)
  /**
   * Reads the request, and asks whom it must. Without it, the order is the request's input. A
   * request that was answered before is not prepared again, unless it may share its transaction.
   */
  prepare?(ctx: Ctx, input: RouteInput<S>): Promise<Order>
  /** Does what was asked. What it throws undoes all that it did. */
  run(work: Work, order: Order): Promise<Static<S['data']>>
  /**
   * Does what `run` does for any number of orders, of any number of businesses, each decided as if
   * it came alone, in their order: orders that come at the same time then share a transaction.
   * @throws when none of it may stand: each is then run alone
   */
  together?(tx: Tx, orders: Order[]): Promise<Outcome<Static<S['data']>>[]>
  /** Whether an order may share its transaction. Without it, each may where there is `together`. */
  mayShare?(order: Order): boolean
}

export type Route = ReadRoute | WriteRoute

/** Routes by the ids of their operations. */
export type Routes = Readonly<Record<string, Route>>

declare const schemasOf: unique symbol

/** A route that still knows its schemas, for the types of those who call its operation. */
export type TypedRoute<S extends RouteSchemas> = Route & { readonly [schemasOf]?: S }

/** A declared route, before `named` gives it the id that it is declared under. */
type Declared<S extends RouteSchemas> = { readonly [schemasOf]?: S; readonly path: string }

type Named<Declarations> = {
  readonly [Id in keyof Declarations]: Declarations[Id] extends Declared<infer S>
    ? TypedRoute<S>
    : never
}

/** Names each route after the key that it is declared under. */
export function named<const D extends Readonly<Record<string, Declared<RouteSchemas>>>>(
  declarations: D,
): Named<D> {
  const routes = Object.entries(declarations).map(([id, route]) => [id, { ...route, id }])
  return Object.fromEntries(routes)
}

/** A route that needs no key, and is about the server itself. */
export type PublicRoute<S extends RouteSchemas = RouteSchemas> = Omit<
  RouteHead<S>,
  'mode' | 'status' | 'refusals' | 'scope' | 'givesPower' | 'allowedWhenStopped'
> & {
  /**
   * It answers whether the server can work: with 503 where it cannot. The rate limit does not count
   * it.
   */
  probe?: true
  /** @param params of its path: texts, which no schema has checked */
  answer(
    app: App,
    params: InputOf<S['params']>,
  ): Promise<{ message: string; data: Static<S['data']>; status?: 503 }>
}

/**
 * How the routes of a tag are declared: by method and path, with their inputs and answers typed by
 * their schemas.
 * @param refusals the set of the module, whose codes its operations can declare
 */
export function routesOf<Code extends string = GeneralCode>(
  tag: string,
  { all }: RefusalSet<Code> = generalRefusals as unknown as RefusalSet<Code>,
) {
  const by =
    (method: Method, path: string) =>
    <S extends RouteSchemas>({ refuses = [], ...route }: Refuses<Code>): Declared<S> => {
      const refusals = Object.fromEntries(refuses.map((code) => [code, all[code]]))
      return { method, path, tag, refusals, ...route } as Declared<S>
    }
  const read = <const S extends RouteSchemas>(
    path: string,
    route: Described<S> & Refuses<Code> & Reads<S>,
  ) => by('GET', path)<S>(route)
  const writeBy =
    (method: Method) =>
    <const S extends RouteSchemas, Order = RouteInput<S>>(
      path: string,
      route: Described<S> & Refuses<Code> & Writes<S, Order>,
    ) =>
      by(method, path)<S>(route)
  return {
    get: read,
    post: writeBy('POST'),
    put: writeBy('PUT'),
    patch: writeBy('PATCH'),
    delete: writeBy('DELETE'),
  }
}

/** Declares a route without a key. */
export function publicRoute<const S extends RouteSchemas>(route: PublicRoute<S>): PublicRoute {
  return route as unknown as PublicRoute
}

/**
 * What a page is asked with. It has no key: a hosted page shows whose slug it is, and a page for
 * people whose session it is.
 */
export type PageRequest = {
  method: 'GET' | 'POST'
  /** The path with its query, as it was asked for. */
  path: string
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  /**
   * The files of a posted form, by their fields; null stands for one that is larger than the form
   * may be, and was not kept.
   */
  files: Record<string, Uint8Array | null>
  /** What was posted as JSON, by a page's script; null for everything else. */
  json: unknown
  cookies: Record<string, string>
  /** The cookies of what a reader prefers. They may come from another host of the domain. */
  preferences: Record<string, string>
  /** Where the request comes from, where the browser says so: as `Sec-Fetch-Site` has it. */
  site: string | null
  /** What the browser calls itself. */
  agent: string
  /** What its reader reads, where the browser says so: `Accept-Language`. */
  languages: string
  /**
   * Whether it really came by https, as far as anybody here can tell: false where that is not sure.
   */
  secure: boolean
  /** The reader's address; of an IPv6 one its /56. */
  address: string
  /** What of a stream the browser had last. */
  lastEventId: string | null
  /** Aborted when the reader is gone, or the server stops. */
  signal: AbortSignal
}

/** Kept by the browser until it is closed, or for `maxAge` seconds; 0 takes it back. */
export type Cookie = {
  name: string
  value: string
  maxAge?: number
  /** What a reader prefers: sent to this family of pages alone, and read from `preferences`. */
  preference?: true
}

/**
 * What a page answers: a page, a redirect after a post, a file, data for the page's script, or a
 * stream of it.
 */
export type PageAnswer = {
  cookies?: Cookie[]
} /** `policy`: the Content-Security-Policy of this page, where it is not that of its family. */ & (
  | { html: string; status?: number; policy?: string }
  | { redirect: string }
  | { file: Uint8Array | AsyncIterable<string | Uint8Array>; contentType: string; name: string }
  /** A text for programs. */
  | { text: string; contentType: string }
  /** What is never another under its name: browsers keep it. */
  | { asset: string | Uint8Array; contentType: string }
  | { json: object; status?: number }
  | { events: AsyncIterable<string> }
)

/** A route that answers people. */
export type PageRoute<App> = {
  method: 'GET' | 'POST'
  /** With `{slug}`. */
  path: string
  /**
   * How the rate limit counts it: not at all; by address and page, because many payers share one
   * address of a mobile network; or by address alone, as the API is counted, where cards could be
   * tried out.
   */
  counted: 'no' | 'by page' | 'by address'
  /**
   * What it takes by POST. Left out: a small form, from anybody. `session`: a form from who is
   * signed in, which is looked at before the form is read. `file`: the same with a file, or the
   * text of one.
   */
  takes?: 'session' | 'file'
  handler(app: App, request: PageRequest): Promise<PageAnswer>
}

/**
 * A family of pages: its routes, what it shows when something is refused or breaks, and what its
 * policy lets it use.
 */
export type Pages<App> = {
  /** Where its paths begin, and its cookies live without TLS: `/pay`. */
  root: string
  routes: PageRoute<App>[]
  /** What is shown of an error. `request` is null for what never became one. */
  failed(
    error: unknown,
    request: Pick<PageRequest, 'path' | 'params' | 'query' | 'preferences' | 'languages'>,
  ): { html: string; status: number }
  contentSecurityPolicy: string
  /** The largest form of anybody's, in bytes. */
  formLimit: number
  /**
   * Where some are read only of who is signed in: whether a request is, by its cookies, and the
   * largest of those forms, in bytes.
   */
  ofSessions?: {
    known(app: App, cookies: Record<string, string>): Promise<boolean>
    session: number
    file: number
  }
  /** Its pages hold no secret, so they may be compressed: a length would tell of one. */
  compressed?: true
  /** Whether its script may post JSON. */
  takesJson?: true
  /** Its forms may carry files. */
  takesFiles?: true
  /**
   * `same-origin` where forms must come from here: without a referrer, browsers send them with
   * `Origin: null`.
   */
  referrerPolicy?: 'same-origin'
}

/** What an operation is asked with, where a part is not empty. */
export type OperationInput = { params?: object; query?: object; body?: object }

/**
 * The operations of the API, for pages that call them in process: by the same checks, limits of
 * size apart, and with the same answers, as a request with a key has.
 */
export type Operations = {
  /** An operation's route. @throws {Error} when there is none of this id */
  route(id: string): Route
  /** Whether there is one. */
  has(id: string): boolean
  /**
   * Whether who acts may do it, in this mode. @param keyed with a key that may have been used
   * before, when the business was not stopped yet
   */
  allowed(scope: Scope, id: string, keyed?: boolean): boolean
  /**
   * Looks whether a person has confirmed, by a second factor of the last half hour, what gives
   * power.
   * @throws {Refusal} `factor_needed` without one; `sign_in_again` when it was shown longer ago
   */
  requireConfirmed(scope: Scope, id: string): void
  /**
   * Does what a request of the operation would.
   * @param key as `Idempotency-Key`: the same call again, by the same form, gives the same answer
   * and does nothing
   * @returns `data` of the answer as a client gets it; of a file, its chunks
   * @throws {Refusal} what the request would be refused with
   */
  operate(ctx: Ctx, id: string, input?: OperationInput, key?: string): Promise<unknown>
  /** Follows a stream. @throws {Refusal} what the request would be refused with */
  follow(
    ctx: Ctx,
    id: string,
    input: OperationInput,
    request: StreamRequest,
  ): Promise<AsyncIterable<string>>
  /**
   * Only looks whether the schemas take it, and does nothing. @throws {Refusal} what of that a
   * request would be refused with
   */
  check(ctx: Ctx, id: string, input: OperationInput): void
}
