/**
 * Customers' own accounts in naira: reserved accounts at Monnify. The reference is the customer's,
 * so that a customer has one, which is looked for where Monnify says that it is there. No identity
 * number is sent: who verifies one is the only one that it is told.
 */

import { meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import type {
  AccountRail,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../ports/bank-accounts.ts'
import { keepCustomer, ownersOf } from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import type { Answer, Failure } from './client.ts'
import { isUnknownReference } from './confirmed.ts'
import { depositOf } from './deposits.ts'
import { accountRefusals } from './refusals.ts'

type Data = Record<string, unknown>

const reserved = '/api/v2/bank-transfer/reserved-accounts'
/** What Monnify knows a customer's account by. */
const referenceOf = (customer: string): string => `vc-${customer}`

const unknown = (askAgainInMs: number | null = null): AccountState => ({
  state: 'unknown',
  askAgainInMs,
})

/**
 * @param contract whose payments the accounts take. @param bank the code of the bank that gives
 * them
 */
export function monnifyAccounts(account: Account, contract: string, bank: string): AccountRail {
  const { client } = account

  async function open(request: AccountRequest): Promise<AccountState> {
    const { kind, customer, accountName } = request
    if (kind !== 'static' || customer === null) return { state: 'refused', reason: 'rejected' }
    const reference = referenceOf(customer.id)
    const answer = await client.ask({
      method: 'POST',
      path: reserved,
      urgency: 'send',
      body: JSON.stringify({
        accountReference: reference,
        accountName,
        currencyCode: 'NGN',
        contractCode: contract,
        customerEmail: customer.email,
        customerName: accountName,
        getAllAvailableBanks: false,
        preferredBanks: [bank],
      }),
    })
    if (answer.is !== 'refused') return stateIn(request, answer)
    const meaning = meaningOfRefusal(accountRefusals, answer)
    if (meaning !== null && meaning !== 'sent_before') return { state: 'refused', reason: meaning }
    // The customer may have one: a refusal that is not listed does not say that there is none.
    if (meaning === null) unlistedRefusal(account, request, answer)
    return ask(request)
  }

  async function ask(request: AccountRequest): Promise<AccountState> {
    const { customer } = request
    if (customer === null) return { state: 'not_found' }
    const path = `${reserved}/${referenceOf(customer.id)}` as const
    const answer = await client.ask({ method: 'GET', path, urgency: 'ask' })
    if (answer.is === 'refused')
      return isUnknownReference(answer) ? { state: 'not_found' } : unknown()
    return stateIn(request, answer)
  }

  function stateIn(
    request: AccountRequest,
    answer: Exclude<Answer, { is: 'refused' }>,
  ): AccountState | Promise<AccountState> {
    return answer.is === 'answered' ? accountIn(request, answer.data) : stateWithout(answer)
  }

  async function accountIn(
    { id, customer, businessId }: AccountRequest,
    data: Data,
  ): Promise<AccountState> {
    const reference = referenceOf((customer as { id: string }).id)
    const rows = Array.isArray(data.accounts) ? data.accounts.map(asObject) : []
    const found = bankIn(rows.find((row) => row?.bankCode === bank) ?? rows[0] ?? null)
    const difference =
      data.accountReference !== reference
        ? 'another reference'
        : data.currencyCode !== 'NGN'
          ? 'another currency'
          : data.contractCode !== contract
            ? 'another contract'
            : found === null
              ? 'no number or bank'
              : null
    if (found === null || difference !== null) {
      account.report('quarantined', id, `a reserved account with ${difference}`)
      return unknown()
    }
    if (data.status !== 'ACTIVE') return { state: 'refused', reason: 'rejected' }
    const kept = { code: reference, provider_id: reference, email: '', identified: false }
    await keepCustomer(account, { id: (customer as { id: string }).id, businessId }, kept)
    return { state: 'open', account: found, providerReference: reference, expiresAt: null }
  }

  return {
    name: account.name,
    referenceOf: async (id) => `va-${id}`,
    open,
    ask,
    async close({ customer }) {
      if (customer === null) return
      const path =
        `/api/v1/bank-transfer/reserved-accounts/reference/${referenceOf(customer.id)}` as const
      const answer = await client.ask({ method: 'DELETE', path, urgency: 'send' })
      if (answer.is === 'answered' || (answer.is === 'refused' && isUnknownReference(answer)))
        return
      throw new Error(`Monnify has not closed the account of ${customer.id}: ${answer.is}`)
    },
    deposit: ({ providerId }) => depositOf(account, providerId),
    ownersOf: (code) => ownersOf(account, code),
  }
}

/**
 * What came of asking for something that was not answered: nothing was opened, as far as is
 * certain.
 */
function stateWithout(lack: Exclude<Failure, { is: 'refused' }>): AccountState {
  if (lack.is === 'not_sent') return { state: 'not_found' }
  return unknown(lack.is === 'rate_limited' ? lack.againInMs : null)
}

function bankIn(row: Data | null): BankAccount | null {
  const [accountNumber, bankName, bankCode] = [
    textOf(row?.accountNumber),
    textOf(row?.bankName),
    textOf(row?.bankCode),
  ]
  if (accountNumber === null || bankName === null || bankCode === null) return null
  return {
    accountNumber,
    bankName,
    bankCode,
    routingNumber: null,
    accountName: textOf(row?.accountName),
  }
}
