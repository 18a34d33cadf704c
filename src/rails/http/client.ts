/**
 * The HTTP client of all providers. It respects a provider's rate limit, determines what is certain
 * after a call, and logs one line without keys and without the request.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { isTooLate, tooLate, type Unanswered, waitMsIn } from './answers.ts'
import { type Bucket, openBucket, type Urgency } from './bucket.ts'
import { type Exchange, openExchange, type Reach } from './exchange.ts'
import { codeToShow, requestIdIn } from './masking.ts'
import type { Refusal } from './refusals.ts'
import { objectInJson } from './values.ts'

/** The common fields of a provider's calls. */
export type ProviderCall = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The template for logs; `params` are inserted into it. */
  path: `/${string}`
  params?: Record<string, string>
  query?: Record<string, string>
  urgency: Urgency
  /**
   * The latest time to make the call; afterwards it is `unknown`, because another process may have
   * made it.
   */
  latest?: Date | null
  /** A 429 of this call concerns a limit of its own, so it does not pause other calls. */
  hasOwnLimit?: boolean
}

/** A refusal in the provider's form. The tables in `refusals.ts` say which are certain. */
export type Refused = { is: 'refused' } & Refusal

/** Every result of a call except an answer. */
export type Failure = Unanswered | Refused

type ProviderAnswer = { is: 'answered' } | Refused | Unanswered

/** How to call a provider, and how to read its answers. */
type Protocol<Call extends ProviderCall, Answer extends ProviderAnswer> = {
  /** The provider's name for people. */
  provider: string
  /** Requests in any minute. */
  perMinute: number
  /** The prefix of its paths. */
  basePath?: string
  headersOf(call: Call): Record<string, string>
  /** Returns the body to send. */
  bodyOf(call: Call): string | Uint8Array | null
  /** Headers by which its support finds a request; the first present one is logged. */
  requestIdHeaders: readonly string[]
  /** Statuses after which the order may have been executed, besides server errors and redirects. */
  unsureStatuses: readonly number[]
  /** Whether a 401 or 403 with this body is about the key. Without a JSON object it always is. */
  isAboutKey(body: Record<string, unknown>, status: number): boolean
  /** Returns the wait of a 429, in milliseconds. Default: by `Retry-After`. */
  waitMsOf?(headers: Exchange['headers']): number
  /** Parses an answer; null if it is not in the provider's form. */
  read(body: Record<string, unknown>, status: number): Answer | null
}

export type ProviderClient<Call extends ProviderCall, Answer> = {
  ask(call: Call): Promise<Answer>
  bucket: Bucket
}

/** A client with its two steps available separately, for a provider with a login. */
type SteppedClient<Call extends ProviderCall, Answer> = ProviderClient<Call, Answer> & {
  /** Waits for a place in the rate limit. @returns null when there is one */
  takePlace(call: Pick<Call, 'urgency'>): Promise<Unanswered | null>
  /** Makes a call at once, unless it is too late. */
  send(call: Call, headers?: Record<string, string>): Promise<Answer>
}

type ClientParts = { reach: Reach; clock: Clock; log: Log }

export function openProviderClient<Call extends ProviderCall, Answer extends ProviderAnswer>(
  { reach, clock, log }: ClientParts,
  protocol: Protocol<Call, Answer>,
): SteppedClient<Call, Answer | Unanswered> {
  const exchange = openExchange(reach)
  const bucket = openBucket(protocol.perMinute, clock)

  async function takePlace({ urgency }: Pick<Call, 'urgency'>): Promise<Unanswered | null> {
    const waitMs = await bucket.take(urgency)
    return waitMs === null ? null : { is: 'rate_limited', againInMs: waitMs }
  }

  async function send(call: Call, headers = {}): Promise<Answer | Unanswered> {
    if (isTooLate(clock, call.latest)) return tooLate
    const startedAt = performance.now()
    const came = await exchange({
      url: urlOf(reach.host + (protocol.basePath ?? ''), call),
      method: call.method,
      headers: { ...protocol.headersOf(call), ...headers },
      body: protocol.bodyOf(call),
    })
    const answer = answerIn(protocol, came)
    if (answer.is === 'rate_limited' && !call.hasOwnLimit)
      bucket.pause(call.urgency, answer.againInMs)
    const isClear = answer.is === 'answered' || answer.is === 'refused'
    log[isClear ? 'info' : 'warn'](
      {
        method: call.method,
        path: call.path,
        status: came.status,
        request_id: requestIdIn(came.headers, ...protocol.requestIdHeaders),
        ms: Math.round(performance.now() - startedAt),
        came: answer.is,
        ...(came.error === null ? {} : { error: came.error }),
        ...(answer.is === 'refused' ? codesOf(answer) : {}),
      },
      `asked ${protocol.provider}`,
    )
    return answer
  }

  return {
    bucket,
    takePlace,
    send,
    ask: async (call) => (await takePlace(call)) ?? send(call),
  }
}

function urlOf(base: string, { path, params = {}, query = {} }: ProviderCall): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const url = new URL(base + filled)
  url.search = new URLSearchParams(query).toString()
  return url
}

/** The type and code of a refusal, as far as a log may show them. */
const codesOf = ({ type, code }: Refusal): { type?: string; code?: string } => ({
  ...(type === undefined ? {} : { type: codeToShow(type) }),
  ...(code === '' ? {} : { code: codeToShow(code) }),
})

/**
 * Determines what is certain after an exchange: by transport and status if they suffice, else by
 * the body. The body of a 401 or 403 is read first, because it may be about a feature, a payee or a
 * limit instead of the key.
 */
function answerIn<Call extends ProviderCall, Answer extends ProviderAnswer>(
  { provider, unsureStatuses, isAboutKey, waitMsOf, read }: Protocol<Call, Answer>,
  { sent, status, headers, body: text, error }: Exchange,
): Answer | Unanswered {
  if (!sent) return { is: 'not_sent', why: error ?? 'no connection' }
  if (status === 429)
    return {
      is: 'rate_limited',
      againInMs: waitMsOf?.(headers) ?? waitMsIn(headers['retry-after']),
    }
  const body = error === null && status !== null ? objectInJson(text) : null
  if ((status === 401 || status === 403) && (body === null || isAboutKey(body, status)))
    return { is: 'bad_credentials', why: `${provider} answers ${status}` }
  if (error !== null || status === null) return { is: 'unknown', why: error ?? 'no answer' }
  if (status >= 500 || (status >= 300 && status < 400) || unsureStatuses.includes(status))
    return { is: 'unknown', why: `${provider} answers ${status}` }
  if (body === null)
    return {
      is: 'unknown',
      why: `${provider} answers ${status} with something else than an object of JSON`,
    }
  return (
    read(body, status) ?? {
      is: 'unknown',
      why: `${provider} answers ${status} in a form that is not its own`,
    }
  )
}
