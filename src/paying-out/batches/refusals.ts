import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const batchRefusals = refusalsOf(
  {
    batch_has_bad_lines: [400, 'Lines of the batch cannot be paid.'],
    batch_not_draft: [400, 'The batch was confirmed or canceled before.'],
    batch_over: [400, 'The batch has ended: nothing of it is left to be canceled.'],
    batch_not_retriable: [400, 'No such line of the batch can be paid again.'],
    batch_not_exportable: [409, 'The batch has no file for a bank.'],
  },
  walletRefusals,
)
export const refuse: Refuse<CodeOf<typeof batchRefusals>> = batchRefusals.refuse
