import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Body, Page, Type } from '../../lib/schema.ts'
import { CsvFile, ExportQuery, TransactionQuery, TransactionRecord } from './schema.ts'
import { exportTransactions, getTransaction, listTransactions } from './transactions.ts'

export const transactionRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/transactions',
    tag: 'Transactions',
    summary: 'List transactions',
    description: 'Newest first.',
    schema: { query: TransactionQuery, data: Page(TransactionRecord) },
    handler: async (ctx, { query }) => ({ message: 'Transactions', data: await listTransactions(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/transactions/export',
    tag: 'Transactions',
    summary: 'Export transactions as CSV',
    description: 'A stream: the file can be as long as it likes.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'transactions.csv' },
    schema: { query: ExportQuery, data: CsvFile },
    handler: async (ctx, { query }) => ({ message: 'Transactions', data: exportTransactions(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/transactions/{id}/verify',
    tag: 'Transactions',
    summary: 'Verify a transaction',
    description: 'The transaction as it stands in the ledger now. Ask this before you hand out goods for a webhook.',
    schema: { params: Body({ id: Type.String({ description: 'The transaction.' }) }), data: TransactionRecord },
    handler: async (ctx, { params }) => ({ message: 'Transaction', data: await getTransaction(ctx, params.id) }),
  }),
]
