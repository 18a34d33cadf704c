import { type Ctx, route } from '../../core/context.ts'
import type { Route } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { AccountIn, AccountParams, AccountQuery, AccountRecord } from './schema.ts'
import { close, create, get, list } from './virtual-accounts.ts'

const tag = 'Virtual accounts'

export const accountRoutes: Route<Ctx>[] = [
  route({
    method: 'POST',
    path: '/virtual-accounts',
    tag,
    summary: 'Open a virtual account',
    description: 'A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires.',
    status: 201,
    schema: { body: AccountIn, data: AccountRecord },
    handler: async (ctx, { body }) => ({ message: 'Virtual account opened', data: await create(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/virtual-accounts',
    tag,
    summary: 'List virtual accounts',
    description: 'Newest first. One-time accounts of payments are among them.',
    schema: { query: AccountQuery, data: Page(AccountRecord) },
    handler: async (ctx, { query }) => ({ message: 'Virtual accounts', data: await list(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/virtual-accounts/{id}',
    tag,
    summary: 'Get a virtual account',
    schema: { params: AccountParams, data: AccountRecord },
    handler: async (ctx, { params }) => ({ message: 'Virtual account', data: await get(ctx, params.id) }),
  }),
  route({
    method: 'PATCH',
    path: '/virtual-accounts/{id}/close',
    tag,
    summary: 'Close a virtual account',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: AccountParams, data: AccountRecord },
    handler: async (ctx, { params }) => ({ message: 'Virtual account closed', data: await close(ctx, params.id) }),
  }),
]
