/**
 * Card payments on Stripe's own page (Checkout Sessions, API v1), so that no card number comes
 * here. Only the session and its payment, read by id, say whether and how much was paid.
 * https://docs.stripe.com/api/checkout/sessions
 */

import type { Stripe } from 'stripe'
import { pageNotOpened } from '../http/checkout-states.ts'
import { asObject, firstDifference, textOf, wholeOf } from '../http/values.ts'
import type { CheckoutOrder, CheckoutRail, CheckoutState, DeclineReason } from '../ports/rail.ts'
import { checkoutReference } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import type { Answer } from './client.ts'
import { cardBrands, declineOf } from './unconfirmed.ts'

type SessionIn = Stripe.Checkout.SessionCreateParams
type Data = Record<string, unknown>

/** The host of its hosted pages. */
export const pagesHost = 'checkout.stripe.com'

/**
 * Stripe's pages stay open for at least half an hour, plus a minute for latency and clock
 * differences; Stripe's most would be a day.
 */
const pageMs = { least: 31 * 60_000, most: 60 * 60_000 }
/** Stripe expands at most four levels. */
const expanded = { 'expand[0]': 'payment_intent.latest_charge.balance_transaction' }
/** The most characters that Stripe shows of a product's name. */
const mostName = 250

export const stripeCheckouts = (account: Account): CheckoutRail => ({
  name: account.name,
  hosts: [pagesHost],
  brands: cardBrands,
  referenceOf: async (order) => checkoutReference(order),
  // A payment on a page after the payment's end is booked too, so no page is closed. A session
  // whose answer was lost expires unseen; the next start has another reference, which is also the
  // idempotency key.
  start: (order) => start(account, order),
  ask: (order) => ask(account, order),
})

async function start(account: Account, order: CheckoutOrder): Promise<CheckoutState> {
  if (order.currency !== 'usd') return { state: 'ended', reason: 'processing_error' }
  const reference = checkoutReference(order)
  const answer = await account.client.ask({
    method: 'POST',
    path: '/v1/checkout/sessions',
    urgency: 'send',
    key: reference,
    body: sessionOf(order, reference),
  })
  if (answer.is !== 'answered')
    return pageNotOpened(account, { order, provider: 'Stripe', failure: answer })
  const difference = differenceOf(account, order, answer.data)
  if (difference !== null) return { state: 'quarantined', sentence: `a page with ${difference}` }
  const [id, url, endsAt] = [
    textOf(answer.data.id),
    textOf(answer.data.url),
    wholeOf(answer.data.expires_at),
  ]
  if (id === null || url === null || endsAt === null) return { state: 'unknown' }
  return {
    state: 'open',
    page: { url, endsAt: new Date(Number(endsAt) * 1_000), providerReference: id },
  }
}

async function ask(account: Account, order: CheckoutOrder): Promise<CheckoutState> {
  const id = order.providerReference
  // No payer has seen its page.
  if (id === null) return { state: 'not_found' }
  const isPayment = id.startsWith('pi_')
  const answer: Answer = await account.client.ask({
    method: 'GET',
    urgency: 'ask',
    params: { id },
    path: isPayment ? '/v1/payment_intents/{id}' : '/v1/checkout/sessions/{id}',
    query: isPayment ? { 'expand[0]': 'latest_charge.balance_transaction' } : expanded,
  })
  if (answer.is !== 'answered') return { state: 'unknown' }
  if (answer.data.id !== id) return { state: 'quarantined', sentence: 'an answer about another id' }
  // A query for a start whose page no payer has seen: the stored session belongs to another start
  // of the payment.
  const about = isPayment
    ? asObject(answer.data.metadata)?.bursar_id
    : answer.data.client_reference_id
  if (isOfAnotherStart(order, textOf(about))) return { state: 'not_found' }
  return isPayment ? paid(account, order, answer.data) : stateOf(account, order, answer.data)
}

function stateOf(account: Account, order: CheckoutOrder, session: Data): CheckoutState {
  const difference = differenceOf(account, order, session)
  if (difference !== null) return { state: 'quarantined', sentence: `a session with ${difference}` }
  const payment = asObject(session.payment_intent)
  if (session.payment_status === 'paid')
    return session.status === 'complete' && payment !== null
      ? paid(account, order, payment)
      : {
          state: 'quarantined',
          sentence: 'a paid session that is not complete, or has no payment',
        }
  if (session.payment_status !== 'unpaid')
    return { state: 'quarantined', sentence: 'a session that costs nothing' }
  const declined = declinedFor(payment)
  if (session.status === 'expired') return { state: 'ended', reason: declined ?? 'not_completed' }
  if (session.status === 'complete')
    return declined !== null && payment?.status === 'requires_payment_method'
      ? { state: 'ended', reason: declined }
      : { state: 'confirming' }
  if (session.status !== 'open')
    return {
      state: 'quarantined',
      sentence: 'a session in a state that this version does not know',
    }
  if (payment?.status === 'processing') return { state: 'confirming' }
  return declined === null ? { state: 'open', page: null } : { state: 'declined', reason: declined }
}

