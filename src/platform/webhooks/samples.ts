/**
 * A record of each event type, as its own GET would give it, for endpoints that are tried out before anything has happened.
 * A test holds them against the schemas of the records.
 */
import type { Scope } from '../../core/context.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { EventType } from '../events/events.ts'

type Fields = Record<string, unknown>

/** What is the same in all records of a kind; `event` is what follows the dot of the type. */
const kinds: Record<string, (scope: Scope, event: string) => Fields> = {
  virtual_account: (scope) => ({
    ...deposit,
    method: 'bank_transfer',
    currency: 'ngn',
    source: { account_name: 'Ada Okafor', account_number: '0123456789', bank_name: 'Guaranty Trust Bank' },
    related: { virtual_account: newId(scope.now) },
  }),
  crypto: (scope) => ({
    ...deposit,
    method: 'crypto',
    currency: 'usd',
    source: { currency: 'usdc', chain: 'base', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
    related: { crypto_wallet: newId(scope.now) },
  }),
  payment,
  collection: (scope, event) => ({
    name: 'School fees',
    description: null,
    currency: 'ngn',
    amount: 250_000,
    min_amount: null,
    max_amount: null,
    active: event === 'completed',
    canceled_at: event === 'canceled' ? scope.now : null,
    redirect_url: null,
    max_payments: null,
    checkout_url: 'https://pay.example/school-fees',
    payments_count: 1,
    amount_collected: 250_000,
    ...(event === 'completed' ? { payment: { ...common(scope), ...payment(scope, event) } } : {}),
  }),
  refund: ({ now }, event) => ({
    payment: newId(now),
    reference: null,
    amount: 250_000,
    currency: 'ngn',
    reason: null,
    method: 'card',
    destination: { card: { brand: 'visa', last4: '4242' } },
    rate: '1',
    destination_amount: 250_000,
    destination_currency: 'ngn',
    automatic: false,
    status: event,
    failure_reason: event === 'failed' ? 'rejected' : null,
    provider_reference: null,
    tx_hash: null,
    transaction: newId(now),
  }),
  payout: ({ now }, event) => ({
    reference: 'rent-2026-11',
    amount: 250_000,
    currency: 'ngn',
    method: 'bank_transfer',
    destination: {
      currency: 'ngn',
      country: 'ng',
      bank_code: '058',
      bank_name: 'Guaranty Trust Bank',
      account_number: '0123456789',
      resolved_account_name: 'ADA OKAFOR',
    },
    quote: null,
    fee: 5_000,
    net_amount: 245_000,
    fee_breakdown: [{ type: 'platform', amount: 5_000 }],
    rate: '1',
    destination_amount: 245_000,
    destination_currency: 'ngn',
    description: null,
    status: event === 'initiated' ? 'pending' : event,
    failure_reason: event === 'failed' ? 'invalid_account' : null,
    provider_reference: null,
    transaction: newId(now),
    tx_hash: null,
    warnings: [],
  }),
  invoice: ({ now }, event) => ({
    number: 1,
    customer: newId(now),
    currency: 'ngn',
    lines: [{ product: newId(now), name: 'Consulting', amount: 125_000, quantity: 2, total: 250_000 }],
    total: 250_000,
    exchange_rate: null,
    collect_currency: 'ngn',
    collect_amount: 250_000,
    due_date: null,
    memo: null,
    reminders: {},
    status: { paid: 'paid', voided: 'void' }[event] ?? 'open',
    payment: newId(now),
    payment_url: 'https://pay.example/invoice',
    sent_at: event === 'sent' ? now : null,
    finalized_at: now,
    paid_at: event === 'paid' ? now : null,
    voided_at: event === 'voided' ? now : null,
  }),
}

const common = ({ livemode, now }: Scope): Fields => ({
  id: newId(now),
  livemode,
  metadata: {},
  created_at: now,
  updated_at: now,
})

/** What the transactions of both kinds of deposits have. */
const deposit: Fields = {
  type: 'deposit',
  direction: 'credit',
  status: 'completed',
  amount: 250_000,
  fee: 2_500,
  net: 247_500,
  balance_after: 247_500,
  late: false,
  reference: null,
  customer: null,
}

function payment({ now }: Scope, event: string): Fields {
  const paid = event === 'completed'
  return {
    reference: 'order-1001',
    amount: 250_000,
    currency: 'ngn',
    customer: null,
    email: 'ada@example.com',
    description: null,
    methods: ['card', 'bank_transfer'],
    redirect_url: null,
    cancel_url: null,
    expires_at: event === 'expired' ? now : later(now, 86_400_000),
    fee_bearer: 'business',
    on_mismatch: 'accept',
    checkout_url: 'https://pay.example/order-1001',
    status: event,
    method: paid ? 'card' : null,
    amount_received: paid ? 250_000 : 0,
    variance: paid ? 'exact' : null,
    transaction: paid ? newId(now) : null,
    fee: paid ? 3_750 : 0,
    net: paid ? 246_250 : 0,
    amount_refunded: 0,
    amount_confirming: 0,
    attempts: paid || event === 'failed' ? 1 : 0,
    failure_reason: event === 'failed' ? 'fraudulent' : null,
    paid_at: paid ? now : null,
    collection: null,
    invoice: null,
  }
}

/** A made-up record of a type, of no money: with ids that lead nowhere, and the scope's mode and time. */
export function sampleRecord(scope: Scope, type: EventType): Fields {
  const [kind, event] = type.split('.') as [string, string]
  return { ...common(scope), ...kinds[kind]?.(scope, event) }
}
