/**
 * What a person of the operator decides of a dispute's money: to hold it in the merchant's wallet,
 * to release it, or to take it once the dispute is lost. Never more than the wallet has: what a
 * dispute costs beyond that stays the operator's loss, in `disputes`.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { isBuiltIn, post } from '../../books/ledger/ledger.ts'
import {
  endTransaction,
  getTransactions,
  recordTransaction,
} from '../../books/transactions/transactions.ts'
import { hold, release } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import { inside, update, type View, type Work } from '../../core/inside.ts'
import { type Ctx, scopeOf } from '../../core/outside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { type PageOf, type PageQuery, paginate } from '../../db/lists/list.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { disputed } from './movements.ts'
import { refuse } from './refusals.ts'
import type { OperatorDisputeRecord } from './schema.ts'
import {
  type DisputeRow,
  disputes,
  lockDispute,
  type OwnedDispute,
  selectAll,
  selectOpen,
  selectOwned,
} from './sql.ts'
import type { DisputeStatus } from './states.ts'

export type OperatorDispute = Static<typeof OperatorDisputeRecord>

/** How many the operator is shown at most: the newest. */
const mostListed = 1_000n

function toRecord({
  business_id: business,
  payment_id,
  transaction_id,
  customer_id,
  ...row
}: OwnedDispute) {
  const { hold_transaction_id: _hold, ...shown } = row
  const ids = { payment: payment_id, transaction: transaction_id, customer: customer_id }
  return { ...shown, ...ids, business } as OperatorDispute
}

/** The newest of all businesses. */
export async function listOperatorDisputes(
  view: View,
  { status, ...query }: PageQuery & { status?: DisputeStatus },
): Promise<PageOf<OperatorDispute>> {
  const { reader } = view
  const rows =
    status === 'open'
      ? await reader.rows(selectOpen, [mostListed])
      : await reader.rows(selectAll, [status ?? null, mostListed])
  return paginate(rows.map(toRecord), query as never)
}

/** @throws {Refusal} `not_found` */
export async function getOperatorDispute(view: View, id: string): Promise<OperatorDispute> {
  return toRecord(await findOwned(view, id))
}

async function findOwned(view: View, id: string): Promise<OwnedDispute> {
  return (
    (await view.reader.row(selectOwned, [id])) ??
    refuse('not_found', `There is no dispute '${id}'.`)
  )
}

/**
 * What a person has decided: of how much, in minor units; left out, of all that is left. `scope`:
 * in the time of its business and mode.
 */
export type Decision = { id: string; amount?: number | undefined; scope: Scope }

/** Outside, for what is done inside. @throws {Refusal} `not_found` */
export async function prepareDecision(
  ctx: Ctx,
  { id, amount }: Omit<Decision, 'scope'>,
): Promise<Decision> {
  const { business_id: businessId, livemode } = await findOwned(ctx, id)
  return { id, amount, scope: await scopeOf(ctx, businessId, livemode) }
}

/**
 * Holds money of the wallet for a dispute: it can be released, and taken once the dispute is lost.
 * @throws {Refusal} `not_found`, `dispute_won`, `dispute_held`, `dispute_amount_too_large`,
 * `insufficient_funds`
 */
export const holdFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    if (row.status === 'won') refuse('dispute_won', 'The dispute was won: nothing is held for it.')
    if (row.held > 0n)
      refuse(
        'dispute_held',
        `${formatMoney(row.held, row.currency)} is held for it already: release that first.`,
      )
    return holdOf(own, row, amountOf(row, decision))
  })

/**
 * Gives back to the wallet what is held.
 * @throws {Refusal} `not_found`, `dispute_not_held`
 */
export const releaseFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    requireHeld(row)
    return releaseHeld(own, row)
  })

/**
 * Takes what is held, or, where nothing is, an amount of what the wallet has available: it pays
 * what the dispute has cost.
 * @throws {Refusal} `not_found`, `dispute_not_lost`, `dispute_held` for an amount beside what is
 * held, `dispute_amount_too_large`,
 *   `insufficient_funds`
 */
