/**
 * The double-entry ledger. Invariant: a posting moves one amount from one debit account to one
 * credit account, so the books always balance. The statement that inserts postings also updates
 * balances (credits minus debits).
 */
import type { Scope } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import { batchOf, sql, sqlOfMany, type Tx } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { currencies, walletCurrencies } from '../../lib/money.ts'
import type { AccountKey, PostingKind, Purpose } from './kinds.ts'

export type { AccountKey, PostingKind, Purpose } from './kinds.ts'
export { type PostingShown, postingsOf } from './postings.ts'

/** One movement: `amount` minor units from `debit` to `credit`, both in one currency. */
export type Posting = {
  debit: AccountKey
  credit: AccountKey
  amount: bigint
  kind: PostingKind
  /** The record that moves the money. */
  subject: Id
  /** The merchant's transaction that it belongs to. */
  transaction: Id
}

/**
 * Thrown if a posting would take an account below zero that must not go there. Nothing was posted.
 */
export class Overdraft extends Error {
  readonly account: AccountKey
  /** The balance of the account, in minor units. */
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
  unclaimed: false,
  disputes: true,
  rail_clearing: true,
  rail_fees: true,
  operator_bank: true,
  exchange: true,
}

const insertAccounts = sql<{ id: bigint }>(
  'ledger.insert_accounts',
  `insert into ledger_accounts (business_id, livemode, purpose, currency, subject, overdraft, created_at)
   select $1, $2, purpose, currency, subject, overdraft, $7
     from unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) as new (purpose, currency, subject, overdraft)
   on conflict do nothing`,
)

/**
 * The reserved business for money that belongs to no merchant: settlements, top-ups, unclaimed
 * money. No API key reads it.
 */
export const operator = '000000000000000000000001' as Id

/** Rails without a provider. Their clearing accounts are opened with the business. */
const builtInRails = ['sandbox', 'simulated', 'evm']

/** Whether the rail is built in, so not an account at a provider. */
export const isBuiltIn = (rail: string): boolean => builtInRails.includes(rail)

/**
 * Inserts in key order, to avoid deadlocks. An unknown name of a rail account is a mistake and
 * opens nothing.
 */
const insertAtProviders = sqlOfMany(
  'ledger.insert_at_providers',
  `insert into ledger_accounts (business_id, livemode, purpose, currency, subject, overdraft, created_at)
   select business_id, livemode, purpose, currency, name, overdraft, at
     from unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::timestamptz[])
          as key (business_id, livemode, purpose, currency, name, overdraft, at)
     join rail_accounts using (livemode, name)
    where not exists (select 1 from ledger_accounts a
                       where a.business_id = key.business_id and a.livemode = key.livemode
                         and a.purpose = key.purpose and a.currency = key.currency and a.subject = key.name)
    order by business_id, livemode, currency, name, purpose
   on conflict do nothing`,
)

/**
 * The ledger accounts of an account at a provider: its debt, its fees, its settlements, and
 * unclaimed money.
 */
const atProviders: Purpose[] = [
  'rail_clearing',
  'rail_fees',
  'operator_bank',
  'unclaimed',
  'disputes',
]

const isAtProvider = ({ key: { purpose, subject = '' } }: { key: AccountKey }): boolean =>
  atProviders.includes(purpose) && !isBuiltIn(subject)

/**
 * Opens the accounts of a business at a provider, at its first movement there. This comes before
 * any lock, so a transaction that waits for a concurrent insert holds nothing.
 */
async function openAtProviders(tx: Tx, keys: { scope: Scope; key: AccountKey }[]): Promise<void> {
  await tx.rows(insertAtProviders, [
    keys.map(({ scope }) => scope.businessId),
    keys.map(({ scope }) => scope.livemode),
    keys.map(({ key }) => key.purpose),
    keys.map(({ key }) => key.currency),
    keys.map(({ key }) => key.subject),
    keys.map(({ key }) => mayOverdraw[key.purpose]),
    keys.map(({ scope }) => scope.now),
  ])
}

/** Locks accounts in id order: the lock order of the ledger, which avoids deadlocks. */
const lockInOrder = sqlOfMany<{ position: bigint; id: bigint; balance: bigint }>(
  'ledger.lock',
  `select key.position, a.id, a.balance
     from unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::text[])
          with ordinality as key (business_id, livemode, purpose, currency, subject, position)
     join ledger_accounts a using (business_id, livemode, purpose, currency, subject)
    order by a.id
      for no key update of a`,
)

