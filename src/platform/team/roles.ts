/**
 * The table of roles and their rights. The HTTP layer's table says which right an operation needs,
 * for keys and people alike.
 */
import { defaultScopes } from '../../books/businesses/businesses.ts'
import type { KeyScope, PersonScope } from '../../core/scopes.ts'

/**
 * A right: a key's scope; `payees`: manage beneficiaries; `limits`: change limits and confirm the
 * business's own accounts, for which a key needs `manage`; `team`: change others' rights; `empty`:
 * empty the test data. No key can have the last two.
 */
export type Right = KeyScope | PersonScope | 'team' | 'empty'

/**
 * From the highest: a person cannot give a role above their own, nor change a member who has one.
 */
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

/** The purpose of each role, and its rights in each mode. */
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

/** Returns a role's rights in a mode: key scopes, and `team`. */
export function rightsOf(role: PersonRole, livemode: boolean): readonly Right[] {
  return roleTable[role][livemode ? 'live' : 'test']
}

/** Whether a text names a role. */
export const isRole = (text: string): text is PersonRole =>
  (roles as readonly string[]).includes(text)

/**
 * Whether a member with one role may give another, or change or remove a member who has it. Owners
 * may for all roles, admins for all but owners, others for none.
 */
export function mayGive(own: PersonRole, given: PersonRole): boolean {
  return rightsOf(own, true).includes('team') && roles.indexOf(own) <= roles.indexOf(given)
}
