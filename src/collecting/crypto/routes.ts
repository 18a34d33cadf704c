import { type Route, readRoute, writeRoute } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { close, create, get, list, prepare, tokens } from './crypto.ts'
import { CryptoWalletIn, CryptoWalletParams, CryptoWalletQuery, CryptoWalletRecord, TokenRecord } from './schema.ts'

const tag = 'Crypto'

export const cryptoRoutes: Route[] = [
  readRoute({
    method: 'GET',
    path: '/crypto/tokens',
    tag,
    summary: 'List the stablecoins and their networks',
    description:
      'A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.',
    schema: { data: Type.Array(TokenRecord) },
    message: 'Tokens',
    read: async (ctx) => tokens(ctx),
  }),
  writeRoute({
    method: 'POST',
    path: '/crypto/wallets',
    tag,
    summary: 'Open a crypto wallet',
    description: 'One address for every network and token. What arrives credits the `usd` wallet.',
    status: 201,
    schema: { body: CryptoWalletIn, data: CryptoWalletRecord },
    message: 'Crypto wallet opened',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
  }),
  readRoute({
    method: 'GET',
    path: '/crypto/wallets',
    tag,
    summary: 'List crypto wallets',
    description: 'Newest first.',
    schema: { query: CryptoWalletQuery, data: Page(CryptoWalletRecord) },
    message: 'Crypto wallets',
    read: (ctx, { query }) => list(ctx, query),
  }),
  readRoute({
    method: 'GET',
    path: '/crypto/wallets/{id}',
    tag,
    summary: 'Get a crypto wallet',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    message: 'Crypto wallet',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  writeRoute({
    method: 'PATCH',
    path: '/crypto/wallets/{id}/close',
    tag,
    summary: 'Close a crypto wallet',
    description: 'What still comes to its address is booked, and marked late.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    message: 'Crypto wallet closed',
    run: (work, { params }) => close(work, params.id),
  }),
]
