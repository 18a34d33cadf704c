import { type Route, routesOf } from '../../core/route.ts'
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

export const transactionRoutes: Route[] = [
  route.get('/transactions', {
    id: 'listTransactions',
    summary: 'List transactions',
    description: 'Newest first.',
    schema: { query: TransactionQuery, data: Page(TransactionRecord) },
    message: 'Transactions',
    read: (ctx, { query }) => listTransactions(ctx, query),
  }),
  route.get('/transactions/export', transactionExport),
  route.get('/transactions/{id}/verify', {
    id: 'verifyTransaction',
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
]
