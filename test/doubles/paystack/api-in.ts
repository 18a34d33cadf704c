/**
 * Operations about money that comes: transactions, one-time accounts, customers, dedicated
 * accounts.
 */
import { nigerianBanks, testBank } from './banks.ts'
import type { Bank, Books, Customer, Dispute, Transaction } from './books.ts'
import {
  amountIn,
  type Call,
  nairaOnly,
  type Operation,
  ok,
  page,
  refuse,
  text,
  within,
} from './calls.ts'
import {
  accountBody,
  accountIn,
  customerBody,
  customerIn,
  type Json,
  transactionBody,
} from './shapes.ts'

const minute = 60_000
const minimumOfTransfer = 10_000

function customerOf(books: Books, body: Json, oneEach: boolean): Customer {
  const email =
    text(body.email)?.toLowerCase() ?? refuse(400, 'Email is required', 'missing_params')
  const known = books.customers.find((one) => one.email === email)
  if (known !== undefined && oneEach) return known
  const customer: Customer = {
    id: books.id(),
    code: books.code('CUS'),
    email,
    first_name: text(body.first_name),
    last_name: text(body.last_name),
    phone: text(body.phone),
    metadata: body.metadata ?? null,
    identified: false,
    identifications: [],
    asked: null,
    at: books.now(),
  }
  books.customers.push(customer)
  return customer
}

function start({ books, body }: Call, channels: string[]): Transaction {
  nairaOnly(body)
  const requested = amountIn(body)
  const id = books.id()
  const reference = text(body.reference) ?? `T${id}`
  if (!/^[A-Za-z0-9.=-]+$/.test(reference))
    refuse(400, 'Invalid transaction reference', 'invalid_reference')
  if (books.transactions.some((one) => one.reference === reference))
    refuse(400, 'Duplicate Transaction Reference', 'duplicate_reference')
  const transaction: Transaction = {
    id,
    reference,
    accessCode: books.code('acc').replace('_', ''),
    status: 'abandoned',
    amount: requested,
    requested,
    fees: null,
    channel: channels.includes('card') ? 'card' : 'bank_transfer',
    channels,
    customer: customerOf(books, { email: body.email }, true),
    callbackUrl: text(body.callback_url),
    metadata: body.metadata ?? null,
    response: 'The transaction was not completed',
    card: null,
    sender: null,
    receiver: null,
    account: null,
    paidAt: null,
    at: books.now(),
    settlement: null,
  }
  books.transactions.push(transaction)
  return transaction
}

function known({ books, settings, params }: Call): Transaction {
  const transaction = books.transactions.find((one) => one.reference === params.reference)
  return (
    transaction ??
    refuse(settings.unknownTransaction, 'Transaction reference not found.', 'transaction_not_found')
  )
}

/** An account that ends between 15 minutes and 8 hours from now, whatever was asked for. */
function endOf(asked: unknown, now: Date): Date {
  const time =
    asked === null || asked === undefined ? Number.POSITIVE_INFINITY : Date.parse(String(asked))
  if (Number.isNaN(time)) refuse(400, 'account_expires_at is invalid', 'invalid_params')
  return new Date(
    Math.min(Math.max(time, now.getTime() + 15 * minute), now.getTime() + 480 * minute),
  )
}

const waitingBody = (transaction: Transaction): Json => ({
  status: 'pending_bank_transfer',
  display_text: 'Please make a transfer to the account specified',
  reference: transaction.reference,
  amount: transaction.requested,
  account_name: transaction.account?.name,
  account_number: transaction.account?.number,
  bank: {
    slug: transaction.account?.bank.slug,
    name: transaction.account?.bank.name,
    id: transaction.account?.bank.id,
  },
  account_expires_at: transaction.account?.expiresAt.toISOString(),
})

export const providersOf = (books: Books): Bank[] =>
  books.mode === 'test'
    ? [testBank]
    : nigerianBanks.filter((one) => ['wema-bank', 'titan-paystack'].includes(one.slug))

/**
 * Every call about dedicated accounts is refused to a business without them, reading ones too:
 * recorded on 2026-10-09 with a test key.
 */
