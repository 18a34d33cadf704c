/**
 * How an account is opened: its rail is asked before any transaction, and its row is committed with
 * what the rail has said. One that its bank gives later is `pending`, and is asked about until it
 * has an end. Money can come to none whose number nobody was shown, so whatever becomes of a
 * request that was lost, no money is.
 */
import { statementName } from '../../books/profiles/profiles.ts'
import { insert, update, type View, type Work } from '../../core/inside.ts'
import { type Ctx, railTime } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { asciiEmail } from '../../lib/email.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { emit } from '../../platform/events/events.ts'
import { type ApplyResult, keepProviderId, keepReference } from '../../platform/inbound/inbound.ts'
import { openOwnIncident } from '../../platform/incidents/incidents.ts'
import { enqueue, schedule } from '../../platform/jobs/timers.ts'
import { railFor, railOfAccount } from '../../rails/accounts/choice.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import type {
  AccountRail,
  AccountRefusal,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../../rails/ports/bank-accounts.ts'
import type { NotifiedKind } from '../../rails/ports/inbound.ts'
import { findCustomer, type KnownCustomer } from '../customers/customers.ts'
import { accountEvents } from './events.ts'
import { askPaidTask, askTask, closeTask, toAccount } from './record.ts'
import { refuse } from './refusals.ts'
import {
  type AccountRow,
  accounts,
  lockById,
  selectById,
  selectNumber,
  selectReference,
} from './sql.ts'

/** How long an account waits for its provider before a person is to look. */
const stuckMs = 72 * 3_600_000

/** What of an account its request says. */
export type NewAccount = Pick<
  AccountRow,
  | 'customer_id'
  | 'payment_id'
  | 'currency'
  | 'kind'
  | 'amount'
  | 'expires_at'
  | 'reference'
  | 'metadata'
>

/** An account that a rail was asked for, and that is not stored yet. */
export type OpenedAccount = {
  id: Id
  rail: string
  accountName: string
  amount: bigint | null
  /** What its provider knows it by; null where it notifies of nothing. */
  reference: string | null
  said: Exclude<AccountState, { state: 'refused' }>
}

/** Who an account is for: a customer whose name payers are shown, or nobody yet. */
export type Holder = {
  customer: KnownCustomer | null
  /** What payers are to be shown; null: the customer, else the business. */
  accountName: string | null
  /** Of who pays to a one-time account. */
  email: string | null
}

/**
 * Asks a rail for an account: before any transaction, because a rail may take its time.
 * @param operation what it is for: an account of its own, or that of one payment
 * @throws {Refusal} `rail_not_configured`, and why the rail opens none
 */
export async function requestAccount(
  ctx: Ctx,
  operation: 'account' | 'bank_transfer',
  wanted: Pick<NewAccount, 'currency' | 'kind' | 'amount' | 'expires_at'>,
  { customer, accountName, email }: Holder,
): Promise<OpenedAccount> {
  const rail = railFor(ctx, operation, wanted.currency)
  const id = newId(ctx.scope.now)
  const name = accountName ?? customer?.name ?? (await statementName(ctx))
  const { currency, kind, amount, expires_at: expiresAt } = wanted
  const request: AccountRequest = {
    id,
    businessId: ctx.scope.businessId,
    currency,
    kind,
    accountName: name,
    amount,
    expiresAt,
    email: email && asciiEmail(email),
    customer: customer && asKnown(customer),
    providerReference: null,
    at: ctx.scope.now,
  }
  const said = await answerOf(ctx, request, () => rail.open(request))
  if (said.state === 'refused') refuseOpening(said.reason, rail)
  const reference = (await rail.referenceOf?.(id)) ?? null
  return { id, rail: rail.name, accountName: name, amount, reference, said }
}

/** A rail that throws has not said that nothing happened. */
async function answerOf(
  { log }: Ctx,
  { id }: AccountRequest,
  ask: () => Promise<AccountState>,
): Promise<AccountState> {
  try {
    return await ask()
  } catch (error) {
    log.error({ err: error, account: id }, 'a rail could not be asked for an account')
    return { state: 'unknown', askAgainInMs: null }
  }
}

/**
 * A customer as a bank is told: where only the whole name is known, what follows the last space is
 * the family's.
 */
function asKnown({
  id,
  name,
  first_name,
  last_name,
  email,
  phone,
}: KnownCustomer): AccountRequest['customer'] {
  const [, first = null, last = null] = /^(.*\S)\s+(\S+)$/.exec(name.trim()) ?? []
  const known = first_name !== null && last_name !== null
  return {
    id,
    email: asciiEmail(email),
    phone,
    firstName: known ? first_name : first,
    lastName: known ? last_name : last,
  }
}

