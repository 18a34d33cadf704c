/**
 * The one client of Paystack: it asks, and says what is certain after it. Neither the key nor what was sent is ever logged.
 *
 * `node:https` and not `fetch`: only a socket of our own says whether a byte of the request had left when it failed.
 */
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Bucket, openBucket, type Urgency } from './bucket.ts'
import { mostResetSeconds, requestIdHeaders } from './unconfirmed.ts'
import { asObject, textOf } from './values.ts'

export { asObject, textOf, wholeOf } from './values.ts'

/** What to ask. `path` is the template that is logged; `params` are put into it. */
export type Question = {
  method: 'GET' | 'POST' | 'DELETE'
  path: `/${string}`
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  urgency: Urgency
}

/** A refusal in Paystack's form, or with `status: false`: certainly nothing was done, apart from what `unconfirmed.ts` says. */
export type Refused = { is: 'refused'; status: number; code: string; message: string }

/**
 * What came of a question.
 * `not_sent`: not a byte of it left. `unknown`: it may have been done. `rate_limited` and `bad_credentials`: it was not done.
 */
export type Answer =
  | { is: 'answered'; data: unknown; meta: unknown }
  | { is: 'not_sent'; why: string }
  | { is: 'unknown'; why: string }
  | { is: 'rate_limited'; againInMs: number }
  | { is: 'bad_credentials'; why: string }
  | Refused

/** Where Paystack is, and how long it may take. Only the composition of tests gives others. */
export type Reach = { host: string; connectMs: number; wholeMs: number; ca?: string; pagesHost?: string }

export const paystackReach: Reach = { host: 'https://api.paystack.co', connectMs: 5_000, wholeMs: 15_000 }

export type Client = { ask(question: Question): Promise<Answer>; bucket: Bucket }

/** Requests each minute: the documented limit of what has none of its own, with a live key; a test key has one for everything. */
const perMinute = { live: 600, test: 100 }

/** The most that an answer may have, in bytes: a list of a hundred has a tenth of it. */
const mostBytes = 1024 * 1024

/** How long to wait where a refusal for too many requests says nothing of it. */
const againInMs = 30_000

type Exchange = {
  sent: boolean
  status: number | null
  headers: Record<string, string | string[] | undefined>
  body: string
  error: string | null
}

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
export function openClient({ reach, secretKey, livemode, clock, log }: ClientParts): Client {
  const secure = reach.host.startsWith('https:')
  const kept = { keepAlive: true, maxSockets: 32, timeout: 10_000 }
  const agent = secure
    ? new Agent({ ...kept, ...(reach.ca === undefined ? {} : { ca: reach.ca }) })
    : new PlainAgent(kept)
  const bucket = openBucket(livemode ? perMinute.live : perMinute.test, clock)

  function exchange(url: URL, method: string, body: string | null): Promise<Exchange> {
    const came: Exchange = { sent: false, status: null, headers: {}, body: '', error: null }
    return new Promise((resolve) => {
      const headers = {
        authorization: `Bearer ${secretKey}`,
        accept: 'application/json',
        'user-agent': 'bursar',
        ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      }
      const sending = (secure ? request : plainRequest)(url, { method, headers, agent })
      const end = (error: string | null): void => {
        clearTimeout(whole)
        clearTimeout(connecting)
        came.error ??= error
        resolve(came)
        if (error !== null) sending.destroy()
      }
      const whole = setTimeout(() => end(`no complete answer within ${reach.wholeMs} ms`), reach.wholeMs)
      const connecting = setTimeout(() => {
        if (!came.sent) end(`no connection within ${reach.connectMs} ms`)
      }, reach.connectMs)
      sending.on('socket', (socket: Socket) => {
        const connected = (): void => {
          came.sent = true
          clearTimeout(connecting)
        }
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected)
        else connected()
      })
      sending.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      sending.on('response', (response) => {
        came.status = response.statusCode ?? null
        came.headers = response.headers
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostBytes) end('an answer without an end')
          else chunks.push(chunk)
        })
        response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
        response.on('end', () => {
          came.body = Buffer.concat(chunks).toString()
          end(response.complete ? null : 'an answer that broke off')
        })
      })
      sending.end(body ?? undefined)
    })
  }

  return {
    bucket,
    async ask({ method, path, params = {}, query = {}, body, urgency }) {
      const waitMs = await bucket.take(urgency)
      if (waitMs !== null) return { is: 'rate_limited', againInMs: waitMs }
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
      const url = new URL(reach.host + filled)
      url.search = new URLSearchParams(query).toString()
      const started = performance.now()
      const came = await exchange(url, method, body === undefined ? null : JSON.stringify(body))
      const answer = meaningOf(came)
      if (answer.is === 'rate_limited') bucket.pause(urgency, answer.againInMs)
      const requestId = requestIdHeaders.map((name) => came.headers[name]).find((id) => typeof id === 'string')
      const line = {
        ...{
          method,
          path,
          status: came.status,
          request_id: requestId ?? null,
          ms: Math.round(performance.now() - started),
        },
        ...{ came: answer.is, ...(came.error === null ? {} : { error: came.error }) },
        ...(answer.is === 'refused' ? { code: answer.code } : {}),
      }
      if (answer.is === 'answered' || answer.is === 'refused') log.info(line, 'asked Paystack')
      else log.warn(line, 'asked Paystack')
      return answer
    },
  }
}

/** What is certain after an exchange. */
function meaningOf({ sent, status, headers, body, error }: Exchange): Answer {
  if (!sent) return { is: 'not_sent', why: error ?? 'no connection' }
  if (status === 429) return { is: 'rate_limited', againInMs: waitOf(headers) }
  if (status === 401 || status === 403) return { is: 'bad_credentials', why: `Paystack answers ${status}` }
  if (error !== null || status === null) return { is: 'unknown', why: error ?? 'no answer' }
  if (status >= 500 || (status >= 300 && status < 400) || status === 408)
    return { is: 'unknown', why: `Paystack answers ${status}` }
  const said = objectIn(body)
  if (said === null) return { is: 'unknown', why: `Paystack answers ${status} with something else than JSON` }
  if (said.status === false)
    return { is: 'refused', status, code: textOf(said.code) ?? '', message: textOf(said.message) ?? '' }
  if (said.status === true && status < 300) return { is: 'answered', data: said.data ?? null, meta: said.meta ?? null }
  return { is: 'unknown', why: `Paystack answers ${status} in a form that is not its own` }
}

/** How long the headers of a refusal for too many requests say to wait. */
function waitOf(headers: Exchange['headers']): number {
  const said = Number(headers['x-ratelimit-reset'] ?? headers['retry-after'])
  return said > 0 && said <= mostResetSeconds ? Math.ceil(said * 1_000) : againInMs
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}
