import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { invoiceRefusals } from '../invoices/invoices.ts'

export const creditNoteRefusals = refusalsOf(
  { credit_note_void: [400, 'The credit note is void, so it is not mailed.'] },
  invoiceRefusals,
)
export const refuse: Refuse<CodeOf<typeof creditNoteRefusals>> = creditNoteRefusals.refuse
