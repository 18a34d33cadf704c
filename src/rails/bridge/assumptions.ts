/** The assumptions about Bridge that a sandbox key can check. */
import { randomBytes, randomUUID } from 'node:crypto'
import { majorOf } from '../../lib/money.ts'
import {
  balanceSeen,
  beyondTestKeys,
  checkedWith,
  findingsOf,
  found,
  notReachable,
  type ProbeRow,
  whenAnswered,
  whenRefused,
} from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import { textOf } from '../http/values.ts'
import type { AssumptionCheck } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { isSpentKey, payoutRefusals } from './refusals.ts'
import { readWallet } from './wallet.ts'

const pages = 'apidocs.bridge.xyz, transfer-errors-and-recovery'
/** The routing number of a real bank; no customer has the account number. */
const bank = {
  account_number: '000123456789',
  routing_number: '021000021',
  checking_or_savings: 'checking',
}
const address = {
  street_line_1: '1 Main Street',
  city: 'New York',
  state: 'NY',
  postal_code: '10001',
  country: 'USA',
}

export const bridgeAssumptions =
  (account: Account, secrets: readonly string[]): AssumptionCheck =>
  () =>
    findingsOf(
      [...checkedWith(new Probe(account), rows), ...beyondTestKeys(notByTestKeys)],
      secrets,
    )

/** The requests of a check, and results of earlier steps. */
class Probe {
  readonly account: Account
  held: bigint | null = null
  external: string | null = null
  readonly #run = randomBytes(6).toString('hex')

  constructor(account: Account) {
    this.account = account
  }

  addBank(key: string, owner: string) {
    const { client, customer } = this.account
    return client.ask({
      method: 'POST',
      path: '/customers/{customer}/external_accounts',
      urgency: 'send',
      params: { customer },
      key: `check-${key}-${this.#run}`,
      body: {
        currency: 'usd',
        account_type: 'us',
        account_owner_name: owner,
        account: bank,
        address,
      },
    })
  }

  transfer(key: string, amount: bigint, to: string) {
    const { client, customer, token, wallet, paymentRail } = this.account
    const reference = `check-${key}-${this.#run}`
    return client.ask({
      method: 'POST',
      path: '/transfers',
      urgency: 'send',
      key: reference,
      body: {
        client_reference_id: reference,
        amount: majorOf(amount),
        on_behalf_of: customer,
        source: { payment_rail: 'bridge_wallet', currency: token, bridge_wallet_id: wallet },
        destination: { payment_rail: paymentRail, currency: 'usd', external_account_id: to },
      },
    })
  }
}

const rows: ProbeRow<Probe>[] = [
  {
    id: 'external_account',
    asked: 'POST /customers/{customer}/external_accounts',
    assumed: 'an id',
    source: 'apidocs.bridge.xyz',
    look: async (probe) =>
      whenAnswered(await probe.addBank('bank', 'Check Recipient'), ({ data }) => {
        probe.external = textOf(data.id)
        return found(probe.external && 'an id', 'no id')
      }),
  },
  {
    id: 'same_key_other_body',
    asked: 'the same Idempotency-Key with another body',
    assumed: '400, code duplicate_record or not_truly_idempotent; or 422',
    source: `${pages}; [U] which of them`,
    look: async (probe) => whenRefused(await probe.addBank('bank', 'Other Recipient'), isSpentKey),
  },
  {
    id: 'same_key_same_body',
    asked: 'the same Idempotency-Key with the same body',
    assumed: 'the same answer',
    source: 'apidocs.bridge.xyz, idempotence',
    async look(probe) {
      if (probe.external === null) return notReachable('no external account')
      return whenAnswered(await probe.addBank('bank', 'Check Recipient'), ({ data }) => ({
        saw: data.id === probe.external ? 'the same one' : 'another one',
        fits: data.id === probe.external,
      }))
    },
  },
  {
    id: 'wallet',
    asked: 'GET /customers/{customer}/wallets/{wallet}',
    assumed: 'its id and balances, each as text with its currency',
    source: 'apidocs.bridge.xyz',
    async look(probe) {
      const answer = await readWallet(probe.account)
      if ('amount' in answer) probe.held = answer.amount
      return balanceSeen(answer)
    },
  },
  {
    id: 'beyond_balance',
    asked: 'POST /transfers of more than the wallet holds',
    assumed:
      'code insufficient_funds or insufficient_balance, or invalid_parameters with such words',
    source: `[U] no page has it`,
    async look(probe) {
      if (probe.held === null || probe.external === null)
        return notReachable('no balance, or no external account')
      return whenRefused(
        await probe.transfer('beyond', probe.held + 100_000_00n, probe.external),
        means(payoutRefusals, 'balance_too_low'),
      )
    },
  },
  {
    id: 'unknown_external_account',
    asked: 'POST /transfers to an external account that was never made',
    assumed:
      'code deactivated_external_account; or not_found or invalid_parameters that names external_account_id',
    source: `${pages}; [U] that it names the field`,
    async look(probe) {
      return whenRefused(
        await probe.transfer('unknown', 100n, randomUUID()),
        means(payoutRefusals, 'account_gone'),
      )
    },
  },
  {
    id: 'unknown_transfer',
    asked: 'GET /transfers/{id} of one that was never made',
    assumed: '404, or 400 with code not_found',
    source: pages,
    look: async (probe) =>
      whenRefused(
        await probe.account.client.ask({
          method: 'GET',
          path: '/transfers/{id}',
          urgency: 'send',
          params: { id: randomUUID() },
        }),
        ({ status, code }) => status === 404 || code === 'not_found',
      ),
  },
]

const notByTestKeys: [string, string, string][] = [
  [
    'transfer_states',
    'undeliverable and canceled are final',
    'the sandbox carries no transfer to a bank',
  ],
  [
    'returned_money',
    'after which states the money is owed',
    'the sandbox carries no transfer to a bank',
  ],
  [
    'return_reasons',
    'why a transfer came back is said in the words of return codes',
    'the sandbox returns nothing',
  ],
  ['transfer_fee', 'what arrives is what was sent', 'the sandbox charges nothing'],
  [
    'top_ups',
    'which rows of the history are money from outside',
    'the sandbox wallet is not topped up',
  ],
  [
    'webhook_signature',
    'RSA with SHA-256 over the SHA-256 of time, dot and body',
    'this command receives no webhooks',
  ],
  ['account_refusals', 'frozen, terms not accepted, limits', 'they need a customer in that state'],
  ['rate_limit', '300 requests a minute are taken', 'it takes more requests than a check may make'],
]