type Change = { business_id: string; livemode: boolean; id: bigint; amount: bigint; at: Date }
const changes = batchOf<Change>(
  'business_id text, livemode boolean, id bigint, amount bigint, at timestamptz',
)

type PostingRow = {
  business_id: string
  livemode: boolean
  debit_account: bigint
  credit_account: bigint
  amount: bigint
  currency: string
  kind: PostingKind
  subject: Id
  transaction_id: Id
  posted_at: Date
}
const newPostings = batchOf<PostingRow>(
  `business_id text, livemode boolean, debit_account bigint, credit_account bigint, amount bigint, currency text, kind text,
   subject text, transaction_id text, posted_at timestamptz`,
)

/**
 * Updates balances and inserts postings in one atomic statement, under the account locks. Requests
 * may post in another order than they started; `changed_at` never goes back.
 */
const writePostings = sqlOfMany(
  'ledger.write',
  `with moved as (
     update ledger_accounts a
        set balance = a.balance + change.amount, changed_at = greatest(a.changed_at, change.at)
       from ${changes.rows()} as change
      where a.business_id = change.business_id and a.livemode = change.livemode and a.id = change.id
   )
   insert into ledger_postings
          (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
   ${newPostings.rows(6)}`,
)

const keyText = (key: AccountKey): string => `${key.purpose} ${key.currency} ${key.subject ?? ''}`

/** Returns the accounts that every business has in each mode. */
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

/** Opens accounts that do not exist yet. They accept postings from the next transaction on. */
export async function openAccounts(work: Work, keys: AccountKey[]): Promise<void> {
  await work.rows(insertAccounts, [
    keys.map((key) => key.purpose),
    keys.map((key) => key.currency),
    keys.map((key) => key.subject ?? ''),
    keys.map((key) => mayOverdraw[key.purpose]),
    work.scope.now,
  ])
}

/** Accounts of a business and mode. */
export type Accounts = { scope: Scope; keys: AccountKey[] }

/** Locked accounts, for any number of movements in one transaction. */
export type Books = {
  /** Returns the balance of an open account in minor units, with all movements posted so far. */
  balanceOf(scope: Scope, key: AccountKey): bigint
  /**
   * Posts movements, all or none; `write` stores them.
   * @returns the new balances of the moved accounts, in minor units
   * @throws {Overdraft} if an account would go below zero that must not; nothing is posted
   * @throws {Error} unless each posting has one amount > 0 between two open accounts of one
   * currency
   */
  post(scope: Scope, postings: Posting[]): (key: AccountKey) => bigint
  /** Writes all posted movements in one statement. */
  write(): Promise<void>
}

/** `scope`: the account's business and mode, and the time of its last movement. */
type OpenAccount = { id: bigint; scope: Scope; balance: bigint; change: bigint }

/**
 * Locks accounts of any number of businesses in lock order, and reads their balances. A transaction
 * that posts more than once must open all its accounts first, or it could deadlock. If no account
 * is at a provider, the locks are sent at once: statements that the caller sends next, without
 * awaiting them, run under the locks.
 */
export async function openBooks(tx: Tx, wanted: Accounts[]): Promise<Books> {
  const requested = new Map<string, { scope: Scope; key: AccountKey }>()
  for (const { scope, keys } of wanted)
    for (const key of keys) requested.set(nameOf(scope, key), { scope, key })
  const names = [...requested.keys()]
  const accounts = [...requested.values()]
  const atProvider = accounts.filter(isAtProvider)
  // Without such accounts nothing is awaited before the locks: the caller's next statements must
  // follow them.
  if (atProvider.length > 0) await openAtProviders(tx, atProvider)
  const rows = await tx.rows(lockInOrder, [
    accounts.map(({ scope }) => scope.businessId),
    accounts.map(({ scope }) => scope.livemode),
    accounts.map(({ key }) => key.purpose),
    accounts.map(({ key }) => key.currency),
    accounts.map(({ key }) => key.subject ?? ''),
  ])
  const open = new Map<string, OpenAccount>()
  for (const { position, id, balance } of rows) {
    const index = Number(position) - 1
    const { scope } = accounts[index] as { scope: Scope }
    open.set(names[index] as string, { id, scope, balance, change: 0n })
  }
  return new LockedBooks(tx, open)
}

