import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { customerRefusals } from '../customers/customers.ts'

export const paymentRefusals = refusalsOf(
  {
    method_not_available: [400, 'The payment cannot be paid by this method.'],
    payment_not_pending: [400, 'The payment has ended.'],
    payment_processing: [
      400,
      'A card is being charged for the payment, or a transfer is being confirmed.',
    ],
    payment_of_invoice: [400, 'The payment belongs to an invoice; void the invoice instead.'],
    too_many_attempts: [400, 'The payment has been tried too often.'],
  },
  customerRefusals,
)
export const refuse: Refuse<CodeOf<typeof paymentRefusals>> = paymentRefusals.refuse
