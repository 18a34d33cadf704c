/**
 * What shares get when a sale is paid, and give back when it is refunded. A share's account never
 * goes below zero, and neither does the wallet: what is not there is not moved, and is written
 * down.
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

/**
 * A line of what was sold, in the payment's currency. `net` is without the tax, which is owed to
 * the state and no share's.
 */
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
 * Gives the shares of what was sold their parts, out of what the payment brought without taxes, in
 * the transaction that completes it. The fee comes out of the business's part; what that part does
 * not cover, or the wallet does not hold any more, is missing from the shares, by their size.
 * @param rate units of the payment's currency for one of the distribution's, a decimal: flat
 * amounts are in the latter
 * @throws {Refusal} `amount_too_large` when a share would hold more than the API can carry; the
 * rail notifies again later
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
  const wanted = capParts([...amounts.values()], payment.amount_counted - payment.fee - taxes)
  const { parts, balanceOf, transaction } = await creditShares(work, payment, shares, wanted)
  for (const [i, share] of shares.entries())
    if (balanceOf && (parts[i] as bigint) > 0n)
      assertCarryable(balanceOf(shareAccount(share, payment.currency)))
  await work.rows(statements.insertEntries, [payment.id, shares, parts, now])
  if (balanceOf)
    await recordWalletSide(work, transaction, 'debit', payment, sum(parts), balanceOf, {
      payment: payment.id,
    })
}

/**
 * Posts parts from the wallet to shares; what the wallet does not hold is missing from them, by
 * their size.
 */
async function creditShares(
  work: Work,
  payment: payments.PaymentRow,
  shares: Id[],
  wanted: bigint[],
): Promise<{ parts: bigint[]; balanceOf: Awaited<ReturnType<typeof postAny>>; transaction: Id }> {
  const transaction = newId(work.scope.now)
  const postingsOf = (parts: bigint[]): Posting[] =>
    postingsToShares(payment, shares, parts, transaction)
  try {
    return { parts: wanted, balanceOf: await postAny(work, postingsOf(wanted)), transaction }
  } catch (error) {
    if (!(error instanceof Overdraft)) throw error
    // What came before was spent. The refused posting has locked the wallet: this is what it holds.
    const parts = capParts(wanted, error.balance)
    return { parts, balanceOf: await postAny(work, postingsOf(parts)), transaction }
  }
}

/** The postings that give shares their parts; a part of nothing has none. */
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

/** Posts, if there is anything to post. @returns the balances of what moved then, or null */
async function postAny(
  work: Work,
  postings: Posting[],
): Promise<((key: AccountKey) => bigint) | null> {
  return postings.length === 0 ? null : post(work, postings)
}

const sum = (parts: readonly bigint[]): bigint => parts.reduce((a, b) => a + b, 0n)

/** What refunds do to shares. */
export const distributionRefunds: RefundFollower = {
  /**
   * Takes the shares' parts back into the wallet before the refund holds them. What came beyond the
   * price goes back first and touches no share. What a share has settled already is absorbed by the
   * business.
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
      // Money that came on top after a refund leaves less to be returned than is returned already.
      const missing =
        refunded <= 0n
          ? 0n
          : amountToReturn(entry.amount, refunded, payment.amount) - entry.returned - entry.absorbed
      return missing > 0n ? missing : 0n
    })
    if (sum(due) === 0n) return
    const shares = entries.map((entry) => entry.share_id)
    const { taken, balanceOf, transaction } = await debitShares(work, payment, shares, due)
    const absorbed = due.map((wanted, i) => wanted - (taken[i] as bigint))
    await work.rows(statements.addReturned, [payment_id, shares, taken, absorbed])
    await work.rows(statements.insertReturns, [refund, payment_id, shares, taken, absorbed, now])
    if (balanceOf)
      await recordWalletSide(work, transaction, 'credit', payment, sum(taken), balanceOf, {
        refund,
        payment: payment_id,
      })
  },

  /**
   * Gives the shares what the refund had taken back. Where rounding had taken more than the refund
   * held, and the wallet has spent it since, the shares get what is there.
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

/** Posts what the shares hold of what is due, from their accounts to the wallet. */
async function debitShares(
  work: Work,
  payment: payments.PaymentRow,
  shares: Id[],
  due: bigint[],
): Promise<{ taken: bigint[]; balanceOf: Awaited<ReturnType<typeof postAny>>; transaction: Id }> {
  const { now } = work.scope
  const transaction = newId(now)
  const wallet = walletOf(payment)
  // Locked first, and read then: what they hold now is what can be taken.
  await lockAccounts(work, [
    wallet,
    ...shares.map((share) => shareAccount(share, payment.currency)),
  ])
  const entries = await work.rows(statements.selectEntries, [payment.id])
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
  return { taken, balanceOf: await postAny(work, postings), transaction }
}

/** The wallet's side of what shares get or give back. */
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
