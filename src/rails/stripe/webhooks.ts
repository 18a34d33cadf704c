/**
 * What Stripe's events are about. Those of API v2 are thin: an event names the payment that it is
 * about, and says nothing of it. Those of v1 bring what they are about along, of which the names
 * alone are read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Inbound, InboundNotification } from '../ports/inbound.ts'
import type { Account } from './account.ts'
import { movementName } from './deposits.ts'
import { readList, readListV1 } from './lists.ts'

/** How old a delivery may be. */
const oldestSeconds = 300

/** What befalls payments by card. Whether one was paid, Stripe is asked. */
const checkoutTypes = [
  ...['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired'].map(
    (one) => `checkout.session.${one}`,
  ),
  'payment_intent.payment_failed',
  'payment_intent.succeeded',
]
/** What befalls refunds. */
const refundTypes = ['refund.created', 'refund.updated', 'refund.failed']
/** What befalls disputes. Each time Stripe is asked how one stands. */
const disputeTypes = ['created', 'updated', 'closed', 'funds_withdrawn', 'funds_reinstated'].map(
  (one) => `charge.dispute.${one}`,
)
/** What befalls cash balances: money that came is of one type of these movements. */
const cashType = 'customer_cash_balance_transaction.created'
const types = ['canceled', 'failed', 'posted', 'returned'].map(
  (one) => `v2.money_management.outbound_payment.${one}`,
)

/**
 * Whether Stripe signed these bytes, with one of the secrets of the endpoint: several stand in the
 * header while one is rolled.
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
 * What an event is about; null for one that says nothing to us. @throws {Error} when it is none of
 * Stripe's, or of the other mode
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
 * An event of API v1 about a payment by card, or a refund. The reference is ours: it stands in
 * sessions, their payments and refunds alike.
 */
function snapshotIn(
  kind: 'checkout' | 'refund',
  event: Record<string, unknown>,
  { key, type, livemode }: EventHead,
): InboundNotification | null {
  if (event.livemode !== livemode) throw new Error('an event of the other mode')
  const about = asObject(asObject(event.data)?.object)
  const reference = textOf(asObject(about?.metadata)?.bursar_id)
  // What somebody gave back at Stripe's dashboard has no reference of ours.
  if (kind === 'refund' && reference === null) return null
  return { key, type, about: { kind, reference, providerId: textOf(about?.id) } }
}

/** An event about a cash balance; null for one that says of no money that it came. */
function movementIn(event: Record<string, unknown>, key: string): InboundNotification | null {
  const about = asObject(asObject(event.data)?.object)
  const [id, customer] = [textOf(about?.id), textOf(about?.customer)]
  if (about?.type !== 'funded' || id === null || customer === null) return null
  const providerId = movementName(customer, id)
  return { key, type: cashType, about: { kind: 'deposit', reference: null, providerId } }
}

/** What an account is for, so that no other list of events is read. */
type EventKinds = { payouts: boolean; cards: boolean; accounts: boolean }

/**
 * @param secrets those of the endpoint: the one of now, and the one before while it is rolled.
 * None: nothing is taken
 */
export function stripeInbound(
  account: Account,
  secrets: readonly string[],
  clock: Clock,
  wanted: EventKinds,
): Inbound {
  const { livemode } = account
  return {
    verify: (raw, headers) =>
      isSigned(secrets, raw, headers['stripe-signature'] ?? '', clock.now()),
    read(raw) {
      const about = notificationOf(asObject(JSON.parse(raw.toString('utf8'))), livemode)
      // An endpoint may be another account’s too, of the same key: money that came is its to take.
      return about?.about.kind === 'deposit' && !wanted.accounts ? null : about
    },
    async missed(from, to) {
      const found = [
        ...(wanted.payouts ? [await missedPayouts(account, from, to)] : []),
        ...(wanted.cards || wanted.accounts
          ? [await missedSnapshots(account, wanted, from, to)]
          : []),
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
  const wanted = [
    ...(cards ? [...checkoutTypes, ...refundTypes] : []),
    ...disputeTypes,
    ...(accounts ? [cashType] : []),
  ]
  return readListV1(account, '/v1/events', { ...within, ...namesOf(wanted) }, 'sweep')
}

const namesOf = (wanted: readonly string[]): Record<string, string> =>
  Object.fromEntries(wanted.map((type, i) => [`types[${i}]`, type]))
