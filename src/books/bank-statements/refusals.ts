import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { journalRefusals } from '../journals/journals.ts'

export const bankStatementRefusals = refusalsOf(
  {
    statement_too_large: [409, 'The format cannot hold so large a statement.'],
  },
  journalRefusals,
)
export const refuse: Refuse<CodeOf<typeof bankStatementRefusals>> = bankStatementRefusals.refuse
