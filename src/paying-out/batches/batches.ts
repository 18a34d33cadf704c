/**
 * Batches: up to ten thousand payouts in one piece. They are checked before anything is made, and
 * then made in chunks, each in one commit with what its lines have become; so however often a chunk
 * is begun, each line is one payout.
 */
import { recordAct } from '../../books/audit/audit.ts'
import { availableIn, walletIn } from '../../books/wallets/wallets.ts'
import type { Actor } from '../../core/app.ts'
import { insert, update, type View, type Work } from '../../core/inside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { insertMany } from '../../db/table.ts'
import { Refusal, refuse as refuseGenerally } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { assertCarryable, formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { type Checked, checkLines, rowOf } from './checking.ts'
import { refuse } from './refusals.ts'
import type { BatchIn, BatchQuery, BatchRecord, ConfirmIn } from './schema.ts'
import type { BatchRow } from './sql.ts'
import * as statements from './sql.ts'

export { OrderFault, type OrderLine, readPain001 } from './pain001-in.ts'

export type Batch = Static<typeof BatchRecord>

export const payTask = 'payout_batches.pay'

/**
 * Checks a batch, and keeps it as a draft, or begins to make its payouts.
 * @throws {Refusal} `duplicate_reference` (409), `amount_too_large`; but of a draft
 * `batch_has_bad_lines`, `insufficient_funds`
 */
export const create = (work: Work, input: Static<typeof BatchIn>): Promise<Batch> =>
  createFrom(work, input, null)

/** A batch whose failed lines another pays again: its id, and for each line which of them it is. */
export type RetryOf = { batch: Id; lines: readonly number[] }

/** Creates a batch as `create` does; of a retry, each line names the line that it pays again. */
export async function createFrom(
  work: Work,
  input: Static<typeof BatchIn>,
  retryOf: RetryOf | null,
): Promise<Batch> {
  const { now, actor } = work.scope
  const checked = await checkLines(work, input)
  const orders = checked.flatMap(({ order }) => (order ? [order] : []))
  const amount = orders.reduce((sum, order) => sum + order.amount, 0n)
  assertCarryable(amount)
  const bad = checked.length - orders.length
  const draft = input.dry_run === true
  if (!draft)
    await assertPayable(
      work,
      { currency: input.currency, amount, bad, good: orders.length },
      input,
      checked,
    )
  const row = await insert(
    work,
    statements.batches,
    {
      id: newId(now),
      reference: input.reference,
      description: input.description ?? null,
      currency: input.currency,
      status: draft ? 'draft' : 'running',
      line_count: checked.length,
      amount,
      fee: orders.reduce((sum, { price }) => sum + price.fee, 0n),
      bad,
      actor: draft ? null : kept(actor),
      metadata: input.metadata ?? {},
      retry_of: retryOf?.batch ?? null,
      created_at: now,
      updated_at: now,
      ended_at: null,
    },
    '(business_id, livemode, reference) do nothing',
  )
  if (!row)
    refuse('duplicate_reference', `A batch with the reference '${input.reference}' exists already.`)
  await insertMany(
    work.tx,
    statements.lines,
    checked.map((one, i) => ({
      scope: work.scope,
      row: lineRow(row.id, i + 1, one, retryOf && [retryOf.batch, retryOf.lines[i] as number]),
    })),
  )
  if (!draft)
    await enqueue(work, [{ task: payTask, subject: row.id, payload: { batch_id: row.id } }])
  return toBatch(work, row)
}

function lineRow(
  batch_id: Id,
  line: number,
  { input, order, wrong }: Checked,
  retryOf: readonly [batch: Id, line: number] | null,
) {
  const { reference, amount } = input
  return {
    batch_id,
    line,
    input,
    reference: typeof reference === 'string' ? reference.slice(0, 100) : null,
    amount: order?.amount ?? (Number.isSafeInteger(amount) ? BigInt(amount as number) : null),
    status: wrong ? ('bad' as const) : ('waiting' as const),
    field: wrong?.field ?? null,
    code: wrong?.code ?? null,
    message: wrong?.message ?? null,
    payout_id: null,
    retry_of_batch: retryOf?.[0] ?? null,
    retry_of_line: retryOf?.[1] ?? null,
  }
}

type Totals = { currency: BatchRow['currency']; amount: bigint; bad: number; good: number }

/** @throws {Refusal} `batch_has_bad_lines`, `insufficient_funds` */
async function assertPayable(
  work: Work,
  { currency, amount, bad, good }: Totals,
  { skip_bad = false }: Static<typeof ConfirmIn>,
  checked: Checked[] | null,
): Promise<void> {
  if (bad > 0 && (!skip_bad || good === 0)) {
    const named = (checked ?? [])
      .flatMap(({ wrong, input }, i) =>
        wrong ? [`${nameOf(input, i + 1)}: ${wrong.message.replace(/\.$/, '')}`] : [],
      )
      .slice(0, mostNamed)
    const what =
      good === 0
        ? 'No line of the batch can be paid'
        : `${bad} of ${bad + good} lines cannot be paid`
    const which = named.length > 0 ? `: ${named.join('; ')}` : ''
    const how = 'Mend them, or leave them out with `skip_bad`; a batch with `dry_run` names each.'
    refuse('batch_has_bad_lines', `${what}${which}. ${how}`)
  }
  const { available } = await walletIn(work, currency)
  if (available < amount)
    refuse(
      'insufficient_funds',
      `The ${currency} wallet has ${formatMoney(available, currency)} available; the batch needs ${formatMoney(amount, currency)}.`,
    )
}

const mostNamed = 3

/** Names a line by its row in the caller's file if it says one. */
const nameOf = (input: Checked['input'], line: number): string => {
  const row = rowOf(input)
  return row === null ? `line ${line}` : `row ${row}`
}

/**
 * Has the payouts of a draft made, by who confirms it.
 * @throws {Refusal} `not_found`, `batch_not_draft`, `batch_has_bad_lines`, `insufficient_funds`
 */
export async function confirm(
  work: Work,
  id: string,
  input: Static<typeof ConfirmIn>,
): Promise<Batch> {
  const row = await lock(work, id)
  if (row.status !== 'draft')
    refuse('batch_not_draft', `The batch is ${row.status}; a draft alone can be confirmed.`)
  const { currency, amount, bad, line_count } = row
  await assertPayable(work, { currency, amount, bad, good: line_count - bad }, input, null)
  const { now, actor } = work.scope
  const after = await update(work, statements.batches, row.id, {
    status: 'running',
    actor: kept(actor),
    updated_at: now,
  })
  await enqueue(work, [{ task: payTask, subject: row.id, payload: { batch_id: row.id } }])
  return toBatch(work, after)
}

/**
 * Makes no more payouts of a batch. Those that it has made stay: each can be canceled while it is
 * pending.
 * @throws {Refusal} `not_found`, `batch_over`
 */
export async function cancel(work: Work, id: string): Promise<Batch> {
  const row = await lock(work, id)
  if (row.status !== 'draft' && row.status !== 'running')
    refuse('batch_over', `The batch is ${row.status}.`)
  await work.rows(statements.cancelLines, [row.id])
  const { now } = work.scope
  const { id: subject, reference } = row
  await recordAct(work, { action: 'payout_batch.canceled', subject, about: { reference } })
  const canceled = row.line_count - row.bad - row.created - row.refused
  const end = { status: 'canceled', canceled, updated_at: now, ended_at: now } as const
  return toBatch(work, await update(work, statements.batches, row.id, end))
}

export async function lock(work: Work, id: string): Promise<BatchRow> {
  return (await work.row(statements.lockBatch, [id])) ?? unknown(id)
}

export function unknown(id: string): never {
  refuseGenerally('not_found', `There is no batch '${id}'.`)
}

/** Nothing of it is left to be made, so what has failed can be paid again. */
export const isOver = ({ status }: Pick<BatchRow, 'status'>): boolean =>
  status === 'completed' || status === 'canceled'

/** One batch, with where its payouts stand. @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<Batch> {
  const row = (await view.row(statements.selectBatch, [id])) ?? unknown(id)
  const counted = await view.rows(statements.countPayouts, [row.id])
  const payouts = Object.fromEntries(counted.map(({ status, payouts: n }) => [status, Number(n)]))
  const failures = isOver(row) ? await view.row(statements.countFailed, [row.id, null]) : null
  return {
    ...(await toBatch(view, row)),
    payouts,
    retriable: Number(failures?.retriable ?? 0),
  }
}

export async function list(view: View, query: Static<typeof BatchQuery>): Promise<PageOf<Batch>> {
  const page = await listPage<BatchRow>(view, statements.batches, query, {
    filters: [['status = ?', query.status]],
  })
  const available = await availableIn(view)
  return mapPage(page, (row) => recordOf(row, available))
}

const toBatch = async (view: View, row: BatchRow): Promise<Batch> =>
  recordOf(row, await availableIn(view))

/** @param funds what each wallet has available */
function recordOf(row: BatchRow, funds: ReadonlyMap<WalletCurrency, bigint>): Batch {
  const {
    line_count: _1,
    bad: _2,
    created: _3,
    refused: _4,
    canceled: _5,
    actor: _6,
    ...record
  } = row
  const available = funds.get(row.currency) ?? 0n
  const sufficient_funds = row.status !== 'draft' || available >= row.amount
  return {
    ...record,
    available,
    sufficient_funds,
    counts: countsOf(row),
    payouts: null,
    retriable: null,
  }
}

export function countsOf({
  status,
  line_count: lines,
  bad,
  created,
  refused,
  canceled,
}: BatchRow): Batch['counts'] {
  const waiting = status === 'canceled' ? 0 : lines - bad - created - refused
  return { lines, waiting, bad, created, refused, canceled }
}

/** Who confirms a batch, as it is kept: people by their id alone. */
function kept(actor: Actor | undefined): Actor | null {
  return actor?.type === 'person' ? { ...actor, hint: '' } : (actor ?? null)
}

/** Who has confirmed a batch, as its payouts are made by. */
export function makerOf({ actor }: BatchRow): Actor | undefined {
  if (actor === null) return undefined
  return { ...actor, at: new Date(actor.at) }
}

/** What a line was refused with. @throws what is no refusal */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal)) throw error
  return error
}
