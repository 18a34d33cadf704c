/**
 * Payments on Paystack's own page. Only `verify`, by our reference, decides whether and how much
 * was paid. If the customer bears the fee, `amount` includes it; `requested_amount` does not.
 */

import { pageNotOpened } from '../http/checkout-states.ts'
import type { CheckoutOrder, CheckoutRail, CheckoutState, DeclineReason } from '../ports/rail.ts'
import { checkoutReference } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import { leftOf } from './refund-list.ts'
import { isDuplicateTransaction, isUnknownTransaction } from './refusals.ts'
import { cardBrands, declinePatterns, pageGraceMs, pageMs } from './unconfirmed.ts'

type Data = Record<string, unknown>

/** `host`: of its pages. `offered`: the channels of its page, by Paystack's names. */
type PageSettings = { host: string; offered: readonly string[] | undefined }

export const paystackCheckouts = (
  account: Account,
  { host, offered = ['card'] }: PageSettings,
): CheckoutRail => ({
  name: account.name,
  hosts: [host],
  needsEmail: true,
  brands: cardBrands,
  referenceOf: async (order) => checkoutReference(order),
  // Paystack cannot close a page: a late payment there is booked too.
  start: (order) => start(account, order, offered),
  ask: (order) => ask(account, order),
})

async function start(
  account: Account,
  order: CheckoutOrder,
  offered: readonly string[],
): Promise<CheckoutState> {
  if (order.email === null || order.currency !== 'ngn')
    return { state: 'ended', reason: 'processing_error' }
  const reference = checkoutReference(order)
  const answer = await account.client.ask({
    method: 'POST',
    path: '/transaction/initialize',
    urgency: 'send',
    body: {
      email: order.email,
      amount: Number(order.amount),
      currency: 'NGN',
      reference,
      callback_url: order.returnUrl,
      channels: offered,
      metadata: { bursar_id: order.id, cancel_action: order.cancelUrl },
    },
  })
  // The payer may have seen its page, whose URL this answer does not have.
  if (answer.is === 'refused' && isDuplicateTransaction(answer)) return { state: 'unknown' }
  if (answer.is !== 'answered')
    return pageNotOpened(account, { order, provider: 'Paystack', failure: answer })
  const data = asObject(answer.data) ?? {}
  if (data.reference !== reference)
    return { state: 'quarantined', sentence: 'a page for another reference' }
  const url = textOf(data.authorization_url)
  if (url === null) return { state: 'unknown' }
  const left = order.expiresAt.getTime() - order.at.getTime()
  const endsAt = new Date(order.at.getTime() + Math.min(Math.max(left, pageMs.least), pageMs.most))
  return { state: 'open', page: { url, endsAt, providerReference: reference } }
}

async function ask(account: Account, order: CheckoutOrder): Promise<CheckoutState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/transaction/verify/{reference}',
    urgency: 'ask',
    params: { reference: checkoutReference(order) },
  })
  if (answer.is === 'answered') return stateOf(account, order, asObject(answer.data) ?? {})
  if (answer.is === 'refused' && isUnknownTransaction(answer))
    return isOver(order) ? { state: 'ended', reason: 'not_completed' } : { state: 'not_found' }
  return { state: 'unknown' }
}

async function stateOf(account: Account, order: CheckoutOrder, data: Data): Promise<CheckoutState> {
  const difference = differenceOf(account, order, data)
  if (difference !== null)
    return { state: 'quarantined', sentence: `a transaction with ${difference}` }
  switch (data.status) {
    case 'success':
      return paid(order, data)
    case 'failed': {
      const reason = reasonOf(data)
      return isOver(order) ? { state: 'ended', reason } : { state: 'declined', reason }
    }
    case 'abandoned':
      return isOver(order)
        ? { state: 'ended', reason: 'not_completed' }
        : { state: 'open', page: null }
    case 'ongoing':
    case 'pending':
    case 'processing':
    case 'queued':
      return { state: 'confirming' }
    case 'reversed': {
      const left = await leftOf(account, data)
      if (left === null) return { state: 'unknown' }
      return left > 0n ? paid(order, data) : { state: 'reversed' }
    }
    default:
      return {
        state: 'quarantined',
        sentence: 'a transaction in a state that this version does not know',
      }
  }
}

function differenceOf(account: Account, order: CheckoutOrder, data: Data): string | null {
  if (data.reference !== checkoutReference(order)) return 'another reference'
  if (wholeOf(data.requested_amount) !== order.amount) return 'another amount'
  if (data.currency !== 'NGN') return 'another currency'
  return data.domain === (account.livemode ? 'live' : 'test') ? null : 'another mode'
}

/**
 * Whether the page and the grace period for late payments are over: then Paystack's state is final.
 */
const isOver = ({ at, expiresAt }: CheckoutOrder): boolean =>
  at.getTime() >= expiresAt.getTime() + pageGraceMs

function paid(order: CheckoutOrder, data: Data): CheckoutState {
  const id = wholeOf(data.id)
  const [amount, fees] = [wholeOf(data.amount), wholeOf(data.fees)]
  if (id === null || amount === null || amount < order.amount)
    return {
      state: 'quarantined',
      sentence: 'a paid transaction without an id, or of less than was asked for',
    }
  return {
    state: 'paid',
    providerReference: String(id),
    paid: { amount: order.amount, currency: order.currency },
    ...channelOf(data),
    // Our fee is Paystack's fee minus the payer's part.
    fee: fees === null ? null : fees - (amount - order.amount),
    availableAt: null,
  }
}

/** Returns the channel and Paystack's payer details. Account numbers come masked. */
function channelOf(data: Data): Pick<CheckoutState & { state: 'paid' }, 'channel' | 'source'> {
  const authorization = asObject(data.authorization) ?? {}
  const text = (name: string): string | null => textOf(authorization[name])?.trim() || null
  const brand = text('brand')?.toLowerCase() ?? null
  const last4 = text('last4')
  if (data.channel === 'card')
    return { channel: 'card', source: brand && last4 ? { brand, last4 } : null }
  if (data.channel !== 'bank_transfer') {
    const channel = textOf(data.channel)
    return { channel: 'other', source: channel === null ? null : { channel } }
  }
  const said = {
    account_name: text('sender_name'),
    account_number: text('sender_bank_account_number'),
    bank_name: text('sender_bank'),
  }
  const known = Object.entries(said).filter((entry): entry is [string, string] => entry[1] !== null)
  return { channel: 'bank_transfer', source: known.length === 0 ? null : Object.fromEntries(known) }
}

function reasonOf({ gateway_response }: Data): DeclineReason {
  const said = textOf(gateway_response) ?? ''
  return declinePatterns.find(([pattern]) => pattern.test(said))?.[1] ?? 'declined'
}
