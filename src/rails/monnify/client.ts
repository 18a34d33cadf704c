/**
 * The one client of Monnify: it logs in, asks, and says what is certain after it. Neither a key,
 * nor a token, nor what was sent is ever logged.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { certainOf, isTooLate, tooLate, type Unanswered } from '../http/answers.ts'
import { type Bucket, openBucket, type Urgency } from '../http/bucket.ts'
import { type Exchange, openExchange, type Reach } from '../http/exchange.ts'
import { codeToShow } from '../http/masking.ts'
import { asObject, textOf } from '../http/values.ts'
import { perMinute } from './unconfirmed.ts'

/** What to ask. `body`: JSON as text, so that amounts in it were never floats. */
export type Question = {
  path: `/${string}`
  query?: Record<string, string>
  urgency: Urgency
  /** When it is not asked any more: `unknown`. */
  latest?: Date | null
} & ({ method: 'GET' | 'DELETE' } | { method: 'POST'; body: string })

/** A refusal in Monnify's form. Whether nothing was done, `refusals.ts` says. */
export type Refused = { is: 'refused'; status: number; code: string; message: string }

/** What came of a question. `data` is the `responseBody`. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Unanswered | Refused
/** The same, where there was no answer. */
export type Lack = Exclude<Answer, { is: 'answered' }>

/** Where Monnify is in each mode: its sandbox is another host. */
export const monnifyReach = {
  live: { host: 'https://api.monnify.com', connectMs: 5_000, wholeMs: 15_000 },
  test: { host: 'https://sandbox.monnify.com', connectMs: 5_000, wholeMs: 15_000 },
} satisfies Record<'live' | 'test', Reach>

export type Client = { ask(question: Question): Promise<Answer>; bucket: Bucket }

/** So long before its end a token is not used any more. */
const beforeEndMs = 60_000

type ClientParts = { reach: Reach; apiKey: string; secretKey: string; clock: Clock; log: Log }
type Token = { text: string; until: number; fresh: boolean }

/** @param parts.apiKey goes with the secret key into the header that logs in, and nowhere else */
export function openClient({ reach, apiKey, secretKey, clock, log }: ClientParts): Client {
  const exchange = openExchange(reach)
  const bucket = openBucket(perMinute, clock)
  const basic = `Basic ${Buffer.from(`${apiKey}:${secretKey}`).toString('base64')}`
  let token: Omit<Token, 'fresh'> | null = null
  let loggingIn: Promise<Token | Lack> | null = null

  async function send(question: Question, authorization: string): Promise<Answer> {
    const { method, path, query = {}, urgency } = question
    const url = new URL(`${reach.host}${path}`)
    url.search = new URLSearchParams(query).toString()
    const started = performance.now()
    const came = await exchange({
      url,
      method,
      headers: { authorization },
      body: question.method === 'POST' ? question.body : null,
    })
    const answer = meaningOf(came)
    if (answer.is === 'rate_limited') bucket.pause(urgency, answer.againInMs)
    const line = {
      method,
      path,
      status: came.status,
      ms: Math.round(performance.now() - started),
      came: answer.is,
      ...(came.error === null ? {} : { error: came.error }),
      ...(answer.is === 'refused' ? { code: codeToShow(answer.code) } : {}),
    }
    if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Monnify')
    else log.warn(line, 'asked Monnify')
    return answer
  }

  async function logIn(): Promise<Token | Lack> {
    const answer = await send(
      { method: 'POST', path: '/api/v1/auth/login', urgency: 'send', body: '{}' },
      basic,
    )
    if (answer.is === 'refused')
      return { is: 'bad_credentials', why: `Monnify logs nobody in (${codeToShow(answer.code)})` }
    if (answer.is !== 'answered') return answer
    const text = textOf(answer.data.accessToken)
    const seconds = Number(answer.data.expiresIn)
    if (text === null || !(seconds > 0)) return { is: 'unknown', why: 'no token' }
    token = { text, until: clock.now().getTime() + seconds * 1_000 - beforeEndMs }
    return { ...token, fresh: true }
  }

  /** A token that is good for now, or why there is none. One log-in serves all who wait for it. */
  async function takeToken(): Promise<Token | Lack> {
    if (token !== null && token.until > clock.now().getTime()) return { ...token, fresh: false }
    loggingIn ??= logIn().finally(() => {
      loggingIn = null
    })
    return loggingIn
  }

  return {
    bucket,
    async ask(question) {
      const waitMs = await bucket.take(question.urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      for (let again = false; ; again = true) {
        const held = await takeToken()
        // Whatever came of logging in: not a byte of what was to be asked has left.
        if (!('text' in held))
          return held.is === 'unknown' ? { is: 'not_sent', why: held.why } : held
        if (isTooLate(clock, question.latest)) return tooLate
        const answer = await send(question, `Bearer ${held.text}`)
        if (answer.is !== 'bad_credentials' || held.fresh || again) return answer
        // The token was ended before its time; who is refused for that was not heard.
        if (token?.text === held.text) token = null
      }
    },
  }
}

/**
 * A 403 in Monnify's form is about what was asked; of a 401 only one with a code of transfers is,
 * as `D06` for the server's address.
 */
const isAboutKey = ({ responseCode }: Record<string, unknown>, status: number): boolean =>
  status === 401 ? !/^D\d/.test(textOf(responseCode) ?? '') : textOf(responseCode) === null

/** What is certain after an exchange. */
function meaningOf(exchange: Exchange): Answer {
  const came = certainOf(exchange, { provider: 'Monnify', unsure: [408, 409], isAboutKey })
  if (came.is !== 'said') return came
  const { status, said } = came
  const code = textOf(said.responseCode)
  if (code === null || typeof said.requestSuccessful !== 'boolean')
    return { is: 'unknown', why: `Monnify answers ${status} in a form that is not its own` }
  if (!said.requestSuccessful)
    return { is: 'refused', status, code, message: textOf(said.responseMessage) ?? '' }
  const data = asObject(said.responseBody)
  if (status >= 300 || data === null)
    return { is: 'unknown', why: `Monnify answers ${status} without a body` }
  return { is: 'answered', data }
}
