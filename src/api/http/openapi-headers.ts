/** Headers of the OpenAPI document: of requests, deliveries and answers. */
import type { Json } from './openapi-components.ts'

const parameter = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
})

/** Of one operation only. */
export const lastEventHeader = parameter(
  'Last-Event-ID',
  'The `id` of the last event you had: what came after it is sent. An EventSource sends it by itself.',
  { maxLength: 100 },
)

/** Headers of requests. */
export const headerParameters = {
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Give the same key again and you get the same answer again, for 24 hours; nothing is done twice.',
    { minLength: 1, maxLength: 255, pattern: '^[!-~]+$', examples: ['9f1c8f0e-rent-2026-11'] },
  ),
}

export const idempotencyHeader = { $ref: '#/components/parameters/IdempotencyKey' }

const delivered = (name: string, schema: Json = { type: 'string' }, required = true): Json => ({
  name,
  in: 'header',
  ...(required ? { required } : {}),
  schema,
})

/**
 * Headers of each delivery, inline: some generators omit shared parameters that no path uses. Their
 * tag explains them.
 */
export const deliveryHeaders = [
  delivered('X-Signature'),
  delivered('X-Signature-Previous', { type: 'string' }, false),
  delivered('X-Event-Id'),
  delivered('X-Event-Type'),
  delivered('X-Delivery-Attempt', { type: 'integer', format: 'int32' }),
  delivered('X-Event-Sample', { type: 'string' }, false),
  delivered('webhook-id'),
  delivered('webhook-timestamp', { type: 'integer', format: 'int64' }),
  delivered('webhook-signature'),
]

const count = { type: 'integer', format: 'int32', minimum: 0 }

/** Headers of answers, success or not. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'Names the request in the server’s log: quote it.',
    schema: { type: 'string' },
  },
  'RateLimit-Limit': {
    description: 'Requests that your address may make in a window.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: count },
  'Retry-After': { description: 'Seconds to wait before you try again.', schema: count },
  'Idempotent-Replayed': {
    description:
      '`true`: this is the answer that the Idempotency-Key got before; nothing was done again.',
    schema: { type: 'string', const: 'true' },
  },
}

/** References to headers of answers. */
export const headerRefs = (names: readonly (keyof typeof answerHeaders)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of answers that the rate limit counts. */
export const limitHeaders = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const

/** Headers of a success. */
export const headersOf = ({ counted, replayed }: { counted: boolean; replayed: boolean }): Json =>
  headerRefs([
    ...(counted ? limitHeaders : (['X-Request-Id'] as const)),
    ...(replayed ? (['Idempotent-Replayed'] as const) : []),
  ])
