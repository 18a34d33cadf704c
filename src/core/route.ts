/**
 * Routes as plain data: what the HTTP layer needs to validate, call, serialise and document an
 * operation.
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
import type { OperationScope, PersonScope } from './scopes.ts'

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

/** The request of an event stream, beside its input. */
export type StreamRequest = {
  /** The `Last-Event-ID` of the client. */
  lastEventId: string | null
  /** Identifies the caller: the same for all streams of a key. */
  caller: string
  /** Aborts when the client disconnects, the server stops, or the key is revoked. */
  signal: AbortSignal
}

type RouteHead<S extends RouteSchemas> = Described<S> & {
  /** The operation's name, such as `createPayout`; generated clients call their method so. */
  id: string
  method: Method
  /** With `{name}` for parameters, as in OpenAPI. */
  path: string
  /** The group on the reference page. */
  tag: string
  /** The declared refusals, beside those that follow from the route's shape. */
  refusals: RefusalCodes
}

/**
 * Dates are like 2026-11-23. `sunset`: the planned removal. `successor`: the replacement, as `GET
 * /payouts`.
 */
export type Deprecated = { since: string; sunset?: string; successor?: `${Method} /${string}` }

type Described<S extends RouteSchemas> = {
  /** The right that the operation requires. */
  scope: OperationScope
  /** The right that it requires of a person instead. */
  personScope?: PersonScope
  /** A person confirms it with a fresh second factor in live mode, because it gives power. */
  givesPower?: true
  /** A stopped business may still do it: it ends something or only tries something out. */
  allowedWhenStopped?: true
  summary: string
  description?: string
  /** 201 for creations, else 200. */
  status?: 200 | 201
  /** `test`: test keys only; a live key gets 403. */
  mode?: 'test'
  /** Marks the operation as deprecated, in the OpenAPI document and in response headers. */
  deprecated?: Deprecated
  /** Answer fields that are shown once: the stored answer of a dashboard page omits them. */
  once?: readonly string[]
  /**
   * A complete example body for the OpenAPI document. A test sends it and substitutes existing ids.
   */
  example?: InputOf<S['body']>
  schema: S
}

/**
 * The codes that the operation returns, beside those that follow from its shape
 * (`api/http/refusals.ts`). Any other code is a bug.
 */
type Refuses<Code extends string> = { refuses?: readonly Code[] }

/** A route that only reads. */
export type ReadRoute<S extends RouteSchemas = RouteSchemas> = RouteHead<S> & Reads<S>

type Reads<S extends RouteSchemas> = {
  message: string
  /** The answer is a file, produced while it is sent; `schema.data` documents it as text. */
  file?: { contentType: string; name: string }
  /** The answer is a stream of server-sent events; `schema.data` documents the data of an event. */
  stream?: true
  /** `request` is set for streams only. */
  read(ctx: Ctx, input: RouteInput<S>, request?: StreamRequest): Promise<Static<S['data']>>
}

/**
 * A route that writes. `prepare` may call rails, outside of any transaction. The HTTP layer then
 * opens the transaction, claims the Idempotency-Key, runs, stores the answer and commits.
 */
export type WriteRoute<
  S extends RouteSchemas = RouteSchemas,
  Order = RouteInput<S>,
> = RouteHead<S> & Writes<S, Order>

