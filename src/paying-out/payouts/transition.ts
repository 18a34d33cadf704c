/**
 * The only way to change a payout's state: checks the state table, posts to the ledger, updates the
 * transaction and emits the event.
 */

import { outgoing, returning } from '../../books/ledger/exchange.ts'
import { openBooks, type Posting, post } from '../../books/ledger/ledger.ts'
import {
  BookedBefore,
  feePostings,
  type OwnedReceipt,
  type ReceiptKind,
  recordReceipts,
  requireReceipt,
} from '../../books/receipts/receipts.ts'
import {
  endTransaction,
  endTransactions,
  recordTransaction,
} from '../../books/transactions/transactions.ts'
import { credit, release } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { Tx } from '../../db/db.ts'
import { updateMany } from '../../db/table.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { showMoney } from '../../lib/money.ts'
import { nextState } from '../../lib/states.ts'
import { emitMany, news } from '../../platform/events/events.ts'
import { unschedule } from '../../platform/jobs/timers.ts'
import { addNotices, type NewNotice } from '../../platform/notices/notices.ts'
import { endReview } from '../../platform/screening/screening.ts'
import { giveBack } from '../limits/limits.ts'
import { decisionColumns } from './approval.ts'
import { payoutEvents } from './events.ts'
import { expireApprovalTask, type Payout, toPayout } from './record.ts'
import { type PayoutRow, payouts } from './sql.ts'
import { type PayoutStatus, type PayoutTrigger, payoutStates } from './states.ts'

/** A changed payout. @property fee the provider's fee, if known */
type Changed = { work: Work; payout: PayoutRow; fee: bigint | null }

type Effect = {
  event: keyof typeof payoutEvents
  book(tx: Tx, changed: Changed[]): Promise<void>
  /** The amount that returns to the wallet, in minor units. */
  back(payout: PayoutRow): bigint
}

const effects: Partial<Record<PayoutStatus, Effect>> = {
  completed: { event: 'payout.completed', book: bookSent, back: () => 0n },
  failed: {
    event: 'payout.failed',
    book: each(bookRelease('failed')),
    back: ({ amount }) => amount,
  },
  canceled: {
    event: 'payout.canceled',
    book: each(bookRelease('reversed')),
    back: ({ amount }) => amount,
  },
  returned: { event: 'payout.returned', book: each(bookReturn), back: netOf },
}

/** Columns that may change with the status. */
type EndColumn =
  | 'failure_reason'
  | 'provider_reference'
  | 'tx_hash'
  | 'sent_at'
  | 'rail'
  | 'approval'
  | 'approval_details'
  | 'review'
  | 'waits'

/** Effects of a returned payout on the module that created it, in the same transaction. */
export type PayoutFollower = {
  /**
   * Effects of a payout that failed, was canceled or was returned.
   * @param amount the amount that returned to the wallet, in minor units: all of it, or, for a
   * returned payout, the amount that had arrived
   */
  cameBack(work: Work, payout: { id: Id }, amount: bigint): Promise<void>
}

/** Effects of a payout on the refund that it pays, in the same transaction. */
export type PayoutOfRefundFollower = {
  /**
   * Before the payouts change: locks the subjects of the refunds in one order, before any wallet.
   */
  changing(refunds: { work: Work; refund: Id }[]): Promise<void>
  /** After the payout completed, failed, was canceled or was returned. */
  ended(work: Work, refund: Id, payout: Payout): Promise<void>
}

declare module '../../core/app.ts' {
  interface Strategies {
    payouts: PayoutFollower
    payoutsOfRefunds: PayoutOfRefundFollower
  }
}

/** A change of a payout. */
export type Change = {
  /** The transaction that all changes of a batch share. */
  work: Work
  /** Its row, locked by the caller. */
  payout: PayoutRow
  trigger: PayoutTrigger
  /** New values of columns. */
  columns?: Partial<Pick<PayoutRow, EndColumn>>
  /** The provider's fee, in minor units of the amount sent. */
  fee?: bigint | null
}

/** Applies a trigger to a payout. @throws as `transitionMany` */
export async function transition(
  work: Work,
  payout: PayoutRow,
  trigger: PayoutTrigger,
  columns: Partial<Pick<PayoutRow, EndColumn>> = {},
  fee: bigint | null = null,
): Promise<PayoutRow> {
  const [changed] = await transitionMany(work.tx, [{ work, payout, trigger, columns, fee }])
  return changed as PayoutRow
}

