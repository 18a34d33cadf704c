/**
 * What shares get when a sale is paid, and give back when it is refunded. A share's account never goes below zero, and neither does
 * the wallet: what is not there is not moved, and is written down.
 */

import { type AccountKey, lockAccounts, Overdraft, type Posting, post } from '../../books/ledger/ledger.ts'
import { recordTransaction } from '../../books/transactions/transactions.ts'
import { find, type PaymentRow } from '../../collecting/payments/payments.ts'
import type { Ctx, RefundListener } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { assertCarryable, multiplyDown, parseDecimal, type WalletCurrency } from '../../lib/money.ts'
import { returnable, split, within } from './split.ts'
import {
  addReturned,
  insertEntries,
  insertReturns,
  keepReturn,
  type ShareRow,
  selectActive,
  selectEntries,
  selectShares,
  undoReturns,
} from './sql.ts'

/** A line of what was sold. `total` is in the payment's currency. */
export type SoldLine = { distribution_id: Id | null; quantity: bigint; total: bigint }

const shareAccount = (share: Id, currency: WalletCurrency): AccountKey => ({
  purpose: 'share',
  currency,
  subject: share,
})

const walletOf = ({ currency }: PaymentRow): AccountKey => ({ purpose: 'wallet_available', currency })

/**
 * Gives the shares of what was sold their parts, out of what the payment brought, in the transaction that completes it. The fee
 * comes out of the business's part; what that part does not cover, or the wallet does not hold any more, is missing from the
 * shares, by their size.
 * @param rate units of the payment's currency for one of the distribution's, a decimal: flat amounts are in the latter
 * @throws {Refusal} `amount_too_large` when a share would hold more than the API can carry; the rail tells again later
 */
export async function accrue(ctx: Ctx, payment: PaymentRow, lines: SoldLine[], rate: string): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const ids = [...new Set(lines.flatMap((line) => line.distribution_id ?? []))]
  if (ids.length === 0) return
  const active = (await tx.rows(selectActive, [businessId, livemode, ids])).map((row) => row.id)
  const known = (await tx.rows(selectShares, [businessId, livemode, active]))
    .filter((share) => !share.removed)
    .map((share) => inCurrency(share, rate))
  const amounts = new Map<Id, bigint>()
  for (const line of lines) {
    const sharing = known.filter((share) => share.distribution_id === line.distribution_id)
    const { parts } = split(line.total, line.quantity, sharing)
    sharing.forEach((share, i) => {
      amounts.set(share.id, (amounts.get(share.id) ?? 0n) + (parts[i] as bigint))
    })
  }
  const shares = [...amounts.keys()]
  if (shares.length === 0) return
  const wanted = within([...amounts.values()], payment.amount_counted - payment.fee)
  const { parts, balanceOf, transaction } = await give(ctx, payment, shares, wanted)
  for (const [i, share] of shares.entries())
    if (balanceOf && (parts[i] as bigint) > 0n) assertCarryable(balanceOf(shareAccount(share, payment.currency)))
  await tx.rows(insertEntries, [businessId, livemode, payment.id, shares, parts, now])
  if (balanceOf) await recordShare(ctx, transaction, 'debit', payment, sum(parts), balanceOf, { payment: payment.id })
}

/** Posts parts from the wallet to shares; what the wallet does not hold is missing from them, by their size. */
async function give(
  ctx: Ctx,
  payment: PaymentRow,
  shares: Id[],
  wanted: bigint[],
): Promise<{ parts: bigint[]; balanceOf: Awaited<ReturnType<typeof move>>; transaction: Id }> {
  const transaction = newId(ctx.scope.now)
  const postingsOf = (parts: bigint[]): Posting[] => postingsToShares(payment, shares, parts, transaction)
  try {
    return { parts: wanted, balanceOf: await move(ctx, postingsOf(wanted)), transaction }
  } catch (error) {
    if (!(error instanceof Overdraft)) throw error
    // What came before was spent. The refused posting has locked the wallet: this is what it holds.
    const parts = within(wanted, error.balance)
    return { parts, balanceOf: await move(ctx, postingsOf(parts)), transaction }
  }
}

