/**
 * What the rest of this room shares: the record as the API gives it, how one is found and stored, and the names of its jobs.
 */

import { checkoutUrl } from '../../collecting/payments/payments.ts'
import { type Ctx, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { nextState } from '../../lib/states.ts'
import type { InvoiceRecord } from './schema.ts'
import { type InvoiceRow, type LineRow, lockInvoice, selectInvoice, selectLines, updateInvoice } from './sql.ts'
import { type InvoiceTrigger, invoiceStates } from './states.ts'

export type Invoice = Static<typeof InvoiceRecord>

export const mailTask = 'invoices.mail'
export const remindTask = 'invoices.remind'

/** The record as the API gives it. */
export function toInvoice(ctx: Ctx, row: InvoiceRow, lines: LineRow[]): Invoice {
  const { customer_id, payment_id, slug, bill_to: _billTo, number, ...shown } = row
  return {
    ...shown,
    number: number === null ? null : Number(number),
    customer: customer_id,
    payment: payment_id,
    payment_url: slug === null ? null : checkoutUrl(ctx, slug),
    lines: lines
      .filter((line) => line.invoice_id === row.id)
      .map(({ product_id, name, amount, quantity, total }) => ({ product: product_id, name, amount, quantity, total })),
  }
}

export async function record(ctx: Ctx, row: InvoiceRow): Promise<Invoice> {
  return toInvoice(ctx, row, await linesOf(ctx, [row.id]))
}

export function linesOf(ctx: Ctx, ids: Id[]): Promise<LineRow[]> {
  return reader(ctx).rows(selectLines, [ctx.scope.businessId, ctx.scope.livemode, ids])
}

/** @throws {Refusal} `not_found` */
export async function find(ctx: Ctx, id: string): Promise<InvoiceRow> {
  const row = await reader(ctx).row(selectInvoice, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no invoice '${id}'.`)
}

/** Locks an invoice in the caller's transaction. Its payment is locked before, by who is going to touch the ledger. @throws {Refusal} `not_found` */
export async function lock(ctx: Ctx, id: string): Promise<InvoiceRow> {
  const row = await (ctx.tx as Tx).row(lockInvoice, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no invoice '${id}'.`)
}

/**
 * Applies a trigger to an invoice that the caller has locked, with what else it changes.
 * @throws {Refusal} `invoice_not_draft`, `invoice_not_open` when the table does not allow it
 */
export function transition(
  ctx: Ctx,
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
  return save(ctx, { ...row, ...patch, status })
}

/** Stores what can change of an invoice that the caller has locked. */
export async function save(ctx: Ctx, row: InvoiceRow): Promise<InvoiceRow> {
  const saved = await (ctx.tx as Tx).row(updateInvoice, [
    ctx.scope.businessId,
    ctx.scope.livemode,
    row.id,
    row.number,
    row.currency,
    row.total,
    row.exchange_rate,
    row.collect_currency,
    row.collect_amount,
    row.due_date,
    row.memo,
    row.status,
    row.bill_to === null ? null : toJson(row.bill_to),
    row.slug,
    row.payment_id,
    toJson(row.reminders),
    row.sent_at,
    row.finalized_at,
    row.paid_at,
    row.voided_at,
    toJson(row.metadata),
    ctx.scope.now,
  ])
  if (!saved) throw new Error(`invoice ${row.id} has vanished`)
  return saved
}
