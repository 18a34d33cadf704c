import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { InvoiceStatus } from './states.ts'

export type Reminders = { days_before?: number[]; days_after?: number[] }
export type BillTo = { name: string; email: string; address: Record<string, string | null> | null }

export type InvoiceRow = {
  id: Id
  livemode: boolean
  number: bigint | null
  customer_id: Id
  currency: 'usd' | 'ngn' | 'eur'
  total: bigint
  exchange_rate: string | null
  collect_currency: 'usd' | 'ngn' | null
  collect_amount: bigint | null
  due_date: Date | null
  memo: string | null
  status: InvoiceStatus
  bill_to: BillTo | null
  slug: string | null
  payment_id: Id | null
  reminders: Reminders
  sent_at: Date | null
  finalized_at: Date | null
  paid_at: Date | null
  voided_at: Date | null
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

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

export const columns = `id, livemode, number, customer_id, currency, total, exchange_rate, collect_currency, collect_amount,
  due_date, memo, status, bill_to, slug, payment_id, reminders, sent_at, finalized_at, paid_at, voided_at, metadata, created_at,
  updated_at`

export const insertInvoice = sql<InvoiceRow>(
  'invoices.insert',
  `insert into invoices (business_id, livemode, id, customer_id, currency, total, due_date, memo, status, reminders, metadata,
                         created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'draft', $9, $10, $11, $11) returning ${columns}`,
)

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

/** Everything about an invoice that can change, but its lines. The caller has locked the row. */
export const updateInvoice = sql<InvoiceRow>(
  'invoices.update',
  `update invoices
      set number = $4, currency = $5, total = $6, exchange_rate = $7, collect_currency = $8, collect_amount = $9, due_date = $10,
          memo = $11, status = $12, bill_to = $13, slug = $14, payment_id = $15, reminders = $16, sent_at = $17,
          finalized_at = $18, paid_at = $19, voided_at = $20, metadata = $21, updated_at = $22
    where business_id = $1 and livemode = $2 and id = $3
   returning ${columns}`,
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
