/** The client of Monnify's API. It logs in before its first call and when its token expires. */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  type Failure,
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
} from '../http/client.ts'
import type { Reach } from '../http/exchange.ts'
import { codeToShow } from '../http/masking.ts'
import { asObject, textOf } from '../http/values.ts'
import { perMinute } from './unconfirmed.ts'

/** `body`: JSON as text, so that its amounts were never floats. */
export type Call = Omit<ProviderCall, 'method'> &
  ({ method: 'GET' | 'DELETE' } | { method: 'POST'; body: string })

/** The result of a call. `data` is the `responseBody`. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Failure

/** Monnify's address in each mode: its sandbox has another host. */
export const monnifyReach = {
  live: { host: 'https://api.monnify.com', connectMs: 5_000, wholeMs: 15_000 },
  test: { host: 'https://sandbox.monnify.com', connectMs: 5_000, wholeMs: 15_000 },
} satisfies Record<'live' | 'test', Reach>

export type Client = ProviderClient<Call, Answer>

/** How long before its expiry a token is no longer used. */
const tokenMarginMs = 60_000

type Token = { text: string; until: number }

type ClientParts = { reach: Reach; apiKey: string; secretKey: string; clock: Clock; log: Log }

/** @param parts.apiKey used, with the secret key, only in the header that logs in */
export function openClient({ apiKey, secretKey, ...parts }: ClientParts): Client {
  const { bucket, takePlace, send } = openProviderClient<Call, Answer>(parts, {
    provider: 'Monnify',
    perMinute,
    headersOf: () => ({}),
    bodyOf: (call) => (call.method === 'POST' ? call.body : null),
    requestIdHeaders: [],
    unsureStatuses: [408, 409],
    isAboutKey,
    read: readAnswer,
  })
  const basic = Buffer.from(`${apiKey}:${secretKey}`).toString('base64')
  const tokens = openTokens(parts.clock, () =>
    send(
      { method: 'POST', path: '/api/v1/auth/login', urgency: 'send', body: '{}' },
      { authorization: `Basic ${basic}` },
    ),
  )

  return {
    bucket,
    async ask(call) {
      const refused = await takePlace(call)
      if (refused !== null) return refused
      for (let isRepeat = false; ; isRepeat = true) {
        const held = await tokens.take()
        // Whatever the login's result: nothing of the call itself was sent.
        if (!('token' in held))
          return held.is === 'unknown' ? { is: 'not_sent', why: held.why } : held
        const answer = await send(call, { authorization: `Bearer ${held.token.text}` })
        if (answer.is !== 'bad_credentials' || held.isFresh || isRepeat) return answer
        // The token ended early; a call refused for that was not executed.
        tokens.drop(held.token)
      }
    },
  }
}

/** Caches a token while it is valid. @param logIn requests a new one */
function openTokens(clock: Clock, logIn: () => Promise<Answer>) {
  let token: Token | null = null
  let loggingIn: Promise<{ token: Token; isFresh: boolean } | Failure> | null = null

  async function renew(): Promise<{ token: Token; isFresh: true } | Failure> {
    const answer = await logIn()
    if (answer.is === 'refused')
      return {
        is: 'bad_credentials',
        why: `Monnify refuses the login (${codeToShow(answer.code)})`,
      }
    if (answer.is !== 'answered') return answer
    const text = textOf(answer.data.accessToken)
    const seconds = Number(answer.data.expiresIn)
    if (text === null || !(seconds > 0)) return { is: 'unknown', why: 'no token' }
    token = { text, until: clock.now().getTime() + seconds * 1_000 - tokenMarginMs }
    return { token, isFresh: true }
  }

  return {
    /** Returns a valid token, or why there is none. Concurrent callers share one login. */
    async take() {
      if (token !== null && token.until > clock.now().getTime()) return { token, isFresh: false }
      loggingIn ??= renew().finally(() => {
        loggingIn = null
      })
      return loggingIn
    },
    /** Drops a token that Monnify rejects. */
    drop(ended: Token): void {
      if (token?.text === ended.text) token = null
    },
  }
}

/**
 * A 403 in Monnify's format concerns the request, not the key; of 401s, only one with a transfer
 * code does, such as `D06` for the server's address.
 */
const isAboutKey = ({ responseCode }: Record<string, unknown>, status: number): boolean =>
  status === 401 ? !/^D\d/.test(textOf(responseCode) ?? '') : textOf(responseCode) === null

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  const code = textOf(body.responseCode)
  if (code === null || typeof body.requestSuccessful !== 'boolean') return null
  if (!body.requestSuccessful)
    return { is: 'refused', status, code, message: textOf(body.responseMessage) ?? '' }
  const data = asObject(body.responseBody)
  return status >= 300 || data === null
    ? { is: 'unknown', why: `Monnify answers ${status} without a body` }
    : { is: 'answered', data }
}
