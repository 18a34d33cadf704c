/**
 * Outcomes for test mode: a payer who pays by the same ways that payers take.
 */

import type { Source } from '../../books/transactions/transactions.ts'
import { bankDeposit, cryptoDeposit } from '../../collecting/deposits/deposits.ts'
import {
  chargeCard,
  chooseToken,
  cryptoQuotes,
  dueOf,
  expire,
  failForGood,
  find,
  isOpen,
  openTransfer,
  type PaymentMethod,
  tokensOf,
} from '../../collecting/payments/payments.ts'
import { type Ctx, inTransaction } from '../../core/context.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { CryptoCurrency, WalletCurrency } from '../../lib/money.ts'

export const outcomes = ['completed', 'underpaid', 'overpaid', 'failed', 'expired'] as const
export type Outcome = (typeof outcomes)[number]

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
 * Has an outcome happen to a test payment.
 * @param method how it is paid; null: the first way that the outcome can happen by
 * @throws {Refusal} `not_found`, `payment_not_pending`, `method_not_available`, `payment_processing`, `amount_too_large`,
 *   `collection_full`
 */
export async function simulate(ctx: Ctx, id: Id, outcome: Outcome, method: PaymentMethod | null): Promise<void> {
  const payment = await find(ctx, id)
  if (!isOpen(ctx, payment))
    refuse('payment_not_pending', `The payment is ${payment.status}; nothing can happen to it.`)
  if (outcome === 'failed') return void (await failForGood(ctx, payment.id, 'declined'))
  if (outcome === 'expired') return void (await expire(ctx, payment.id, true))
  // What a card is charged is what is due: only money that payers send themselves can be too little or too much.
  const whole = outcome === 'completed'
  const by = method ?? payment.methods.find((one) => whole || one !== 'card')
  if (by === undefined || (by === 'card' && !whole))
    refuse('method_not_available', `A card cannot be ${outcome}; it is charged what is due.`)
  const change = (due: bigint): bigint => (whole ? due : outcome === 'overpaid' ? due + due / 10n + 1n : due / 2n || 1n)
  const notice = newId(ctx.scope.now)
  switch (by) {
    case 'card': {
      const card = { number: '4242424242424242', expiryMonth: 12, expiryYear: 2099, cvc: '123' }
      return chargeCard(ctx, payment.id, notice, card)
    }
    case 'bank_transfer':
      return inTransaction(ctx, async (tx) => {
        const inside: Ctx = { ...ctx, tx }
        const account = await openTransfer(inside, payment.id)
        const amount = change(dueOf(ctx, await find(inside, payment.id), by))
        const source = senders[payment.currency]
        await bankDeposit(inside, account, { rail: account.rail, notice, amount, source })
      })
    case 'crypto':
      return inTransaction(ctx, async (tx) => {
        const inside: Ctx = { ...ctx, tx }
        const known = (await cryptoQuotes(inside, payment.id))[0]
        const [first] = tokensOf(ctx)
        const currency: CryptoCurrency = known?.currency ?? first?.currency ?? 'usdc'
        const network = known?.network ?? first?.network ?? ''
        const quote = await chooseToken(inside, payment.id, currency, network)
        await cryptoDeposit(
          inside,
          { kind: 'payment', subject: payment.id },
          {
            rail: 'sandbox',
            notice,
            currency,
            amount: change(quote.amount),
            source: { currency, chain: quote.network, address: payerAddress },
            seen: null,
          },
        )
      })
  }
}
