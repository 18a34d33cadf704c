/** External accounts: the bank accounts that Bridge pays to, each created once. */
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Destination } from '../ports/rail.ts'
import { findRecipient, keepRecipient } from '../records/recipients.ts'
import type { Account } from './account.ts'
import type { Failure, Refused } from './client.ts'

export type AmericanAccount = Extract<Destination, { type: 'us_bank' }>
type HolderAddress = NonNullable<AmericanAccount['holder_address']>

/**
 * How long Bridge keeps the answer to an idempotency key:
 * https://apidocs.bridge.xyz/reference/idempotence-1.
 */
const keyLifeMs = 24 * 3_600_000

/**
 * Returns the existing external account's id from a refusal. Bridge allows one per number and
 * customer, and names it when it refuses another (400 `duplicate_external_account` with its `id`;
 * third-party clients rely on it, found on 2026-11-29). Null if the refusal does not name it.
 */
const sameAccountIn = ({ code, body }: Refused): string | null =>
  code === 'duplicate_external_account' ? textOf(body.id) : null

/** Identifies the payee, so only a digest of it is stored. */
export const keyOf = (to: AmericanAccount): string =>
  JSON.stringify([
    to.routing_number,
    to.account_number,
    to.account_type,
    to.account_name,
    to.holder_address,
  ])

/**
 * Returns an address for Bridge, or null if a required part is missing or it is not in the United
 * States.
 */
export function addressOf(given: HolderAddress | null): Record<string, string> | null {
  const { line1, city, state, postal_code, country = 'us' } = given ?? {}
  if (line1 === undefined || city === undefined || state === undefined || postal_code === undefined)
    return null
  return country === 'us'
    ? { street_line_1: line1, city, state, postal_code, country: 'USA' }
    : null
}

type Recipient = { externalAccount: string; isNew: boolean }

/**
 * Returns a destination's external account, created if none is stored; otherwise the failed result.
 * `isNew`: it was created just now. `no_address`: Bridge rejects the holder's address, without
 * which it does not pay. `other_account`: Bridge says that it exists, but names another one.
 * @param instead the reference of the order for which a new one is created, because Bridge no
 * longer knows the first; null for the first. For a day Bridge repeats its first answer to a key
 */
export async function externalAccountOf(
  account: Account,
  to: AmericanAccount,
  address: Record<string, string>,
  instead: string | null,
): Promise<Recipient | Failure | { is: 'no_address' } | { is: 'other_account' }> {
  const key = keyOf(to)
  const kept = await findRecipient(account, key)
  if (kept !== null) return { externalAccount: kept, isNew: false }
  const day = Math.floor(account.clock.now().getTime() / keyLifeMs)
  const { routing_number, account_number, account_type, account_name } = to
  const answer = await account.client.ask({
    method: 'POST',
    path: '/customers/{customer}/external_accounts',
    urgency: 'send',
    params: { customer: account.customer },
    key: `ea-${sha256(`${account.name} ${day} ${instead} ${key}`).toString('hex')}`,
    body: {
      currency: 'usd',
      account_type: 'us',
      account_owner_name: account_name,
      account: { account_number, routing_number, checking_or_savings: account_type },
      address,
    },
  })
  if (answer.is === 'refused') {
    const same = sameAccountIn(answer)
    return same === null ? answer : adoptAccount(account, to, same)
  }
  if (answer.is !== 'answered') return answer
  const id = textOf(answer.data.id)
  const difference = id === null ? 'no id' : differenceOf(answer.data, to)
  if (id === null || difference !== null) {
    account.report(
      'quarantined',
      'POST /customers/external_accounts',
      `an external account with ${difference}`,
    )
    return { is: 'unknown', why: `an external account with ${difference}` }
  }
  if (answer.data.beneficiary_address_valid === false) return { is: 'no_address' }
  await keepRecipient(account, key, id)
  return { externalAccount: id, isNew: true }
}

/** Stores the external account that Bridge names as existing, if it is the right one. */
async function adoptAccount(
  account: Account,
  to: AmericanAccount,
  id: string,
): Promise<Recipient | Failure | { is: 'other_account' }> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/customers/{customer}/external_accounts/{id}',
    urgency: 'send',
    params: { customer: account.customer, id },
  })
  if (answer.is !== 'answered' && answer.is !== 'refused') return answer
  if (answer.is === 'refused' || answer.data.id !== id || differenceOf(answer.data, to) !== null)
    return { is: 'other_account' }
  await keepRecipient(account, keyOf(to), id)
  return { externalAccount: id, isNew: true }
}

function differenceOf(data: Record<string, unknown>, to: AmericanAccount): string | null {
  const bank = asObject(data.account) ?? {}
  if (bank.last_4 !== to.account_number.slice(-4) || bank.routing_number !== to.routing_number)
    return 'another account'
  if (data.account_owner_name !== to.account_name) return 'another holder'
  return data.currency === 'usd' ? null : 'another currency'
}
