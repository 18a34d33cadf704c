/**
 * Credits shares when a sale is paid, and debits them when it is refunded. Neither a share nor the
 * wallet goes below zero: a missing amount is recorded, and not moved.
 */
import {
  type AccountKey,
  lockAccounts,
  Overdraft,
  type Posting,
  post,
} from '../../books/ledger/ledger.ts'
import { recordTransaction } from '../../books/transactions/transactions.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { RefundFollower } from '../../collecting/refunds/refunds.ts'
import type { Work } from '../../core/inside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import {
  assertCarryable,
  multiplyDown,
  parseDecimal,
  type WalletCurrency,
} from '../../lib/money.ts'
import { amountToReturn, capParts, split } from './split.ts'
import type { ShareRow } from './sql.ts'
import * as statements from './sql.ts'

/** A sold line, in the payment's currency. `net` excludes the tax, which is not shared. */
export type SoldLine = { distribution_id: Id | null; quantity: bigint; net: bigint; tax: bigint }

const shareAccount = (share: Id, currency: WalletCurrency): AccountKey => ({
  purpose: 'share',
  currency,
  subject: share,
})

const walletOf = ({ currency }: payments.PaymentRow): AccountKey => ({
  purpose: 'wallet_available',
  currency,
})

/**
 * Credits the shares of a sale from the payment, without taxes, in the transaction that completes
 * it. The business's part pays the fee. What it cannot cover, or the wallet no longer holds,
 * reduces the shares in proportion.
 * @param rate payment currency per unit of the distribution's currency, a decimal; converts flat
 * amounts
 * @throws {Refusal} `amount_too_large` when a share would exceed the largest amount of the API; the
 * rail notifies again
 */
export async function creditSale(
  work: Work,
  payment: payments.PaymentRow,
  lines: SoldLine[],
  rate: string,
): Promise<void> {
  const { now } = work.scope
  const ids = [...new Set(lines.flatMap((line) => line.distribution_id ?? []))]
  if (ids.length === 0) return
  const active = (await work.rows(statements.selectActive, [ids])).map((row) => row.id)
  const known = (await work.rows(statements.selectShares, [active]))
    .filter((share) => !share.removed)
    .map((share) => toPaymentCurrency(share, rate))
  const amounts = new Map<Id, bigint>()
  for (const line of lines) {
    const sharing = known.filter((share) => share.distribution_id === line.distribution_id)
    const { parts } = split(line.net, line.quantity, sharing)
    sharing.forEach((share, i) => {
      amounts.set(share.id, (amounts.get(share.id) ?? 0n) + (parts[i] as bigint))
    })
  }
  const shares = [...amounts.keys()]
  if (shares.length === 0) return
  const taxes = sum(lines.map((line) => line.tax))
  const due = capParts([...amounts.values()], payment.amount_counted - payment.fee - taxes)
  const { parts, balanceOf, transaction } = await creditShares(work, payment, shares, due)
  for (const [i, share] of shares.entries())
    if (balanceOf && (parts[i] as bigint) > 0n)
      assertCarryable(balanceOf(shareAccount(share, payment.currency)))
  await work.rows(statements.insertEntries, [payment.id, shares, parts, now])
  if (balanceOf)
    await recordWalletSide(work, transaction, 'debit', payment, sum(parts), balanceOf, {
      payment: payment.id,
    })
}

/** Posts parts from the wallet to shares, reduced in proportion to what the wallet holds. */
async function creditShares(
  work: Work,
  payment: payments.PaymentRow,
  shares: Id[],
  due: bigint[],
): Promise<{ parts: bigint[]; balanceOf: Awaited<ReturnType<typeof postAny>>; transaction: Id }> {
  const transaction = newId(work.scope.now)
  const postingsOf = (parts: bigint[]): Posting[] =>
    postingsToShares(payment, shares, parts, transaction)
  try {
    return { parts: due, balanceOf: await postAny(work, postingsOf(due)), transaction }
  } catch (error) {
    if (!(error instanceof Overdraft)) throw error
    // Earlier parts of the payment were spent. The failed posting has locked the wallet, so this
    // balance holds.
    const parts = capParts(due, error.balance)
    return { parts, balanceOf: await postAny(work, postingsOf(parts)), transaction }
  }
}

/** Returns the postings from the wallet to shares, without empty ones. */
function postingsToShares(
  payment: payments.PaymentRow,
  shares: Id[],
  parts: bigint[],
  transaction: Id,
): Posting[] {
  return shares
    .map(
      (share, i): Posting => ({
        debit: walletOf(payment),
        credit: shareAccount(share, payment.currency),
        amount: parts[i] as bigint,
        kind: 'share_accrual',
        subject: payment.id,
        transaction,
      }),
    )
    .filter((posting) => posting.amount > 0n)
}

function toPaymentCurrency(share: ShareRow, rate: string): ShareRow {
  return share.flat === null
    ? share
    : { ...share, flat: multiplyDown(share.flat, parseDecimal(rate)) }
}

