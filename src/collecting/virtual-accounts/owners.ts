/** Whose the accounts at providers are: what a provider notifies of names no business. */
import type { App } from '../../core/app.ts'
import type { InboundApplier, RecordOwner } from '../../platform/inbound/inbound.ts'
import { askAccount } from './opening.ts'
import type { AccountRow } from './sql.ts'
import * as statements from './sql.ts'

/** Whose an account at a provider is, by its number. */
export async function accountOfNumber(
  { db }: Pick<App, 'db'>,
  livemode: boolean,
  rail: string,
  number: string,
): Promise<RecordOwner | null> {
  const row = await db.row(statements.selectByRailNumber, [livemode, rail, number])
  return row && { businessId: row.business_id, subject: row.id }
}

/** The accounts that customers have, or had, at a provider. */
export async function accountsOfCustomers(
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

/** What a provider's webhook about an account does: it is asked about, as by its timer. */
export const accountApplier: InboundApplier = {
  apply: (ctx, id) => askAccount(ctx, id, true),
  // Before its provider has said what it calls the account, both know the customer only.
  async find(app, { rail, livemode, reference }) {
    const port = app.rails[livemode ? 'live' : 'test'].accounts[rail]?.ports.account
    if (reference === null || !port?.ownersOf) return null
    const found = await accountsOfCustomers(app, livemode, rail, await port.ownersOf(reference))
    return found.find(({ status }) => status === 'pending') ?? found[0] ?? null
  },
}
