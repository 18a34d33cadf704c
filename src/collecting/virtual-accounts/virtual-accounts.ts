/** Virtual accounts are bank accounts that receive money. `deposits` books what arrives. */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import { matchesOfText, matchId, matchParts } from '../../db/lists/matches.ts'
import { idArraysOf, type OwnedId, readByIds } from '../../db/table.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { accountFor } from '../../rails/accounts/choice.ts'
import { hasVerifiedIdentity, ofCustomersNamed, requireCustomer } from '../customers/customers.ts'
import {
  closeAtRail,
  enqueueClosing,
  expirePending,
  type Holder,
  type NewAccount,
  type OpenedAccount,
  queryAccount,
  refuseDuplicate,
  requestAccount,
  storeAccount,
} from './opening.ts'
import { closeTask, expireTask, queryTask, toAccount, type VirtualAccount } from './record.ts'
import { refuse } from './refusals.ts'
import type { AccountIn, AccountQuery } from './schema.ts'
import type { AccountRow } from './sql.ts'
import * as statements from './sql.ts'

export { type OpenedAccount, requestAccount, schedulePaidQuery, storeAccount } from './opening.ts'
export { accountApplier, findAccountByNumber, findCustomerAccounts } from './owners.ts'
export { queryPaidTask, toAccount, type VirtualAccount } from './record.ts'
export { accountRefusals } from './refusals.ts'
export type { AccountRow } from './sql.ts'

/** Numbers are random, so this many taken ones in a row mean a bug. */
const maxDraws = 5

/** A requested account, opened at the rail. */
export type PreparedAccount = { opened: OpenedAccount; wanted: NewAccount }

/**
 * Validates a request, and requests the account from the rail.
 * @throws {Refusal} `validation_failed` for fields that do not fit the kind; `customer_not_found`;
 * `kyc_required` for a live static `ngn` account; `duplicate_reference`, `account_exists` (409);
 * `rail_not_configured`, and the reasons of the rail
 */
export async function prepare(ctx: Ctx, input: Static<typeof AccountIn>): Promise<PreparedAccount> {
  const { scope } = ctx
  const kind = input.kind ?? 'static'
  checkKind(kind, input)
  if (input.reference !== undefined) await refuseDuplicate(ctx, input.reference)
  const customer = input.customer === undefined ? null : await requireCustomer(ctx, input.customer)
  // Checked before the identity: without a rail, verifying a customer would be in vain.
  accountFor(ctx, 'account', input.currency)
  if (scope.livemode && kind === 'static' && input.currency === 'ngn')
    if (!customer || !(await hasVerifiedIdentity(ctx, customer.id, ['bvn', 'nin'])))
      refuse(
        'kyc_required',
        'Verify a bvn or nin of the customer first: POST /customers/{id}/documents.',
      )
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
  const accountName = input.account_name ?? null
  const holder = { customer, accountName, email: customer?.email ?? null }
  return { opened: await requestFreeNumber(ctx, wanted, holder), wanted }
}

/** Requests an account until its number is one that the business does not have. */
async function requestFreeNumber(
  ctx: Ctx,
  wanted: NewAccount,
  holder: Holder,
): Promise<OpenedAccount> {
  const drawn: string[] = []
  for (let draw = 0; draw < maxDraws; draw++) {
    const opened = await requestAccount(ctx, 'account', wanted, holder)
    if (opened.answer.state !== 'open') return opened
    const { bankCode, accountNumber } = opened.answer.account
    const taken =
      wanted.kind === 'static' || opened.reference === null
        ? await findByNumber(ctx, bankCode, accountNumber)
        : null
    if (!taken) return opened
    // A rail that repeats a number opens only one account for the customer.
    if (drawn.includes(accountNumber)) refuseSecondAccount(taken)
    drawn.push(accountNumber)
  }
  throw new Error(`the rail returned ${maxDraws} account numbers that are all taken`)
}

/**
 * Stores the account of a request, and schedules its expiry.
 * @throws {Refusal} `duplicate_reference` (409); `overloaded` (429) when a concurrent request took
 * the number
 */
export async function create(
  work: Work,
  { opened, wanted }: PreparedAccount,
): Promise<VirtualAccount> {
  const row = await storeAccount(work, opened, wanted)
  if (!row) return refuseTaken(work, opened)
  if (row.expires_at) {
    const payload = { account_id: row.id }
    await schedule(work, { task: expireTask, subject: row.id, dueAt: row.expires_at, payload })
  }
  return toAccount(row)
}

/** Refuses an account that a concurrent request has taken. */
async function refuseTaken(view: View, { answer, reference }: OpenedAccount): Promise<never> {
  if (answer.state !== 'open')
    refuse('account_exists', 'An account of this customer is being opened already.')
  const taken = await findByNumber(view, answer.account.bankCode, answer.account.accountNumber)
  // A provider returns the same account to its customer every time.
  if (taken && reference !== null) refuseSecondAccount(taken)
  refuse('overloaded', 'The number was taken a moment ago; try again to get another one.')
}

const findByNumber = (view: View, bankCode: string, accountNumber: string) =>
  view.row(statements.selectNumber, [bankCode, accountNumber])

function refuseSecondAccount({ id, status }: Pick<AccountRow, 'id' | 'status'>): never {
  refuse(
    'account_exists',
    `The bank opens one account per customer, and the customer has ${id}, which is ${status}. Use it, or try again later if it was closed just now.`,
  )
}

