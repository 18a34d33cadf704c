/**
 * A route as plain data: what the kernel needs to validate, call, serialise and document an endpoint.
 * Domains declare routes; only `http` knows the web framework.
 */
import type { Static, TSchema } from 'typebox'
import type { Outcome } from '../lib/errors.ts'

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

/** What a handler answers: the envelope's message and data. Status 200, or 201 when the route says so. */
export type Answer<D> = { message: string; data: D; status?: 503 }

/** What a stream of events is asked with, beside its input. */
export type StreamRequest = {
  /** What the client had last, by its `Last-Event-ID`. */
  lastEventId: string | null
  /** Tells the streams of one key from those of another. */
  caller: string
  /** Aborted when the client is gone, the server stops, or the key no longer works. */
  signal: AbortSignal
}

type TxOf<Ctx> = Ctx extends { tx?: infer Tx } ? NonNullable<Tx> : never

/** A write that shares its database transaction with others of its kind that come at the same time. */
export type Batch<Ctx, S extends RouteSchemas, Order> = {
  /** The envelope's message. */
  message: string
  /** What needs no transaction: reads the request, and asks whom it must; also for one that was answered before. */
  prepare(ctx: Ctx, input: RouteInput<S>): Promise<Order>
  /**
   * Runs any number of orders, of any number of businesses, each decided as if it came alone, in their order.
   * @throws when none of it may stand: each is then run alone
   */
  run(tx: TxOf<Ctx>, orders: Order[]): Promise<Outcome<Static<S['data']>>[]>
}

export type Route<Ctx, S extends RouteSchemas = RouteSchemas, Order = unknown> =
  | HandledRoute<Ctx, S>
  | BatchedRoute<Ctx, S, Order>

export type HandledRoute<Ctx, S extends RouteSchemas = RouteSchemas> = RouteHead<S> & {
  /** The answer is a file, made while it is sent; `schema.data` documents it as text. */
  file?: { contentType: string; name: string }
  /** The answer is a stream of server-sent events, given as chunks of it; `schema.data` documents what an event carries. */
  stream?: true
  /** `request` is there for streams only. */
  handler(ctx: Ctx, input: RouteInput<S>, request?: StreamRequest): Promise<Answer<Static<S['data']>>>
  batch?: never
}

type BatchedRoute<Ctx, S extends RouteSchemas, Order> = RouteHead<S> & {
  batch: Batch<Ctx, S, Order>
  file?: never
  stream?: never
  handler?: never
}

type RouteHead<S extends RouteSchemas> = {
  method: Method
  /** With `{name}` for parameters, as in the OpenAPI document. */
  path: string
  /** One of the groups of the reference page. */
  tag: string
  summary: string
  description?: string
  /** 201 for what creates, else 200. */
  status?: 200 | 201
  /** No key is needed, and the context has no scope. */
  public?: true
  /** It tells whether the server can work: with 503 where it cannot. The rate limit does not count it. */
  probe?: true
  /** `test`: test keys only, a live key gets 403. */
  mode?: 'test'
  schema: S
}

/** What a hosted page is asked with. It has no key: whose data it shows follows from its slug. */
export type PageRequest = {
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  cookies: Record<string, string>
  /** What the browser says of where the request comes from, where it says so: `Sec-Fetch-Site`. */
  site: string | null
  /** The payer's address; of an IPv6 one its /64. */
  address: string
  /** Aborted when the payer is gone, or the server stops. */
  signal: AbortSignal
}

/** What a hosted page answers: a page, a redirect after a post, data for the page's script, or a stream of it. */
export type PageAnswer =
  | { html: string; status?: 200 | 400 | 404 | 429 | 500; cookie?: { name: string; value: string } }
  | { redirect: string }
  | { file: Uint8Array; contentType: string; name: string }
  | { json: object }
  | { events: AsyncIterable<string> }

/** A route that answers people. Under `/pay`, where its cookies live. */
export type PageRoute<App> = {
  method: 'GET' | 'POST'
  /** With `{slug}`. */
  path: string
  /**
   * How the rate limit counts it: not at all; by address and page, because many payers share one address of a mobile network;
   * or by address alone, as the API is counted, where cards could be tried out.
   */
  counted: 'no' | 'by page' | 'by address'
  handler(app: App, request: PageRequest): Promise<PageAnswer>
}

/** Hosted pages: their routes, what they show when something is refused or breaks, and what their policy lets them use. */
export type Pages<App> = {
  routes: PageRoute<App>[]
  failed(error: unknown, slug: string): { html: string; status: number }
  contentSecurityPolicy: string
}

/** Declares a route with its handler's input and answer typed by its schemas. */
export function routeFor<Ctx>() {
  return <const S extends RouteSchemas, Order = never>(route: Route<Ctx, S, Order>): Route<Ctx> =>
    route as unknown as Route<Ctx>
}
