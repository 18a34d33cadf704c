/**
 * Credit notes: what of a paid invoice was given back, on paper. One is issued in the transaction
 * that completes a refund, and voided in the one that takes that back; nothing else makes or
 * changes them.
 */

import { getBusiness, rangeOf, sellerOf } from '../../books/profiles/profiles.ts'
import * as payments from '../../collecting/payments/payments.ts'
import type { RefundFollower } from '../../collecting/refunds/refunds.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, type PageOf } from '../../db/lists/list.ts'
import { refuse } from '../../lib/errors.ts'
import { wholeFile } from '../../lib/files.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { smaller } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import * as invoices from '../invoices/invoices.ts'
import { creditNotePdf } from './pdf.ts'
import type { CreditNoteQuery, CreditNoteRecord } from './schema.ts'
import type { CreditNoteRow, PartRow } from './sql.ts'
import * as statements from './sql.ts'

export type CreditNote = Static<typeof CreditNoteRecord>

/**
 * What refunds of an invoice's payment do to its credit notes. The payment is locked, so that two
 * never share the same remainder.
 */
export const creditNoteRefunds: RefundFollower = {
  async completed(work, refund) {
    const payment = await payments.find(work, refund.payment_id)
    const invoice = await invoices.find(work, payment.invoice_id as Id)
    // One that was voided asks for nothing any more, whatever came for it.
    if (invoice.status !== 'paid') return
    const credited = await work.rows(statements.selectCredited, [invoice.id])
    const sold = invoices.groupByRate(await invoices.linesOf(work, [invoice.id]))
    const left = sold.map((part) => {
      const { net = 0n, tax = 0n } = credited.find((one) => one.rate_bps === part.rate_bps) ?? {}
      return { ...part, net: part.net - net, tax: part.tax - tax }
    })
    const amount = smaller(
      creditedBy(invoice.total, payment, payment.amount_refunded) -
        creditedBy(invoice.total, payment, payment.amount_refunded - refund.amount),
      creditedBy(invoice.total, payment, payment.amount_refunded) - totalOf(credited),
    )
    if (amount > 0n) await issue(work, invoice, refund, amount, invoices.shareBack(amount, left))
  },

  async failed(work, refund) {
    await work.rows(statements.voidOfRefund, [refund.id, work.scope.now])
  },
}

/**
 * What of an invoice's total is given back once so much of its payment is, in the invoice's
 * currency: the same, or its part of the euros. What came beyond the price goes back first, and is
 * nothing of the invoice.
 */
function creditedBy(total: bigint, payment: payments.PaymentRow, refunded: bigint): bigint {
  const surplus = payment.amount_received - payment.amount
  const back = refunded - (surplus > 0n ? surplus : 0n)
  return back <= 0n ? 0n : (total * smaller(back, payment.amount)) / payment.amount
}

const totalOf = (parts: readonly { net: bigint; tax: bigint }[]): bigint =>
  parts.reduce((sum, { net, tax }) => sum + net + tax, 0n)

async function issue(
  work: Work,
  invoice: invoices.InvoiceRow,
  refund: { id: Id; metadata: Record<string, unknown> },
  amount: bigint,
  parts: invoices.RatePart[],
): Promise<void> {
  const { now } = work.scope
  const id = newId(now)
  const seller = sellerOf(await getBusiness(work))
  // Last: others wait for its row until this is committed.
  const number = (await work.row(statements.nextNumber))?.last as bigint
  await insert(work, statements.creditNotes, {
    id,
    number,
    invoice_id: invoice.id,
    refund_id: refund.id,
    currency: invoice.currency,
    amount,
    status: 'issued',
    seller,
    metadata: refund.metadata,
    created_at: now,
    updated_at: now,
  })
  const some = parts.filter(({ net, tax }) => net + tax > 0n)
  await work.rows(statements.insertParts, [
    id,
    some.map((part) => part.rate_bps),
    some.map((part) => part.net),
    some.map((part) => part.tax),
  ])
}

export function unknown(id: string): never {
  refuse('not_found', `There is no credit note '${id}'.`)
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<CreditNoteRow> {
  return (await view.row(statements.selectCreditNote, [id])) ?? unknown(id)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<CreditNote> {
  const row = await find(ctx, id)
  return toCreditNote(row, await ctx.rows(statements.selectParts, [[row.id]]))
}

export async function list(
  ctx: Ctx,
  query: Static<typeof CreditNoteQuery>,
): Promise<PageOf<CreditNote>> {
  const page = await listPage<CreditNoteRow>(ctx, statements.creditNotes, query, {
    filters: [['invoice_id = ?', query.invoice]],
    ...(await rangeOf(ctx, query)),
  })
  const parts = await ctx.rows(statements.selectParts, [page.docs.map((row) => row.id)])
  return { ...page, docs: page.docs.map((row) => toCreditNote(row, parts)) }
}

/** The PDF of a credit note, in one piece. @throws {Refusal} `not_found` */
export async function pdf(ctx: Ctx, id: string): Promise<AsyncIterable<Uint8Array>> {
  const row = await find(ctx, id)
  const parts = await ctx.rows(statements.selectParts, [[row.id]])
  return wholeFile(await creditNotePdf(ctx, row, parts))
}

/** The record as the API gives it. */
export function toCreditNote(row: CreditNoteRow, parts: PartRow[]): CreditNote {
  const { invoice_id, refund_id, number, seller: _seller, ...shown } = row
  const own = parts.filter((part) => part.credit_note_id === row.id)
  const tax = own.reduce((sum, part) => sum + part.tax, 0n)
  return {
    ...shown,
    number: Number(number),
    invoice: invoice_id,
    refund: refund_id,
    subtotal: row.amount - tax,
    tax,
    taxes: invoices.ratedParts(own),
  }
}
