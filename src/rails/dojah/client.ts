/**
 * The client of Dojah's API. The query contains the identity number, so neither the URL nor an
 * answer is ever logged or put into an error.
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

/** The result of a call. `entity` is null if Dojah has no entry. */
export type Answer =
  | { is: 'answered'; entity: Record<string, unknown> | null }
  | Unanswered
  | Refused

export type Client = ProviderClient<ProviderCall, Answer>

type ClientParts = { reach: Reach; appId: string; secretKey: string; clock: Clock; log: Log }

/** @param parts.secretKey used only in a header */
export const openClient = ({ appId, secretKey, ...parts }: ClientParts): Client =>
  openProviderClient<ProviderCall, Answer>(parts, {
    provider: 'Dojah',
    perMinute,
    headersOf: () => ({ appid: appId, authorization: secretKey }),
    bodyOf: () => null,
    requestIdHeaders: [],
    unsureStatuses: upstreamAway,
    // Dojah has no other reason for a 401 or 403.
    isAboutKey: () => true,
    read: readAnswer,
  })

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  const entity = asObject(body.entity)
  if (status < 300 && (entity !== null || body.entity === null)) return { is: 'answered', entity }
  if (status >= 400) return { is: 'refused', status, code: '', message: messageOf(body) }
  return null
}