/** @throws {Refusal} always */
function refuseOpening(reason: AccountRefusal, { name, minAmount = 0n }: AccountRail): never {
  switch (reason) {
    case 'customer_incomplete':
      return refuse(
        reason,
        'The bank needs first_name, last_name and phone of the customer: PATCH /customers/{id}.',
      )
    case 'identity_required':
      return refuse(
        'kyc_required',
        'Verify a bvn of the customer first: POST /customers/{id}/documents.',
      )
    case 'limit_reached':
      return refuse(
        reason,
        `'${name}' opens no more accounts: its operator must have the limit raised there.`,
      )
    case 'not_enabled':
      return refuse(
        reason,
        `'${name}' opens no such accounts yet: its operator must have them switched on there.`,
      )
    case 'amount_too_small': {
      const message = `amount must be at least ${minAmount}: the bank opens no one-time account for less`
      return refuseInput([{ path: 'amount', message, location: 'body' }])
    }
    case 'rejected':
      return refuse(
        'account_rejected',
        `'${name}' does not open the account; its operator can look up why there.`,
      )
  }
}

/**
 * Stores an account that a rail was asked for: active, or pending and asked about until it has an
 * end.
 * @returns null when there is one with this number already, or the customer's is pending
 * @throws {Refusal} `duplicate_reference` (409)
 */
export async function storeAccount(
  work: Work,
  opened: OpenedAccount,
  wanted: NewAccount,
): Promise<AccountRow | null> {
  const { now } = work.scope
  const { id, rail, accountName, said } = opened
  const bank = said.state === 'open' ? said.account : null
  const row = await insert(
    work,
    accounts,
    {
      ...wanted,
      id,
      amount: opened.amount,
      ...bankColumns(bank, accountName),
      status: bank === null ? 'pending' : 'active',
      expires_at: sooner(wanted.expires_at, said),
      rail,
      provider_reference: 'providerReference' in said ? said.providerReference : null,
      created_at: now,
      updated_at: now,
    },
    'do nothing',
  )
  if (!row && wanted.reference !== null) await refuseDuplicate(work, wanted.reference)
  if (!row) return null
  if (opened.reference !== null) {
    const known = { rail, kind: kindOf(row), reference: opened.reference }
    await keepReference(work, { ...known, subject: id })
    await learn(work, row, opened.reference)
  }
  if (bank === null) await askLater(work, id, now, waitIn(said, 0))
  else if (opened.reference !== null) await askWhetherPaid(work, row)
  return row
}

/** What its provider notifies of: payments to a one-time account, and how one for good stands. */
const kindOf = ({ kind }: Pick<AccountRow, 'kind'>): NotifiedKind =>
  kind === 'static' ? 'account' : 'checkout'

const bankColumns = (bank: BankAccount | null, accountName: string) => ({
  account_name: bank?.accountName ?? accountName,
  account_number: bank?.accountNumber ?? null,
  bank_name: bank?.bankName ?? null,
  bank_code: bank?.bankCode ?? null,
  routing_number: bank?.routingNumber ?? null,
})

/** Until when an account is for: its bank may end it before it was to end. */
function sooner(wanted: Date | null, said: AccountState): Date | null {
  const given = said.state === 'open' ? said.expiresAt : null
  return wanted === null || given === null || wanted < given ? wanted : given
}

/** @throws {Refusal} `duplicate_reference` (409) when the reference is taken */
export async function refuseDuplicate(view: View, reference: string): Promise<void> {
  if (await view.row(selectReference, [reference]))
    refuse(
      'duplicate_reference',
      `A virtual account with the reference '${reference}' exists already.`,
    )
}

async function learn(
  work: Work,
  { rail, kind, provider_reference }: AccountRow,
  reference: string,
): Promise<void> {
  if (provider_reference === null || kind === 'dynamic') return
  await keepProviderId(work, { rail, kind: 'account', reference, providerId: provider_reference })
}

/** How long until an account is asked about again. */
const waitIn = (said: AccountState, ageMs: number): number =>
  ('askAgainInMs' in said ? said.askAgainInMs : null) ?? askAgainAfter(ageMs)

const askLater = (work: Work, id: Id, at: Date, waitMs: number): Promise<void> =>
  schedule(work, {
    task: askTask,
    subject: id,
    dueAt: later(at, waitMs),
    payload: { account_id: id },
  })

/**
 * When it is asked whether a one-time account was paid to, after its end: by then a webhook, or a
 * sweep, has mostly told.
 */
const askPaidMs = [2 * 60_000, 3_600_000, 24 * 3_600_000]

/**
 * Has it asked whether a one-time account was paid to.
 * @param step how often it was asked before
 */
export async function askWhetherPaid(
  work: Work,
  { id, kind, expires_at }: AccountRow,
  step = 0,
): Promise<void> {
  const wait = askPaidMs[step]
  if (kind === 'static' || expires_at === null || wait === undefined) return
  const payload = { account_id: id, step }
  await schedule(work, { task: askPaidTask, subject: id, dueAt: later(expires_at, wait), payload })
}

// Pending
// -------------------------------------------------------------------------------------------------

/**
 * Asks how an account stands that is pending; one that its rail does not know is asked for again.
 * @param notified somebody says that there is something to ask about: the timer that the account
 * has already is enough
 */
