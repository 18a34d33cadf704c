/**
 * The client of Stripe's API, v1 and v2. Bodies are typed by Stripe's library, which is not loaded,
 * because its client does not say whether a failed request was sent.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  type Failure,
  openProviderClient,
  type ProviderCall,
  type ProviderClient,
} from '../http/client.ts'
import type { Reach } from '../http/exchange.ts'
import { asObject, textOf } from '../http/values.ts'

/** The API version of the library whose types the bodies have. */
export const apiVersion = '2026-10-28.endive'

/**
 * `key`: the idempotency key, by which Stripe executes a call at most once within thirty days,
 * below `/v1/` within at least a day. `context`: the account that the call concerns, such as a
 * recipient's.
 */
export type Call = Omit<ProviderCall, 'method' | 'path'> & {
  path: `/v1/${string}` | `/v2/${string}`
  context?: string
} & ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/** The result of a call. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Failure

export const stripeReach: Reach = {
  host: 'https://api.stripe.com',
  connectMs: 5_000,
  wholeMs: 15_000,
}

export type Client = ProviderClient<Call, Answer>

/** Requests per minute: a quarter of the documented hundred a second, or of the 25 of test mode. */
const perMinute = { live: 1_500, test: 375 }

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey used only in a header */
export const openClient = ({ secretKey, livemode, ...parts }: ClientParts): Client =>
  openProviderClient<Call, Answer>(parts, {
    provider: 'Stripe',
    perMinute: livemode ? perMinute.live : perMinute.test,
    headersOf: (call) => ({
      authorization: `Bearer ${secretKey}`,
      'stripe-version': apiVersion,
      ...(call.context === undefined ? {} : { 'stripe-context': call.context }),
      ...(call.method === 'POST' ? { 'idempotency-key': call.key } : {}),
      ...(call.method === 'POST' && isForm(call)
        ? { 'content-type': 'application/x-www-form-urlencoded' }
        : {}),
    }),
    bodyOf(call) {
      if (call.method !== 'POST') return null
      return isForm(call) ? formOf(call.body) : JSON.stringify(call.body)
    },
    requestIdHeaders: ['request-id'],
    // 409: a request with the same key is in flight, or had another body.
    unsureStatuses: [408, 409],
    isAboutKey,
    read: readAnswer,
  })

/** A file of evidence; `key` as in `Call`. */
export type FileCall = ProviderCall & { key: string; file: { type: string; content: Uint8Array } }
export type FilesClient = ProviderClient<FileCall, Answer>

const filesPerMinute = 60

/** The client of the files' API, which takes forms of several parts. */
export const openFilesClient = ({ secretKey, livemode: _mode, ...parts }: ClientParts) =>
  openProviderClient<FileCall, Answer>(parts, {
    provider: 'Stripe',
    perMinute: filesPerMinute,
    headersOf: ({ key }) => ({
      authorization: `Bearer ${secretKey}`,
      'stripe-version': apiVersion,
      'idempotency-key': key,
      'content-type': `multipart/form-data; boundary=${boundaryOf(key)}`,
    }),
    bodyOf: evidenceForm,
    requestIdHeaders: ['request-id'],
    unsureStatuses: [408, 409],
    isAboutKey,
    read: readAnswer,
  })

const boundaryOf = (key: string): string => `bursar-${key}`

function evidenceForm({ key, file: { type, content } }: FileCall): Uint8Array {
  const boundary = boundaryOf(key)
  const name = `evidence.${type.split('/')[1]}`
  const part = (head: string, body: string): string => `--${boundary}\r\n${head}\r\n\r\n${body}`
  const disposition = 'content-disposition: form-data; name='
  const fields = part(`${disposition}"purpose"`, 'dispute_evidence\r\n')
  const head = part(`${disposition}"file"; filename="${name}"\r\ncontent-type: ${type}`, '')
  return Buffer.concat([
    Buffer.from(fields + head),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

const isForm = ({ path }: Call): boolean => path.startsWith('/v1/')

/**
 * Encodes a body for API v1: `a[b][0][c]=…`. https://docs.stripe.com/api (Requests are
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
 * Whether a 403 is about the key: only refusals of API v1's types are. Those of v2 name what is
 * missing by type or code.
 */
function isAboutKey(said: Record<string, unknown>, status: number): boolean {
  const { type, code } = asObject(said.error) ?? {}
  if (status === 401) return true
  return type === undefined
    ? /^$|key|auth|permission/.test(textOf(code) ?? '')
    : ['invalid_request_error', 'authentication_error', 'permission_error'].includes(String(type))
}

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  if (status < 300) return { is: 'answered', data: body }
  const refusal = asObject(body.error)
  if (refusal === null) return null
  const [code, type] = [textOf(refusal.code) ?? '', textOf(refusal.type) ?? '']
  // A request refused as a repeat was accepted before.
  if (/idempoten/.test(`${code} ${type}`))
    return { is: 'unknown', why: 'Stripe refuses the key of idempotency' }
  return { is: 'refused', status, code, type, message: textOf(refusal.message) ?? '' }
}
