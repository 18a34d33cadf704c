import { type Route, routesOf } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { listBanks, resolveAccount } from './lookups.ts'
import { BankRecord, CountryParams, ResolvedAccount, ResolveQuery } from './schema.ts'

const route = routesOf('Lookups')

export const lookupRoutes: Route[] = [
  route.get('/misc/{country}/banks', {
    id: 'listBanks',
    summary: 'List the banks of a country',
    schema: { params: CountryParams, data: Type.Array(BankRecord) },
    message: 'Banks',
    read: (_ctx, { params }) => [...listBanks(params.country)] as never,
  }),
  route.get('/misc/{country}/resolve', {
    id: 'resolveAccount',
    summary: 'Ask who holds an account',
    schema: { params: CountryParams, query: ResolveQuery, data: ResolvedAccount },
    message: 'Account resolved',
    read: (ctx, { params, query }) => resolveAccount(ctx, params.country, query),
  }),
]
