/**
 * Whom Paystack knows of our customers: each of ours is made once there, and kept.
 *
 * Paystack knows a customer by its email address, and gives it one account at each bank. Businesses
 * that share an integration may have customers with one address, so there each of ours gets an
 * address of its own.
 */
import { keepCustomer, keptCustomer, type ProviderCustomer } from '../records/provider-customers.ts'
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

/** Addresses of our own: who writes to one reaches nobody. */
export const aliasOf = ({ host }: Pick<Account, 'host'>, name: string): string => `${name}@${host}`

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
