/**
 * Books unclaimed money at a provider to the business that an operator names, without an account.
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
  /** The amount received and the provider's fee, in minor units. */
  amount: bigint
  fee: bigint | null
}

/**
 * Books unclaimed money as a deposit, for a deposit's usual fee.
 * @returns null when it is booked already, for any business
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
