/**
 * Virtual accounts: bank accounts that money is sent to. This room opens and closes them; what arrives on them is booked by
 * `deposits`.
 */
import { businessName } from '../../books/profiles/profiles.ts'
import type { Scope } from '../../core/app.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Task } from '../../core/room.ts'
import { byAsker, gatheredReads } from '../../db/batch.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { accountFor, railFor } from '../../rails/choice.ts'
import type { BankAccount } from '../../rails/rail.ts'
import { hasVerifiedIdentity, requireCustomer } from '../customers/customers.ts'
import { refuse } from './refusals.ts'
import type { AccountIn, AccountQuery, AccountRecord } from './schema.ts'
import type { AccountRow } from './sql.ts'
import * as statements from './sql.ts'

export { accountRefusals } from './refusals.ts'
export type { AccountRow } from './sql.ts'
export type VirtualAccount = Static<typeof AccountRecord>

const expireTask = 'virtual_accounts.expire'
/** Numbers are drawn by chance; that this many in a row are taken already does not happen. */
const maxDraws = 5

/** An account that a request asks for, opened at the rail. */
export type PreparedAccount = { opened: OpenedAccount; wanted: NewAccount }

/**
 * Checks what a request asks for, and opens the account at the rail: again while it gives numbers that the business has already.
 * @throws {Refusal} `validation_failed` for fields that do not fit the kind; `customer_not_found`; `kyc_required` for a live
 *   static `ngn` account; `duplicate_reference` (409); `rail_not_configured`
 */
export async function prepare(ctx: Ctx, input: Static<typeof AccountIn>): Promise<PreparedAccount> {
  const { scope } = ctx
  const kind = input.kind ?? 'static'
  checkKind(kind, input)
  if (input.reference !== undefined) await refuseDuplicate(ctx, input.reference)
  const customer = input.customer === undefined ? null : await requireCustomer(ctx, input.customer)
  // Before what only a rail asks for: who has none would verify a customer in vain.
  accountFor(ctx, 'account', input.currency)
  if (scope.livemode && kind === 'static' && input.currency === 'ngn')
    if (!customer || !(await hasVerifiedIdentity(ctx, customer.id, ['bvn', 'nin'])))
      refuse('kyc_required', 'Verify a bvn or nin of the customer first: POST /customers/{id}/documents.')
  const wanted: NewAccount = {
    customer_id: customer?.id ?? null,
    payment_id: null,
    currency: input.currency,
    kind,
    amount: input.amount === undefined ? null : BigInt(input.amount),
    expires_at: kind === 'static' ? null : readExpiry(scope.now, input.expires_at),
    reference: input.reference ?? null,
    metadata: input.metadata ?? {},
  }
  for (let draw = 0; draw < maxDraws; draw++) {
    const opened = await requestAccount(ctx, 'account', input.currency, input.account_name ?? customer?.name ?? null)
    const { bankCode, accountNumber } = opened.bank
    if (!(await ctx.row(statements.selectNumber, [bankCode, accountNumber]))) return { opened, wanted }
  }
  throw new Error('the rail gave account numbers that are all taken')
}

/**
 * Stores the account of a request, and ends it at its time.
 * @throws {Refusal} `duplicate_reference` (409); `overloaded` (429) when another request took the number meanwhile
 */
export async function create(work: Work, { opened, wanted }: PreparedAccount): Promise<VirtualAccount> {
  const row = await storeAccount(work, opened, wanted)
  if (!row) refuse('overloaded', 'The rail gave a number that was taken just now; try again, and it gives another.')
  if (row.expires_at) {
    const payload = { account_id: row.id }
    await schedule(work, { task: expireTask, subject: row.id, dueAt: row.expires_at, payload })
  }
  return toAccount(row)
}

function checkKind(kind: 'static' | 'dynamic', input: Static<typeof AccountIn>): void {
  const issue = (path: string, message: string): never => refuseInput([{ path, message, location: 'body' }])
  if (kind === 'static') {
    if (input.customer === undefined) issue('customer', 'customer is required for a static account')
    for (const field of ['amount', 'expires_at'] as const)
      if (input[field] !== undefined) issue(field, `${field} belongs to dynamic accounts only`)
  } else if (input.amount === undefined) issue('amount', 'amount is required for a dynamic account')
}

/** An account that a rail has opened, and that is not stored yet. */
export type OpenedAccount = { id: Id; rail: string; accountName: string; bank: BankAccount }

type NewAccount = Pick<
  AccountRow,
  'customer_id' | 'payment_id' | 'currency' | 'kind' | 'amount' | 'expires_at' | 'reference' | 'metadata'
>

/**
 * Opens an account at the rail: before any transaction, because a rail may take its time.
 * @param operation what it is for: an account of its own, or that of one payment
 * @param accountName the holder that payers are shown; null: the business
 * @throws {Refusal} `rail_not_configured`
 */
export async function requestAccount(
  ctx: Ctx,
  operation: 'account' | 'bank_transfer',
  currency: WalletCurrency,
  accountName: string | null,
): Promise<OpenedAccount> {
  const rail = railFor(ctx, operation, currency)
  const id = newId(ctx.scope.now)
  const name = accountName ?? (await businessName(ctx))
  const bank = await rail.open({ id, currency, accountName: name })
  return { id, rail: rail.name, accountName: name, bank }
}

/**
 * Stores an account that a rail has opened.
 * @returns null when the business has an account of this number already; ask for another
 * @throws {Refusal} `duplicate_reference` (409)
 */
