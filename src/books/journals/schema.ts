import * as s from '../../lib/schema.ts'
import { defaultAccounts } from './accounts.ts'
import { journalFormats } from './writers.ts'

export const JournalQuery = s.Body({
  format: s.OneOf(s.Named('JournalFormat', journalFormats), {
    description: 'The program that reads it.',
  }),
  from: s.Type.Optional({
    ...s.rangeQuery.from,
    description: 'A time, or a day of your time zone. Default: the first posting.',
  }),
  to: s.Type.Optional({
    ...s.rangeQuery.to,
    description: 'Before a time, or up to the end of a day. Default: now.',
  }),
  accounts: s.Type.Optional(
    s.Line(0, 2_000, {
      description: `Accounts of your own chart, as \`role=account\` with commas between. Roles: ${Object.entries(
        defaultAccounts,
      )
        .map(([role, account]) => `\`${role}\` (${account})`)
        .join(', ')}.`,
      examples: ['fees=Expenses:Bank:Fees,payouts=Assets:Bank'],
    }),
  ),
})

export const JournalFile = s.Type.Unsafe<AsyncIterable<string>>({
  type: 'string',
  description: 'Plain text in UTF-8.',
})
