import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
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
import { settle } from './settlement.ts'

const tag = 'Distributions'

export const distributionRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/distributions',
    tag,
    summary: 'Make a distribution',
    description: 'Name it on products: what is paid for them by invoice is shared.',
    status: 201,
    schema: { body: DistributionIn, data: DistributionRecord },
    handler: async (ctx, { body }) => ({ message: 'Distribution created', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/distributions',
    tag,
    summary: 'List distributions',
    description: 'Newest first.',
    schema: { query: DistributionQuery, data: Page(DistributionRecord) },
    handler: async (ctx, { query }) => ({ message: 'Distributions', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/distributions/{id}',
    tag,
    summary: 'Get a distribution',
    schema: { params: DistributionParams, data: DistributionRecord },
    handler: async (ctx, { params }) => ({ message: 'Distribution', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PUT',
    path: '/distributions/{id}',
    tag,
    summary: 'Change a distribution',
    description: 'Only what is given changes; `shares` as a whole. What is shared already stays with its share.',
    schema: { params: DistributionParams, body: DistributionChange, data: DistributionRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Distribution changed',
      data: await update(ctx, params.id, body),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/distributions/{id}/activate',
    tag,
    summary: 'Turn a distribution on',
    schema: { params: DistributionParams, data: DistributionRecord },
    handler: async (ctx, { params }) => ({
      message: 'Distribution activated',
      data: await setActive(ctx, params.id, true),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/distributions/{id}/deactivate',
    tag,
    summary: 'Turn a distribution off',
    description: 'It splits nothing then, and no product can name it.',
    schema: { params: DistributionParams, data: DistributionRecord },
    handler: async (ctx, { params }) => ({
      message: 'Distribution deactivated',
      data: await setActive(ctx, params.id, false),
    }),
  }),
  route({
    method: 'POST',
    path: '/distributions/{id}/preview',
    tag,
    summary: 'See how an amount would be split',
    description: 'By the very function that splits what is paid.',
    schema: { params: DistributionParams, body: PreviewIn, data: PreviewRecord },
    handler: async (ctx, { params, body }) => ({ message: 'Preview', data: await preview(ctx, params.id, body) }),
  }),
  route({
    method: 'POST',
    path: '/distributions/{id}/settle',
    tag,
    summary: 'Pay out what the shares hold',
    description: 'By ordinary payouts. One that fails brings the money back to its share.',
    schema: { params: DistributionParams, data: SettlementRecord },
    handler: async (ctx, { params }) => ({ message: 'Distribution settled', data: await settle(ctx, params.id) }),
  }),
]
