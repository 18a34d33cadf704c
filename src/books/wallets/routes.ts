import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { SimulateFund, WalletQuery, WalletRecord } from './schema.ts'
import { listWallets, simulateFund } from './wallets.ts'

export const walletRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/wallets',
    tag: 'Wallets',
    summary: 'List the wallets',
    description: 'A plain array: one wallet per currency. Both exist from the day the business does.',
    schema: { query: WalletQuery, data: Type.Array(WalletRecord) },
    handler: async (ctx, { query }) => ({ message: 'Wallets', data: await listWallets(ctx, query.currency) }),
  }),
  route({
    method: 'POST',
    path: '/wallets/simulate-fund',
    tag: 'Wallets',
    summary: 'Put test money into a wallet',
    mode: 'test',
    schema: { body: SimulateFund, data: WalletRecord },
    handler: async (ctx, { body }) => ({
      message: 'Wallet funded',
      data: await simulateFund(ctx, body.currency, BigInt(body.amount)),
    }),
  }),
]
