/**
 * Money that crosses between the merchant's side of the books and a rail's, by way of the exchange position where the currency
 * changes on the way.
 */
import type { Id } from '../lib/ids.ts'
import type { Currency, Money } from '../lib/money.ts'
import type { AccountKey, Posting, PostingKind } from './ledger.ts'

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

/** The postings of money that a rail took in for an account. */
export function incoming(crossing: Crossing): Posting[] {
  const { rail, outside, inside, account, kind, exchange, subject, transaction } = crossing
  const clearing: AccountKey = { purpose: 'rail_clearing', currency: outside.currency, subject: rail }
  if (outside.currency === inside.currency)
    return [{ debit: clearing, credit: account, amount: inside.amount, kind, subject, transaction }]
  return [
    {
      debit: clearing,
      credit: position(outside.currency),
      amount: outside.amount,
      kind: exchange,
      subject,
      transaction,
    },
    { debit: position(inside.currency), credit: account, amount: inside.amount, kind, subject, transaction },
  ]
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
