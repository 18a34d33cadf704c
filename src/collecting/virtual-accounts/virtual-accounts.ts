/**
 * Virtual accounts: bank accounts that money is sent to. This room opens and closes them; what arrives on them is booked by
 * `deposits`.
 */
import { businessName } from '../../books/businesses/businesses.ts'
import { type Ctx, inTransaction, railOf, reader, type Scope } from '../../core/context.ts'
import { byAsker, gatheredReads } from '../../db/batch.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { BankAccount } from '../../rails/rail.ts'
import { findCustomer, hasVerifiedIdentity } from '../customers/customers.ts'
import type { AccountIn, AccountQuery, AccountRecord } from './schema.ts'
import {
  type AccountRow,
  columns,
  endAccounts,
  endOfPayment,
  insertAccount,
  lockAccounts,
  selectAccounts,
  selectOfPayment,
  selectReference,
} from './sql.ts'

export type { AccountRow } from './sql.ts'
export type VirtualAccount = Static<typeof AccountRecord>

const expireTask = 'virtual_accounts.expire'
/** Numbers are drawn by chance; that this many in a row are taken already does not happen. */
const maxDraws = 5

/**
 * Opens an account.
 * @throws {Refusal} `validation_failed` for fields that do not fit the kind; `customer_not_found`; `kyc_required` for a live
 *   static `ngn` account; `duplicate_reference` (409); `rail_not_configured`
 */
