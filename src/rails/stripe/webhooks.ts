/**
 * Stripe's events. Those of API v2 are thin: they only name their payment. Those of v1 include
 * their object, of which only the ids are read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Inbound, InboundNotification } from '../ports/inbound.ts'
import type { Account } from './account.ts'
import { movementName } from './deposits.ts'
import { readList, readListV1 } from './lists.ts'

/** The maximum age of a delivery. */
const oldestSeconds = 300

/** Events of card payments. Stripe is queried whether one was paid. */
const checkoutTypes = [
  ...['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired'].map(
    (one) => `checkout.session.${one}`,
  ),
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
]
/** Events of refunds. */
const refundTypes = ['refund.created', 'refund.updated', 'refund.failed']
/** Events of disputes. Each one leads to a query. */
const disputeTypes = ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'].map(
  (one) => `charge.dispute.${one}`,
)
/** Events of cash balances: deposits are one type of these movements. */
const cashType = 'customer_cash_balance_transaction.created'
const types = ['canceled', 'failed', 'posted', 'returned'].map(
  (one) => `v2.money_management.outbound_payment.${one}`,
)

/**
 * Whether Stripe signed these bytes with one of the endpoint's secrets; the header has several
 * signatures during a roll.
 */
export function isSigned(
  secrets: readonly string[],
  raw: Buffer,
  header: string,
  now: Date,
): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now.getTime() / 1_000 - Number(time)) > oldestSeconds)
    return false
  const given = parts
    .filter(([name]) => name === 'v1')
    .map(([, text]) => Buffer.from(text ?? '', 'utf8'))
  const dues = secrets.map((secret) =>
    Buffer.from(createHmac('sha256', secret).update(`${time}.`).update(raw).digest('hex')),
  )
  return dues.some((due) =>
    given.some((one) => one.length === due.length && timingSafeEqual(one, due)),
  )
}

/**
 * Returns the subject of an event; null for one without meaning here. @throws {Error} when it is
 * not from Stripe, or of the other mode
 */
export function notificationOf(
  event: Record<string, unknown> | null,
  livemode: boolean,
): InboundNotification | null {
  const [key, type] = [textOf(event?.id), textOf(event?.type)]
  if (event === null || key === null || type === null)
    throw new Error('no event of Stripe: it has no id, or names no type')
  if (checkoutTypes.includes(type)) return snapshotIn('checkout', event, { key, type, livemode })
  if (refundTypes.includes(type)) return snapshotIn('refund', event, { key, type, livemode })
  if (type !== cashType && !disputeTypes.includes(type) && !types.includes(type)) return null
  if (event.livemode !== livemode) throw new Error('an event of the other mode')
  if (type === cashType) return movementIn(event, key)
  if (disputeTypes.includes(type)) {
    const providerId = textOf(asObject(asObject(event.data)?.object)?.id)
    return { key, type, about: { kind: 'dispute', reference: null, providerId } }
  }
  const providerId = textOf(asObject(event.related_object)?.id)
  return { key, type, about: { kind: 'payout', reference: null, providerId } }
}

type EventHead = { key: string; type: string; livemode: boolean }

/**
 * A v1 event of a card payment or refund. The reference is ours: sessions, their payments and
 * refunds all carry it.
 */
function snapshotIn(
  kind: 'checkout' | 'refund',
  event: Record<string, unknown>,
  { key, type, livemode }: EventHead,
): InboundNotification | null {
  if (event.livemode !== livemode) throw new Error('an event of the other mode')
  const about = asObject(asObject(event.data)?.object)
  const reference = textOf(asObject(about?.metadata)?.bursar_id)
  // A refund made in Stripe's dashboard has no reference of ours.
  if (kind === 'refund' && reference === null) return null
  return { key, type, about: { kind, reference, providerId: textOf(about?.id) } }
}

/** The deposit of a cash balance event; null for any other. */
function movementIn(event: Record<string, unknown>, key: string): InboundNotification | null {
  const about = asObject(asObject(event.data)?.object)
  const [id, customer] = [textOf(about?.id), textOf(about?.customer)]
  if (about?.type !== 'funded' || id === null || customer === null) return null
  const providerId = movementName(customer, id)
  return { key, type: cashType, about: { kind: 'deposit', reference: null, providerId } }
}

/** The uses of an account, so that no other event lists are read. */
type EventKinds = { payouts: boolean; cards: boolean; accounts: boolean }

/**
 * @param secrets the endpoint's: the current one, and the previous one during a roll. None:
 * everything is refused
 */
export function stripeInbound(
  account: Account,
  secrets: readonly string[],
  clock: Clock,
  kinds: EventKinds,
): Inbound {
  const { livemode } = account
  return {
    verify: (raw, headers) =>
      isSigned(secrets, raw, headers['stripe-signature'] ?? '', clock.now()),
    read(raw) {
      const about = notificationOf(asObject(JSON.parse(raw.toString('utf8'))), livemode)
      // The endpoint may also belong to another account with the same key, which takes deposits
      // itself.
      return about?.about.kind === 'deposit' && !kinds.accounts ? null : about
    },
    async missed(from, to) {
      const found = [
        ...(kinds.payouts ? [await missedPayouts(account, from, to)] : []),
        ...(kinds.cards || kinds.accounts ? [await missedSnapshots(account, kinds, from, to)] : []),
      ]
      const rows = found.flatMap((one) => one ?? [])
      if (found.includes(null)) return null
      return rows.map((row) => notificationOf(row, livemode)).filter((one) => one !== null)
    },
  }
}

const missedPayouts = (account: Account, from: Date, to: Date) =>
  readList(
    account,
    '/v2/core/events',
    { 'created[gte]': from.toISOString(), 'created[lte]': to.toISOString(), ...namesOf(types) },
    'sweep',
  )

function missedSnapshots(account: Account, { cards, accounts }: EventKinds, from: Date, to: Date) {
  const seconds = (at: Date, round: (n: number) => number): string =>
    String(round(at.getTime() / 1_000))
  const within = {
    'created[gte]': seconds(from, Math.floor),
    'created[lte]': seconds(to, Math.ceil),
  }
  const types = [
    ...(cards ? [...checkoutTypes, ...refundTypes] : []),
    ...disputeTypes,
    ...(accounts ? [cashType] : []),
  ]
  return readListV1(account, '/v1/events', { ...within, ...namesOf(types) }, 'sweep')
}

const namesOf = (types: readonly string[]): Record<string, string> =>
  Object.fromEntries(types.map((type, i) => [`types[${i}]`, type]))
