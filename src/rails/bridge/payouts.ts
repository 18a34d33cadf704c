/**
 * Payouts in dollars to banks in the United States, out of a wallet of tokens that the operator
 * keeps at Bridge.
 *
 * The reference is the key of idempotency, for a day; and Bridge's transfers carry it, so that one
 * whose answer was lost is found. Only what is certain is said to be so.
 */
import { later } from '../../lib/clock.ts'
import { majorOf } from '../../lib/money.ts'
import { failed, latestOf, obstacleIn, offerAgainMs, refusedNow, unknown } from '../http/answers.ts'
import { codeToShow } from '../http/masking.ts'
import { openPauses } from '../http/pauses.ts'
import { meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import type { Balance } from '../records/balance.ts'
import { keepOrder, madeAt, payoutReference } from '../records/provider-orders.ts'
import { dropRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import type { Failure } from './client.ts'
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

/**
 * How long making an external account may take, so that a transfer still has its time within the
 * deadline of a rail.
 */
const recipientMs = 4_000

/** Clocks of two companies may differ by so much. */
const clocksDifferMs = 3_600_000

/**
 * About how long until the money is there, by how it is sent: documented as hours for wires, and
 * days for ACH.
 */
const arrivalMs = { ach: 2 * 86_400_000, ach_same_day: 86_400_000, wire: 86_400_000 } as const

const sentences: Record<Exclude<Obstacle, 'otp_required'>, string> = {
  balance_too_low: 'the wallet at Bridge holds too little: send tokens to its address',
  not_enabled: 'Bridge has not enabled this way of paying for this customer',
  bad_credentials: 'Bridge does not take the key',
  rate_limited: 'Bridge takes no more requests for a moment',
  provider_down: 'Bridge cannot be reached',
}
const obstruction = (obstacle: keyof typeof sentences): Obstruction => ({
  obstacle,
  sentence: sentences[obstacle],
})

/**
 * How long Bridge is not asked for an order that is beyond a limit, or whose payee it does not
 * take.
 */
const pausedMs = 600_000
/**
 * How soon an order is offered again that Bridge is not asked for meanwhile: another account may
 * take it.
 */
const elsewhereMs = 15_000

/** @param floatMin what is left untouched in the wallet, in cents */
export function bridgePayouts(account: Account, balance: Balance<Failure>, floatMin: bigint) {
  const { client, clock, log } = account
  /** Orders by their ids: what is in the way of one says nothing of another to the same payee. */
  const pauses = openPauses(clock)

  async function obstacle({ id, amount }: PayoutOrder): Promise<Obstruction | null> {
    if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
    const paused = pauses.find(id)
    if (paused !== null) return paused
    const held = await balance.available()
    if ('amount' in held)
      return held.amount < amount + floatMin ? obstruction('balance_too_low') : null
    return obstruction(
      held.is === 'bad_credentials' || held.is === 'rate_limited' ? held.is : 'provider_down',
    )
  }

  async function send(order: PayoutOrder): Promise<OrderState> {
    const to = order.destination
    if (to.type !== 'us_bank' || order.currency !== 'usd') return failed('rejected')
    const address = addressOf(to.holder_address)
    // Bridge makes no external account without one.
    if (address === null) return failed('rejected')
    return transfer(order, to, address)
  }

  async function transfer(
    order: PayoutOrder,
    to: AmericanAccount,
    address: Record<string, string>,
  ): Promise<OrderState> {
    const startedAt = performance.now()
    const known = await externalAccountOf(
      account,
      to,
      address,
      order.attempt > 1 ? payoutReference(order) : null,
    )
    if (!('externalAccount' in known)) {
      // An external account is no money: whether it was made or not, nothing of the order was sent.
      if (known.is === 'no_address') return failed('rejected')
      if (known.is !== 'refused') return obstacleIn(known) ?? refusedNow('provider_down')
      const means = meaningOfRefusal(recipientRefusals, known)
      if (means !== null) return stateAfter(means, order)
      unlistedRefusal(account, order, known)
      return pauseOne(order, 'provider_down', 'Bridge does not take this payee')
    }
    // It is kept now, so the next try has its whole time for the transfer.
    if (performance.now() - startedAt > recipientMs) return refusedNow('provider_down', 1_000)
    balance.spend(order.id, order.amount)
    const reference = payoutReference(order)
    const answer = await client.ask({
      method: 'POST',
      path: '/transfers',
      urgency: 'send',
      latest: latestOf(account, order),
      key: reference,
      body: {
        client_reference_id: reference,
        amount: majorOf(order.amount),
        on_behalf_of: account.customer,
        source: {
          payment_rail: 'bridge_wallet',
          currency: account.token,
          bridge_wallet_id: account.wallet,
        },
        destination: {
          payment_rail: account.paymentRail,
          currency: 'usd',
          external_account_id: known.externalAccount,
        },
      },
    })
    const certain = obstacleIn(answer)
    if (certain !== null) {
      balance.answered(order.id, false)
      return certain
    }
    if (answer.is === 'answered') return stateOf(order, answer.data, known.externalAccount)
    if (answer.is !== 'refused') return unknown
    // Something was taken under the key before, and Bridge does not say again what it said then.
    if (isSpentKey(answer)) {
      const said = await ask(order)
      if (said.state !== 'not_found') return said
      const sentence = `Bridge says that its key was used before, and lists no transfer: ${codeToShow(answer.code)}`
      account.report('quarantined', order.id, sentence)
      return unknown
    }
    const means = meaningOfRefusal(payoutRefusals, answer)
    if (means === null) return unlistedRefusal(account, order, answer)
    balance.answered(order.id, false)
    if (means === 'no_address')
      account.report(
        'needs_attention',
        order.id,
        'Bridge lacks a valid address of the holder: correct it there',
      )
    if (means !== 'account_gone') return stateAfter(means, order)
    await dropRecipient(account, keyOf(to), known.externalAccount)
    // Under the same reference Bridge takes no other body: with an account made anew it is another
    // submission.
    return known.isNew ? failed('invalid_account') : refusedNow('provider_down', 1_000)
  }

  /** What a certain refusal makes of an order. */
  function stateAfter(
    means: Exclude<PayoutRefusal, 'account_gone'> | RecipientRefusal,
    order: PayoutOrder,
  ): OrderState {
    switch (means) {
      case 'balance_too_low':
        balance.forget()
        return refusedNow('balance_too_low')
      case 'account_not_enabled':
        pauses.pause(null, obstruction('not_enabled'), offerAgainMs.not_enabled)
        return refusedNow('not_enabled', elsewhereMs)
      case 'not_enabled_for_payee':
        return pauseOne(order, 'not_enabled', 'Bridge does not pay to this payee')
      case 'limit':
        return pauseOne(order, 'rate_limited', 'it is beyond the limits at Bridge')
      case 'no_address':
        return failed('rejected')
      default:
        return failed(means)
    }
  }

  /** Has one order wait, and no other. */
  function pauseOne(
    { id }: PayoutOrder,
    obstacle: keyof typeof sentences,
    sentence: string,
  ): OrderState {
    pauses.pause(id, { obstacle, sentence }, pausedMs)
    return refusedNow(obstacle, elsewhereMs)
  }

  async function ask(order: PayoutOrder): Promise<OrderState> {
    const found = await transferOf(
      account,
      payoutReference(order),
      later(madeAt(order.id), -clocksDifferMs),
    )
    if (found === null) return { state: 'not_found' }
    return found === 'unknown' ? unknown : stateOf(order, found, null)
  }

  /**
   * What Bridge's answer about a transfer says of its order, if it is about that order at all.
   * @param externalAccount where it was sent to; null: it is not known now
   */
  async function stateOf(
    order: PayoutOrder,
    data: Transfer,
    externalAccount: string | null,
  ): Promise<OrderState> {
    const difference = differenceIn(account, order, data, externalAccount)
    const id = textOf(data.id)
    if (difference !== null || id === null) {
      account.report('quarantined', order.id, `a transfer with ${difference ?? 'no id'}`)
      return unknown
    }
    await keepOrder(account, payoutReference(order), id)
    balance.answered(order.id, true)
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
        lookAtReceipt(order, data)
        log.info({ order: order.id, transfer: id }, 'Bridge has paid out')
        return { state: 'completed', providerReference: id, txHash: null, fee: 0n }
      case 'back':
        // Of one that had not arrived it is the end; what had arrived has come back.
        return { state: 'returned', reason: reasonIn(data), providerReference: id, fee: 0n }
      case 'failed': {
        const reason = data.state === 'undeliverable' ? 'invalid_account' : 'rejected'
        return { state: 'failed', reason, providerReference: id }
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

  /**
   * Less arrived than was sent where Bridge takes its fee of it: what the merchant was told is not
   * so, and only the operator can change that.
   */
  function lookAtReceipt(order: PayoutOrder, data: Transfer): void {
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

  const rail = {
    name: account.name,
    holdMs: 0,
    arrivalMs: arrivalMs[account.paymentRail],
    orderLifeMs: 600_000,
    referenceOf: async (order: PayoutOrder) => payoutReference(order),
    obstacle,
    send,
    ask,
  }
  return rail satisfies PayoutRail
}

/**
 * What is wrong with an answer: another reference, amount, currency, wallet or account than was
 * sent. Null: nothing is.
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
