import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
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

export const cryptoRoutes = named({
  listCryptoTokens: route.get('/crypto/tokens', {
    scope: 'read',
    summary: 'List the stablecoins and their networks',
    description:
      'A live key sees main networks only. A test key also sees test networks; the sandbox plays every network that the server does not speak to in test mode.',
    schema: { data: Type.Array(TokenRecord) },
    message: 'Tokens',
    read: async (ctx) => tokens(ctx),
  }),
  createCryptoWallet: route.post('/crypto/wallets', {
    scope: 'collect',
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
  listCryptoWallets: route.get('/crypto/wallets', {
    scope: 'read',
    summary: 'List crypto wallets',
    description: 'Newest first.',
    schema: { query: CryptoWalletQuery, data: Page(CryptoWalletRecord) },
    message: 'Crypto wallets',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportCryptoWallets: route.get(
    '/crypto/wallets/export',
    csvExport('crypto wallets', { query: CryptoWalletQuery, columns: exported, list }),
  ),
  getCryptoWallet: route.get('/crypto/wallets/{id}', {
    scope: 'read',
    summary: 'Get a crypto wallet',
    description: 'Its address, and the networks it receives on.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    message: 'Crypto wallet',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  closeCryptoWallet: route.patch('/crypto/wallets/{id}/close', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Close a crypto wallet',
    description: 'What still comes to its address is booked, and marked late.',
    schema: { params: CryptoWalletParams, data: CryptoWalletRecord },
    refuses: ['wallet_not_active'],
    message: 'Crypto wallet closed',
    run: (work, { params }) => close(work, params.id),
  }),
})
