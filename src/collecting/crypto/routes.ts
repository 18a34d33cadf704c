import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { close, create, get, list, tokens } from './crypto.ts'
import { CryptoWalletIn, CryptoWalletParams, CryptoWalletQuery, CryptoWalletRecord, TokenRecord } from './schema.ts'

const tag = 'Crypto'

export const cryptoRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/crypto/tokens',
    tag,
    summary: 'List the stablecoins and their networks',
    description:
      'A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.',
    schema: { data: Type.Array(TokenRecord) },
    handler: async (ctx) => ({ message: 'Tokens', data: tokens(ctx) }),
  }),
  route({
    method: 'POST',
    path: '/crypto/wallets',
    tag,
    summary: 'Open a crypto wallet',
    description: 'One address for every network and token. What arrives credits the `usd` wallet.',
    status: 201,
    schema: { body: CryptoWalletIn, data: CryptoWalletRecord },
    handler: async (ctx, { body }) => ({ message: 'Crypto wallet opened', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/crypto/wallets',
    tag,
    summary: 'List crypto wallets',
    description: 'Newest first.',
    schema: { query: CryptoWalletQuery, data: Page(CryptoWalletRecord) },
    handler: async (ctx, { query }) => ({ message: 'Crypto wallets', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/crypto/wallets/{id}',
    tag,
    summary: 'Get a crypto wallet',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    handler: async (ctx, { params }) => ({ message: 'Crypto wallet', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/crypto/wallets/{id}/close',
    tag,
    summary: 'Close a crypto wallet',
    description: 'What still comes to its address is booked, and marked late.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    handler: async (ctx, { params }) => ({ message: 'Crypto wallet closed', data: await close(ctx, params.id) }),
  }),
]
