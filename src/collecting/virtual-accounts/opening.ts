/**
 * Opens virtual accounts. The rail is called before the transaction that stores the row. A
 * `pending` account is queried until it ends. A lost request loses no money: its number was never
 * shown.
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
import { openOwnIncident, stuckAfterMs } from '../../platform/incidents/incidents.ts'
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
import { closeTask, queryPaidTask, queryTask, toAccount } from './record.ts'
import { refuse } from './refusals.ts'
import {
  type AccountRow,
  accounts,
  lockById,
  selectById,
  selectNumber,
  selectReference,
} from './sql.ts'

/** The columns of an account that its request decides. */
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

/** An account that was requested from a rail, and is not stored yet. */
export type OpenedAccount = {
  id: Id
  rail: string
  accountName: string
  amount: bigint | null
  /** The provider's reference; null for a rail without notifications. */
  reference: string | null
  answer: Exclude<AccountState, { state: 'refused' }>
}

/** The holder of an account. */
export type Holder = {
  customer: KnownCustomer | null
  /** The name that payers see; null: the customer's, otherwise the business's. */
  accountName: string | null
  /** The payer's, for a one-time account. */
  email: string | null
}

/**
 * Requests an account from a rail. Outside of any transaction, because a rail may be slow.
 * @param operation a separate account, or the account of one payment
 * @throws {Refusal} `rail_not_configured`, and the reasons of the rail
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
    customer: customer && toRailCustomer(customer),
    providerReference: null,
    at: ctx.scope.now,
  }
  const answer = await callRail(ctx, request, () => rail.open(request))
  if (answer.state === 'refused') refuseOpening(answer.reason, rail)
  const reference = (await rail.referenceOf?.(id)) ?? null
  return { id, rail: rail.name, accountName: name, amount, reference, answer }
}

/** Calls a rail. An exception means `unknown`: the account may have been opened. */
async function callRail(
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

/** Converts a customer for a rail. Without separate names, the last word is the family name. */
function toRailCustomer({
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
        `'${name}' opens no more accounts; the server's operator must ask it to raise the limit.`,
      )
    case 'not_enabled':
      return refuse(
        reason,
        `'${name}' has not enabled such accounts; the server's operator must ask it to enable them.`,
      )
    case 'amount_too_small': {
      const message = `amount must be at least ${minAmount}, the bank's minimum for a one-time account`
      return refuseInput([{ path: 'amount', message, location: 'body' }])
    }
    case 'rejected':
      return refuse(
        'account_rejected',
        `'${name}' rejected the account; the server's operator can look up the reason there.`,
      )
  }
}

/**
 * Stores a requested account: active, or pending with a timer that queries it.
 * @returns null when the number is taken, or the customer has a pending account
 * @throws {Refusal} `duplicate_reference` (409)
 */
export async function storeAccount(
  work: Work,
  opened: OpenedAccount,
  wanted: NewAccount,
): Promise<AccountRow | null> {
  const { now } = work.scope
  const { id, rail, accountName, answer } = opened
  const bank = answer.state === 'open' ? answer.account : null
  const row = await insert(
    work,
    accounts,
    {
      ...wanted,
      id,
      amount: opened.amount,
      ...bankColumns(bank, accountName),
      status: bank === null ? 'pending' : 'active',
      expires_at: earlierEnd(wanted.expires_at, answer),
      rail,
      provider_reference: 'providerReference' in answer ? answer.providerReference : null,
      created_at: now,
      updated_at: now,
    },
    'do nothing',
  )
  if (!row && wanted.reference !== null) await refuseDuplicate(work, wanted.reference)
  if (!row) return null
  if (opened.reference !== null) {
    const known = { rail, kind: notifiedKind(row), reference: opened.reference }
    await keepReference(work, { ...known, subject: id })
    await recordProviderId(work, row, opened.reference)
  }
  if (bank === null) await scheduleQuery(work, id, now, queryDelayMs(answer, 0))
  else if (opened.reference !== null) await schedulePaidQuery(work, row)
  return row
}

/**
 * Returns the kind of notifications about an account: payments to a one-time account, or its own
 * state.
 */
const notifiedKind = ({ kind }: Pick<AccountRow, 'kind'>): NotifiedKind =>
  kind === 'static' ? 'account' : 'checkout'

const bankColumns = (bank: BankAccount | null, accountName: string) => ({
  account_name: bank?.accountName ?? accountName,
  account_number: bank?.accountNumber ?? null,
  bank_name: bank?.bankName ?? null,
  bank_code: bank?.bankCode ?? null,
  routing_number: bank?.routingNumber ?? null,
})

