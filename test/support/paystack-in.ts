/** What tests of money that comes by Paystack share. */
import { sweep } from '../../src/platform/inbound/sweeping.ts'
import { type Json, must } from './harness.ts'
import { openTill, type Till } from './paystack.ts'

const routes = { 'account.ngn': ['paystack'], 'bank_transfer.ngn': ['paystack'] }

/**
 * A till whose virtual accounts are Paystack's, and whose webhooks come to it when they are
 * delivered.
 */
export async function openInlet(options: Parameters<typeof openTill>[0] = {}): Promise<Till> {
  const till = await openTill({ ...options, routes: { ...routes, ...options.routes } })
  till.double.live.events.url = `${till.server.url}/rails/paystack/live/webhook`
  return till
}

let made = 0

/** A customer with all that a bank asks for, who is verified. */
export async function newCustomer({ live, server }: Till, more: object = {}): Promise<Json> {
  const body = { first_name: 'Ada', last_name: 'Okafor', phone: '+2348012345678', ...more }
  const customer = await must(
    live('POST', '/customers', { email: `ada${++made}@example.com`, ...body }),
  )
  await server.app.db.query(
    `insert into customer_documents (business_id, livemode, customer_id, id_type, id_number, masked, status, verified_at, created_at, updated_at)
     values ($1, true, $2, 'bvn', '\\x00', '*******6789', 'verified', now(), now(), now())`,
    [server.businessId, customer.id],
  )
  return customer
}

export const openAccount = ({ live }: Till, customer: Json, more: object = {}) =>
  live('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn', ...more })

export const readAccount = ({ live }: Till, id: string): Promise<Json> =>
  must(live('GET', `/virtual-accounts/${id}`))

/** Money that the business has, in all. */
export async function availableOf({ live }: Till): Promise<number> {
  const wallets = (await must(live('GET', '/wallets'))) as unknown as Json[]
  return wallets.find(({ currency }) => currency === 'ngn')?.available ?? 0
}

/**
 * Asks Paystack for what nobody told of, until there is no more time to look at. @returns how much
 * was found; null when it was not the time
 */
export async function sweepNow({ server: { app } }: Till): Promise<number | null> {
  let total: number | null = null
  for (;;) {
    const found = await sweep(
      app,
      true,
      'paystack',
      app.rails.live.accounts.paystack?.inbound?.missed as never,
    )
    if (found === null) return total
    total = (total ?? 0) + found
  }
}
