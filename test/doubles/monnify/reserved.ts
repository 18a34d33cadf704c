/**
 * Reserved accounts at the double of Monnify, what payers send to them, and its settlement into the
 * wallet. Kobo.
 */
import { padded, slashed, spaced, withOffset } from './times.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json; subject?: string }
type Call = { path: string; query: URLSearchParams; body: Json }

export const reservedOperations = [
  'reserve',
  'get_reserved',
  'close_reserved',
  'get_transaction',
  'search_transactions',
  'by_settlement',
] as const
export type ReservedOperation = (typeof reservedOperations)[number]

export const reservedRoutes: [ReservedOperation, string, RegExp][] = [
  ['reserve', 'POST', /^\/api\/v2\/bank-transfer\/reserved-accounts$/],
  ['get_reserved', 'GET', /^\/api\/v2\/bank-transfer\/reserved-accounts\/[^/]+$/],
  ['close_reserved', 'DELETE', /^\/api\/v1\/bank-transfer\/reserved-accounts\/reference\/[^/]+$/],
  ['get_transaction', 'GET', /^\/api\/v2\/transactions\/[^/]+$/],
  ['search_transactions', 'GET', /^\/api\/v1\/transactions\/search$/],
  ['by_settlement', 'GET', /^\/api\/v1\/transactions\/find-by-settlement-reference$/],
]

export type Reserved = {
  reference: string
  name: string
  number: string
  bank: string
  active: boolean
  /** What the search calls the way that payments to it come. */
  channel: string
}
export type Paid = {
  id: string
  account: Reserved
  amount: number
  fee: number
  at: Date
  settlement: string | null
}

const fields = [
  'accountReference',
  'accountName',
  'currencyCode',
  'contractCode',
  'customerEmail',
  'customerName',
].concat('getAllAvailableBanks', 'preferredBanks')

type Parts = {
  now(): Date
  id(prefix: string): string
  ok(body: Json, subject?: string): Answer
  refused(status: number, code: string, message: string): Error
  move(amount: number, narration: string): void
  emit(eventType: string, eventData: Json, reference: string): void
  violations: string[]
}

export const contract = '8389328412'

