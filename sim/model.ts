/**
 * What a business knows of itself by what it was answered, and nothing else: what must be there, how it may end, what it does to wallets.
 */
import type { Endpoint } from './receivers.ts'
import type { Json } from './requests.ts'

export type Currency = 'ngn' | 'usd'
type Moved = [currency: string, minorUnits: bigint][]

/** A record that an answered write made or changed. */
export type Expected = {
  kind: string
  path: string
  /** Statuses in which it may come to rest. */
  ends: Set<string>
  /** Fields that are as they were answered, whatever happens. */
  fields: Json
  /** What it does to what can be spent, at rest. */
  available: (record: Json) => Moved
  pending?: (record: Json) => Moved
  /** The types of its events, at rest. */
  events?: (record: Json) => string[]
}

export type Model = ReturnType<typeof newModel>

export function newModel(name: string) {
  return {
    name,
    id: '',
    key: '',
    keyId: '',
    livemode: false,
    endpoints: [] as (Endpoint & { id: string })[],
    /** By id. */
    records: new Map<string, Expected>(),
    /** Money that came by no record of its own. */
    given: { ngn: 0n, usd: 0n } as Record<Currency, bigint>,
    /** Paths at which nothing may be: what was refused, or deleted. */
    absent: new Set<string>(),
    /** References of payouts, latest last, to do something with. */
    payouts: [] as string[],
    /** Payouts by their references. */
    byReference: new Map<string, Expected>(),
    payments: [] as { id: string; amount: number; paid: boolean }[],
    /** Records of which one client alone is the owner, as they were last answered: by path. */
    owned: new Map<string, Json>(),
    /** Paths of those that a client goes on with, by client and kind. */
    mine: new Map<string, string[]>(),
    /** Events that were asked for again: they come to streams again. */
    resent: new Set<string>(),
    /** Ids of deposits that came by a chain. */
    chain: new Set<string>(),
    requests: 0,
  }
}

/** What a payout to each account comes to at the sandbox. */
const endOfAccount: Record<string, string> = {
  '0000000001': 'failed',
  '0000000002': 'processing',
  '0000000004': 'failed',
  '0000000005': 'failed',
  '0000000008': 'failed',
  '0000000009': 'failed',
}

/** Accounts to pay to: most are paid, some are not, some lose answers. */
export const accounts = [
  ...['0123456789', '1234567890', '2222222222', '3000000001'],
  ...['0000000001', '0000000002', '0000000004', '0000000005', '0000000006', '0000000007', '0000000008', '0000000010'],
]

const units = (n: number): bigint => BigInt(n)

export function expectPayout(model: Model, record: Json): void {
  const { id, reference, amount, currency, fee, net_amount, destination_amount, transaction } = record
  const account = record.destination.account_number as string
  model.records.set(id, {
    kind: 'payout',
    path: `/payouts/${reference}`,
    ends: new Set([endOfAccount[account] ?? 'completed']),
    fields: { id, reference, amount, currency, fee, net_amount, destination_amount, transaction },
    available: ({ status }) => {
      if (status === 'failed' || status === 'canceled') return []
      return [[currency, status === 'returned' ? -units(fee) : -units(amount)]]
    },
    pending: ({ status }) => (status === 'pending' || status === 'processing' ? [[currency, units(amount)]] : []),
    events: ({ status }) => {
      if (status === 'processing') return ['payout.initiated']
      if (status === 'returned') return ['payout.completed', 'payout.initiated', 'payout.returned']
      return [`payout.${status}`, 'payout.initiated'].sort()
    },
  })
  model.payouts.push(reference)
  model.byReference.set(reference, model.records.get(id) as Expected)
}

export function expectPayment(model: Model, record: Json): void {
  const { id, reference, amount, currency } = record
  model.records.set(id, {
    kind: 'payment',
    path: `/payments/${id}`,
    // Nobody pays it; a clock that is moved far enough ends it.
    ends: new Set(['pending', 'expired']),
    fields: { id, reference, amount, currency },
    available: ({ status, net }) => (status === 'completed' ? [[currency, units(net)]] : []),
  })
}

export function expectRefund(model: Model, record: Json): void {
  const { id, reference, amount, currency, payment } = record
  model.records.set(id, {
    kind: 'refund',
    path: `/refunds/${id}`,
    ends: new Set(['completed']),
    fields: { id, reference, amount, currency, payment },
    available: ({ status }) => (status === 'failed' ? [] : [[currency, -units(amount)]]),
    pending: ({ status }) => (status === 'initiated' ? [[currency, units(amount)]] : []),
  })
}

export function expectDeposit(model: Model, record: Json): void {
  const { id, amount, currency, fee, net, type } = record
  model.records.set(id, {
    kind: 'deposit',
    path: `/transactions/${id}/verify`,
    ends: new Set(['completed']),
    fields: { id, amount, currency, fee, net, type },
    available: () => [[currency, units(net)]],
  })
}

export function expectConversion(model: Model, record: Json): void {
  const { id, amount, currency, fee, destination_amount, destination_currency } = record
  model.records.set(id, {
    kind: 'conversion',
    path: `/conversions/${id}`,
    ends: new Set(['undefined']),
    fields: { id, amount, currency, fee, destination_amount, destination_currency },
    available: () => [
      [currency, -units(amount)],
      [destination_currency, units(destination_amount)],
    ],
    events: () => ['conversion.completed'],
  })
}

/** Of an invoice: it is open for as long as the invoice. */
export function expectInvoicePayment(model: Model, record: Json): void {
  expectPayment(model, record)
  const expected = model.records.get(record.id)
  if (expected) expected.ends = new Set(['pending'])
}

/** Nothing of a wallet moves by it: what is taken for it is a person's decision. */
export function expectDispute(model: Model, record: Json): void {
  const { id, amount, currency, payment } = record
  model.records.set(id, {
    kind: 'dispute',
    path: `/disputes/${id}`,
    ends: new Set(['open', 'won', 'lost']),
    fields: { id, amount, currency, payment },
    available: () => [],
  })
}
