import type { Actor } from '../../core/app.ts'
import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import type { Payout } from '../payouts/payouts.ts'
import type { batchStatuses, lineStatuses } from './schema.ts'

export const batches = t.table('payout_batches', {
  id: t.text<Id>(),
  reference: t.text(),
  description: t.nullable(t.text()),
  currency: t.text<WalletCurrency>(),
  status: t.text<(typeof batchStatuses)[number]>(),
  line_count: t.integer(),
  amount: t.bigint(),
  fee: t.bigint(),
  bad: t.integer(),
  created: t.defaulted(t.integer()),
  refused: t.defaulted(t.integer()),
  canceled: t.defaulted(t.integer()),
  actor: t.nullable(t.json<Actor | null>()),
  metadata: t.json<Record<string, unknown>>(),
  retry_of: t.nullable(t.text<Id>()),
  created_at: t.time(),
  updated_at: t.time(),
  ended_at: t.nullable(t.time()),
})
export type BatchRow = t.RowOf<typeof batches>

export const lines = t.table('payout_batch_lines', {
  batch_id: t.text<Id>(),
  line: t.integer(),
  reference: t.nullable(t.text()),
  amount: t.nullable(t.bigint()),
  input: t.json<Record<string, unknown>>(),
  status: t.text<(typeof lineStatuses)[number]>(),
  field: t.nullable(t.text()),
  code: t.nullable(t.text()),
  message: t.nullable(t.text()),
  payout_id: t.nullable(t.text<Id>()),
  retry_of_batch: t.nullable(t.text<Id>()),
  retry_of_line: t.nullable(t.integer()),
})
export type LineRow = t.RowOf<typeof lines>

export const selectBatch = t.byId(batches)
export const lockBatch = t.byId(batches, t.locked)

const own = 'business_id = $1 and livemode = $2 and batch_id = $3'

/** The first lines whose payouts are to be made. */
export const selectWaiting = sql<LineRow>(
  'batches.select_waiting',
  `select ${t.columnsOf(lines)} from payout_batch_lines where ${own} and status = 'waiting' order by line limit $4`,
)
/** Which of some lines wait still. To be read with the batch locked. */
export const selectStillWaiting = sql<{ line: number }>(
  'batches.select_still_waiting',
  `select line from payout_batch_lines where ${own} and status = 'waiting' and line = any ($4::integer[])`,
)
export const selectAnyWaiting = sql<{ line: number }>(
  'batches.select_any_waiting',
  `select line from payout_batch_lines where ${own} and status = 'waiting' limit 1`,
)

export const endLines = sql(
  'batches.end_lines',
  `update payout_batch_lines l set status = ended.status, payout_id = ended.payout_id, code = ended.code, message = ended.message
     from unnest($4::integer[], $5::text[], $6::text[], $7::text[], $8::text[]) as ended (line, status, payout_id, code, message)
    where l.business_id = $1 and l.livemode = $2 and l.batch_id = $3 and l.line = ended.line`,
)
export const cancelLines = sql(
  'batches.cancel_lines',
  `update payout_batch_lines set status = 'canceled' where ${own} and status = 'waiting'`,
)

/** Nobody decided about the payout in time, so the server canceled it. */
const isUnapproved = `p.approval = 'refused' and p.approval_details->>'decided_by' is null`

/** Lines with their payouts, and the lines of other batches that pay them again. */
const linesWithPayouts = `
  from payout_batch_lines l
  left join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.id = l.payout_id
  left join payout_batch_lines r on r.business_id = l.business_id and r.livemode = l.livemode
        and r.retry_of_batch = l.batch_id and r.retry_of_line = l.line and r.status not in ('bad', 'canceled')
 where l.business_id = $1 and l.livemode = $2 and l.batch_id = $3`

/** Lines whose money did not stay with the recipient. */
const failed = `(l.status = 'refused' or p.status in ('failed', 'returned', 'canceled'))`

/**
 * Failed lines that no other batch pays again. A canceled payout is one if nobody decided about it:
 * what a person has canceled is not to be paid. A line whose reference another payout has is none:
 * that payout pays its recipient.
 */
const retriable = `r.line is null
  and (l.status = 'refused' and l.code is distinct from 'duplicate_reference'
       or p.status in ('failed', 'returned') or p.status = 'canceled' and ${isUnapproved})`

export type ReadLineRow = LineRow & {
  paid_to: StoredDestination | null
  payout_status: Payout['status'] | null
  failure_reason: Payout['failure_reason']
  is_unapproved: boolean | null
  retriable: boolean | null
  retried_in: Id | null
}

const readColumns = `${t
  .columnsOf(lines)
  .split(', ')
  .map((name) => `l.${name}`)
  .join(
    ', ',
  )}, p.destination as paid_to, p.status as payout_status, p.failure_reason, ${isUnapproved} as is_unapproved, ${retriable} as retriable, r.batch_id as retried_in`

export const selectLines = sql<ReadLineRow>(
  'batches.select_lines',
  `select ${readColumns} ${linesWithPayouts}
      and ($4::text is null or l.status = $4) and ($5::boolean is null or coalesce(${failed}, false) = $5)
    order by l.line limit $6 offset $7`,
)
export const countFailed = sql<{ lines: bigint; failed: bigint; retriable: bigint }>(
  'batches.count_failed',
  `select count(*) as lines, count(*) filter (where ${failed}) as failed,
          count(*) filter (where ${retriable}) as retriable
     ${linesWithPayouts} and ($4::text is null or l.status = $4)`,
)
/** Lines to be paid again. To be read with the batch locked. */
export const selectRetriable = sql<LineRow>(
  'batches.select_retriable',
  `select ${readColumns} ${linesWithPayouts} and ${retriable} order by l.line`,
)

/** How many payouts of a batch stand where. */
export const countPayouts = sql<{ status: string; payouts: bigint }>(
  'batches.count_payouts',
  `select case when p.approval = 'waiting' then 'waiting' else p.status end as status, count(*) as payouts
     from payout_batch_lines l
     join payouts p on p.business_id = l.business_id and p.livemode = l.livemode and p.id = l.payout_id
    where l.business_id = $1 and l.livemode = $2 and l.batch_id = $3 and l.status = 'created'
    group by 1 order by 1`,
)
