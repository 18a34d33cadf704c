/**
 * Naira accounts by Paystack: one-time accounts (charges by bank transfer, idempotent by reference)
 * and dedicated accounts. A customer has one dedicated account per bank, which is looked up before
 * one is opened.
 */
import { later } from '../../lib/clock.ts'
import {
  accountNotOpened,
  accountUnanswered,
  unknownAccount,
  unknownAfter,
} from '../http/account-states.ts'
import { firstDifference } from '../http/values.ts'
import type {
  AccountRail,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../ports/bank-accounts.ts'
import {
  forgetCustomer,
  keptCustomer,
  ownersOf,
  type ProviderCustomer,
} from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { asObject, type Refused, textOf, wholeOf } from './client.ts'
import { aliasOf, customerAt } from './customers.ts'
import { depositOf } from './deposits.ts'
import {
  isDuplicateTransaction,
  isFeatureOff,
  isUnknownCustomer,
  isUnknownTransaction,
} from './refusals.ts'
import { accountLifeMs, isUnknownAccountId, refusalOf } from './unconfirmed.ts'

type Json = Record<string, unknown>

/** The minimum amount of a one-time account, in kobo. */
const leastByTransfer = 10_000n

/** Paystack's reference of a one-time account, the same on every try. */
export const referenceOf = (id: string): string => `va-${id}`

/** `bank`: the slug of the bank of dedicated accounts. */
type DepositAccount = Account & { bank: string; codeOf: BankCodes }
/** Returns a bank's code by Paystack's id. */
type BankCodes = (providerId: bigint) => Promise<string | null>

/** @param bank the slug of the bank of dedicated accounts */
export function paystackAccounts(of: Account, bank: string, codeOf: BankCodes): AccountRail {
  const account: DepositAccount = { ...of, bank, codeOf }
  return {
    name: account.name,
    exactAmounts: true,
    minAmount: leastByTransfer,
    referenceOf: async (id) => referenceOf(id),
    open: (request) =>
      request.kind === 'dynamic' ? openOneTime(account, request) : openDedicated(account, request),
    ask: (request) =>
      request.kind === 'dynamic' ? askOneTime(account, request) : askDedicated(account, request),
    close: (request) => close(account, request),
    deposit: (about) => depositOf(account, about),
    ownersOf: (code) => ownersOf(account, code),
  }
}

async function close(
  { client }: Account,
  { kind, providerReference: id }: AccountRequest,
): Promise<void> {
  // A one-time account expires by itself.
  if (kind === 'dynamic' || id === null) return
  const answer = await client.ask({
    method: 'DELETE',
    path: '/dedicated_account/{id}',
    urgency: 'send',
    params: { id },
  })
  if (answer.is === 'answered' || (answer.is === 'refused' && isUnknownAccountId(answer))) return
  throw new Error(`Paystack has not closed the account ${id}: ${answer.is}`)
}

/** Returns the bank account in an answer; null while it has no number. */
async function accountIn(account: DepositAccount, data: Json): Promise<BankAccount | null> {
  const of = asObject(data.bank)
  const [accountNumber, bankName, id] = [
    textOf(data.account_number),
    textOf(of?.name),
    wholeOf(of?.id),
  ]
  if (accountNumber === null || bankName === null) return null
  const bankCode = (id === null ? null : await account.codeOf(id)) ?? textOf(of?.slug) ?? bankName
  return {
    accountNumber,
    bankName,
    bankCode,
    routingNumber: null,
    accountName: textOf(data.account_name),
  }
}

async function openOneTime(
  account: DepositAccount,
  request: AccountRequest,
): Promise<AccountState> {
  const { id, amount, expiresAt, at } = request
  if (amount === null || expiresAt === null) return { state: 'refused', reason: 'rejected' }
  if (amount < leastByTransfer) return { state: 'refused', reason: 'amount_too_small' }
  const [soonest, latest] = [later(at, accountLifeMs.least), later(at, accountLifeMs.most)]
  const until = expiresAt < soonest ? soonest : expiresAt > latest ? latest : expiresAt
  const answer = await account.client.ask({
    method: 'POST',
    path: '/charge',
    urgency: 'send',
    body: {
      email: request.email ?? aliasOf(account, referenceOf(id)),
      amount: Number(amount),
      currency: 'NGN',
      reference: referenceOf(id),
      bank_transfer: { account_expires_at: until.toISOString() },
      metadata: { bursar_id: id },
    },
  })
  if (answer.is === 'answered') return oneTimeIn(account, request, answer.data)
  if (answer.is === 'refused' && isDuplicateTransaction(answer)) return askOneTime(account, request)
  return accountNotOpened(answer, refusalOf)
}

async function askOneTime(account: DepositAccount, request: AccountRequest): Promise<AccountState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/charge/{reference}',
    urgency: 'ask',
    params: { reference: referenceOf(request.id) },
  })
  if (answer.is === 'answered') return oneTimeIn(account, request, answer.data)
  if (answer.is === 'refused' && isUnknownTransaction(answer)) return { state: 'not_found' }
  return unknownAfter(answer)
}

