/**
 * The assumptions about Stripe that a test key can check. In API v2, the type of a refusal names
 * its kind and the code its case.
 */
import { randomBytes } from 'node:crypto'
import {
  balanceSeen,
  beyondTestKeys,
  checkedWith,
  findingsOf,
  inWords,
  notReachable,
  type ProbeRow,
  whenAnswered,
  whenRefused,
} from '../http/findings.ts'
import { means, type Refusal } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Assumption, AssumptionCheck } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { readFunds } from './funds.ts'
import { payoutRefusals } from './refusals.ts'

const library = 'stripe (npm) 23.1.0; changelog of API v2, 2025-06-30'
const noFunds = 'the settings have no financial_account'
/** Stripe's test account, which accepts every payment. */
const bank = {
  country: 'US',
  currency: 'usd',
  bank_account_type: 'checking',
  routing_number: '110000000',
}
const dollar = 100

const says =
  (pattern: RegExp) =>
  ({ type = '', code }: Refusal): boolean =>
    pattern.test(type) || pattern.test(code)

/** @param from the financial account that pays out; null: the account takes money in */
export const stripeAssumptions =
  (account: Account, from: string | null, secrets: readonly string[]): AssumptionCheck =>
  () =>
    findingsOf(
      [
        ...(from === null
          ? ofMoneyIn(account)
          : checkedWith(new PayoutProbe(account, from), payoutRows)),
        ...beyondTestKeys(notByTestKeys),
      ],
      secrets,
    )

/** Requests about payouts, and results of earlier steps. */
class PayoutProbe {
  readonly account: Account
  readonly from: string
  readonly run = randomBytes(6).toString('hex')
  held: bigint | null = null
  recipient: string | null = null
  method: string | null = null
  paid: string | null = null

  constructor(account: Account, from: string) {
    this.account = account
    this.from = from
  }

  createAccount(key: string, configuration: object | undefined) {
    return this.account.client.ask({
      method: 'POST',
      path: '/v2/core/accounts',
      urgency: 'send',
      key: `check-account-${key}-${this.run}`,
      body: {
        display_name: 'Check Recipient',
        contact_email: `check-${this.run}@example.com`,
        identity: {
          country: 'us',
          entity_type: 'individual',
          individual: { given_name: 'Check', surname: 'Recipient' },
        },
        ...(configuration
          ? { configuration, include: ['identity', 'configuration.recipient'] }
          : {}),
      },
    })
  }

  addBank(context: string) {
    return this.account.client.ask({
      method: 'POST',
      path: '/v2/money_management/outbound_setup_intents',
      urgency: 'send',
      context,
      key: `check-bank-${context}`,
      body: {
        usage_intent: 'payment',
        payout_method_data: {
          type: 'bank_account',
          bank_account: { ...bank, account_number: '000123456789' },
        },
      },
    })
  }

  pay(key: string, value: number, to: { recipient: string; method: string }) {
    return this.account.client.ask({
      method: 'POST',
      path: '/v2/money_management/outbound_payments',
      urgency: 'send',
      key: `check-${key}-${this.run}`,
      body: {
        amount: { value, currency: 'usd' },
        from: { financial_account: this.from, currency: 'usd' },
        to: { recipient: to.recipient, payout_method: to.method, currency: 'usd' },
        metadata: { bursar_id: `check-${key}-${this.run}` },
        recipient_notification: { setting: 'none' },
      },
    })
  }
}

