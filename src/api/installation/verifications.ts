/**
 * Runs `bursar ledger verify` as a job with the same checks; its row shows the progress in every
 * process. If its process dies, the run has no result and says so when the job is retried; start
 * another one.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { checksOf, verify } from '../../books/ledger/verify.ts'
import type { View, Work } from '../../core/inside.ts'
import type { JobPayload, Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { refuse } from '../../lib/errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import type { VerificationRow } from './sql.ts'
import * as statements from './sql.ts'

const task = 'installation.verify'
/** The most differences that are stored. */
const mostShown = 100

/** Returns a run as the API shows it. @param now the machine's time */
function recordOf({ differences, ...row }: VerificationRow, now: Date) {
  const { began_at, ended_at } = row
  return {
    ...row,
    checks_left: row.checks - row.checks_done,
    seconds:
      began_at === null
        ? 0
        : Math.max(0, Math.round(((ended_at ?? now).getTime() - began_at.getTime()) / 1_000)),
    differences: differences.map(({ business_id: business, ...rest }) => ({ ...rest, business })),
  }
}

export type Verification = ReturnType<typeof recordOf>

/** Starts a verification. @returns the running one, if there is one */
export async function startVerification(work: Work): Promise<Verification> {
  const { now, actor } = work.scope
  const maker =
    actor?.type === 'person'
      ? actor.id
      : actor?.type === 'operator'
        ? (actor.key?.hint ?? null)
        : null
  const checks = checksOf(work.strategies.installation.checks, false).length
  // A concurrent request waits for the row and returns that run; if it ends just then, the loop
  // tries again.
  for (;;) {
    const made = await work.tx.row(statements.insertVerification, [newId(now), checks, maker, now])
    if (made) {
      await enqueue(work, [{ task, subject: made.id, payload: { verification_id: made.id } }])
      const after = { checks }
      await recordChange(work, {
        action: 'ledger_verification.started',
        subject: made.id,
        before: null,
        after,
      })
      return recordOf(made, now)
    }
    const running = await work.tx.row(statements.selectRunning)
    if (running) return recordOf(running, now)
  }
}

/** The newest first. */
export async function listVerifications({ reader, scope }: View): Promise<Verification[]> {
  return (await reader.rows(statements.selectVerifications)).map((row) => recordOf(row, scope.now))
}

/** @throws {Refusal} `not_found` */
export async function getVerification({ reader, scope }: View, id: string): Promise<Verification> {
  const row = isId(id) ? await reader.row(statements.selectVerification, [id]) : null
  return row
    ? recordOf(row, scope.now)
    : refuse('not_found', `There is no verification '${id}' of the ledger.`)
}

/** Makes the run. If it was started before, its process died without a result. */
async function run(
  { db, clock, log, strategies }: Ctx,
  { verification_id: id }: JobPayload,
  signal: AbortSignal,
) {
  const giveUp = () => db.row(statements.giveUpVerification, [id, clock.now()])
  if ((await db.row(statements.beginVerification, [id, clock.now()])) === null) {
    await giveUp()
    return
  }
  try {
    const found = await verify(db, checksOf(strategies.installation.checks, false), {
      async before(done, name) {
        signal.throwIfAborted()
        await db.row(statements.progressVerification, [id, done, name])
      },
    })
    const { differences, accounts, postings, closed_at } = found
    const shown = toJson(differences.slice(0, mostShown))
    const count = BigInt(differences.length)
    await db.row(statements.endVerification, [
      id,
      accounts,
      postings,
      shown,
      count,
      clock.now(),
      closed_at,
    ])
  } catch (error) {
    log.error(
      { err: error, verification: id },
      'a verification of the ledger has ended without a result',
    )
    await giveUp()
  }
}

export const verificationTasks: Record<string, Task> = { [task]: run }
