/**
 * Payouts to Nigerian banks by Paystack's transfers, from the operator's balance there. The
 * reference is Paystack's only idempotency: a used one is refused, and the transfer is then
 * queried.
 */
import { failed, latestOf, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import type { Failure, Refused } from '../http/client.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import type {
  FailureReason,
  Obstruction,
  OrderState,
  PayoutOrder,
  PayoutRail,
} from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { blockAccount, blockOf } from '../records/blocks.ts'
import {
  findObstruction,
  obstructionsOf,
  type PayoutParts,
  payoutTerms,
  recipientMs,
  recipientTooSlow,
  recipientUnanswered,
  stateUnanswered,
} from '../records/payouts.ts'
import { payoutReference } from '../records/provider-orders.ts'
import { type Account, differenceIn } from './account.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import { forgetRecipient, type NigerianAccount, recipientOf } from './recipients.ts'
import { isDuplicate, isUnknownTransfer, payoutRefusals, recipientRefusals } from './refusals.ts'
import { failurePatterns, mostTransferFee } from './unconfirmed.ts'

type PayoutAccount = Account & PayoutParts

const obstruction = obstructionsOf({
  balance_too_low: 'the balance at Paystack is too low',
  otp_required:
    'Paystack asks for a code at each transfer: switch that off at Paystack, then `bursar rails unblock`',
  not_enabled: 'Paystack has not enabled transfers to others for this business',
  bad_credentials: 'Paystack does not take the key',
  rate_limited: 'Paystack takes no more requests for a moment',
  provider_down: 'Paystack cannot be reached',
})

/** @param floatMin the amount that stays at Paystack, in kobo */
export function paystackPayouts(of: Account, balance: Balance, floatMin: bigint) {
  const account: PayoutAccount = { ...of, balance, floatMin, pauses: openPauses(of.clock) }
  return {
    ...payoutTerms(account),
    arrivalMs: 60_000,
    obstacle: (order: PayoutOrder) => obstacle(account, order),
    send: (order: PayoutOrder) => send(account, order),
    ask: (order: PayoutOrder) => ask(account, order),
  } satisfies PayoutRail
}

async function obstacle(
  account: PayoutAccount,
  { id, amount }: PayoutOrder,
): Promise<Obstruction | null> {
  const blocked = await blockOf(account)
  if (blocked) return obstruction(blocked.obstacle)
  const paused = account.pauses.find(id)
  return findObstruction(account, { needed: amount + mostTransferFee, paused, obstruction })
}

async function send(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const to = order.destination
  if (to.type !== 'ng_bank' || order.currency !== 'ngn') return failed('rejected')
  const startedAt = performance.now()
  const first = await transfer(account, order, to, startedAt)
  if (first !== 'no recipient') return first
  const again = await transfer(account, order, to, startedAt)
  return again === 'no recipient' ? failed('invalid_account') : again
}

