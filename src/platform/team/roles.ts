/**
 * What people may do: the one table of roles. What an operation needs is the HTTP layer's table,
 * for keys and people alike.
 */
import { defaultScopes } from '../../books/businesses/businesses.ts'
import type { KeyScope, PersonScope } from '../../core/scopes.ts'

/**
 * What a person may do: what a key may; `payees`: to manage beneficiaries; `limits`: to change limits
 * and confirm accounts as the business's own,
 * for which a key needs `manage`; `team`: to say who else may what; and `empty`: to empty the test
 * data. The last two no key can.
 */
export type Right = KeyScope | PersonScope | 'team' | 'empty'

/** From the highest: nobody gives a role above the own one, nor touches who has one. */
export const roles = ['owner', 'admin', 'finance', 'support', 'developer', 'viewer'] as const
export type PersonRole = (typeof roles)[number]

const everything: readonly Right[] = [
  ...defaultScopes,
  'refund_elsewhere',
  'approve',
  'payees',
  'limits',
  'team',
]
const all = everything.filter((right) => right !== 'team')

/** What a role is for, and what it may in each mode. */
export const roleTable: Record<
  PersonRole,
  { meaning: string; live: readonly Right[]; test: readonly Right[] }
> = {
  owner: {
    meaning:
      'Everything, other owners included, whether everybody needs a second factor, and emptying the test data.',
    live: everything,
    test: [...everything, 'empty'],
  },
  admin: { meaning: 'Everything but owners.', live: everything, test: everything },
  finance: {
    meaning: 'Moves money: payments, payees, payouts and their approval, refunds, reports.',
    live: ['read', 'collect', 'payout', 'refund', 'refund_elsewhere', 'approve', 'payees'],
    test: ['read', 'collect', 'payout', 'refund', 'refund_elsewhere', 'approve', 'payees'],
  },
  support: {
    meaning:
      'Looks after payers: customers, payments, invoices, refunds to where the money came from.',
    live: ['read', 'collect', 'refund'],
    test: ['read', 'collect', 'refund'],
  },
  developer: {
    meaning:
      'Builds: keys, webhooks and settings; all but the team in test mode; no money, payees or limits in live mode.',
    live: ['read', 'manage'],
    test: all,
  },
  viewer: { meaning: 'Looks, and changes nothing.', live: ['read'], test: ['read'] },
}

/** What a role may do in a mode: the scopes of keys that it stands for, and `team`. */
export function rightsOf(role: PersonRole, livemode: boolean): readonly Right[] {
  return roleTable[role][livemode ? 'live' : 'test']
}

/** Whether a text names a role. */
export const isRole = (text: string): text is PersonRole =>
  (roles as readonly string[]).includes(text)

/**
 * Whether who has a role may give another, or change or remove who has it: owners any, admins all
 * but owners, the others none.
 */
export function mayGive(own: PersonRole, given: PersonRole): boolean {
  return rightsOf(own, true).includes('team') && roles.indexOf(own) <= roles.indexOf(given)
}
