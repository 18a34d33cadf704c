import { AuditRecord, getChange, listChanges } from '../../books/audit/audit.ts'
import { addVersion, createPlan, getPlan, listPlans } from '../../books/pricing/pricing.ts'
import { rangeOf } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { paginate } from '../../db/lists/list.ts'
import { Page } from '../../lib/schema.ts'
import { createOperatorKey, listOperatorKeys, revokeOperatorKey } from './keys.ts'
import {
  changeBusiness,
  changePlanOf,
  createBusiness,
  getBusiness,
  listBusinesses,
} from './operator.ts'
import { operatorRefusals, refuse } from './refusals.ts'
import * as s from './schema.ts'

const route = routesOf('Operator', operatorRefusals)

const dateOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text)

export const operatorRoutes = named({
  listOperatorBusinesses: route.get('/operator/businesses', {
    scope: 'operator',
    summary: 'List businesses',
    description: 'All businesses of the installation, newest first.',
    schema: { query: s.BusinessQuery, data: Page(s.OperatorBusinessRecord) },
    message: 'Businesses',
    read: (ctx, { query }) => listBusinesses(ctx, query),
  }),
  createOperatorBusiness: route.post('/operator/businesses', {
    scope: 'operator',
    summary: 'Create a business',
    description: 'With a test key and a live key, which are shown once.',
    status: 201,
    once: ['test_key', 'live_key'],
    example: { name: 'Ada’s Bakery' },
    schema: { body: s.BusinessIn, data: s.NewBusinessRecord },
    refuses: ['plan_not_found', 'cell_full'],
    message: 'Business created',
    prepare: async ({ clock, role }, { body }) => ({ clock, role, ...body }),
    run: createBusiness,
  }),
  getOperatorBusiness: route.get('/operator/businesses/{id}', {
    scope: 'operator',
    summary: 'Get a business',
    description: 'With its status, and the plans that it has, had and will have.',
    schema: { params: s.BusinessParams, data: s.OperatorBusinessRecord },
    message: 'Business',
    read: (ctx, { params }) => getBusiness(ctx, params.id),
  }),
  changeOperatorBusiness: route.patch('/operator/businesses/{id}', {
    scope: 'operator',
    summary: 'Suspend a business, close it, or let it go on',
    description:
      'A business is closed only when its live wallets are empty and nothing is under way there. Once this is answered, no process of the server takes what was stopped.',
    example: { status: 'suspended', reason: 'We wait for your papers.' },
    schema: { params: s.BusinessParams, body: s.BusinessChange, data: s.OperatorBusinessRecord },
    refuses: ['business_not_empty'],
    message: 'Business changed',
    prepare: async ({ clock, role }, { params, body }) => ({
      id: params.id,
      change: { clock, role, ...body },
    }),
    run: (work, { id, change }) => changeBusiness(work, id, change),
  }),
  changeOperatorBusinessPlan: route.put('/operator/businesses/{id}/plan', {
    scope: 'operator',
    summary: 'Give a business a plan',
    description:
      'From a date on. Payouts and payments that were made before keep their prices, and quotes theirs.',
    schema: { params: s.BusinessParams, body: s.PlanChoice, data: s.OperatorBusinessRecord },
    refuses: ['plan_not_found'],
    message: 'Plan changed',
    prepare: async ({ clock, role }, { params, body: { plan, holds_from } }) => ({
      id: params.id,
      change: { clock, role, plan, holdsFrom: dateOf(holds_from) },
    }),
    run: (work, { id, change }) => changePlanOf(work, id, change),
  }),
  listPlans: route.get('/operator/plans', {
    scope: 'operator',
    summary: 'List plans',
    description: 'With all versions of each, newest plan first.',
    schema: { query: s.PlanQuery, data: Page(s.PlanRecord) },
    message: 'Plans',
    read: async (ctx, { query }) => paginate(await listPlans(ctx), query) as never,
  }),
  createPlan: route.post('/operator/plans', {
    scope: 'operator',
    summary: 'Create a plan',
    description: 'No business has it yet. Prices that are left out are those of the installation.',
    status: 201,
    example: {
      name: 'Growth',
      prices: { deposit: { 'bank_transfer.ngn': { flat: 0, bps: 25, min: 0, max: 30_000 } } },
    },
    schema: { body: s.PlanIn, data: s.PlanRecord },
    refuses: ['plan_name_taken'],
    message: 'Plan created',
    prepare: async ({ clock }, { body }) => ({ clock, ...body }),
    run: async (work, order) => (await createPlan(work, order)) as never,
  }),
  getPlan: route.get('/operator/plans/{id}', {
    scope: 'operator',
    summary: 'Get a plan',
    description: 'With all its versions.',
    schema: { params: s.PlanParams, data: s.PlanRecord },
    message: 'Plan',
    read: async (ctx, { params }) => (await getPlan(ctx, params.id)) as never,
  }),
  addPlanVersion: route.post('/operator/plans/{id}/versions', {
    scope: 'operator',
    summary: 'Give a plan other prices',
    description:
      'From a date on, for all businesses that have it. Nothing is changed or taken back: another version with the same date takes the place of this one.',
    status: 201,
    schema: { params: s.PlanParams, body: s.VersionIn, data: s.PlanRecord },
    message: 'Version added',
    prepare: async ({ clock }, { params, body: { prices, holds_from } }) => ({
      clock,
      plan: params.id,
      prices,
      holdsFrom: dateOf(holds_from),
    }),
    run: async (work, order) => (await addVersion(work, order)) as never,
  }),
  listOperatorAuditEntries: route.get('/operator/audit-log', {
    scope: 'operator',
    summary: 'List what the operator did',
    description:
      'The audit log of the installation, newest first: who made, stopped, priced or limited which business, made plans and keys, closed incidents, decided about papers and verified the ledger; by a key, at the dashboard or by a command. Days are those of UTC.',
    schema: { query: s.OperatorAuditQuery, data: Page(AuditRecord) },
    message: 'Audit log',
    read: async (ctx, { query }) => listChanges(ctx, query, await rangeOf(ctx, query, 'UTC')),
  }),
  getOperatorAuditEntry: route.get('/operator/audit-log/{id}', {
    scope: 'operator',
    summary: 'Get an entry of what the operator did',
    schema: { params: s.OperatorAuditParams, data: AuditRecord },
    message: 'Entry',
    read: (ctx, { params }) => getChange(ctx, params.id),
  }),
})

