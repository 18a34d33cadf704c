import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page, PdfFile } from '../../lib/schema.ts'
import { acceptDispute, bundleOf, submitEvidence } from './answering.ts'
import {
  getOperatorDispute,
  holdFor,
  listOperatorDisputes,
  prepareDecision,
  releaseFor,
  takeFor,
} from './deciding.ts'
import { get, list, simulate, simulateEnd } from './disputes.ts'
import { getEvidence, updateEvidence } from './evidence.ts'
import { disputeRefusals } from './refusals.ts'
import * as s from './schema.ts'

const route = routesOf('Disputes', disputeRefusals)

export const disputeRoutes = named({
  listDisputes: route.get('/disputes', {
    scope: 'read',
    summary: 'List disputes',
    description: 'Newest first. The operator of the installation answers them at the provider.',
    schema: { query: s.DisputeQuery, data: Page(s.DisputeRecord) },
    message: 'Disputes',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportDisputes: route.get(
    '/disputes/export',
    csvExport('disputes', { query: s.DisputeQuery, columns: s.exported, list }),
  ),
  getDispute: route.get('/disputes/{id}', {
    scope: 'read',
    summary: 'Get a dispute',
    description: 'As it stands now: `open` until its provider has decided it.',
    schema: { params: s.DisputeParams, data: s.DisputeRecord },
    message: 'Dispute',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  getDisputeEvidence: route.get('/disputes/{id}/evidence', {
    scope: 'read',
    summary: 'Get the evidence of a dispute',
    description: 'The texts and files of the answer, and what came of it.',
    schema: { params: s.DisputeParams, data: s.EvidenceRecord },
    message: 'Evidence',
    read: (ctx, { params }) => getEvidence(ctx, params.id),
  }),
  updateDisputeEvidence: route.put('/disputes/{id}/evidence', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Change the evidence of a dispute',
    description: 'What is left out stays. Nothing is submitted by it.',
    example: {
      customer_name: 'Ada Okafor',
      customer_email: 'ada@example.com',
      customer_phone: '+2348012345678',
      explanation: 'Three dresses, handed over to the customer at the shop.',
      delivery_date: '2026-11-21',
    },
    schema: { params: s.DisputeParams, body: s.EvidenceIn, data: s.EvidenceRecord },
    refuses: ['dispute_already_closed', 'dispute_answered'],
    message: 'Evidence saved',
    run: (work, { params, body }) => updateEvidence(work, params.id, body),
  }),
  getDisputeEvidencePdf: route.get('/disputes/{id}/evidence/pdf', {
    scope: 'read',
    summary: 'Get the evidence bundle of a dispute',
    description:
      'One PDF with your evidence, the receipt, the delivery log and the proof of the ledger.',
    file: { contentType: 'application/pdf', name: 'evidence.pdf' },
    schema: { params: s.DisputeParams, data: PdfFile },
    message: 'Evidence bundle',
    read: (ctx, { params }) => bundleOf(ctx, params.id),
  }),
  submitDisputeEvidence: route.post('/disputes/{id}/submit', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Submit the evidence of a dispute',
    description: 'Sends it to the provider, which takes one answer to a dispute.',
    schema: { params: s.DisputeParams, data: s.EvidenceRecord },
    refuses: [
      'dispute_already_closed',
      'dispute_answered',
      'dispute_answered_elsewhere',
      'evidence_incomplete',
    ],
    message: 'Evidence submitted',
    run: (work, { params }) => submitEvidence(work, params.id),
  }),
  acceptDispute: route.post('/disputes/{id}/accept', {
    scope: 'refund',
    allowedWhenStopped: true,
    summary: 'Accept a dispute',
    description: 'The payer keeps the money, and the dispute is lost.',
    schema: { params: s.DisputeParams, data: s.EvidenceRecord },
    refuses: ['dispute_already_closed', 'dispute_answered', 'dispute_answered_elsewhere'],
    message: 'Dispute accepted',
    run: (work, { params }) => acceptDispute(work, params.id),
  }),
  simulateDispute: route.post('/payments/{id}/simulate-dispute', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Open a test dispute',
    description: 'As if the payer’s bank took the money of a test payment back.',
    mode: 'test',
    status: 201,
    example: { amount: 450_000, reason: 'fraudulent' },
    schema: { params: s.PaymentParams, body: s.SimulateDisputeIn, data: s.DisputeRecord },
    refuses: ['payment_not_disputable', 'dispute_amount_too_large'],
    message: 'Dispute opened',
    run: (work, { params, body }) => simulate(work, { id: params.id, ...body }),
  }),
  simulateDisputeEnd: route.post('/disputes/{id}/simulate', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Decide a test dispute',
    description: 'As if its provider had decided it.',
    mode: 'test',
    example: { outcome: 'lost' },
    schema: { params: s.DisputeParams, body: s.SimulateDisputeEndIn, data: s.DisputeRecord },
    refuses: ['dispute_already_closed', 'dispute_not_simulated'],
    message: 'Dispute decided',
    run: (work, { params, body }) => simulateEnd(work, params.id, body.outcome),
  }),
})

