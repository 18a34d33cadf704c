/**
 * The operator's decisions about disputed money: hold it in the merchant's wallet, release it, or
 * take it once the dispute is lost. The operator bears what the wallet cannot cover.
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
import { disputeAccount } from './movements.ts'
import { refuse, refuseUnknown } from './refusals.ts'
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

/** The most disputes in a list for the operator. */
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

/** Lists disputes of all businesses, newest first. */
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
  return (await view.reader.row(selectOwned, [id])) ?? refuseUnknown(id)
}

/**
 * A person's decision. `amount` in minor units; without it, all that is left. `scope`: the business
 * and mode of the dispute.
 */
export type Decision = { id: string; amount?: number | undefined; scope: Scope }

/** Reads the scope of a decision, outside of the transaction. @throws {Refusal} `not_found` */
export async function prepareDecision(
  ctx: Ctx,
  { id, amount }: Omit<Decision, 'scope'>,
): Promise<Decision> {
  const { business_id: businessId, livemode } = await findOwned(ctx, id)
  return { id, amount, scope: await scopeOf(ctx, businessId, livemode) }
}

/**
 * Holds money of the wallet for a dispute. It can be released, or taken once the dispute is lost.
 * @throws {Refusal} `not_found`, `dispute_won`, `dispute_held`, `dispute_amount_too_large`,
 * `insufficient_funds`
 */
export const holdFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    if (row.status === 'won') refuse('dispute_won', 'The dispute was won: nothing is held for it.')
    if (row.held > 0n)
      refuse(
        'dispute_held',
        `${formatMoney(row.held, row.currency)} is already held for the dispute; release it first.`,
      )
    return holdAmount(own, row, amountToHold(row, decision))
  })

/**
 * Releases the held amount to the wallet.
 * @throws {Refusal} `not_found`, `dispute_not_held`
 */
export const releaseFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    requireHeld(row)
    return releaseHeld(own, row)
  })

/**
 * Takes the held amount, or otherwise an amount of the available balance, to pay for the dispute.
 * @throws {Refusal} `not_found`, `dispute_not_lost`, `dispute_held` when an amount is named though
 * one is held, `dispute_amount_too_large`, `insufficient_funds`
 */
export const takeFor = (work: Work, decision: Decision): Promise<OperatorDispute> =>
  decide(work, decision, async (own, row) => {
    if (row.status !== 'lost')
      refuse(
        'dispute_not_lost',
        `The dispute is ${row.status}; money is taken only for a lost dispute.`,
      )
    if (row.held > 0n && decision.amount !== undefined)
      refuse(
        'dispute_held',
        `${formatMoney(row.held, row.currency)} is held; leave out the amount to take it.`,
      )
    const held =
      row.held > 0n ? row : { ...row, ...(await holdAmount(own, row, amountToHold(row, decision))) }
    return takeHeld(own, held)
  })

function amountToHold(row: DisputeRow, { amount }: Pick<Decision, 'amount'>): bigint {
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

type HeldColumns = Pick<DisputeRow, 'held' | 'taken' | 'hold_transaction_id'>

/**
 * Applies one decision in the books of the dispute's business, and records it in both audit logs.
 */
async function decide(
  work: Work,
  { id, scope }: Decision,
  apply: (own: Work, row: DisputeRow) => Promise<HeldColumns>,
): Promise<OperatorDispute> {
  holdTestData(work.tx, [scope])
  const { businessId, livemode } = scope
  const { actor } = work.scope
  const own = inside(work, work.tx, { ...scope, ...(actor ? { actor } : {}) })
  const row = (await own.row(lockDispute, [id])) ?? refuseUnknown(id)
  const after = await update(own, disputes, row.id, {
    ...(await apply(own, row)),
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

async function holdAmount(own: Work, row: DisputeRow, amount: bigint): Promise<HeldColumns> {
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

/** Releases the held amount. The caller has locked the dispute. */
export async function releaseHeld(own: Work, row: DisputeRow): Promise<HeldColumns> {
  const { id: subject, currency, held: amount, taken } = row
  const transaction = row.hold_transaction_id as Id
  await post(own, [release({ amount, currency, kind: 'dispute_release', subject, transaction })])
  await endTransaction(own, transaction, 'failed')
  return { held: 0n, taken, hold_transaction_id: null }
}

/**
 * Takes the held amount. A built-in rail has no dispute account, so the rail itself gets the money.
 */
async function takeHeld(own: Work, { id: subject, ...row }: DisputeRow): Promise<HeldColumns> {
  const { currency, rail, held: amount, taken } = row
  const transaction = row.hold_transaction_id as Id
  const debit = { purpose: 'wallet_pending', currency } as const
  const credit = isBuiltIn(rail)
    ? ({ purpose: 'rail_clearing', currency, subject: rail } as const)
    : disputeAccount(row)
  await post(own, [{ debit, credit, amount, kind: 'dispute_taken', subject, transaction }])
  await endTransaction(own, transaction, 'completed')
  return { held: 0n, taken: taken + amount, hold_transaction_id: null }
}
