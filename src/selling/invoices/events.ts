import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'
import type { Invoice } from './record.ts'
import { InvoiceRecord } from './schema.ts'

/** The event types of invoices: each carries the invoice. */
export const invoiceEvents = {
  'invoice.finalized': invoiceEvent('An invoice was finalized and can be paid.', 'open'),
  'invoice.sent': invoiceEvent('An invoice was mailed.', 'open', 'sent_at'),
  'invoice.paid': invoiceEvent('An invoice was paid.', 'paid', 'paid_at'),
  'invoice.voided': invoiceEvent('An invoice was voided.', 'void', 'voided_at'),
}

const tax = { tax_rate_bps: 750, tax_inclusive: false, tax: 18_750n }

/** @param time the field of the record that says when it happened */
function invoiceEvent(
  meaning: string,
  status: Invoice['status'],
  time?: 'sent_at' | 'paid_at' | 'voided_at',
): EventDeclaration<typeof InvoiceRecord> {
  return eventOf(meaning, InvoiceRecord, (scope) => ({
    ...sampleBase(scope),
    number: 1,
    customer: newId(scope.now),
    currency: 'ngn',
    lines: [
      {
        product: newId(scope.now),
        name: 'Consulting',
        amount: 125_000n,
        quantity: 2n,
        discount: 0n,
        discount_bps: null,
        total: 250_000n,
        ...tax,
      },
    ],
    total: 268_750n,
    subtotal: 250_000n,
    tax: 18_750n,
    taxes: [{ rate_bps: 750, net: 250_000n, tax: 18_750n }],
    exchange_rate: null,
    collect_currency: 'ngn',
    collect_amount: 268_750n,
    amount_paid: status === 'paid' ? 268_750n : 0n,
    amount_due: status === 'open' ? 268_750n : 0n,
    due_date: null,
    due_day: null,
    memo: null,
    reminders: {},
    status,
    payment: newId(scope.now),
    payment_url: 'https://pay.example/invoice',
    finalized_at: scope.now,
    sent_at: time === 'sent_at' ? scope.now : null,
    paid_at: time === 'paid_at' ? scope.now : null,
    voided_at: time === 'voided_at' ? scope.now : null,
  }))
}
