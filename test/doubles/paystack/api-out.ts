/**
 * Operations about money that leaves, the names of accounts, and the books: transfers, refunds,
 * banks, balance, settlements.
 */
import type { Books, Refund, Transaction, Transfer } from './books.ts'
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
import { transferFee } from './fees.ts'
import {
  bankBody,
  iso,
  type Json,
  recipientBody,
  refundAnswer,
  refundBody,
  settlementBody,
  transactionBody,
  transferAnswer,
  transferBody,
} from './shapes.ts'

/** A refusal in Paystack's form that nobody has written down. */
function refuseStrangely({ settings }: Call, of: 'transfer' | 'refund' | 'create_recipient'): void {
  if (settings.strangeRefusal === of)
    refuse(400, 'This cannot be done at this time', 'strange_refusal', 'api_error')
}

/** Real look-ups with a test key, each day; the bank 001 is not counted. */
const testLookups = 3
const lookups = new WeakMap<Books, { day: string; count: number }>()

function countLookup(books: Books): void {
  const day = books.now().toISOString().slice(0, 10)
  const seen = lookups.get(books)
  const count = (seen?.day === day ? seen.count : 0) + 1
  lookups.set(books, { day, count })
  if (count <= testLookups) return
  const message =
    'Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode.'
  refuse(429, message, 'unknown', 'api_error')
}

function createTransfer(call: Call): Transfer {
  const { books, body, settings, world } = call
  if (!settings.thirdPartyPayouts)
    refuse(
      settings.starterStatus,
      'You cannot initiate third party payouts as a starter business',
      settings.starterStatus === 403 ? '' : 'transfer_unavailable',
      'api_error',
    )
  refuseStrangely(call, 'transfer')
  nairaOnly(body)
  if (body.source !== 'balance') refuse(400, 'Source is invalid', 'invalid_params')
  const amount = amountIn(body)
  const recipient = books.recipients.find((one) => one.code === body.recipient && !one.deleted)
  if (recipient === undefined)
    refuse(400, 'Recipient specified is invalid', 'invalid_transfer_recipient')
  const reference = text(body.reference) ?? refuse(400, 'Reference is required', 'missing_params')
  if (!/^[a-z0-9_-]{16,50}$/.test(reference))
    refuse(400, 'Invalid transfer reference', 'invalid_transfer_reference')
  if (
    books.transfers.some((one) => one.reference === reference) ||
    burnt.get(books)?.has(reference)
  )
    refuse(
      400,
      'Please provide a unique reference. Reference already exists on a transfer',
      'duplicate_transfer_reference',
    )
  const fee = transferFee(amount)
  if (books.pots.balance < amount + fee) {
    if (settings.refusedTransferBurnsReference)
      burnt.set(books, new Set([...(burnt.get(books) ?? []), reference]))
    refuse(
      400,
      'Your balance is not enough to fulfil this request',
      'insufficient_balance',
      'api_error',
    )
  }
  const status = settings.otp
    ? 'otp'
    : settings.transferAnswer === 'received'
      ? 'received'
      : 'pending'
  const at = books.now()
  const transfer: Transfer = {
    id: books.id(),
    code: books.code('TRF'),
    reference,
    amount,
    fee,
    reason: text(body.reason) ?? '',
    recipient,
    status,
    response: null,
    failures: null,
    session: null,
    taken: 0,
    history: [status],
    at,
    updatedAt: at,
  }
  books.transfers.push(transfer)
  if (status !== 'otp') world.transfer.take(transfer)
  if (settings.transferAnswer === 'success' && status !== 'otp') world.transfer.succeed(reference)
  return transfer
}
/** References of refused transfers, where those are used up. */
const burnt = new WeakMap<Books, Set<string>>()

function createRefund(call: Call): Refund {
  const { books, body, settings, world } = call
  nairaOnly(body)
  refuseStrangely(call, 'refund')
  const named = String(body.transaction)
  const transaction = books.transactions.find(
    (one) => String(one.id) === named || one.reference === named,
  )
  // 400, where a look-up of it answers 404: recorded with a test key.
  if (transaction === undefined) refuse(400, 'Transaction not found', 'transaction_not_found')
  const refunded = books.refunds.filter(
    (one) => one.transaction === transaction && one.status !== 'failed',
  )
  const left = transaction.amount - refunded.reduce((sum, one) => sum + one.amount, 0)
  if (transaction.status === 'reversed' && (left === 0 || refunded.length === 0))
    refuse(400, 'Transaction has been fully reversed', 'transaction_reversed')
  if (transaction.paidAt === null)
    refuse(400, 'Transaction was not successful', 'invalid_transaction_state')
  const amount = body.amount === undefined ? left : amountIn(body)
  if (amount > left || left === 0)
    refuse(
      400,
      'Refund amount cannot be more than what is left of the transaction',
      'refund_amount_exceeds_transaction_amount',
    )
  const id = books.id()
  const taken = books.takeFromBoth(amount, 'Refund', id, `Refund of ${transaction.reference}`)
  if (taken === null)
    refuse(
      400,
      'Your balance is not enough to process this refund',
      'insufficient_balance',
      'api_error',
    )
  const usual = `Refund for transaction ${transaction.reference}`
  const refund: Refund = {
    id,
    transaction,
    amount,
    status: 'pending',
    customerNote: text(body.customer_note) ?? usual,
    merchantNote:
      (settings.refundKeepsNote ? text(body.merchant_note) : null) ??
      `${usual} by operator@shop.example`,
    reference: null,
    taken,
    at: books.now(),
  }
  books.refunds.push(refund)
  world.refund.emit(refund)
  return refund
}

