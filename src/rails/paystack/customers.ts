/**
 * Whom Paystack knows of our customers: each of ours is made once there, and kept.
 *
 * Paystack knows a customer by its email address, and gives it one account at each bank. Businesses that share an integration may have
 * customers with one address, so there each of ours gets an address of its own.
 */
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, textOf, wholeOf } from './client.ts'

/** A customer of ours, as far as Paystack is told. */
export type OurCustomer = {
  id: string
  businessId: string
  email: string
  firstName: string | null
  lastName: string | null
  /** E.164. */
  phone: string | null
}

/** The same as Paystack knows it. `identified`: Paystack has verified who it is. */
export type ProviderCustomer = { code: string; provider_id: string; email: string; identified: boolean }

const selectCustomer = sqlOfMany<ProviderCustomer>(
  'paystack.select_customer',
  `select code, provider_id, email, identified from provider_customers
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4`,
)
/** Whoever was first made the one that counts. */
const keepCustomer = sqlOfMany<ProviderCustomer>(
  'paystack.keep_customer',
  `insert into provider_customers as known (business_id, livemode, rail, customer_id, code, provider_id, email, identified, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (business_id, livemode, rail, customer_id) do update set code = known.code
   returning code, provider_id, email, identified`,
)
const markIdentified = sqlOfMany(
  'paystack.mark_identified',
  `update provider_customers set identified = $5
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4`,
)
const dropCustomer = sqlOfMany(
  'paystack.drop_customer',
  `delete from provider_customers
    where business_id = $1 and livemode = $2 and rail = $3 and customer_id = $4 and code = $5`,
)
const selectOwners = sqlOfAll<{ business_id: Id; customer_id: Id }>(
  'paystack.select_owners',
  'select business_id, customer_id from provider_customers where livemode = $1 and rail = $2 and code = $3',
)

/** Addresses of our own: who writes to one reaches nobody. */
export const aliasOf = ({ host }: Pick<Account, 'host'>, name: string): string => `${name}@${host}`

const keyOf = ({ livemode, name }: Account, customer: Pick<OurCustomer, 'id' | 'businessId'>) =>
  [customer.businessId, livemode, name, customer.id] as const

/**
 * A customer of ours at Paystack, made there where none is kept. May be asked for by many at once.
 * @returns else what came of asking
 */
export async function customerAt(
  account: Account,
  customer: OurCustomer,
): Promise<{ customer: ProviderCustomer } | Exclude<Answer, { is: 'answered' }>> {
  const kept = await keptCustomer(account, customer)
  if (kept) return { customer: kept }
  const email = account.shared ? aliasOf(account, customer.id) : customer.email
  const answer = await account.client.ask({
    ...({ method: 'POST', path: '/customer', urgency: 'send' } as const),
    body: {
      email,
      ...(customer.firstName === null ? {} : { first_name: customer.firstName }),
      ...(customer.lastName === null ? {} : { last_name: customer.lastName }),
      ...(customer.phone === null ? {} : { phone: customer.phone }),
      metadata: { bursar_customer: customer.id, email: customer.email },
    },
  })
  if (answer.is !== 'answered') return answer
  const data = asObject(answer.data) ?? {}
  const [code, id] = [textOf(data.customer_code), wholeOf(data.id)]
  const difference =
    code === null || id === null
      ? 'no code'
      : data.domain !== undefined && data.domain !== (account.livemode ? 'live' : 'test')
        ? 'another mode'
        : textOf(data.email)?.toLowerCase() !== email.toLowerCase()
          ? 'another address'
          : null
  if (code === null || id === null || difference !== null) {
    account.report('quarantined', customer.id, `a customer with ${difference}`)
    return { is: 'unknown', why: `a customer with ${difference}` }
  }
  const row = [code, String(id), email, data.identified === true, account.clock.now()]
  return { customer: (await account.db.row(keepCustomer, [...keyOf(account, customer), ...row])) as ProviderCustomer }
}

/** A customer of ours as it is kept, or null where Paystack was never told of it. Asks nobody. */
export const keptCustomer = (
  account: Account,
  customer: Pick<OurCustomer, 'id' | 'businessId'>,
): Promise<ProviderCustomer | null> => account.db.row(selectCustomer, [...keyOf(account, customer)])

/** Forgets a customer that Paystack does not know. */
export async function forgetCustomer(
  account: Account,
  customer: Pick<OurCustomer, 'id' | 'businessId'>,
  code: string,
): Promise<void> {
  await account.db.rows(dropCustomer, [...keyOf(account, customer), code])
}

/** Keeps whether Paystack has verified who a customer is. */
export async function setIdentified(
  account: Account,
  customer: Pick<OurCustomer, 'id' | 'businessId'>,
  identified: boolean,
): Promise<void> {
  await account.db.rows(markIdentified, [...keyOf(account, customer), identified])
}

/** Whose customers one of Paystack's is: with credentials of a business's own, two of its customers may have one address. */
export async function ownersOf(
  { db, livemode, name }: Account,
  code: string,
): Promise<{ businessId: Id; customerId: Id }[]> {
  const rows = await db.rows(selectOwners, [livemode, name, code])
  return rows.map((row) => ({ businessId: row.business_id, customerId: row.customer_id }))
}
