/**
 * Outcomes for test mode: a payer who pays as payers do.
 */

import type { Source } from '../../books/transactions/transactions.ts'
import { bookDeposit, bookTokensOnce } from '../../collecting/deposits/deposits.ts'
import type { Payment, PaymentMethod, TokenChoice } from '../../collecting/payments/payments.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { OpenedAccount } from '../../collecting/virtual-accounts/virtual-accounts.ts'
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'
import { Named } from '../../lib/schema.ts'
import { refuse } from './refusals.ts'

export const outcomes = Named('SimulatedPaymentOutcome', [
  'completed',
  'underpaid',
  'overpaid',
  'failed',
  'expired',
])
export type SimulatedOutcome = (typeof outcomes)[number]

/** Who pays: accounts that a refund can go back to. */
const senders: Record<WalletCurrency, Source> = {
  ngn: {
    account_name: 'Ada Okafor',
    account_number: '0123456789',
    bank_name: 'Guaranty Trust Bank',
    bank_code: '058',
  },
  usd: {
    account_name: 'Ada Okafor',
    account_number: '000123456789',
    bank_name: 'Sandbox Bank',
    routing_number: '110000000',
    account_type: 'checking',
  },
}
const payerAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

/**
 * What is to happen to a test payment, with what the rail gave for it. A card is charged already.
 */
export type Simulation = { payment: Id } & (
  | { by: 'end'; outcome: 'failed' | 'expired' }
  | { by: 'card' }
  | { by: 'bank_transfer'; outcome: SimulatedOutcome; opened: OpenedAccount | null }
  | { by: 'crypto'; outcome: SimulatedOutcome; choice: TokenChoice }
)

/**
 * Asks the rail for what the outcome comes by; a card is charged by it.
 * @param method how it is paid; null: the first by which the outcome can happen
 * @throws {Refusal} `not_found`, `payment_not_pending`, `method_not_available`,
 * `payment_processing`, `amount_too_large`,
 *   `collection_full`
 */
export async function prepareSimulation(
  ctx: Ctx,
  id: string,
  outcome: SimulatedOutcome,
  method: PaymentMethod | null,
): Promise<Simulation> {
  const { id: payment, methods, ...found } = await payments.find(ctx, id)
  if (!payments.isOpen(ctx, found))
    refuse('payment_not_pending', `The payment is ${found.status}; nothing can happen to it.`)
  if (outcome === 'failed' || outcome === 'expired') return { payment, by: 'end', outcome }
  // What a card is charged is what is due: only money that payers send themselves can be too little
  // or too much.
  const whole = outcome === 'completed'
  const by = method ?? methods.find((one) => whole || one !== 'card')
  if (by === undefined || (by === 'card' && !whole))
    refuse('method_not_available', `A card cannot be ${outcome}; it is charged what is due.`)
  switch (by) {
    case 'card': {
      const card = { number: '4242424242424242', expiryMonth: 12, expiryYear: 2099, cvc: '123' }
      await payments.chargeCard(ctx, payment, newId(ctx.scope.now), card)
      return { payment, by }
    }
    case 'bank_transfer':
      return { payment, by, outcome, opened: await payments.requestTransfer(ctx, payment) }
    case 'crypto': {
      const known = (await payments.cryptoQuotes(ctx, payment))[0]
      const [first] = payments.tokensOf(ctx)
      const currency: CryptoCurrency = known?.currency ?? first?.currency ?? 'usdc'
      const network = known?.network ?? first?.network ?? ''
      return {
        payment,
        by,
        outcome,
        choice: await payments.requestToken(ctx, payment, currency, network),
      }
    }
  }
}

/**
 * Has the outcome happen: all of it, or, when it is refused, nothing.
 * @returns the payment as it stands then
 * @throws {Refusal} `payment_not_pending`, `payment_of_invoice`, `payment_processing`,
 * `amount_too_large`, `collection_full`
 */
export async function simulate(work: Work, simulation: Simulation): Promise<Payment> {
  const { payment: id } = simulation
  const notice = newId(work.scope.now)
  switch (simulation.by) {
    case 'end':
      await (simulation.outcome === 'failed'
        ? payments.failPayment(work, id, 'declined')
        : payments.expire(work, id, { early: true }))
      break
    case 'bank_transfer': {
      const account = await payments.openTransferIn(work, id, simulation.opened)
      const payment = await payments.find(work, id)
      const amount = sentFor(payments.amountDue(work, payment, simulation.by), simulation.outcome)
      await bookDeposit(work, account, {
        rail: account.rail,
        notice,
        amount,
        source: senders[payment.currency],
      })
      break
    }
    case 'crypto': {
      const {
        currency,
        network: chain,
        amount: due,
      } = await payments.chooseTokenIn(work, id, simulation.choice)
      const source = { currency, chain, address: payerAddress }
      const amount = sentFor(due, simulation.outcome)
      const came = { rail: 'sandbox', notice, currency, amount, source, pending: null }
      await bookTokensOnce(work, { kind: 'payment', subject: id }, came)
    }
  }
  return payments.get(work, id)
}

/** What is sent where so much is due, in minor units. */
function sentFor(due: bigint, outcome: SimulatedOutcome): bigint {
  if (outcome === 'completed') return due
  return outcome === 'overpaid' ? due + due / 10n + 1n : due / 2n || 1n
}
