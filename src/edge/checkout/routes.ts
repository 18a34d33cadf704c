import { get, PaymentRecord, paymentMethods } from '../../collecting/payments/payments.ts'
import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Body, OneOf, Type } from '../../lib/schema.ts'
import { outcomes, simulate } from './simulate.ts'

export const checkoutRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/payments/{id}/simulate',
    tag: 'Payments',
    summary: 'Have something happen to a test payment',
    description:
      'As if the payer did it, by the same ways: `underpaid` and `overpaid` are for transfers; `failed` is a decline for good.',
    mode: 'test',
    schema: {
      params: Body({ id: Type.String({ description: 'The payment.' }) }),
      body: Body({
        outcome: OneOf(outcomes, { description: 'What happens.' }),
        method: Type.Optional(
          OneOf(paymentMethods, { description: 'How it is paid. Default: the first of its methods.' }),
        ),
      }),
      data: PaymentRecord,
    },
    handler: async (ctx, { params, body }) => {
      await simulate(ctx, params.id, body.outcome, body.method ?? null)
      return { message: 'Payment simulated', data: await get(ctx, params.id) }
    },
  }),
]
