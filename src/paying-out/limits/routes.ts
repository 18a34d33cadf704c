import { named, routesOf } from '../../core/route.ts'
import { changeCeilings, getCeilings } from './ceilings.ts'
import { limitRefusals } from './refusals.ts'
import { getFired } from './rules.ts'
import {
  LimitRulesRecord,
  LimitsIn,
  LimitsRecord,
  OperatorLimitsIn,
  OperatorLimitsParams,
  OperatorLimitsRecord,
  PendingParams,
} from './schema.ts'
import { cancelLooser, confirmLooser, getLimits, updateLimits } from './settings.ts'

const route = routesOf('Payouts', limitRefusals)

export const limitRoutes = named({
  getLimits: route.get('/limits', {
    scope: 'read',
    summary: 'Get the limits of payouts',
    description:
      'Above what payouts wait for a second person or are refused, and what today has sent.',
    schema: { data: LimitsRecord },
    message: 'Limits',
    read: (ctx) => getLimits(ctx),
  }),
  updateLimits: route.put('/limits', {
    scope: 'manage',
    personScope: 'limits',
    givesPower: true,
    summary: 'Change the limits of payouts',
    description:
      'From now on; fields that are left out stay as they are. In live mode what loosens limits waits, as `pending_change`, for 24 hours or until a second person confirms it; every owner is mailed. Another that loosens takes its place, and what you make stricter is taken from it. A key that can create payouts can make limits stricter only.',
    example: {
      currencies: [
        { currency: 'ngn', approve_above: 50_000_000, approve_above_daily: 200_000_000 },
      ],
      approval_hours: 24,
    },
    schema: { body: LimitsIn, data: LimitsRecord },
    refuses: ['limits_not_loosened'],
    message: 'Limits changed',
    run: (work, { body }) => updateLimits(work, body),
  }),
  confirmPendingLimits: route.post('/limits/pending/{id}/confirm', {
    scope: 'approve',
    givesPower: true,
    summary: 'Confirm a change that loosens limits',
    description:
      'It takes effect at once. The person who requested the change cannot confirm it, nor can their keys. For 72 hours after an invitation, neither can a person whom they invited, who invited them, or whom the same person invited.',
    schema: { params: PendingParams, data: LimitsRecord },
    refuses: ['approved_by_maker', 'approver_too_new'],
    message: 'Limits changed',
    run: (work, { params }) => confirmLooser(work, params.id),
  }),
  cancelPendingLimits: route.post('/limits/pending/{id}/cancel', {
    scope: 'manage',
    personScope: 'limits',
    summary: 'Cancel a change that loosens limits',
    description:
      'The limits stay as they are. The person who requested the change can cancel it too.',
    schema: { params: PendingParams, data: LimitsRecord },
    message: 'Change canceled',
    run: (work, { params }) => cancelLooser(work, params.id),
  }),
  getLimitRules: route.get('/limits/rules', {
    scope: 'read',
    summary: 'Get how often limits fired',
    description:
      'How often each limit, your own and the operator’s, refused a payout or had it wait: today, and in the last 7 and 30 days of UTC.',
    schema: { data: LimitRulesRecord },
    message: 'Rules of limits',
    read: (ctx) => getFired(ctx),
  }),
})

const ofOperator = routesOf('Operator', limitRefusals)

export const operatorLimitRoutes = named({
  getOperatorLimits: ofOperator.get('/operator/businesses/{id}/limits', {
    scope: 'operator',
    summary: 'Get what a business may pay out at most',
    description:
      'By one payout, in a day of UTC and to one destination in it, from each wallet; and what has gone out today.',
    schema: { params: OperatorLimitsParams, data: OperatorLimitsRecord },
    message: 'Limits',
    read: (ctx, { params }) => getCeilings(ctx, params.id),
  }),
  changeOperatorLimits: ofOperator.put('/operator/businesses/{id}/limits', {
    scope: 'operator',
    givesPower: true,
    summary: 'Change what a business may pay out at most',
    description:
      'From now on, in live mode and in test mode; fields that are left out stay as they are, and payouts that are on their way go on. A payout above it is refused with `operator_limit_exceeded`.',
    example: { currencies: [{ currency: 'ngn', max_payout: 50_000_000, max_daily: 200_000_000 }] },
    schema: { params: OperatorLimitsParams, body: OperatorLimitsIn, data: OperatorLimitsRecord },
    message: 'Limits changed',
    run: (work, { params, body }) => changeCeilings(work, params.id, body),
  }),
})