export async function askAccount(ctx: Ctx, id: Id, notified = false): Promise<ApplyResult> {
  const account = await ctx.row(selectById, [id])
  if (account?.status !== 'pending') return 'nothing_to_do'
  const customer =
    account.customer_id === null ? null : await findCustomer(ctx, account.customer_id)
  const request = requestOf(ctx, account, customer)
  let reference: string | null = null
  const said = await answerOf(ctx, request, async () => {
    const rail = railOfAccount(ctx, account.rail)
    reference = (await rail.referenceOf?.(id)) ?? null
    const asked = await rail.ask(request)
    return asked.state === 'not_found' ? rail.open(request) : asked
  })
  const at = await railTime(ctx, account.rail)
  const after = await ctx.write((work) => applyState(work, id, { said, at, reference, notified }))
  if (after !== 'pending') return 'applied'
  return said.state === 'unknown' || said.state === 'not_found' ? 'again' : 'nothing_to_do'
}

/** An account as its rail is asked about it. */
function requestOf(
  { scope }: Ctx,
  account: AccountRow,
  customer: KnownCustomer | null,
): AccountRequest {
  const { id, currency, kind, amount } = account
  return {
    id,
    businessId: scope.businessId,
    currency,
    kind,
    amount,
    accountName: account.account_name,
    expiresAt: account.expires_at,
    email: customer && asciiEmail(customer.email),
    customer: customer && asKnown(customer),
    providerReference: account.provider_reference,
    at: scope.now,
  }
}

type Answer = { said: AccountState; at: Date; reference: string | null; notified: boolean }

/** Applies what a rail says of an account that is pending. Idempotent. @returns its status then */
async function applyState(
  work: Work,
  id: Id,
  { said, at, reference, notified }: Answer,
): Promise<AccountRow['status']> {
  const row = await work.row(lockById, [id])
  if (row?.status !== 'pending') return row?.status ?? 'failed'
  const { now } = work.scope
  if (said.state === 'refused') return fail(work, row, said.reason)
  // Its number was never shown, so nothing can come.
  if (row.expires_at !== null && row.expires_at <= now) return fail(work, row, 'expired')
  const provider_reference =
    ('providerReference' in said ? said.providerReference : null) ?? row.provider_reference
  if (said.state === 'open') return activate(work, row, said, reference)
  if (provider_reference !== row.provider_reference) {
    const saved = await update(work, accounts, id, { provider_reference, updated_at: now })
    if (reference !== null) await learn(work, saved, reference)
  }
  const ageMs = at.getTime() - row.created_at.getTime()
  if (ageMs >= stuckMs)
    await openOwnIncident(work, {
      rail: row.rail,
      kind: 'stuck',
      subject: id,
      at: now,
      detail: { account: id, provider_reference },
    })
  if (!notified) await askLater(work, id, at, waitIn(said, ageMs))
  return 'pending'
}

async function activate(
  work: Work,
  row: AccountRow,
  said: Extract<AccountState, { state: 'open' }>,
  reference: string | null,
): Promise<AccountRow['status']> {
  const { account, providerReference: provider_reference } = said
  if (
    row.kind === 'static' &&
    (await work.row(selectNumber, [account.bankCode, account.accountNumber]))
  )
    return fail(work, row, 'account_exists')
  const { now } = work.scope
  const saved = await update(work, accounts, row.id, {
    ...bankColumns(account, row.account_name),
    status: 'active',
    expires_at: sooner(row.expires_at, said),
    provider_reference,
    opened_at: now,
    updated_at: now,
  })
  if (reference !== null) {
    await learn(work, saved, reference)
    await askWhetherPaid(work, saved)
  }
  await emit(work, accountEvents, 'virtual_account.activated', toAccount(saved))
  return 'active'
}

async function fail(
  work: Work,
  row: AccountRow,
  reason: AccountRow['failure_reason'],
): Promise<AccountRow['status']> {
  const changes = { status: 'failed', failure_reason: reason, updated_at: work.scope.now } as const
  const saved = await update(work, accounts, row.id, changes)
  await emit(work, accountEvents, 'virtual_account.failed', toAccount(saved))
  return 'failed'
}

/** Ends an account that has no number yet, at its time. */
export async function expirePending(work: Work, id: Id): Promise<void> {
  const row = await work.row(lockById, [id])
  if (row?.status === 'pending') await fail(work, row, 'expired')
}

// At its provider
// -------------------------------------------------------------------------------------------------

/** Has an account closed at its provider too, where it has one there. */
export async function closeAtProvider(
  work: Work,
  { id, kind, provider_reference }: AccountRow,
): Promise<void> {
  if (kind === 'static' && provider_reference !== null)
    await enqueue(work, [{ task: closeTask, subject: id, payload: { account_id: id } }])
}

/** The job of that: one that fails is run again. */
export async function closeThere(ctx: Ctx, id: Id): Promise<void> {
  const account = await ctx.row(selectById, [id])
  if (account?.status !== 'closed') return
  const customer =
    account.customer_id === null ? null : await findCustomer(ctx, account.customer_id)
  await railOfAccount(ctx, account.rail).close(requestOf(ctx, account, customer))
}
