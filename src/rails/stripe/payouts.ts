/**
 * Payouts in dollars to banks in the United States by Stripe's Outbound Payments, out of a
 * financial account that the operator keeps there.
 *
 * The reference is the key of idempotency, which Stripe honours for thirty days, and stands in the
 * payment's metadata, so that one whose answer was lost is found.
 */
import type { Stripe } from 'stripe'
import { later } from '../../lib/clock.ts'
import { failed, latestOf, obstacleIn, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import type { Refused } from '../http/client.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { findOrder, keepOrder, madeAt, payoutReference } from '../records/provider-orders.ts'
import { dropRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import type { Answer, Failure } from './client.ts'
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

/**
 * How long making a recipient may take, so that a payment still has its time within the deadline of
 * a rail.
 */
const recipientMs = 4_000

const sentences: Record<Exclude<Obstacle, 'otp_required'>, string> = {
  balance_too_low: 'the financial account at Stripe holds too little',
  not_enabled: 'Stripe has not enabled payouts to others for this account',
  bad_credentials: 'Stripe does not take the key',
  rate_limited: 'Stripe takes no more requests for a moment',
  provider_down: 'Stripe cannot be reached',
}
const obstruction = (obstacle: keyof typeof sentences) => ({
  obstacle,
  sentence: sentences[obstacle],
})

/** How long Stripe is not asked to pay a payee whose limit is reached. */
const payeeLimitMs = 3_600_000
/** The same where it does not take a payee. */
const payeeRefusedMs = 600_000
/**
 * How soon an order is offered again that Stripe is not asked for meanwhile: another account may
 * take it.
 */
const elsewhereMs = 15_000

/**
 * @param financialAccount what it is paid out of
 * @param floatMin what is left untouched there, in cents
 */
export function stripePayouts(
  account: Account,
  balance: Balance<Failure>,
  financialAccount: string,
  floatMin: bigint,
): PayoutRail {
  const { client, livemode, clock, log } = account
  const pauses = openPauses(clock)

  async function obstacle({ amount, destination: to }: PayoutOrder): Promise<Obstruction | null> {
    if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
    const paused = to.type === 'us_bank' ? pauses.find(keyOf(to)) : null
    if (paused !== null) return paused
    const held = await balance.available()
    if ('amount' in held)
      return held.amount < amount + mostFee + floatMin ? obstruction('balance_too_low') : null
    return obstruction(
      held.is === 'bad_credentials' || held.is === 'rate_limited' ? held.is : 'provider_down',
    )
  }

  async function send(order: PayoutOrder): Promise<OrderState> {
    const to = order.destination
    if (to.type !== 'us_bank' || order.currency !== 'usd') return failed('rejected')
    return pay(order, to)
  }

  async function pay(order: PayoutOrder, to: AmericanAccount): Promise<OrderState> {
    const startedAt = performance.now()
    const known = await recipientOf(account, to, order.attempt > 1 ? payoutReference(order) : null)
    if (!('recipient' in known)) {
      // A recipient is no money: whether it was made or not, nothing of the order was sent.
      if (known.is !== 'refused') return obstacleIn(known) ?? refusedNow('provider_down')
      const means = meaningOfRefusal(recipientRefusals, known)
      return means === null ? waitForPerson(order, to, known) : stateAfter(means, to)
    }
    // It is kept now, so the next try has its whole time for the payment.
    if (performance.now() - startedAt > recipientMs) return refusedNow('provider_down', 1_000)
    balance.spend(order.id, order.amount + mostFee)
    const reference = payoutReference(order)
    const answer = await client.ask({
      method: 'POST',
      path: payments,
      urgency: 'send',
      latest: latestOf(account, order),
      key: reference,
      body: {
        amount: { value: Number(order.amount), currency: 'usd' },
        from: { financial_account: financialAccount, currency: 'usd' },
        to: { recipient: known.recipient, payout_method: known.payoutMethod, currency: 'usd' },
        metadata: { bursar_id: reference },
        recipient_notification: { setting: 'none' },
      } satisfies PaymentIn,
    })
    const certain = obstacleIn(answer)
    if (certain !== null) {
      balance.answered(order.id, false)
      return certain
    }
    if (answer.is === 'answered') return stateOf(order, answer.data, known)
    if (answer.is !== 'refused') return unknown
    const means = meaningOfRefusal(payoutRefusals, answer)
    if (means === null) return unlistedRefusal(account, order, answer)
    balance.answered(order.id, false)
    if (means !== 'recipient_gone') return stateAfter(means, to)
    await dropRecipient(account, keyOf(to), codeOf(known))
    // Under the same reference Stripe takes no other body: with a recipient made anew it is another
    // submission.
    return known.isNew ? failed('invalid_account') : refusedNow('provider_down', 1_000)
  }

  /**
   * What a certain refusal makes of an order. What is its payee's keeps no order to another one
   * waiting.
   */
  function stateAfter(
    means: Exclude<PayoutRefusal, 'recipient_gone'> | RecipientRefusal,
    to: AmericanAccount,
  ): OrderState {
    switch (means) {
      case 'balance_too_low':
        balance.forget()
        return refusedNow('balance_too_low')
      case 'account_not_enabled':
        return pause(null, obstruction('not_enabled'), offerAgainMs.not_enabled)
      case 'payee_not_enabled': {
        const sentence = 'Stripe has not enabled payouts to this payee'
        return pause(keyOf(to), { obstacle: 'not_enabled', sentence }, payeeRefusedMs)
      }
      case 'payee_limit': {
        const sentence = 'Stripe pays no more to this payee for now'
        return pause(keyOf(to), { obstacle: 'rate_limited', sentence }, payeeLimitMs)
      }
      case 'rate_limited':
        return refusedNow('rate_limited')
      default:
        return failed(means)
    }
  }

  /**
   * Nothing was sent of an order whose payee Stripe refuses in a way that nobody knows: it is
   * offered again, and a person is told.
   */
  function waitForPerson(order: PayoutOrder, to: AmericanAccount, refusal: Refused): OrderState {
    unlistedRefusal(account, order, refusal)
    const sentence = 'Stripe does not take this payee'
    return pause(keyOf(to), { obstacle: 'provider_down', sentence }, payeeRefusedMs)
  }

  /** Has orders wait: all of them, or those to one payee. */
  function pause(
    payee: string | null,
    paused: { obstacle: keyof typeof sentences; sentence: string },
    forMs: number,
  ): OrderState {
    pauses.pause(payee, paused, forMs)
    return refusedNow(paused.obstacle, elsewhereMs)
  }

  const get = (id: string): Promise<Answer> =>
    client.ask({
      method: 'GET',
      path: '/v2/money_management/outbound_payments/{id}',
      urgency: 'ask',
      params: { id },
    })

  /** Events name the payment alone, whose id is not kept where the answer with it was lost. */
  async function referenceOfId(id: string): Promise<{ reference: string | null } | 'unknown'> {
    const answer = await get(id)
    if (answer.is === 'refused' && isUnknown(answer)) return { reference: null }
    if (answer.is !== 'answered' || answer.data.id !== id) return 'unknown'
    // Its id is not kept here: whether there is another payment of the same reference, the list
    // alone says.
    return { reference: textOf(asObject(answer.data.metadata)?.bursar_id) }
  }

  async function ask(order: PayoutOrder): Promise<OrderState> {
    const reference = payoutReference(order)
    const kept = await findOrder(account, reference)
    if (kept === null) return lookFor(order, reference)
    const answer = await get(kept)
    if (answer.is === 'answered') return stateOf(order, answer.data, null)
    if (answer.is === 'refused' && isUnknown(answer))
      account.report(
        'quarantined',
        order.id,
        'Stripe does not know a payment any more that it has answered about',
      )
    return unknown
  }

  /** Looks for a payment by its metadata among all that were made since its order was. */
  async function lookFor(order: PayoutOrder, reference: string): Promise<OrderState> {
    const since = later(madeAt(order.id), -listLagMs)
    const all = await readList(account, payments, { 'created[gte]': since.toISOString() }, 'ask')
    if (all === null) return unknown
    const ours = all.filter((row) => asObject(row.metadata)?.bursar_id === reference)
    const [found] = ours
    if (found === undefined) return { state: 'not_found' }
    if (ours.length === 1) return stateOf(order, found, null)
    account.report('quarantined', order.id, `Stripe has ${ours.length} payments of one reference`)
    return unknown
  }

  /**
   * What Stripe's answer about a payment says of its order, if it is about that order at all.
   * @param sentTo where it was sent to; null: it is not known now
   */
  async function stateOf(
    order: PayoutOrder,
    data: Payment,
    sentTo: Recipient | null,
  ): Promise<OrderState> {
    const difference = differenceIn(order, data, sentTo)
    const id = textOf(data.id)
    if (difference !== null || id === null) {
      account.report('quarantined', order.id, `a payment with ${difference ?? 'no id'}`)
      return unknown
    }
    await keepOrder(account, payoutReference(order), id)
    balance.answered(order.id, true)
    const details = asObject(data.status_details)
    switch (data.status as Status) {
      case 'processing':
        return { state: 'processing', providerReference: id, askAgainInMs: null }
      case 'posted':
        log.info({ order: order.id, payment: id, trace: traceIn(data) }, 'Stripe has paid out')
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
        // Of one that had not arrived it is the end; what had arrived has come back.
        return {
          state: 'returned',
          reason: reasonOf(asObject(details?.returned)?.reason),
          providerReference: id,
        }
      default:
        account.report(
          'quarantined',
          order.id,
          'a payment in a status that this version does not know',
        )
        return unknown
    }
  }

  /**
   * What is wrong with an answer: another reference, amount, currency, mode or account than was
   * sent. Null: nothing is.
   */
  function differenceIn(
    order: PayoutOrder,
    data: Payment,
    sentTo: Recipient | null,
  ): string | null {
    const [amount, from, to] = [asObject(data.amount), asObject(data.from), asObject(data.to)]
    if (asObject(data.metadata)?.bursar_id !== payoutReference(order)) return 'another reference'
    if (wholeOf(amount?.value) !== order.amount) return 'another amount'
    if (amount?.currency !== 'usd') return 'another currency'
    if (data.livemode !== livemode) return 'another mode'
    if (from?.financial_account !== financialAccount) return 'another financial account'
    const same =
      sentTo === null ||
      (to?.recipient === sentTo.recipient && to.payout_method === sentTo.payoutMethod)
    return same ? null : 'another recipient'
  }

  return {
    name: account.name,
    holdMs: 0,
    arrivalMs: 2 * 86_400_000,
    orderLifeMs: 600_000,
    referenceOf: async (order) => payoutReference(order),
    referenceOfId,
    obstacle,
    send,
    ask,
  }
}

/** What banks ask for when they look for a payment. */
const traceIn = (data: Payment): string | null =>
  textOf(asObject(asObject(data.tracking_details)?.bank_account)?.trace_id)
