import { named, routesOf } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { walletRefusals } from './refusals.ts'
import { SimulateFund, WalletQuery, WalletRecord } from './schema.ts'
import { listWallets, simulateFund } from './wallets.ts'

const route = routesOf('Wallets', walletRefusals)

export const walletRoutes = named({
  listWallets: route.get('/wallets', {
    scope: 'read',
    summary: 'List the wallets',
    description:
      'A plain array: one wallet per currency. Both exist from the day the business does.',
    schema: { query: WalletQuery, data: Type.Array(WalletRecord) },
    message: 'Wallets',
    read: (ctx, { query }) => listWallets(ctx, query.currency),
  }),
  simulateFunding: route.post('/wallets/simulate-fund', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Put test money into a wallet',
    description: 'At once, and without a fee: a transaction of type `simulated_fund`.',
    mode: 'test',
    example: { currency: 'ngn', amount: 100_000_000 },
    schema: { body: SimulateFund, data: WalletRecord },
    refuses: ['amount_too_large'],
    message: 'Wallet funded',
    run: (work, { body }) => simulateFund(work, body.currency, BigInt(body.amount)),
  }),
})