export const takeFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    if (row.status !== 'lost')
      refuse('dispute_not_lost', `The dispute is ${row.status}: only of a lost one is taken.`)
    if (row.held > 0n && decision.amount !== undefined)
      refuse(
        'dispute_held',
        `${formatMoney(row.held, row.currency)} is held: take that, without an amount.`,
      )
    const held =
      row.held > 0n ? row : { ...row, ...(await holdOf(own, row, amountOf(row, decision))) }
    return takeHeld(own, held)
  })

function amountOf(row: DisputeRow, { amount }: Pick<Decision, 'amount'>): bigint {
  const left = row.amount - row.taken
  const wanted = amount === undefined ? left : BigInt(amount)
  if (left === 0n || wanted > left)
    refuse(
      'dispute_amount_too_large',
      `${formatMoney(left, row.currency)} of the dispute is left.`,
      {
        left: Number(left),
      },
    )
  return wanted
}

function requireHeld(row: DisputeRow): void {
  if (row.held === 0n) refuse('dispute_not_held', 'Nothing is held for the dispute.')
}

type Held = Pick<DisputeRow, 'held' | 'taken' | 'hold_transaction_id'>

/**
 * One decision at a time, in the books of the dispute's business, and in the audit logs of both.
 */
async function decide(
  work: Work,
  { id, scope }: Decision,
  act: (own: Work, row: DisputeRow) => Promise<Held>,
): Promise<OperatorDispute> {
  holdTestData(work.tx, [scope])
  const { businessId, livemode } = scope
  const { actor } = work.scope
  const own = inside(work, work.tx, { ...scope, ...(actor ? { actor } : {}) })
  const row =
    (await own.row(lockDispute, [id])) ?? refuse('not_found', `There is no dispute '${id}'.`)
  const after = await update(own, disputes, row.id, {
    ...(await act(own, row)),
    updated_at: own.scope.now,
  })
  const amounts = ({ held, taken }: DisputeRow) => ({ held, taken })
  await recordOperatorChange(own, {
    action: 'dispute.money_decided',
    subject: row.id,
    before: amounts(row),
    after: amounts(after),
  })
  return toRecord({ ...after, business_id: businessId, livemode } as OwnedDispute)
}

async function holdOf(own: Work, row: DisputeRow, amount: bigint): Promise<Held> {
  const { id: subject, currency, taken } = row
  const [paid] = await getTransactions(own.tx, [{ scope: own.scope, id: row.transaction_id }])
  const transaction = newId(own.scope.now)
  const balanceAfter = await hold(own, 'dispute', {
    amount,
    currency,
    kind: 'dispute_hold',
    subject,
    transaction,
  })
  await recordTransaction(own, {
    id: transaction,
    type: 'dispute',
    method: paid?.method ?? 'card',
    direction: 'debit',
    status: 'pending',
    currency,
    amount,
    fee: 0n,
    balanceAfter,
    reference: null,
    customer: row.customer_id,
    metadata: {},
    related: { dispute: subject, ...(row.payment_id === null ? {} : { payment: row.payment_id }) },
  })
  return { held: amount, taken, hold_transaction_id: transaction }
}

/** Gives back what is held, in the transaction that has the dispute locked. */
export async function releaseHeld(own: Work, row: DisputeRow): Promise<Held> {
  const { id: subject, currency, held: amount, taken } = row
  const transaction = row.hold_transaction_id as Id
  await post(own, [release({ amount, currency, kind: 'dispute_release', subject, transaction })])
  await endTransaction(own, transaction, 'failed')
  return { held: 0n, taken, hold_transaction_id: null }
}

/**
 * A rail that is built in has taken nothing: what is taken of the wallet goes to it as a refund
 * does.
 */
async function takeHeld(own: Work, { id: subject, ...row }: DisputeRow): Promise<Held> {
  const { currency, rail, held: amount, taken } = row
  const transaction = row.hold_transaction_id as Id
  const debit = { purpose: 'wallet_pending', currency } as const
  const credit = isBuiltIn(rail)
    ? ({ purpose: 'rail_clearing', currency, subject: rail } as const)
    : disputed(row)
  await post(own, [{ debit, credit, amount, kind: 'dispute_taken', subject, transaction }])
  await endTransaction(own, transaction, 'completed')
  return { held: 0n, taken: taken + amount, hold_transaction_id: null }
}
