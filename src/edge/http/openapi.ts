/**
 * The OpenAPI 3.1 document, made from the very schemas that validate and serialise.
 */

import type { EventDeclarations, Room } from '../../core/room.ts'
import type { PublicRoute } from '../../core/route.ts'
import { general, type RefusalCodes } from '../../lib/errors.ts'
import { errorComponents, errorResponses } from './openapi-errors.ts'
import { type AnyRoute, isPublic } from './refusals.ts'

type Json = Record<string, unknown>

const idempotencyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Give the same key again and you get the same answer again, for 24 hours; nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const lastEventHeader = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last event you had: what came after it is sent. An EventSource sends it by itself.',
  schema: { type: 'string', maxLength: 100 },
}

function operation(route: AnyRoute): Json {
  const parameters: Json[] = []
  for (const [part, where] of [
    ['params', 'path'],
    ['query', 'query'],
  ] as const) {
    const schema = route.schema[part] as { properties?: Record<string, Json>; required?: string[] } | undefined
    for (const [name, property] of Object.entries(schema?.properties ?? {}))
      parameters.push({
        name,
        in: where,
        required: where === 'path' || (schema?.required?.includes(name) ?? false),
        ...(property.description ? { description: property.description } : {}),
        schema: property,
      })
  }
  if (route.method === 'POST' && !isPublic(route)) parameters.push(idempotencyHeader)
  const reads = 'read' in route ? route : null
  if (reads?.stream) parameters.push(lastEventHeader)
  const answered = {
    type: 'object',
    required: ['message', 'data'],
    properties: { message: { type: 'string' }, data: route.schema.data },
  }
  const fileType = reads?.stream ? 'text/event-stream' : reads?.file?.contentType
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(isPublic(route) ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.schema.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.schema.body } } } }
      : {}),
    responses: {
      [('status' in route && route.status) || 200]: {
        description: 'Success.',
        content: fileType
          ? { [fileType]: { schema: route.schema.data } }
          : { 'application/json': { schema: answered } },
      },
      ...(isPublic(route) && route.probe
        ? { 503: { description: 'It cannot work.', content: { 'application/json': { schema: answered } } } }
        : {}),
      ...errorResponses(route),
    },
  }
}

/** Schemas that have a `title` become components, so that a record is described once. */
function hoist(value: unknown, components: Map<string, unknown>, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components))
  if (typeof value !== 'object' || value === null) return value
  const { title, ...given } = value as Json
  const { nullable, ...plain } = given
  const rest: Json =
    nullable === true && typeof plain.type === 'string' ? { ...plain, type: [plain.type, 'null'] } : given
  const isSchema = typeof title === 'string' && key !== 'info' && ('type' in rest || 'properties' in rest)
  const copy = Object.fromEntries(Object.entries(rest).map(([name, child]) => [name, hoist(child, components, name)]))
  if (!isSchema) return title === undefined ? copy : { title, ...copy }
  components.set(title, copy)
  return { $ref: `#/components/schemas/${title}` }
}

/** The events that webhooks send, as the document's `webhooks`. */
function webhookOperations(events: EventDeclarations): Json {
  const operations: Json = {}
  for (const [type, { meaning, payload }] of Object.entries(events))
    operations[type] = {
      post: {
        summary: meaning,
        description: 'Sent to your endpoint with `X-Signature: sha256=<hex>`, the HMAC-SHA256 of the exact body bytes.',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['id', 'type', 'timestamp', 'payload'],
                properties: {
                  id: { type: 'string' },
                  type: { type: 'string', const: type },
                  timestamp: { type: 'string', format: 'date-time' },
                  payload,
                },
              },
            },
          },
        },
        responses: { '2XX': { description: 'Taken. Anything else is tried again.' } },
      },
    }
  return operations
}

/** Makes the document: what the server says of itself, and what the rooms answer, refuse and emit. */
export function openApiDocument(publicRoutes: PublicRoute[], rooms: Room[], baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  const tags = new Set<string>()
  const routes: AnyRoute[] = [...publicRoutes, ...rooms.flatMap((room) => room.routes ?? [])]
  for (const route of routes) {
    tags.add(route.tag)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  const codes: RefusalCodes = Object.assign({}, general, ...rooms.map((room) => room.refusals?.own))
  const errors = errorComponents(routes, codes)
  const events: EventDeclarations = Object.assign({}, ...rooms.map((room) => room.events))
  const components = new Map<string, unknown>()
  const hoisted = hoist({ paths, webhooks: webhookOperations(events) }, components) as Json
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bursar',
      version: '1.0.0',
      description:
        'Merchant payments over a double-entry ledger. Amounts are integers in minor units. Every answer is `{message, data}`; an error also has `errors.code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    tags: [...tags].map((name) => ({ name })),
    ...hoisted,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`sk_test_…` or `sk_live_…`' } },
      headers: errors.headers,
      responses: errors.responses,
      schemas: { ...errors.schemas, ...Object.fromEntries(components) },
    },
  }
}
