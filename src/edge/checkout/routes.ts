import { PaymentRecord, paymentMethods } from '../../collecting/payments/payments.ts'
import { type Route, routesOf } from '../../core/route.ts'
import { Body, OneOf, Type } from '../../lib/schema.ts'
import { outcomes, prepareSimulation, simulate } from './simulate.ts'

const route = routesOf('Payments')

export const checkoutRoutes: Route[] = [
  route.post('/payments/{id}/simulate', {
    id: 'simulatePayment',
    summary: 'Have something happen to a test payment',
    description:
      'As if the payer did it, by the same steps: `underpaid` and `overpaid` are for transfers; `failed` is a decline for good.',
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
    message: 'Payment simulated',
    prepare: (ctx, { params, body }) => prepareSimulation(ctx, params.id, body.outcome, body.method ?? null),
    run: simulate,
  }),
]
