import { sql } from '../../db/db.ts'
import { bigint, columnsOf, defaulted, json, nullable, type RowOf, table, text, time } from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { InvoiceStatus } from './states.ts'

export type Reminders = { days_before?: number[]; days_after?: number[] }
export type BillTo = { name: string; email: string; address: Record<string, string | null> | null }

export const invoices = table('invoices', {
  id: text<Id>(),
  number: defaulted(nullable(bigint())),
  customer_id: text<Id>(),
  currency: text<'usd' | 'ngn' | 'eur'>(),
  total: bigint(),
  exchange_rate: defaulted(nullable(text())),
  collect_currency: defaulted(nullable(text<'usd' | 'ngn'>())),
  collect_amount: defaulted(nullable(bigint())),
  due_date: nullable(time()),
  memo: nullable(text()),
  status: text<InvoiceStatus>(),
  bill_to: defaulted(nullable(json<BillTo>())),
  slug: defaulted(nullable(text())),
  payment_id: defaulted(nullable(text<Id>())),
  reminders: json<Reminders>(),
  sent_at: defaulted(nullable(time())),
  finalized_at: defaulted(nullable(time())),
  paid_at: defaulted(nullable(time())),
  voided_at: defaulted(nullable(time())),
  metadata: json<Record<string, unknown>>(),
  created_at: time(),
  updated_at: time(),
})
export type InvoiceRow = RowOf<typeof invoices>
export const columns = columnsOf(invoices)

export type LineRow = {
  invoice_id: Id
  position: number
  product_id: Id
  distribution_id: Id | null
  name: string
  amount: bigint
  quantity: bigint
  total: bigint
}

export const insertLines = sql(
  'invoices.insert_lines',
  `insert into invoice_lines (business_id, livemode, invoice_id, position, product_id, distribution_id, name, amount, quantity,
                              total)
   select $1, $2, $3, position, product_id, distribution_id, name, amount, quantity, amount * quantity
     from unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[])
          with ordinality as line (product_id, distribution_id, name, amount, quantity, position)`,
)

export const deleteLines = sql(
  'invoices.delete_lines',
  'delete from invoice_lines where business_id = $1 and livemode = $2 and invoice_id = $3',
)

export const selectLines = sql<LineRow>(
  'invoices.select_lines',
  `select invoice_id, position, product_id, distribution_id, name, amount, quantity, total from invoice_lines
    where business_id = $1 and livemode = $2 and invoice_id = any($3) order by invoice_id, position`,
)

export const selectInvoice = sql<InvoiceRow>(
  'invoices.select',
  `select ${columns} from invoices where business_id = $1 and livemode = $2 and id = $3`,
)

export const lockInvoice = sql<InvoiceRow>(
  'invoices.lock',
  `select ${columns} from invoices where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const deleteInvoice = sql(
  'invoices.delete',
  `delete from invoices where business_id = $1 and livemode = $2 and id = $3 and status = 'draft'`,
)

/** The next number. Others wait for this transaction, and get its number if it is not committed: no gaps. */
export const nextNumber = sql<{ last: bigint }>(
  'invoices.next_number',
  `insert into invoice_numbers as known (business_id, livemode, last) values ($1, $2, 1)
   on conflict (business_id, livemode) do update set last = known.last + 1
   returning last`,
)
