import type { Seller } from '../../books/profiles/profiles.ts'
import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { InvoiceStatus } from './states.ts'

export type Reminders = { days_before?: number[]; days_after?: number[] }
export type BillTo = { name: string; email: string; address: Record<string, string | null> | null }

export const invoices = t.table('invoices', {
  id: t.text<Id>(),
  number: t.defaulted(t.nullable(t.bigint())),
  customer_id: t.text<Id>(),
  currency: t.text<'usd' | 'ngn' | 'eur'>(),
  total: t.bigint(),
  exchange_rate: t.defaulted(t.nullable(t.text())),
  collect_currency: t.defaulted(t.nullable(t.text<'usd' | 'ngn'>())),
  collect_amount: t.defaulted(t.nullable(t.bigint())),
  due_date: t.nullable(t.time()),
  due_day: t.nullable(t.date()),
  memo: t.nullable(t.text()),
  status: t.text<InvoiceStatus>(),
  bill_to: t.defaulted(t.nullable(t.json<BillTo>())),
  seller: t.defaulted(t.nullable(t.json<Seller>())),
  slug: t.defaulted(t.nullable(t.text())),
  payment_id: t.defaulted(t.nullable(t.text<Id>())),
  reminders: t.json<Reminders>(),
  sent_at: t.defaulted(t.nullable(t.time())),
  finalized_at: t.defaulted(t.nullable(t.time())),
  paid_at: t.defaulted(t.nullable(t.time())),
  voided_at: t.defaulted(t.nullable(t.time())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type InvoiceRow = t.RowOf<typeof invoices>

export type LineRow = {
  invoice_id: Id
  position: number
  product_id: Id | null
  distribution_id: Id | null
  name: string
  amount: bigint
  quantity: bigint
  discount: bigint
  /** The share that `discount` is; null if it was given as an amount. */
  discount_bps: number | null
  /** `amount × quantity − discount`: with its tax in it where `tax_inclusive`, else without. */
  total: bigint
  tax_rate_bps: number | null
  tax_inclusive: boolean
  tax: bigint
}

export const insertLines = sql(
  'invoices.insert_lines',
  `insert into invoice_lines (business_id, livemode, invoice_id, position, product_id, distribution_id, name, amount, quantity,
                              discount, discount_bps, total, tax_rate_bps, tax_inclusive, tax)
   select $1, $2, $3, position, product_id, distribution_id, name, amount, quantity, discount, discount_bps,
          amount * quantity - discount, tax_rate_bps, tax_inclusive, tax
     from unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::integer[],
                 $11::integer[], $12::boolean[], $13::bigint[])
          with ordinality as line (product_id, distribution_id, name, amount, quantity, discount, discount_bps,
                                   tax_rate_bps, tax_inclusive, tax, position)`,
)

export const deleteLines = sql(
  'invoices.delete_lines',
  'delete from invoice_lines where business_id = $1 and livemode = $2 and invoice_id = $3',
)

export const selectLines = sql<LineRow>(
  'invoices.select_lines',
  `select invoice_id, position, product_id, distribution_id, name, amount, quantity, discount, discount_bps,
          total, tax_rate_bps, tax_inclusive, tax
     from invoice_lines
    where business_id = $1 and livemode = $2 and invoice_id = any($3) order by invoice_id, position`,
)

export const selectInvoice = t.byId(invoices)

export const lockInvoice = t.byId(invoices, t.locked)

export const deleteInvoice = sql(
  'invoices.delete',
  `delete from invoices where business_id = $1 and livemode = $2 and id = $3 and status = 'draft'`,
)

/**
 * The next number. Others wait for this transaction, and get its number if it is not committed: no
 * gaps.
 */
export const nextNumber = sql<{ last: bigint }>(
  'invoices.next_number',
  `insert into invoice_numbers as known (business_id, livemode, last) values ($1, $2, 1)
   on conflict (business_id, livemode) do update set last = known.last + 1
   returning last`,
)