export async function storeAccount(work: Work, opened: OpenedAccount, wanted: NewAccount): Promise<AccountRow | null> {
  const { now } = work.scope
  const { id, rail, accountName, bank } = opened
  const row = await insert(
    work,
    statements.accounts,
    {
      ...wanted,
      id,
      account_name: accountName,
      account_number: bank.accountNumber,
      bank_name: bank.bankName,
      bank_code: bank.bankCode,
      routing_number: bank.routingNumber,
      status: 'active',
      rail,
      created_at: now,
      updated_at: now,
    },
    'do nothing',
  )
  if (!row && wanted.reference !== null) await refuseDuplicate(work, wanted.reference)
  return row
}

/** @throws {Refusal} `duplicate_reference` (409) when the reference is taken */
async function refuseDuplicate(view: View, reference: string): Promise<void> {
  if (await view.row(statements.selectReference, [reference]))
    refuse('duplicate_reference', `A virtual account with the reference '${reference}' exists already.`)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<VirtualAccount> {
  return toAccount(await findAccount(ctx, id))
}

/**
 * An account: read together with those that others ask for at the time.
 * @throws {Refusal} `not_found`
 */
export async function findAccount({ db, scope }: Ctx, id: string): Promise<AccountRow> {
  return (await findGathered(db, { scope, id })) ?? unknownAccount(id)
}

/**
 * An account as it stands in the transaction.
 * @throws {Refusal} `not_found`
 */
export async function accountIn({ tx, scope }: Work, id: string): Promise<AccountRow> {
  return (await readAccounts(tx, [{ scope, id }]))[0] ?? unknownAccount(id)
}

function unknownAccount(id: string): never {
  refuse('not_found', `There is no virtual account '${id}'.`)
}

/** An account of a business and mode. */
type Named = { scope: Scope; id: string }

/** Accounts in the order they were asked for, null where there is none. */
async function readAccounts(db: Queryable, asked: Named[]): Promise<(AccountRow | null)[]> {
  return byAsker(await db.rows(statements.selectAccounts, keysOf(asked)), asked.length)
}

const findGathered = gatheredReads(readAccounts)

/**
 * Locks accounts, of any number of businesses, in id order, to avoid deadlocks.
 * @returns them in the order they were asked for; who asks for one twice gets the same row twice
 */
export async function lockVirtualAccounts(tx: Tx, asked: Named[]): Promise<AccountRow[]> {
  const nameOf = ({ scope, id }: Named): string => `${scope.businessId} ${scope.livemode} ${id}`
  const wanted = new Map(asked.map((one) => [nameOf(one), one]))
  const names = [...wanted.keys()]
  const rows = await tx.rows(statements.lockAccounts, keysOf([...wanted.values()]))
  const locked = new Map(rows.map(({ position, ...row }) => [names[Number(position) - 1], row]))
  return asked.map((one) => {
    const row = locked.get(nameOf(one))
    if (!row) throw new Error(`virtual account ${one.id} has vanished`)
    return row
  })
}

const keysOf = (named: Named[]): unknown[] => [
  named.map(({ scope }) => scope.businessId),
  named.map(({ scope }) => scope.livemode),
  named.map(({ id }) => id),
]

/** The one-time account of a payment, or null when none was opened. */
export function accountOfPayment(view: View, payment: Id): Promise<AccountRow | null> {
  return view.row(statements.selectOfPayment, [payment])
}

/**
 * Closes an account. Money that still comes is booked, and marked late.
 * @throws {Refusal} `not_found`, `account_not_active`, `account_of_payment`
 */
export async function close(work: Work, id: string): Promise<VirtualAccount> {
  const found = await accountIn(work, id)
  if (found.payment_id !== null)
    refuse('account_of_payment', `The account belongs to payment ${found.payment_id}; cancel the payment instead.`)
  const row = await end(work, found.id, 'closed')
  return row ? toAccount(row) : refuse('account_not_active', `The virtual account is ${found.status} already.`)
}

/** Ends an account that is active. @returns null when it was not */
export async function end({ tx, scope }: Work, id: Id, status: 'closed' | 'expired'): Promise<AccountRow | null> {
  const [row] = await endMany(tx, [{ scope, id }], status)
  return row ?? null
}

/** Ends those of some accounts, of any number of businesses, that are active; who ends several has locked them. @returns those */
export async function endMany(tx: Tx, ended: Named[], status: 'closed' | 'expired'): Promise<AccountRow[]> {
  if (ended.length === 0) return []
  return tx.rows(statements.endAccounts, [...keysOf(ended), ended.map(({ scope }) => scope.now), status])
}

/** Ends the one-time account of a payment, if it has one. */
export async function endAccountOfPayment(work: Work, payment: Id, status: 'closed' | 'expired'): Promise<void> {
  await work.rows(statements.endOfPayment, [payment, status, work.scope.now])
}

export async function list(ctx: Ctx, query: Static<typeof AccountQuery>): Promise<PageOf<VirtualAccount>> {
  const page = await listPage<AccountRow>(ctx, statements.accounts, query, {
    facets: { currency: query.currency, status: query.status },
    filters: [['customer_id = ?', query.customer]],
  })
  return mapPage(page, toAccount)
}

/** The record as the API gives it. */
export function toAccount({ customer_id, payment_id, rail: _rail, ...row }: AccountRow): VirtualAccount {
  return { ...row, customer: customer_id, payment: payment_id }
}

/** The jobs of this room. */
export const accountTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    await ctx.write((work) => end(work, payload.account_id as Id, 'expired'))
  },
}
