/** The assumptions about Paystack that a test key can check. */

import { beyondTestKeys, findingsOf } from '../http/findings.ts'
import type { AssumptionCheck } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { assumptionsOfAccounts } from './assumptions-accounts.ts'
import { askingOf } from './assumptions-asking.ts'
import { assumptionsIn } from './assumptions-in.ts'
import { assumptionsOut } from './assumptions-out.ts'

/**
 * @param account with a test key, because the check moves money
 * @param host of Paystack's pages; null with another server in place of Paystack
 */
export const paystackAssumptions =
  (account: Account, host: string | null, secrets: readonly string[]): AssumptionCheck =>
  (parts) => {
    const asking = askingOf(account)
    return findingsOf(
      [
        ...assumptionsIn(asking, host, parts),
        ...assumptionsOfAccounts(asking, parts),
        ...assumptionsOut(asking),
        ...beyondTestKeys(notByTestKeys),
      ],
      secrets,
    )
  }

const notByTestKeys: [string, string, string][] = [
  [
    'starter_business',
    'a business without the right to pay is refused with "third party payouts"',
    'a test key may pay',
  ],
  [
    'transfer_fee',
    'a transfer costs no more than 100 naira',
    'transfers of test mode cost nothing',
  ],
  [
    'transfer_failures',
    'the words of a failed transfer name account, name or limit',
    'transfers of test mode succeed',
  ],
  ['declines', 'the words of a declined card say why', 'it takes real cards'],
  [
    'page_life',
    'a page can be paid for 15 minutes, and not after an hour',
    'it takes hours of waiting',
  ],
  [
    'rate_limit_reset',
    '`x-ratelimit-reset` is in seconds',
    'it takes more requests than a check may make',
  ],
  [
    'request_ids',
    'cf-ray names an answer for the support of Paystack',
    'only its support can tell',
  ],
  [
    'top_ups',
    'the balance history names what the operator put in',
    'a test balance is not topped up',
  ],
  [
    'identity_failure',
    'only an event says that an identification failed',
    'this command receives no webhooks',
  ],
  ['approvals', 'what is sent to have a transfer approved', 'this command receives no requests'],
  ['disputes', 'a dispute that is resolved as declined is won', 'a test key opens no dispute'],
  [
    'account_refusals',
    'the words of a refused dedicated account',
    'they need a customer over a limit',
  ],
  [
    'card_brands',
    'every account takes visa, mastercard and verve',
    'test mode takes test cards only',
  ],
]
