/**
 * Money that crosses between the merchant's side of the books and a rail's, by way of the exchange position where the currency
 * changes on the way.
 */
import type { Id } from '../../lib/ids.ts'
import type { Currency, Money } from '../../lib/money.ts'
import type { AccountKey, Posting, PostingKind } from './ledger.ts'

/** What a rail took in, and the fee on it: minor units of what the account gains, zero or more. */
type Arrival = Omit<Crossing, 'kind' | 'exchange'> & { fee: bigint }

type Crossing = {
  /** The rail's clearing account. */
  rail: string
  /** What the rail took or gave. */
  outside: Money
  /** What the merchant's account gains or loses. */
  inside: Money
  account: AccountKey
  kind: PostingKind
  /** The kind of the exchange leg, if there is one. */
  exchange: PostingKind
  subject: Id
  transaction: Id
}

/** The postings of money that a rail took in for an account, and of the fee that comes out of it. */
export function incoming({ rail, outside, inside, account, fee, subject, transaction }: Arrival): Posting[] {
  const clearing: AccountKey = { purpose: 'rail_clearing', currency: outside.currency, subject: rail }
  const { amount, currency } = inside
  const from = outside.currency === currency ? clearing : position(currency)
  const postings: Posting[] = [{ debit: from, credit: account, amount, kind: 'deposit', subject, transaction }]
  if (outside.currency !== currency)
    postings.unshift({
      debit: clearing,
      credit: position(outside.currency),
      amount: outside.amount,
      kind: 'deposit_exchange',
      subject,
      transaction,
    })
  if (fee > 0n)
    postings.push({
      debit: account,
      credit: { purpose: 'fees', currency },
      amount: fee,
      kind: 'deposit_fee',
      subject,
      transaction,
    })
  return postings
}

/** The postings of money that leaves an account for a rail. */
export function outgoing(crossing: Crossing): Posting[] {
  const { rail, outside, inside, account, kind, exchange, subject, transaction } = crossing
  const clearing: AccountKey = { purpose: 'rail_clearing', currency: outside.currency, subject: rail }
  if (outside.currency === inside.currency)
    return [{ debit: account, credit: clearing, amount: inside.amount, kind, subject, transaction }]
  return [
    { debit: account, credit: position(inside.currency), amount: inside.amount, kind: exchange, subject, transaction },
    { debit: position(outside.currency), credit: clearing, amount: outside.amount, kind, subject, transaction },
  ]
}

const position = (currency: Currency): AccountKey => ({ purpose: 'exchange', currency })