function differenceOf(account: Account, order: CheckoutOrder, session: Data): string | null {
  if (session.client_reference_id !== checkoutReference(order)) return 'another reference'
  if (session.currency !== order.currency) return 'another currency'
  if (wholeOf(session.amount_total) !== order.amount) return 'another amount'
  return session.livemode === account.livemode ? null : 'another mode'
}

function paid(account: Account, order: CheckoutOrder, payment: Data): CheckoutState {
  const [id, received] = [textOf(payment.id), wholeOf(payment.amount_received)]
  const difference = firstDifference({
    'another reference': asObject(payment.metadata)?.bursar_id !== checkoutReference(order),
    'another currency': payment.currency !== order.currency,
    'another mode': payment.livemode !== account.livemode,
    'another amount, or not paid': payment.status !== 'succeeded' || received !== order.amount,
  })
  if (id === null || difference !== null)
    return {
      state: 'quarantined',
      sentence: `a paid session whose payment has ${difference ?? 'no id'}`,
    }
  const charge = asObject(payment.latest_charge) ?? {}
  if (charge.refunded === true) return { state: 'reversed' }
  return {
    state: 'paid',
    providerReference: id,
    paid: { amount: received as bigint, currency: order.currency },
    ...channelOf(charge),
    ...keptOf(order, charge),
  }
}

/** Builds a session with one line of the whole amount, by card, in the requested currency only. */
function sessionOf(order: CheckoutOrder, reference: string): SessionIn {
  const left = order.expiresAt.getTime() - order.at.getTime()
  const endsAt = order.at.getTime() + Math.min(Math.max(left, pageMs.least), pageMs.most)
  return {
    mode: 'payment',
    client_reference_id: reference,
    metadata: { bursar_id: reference },
    allowed_payment_method_types: ['card'],
    adaptive_pricing: { enabled: false },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: Number(order.amount),
          product_data: { name: order.description?.trim().slice(0, mostName) || 'Payment' },
        },
      },
    ],
    // The balance changes as soon as it is paid, so that the fee is known.
    payment_intent_data: { capture_method: 'automatic', metadata: { bursar_id: reference } },
    success_url: order.returnUrl,
    cancel_url: order.cancelUrl,
    expires_at: Math.floor(endsAt / 1_000),
    ...(order.email === null ? {} : { customer_email: order.email }),
  }
}

/** Whether a reference belongs to another start of this payment. */
const isOfAnotherStart = (order: CheckoutOrder, reference: string | null): boolean =>
  reference !== null &&
  reference !== checkoutReference(order) &&
  new RegExp(`^tr-${order.id}(-\\d+)?$`).test(reference)

/** Why the last card was declined; null if none was. */
function declinedFor(payment: Data | null): DeclineReason | null {
  const error = asObject(payment?.last_payment_error)
  return error === null ? null : declineOf(textOf(error.decline_code), textOf(error.code))
}

function channelOf(charge: Data): Pick<CheckoutState & { state: 'paid' }, 'channel' | 'source'> {
  const details = asObject(charge.payment_method_details)
  const type = textOf(details?.type)
  if (type !== 'card') return { channel: 'other', source: type === null ? null : { channel: type } }
  const card = asObject(details?.card)
  const [brand, last4] = [textOf(card?.brand), textOf(card?.last4)]
  return { channel: 'card', source: brand && last4 ? { brand, last4 } : null }
}

/**
 * Returns Stripe's fee, and when the rest is available, once the balance has changed; only for a
 * dollar balance.
 */
function keptOf(
  order: CheckoutOrder,
  charge: Data,
): Pick<CheckoutState & { state: 'paid' }, 'fee' | 'availableAt'> {
  const change = asObject(charge.balance_transaction)
  const [fee, at] = [wholeOf(change?.fee), wholeOf(change?.available_on)]
  if (change?.currency !== order.currency || wholeOf(change.amount) !== order.amount)
    return { fee: null, availableAt: null }
  return { fee, availableAt: at === null ? null : new Date(Number(at) * 1_000) }
}
