/**
 * Payouts in naira to banks in Nigeria, out of a wallet that the operator keeps at Monnify.
 *
 * The reference is what Monnify takes once, and finds a transfer by. Only what is certain is said
 * to be so.
 */
import { failed, latestOf, obstacleIn, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import type { Refused } from '../http/client.ts'
import { meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import { textOf } from '../http/values.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { block, blockOf } from '../records/blocks.ts'
import { payoutReference } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import type { Failure } from './client.ts'
import { isForMoney, isUnknownReference, transferStates } from './confirmed.ts'
import { payoutRefusals } from './refusals.ts'
import { reasonIn } from './unconfirmed.ts'
import { nairaIn, transferFee, withAmount } from './wallet.ts'

/**
 * How long the same amount is not sent to the same account again: two documented minutes, and a
 * little more.
 */
const sameAgainMs = 125_000

const sentences: Record<Obstacle, string> = {
  balance_too_low: 'the wallet at Monnify holds too little: send money to its account',
  otp_required:
    'Monnify asks for a code at each transfer: have it switched off there, then `bursar rails unblock`',
  not_enabled:
    'Monnify has not enabled transfers, not from this server’s address, or not from this wallet',
  bad_credentials: 'Monnify does not take the keys',
  rate_limited: 'Monnify takes no more requests for a moment',
  provider_down: 'Monnify cannot be reached',
}
const obstruction = (obstacle: Obstacle): Obstruction => ({
  obstacle,
  sentence: sentences[obstacle],
})

/** @param floatMin what is left untouched in the wallet, in kobo */
export function monnifyPayouts(account: Account, balance: Balance<Failure>, floatMin: bigint) {
  const { client, clock, log, wallet } = account
  const nowMs = (): number => clock.now().getTime()
  /** In the way for a while, without a person. */
  const waitsUntil = { not_enabled: 0, balance_too_low: 0 }
  const waitFor = (what: keyof typeof waitsUntil): void => {
    waitsUntil[what] = nowMs() + offerAgainMs[what]
  }

  async function obstacle({ amount }: PayoutOrder): Promise<Obstruction | null> {
    const blocked = await blockOf(account)
    if (blocked) return obstruction(blocked.obstacle)
    if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
    for (const what of ['not_enabled', 'balance_too_low'] as const)
      if (nowMs() < waitsUntil[what]) return obstruction(what)
    const held = await balance.available()
    if ('amount' in held)
      return held.amount < amount + transferFee(amount) + floatMin
        ? obstruction('balance_too_low')
        : null
    return obstruction(
      held.is === 'bad_credentials' || held.is === 'rate_limited' ? held.is : 'provider_down',
    )
  }

  async function send(order: PayoutOrder): Promise<OrderState> {
    const to = order.destination
    if (to.type !== 'ng_bank' || order.currency !== 'ngn') return failed('rejected')
    balance.spend(order.id, order.amount + transferFee(order.amount))
    const answer = await client.ask({
      method: 'POST',
      path: '/api/v2/disbursements/single',
      urgency: 'send',
      latest: latestOf(account, order),
      body: withAmount(order.amount, {
        reference: payoutReference(order),
        narration: 'Payout',
        currency: 'NGN',
        sourceAccountNumber: wallet,
        destinationBankCode: to.bank_code,
        destinationAccountNumber: to.account_number,
        ...(to.account_name === null ? {} : { destinationAccountName: to.account_name }),
      }),
    })
    if (answer.is === 'answered') {
      const said = await stateOf(order, answer.data)
      if (said.state !== 'completed' || textOf(answer.data.transactionReference) !== null)
        return said
      // The answer to the transfer does not name it; its summary does.
      const named = await ask(order)
      return named.state === 'completed' ? named : said
    }
    const certain = obstacleIn(answer)
    if (certain !== null) {
      balance.answered(order.id, false)
      return certain
    }
    return answer.is === 'refused' ? refusalOf(order, answer) : unknown
  }

  async function refusalOf(order: PayoutOrder, answer: Refused): Promise<OrderState> {
    const meaning = meaningOfRefusal(payoutRefusals, answer)
    if (meaning === null) return unlistedRefusal(account, order, answer)
    if (meaning === 'sent_before') {
      const said = await ask(order)
      if (said.state !== 'not_found') return said
      account.report(
        'quarantined',
        order.id,
        'Monnify says that its reference was used before, and knows no transfer of it',
      )
      return unknown
    }
    balance.answered(order.id, false)
    switch (meaning) {
      case 'same_again':
        return refusedNow('rate_limited', sameAgainMs)
      case 'balance_too_low':
        balance.forget()
        return refusedNow('balance_too_low')
      case 'not_enabled':
        waitFor('not_enabled')
        return refusedNow('not_enabled')
      default:
        return failed(meaning)
    }
  }

  async function ask(order: PayoutOrder): Promise<OrderState> {
    const answer = await client.ask({
      method: 'GET',
      path: '/api/v2/disbursements/single/summary',
      urgency: 'ask',
      query: { reference: payoutReference(order) },
    })
    if (answer.is === 'answered') return stateOf(order, answer.data)
    return answer.is === 'refused' && isUnknownReference(answer) ? { state: 'not_found' } : unknown
  }

  /** What Monnify's answer about a transfer says of its order, if it is about that order at all. */
  async function stateOf(order: PayoutOrder, data: Record<string, unknown>): Promise<OrderState> {
    const difference = differenceIn(order, data)
    if (difference !== null) {
      account.report('quarantined', order.id, `a transfer with ${difference}`)
      return unknown
    }
    const named = textOf(data.transactionReference)
    const id = named ?? payoutReference(order)
    const fee = nairaIn(data.totalFee ?? data.fee)
    balance.answered(order.id, true)
    switch (transferStates[String(data.status)]) {
      case 'code':
        await block(account, 'otp_required')
        account.report(
          'otp_required',
          order.id,
          'Monnify waits for the code that it has sent by mail',
        )
        return { state: 'processing', providerReference: named, askAgainInMs: null }
      case 'open':
        return { state: 'processing', providerReference: named, askAgainInMs: null }
      case 'done':
        log.info({ order: order.id, transfer: id }, 'Monnify has paid out')
        return { state: 'completed', providerReference: id, txHash: null, fee }
      case 'back':
        // Of one that had not arrived it is the end; what had arrived has come back. What of the
        // fee came back the statement says.
        return { state: 'returned', reason: reasonIn(data), providerReference: id, fee: null }
      case 'failed':
        if (isForMoney(data)) {
          // It is over for this reference, and none of the merchant's doing: the payout waits for
          // money, and goes out under another one.
          balance.forget()
          waitFor('balance_too_low')
          return { state: 'recalled', attempt: order.attempt }
        }
        return { state: 'failed', reason: reasonIn(data), providerReference: named }
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
    arrivalMs: 300_000,
    orderLifeMs: 600_000,
    referenceOf: async (order: PayoutOrder) => payoutReference(order),
    obstacle,
    send,
    ask,
  }
  return rail satisfies PayoutRail
}

/**
 * What is wrong with an answer: another reference, amount, currency or account than was sent. Null:
 * nothing is.
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