export function openReserved({ now, id, ok, refused, move, emit, violations }: Parts) {
  const accounts: Reserved[] = []
  const paid: Paid[] = []
  const settings = {
    identity: false,
    refuses: null as { status: number; code: string; message: string } | null,
  }
  let numbers = 6_000_000_000

  const lastOf = (path: string): string => decodeURIComponent(path.split('/').at(-1) ?? '')
  const naira = (kobo: number): number => kobo / 100
  const bodyOf = (one: Reserved): Json => ({
    contractCode: contract,
    accountReference: one.reference,
    accountName: one.name,
    currencyCode: 'NGN',
    status: one.active ? 'ACTIVE' : 'DEALLOCATED',
    reservedAccountType: 'GENERAL',
    accounts: [
      {
        bankCode: one.bank,
        bankName: 'Moniepoint Microfinance Bank',
        accountNumber: one.number,
        accountName: one.name.toUpperCase(),
      },
    ],
  })
  const text = (kobo: number): string => (kobo / 100).toFixed(2)
  const sender = { accountName: 'ADA OKAFOR', accountNumber: '0123456789', bankCode: '058' }
  /**
   * A transaction that is asked for by itself: amounts are text. Who sent it is a list in some
   * recorded answers, and one object in others.
   */
  const paidBody = (one: Paid, i = paid.indexOf(one)): Json => ({
    transactionReference: one.id,
    paymentReference: one.id,
    paidOn: padded(one.at),
    paymentStatus: 'PAID',
    amountPaid: text(one.amount),
    settlementAmount: text(one.amount - one.fee),
    currency: 'NGN',
    paymentMethod: 'ACCOUNT_TRANSFER',
    product: { type: 'RESERVED_ACCOUNT', reference: one.account.reference },
    paymentSourceInformation: i % 2 === 0 ? [sender] : sender,
    destinationAccountInformation: {
      accountNumber: one.account.number,
      bankCode: one.account.bank,
    },
  })
  /** A webhook's: its times have two other forms. */
  const toldBody = (one: Paid): Json => ({
    ...paidBody(one, 0),
    paidOn: paid.length % 2 === 0 ? spaced(one.at) : slashed(one.at),
    amountPaid: naira(one.amount),
  })
  /**
   * A row of the search: neither what was paid, nor what is settled, nor which account it came to.
   */
  const rowOf = (one: Paid): Json => ({
    customerDTO: { email: 'ada@example.com', name: 'Ada' },
    paymentMethod: 'ACCOUNT_TRANSFER',
    completed: true,
    createdOn: withOffset(one.at),
    completedOn: withOffset(one.at),
    amount: naira(one.amount),
    currencyCode: 'NGN',
    paymentStatus: 'PAID',
    transactionReference: one.id,
    paymentReference: one.id,
    collectionChannel: one.account.channel,
    payableAmount: naira(one.amount),
    fee: naira(one.fee),
  })
  const found = (reference: string): Reserved => {
    const one = accounts.find((other) => other.reference === reference)
    if (one === undefined) throw refused(404, '99', 'Cannot find reserved account')
    return one
  }
  const page = (rows: Json[], query: URLSearchParams): Answer => {
    const size = Number(query.get('size') ?? 10)
    const start = Number(query.get('page') ?? 0) * size
    return ok({ content: rows.slice(start, start + size), last: start + size >= rows.length })
  }

  const run: Record<ReservedOperation, (call: Call) => Answer> = {
    reserve({ body }) {
      for (const name of Object.keys(body))
        if (!fields.includes(name)) violations.push(`reserve: ${name} is not known`)
      if (body.contractCode !== contract || body.currencyCode !== 'NGN')
        violations.push('reserve: another contract')
      if (settings.refuses !== null)
        throw refused(settings.refuses.status, settings.refuses.code, settings.refuses.message)
      if (settings.identity) throw refused(400, '99', 'BVN or NIN is required')
      if (accounts.some((one) => one.reference === body.accountReference))
        throw refused(422, '99', 'You can not reserve two accounts with the same reference.')
      const [bank] = body.preferredBanks as [string]
      const made = {
        reference: body.accountReference,
        name: body.accountName,
        number: String(++numbers),
        bank,
        active: true,
        channel: 'RESERVED_ACCOUNT',
      }
      accounts.push(made)
      return ok(bodyOf(made), made.reference)
    },
    get_reserved: ({ path }) => ok(bodyOf(found(lastOf(path)))),
    close_reserved({ path }) {
      const one = found(lastOf(path))
      one.active = false
      return ok(bodyOf(one))
    },
    get_transaction({ path }) {
      const one = paid.find((other) => other.id === lastOf(path))
      if (one === undefined)
        throw refused(
          404,
          '99',
          'Could not find transaction with the specified transaction reference',
        )
      return ok(paidBody(one))
    },
    search_transactions({ query }) {
      const [from, to] = [Number(query.get('from')), Number(query.get('to'))]
      return page(
        paid.filter(({ at }) => at.getTime() >= from && at.getTime() <= to).map(rowOf),
        query,
      )
    },
    by_settlement({ query }) {
      return page(
        paid
          .filter(({ settlement }) => settlement === query.get('reference'))
          .map((one) => paidBody(one)),
        query,
      )
    },
  }
  return {
    accounts,
    paid,
    settings,
    run,
    /** Somebody sends money to an account; Monnify tells of it. */
    pay(number: string, amount: number): Paid {
      const account = accounts.find((one) => one.number === number)
      if (account === undefined) throw new Error(`The double has no account ${number}.`)
      const id_ = `MNFY|${id('')}`
      const made: Paid = {
        id: id_,
        account,
        amount,
        fee: Math.min(Math.round(amount * 0.015), 200_000),
        at: now(),
        settlement: null,
      }
      paid.push(made)
      emit('SUCCESSFUL_TRANSACTION', toldBody(made), made.id)
      return made
    },
    /**
     * Monnify pays what is not settled yet into the wallet. How it words that was never recorded.
     */
    settle(narrationOf = (reference: string): string => `Settlement ${reference}`): void {
      const waiting = paid.filter(({ settlement }) => settlement === null)
      const reference = id('MFYSETTL')
      for (const one of waiting) one.settlement = reference
      move(
        waiting.reduce((sum, one) => sum + one.amount - one.fee, 0),
        narrationOf(reference),
      )
    },
  }
}
