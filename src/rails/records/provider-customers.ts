/** Our customers at providers: each is created there once, and stored here. */
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { AccountKey } from './account-key.ts'

/** A customer at a provider. `identified`: the provider has verified its identity. */
export type ProviderCustomer = {
  code: string
  provider_id: string
  email: string
  identified: boolean
}

type Ours = { id: string; businessId: string }

const selectCustomer = sqlOfMany<ProviderCustomer>(
  'provider_customers.select',
  `select code, provider_id, email, identified from provider_customers
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4`,
)
/** The first stored customer wins. */
const insertCustomer = sqlOfMany<ProviderCustomer>(
  'provider_customers.insert',
  `insert into provider_customers as known (business_id, livemode, rail, customer_id, code, provider_id, email, identified, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (business_id, livemode, rail, customer_id) do update set code = known.code
   returning code, provider_id, email, identified`,
)
const markIdentified = sqlOfMany(
  'provider_customers.mark_identified',
  `update provider_customers set identified = $5
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4`,
)
const dropCustomer = sqlOfMany(
  'provider_customers.drop',
  `delete from provider_customers
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4 and code = $5`,
)
const selectOwners = sqlOfAll<{ business_id: Id; customer_id: Id }>(
  'provider_customers.select_owners',
  'select business_id, customer_id from provider_customers where livemode = $1 and rail = $2 and code = $3',
)

const keyOf = ({ livemode, name }: AccountKey, { businessId, id }: Ours) =>
  [businessId, livemode, name, id] as const

/** Returns a stored customer; null if the provider does not know it. */
export const keptCustomer = (at: AccountKey, customer: Ours): Promise<ProviderCustomer | null> =>
  at.db.row(selectCustomer, [...keyOf(at, customer)])

/** Stores a customer created there. @returns the one that was stored first */
export async function keepCustomer(
  at: AccountKey,
  customer: Ours,
  made: ProviderCustomer,
): Promise<ProviderCustomer> {
  const { code, provider_id, email, identified } = made
  const row = [...keyOf(at, customer), code, provider_id, email, identified, at.clock.now()]
  return (await at.db.row(insertCustomer, row)) as ProviderCustomer
}

/** Deletes a customer that the provider does not know. */
export async function forgetCustomer(at: AccountKey, customer: Ours, code: string): Promise<void> {
  await at.db.rows(dropCustomer, [...keyOf(at, customer), code])
}

/** Stores whether the provider has verified a customer's identity. */
export async function setIdentified(
  at: AccountKey,
  customer: Ours,
  identified: boolean,
): Promise<void> {
  await at.db.rows(markIdentified, [...keyOf(at, customer), identified])
}

/**
 * Returns our customers of one of the provider's. Two customers of a business with its own account
 * may be one at the provider.
 */
export async function ownersOf(
  { db, livemode, name }: AccountKey,
  code: string,
): Promise<{ businessId: Id; customerId: Id }[]> {
  const rows = await db.rows(selectOwners, [livemode, name, code])
  return rows.map((row) => ({ businessId: row.business_id, customerId: row.customer_id }))
}
