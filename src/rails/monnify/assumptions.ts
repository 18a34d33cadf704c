/** The assumptions about Monnify that sandbox keys can check. */
import { randomBytes } from 'node:crypto'
import {
  balanceSeen,
  beyondTestKeys,
  checkedWith,
  findingsOf,
  found,
  inWords,
  lookUntil,
  notReachable,
  type ProbeRow,
  whenAnswered,
  whenRefused,
} from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import { asObject, textOf } from '../http/values.ts'
import type { AssumptionCheck, CheckParts } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { accountRefusals, payoutRefusals } from './refusals.ts'
import { nairaIn, readWallet, withAmount } from './wallet.ts'

const page = 'developers.monnify.com/docs/error-codes'
const recorded = 'Monnify/monnify-dotnet-lib 9d49e61 (2026-07)'
/** The page where a person sends money to a reserved account of the sandbox. */
const simulator = 'https://websim.sdk.monnify.com/#/bankingapp'
const reserved = '/api/v2/bank-transfer/reserved-accounts'
const single = '/api/v2/disbursements/single'
const destination = { bank: '058', number: '0123456789' }
const paid = 50_000n
const small = 10_000n
const payWithinMs = 300_000
const failWithinMs = 60_000

/** ISO 8601 with or without an offset, and `dd/mm/yyyy h:mm:ss AM`. */
const timeForms =
  /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(:?\s?[AP]M)?\s?(Z|[+-]\d\d:?\d\d)?|\d\d\/\d\d\/\d{4} \d{1,2}:\d\d:\d\d [AP]M)$/i
const statuses = [
  'PENDING',
  'AWAITING_PROCESSING',
  'IN_PROGRESS',
  'PENDING_AUTHORIZATION',
  'SUCCESS',
  'COMPLETED',
].concat('OTP_EMAIL_DISPATCH_FAILED')

type Contract = { code: string; bank: string }

/** @param contract of reserved accounts; null if the settings have none */
export const monnifyAssumptions =
  (account: Account, contract: Contract | null, secrets: readonly string[]): AssumptionCheck =>
  (parts) =>
    findingsOf(
      [
        ...(contract === null
          ? beyondTestKeys([
              [
                'reserved_accounts',
                'what is assumed of payments',
                'the settings have no contract_code',
              ],
            ])
          : checkedWith(new PaymentProbe(account, contract, parts), paymentRows)),
        ...checkedWith(new TransferProbe(account, parts), transferRows),
        ...beyondTestKeys(notByTestKeys),
      ],
      secrets,
    )

/** Requests about payments, and results of earlier steps. */
class PaymentProbe {
  readonly client: Account['client']
  readonly clock: Account['clock']
  readonly parts: CheckParts
  readonly reference = `check-${randomBytes(8).toString('hex')}`
  number: string | null = null
  row: Record<string, unknown> | null = null
  readonly #contract: Contract

  constructor({ client, clock }: Account, contract: Contract, parts: CheckParts) {
    this.client = client
    this.clock = clock
    this.parts = parts
    this.#contract = contract
  }

