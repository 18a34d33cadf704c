/**
 * The one client of Bridge: it asks, and says what is certain after it. Neither the key nor what
 * was sent is ever logged.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { certainOf, isTooLate, tooLate, type Unanswered } from '../http/answers.ts'
import { type Bucket, openBucket, type Urgency } from '../http/bucket.ts'
import { type Exchange, openExchange, type Reach } from '../http/exchange.ts'
import { codeToShow, requestIdIn } from '../http/masking.ts'
import type { Refusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import { perMinute } from './unconfirmed.ts'

/**
 * What to ask. `path` is the template that is logged; `params` are put into it. Bridge wants a
 * `key` with every POST, and with nothing else.
 */
export type Question = {
  path: `/${string}`
  params?: Record<string, string>
  query?: Record<string, string>
  urgency: Urgency
  /** When it is not asked any more: `unknown`. */
  latest?: Date | null
} & ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/**
 * A refusal in Bridge's form. Whether it is certain, the tables of `refusals.ts` say. `message`:
 * its sentence, and the names of the fields that are wrong.
 */
export type Refused = { is: 'refused'; body: Record<string, unknown> } & Refusal

/** What came of a question. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Unanswered | Refused
/** The same, where there was no answer. */
export type Lack = Exclude<Answer, { is: 'answered' }>

/** Where Bridge is in each mode: its sandbox is another host. */
export const bridgeReach = {
  live: { host: 'https://api.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
  test: { host: 'https://api.sandbox.bridge.xyz', connectMs: 5_000, wholeMs: 15_000 },
} satisfies Record<'live' | 'test', Reach>

export type Client = { ask(question: Question): Promise<Answer>; bucket: Bucket }

type ClientParts = { reach: Reach; apiKey: string; clock: Clock; log: Log }

/** @param parts.apiKey goes into a header, and nowhere else */
export function openClient({ reach, apiKey, clock, log }: ClientParts): Client {
  const exchange = openExchange(reach)
  const bucket = openBucket(perMinute, clock)
  return {
    bucket,
    async ask(question) {
      const { method, path, params = {}, query = {}, urgency } = question
      const waitMs = await bucket.take(urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      if (isTooLate(clock, question.latest)) return tooLate
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? ''),
      )
      const url = new URL(`${reach.host}/v0${filled}`)
      url.search = new URLSearchParams(query).toString()
      const started = performance.now()
      const came = await exchange({
        url,
        method,
        headers: {
          'api-key': apiKey,
          ...(question.method === 'POST' ? { 'idempotency-key': question.key } : {}),
        },
        body: question.method === 'POST' ? JSON.stringify(question.body) : null,
      })
      const answer = meaningOf(came)
      if (answer.is === 'rate_limited') bucket.pause(urgency, answer.againInMs)
      const line = {
        method,
        path,
        status: came.status,
        request_id: requestIdIn(came.headers, 'x-request-id'),
        ms: Math.round(performance.now() - started),
        came: answer.is,
        ...(came.error === null ? {} : { error: came.error }),
        ...(answer.is === 'refused' ? { code: codeToShow(answer.code) } : {}),
      }
      if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Bridge')
      else log.warn(line, 'asked Bridge')
      return answer
    },
  }
}

/**
 * Of the key, Bridge's OpenAPI document has `required` and `invalid` as codes, with the name of the
 * header beside them. Other codes say what is not allowed.
 */
function isAboutKey({ code, name }: Record<string, unknown>): boolean {
  const words = `${textOf(code) ?? ''} ${textOf(name) ?? ''}`
  return textOf(code) === null || /credential|auth|api.?key/i.test(words)
}

/** What is certain after an exchange. */
function meaningOf(exchange: Exchange): Answer {
  // 409: another request with the same key is under way.
  const came = certainOf(exchange, { provider: 'Bridge', unsure: [408, 409], isAboutKey })
  if (came.is !== 'said') return came
  const { status, said } = came
  if (status < 300) return { is: 'answered', data: said }
  const code = textOf(said.code)
  if (code === null)
    return { is: 'unknown', why: `Bridge answers ${status} in a form that is not its own` }
  const words = [textOf(said.message), textOf(asObject(said.source)?.key)]
  return {
    is: 'refused',
    status,
    code,
    message: words.filter((word) => word !== null).join(' '),
    body: said,
  }
}
