/**
 * The double-entry ledger. A posting moves one amount from one debit account to one credit account, so the books balance
 * by construction. Balances (credits minus debits) are changed in the very statement that adds the postings.
 */
import type { Scope } from '../context.ts'
import { type Queryable, sql, type Tx } from '../db/db.ts'
import type { Id } from '../lib/ids.ts'
import { type Currency, currencies, type TokenUnit, walletCurrencies } from '../lib/money.ts'

/** What an account is for. `subject` tells accounts of one purpose apart, such as the rail of a clearing account. */
export type Purpose = 'wallet_available' | 'wallet_pending' | 'fees' | 'share' | 'dust' | 'rail_clearing' | 'exchange'
export type AccountKey = { purpose: Purpose; currency: Currency | TokenUnit; subject?: string }

/** Why money moved. */
export type PostingKind =
  | 'simulated_fund'
  | 'payout_hold'
  | 'payout_release'
  | 'payout_sent'
  | 'payout_fee'
  | 'payout_exchange'
  | 'deposit'
  | 'deposit_fee'
  | 'deposit_exchange'
  | 'refund_hold'
  | 'refund_release'
  | 'refund_sent'
  | 'refund_exchange'
  | 'share_accrual'
  | 'share_return'
  | 'share_settlement'
  | 'dust'
  | 'dust_cents'

/** One movement: `amount` minor units from `debit` to `credit`, both of one currency. */
export type Posting = {
  debit: AccountKey
  credit: AccountKey
  amount: bigint
  kind: PostingKind
  /** The record that moves the money. */
  subject: Id
  /** The merchant's transaction it belongs to. */
  transaction: Id
}

/** A posting that would overdraw an account that must not go below zero. Nothing was posted. */
export class Overdraft extends Error {
  readonly account: AccountKey
  /** What the account holds, in minor units. */
  readonly balance: bigint
  /** What the postings would take from it. */
  readonly needed: bigint

  constructor(account: AccountKey, balance: bigint, needed: bigint) {
    super(`${account.purpose} ${account.currency} holds ${balance}, ${needed} needed`)
    this.name = 'Overdraft'
    this.account = account
    this.balance = balance
    this.needed = needed
  }
}

const mayOverdraw: Record<Purpose, boolean> = {
  wallet_available: false,
  wallet_pending: false,
  fees: false,
  share: false,
  dust: false,
  rail_clearing: true,
  exchange: true,
}

const insertAccounts = sql<{ id: bigint }>(
  'ledger.insert_accounts',
  `insert into ledger_accounts (business_id, livemode, purpose, currency, subject, overdraft, created_at)
   select $1, $2, purpose, currency, subject, overdraft, $7
     from unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) as new (purpose, currency, subject, overdraft)
   on conflict do nothing`,
)

const selectAccounts = sql<{ id: bigint; purpose: Purpose; currency: Currency | TokenUnit; subject: string }>(
  'ledger.select_accounts',
  `select a.id, a.purpose, a.currency, a.subject
     from ledger_accounts a
     join unnest($3::text[], $4::text[], $5::text[]) as key (purpose, currency, subject)
       using (purpose, currency, subject)
    where a.business_id = $1 and a.livemode = $2`,
)

/**
 * All movements of a batch in one statement: lock the accounts in the order of their ids (so that two batches never
 * wait for each other), see whether any would be overdrawn, and only then change the balances and add the postings.
 */
const postBatch = sql<{ id: bigint; balance: bigint; change: bigint; posted: boolean }>(
  'ledger.post',
  `with input as (
     select * from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::text[])
       with ordinality as i (debit, credit, amount, currency, kind, subject, transaction_id, position)
   ), change as (
     select account, sum(amount)::bigint as amount
       from (select debit as account, -amount as amount from input union all select credit, amount from input) sides
      group by account
   ), locked as materialized (
     select a.id, a.balance, a.overdraft
       from ledger_accounts a
      where a.business_id = $1 and a.livemode = $2 and a.id in (select account from change)
      order by a.id
        for no key update
   ), verdict as (
     select count(*) = (select count(*) from change)
        and bool_and(locked.overdraft or locked.balance + change.amount >= 0 or change.amount >= 0) as fine
       from locked join change on change.account = locked.id
   ), updated as (
     update ledger_accounts a
        set balance = a.balance + change.amount
       from locked join change on change.account = locked.id
      where a.business_id = $1 and a.livemode = $2 and a.id = locked.id and (select fine from verdict)
     returning a.id
   ), posted as (
     insert into ledger_postings
            (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
     select $1, $2, debit, credit, amount, currency, kind, subject, transaction_id, $10
       from input where (select fine from verdict) order by position
   )
   select locked.id, locked.balance, change.amount as change,
          (select fine from verdict) and (select count(*) from updated) = (select count(*) from change) as posted
     from locked join change on change.account = locked.id`,
)

const lockInOrder = sql(
  'ledger.lock',
  `select id from ledger_accounts
    where business_id = $1 and livemode = $2 and id = any($3::bigint[]) order by id for no key update`,
)

