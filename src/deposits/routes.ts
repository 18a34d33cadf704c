import { type Ctx, route } from '../context.ts'
import type { Route } from '../lib/route.ts'
import { TransactionRecord } from '../transactions/transactions.ts'
import { simulateDeposit } from './deposits.ts'
import { AccountParams, SimulateDepositIn } from './schema.ts'

export const depositRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/virtual-accounts/{id}/simulate-deposit',
    tag: 'Virtual accounts',
    summary: 'Have test money arrive',
    description:
      'Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    schema: { params: AccountParams, body: SimulateDepositIn, data: TransactionRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Deposit booked',
      data: await simulateDeposit(ctx, params.id, body),
    }),
  }),
]
