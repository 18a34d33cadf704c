import { type Route, routesOf } from '../../core/route.ts'
import { Body, CsvFile, Page, Type } from '../../lib/schema.ts'
import { ExportQuery, TransactionQuery, TransactionRecord } from './schema.ts'
import { exportTransactions, getTransaction, listTransactions } from './transactions.ts'

const route = routesOf('Transactions')

export const transactionRoutes: Route[] = [
  route.get('/transactions', {
    id: 'listTransactions',
    summary: 'List transactions',
    description: 'Newest first.',
    schema: { query: TransactionQuery, data: Page(TransactionRecord) },
    message: 'Transactions',
    read: (ctx, { query }) => listTransactions(ctx, query),
  }),
  route.get('/transactions/export', {
    id: 'exportTransactions',
    summary: 'Export transactions as CSV',
    description: 'A stream: the file can be as long as it likes.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'transactions.csv' },
    schema: { query: ExportQuery, data: CsvFile },
    message: 'Transactions',
    read: (ctx, { query }) => exportTransactions(ctx, query),
  }),
  route.get('/transactions/{id}/verify', {
    id: 'verifyTransaction',
    summary: 'Verify a transaction',
    description: 'The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook.',
    schema: { params: Body({ id: Type.String({ description: 'The transaction.' }) }), data: TransactionRecord },
    message: 'Transaction',
    read: (ctx, { params }) => getTransaction(ctx, params.id),
  }),
]
