/** Bridge's operations, as its pages describe them: what each takes, does and answers. */
import type { Books, ExternalAccount, Incoming, Transfer } from './books.ts'
import { micro, written } from './books.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
export type Json = any
export type Answer = { status: number; body: Json; subject?: string }
type Call = {
  books: Books
  params: Record<string, string>
  query: Record<string, string>
  body: Json
}
export type Operation = {
  method: 'GET' | 'POST'
  path: string
  /** What of the answer a fault can falsify. */
  says?: ('reference' | 'amount' | 'currency')[]
  /** Whether webhooks follow. */
  events?: true
  /** What the body may have, each as `a.b`, and must have where it is true. */
  fields?: Record<string, boolean>
  run(call: Call): Answer
}

/** A refusal in Bridge's form. Thrown by operations, answered by the server. */
export class Refused extends Error {
  readonly answer: Answer
  constructor(status: number, code: string, message: string, more: Json = {}) {
    super(message)
    this.answer = { status, body: { code, message, ...more } }
  }
}
export function refuse(status: number, code: string, message: string, more?: Json): never {
  throw new Refused(status, code, message, more)
}

/** Where a refusal says that the mistake is. */
const bodyOf = (key: string): Json => ({ source: { location: 'body', key } })

const accountOf = (one: ExternalAccount): Json => ({
  id: one.id,
  customer_id: 'cust_operator',
  account_type: 'us',
  currency: 'usd',
  bank_name: 'LEAD BANK',
  account_owner_name: one.owner,
  last_4: one.number.slice(-4),
  active: one.active,
  account: {
    last_4: one.number.slice(-4),
    routing_number: one.routing,
    checking_or_savings: one.kind,
  },
  beneficiary_address_valid: one.addressValid,
  created_at: one.at.toISOString(),
  updated_at: one.at.toISOString(),
})

export const transferBody = ({ customer, wallet }: Books, one: Transfer): Json => ({
  id: one.id,
  client_reference_id: one.reference,
  state: one.state,
  on_behalf_of: customer.id,
  amount: written(one.amount),
  currency: 'usd',
  developer_fee: '0.0',
  source: { payment_rail: 'bridge_wallet', currency: wallet.token, bridge_wallet_id: wallet.id },
  destination: { payment_rail: one.rail, currency: 'usd', external_account_id: one.account.id },
  receipt: {
    initial_amount: written(one.amount),
    developer_fee: '0.0',
    exchange_fee: written(one.kept),
    subtotal_amount: written(one.amount),
    gas_fee: '0.0',
    final_amount: written(one.amount - one.kept),
  },
  ...(one.state === 'returned' || one.state === 'refunded'
    ? { return_details: { reason: 'R03 No Account' } }
    : {}),
  created_at: one.at.toISOString(),
  updated_at: one.updatedAt.toISOString(),
})

/** Rows that were changed between the query's times, newest first, as many as it asks for. */
function listed<T extends { at: Date; updatedAt?: Date }>(
  query: Record<string, string>,
  all: T[],
): T[] {
  const [after, before] = [
    Number(query.updated_after_ms ?? 0),
    Number(query.updated_before_ms ?? Number.MAX_VALUE),
  ]
  const time = (one: T): number => (one.updatedAt ?? one.at).getTime()
  return all.filter((one) => time(one) > after && time(one) < before).toReversed()
}
const pageOf = ({ limit = '10' }: Record<string, string>): number => Math.min(Number(limit), 100)

/** The wallet's history: what came in, and what transfers took. */
const historyRow = (books: Books, one: Incoming | Transfer): Json => ({
  amount: written(one.amount),
  developer_fee: '0.0',
  customer_id: books.customer.id,
  created_at: one.at.toISOString(),
  updated_at: one.at.toISOString(),
  ...('reference' in one
    ? {
        source: { payment_rail: 'bridge_wallet', currency: books.wallet.token },
        destination: { payment_rail: one.rail, currency: 'usd' },
      }
    : {
        source: { payment_rail: one.rail, currency: books.wallet.token },
        destination: { payment_rail: 'bridge_wallet', currency: books.wallet.token },
      }),
})

