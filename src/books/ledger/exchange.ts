/**
 * The postings of money between a rail and a merchant's account: one leg, or two through the
 * exchange position if the currency changes.
 */
import type { Id } from '../../lib/ids.ts'
import type { Currency, Money } from '../../lib/money.ts'
import type { AccountKey, Posting, PostingKind } from './ledger.ts'

/** Money received by a rail, and its fee in minor units of the account's currency, zero or more. */
type Incoming = Omit<Outgoing, 'kind' | 'exchange'> & { fee: bigint }

type Outgoing = {
  /** The rail's clearing account. */
  rail: string
  /** What the rail received or paid. */
  railAmount: Money
  /** What the merchant's account gains or loses. */
  ledgerAmount: Money
  account: AccountKey
  kind: PostingKind
  /** The kind of the exchange leg, if there is one. */
  exchange: PostingKind
  subject: Id
  transaction: Id
}

/** Returns the postings of money that a rail received for an account, and of the fee on it. */
export function incoming({
  rail,
  railAmount,
  ledgerAmount,
  account,
  fee,
  subject,
  transaction,
}: Incoming): Posting[] {
  const clearing: AccountKey = {
    purpose: 'rail_clearing',
    currency: railAmount.currency,
    subject: rail,
  }
  const { amount, currency } = ledgerAmount
  const from = railAmount.currency === currency ? clearing : position(currency)
  const postings: Posting[] = [
    { debit: from, credit: account, amount, kind: 'deposit', subject, transaction },
  ]
  if (railAmount.currency !== currency)
    postings.unshift({
      debit: clearing,
      credit: position(railAmount.currency),
      amount: railAmount.amount,
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

/** Returns the postings of money that a rail received and that is held in pending for review. */
export function holding(money: Omit<Incoming, 'fee' | 'account'>): Posting[] {
  const account: AccountKey = { purpose: 'wallet_pending', currency: money.ledgerAmount.currency }
  return incoming({ ...money, account, fee: 0n }).map((posting) => ({
    ...posting,
    kind: posting.kind === 'deposit' ? 'deposit_held' : 'deposit_held_exchange',
  }))
}

/** Returns the reversal of `holding`, posted before the final postings. */
export function unholding(money: Parameters<typeof holding>[0]): Posting[] {
  return holding(money).map(({ debit, credit, ...posting }) => ({
    ...posting,
    debit: credit,
    credit: debit,
    kind: posting.kind === 'deposit_held' ? 'deposit_released' : 'deposit_released_exchange',
  }))
}

/** Returns the postings of money that leaves an account for a rail. */
export function outgoing(money: Outgoing): Posting[] {
  const { rail, railAmount, ledgerAmount, account, kind, exchange, subject, transaction } = money
  const clearing: AccountKey = {
    purpose: 'rail_clearing',
    currency: railAmount.currency,
    subject: rail,
  }
  if (railAmount.currency === ledgerAmount.currency)
    return [
      { debit: account, credit: clearing, amount: ledgerAmount.amount, kind, subject, transaction },
    ]
  return [
    {
      debit: account,
      credit: position(ledgerAmount.currency),
      amount: ledgerAmount.amount,
      kind: exchange,
      subject,
      transaction,
    },
    {
      debit: position(railAmount.currency),
      credit: clearing,
      amount: railAmount.amount,
      kind,
      subject,
      transaction,
    },
  ]
}

/** Returns the reversal of `outgoing`, for money that came back. */
export function returning(money: Outgoing): Posting[] {
  return outgoing(money).map((posting) => ({
    ...posting,
    debit: posting.credit,
    credit: posting.debit,
  }))
}

const position = (currency: Currency): AccountKey => ({ purpose: 'exchange', currency })
