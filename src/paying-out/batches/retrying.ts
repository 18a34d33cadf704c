/**
 * Pays again what failed of a batch: a draft of new lines with new references. A line has at most
 * one retry that can still pay, which a unique index enforces.
 */
import type { Work } from '../../core/inside.ts'
import type { Static } from '../../lib/schema.ts'
import { type Batch, createFrom, isOver, lock } from './batches.ts'
import { rowOf } from './checking.ts'
import { refuse } from './refusals.ts'
import type { RetryIn } from './schema.ts'
import * as statements from './sql.ts'

/**
 * Makes a draft of the lines of a batch that failed and that no other batch pays again.
 * @throws {Refusal} `not_found`, `batch_not_retriable`, `duplicate_reference` (409)
 */
export async function retry(
  work: Work,
  id: string,
  { reference, lines }: Static<typeof RetryIn>,
): Promise<Batch> {
  const batch = await lock(work, id)
  if (!isOver(batch))
    refuse(
      'batch_not_retriable',
      `The batch is ${batch.status}; pay again what failed once it is over.`,
    )
  const found = await work.rows(statements.selectRetriable, [batch.id])
  const chosen = lines === undefined ? found : found.filter(({ line }) => lines.includes(line))
  if (chosen.length === 0)
    refuse(
      'batch_not_retriable',
      'No line of the batch can be paid again: none has failed, or others pay what failed.',
    )
  const missing = lines?.find((line) => !found.some((one) => one.line === line))
  if (missing !== undefined)
    refuse(
      'batch_not_retriable',
      `Line ${missing} cannot be paid again: it has not failed, a person has canceled it, or another payout or batch pays it.`,
    )
  const input = {
    reference,
    currency: batch.currency,
    ...(batch.description === null ? {} : { description: batch.description }),
    dry_run: true,
    lines: chosen.map(({ line, input: { reference: _used, ...again } }) => ({
      ...again,
      row: rowOf(again) ?? line,
    })),
  }
  return createFrom(work, input, { batch: batch.id, lines: chosen.map(({ line }) => line) })
}
