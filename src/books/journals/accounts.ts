/** The accounts of a journal, as the business sees them, and what a posting is in them. */
import { refuseInput } from '../../lib/errors.ts'
import type { PostingKind, Purpose } from '../ledger/ledger.ts'

/** The default account of each role. */
export const defaultAccounts = {
  available: 'Assets:Bursar:Available',
  pending: 'Assets:Bursar:Pending',
  shares: 'Assets:Bursar:Shares',
  payments: 'Income:Payments',
  refunds: 'Income:Refunds',
  payouts: 'Assets:Clearing:Payouts',
  fees: 'Expenses:Fees',
  disputes: 'Expenses:Disputes',
  exchange: 'Equity:Exchange',
  test_funds: 'Equity:TestFunds',
  opening: 'Equity:Opening',
} as const

export type Role = keyof typeof defaultAccounts
export type Accounts = Readonly<Record<Role, string>>

/** The roles of accounts that hold the business's money: a journal states their balances. */
export const heldAs = {
  wallet_available: 'available',
  wallet_pending: 'pending',
  share: 'shares',
} as const satisfies Partial<Record<Purpose, Role>>
export type Held = keyof typeof heldAs

const roles = Object.keys(defaultAccounts) as Role[]

/**
 * An account name that hledger, Ledger and Beancount all accept. The five roots and the capitals
 * are Beancount's: https://beancount.github.io/docs/beancount_language_syntax.html#accounts
 */
const accountName = /^(Assets|Liabilities|Equity|Income|Expenses)(:[A-Z0-9][A-Za-z0-9-]*)+$/

/**
 * Reads the accounts that replace default ones.
 * @param text such as `fees=Expenses:Bank:Fees,payouts=Assets:Bank`
 * @throws {Refusal} `validation_failed` for an unknown role, a role twice, or an account name that
 * one of the programs rejects
 */
export function readAccounts(text: string | undefined): Accounts {
  const own: Partial<Record<Role, string>> = {}
  const reject = (problem: string): never =>
    refuseInput([{ path: 'accounts', message: `accounts ${problem}`, location: 'query' }])
  for (const pair of (text ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [name = '', account = ''] = pair.split('=', 2).map((one) => one.trim())
    const role = roles.find((one) => one === name)
    if (role === undefined) return reject(`has no role '${name}': there are ${roles.join(', ')}`)
    if (own[role] !== undefined) return reject(`names '${role}' twice`)
    if (!accountName.test(account))
      return reject(
        `has '${account}' for '${role}': write an account such as ${defaultAccounts[role]}`,
      )
    own[role] = account
  }
  return { ...defaultAccounts, ...own }
}

/** The title of a kind of posting, and the role of a provider's account in it. */
type Kind = { title: string; outside: Role }
const kind = (title: string, outside: Role): Kind => ({ title, outside })

/** The postings of a business. Null: the operator’s own, such as what a provider keeps. */
export const kinds: Record<PostingKind, Kind | null> = {
  simulated_fund: kind('Test money added', 'test_funds'),
  payout_hold: kind('Payout held', 'payouts'),
  payout_release: kind('Payout released', 'payouts'),
  payout_sent: kind('Payout sent', 'payouts'),
  payout_fee: kind('Payout fee', 'payouts'),
  payout_exchange: kind('Payout exchanged', 'payouts'),
  payout_return: kind('Payout returned', 'payouts'),
  payout_return_exchange: kind('Returned payout exchanged', 'payouts'),
  deposit: kind('Payment received', 'payments'),
  deposit_fee: kind('Payment fee', 'payments'),
  deposit_exchange: kind('Payment exchanged', 'payments'),
  deposit_held: kind('Payment held for review', 'payments'),
  deposit_held_exchange: kind('Held payment exchanged', 'payments'),
  deposit_released: kind('Payment released', 'payments'),
  deposit_released_exchange: kind('Released payment exchanged', 'payments'),
  refund_hold: kind('Refund held', 'refunds'),
  refund_release: kind('Refund released', 'refunds'),
  refund_sent: kind('Refund sent', 'refunds'),
  refund_exchange: kind('Refund exchanged', 'refunds'),
  refund_return: kind('Refund returned', 'refunds'),
  refund_return_exchange: kind('Returned refund exchanged', 'refunds'),
  share_accrual: kind('Share set aside', 'payouts'),
  share_return: kind('Share returned', 'payouts'),
  share_settlement: kind('Share paid out', 'payouts'),
  conversion: kind('Conversion', 'exchange'),
  conversion_fee: kind('Conversion fee', 'exchange'),
  dispute_hold: kind('Dispute held', 'disputes'),
  dispute_release: kind('Dispute released', 'disputes'),
  dispute_taken: kind('Dispute lost', 'disputes'),
  dispute_withdrawn: null,
  dispute_reinstated: null,
  dust: null,
  dust_cents: null,
  rail_fee: null,
  rail_fee_return: null,
  settlement: null,
  top_up: null,
  unclaimed: null,
  unclaimed_sent: null,
  unclaimed_returned: null,
}

/** Returns the title of a business's posting. */
export const titleOf = (one: PostingKind): string => kinds[one]?.title ?? ''

const roleByPurpose: Partial<Record<Purpose, Role>> = {
  ...heldAs,
  fees: 'fees',
  disputes: 'disputes',
  exchange: 'exchange',
}

/** Returns the role of one side of a posting. @param outside the role of a provider's account */
export const roleOf = (purpose: Purpose, outside: Role): Role => roleByPurpose[purpose] ?? outside
