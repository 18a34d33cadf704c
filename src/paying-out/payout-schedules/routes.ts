import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { ownCodes } from '../beneficiaries/beneficiaries.ts'
import { change, create, get, list, listRuns, remove } from './payout-schedules.ts'
import { scheduleRefusals } from './refusals.ts'
import * as schemas from './schema.ts'

const route = routesOf('Payouts', scheduleRefusals)
const payingCodes = [...ownCodes, 'rail_not_configured', 'unsupported_currency'] as const

export const scheduleRoutes = named({
  createPayoutSchedule: route.post('/payout-schedules', {
    scope: 'payout',
    summary: 'Create a payout schedule',
    description:
      'Has what a wallet holds above `keep` paid to an account of your own, daily, weekly or monthly. Each run is an ordinary payout.',
    status: 201,
    example: {
      currency: 'ngn',
      beneficiary: '6925f3a1c0ffee00c0ffee01',
      interval: 'weekly',
      weekday: 'friday',
      time: '06:00',
      keep: 50_000_000,
      minimum: 1_000_000,
    },
    schema: { body: schemas.ScheduleIn, data: schemas.ScheduleRecord },
    refuses: payingCodes,
    message: 'Payout schedule created',
    run: (work, { body }) => create(work, body),
  }),
  listPayoutSchedules: route.get('/payout-schedules', {
    scope: 'read',
    summary: 'List payout schedules',
    description: 'Newest first.',
    schema: { query: schemas.ScheduleQuery, data: Page(schemas.ScheduleRecord) },
    message: 'Payout schedules',
    read: (ctx, { query }) => list(ctx, query),
  }),
  getPayoutSchedule: route.get('/payout-schedules/{id}', {
    scope: 'read',
    summary: 'Get a payout schedule',
    description: 'With its next runs, and what one would pay now.',
    schema: { params: schemas.ScheduleParams, data: schemas.ScheduleRecord },
    message: 'Payout schedule',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  listPayoutScheduleRuns: route.get('/payout-schedules/{id}/runs', {
    scope: 'read',
    summary: 'List the runs of a payout schedule',
    description: 'What each came to: a payout, or why there is none. The latest first.',
    schema: {
      params: schemas.ScheduleParams,
      query: schemas.RunQuery,
      data: Page(schemas.RunRecord),
    },
    message: 'Runs of a payout schedule',
    read: (ctx, { params, query }) => listRuns(ctx, params.id, query),
  }),
  updatePayoutSchedule: route.patch('/payout-schedules/{id}', {
    scope: 'payout',
    summary: 'Change a payout schedule',
    description:
      'Pauses it, resumes it, or changes its rule, which moves the next run. Fields that are left out stay as they are.',
    example: { status: 'paused' },
    schema: {
      params: schemas.ScheduleParams,
      body: schemas.ScheduleUpdate,
      data: schemas.ScheduleRecord,
    },
    refuses: payingCodes,
    message: 'Payout schedule changed',
    run: (work, { params, body }) => change(work, { id: params.id, input: body }),
  }),
  deletePayoutSchedule: route.delete('/payout-schedules/{id}', {
    scope: 'payout',
    allowedWhenStopped: true,
    summary: 'Delete a payout schedule',
    description:
      'It runs no more, and reads as not found. Payouts that it has made stay as they are.',
    schema: { params: schemas.ScheduleParams, data: schemas.ScheduleRecord },
    message: 'Payout schedule deleted',
    run: (work, { params }) => remove(work, params.id),
  }),
})
