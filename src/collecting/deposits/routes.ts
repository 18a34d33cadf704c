import { TransactionRecord } from '../../books/transactions/transactions.ts'
import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { listDeposits } from './chain.ts'
import { depositIn, prepareDeposit, simulateTokens } from './deposits.ts'
import {
  AccountParams,
  ChainDepositPage,
  ChainDepositQuery,
  SimulateDepositIn,
  SimulateTokensIn,
  WalletParams,
} from './schema.ts'

export const depositRoutes: Route[] = [
  writeRoute({
    method: 'POST',
    path: '/virtual-accounts/{id}/simulate-deposit',
    tag: 'Virtual accounts',
    summary: 'Have test money arrive',
    description:
      'Takes the way that a bank’s notice takes. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    schema: { params: AccountParams, body: SimulateDepositIn, data: TransactionRecord },
    message: 'Deposit booked',
    prepare: (ctx, { params, body }) => prepareDeposit(ctx, params.id, body),
    run: (work, { account, notification }) => depositIn(work, account, notification),
  }),
  writeRoute({
    method: 'POST',
    path: '/crypto/wallets/{id}/simulate-deposit',
    tag: 'Crypto',
    summary: 'Have test tokens arrive',
    description:
      'Confirmed already, and without any node. The answer is the transaction; the same `notice` again gives the same one.',
    mode: 'test',
    schema: { params: WalletParams, body: SimulateTokensIn, data: TransactionRecord },
    message: 'Deposit booked',
    run: (work, { params, body }) => simulateTokens(work, params.id, body),
  }),
  readRoute({
    method: 'GET',
    path: '/crypto/wallets/{id}/deposits',
    tag: 'Crypto',
    summary: 'List what was sent to a crypto wallet on chains',
    description: 'Newest first, from the moment a block holds it. Simulated deposits are transactions only.',
    schema: { params: WalletParams, query: ChainDepositQuery, data: ChainDepositPage },
    message: 'Deposits',
    read: (ctx, { params, query }) => listDeposits(ctx, params.id, query),
  }),
]
