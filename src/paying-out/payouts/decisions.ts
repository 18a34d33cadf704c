/**
 * Approves and refuses payouts. A payout that waits for approval has its amount held and its price
 * fixed. No rail has it until a person other than its maker approves it.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { lockAccounts } from '../../books/ledger/ledger.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import { update, type View, type Work } from '../../core/inside.ts'
import { outcomeOf, Refusal, refuse as refuseGenerally } from '../../lib/errors.ts'
import { walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { addWaiting, unschedule } from '../../platform/jobs/timers.ts'
import { requireRightNow, requireSecondPerson } from '../../platform/team/team.ts'
import { decisionColumns, waitsUntil } from './approval.ts'
import { assertUnsent } from './payouts.ts'
import { expireApprovalTask, type Payout, submitTask, toPayout } from './record.ts'
import { refuse as refusePayout } from './refusals.ts'
import { offeredAt } from './review.ts'
import type { DecisionsIn, DecisionsRecord } from './schema.ts'
import { lockByReferences, type PayoutRow, payouts } from './sql.ts'
import { lockRefunds, transition } from './transition.ts'

/**
 * Approves a payout, which then goes to its rail at the price it was created with.
 * @throws {Refusal} `not_found`, `scope_missing` when the right was revoked meanwhile,
 * `payout_not_waiting`, `approved_by_maker`, `approver_too_new`
 */
export async function approve(work: Work, reference: string): Promise<Payout> {
  await requireRightNow(work, 'approve')
  return approveLocked(work, await lock(work, reference))
}

/**
 * Refuses a payout: cancels it and releases its amount. Its maker may do so too.
 * @throws {Refusal} `not_found`, `scope_missing` when the right was revoked meanwhile,
 * `payout_not_waiting`, `payout_not_cancelable`
 */
export async function refuse(work: Work, reference: string): Promise<Payout> {
  await requireRightNow(work, 'approve')
  return refuseLocked(work, await lock(work, reference))
}

/**
 * Decides on several payouts, each as if alone. Locks them in id order, then their wallets, to
 * avoid deadlocks with decisions and cancellations of one.
 * @throws {Refusal} `scope_missing` when the right was revoked meanwhile
 */
export async function decide(
  work: Work,
  { decision, references }: Static<typeof DecisionsIn>,
): Promise<Static<typeof DecisionsRecord>> {
  await requireRightNow(work, 'approve')
  const rows = new Map(
    (await work.rows(lockByReferences, [references])).map((row) => [row.reference, row]),
  )
  if (decision === 'refuse') {
    // Locks the subjects of refunds before wallets.
    await lockRefunds([...rows.values()].map((payout) => ({ work, payout })))
    await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  }
  const one = decision === 'approve' ? approveLocked : refuseLocked
  const result: Static<typeof DecisionsRecord> = { decided: [], skipped: [] }
  for (const reference of references) {
    const outcome = await outcomeOf(() =>
      work.tx.savepoint(() => one(work, rows.get(reference) ?? refuseMissing(reference))),
    )
    if ('answer' in outcome) result.decided.push(outcome.answer)
    else if (outcome.refusal instanceof Refusal)
      result.skipped.push({
        reference,
        code: outcome.refusal.code,
        message: outcome.refusal.message,
      })
    else throw outcome.refusal
  }
  return result
}

async function lock(work: Work, reference: string): Promise<PayoutRow> {
  return (await work.row(lockByReferences, [[reference]])) ?? refuseMissing(reference)
}

function refuseMissing(reference: string): never {
  refuseGenerally('not_found', `There is no payout with the reference '${reference}'.`)
}

async function approveLocked(work: Work, row: PayoutRow): Promise<Payout> {
  const { tx, scope } = work
  assertWaiting(work, row)
  await requireSecondPerson(work, row.approval_details?.made_by ?? null)
  const approved = await update(work, payouts, row.id, {
    ...decisionColumns(row, scope, 'approved'),
    updated_at: scope.now,
  })
  await unschedule(tx, scope.businessId, expireApprovalTask, [row.id])
  const job = { task: submitTask, subject: row.id, payload: { payout_id: row.id } }
  await addWaiting(tx, [{ ...job, scope, dueAt: offeredAt(work, row) }])
  await record(work, 'payout.approved', row, approved)
  return toPayout(approved)
}

async function refuseLocked(work: Work, row: PayoutRow): Promise<Payout> {
  assertWaiting(work, row)
  await assertUnsent(work, row)
  const refused = await transition(work, row, 'cancel')
  await record(work, 'payout.refused', row, refused)
  return toPayout(refused)
}

function assertWaiting({ scope }: View, row: PayoutRow): void {
  const { status, approval } = row
  if (approval !== 'waiting')
    refusePayout(
      'payout_not_waiting',
      `The payout waits for no approval: it is ${status}, and its approval is '${approval}'.`,
    )
  const until = waitsUntil(row)
  if (until <= scope.now)
    refusePayout(
      'payout_not_waiting',
      `The payout waited until ${until.toISOString()}; it is being given back.`,
    )
}

async function record(
  work: Work,
  action: 'payout.approved' | 'payout.refused',
  before: PayoutRow,
  { id, reference, amount, currency, approval }: PayoutRow,
): Promise<void> {
  const after = { approval, reference, amount, currency }
  await recordChange(work, { action, subject: id, before: { approval: before.approval }, after })
}
