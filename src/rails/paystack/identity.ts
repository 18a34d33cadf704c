/**
 * Identity checks: Paystack compares a bank verification number with its holder's bank account and
 * answers by webhook. A query shows only success; only the webhook shows a failure.
 */

import { offerAgainMs } from '../http/answers.ts'
import { isTransient } from '../http/refusals.ts'
import type { IdentityRail, IdentityState } from '../ports/rail.ts'
import {
  forgetCustomer,
  keptCustomer,
  ownersOf,
  setIdentified,
} from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { type Answer, asObject } from './client.ts'
import { customerAt } from './customers.ts'
import { isUnknownCustomer } from './refusals.ts'
import { isIdentified } from './unconfirmed.ts'

const unknown: IdentityState = { state: 'unknown' }

/**
 * Whether the identification failed. Only this event says so (as in Paystack's published events).
 */
const isIdentityFailure = (event: string): boolean => event === 'customeridentification.failed'

export function paystackIdentity(account: Account): IdentityRail {
  const { client, livemode, report } = account

  const ask: IdentityRail['ask'] = async (customer, notified) => {
    const kept = await keptCustomer(account, customer)
    // Paystack does not know the customer, so no check was requested.
    if (kept === null) return { state: 'pending' }
    const answer = await client.ask({
      method: 'GET',
      path: '/customer/{code}',
      urgency: 'ask',
      params: { code: kept.code },
    })
    if (answer.is !== 'answered') return unknown
    const data = asObject(answer.data) ?? {}
    if (data.customer_code !== kept.code || data.domain !== (livemode ? 'live' : 'test')) {
      report('quarantined', customer.id, 'a customer with another reference or mode')
      return unknown
    }
    if (data.identified !== true)
      return notified !== null && isIdentityFailure(notified)
        ? { state: 'failed', reason: 'mismatch' }
        : { state: 'pending' }
    await setIdentified(account, customer, true)
    return { state: 'verified' }
  }

  return {
    name: account.name,
    idTypes: ['bvn'],
    needsAccount: true,
    ask,
    async verify({ customer, idNumber, account: held }) {
      const found = await customerAt(account, customer)
      if (!('customer' in found))
        return notDone(found) ?? { state: 'refused_now', askAgainInMs: offerAgainMs.provider_down }
      const answer = await client.ask({
        method: 'POST',
        path: '/customer/{code}/identification',
        urgency: 'send',
        params: { code: found.customer.code },
        body: {
          country: 'NG',
          type: 'bank_account',
          bvn: idNumber,
          bank_code: held?.bankCode,
          account_number: held?.accountNumber,
          first_name: customer.firstName,
          last_name: customer.lastName,
        },
      })
      if (answer.is === 'answered') return { state: 'pending' }
      if (answer.is === 'refused' && isIdentified(answer)) return ask(customer, null)
      if (answer.is === 'refused' && isUnknownCustomer(answer)) {
        await forgetCustomer(account, customer, found.customer.code)
        return { state: 'refused_now', askAgainInMs: offerAgainMs.provider_down }
      }
      return notDone(answer) ?? unknown
    },
    ownersOf: (code) => ownersOf(account, code),
  }
}

/** The state if the check certainly did not start; null if it may have. */
function notDone(answer: Exclude<Answer, { is: 'answered' }>): IdentityState | null {
  if (answer.is === 'not_sent')
    return { state: 'refused_now', askAgainInMs: offerAgainMs.provider_down }
  if (answer.is === 'rate_limited') return { state: 'refused_now', askAgainInMs: answer.againInMs }
  if (answer.is === 'bad_credentials')
    return { state: 'refused_now', askAgainInMs: offerAgainMs.bad_credentials }
  if (answer.is !== 'refused' || isTransient(answer)) return null
  // It is about the business, not the customer.
  if (answer.status === 403) return { state: 'refused_now', askAgainInMs: offerAgainMs.not_enabled }
  return { state: 'failed', reason: 'rejected' }
}
