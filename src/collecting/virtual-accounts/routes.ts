import { csvExport } from '../../books/profiles/profiles.ts'
import { named, routesOf } from '../../core/route.ts'
import { Page } from '../../lib/schema.ts'
import { accountRefusals } from './refusals.ts'
import { AccountIn, AccountParams, AccountQuery, AccountRecord, exported } from './schema.ts'
import { close, create, get, list, prepare } from './virtual-accounts.ts'

const route = routesOf('Virtual accounts', accountRefusals)

export const accountRoutes = named({
  createVirtualAccount: route.post('/virtual-accounts', {
    scope: 'collect',
    summary: 'Open a virtual account',
    description:
      'A `static` one is a customer’s own; a `dynamic` one is for a single amount, until it expires. With a live key the bank may take its time: then the account is `pending`, without a number, until `virtual_account.activated` or `virtual_account.failed`.',
    status: 201,
    example: {
      customer: '6925f3a1c0ffee00c0ffee01',
      currency: 'ngn',
      kind: 'static',
      reference: 'account-0001',
    },
    schema: { body: AccountIn, data: AccountRecord },
    refuses: [
      'customer_not_found',
      'customer_incomplete',
      'kyc_required',
      'duplicate_reference',
      'account_exists',
      'limit_reached',
      'not_enabled',
      'account_rejected',
      'rail_not_configured',
    ],
    message: 'Virtual account opened',
    prepare: (ctx, { body }) => prepare(ctx, body),
    run: create,
  }),
  listVirtualAccounts: route.get('/virtual-accounts', {
    scope: 'read',
    summary: 'List virtual accounts',
    description: 'Newest first. One-time accounts of payments are among them.',
    schema: { query: AccountQuery, data: Page(AccountRecord) },
    message: 'Virtual accounts',
    read: (ctx, { query }) => list(ctx, query),
  }),
  exportVirtualAccounts: route.get(
    '/virtual-accounts/export',
    csvExport('virtual accounts', { query: AccountQuery, columns: exported, list }),
  ),
  getVirtualAccount: route.get('/virtual-accounts/{id}', {
    scope: 'read',
    summary: 'Get a virtual account',
    description: 'As it stands now: its number, bank and status.',
    schema: { params: AccountParams, data: AccountRecord },
    message: 'Virtual account',
    read: (ctx, { params }) => get(ctx, params.id),
  }),
  closeVirtualAccount: route.patch('/virtual-accounts/{id}/close', {
    scope: 'collect',
    allowedWhenStopped: true,
    summary: 'Close a virtual account',
    description: 'Money that still comes is booked, and marked late.',
    schema: { params: AccountParams, data: AccountRecord },
    refuses: ['account_not_active', 'account_of_payment'],
    message: 'Virtual account closed',
    run: (work, { params }) => close(work, params.id),
  }),
})
