/**
 * Our customers at Paystack: each is created there once and stored. Paystack identifies a customer
 * by email and gives it one account per bank. Businesses that share an integration may share
 * emails, so there each customer gets an address of its own.
 */
import { keepCustomer, keptCustomer, type ProviderCustomer } from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, textOf, wholeOf } from './client.ts'

/** A customer's data that Paystack gets. */
export type OurCustomer = {
  id: string
  businessId: string
  email: string
  firstName: string | null
  lastName: string | null
  /** E.164. */
  phone: string | null
}

/** Addresses on our own host, which no person reads. */
export const aliasOf = ({ host }: Pick<Account, 'host'>, name: string): string => `${name}@${host}`

/**
 * Returns our customer at Paystack, and creates it there if none is stored. Safe under concurrency.
 * @returns otherwise the failed result of the call
 */
export async function customerAt(
  account: Account,
  customer: OurCustomer,
): Promise<{ customer: ProviderCustomer } | Exclude<Answer, { is: 'answered' }>> {
  const kept = await keptCustomer(account, customer)
  if (kept) return { customer: kept }
  const email = account.shared ? aliasOf(account, customer.id) : customer.email
  const answer = await account.client.ask({
    method: 'POST',
    path: '/customer',
    urgency: 'send',
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
  const made = { code, provider_id: String(id), email, identified: data.identified === true }
  return { customer: await keepCustomer(account, customer, made) }
}
