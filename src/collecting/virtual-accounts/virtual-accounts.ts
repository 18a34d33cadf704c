/**
 * Virtual accounts: bank accounts that money is sent to. This module opens and closes them; what
 * arrives on them is booked by `deposits`.
 */
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import type { Ctx } from '../../core/outside.ts'
import { gatheredReads } from '../../db/batch.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import { matchesOfText, matchId } from '../../db/lists/matches.ts'
import { idArraysOf, type OwnedId, readByIds } from '../../db/table.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { accountFor } from '../../rails/accounts/choice.ts'
import { hasVerifiedIdentity, ofCustomersNamed, requireCustomer } from '../customers/customers.ts'
import {
  askAccount,
  closeAtProvider,
  closeThere,
  expirePending,
  type NewAccount,
  type OpenedAccount,
  refuseDuplicate,
  requestAccount,
  storeAccount,
} from './opening.ts'
import { askTask, closeTask, expireTask, toAccount, type VirtualAccount } from './record.ts'
import { refuse } from './refusals.ts'
import type { AccountIn, AccountQuery } from './schema.ts'
import type { AccountRow } from './sql.ts'
import * as statements from './sql.ts'

export { askWhetherPaid, type OpenedAccount, requestAccount, storeAccount } from './opening.ts'
export { accountApplier, accountOfNumber, accountsOfCustomers } from './owners.ts'
export { askPaidTask, toAccount, type VirtualAccount } from './record.ts'
export { accountRefusals } from './refusals.ts'
export type { AccountRow } from './sql.ts'

/** Numbers are drawn by chance; that this many in a row are taken already does not happen. */
const maxDraws = 5

/** An account that a request asks for, opened at the rail. */
export type PreparedAccount = { opened: OpenedAccount; wanted: NewAccount }

/**
 * Checks what a request asks for, and asks the rail for the account: again while it gives numbers
 * that the business has already.
 * @throws {Refusal} `validation_failed` for fields that do not fit the kind; `customer_not_found`;
 * `kyc_required` for a live
 * static `ngn` account; `duplicate_reference`, `account_exists` (409); `rail_not_configured`, and
 * why the rail opens none
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
  const holder = {
    customer,
    accountName: input.account_name ?? null,
    email: customer?.email ?? null,
  }
  const given: string[] = []
  for (let draw = 0; draw < maxDraws; draw++) {
    const opened = await requestAccount(ctx, 'account', wanted, holder)
    if (opened.said.state !== 'open') return { opened, wanted }
    const { bankCode, accountNumber } = opened.said.account
    const taken =
      wanted.kind === 'static' || opened.reference === null
        ? await byNumber(ctx, bankCode, accountNumber)
        : null
    if (!taken) return { opened, wanted }
    // Who gives the same number again gives the customer one.
    if (given.includes(accountNumber)) refuseSecond(taken)
    given.push(accountNumber)
  }
  throw new Error('the rail gave account numbers that are all taken')
}

/**
 * Stores the account of a request, and ends it at its time.
 * @throws {Refusal} `duplicate_reference` (409); `overloaded` (429) when another request took the
 * number meanwhile
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

/** Refuses what another request has got meanwhile. */
async function refuseTaken(view: View, { said, reference }: OpenedAccount): Promise<never> {
  if (said.state !== 'open')
    refuse('account_exists', 'An account of this customer is being opened already.')
  const taken = await byNumber(view, said.account.bankCode, said.account.accountNumber)
  // A provider gives its customer this one every time.
  if (taken && reference !== null) refuseSecond(taken)
  refuse(
    'overloaded',
    'The rail gave a number that was taken just now; try again, and it gives another.',
  )
}

const byNumber = (view: View, bankCode: string, accountNumber: string) =>
  view.row(statements.selectNumber, [bankCode, accountNumber])

function refuseSecond({ id, status }: Pick<AccountRow, 'id' | 'status'>): never {
  refuse(
    'account_exists',
    `The bank gives a customer one account, and this one has ${id}, which is ${status}: use that one, or, when it was closed just now, try again later.`,
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

const readAccounts = readByIds(statements.accounts)
const findGathered = gatheredReads(readAccounts)

/**
 * Locks accounts, of any number of businesses, in id order, to avoid deadlocks.
 * @returns them in the order they were asked for; who asks for one twice gets the same row twice
 */
export async function lockVirtualAccounts(tx: Tx, asked: OwnedId[]): Promise<AccountRow[]> {
  const nameOf = ({ scope, id }: OwnedId): string => `${scope.businessId} ${scope.livemode} ${id}`
  const wanted = new Map(asked.map((one) => [nameOf(one), one]))
  const names = [...wanted.keys()]
  const rows = await tx.rows(statements.lockAccounts, idArraysOf([...wanted.values()]))
  const locked = new Map(rows.map(({ position, ...row }) => [names[Number(position) - 1], row]))
  return asked.map((one) => {
    const row = locked.get(nameOf(one))
    if (!row) throw new Error(`virtual account ${one.id} has vanished`)
    return row
  })
}

/** An account, whatever became of it, or null when there is none. */
export const readAccount = (view: View, id: Id): Promise<AccountRow | null> =>
  view.row(statements.selectById, [id])

/**
 * Marks that its provider has sent a transfer to an account back. @returns false when there is no
 * such account
 */
export async function markSentBack(work: Work, id: Id): Promise<boolean> {
  return (await work.row(statements.markSentBack, [id, work.scope.now])) !== null
}

/** The latest one-time account of a payment, or null when none was asked for. */
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
    refuse(
      'account_of_payment',
      `The account belongs to payment ${found.payment_id}; cancel the payment instead.`,
    )
  const row = await end(work, found.id, 'closed')
  if (!row)
    return refuse(
      'account_not_active',
      `The virtual account is ${found.status}; only an active one can be closed.`,
    )
  await closeAtProvider(work, row)
  return toAccount(row)
}

/** Ends an account that is active. @returns null when it was not */
export async function end(
  { tx, scope }: Work,
  id: Id,
  status: 'closed' | 'expired',
): Promise<AccountRow | null> {
  const [row] = await endMany(tx, [{ scope, id }], status)
  return row ?? null
}

/**
 * Ends those of some accounts, of any number of businesses, that are active; who ends several has
 * locked them. @returns those
 */
export async function endMany(
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

/** What a text that a person typed may be of an account. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    { each: 'account_number = ?', values: [text] },
    { each: 'reference = ?', values: [text] },
    matchId(text),
    await ofCustomersNamed(ctx, text),
  ]
}

/** The jobs of this module. */
export const accountTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    const id = payload.account_id as Id
    await ctx.write(async (work) => {
      if (!(await end(work, id, 'expired'))) await expirePending(work, id)
    })
  },
  [askTask]: async (ctx, payload) => {
    await askAccount(ctx, payload.account_id as Id)
  },
  [closeTask]: (ctx, payload) => closeThere(ctx, payload.account_id as Id),
}