const keyText = (key: AccountKey): string => `${key.purpose} ${key.currency} ${key.subject ?? ''}`

/** Account ids never change once committed, so they are remembered per process, up to a bound. */
const known = new Map<string, Map<string, bigint>>()
const knownBusinesses = 20_000

/** The accounts that every business has, in each mode. */
export function standardAccounts(rails: readonly string[]): AccountKey[] {
  return [
    ...walletCurrencies.flatMap((currency): AccountKey[] => [
      { purpose: 'wallet_available', currency },
      { purpose: 'wallet_pending', currency },
      { purpose: 'fees', currency },
    ]),
    ...currencies.flatMap((currency): AccountKey[] => [
      { purpose: 'exchange', currency },
      ...rails.map((rail): AccountKey => ({ purpose: 'rail_clearing', currency, subject: rail })),
    ]),
  ]
}

/** Opens accounts that do not exist yet. They may be posted to from the next transaction on. */
export async function openAccounts(tx: Tx, scope: Scope, keys: AccountKey[]): Promise<void> {
  await tx.rows(insertAccounts, [
    scope.businessId,
    scope.livemode,
    keys.map((key) => key.purpose),
    keys.map((key) => key.currency),
    keys.map((key) => key.subject ?? ''),
    keys.map((key) => mayOverdraw[key.purpose]),
    scope.now,
  ])
}

/**
 * The ids of accounts, by `keyText`.
 * @throws {Error} when one does not exist
 */
export async function accountIds(db: Queryable, scope: Scope, keys: AccountKey[]): Promise<Map<string, bigint>> {
  const owner = `${scope.businessId} ${scope.livemode}`
  let mine = known.get(owner)
  const missing = mine ? keys.filter((key) => !mine?.has(keyText(key))) : keys
  if (mine && missing.length === 0) return mine
  const rows = await db.rows(selectAccounts, [
    scope.businessId,
    scope.livemode,
    missing.map((key) => key.purpose),
    missing.map((key) => key.currency),
    missing.map((key) => key.subject ?? ''),
  ])
  if (!mine) {
    if (known.size >= knownBusinesses) known.delete(known.keys().next().value as string)
    mine = new Map()
    known.set(owner, mine)
  }
  for (const row of rows) mine.set(keyText(row), row.id)
  for (const key of keys) if (!mine.has(keyText(key))) throw new Error(`no ledger account '${keyText(key)}'`)
  return mine
}

/**
 * Locks accounts in the one order that postings lock them in. For a transaction that posts more than one batch: without it, the
 * second batch could want an account that another holds who waits for one of the first.
 */
export async function lockAccounts(tx: Tx, scope: Scope, keys: AccountKey[]): Promise<void> {
  const ids = await accountIds(tx, scope, keys)
  await tx.rows(lockInOrder, [scope.businessId, scope.livemode, keys.map((key) => ids.get(keyText(key)))])
}

/**
 * Posts movements, all or none.
 * @returns the balances after it, in minor units, of the accounts that moved
 * @throws {Overdraft} when an account that must not go below zero would; nothing is posted and the transaction lives on
 * @throws {Error} on a posting that is not one amount > 0 between two accounts of one currency
 */
export async function post(tx: Tx, scope: Scope, postings: Posting[]): Promise<(key: AccountKey) => bigint> {
  for (const { debit, credit, amount } of postings) {
    if (amount <= 0n) throw new Error(`a posting's amount must be above zero, not ${amount}`)
    if (debit.currency !== credit.currency) throw new Error(`${debit.currency} cannot be posted to ${credit.currency}`)
  }
  const ids = await accountIds(
    tx,
    scope,
    postings.flatMap(({ debit, credit }) => [debit, credit]),
  )
  const idOf = (key: AccountKey): bigint => ids.get(keyText(key)) as bigint
  const rows = await tx.rows(postBatch, [
    scope.businessId,
    scope.livemode,
    postings.map((posting) => idOf(posting.debit)),
    postings.map((posting) => idOf(posting.credit)),
    postings.map((posting) => posting.amount),
    postings.map((posting) => posting.debit.currency),
    postings.map((posting) => posting.kind),
    postings.map((posting) => posting.subject),
    postings.map((posting) => posting.transaction),
    scope.now,
  ])
  const moved = new Map(rows.map((row) => [row.id, row]))
  for (const { debit, credit } of postings)
    for (const key of [debit, credit]) {
      const row = moved.get(idOf(key))
      if (!row) throw new Error(`ledger account '${keyText(key)}' has vanished`)
      if (!mayOverdraw[key.purpose] && row.balance + row.change < 0n && row.change < 0n)
        throw new Overdraft(key, row.balance, -row.change)
    }
  if (rows.some((row) => !row.posted)) throw new Error('the ledger refused a batch that looked fine')
  return (key) => {
    const row = moved.get(idOf(key))
    if (!row) throw new Error(`'${keyText(key)}' is not part of the batch`)
    return row.balance + row.change
  }
}
