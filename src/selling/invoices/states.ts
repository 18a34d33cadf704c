import { defineStates } from '../../lib/states.ts'

/** The life of an invoice. The code refuses what is not here, and the docs draw it. */
export const invoiceStates = defineStates('invoice', 'draft', {
  draft: { change: 'draft', finalize: 'open' },
  open: { pay: 'paid', void: 'void' },
  paid: {},
  void: {},
})

export type InvoiceStatus = keyof typeof invoiceStates.table
export type InvoiceTrigger = 'change' | 'finalize' | 'pay' | 'void'