const payoutRows: ProbeRow<PayoutProbe>[] = [
  {
    id: 'funds',
    asked: 'GET /v2/money_management/financial_accounts/{id}',
    assumed: 'its id, livemode false, and a balance in dollars',
    source: library,
    async look(probe) {
      const answer = await readFunds(probe.account, probe.from)
      if ('amount' in answer) probe.held = answer.amount
      return balanceSeen(answer)
    },
  },
  {
    id: 'recipient',
    asked: 'POST /v2/core/accounts with a name, a country and an address of mail',
    assumed: 'a recipient, of test mode',
    source: '[U] that it needs no more',
    look: async (probe) =>
      whenAnswered(
        await probe.createAccount('recipient', {
          recipient: { capabilities: { bank_accounts: { local: { requested: true } } } },
        }),
        ({ data }) => {
          probe.recipient = textOf(data.id)
          const fits = probe.recipient !== null && data.livemode === probe.account.livemode
          return {
            saw: `${probe.recipient === null ? 'no id' : 'an id'}, livemode ${String(data.livemode)}`,
            fits,
          }
        },
      ),
  },
  {
    id: 'bank_account',
    asked:
      'POST /v2/money_management/outbound_setup_intents, with that recipient as Stripe-Context',
    assumed: 'succeeded, with a payout_method that says last4 and routing_number',
    source: '[U] that it is made under Stripe-Context',
    async look(probe) {
      if (probe.recipient === null) return notReachable('no recipient')
      return whenAnswered(await probe.addBank(probe.recipient), ({ data }) => {
        const made = asObject(data.payout_method)
        probe.method = textOf(made?.id)
        const said = asObject(made?.bank_account) ?? {}
        const same = said.last4 === '6789' && said.routing_number === bank.routing_number
        const saw = `${String(data.status)}, ${same ? 'of that account' : 'of no account, or another'}`
        return { saw, fits: data.status === 'succeeded' && same && probe.method !== null }
      })
    },
  },
  {
    id: 'beyond_balance',
    asked: 'POST /v2/money_management/outbound_payments of more than the balance',
    assumed: 'a refusal of type or code insufficient_funds',
    source: library,
    async look(probe) {
      const { held, recipient, method } = probe
      if (held === null || recipient === null || method === null)
        return notReachable('no balance, or no recipient')
      return whenRefused(
        await probe.pay('beyond', Number(held) + 100_000_00, { recipient, method }),
        means(payoutRefusals, 'balance_too_low'),
      )
    },
  },
  {
    id: 'recipient_without_capability',
    asked: 'the same of a dollar, to a recipient without the capability',
    assumed: "a refusal by the recipient's own type or code, not by one of the account",
    source: library,
    async look(probe) {
      if (probe.method === null) return notReachable('no payout method')
      const made = await probe.createAccount('incapable', undefined)
      const other = made.is === 'answered' ? textOf(made.data.id) : null
      if (other === null) return notReachable(`no such recipient can be made: ${inWords(made)}`)
      const setup = await probe.addBank(other)
      const own = setup.is === 'answered' ? textOf(asObject(setup.data.payout_method)?.id) : null
      const answer = await probe.pay('incapable', dollar, {
        recipient: other,
        method: own ?? probe.method,
      })
      const isOfBalance =
        answer.is === 'refused' && means(payoutRefusals, 'balance_too_low')(answer)
      if (isOfBalance) return notReachable('the financial account has no dollar to send')
      return whenRefused(
        answer,
        says(
          /^(recipient_feature_not_active|account_not_configured_as_recipient|outbound_payment_not_allowed|to_recipient_not_found|invalid_payout_method|payout_method_\w+)$/,
        ),
      )
    },
  },
  {
    id: 'payment',
    asked: 'the same of a dollar',
    assumed:
      'processing or posted, with the amount, the recipient and the metadata as they were sent',
    source: library,
    async look(probe) {
      const { held, recipient, method } = probe
      if (recipient === null || method === null) return notReachable('no recipient')
      if (held === null || held < 500n)
        return notReachable('the financial account has less than 5 dollars')
      return whenAnswered(await probe.pay('payment', dollar, { recipient, method }), ({ data }) => {
        probe.paid = textOf(data.id)
        const same =
          asObject(data.amount)?.value === dollar &&
          asObject(data.to)?.recipient === recipient &&
          asObject(data.metadata)?.bursar_id === `check-payment-${probe.run}`
        const saw = `${String(data.status)}${same ? '' : ', of something else'}`
        return {
          saw,
          fits:
            same && ['processing', 'posted'].includes(String(data.status)) && probe.paid !== null,
        }
      })
    },
  },
  {
    id: 'payment_again',
    asked: 'the same payment with the same Idempotency-Key',
    assumed: 'the same payment',
    source: 'docs.stripe.com/api-v2-overview',
    async look(probe) {
      const { paid, recipient, method } = probe
      if (paid === null || recipient === null || method === null)
        return notReachable('no payment was made')
      return whenAnswered(
        await probe.pay('payment', dollar, { recipient, method }),
        ({ data }) => ({
          saw: data.id === paid ? 'the same one' : 'another one',
          fits: data.id === paid,
        }),
      )
    },
  },
  {
    id: 'unknown_payment',
    asked: 'GET /v2/money_management/outbound_payments/{id} of one that was never made',
    assumed: '404, or code resource_missing',
    source: 'docs.stripe.com/error-codes',
    look: async (probe) =>
      whenRefused(
        await probe.account.client.ask({
          method: 'GET',
          path: '/v2/money_management/outbound_payments/{id}',
          urgency: 'send',
          params: { id: 'obp_0000000000000000' },
        }),
        ({ status, code }) => status === 404 || code === 'resource_missing',
      ),
  },
]

