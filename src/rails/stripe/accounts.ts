/**
 * Customers' own accounts in dollars: the funding instructions of a customer's cash balance (API
 * v1). https://docs.stripe.com/payments/customer-balance
 *
 * A customer of ours is made once at Stripe, and Stripe gives a customer one account, the same each
 * time it is asked for: so nothing is opened twice. An account cannot be closed at Stripe; what
 * comes to one that is closed here is booked as late.
 */

import type { Stripe } from 'stripe'
import { isTransient } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
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
import type { Failure } from './client.ts'
import { takeDeposit } from './deposits.ts'
import { isNotEnabled, isUnknown } from './unconfirmed.ts'

type CustomerIn = Stripe.CustomerCreateParams
type InstructionsIn = Stripe.CustomerCreateFundingInstructionsParams
type Data = Record<string, unknown>
type Whose = Pick<AccountRequest, 'customer' | 'businessId' | 'accountName'>

const unknown = (askAgainInMs: number | null = null): AccountState => ({
  state: 'unknown',
  askAgainInMs,
})

/**
 * What came of asking for something that was not answered: nothing was opened, as far as is
 * certain.
 */
function stateWithout(lack: Failure): AccountState {
  if (lack.is === 'not_sent') return { state: 'not_found' }
  if (lack.is === 'rate_limited') return unknown(lack.againInMs)
  if (lack.is === 'refused' && !isTransient(lack))
    return { state: 'refused', reason: isNotEnabled(lack) ? 'not_enabled' : 'rejected' }
  return unknown()
}

export function stripeAccounts(account: Account): AccountRail {
  const { client, livemode } = account

  async function open({ kind, id, ...whose }: AccountRequest): Promise<AccountState> {
    const { customer, businessId } = whose
    if (kind !== 'static' || customer === null) return { state: 'refused', reason: 'rejected' }
    const known = await customerAt(whose)
    if ('is' in known) return stateWithout(known)
    const answer = await client.ask({
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
    if (answer.is === 'answered') return instructionsIn(id, known, answer.data)
    if (answer.is === 'refused' && isUnknown(answer)) {
      // Somebody deleted it at Stripe's dashboard: the next try makes another.
      await forgetCustomer(account, { id: customer.id, businessId }, known.code)
      return { state: 'not_found' }
    }
    return stateWithout(answer)
  }

  /** A customer of ours at Stripe, made there where none is kept; else what came of asking. */
  async function customerAt({
    customer,
    businessId,
    accountName,
  }: Whose): Promise<ProviderCustomer | Failure> {
    const ours = { id: customer?.id ?? '', businessId }
    const kept = await keptCustomer(account, ours)
    if (kept) return kept
    const email = customer?.email ?? ''
    const answer = await client.ask({
      method: 'POST',
      path: '/v1/customers',
      urgency: 'send',
      key: `cu-${ours.id}`,
      body: {
        name: accountName,
        email,
        metadata: { bursar_customer: ours.id },
        // Nothing takes what has come but we: else Stripe pays its own open payments with it.
        cash_balance: { settings: { reconciliation_mode: 'manual' } },
      } satisfies CustomerIn,
    })
    if (answer.is !== 'answered') return answer
    const code = textOf(answer.data.id)
    const difference =
      code === null
        ? 'no id'
        : answer.data.livemode !== livemode
          ? 'another mode'
          : asObject(answer.data.metadata)?.bursar_customer !== ours.id
            ? 'another customer’s id'
            : null
    if (code === null || difference !== null) {
      account.report('quarantined', ours.id, `a customer with ${difference}`)
      return { is: 'unknown', why: `a customer with ${difference}` }
    }
    return keepCustomer(account, ours, { code, provider_id: code, email, identified: false })
  }

  function instructionsIn(id: string, { code }: ProviderCustomer, data: Data): AccountState {
    const transfer = asObject(data.bank_transfer)
    const addresses = Array.isArray(transfer?.financial_addresses)
      ? transfer.financial_addresses.map(asObject)
      : []
    const found = bankIn(asObject(addresses.find((one) => one?.type === 'aba')?.aba))
    const difference =
      data.currency !== 'usd'
        ? 'another currency'
        : data.livemode !== livemode
          ? 'another mode'
          : found === null
            ? 'no account or routing number'
            : null
    if (found === null || difference !== null) {
      account.report('quarantined', id, `funding instructions with ${difference}`)
      return unknown()
    }
    return { state: 'open', account: found, providerReference: code, expiresAt: null }
  }

  return {
    name: account.name,
    // Notifications name the customer at Stripe, by which `ownersOf` finds the account.
    referenceOf: async (id) => `fi-${id}`,
    open,
    ask: open,
    close: async () => {},
    deposit: ({ providerId }) => takeDeposit(account, providerId),
    ownersOf: (code) => ownersOf(account, code),
  }
}

/** Of the American bank, where ACH and wires go. */
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