/** Returns when an account ends: as requested, or earlier where its bank ends it. */
function earlierEnd(wanted: Date | null, answer: AccountState): Date | null {
  const given = answer.state === 'open' ? answer.expiresAt : null
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

async function recordProviderId(
  work: Work,
  { rail, kind, provider_reference }: AccountRow,
  reference: string,
): Promise<void> {
  if (provider_reference === null || kind === 'dynamic') return
  await keepProviderId(work, { rail, kind: 'account', reference, providerId: provider_reference })
}

const queryDelayMs = (answer: AccountState, ageMs: number): number =>
  ('askAgainInMs' in answer ? answer.askAgainInMs : null) ?? askAgainAfter(ageMs)

const scheduleQuery = (work: Work, id: Id, at: Date, waitMs: number): Promise<void> =>
  schedule(work, {
    task: queryTask,
    subject: id,
    dueAt: later(at, waitMs),
    payload: { account_id: id },
  })

/**
 * Delays after a one-time account's end at which it is queried for a payment. A webhook or a sweep
 * has usually reported it by then.
 */
const paidQueriesAfterMs = [2 * 60_000, 3_600_000, 24 * 3_600_000]

/**
 * Schedules the query whether a one-time account has received its payment.
 * @param step number of queries before
 */
export async function schedulePaidQuery(
  work: Work,
  { id, kind, expires_at }: AccountRow,
  step = 0,
): Promise<void> {
  const wait = paidQueriesAfterMs[step]
  if (kind === 'static' || expires_at === null || wait === undefined) return
  const payload = { account_id: id, step }
  await schedule(work, {
    task: queryPaidTask,
    subject: id,
    dueAt: later(expires_at, wait),
    payload,
  })
}

// Pending
// -------------------------------------------------------------------------------------------------

/**
 * Queries a pending account, and requests it again when its rail does not know it.
 * @param notified a webhook caused the query: the account keeps its timer
 */
export async function queryAccount(ctx: Ctx, id: Id, notified = false): Promise<ApplyResult> {
  const account = await ctx.row(selectById, [id])
  if (account?.status !== 'pending') return 'nothing_to_do'
  const customer =
    account.customer_id === null ? null : await findCustomer(ctx, account.customer_id)
  const request = accountRequest(ctx, account, customer)
  let reference: string | null = null
  const answer = await callRail(ctx, request, async () => {
    const rail = railOfAccount(ctx, account.rail)
    reference = (await rail.referenceOf?.(id)) ?? null
    const asked = await rail.ask(request)
    return asked.state === 'not_found' ? rail.open(request) : asked
  })
  const at = await railTime(ctx, account.rail)
  const after = await ctx.write((work) =>
    applyReport(work, id, { answer, at, reference, notified }),
  )
  if (after !== 'pending') return 'applied'
  return answer.state === 'unknown' || answer.state === 'not_found' ? 'again' : 'nothing_to_do'
}

function accountRequest(
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
    customer: customer && toRailCustomer(customer),
    providerReference: account.provider_reference,
    at: scope.now,
  }
}

type Answer = { answer: AccountState; at: Date; reference: string | null; notified: boolean }

/**
 * Applies a rail's answer about a pending account. Idempotent. @returns the account's status then
 */
async function applyReport(
  work: Work,
  id: Id,
  { answer, at, reference, notified }: Answer,
): Promise<AccountRow['status']> {
  const row = await work.row(lockById, [id])
  if (row?.status !== 'pending') return row?.status ?? 'failed'
  const { now } = work.scope
  if (answer.state === 'refused') return failAccount(work, row, answer.reason)
  // Its number was never shown, so no money can arrive.
  if (row.expires_at !== null && row.expires_at <= now) return failAccount(work, row, 'expired')
  const provider_reference =
    ('providerReference' in answer ? answer.providerReference : null) ?? row.provider_reference
  if (answer.state === 'open') return activate(work, row, answer, reference)
  if (provider_reference !== row.provider_reference) {
    const saved = await update(work, accounts, id, { provider_reference, updated_at: now })
    if (reference !== null) await recordProviderId(work, saved, reference)
  }
  const ageMs = at.getTime() - row.created_at.getTime()
  if (ageMs >= stuckAfterMs)
    await openOwnIncident(work, {
      rail: row.rail,
      kind: 'stuck',
      subject: id,
      at: now,
      detail: { account: id, provider_reference },
    })
  if (!notified) await scheduleQuery(work, id, at, queryDelayMs(answer, ageMs))
  return 'pending'
}

async function activate(
  work: Work,
  row: AccountRow,
  answer: Extract<AccountState, { state: 'open' }>,
  reference: string | null,
): Promise<AccountRow['status']> {
  const { account, providerReference: provider_reference } = answer
  if (
    row.kind === 'static' &&
    (await work.row(selectNumber, [account.bankCode, account.accountNumber]))
  )
    return failAccount(work, row, 'account_exists')
  const { now } = work.scope
  const saved = await update(work, accounts, row.id, {
    ...bankColumns(account, row.account_name),
    status: 'active',
    expires_at: earlierEnd(row.expires_at, answer),
    provider_reference,
    opened_at: now,
    updated_at: now,
  })
  if (reference !== null) {
    await recordProviderId(work, saved, reference)
    await schedulePaidQuery(work, saved)
  }
  await emit(work, accountEvents, 'virtual_account.activated', toAccount(saved))
  return 'active'
}

async function failAccount(
  work: Work,
  row: AccountRow,
  reason: AccountRow['failure_reason'],
): Promise<AccountRow['status']> {
  const changes = { status: 'failed', failure_reason: reason, updated_at: work.scope.now } as const
  const saved = await update(work, accounts, row.id, changes)
  await emit(work, accountEvents, 'virtual_account.failed', toAccount(saved))
  return 'failed'
}

/** Expires a pending account. */
export async function expirePending(work: Work, id: Id): Promise<void> {
  const row = await work.row(lockById, [id])
  if (row?.status === 'pending') await failAccount(work, row, 'expired')
}

// At its provider
// -------------------------------------------------------------------------------------------------

/** Enqueues the closing of an account at its provider. */
export async function enqueueClosing(
  work: Work,
  { id, kind, provider_reference }: AccountRow,
): Promise<void> {
  if (kind === 'static' && provider_reference !== null)
    await enqueue(work, [{ task: closeTask, subject: id, payload: { account_id: id } }])
}

/** Closes an account at its provider. The job is retried when it fails. */
export async function closeAtRail(ctx: Ctx, id: Id): Promise<void> {
  const account = await ctx.row(selectById, [id])
  if (account?.status !== 'closed') return
  const customer =
    account.customer_id === null ? null : await findCustomer(ctx, account.customer_id)
  await railOfAccount(ctx, account.rail).close(accountRequest(ctx, account, customer))
}
