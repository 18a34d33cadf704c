/**
 * The OpenAPI 3.1 document, made from the very schemas that validate and serialise.
 */

import type { Route } from '../../core/route.ts'
import { refusals } from '../../lib/errors.ts'

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

const errorSchema = {
  type: 'object',
  required: ['message', 'data', 'errors'],
  properties: {
    message: { type: 'string', description: 'A sentence that says what to do.' },
    data: { description: 'On 422 the list of issues, else an object or null.' },
    errors: {
      type: ['object', 'null'],
      properties: { code: { type: 'string', enum: Object.keys(refusals), description: 'Stable; safe to branch on.' } },
    },
  },
}

/** Every error answer a route can give, by status. */
function errorResponses(route: Route<never>): Json {
  const statuses = new Set<number>([500])
  if (!route.probe) statuses.add(429)
  if (!route.public) for (const status of [400, 401, 403, 422]) statuses.add(status)
  // A body may name records, too.
  if (route.schema.params || route.schema.body) statuses.add(404)
  if (route.method !== 'GET') statuses.add(409)
  const responses: Json = {}
  for (const status of [...statuses].sort()) {
    const codes = Object.entries(refusals).filter(([, [at]]) => at === status)
    responses[status] = {
      description: codes.map(([code, [, text]]) => `\`${code}\`: ${text}`).join(' '),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  }
  return responses
}

function operation(route: Route<never>): Json {
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
  if (route.method === 'POST' && !route.public) parameters.push(idempotencyHeader)
  if (route.stream) parameters.push(lastEventHeader)
  const answered = {
    type: 'object',
    required: ['message', 'data'],
    properties: { message: { type: 'string' }, data: route.schema.data },
  }
  const fileType = route.stream ? 'text/event-stream' : route.file?.contentType
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replace(/[^a-z0-9]+/gi, '_').replace(/_$/, '')}`,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.public ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.schema.body
      ? { requestBody: { required: true, content: { 'application/json': { schema: route.schema.body } } } }
      : {}),
    responses: {
      [route.status ?? 200]: {
        description: 'Success.',
        content: fileType
          ? { [fileType]: { schema: route.schema.data } }
          : { 'application/json': { schema: answered } },
      },
      ...(route.probe
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
function webhookOperations(types: Record<string, string>, payloads: Record<string, object>): Json {
  const operations: Json = {}
  for (const [type, description] of Object.entries(types)) {
    const payload = payloads[type]
    if (!payload) continue
    operations[type] = {
      post: {
        summary: description,
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
  }
  return operations
}

/** Makes the document. `payloads` maps an event type to the schema of its payload. */
export function openApiDocument(
  routes: Route<never>[],
  baseUrl: string,
  eventTypes: Record<string, string>,
  payloads: Record<string, object>,
): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = paths[route.path] ?? {}
    path[route.method.toLowerCase()] = operation(route)
    paths[route.path] = path
  }
  const components = new Map<string, unknown>()
  const hoisted = hoist({ paths, webhooks: webhookOperations(eventTypes, payloads) }, components) as Json
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
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    ...hoisted,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: '`sk_test_…` or `sk_live_…`' } },
      schemas: { Error: errorSchema, ...Object.fromEntries(components) },
    },
  }
}