/**
 * Applies a trigger to each payout, of any businesses; none is listed twice. Books all arrivals at
 * once, but each return of money alone: do not batch those with others, whose accounts they would
 * lock out of order.
 * @returns the payouts after the change, in the order of the changes
 * @throws {BookedBefore} when another payout has booked the provider's movement
 * @throws {Error} when the state table does not allow it; callers check the status first and refuse
 * with their own message
 * @throws {Refusal} `amount_too_large` when the wallet could not hold the returned amount
 */
export async function transitionMany(tx: Tx, changes: Change[]): Promise<PayoutRow[]> {
  await lockRefunds(changes)
  const rows = await updateMany(
    tx,
    payouts,
    changes.map((change) => ({
      scope: change.work.scope,
      id: change.payout.id,
      changes: changesOf(change),
    })),
  )
  const changed = changes.map(({ work, payout: { id }, fee = null }, i): Changed => {
    const payout = rows[i]
    if (!payout) throw new Error(`payout ${id} has vanished`)
    return { work, payout, fee }
  })
  for (const { work, payout } of changes) {
    if (payout.approval === 'waiting')
      await unschedule(tx, work.scope.businessId, expireApprovalTask, [payout.id])
    if (payout.review !== null) await endReview(work, payout.id, 'ended')
  }
  for (const [status, alike] of Map.groupBy(changed, ({ payout }) => payout.status))
    await takeEffect(tx, status, alike)
  return changed.map(({ payout }) => payout)
}

/** Locks the subjects of the refunds that these payouts pay. Call it before locking wallets. */
export async function lockRefunds(changes: Pick<Change, 'work' | 'payout'>[]): Promise<void> {
  const refunds = changes.flatMap(({ work, payout: { refund_id: refund } }) =>
    refund === null ? [] : [{ work, refund }],
  )
  await refunds[0]?.work.strategies.payoutsOfRefunds.changing(refunds)
}

/** @throws {Error} when the table of states does not allow it */
function changesOf({ work: { scope }, payout, trigger, columns }: Change): Partial<PayoutRow> {
  const status = nextState(payoutStates, payout.status, trigger)
  if (status === null)
    throw new Error(`payout ${payout.id} is ${payout.status} and takes no '${trigger}'`)
  return {
    waits: null,
    ...columns,
    // A payout submitted while waiting was approved or released elsewhere; the database refuses any
    // other.
    ...(payout.approval === 'waiting' && status === 'canceled'
      ? decisionColumns(payout, scope, 'refused')
      : {}),
    ...(payout.review !== null && status === 'canceled' ? { review: null } : {}),
    status,
    submissions: payout.submissions + (trigger === 'submit' ? 1 : 0),
    ...(status === 'returned' ? { return_transaction_id: newId(scope.now) } : {}),
    updated_at: scope.now,
  }
}

async function takeEffect(tx: Tx, status: PayoutStatus, changed: Changed[]): Promise<void> {
  const effect = effects[status]
  if (!effect) return
  await effect.book(tx, changed)
  await emitMany(
    tx,
    changed.map(({ work, payout }) =>
      news(work.scope, payoutEvents, effect.event, toPayout(payout), payout.customer_id),
    ),
    changed[0]?.work.secrets,
  )
  for (const { work, payout } of changed) {
    if (status === 'failed' || status === 'returned') await addNotices(tx, [noticeOf(work, payout)])
    if (status === 'failed' || status === 'canceled')
      await giveBack(work, payout, payout.approval !== 'none')
    const back = effect.back(payout)
    if (back > 0n) await work.strategies.payouts.cameBack(work, payout, back)
    if (payout.refund_id !== null)
      await work.strategies.payoutsOfRefunds.ended(work, payout.refund_id, toPayout(payout))
  }
}

/** Books one after the other. */
function each(book: (changed: Changed) => Promise<void>): Effect['book'] {
  return async (_tx, changed) => {
    for (const one of changed) await book(one)
  }
}

/** The team's notice of a payout that did not arrive. */
function noticeOf(
  { scope }: Work,
  { reference, amount, currency, status, failure_reason }: PayoutRow,
): NewNotice {
  const why = failure_reason === null ? status : `${status} (${failure_reason})`
  return {
    scope,
    kind: 'payout_failed',
    line: `${reference}: ${showMoney(amount, currency)}, ${why}`,
  }
}

