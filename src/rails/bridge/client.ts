/** The client of Bridge's API. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Unanswered } from '../http/answers.ts'
import {
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
  type Refused as ProviderRefused,
} from '../http/client.ts'
import type { Reach } from '../http/exchange.ts'
import { asObject, textOf } from '../http/values.ts'
import { perMinute } from './unconfirmed.ts'

/** Bridge wants a `key` of idempotency with every POST, and with nothing else. */
export type Call = Omit<ProviderCall, 'method'> &
  ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/** `message`: Bridge's sentence, and the names of the fields that are wrong. */
export type Refused = ProviderRefused & { body: Record<string, unknown> }

/** What came of a call. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Unanswered | Refused
/** What came of a call that was not answered. */
export type Failure = Unanswered | Refused

/** Where Bridge is in each mode: its sandbox is another host. */
export const bridgeReach = {
  live: { host: 'https://api.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
  test: { host: 'https://api.sandbox.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
} satisfies Record<'live' | 'test', Reach>

export type Client = ProviderClient<Call, Answer>

type ClientParts = { reach: Reach; apiKey: string; clock: Clock; log: Log }

/** @param parts.apiKey goes into a header, and nowhere else */
export const openClient = ({ apiKey, ...parts }: ClientParts): Client =>
  openProviderClient<Call, Answer>(parts, {
    provider: 'Bridge',
    perMinute,
    basePath: '/v0',
    headersOf: (call) => ({
      'api-key': apiKey,
      ...(call.method === 'POST' ? { 'idempotency-key': call.key } : {}),
    }),
    bodyOf: (call) => (call.method === 'POST' ? JSON.stringify(call.body) : null),
    requestIdHeaders: ['x-request-id'],
    // 409: another request with the same key is under way.
    unsureStatuses: [408, 409],
    isAboutKey,
    read: readAnswer,
  })

/**
 * Of the key, Bridge's OpenAPI document has `required` and `invalid` as codes, with the name of the
 * header beside them. Other codes say what is not allowed.
 */
function isAboutKey({ code, name }: Record<string, unknown>): boolean {
  const words = `${textOf(code) ?? ''} ${textOf(name) ?? ''}`
  return textOf(code) === null || /credential|auth|api.?key/i.test(words)
}

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  if (status < 300) return { is: 'answered', data: body }
  const code = textOf(body.code)
  if (code === null) return null
  const words = [textOf(body.message), textOf(asObject(body.source)?.key)]
  const message = words.filter((word) => word !== null).join(' ')
  return { is: 'refused', status, code, message, body }
}