async function oneTimeIn(
  account: DepositAccount,
  { id, amount }: AccountRequest,
  answered: unknown,
): Promise<AccountState> {
  const data = asObject(answered) ?? {}
  const difference = firstDifference({
    'another reference': data.reference !== referenceOf(id),
    'another amount': data.amount !== Number(amount),
    'another currency': data.currency !== undefined && data.currency !== 'NGN',
  })
  const opened = difference === null ? await accountIn(account, data) : null
  const ends = Date.parse(textOf(data.account_expires_at) ?? '')
  if (difference !== null || opened === null || Number.isNaN(ends)) {
    account.report(
      'quarantined',
      id,
      `a one-time account with ${difference ?? 'no number or no end'}`,
    )
    return unknownAccount()
  }
  return {
    state: 'open',
    account: opened,
    providerReference: referenceOf(id),
    expiresAt: new Date(ends),
  }
}

/**
 * If a business has no dedicated accounts, Paystack refuses every call about them, reads included.
 */
function dedicatedRefused(account: DepositAccount, refusal: Refused): AccountState {
  if (!isFeatureOff(refusal)) return accountNotOpened(refusal, refusalOf)
  account.report(
    'needs_attention',
    'dedicated accounts',
    'Paystack gives this business no dedicated accounts: ask its support to enable them',
  )
  return { state: 'refused', reason: refusalOf(refusal) }
}

/** @param isRepeat Paystack did not know the stored customer, so a new one is created */
async function openDedicated(
  account: DepositAccount,
  request: AccountRequest,
  isRepeat = false,
): Promise<AccountState> {
  const { customer } = request
  const { firstName, lastName, phone } = customer ?? {}
  if (!customer || !firstName || !lastName || !phone)
    return { state: 'refused', reason: 'customer_incomplete' }
  const known = await customerAt(account, { ...customer, businessId: request.businessId })
  if (!('customer' in known)) return accountNotOpened(known, refusalOf)
  const there = await findDedicated(account, request, known.customer)
  if (there.state !== 'not_found') return there
  const answer = await account.client.ask({
    method: 'POST',
    path: '/dedicated_account',
    urgency: 'send',
    body: {
      customer: known.customer.code,
      preferred_bank: account.bank,
      first_name: firstName,
      last_name: lastName,
      phone,
    },
  })
  if (answer.is === 'answered') return dedicatedIn(account, request, known.customer, answer.data)
  if (answer.is === 'refused' && isUnknownCustomer(answer)) {
    await forgetCustomer(
      account,
      { id: customer.id, businessId: request.businessId },
      known.customer.code,
    )
    return isRepeat ? { state: 'not_found' } : openDedicated(account, request, true)
  }
  return answer.is === 'refused' ? dedicatedRefused(account, answer) : accountUnanswered(answer)
}

