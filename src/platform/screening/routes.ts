import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { addEntry, listEntries, removeEntry } from './entries.ts'
import { screeningRefusals } from './refusals.ts'
import { decide, getReview, listReviews, prepareReview } from './reviews.ts'
import * as s from './schema.ts'

const route = routesOf('Operator', screeningRefusals)

export const screeningRoutes = named({
  listReviews: route.get('/operator/reviews', {
    scope: 'review',
    summary: 'List what screening holds',
    description:
      'What waits, the one that waits longest first; then what has ended, the newest first. At most 1,000 of each. For keys that were made with `reviews`.',
    schema: { query: s.ReviewQuery, data: Page(s.ReviewRecord) },
    message: 'Reviews',
    read: (ctx, { query }) => listReviews(ctx, query),
  }),
  getReview: route.get('/operator/reviews/{id}', {
    scope: 'review',
    summary: 'Get what screening holds',
    schema: { params: s.ReviewParams, data: s.ReviewRecord },
    message: 'Review',
    read: (ctx, { params }) => getReview(ctx, params.id),
  }),
  releaseReview: route.post('/operator/reviews/{id}/release', {
    scope: 'review',
    givesPower: true,
    summary: 'Release what screening holds',
    description:
      'The payment continues. The hits of this review no longer hold it; new hits do. To release a refused deposit, use `after_refusal`.',
    schema: { params: s.ReviewParams, body: s.ReleaseIn, data: s.ReviewRecord },
    refuses: ['review_decided'],
    message: 'Released',
    prepare: async (ctx, { params, body }) => ({
      ...(await prepareReview(ctx, params.id)),
      ...body,
    }),
    run: (work, order) => decide(work, order, 'released'),
  }),
  refuseReview: route.post('/operator/reviews/{id}/refuse', {
    scope: 'review',
    givesPower: true,
    summary: 'Refuse what screening holds',
    description:
      'A payout or a refund fails with the reason `rejected`, and its amount is available again. A deposit stays held, in `pending` of its wallet.',
    example: { note: 'The same person, by the date of birth.' },
    schema: { params: s.ReviewParams, body: s.DecisionIn, data: s.ReviewRecord },
    refuses: ['review_decided', 'outgoing_held'],
    message: 'Refused',
    prepare: async (ctx, { params, body }) => ({
      ...(await prepareReview(ctx, params.id)),
      ...body,
    }),
    run: (work, order) => decide(work, order, 'refused'),
  }),
  listScreeningEntries: route.get('/operator/screening/entries', {
    scope: 'review',
    summary: 'List the operator’s own lists',
    description: 'What is blocked and what is allowed in the whole installation: the newest 1,000.',
    schema: { query: s.EntryQuery, data: Page(s.EntryRecord) },
    message: 'Entries',
    read: (ctx, { query }) => listEntries(ctx, query),
  }),
  addScreeningEntry: route.post('/operator/screening/entries', {
    scope: 'review',
    givesPower: true,
    summary: 'Block or allow',
    description: 'For all businesses, in both modes, from now on.',
    status: 201,
    example: { kind: 'block', type: 'account', value: '0123456789', note: 'Reported by its bank.' },
    schema: { body: s.EntryIn, data: s.EntryRecord },
    refuses: ['screening_entry_exists'],
    message: 'Entry added',
    run: (work, { body }) => addEntry(work, body),
  }),
  removeScreeningEntry: route.delete('/operator/screening/entries/{id}', {
    scope: 'review',
    givesPower: true,
    summary: 'Remove an entry',
    description: 'What it holds waits for a person all the same.',
    schema: { params: s.EntryParams, data: s.EntryRecord },
    message: 'Entry removed',
    run: (work, { params }) => removeEntry(work, params.id),
  }),
})
