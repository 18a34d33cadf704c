/**
 * Each operation's possible refusals: those that its module declares, and those that follow from
 * its shape, declared here. The HTTP layer logs any other as an error; tests fail, and the document
 * lists exactly these.
 */
import type { FastifyRequest } from 'fastify'
import type { PublicRoute, Route } from '../../core/route.ts'
import { type GeneralCode, general, type Refusal, type RefusalCodes } from '../../lib/errors.ts'

import { isRefusedWhenStopped } from './scopes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of a route, if the document has it. */
    operation?: { id: string; refusals: RefusalCodes }
  }
}

export type AnyRoute = Route | PublicRoute

export const isPublic = (route: AnyRoute): route is PublicRoute => 'answer' in route

const has = (schema: object | undefined, field: string): boolean =>
  field in ((schema as { properties?: object } | undefined)?.properties ?? {})

/** Codes that operations of a certain shape may return, and that shape in words. */
const shapes: { of: string; is(route: AnyRoute): boolean; codes: GeneralCode[] }[] = [
  { of: 'what is no operation', is: () => false, codes: ['route_not_found', 'method_not_allowed'] },
  { of: 'every operation', is: () => true, codes: ['bad_request', 'internal_error'] },
  {
    of: 'every operation but `getHealth`',
    is: (route) => !('probe' in route),
    codes: ['rate_limited', 'database_unavailable'],
  },
  {
    of: 'every operation with a key',
    is: (route) => !isPublic(route),
    codes: [
      'missing_key',
      'invalid_key',
      'address_not_allowed',
      'scope_missing',
      'validation_failed',
      'overloaded',
      'test_data_emptying',
    ],
  },
  {
    of: 'every operation of test mode alone',
    is: (route) => 'mode' in route && route.mode === 'test',
    codes: ['test_mode_only'],
  },
  {
    of: 'every operation that starts to collect or pay out',
    is: (route) => !isPublic(route) && isRefusedWhenStopped(route),
    codes: ['business_suspended', 'business_closed'],
  },
  {
    of: 'every operation that writes',
    is: ({ method }) => method !== 'GET',
    codes: ['malformed_json', 'body_too_large', 'unsupported_content_type'],
  },
  { of: 'every POST', is: ({ method }) => method === 'POST', codes: ['idempotency_key_reused'] },
  {
    of: 'every operation that names a record in its path',
    is: ({ schema }) => !!schema.params,
    codes: ['not_found'],
  },
  {
    of: 'every operation that takes a cursor',
    is: ({ schema }) => has(schema.query, 'after'),
    codes: ['invalid_cursor'],
  },
  {
    of: 'every list that is searched',
    is: ({ schema }) => has(schema.query, 'search'),
    codes: ['search_too_broad'],
  },
]

/** Returns the refusals that follow from an operation's shape. */
export function shapeRefusals(route: AnyRoute): RefusalCodes {
  const codes = shapes.filter(({ is }) => is(route)).flatMap((shape) => shape.codes)
  return Object.fromEntries(codes.map((code) => [code, general[code]]))
}

/** Returns the refusals that an operation declares. */
export const declaredRefusals = (route: AnyRoute): RefusalCodes =>
  'refusals' in route ? route.refusals : {}

/** Returns all refusals of an operation. */
export const refusalsOfRoute = (route: AnyRoute): RefusalCodes => ({
  ...shapeRefusals(route),
  ...declaredRefusals(route),
})

/** Returns what the HTTP layer stores about an operation. */
export const operationOf = (route: AnyRoute) => ({ id: route.id, refusals: refusalsOfRoute(route) })

/**
 * Returns the body of a refusal. A code that its operation does not declare is a bug, because the
 * document is then wrong.
 */
export function refusedBody(request: FastifyRequest, refusal: Refusal): string {
  const { operation } = request.routeOptions.config
  if (operation && !(refusal.code in operation.refusals))
    request.log.error(
      { operation: operation.id, code: refusal.code },
      'a refusal that its operation does not declare',
    )
  return JSON.stringify(errorEnvelope(refusal))
}

/** The error envelope of a refusal. */
export function errorEnvelope(refusal: Refusal): object {
  return {
    message: refusal.message,
    data: refusal.data,
    errors: { code: refusal.code, ...refusal.details },
  }
}

/** Describes in words which operations may return a code. */
export function operationsRefusing(code: string, routes: AnyRoute[]): string {
  const declare = routes
    .filter((route) => code in declaredRefusals(route))
    .map(({ id }) => `\`${id}\``)
  const shape = shapes.find(({ codes }) => (codes as string[]).includes(code))
  return [...(shape ? [shape.of] : []), ...declare].join(', ')
}
