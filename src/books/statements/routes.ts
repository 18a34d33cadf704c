import { named, routesOf } from '../../core/route.ts'
import { exportQuery, SpreadsheetQuery } from '../../lib/schema.ts'
import { earningsCsv, getEarnings } from './earnings.ts'
import { feesCsv, getFees, getSettlements, settlementsCsv } from './reports.ts'
import {
  CsvFile,
  EarningsQuery,
  EarningsRecord,
  FeesRecord,
  PdfFile,
  ReportQuery,
  SettlementsRecord,
  StatementParams,
  StatementRecord,
} from './schema.ts'
import { getStatement, statementCsv, statementPdf } from './statements.ts'

const route = routesOf('Statements')

export const statementRoutes = named({
  getStatement: route.get('/statements/{month}', {
    scope: 'read',
    summary: 'Get the statement of a month',
    description:
      'What each wallet held when the month began, what came, left and was paid in fees, and what it held when the month ended, as the ledger has it. The month is one of your business’s time zone.',
    schema: { params: StatementParams, data: StatementRecord },
    message: 'Statement',
    read: (ctx, { params }) => getStatement(ctx, params.month),
  }),
  getStatementCsv: route.get('/statements/{month}/csv', {
    scope: 'read',
    summary: 'Get a statement as CSV',
    description:
      'A line for each sum, in major units and in minor ones. The single movements are in the export of transactions, by `completed_from` and `completed_to`: opening and their `balance_change` come to closing.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'statement.csv' },
    schema: { params: StatementParams, query: SpreadsheetQuery, data: CsvFile },
    message: 'Statement',
    read: (ctx, { params, query }) => statementCsv(ctx, params.month, query.spreadsheet),
  }),
  getStatementPdf: route.get('/statements/{month}/pdf', {
    scope: 'read',
    summary: 'Get a statement as a PDF',
    description: 'The same for people.',
    file: { contentType: 'application/pdf', name: 'statement.pdf' },
    schema: { params: StatementParams, data: PdfFile },
    message: 'Statement',
    read: (ctx, { params }) => statementPdf(ctx, params.month),
  }),
  getFeesReport: route.get('/reports/fees', {
    scope: 'read',
    summary: 'Get what was paid in fees',
    description:
      'By day or month of your business’s time zone, wallet, what it was charged for, and means, as the ledger has it; a fee counts when it was taken. The totals are those of the statements.',
    schema: { query: ReportQuery, data: FeesRecord },
    message: 'Fees report',
    read: (ctx, { query }) => getFees(ctx, query),
  }),
  getFeesReportCsv: route.get('/reports/fees/csv', {
    scope: 'read',
    summary: 'Get the fees report as CSV',
    description: 'A line for each of its lines.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'fees.csv' },
    schema: { query: exportQuery(ReportQuery), data: CsvFile },
    message: 'Fees report',
    read: (ctx, { query }) => feesCsv(ctx, query),
  }),
  getSettlementReport: route.get('/reports/settlements', {
    scope: 'read',
    summary: 'Get what came from payers',
    description:
      'Payments and deposits by day or month of your business’s time zone, wallet and means: what was paid, the fees kept of it, and what reached the wallet. The totals are those of the statements.',
    schema: { query: ReportQuery, data: SettlementsRecord },
    message: 'Settlement report',
    read: (ctx, { query }) => getSettlements(ctx, query),
  }),
  getSettlementReportCsv: route.get('/reports/settlements/csv', {
    scope: 'read',
    summary: 'Get the settlement report as CSV',
    description: 'A line for each of its lines.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'settlements.csv' },
    schema: { query: exportQuery(ReportQuery), data: CsvFile },
    message: 'Settlement report',
    read: (ctx, { query }) => settlementsCsv(ctx, query),
  }),
})

const ofOperator = routesOf('Operator')

export const earningsRoutes = named({
  getEarnings: ofOperator.get('/operator/earnings', {
    scope: 'operator',
    summary: 'Get what the operator earned',
    description:
      'The fees of all businesses less what providers kept, by day or month of UTC and by business, as the ledger has it; a fee counts when it was taken. At most 13 months; this month where nothing is asked for.',
    schema: { query: EarningsQuery, data: EarningsRecord },
    message: 'Earnings',
    read: (ctx, { query }) => getEarnings(ctx, query),
  }),
  getEarningsCsv: ofOperator.get('/operator/earnings/csv', {
    scope: 'operator',
    summary: 'Get what the operator earned as CSV',
    description: 'A line for each day or month, business and currency.',
    file: { contentType: 'text/csv; charset=utf-8', name: 'earnings.csv' },
    schema: { query: exportQuery(EarningsQuery), data: CsvFile },
    message: 'Earnings',
    read: (ctx, { query }) => earningsCsv(ctx, query),
  }),
})
