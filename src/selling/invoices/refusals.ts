import { customerRefusals } from '../../collecting/customers/customers.ts'
import { paymentRefusals } from '../../collecting/payments/payments.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { mailRefusals } from '../../platform/mail/mail.ts'
import { productRefusals } from '../products/products.ts'

export const invoiceRefusals = refusalsOf(
  {
    mixed_currencies: [400, 'All lines of an invoice must have one currency.'],
    invoice_not_draft: [400, 'Only a draft can be changed, finalized or deleted.'],
    invoice_not_open: [400, 'The invoice is not open.'],
  },
  customerRefusals,
  paymentRefusals,
  productRefusals,
  mailRefusals,
)
export const refuse: Refuse<CodeOf<typeof invoiceRefusals>> = invoiceRefusals.refuse