function requireFeature({ settings }: Call): void {
  if (settings.dedicatedAccounts === 'not_enabled')
    refuse(
      403,
      'Dedicated NUBAN is not available for your business',
      'feature_unavailable',
      'api_error',
    )
}

const accountOf = ({ books, params }: Call) =>
  books.accounts.find((one) => String(one.id) === params.id) ??
  refuse(404, 'Dedicated account not found', 'dedicated_account_not_found')

function openAccount(call: Call) {
  const { books, body, settings, world } = call
  requireFeature(call)
  // Recorded of a customer of another integration, in 2024-11 with a test key.
  const customer =
    books.customer(String(body.customer)) ??
    refuse(400, 'Invalid value for parameter "customer"', 'invalid_params')
  for (const field of ['first_name', 'last_name', 'phone'] as const) {
    customer[field] = text(body[field]) ?? customer[field]
    if (customer[field] === null)
      refuse(400, `Customer ${field.replace('_', ' ')} is required`, 'missing_params')
  }
  if (settings.identificationRequired && !customer.identified)
    refuse(400, 'Customer has not been identified', 'customer_not_identified')
  const slug = text(body.preferred_bank)
  const bank = providersOf(books).find((one) => slug === null || one.slug === slug)
  if (bank === undefined) refuse(400, 'Preferred bank is not available', 'invalid_params')
  const isGiven = ({ assigned, number }: (typeof books.accounts)[number]): boolean =>
    assigned || number === null
  const open = books.accounts.find(
    (one) => one.customer === customer && one.bank === bank && isGiven(one),
  )
  if (open !== undefined) return open
  if (books.accounts.length >= settings.dedicatedLimit)
    refuse(400, 'You have reached the limit of dedicated accounts', 'limit_reached', 'api_error')
  const name = `SHOP/${customer.first_name} ${customer.last_name}`.toUpperCase()
  const account = {
    id: books.id(),
    customer,
    bank,
    number: null as string | null,
    name,
    active: false,
    assigned: false,
    at: books.now(),
  }
  books.accounts.push(account)
  if (settings.dedicatedAccounts === 'at_once') world.account.assign(account.id)
  return account
}

/** The dispute of a call, which waits for the merchant. */
function openDisputeOf({ books, params }: Call): Dispute {
  const dispute = books.disputes.find((one) => String(one.id) === params.id)
  if (dispute === undefined) return refuse(404, 'Dispute not found', 'not_found')
  if (dispute.answer !== null || dispute.outcome !== null)
    refuse(400, 'Dispute has been resolved already', 'invalid_params')
  return dispute
}

