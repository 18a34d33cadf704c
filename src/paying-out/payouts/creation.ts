/**
 * Creates payouts in batches: holds, rows and events are one commit, with the result as if each
 * payout was created alone, in order.
 */

import { recordActs } from '../../books/audit/audit.ts'
import { openLimits as openExchange, type Taking } from '../../books/exchange/exchange.ts'
import { openBooks } from '../../books/ledger/ledger.ts'
import { type NewTransaction, recordTransactions } from '../../books/transactions/transactions.ts'
import { holdIn, walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import type { PayoutMethod, Price } from '../../core/pricing.ts'
import { isSqlError, planByIndex, type Tx } from '../../db/db.ts'
import { insertMany } from '../../db/table.ts'
import { later } from '../../lib/clock.ts'
import { type Outcome, refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { showMoney } from '../../lib/money.ts'
import type { Static, Warning } from '../../lib/schema.ts'
import type { Keyring } from '../../lib/secrets.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import { emitMany, news } from '../../platform/events/events.ts'
import { addWaiting } from '../../platform/jobs/timers.ts'
import { addNotices } from '../../platform/notices/notices.ts'
import type { Maker } from '../../platform/team/team.ts'
import type { PayoutTerms } from '../../rails/ports/rail.ts'
import { openPayees, type PayeeOf } from '../beneficiaries/beneficiaries.ts'
import { type LimitOf, openLimits, walletParameters, walletsOf } from '../limits/limits.ts'
import { approvalOf } from './approval.ts'
import { payoutEvents } from './events.ts'
import { expireApprovalTask, type Payout, submitTask, toDetails } from './record.ts'
import { refuse as refusePayout } from './refusals.ts'
import type { PayoutIn } from './schema.ts'
import { type PayoutRow, selectTaken, selectUsed, payouts as table, useQuotes } from './sql.ts'

/** A requested payout with its method, from its beneficiary if it names one. */
export type PayoutOrder = Static<typeof PayoutIn> & { method: PayoutMethod }

/**
 * The ids of a refund, of its payout, and of the transaction that both name; and the refund's
 * customer, if any.
 */
export type PayoutOfRefund = { refund: Id; payout: Id; transaction: Id; customer: Id | null }

/** A payout that only wallet, limits and references can still refuse. Amounts in minor units. */
export type NewPayout = {
  scope: Scope
  terms: PayoutTerms
  input: PayoutOrder
  amount: bigint
  destination: StoredDestination
  /** The beneficiary of the destination; null: the request gave the destination. */
  beneficiary: PayeeOf['beneficiary']
  warnings: Warning[]
  price: Price
  /** The maker, if that is not the acting person. */
  maker?: Maker
  /** Set for a payout that pays a refund. */
  refund?: PayoutOfRefund
}

type Approval = Pick<PayoutRow, 'approval' | 'approval_details'>
type Made = NewPayout & { payout: Payout; approval: Approval; balanceAfter: bigint }

/**
 * Creates payouts in the caller's transaction. To avoid deadlocks, all code that creates payouts
 * locks wallets before it reads references and quotes. Payouts of one quote share a wallet, so its
 * lock orders them.
 * @param secrets may be omitted when no payout pays a refund, whose event has personal data
 * @returns for each the payout, or its refusal: `duplicate_reference` (409), `quote_used`,
 * `insufficient_funds`, `operator_limit_exceeded`, `limit_exceeded`, those of `openPayees`
 * @throws {Error} when a concurrent transaction took a reference of the batch: nothing is written,
 * create each alone
 */
export async function createMany(
  tx: Tx,
  orders: NewPayout[],
  secrets: Keyring | null = null,
): Promise<Outcome<Payout>[]> {
  const checks = await openChecks(tx, orders)
  const made: Made[] = []
  const outcomes = orders.map((order, place): Outcome<Payout> => {
    try {
      const one = checks.make(order, place)
      made.push(one)
      return { answer: one.payout }
    } catch (refusal) {
      return { refusal }
    }
  })
  if (made.length === 0) await checks.writeLimits()
  else
    try {
      await Promise.all([checks.writeBooks(), checks.writeLimits(), write(tx, made, secrets)])
    } catch (error) {
      if (
        orders.length > 1 ||
        !isSqlError(error, '23505', 'payouts_business_id_livemode_reference_key')
      )
        throw error
      refuseDuplicate((orders[0] as NewPayout).input.reference)
    }
  return outcomes
}

/**
 * Locks and reads everything that can refuse these orders. Call `make` in order, because each
 * payout counts for those after it.
 */
async function openChecks(tx: Tx, orders: NewPayout[]) {
  const wallets = walletsOf(orders.map(({ scope, input }) => ({ scope, currency: input.currency })))
  // Before wallets, as a conversion locks them.
  const exchange = await openExchange(
    tx,
    orders.map(takingOf).filter((one) => one !== null),
  )
  const { books, taken, used, limitRows } = await lockAndRead(tx, orders, wallets)
  const limits = await openLimits(tx, wallets, limitRows, orders.map(leavingOf))
  const refusePayee = await openPayees(
    tx,
    orders.map(({ scope, destination, beneficiary, input: { currency } }) => ({
      scope,
      destination,
      beneficiary,
      listed: scope.actor?.type === 'key' && limits.keysPayBeneficiaries({ scope, currency }),
    })),
  )
  return {
    writeBooks: () => books.write(),
    writeLimits: () => limits.write(),
    /** @throws {Refusal} those of `createMany` */
    make(order: NewPayout, place: number): Made {
      const name = nameOf(order)
      const { reference, quote } = order.input
      if (taken.has(name)) refuseDuplicate(reference)
      if (quote !== undefined && used.has(quote)) refuseUsed(quote)
      refusePayee(place)
      const leaving = leavingOf(order)
      limits.refuseAbove(leaving)
      const needed = limits.approvalFor(leaving)
      const approval = approvalOf(order.scope, needed, order.maker)
      const taking = takingOf(order)
      if (taking) exchange.refuseTooShort(taking)
      const payout = newPayout(order, approval)
      const { amount, currency, id: subject, transaction } = payout
      const held = { amount, currency, kind: 'payout_hold', subject, transaction } as const
      const balanceAfter = holdIn(books, order.scope, 'payout', held)
      taken.add(name)
      if (quote !== undefined) used.add(quote)
      limits.count(leaving, needed?.reasons ?? [])
      if (taking) exchange.count(taking)
      return { ...order, payout, approval, balanceAfter }
    },
  }
}

/** Locks the wallets and reads used references, used quotes and limits. */
async function lockAndRead(tx: Tx, orders: NewPayout[], wallets: ReturnType<typeof walletsOf>) {
  const quoted = orders.filter(({ input }) => input.quote !== undefined)
  const [, books, rows, usedRows] = await Promise.all([
    tx.rows(planByIndex),
    openBooks(
      tx,
      orders.map(({ scope, input }) => ({ scope, keys: walletAccounts(input.currency) })),
    ),
    tx.rows(selectTaken, [
      orders.map(({ scope }) => scope.businessId),
      orders.map(({ scope }) => scope.livemode),
      orders.map(({ input }) => input.reference),
      ...walletParameters(wallets),
    ]),
    quoted.length > 0 ? tx.rows(selectUsed, quoteKeys(quoted)) : [],
  ])
  // The statement returns two kinds of rows; only those of limits have an `approval_ms`.
  const takenRows = rows.filter(({ approval_ms }) => approval_ms === null)
  return {
    books,
    limitRows: rows.filter((row): row is LimitOf => row.approval_ms !== null),
    taken: new Set(
      takenRows.map(({ position }) => nameOf(orders[Number(position) - 1] as NewPayout)),
    ),
    used: new Set(usedRows.map(({ position }) => quoted[Number(position) - 1]?.input.quote)),
  }
}

/** The amount as it counts toward limits. */
const leavingOf = ({ scope, input: { currency }, amount, destination }: NewPayout) => ({
  wallet: { scope, currency },
  amount,
  destination,
})

/** What it takes of the destination currency; null if that is the wallet's. */
const takingOf = ({ scope, input, destination: { currency }, price }: NewPayout): Taking | null =>
  currency === input.currency ? null : { scope, currency, amount: price.destinationAmount }

const nameOf = ({ scope, input }: NewPayout): string =>
  `${scope.businessId} ${scope.livemode} ${input.reference}`

/** @throws {Refusal} always, `duplicate_reference` */
export function refuseDuplicate(reference: string): never {
  refuse('duplicate_reference', `A payout with the reference '${reference}' exists already.`)
}

/** @throws {Refusal} always, `quote_used` */
export function refuseUsed(quote: Id): never {
  refusePayout('quote_used', `The quote '${quote}' has priced another payout; ask for a new one.`)
}

/** The scopes and ids of payout quotes. */
const quoteKeys = (quoted: NewPayout[]): unknown[] => [
  quoted.map(({ scope }) => scope.businessId),
  quoted.map(({ scope }) => scope.livemode),
  quoted.map(({ input }) => input.quote),
]

/** The record as it will be stored. */
function newPayout(
  { scope, input, amount, destination, beneficiary, warnings, price, refund }: NewPayout,
  { approval, approval_details }: Approval,
): Payout {
  const { now } = scope
  return {
    id: refund?.payout ?? newId(now),
    livemode: scope.livemode,
    reference: input.reference,
    amount,
    currency: input.currency,
    method: input.method,
    destination,
    beneficiary: beneficiary?.id ?? null,
    quote: input.quote ?? null,
    refund: refund?.refund ?? null,
    fee: price.fee,
    net_amount: price.net,
    fee_breakdown: price.breakdown,
    rate: price.rate,
    destination_amount: price.destinationAmount,
    destination_currency: destination.currency,
    description: input.description ?? null,
    status: 'pending',
    approval,
    approval_details: approval_details && toDetails(approval_details),
    review: null,
    failure_reason: null,
    provider_reference: null,
    transaction: refund?.transaction ?? newId(now),
    return_transaction: null,
    tx_hash: null,
    warnings,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  }
}

/** The new row; columns that only the rail can fill are null. */
function rowOf({ payout, destination, terms, approval, refund }: Made) {
  const {
    livemode: _1,
    net_amount: _2,
    failure_reason: _3,
    provider_reference: _4,
    tx_hash: _5,
    return_transaction: _6,
    review: _7,
    quote: quote_id,
    beneficiary: beneficiary_id,
    refund: refund_id,
    transaction: transaction_id,
    ...row
  } = payout
  const { customer: customer_id } = refund ?? { customer: null }
  const ids = { quote_id, beneficiary_id, refund_id, customer_id, transaction_id }
  return { ...row, ...approval, ...ids, destination, rail: terms.name }
}

/** Writes payouts, transactions, events and timers, but not the ledger, in parallel. */
async function write(tx: Tx, made: Made[], secrets: Keyring | null): Promise<void> {
  const quoted = made.filter(({ input }) => input.quote !== undefined)
  const waiting = made.filter(({ approval }) => approval.approval === 'waiting')
  // The refunds module records the action for refunds.
  const own = made.filter(({ refund }) => refund === undefined)
  await Promise.all([
    quoted.length > 0 ? tx.rows(useQuotes, quoteKeys(quoted)) : null,
    insertMany(
      tx,
      table,
      made.map((one) => ({ scope: one.scope, row: rowOf(one) })),
    ),
    recordTransactions(tx, made.map(transactionOf)),
    emitMany(
      tx,
      made.map(({ scope, payout, refund }) =>
        news(scope, payoutEvents, 'payout.initiated', payout, refund?.customer ?? null),
      ),
      secrets,
    ),
    recordActs(tx, own.map(actOf)),
    addNotices(tx, waiting.map(noticeOf)),
    addWaiting(tx, made.map(taskOf)),
  ])
}

function transactionOf({ scope, payout, balanceAfter }: Made): NewTransaction & { scope: Scope } {
  const { method, currency, amount, fee, reference, metadata, refund } = payout
  return {
    scope,
    id: payout.transaction,
    type: 'payout',
    method,
    direction: 'debit',
    status: 'pending',
    currency,
    amount,
    fee,
    balanceAfter,
    reference,
    related: { payout: payout.id, ...(refund === null ? {} : { refund }) },
    metadata,
  }
}

const actOf = ({ scope, payout: { id, reference, amount, currency } }: Made) => ({
  scope,
  act: { action: 'payout.created', subject: id, about: { reference, amount, currency } } as const,
})

const noticeOf = ({ scope, payout: { reference, amount, currency } }: Made) => ({
  scope,
  kind: 'payout_waiting' as const,
  line: `${reference}: ${showMoney(amount, currency)}`,
})

/** The next task: submit, or release the amount when the approval expires. */
function taskOf({ scope, terms, payout: { id, approval_details: approval } }: Made) {
  const next = approval
    ? { task: expireApprovalTask, dueAt: approval.until }
    : { task: submitTask, dueAt: terms.holdMs === 0 ? null : later(scope.now, terms.holdMs) }
  return { scope, ...next, subject: id, payload: { payout_id: id } }
}
