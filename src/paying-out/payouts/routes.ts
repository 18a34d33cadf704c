import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { payingCodes } from '../../platform/destinations/destinations.ts'
import { payeeCodes } from '../beneficiaries/beneficiaries.ts'
import { createMany } from './creation.ts'
import { approve, decide, refuse } from './decisions.ts'
import { cancel, create, get, list, prepare, prepareQuote, quote } from './payouts.ts'
import { payoutRefusals } from './refusals.ts'
import { getReport } from './report.ts'
import {
  DecisionsIn,
  DecisionsRecord,
  exported,
  PayoutIn,
  PayoutQuery,
  PayoutRecord,
  QuoteIn,
  QuoteRecord,
  ReferenceParams,
  ReportQuery,
  ReportRecord,
  SimulateIn,
} from './schema.ts'
import { end, prepareEnd } from './simulating.ts'

const route = routesOf('Payouts', payoutRefusals)

export const payoutRoutes = named({
  quotePayout: route.post('/payouts/quote', {
    scope: 'payout',
    summary: 'Quote a payout',
    description:
      'What it would cost and what would arrive. Nothing is debited; the price holds for five minutes.',
    example: {
      amount: 5_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: '0123456789' },
    },
    schema: { body: QuoteIn, data: QuoteRecord },
    refuses: [...payingCodes, 'unsupported_currency', 'rate_unavailable', 'amount_too_large'],
    message: 'Quote',
    prepare: (ctx, { body }) => prepareQuote(ctx, body),
    run: quote,
  }),
  createPayout: route.post('/payouts', {
    scope: 'payout',
    summary: 'Create a payout',
    description:
      'Moves the amount from available to pending and hands the payout to the rail; one that is above a limit (`GET /limits`) waits for a second person before that. One payout per reference. It goes to a `destination`, or to a `beneficiary` that you have saved.',
    status: 201,
    example: {
      reference: 'rent-2026-11',
      amount: 5_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: '0123456789' },
      description: 'Rent of November',
      metadata: { branch: 'ikeja' },
    },
    schema: { body: PayoutIn, data: PayoutRecord },
    refuses: [
      ...payingCodes,
      ...payeeCodes,
      'duplicate_reference',
      'insufficient_funds',
      'operator_limit_exceeded',
      'limit_exceeded',
      'quote_not_found',
      'quote_expired',
      'quote_used',
      'quote_mismatch',
      'unsupported_currency',
      'rate_unavailable',
      'exchange_limit_exceeded',
      'amount_too_small',
      'amount_too_large',
    ],
    message: 'Payout created',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
    together: createMany,
  }),
  listPayouts: route.get('/payouts', {
    scope: 'read',
    summary: 'List payouts',
    description: 'Newest first.',
    schema: { query: PayoutQuery, data: Page(PayoutRecord) },
    message: 'Payouts',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportPayouts: route.get(
    '/payouts/export',
    csvExport('payouts', { query: PayoutQuery, columns: exported, list }),
  ),
  getPayoutReport: route.get('/reports/payouts', {
    scope: 'read',
    summary: 'Get what became of payouts',
    description:
      'Those that were made in a period, by wallet, status, reason and means: how many, what was charged and what was sent. One by one they are in `GET /payouts/export`.',
    schema: { query: ReportQuery, data: ReportRecord },
    message: 'Payout report',
    read: (ctx, { query }) => getReport(ctx, query),
  }),
  getPayout: route.get('/payouts/{reference}', {
    scope: 'read',
    summary: 'Get a payout by its reference',
    description:
      'By your own id. After a lost answer, ask this before you create the payout again.',
    schema: { params: ReferenceParams, data: PayoutRecord },
    message: 'Payout',
    read: (ctx, { params }) => get(ctx, params.reference),
  }),
  cancelPayout: route.post('/payouts/{reference}/cancel', {
    scope: 'payout',
    allowedWhenStopped: true,
    summary: 'Cancel a pending payout',
    description: 'Possible until the rail is asked. The amount is available again.',
    schema: { params: ReferenceParams, data: PayoutRecord },
    refuses: ['payout_not_cancelable'],
    message: 'Payout canceled',
    run: (work, { params }) => cancel(work, params.reference),
  }),
  decidePayouts: route.post('/payouts/decisions', {
    scope: 'approve',
    summary: 'Approve or refuse payouts',
    description:
      'Up to 100 that wait for a second person, each as if it came alone: `skipped` has those that stay as they were. Needs the scope `approve`.',
    example: { decision: 'approve', references: ['rent-2026-11'] },
    schema: { body: DecisionsIn, data: DecisionsRecord },
    message: 'Payouts decided',
    run: (work, { body }) => decide(work, body),
  }),
  approvePayout: route.post('/payouts/{reference}/approve', {
    scope: 'approve',
    summary: 'Approve a payout that waits',
    description:
      'It goes to its rail, at the price it was made at. Needs the scope `approve`; who made the payout, or made the key that did, cannot.',
    schema: { params: ReferenceParams, data: PayoutRecord },
    refuses: ['payout_not_waiting', 'approved_by_maker', 'approver_too_new'],
    message: 'Payout approved',
    run: (work, { params }) => approve(work, params.reference),
  }),
  refusePayout: route.post('/payouts/{reference}/refuse', {
    scope: 'approve',
    allowedWhenStopped: true,
    summary: 'Refuse a payout that waits',
    description: 'It is canceled, and its amount is available again. Needs the scope `approve`.',
    schema: { params: ReferenceParams, data: PayoutRecord },
    refuses: ['payout_not_waiting', 'payout_not_cancelable'],
    message: 'Payout refused',
    run: (work, { params }) => refuse(work, params.reference),
  }),
  simulatePayout: route.post('/payouts/{reference}/simulate', {
    scope: 'payout',
    allowedWhenStopped: true,
    summary: 'End a test payout',
    description:
      'As if the rail had said so. `returned` is for a payout that is completed: the money comes back.',
    mode: 'test',
    example: { outcome: 'failed', failure_reason: 'bank_unavailable' },
    schema: { params: ReferenceParams, body: SimulateIn, data: PayoutRecord },
    refuses: [
      'payout_already_final',
      'payout_not_approved',
      'payout_under_review',
      'payout_not_completed',
      'payout_not_simulated',
      'amount_too_large',
    ],
    message: 'Payout simulated',
    prepare: (ctx, { params, body }) =>
      prepareEnd(ctx, params.reference, body.outcome, body.failure_reason ?? null),
    run: end,
  }),
})
