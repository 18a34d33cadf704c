import { type Ctx, route } from '../context.ts'
import { cryptoCurrencies } from '../lib/money.ts'
import type { Route } from '../lib/route.ts'
import { Type } from '../lib/schema.ts'
import { TokenRecord } from './schema.ts'
import { networksOf, tokenNames } from './tokens.ts'

export const cryptoRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/crypto/tokens',
    tag: 'Crypto',
    summary: 'List the stablecoins and their networks',
    description:
      'A live key sees main networks only; a test key also sees test networks, and nothing it does leaves the sandbox.',
    schema: { data: Type.Array(TokenRecord) },
    handler: async ({ scope }) => ({
      message: 'Tokens',
      data: cryptoCurrencies.map((currency) => ({
        currency,
        name: tokenNames[currency],
        networks: networksOf(currency, scope.livemode).map((network) => ({
          id: network.id,
          name: network.name,
          chain_id: network.chain_id,
          contract_address: network.tokens[currency]?.contract_address ?? '',
          decimals: network.tokens[currency]?.decimals ?? 0,
          confirmations: network.confirmations,
          testnet: network.testnet,
        })),
      })),
    }),
  }),
]