export const moneyInOperations = {
  initialize: {
    method: 'POST',
    path: '/transaction/initialize',
    limit: 'charge',
    says: ['reference'],
    events: 'one',
    run(call) {
      const channels = Array.isArray(call.body.channels)
        ? call.body.channels.map(String)
        : ['card', 'bank_transfer']
      const { reference, accessCode } = start(call, channels)
      const data = {
        authorization_url: `${call.checkout}/${accessCode}`,
        access_code: accessCode,
        reference,
      }
      return ok('Authorization URL created', data, reference)
    },
  },
  verify_transaction: {
    method: 'GET',
    path: '/transaction/verify/{reference}',
    limit: 'verify',
    says: ['reference', 'amount', 'currency', 'mode'],
    run: (call) => ok('Verification successful', transactionBody(call.books, known(call))),
  },
  list_transactions: {
    method: 'GET',
    path: '/transaction',
    says: ['reference', 'amount', 'currency', 'mode'],
    run(call) {
      const { books, query, settings } = call
      const at = (one: Transaction) =>
        settings.transactionsListedBy === 'paid' ? one.paidAt : one.at
      const rows = within(call, books.transactions, at, settings.listsGoBy).filter(
        (one) =>
          (query.status ?? one.status) === one.status &&
          (query.channel ?? one.channel) === one.channel &&
          (query.amount ?? String(one.amount)) === String(one.amount) &&
          (query.settlement ?? String(one.settlement)) === String(one.settlement) &&
          (query.customer ?? String(one.customer.id)) === String(one.customer.id) &&
          (query.customer_code ?? one.customer.code) === one.customer.code,
      )
      const answer = page(call, 'Transactions retrieved', rows, (one) =>
        transactionBody(books, one),
      )
      Object.assign(answer.body.meta as Json, {
        total_volume: rows.reduce((sum, one) => sum + one.amount, 0),
      })
      return answer
    },
  },
  fetch_transaction: {
    method: 'GET',
    path: '/transaction/{id}',
    says: ['reference', 'amount', 'currency', 'mode'],
    run({ books, params }) {
      const transaction = books.transactions.find((one) => String(one.id) === params.id)
      if (transaction === undefined)
        return refuse(404, 'Transaction not found', 'transaction_not_found')
      return ok('Transaction retrieved', transactionBody(books, transaction))
    },
  },
  fetch_dispute: {
    method: 'GET',
    path: '/dispute/{id}',
    says: ['currency', 'mode'],
    run({ books, params, world }) {
      const dispute = books.disputes.find((one) => String(one.id) === params.id)
      if (dispute === undefined) return refuse(404, 'Dispute not found', 'not_found')
      return ok('Dispute retrieved', world.payer.disputeBody(dispute.id))
    },
  },
  add_dispute_evidence: {
    method: 'POST',
    path: '/dispute/{id}/evidence',
    run(call) {
      const dispute = openDisputeOf(call)
      dispute.evidence = { ...call.body, id: call.books.id(), dispute: dispute.id }
      return ok('Evidence created', dispute.evidence)
    },
  },
  dispute_upload_url: {
    method: 'GET',
    path: '/dispute/{id}/upload_url',
    run(call) {
      openDisputeOf(call)
      const fileName = `file${call.books.id()}.pdf`
      const signedUrl = `${call.storage}/${fileName}?Signature=double`
      return ok('Upload url generated', { signedUrl, fileName })
    },
  },
  resolve_dispute: {
    method: 'PUT',
    path: '/dispute/{id}/resolve',
    run(call) {
      const { body, world } = call
      const dispute = openDisputeOf(call)
      if (!['merchant-accepted', 'declined'].includes(String(body.resolution)))
        refuse(400, 'Invalid resolution', 'invalid_params')
      dispute.answer = body
      if (body.resolution === 'merchant-accepted') world.payer.endDispute(dispute.id, 'lost')
      return ok('Dispute successfully resolved', world.payer.disputeBody(dispute.id))
    },
  },
  charge: {
    method: 'POST',
    path: '/charge',
    limit: 'charge',
    says: ['reference', 'amount'],
    events: 'one',
    run(call) {
      const { books, body, settings } = call
      if (typeof body.bank_transfer !== 'object' || body.bank_transfer === null)
        refuse(400, 'The double charges by bank_transfer only', 'invalid_params')
      if (!settings.oneTimeAccounts)
        refuse(
          400,
          'Pay with Transfer is not available for your business',
          'feature_unavailable',
          'api_error',
        )
      if (amountIn(body) < minimumOfTransfer)
        refuse(400, 'Amount should be at least NGN 100', 'invalid_amount')
      const expiresAt = endOf((body.bank_transfer as Json).account_expires_at, books.now())
      const transaction = start(call, ['bank_transfer'])
      const bank = providersOf(books).at(-1) as Bank
      const number = String(9_700_000_000 + (transaction.id % 100_000_000))
      Object.assign(transaction, {
        account: { number, name: 'PAYSTACK CHECKOUT', bank, expiresAt },
        status: settings.waitingTransfer,
      })
      return ok('Charge attempted', waitingBody(transaction), transaction.reference)
    },
  },
  check_charge: {
    method: 'GET',
    path: '/charge/{reference}',
    limit: 'charge',
    says: ['reference', 'amount'],
    run(call) {
      const transaction = known(call)
      const waits = transaction.account !== null && transaction.paidAt === null
      return ok(
        'Reference check successful',
        waits ? waitingBody(transaction) : transactionBody(call.books, transaction),
      )
    },
  },
  create_customer: {
    method: 'POST',
    path: '/customer',
    says: ['reference', 'mode'],
    run({ books, body, settings }) {
      const customer = customerOf(books, body, settings.oneCustomerPerEmail)
      return ok('Customer created', customerBody(books, customer), customer.code)
    },
  },
  fetch_customer: {
    method: 'GET',
    path: '/customer/{code}',
    says: ['reference', 'mode'],
    run({ books, params }) {
      const customer =
        books.customer(params.code as string) ??
        refuse(404, 'Customer not found', 'customer_not_found')
      return ok('Customer retrieved', customerBody(books, customer))
    },
  },
  update_customer: {
    method: 'PUT',
    path: '/customer/{code}',
    says: ['reference', 'mode'],
    run({ books, params, body }) {
      const customer =
        books.customer(params.code as string) ??
        refuse(404, 'Customer not found', 'customer_not_found')
      for (const field of ['first_name', 'last_name', 'phone'] as const)
        customer[field] = text(body[field]) ?? customer[field]
      return ok('Customer updated', customerBody(books, customer))
    },
  },
  identify: {
    method: 'POST',
    path: '/customer/{code}/identification',
    events: 'one',
    run({ books, params, body }) {
      const customer =
        books.customer(params.code as string) ??
        refuse(404, 'Customer not found', 'customer_not_found')
      const asked = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, String(value)]),
      )
      for (const name of [
        'country',
        'type',
        'bvn',
        'bank_code',
        'account_number',
        'first_name',
        'last_name',
      ])
        if (text(asked[name]) === null)
          refuse(400, `Please enter a valid \`${name}\``, 'missing_params')
      if (customer.identified)
        refuse(
          400,
          'Customer already validated using the same credentials',
          'customer_already_validated',
        )
      customer.asked = asked
      return {
        status: 202,
        body: { status: true, message: 'Customer Identification in progress' },
        subject: customer.code,
      }
    },
  },
  open_account: {
    method: 'POST',
    path: '/dedicated_account',
    says: ['reference', 'currency'],
    events: 'one',
    run(call) {
      const account = openAccount(call)
      return ok('NUBAN successfully created', accountBody(call.books, account), account.id)
    },
  },
  requery_account: {
    method: 'GET',
    path: '/dedicated_account/requery',
    run(call) {
      const { world, books, query } = call
      requireFeature(call)
      if (!books.accounts.some((one) => one.number === query.account_number))
        refuse(404, 'Dedicated account not found', 'dedicated_account_not_found')
      // The answer is given first: what is found comes as events.
      setImmediate(() => world.bank.requery(query.account_number as string))
      return ok(
        'We are checking the status of your transfer. We will send you a notification once it is confirmed',
        undefined,
      )
    },
  },
  list_providers: {
    method: 'GET',
    path: '/dedicated_account/available_providers',
    run(call) {
      requireFeature(call)
      const data = providersOf(call.books).map((one) => ({
        provider_slug: one.slug,
        bank_id: one.id,
        bank_name: one.name,
        id: one.id,
      }))
      return ok('Dedicated account providers retrieved', data)
    },
  },
  list_accounts: {
    method: 'GET',
    path: '/dedicated_account',
    says: ['reference', 'currency'],
    run(call) {
      const { books, query } = call
      requireFeature(call)
      const rows = books.accounts.filter(
        (one) =>
          (query.customer ?? String(one.customer.id)) === String(one.customer.id) &&
          (query.active ?? String(one.active)) === String(one.active) &&
          (query.currency ?? 'NGN') === 'NGN' &&
          (query.provider_slug ?? one.bank.slug) === one.bank.slug,
      )
      return page(call, 'Managed accounts successfully retrieved', rows, (one) => ({
        customer: customerIn(one.customer),
        ...accountIn(one),
      }))
    },
  },
  fetch_account: {
    method: 'GET',
    path: '/dedicated_account/{id}',
    says: ['reference', 'currency'],
    run(call) {
      requireFeature(call)
      return ok('Customer retrieved', accountBody(call.books, accountOf(call)))
    },
  },
  close_account: {
    method: 'DELETE',
    path: '/dedicated_account/{id}',
    says: ['reference', 'currency'],
    run(call) {
      requireFeature(call)
      const account = accountOf(call)
      // As published: it stays active, and is nobody's.
      account.assigned = false
      return ok('Managed Account Successfully Unassigned', accountBody(call.books, account))
    },
  },
} satisfies Record<string, Operation>
