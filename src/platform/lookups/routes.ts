import { named, routesOf } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { listBanks, resolveAccount } from './lookups.ts'
import { lookupRefusals } from './refusals.ts'
import { BankRecord, CountryParams, ResolvedAccount, ResolveQuery } from './schema.ts'

const route = routesOf('Lookups', lookupRefusals)

export const lookupRoutes = named({
  listBanks: route.get('/misc/{country}/banks', {
    scope: 'read',
    summary: 'List the banks of a country',
    description: 'A plain array, by name.',
    schema: { params: CountryParams, data: Type.Array(BankRecord) },
    message: 'Banks',
    read: (ctx, { params }) => [...listBanks(ctx, params.country)] as never,
  }),
  resolveAccount: route.get('/misc/{country}/resolve', {
    scope: 'read',
    summary: 'Ask who holds an account',
    description: 'Ask it before a payout. Nigeria only: banks in the US do not tell.',
    schema: { params: CountryParams, query: ResolveQuery, data: ResolvedAccount },
    refuses: [
      'unsupported_country',
      'unknown_bank',
      'account_not_found',
      'bank_lookup_unavailable',
      'rail_not_configured',
    ],
    message: 'Account resolved',
    read: (ctx, { params, query }) => resolveAccount(ctx, params.country, query),
  }),
})
