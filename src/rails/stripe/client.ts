/**
 * The one client of Stripe's API, v1 and v2: it asks, and says what is certain after it. Neither
 * the key nor what was sent is ever logged.
 *
 * The bodies are typed by Stripe's own library, which is not loaded for them: its client does not
 * say whether a byte of a request had left when it failed.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { certainOf, isTooLate, tooLate, type Unanswered } from '../http/answers.ts'
import { type Bucket, openBucket, type Urgency } from '../http/bucket.ts'
import { type Exchange, openExchange, type Reach } from '../http/exchange.ts'
import { codeToShow, requestIdIn } from '../http/masking.ts'
import type { Refusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'

/** Of the library whose types the bodies have. */
export const apiVersion = '2026-10-28.endive'

/**
 * What to ask. `path` is the template that is logged; `params` are put into it. `key` is that of
 * idempotency: Stripe executes it at most once within thirty days, and below `/v1/` within a day at
 * least. `context`: for which account of ours it is asked, as a recipient's.
 */
export type Question = {
  path: `/v1/${string}` | `/v2/${string}`
  params?: Record<string, string>
  query?: Record<string, string>
  context?: string
  urgency: Urgency
  /** When it is not asked any more: `unknown`. */
  latest?: Date | null
} & ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/** A refusal in Stripe's form. Whether it is certain, the tables of `refusals.ts` say. */
export type Refused = { is: 'refused' } & Required<Refusal>

/** What came of a question. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Unanswered | Refused
/** The same, where there was no answer. */
export type Lack = Exclude<Answer, { is: 'answered' }>

export const stripeReach: Reach = {
  host: 'https://api.stripe.com',
  connectMs: 5_000,
  wholeMs: 15_000,
}

export type Client = { ask(question: Question): Promise<Answer>; bucket: Bucket }

/**
 * Requests each minute: a quarter of the documented hundred in a second, and of the 25 of test
 * mode.
 */
const perMinute = { live: 1_500, test: 375 }

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
export function openClient({ reach, secretKey, livemode, clock, log }: ClientParts): Client {
  const exchange = openExchange(reach)
  const bucket = openBucket(livemode ? perMinute.live : perMinute.test, clock)
  return {
    bucket,
    async ask(question) {
      const { method, path, params = {}, query = {}, context, urgency } = question
      const waitMs = await bucket.take(urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      if (isTooLate(clock, question.latest)) return tooLate
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? ''),
      )
      const url = new URL(reach.host + filled)
      url.search = new URLSearchParams(query).toString()
      const isForm = path.startsWith('/v1/')
      const started = performance.now()
      const came = await exchange({
        url,
        method,
        headers: {
          authorization: `Bearer ${secretKey}`,
          'stripe-version': apiVersion,
          ...(context === undefined ? {} : { 'stripe-context': context }),
          ...(question.method === 'POST' ? { 'idempotency-key': question.key } : {}),
          ...(question.method === 'POST' && isForm
            ? { 'content-type': 'application/x-www-form-urlencoded' }
            : {}),
        },
        body:
          question.method !== 'POST'
            ? null
            : isForm
              ? formOf(question.body)
              : JSON.stringify(question.body),
      })
      const answer = meaningOf(came)
      if (answer.is === 'rate_limited') bucket.pause(urgency, answer.againInMs)
      const line = {
        method,
        path,
        status: came.status,
        request_id: requestIdIn(came.headers, 'request-id'),
        ms: Math.round(performance.now() - started),
        came: answer.is,
        ...(came.error === null ? {} : { error: came.error }),
        ...(answer.is === 'refused'
          ? { type: codeToShow(answer.type), code: codeToShow(answer.code) }
          : {}),
      }
      if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Stripe')
      else log.warn(line, 'asked Stripe')
      return answer
    },
  }
}

/**
 * A body as API v1 takes it: `a[b][0][c]=…`. https://docs.stripe.com/api (Requests are
 * form-encoded)
 */
export function formOf(body: object): string {
  const form = new URLSearchParams()
  const add = (name: string, value: unknown): void => {
    if (value === undefined) return
    if (typeof value !== 'object' || value === null) form.append(name, String(value))
    else for (const [key, one] of Object.entries(value)) add(`${name}[${key}]`, one)
  }
  for (const [name, value] of Object.entries(body)) add(name, value)
  return form.toString()
}

/**
 * Of what a 403 says, only a refusal of API v1's types is about the key: those of v2 name what is
 * missing, by their type or by their code alone.
 */
function isAboutKey(said: Record<string, unknown>, status: number): boolean {
  const { type, code } = asObject(said.error) ?? {}
  if (status === 401) return true
  return type === undefined
    ? /^$|key|auth|permission/.test(textOf(code) ?? '')
    : ['invalid_request_error', 'authentication_error', 'permission_error'].includes(String(type))
}

/** What is certain after an exchange. */
function meaningOf(exchange: Exchange): Answer {
  // 409: another request with the same key is under way, or had another body.
  const came = certainOf(exchange, { provider: 'Stripe', unsure: [408, 409], isAboutKey })
  if (came.is !== 'said') return came
  const { status, said } = came
  if (status < 300) return { is: 'answered', data: said }
  const refusal = asObject(said.error)
  if (refusal === null)
    return { is: 'unknown', why: `Stripe answers ${status} in a form that is not its own` }
  const [code, type] = [textOf(refusal.code) ?? '', textOf(refusal.type) ?? '']
  // What is refused as a repeat was taken before.
  if (/idempoten/.test(`${code} ${type}`))
    return { is: 'unknown', why: 'Stripe refuses the key of idempotency' }
  return { is: 'refused', status, code, type, message: textOf(refusal.message) ?? '' }
}
