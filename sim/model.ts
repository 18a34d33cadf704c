/**
 * What a business knows of itself by what it was answered, and nothing else: what must be there,
 * how it may end, what it does to wallets.
 */
import type { Endpoint } from './receivers.ts'
import type { Json } from './requests.ts'

export type Moved = [currency: string, minorUnits: bigint][]

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
  /** What its provider is to pay, and to whom: of live payouts. */
  order?: string
  /** As it was when it was looked at last, and what of its wallets' money it had moved by then. */
  seen?: { status: string; available: Moved; pending: Moved }
}

export type Model = ReturnType<typeof newModel>

const noMoney = (): Record<string, bigint> => ({ ngn: 0n, usd: 0n })

export function newModel(name: string) {
  return {
    name,
    id: '',
    key: '',
    keyId: '',
    livemode: false,
    /** A beneficiary that is an account of its own, which payout schedules pay. */
    account: '',
    endpoints: [] as (Endpoint & { id: string })[],
    /** By id. */
    records: new Map<string, Expected>(),
    /** Ids of those that a client has done something to since they were looked at last. */
    touched: new Set<string>(),
    /** What all records moved that were looked at. */
    moved: { available: noMoney(), pending: noMoney() },
    /** Money that came by no record of its own. */
    given: noMoney(),
    /** Paths at which nothing may be: what was refused, or deleted. */
    absent: new Set<string>(),
    /** Paths of batches of payouts whose lines may be paid again. */
    batches: [] as string[],
    /** References of payouts, latest last, to do something with. */
    payouts: [] as string[],
    /** Ids of payouts by their references. */
    byReference: new Map<string, string>(),
    payments: [] as { id: string; amount: number }[],
    /** Those of them that were paid. */
    paid: [] as { id: string; amount: number }[],
    /**
     * What was sent to payments' accounts from their pages, and what may have been: its answer was
     * lost. By the payment's id.
     */
    sent: new Map<string, { surely: number; perhaps: number }>(),
    /** Ids of collections whose links payers open: nobody is answered what is paid by them. */
    links: new Set<string>(),
    /** Records of which one client alone is the owner, as they were last answered: by path. */
    owned: new Map<string, Json>(),
    /** Paths of those that were written since they were looked at last. */
    written: new Set<string>(),
    /** Paths of those that a client goes on with, by client and kind. */
    mine: new Map<string, string[]>(),
    /** Events that were asked for again: they come to streams again. */
    resent: new Set<string>(),
    /** Deposits that came by a chain, as they were seen last. */
    chain: new Map<string, Json>(),
    /** Types of events by the id of the record that they are about, and the ids of those events. */
    told: new Map<string, string[]>(),
    events: new Set<string>(),
    /** Nothing that is older than this was made since the last look; null: there was none. */
    since: null as Date | null,
    newest: 0,
    requests: 0,
    /** How often its limits were made stricter. */
    stricter: 0,
  }
}

/** Expects a record from now on. */
function expect(model: Model, id: string, expected: Expected): void {
  model.records.set(id, expected)
  model.touched.add(id)
}

/**
 * A record is to be looked at again: a client does something to it. @throws {Error} when nobody was
 * ever answered it
 */
export function touched(model: Model, id: string): Expected {
  const expected = model.records.get(id)
  if (!expected) throw new Error(`the model lacks ${id}`)
  model.touched.add(id)
  return expected
}

