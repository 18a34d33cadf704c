/**
 * Customers' own naira accounts: reserved accounts at Monnify. The customer's reference allows one
 * per customer. No identity number is sent: only the verifying provider gets it.
 */
import { accountUnanswered, unknownAccount } from '../http/account-states.ts'
import { meaningOfRefusal, unlistedRefusal } from '../http/refusals.ts'
import { asObject, firstDifference, textOf } from '../http/values.ts'
import type {
  AccountRail,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../ports/bank-accounts.ts'
import { keepCustomer, ownersOf } from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { isUnknownReference } from './confirmed.ts'
import { depositOf } from './deposits.ts'
import { accountRefusals } from './refusals.ts'

type Data = Record<string, unknown>

const reserved = '/api/v2/bank-transfer/reserved-accounts'
/** Monnify's reference of a customer's account. */
const referenceOf = (customer: string): string => `vc-${customer}`

/**
 * `contract`: the contract that receives the payments. `bank`: the code of the bank of the
 * accounts.
 */
type DepositAccount = Account & { contract: string; bank: string }

export function monnifyAccounts(
  of: Account,
  contract: { code: string; bank: string },
): AccountRail {
  const account: DepositAccount = { ...of, contract: contract.code, bank: contract.bank }
  return {
    name: account.name,
    referenceOf: async (id) => `va-${id}`,
    open: (request) => open(account, request),
    ask: (request) => ask(account, request),
    close: (request) => close(account, request),
    deposit: ({ providerId }) => depositOf(account, providerId),
    ownersOf: (code) => ownersOf(account, code),
  }
}

async function close({ client }: Account, { customer }: AccountRequest): Promise<void> {
  if (customer === null) return
  const path =
    `/api/v1/bank-transfer/reserved-accounts/reference/${referenceOf(customer.id)}` as const
  const answer = await client.ask({ method: 'DELETE', path, urgency: 'send' })
  if (answer.is === 'answered' || (answer.is === 'refused' && isUnknownReference(answer))) return
  throw new Error(`Monnify has not closed the account of ${customer.id}: ${answer.is}`)
}

async function open(account: DepositAccount, request: AccountRequest): Promise<AccountState> {
  const { kind, customer, accountName } = request
  if (kind !== 'static' || customer === null) return { state: 'refused', reason: 'rejected' }
  const reference = referenceOf(customer.id)
  const answer = await account.client.ask({
    method: 'POST',
    path: reserved,
    urgency: 'send',
    body: JSON.stringify({
      accountReference: reference,
      accountName,
      currencyCode: 'NGN',
      contractCode: account.contract,
      customerEmail: customer.email,
      customerName: accountName,
      getAllAvailableBanks: false,
      preferredBanks: [account.bank],
    }),
  })
  if (answer.is === 'answered') return accountIn(account, request, answer.data)
  if (answer.is !== 'refused') return accountUnanswered(answer)
  const meaning = meaningOfRefusal(accountRefusals, answer)
  if (meaning !== null && meaning !== 'sent_before') return { state: 'refused', reason: meaning }
  // The customer may have an account: an unlisted refusal does not prove the opposite.
  if (meaning === null) unlistedRefusal(account, request, answer)
  return ask(account, request)
}

async function ask(account: DepositAccount, request: AccountRequest): Promise<AccountState> {
  const { customer } = request
  if (customer === null) return { state: 'not_found' }
  const path = `${reserved}/${referenceOf(customer.id)}` as const
  const answer = await account.client.ask({ method: 'GET', path, urgency: 'ask' })
  if (answer.is === 'refused')
    return isUnknownReference(answer) ? { state: 'not_found' } : unknownAccount()
  return answer.is === 'answered'
    ? accountIn(account, request, answer.data)
    : accountUnanswered(answer)
}

async function accountIn(
  account: DepositAccount,
  { id, customer, businessId }: AccountRequest,
  data: Data,
): Promise<AccountState> {
  const reference = referenceOf((customer as { id: string }).id)
  const rows = Array.isArray(data.accounts) ? data.accounts.map(asObject) : []
  const found = bankIn(rows.find((row) => row?.bankCode === account.bank) ?? rows[0] ?? null)
  const difference = firstDifference({
    'another reference': data.accountReference !== reference,
    'another currency': data.currencyCode !== 'NGN',
    'another contract': data.contractCode !== account.contract,
    'no number or bank': found === null,
  })
  if (found === null || difference !== null) {
    account.report('quarantined', id, `a reserved account with ${difference}`)
    return unknownAccount()
  }
  if (data.status !== 'ACTIVE') return { state: 'refused', reason: 'rejected' }
  const kept = { code: reference, provider_id: reference, email: '', identified: false }
  await keepCustomer(account, { id: (customer as { id: string }).id, businessId }, kept)
  return { state: 'open', account: found, providerReference: reference, expiresAt: null }
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
