import { named, routesOf } from '../../core/route.ts'
import { journal } from './journals.ts'
import { journalRefusals } from './refusals.ts'
import { JournalFile, JournalQuery } from './schema.ts'

const route = routesOf('Statements', journalRefusals)

export const journalRoutes = named({
  exportJournal: route.get('/exports/journal', {
    scope: 'read',
    summary: 'Export a journal for bookkeeping',
    description:
      'Double entry from the ledger, for hledger, Ledger or Beancount. Each posting is an entry with its id. The journal starts with opening balances and ends with what the wallets hold, which the program checks.',
    file: { contentType: 'text/plain; charset=utf-8', name: 'journal.txt' },
    schema: { query: JournalQuery, data: JournalFile },
    refuses: ['unbalanced_period'],
    message: 'Journal',
    read: (ctx, { query }) => journal(ctx, query),
  }),
})