async function transfer(
  account: PayoutAccount,
  order: PayoutOrder,
  to: NigerianAccount,
  startedAt: number,
): Promise<OrderState | 'no recipient'> {
  const known = await recipientOf(account, to)
  if (!('recipient' in known)) return withoutRecipient(account, known)
  if (performance.now() - startedAt > recipientMs) return recipientTooSlow
  account.balance.spend(order.id, order.amount + mostTransferFee)
  const answer = await account.client.ask({
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
  if (answer.is === 'answered') return stateOf(account, order, answer.data)
  if (answer.is !== 'refused') return stateUnanswered(account, order, answer)
  const state = await stateRefused(account, order, answer)
  if (state === 'no recipient') await forgetRecipient(account, to, known.recipient)
  return state
}

/** Returns the state of an order whose recipient Paystack did not create. */
function withoutRecipient(account: PayoutAccount, failure: Failure): OrderState {
  if (failure.is !== 'refused') return recipientUnanswered(failure)
  if (meaningOfRefusal(recipientRefusals, failure) !== null) return failed('invalid_account')
  unlistedRefusal(account, { id: 'POST /transferrecipient' }, failure)
  return refusedNow('provider_down', offerAgainMs.not_enabled)
}

async function stateRefused(
  account: PayoutAccount,
  order: PayoutOrder,
  refusal: Refused,
): Promise<OrderState | 'no recipient'> {
  // An earlier try was accepted, and Paystack does not repeat its first answer.
  if (isDuplicate(refusal)) {
    const state = await ask(account, order)
    return state.state === 'not_found' ? unknown : state
  }
  const meaning = meaningOfRefusal(payoutRefusals, refusal)
  if (meaning === null) return unlistedRefusal(account, order, refusal)
  account.balance.answered(order.id, false)
  switch (meaning) {
    case 'no_recipient':
      return 'no recipient'
    case 'balance_too_low':
      account.balance.forget()
      return refusedNow(meaning)
    case 'not_enabled':
      account.pauses.pause(null, obstruction(meaning), offerAgainMs[meaning])
      return refusedNow(meaning)
  }
}

async function ask(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/transfer/verify/{reference}',
    urgency: 'ask',
    params: { reference: payoutReference(order) },
  })
  if (answer.is === 'answered') return stateOf(account, order, answer.data)
  if (answer.is === 'refused' && isUnknownTransfer(answer)) return { state: 'not_found' }
  return answer.is === 'rate_limited' ? refusedNow('rate_limited', answer.againInMs) : unknown
}

/**
 * Returns an order's state from Paystack's answer about its transfer, if the answer is about that
 * order at all.
 */
async function stateOf(
  account: PayoutAccount,
  order: PayoutOrder,
  answered: unknown,
): Promise<OrderState> {
  const reference = payoutReference(order)
  const data = asObject(answered) ?? {}
  const difference =
    differenceIn(account, data, { reference, amount: order.amount }) ?? otherAccount(order, data)
  if (difference !== null) return quarantine(account, order, `a transfer with ${difference}`)
  account.balance.answered(order.id, true)
  const providerReference = textOf(data.transfer_code)
  switch (data.status) {
    case 'success':
      if (providerReference === null) return unknown
      account.log.info(
        { order: order.id, transfer: providerReference, session: sessionOf(data) },
        'Paystack has paid out',
      )
      return { state: 'completed', providerReference, txHash: null, fee: feeOf(data) }
    case 'pending':
    case 'received':
      return { state: 'processing', providerReference, askAgainInMs: null }
    case 'otp':
      await blockAccount(account, 'otp_required')
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
      // A transfer that had not arrived has ended; one that had arrived was returned.
      return {
        state: 'returned',
        reason: 'bank_unavailable',
        providerReference: providerReference ?? reference,
      }
    default:
      return quarantine(account, order, 'a transfer in a state that this version does not know')
  }
}

/** `verify` names the recipient; the answer to the transfer itself does not. */
function otherAccount({ destination }: PayoutOrder, data: Record<string, unknown>): string | null {
  const details = asObject(asObject(data.recipient)?.details)
  if (details === null || destination.type !== 'ng_bank') return null
  return details.account_number === destination.account_number ? null : 'another account'
}

/**
 * The fee: 0 with a test key (airbytehq/airbyte, 2024-04). If an answer lacks it, reconciliation
 * finds it. Returned transfers have none.
 */
const feeOf = ({ fee_charged }: Record<string, unknown>): bigint | null => wholeOf(fee_charged)

/** The session id, by which banks find a transfer. */
const sessionOf = (data: Record<string, unknown>): string | null =>
  textOf(asObject(data.session)?.id)

function reasonOf({ gateway_response, failures }: Record<string, unknown>): FailureReason {
  const said = `${textOf(gateway_response) ?? ''} ${failures == null ? '' : JSON.stringify(failures)}`
  return failurePatterns.find(([pattern]) => pattern.test(said))?.[1] ?? 'bank_unavailable'
}