  reserve() {
    return this.client.ask({
      method: 'POST',
      path: reserved,
      urgency: 'send',
      body: JSON.stringify({
        accountReference: this.reference,
        accountName: 'Check Customer',
        currencyCode: 'NGN',
        contractCode: this.#contract.code,
        customerEmail: 'check@example.com',
        customerName: 'Check Customer',
        getAllAvailableBanks: false,
        preferredBanks: [this.#contract.bank],
      }),
    })
  }

  get(path: `/${string}`, query?: Record<string, string>) {
    return this.client.ask({ method: 'GET', path, urgency: 'send', ...(query && { query }) })
  }

  /** Returns the row of the person's payment, if it exists. */
  async findRow(from: number): Promise<Record<string, unknown> | null> {
    const to = this.clock.now().getTime() + 60_000
    const answer = await this.get('/api/v1/transactions/search', {
      from: String(from),
      to: String(to),
      paymentStatus: 'PAID',
      page: '0',
      size: '100',
    })
    const content = answer.is === 'answered' ? answer.data.content : null
    const rows = Array.isArray(content) ? content.map(asObject) : []
    const isPaid = (row: Record<string, unknown> | null): boolean =>
      [row?.amount, row?.amountPaid].some((said) => nairaIn(said) === paid)
    return rows.find(isPaid) ?? null
  }
}

const paymentRows: ProbeRow<PaymentProbe>[] = [
  {
    id: 'reserve',
    asked: `POST ${reserved}`,
    assumed: 'an account with a number',
    source: recorded,
    look: async (probe) =>
      whenAnswered(await probe.reserve(), ({ data }) => {
        const [first] = Array.isArray(data.accounts) ? data.accounts.map(asObject) : []
        probe.number = textOf(first?.accountNumber)
        return found(probe.number && 'a number', 'no number')
      }),
  },
  {
    id: 'reserve_again',
    asked: 'the same once more',
    assumed: '"You can not reserve two accounts with the same reference"',
    source: `${page}; recorded by others with 422 and code 99`,
    look: async (probe) =>
      probe.number === null
        ? notReachable('no account')
        : whenRefused(await probe.reserve(), means(accountRefusals, 'sent_before')),
  },
  {
    id: 'search_row',
    asked: 'GET /api/v1/transactions/search, after a payment to that account',
    assumed:
      'a row of collectionChannel RESERVED_ACCOUNT, PAID, with the amount and its transactionReference',
    source: `${recorded}: rows are short, without product and paidOn`,
    async look(probe) {
      const { parts, number, clock } = probe
      if (parts.pay === null || number === null)
        return notReachable('no payment is made: run it without --no-pay')
      const from = clock.now().getTime() - 60_000
      await parts.pay({ url: simulator, to: number, amount: paid })
      probe.row = await lookUntil(parts, payWithinMs, () => probe.findRow(from))
      if (probe.row === null)
        return notReachable('it was not paid in time, or no row has the amount')
      const saw = `the fields ${Object.keys(probe.row).join(', ')}; collectionChannel ${String(probe.row.collectionChannel)}`
      return {
        saw,
        fits:
          probe.row.collectionChannel === 'RESERVED_ACCOUNT' &&
          textOf(probe.row.transactionReference) !== null,
      }
    },
  },
  {
    id: 'transaction',
    asked: 'GET /api/v2/transactions/{reference} of that payment',
    assumed: 'amountPaid, settlementAmount and the product with the reference of the account',
    source: 'developers.monnify.com',
    async look(probe) {
      if (probe.row === null) return notReachable('no payment was made')
      const path =
        `/api/v2/transactions/${encodeURIComponent(String(probe.row.transactionReference))}` as const
      return whenAnswered(await probe.get(path), ({ data }) => {
        const product = asObject(data.product)
        probe.row = data
        const isOurs = product?.type === 'RESERVED_ACCOUNT' && product.reference === probe.reference
        const saw = `the fields ${Object.keys(data).join(', ')}; ${isOurs ? 'of that account' : 'of no account, or another'}`
        return {
          saw,
          fits:
            isOurs && nairaIn(data.amountPaid) === paid && nairaIn(data.settlementAmount) !== null,
        }
      })
    },
  },
  {
    id: 'time_form',
    asked: 'its paidOn',
    assumed: 'ISO 8601 with or without an offset, or dd/mm/yyyy h:mm:ss AM',
    source: 'developers.monnify.com, recorded webhooks',
    async look(probe) {
      if (probe.row === null) return notReachable('no payment was made')
      const said = String(probe.row.paidOn ?? '')
      return { saw: said.replaceAll(/\d/g, '9') || 'none', fits: timeForms.test(said) }
    },
  },
  {
    id: 'unknown_transaction',
    asked: 'GET /api/v2/transactions/{reference} of one that was never made',
    assumed: '404, or words such as "not found" or "could not find"',
    source: page,
    look: async (probe) =>
      whenRefused(
        await probe.get('/api/v2/transactions/MNFY%7C00%7C00'),
        ({ status, message }) => status === 404 || unknownWords.test(message),
      ),
  },
]

const unknownWords = /not found|does not exist|could ?n[o']t find|cannot find|no transaction/i

/** Requests about transfers, and results of earlier steps. */
class TransferProbe {
  readonly account: Account
  readonly parts: CheckParts
  held: bigint | null = null
  sent = false
  readonly #run = randomBytes(8).toString('hex')

  constructor(account: Account, parts: CheckParts) {
    this.account = account
    this.parts = parts
  }

  referenceOf(key: string): string {
    return `check-${key}-${this.#run}`
  }

  transfer(key: string, amount: bigint) {
    const { client, wallet } = this.account
    return client.ask({
      method: 'POST',
      path: single,
      urgency: 'send',
      body: withAmount(amount, {
        reference: this.referenceOf(key),
        narration: 'Check',
        currency: 'NGN',
        sourceAccountNumber: wallet,
        destinationBankCode: destination.bank,
        destinationAccountNumber: destination.number,
      }),
    })
  }

  summary(key: string) {
    return this.account.client.ask({
      method: 'GET',
      path: `${single}/summary`,
      urgency: 'send',
      query: { reference: this.referenceOf(key) },
    })
  }
}

const transferRows: ProbeRow<TransferProbe>[] = [
  {
    id: 'wallet',
    asked: 'GET /api/v2/disbursements/wallet-balance',
    assumed: 'availableBalance, a number or text',
    source: recorded,
    async look(probe) {
      const answer = await readWallet(probe.account)
      if ('amount' in answer) probe.held = answer.amount
      return balanceSeen(answer)
    },
  },
  {
    id: 'beyond_wallet',
    asked: `POST ${single} of more than the wallet has`,
    assumed: 'code D04, or a transfer that fails within a minute for lack of balance',
    source: `${page}; a sample of 2024-07`,
    async look(probe) {
      if (probe.held === null) return notReachable('no balance')
      const answer = await probe.transfer('beyond', probe.held + 1_000_000_00n)
      if (answer.is !== 'answered') return whenRefused(answer, ({ code }) => code === 'D04')
      const failed = await lookUntil(probe.parts, failWithinMs, async () => {
        const said = await probe.summary('beyond')
        return said.is === 'answered' && said.data.status === 'FAILED' ? said.data : null
      })
      if (failed === null)
        return {
          saw: `taken, ${String(answer.data.status)}, and not failed in time`,
          fits: false,
        }
      const why = String(failed.transactionDescription ?? failed.comment ?? '')
      return {
        saw: `taken, then FAILED: ${why}`,
        fits: /(in|not have )sufficient (wallet )?balance/i.test(why),
      }
    },
  },
  {
    id: 'transfer',
    asked: `POST ${single}`,
    assumed: 'a status that is known, with reference, amount and account as they were sent',
    source: recorded,
    async look(probe) {
      if (probe.held === null || probe.held < small * 2n)
        return notReachable('the wallet has less than 200 naira')
      return whenAnswered(await probe.transfer('small', small), ({ data }) => {
        probe.sent = true
        const same = data.reference === probe.referenceOf('small') && nairaIn(data.amount) === small
        const saw = `${String(data.status)}${same ? '' : ', of something else'}`
        return { saw, fits: same && statuses.includes(String(data.status)) }
      })
    },
  },
  {
    id: 'duplicate_transfer',
    asked: 'the same once more',
    assumed: 'code D05, or "reference already exists"; D07 is open',
    source: `${page}; [U] whether it is D07`,
    look: async (probe) =>
      probe.sent
        ? whenRefused(
            await probe.transfer('small', small),
            means(payoutRefusals, 'sent_before', 'same_again'),
          )
        : notReachable('no transfer was made'),
  },
  {
    id: 'same_again',
    asked: 'the same amount to the same account, under another reference',
    assumed: 'code D07',
    source: page,
    look: async (probe) =>
      probe.sent
        ? whenRefused(await probe.transfer('again', small), ({ code }) => code === 'D07')
        : notReachable('no transfer was made'),
  },
  {
    id: 'summary',
    asked: `GET ${single}/summary of that transfer`,
    assumed: 'its reference, amount and account',
    source: recorded,
    async look(probe) {
      if (!probe.sent) return notReachable('no transfer was made')
      return whenAnswered(await probe.summary('small'), ({ data }) => {
        const same =
          data.reference === probe.referenceOf('small') &&
          nairaIn(data.amount) === small &&
          data.destinationAccountNumber === destination.number
        return { saw: `${String(data.status)}${same ? '' : ', of something else'}`, fits: same }
      })
    },
  },
  {
    id: 'unknown_transfer',
    asked: `GET ${single}/summary of one that was never made`,
    assumed: '404, or words such as "could not find"',
    source: recorded,
    look: async (probe) =>
      whenRefused(
        await probe.summary('nothing'),
        ({ status, message }) => status === 404 || unknownWords.test(message),
      ),
  },
  {
    id: 'account_name',
    asked: 'GET /api/v1/disbursements/account/validate',
    assumed: 'a name for the number, or "Invalid account details"',
    source: page,
    async look(probe) {
      const query = { accountNumber: destination.number, bankCode: destination.bank }
      const path = '/api/v1/disbursements/account/validate'
      const answer = await probe.account.client.ask({ method: 'GET', path, query, urgency: 'send' })
      if (answer.is === 'refused')
        return {
          saw: inWords(answer),
          fits: /invalid (destination )?account/i.test(answer.message),
        }
      return whenAnswered(answer, ({ data }) => ({
        saw: textOf(data.accountName) === null ? 'no name' : 'a name',
        fits: textOf(data.accountName) !== null && data.accountNumber === destination.number,
      }))
    },
  },
]

const notByTestKeys: [string, string, string][] = [
  [
    'webhook_signature',
    'the sandbox signs no webhook, live mode signs each',
    'this command receives no webhooks: look at /metrics of a server that the sandbox notifies, bursar_rail_webhooks_refused',
  ],
  [
    'settlements',
    'a row of the statement names the settlement after that word',
    'the sandbox settles nothing',
  ],
  [
    'top_ups',
    'which rows of the statement are money from outside',
    'the sandbox wallet is topped up by its staff',
  ],
  [
    'failure_words',
    'which words of a failed transfer mean what',
    'transfers of the sandbox fail for lack of balance alone',
  ],
  [
    'transfer_rows',
    'rows of the statement with reversal or disbursement are of transfers',
    'the sandbox pays no bank',
  ],
  ['expired', 'EXPIRED is final', 'it takes a transfer whose code is never typed'],
  ['outcome_unknown', 'code 99 says nothing of the outcome', 'it comes when a bank is away'],
  [
    'unlisted_address',
    'D06 where the address of the server is not on the list',
    'the sandbox has no list',
  ],
  ['rate_limit', '300 requests a minute are taken', 'it takes more requests than a check may make'],
]