/** Returns the whole amount to the wallet and ends the transaction. */
function bookRelease(end: 'failed' | 'reversed') {
  return async ({ work, payout }: Changed): Promise<void> => {
    await post(work, releasePostings(payout))
    await endTransaction(work, payout.transaction_id, end)
  }
}

/** Books arrivals: the providers' receipts and the release of the holds. */
async function bookSent(tx: Tx, sent: Changed[]): Promise<void> {
  const receipts = sent.map(({ work: { scope }, payout, fee }) =>
    receiptOf(scope, payout, { kind: 'payout', transaction: payout.transaction_id, fee }),
  )
  const isNew = await recordReceipts(tx, receipts)
  const before = receipts.find((_, i) => !isNew[i])
  if (before) throw new BookedBefore(before)
  const booked = receipts.map((receipt, i) => ({
    scope: receipt.scope,
    postings: [...feePostings(receipt), ...sentPostings((sent[i] as Changed).payout)],
  }))
  const books = await openBooks(
    tx,
    booked.map(({ scope, postings }) => ({
      scope,
      keys: postings.flatMap(({ debit, credit }) => [debit, credit]),
    })),
  )
  for (const { scope, postings } of booked) books.post(scope, postings)
  await books.write()
  await endTransactions(
    tx,
    sent.map(({ work: { scope }, payout }) => ({
      scope,
      id: payout.transaction_id,
      status: 'completed',
    })),
  )
}

type Movement = { kind: ReceiptKind; transaction: Id; fee: bigint | null }

/** The provider's movement, under the provider's own reference. */
function receiptOf(scope: Scope, payout: PayoutRow, movement: Movement): OwnedReceipt {
  const { rail, id: subject, destination_amount: amount, destination_currency: currency } = payout
  const providerId = payout.provider_reference ?? subject
  return { ...movement, scope, rail, providerId, subject, amount, currency, availableAt: null }
}

/** Books a return by a new transaction, at the payout's rate. The fee stays paid. */
async function bookReturn({ work, payout, fee }: Changed): Promise<void> {
  const { id, currency, method, reference, metadata } = payout
  const transaction = payout.return_transaction_id as Id
  await requireReceipt(
    work,
    receiptOf(work.scope, payout, { kind: 'payout_return', transaction, fee }),
  )
  const balanceAfter = await credit(work, currency, returnPostings(payout, transaction))
  await recordTransaction(work, {
    id: transaction,
    type: 'payout_return',
    method,
    direction: 'credit',
    status: 'completed',
    currency,
    amount: netOf(payout),
    fee: 0n,
    balanceAfter,
    reference,
    related: { payout: id },
    metadata,
  })
}

/** The net amount, which arrives and is returned. */
export function netOf({ amount, fee }: PayoutRow): bigint {
  return amount - fee
}

function releasePostings({
  id: subject,
  transaction_id: transaction,
  amount,
  currency,
}: PayoutRow): Posting[] {
  return [release({ amount, currency, kind: 'payout_release', subject, transaction })]
}

/**
 * Posts the net to the rail, across the exchange position if the currency changes, and each part of
 * the fee to our revenue.
 */
function sentPostings(payout: PayoutRow): Posting[] {
  const { id: subject, transaction_id: transaction, currency, rail } = payout
  const pending = { purpose: 'wallet_pending', currency } as const
  const postings = outgoing({
    rail,
    railAmount: { amount: payout.destination_amount, currency: payout.destination_currency },
    ledgerAmount: { amount: netOf(payout), currency },
    account: pending,
    kind: 'payout_sent',
    exchange: 'payout_exchange',
    subject,
    transaction,
  })
  for (const part of payout.fee_breakdown)
    if (BigInt(part.amount) > 0n)
      postings.push({
        debit: pending,
        credit: { purpose: 'fees', currency },
        amount: BigInt(part.amount),
        kind: 'payout_fee',
        subject,
        transaction,
      })
  return postings
}

/** Posts the net back from the rail, the same way. */
function returnPostings(payout: PayoutRow, transaction: Id): Posting[] {
  const { id: subject, currency, rail } = payout
  return returning({
    rail,
    railAmount: { amount: payout.destination_amount, currency: payout.destination_currency },
    ledgerAmount: { amount: netOf(payout), currency },
    account: { purpose: 'wallet_available', currency },
    kind: 'payout_return',
    exchange: 'payout_return_exchange',
    subject,
    transaction,
  })
}
