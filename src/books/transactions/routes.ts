import { named, routesOf } from '../../core/route.ts'
import { Body, Page, Type } from '../../lib/schema.ts'
import { csvExport } from '../profiles/profiles.ts'
import { exported, TransactionQuery, TransactionRecord } from './schema.ts'
import { getTransaction, listTransactions, listUncounted } from './transactions.ts'

const route = routesOf('Transactions')

export const transactionExport = csvExport('transactions', {
  query: TransactionQuery,
  columns: exported,
  list: listUncounted,
})

export const transactionRoutes = named({
  listTransactions: route.get('/transactions', {
    scope: 'read',
    summary: 'List transactions',
    description: 'Newest first.',
    schema: { query: TransactionQuery, data: Page(TransactionRecord) },
    message: 'Transactions',
    read: (ctx, { query }) => listTransactions(ctx, query),
  }),
  exportTransactions: route.get('/transactions/export', transactionExport),
  verifyTransaction: route.get('/transactions/{id}/verify', {
    scope: 'read',
    summary: 'Verify a transaction',
    description:
      'The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook.',
    schema: {
      params: Body({ id: Type.String({ description: 'The transaction.' }) }),
      data: TransactionRecord,
    },
    message: 'Transaction',
    read: (ctx, { params }) => getTransaction(ctx, params.id),
  }),
})