const refundOf = ({ books, params }: Call): Refund =>
  books.refunds.find((one) => String(one.id) === params.id) ??
  refuse(404, 'Refund not found', 'not_found')

const transferOf = (call: Call, fits: (one: Transfer) => boolean): Transfer =>
  call.books.transfers.find(fits) ?? refuse(404, 'Transfer not found', 'transfer_not_found')

const whole = ['reference', 'amount', 'currency', 'mode'] satisfies Operation['says']

export const moneyOutOperations = {
  create_recipient: {
    method: 'POST',
    path: '/transferrecipient',
    says: ['reference', 'currency', 'mode'],
    run(call) {
      const { books, body, world } = call
      nairaOnly(body)
      refuseStrangely(call, 'create_recipient')
      const account = String(body.account_number)
      const bank =
        world.bank.find(String(body.bank_code)) ??
        refuse(400, 'Invalid bank code', 'invalid_bank_code')
      if (!bank.supports_transfer)
        refuse(400, 'Bank does not support transfers', 'invalid_bank_code')
      // Paystack's own test account fails the check digit, so nothing but the length is looked at.
      if (!/^\d{10}$/.test(account))
        refuse(400, 'Account number is invalid', 'invalid_account_number')
      const name = text(body.name) ?? refuse(400, 'Name is required', 'missing_params')
      const same = books.recipients.find(
        (one) => one.account === account && one.bank === bank && one.name === name && !one.deleted,
      )
      const recipient = same ?? {
        id: books.id(),
        code: books.code('RCP'),
        name,
        account,
        bank,
        deleted: false,
        at: books.now(),
      }
      if (same === undefined) books.recipients.push(recipient)
      const body_ = {
        status: true,
        message: 'Transfer recipient created successfully',
        data: recipientBody(books, recipient),
      }
      return { status: 201, body: body_, subject: recipient.code }
    },
  },
  transfer: {
    method: 'POST',
    path: '/transfer',
    limit: 'transfer',
    says: whole,
    events: 'several',
    run(call) {
      const transfer = createTransfer(call)
      const message =
        transfer.status === 'otp' ? 'Transfer requires OTP to continue' : 'Transfer has been queued'
      return ok(message, transferAnswer(call.books, transfer), transfer.reference)
    },
  },
  verify_transfer: {
    method: 'GET',
    path: '/transfer/verify/{reference}',
    limit: 'transfer',
    says: whole,
    run(call) {
      const transfer = transferOf(call, (one) => one.reference === call.params.reference)
      return ok('Transfer retrieved', transferBody(call.books, transfer, call.settings.feeOnVerify))
    },
  },
  list_transfers: {
    method: 'GET',
    path: '/transfer',
    limit: 'transfer',
    says: whole,
    run(call) {
      const { books, query } = call
      const rows = within(call, books.transfers, (one) => one.at, call.settings.listsGoBy).filter(
        (one) => (query.status ?? one.status) === one.status,
      )
      return page(call, 'Transfers retrieved', rows, (one) =>
        transferBody(books, one, call.settings.feeOnVerify),
      )
    },
  },
  fetch_transfer: {
    method: 'GET',
    path: '/transfer/{code}',
    limit: 'transfer',
    says: whole,
    run(call) {
      const transfer = transferOf(
        call,
        (one) => one.code === call.params.code || String(one.id) === call.params.code,
      )
      return ok('Transfer retrieved', transferBody(call.books, transfer, call.settings.feeOnVerify))
    },
  },
  refund: {
    method: 'POST',
    path: '/refund',
    says: whole,
    events: 'several',
    run(call) {
      const refund = createRefund(call)
      return ok(
        'Refund has been queued for processing',
        refundAnswer(call.books, refund),
        refund.id,
      )
    },
  },
  list_refunds: {
    method: 'GET',
    path: '/refund',
    says: whole,
    run(call) {
      const { books, query, settings } = call
      const named = settings.refundFilter ? query.transaction : undefined
      const isOf = ({ id }: Transaction): boolean => named === undefined || named === String(id)
      const rows = within(call, books.refunds, (one) => one.at, settings.listsGoBy).filter((one) =>
        isOf(one.transaction),
      )
      const answer = page(call, 'Refunds retrieved', rows, (one) =>
        refundBody(books, one, settings.refundDates),
      )
      const meta = answer.body.meta as Json
      const of = books.transactions.find(({ id }) => named === String(id))
      const back = rows
        .filter(({ status }) => status !== 'failed')
        .reduce((sum, { amount }) => sum + amount, 0)
      // Text in this list, a number in the others.
      Object.assign(meta, {
        perPage: String(meta.perPage),
        failedRefundCount: 0,
        totalRetriable: 0,
      })
      if (of !== undefined) Object.assign(meta, { partialAmountLeft: of.amount - back })
      return answer
    },
  },
  fetch_refund: {
    method: 'GET',
    path: '/refund/{id}',
    says: whole,
    run: (call) =>
      ok('Refund retrieved', refundBody(call.books, refundOf(call), call.settings.refundDates)),
  },
  retry_refund: {
    method: 'POST',
    path: '/refund/retry_with_customer_details/{id}',
    says: ['amount', 'currency', 'mode'],
    run(call) {
      const refund = refundOf(call)
      if (refund.status !== 'needs-attention')
        refuse(
          422,
          'Invalid Refund state, refund status should be "needs-attention"',
          'invalid_params',
        )
      const details = (call.body.refund_account_details ?? {}) as Json
      if (!call.world.bank.banks.some((one) => String(one.id) === details.bank_id))
        refuse(400, 'Bank is invalid', 'invalid_params')
      call.world.refund.begin(refund.id)
      const data = refundBody(call.books, refund, call.settings.refundDates)
      return ok('Refund retried and has been queued for processing', data, refund.id)
    },
  },
  list_banks: {
    method: 'GET',
    path: '/bank',
    run({ query, world }) {
      const perPage = Number(query.perPage ?? 50)
      const start =
        query.next === undefined
          ? 0
          : Number(Buffer.from(query.next, 'base64').toString().split(':')[1])
      const rows = world.bank.banks.slice(start, start + perPage)
      const cursor = (at: number): string => Buffer.from(`bank:${at}`).toString('base64')
      const next = start + perPage < world.bank.banks.length ? cursor(start + perPage) : null
      const data = rows.map((one) => bankBody(one, query.include_nip_sort_code === 'true'))
      return {
        status: 200,
        body: {
          status: true,
          message: 'Banks retrieved',
          data,
          meta: { next, previous: null, perPage },
        },
      }
    },
  },
  resolve: {
    method: 'GET',
    path: '/bank/resolve',
    limit: 'resolve',
    says: ['reference'],
    run({ books, query, world }) {
      const [code = '', number = ''] = [query.bank_code, query.account_number]
      if (books.mode === 'test' && code !== '001') countLookup(books)
      if (!/^\d{10}$/.test(number)) refuse(400, 'Account number is invalid', 'invalid_params')
      const name = world.bank.holderOf(code, number)
      if (name === null)
        refuse(
          422,
          'Could not resolve account name. Check parameters or try again.',
          'invalid_bank_code',
        )
      return ok('Account number resolved', {
        account_number: number,
        account_name: name,
        bank_id: world.bank.find(code)?.id,
      })
    },
  },
  balance: {
    method: 'GET',
    path: '/balance',
    says: ['currency'],
    run: ({ books }) =>
      ok('Balances retrieved', [{ currency: 'NGN', balance: books.pots.balance }]),
  },
  list_movements: {
    method: 'GET',
    path: '/balance/ledger',
    says: ['currency', 'mode'],
    run(call) {
      const { books } = call
      // By days, of which `from` is left out: recorded on 2026-10-09 with a test key.
      const rows = within(call, books.movements, (one) => one.at, 'days').filter(
        (one) => one.pot === 'balance',
      )
      const rowOf = ({ model, row }: (typeof rows)[number]): number =>
        model === 'Refund' && call.settings.refundModelRow === 'one' ? 1 : row
      return page(call, 'Balance ledger retrieved', rows, (one) => ({
        integration: books.integration,
        domain: books.mode,
        balance: one.balance,
        currency: 'NGN',
        difference: one.difference,
        reason: one.reason,
        model_responsible: one.model,
        model_row: rowOf(one),
        id: one.id,
        createdAt: iso(one.at),
        updatedAt: iso(one.at),
      }))
    },
  },
  list_settlements: {
    method: 'GET',
    path: '/settlement',
    says: ['currency', 'mode'],
    run(call) {
      const rows = within(call, call.books.settlements, (one) => one.at, 'moments')
      return page(call, 'Settlements retrieved', rows, (one) => settlementBody(call.books, one))
    },
  },
  list_settled: {
    method: 'GET',
    path: '/settlement/{id}/transactions',
    says: whole,
    run(call) {
      if (!call.books.settlements.some(({ id }) => String(id) === call.params.id))
        refuse(404, 'Settlement not found', 'not_found')
      const rows = call.books.transactions.filter(
        (one) => String(one.settlement) === call.params.id,
      )
      return page(call, 'Transactions retrieved', rows, (one) => transactionBody(call.books, one))
    },
  },
} satisfies Record<string, Operation>