/** Operations of the operator's staff at the dashboard only: a key cannot create keys. */
export const operatorOperations = named({
  listOperatorKeys: route.get('/operator/keys', {
    scope: 'operator',
    summary: 'List the operator’s keys',
    schema: { query: s.PlanQuery, data: Page(s.OperatorKeyRecord) },
    message: 'Keys',
    read: async (ctx, { query }) => paginate(await listOperatorKeys(ctx), query) as never,
  }),
  getOperatorKey: route.get('/operator/keys/{id}', {
    scope: 'operator',
    summary: 'Get a key of the operator',
    schema: { params: s.OperatorKeyParams, data: s.OperatorKeyRecord },
    message: 'Key',
    read: async (ctx, { params }) =>
      ((await listOperatorKeys(ctx)).find(({ id }) => id === params.id) ??
        refuse('not_found', `There is no key '${params.id}' of the operator.`)) as never,
  }),
  createOperatorKey: route.post('/operator/keys', {
    scope: 'operator',
    givesPower: true,
    summary: 'Make a key of the operator',
    once: ['key'],
    schema: { body: s.OperatorKeyIn, data: s.OperatorKeyWithSecret },
    message: 'Key made',
    run: async (work, { body }) =>
      (await createOperatorKey(work, body.name, body.reviews)) as never,
  }),
  revokeOperatorKey: route.post('/operator/keys/{id}/revoke', {
    scope: 'operator',
    summary: 'Revoke a key of the operator',
    schema: { params: s.OperatorKeyParams, data: s.OperatorKeyRecord },
    message: 'Key revoked',
    run: async (work, { params }) => (await revokeOperatorKey(work, params.id)) as never,
  }),
})
