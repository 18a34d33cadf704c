import { PaymentRecord, paymentMethods } from '../../collecting/payments/payments.ts'
import { named, routesOf } from '../../core/route.ts'
import { Body, OneOf, Type } from '../../lib/schema.ts'
import { checkoutRefusals } from './refusals.ts'
import { outcomes, prepareSimulation, simulate } from './simulate.ts'

const route = routesOf('Payments', checkoutRefusals)

export const checkoutRoutes = named({
  simulatePayment: route.post('/payments/{id}/simulate', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Have something happen to a test payment',
    description:
      'As if the payer did it, by the same steps: `underpaid` and `overpaid` are for transfers; `failed` is a decline for good.',
    mode: 'test',
    example: { outcome: 'completed', method: 'card' },
    schema: {
      params: Body({ id: Type.String({ description: 'The payment.' }) }),
      body: Body({
        outcome: OneOf(outcomes, { description: 'What happens.' }),
        method: Type.Optional(
          OneOf(paymentMethods, {
            description: 'How it is paid. Default: the first of its methods.',
          }),
        ),
      }),
      data: PaymentRecord,
    },
    refuses: [
      'payment_not_pending',
      'payment_processing',
      'payment_of_invoice',
      'method_not_available',
      'too_many_attempts',
      'collection_full',
      'collection_canceled',
      'amount_too_large',
      'unsupported_currency',
      'unsupported_chain',
    ],
    message: 'Payment simulated',
    prepare: (ctx, { params, body }) =>
      prepareSimulation(ctx, params.id, body.outcome, body.method ?? null),
    run: simulate,
  }),
})
