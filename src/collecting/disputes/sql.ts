import { sql, sqlOfAll } from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { FileKind, FileType } from '../../rails/ports/disputes.ts'
import type { DisputeStatus } from './states.ts'

export const disputes = t.table('disputes', {
  id: t.text<Id>(),
  rail: t.text(),
  provider_reference: t.text(),
  payment_id: t.nullable(t.text<Id>()),
  transaction_id: t.text<Id>(),
  customer_id: t.nullable(t.text<Id>()),
  amount: t.bigint(),
  currency: t.text<WalletCurrency>(),
  reason: t.nullable(t.text()),
  evidence_due_at: t.nullable(t.time()),
  status: t.text<DisputeStatus>(),
  held: t.defaulted(t.bigint()),
  taken: t.defaulted(t.bigint()),
  hold_transaction_id: t.defaulted(t.nullable(t.text<Id>())),
  closed_at: t.defaulted(t.nullable(t.time())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type DisputeRow = t.RowOf<typeof disputes>
const columns = t.columnsOf(disputes)

export const selectDispute = t.byId(disputes)
export const lockDispute = t.byId(disputes, t.locked)

/** The dispute that a provider knows by its own id, locked. */
export const lockKnown = sql<DisputeRow>(
  'disputes.lock_known',
  `select ${columns} from disputes
    where business_id = $1 and livemode = $2 and rail = $3 and provider_reference = $4 for no key update`,
)

/** What disputes that were not won take of a payment, by the transactions that booked its money. */
export const sumsOfPayment = sql<{ transaction_id: Id; amount: bigint }>(
  'disputes.sums_of_payment',
  `select transaction_id, sum(amount)::bigint as amount from disputes
    where business_id = $1 and livemode = $2 and payment_id = $3 and status <> 'won' group by transaction_id`,
)

/** What disputes that were not won take of a transaction. */
export const sumOfTransaction = sql<{ amount: bigint }>(
  'disputes.sum_of_transaction',
  `select coalesce(sum(amount), 0)::bigint as amount from disputes
    where business_id = $1 and livemode = $2 and payment_id = $3 and transaction_id = $4 and status <> 'won'`,
)

export const selectIdsOfPayment = sql<{ id: Id }>(
  'disputes.select_ids_of_payment',
  `select id from disputes where business_id = $1 and livemode = $2 and payment_id = $3
    order by created_at desc, id desc limit $4`,
)

// Evidence
// -------------------------------------------------------------------------------------------------

/** Its id is the dispute's. */
export const evidence = t.table('dispute_evidence', {
  id: t.text<Id>(),
  payment_id: t.nullable(t.text<Id>()),
  customer_id: t.nullable(t.text<Id>()),
  texts: t.nullable(t.bytes()),
  accepts: t.defaulted(t.boolean()),
  status: t.text<'draft' | 'sending' | 'sent' | 'refused'>(),
  failure: t.defaulted(t.nullable(t.text())),
  answer_number: t.defaulted(t.integer()),
  tried_at: t.defaulted(t.nullable(t.time())),
  answers_before: t.defaulted(t.nullable(t.integer())),
  submitted_at: t.defaulted(t.nullable(t.time())),
  payer_erased: t.defaulted(t.boolean()),
  created_at: t.time(),
  updated_at: t.time(),
})
export type EvidenceRow = t.RowOf<typeof evidence>
export const selectEvidence = t.byId(evidence)
export const lockEvidence = t.byId(evidence, t.locked)

export const files = t.table('dispute_files', {
  id: t.text<Id>(),
  dispute_id: t.text<Id>(),
  payment_id: t.nullable(t.text<Id>()),
  customer_id: t.nullable(t.text<Id>()),
  kind: t.text<FileKind>(),
  type: t.text<FileType>(),
  bytes: t.integer(),
  sha256: t.text(),
  content: t.nullable(t.bytes()),
  created_at: t.time(),
  updated_at: t.time(),
})
export type FileRow = t.RowOf<typeof files>

const ofDispute = 'where business_id = $1 and livemode = $2 and dispute_id = $3'
export const selectFiles = sql<Pick<FileRow, 'kind' | 'type' | 'bytes' | 'sha256'>>(
  'dispute_files.select',
  `select kind, type, bytes, sha256 from dispute_files ${ofDispute} order by kind`,
)
export const selectContents = sql<FileRow>(
  'dispute_files.select_contents',
  `select ${t.columnsOf(files)} from dispute_files ${ofDispute} and content is not null order by kind`,
)
export const deleteFiles = sql(
  'dispute_files.delete',
  `delete from dispute_files ${ofDispute} and kind = any ($4::text[])`,
)

/** Makes evidence that was sent before `$5` a draft again, for another answer. */
export const reopenEvidence = sql<{ id: Id }>(
  'dispute_evidence.reopen',
  `update dispute_evidence
      set status = 'draft', accepts = false, answer_number = answer_number + 1, tried_at = null, answers_before = null,
          submitted_at = null, updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and status = 'sent' and submitted_at < $5 returning id`,
)

/** A provider's text may name the payer. A refused answer keeps a text, which its row requires. */
const emptied = `texts = null, failure = case when failure is not null then 'erased' end`

/** Empties the evidence of a decided dispute whose payer was erased while it was open. */
export const emptyErased = sql(
  'dispute_evidence.empty_erased',
  `with erased as (
     update dispute_evidence set ${emptied}
      where business_id = $1 and livemode = $2 and id = $3 and payer_erased returning id
   )
   update dispute_files set content = null
    where business_id = $1 and livemode = $2 and dispute_id in (select id from erased)`,
)

/**
 * Empties evidence, made before `$1`, of decided disputes of payments without a customer, such as
 * evidence that was written after its payer was erased; and what `emptyErased` has not reached.
 */
export const emptyOldGuests = sqlOfAll(
  'dispute_evidence.empty_old_guests',
  `with old as (
     update dispute_evidence set payer_erased = true, ${emptied}
       from disputes d
      where d.business_id = dispute_evidence.business_id and d.livemode = dispute_evidence.livemode and d.id = dispute_evidence.id
        and d.status <> 'open' and (payer_erased or (dispute_evidence.customer_id is null and dispute_evidence.created_at < $1))
        and (texts is not null or failure <> 'erased')
     returning dispute_evidence.business_id, dispute_evidence.livemode, dispute_evidence.id
   )
   update dispute_files f set content = null from old
    where f.business_id = old.business_id and f.livemode = old.livemode and f.dispute_id = old.id`,
)

export const sealedTexts = sealedColumn({
  table: 'dispute_evidence',
  column: 'texts',
  key: ['id'],
  purpose: 'dispute evidence',
  ownerOf: ({ id }) => id,
})
export const sealedFiles = sealedColumn({
  table: 'dispute_files',
  column: 'content',
  key: ['id'],
  purpose: 'dispute evidence',
  ownerOf: ({ id }) => id,
})

// For the operator
// -------------------------------------------------------------------------------------------------

export type OwnedDispute = DisputeRow & { business_id: Id; livemode: boolean }

/** Whose a dispute is, by its own id, whoever's it is. */
export const selectOwned = sqlOfAll<OwnedDispute>(
  'disputes.select_owned',
  `select business_id, livemode, ${columns} from disputes where id = $1`,
)

/** Whose a dispute is, by what its provider knows it by. */
export const selectKnown = sqlOfAll<OwnedDispute>(
  'disputes.select_known',
  `select business_id, livemode, ${columns} from disputes where livemode = $1 and rail = $2 and provider_reference = $3`,
)

/** The newest of all businesses, of a status. */
export const selectAll = sqlOfAll<OwnedDispute>(
  'disputes.select_all',
  `select business_id, livemode, ${columns} from disputes
    where $1::text is null or status = $1 order by id desc limit $2`,
)
/** Those that are open: they are few among many. */
export const selectOpen = sqlOfAll<OwnedDispute>(
  'disputes.select_open',
  `select business_id, livemode, ${columns} from disputes where status = 'open' order by id desc limit $1`,
)

/** Once: what is there already is left alone. */
export const insertMovement = sql<{ provider_id: string }>(
  'disputes.insert_movement',
  `insert into dispute_movements (business_id, livemode, rail, provider_id, dispute_id, currency, amount, moved_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning provider_id`,
)

/** Sums the disputes that were opened from `$3` and before `$4`. */
export const selectOpened = sql<{ currency: WalletCurrency; count: bigint; amount: bigint }>(
  'disputes.select_opened',
  `select currency, count(*) as count, sum(amount)::bigint as amount from disputes
    where business_id = $1 and livemode = $2 and created_at >= $3 and created_at < $4
    group by currency order by currency`,
)