/** Finds a customer's account at the bank. */
async function findDedicated(
  account: DepositAccount,
  request: AccountRequest,
  customer: ProviderCustomer,
): Promise<AccountState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/dedicated_account',
    urgency: 'ask',
    query: { customer: customer.provider_id, currency: 'NGN', provider_slug: account.bank },
  })
  if (answer.is === 'refused') {
    if (isFeatureOff(answer)) return dedicatedRefused(account, answer)
    // The customer belongs to another integration: opening an account creates a new customer.
    return isUnknownCustomer(answer) ? { state: 'not_found' } : unknownAccount()
  }
  if (answer.is !== 'answered') return unknownAfter(answer)
  if (!Array.isArray(answer.data)) return unknownAccount()
  // A closed account keeps its number and may still be active, but is not assigned.
  const rows = answer.data.map(asObject).filter((row) => row !== null)
  const open =
    rows.find((row) => row.active === true && row.assigned !== false) ??
    rows.find((row) => textOf(row.account_number) === null)
  return open === undefined ? { state: 'not_found' } : dedicatedIn(account, request, customer, open)
}

async function askDedicated(
  account: DepositAccount,
  request: AccountRequest,
): Promise<AccountState> {
  const { providerReference: id, customer } = request
  const known =
    customer && (await keptCustomer(account, { id: customer.id, businessId: request.businessId }))
  if (!known) return { state: 'not_found' }
  if (id === null) return findDedicated(account, request, known)
  const answer = await account.client.ask({
    method: 'GET',
    path: '/dedicated_account/{id}',
    urgency: 'ask',
    params: { id },
  })
  if (answer.is === 'answered') return dedicatedIn(account, request, known, answer.data)
  // It existed, but its bank has not assigned it.
  if (answer.is === 'refused' && isUnknownAccountId(answer))
    return { state: 'refused', reason: 'rejected' }
  if (answer.is === 'refused' && isFeatureOff(answer)) return dedicatedRefused(account, answer)
  return unknownAfter(answer)
}

async function dedicatedIn(
  account: DepositAccount,
  request: AccountRequest,
  customer: ProviderCustomer,
  answered: unknown,
): Promise<AccountState> {
  const data = asObject(answered) ?? {}
  const id = wholeOf(data.id)
  const whose = textOf(asObject(data.customer)?.customer_code)
  const slug = textOf(asObject(data.bank)?.slug)
  const difference = firstDifference({
    'no id': id === null,
    'another customer': whose !== null && whose !== customer.code,
    'another id': request.providerReference !== null && request.providerReference !== String(id),
    'another bank': slug !== null && slug !== account.bank,
    'another currency': data.currency !== 'NGN',
  })
  if (difference !== null) {
    account.report('quarantined', request.id, `a dedicated account with ${difference}`)
    return unknownAccount()
  }
  const providerReference = String(id)
  const opened =
    data.active === true && data.assigned !== false ? await accountIn(account, data) : null
  if (opened === null) return { state: 'pending', providerReference, askAgainInMs: null }
  return { state: 'open', account: opened, providerReference, expiresAt: null }
}

/** Asks Paystack about problems of the bank of dedicated accounts. @returns a sentence, or null */
export async function bankWarning({ client }: Account, bank: string): Promise<string | null> {
  const answer = await client.ask({
    method: 'GET',
    path: '/dedicated_account/available_providers',
    urgency: 'sweep',
  })
  if (answer.is === 'refused')
    return `Paystack gives this business no dedicated accounts: ${answer.message}`
  if (answer.is !== 'answered' || !Array.isArray(answer.data)) return null
  const slugs = answer.data.flatMap((row) => textOf(asObject(row)?.provider_slug) ?? [])
  if (slugs.includes(bank)) return null
  return `dva_bank: Paystack gives this business no dedicated accounts at '${bank}'; it gives them at ${slugs.join(', ') || 'no bank'}`
}
