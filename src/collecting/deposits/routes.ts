import { TransactionRecord } from '../../books/transactions/transactions.ts'
import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { listDeposits } from './chain.ts'
import { simulateDeposit, simulateTokens } from './deposits.ts'
import {
  AccountParams,
  ChainDepositPage,
  ChainDepositQuery,
  SimulateDepositIn,
  SimulateTokensIn,
  WalletParams,
} from './schema.ts'

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
  route({
    method: 'POST',
    path: '/crypto/wallets/{id}/simulate-deposit',
    tag: 'Crypto',
    summary: 'Have test tokens arrive',
    description:
      'Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    schema: { params: WalletParams, body: SimulateTokensIn, data: TransactionRecord },
    handler: async (ctx, { params, body }) => ({
      message: 'Deposit booked',
      data: await simulateTokens(ctx, params.id, body),
    }),
  }),
  route({
    method: 'GET',
    path: '/crypto/wallets/{id}/deposits',
    tag: 'Crypto',
    summary: 'List what was sent to a crypto wallet on chains',
    description: 'Newest first, from the moment a block holds it. Simulated deposits are transactions only.',
    schema: { params: WalletParams, query: ChainDepositQuery, data: ChainDepositPage },
    handler: async (ctx, { params, query }) => ({
      message: 'Deposits',
      data: await listDeposits(ctx, params.id, query),
    }),
  }),
]