/** Posts, unless there is nothing to post. @returns the new balances, or null */
async function postAny(
  work: Work,
  postings: Posting[],
): Promise<((key: AccountKey) => bigint) | null> {
  return postings.length === 0 ? null : post(work, postings)
}

const sum = (parts: readonly bigint[]): bigint => parts.reduce((a, b) => a + b, 0n)

/** Follows refunds: takes back the shares' parts, and credits them again when a refund fails. */
export const distributionRefunds: RefundFollower = {
  /**
   * Moves the shares' parts to the wallet, before the refund holds its amount. An excess over the
   * price is refunded first, and touches no share. The business absorbs what a share was paid out.
   */
  async starting(work, { id: refund, payment_id }) {
    const { now } = work.scope
    const entries = await work.rows(statements.selectEntries, [payment_id])
    if (entries.length === 0) return
    const payment = await payments.find(work, payment_id)
    const surplus = payment.amount_received - payment.amount
    const refunded =
      payment.amount_refunded + payment.amount_refunding - (surplus > 0n ? surplus : 0n)
    const due = entries.map((entry) => {
      // An excess that arrives after a refund can make the amount to return smaller than before.
      const missing =
        refunded <= 0n
          ? 0n
          : amountToReturn(entry.amount, refunded, payment.amount) - entry.returned - entry.absorbed
      return missing > 0n ? missing : 0n
    })
    if (sum(due) === 0n) return
    const shares = entries.map((entry) => entry.share_id)
    const { taken, balanceOf, transaction } = await debitShares(work, payment, shares, due)
    const absorbed = due.map((amount, i) => amount - (taken[i] as bigint))
    await work.rows(statements.addReturned, [payment_id, shares, taken, absorbed])
    await work.rows(statements.insertReturns, [refund, payment_id, shares, taken, absorbed, now])
    if (balanceOf)
      await recordWalletSide(work, transaction, 'credit', payment, sum(taken), balanceOf, {
        refund,
        payment: payment_id,
      })
  },

  /**
   * Credits the shares what the refund had taken. Where rounding took more than the refund held,
   * and the wallet has spent it, the shares get what is left.
   */
  async failed(work, { id: refund, payment_id }) {
    const undone = await work.rows(statements.undoReturns, [refund])
    if (undone.length === 0) return
    const payment = await payments.find(work, payment_id)
    const { parts, balanceOf, transaction } = await creditShares(
      work,
      payment,
      undone.map((one) => one.share_id),
      undone.map((one) => one.returned),
    )
    await work.rows(statements.addReturned, [
      payment_id,
      undone.map((one) => one.share_id),
      parts.map((part) => -part),
      undone.map((one) => -one.absorbed),
    ])
    for (const [i, { share_id, returned }] of undone.entries()) {
      const given = parts[i] as bigint
      if (given < returned)
        await work.rows(statements.keepReturn, [refund, share_id, returned - given])
    }
    if (balanceOf)
      await recordWalletSide(work, transaction, 'debit', payment, sum(parts), balanceOf, {
        refund,
        payment: payment_id,
      })
  },
}

/** Posts due amounts from shares to the wallet, as far as the shares hold them. */
async function debitShares(
  work: Work,
  payment: payments.PaymentRow,
  shares: Id[],
  due: bigint[],
): Promise<{ taken: bigint[]; balanceOf: Awaited<ReturnType<typeof postAny>>; transaction: Id }> {
  const { now } = work.scope
  const transaction = newId(now)
  const wallet = walletOf(payment)
  // Read after the lock, so that the balances stay as they are.
  await lockAccounts(work, [
    wallet,
    ...shares.map((share) => shareAccount(share, payment.currency)),
  ])
  const entries = await work.rows(statements.selectEntries, [payment.id])
  const held = new Map(entries.map((entry) => [entry.share_id, entry.accrued]))
  const taken = due.map((amount, i) => {
    const accrued = held.get(shares[i] as Id) ?? 0n
    return amount < accrued ? amount : accrued
  })
  const postings = postingsToShares(payment, shares, taken, transaction).map(
    (posting): Posting => ({
      ...posting,
      debit: posting.credit,
      credit: posting.debit,
      kind: 'share_return',
    }),
  )
  return { taken, balanceOf: await postAny(work, postings), transaction }
}

/** Records the wallet's transaction for amounts that shares get or return. */
async function recordWalletSide(
  work: Work,
  id: Id,
  direction: 'credit' | 'debit',
  payment: payments.PaymentRow,
  amount: bigint,
  balanceOf: (key: AccountKey) => bigint,
  related: Record<string, Id>,
): Promise<void> {
  await recordTransaction(work, {
    id,
    type: 'share',
    method: 'wallet',
    direction,
    status: 'completed',
    currency: payment.currency,
    amount,
    fee: 0n,
    balanceAfter: balanceOf(walletOf(payment)),
    reference: payment.reference,
    customer: payment.customer_id,
    related,
    metadata: {},
  })
}
