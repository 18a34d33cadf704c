/** Finds the owners of accounts at providers, whose notifications name no business. */
import type { App } from '../../core/app.ts'
import type { InboundApplier, RecordOwner } from '../../platform/inbound/inbound.ts'
import { queryAccount } from './opening.ts'
import type { AccountRow } from './sql.ts'
import * as statements from './sql.ts'

/** Finds the owner of an account at a provider by its number. */
export async function findAccountByNumber(
  { db }: Pick<App, 'db'>,
  livemode: boolean,
  rail: string,
  number: string,
): Promise<RecordOwner | null> {
  const row = await db.row(statements.selectByRailNumber, [livemode, rail, number])
  return row && { businessId: row.business_id, subject: row.id }
}

/** Returns the accounts of customers at a provider, of any status. */
export async function findCustomerAccounts(
  { db }: Pick<App, 'db'>,
  livemode: boolean,
  rail: string,
  customers: { businessId: string; customerId: string }[],
): Promise<(RecordOwner & { status: AccountRow['status'] })[]> {
  const rows = await db.rows(statements.selectOfCustomers, [
    customers.map(({ businessId }) => businessId),
    customers.map(() => livemode),
    customers.map(({ customerId }) => customerId),
    rail,
  ])
  return rows.map(({ business_id, id, status }) => ({
    businessId: business_id,
    subject: id,
    status,
  }))
}

/** Handles a provider's webhook about an account: queries the account, as its timer does. */
export const accountApplier: InboundApplier = {
  apply: (ctx, id) => queryAccount(ctx, id, true),
  // Until the provider has named the account, notifications name only its customer.
  async find(app, { rail, livemode, reference }) {
    const port = app.rails[livemode ? 'live' : 'test'].accounts[rail]?.ports.account
    if (reference === null || !port?.ownersOf) return null
    const found = await findCustomerAccounts(app, livemode, rail, await port.ownersOf(reference))
    return found.find(({ status }) => status === 'pending') ?? found[0] ?? null
  },
}
