/**
 * The client of Dojah's API. Dojah takes the number that is looked up in the query, so neither the
 * URL nor an answer is ever logged or put into an error.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Unanswered } from '../http/answers.ts'
import {
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
  type Refused,
} from '../http/client.ts'
import type { Reach } from '../http/exchange.ts'
import { asObject } from '../http/values.ts'
import { messageOf, upstreamAway } from './answers.ts'
import { perMinute } from './unconfirmed.ts'

/** What came of a call. `entity` is null where Dojah answers that it has nothing. */
export type Answer =
  | { is: 'answered'; entity: Record<string, unknown> | null }
  | Unanswered
  | Refused

export type Client = ProviderClient<ProviderCall, Answer>

type ClientParts = { reach: Reach; appId: string; secretKey: string; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
export const openClient = ({ appId, secretKey, ...parts }: ClientParts): Client =>
  openProviderClient<ProviderCall, Answer>(parts, {
    provider: 'Dojah',
    perMinute,
    headersOf: () => ({ appid: appId, authorization: secretKey }),
    bodyOf: () => null,
    requestIdHeaders: [],
    unsureStatuses: upstreamAway,
    // Dojah names no other reason for a 401 or 403.
    isAboutKey: () => true,
    read: readAnswer,
  })

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  const entity = asObject(body.entity)
  if (status < 300 && (entity !== null || body.entity === null)) return { is: 'answered', entity }
  if (status >= 400) return { is: 'refused', status, code: '', message: messageOf(body) }
  return null
}
