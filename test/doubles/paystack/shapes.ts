/**
 * How Paystack writes its objects in answers: names and types as published, with the spellings in
 * which it disagrees with itself.
 */
import type {
  Account,
  Bank,
  Books,
  Customer,
  Recipient,
  Refund,
  Settlement,
  Transaction,
  Transfer,
} from './books.ts'

export type Json = Record<string, unknown>

export const iso = (at: Date | null): string | null => (at === null ? null : at.toISOString())

export const masked = (account: string): string =>
  `${'X'.repeat(account.length - 4)}${account.slice(-4)}`

export function customerIn(customer: Customer): Json {
  const { id, first_name, last_name, email, code, phone, metadata } = customer
  return {
    id,
    first_name,
    last_name,
    email,
    customer_code: code,
    phone,
    metadata,
    risk_action: 'default',
    international_format_phone: phone,
  }
}

/** What was not given of a customer has no key here, as recorded (VCR, 2024-11). */
export const customerBody = (books: Books, customer: Customer): Json => ({
  ...Object.fromEntries(Object.entries(customerIn(customer)).filter(([, value]) => value !== null)),
  transactions: [],
  subscriptions: [],
  authorizations: [],
  integration: books.integration,
  domain: books.mode,
  identified: customer.identified,
  identifications: customer.identifications.length === 0 ? null : customer.identifications,
  dedicated_account:
    books.accounts.filter((one) => one.customer === customer && one.active).map(accountIn)[0] ??
    null,
  dedicated_accounts: books.accounts
    .filter((one) => one.customer === customer && one.active)
    .map(accountIn),
  createdAt: iso(customer.at),
  updatedAt: iso(customer.at),
  created_at: iso(customer.at),
  updated_at: iso(customer.at),
  total_transactions: 0,
  total_transaction_value: [],
})

function authorizationOf(transaction: Transaction): Json {
  const { channel, card, sender, receiver } = transaction
  if (transaction.paidAt === null) return {}
  const kept = {
    authorization_code: `AUTH_${transaction.id.toString(36)}`,
    exp_month: '12',
    exp_year: '2030',
    channel,
    country_code: 'NG',
    reusable: channel === 'card',
    account_name: null,
  }
  if (card !== null)
    return {
      ...kept,
      bin: card.bin,
      last4: card.last4,
      card_type: `${card.brand} `,
      bank: 'TEST BANK',
      // Paystack pads it: "visa ".
      brand: `${card.brand} `,
      signature: `SIG_${transaction.id.toString(36)}`,
      receiver_bank_account_number: null,
      receiver_bank: null,
    }
  const account = sender?.account ?? '0000000000'
  return {
    ...kept,
    bin: `${account.slice(0, 3)}XXX`,
    last4: `X${account.slice(-3)}`,
    card_type: 'transfer',
    bank: sender?.bank ?? null,
    brand: 'Managed Account',
    signature: null,
    sender_country: 'NG',
    sender_bank: sender?.bank ?? null,
    sender_bank_account_number: masked(account),
    sender_name: sender?.name ?? null,
    narration: sender?.narration ?? null,
    ...(receiver === null
      ? {}
      : { receiver_bank_account_number: receiver.account, receiver_bank: receiver.bank }),
  }
}

/** A transaction, as `verify`, the list and `charge.success` write it. */
export const transactionBody = (books: Books, transaction: Transaction): Json => ({
  id: transaction.id,
  domain: books.mode,
  status: transaction.status,
  reference: transaction.reference,
  receipt_number: null,
  amount: transaction.amount,
  message: null,
  gateway_response: transaction.response,
  helpdesk_link: null,
  paid_at: iso(transaction.paidAt),
  created_at: iso(transaction.at),
  channel: transaction.channel,
  currency: 'NGN',
  ip_address: '41.242.49.37',
  // "" where there was none, as often as null.
  metadata: transaction.metadata ?? '',
  log: null,
  fees: transaction.fees,
  fees_split: null,
  authorization: authorizationOf(transaction),
  customer: customerIn(transaction.customer),
  plan: null,
  subaccount: {},
  split: {},
  order_id: null,
  paidAt: iso(transaction.paidAt),
  createdAt: iso(transaction.at),
  requested_amount: transaction.requested,
  pos_transaction_data: null,
  source: {
    type: 'api',
    source: 'merchant_api',
    entry_point: 'transaction_initialize',
    identifier: null,
  },
  fees_breakdown: null,
  connect: null,
  transaction_date: iso(transaction.at),
  plan_object: {},
})

export const bankIn = (bank: Bank): Json => ({ name: bank.name, id: bank.id, slug: bank.slug })

export const bankBody = (bank: Bank, nip: boolean): Json => ({
  id: bank.id,
  name: bank.name,
  slug: bank.slug,
  code: bank.code,
  longcode: bank.longcode,
  gateway: null,
  pay_with_bank: false,
  supports_transfer: bank.supports_transfer,
  available_for_direct_debit: false,
  active: bank.active,
  country: 'Nigeria',
  currency: 'NGN',
  type: 'nuban',
  is_deleted: false,
  createdAt: '2016-07-14T10:04:29.000Z',
  updatedAt: '2024-03-13T16:27:55.000Z',
  ...(nip ? { nip_sort_code: bank.nip_sort_code } : {}),
})

export const recipientBody = (books: Books, recipient: Recipient): Json => ({
  active: !recipient.deleted,
  createdAt: iso(recipient.at),
  currency: 'NGN',
  description: null,
  domain: books.mode,
  email: null,
  id: recipient.id,
  integration: books.integration,
  metadata: null,
  name: recipient.name,
  recipient_code: recipient.code,
  type: 'nuban',
  updatedAt: iso(recipient.at),
  is_deleted: recipient.deleted,
  isDeleted: recipient.deleted,
  details: {
    authorization_code: null,
    account_number: recipient.account,
    account_name: recipient.name,
    bank_code: recipient.bank.code,
    bank_name: recipient.bank.name,
  },
})