export async function create(ctx: Ctx, input: Static<typeof AccountIn>): Promise<VirtualAccount> {
  const { scope } = ctx
  const kind = input.kind ?? 'static'
  checkKind(kind, input)
  if (input.reference !== undefined) await refuseTwin(ctx, input.reference)
  const customer = input.customer === undefined ? null : await findCustomer(ctx, input.customer)
  if (input.customer !== undefined && !customer)
    refuse('customer_not_found', `There is no customer '${input.customer}'.`)
  if (scope.livemode && kind === 'static' && input.currency === 'ngn')
    if (!customer || !(await hasVerifiedIdentity(ctx, customer.id, ['bvn', 'nin'])))
      refuse('kyc_required', 'Verify a bvn or nin of the customer first: POST /customers/{id}/documents.')
  const expiresAt = kind === 'static' ? null : readExpiry(scope.now, input.expires_at)
  for (let draw = 0; draw < maxDraws; draw++) {
    const opened = await requestAccount(ctx, input.currency, input.account_name ?? customer?.name ?? null)
    const row = await inTransaction(ctx, async (tx) => {
      const stored = await storeAccount({ ...ctx, tx }, opened, {
        customer: customer?.id ?? null,
        payment: null,
        currency: input.currency,
        kind,
        amount: input.amount === undefined ? null : BigInt(input.amount),
        expiresAt,
        reference: input.reference ?? null,
        metadata: input.metadata ?? {},
      })
      if (stored?.expires_at)
        await schedule(tx, scope, {
          task: expireTask,
          subject: stored.id,
          dueAt: stored.expires_at,
          payload: { account_id: stored.id },
        })
      return stored
    })
    if (row) return toAccount(row)
  }
  throw new Error('the rail gave account numbers that are all taken')
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

export type NewAccount = {
  customer: Id | null
  payment: Id | null
  currency: WalletCurrency
  kind: 'static' | 'dynamic'
  amount: bigint | null
  expiresAt: Date | null
  reference: string | null
  metadata: Record<string, unknown>
}

/**
 * Opens an account at the rail: before any transaction, because a rail may take its time.
 * @param accountName the holder that payers are shown; null: the business
 * @throws {Refusal} `rail_not_configured`
 */
export async function requestAccount(
  ctx: Ctx,
  currency: WalletCurrency,
  accountName: string | null,
): Promise<OpenedAccount> {
  const rail = railOf(ctx, 'accounts')
  const id = newId(ctx.scope.now)
  const name = accountName ?? (await businessName(ctx))
  const bank = await rail.open({ id, currency, accountName: name })
  return { id, rail: rail.name, accountName: name, bank }
}

/**
 * Stores an account that a rail has opened, in the caller's transaction.
 * @returns null when the business has an account of this number already; ask for another
 * @throws {Refusal} `duplicate_reference` (409)
 */
export async function storeAccount(ctx: Ctx, opened: OpenedAccount, wanted: NewAccount): Promise<AccountRow | null> {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx as Tx
  const { id, rail, accountName, bank } = opened
  const row = await tx.row(insertAccount, [
    businessId,
    livemode,
    id,
    wanted.reference,
    wanted.customer,
    wanted.payment,
    wanted.currency,
    wanted.kind,
    wanted.amount,
    accountName,
    bank.accountNumber,
    bank.bankName,
    bank.bankCode,
    bank.routingNumber,
    wanted.expiresAt,
    rail,
    toJson(wanted.metadata),
    now,
  ])
  if (!row && wanted.reference !== null) await refuseTwin(ctx, wanted.reference)
  return row
}

/** @throws {Refusal} `duplicate_reference` (409) when the reference is taken */
async function refuseTwin(ctx: Ctx, reference: string): Promise<void> {
  if (await reader(ctx).row(selectReference, [ctx.scope.businessId, ctx.scope.livemode, reference]))
    refuse('duplicate_reference', `A virtual account with the reference '${reference}' exists already.`)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<VirtualAccount> {
  return toAccount(await findAccount(ctx, id))
}

/** @throws {Refusal} `not_found` */
export async function findAccount(ctx: Ctx, id: string): Promise<AccountRow> {
  const asked = { scope: ctx.scope, id }
  const row = ctx.tx ? (await readAccounts(ctx.tx, [asked]))[0] : await findGathered(ctx.db, asked)
  return row ?? refuse('not_found', `There is no virtual account '${id}'.`)
}

/** An account of a business and mode. */
type Named = { scope: Scope; id: string }

/** Accounts in the order they were asked for, null where there is none. */
async function readAccounts(db: Queryable, asked: Named[]): Promise<(AccountRow | null)[]> {
  return byAsker(await db.rows(selectAccounts, keysOf(asked)), asked.length)
}

const findGathered = gatheredReads(readAccounts)

/**
 * Locks accounts, of any number of businesses, in the one order that everything locks them in.
 * @returns them in the order they were asked for; who asks for one twice gets the same row twice
 */
export async function lockVirtualAccounts(tx: Tx, asked: Named[]): Promise<AccountRow[]> {
  const nameOf = ({ scope, id }: Named): string => `${scope.businessId} ${scope.livemode} ${id}`
  const wanted = new Map(asked.map((one) => [nameOf(one), one]))
  const names = [...wanted.keys()]
  const rows = await tx.rows(lockAccounts, keysOf([...wanted.values()]))
  const locked = new Map(rows.map(({ position, ...row }) => [names[Number(position) - 1], row]))
  return asked.map((one) => {
    const row = locked.get(nameOf(one))
    if (!row) throw new Error(`virtual account ${one.id} has vanished`)
    return row
  })
}

const keysOf = (accounts: Named[]): unknown[] => [
  accounts.map(({ scope }) => scope.businessId),
  accounts.map(({ scope }) => scope.livemode),
  accounts.map(({ id }) => id),
]

/** The one-time account of a payment, or null when none was opened. */
export function accountOfPayment(ctx: Ctx, payment: Id): Promise<AccountRow | null> {
  return reader(ctx).row(selectOfPayment, [ctx.scope.businessId, ctx.scope.livemode, payment])
}

/**
 * Closes an account. Money that still comes is booked, and marked late.
 * @throws {Refusal} `not_found`, `account_not_active`, `account_of_payment`
 */
export function close(ctx: Ctx, id: string): Promise<VirtualAccount> {
  return inTransaction(ctx, async (tx) => {
    const found = await findAccount({ ...ctx, tx }, id)
    if (found.payment_id !== null)
      refuse('account_of_payment', `The account belongs to payment ${found.payment_id}; cancel the payment instead.`)
    const row = await end({ ...ctx, tx }, found.id, 'closed')
    return row ? toAccount(row) : refuse('account_not_active', `The virtual account is ${found.status} already.`)
  })
}

/** Ends an account that is active. @returns null when it was not */
export async function end(ctx: Ctx, id: Id, status: 'closed' | 'expired'): Promise<AccountRow | null> {
  const [row] = await endMany(reader(ctx), [{ scope: ctx.scope, id }], status)
  return row ?? null
}

/** Ends those of some accounts, of any number of businesses, that are active; who ends several has locked them. @returns those */
export async function endMany(db: Queryable, accounts: Named[], status: 'closed' | 'expired'): Promise<AccountRow[]> {
  if (accounts.length === 0) return []
  return db.rows(endAccounts, [...keysOf(accounts), accounts.map(({ scope }) => scope.now), status])
}

/** Ends the one-time account of a payment, if it has one. */
export async function endAccountOfPayment(ctx: Ctx, payment: Id, status: 'closed' | 'expired'): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  await (ctx.tx as Tx).rows(endOfPayment, [businessId, livemode, payment, status, now])
}

export async function list(ctx: Ctx, query: Static<typeof AccountQuery>): Promise<PageOf<VirtualAccount>> {
  const page = await listPage<AccountRow>(
    reader(ctx),
    {
      table: 'virtual_accounts',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      facets: { currency: query.currency, status: query.status },
      filters: [['customer_id = ?', query.customer]],
    },
    query,
  )
  return mapPage(page, toAccount)
}

/** The record as the API gives it. */
export function toAccount({ customer_id, payment_id, rail: _rail, ...row }: AccountRow): VirtualAccount {
  return { ...row, customer: customer_id, payment: payment_id }
}

/** The jobs of this room. */
export const accountTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    await end(ctx, payload.account_id as Id, 'expired')
  },
}
