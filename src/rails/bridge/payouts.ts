/**
 * Dollar payouts to banks in the United States from the operator's token wallet at Bridge. The
 * reference is the idempotency key for a day and is in Bridge's transfers, so that one with a lost
 * answer is found.
 */
import { later } from '../../lib/clock.ts'
import { majorOf } from '../../lib/money.ts'
import { failed, latestOf, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import { codeToShow } from '../http/masking.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Obstacle, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
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
import { keepOrder, madeAt, payoutReference } from '../records/provider-orders.ts'
import { dropRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import type { Answer, Failure, Refused } from './client.ts'
import { type AmericanAccount, addressOf, externalAccountOf, keyOf } from './recipients.ts'
import {
  isSpentKey,
  type PayoutRefusal,
  payoutRefusals,
  type RecipientRefusal,
  recipientRefusals,
} from './refusals.ts'
import { type Transfer, transferOf } from './transfers.ts'
import { reasonIn, transferStates } from './unconfirmed.ts'
import { dollarsIn } from './wallet.ts'

/** Pauses are per order, because an obstacle of one does not affect others to the same payee. */
type PayoutAccount = Account & PayoutParts

/** The largest clock difference between Bridge and us. */
const clocksDifferMs = 3_600_000

/** The approximate arrival time by method: documented as hours for wires, and days for ACH. */
const arrivalMs = { ach: 2 * 86_400_000, ach_same_day: 86_400_000, wire: 86_400_000 } as const

const obstruction = obstructionsOf({
  balance_too_low: 'the wallet at Bridge holds too little: send tokens to its address',
  not_enabled: 'Bridge has not enabled this way of paying for this customer',
  bad_credentials: 'Bridge does not take the key',
  rate_limited: 'Bridge takes no more requests for a moment',
  provider_down: 'Bridge cannot be reached',
})

/** How long an order is paused that is above a limit, or whose payee Bridge rejects. */
const pausedMs = 600_000
/** @param floatMin the amount that stays in the wallet, in cents */
export function bridgePayouts(of: Account, balance: Balance, floatMin: bigint) {
  const account: PayoutAccount = { ...of, balance, floatMin, pauses: openPauses(of.clock) }
  return {
    ...payoutTerms(account),
    arrivalMs: arrivalMs[account.paymentRail],
    obstacle: ({ id, amount }: PayoutOrder) =>
      findObstruction(account, { needed: amount, paused: account.pauses.find(id), obstruction }),
    send: (order: PayoutOrder) => send(account, order),
    ask: (order: PayoutOrder) => ask(account, order),
  } satisfies PayoutRail
}

async function send(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const to = order.destination
  if (to.type !== 'us_bank' || order.currency !== 'usd') return failed('rejected')
  const address = addressOf(to.holder_address)
  // Bridge creates no external account without an address.
  if (address === null) return failed('rejected')
  const startedAt = performance.now()
  const instead = order.attempt > 1 ? payoutReference(order) : null
  const known = await externalAccountOf(account, to, address, instead)
  if (!('externalAccount' in known)) return withoutExternalAccount(account, order, known)
  if (performance.now() - startedAt > recipientMs) return recipientTooSlow
  account.balance.spend(order.id, order.amount)
  const answer = await requestTransfer(account, order, known.externalAccount)
  if (answer.is === 'answered') return stateOf(account, order, answer.data, known.externalAccount)
  if (answer.is !== 'refused') return stateUnanswered(account, order, answer)
  return stateRefused(account, order, { refusal: answer, to, ...known })
}

/** Returns the state of an order whose external account Bridge did not create. */
function withoutExternalAccount(
  account: PayoutAccount,
  order: PayoutOrder,
  failure: Failure | { is: 'no_address' } | { is: 'other_account' },
): OrderState {
  if (failure.is === 'no_address') return failed('rejected')
  if (failure.is === 'other_account') {
    const sentence =
      'Bridge says that the external account is there already, and names another account'
    account.report('quarantined', order.id, sentence)
    return pauseOne(account, order, 'provider_down', 'Bridge names another account for this payee')
  }
  if (failure.is !== 'refused') return recipientUnanswered(failure)
  const meaning = meaningOfRefusal(recipientRefusals, failure)
  if (meaning !== null) return stateAfter(account, meaning, order)
  unlistedRefusal(account, order, failure)
  return pauseOne(account, order, 'provider_down', 'Bridge does not take this payee')
}

function requestTransfer(
  { client, livemode, customer, token, wallet, paymentRail }: PayoutAccount,
  order: PayoutOrder,
  externalAccount: string,
): Promise<Answer> {
  const reference = payoutReference(order)
  return client.ask({
    method: 'POST',
    path: '/transfers',
    urgency: 'send',
    latest: latestOf({ livemode }, order),
    key: reference,
    body: {
      client_reference_id: reference,
      amount: majorOf(order.amount),
      on_behalf_of: customer,
      source: { payment_rail: 'bridge_wallet', currency: token, bridge_wallet_id: wallet },
      destination: {
        payment_rail: paymentRail,
        currency: 'usd',
        external_account_id: externalAccount,
      },
    },
  })
}

type RefusedTransfer = {
  refusal: Refused
  to: AmericanAccount
  externalAccount: string
  isNew: boolean
}

async function stateRefused(
  account: PayoutAccount,
  order: PayoutOrder,
  { refusal, to, externalAccount, isNew }: RefusedTransfer,
): Promise<OrderState> {
  // An earlier try was accepted under the key, and Bridge does not repeat its first answer.
  if (isSpentKey(refusal)) {
    const state = await ask(account, order)
    if (state.state !== 'not_found') return state
    const sentence = `Bridge says that its key was used before, and lists no transfer: ${codeToShow(refusal.code)}`
    return quarantine(account, order, sentence)
  }
  const meaning = meaningOfRefusal(payoutRefusals, refusal)
  if (meaning === null) return unlistedRefusal(account, order, refusal)
  account.balance.answered(order.id, false)
  if (meaning === 'no_address')
    account.report(
      'needs_attention',
      order.id,
      'Bridge lacks a valid address of the holder: correct it there',
    )
  if (meaning !== 'account_gone') return stateAfter(account, meaning, order)
  await dropRecipient(account, keyOf(to), externalAccount)
  // Under the same reference Bridge accepts no other body: with a new account it is another
  // submission.
  return isNew ? failed('invalid_account') : recipientTooSlow
}

/** Returns the state of an order after a certain refusal. */
function stateAfter(
  account: PayoutAccount,
  meaning: Exclude<PayoutRefusal, 'account_gone'> | RecipientRefusal,
  order: PayoutOrder,
): OrderState {
  switch (meaning) {
    case 'balance_too_low':
      account.balance.forget()
      return refusedNow('balance_too_low')
    case 'account_not_enabled':
      account.pauses.pause(null, obstruction('not_enabled'), offerAgainMs.not_enabled)
      return refusedNow('not_enabled', elsewhereMs)
    case 'not_enabled_for_payee':
      return pauseOne(account, order, 'not_enabled', 'Bridge does not pay to this payee')
    case 'limit':
      return pauseOne(account, order, 'rate_limited', 'it is beyond the limits at Bridge')
    case 'no_address':
      return failed('rejected')
    default:
      return failed(meaning)
  }
}

/** Pauses one order. */
function pauseOne(
  account: PayoutAccount,
  { id }: PayoutOrder,
  obstacle: Obstacle,
  sentence: string,
): OrderState {
  account.pauses.pause(id, { obstacle, sentence }, pausedMs)
  return refusedNow(obstacle, elsewhereMs)
}

async function ask(account: PayoutAccount, order: PayoutOrder): Promise<OrderState> {
  const found = await transferOf(
    account,
    payoutReference(order),
    later(madeAt(order.id), -clocksDifferMs),
  )
  if (found === null) return { state: 'not_found' }
  return found === 'unknown' ? unknown : stateOf(account, order, found, null)
}

/**
 * Returns an order's state from Bridge's answer about its transfer, if the answer is about that
 * order at all.
 * @param externalAccount the transfer's destination; null: not known now
 */
async function stateOf(
  account: PayoutAccount,
  order: PayoutOrder,
  data: Transfer,
  externalAccount: string | null,
): Promise<OrderState> {
  const difference = differenceIn(account, order, data, externalAccount)
  const id = textOf(data.id)
  if (difference !== null || id === null)
    return quarantine(account, order, `a transfer with ${difference ?? 'no id'}`)
  await keepOrder(account, payoutReference(order), id)
  account.balance.answered(order.id, true)
  switch (transferStates[String(data.state)]) {
    case 'stopped':
      account.report(
        'needs_attention',
        order.id,
        'Bridge has stopped a transfer: ask its staff what becomes of it',
      )
      return { state: 'processing', providerReference: id, askAgainInMs: null }
    case 'open':
      return { state: 'processing', providerReference: id, askAgainInMs: null }
    case 'done':
      reportShortReceipt(account, order, data)
      account.log.info({ order: order.id, transfer: id }, 'Bridge has paid out')
      return { state: 'completed', providerReference: id, txHash: null, fee: 0n }
    case 'back':
      // A transfer that had not arrived has ended; one that had arrived was returned.
      return { state: 'returned', reason: reasonIn(data), providerReference: id, fee: 0n }
    case 'failed': {
      const reason = data.state === 'undeliverable' ? 'invalid_account' : 'rejected'
      return { state: 'failed', reason, providerReference: id }
    }
    default:
      return quarantine(account, order, 'a transfer in a state that this version does not know')
  }
}

/**
 * Reports that less arrived than was sent, when Bridge deducts its fee. The merchant's amounts are
 * then wrong, and only the operator can change that.
 */
function reportShortReceipt(account: PayoutAccount, order: PayoutOrder, data: Transfer): void {
  const receipt = asObject(data.receipt)
  if (
    receipt === null ||
    receipt.final_amount === undefined ||
    dollarsIn(receipt.final_amount) === order.amount
  )
    return
  account.report(
    'needs_attention',
    order.id,
    'Bridge took its fee out of what arrived: have its fees billed apart',
  )
}

/**
 * Returns how an answer differs from the order: in reference, amount, currency, wallet or account;
 * null if it does not.
 */
function differenceIn(
  { customer, wallet, token }: Account,
  order: PayoutOrder,
  data: Transfer,
  externalAccount: string | null,
): string | null {
  const [source, destination] = [asObject(data.source), asObject(data.destination)]
  if (data.client_reference_id !== payoutReference(order)) return 'another reference'
  if (dollarsIn(data.amount) !== order.amount) return 'another amount'
  if (source?.currency !== token || destination?.currency !== 'usd') return 'another currency'
  if (data.on_behalf_of !== customer || source.bridge_wallet_id !== wallet) return 'another wallet'
  if (externalAccount !== null && destination.external_account_id !== externalAccount)
    return 'another account'
  return null
}
