/**
 * What the other files of this module share: the record as the API gives it, how one is found and
 * stored, and the names of its jobs.
 */
import { checkoutUrl, countedAmounts } from '../../collecting/payments/payments.ts'
import { update, type View, type Work } from '../../core/inside.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { nextState } from '../../lib/states.ts'
import { refuse } from './refusals.ts'
import type { InvoiceRecord } from './schema.ts'
import {
  type InvoiceRow,
  invoices,
  type LineRow,
  lockInvoice,
  selectInvoice,
  selectLines,
} from './sql.ts'
import { type InvoiceTrigger, invoiceStates } from './states.ts'
import { taxTotals } from './tax.ts'

export type Invoice = Static<typeof InvoiceRecord>

export const mailTask = 'invoices.mail'
export const remindTask = 'invoices.remind'

/** What was paid of an invoice, and what is still due. */
export type Sums = { amount_paid: bigint; amount_due: bigint }

/**
 * Returns the sums of each invoice, in minor units of what it is collected in. Nothing is due once
 * it is paid or void.
 */
async function findSums(view: View, rows: InvoiceRow[]): Promise<Sums[]> {
  const counted = await countedAmounts(
    view,
    rows.flatMap(({ payment_id: id }) => id ?? []),
  )
  return rows.map((row) => {
    const paid = (row.payment_id && counted.get(row.payment_id)) || 0n
    const left = (row.collect_amount ?? row.total) - paid
    return {
      amount_paid: paid,
      amount_due: row.status === 'paid' || row.status === 'void' || left < 0n ? 0n : left,
    }
  })
}

/** The sums of one invoice. */
export const findSumsOf = async (view: View, row: InvoiceRow): Promise<Sums> =>
  (await findSums(view, [row]))[0] as Sums

/** The records of invoices as the API gives them. */
export async function toRecords(view: View, rows: InvoiceRow[]): Promise<Invoice[]> {
  const [lines, sums] = await Promise.all([
    linesOf(
      view,
      rows.map(({ id }) => id),
    ),
    findSums(view, rows),
  ])
  return rows.map((row, i) => toInvoice(view, row, lines, sums[i] as Sums))
}

function toInvoice(view: View, row: InvoiceRow, lines: LineRow[], sums: Sums): Invoice {
  const { customer_id, payment_id, slug, bill_to: _billTo, seller: _seller, number, ...shown } = row
  const own = lines.filter((line) => line.invoice_id === row.id)
  return {
    ...shown,
    number: number === null ? null : Number(number),
    customer: customer_id,
    payment: payment_id,
    payment_url: slug === null ? null : checkoutUrl(view, slug),
    lines: own.map(
      ({
        invoice_id: _invoice,
        position: _position,
        distribution_id: _plan,
        product_id,
        ...line
      }) => ({
        product: product_id,
        ...line,
      }),
    ),
    ...taxTotals(row, own),
    ...sums,
  }
}

export async function toRecord(view: View, row: InvoiceRow): Promise<Invoice> {
  return (await toRecords(view, [row]))[0] as Invoice
}

export function linesOf(view: View, ids: Id[]): Promise<LineRow[]> {
  return view.rows(selectLines, [ids])
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<InvoiceRow> {
  const row = await view.row(selectInvoice, [id])
  return row ?? refuse('not_found', `There is no invoice '${id}'.`)
}

/**
 * Locks an invoice. Its payment is locked before, by who is going to touch the ledger. @throws
 * {Refusal} `not_found`
 */
export async function lock(work: Work, id: string): Promise<InvoiceRow> {
  const row = await work.row(lockInvoice, [id])
  return row ?? refuse('not_found', `There is no invoice '${id}'.`)
}

/**
 * Applies a trigger to an invoice that the caller has locked, with what else it changes.
 * @throws {Refusal} `invoice_not_draft`, `invoice_not_open` when the table does not allow it
 */
export async function transition(
  work: Work,
  row: InvoiceRow,
  trigger: InvoiceTrigger,
  patch: Partial<InvoiceRow>,
): Promise<InvoiceRow> {
  const status = nextState(invoiceStates, row.status, trigger)
  if (status === null)
    return refuse(
      trigger === 'change' || trigger === 'finalize' ? 'invoice_not_draft' : 'invoice_not_open',
      `The invoice is ${row.status}.`,
    )
  return save(work, row, { ...patch, status })
}

/** Stores what changes of an invoice that the caller has locked. */
export function save(
  work: Work,
  { id }: InvoiceRow,
  changes: Partial<InvoiceRow>,
): Promise<InvoiceRow> {
  return update(work, invoices, id, { ...changes, updated_at: work.scope.now })
}
