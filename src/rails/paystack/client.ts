/**
 * The one client of Paystack: it asks, and says what is certain after it. Neither the key nor what
 * was sent is ever logged.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { certainOf, isTooLate, tooLate, type Unanswered, waitIn } from '../http/answers.ts'
import { type Bucket, openBucket, type Urgency } from '../http/bucket.ts'
import { type Exchange, openExchange, type Reach as ReachOfHost } from '../http/exchange.ts'
import { codeToShow, requestIdIn } from '../http/masking.ts'
import { textOf } from '../http/values.ts'
import { isStarter } from './refusals.ts'
import { mostResetSeconds } from './unconfirmed.ts'

export { asObject, textOf, wholeOf } from '../http/values.ts'

/** What to ask. `path` is the template that is logged; `params` are put into it. */
export type Question = {
  method: 'GET' | 'POST' | 'DELETE'
  path: `/${string}`
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  urgency: Urgency
  /** When it is not asked any more: `unknown`. */
  latest?: Date | null
  /** It has a limit of its own: where that is reached, nothing else waits. */
  ownLimit?: boolean
}

/**
 * A refusal in Paystack's form, or with `status: false`: `refusals.ts` says which are certain of an
 * order.
 */
export type Refused = { is: 'refused'; status: number; code: string; message: string }

/** What came of a question. */
export type Answer = { is: 'answered'; data: unknown; meta: unknown } | Unanswered | Refused

/** The same, where there was no answer. */
export type Lack = Exclude<Answer, { is: 'answered' }>

/** Where Paystack is, and how long it may take. Only the composition of tests gives others. */
export type Reach = ReachOfHost & { pagesHost?: string }

export const paystackReach: Reach = {
  host: 'https://api.paystack.co',
  connectMs: 5_000,
  wholeMs: 15_000,
}

export type Client = { ask(question: Question): Promise<Answer>; bucket: Bucket }

/**
 * By what Paystack's support finds a request; the first that is there is logged. Recorded of every
 * answer (VCR in `refusals.ts`).
 */
const requestIdHeaders = ['cf-ray', 'x-amzn-requestid'] as const

/**
 * Requests each minute: the documented limit of what has none of its own, with a live key; a test
 * key has one for everything.
 */
const perMinute = { live: 600, test: 100 }

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
export function openClient({ reach, secretKey, livemode, clock, log }: ClientParts): Client {
  const exchange = openExchange(reach)
  const bucket = openBucket(livemode ? perMinute.live : perMinute.test, clock)

  return {
    bucket,
    async ask({ method, path, params = {}, query = {}, body, urgency, latest, ownLimit = false }) {
      const waitMs = await bucket.take(urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      if (isTooLate(clock, latest)) return tooLate
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? ''),
      )
      const url = new URL(reach.host + filled)
      url.search = new URLSearchParams(query).toString()
      const started = performance.now()
      const came = await exchange({
        url,
        method,
        headers: { authorization: `Bearer ${secretKey}` },
        body: body === undefined ? null : JSON.stringify(body),
      })
      const answer = meaningOf(came)
      if (answer.is === 'rate_limited' && !ownLimit) bucket.pause(urgency, answer.againInMs)
      const line = {
        method,
        path,
        status: came.status,
        request_id: requestIdIn(came.headers, ...requestIdHeaders),
        ms: Math.round(performance.now() - started),
        came: answer.is,
        ...(came.error === null ? {} : { error: came.error }),
        ...(answer.is === 'refused' ? { code: codeToShow(answer.code) } : {}),
      }
      if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Paystack')
      else log.warn(line, 'asked Paystack')
      return answer
    },
  }
}

/**
 * Of what a 403 says, only what has no code or sentence of its own is about the key:
 * `feature_unavailable` is not.
 */
const isAboutKey = ({ code, message }: Record<string, unknown>, status: number): boolean =>
  status === 401 ||
  (/^$|key/i.test(textOf(code) ?? '') && !isStarter({ message: textOf(message) ?? '' }))

/** What is certain after an exchange. */
function meaningOf(exchange: Exchange): Answer {
  const came = certainOf(exchange, {
    provider: 'Paystack',
    unsure: [408],
    isAboutKey,
    waitOf: (headers) =>
      waitIn(headers['x-ratelimit-reset'] ?? headers['retry-after'], mostResetSeconds),
  })
  if (came.is !== 'said') return came
  const { status, said } = came
  if (said.status === false)
    return {
      is: 'refused',
      status,
      code: textOf(said.code) ?? '',
      message: textOf(said.message) ?? '',
    }
  if (said.status === true && status < 300)
    return { is: 'answered', data: said.data ?? null, meta: said.meta ?? null }
  return { is: 'unknown', why: `Paystack answers ${status} in a form that is not its own` }
}
