/**
 * Paystack's webhooks, and its requests for approval of payouts. Webhooks have neither a time nor
 * an event id, and field types vary between them. Only references are read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { modeOf } from '../../lib/mode.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { Approvals, Inbound, InboundNotification } from '../ports/inbound.ts'
import type { Account } from './account.ts'
import { asObject } from './client.ts'
import { askedIn } from './unconfirmed.ts'

type Kind = InboundNotification['about']['kind']
type Data = Record<string, unknown>

/** A number or text, as text. */
const nameOf = (value: unknown): string | null =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null

/** The handled events, and the field that names their subject. */
const events: [
  pattern: RegExp,
  kind: Kind | ((data: Data) => Kind),
  reference: (data: Data) => unknown,
  id: (data: Data) => unknown,
][] = [
  [
    /^transfer\.(success|failed|reversed)$/,
    'payout',
    (data) => data.reference,
    (data) => data.transfer_code,
  ],
  [
    /^charge\.success$/,
    (data) => (data.channel === 'dedicated_nuban' ? 'deposit' : 'checkout'),
    (data) => data.reference,
    (data) => data.id,
  ],
  [
    /^refund\.(pending|processing|processed|failed|needs-attention)$/,
    'refund',
    (data) => data.transaction_reference,
    (data) => data.id,
  ],
  [
    /^dedicatedaccount\.assign\.(success|failed)$/,
    'account',
    (data) => asObject(data.customer)?.customer_code,
    (data) => asObject(data.dedicated_account)?.id,
  ],
  [
    /^customeridentification\.(success|failed)$/,
    'identity',
    (data) => data.customer_code,
    (data) => data.customer_id,
  ],
  [
    /^charge\.dispute\.(create|remind|resolve)$/,
    'dispute',
    (data) => asObject(data.transaction)?.reference,
    (data) => data.id,
  ],
  [
    /^bank\.transfer\.rejected$/,
    'sent_back',
    (data) => data.reference ?? asObject(data.transaction)?.reference,
    (data) => asObject(data.bank_transfer)?.transaction_id,
  ],
]

/** Compares in constant time. */
function isOneOf(given: string, dues: readonly string[]): boolean {
  const text = Buffer.from(given, 'utf8')
  let found = false
  for (const due of dues.map((one) => Buffer.from(one, 'utf8')))
    found = (text.length === due.length && timingSafeEqual(text, due)) || found
  return found
}

/** Whether one of the keys signed these bytes. */
const isSigned = (
  secrets: readonly string[],
  raw: Buffer,
  headers: Record<string, string | undefined>,
): boolean =>
  isOneOf(
    headers['x-paystack-signature'] ?? '',
    secrets.map((secret) => createHmac('sha512', secret).update(raw).digest('hex')),
  )

/** Derived from the key, so that it need not be stored. */
const tokenOf = (secret: string): string =>
  createHmac('sha256', secret).update('bursar approval of transfers').digest('hex')

/** @param secrets the current key, and the previous one during a roll */
export function paystackApprovals(
  account: Pick<Account, 'livemode'>,
  secrets: readonly [string, ...string[]],
): Approvals {
  return {
    token: tokenOf(secrets[0]),
    verify: (raw, headers, token) =>
      isSigned(secrets, raw, headers) || (token !== null && isOneOf(token, secrets.map(tokenOf))),
    read: (raw) => askedIn(JSON.parse(raw.toString('utf8')), modeOf(account.livemode)),
  }
}

/** @param secrets the current key, and the previous one during a roll */
export function paystackInbound(secrets: readonly string[]): Inbound {
  return {
    verify: (raw, headers) => isSigned(secrets, raw, headers),
    read(raw) {
      const body = asObject(JSON.parse(raw.toString('utf8')))
      const type = nameOf(body?.event)
      const data = asObject(body?.data)
      if (type === null || data === null)
        throw new Error('no event of Paystack: it names no event, or has no data')
      return notificationOf(type, data)
    },
  }
}

/** Returns an event's subject; null for an event without meaning here. */
export function notificationOf(type: string, data: Data): InboundNotification | null {
  const found = events.find(([pattern]) => pattern.test(type))
  if (!found) return null
  const [, kind, referenceIn, idIn] = found
  const reference = nameOf(referenceIn(data))
  const providerId = nameOf(idIn(data))
  const about = nameOf(data.id) ?? reference ?? providerId ?? ''
  const of = typeof kind === 'function' ? kind(data) : kind
  return {
    key: sha256(`${type} ${about} ${nameOf(data.status) ?? ''}`).toString('hex'),
    type,
    about: { kind: of, reference, providerId },
    // Two refunds of a transaction, or two identity checks of a customer, may have equal bodies.
    mayRepeat: of === 'refund' || of === 'identity',
  }
}
