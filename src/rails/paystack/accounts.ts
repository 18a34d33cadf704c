/**
 * Accounts that receive naira by Paystack: one for a single amount (a charge by bank transfer), and
 * a customer's own (a dedicated account).
 *
 * A charge's reference is its idempotency key. A dedicated account has none: Paystack gives a
 * customer one account at each bank, which is looked for before one is asked for.
 */

import { later } from '../../lib/clock.ts'
import { isTransient } from '../http/refusals.ts'
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
import { type Answer, asObject, type Refused, textOf, wholeOf } from './client.ts'
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

/** What a one-time account is for at the least, in kobo. */
const leastByTransfer = 10_000n

/** What Paystack knows a one-time account by, the same on every try. */
export const referenceOf = (id: string): string => `va-${id}`

const unknown = (askAgainInMs: number | null = null): AccountState => ({
  state: 'unknown',
  askAgainInMs,
})

/**
 * What came of asking for something that was not answered: nothing was opened, as far as is
 * certain.
 */
function stateWithout(answer: Exclude<Answer, { is: 'answered' }>): AccountState {
  if (answer.is === 'not_sent') return { state: 'not_found' }
  if (answer.is === 'rate_limited') return unknown(answer.againInMs)
  if (answer.is !== 'refused' || isTransient(answer)) return unknown()
  return { state: 'refused', reason: refusalOf(answer) }
}

/**
 * @param bank the slug of the bank that gives dedicated accounts
 * @param codeOf the code of a bank by Paystack's number of it
 */
