/**
 * The job of a batch: a chunk of lines becomes payouts, and has the next job made in the same
 * commit.
 */
import { refusalOfStopped, requireActive, stoppedNow } from '../../books/businesses/businesses.ts'
import { update, type Work } from '../../core/inside.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { isSqlError } from '../../db/db.ts'
import { type Outcome, outcomeOf } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { createMany, type NewPayout, prepare } from '../payouts/payouts.ts'
import { makerOf, payTask, refusalOf } from './batches.ts'
import { type Line, payoutOf } from './checking.ts'
import type { BatchRow } from './sql.ts'
import * as statements from './sql.ts'

/** Few enough that others who pay from the wallet wait for a moment only. */
const chunk = 100
/** Banks are asked for so many names at once. */
const lanes = 8

type Prepared = { line: number; order: Outcome<NewPayout> }

/** Makes payouts of the next lines of a batch. Does nothing where it does not run. */
export async function payChunk(ctx: Ctx, id: Id): Promise<void> {
  const batch = await ctx.row(statements.selectBatch, [id])
  if (batch?.status !== 'running') return
  const actor = makerOf(batch)
  const acting = outside(ctx, { ...ctx.scope, ...(actor ? { actor } : {}) }, ctx.log)
  const rows = await ctx.rows(statements.selectWaiting, [id, chunk])
  const stopped = await acting.write(stoppedNow)
  const prepared: Prepared[] = []
  const left = [...rows]
  const prepareNext = async (): Promise<void> => {
    for (let row = left.shift(); row; row = left.shift()) {
      const input = payoutOf(row.input as Line, batch.currency)
      const order = await outcomeOf(async () => {
        requireActive({ stopped })
        return prepare(acting, input)
      })
      prepared.push({ line: row.line, order })
    }
  }
  await Promise.all(Array.from({ length: lanes }, prepareNext))
  prepared.sort((a, b) => a.line - b.line)
  try {
    await acting.write((work) => commit(work, id, prepared))
  } catch (error) {
    // Somebody else has used one of the references just now: alone, that line is refused for it,
    // and the others are paid.
    if (!isSqlError(error, '23505')) throw error
    for (const one of prepared) await acting.write((work) => commit(work, id, [one]))
  }
}

/**
 * Makes payouts of those lines that wait still, and says what has become of them. The next job is
 * made where more are left.
 */
async function commit(work: Work, id: Id, prepared: Prepared[]): Promise<void> {
  const stopped = await stoppedNow(work)
  const batch = (await work.row(statements.lockBatch, [id])) as BatchRow
  if (batch.status !== 'running') return
  const waiting = await work.rows(statements.selectStillWaiting, [
    id,
    prepared.map(({ line }) => line),
  ])
  const still = new Set(waiting.map(({ line }) => line))
  // A bank may have taken its time: what was stopped meanwhile pays nobody.
  const own = prepared
    .filter(({ line }) => still.has(line))
    .map((one) => (stopped ? { ...one, order: { refusal: refusalOfStopped(stopped) } } : one))
  const orders = own.flatMap(({ order }) => ('answer' in order ? [order.answer] : []))
  const made = (orders.length > 0 ? await createMany(work.tx, orders) : []).values()
  const ends = own.map(({ line, order }) => {
    const outcome =
      'refusal' in order
        ? order
        : (made.next().value as Exclude<ReturnType<typeof made.next>['value'], undefined>)
    if ('answer' in outcome)
      return { line, status: 'created', payout: outcome.answer.id, code: null, message: null }
    const { code, message } = refusalOf(outcome.refusal)
    return { line, status: 'refused', payout: null, code, message }
  })
  if (ends.length > 0)
    await work.rows(statements.endLines, [
      id,
      ends.map(({ line }) => line),
      ends.map(({ status }) => status),
      ends.map(({ payout }) => payout),
      ends.map(({ code }) => code),
      ends.map(({ message }) => message),
    ])
  const { now } = work.scope
  const created = batch.created + ends.filter(({ status }) => status === 'created').length
  const refused = batch.refused + ends.filter(({ status }) => status === 'refused').length
  const over = (await work.row(statements.selectAnyWaiting, [id])) === null
  const end = over ? ({ status: 'completed', ended_at: now } as const) : {}
  await update(work, statements.batches, id, { ...end, created, refused, updated_at: now })
  // Where another job has paid these lines, it has made the next one as well.
  if (!over && ends.length > 0)
    await enqueue(work, [{ task: payTask, subject: id, payload: { batch_id: id } }])
}
