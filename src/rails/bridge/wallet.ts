/** The operator's wallet at Bridge: its balance and its deposits. */
import { minorOf } from '../../lib/money.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Account } from './account.ts'
import type { Failure } from './client.ts'

/** The decimals of the token on its chain. */
const tokenDecimals = 6

/**
 * Converts a token amount to whole cents; a part of a cent cannot be paid out. Null for no amount.
 * @param text such as `100.25`
 */
export function centsIn(text: unknown): bigint | null {
  try {
    return minorOf(textOf(text) ?? '', tokenDecimals) / 10_000n
  } catch {
    return null
  }
}

/** Converts dollars to cents. Null for no amount, or for parts of a cent. */
export function dollarsIn(text: unknown): bigint | null {
  try {
    return minorOf(textOf(text) ?? '')
  } catch {
    return null
  }
}

/** Queries the wallet's current token balance, in cents. */
export async function readWallet({
  client,
  customer,
  wallet,
  token,
}: Pick<Account, 'client' | 'customer' | 'wallet' | 'token'>): Promise<
  { amount: bigint } | Failure
> {
  const answer = await client.ask({
    method: 'GET',
    path: '/customers/{customer}/wallets/{wallet}',
    urgency: 'ask',
    params: { customer, wallet },
  })
  if (answer.is !== 'answered') return answer
  if (answer.data.id !== wallet || !Array.isArray(answer.data.balances))
    return { is: 'unknown', why: 'another wallet, or one without balances' }
  const row = answer.data.balances.map(asObject).find((one) => one?.currency === token)
  const amount = row === undefined ? 0n : centsIn(row?.balance)
  return amount === null ? { is: 'unknown', why: 'a balance that is no amount' } : { amount }
}