/** A record of one client's own is as it was answered. */
export function own(model: Model, path: string, record: Json): void {
  model.owned.set(path, record)
  model.written.add(path)
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

/** Numbers of people, which no log may have. */
export const bvns = ['22345678901', '22456789013', '22567890124', '22678901235'] as const

/** Accounts to pay to: most are paid, some are not, some lose answers. */
export const accounts = [
  '0123456789',
  '1234567890',
  '2222222222',
  '3000000001',
  '0000000001',
  '0000000002',
  '0000000004',
  '0000000005',
  '0000000006',
  '0000000007',
  '0000000008',
  '0000000010',
]

const units = (n: number): bigint => BigInt(n)

/** @param known whether others of the business do something to it, too */
export function expectPayout(model: Model, record: Json, known = true): void {
  const { id, reference, amount, currency, fee, net_amount, destination_amount, transaction } =
    record
  const account = record.destination.account_number as string
  expect(model, id, {
    kind: 'payout',
    path: `/payouts/${reference}`,
    ends: new Set([endOfAccount[account] ?? 'completed']),
    fields: { id, reference, amount, currency, fee, net_amount, destination_amount, transaction },
    available: ({ status }) => {
      if (status === 'failed' || status === 'canceled') return []
      return [[currency, status === 'returned' ? -units(fee) : -units(amount)]]
    },
    pending: ({ status }) =>
      status === 'pending' || status === 'processing' ? [[currency, units(amount)]] : [],
    events: ({ status }) => {
      if (status === 'processing') return ['payout.initiated']
      if (status === 'returned') return ['payout.completed', 'payout.initiated', 'payout.returned']
      return [`payout.${status}`, 'payout.initiated'].sort()
    },
  })
  if (known) model.payouts.push(reference)
  model.byReference.set(reference, id)
}

export function expectPayment(model: Model, record: Json): void {
  const { id, reference, amount, currency } = record
  expect(model, id, {
    kind: 'payment',
    path: `/payments/${id}`,
    // Nobody pays it; a clock that is moved far enough ends it.
    ends: new Set(['pending', 'expired']),
    fields: { id, reference, amount, currency },
    available: ({ status, net }) => (status === 'completed' ? [[currency, units(net)]] : []),
    events: ({ status }) => (status === 'pending' ? [] : [`payment.${status}`]),
  })
}

export function expectRefund(model: Model, record: Json): void {
  const { id, reference, amount, currency, payment } = record
  expect(model, id, {
    kind: 'refund',
    path: `/refunds/${id}`,
    ends: new Set(['completed']),
    fields: { id, reference, amount, currency, payment },
    available: ({ status }) => (status === 'failed' ? [] : [[currency, -units(amount)]]),
    pending: ({ status }) => (status === 'initiated' ? [[currency, units(amount)]] : []),
    events({ status, return_transaction }) {
      if (status === 'initiated') return ['refund.initiated']
      return [
        ...(return_transaction ? ['refund.completed'] : []),
        `refund.${status}`,
        'refund.initiated',
      ]
    },
  })
}

export function expectDeposit(model: Model, record: Json): void {
  const { id, amount, currency, fee, net, type } = record
  expect(model, id, {
    kind: 'deposit',
    path: `/transactions/${id}/verify`,
    ends: new Set(['completed']),
    fields: { id, amount, currency, fee, net, type },
    available: () => [[currency, units(net)]],
    events: eventsOfDeposit,
  })
}

const eventsOfDeposit = ({ status, method }: Json): string[] =>
  status === 'completed' ? [method === 'crypto' ? 'crypto.deposit' : 'virtual_account.deposit'] : []

/** Of somebody whom a list has: it is in pending, and told of only once it was let go. */
export function expectHeldDeposit(model: Model, record: Json): void {
  const { id, amount, currency, type } = record
  expect(model, id, {
    kind: 'deposit',
    path: `/transactions/${id}/verify`,
    ends: new Set(['pending']),
    fields: { id, amount, currency, type },
    available: ({ status, net }) => (status === 'completed' ? [[currency, units(net)]] : []),
    pending: ({ status }) => (status === 'pending' ? [[currency, units(amount)]] : []),
    events: eventsOfDeposit,
  })
}

export function expectConversion(model: Model, record: Json): void {
  const { id, amount, currency, fee, destination_amount, destination_currency } = record
  expect(model, id, {
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
  touched(model, record.id).ends = new Set(['pending'])
}

/**
 * Nothing of a wallet moves by it but what a person of the operator's has decided to hold or take.
 */
export function expectDispute(model: Model, record: Json): void {
  const { id, amount, currency, payment } = record
  expect(model, id, {
    kind: 'dispute',
    path: `/disputes/${id}`,
    ends: new Set(['open', 'won', 'lost']),
    fields: { id, amount, currency, payment },
    available: ({ held, taken }) => [[currency, -units(held) - units(taken)]],
    pending: ({ held }) => [[currency, units(held)]],
    events: ({ status }) =>
      status === 'open' ? ['dispute.opened'] : ['dispute.closed', 'dispute.opened'],
  })
}