/** The postings that give shares their parts; a part of nothing has none. */
function postingsToShares(payment: PaymentRow, shares: Id[], parts: bigint[], transaction: Id): Posting[] {
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

function inCurrency(share: ShareRow, rate: string): ShareRow {
  return share.flat === null ? share : { ...share, flat: multiplyDown(share.flat, parseDecimal(rate)) }
}

/** Posts, if there is anything to post. @returns the balances of what moved then, or null */
async function move(ctx: Ctx, postings: Posting[]): Promise<((key: AccountKey) => bigint) | null> {
  return postings.length === 0 ? null : post(ctx.tx as Tx, ctx.scope, postings)
}

const sum = (parts: readonly bigint[]): bigint => parts.reduce((a, b) => a + b, 0n)

/** What refunds do to shares. */
export const distributionRefundListener: RefundListener = {
  /**
   * Takes the shares' parts back into the wallet before the refund holds them. What came beyond the price goes back first and
   * touches no share. What a share has settled already is borne by the business.
   */
  async starting(ctx, { id: refund, payment_id }) {
    const { businessId, livemode, now } = ctx.scope
    const tx = ctx.tx as Tx
    const entries = await tx.rows(selectEntries, [businessId, livemode, payment_id])
    if (entries.length === 0) return
    const payment = await find(ctx, payment_id)
    const surplus = payment.amount_received - payment.amount
    const back = payment.amount_refunded + payment.amount_refunding - (surplus > 0n ? surplus : 0n)
    const due = entries.map((entry) => {
      // Money that came on top after a refund leaves less to be back than is back already.
      const missing = back <= 0n ? 0n : returnable(entry.amount, back, payment.amount) - entry.returned - entry.borne
      return missing > 0n ? missing : 0n
    })
    if (sum(due) === 0n) return
    const shares = entries.map((entry) => entry.share_id)
    const { taken, balanceOf, transaction } = await takeBack(ctx, payment, shares, due)
    const borne = due.map((wanted, i) => wanted - (taken[i] as bigint))
    await tx.rows(addReturned, [businessId, livemode, payment_id, shares, taken, borne])
    await tx.rows(insertReturns, [businessId, livemode, refund, payment_id, shares, taken, borne, now])
    if (balanceOf)
      await recordShare(ctx, transaction, 'credit', payment, sum(taken), balanceOf, { refund, payment: payment_id })
  },

  /**
   * Gives the shares what the refund had taken back. Where rounding had taken more than the refund held, and the wallet has spent
   * it since, the shares get what is there.
   */
  async failed(ctx, { id: refund, payment_id }) {
    const { businessId, livemode } = ctx.scope
    const tx = ctx.tx as Tx
    const undone = await tx.rows(undoReturns, [businessId, livemode, refund])
    if (undone.length === 0) return
    const payment = await find(ctx, payment_id)
    const { parts, balanceOf, transaction } = await give(
      ctx,
      payment,
      undone.map((one) => one.share_id),
      undone.map((one) => one.returned),
    )
    await tx.rows(addReturned, [
      businessId,
      livemode,
      payment_id,
      undone.map((one) => one.share_id),
      parts.map((part) => -part),
      undone.map((one) => -one.borne),
    ])
    for (const [i, { share_id, returned }] of undone.entries()) {
      const given = parts[i] as bigint
      if (given < returned) await tx.rows(keepReturn, [businessId, livemode, refund, share_id, returned - given])
    }
    if (balanceOf)
      await recordShare(ctx, transaction, 'debit', payment, sum(parts), balanceOf, { refund, payment: payment_id })
  },
}

/** Posts what the shares hold of what is due, from their accounts to the wallet. */
async function takeBack(
  ctx: Ctx,
  payment: PaymentRow,
  shares: Id[],
  due: bigint[],
): Promise<{ taken: bigint[]; balanceOf: Awaited<ReturnType<typeof move>>; transaction: Id }> {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const transaction = newId(now)
  const wallet = walletOf(payment)
  // Locked first, and read then: what they hold now is what can be taken.
  await lockAccounts(tx, ctx.scope, [wallet, ...shares.map((share) => shareAccount(share, payment.currency))])
  const entries = await tx.rows(selectEntries, [businessId, livemode, payment.id])
  const held = new Map(entries.map((entry) => [entry.share_id, entry.accrued]))
  const taken = due.map((wanted, i) => {
    const accrued = held.get(shares[i] as Id) ?? 0n
    return wanted < accrued ? wanted : accrued
  })
  const postings = postingsToShares(payment, shares, taken, transaction).map(
    (posting): Posting => ({
      ...posting,
      debit: posting.credit,
      credit: posting.debit,
      kind: 'share_return',
    }),
  )
  return { taken, balanceOf: await move(ctx, postings), transaction }
}

/** The wallet's side of what shares get or give back. */
async function recordShare(
  ctx: Ctx,
  id: Id,
  direction: 'credit' | 'debit',
  payment: PaymentRow,
  amount: bigint,
  balanceOf: (key: AccountKey) => bigint,
  related: Record<string, Id>,
): Promise<void> {
  await recordTransaction(ctx, {
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