function ofMoneyIn({ client, livemode }: Account): Assumption[] {
  const run = randomBytes(6).toString('hex')
  return [
    {
      id: 'customer',
      asked: 'POST /v1/customers with cash_balance[settings][reconciliation_mode]=manual',
      assumed: 'a customer, of test mode',
      source: '[U] that the mode can be set as the customer is made',
      look: async () =>
        whenAnswered(
          await client.ask({
            method: 'POST',
            path: '/v1/customers',
            urgency: 'send',
            key: `check-customer-${run}`,
            body: {
              name: 'Check Customer',
              email: `check-${run}@example.com`,
              metadata: { bursar_customer: run },
              cash_balance: { settings: { reconciliation_mode: 'manual' } },
            },
          }),
          ({ data }) => ({
            saw: `livemode ${String(data.livemode)}`,
            fits: textOf(data.id) !== null && data.livemode === livemode,
          }),
        ),
    },
    {
      id: 'refund_of_nothing',
      asked: 'POST /v1/refunds of a payment that was never made',
      assumed: 'a refusal of type invalid_request_error or code resource_missing',
      source: 'docs.stripe.com/api/errors',
      look: async () =>
        whenRefused(
          await client.ask({
            method: 'POST',
            path: '/v1/refunds',
            urgency: 'send',
            key: `check-refund-${run}`,
            body: { payment_intent: 'pi_000000000000000000000000', amount: dollar },
          }),
          says(/^(invalid_request_error|resource_missing)$/),
        ),
    },
    ...beyondTestKeys([['payouts', 'what is assumed of payouts', noFunds]]),
  ]
}

const notByTestKeys: [string, string, string][] = [
  [
    'payment_fee',
    'a payment costs no more than 1.50 dollars',
    'payments of test mode cost nothing',
  ],
  ['list_lag', 'a list is at most an hour behind', 'it takes hours of waiting'],
  [
    'entry_categories',
    'the category of each entry of the balance',
    'it takes top-ups and transfers to a bank',
  ],
  ['declines', 'the codes of a declined card', 'a payment needs a page and a person'],
  ['returns', 'why a payment failed or came back', 'no payment of test mode reaches a bank'],
  [
    'quota',
    'quota_exceeded and the limits of a payee hold for that payout only',
    'it takes payouts beyond a limit',
  ],
  [
    'accounts_not_enabled',
    'how it says that no accounts for customers can be opened',
    'test mode has every feature',
  ],
  [
    'cash_balance',
    'a payment confirmed with a cash balance that holds enough succeeds at once',
    'it takes a bank transfer',
  ],
  [
    'closed_account',
    'financial_account_not_open holds for all payouts',
    'it takes an account that is closed',
  ],
  [
    'card_brands',
    'every account takes Visa, Mastercard and American Express',
    'test mode takes every card',
  ],
]
