import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Type } from '../../lib/schema.ts'
import { listBanks, resolveAccount } from './lookups.ts'
import { BankRecord, CountryParams, ResolvedAccount, ResolveQuery } from './schema.ts'

export const lookupRoutes: Route<Ctx>[] = [
  route({
    method: 'GET',
    path: '/misc/{country}/banks',
    tag: 'Lookups',
    summary: 'List the banks of a country',
    schema: { params: CountryParams, data: Type.Array(BankRecord) },
    handler: async (_ctx, { params }) => ({ message: 'Banks', data: [...listBanks(params.country)] as never }),
  }),
  route({
    method: 'GET',
    path: '/misc/{country}/resolve',
    tag: 'Lookups',
    summary: 'Ask who holds an account',
    schema: { params: CountryParams, query: ResolveQuery, data: ResolvedAccount },
    handler: async (ctx, { params, query }) => ({
      message: 'Account resolved',
      data: await resolveAccount(ctx, params.country, query),
    }),
  }),
]