type PostedMovement = { scope: Scope; posting: Posting; debit: bigint; credit: bigint }

class LockedBooks implements Books {
  private posted: PostedMovement[] = []
  private readonly tx: Tx
  private readonly open: Map<string, OpenAccount>

  constructor(tx: Tx, open: Map<string, OpenAccount>) {
    this.tx = tx
    this.open = open
  }

  balanceOf(scope: Scope, key: AccountKey): bigint {
    return this.find(scope, key).balance
  }

  post(scope: Scope, postings: Posting[]): (key: AccountKey) => bigint {
    const changes = new Map<OpenAccount, { key: AccountKey; amount: bigint; after: bigint }>()
    const change = (key: AccountKey, amount: bigint): bigint => {
      const account = this.find(scope, key)
      const sum = (changes.get(account)?.amount ?? 0n) + amount
      changes.set(account, { key, amount: sum, after: account.balance + sum })
      return account.id
    }
    const movements = postings.map((posting) => {
      const { debit, credit, amount } = posting
      assertPosting(posting)
      return { scope, posting, debit: change(debit, -amount), credit: change(credit, amount) }
    })
    for (const [account, { key, amount, after }] of changes)
      if (!mayOverdraw[key.purpose] && amount < 0n && after < 0n)
        throw new Overdraft(key, account.balance, -amount)
    for (const [account, { amount, after }] of changes) {
      account.balance = after
      account.change += amount
      account.scope = scope
    }
    for (const movement of movements) this.posted.push(movement)
    return (key) => {
      const change = changes.get(this.find(scope, key))
      if (change === undefined) throw new Error(`'${keyText(key)}' is not part of the postings`)
      return change.after
    }
  }

  async write(): Promise<void> {
    if (this.posted.length === 0) return
    const moved = [...this.open.values()].filter((account) => account.change !== 0n)
    const written = this.tx.rows(writePostings, [
      ...changes.arrays(moved.map(changeOf)),
      ...newPostings.arrays(this.posted.map(postingRowOf)),
    ])
    this.posted = []
    for (const account of moved) account.change = 0n
    await written
  }

  private find(scope: Scope, key: AccountKey): OpenAccount {
    const account = this.open.get(nameOf(scope, key))
    if (!account) throw new Error(`no ledger account '${keyText(key)}' is open`)
    return account
  }
}

function assertPosting({ debit, credit, amount }: Posting): void {
  if (amount <= 0n) throw new Error(`a posting's amount must be above zero, not ${amount}`)
  if (debit.currency !== credit.currency)
    throw new Error(`${debit.currency} cannot be posted to ${credit.currency}`)
}

const changeOf = ({ scope, id, change }: OpenAccount): Change => ({
  business_id: scope.businessId,
  livemode: scope.livemode,
  id,
  amount: change,
  at: scope.now,
})

const postingRowOf = ({ scope, posting, debit, credit }: PostedMovement): PostingRow => ({
  business_id: scope.businessId,
  livemode: scope.livemode,
  debit_account: debit,
  credit_account: credit,
  amount: posting.amount,
  currency: posting.debit.currency,
  kind: posting.kind,
  subject: posting.subject,
  transaction_id: posting.transaction,
  posted_at: scope.now,
})

const nameOf = ({ businessId, livemode }: Scope, key: AccountKey): string =>
  `${businessId} ${livemode} ${keyText(key)}`

/** Locks accounts for a transaction that posts more than once; see `openBooks`. */
export async function lockAccounts({ tx, scope }: Work, keys: AccountKey[]): Promise<void> {
  await openBooks(tx, [{ scope, keys }])
}

/**
 * Posts movements and writes them, all or none.
 * @returns the new balances of the moved accounts, in minor units
 * @throws {Overdraft} if an account would go below zero that must not; nothing is written and the
 * transaction stays usable
 * @throws {Error} unless each posting has one amount > 0 between two accounts of one currency
 */
export async function post(
  { tx, scope }: Work,
  postings: Posting[],
): Promise<(key: AccountKey) => bigint> {
  const books = await openBooks(tx, [
    { scope, keys: postings.flatMap(({ debit, credit }) => [debit, credit]) },
  ])
  const balanceOf = books.post(scope, postings)
  await books.write()
  return balanceOf
}
