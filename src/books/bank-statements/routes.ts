import { named, routesOf } from '../../core/route.ts'
import { bankStatement } from './bank-statements.ts'
import { bankStatementRefusals } from './refusals.ts'
import { BankStatementFile, BankStatementQuery } from './schema.ts'

const route = routesOf('Statements', bankStatementRefusals)

export const bankStatementRoutes = named({
  exportStatement: route.get('/exports/statement', {
    scope: 'read',
    summary: 'Export a bank statement of a wallet',
    description:
      'The days of a wallet as a bank would report them, for accounting and treasury programs: booked balances before and after, and an entry for each movement with its bank transaction code. Each statement opens with what the one before closed with. Opening and entries come to the closing balance.',
    file: { contentType: 'text/plain; charset=utf-8', name: 'statement.txt' },
    schema: { query: BankStatementQuery, data: BankStatementFile },
    refuses: ['unbalanced_period', 'statement_too_large'],
    message: 'Statement',
    read: (ctx, { query }) => bankStatement(ctx, query),
  }),
})
