import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { create, get, list, preview, setActive, update } from './distributions.ts'
import {
  DistributionChange,
  DistributionIn,
  DistributionParams,
  DistributionQuery,
  DistributionRecord,
  PreviewIn,
  PreviewRecord,
  SettlementRecord,
} from './schema.ts'
import { prepareSettlement, settleShares } from './settlement.ts'

const tag = 'Distributions'

export const distributionRoutes: Route[] = [
  writeRoute({
    method: 'POST',
    path: '/distributions',
    tag,
    summary: 'Make a distribution',
    description: 'Name it on products: what is paid for them by invoice is shared.',
    status: 201,
    schema: { body: DistributionIn, data: DistributionRecord },
    message: 'Distribution created',
    run: (work, { body }) => create(work, body),
  }),
  readRoute({
    method: 'GET',
    path: '/distributions',
    tag,
    summary: 'List distributions',
    description: 'Newest first.',
    schema: { query: DistributionQuery, data: Page(DistributionRecord) },
    message: 'Distributions',
    read: (ctx, { query }) => list(ctx, query),
  }),
  readRoute({
    method: 'GET',
    path: '/distributions/{id}',
    tag,
    summary: 'Get a distribution',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  writeRoute({
    method: 'PUT',
    path: '/distributions/{id}',
    tag,
    summary: 'Change a distribution',
    description: 'Only what is given changes; `shares` as a whole. What is shared already stays with its share.',
    schema: { params: DistributionParams, body: DistributionChange, data: DistributionRecord },
    message: 'Distribution changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  writeRoute({
    method: 'PATCH',
    path: '/distributions/{id}/activate',
    tag,
    summary: 'Turn a distribution on',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution activated',
    run: (work, { params }) => setActive(work, params.id, true),
  }),
  writeRoute({
    method: 'PATCH',
    path: '/distributions/{id}/deactivate',
    tag,
    summary: 'Turn a distribution off',
    description: 'It splits nothing then, and no product can name it.',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution deactivated',
    run: (work, { params }) => setActive(work, params.id, false),
  }),
  writeRoute({
    method: 'POST',
    path: '/distributions/{id}/preview',
    tag,
    summary: 'See how an amount would be split',
    description: 'By the very function that splits what is paid.',
    schema: { params: DistributionParams, body: PreviewIn, data: PreviewRecord },
    message: 'Preview',
    run: (work, { params, body }) => preview(work, params.id, body),
  }),
  writeRoute({
    method: 'POST',
    path: '/distributions/{id}/settle',
    tag,
    summary: 'Pay out what the shares hold',
    description: 'By ordinary payouts. One that fails brings the money back to its share.',
    schema: { params: DistributionParams, data: SettlementRecord },
    message: 'Distribution settled',
    prepare: (ctx, { params }) => prepareSettlement(ctx, params.id),
    run: settleShares,
  }),
]
