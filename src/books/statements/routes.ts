import { type Route, routesOf } from '../../core/route.ts'
import { CsvFile, PdfFile, StatementParams, StatementRecord } from './schema.ts'
import { getStatement, statementCsv, statementPdf } from './statements.ts'

const route = routesOf('Statements')

export const statementRoutes: Route[] = [
  route.get('/statements/{month}', {
    id: 'getStatement',
    summary: 'Get the statement of a month',
    description:
      'What each wallet held when the month began, what came, left and was paid in fees, and what it held when the month ended, as the ledger has it. The month is one of your business’s time zone.',
    schema: { params: StatementParams, data: StatementRecord },
    message: 'Statement',
    read: (ctx, { params }) => getStatement(ctx, params.month),
  }),
  route.get('/statements/{month}/csv', {
    id: 'getStatementCsv',
    summary: 'Get a statement as CSV',
    description:
      'A line for each sum, in minor units and in major ones. The single movements are in the export of transactions.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'statement.csv' },
    schema: { params: StatementParams, data: CsvFile },
    message: 'Statement',
    read: (ctx, { params }) => statementCsv(ctx, params.month),
  }),
  route.get('/statements/{month}/pdf', {
    id: 'getStatementPdf',
    summary: 'Get a statement as a PDF',
    description: 'The same for people.',
    file: { contentType: 'application/pdf', name: 'statement.pdf' },
    schema: { params: StatementParams, data: PdfFile },
    message: 'Statement',
    read: (ctx, { params }) => statementPdf(ctx, params.month),
  }),
]
