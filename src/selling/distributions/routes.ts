import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { readingCodes } from '../../platform/destinations/destinations.ts'
import { create, get, list, preview, setActive, update } from './distributions.ts'
import { distributionRefusals } from './refusals.ts'
import {
  DistributionChange,
  DistributionIn,
  DistributionParams,
  DistributionQuery,
  DistributionRecord,
  exported,
  PreviewIn,
  PreviewRecord,
  SettlementRecord,
} from './schema.ts'
import { prepareSettlement, settleShares } from './settlement.ts'

const route = routesOf('Distributions', distributionRefusals)

export const distributionRoutes = named({
  createDistribution: route.post('/distributions', {
    scope: 'collect',
    summary: 'Make a distribution',
    description:
      'Name it on products: what is paid for them by invoice is shared. To name destinations needs the scope `manage` beside `collect`.',
    status: 201,
    example: {
      name: 'Shoemaker and rider',
      currency: 'ngn',
      shares: [
        {
          name: 'Shoemaker',
          percentage_bps: 6_000,
          destination: { bank_code: '058', account_number: '0123456789' },
        },
        { name: 'Rider', flat_amount: 50_000 },
      ],
    },
    schema: { body: DistributionIn, data: DistributionRecord },
    refuses: [...readingCodes, 'not_found'],
    message: 'Distribution created',
    run: (work, { body }) => create(work, body),
  }),
  listDistributions: route.get('/distributions', {
    scope: 'read',
    summary: 'List distributions',
    description: 'Newest first.',
    schema: { query: DistributionQuery, data: Page(DistributionRecord) },
    message: 'Distributions',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportDistributions: route.get(
    '/distributions/export',
    csvExport('distributions', { query: DistributionQuery, columns: exported, list }),
  ),
  getDistribution: route.get('/distributions/{id}', {
    scope: 'read',
    summary: 'Get a distribution',
    description: 'With what each share holds now, and what was paid out of it.',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  updateDistribution: route.put('/distributions/{id}', {
    scope: 'collect',
    summary: 'Change a distribution',
    description:
      'Only what is given changes; `shares` as a whole. What is shared already stays with its share. To change where one is paid needs the scope `manage` beside `collect`, and is in the audit log; the new destination cools off as a beneficiary does.',
    example: { name: 'Shoemaker alone', shares: [{ name: 'Shoemaker', percentage_bps: 7_000 }] },
    schema: { params: DistributionParams, body: DistributionChange, data: DistributionRecord },
    refuses: [...readingCodes, 'share_not_settled'],
    message: 'Distribution changed',
    run: (work, { params, body }) => update(work, params.id, body),
  }),
  activateDistribution: route.patch('/distributions/{id}/activate', {
    scope: 'collect',
    summary: 'Turn a distribution on',
    description: 'What is paid from now on for products that name it is split.',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution activated',
    run: (work, { params }) => setActive(work, params.id, true),
  }),
  deactivateDistribution: route.patch('/distributions/{id}/deactivate', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Turn a distribution off',
    description: 'It splits nothing then, and no product can name it.',
    schema: { params: DistributionParams, data: DistributionRecord },
    message: 'Distribution deactivated',
    run: (work, { params }) => setActive(work, params.id, false),
  }),
  previewDistribution: route.post('/distributions/{id}/preview', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'See how an amount would be split',
    description: 'By the very function that splits what is paid.',
    example: { amount: 1_250_000, quantity: 2 },
    schema: { params: DistributionParams, body: PreviewIn, data: PreviewRecord },
    message: 'Preview',
    run: (work, { params, body }) => preview(work, params.id, body),
  }),
  settleDistribution: route.post('/distributions/{id}/settle', {
    scope: 'payout',
    summary: 'Pay out what the shares hold',
    description:
      'By ordinary payouts. One that fails brings the money back to its share. A share whose destination cools off is skipped, and keeps what it holds.',
    schema: { params: DistributionParams, data: SettlementRecord },
    message: 'Distribution settled',
    prepare: (ctx, { params }) => prepareSettlement(ctx, params.id),
    run: settleShares,
  }),
})
