import { type Route, readRoute } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { listBanks, resolveAccount } from './lookups.ts'
import { BankRecord, CountryParams, ResolvedAccount, ResolveQuery } from './schema.ts'

export const lookupRoutes: Route[] = [
  readRoute({
    method: 'GET',
    path: '/misc/{country}/banks',
    tag: 'Lookups',
    summary: 'List the banks of a country',
    schema: { params: CountryParams, data: Type.Array(BankRecord) },
    message: 'Banks',
    read: (_ctx, { params }) => [...listBanks(params.country)] as never,
  }),
  readRoute({
    method: 'GET',
    path: '/misc/{country}/resolve',
    tag: 'Lookups',
    summary: 'Ask who holds an account',
    schema: { params: CountryParams, query: ResolveQuery, data: ResolvedAccount },
    message: 'Account resolved',
    read: (ctx, { params, query }) => resolveAccount(ctx, params.country, query),
  }),
]
