/** Looks up the holder of a Nigerian account at Monnify. */

import { textOf } from '../http/values.ts'
import type { LookupRail, NameLookup } from '../ports/rail.ts'
import type { Account } from './account.ts'
import { isUnknownAccount } from './confirmed.ts'

export const monnifyLookups = ({ name, client, report }: Account): LookupRail => ({
  name,
  async lookup(bankCode, accountNumber): Promise<NameLookup> {
    const path = '/api/v1/disbursements/account/validate'
    const answer = await client.ask({
      method: 'GET',
      path,
      urgency: 'ask',
      query: { accountNumber, bankCode },
    })
    if (answer.is === 'refused') return { found: isUnknownAccount(answer) ? false : 'unavailable' }
    if (answer.is !== 'answered') return { found: 'unavailable' }
    const accountName = textOf(answer.data.accountName)
    if (accountName !== null && answer.data.accountNumber === accountNumber)
      return { found: true, accountName }
    report('quarantined', `GET ${path}`, 'a name for another account than was asked about')
    return { found: 'unavailable' }
  },
})