/** A transfer as `POST /transfer` answers it, which names the recipient by number only. */
export const transferAnswer = (books: Books, transfer: Transfer): Json => ({
  transfersessionid: [],
  transfertrials: [],
  domain: books.mode,
  amount: transfer.amount,
  currency: 'NGN',
  reference: transfer.reference,
  source: 'balance',
  source_details: null,
  reason: transfer.reason,
  status: transfer.status,
  failures: transfer.failures,
  transfer_code: transfer.code,
  titan_code: null,
  transferred_at: transfer.status === 'success' ? iso(transfer.updatedAt) : null,
  id: transfer.id,
  integration: books.integration,
  request: transfer.id,
  recipient: transfer.recipient.id,
  createdAt: iso(transfer.at),
  updatedAt: iso(transfer.updatedAt),
})

/** A transfer as `verify` writes it. That it names the fee is not published [U]; the events do. */
export function transferBody(books: Books, transfer: Transfer, feeNamed: boolean): Json {
  const {
    transfersessionid: _,
    transfertrials: __,
    request: ___,
    ...answer
  } = transferAnswer(books, transfer)
  return {
    ...answer,
    recipient: recipientBody(books, transfer.recipient),
    session: { provider: transfer.session === null ? null : 'nip', id: transfer.session },
    ...(feeNamed ? { fee_charged: transfer.fee, fees_breakdown: null } : {}),
    gateway_response: transfer.response,
  }
}

/**
 * A refund as `POST /refund` answers it: with less of its transaction, and truths that are numbers
 * elsewhere.
 */
export const refundAnswer = (books: Books, refund: Refund): Json => ({
  transaction: {
    id: refund.transaction.id,
    domain: books.mode,
    reference: refund.transaction.reference,
    amount: refund.transaction.amount,
    paid_at: iso(refund.transaction.paidAt),
    channel: refund.transaction.channel,
    currency: 'NGN',
    authorization: { exp_month: null, exp_year: null, account_name: null },
    customer: { international_format_phone: null },
    plan: {},
    subaccount: { currency: null },
    split: {},
    order_id: null,
    paidAt: iso(refund.transaction.paidAt),
    pos_transaction_data: null,
    source: null,
    fees_breakdown: null,
  },
  integration: books.integration,
  deducted_amount: 0,
  channel: null,
  merchant_note: refund.merchantNote,
  customer_note: refund.customerNote,
  status: refund.status,
  refunded_by: 'operator@shop.example',
  expected_at: iso(refund.at),
  currency: 'NGN',
  domain: books.mode,
  amount: refund.amount,
  fully_deducted: false,
  id: refund.id,
  createdAt: iso(refund.at),
  updatedAt: iso(refund.at),
})

/** A refund as `GET /refund` writes it. */
export const refundBody = (
  books: Books,
  refund: Refund,
  dates: 'createdAt' | 'created_at',
): Json => ({
  integration: books.integration,
  transaction: refund.transaction.id,
  dispute: null,
  settlement: null,
  id: refund.id,
  domain: books.mode,
  currency: 'NGN',
  amount: refund.amount,
  status: refund.status,
  refunded_at: null,
  refunded_by: 'operator@shop.example',
  customer_note: refund.customerNote,
  merchant_note: refund.merchantNote,
  deducted_amount: refund.status === 'failed' ? 0 : refund.amount,
  // 0 or 1 here, true or false in the answer of `POST /refund`.
  fully_deducted: refund.status === 'failed' ? 0 : 1,
  ...(dates === 'createdAt'
    ? { createdAt: iso(refund.at) }
    : { created_at: iso(refund.at), updated_at: iso(refund.at), reversed_at: null }),
  bank_reference: refund.reference,
  transaction_reference: refund.transaction.reference,
  reason: refund.status.toUpperCase(),
  customer: { ...customerIn(refund.transaction.customer), metadata: '' },
  refund_type: refund.amount === refund.transaction.amount ? 'Full' : 'Partial',
  transaction_amount: refund.transaction.amount,
  initiated_by: 'operator@shop.example',
  refund_channel: 'default',
  session_id: null,
  collect_account_number: refund.status === 'needs-attention',
})

export const accountIn = (account: Account): Json => ({
  bank: bankIn(account.bank),
  id: account.id,
  account_name: account.name,
  account_number: account.number,
  created_at: iso(account.at),
  updated_at: iso(account.at),
  currency: 'NGN',
  split_config: null,
  active: account.active,
  assigned: account.assigned,
})

export const accountBody = (books: Books, account: Account): Json => ({
  ...accountIn(account),
  metadata: null,
  assignment: {
    integration: books.integration,
    assignee_id: account.customer.id,
    assignee_type: 'Customer',
    expired: false,
    account_type: 'PAY-WITH-TRANSFER-RECURRING',
    assigned_at: iso(account.at),
    expired_at: null,
  },
  customer: customerIn(account.customer),
})

export const settlementBody = (books: Books, settlement: Settlement): Json => ({
  id: settlement.id,
  domain: books.mode,
  status: 'success',
  currency: 'NGN',
  integration: books.integration,
  total_amount: settlement.total,
  effective_amount: settlement.effective,
  total_fees: settlement.fees,
  total_processed: settlement.total,
  deductions: settlement.deductions,
  settlement_date: iso(settlement.at),
  settled_by: null,
  createdAt: iso(settlement.at),
  updatedAt: iso(settlement.at),
})
