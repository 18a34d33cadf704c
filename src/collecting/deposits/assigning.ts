/**
 * Money at a provider that nobody claims, once a person has said whose it is: a deposit into the
 * wallet of a business, without an account.
 */
import { incoming } from '../../books/ledger/exchange.ts'
import { recordReceipt } from '../../books/receipts/receipts.ts'
import { recordTransaction, type Transaction } from '../../books/transactions/transactions.ts'
import { credit } from '../../books/wallets/wallets.ts'
import type { Ctx } from '../../core/outside.ts'
import { newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export type Unclaimed = {
  /** The name of the account at the provider, and its own id of the payment. */
  rail: string
  providerId: string
  currency: WalletCurrency
  /** What came, and what the provider keeps of it, in minor units. */
  amount: bigint
  fee: bigint | null
}

/**
 * Books it. The business pays what a deposit costs.
 * @returns null when it is booked already, whoever's it is
 * @throws {Refusal} `amount_too_large`
 */
export function assignDeposit(ctx: Ctx, unclaimed: Unclaimed): Promise<Transaction | null> {
  return ctx.write(async (work) => {
    const { rail, providerId, currency, amount, fee: kept } = unclaimed
    const id = newId(work.scope.now)
    const moved = {
      rail,
      providerId,
      amount,
      currency,
      fee: kept,
      availableAt: null,
      subject: id,
      transaction: id,
    }
    if (!(await recordReceipt(work, { ...moved, kind: 'deposit' }))) return null
    const fee = work.pricing.incomingFee('deposit', 'bank_transfer', currency, amount)
    const money = { amount, currency }
    const balanceAfter = await credit(
      work,
      currency,
      incoming({
        rail,
        railAmount: money,
        ledgerAmount: money,
        fee,
        subject: id,
        transaction: id,
        account: { purpose: 'wallet_available', currency },
      }),
    )
    return recordTransaction(work, {
      id,
      type: 'deposit',
      method: 'bank_transfer',
      direction: 'credit',
      status: 'completed',
      currency,
      amount,
      fee,
      balanceAfter,
      reference: null,
      related: {},
      metadata: {},
    })
  })
}
