/**
 * Refunds of Stripe card payments to the card (https://docs.stripe.com/api/refunds). Our reference
 * is the idempotency key, for at least a day, and is in the refund; if an answer was lost, the
 * payment's list of refunds is searched for it.
 */
import type { Stripe } from 'stripe'
import { failed, latestOf, obstacleIn, refusedNow, unknown } from '../http/answers.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import { asObject, firstDifference, textOf, wholeOf } from '../http/values.ts'
import type { OrderState, PayoutOrder, RefundRail } from '../ports/rail.ts'
import { refundReference } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import { readListV1 } from './lists.ts'
import { refundRefusals } from './refusals.ts'

type RefundIn = Stripe.RefundCreateParams
type RefundOrder = PayoutOrder & { destination: { type: 'charge' } }
type Data = Record<string, unknown>

const isBack = (order: PayoutOrder): order is RefundOrder => order.destination.type === 'charge'

export const stripeRefunds = (account: Account): RefundRail => ({
  name: account.name,
  orderLifeMs: 600_000,
  methods: ['card'],
  referenceOf: async (order) => refundReference(order),
  send: (order) => send(account, order),
  ask: (order) => ask(account, order),
})

/** Returns the payment of a refund; null, and reports it, if Stripe has named none. */
function paymentOf(account: Account, { destination: { charge } }: RefundOrder): string | null {
  const name = charge.providerReference
  if (name?.startsWith('pi_')) return name
  account.report(
    'quarantined',
    charge.id,
    'money is to be given back that Stripe has no payment for',
  )
  return null
}

async function send(account: Account, order: PayoutOrder): Promise<OrderState> {
  if (!isBack(order) || order.currency !== 'usd') return failed('rejected')
  const payment = paymentOf(account, order)
  if (payment === null) return refusedNow('provider_down')
  const reference = refundReference(order)
  const answer = await account.client.ask({
    method: 'POST',
    path: '/v1/refunds',
    urgency: 'send',
    key: reference,
    latest: latestOf(account, order),
    body: {
      payment_intent: payment,
      amount: Number(order.amount),
      metadata: { bursar_id: reference },
    } satisfies RefundIn,
  })
  const certain = obstacleIn(answer)
  if (certain !== null) return certain
  if (answer.is === 'answered') return stateOf(account, order, payment, answer.data)
  if (answer.is !== 'refused') return unknown
  const means = meaningOfRefusal(refundRefusals, answer)
  if (means === 'balance_too_low') return refusedNow('balance_too_low')
  // An earlier try may have refunded a payment with nothing left.
  const said = await lookFor(account, order, payment)
  if (said.state !== 'not_found') return said
  return means === null ? unlistedRefusal(account, order, answer) : failed('rejected')
}

async function ask(account: Account, order: PayoutOrder): Promise<OrderState> {
  if (!isBack(order)) return unknown
  const payment = paymentOf(account, order)
  if (payment === null) return unknown
  const { refund: id } = order.destination
  if (id === null) return lookFor(account, order, payment)
  const answer = await account.client.ask({
    method: 'GET',
    path: '/v1/refunds/{id}',
    params: { id },
    urgency: 'ask',
  })
  return answer.is === 'answered' ? stateOf(account, order, payment, answer.data) : unknown
}

/** Finds a refund in its payment by our reference. */
async function lookFor(account: Account, order: RefundOrder, payment: string): Promise<OrderState> {
  const all = await readListV1(account, '/v1/refunds', { payment_intent: payment }, 'ask')
  // A list of another payment proves nothing about this one.
  if (all === null || all.some((row) => row.payment_intent !== payment)) return unknown
  const found = all.find((row) => referenceIn(row) === refundReference(order))
  return found === undefined ? { state: 'not_found' } : stateOf(account, order, payment, found)
}

/**
 * Returns an order's state from Stripe's answer about a refund, if the answer is about that order
 * at all.
 */
function stateOf(account: Account, order: RefundOrder, payment: string, data: Data): OrderState {
  const { refund } = order.destination
  const id = textOf(data.id)
  const difference = firstDifference({
    'another id': id === null || (refund !== null && id !== refund),
    'another reference': referenceIn(data) !== refundReference(order),
    'another payment': data.payment_intent !== payment,
    'another currency': data.currency !== order.currency,
    'another amount': wholeOf(data.amount) !== order.amount,
  })
  if (difference !== null) return quarantine(account, order, `a refund with ${difference}`)
  const providerReference = id as string
  switch (data.status) {
    case 'succeeded':
      return { state: 'completed', providerReference, txHash: null, fee: 0n }
    case 'pending':
      return { state: 'processing', providerReference, askAgainInMs: null }
    case 'requires_action':
      account.report(
        'needs_attention',
        order.id,
        `Stripe waits for a person to complete refund ${id}`,
      )
      return { state: 'processing', providerReference, askAgainInMs: null }
    // Also after a success, when the card's bank sent it back.
    case 'failed':
    case 'canceled':
      return { state: 'failed', reason: 'rejected', providerReference }
    default:
      return quarantine(account, order, 'a refund in a state that this version does not know')
  }
}

const referenceIn = ({ metadata }: Data): string | null => textOf(asObject(metadata)?.bursar_id)