export const operations = {
  get_wallet: {
    method: 'GET',
    path: '/v0/customers/{customer}/wallets/{wallet}',
    run({ books: { customer, wallet }, params }) {
      if (params.customer !== customer.id || params.wallet !== wallet.id)
        refuse(404, 'not_found', 'No such wallet')
      const balances = [{ balance: written(wallet.balance), currency: wallet.token, chain: 'base' }]
      return { status: 200, body: { id: wallet.id, chain: 'base', address: '0x0', balances } }
    },
  },
  get_customer: {
    method: 'GET',
    path: '/v0/customers/{customer}',
    run: ({ books: { customer } }) => ({ status: 200, body: { ...customer, type: 'business' } }),
  },
  create_external_account: {
    method: 'POST',
    path: '/v0/customers/{customer}/external_accounts',
    says: ['reference', 'currency'],
    fields: {
      currency: true,
      account_type: true,
      account_owner_name: true,
      bank_name: false,
      'account.account_number': true,
      'account.routing_number': true,
      'account.checking_or_savings': true,
      'address.street_line_1': true,
      'address.street_line_2': false,
      'address.city': true,
      'address.state': true,
      'address.postal_code': true,
      'address.country': true,
    },
    run({ books, body }) {
      const {
        account_number: number,
        routing_number: routing,
        checking_or_savings: kind,
      } = body.account
      const owner = body.account_owner_name
      if (!/^\d{4,17}$/.test(number) || !/^\d{9}$/.test(routing))
        refuse(
          400,
          'invalid_parameters',
          'Please resubmit the following parameters',
          bodyOf('account'),
        )
      const same = books.accounts.find(
        (one) =>
          one.number === number && one.routing === routing && one.owner === owner && one.active,
      )
      if (same !== undefined)
        refuse(400, 'duplicate_external_account', 'It is there already', {
          id: books.namesInstead ?? same.id,
        })
      const made = {
        id: books.id('ea'),
        owner,
        number,
        routing,
        kind,
        active: true,
        at: books.now(),
        addressValid: books.addressValid,
      }
      books.accounts.push(made)
      return { status: 201, body: accountOf(made) }
    },
  },
  get_external_account: {
    method: 'GET',
    path: '/v0/customers/{customer}/external_accounts/{id}',
    run({ books, params }) {
      const found = books.accounts.find(({ id }) => id === params.id)
      if (found === undefined) refuse(404, 'not_found', 'There is no such external account')
      return { status: 200, body: accountOf(found) }
    },
  },
  create_transfer: {
    method: 'POST',
    path: '/v0/transfers',
    says: ['reference', 'amount', 'currency'],
    events: true,
    fields: {
      client_reference_id: true,
      amount: true,
      on_behalf_of: true,
      'source.payment_rail': true,
      'source.currency': true,
      'source.bridge_wallet_id': true,
      'destination.payment_rail': true,
      'destination.currency': true,
      'destination.external_account_id': true,
    },
    run({ books, body }) {
      const { customer, wallet } = books
      if (customer.status !== 'active')
        refuse(400, 'requires_active_kyc_status', 'The customer is under review')
      const account = books.accounts.find(({ id }) => id === body.destination.external_account_id)
      if (account === undefined)
        refuse(400, 'not_found', 'Not found', bodyOf('destination.external_account_id'))
      if (!account.active) refuse(400, 'deactivated_external_account', 'It has been deactivated')
      if (!account.addressValid)
        refuse(400, 'missing_address_data', 'The address of the beneficiary is not valid')
      if (body.on_behalf_of !== customer.id || body.source.bridge_wallet_id !== wallet.id)
        refuse(400, 'not_found', 'Not found', bodyOf('source.bridge_wallet_id'))
      const [whole, fraction = ''] = String(body.amount).split('.')
      const amount = BigInt(whole as string) * micro + BigInt(fraction.padEnd(6, '0'))
      if (amount < micro)
        refuse(400, 'invalid_parameters', 'Below the minimum of 1.00', bodyOf('amount'))
      if (amount > wallet.balance) refuse(400, 'insufficient_funds', 'The wallet holds too little')
      const at = books.now()
      wallet.balance -= amount
      const made: Transfer = {
        id: books.id('tr'),
        reference: body.client_reference_id,
        amount,
        account,
        kept: 0n,
        rail: body.destination.payment_rail,
        state: 'funds_received',
        history: ['funds_received'],
        at,
        updatedAt: at,
      }
      books.transfers.push(made)
      return { status: 201, body: transferBody(books, made), subject: made.reference }
    },
  },
  get_transfer: {
    method: 'GET',
    path: '/v0/transfers/{id}',
    says: ['reference', 'amount', 'currency'],
    run({ books, params }) {
      const found = books.transfers.find(({ id }) => id === params.id)
      if (found === undefined) refuse(books.unknownStatus, 'not_found', 'There is no such transfer')
      return { status: 200, body: transferBody(books, found) }
    },
  },
  list_transfers: {
    method: 'GET',
    path: '/v0/transfers',
    says: ['amount', 'currency'],
    run({ books, query }) {
      const all = listed(query, books.transfers)
      const from =
        query.starting_after === undefined
          ? 0
          : all.findIndex(({ id }) => id === query.starting_after) + 1
      const rows = all.slice(from, from + pageOf(query))
      return {
        status: 200,
        body: { count: rows.length, data: rows.map((one) => transferBody(books, one)) },
      }
    },
  },
  history: {
    method: 'GET',
    path: '/v0/wallets/{wallet}/history',
    run({ books, query }) {
      const all = [...books.incoming, ...books.transfers].sort(
        (a, b) => a.at.getTime() - b.at.getTime(),
      )
      const rows = listed(query, all as { at: Date }[] as (Incoming | Transfer)[]).slice(
        0,
        pageOf(query),
      )
      return {
        status: 200,
        body: { count: rows.length, data: rows.map((one) => historyRow(books, one)) },
      }
    },
  },
} satisfies Record<string, Operation>
export type OperationName = keyof typeof operations
