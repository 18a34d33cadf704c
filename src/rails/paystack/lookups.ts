import type { LookupRail, NameLookup } from '../ports/rail.ts'
import type { Account } from './account.ts'
import { asObject, textOf } from './client.ts'
import { isUnknownAccount } from './refusals.ts'

/** How long a name is cached: account holders rarely change. */
const goodForMs = 86_400_000
/** The oldest entries beyond this number are dropped. */
const mostKept = 10_000

export function paystackLookups({ name, client, clock, report }: Account): LookupRail {
  const kept = new Map<string, { accountName: string; at: number }>()

  return {
    name,
    async lookup(bankCode, accountNumber): Promise<NameLookup> {
      const key = `${bankCode} ${accountNumber}`
      const known = kept.get(key)
      if (known && clock.now().getTime() - known.at < goodForMs)
        return { found: true, accountName: known.accountName }
      const answer = await client.ask({
        // A test key allows three real ones a day, then 429 (measured on 2026-09-14).
        method: 'GET',
        path: '/bank/resolve',
        urgency: 'ask',
        hasOwnLimit: true,
        query: { account_number: accountNumber, bank_code: bankCode },
      })
      if (answer.is === 'refused')
        return { found: isUnknownAccount(answer) ? false : 'unavailable' }
      if (answer.is !== 'answered') return { found: 'unavailable' }
      const data = asObject(answer.data)
      const accountName = textOf(data?.account_name)
      if (accountName === null || data?.account_number !== accountNumber) {
        report(
          'quarantined',
          'GET /bank/resolve',
          'a name for another account than was asked about',
        )
        return { found: 'unavailable' }
      }
      kept.delete(key)
      kept.set(key, { accountName, at: clock.now().getTime() })
      if (kept.size > mostKept) kept.delete(kept.keys().next().value as string)
      return { found: true, accountName }
    },
  }
}
