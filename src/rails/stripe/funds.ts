/** Reads the funds of a financial account at Stripe. */

import type { Failure } from '../http/client.ts'
import { asObject, wholeOf } from '../http/values.ts'
import type { Account } from './account.ts'

/** Queries the current dollars of a financial account, in cents. */
export async function readFunds(
  { client, livemode }: Pick<Account, 'client' | 'livemode'>,
  financialAccount: string,
): Promise<{ amount: bigint } | Failure> {
  const answer = await client.ask({
    method: 'GET',
    path: '/v2/money_management/financial_accounts/{id}',
    urgency: 'ask',
    params: { id: financialAccount },
  })
  if (answer.is !== 'answered') return answer
  const { data } = answer
  if (data.id !== financialAccount || data.livemode !== livemode)
    return { is: 'unknown', why: 'another financial account, or one of the other mode' }
  const available = asObject(asObject(data.balance)?.available)
  const dollars = available?.usd
  const amount = dollars === undefined ? 0n : wholeOf(asObject(dollars)?.value)
  return available === null || amount === null
    ? { is: 'unknown', why: 'a balance without dollars' }
    : { amount }
}