const ofOperator = routesOf('Operator', disputeRefusals)

export const operatorDisputeRoutes = named({
  listOperatorDisputes: ofOperator.get('/operator/disputes', {
    scope: 'operator',
    summary: 'List disputes',
    description:
      'The newest thousand of all businesses, in live mode and in test mode, newest first.',
    schema: { query: s.OperatorDisputeQuery, data: Page(s.OperatorDisputeRecord) },
    message: 'Disputes',
    read: (ctx, { query }) => listOperatorDisputes(ctx, query),
  }),
  getOperatorDispute: ofOperator.get('/operator/disputes/{id}', {
    scope: 'operator',
    summary: 'Get a dispute',
    description: 'With whose payment it is, and at which account.',
    schema: { params: s.DisputeParams, data: s.OperatorDisputeRecord },
    message: 'Dispute',
    read: (ctx, { params }) => getOperatorDispute(ctx, params.id),
  }),
  holdForDispute: ofOperator.post('/operator/disputes/{id}/hold', {
    scope: 'operator',
    summary: 'Hold money for a dispute',
    description:
      'Of the wallet, never more than it has available. It can be released, and taken once the dispute is lost.',
    example: { amount: 450_000 },
    schema: { params: s.DisputeParams, body: s.HoldIn, data: s.OperatorDisputeRecord },
    refuses: ['dispute_won', 'dispute_held', 'dispute_amount_too_large', 'insufficient_funds'],
    message: 'Money held',
    prepare: (ctx, { params, body }) => prepareDecision(ctx, { id: params.id, ...body }),
    run: (work, decision) => holdFor(work, decision),
  }),
  releaseForDispute: ofOperator.post('/operator/disputes/{id}/release', {
    scope: 'operator',
    summary: 'Release what is held for a dispute',
    description: 'Back to the wallet. Of a dispute that is won it is released by itself.',
    schema: { params: s.DisputeParams, data: s.OperatorDisputeRecord },
    refuses: ['dispute_not_held'],
    message: 'Money released',
    prepare: (ctx, { params }) => prepareDecision(ctx, params),
    run: (work, decision) => releaseFor(work, decision),
  }),
  takeForDispute: ofOperator.post('/operator/disputes/{id}/take', {
    scope: 'operator',
    summary: 'Take money for a lost dispute',
    description:
      'What is held, or, where nothing is, an amount of what the wallet has available. What a dispute costs beyond that stays the operator’s loss.',
    example: {},
    schema: { params: s.DisputeParams, body: s.TakeIn, data: s.OperatorDisputeRecord },
    refuses: ['dispute_not_lost', 'dispute_held', 'dispute_amount_too_large', 'insufficient_funds'],
    message: 'Money taken',
    prepare: (ctx, { params, body }) => prepareDecision(ctx, { id: params.id, ...body }),
    run: (work, decision) => takeFor(work, decision),
  }),
})
