/**
 * Customers' own dollar accounts: the funding instructions of a customer's cash balance, one per
 * customer (https://docs.stripe.com/payments/customer-balance). Stripe closes no account: deposits
 * to one closed here are booked as late.
 */
import type { Stripe } from 'stripe'
import { accountNotOpened, unknownAccount } from '../http/account-states.ts'
import type { Failure, Refused } from '../http/client.ts'
import { asObject, firstDifference, textOf } from '../http/values.ts'
import type {
  AccountRail,
  AccountRequest,
  AccountState,
  BankAccount,
} from '../ports/bank-accounts.ts'
import {
  forgetCustomer,
  keepCustomer,
  keptCustomer,
  ownersOf,
  type ProviderCustomer,
} from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { takeDeposit } from './deposits.ts'
import { isNotEnabled, isUnknown } from './unconfirmed.ts'

type CustomerIn = Stripe.CustomerCreateParams
type InstructionsIn = Stripe.CustomerCreateFundingInstructionsParams
type Data = Record<string, unknown>
type AccountOwner = Pick<AccountRequest, 'customer' | 'businessId' | 'accountName'>

const reasonOf = (refusal: Refused) => (isNotEnabled(refusal) ? 'not_enabled' : 'rejected')

export const stripeAccounts = (account: Account): AccountRail => ({
  name: account.name,
  // Notifications name the customer at Stripe, by which `ownersOf` finds the account.
  referenceOf: async (id) => `fi-${id}`,
  open: (request) => open(account, request),
  ask: (request) => open(account, request),
  close: async () => {},
  deposit: ({ providerId }) => takeDeposit(account, providerId),
  ownersOf: (code) => ownersOf(account, code),
})

async function open(
  account: Account,
  { kind, id, ...owner }: AccountRequest,
): Promise<AccountState> {
  const { customer, businessId } = owner
  if (kind !== 'static' || customer === null) return { state: 'refused', reason: 'rejected' }
  const known = await customerAt(account, owner)
  if ('is' in known) return accountNotOpened(known, reasonOf)
  const answer = await account.client.ask({
    method: 'POST',
    path: '/v1/customers/{customer}/funding_instructions',
    urgency: 'send',
    params: { customer: known.code },
    key: `fi-${id}`,
    body: {
      currency: 'usd',
      funding_type: 'bank_transfer',
      bank_transfer: { type: 'us_bank_transfer' },
    } satisfies InstructionsIn,
  })
  if (answer.is === 'answered') return accountIn(account, id, known, answer.data)
  if (answer.is === 'refused' && isUnknown(answer)) {
    // Deleted in Stripe's dashboard: the next try creates another.
    await forgetCustomer(account, { id: customer.id, businessId }, known.code)
    return { state: 'not_found' }
  }
  return accountNotOpened(answer, reasonOf)
}

/** Returns our customer at Stripe, created if none is stored; otherwise the failed result. */
async function customerAt(
  account: Account,
  { customer, businessId, accountName }: AccountOwner,
): Promise<ProviderCustomer | Failure> {
  const ours = { id: customer?.id ?? '', businessId }
  const kept = await keptCustomer(account, ours)
  if (kept) return kept
  const email = customer?.email ?? ''
  const answer = await account.client.ask({
    method: 'POST',
    path: '/v1/customers',
    urgency: 'send',
    key: `cu-${ours.id}`,
    body: {
      name: accountName,
      email,
      metadata: { bursar_customer: ours.id },
      // Otherwise Stripe pays its own open payments with deposits.
      cash_balance: { settings: { reconciliation_mode: 'manual' } },
    } satisfies CustomerIn,
  })
  if (answer.is !== 'answered') return answer
  const code = textOf(answer.data.id)
  const difference = firstDifference({
    'no id': code === null,
    'another mode': answer.data.livemode !== account.livemode,
    'another customer’s id': asObject(answer.data.metadata)?.bursar_customer !== ours.id,
  })
  if (code === null || difference !== null) {
    account.report('quarantined', ours.id, `a customer with ${difference}`)
    return { is: 'unknown', why: `a customer with ${difference}` }
  }
  return keepCustomer(account, ours, { code, provider_id: code, email, identified: false })
}

function accountIn(
  account: Account,
  id: string,
  { code }: ProviderCustomer,
  data: Data,
): AccountState {
  const transfer = asObject(data.bank_transfer)
  const addresses = Array.isArray(transfer?.financial_addresses)
    ? transfer.financial_addresses.map(asObject)
    : []
  const found = bankIn(asObject(addresses.find((one) => one?.type === 'aba')?.aba))
  const difference = firstDifference({
    'another currency': data.currency !== 'usd',
    'another mode': data.livemode !== account.livemode,
    'no account or routing number': found === null,
  })
  if (found === null || difference !== null) {
    account.report('quarantined', id, `funding instructions with ${difference}`)
    return unknownAccount()
  }
  return { state: 'open', account: found, providerReference: code, expiresAt: null }
}

/** Returns the account at the American bank for ACH and wires. */
function bankIn(aba: Data | null): BankAccount | null {
  const [accountNumber, routingNumber] = [textOf(aba?.account_number), textOf(aba?.routing_number)]
  const bankName = textOf(aba?.bank_name)
  if (accountNumber === null || routingNumber === null || bankName === null) return null
  return {
    accountNumber,
    routingNumber,
    bankName,
    bankCode: routingNumber,
    accountName: textOf(aba?.account_holder_name),
  }
}
