/**
 * Runs schedules. The amount is computed with the wallet locked, and payout, result and next timer
 * are one commit. So each run happens once, however often its job runs; a missed run happens once,
 * late.
 */
import { requireActive, stoppedNow } from '../../books/businesses/businesses.ts'
import { openLimits as openExchange } from '../../books/exchange/exchange.ts'
import { lockAccounts } from '../../books/ledger/ledger.ts'
import { walletAccounts, walletIn } from '../../books/wallets/wallets.ts'
import type { Stopped } from '../../core/app.ts'
import { insert, update, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { outgoingOf } from '../../rails/records/outgoing.ts'
import { findBeneficiaries } from '../beneficiaries/beneficiaries.ts'
import { recordRefusal } from '../limits/limits.ts'
import { createFor, type Payout } from '../payouts/payouts.ts'
import { foreseen, pausing, type Skip } from './foreseen.ts'
import { nextOf, runTask, setNext } from './payout-schedules.ts'
import { lockSchedule, runs, type ScheduleRow, schedules } from './sql.ts'

/** Makes the due run. If none is due, another job has made it, or it was moved. */
async function run(ctx: Ctx, id: Id): Promise<void> {
  const { livemode, now } = ctx.scope
  // Test data are in the backup too.
  const restoredAt = livemode ? (await outgoingOf(ctx.db)).restoredAt : null
  await ctx.write(async (work) => {
    const stopped = await stoppedNow(work)
    const row = await work.row(lockSchedule, [id])
    if (!row?.next_run_at || !row.next_run_day || row.next_run_at > now) return
    const lost = restoredAt !== null && row.next_run_at < restoredAt
    const outcome = lost ? mayHaveRun : await pay(work, row, row.next_run_day, stopped)
    const paid = 'code' in outcome ? null : outcome
    const skip = 'code' in outcome ? outcome : null
    await insert(work, runs, {
      id: newId(now),
      schedule_id: row.id,
      due_at: row.next_run_at,
      amount: paid?.amount ?? null,
      payout_id: paid?.id ?? null,
      reference: paid?.reference ?? null,
      code: skip?.code ?? null,
      message: skip?.message ?? null,
      created_at: now,
    })
    if (skip && pausing.includes(skip.code)) {
      const paused = {
        status: 'paused',
        paused_because: skip.code,
        next_run_at: null,
        next_run_day: null,
      } as const
      await update(work, schedules, row.id, { ...paused, updated_at: now })
      return
    }
    const last_paid_day = paid ? row.next_run_day : row.last_paid_day
    const next = await nextOf(work, { ...row, last_paid_day })
    await setNext(
      work,
      await update(work, schedules, row.id, { ...next, last_paid_day, updated_at: now }),
    )
  })
}

const mayHaveRun: Skip = {
  code: 'restored_from_backup',
  message: 'It was due before the data of this server were restored, and may have been paid then.',
}

/** Pays with wallet and beneficiary locked, so that neither changes between reading and paying. */
async function pay(
  work: Work,
  row: ScheduleRow,
  day: string,
  stopped: Stopped | null,
): Promise<Payout | Skip> {
  const findPayee = async () =>
    (await findBeneficiaries(work, [row.beneficiary_id])).get(row.beneficiary_id) ?? null
  // Before wallets, as in conversions. A beneficiary changed meanwhile is not paid, so the currency
  // stays.
  const arrives = (await findPayee())?.destination.currency ?? row.currency
  if (arrives !== row.currency)
    await openExchange(work.tx, [{ scope: work.scope, currency: arrives }])
  await lockAccounts(work, walletAccounts(row.currency))
  const { available } = await walletIn(work, row.currency)
  const payee = await findPayee()
  const next = foreseen(row, payee, available, work.scope.now)
  if ('code' in next) return next
  const order = {
    reference: `schedule-${row.id}-${day}`,
    amount: Number(next.amount),
    currency: row.currency,
    ...(row.description === null ? {} : { description: row.description }),
    metadata: { ...row.metadata, payout_schedule: row.id },
    maker: row.made_by,
  }
  try {
    requireActive({ stopped })
    return await work.tx.savepoint(() => createFor(work, order, next.payee))
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await recordRefusal(work.tx, work.scope, error)
    return { code: error.code, message: error.message }
  }
}

export const scheduleTasks: Record<string, Task> = {
  [runTask]: (ctx, { schedule_id }) => run(ctx, schedule_id as Id),
}
