/** The client of Paystack's API. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { waitMsIn } from '../http/answers.ts'
import {
  type Failure,
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
} from '../http/client.ts'
import type { Reach as ReachOfHost } from '../http/exchange.ts'
import { textOf } from '../http/values.ts'
import { isStarter } from './refusals.ts'
import { mostResetSeconds } from './unconfirmed.ts'

export type { Refused } from '../http/client.ts'
export { asObject, textOf, wholeOf } from '../http/values.ts'

export type Call = ProviderCall & { body?: object }

/** The result of a call. */
export type Answer = { is: 'answered'; data: unknown; meta: unknown } | Failure

/** Paystack's address and timeouts. Only tests change them. */
export type Reach = ReachOfHost & { pagesHost?: string }

export const paystackReach: Reach = {
  host: 'https://api.paystack.co',
  connectMs: 5_000,
  wholeMs: 15_000,
}

export type Client = ProviderClient<Call, Answer>

/**
 * Requests per minute: live, the documented limit of endpoints without their own; test, one limit
 * for all.
 */
const perMinute = { live: 600, test: 100 }

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey used only in a header */
export const openClient = ({ secretKey, livemode, ...parts }: ClientParts): Client =>
  openProviderClient<Call, Answer>(parts, {
    provider: 'Paystack',
    perMinute: livemode ? perMinute.live : perMinute.test,
    headersOf: () => ({ authorization: `Bearer ${secretKey}` }),
    bodyOf: ({ body }) => (body === undefined ? null : JSON.stringify(body)),
    // Seen in every recorded answer (VCR in `refusals.ts`).
    requestIdHeaders: ['cf-ray', 'x-amzn-requestid'],
    unsureStatuses: [408],
    isAboutKey,
    waitMsOf: (headers) =>
      waitMsIn(headers['x-ratelimit-reset'] ?? headers['retry-after'], mostResetSeconds),
    read: readAnswer,
  })

/**
 * Whether a 403 is about the key: only without a code or sentence of its own, unlike
 * `feature_unavailable`.
 */
const isAboutKey = ({ code, message }: Record<string, unknown>, status: number): boolean =>
  status === 401 ||
  (/^$|key/i.test(textOf(code) ?? '') && !isStarter({ message: textOf(message) ?? '' }))

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  const [code, message] = [textOf(body.code) ?? '', textOf(body.message) ?? '']
  if (body.status === false) return { is: 'refused', status, code, message }
  if (body.status !== true || status >= 300) return null
  return { is: 'answered', data: body.data ?? null, meta: body.meta ?? null }
}
