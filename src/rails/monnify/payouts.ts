/**
 * Naira payouts to banks in Nigeria from the operator's wallet at Monnify. Monnify accepts a
 * reference once, and finds the transfer by it.
 */
import { failed, latestOf, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import type { Refused } from '../http/client.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import { textOf } from '../http/values.ts'
import type { Obstruction, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { blockAccount, blockOf } from '../records/blocks.ts'
import {
  findObstruction,
  obstructionsOf,
  type PayoutParts,
  payoutTerms,
  stateUnanswered,
} from '../records/payouts.ts'
import { payoutReference } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import { isForMoney, isUnknownReference, transferStates } from './confirmed.ts'
import { payoutRefusals } from './refusals.ts'
import { reasonIn } from './unconfirmed.ts'
import { nairaIn, transferFee, withAmount } from './wallet.ts'

type PayoutAccount = Account & PayoutParts

/**
 * How long the same amount is not sent to the same account again: the documented two minutes, plus
 * a margin.
 */
const sameAgainMs = 125_000

const obstruction = obstructionsOf({
  balance_too_low: 'the wallet at Monnify holds too little: send money to its account',
  otp_required:
    'Monnify asks for a code at each transfer: have it switched off there, then `bursar rails unblock`',
  not_enabled:
    'Monnify has not enabled transfers, not from this server’s address, or not from this wallet',
  bad_credentials: 'Monnify does not take the keys',
  rate_limited: 'Monnify takes no more requests for a moment',
  provider_down: 'Monnify cannot be reached',
})

/** @param floatMin the amount that stays in the wallet, in kobo */
export function monnifyPayouts(of: Account, balance: Balance, floatMin: bigint) {
  const account: PayoutAccount = { ...of, balance, floatMin, pauses: openPauses(of.clock) }
  return {
    ...payoutTerms(account),
    arrivalMs: 300_000,
    obstacle: (order: PayoutOrder) => obstacle(account, order),
    send: (order: PayoutOrder) => send(account, order),
    ask: (order: PayoutOrder) => ask(account, order),
  } satisfies PayoutRail
}

const pausing = ['not_enabled', 'balance_too_low'] as const

/** Pauses all orders. Each obstacle ends on its own. */
function pause({ pauses }: PayoutAccount, obstacle: (typeof pausing)[number]): void {
  pauses.pause(obstacle, obstruction(obstacle), offerAgainMs[obstacle])
}

async function obstacle(
  account: PayoutAccount,
  { amount }: PayoutOrder,
): Promise<Obstruction | null> {
  const blocked = await blockOf(account)
  if (blocked) return obstruction(blocked.obstacle)
  const [paused = null] = pausing.map(account.pauses.find).filter((one) => one !== null)
  return findObstruction(account, { needed: amount + transferFee(amount), paused, obstruction })
}

async function send(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const to = order.destination
  if (to.type !== 'ng_bank' || order.currency !== 'ngn') return failed('rejected')
  account.balance.spend(order.id, order.amount + transferFee(order.amount))
  const answer = await account.client.ask({
    method: 'POST',
    path: '/api/v2/disbursements/single',
    urgency: 'send',
    latest: latestOf(account, order),
    body: withAmount(order.amount, {
      reference: payoutReference(order),
      narration: 'Payout',
      currency: 'NGN',
      sourceAccountNumber: account.wallet,
      destinationBankCode: to.bank_code,
      destinationAccountNumber: to.account_number,
      ...(to.account_name === null ? {} : { destinationAccountName: to.account_name }),
    }),
  })
  if (answer.is === 'answered') {
    const said = await stateOf(account, order, answer.data)
    if (said.state !== 'completed' || textOf(answer.data.transactionReference) !== null) return said
    // The answer to the transfer lacks its reference; its summary has it.
    const named = await ask(account, order)
    return named.state === 'completed' ? named : said
  }
  return answer.is === 'refused'
    ? stateRefused(account, order, answer)
    : stateUnanswered(account, order, answer)
}

async function stateRefused(
  account: PayoutAccount,
  order: PayoutOrder,
  refusal: Refused,
): Promise<OrderState> {
  const meaning = meaningOfRefusal(payoutRefusals, refusal)
  if (meaning === null) return unlistedRefusal(account, order, refusal)
  if (meaning === 'sent_before') {
    const said = await ask(account, order)
    if (said.state !== 'not_found') return said
    return quarantine(
      account,
      order,
      'Monnify says that its reference was used before, and knows no transfer of it',
    )
  }
  account.balance.answered(order.id, false)
  switch (meaning) {
    case 'same_again':
      return refusedNow('rate_limited', sameAgainMs)
    case 'balance_too_low':
      account.balance.forget()
      return refusedNow('balance_too_low')
    case 'not_enabled':
      pause(account, 'not_enabled')
      return refusedNow('not_enabled')
    default:
      return failed(meaning)
  }
}

async function ask(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/api/v2/disbursements/single/summary',
    urgency: 'ask',
    query: { reference: payoutReference(order) },
  })
  if (answer.is === 'answered') return stateOf(account, order, answer.data)
  return answer.is === 'refused' && isUnknownReference(answer) ? { state: 'not_found' } : unknown
}

/**
 * Returns an order's state from Monnify's answer about its transfer, if the answer is about that
 * order at all.
 */
async function stateOf(
  account: PayoutAccount,
  order: PayoutOrder,
  data: Record<string, unknown>,
): Promise<OrderState> {
  const difference = differenceIn(order, data)
  if (difference !== null) return quarantine(account, order, `a transfer with ${difference}`)
  const named = textOf(data.transactionReference)
  const id = named ?? payoutReference(order)
  const fee = nairaIn(data.totalFee ?? data.fee)
  account.balance.answered(order.id, true)
  switch (transferStates[String(data.status)]) {
    case 'code':
      await blockAccount(account, 'otp_required')
      account.report(
        'otp_required',
        order.id,
        'Monnify waits for the code that it has sent by mail',
      )
      return { state: 'processing', providerReference: named, askAgainInMs: null }
    case 'open':
      return { state: 'processing', providerReference: named, askAgainInMs: null }
    case 'done':
      account.log.info({ order: order.id, transfer: id }, 'Monnify has paid out')
      return { state: 'completed', providerReference: id, txHash: null, fee }
    case 'back':
      // A transfer that had not arrived has ended; one that had arrived was returned. The statement
      // shows the returned fee.
      return { state: 'returned', reason: reasonIn(data), providerReference: id, fee: null }
    case 'failed':
      if (isForMoney(data)) {
        // This reference has failed, but not by the merchant's fault: the payout waits for money
        // and is sent under another one.
        account.balance.forget()
        pause(account, 'balance_too_low')
        return { state: 'recalled', attempt: order.attempt }
      }
      return { state: 'failed', reason: reasonIn(data), providerReference: named }
    default:
      return quarantine(account, order, 'a transfer in a state that this version does not know')
  }
}

/**
 * Returns how an answer differs from the order: in reference, amount, currency or account; null if
 * it does not.
 */
function differenceIn(order: PayoutOrder, data: Record<string, unknown>): string | null {
  const to = order.destination
  if (to.type !== 'ng_bank') return 'another way'
  if (data.reference !== payoutReference(order)) return 'another reference'
  if (nairaIn(data.amount) !== order.amount) return 'another amount'
  if (data.currency !== undefined && data.currency !== 'NGN') return 'another currency'
  if (data.destinationAccountNumber !== to.account_number) return 'another account'
  return data.destinationBankCode === to.bank_code ? null : 'another bank'
}
