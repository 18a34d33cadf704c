/**
 * The client of Stripe's API, v1 and v2. The bodies are typed by Stripe's own library, which is not
 * loaded for them: its client does not say whether a byte of a request had left when it failed.
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

/** Of the library whose types the bodies have. */
export const apiVersion = '2026-10-28.endive'

/**
 * `key` is that of idempotency: Stripe executes it at most once within thirty days, and below
 * `/v1/` within a day at least. `context`: for which account of ours the call is, as a recipient's.
 */
export type Call = Omit<ProviderCall, 'method' | 'path'> & {
  path: `/v1/${string}` | `/v2/${string}`
  context?: string
} & ({ method: 'GET' } | { method: 'POST'; key: string; body: object })

/** What came of a call. */
export type Answer = { is: 'answered'; data: Record<string, unknown> } | Failure

export const stripeReach: Reach = {
  host: 'https://api.stripe.com',
  connectMs: 5_000,
  wholeMs: 15_000,
}

export type Client = ProviderClient<Call, Answer>

/**
 * Requests each minute: a quarter of the documented hundred in a second, and of the 25 of test
 * mode.
 */
const perMinute = { live: 1_500, test: 375 }

type ClientParts = { reach: Reach; secretKey: string; livemode: boolean; clock: Clock; log: Log }

/** @param parts.secretKey goes into a header, and nowhere else */
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
    // 409: another request with the same key is under way, or had another body.
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

function readAnswer(body: Record<string, unknown>, status: number): Answer | null {
  if (status < 300) return { is: 'answered', data: body }
  const refusal = asObject(body.error)
  if (refusal === null) return null
  const [code, type] = [textOf(refusal.code) ?? '', textOf(refusal.type) ?? '']
  // What is refused as a repeat was taken before.
  if (/idempoten/.test(`${code} ${type}`))
    return { is: 'unknown', why: 'Stripe refuses the key of idempotency' }
  return { is: 'refused', status, code, type, message: textOf(refusal.message) ?? '' }
}