function checkKind(kind: 'static' | 'dynamic', input: Static<typeof AccountIn>): void {
  const issue = (path: string, message: string): never =>
    refuseInput([{ path, message, location: 'body' }])
  if (kind === 'static') {
    if (input.customer === undefined) issue('customer', 'customer is required for a static account')
    for (const field of ['amount', 'expires_at'] as const)
      if (input[field] !== undefined) issue(field, `${field} belongs to dynamic accounts only`)
  } else if (input.amount === undefined) issue('amount', 'amount is required for a dynamic account')
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<VirtualAccount> {
  return toAccount(await findAccount(ctx, id))
}

/**
 * Returns an account. Concurrent calls share one query.
 * @throws {Refusal} `not_found`
 */
export async function findAccount({ db, scope }: Ctx, id: string): Promise<AccountRow> {
  return (await findGathered(db, { scope, id })) ?? refuseUnknown(id)
}

/**
 * Returns an account, read in the transaction.
 * @throws {Refusal} `not_found`
 */
export async function accountIn({ tx, scope }: Work, id: string): Promise<AccountRow> {
  return (await readAccounts(tx, [{ scope, id }]))[0] ?? refuseUnknown(id)
}

function refuseUnknown(id: string): never {
  refuse('not_found', `There is no virtual account '${id}'.`)
}

const readAccounts = readByIds(statements.accounts)
const findGathered = gatheredReads(readAccounts)

/**
 * Locks accounts of any businesses in id order, to avoid deadlocks.
 * @returns the rows in the order of `ids`; an id that occurs twice has the same row object twice
 */
export async function lockVirtualAccounts(tx: Tx, ids: OwnedId[]): Promise<AccountRow[]> {
  const keyOf = ({ scope, id }: OwnedId): string => `${scope.businessId} ${scope.livemode} ${id}`
  const unique = new Map(ids.map((owned) => [keyOf(owned), owned]))
  const keys = [...unique.keys()]
  const rows = await tx.rows(statements.lockAccounts, idArraysOf([...unique.values()]))
  const locked = new Map(rows.map(({ position, ...row }) => [keys[Number(position) - 1], row]))
  return ids.map((owned) => {
    const row = locked.get(keyOf(owned))
    if (!row) throw new Error(`virtual account ${owned.id} has vanished`)
    return row
  })
}

/** Returns an account of any status, or null. */
export const readAccount = (view: View, id: Id): Promise<AccountRow | null> =>
  view.row(statements.selectById, [id])

/**
 * Marks that the provider has sent back a transfer. @returns false when there is no such account
 */
export async function markSentBack(work: Work, id: Id): Promise<boolean> {
  return (await work.row(statements.markSentBack, [id, work.scope.now])) !== null
}

/** Returns the latest one-time account of a payment, or null. */
export function accountOfPayment(view: View, payment: Id): Promise<AccountRow | null> {
  return view.row(statements.selectOfPayment, [payment])
}

/**
 * Closes an account. Money that still arrives is booked, and marked late.
 * @throws {Refusal} `not_found`, `account_not_active`, `account_of_payment`
 */
export async function close(work: Work, id: string): Promise<VirtualAccount> {
  const found = await accountIn(work, id)
  if (found.payment_id !== null)
    refuse(
      'account_of_payment',
      `The account belongs to payment ${found.payment_id}; cancel the payment instead.`,
    )
  const row = await endAccount(work, found.id, 'closed')
  if (!row)
    return refuse(
      'account_not_active',
      `The virtual account is ${found.status}; only an active one can be closed.`,
    )
  await enqueueClosing(work, row)
  return toAccount(row)
}

/** Ends an active account. @returns null when it was not active */
export async function endAccount(
  { tx, scope }: Work,
  id: Id,
  status: 'closed' | 'expired',
): Promise<AccountRow | null> {
  const [row] = await endAccounts(tx, [{ scope, id }], status)
  return row ?? null
}

/**
 * Ends the active ones among accounts of any businesses. The caller of several has locked them.
 * @returns the ended accounts
 */
export async function endAccounts(
  tx: Tx,
  ended: { scope: Scope; id: Id }[],
  status: 'closed' | 'expired',
): Promise<AccountRow[]> {
  if (ended.length === 0) return []
  return tx.rows(statements.endAccounts, [
    ...idArraysOf(ended),
    ended.map(({ scope }) => scope.now),
    status,
  ])
}

/** Ends the one-time account of a payment, if it has one. */
export async function endAccountOfPayment(
  work: Work,
  payment: Id,
  status: 'closed' | 'expired',
): Promise<void> {
  await work.rows(statements.endOfPayment, [payment, status, work.scope.now])
}

export async function list(
  ctx: Ctx,
  query: Static<typeof AccountQuery>,
): Promise<PageOf<VirtualAccount>> {
  const page = await listPage<AccountRow>(ctx, statements.accounts, query, {
    facets: { currency: query.currency, status: query.status },
    filters: [['customer_id = ?', query.customer]],
    searches: [await matchesOfText(query.search, (text) => matchesOf(ctx, text))],
  })
  return mapPage(page, toAccount)
}

/** Returns the fields of an account that a typed search text may match. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    { each: 'account_number = ?', values: [text] },
    { each: 'reference = ?', values: [text] },
    matchId(text),
    await ofCustomersNamed(ctx, text),
    await matchParts(text, (values) => ctx.rows(statements.selectByPart, values)),
  ]
}

export const accountTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    const id = payload.account_id as Id
    await ctx.write(async (work) => {
      if (!(await endAccount(work, id, 'expired'))) await expirePending(work, id)
    })
  },
  [queryTask]: async (ctx, payload) => {
    await queryAccount(ctx, payload.account_id as Id)
  },
  [closeTask]: (ctx, payload) => closeAtRail(ctx, payload.account_id as Id),
}