type Writes<S extends RouteSchemas, Order> = {
  message: string | ((data: Static<S['data']>) => string)
  /**
   * Reads the request and calls rails. Without it, the order is the request's input. A repeated
   * request is not prepared again, unless it may share its transaction.
   */
  prepare?(ctx: Ctx, input: RouteInput<S>): Promise<Order>
  /** Executes the order. Throwing rolls back everything. */
  run(work: Work, order: Order): Promise<Static<S['data']>>
  /**
   * Executes orders of any number of businesses in one shared transaction. Each is decided in
   * order, as if it had come alone.
   * @throws to roll back all orders; each then runs alone
   */
  together?(tx: Tx, orders: Order[]): Promise<Outcome<Static<S['data']>>[]>
  /**
   * Whether the order may share a transaction. Without it, every order of a route with `together`
   * may.
   */
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

/** A route about the server itself that needs no key. */
export type PublicRoute<S extends RouteSchemas = RouteSchemas> = Omit<
  RouteHead<S>,
  'mode' | 'status' | 'refusals' | 'scope' | 'personScope' | 'givesPower' | 'allowedWhenStopped'
> & {
  /**
   * A health probe: it answers 503 if the server cannot work, and does not count toward the rate
   * limit.
   */
  probe?: true
  /** @param params texts of the path, not validated */
  answer(
    app: App,
    params: InputOf<S['params']>,
  ): Promise<{ message: string; data: Static<S['data']>; status?: 503 }>
}

/**
 * Returns functions that declare the routes of a tag, with inputs and answers typed by their
 * schemas.
 * @param refusals the module's set, whose codes its operations can declare
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
 * The request of a page. It has no API key: hosted pages are addressed by slug, pages for people by
 * session.
 */
export type PageRequest = {
  method: 'GET' | 'POST'
  /** The path with its query, as requested. */
  path: string
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a submitted form. */
  form: Record<string, string>
  /**
   * The files of a submitted form, by field. Null: the file was larger than allowed, and was
   * dropped.
   */
  files: Record<string, Uint8Array | null>
  /** The JSON body that a page's script posted; null otherwise. */
  json: unknown
  cookies: Record<string, string>
  /** Cookies with display preferences. Another host of the domain may have set them. */
  preferences: Record<string, string>
  /** The `Sec-Fetch-Site` header. */
  site: string | null
  /** The `User-Agent` header. */
  agent: string
  /** The `Accept-Language` header. */
  languages: string
  /** Whether the request certainly came by https. */
  secure: boolean
  /** The client's address; for IPv6 its /56 prefix. */
  address: string
  /** The `Last-Event-ID` header. */
  lastEventId: string | null
  /** Aborts when the client disconnects or the server stops. */
  signal: AbortSignal
}

/** A cookie for the browser session, or for `maxAge` seconds; 0 deletes it. */
export type Cookie = {
  name: string
  value: string
  maxAge?: number
  /** A display preference: sent to this family of pages only, and read from `preferences`. */
  preference?: true
}

/**
 * The answer of a page: HTML, a redirect after a post, a file, or data for the page's script.
 * `policy`: its Content-Security-Policy, where it is not that of its family.
 * `secret`: it shows something once, and is kept nowhere.
 */
export type PageAnswer = {
  cookies?: Cookie[]
} & (
  | { html: string; status?: number; policy?: string; secret?: true }
  | { redirect: string }
  | { file: Uint8Array | AsyncIterable<string | Uint8Array>; contentType: string; name: string }
  /** Plain text for programs. */
  | { text: string; contentType: string }
  /** Immutable content: browsers cache it. */
  | { asset: string | Uint8Array; contentType: string }
  | { json: object; status?: number }
  | { events: AsyncIterable<string> }
)

/** A route that serves pages to people. */
export type PageRoute<App> = {
  method: 'GET' | 'POST'
  /** With `{slug}`. */
  path: string
  /**
   * How the rate limit counts it. `by page`: by address and page, because many payers share an
   * address of a mobile network. `by address`: by address alone, where stolen cards could be tried.
   */
  counted: 'no' | 'by page' | 'by address'
  /**
   * The forms that it accepts by POST. Undefined: a small form from any client. `session`: a form
   * from a signed-in person, which is checked before the form is read. `file`: the same with a
   * file.
   */
  takes?: 'session' | 'file'
  handler(app: App, request: PageRequest): Promise<PageAnswer>
}

/** A family of pages: its routes, its error page and its security policy. */
export type Pages<App> = {
  /** The path prefix, which also scopes its cookies without TLS: `/pay`. */
  root: string
  routes: PageRoute<App>[]
  /** Returns the page for an error. `request` is null if it could not be parsed. */
  failed(
    error: unknown,
    request: Pick<PageRequest, 'path' | 'params' | 'query' | 'preferences' | 'languages'>,
  ): { html: string; status: number }
  contentSecurityPolicy: string
  /** The largest form of a client that is not signed in, in bytes. */
  formLimit: number
  /** Larger forms for signed-in people: `known` checks the session cookie; sizes in bytes. */
  ofSessions?: {
    known(app: App, cookies: Record<string, string>): Promise<boolean>
    session: number
    file: number
  }
  /** Allows compression, because its pages contain no secrets that a length could reveal. */
  compressed?: true
  /** Its script may post JSON. */
  takesJson?: true
  /** Its forms may carry files. */
  takesFiles?: true
  /**
   * `same-origin` if forms must come from this site: without a referrer, browsers send `Origin:
   * null`.
   */
  referrerPolicy?: 'same-origin'
}

/** The input of an operation; empty parts are left out. */
export type OperationInput = { params?: object; query?: object; body?: object }

/**
 * The operations of the API for pages that call them in process. Checks and answers are those of a
 * request with a key, except for size limits.
 */
export type Operations = {
  /**
   * Returns the route of an operation.
   * @throws {Error} if there is none with this id
   */
  route(id: string): Route
  /**
   * Whether the actor may call the operation in this mode.
   * @param keyed the request has an Idempotency-Key, so it may repeat one answered before the
   * business was stopped
   */
  allowed(scope: Scope, id: string, keyed?: boolean): boolean
  /**
   * Checks that the person passed a second factor within the last 30 minutes, for operations that
   * grant power.
   * @throws {Refusal} `factor_needed` without one; `sign_in_again` if it is older
   */
  requireConfirmed(scope: Scope, id: string): void
  /**
   * Calls an operation as a request would.
   * @param key like `Idempotency-Key`: a repeat returns the first answer and does nothing
   * @returns the `data` of the answer as clients get it; the chunks of a file
   * @throws {Refusal} as the request
   */
  operate(ctx: Ctx, id: string, input?: OperationInput, key?: string): Promise<unknown>
  /**
   * Opens an event stream.
   * @throws {Refusal} as the request
   */
  follow(
    ctx: Ctx,
    id: string,
    input: OperationInput,
    request: StreamRequest,
  ): Promise<AsyncIterable<string>>
  /**
   * Validates the input without calling the operation.
   * @throws {Refusal} as the request, if its input is invalid
   */
  check(ctx: Ctx, id: string, input: OperationInput): void
}
