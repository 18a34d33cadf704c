/**
 * Payouts in naira to banks in Nigeria, out of a wallet that the operator keeps at Monnify.
 *
 * The reference is what Monnify takes once, and finds a transfer by. Only what is certain is said to be so.
 */
import { failed, latestOf, obstacleIn, offerAgainMs, refusedNow, unknown } from '../answers.ts'
import type { Balance } from '../balance.ts'
import { block, blockOf } from '../blocks.ts'
import { payoutReference } from '../provider-orders.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder, PayoutRail } from '../rail.ts'
import { textOf } from '../values.ts'
import type { Account } from './account.ts'
import type { Lack, Refused } from './client.ts'
import {
  isAboutAmount,
  isBalanceTooLow,
  isDuplicateReference,
  isNotEnabled,
  isSameAgain,
  isUnknownAccount,
  isUnknownReference,
  reasonIn,
  sameAgainMs,
  transferStates,
} from './unconfirmed.ts'
import { nairaIn, withAmount } from './wallet.ts'

const sentences: Record<Obstacle, string> = {
  balance_too_low: 'the wallet at Monnify holds too little: send money to its account',
  otp_required: 'Monnify asks for a code at each transfer: have it switched off there, then `bursar rails unblock`',
  not_enabled: 'Monnify has not enabled transfers, or not from this server’s address',
  bad_credentials: 'Monnify does not take the keys',
  rate_limited: 'Monnify takes no more requests for a moment',
  provider_down: 'Monnify cannot be reached',
}
const obstruction = (obstacle: Obstacle): Obstruction => ({ obstacle, sentence: sentences[obstacle] })

/** @param floatMin what is left untouched in the wallet, in kobo */
export function monnifyPayouts(account: Account, balance: Balance<Lack>, floatMin: bigint) {
  const { client, clock, log, wallet } = account
  const nowMs = (): number => clock.now().getTime()
  /** In the way for a while, without a person. */
  let notEnabledUntil = 0

  async function obstacle({ amount }: PayoutOrder): Promise<Obstruction | null> {
    const blocked = await blockOf(account)
    if (blocked) return obstruction(blocked.obstacle)
    if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
    if (nowMs() < notEnabledUntil) return obstruction('not_enabled')
    const held = await balance.available()
    if ('amount' in held) return held.amount < amount + floatMin ? obstruction('balance_too_low') : null
    return obstruction(held.is === 'bad_credentials' || held.is === 'rate_limited' ? held.is : 'provider_down')
  }

  async function send(order: PayoutOrder): Promise<OrderState> {
    const to = order.destination
    if (to.type !== 'ng_bank' || order.currency !== 'ngn') return failed('rejected')
    balance.spend(order.id, order.amount)
    const answer = await client.ask({
      ...({ method: 'POST', path: '/api/v2/disbursements/single', urgency: 'send' } as const),
      latest: latestOf(account, order),
      body: withAmount(order.amount, {
        ...{ reference: payoutReference(order), narration: 'Payout', currency: 'NGN', sourceAccountNumber: wallet },
        ...{ destinationBankCode: to.bank_code, destinationAccountNumber: to.account_number },
        ...(to.account_name === null ? {} : { destinationAccountName: to.account_name }),
      }),
    })
    if (answer.is === 'answered') return stateOf(order, answer.data)
    const certain = obstacleIn(answer)
    if (certain !== null) {
      balance.answered(order.id, false)
      return certain
    }
    return answer.is === 'refused' ? refusalOf(order, answer) : unknown
  }

  async function refusalOf(order: PayoutOrder, answer: Refused): Promise<OrderState> {
    // It is about what was sent before under the same reference.
    if (isDuplicateReference(answer)) {
      const said = await ask(order)
      return said.state === 'not_found' ? unknown : said
    }
    balance.answered(order.id, false)
    if (isSameAgain(answer)) return refusedNow('rate_limited', sameAgainMs)
    if (isBalanceTooLow(answer)) {
      balance.forget()
      return refusedNow('balance_too_low')
    }
    if (isNotEnabled(answer)) {
      notEnabledUntil = nowMs() + offerAgainMs.not_enabled
      return refusedNow('not_enabled')
    }
    if (isAboutAmount(answer)) return failed('limit_exceeded')
    return failed(isUnknownAccount(answer) ? 'invalid_account' : 'rejected')
  }

  async function ask(order: PayoutOrder): Promise<OrderState> {
    const answer = await client.ask({
      ...({ method: 'GET', path: '/api/v2/disbursements/single/summary', urgency: 'ask' } as const),
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
    const id = textOf(data.transactionReference) ?? payoutReference(order)
    const fee = nairaIn(data.totalFee ?? data.fee)
    balance.answered(order.id, true)
    switch (transferStates[String(data.status)]) {
      case 'code':
        await block(account, 'otp_required')
        account.report('otp_required', order.id, 'Monnify waits for the code that it has sent by mail')
        return { state: 'processing', providerReference: id, askAgainInMs: null }
      case 'open':
        return { state: 'processing', providerReference: id, askAgainInMs: null }
      case 'done':
        log.info({ order: order.id, transfer: id }, 'Monnify has paid out')
        return { state: 'completed', providerReference: id, txHash: null, fee }
      case 'back':
        // Of one that had not arrived it is the end; what had arrived has come back. What of the fee came back the statement says.
        return { state: 'returned', reason: reasonIn(data), providerReference: id, fee: null }
      case 'failed':
        return { state: 'failed', reason: reasonIn(data), providerReference: id }
      default:
        account.report('quarantined', order.id, 'a transfer in a state that this version does not know')
        return unknown
    }
  }

  const rail = {
    ...{ name: account.name, holdMs: 0, arrivalMs: 300_000, orderLifeMs: 600_000 },
    referenceOf: async (order: PayoutOrder) => payoutReference(order),
    ...{ obstacle, send, ask },
  }
  return rail satisfies PayoutRail
}

/** What is wrong with an answer: another reference, amount, currency or account than was sent. Null: nothing is. */
function differenceIn(order: PayoutOrder, data: Record<string, unknown>): string | null {
  const to = order.destination
  if (to.type !== 'ng_bank') return 'another way'
  if (data.reference !== payoutReference(order)) return 'another reference'
  if (nairaIn(data.amount) !== order.amount) return 'another amount'
  if (data.currency !== undefined && data.currency !== 'NGN') return 'another currency'
  if (data.destinationAccountNumber !== to.account_number) return 'another account'
  return data.destinationBankCode === to.bank_code ? null : 'another bank'
}
