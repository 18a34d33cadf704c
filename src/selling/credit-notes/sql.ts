import type { Seller } from '../../books/profiles/profiles.ts'
import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'

export const creditNotes = t.table('credit_notes', {
  id: t.text<Id>(),
  number: t.bigint(),
  invoice_id: t.text<Id>(),
  refund_id: t.text<Id>(),
  currency: t.text<'usd' | 'ngn' | 'eur'>(),
  amount: t.bigint(),
  status: t.text<'issued' | 'void'>(),
  seller: t.json<Seller>(),
  metadata: t.json<Record<string, unknown>>(),
  voided_at: t.defaulted(t.nullable(t.time())),
  sent_at: t.defaulted(t.nullable(t.time())),
  created_at: t.time(),
  updated_at: t.time(),
})
export type CreditNoteRow = t.RowOf<typeof creditNotes>

export const selectCreditNote = t.byId(creditNotes)
export const lockCreditNote = t.byId(creditNotes, t.locked)

/**
 * The next number. Others wait for this transaction, and get its number if it is not committed: no
 * gaps.
 */
export const nextNumber = sql<{ last: bigint }>(
  'credit_notes.next_number',
  `insert into credit_note_numbers as known (business_id, livemode, last) values ($1, $2, 1)
   on conflict (business_id, livemode) do update set last = known.last + 1
   returning last`,
)

export type PartRow = { credit_note_id: Id; rate_bps: number | null; net: bigint; tax: bigint }

export const insertParts = sql(
  'credit_notes.insert_parts',
  `insert into credit_note_parts (business_id, livemode, credit_note_id, position, tax_rate_bps, net, tax)
   select $1, $2, $3, position, tax_rate_bps, net, tax
     from unnest($4::integer[], $5::bigint[], $6::bigint[]) with ordinality as part (tax_rate_bps, net, tax, position)`,
)

export const selectParts = sql<PartRow>(
  'credit_notes.select_parts',
  `select credit_note_id, tax_rate_bps as rate_bps, net, tax from credit_note_parts
    where business_id = $1 and livemode = $2 and credit_note_id = any($3) order by credit_note_id, position`,
)

/** What was credited of an invoice by now, by rate. */
export const selectCredited = sql<{ rate_bps: number | null; net: bigint; tax: bigint }>(
  'credit_notes.select_credited',
  `select p.tax_rate_bps as rate_bps, sum(p.net)::bigint as net, sum(p.tax)::bigint as tax
     from credit_notes n
     join credit_note_parts p on p.business_id = n.business_id and p.livemode = n.livemode and p.credit_note_id = n.id
    where n.business_id = $1 and n.livemode = $2 and n.invoice_id = $3 and n.status = 'issued'
    group by p.tax_rate_bps`,
)

export const voidOfRefund = sql(
  'credit_notes.void_of_refund',
  `update credit_notes set status = 'void', voided_at = $4, updated_at = $4
    where business_id = $1 and livemode = $2 and refund_id = $3 and status = 'issued'`,
)

export const selectIdsOfRefund = sql<{ id: Id }>(
  'credit_notes.select_ids_of_refund',
  'select id from credit_notes where business_id = $1 and livemode = $2 and refund_id = $3 order by id desc limit $4',
)
