/**
 * Payouts to Nigerian banks by Paystack's transfers, out of the balance that the operator keeps
 * there.
 *
 * Paystack has no idempotency but the reference: one that is taken is refused, and the transfer is
 * asked about. Only what is certain is said to be so.
 */

import { failed, latestOf, obstacleIn, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import { describeUnlisted, meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import type {
  FailureReason,
  Obstacle,
  Obstruction,
  OrderState,
  PayoutOrder,
  PayoutRail,
} from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { block, blockOf } from '../records/blocks.ts'
import { payoutReference } from '../records/provider-orders.ts'
import { type Account, differenceIn } from './account.ts'
import { asObject, type Failure, textOf, wholeOf } from './client.ts'
import { forgetRecipient, type NigerianAccount, recipientOf } from './recipients.ts'
import { isDuplicate, isUnknownTransfer, payoutRefusals, recipientRefusals } from './refusals.ts'
import { failurePatterns, mostTransferFee } from './unconfirmed.ts'

/**
 * How long making a recipient may take, so that a transfer still has its time within the deadline
 * of a rail.
 */
const recipientMs = 4_000

const sentences: Record<Obstacle, string> = {
  balance_too_low: 'the balance at Paystack is too low',
  otp_required:
    'Paystack asks for a code at each transfer: switch that off at Paystack, then `bursar rails unblock`',
  not_enabled: 'Paystack has not enabled transfers to others for this business',
  bad_credentials: 'Paystack does not take the key',
  rate_limited: 'Paystack takes no more requests for a moment',
  provider_down: 'Paystack cannot be reached',
}
const obstruction = (obstacle: Obstacle): Obstruction => ({
  obstacle,
  sentence: sentences[obstacle],
})
/** @param floatMin what is left untouched at Paystack, in kobo */
export function paystackPayouts(account: Account, balance: Balance<Failure>, floatMin: bigint) {
  const { client, clock, log } = account
  const nowMs = (): number => clock.now().getTime()
  /** In the way for a while, without a person. */
  let notEnabledUntil = 0

  async function obstacle({ amount }: PayoutOrder): Promise<Obstruction | null> {
    const blocked = await blockOf(account)
    if (blocked) return obstruction(blocked.obstacle)
    if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
    if (nowMs() < notEnabledUntil) return obstruction('not_enabled')
    const held = await balance.available()
    if ('amount' in held)
      return held.amount < amount + mostTransferFee + floatMin
        ? obstruction('balance_too_low')
        : null
    if (held.is === 'bad_credentials' || held.is === 'rate_limited') return obstruction(held.is)
    return obstruction('provider_down')
  }

  async function send(order: PayoutOrder): Promise<OrderState> {
    const to = order.destination
    if (to.type !== 'ng_bank' || order.currency !== 'ngn') return failed('rejected')
    const startedAt = performance.now()
    const first = await transfer(order, to, startedAt)
    if (first !== 'no recipient') return first
    const again = await transfer(order, to, startedAt)
    return again === 'no recipient' ? failed('invalid_account') : again
  }

  async function transfer(
    order: PayoutOrder,
    to: NigerianAccount,
    startedAt: number,
  ): Promise<OrderState | 'no recipient'> {
    const known = await recipientOf(account, to)
    if (!('recipient' in known)) {
      // A recipient is no money: whether it was made or not, nothing of the order was sent.
      if (known.is !== 'refused') return obstacleIn(known) ?? refusedNow('provider_down')
      if (meaningOfRefusal(recipientRefusals, known) !== null) return failed('invalid_account')
      account.report('quarantined', 'POST /transferrecipient', describeUnlisted(known))
      return refusedNow('provider_down', offerAgainMs.not_enabled)
    }
    // It is kept now, so the next try has its whole time for the transfer.
    if (performance.now() - startedAt > recipientMs) return refusedNow('provider_down', 1_000)
    balance.spend(order.id, order.amount + mostTransferFee)
    const answer = await client.ask({
      method: 'POST',
      path: '/transfer',
      urgency: 'send',
      latest: latestOf(account, order),
      body: {
        source: 'balance',
        amount: Number(order.amount),
        currency: 'NGN',
        recipient: known.recipient,
        reference: payoutReference(order),
        reason: payoutReference(order),
      },
    })
    const certain = obstacleIn(answer)
    if (certain !== null) {
      balance.answered(order.id, false)
      return certain
    }
    if (answer.is === 'answered') return stateOf(order, answer.data)
    if (answer.is !== 'refused') return unknown
    // It was taken before, and Paystack does not say again what it said then.
    if (isDuplicate(answer)) {
      const said = await ask(order)
      return said.state === 'not_found' ? unknown : said
    }
    const meaning = meaningOfRefusal(payoutRefusals, answer)
    if (meaning === null) {
      return unlistedRefusal(account, order, answer)
    }
    balance.answered(order.id, false)
    switch (meaning) {
      case 'no_recipient':
        await forgetRecipient(account, to, known.recipient)
        return 'no recipient'
      case 'balance_too_low':
        balance.forget()
        return refusedNow(meaning)
      case 'not_enabled':
        notEnabledUntil = nowMs() + offerAgainMs.not_enabled
        return refusedNow(meaning)
    }
  }

  async function ask(order: PayoutOrder): Promise<OrderState> {
    const answer = await client.ask({
      method: 'GET',
      path: '/transfer/verify/{reference}',
      urgency: 'ask',
      params: { reference: payoutReference(order) },
    })
    if (answer.is === 'answered') return stateOf(order, answer.data)
    if (answer.is === 'refused' && isUnknownTransfer(answer)) return { state: 'not_found' }
    return answer.is === 'rate_limited' ? refusedNow('rate_limited', answer.againInMs) : unknown
  }

  /**
   * What Paystack's answer about a transfer says of its order, if it is about that order at all.
   */
  async function stateOf(order: PayoutOrder, answered: unknown): Promise<OrderState> {
    const reference = payoutReference(order)
    const data = asObject(answered) ?? {}
    const difference =
      differenceIn(account, data, { reference, amount: order.amount }) ?? otherAccount(order, data)
    if (difference !== null) {
      account.report('quarantined', order.id, `a transfer with ${difference}`)
      return unknown
    }
    balance.answered(order.id, true)
    const providerReference = textOf(data.transfer_code)
    switch (data.status) {
      case 'success':
        if (providerReference === null) return unknown
        log.info(
          { order: order.id, transfer: providerReference, session: sessionOf(data) },
          'Paystack has paid out',
        )
        return { state: 'completed', providerReference, txHash: null, fee: feeOf(data) }
      case 'pending':
      case 'received':
        return { state: 'processing', providerReference, askAgainInMs: null }
      case 'otp':
        await block(account, 'otp_required')
        account.report(
          'otp_required',
          order.id,
          'Paystack waits for a code before it pays, which was sent to the business',
        )
        return { state: 'processing', providerReference, askAgainInMs: null }
      case 'abandoned':
      case 'blocked':
      case 'rejected':
        return { state: 'failed', reason: 'rejected', providerReference }
      case 'failed':
        return { state: 'failed', reason: reasonOf(data), providerReference }
      case 'reversed':
        // Of one that had not arrived it is the end; what had arrived has come back.
        return {
          state: 'returned',
          reason: 'bank_unavailable',
          providerReference: providerReference ?? reference,
        }
      default:
        account.report(
          'quarantined',
          order.id,
          'a transfer in a state that this version does not know',
        )
        return unknown
    }
  }

  const rail = {
    name: account.name,
    holdMs: 0,
    arrivalMs: 60_000,
    orderLifeMs: 600_000,
    referenceOf: async (order: PayoutOrder) => payoutReference(order),
    obstacle,
    send,
    ask,
  }
  return rail satisfies PayoutRail
}

/** `verify` says to whom; the answer to the transfer itself does not. */
function otherAccount({ destination }: PayoutOrder, data: Record<string, unknown>): string | null {
  const details = asObject(asObject(data.recipient)?.details)
  if (details === null || destination.type !== 'ng_bank') return null
  return details.account_number === destination.account_number ? null : 'another account'
}

/**
 * 0 with a test key (airbytehq/airbyte, 2024-04); where an answer lacks it, reconciliation finds
 * it. Of one that came back nothing is said.
 */
const feeOf = ({ fee_charged }: Record<string, unknown>): bigint | null => wholeOf(fee_charged)

/** What banks ask for when they look for a transfer. */
const sessionOf = (data: Record<string, unknown>): string | null =>
  textOf(asObject(data.session)?.id)

function reasonOf({ gateway_response, failures }: Record<string, unknown>): FailureReason {
  const said = `${textOf(gateway_response) ?? ''} ${failures == null ? '' : JSON.stringify(failures)}`
  return failurePatterns.find(([pattern]) => pattern.test(said))?.[1] ?? 'bank_unavailable'
}
