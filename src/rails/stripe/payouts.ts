/**
 * Dollar payouts to banks in the United States by Stripe's Outbound Payments, from the operator's
 * financial account there. The reference is the idempotency key, which Stripe keeps for thirty
 * days, and is in the payment's metadata, by which a payment with a lost answer is found.
 */
import type { Stripe } from 'stripe'
import { later } from '../../lib/clock.ts'
import { failed, latestOf, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import type { Failure } from '../http/client.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import {
  elsewhereMs,
  findObstruction,
  obstructionsOf,
  type PayoutParts,
  payoutTerms,
  recipientMs,
  recipientTooSlow,
  recipientUnanswered,
  stateUnanswered,
} from '../records/payouts.ts'
import { findOrder, keepOrder, madeAt, payoutReference } from '../records/provider-orders.ts'
import { dropRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import type { Answer } from './client.ts'
import { readList } from './lists.ts'
import { type AmericanAccount, codeOf, keyOf, type Recipient, recipientOf } from './recipients.ts'
import {
  type PayoutRefusal,
  payoutRefusals,
  type RecipientRefusal,
  recipientRefusals,
} from './refusals.ts'
import { isUnknown, listLagMs, mostFee, reasonOf } from './unconfirmed.ts'

type PaymentIn = Stripe.V2.MoneyManagement.OutboundPaymentCreateParams
type Status = Stripe.V2.MoneyManagement.OutboundPayment.Status
type Payment = Record<string, unknown>

const payments = '/v2/money_management/outbound_payments'

/** `financialAccount`: the account that pays out. */
type PayoutAccount = Account & PayoutParts & { financialAccount: string }

const obstruction = obstructionsOf({
  balance_too_low: 'the financial account at Stripe holds too little',
  not_enabled: 'Stripe has not enabled payouts to others for this account',
  bad_credentials: 'Stripe does not take the key',
  rate_limited: 'Stripe takes no more requests for a moment',
  provider_down: 'Stripe cannot be reached',
})

/** How long no payment is sent to a payee whose limit is reached. */
const payeeLimitMs = 3_600_000
/** The same for a payee that Stripe rejects. */
const payeeRefusedMs = 600_000
/** @param funds the account that pays out, and the amount that stays there, in cents */
export function stripePayouts(
  of: Account,
  funds: { balance: Balance; financialAccount: string; floatMin: bigint },
): PayoutRail {
  const account: PayoutAccount = { ...of, ...funds, pauses: openPauses(of.clock) }
  return {
    ...payoutTerms(account),
    arrivalMs: 2 * 86_400_000,
    referenceOfId: (id) => referenceOfId(account, id),
    obstacle: (order) => obstacle(account, order),
    send: (order) => send(account, order),
    ask: (order) => ask(account, order),
  }
}

async function obstacle(
  account: PayoutAccount,
  { amount, destination: to }: PayoutOrder,
): Promise<Obstruction | null> {
  const paused = to.type === 'us_bank' ? account.pauses.find(keyOf(to)) : null
  return findObstruction(account, { needed: amount + mostFee, paused, obstruction })
}

async function send(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const to = order.destination
  if (to.type !== 'us_bank' || order.currency !== 'usd') return failed('rejected')
  const startedAt = performance.now()
  const known = await recipientOf(account, to, order.attempt > 1 ? payoutReference(order) : null)
  if (!('recipient' in known)) return withoutRecipient(account, order, known)
  if (performance.now() - startedAt > recipientMs) return recipientTooSlow
  account.balance.spend(order.id, order.amount + mostFee)
  const answer = await requestPayment(account, order, known)
  if (answer.is === 'answered') return stateOf(account, order, answer.data, known)
  if (answer.is !== 'refused') return stateUnanswered(account, order, answer)
  const meaning = meaningOfRefusal(payoutRefusals, answer)
  if (meaning === null) return unlistedRefusal(account, order, answer)
  account.balance.answered(order.id, false)
  if (meaning !== 'recipient_gone') return stateAfter(account, to, meaning)
  await dropRecipient(account, keyOf(to), codeOf(known))
  // Under the same reference Stripe accepts no other body: with a new recipient it is another
  // submission.
  return known.isNew ? failed('invalid_account') : recipientTooSlow
}

/** Returns the state of an order whose recipient Stripe did not create. */
function withoutRecipient(
  account: PayoutAccount,
  order: PayoutOrder,
  failure: Failure,
): OrderState {
  if (failure.is !== 'refused') return recipientUnanswered(failure)
  const to = order.destination as AmericanAccount
  const meaning = meaningOfRefusal(recipientRefusals, failure)
  if (meaning !== null) return stateAfter(account, to, meaning)
  // Stripe refuses the payee in an unlisted way: the order is retried, and a person is notified.
  unlistedRefusal(account, order, failure)
  const sentence = 'Stripe does not take this payee'
  return pause(account, keyOf(to), { obstacle: 'provider_down', sentence }, payeeRefusedMs)
}

function requestPayment(
  { client, livemode, financialAccount }: PayoutAccount,
  order: PayoutOrder,
  { recipient, payoutMethod }: Recipient,
): Promise<Answer> {
  const reference = payoutReference(order)
  return client.ask({
    method: 'POST',
    path: payments,
    urgency: 'send',
    latest: latestOf({ livemode }, order),
    key: reference,
    body: {
      amount: { value: Number(order.amount), currency: 'usd' },
      from: { financial_account: financialAccount, currency: 'usd' },
      to: { recipient, payout_method: payoutMethod, currency: 'usd' },
      metadata: { bursar_id: reference },
      recipient_notification: { setting: 'none' },
    } satisfies PaymentIn,
  })
}

/**
 * Returns the state of an order after a certain refusal. A refusal of its payee does not pause
 * orders to other payees.
 */
function stateAfter(
  account: PayoutAccount,
  to: AmericanAccount,
  meaning: Exclude<PayoutRefusal, 'recipient_gone'> | RecipientRefusal,
): OrderState {
  switch (meaning) {
    case 'balance_too_low':
      account.balance.forget()
      return refusedNow('balance_too_low')
    case 'account_not_enabled':
      return pause(account, null, obstruction('not_enabled'), offerAgainMs.not_enabled)
    case 'payee_not_enabled': {
      const sentence = 'Stripe has not enabled payouts to this payee'
      return pause(account, keyOf(to), { obstacle: 'not_enabled', sentence }, payeeRefusedMs)
    }
    case 'payee_limit': {
      const sentence = 'Stripe pays no more to this payee for now'
      return pause(account, keyOf(to), { obstacle: 'rate_limited', sentence }, payeeLimitMs)
    }
    case 'rate_limited':
      return refusedNow('rate_limited')
    default:
      return failed(meaning)
  }
}

/** Pauses orders. @param payee whose orders; null: all orders */
function pause(
  { pauses }: PayoutAccount,
  payee: string | null,
  paused: Obstruction,
  forMs: number,
): OrderState {
  pauses.pause(payee, paused, forMs)
  return refusedNow(paused.obstacle as Obstacle, elsewhereMs)
}

const getPayment = ({ client }: PayoutAccount, id: string): Promise<Answer> =>
  client.ask({
    method: 'GET',
    path: '/v2/money_management/outbound_payments/{id}',
    urgency: 'ask',
    params: { id },
  })

/** Events name only the payment, whose id is not stored if its answer was lost. */
async function referenceOfId(
  account: PayoutAccount,
  id: string,
): Promise<{ reference: string | null } | 'unknown'> {
  const answer = await getPayment(account, id)
  if (answer.is === 'refused' && isUnknown(answer)) return { reference: null }
  if (answer.is !== 'answered' || answer.data.id !== id) return 'unknown'
  // Its id is not stored here: only the list shows whether there is another payment with the
  // reference.
  return { reference: textOf(asObject(answer.data.metadata)?.bursar_id) }
}

async function ask(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const reference = payoutReference(order)
  const kept = await findOrder(account, reference)
  if (kept === null) return lookFor(account, order, reference)
  const answer = await getPayment(account, kept)
  if (answer.is === 'answered') return stateOf(account, order, answer.data, null)
  if (answer.is === 'refused' && isUnknown(answer))
    account.report(
      'quarantined',
      order.id,
      'Stripe does not know a payment any more that it has answered about',
    )
  return unknown
}

/** Finds a payment by its metadata among all created since its order. */
async function lookFor(
  account: PayoutAccount,
  order: PayoutOrder,
  reference: string,
): Promise<OrderState> {
  const since = later(madeAt(order.id), -listLagMs)
  const all = await readList(account, payments, { 'created[gte]': since.toISOString() }, 'ask')
  if (all === null) return unknown
  const ours = all.filter((row) => asObject(row.metadata)?.bursar_id === reference)
  const [found] = ours
  if (found === undefined) return { state: 'not_found' }
  if (ours.length === 1) return stateOf(account, order, found, null)
  return quarantine(account, order, `Stripe has ${ours.length} payments of one reference`)
}

/**
 * Returns an order's state from Stripe's answer about its payment, if the answer is about that
 * order at all.
 * @param sentTo the payment's destination; null: not known now
 */
async function stateOf(
  account: PayoutAccount,
  order: PayoutOrder,
  data: Payment,
  sentTo: Recipient | null,
): Promise<OrderState> {
  const difference = differenceIn(account, order, data, sentTo)
  const id = textOf(data.id)
  if (difference !== null || id === null)
    return quarantine(account, order, `a payment with ${difference ?? 'no id'}`)
  await keepOrder(account, payoutReference(order), id)
  account.balance.answered(order.id, true)
  const details = asObject(data.status_details)
  switch (data.status as Status) {
    case 'processing':
      return { state: 'processing', providerReference: id, askAgainInMs: null }
    case 'posted':
      account.log.info(
        { order: order.id, payment: id, trace: traceIn(data) },
        'Stripe has paid out',
      )
      return { state: 'completed', providerReference: id, txHash: null }
    case 'failed':
      return {
        state: 'failed',
        reason: reasonOf(asObject(details?.failed)?.reason),
        providerReference: id,
      }
    case 'canceled':
      return { state: 'failed', reason: 'rejected', providerReference: id }
    case 'returned':
      // A payment that had not arrived has ended; one that had arrived was returned.
      return {
        state: 'returned',
        reason: reasonOf(asObject(details?.returned)?.reason),
        providerReference: id,
      }
    default:
      return quarantine(account, order, 'a payment in a status that this version does not know')
  }
}

/**
 * Returns how an answer differs from the order: in reference, amount, currency, mode or account;
 * null if it does not.
 */
function differenceIn(
  account: PayoutAccount,
  order: PayoutOrder,
  data: Payment,
  sentTo: Recipient | null,
): string | null {
  const [amount, from, to] = [asObject(data.amount), asObject(data.from), asObject(data.to)]
  if (asObject(data.metadata)?.bursar_id !== payoutReference(order)) return 'another reference'
  if (wholeOf(amount?.value) !== order.amount) return 'another amount'
  if (amount?.currency !== 'usd') return 'another currency'
  if (data.livemode !== account.livemode) return 'another mode'
  if (from?.financial_account !== account.financialAccount) return 'another financial account'
  const same =
    sentTo === null ||
    (to?.recipient === sentTo.recipient && to.payout_method === sentTo.payoutMethod)
  return same ? null : 'another recipient'
}

/** The trace id, by which banks find a payment. */
const traceIn = (data: Payment): string | null =>
  textOf(asObject(asObject(data.tracking_details)?.bank_account)?.trace_id)