export function paystackAccounts(
  account: Account,
  bank: string,
  codeOf: (providerId: bigint) => Promise<string | null>,
): AccountRail {
  const { client } = account

  /** The account that an answer describes; null while it has no number. */
  async function accountIn(data: Json): Promise<BankAccount | null> {
    const of = asObject(data.bank)
    const [accountNumber, bankName, id] = [
      textOf(data.account_number),
      textOf(of?.name),
      wholeOf(of?.id),
    ]
    if (accountNumber === null || bankName === null) return null
    const bankCode = (id === null ? null : await codeOf(id)) ?? textOf(of?.slug) ?? bankName
    return {
      accountNumber,
      bankName,
      bankCode,
      routingNumber: null,
      accountName: textOf(data.account_name),
    }
  }

  // One-time
  // -----------------------------------------------------------------------------------------------

  async function charge(request: AccountRequest): Promise<AccountState> {
    const { id, amount, expiresAt, at } = request
    if (amount === null || expiresAt === null) return { state: 'refused', reason: 'rejected' }
    if (amount < leastByTransfer) return { state: 'refused', reason: 'amount_too_small' }
    const [soonest, latest] = [later(at, accountLifeMs.least), later(at, accountLifeMs.most)]
    const until = expiresAt < soonest ? soonest : expiresAt > latest ? latest : expiresAt
    const answer = await client.ask({
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
    if (answer.is === 'answered') return chargeIn(request, answer.data)
    if (answer.is === 'refused' && isDuplicateTransaction(answer)) return askCharge(request)
    return stateWithout(answer)
  }

  async function askCharge(request: AccountRequest): Promise<AccountState> {
    const answer = await client.ask({
      method: 'GET',
      path: '/charge/{reference}',
      urgency: 'ask',
      params: { reference: referenceOf(request.id) },
    })
    if (answer.is === 'answered') return chargeIn(request, answer.data)
    if (answer.is === 'refused')
      return isUnknownTransaction(answer) ? { state: 'not_found' } : unknown()
    return answer.is === 'rate_limited' ? unknown(answer.againInMs) : unknown()
  }

  async function chargeIn(
    { id, amount }: AccountRequest,
    answered: unknown,
  ): Promise<AccountState> {
    const data = asObject(answered) ?? {}
    const difference =
      data.reference !== referenceOf(id)
        ? 'another reference'
        : data.amount !== Number(amount)
          ? 'another amount'
          : data.currency !== undefined && data.currency !== 'NGN'
            ? 'another currency'
            : null
    const opened = difference === null ? await accountIn(data) : null
    const ends = Date.parse(textOf(data.account_expires_at) ?? '')
    if (difference !== null || opened === null || Number.isNaN(ends)) {
      account.report(
        'quarantined',
        id,
        `a one-time account with ${difference ?? 'no number or no end'}`,
      )
      return unknown()
    }
    return {
      state: 'open',
      account: opened,
      providerReference: referenceOf(id),
      expiresAt: new Date(ends),
    }
  }

  // Dedicated
  // -----------------------------------------------------------------------------------------------

  /**
   * What came of a refusal of a call about dedicated accounts: without them every call is refused,
   * reading ones too.
   */
  function refusedIn(answer: Refused): AccountState {
    if (isFeatureOff(answer))
      account.report(
        'needs_attention',
        'dedicated accounts',
        'Paystack gives this business no dedicated accounts: ask its support to enable them',
      )
    else if (isTransient(answer)) return unknown()
    return { state: 'refused', reason: refusalOf(answer) }
  }

  /** @param isAgain its customer was made anew, as Paystack did not know the one that was kept */
  async function openDedicated(request: AccountRequest, isAgain = false): Promise<AccountState> {
    const { customer } = request
    const { firstName, lastName, phone } = customer ?? {}
    if (!customer || !firstName || !lastName || !phone)
      return { state: 'refused', reason: 'customer_incomplete' }
    const known = await customerAt(account, { ...customer, businessId: request.businessId })
    if (!('customer' in known)) return stateWithout(known)
    const there = await lookFor(request, known.customer)
    if (there.state !== 'not_found') return there
    const answer = await client.ask({
      method: 'POST',
      path: '/dedicated_account',
      urgency: 'send',
      body: {
        customer: known.customer.code,
        preferred_bank: bank,
        first_name: firstName,
        last_name: lastName,
        phone,
      },
    })
    if (answer.is === 'answered') return dedicatedIn(request, known.customer, answer.data)
    if (answer.is === 'refused' && isUnknownCustomer(answer)) {
      await forgetCustomer(
        account,
        { id: customer.id, businessId: request.businessId },
        known.customer.code,
      )
      return isAgain ? { state: 'not_found' } : openDedicated(request, true)
    }
    return answer.is === 'refused' ? refusedIn(answer) : stateWithout(answer)
  }

  /** The account of a customer at the bank, whoever asked for it. */
  async function lookFor(
    request: AccountRequest,
    customer: ProviderCustomer,
  ): Promise<AccountState> {
    const answer = await client.ask({
      method: 'GET',
      path: '/dedicated_account',
      urgency: 'ask',
      query: { customer: customer.provider_id, currency: 'NGN', provider_slug: bank },
    })
    if (answer.is === 'refused') {
      if (isFeatureOff(answer)) return refusedIn(answer)
      // Of another integration: whoever opens one makes the customer anew.
      return isUnknownCustomer(answer) ? { state: 'not_found' } : unknown()
    }
    if (answer.is !== 'answered' || !Array.isArray(answer.data))
      return answer.is === 'rate_limited' ? unknown(answer.againInMs) : unknown()
    // One that was closed has a number and may be active yet, and is assigned to nobody.
    const rows = (answer.data as unknown[]).flatMap((row): Json[] =>
      asObject(row) ? [row as Json] : [],
    )
    const open =
      rows.find((row) => row.active === true && row.assigned !== false) ??
      rows.find((row) => textOf(row.account_number) === null)
    return open === undefined ? { state: 'not_found' } : dedicatedIn(request, customer, open)
  }

  async function askDedicated(request: AccountRequest): Promise<AccountState> {
    const { providerReference: id, customer } = request
    const known =
      customer && (await keptCustomer(account, { id: customer.id, businessId: request.businessId }))
    if (!known) return { state: 'not_found' }
    if (id === null) return lookFor(request, known)
    const answer = await client.ask({
      method: 'GET',
      path: '/dedicated_account/{id}',
      urgency: 'ask',
      params: { id },
    })
    if (answer.is === 'answered') return dedicatedIn(request, known, answer.data)
    // It was there, and is gone: its bank has not assigned it.
    if (answer.is === 'refused' && isUnknownAccountId(answer))
      return { state: 'refused', reason: 'rejected' }
    if (answer.is === 'refused' && isFeatureOff(answer)) return refusedIn(answer)
    return answer.is === 'rate_limited' ? unknown(answer.againInMs) : unknown()
  }

  async function dedicatedIn(
    request: AccountRequest,
    customer: ProviderCustomer,
    answered: unknown,
  ): Promise<AccountState> {
    const data = asObject(answered) ?? {}
    const id = wholeOf(data.id)
    const whose = textOf(asObject(data.customer)?.customer_code)
    const slug = textOf(asObject(data.bank)?.slug)
    const difference =
      id === null
        ? 'no id'
        : whose !== null && whose !== customer.code
          ? 'another customer'
          : request.providerReference !== null && request.providerReference !== String(id)
            ? 'another id'
            : slug !== null && slug !== bank
              ? 'another bank'
              : data.currency !== 'NGN'
                ? 'another currency'
                : null
    if (difference !== null) {
      account.report('quarantined', request.id, `a dedicated account with ${difference}`)
      return unknown()
    }
    const providerReference = String(id)
    const opened = data.active === true && data.assigned !== false ? await accountIn(data) : null
    if (opened === null) return { state: 'pending', providerReference, askAgainInMs: null }
    return { state: 'open', account: opened, providerReference, expiresAt: null }
  }

  return {
    name: account.name,
    exactAmounts: true,
    minAmount: leastByTransfer,
    referenceOf: async (id) => referenceOf(id),
    open: (request) => (request.kind === 'dynamic' ? charge(request) : openDedicated(request)),
    ask: (request) => (request.kind === 'dynamic' ? askCharge(request) : askDedicated(request)),

    async close({ kind, providerReference: id }) {
      // A one-time account ends by itself.
      if (kind === 'dynamic' || id === null) return
      const answer = await client.ask({
        method: 'DELETE',
        path: '/dedicated_account/{id}',
        urgency: 'send',
        params: { id },
      })
      if (answer.is === 'answered' || (answer.is === 'refused' && isUnknownAccountId(answer)))
        return
      throw new Error(`Paystack has not closed the account ${id}: ${answer.is}`)
    },

    deposit: (about) => depositOf(account, about),
    ownersOf: (code) => ownersOf(account, code),
  }
}

/**
 * What is wrong with the bank that is to give dedicated accounts: a sentence, or null. Asks
 * Paystack.
 */
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
