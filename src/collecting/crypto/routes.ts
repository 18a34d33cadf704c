import { csvExport } from '../../books/profiles/profiles.ts'
import { type Route, routesOf } from '../../core/route.ts'
import { Page, Type } from '../../lib/schema.ts'
import { close, create, get, list, prepare, tokens } from './crypto.ts'
import { cryptoRefusals } from './refusals.ts'
import {
  CryptoWalletIn,
  CryptoWalletParams,
  CryptoWalletQuery,
  CryptoWalletRecord,
  exported,
  TokenRecord,
} from './schema.ts'

const route = routesOf('Crypto', cryptoRefusals)

export const cryptoRoutes: Route[] = [
  route.get('/crypto/tokens', {
    id: 'listCryptoTokens',
    summary: 'List the stablecoins and their networks',
    description:
      'A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.',
    schema: { data: Type.Array(TokenRecord) },
    message: 'Tokens',
    read: async (ctx) => tokens(ctx),
  }),
  route.post('/crypto/wallets', {
    id: 'createCryptoWallet',
    summary: 'Open a crypto wallet',
    description: 'One address for every network and token. What arrives credits the `usd` wallet.',
    status: 201,
    example: {
      customer: '6925f3a1c0ffee00c0ffee01',
      label: 'Ada’s deposits',
      reference: 'wallet-0001',
    },
    schema: { body: CryptoWalletIn, data: CryptoWalletRecord },
    refuses: ['customer_not_found', 'duplicate_reference', 'rail_not_configured'],
    message: 'Crypto wallet opened',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
  }),
  route.get('/crypto/wallets', {
    id: 'listCryptoWallets',
    summary: 'List crypto wallets',
    description: 'Newest first.',
    schema: { query: CryptoWalletQuery, data: Page(CryptoWalletRecord) },
    message: 'Crypto wallets',
    read: (ctx, { query }) => list(ctx, query),
  }),
  route.get(
    '/crypto/wallets/export',
    csvExport('crypto wallets', { query: CryptoWalletQuery, columns: exported, list }),
  ),
  route.get('/crypto/wallets/{id}', {
    id: 'getCryptoWallet',
    summary: 'Get a crypto wallet',
    description: 'Its address, and the networks it receives on.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    message: 'Crypto wallet',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  route.patch('/crypto/wallets/{id}/close', {
    id: 'closeCryptoWallet',
    summary: 'Close a crypto wallet',
    description: 'What still comes to its address is booked, and marked late.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    refuses: ['wallet_not_active'],
    message: 'Crypto wallet closed',
    run: (work, { params }) => close(work, params.id),
  }),
]
