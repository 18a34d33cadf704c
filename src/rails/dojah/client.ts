/**
 * The one client of Dojah: it asks, and says what is certain after it. Dojah takes the number that
 * is looked up in the query, so neither the URL nor what was answered is ever logged or put into an
 * error; nor are the keys.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { certainOf, type Unanswered } from '../http/answers.ts'
import { openBucket, type Urgency } from '../http/bucket.ts'
import { type Exchange, openExchange, type Reach } from '../http/exchange.ts'
import { asObject } from '../http/values.ts'
import { messageOf, upstreamAway } from './answers.ts'
import { perMinute } from './unconfirmed.ts'

export type Refused = { is: 'refused'; status: number; message: string }
/** `entity` is null where Dojah answers that it has nothing. */
export type Answer =
  | { is: 'answered'; entity: Record<string, unknown> | null }
  | Unanswered
  | Refused

export type Question = { path: `/${string}`; query?: Record<string, string>; urgency: Urgency }
export type Client = { ask(question: Question): Promise<Answer> }

type ClientParts = { reach: Reach; appId: string; secretKey: string; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
export function openClient({ reach, appId, secretKey, clock, log }: ClientParts): Client {
  const exchange = openExchange(reach)
  const bucket = openBucket(perMinute, clock)
  return {
    async ask({ path, query = {}, urgency }) {
      const waitMs = await bucket.take(urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      const url = new URL(reach.host + path)
      url.search = new URLSearchParams(query).toString()
      const started = performance.now()
      const came = await exchange({
        url,
        method: 'GET',
        body: null,
        headers: { appid: appId, authorization: secretKey },
      })
      const answer = meaningOf(came)
      if (answer.is === 'rate_limited') bucket.pause(urgency, answer.againInMs)
      const line = {
        method: 'GET',
        path,
        status: came.status,
        ms: Math.round(performance.now() - started),
        came: answer.is,
        ...(came.error === null ? {} : { error: came.error }),
      }
      if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Dojah')
      else log.warn(line, 'asked Dojah')
      return answer
    },
  }
}

/** Dojah names no other reason for a 401 or 403. */
const isAboutKey = (): boolean => true

/** What is certain after an exchange. */
function meaningOf(exchange: Exchange): Answer {
  const came = certainOf(exchange, { provider: 'Dojah', unsure: upstreamAway, isAboutKey })
  if (came.is !== 'said') return came
  const { status, said } = came
  const entity = asObject(said.entity)
  if (status < 300 && (entity !== null || said.entity === null)) return { is: 'answered', entity }
  if (status >= 400) return { is: 'refused', status, message: messageOf(said) }
  return { is: 'unknown', why: `Dojah answers ${status} in a form that is not its own` }
}
