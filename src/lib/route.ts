/**
 * A route as plain data: what the kernel needs to validate, call, serialise and document an endpoint.
 * Domains declare routes; only `http` knows the web framework.
 */
import type { Static, TSchema } from 'typebox'

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

export type Route<Ctx, S extends RouteSchemas = RouteSchemas> = {
  method: Method
  /** With `{name}` for parameters, as in the OpenAPI document. */
  path: string
  /** One of the groups of the reference page. */
  tag: string
  summary: string
  description?: string
  /** The answer is a file, made while it is sent; `schema.data` documents it as text. */
  file?: { contentType: string; name: string }
  /** 201 for what creates, else 200. */
  status?: 200 | 201
  /** No key is needed, and the context has no scope. */
  public?: true
  /** `test`: test keys only, a live key gets 403. */
  mode?: 'test'
  schema: S
  handler(ctx: Ctx, input: RouteInput<S>): Promise<Answer<Static<S['data']>>>
}

/** Declares a route with its handler's input and answer typed by its schemas. */
export function routeFor<Ctx>() {
  return <const S extends RouteSchemas>(route: Route<Ctx, S>): Route<Ctx> => route as unknown as Route<Ctx>
}
