/** Reads the naira balance of an account at Paystack. */

import type { Failure } from '../http/client.ts'
import type { Account } from './account.ts'
import { asObject, wholeOf } from './client.ts'

/** Queries the current naira balance at Paystack. */
export async function readBalance({
  client,
}: Pick<Account, 'client'>): Promise<{ amount: bigint } | Failure> {
  const answer = await client.ask({ method: 'GET', path: '/balance', urgency: 'ask' })
  if (answer.is !== 'answered') return answer
  const rows = Array.isArray(answer.data) ? answer.data.map(asObject) : []
  const amount = wholeOf(rows.find((row) => row?.currency === 'NGN')?.balance)
  return amount === null ? { is: 'unknown', why: 'a balance without naira' } : { amount }
}
