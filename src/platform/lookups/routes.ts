import { type Route, routesOf } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { listBanks, resolveAccount } from './lookups.ts'
import { lookupRefusals } from './refusals.ts'
import { BankRecord, CountryParams, ResolvedAccount, ResolveQuery } from './schema.ts'

const route = routesOf('Lookups', lookupRefusals)

export const lookupRoutes: Route[] = [
  route.get('/misc/{country}/banks', {
    id: 'listBanks',
    summary: 'List the banks of a country',
    description: 'A plain array, by name.',
    schema: { params: CountryParams, data: Type.Array(BankRecord) },
    message: 'Banks',
    read: (ctx, { params }) => [...listBanks(ctx, params.country)] as never,
  }),
  route.get('/misc/{country}/resolve', {
    id: 'resolveAccount',
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
]
