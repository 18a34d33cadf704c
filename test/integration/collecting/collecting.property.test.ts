/**
 * Goal: whatever the order of payments, deposits and refunds, every wallet, fee and status is what
 * simple arithmetic says it is. Method: random sequences run against a server and a model beside
 * it, and the two are compared after each step.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Hosted, newBusiness, newPayer } from '../../support/actors.ts'
import {
  type Answer,
  type Call,
  shareServer,
  startServer,
  type TestServer,
} from '../../support/harness.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

type Currency = 'ngn' | 'usd'
type Method = 'card' | 'bank_transfer' | 'crypto'

/**
 * What a merchant, a payer and a rail can do, by chance. `n` says to which payment or refund, of
 * those there are.
 */
type Operation =
  | {
      do: 'open'
      currency: Currency
      amount: number
      bearer: string
      mismatch: string
      methods: Method[]
    }
  | { do: 'deposit'; n: number; less: number; known: boolean; told: number }
  | { do: 'simulate'; n: number; method: Method; outcome: 'completed' | 'underpaid' | 'overpaid' }
  | { do: 'decline'; n: number; final: boolean }
  | { do: 'cancel' | 'expire'; n: number }
  | { do: 'refund'; n: number; share: number; named: boolean; of: number | null }
  | { do: 'end'; n: number; outcome: 'completed' | 'failed' }

const n = fc.nat(50)
const method = fc.constantFrom<Method>('card', 'bank_transfer', 'crypto')
const open = fc.record({
  do: fc.constant('open' as const),
  currency: fc.constantFrom<Currency>('ngn', 'usd'),
  amount: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1_000, max: 60_000 })),
  bearer: fc.constantFrom('business', 'customer'),
  mismatch: fc.constantFrom('accept', 'reverse'),
  methods: fc.uniqueArray(method, { minLength: 1, maxLength: 3 }),
})
const operation: fc.Arbitrary<Operation> = fc.oneof(
  open,
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('deposit' as const),
      n,
      // Most deposits are near what is due.
      less: fc.oneof(
        fc.constant(0),
        fc.integer({ min: -3, max: 3 }),
        fc.integer({ min: -20_000, max: 50_000 }),
      ),
      known: fc.boolean(),
      told: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('simulate' as const),
      n,
      method,
      outcome: fc.constantFrom('completed' as const, 'underpaid' as const, 'overpaid' as const),
    }),
  },
  fc.record({ do: fc.constant('decline' as const), n, final: fc.boolean() }),
  fc.record({ do: fc.constantFrom('cancel' as const, 'expire' as const), n }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      n,
      share: fc.nat(11),
      named: fc.boolean(),
      of: fc.option(fc.nat(5)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      n,
      outcome: fc.constantFrom('completed' as const, 'failed' as const),
    }),
  },
)

const banks = {
  ngn: { bank_code: '058', account_number: '0123456789', account_name: 'Ada' },
  usd: { bank_code: '110000000', account_number: '000123456789', account_name: 'Ada' },
}
const named = {
  ngn: { bank_code: '044', account_number: '0690000031' },
  usd: {
    country: 'us',
    routing_number: '021000021',
    account_number: '000999',
    account_name: 'Ada',
    account_type: 'savings',
  },
}

/** What a payment costs, as the price list says it: shares rounded up, and caps. */
function feeOf(by: Method, currency: Currency, amount: number): number {
  const share = (bps: number): number => Math.ceil((amount * bps) / 10_000)
  if (by === 'crypto') return share(100)
  if (by === 'card') return currency === 'ngn' ? Math.min(share(150), 200_000) : 30 + share(290)
  return currency === 'ngn' ? Math.min(share(100), 30_000) : Math.min(share(80), 500)
}

/** One naira cent buys so many cents of a token, times 10^12, as the price list rounds it. */
const tokensPerKobo = 645_161_290n
const tokensFor = (kobo: number): number => Number((BigInt(kobo) * tokensPerKobo) / 10n ** 12n)

/** Where money came from, and goes back to: one account, one address and one card stand for all. */
type Way = Method | 'unknown' | 'named'
type Receipt = { id: string; way: Way; amount: number }
/** `goesBy`: what is simulated of it, and what that is called in a refusal. */
type Refund = {
  id: string
  payment: Payment
  way: Way
  amount: number
  status: 'initiated' | 'completed' | 'failed'
  goesBy: [path: string, name: string]
}
type Payment = {
  id: string
  page: Hosted
  currency: Currency
  amount: number
  bearer: string
  mismatch: string
  methods: Method[]
  account: string | null
  status: 'pending' | 'completed' | 'failed' | 'expired' | 'canceled'
  method: Method | null
  receipts: Receipt[]
  received: number
  counted: number
  fee: number
  refunded: number
  refunding: number
}

/** One business, and what it should be after each operation. */
class Model {
  readonly call: Call
  readonly payments: Payment[] = []
  readonly refunds: Refund[] = []
  readonly available = { ngn: 0, usd: 0 }
  readonly pending = { ngn: 0, usd: 0 }

  constructor(call: Call) {
    this.call = call
  }

  private async expect(
    status: number,
    code: string | undefined,
    asked: Promise<Answer>,
  ): Promise<Answer['data']> {
    const answer = await asked
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    return answer.data
  }

  async apply(step: Operation): Promise<void> {
    if (step.do === 'open') return this.open(step)
    if (step.do === 'end') {
      const refund = this.refunds[step.n % Math.max(this.refunds.length, 1)]
      if (refund) await this.end(refund, step.outcome)
      return
    }
    const payment = this.payments[step.n % Math.max(this.payments.length, 1)]
    if (!payment) return
    if (step.do === 'deposit') await this.deposit(payment, step)
    else if (step.do === 'simulate') await this.simulate(payment, step.method, step.outcome)
    else if (step.do === 'decline') await this.decline(payment, step.final)
    else if (step.do === 'refund') await this.refund(payment, step)
    else if (step.do === 'cancel') {
      const refusal = payment.status === 'pending' ? undefined : 'payment_not_pending'
      await this.expect(
        refusal ? 400 : 200,
        refusal,
        this.call('POST', `/payments/${payment.id}/cancel`),
      )
      if (!refusal) payment.status = 'canceled'
    } else {
      const refusal = payment.status === 'pending' ? undefined : 'payment_not_pending'
      const asked = this.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'expired' })
      await this.expect(refusal ? 400 : 200, refusal, asked)
      if (!refusal) payment.status = 'expired'
    }
  }

  private async open({
    currency,
    amount,
    bearer,
    mismatch,
    methods,
  }: Extract<Operation, { do: 'open' }>) {
    const data = await this.expect(
      201,
      undefined,
      this.call('POST', '/payments', {
        currency,
        amount,
        fee_bearer: bearer,
        on_mismatch: mismatch,
        methods,
      }),
    )
    this.payments.push({
      id: data.id,
      page: data,
      currency,
      amount,
      bearer,
      mismatch,
      methods,
      account: null,
      status: 'pending',
      method: null,
      receipts: [],
      received: 0,
      counted: 0,
      fee: 0,
      refunded: 0,
      refunding: 0,
    })
  }

  private due({ status, amount, bearer, currency, counted, fee }: Payment, by: Method): number {
    if (status !== 'pending') return 0
    let whole = amount
    if (bearer === 'customer')
      while (whole - Math.max(feeOf(by, currency, whole), fee) < amount) whole += 1
    return whole - counted
  }

  /** Posts a form of the payment's page. */
  private async post(
    { page }: Payment,
    form: string,
    fields: Record<string, string> = {},
  ): Promise<void> {
    const { status, text } = await newPayer(page).post(form, fields)
    assert.equal(status, 303, text)
  }

  /** Money comes on the payment's account, whatever has become of the payment. */
  private async deposit(
    payment: Payment,
    { less, known, told }: Extract<Operation, { do: 'deposit' }>,
  ) {
    const { currency } = payment
    if (payment.account === null) {
      const due = this.due(payment, 'bank_transfer')
      if (payment.status !== 'pending' || !payment.methods.includes('bank_transfer')) return
      await this.post(payment, 'transfer')
      const [account] = (await this.call('GET', '/virtual-accounts?limit=1')).data.docs
      assert.deepEqual([account.payment, account.amount], [payment.id, due])
      payment.account = account.id
    }
    const amount = Math.max(this.due(payment, 'bank_transfer') - less, 1)
    const notice = `notice-${payment.id}-${payment.received}`
    const ids = new Set<string>()
    for (let time = 0; time < told; time++) {
      const body = { amount, notice, ...(known ? { sender: banks[currency] } : {}) }
      const path = `/virtual-accounts/${payment.account}/simulate-deposit`
      ids.add((await this.expect(200, undefined, this.call('POST', path, body))).id)
    }
    assert.equal(ids.size, 1)
    const [id = ''] = ids
    await this.receive(payment, 'bank_transfer', amount, known ? 'bank_transfer' : 'unknown', id)
  }

  private async simulate(
    payment: Payment,
    by: Method,
    outcome: 'completed' | 'underpaid' | 'overpaid',
  ) {
    const due = this.due(payment, by)
    const open = payment.status === 'pending'
    const possible = payment.methods.includes(by) && (by !== 'card' || outcome === 'completed')
    const refusal = open ? (possible ? undefined : 'method_not_available') : 'payment_not_pending'
    const asked = this.call('POST', `/payments/${payment.id}/simulate`, { outcome, method: by })
    await this.expect(refusal ? 400 : 200, refusal, asked)
    if (refusal) return
    const wanted = (whole: number): number => {
      if (outcome === 'completed') return whole
      return outcome === 'overpaid'
        ? whole + Math.floor(whole / 10) + 1
        : Math.floor(whole / 2) || 1
    }
    const { id } = (await this.call('GET', '/transactions?type=payment&limit=1')).data.docs[0]
    if (by === 'card') return this.receive(payment, by, due, by, id)
    if (by === 'bank_transfer') {
      if (payment.account === null) {
        const [account] = (await this.call('GET', '/virtual-accounts?limit=1')).data.docs
        assert.equal(account.payment, payment.id)
        payment.account = account.id
      }
      return this.receive(payment, by, wanted(due), by, id)
    }
    const price = payment.currency === 'ngn' ? 1_550 : 1
    const quoted = Math.ceil(due / price)
    const tokens = wanted(quoted)
    return this.receive(payment, by, tokens === quoted ? due : tokens * price, by, id)
  }

  private async decline(payment: Payment, final: boolean): Promise<void> {
    if (payment.status !== 'pending' || !payment.methods.includes('card')) return
    const number = final ? '4100000000000019' : '4000000000009995'
    await this.post(payment, 'card', { number, expiry: '12/99', cvc: '123' })
    if (final) payment.status = 'failed'
  }

  private async receive(payment: Payment, by: Method, amount: number, way: Way, id: string) {
    const { currency } = payment
    const open = payment.status === 'pending'
    const due = this.due(payment, by)
    const wrong = amount < due ? amount : amount - due
    const dust = by === 'crypto' && currency === 'ngn' && tokensFor(wrong) === 0
    const back = payment.mismatch === 'reverse' && way !== 'unknown' && !dust ? wrong : 0
    const kept = amount - back
    payment.receipts.unshift({ id, way, amount })
    payment.received += amount
    payment.counted += kept
    const more = Math.min(feeOf(by, currency, payment.counted), payment.counted) - payment.fee
    const fee = Math.min(Math.max(more, 0), kept)
    payment.fee += fee
    this.available[currency] += amount - fee - back
    if (back > 0) {
      const [refund] = (await this.call('GET', `/refunds?payment=${payment.id}&limit=1`)).data.docs
      assert.deepEqual([refund.amount, refund.automatic, refund.status], [back, true, 'initiated'])
      this.hold(payment, refund.id, way, back)
    }
    if (open && amount >= due) {
      payment.status = 'completed'
      payment.method = by
    }
  }

  private hold(payment: Payment, id: string, way: Way, amount: number, byPayout = false): void {
    this.pending[payment.currency] += amount
    payment.refunding += amount
    const goesBy: Refund['goesBy'] = byPayout
      ? [`/payouts/refund_${id}`, 'payout']
      : [`/refunds/${id}`, 'refund']
    this.refunds.push({ id, payment, way, amount, status: 'initiated', goesBy })
  }

  /** What is left of what came each way, the latest first. What went elsewhere was not a card's. */
  private origins(payment: Payment): Map<Way, number> {
    const left = new Map<Way, number>()
    for (const { way, amount } of payment.receipts) left.set(way, (left.get(way) ?? 0) + amount)
    const gone = this.refunds.filter((one) => one.payment === payment && one.status !== 'failed')
    for (const { way, amount } of gone)
      if (way !== 'named') left.set(way, (left.get(way) ?? 0) - amount)
    let elsewhere = gone
      .filter(({ way }) => way === 'named')
      .reduce((sum, { amount }) => sum + amount, 0)
    for (const [way, amount] of left) {
      const part = way === 'card' ? 0 : Math.min(amount, elsewhere)
      left.set(way, amount - part)
      elsewhere -= part
    }
    assert.deepEqual([elsewhere, [...left.values()].filter((amount) => amount < 0)], [0, []])
    return new Map([...left].filter(([, amount]) => amount > 0))
  }

  private async refund(
    payment: Payment,
    step: Extract<Operation, { do: 'refund' }>,
  ): Promise<void> {
    const { currency } = payment
    const { share } = step
    const origins = this.origins(payment)
    const whole = payment.received - payment.refunded - payment.refunding
    const receipt =
      step.of === null
        ? undefined
        : payment.receipts[step.of % Math.max(payment.receipts.length, 1)]
    let way: Way = receipt?.way ?? [...origins.keys()][0] ?? 'unknown'
    let left = origins.get(way) ?? 0
    if (step.named && !receipt) {
      left = whole - (origins.get('card') ?? 0)
      way = left === 0 && whole > 0 ? 'card' : 'named'
    }
    // None is all that is left; eleven tenths are too much.
    const amount = share === 0 ? left : Math.max(Math.ceil((left * share) / 10), 1)
    const toTokens = way === 'crypto' && !step.named && currency === 'ngn'
    const refusal = ((): string | undefined => {
      if (payment.status === 'pending' || payment.received === 0) return 'payment_not_refundable'
      if (payment.refunding > 0) return 'refund_in_progress'
      if (receipt && left === 0) return 'not_found'
      if (whole === 0) return 'refund_too_large'
      if (step.named && way === 'card') return 'invalid_destination'
      if (!step.named && way === 'unknown') return 'destination_required'
      if (amount > left) return 'refund_too_large'
      if (toTokens && tokensFor(amount) === 0) return 'amount_too_small'
      return amount > this.available[currency] ? 'insufficient_funds' : undefined
    })()
    const statuses: Record<string, number> = { refund_in_progress: 409, not_found: 404 }
    const data = await this.expect(
      refusal === undefined ? 201 : (statuses[refusal] ?? 400),
      refusal,
      this.call('POST', '/refunds', {
        payment: payment.id,
        ...(share === 0 ? {} : { amount }),
        ...(step.named ? { destination: named[currency] } : {}),
        ...(receipt ? { transaction: receipt.id } : {}),
      }),
    )
    if (refusal) return
    const arrives = toTokens ? tokensFor(amount) : amount
    assert.deepEqual(
      [data.amount, data.destination_amount, data.automatic],
      [amount, arrives, false],
    )
    this.available[currency] -= amount
    this.hold(payment, data.id, way, amount, data.payout !== null)
  }

  async end(refund: Refund, outcome: 'completed' | 'failed'): Promise<void> {
    const { payment, amount, goesBy } = refund
    const [path, name] = goesBy
    // The end that it has already is answered as it stands.
    const refusal = ['initiated', outcome].includes(refund.status)
      ? undefined
      : `${name}_already_final`
    const asked = this.call('POST', `${path}/simulate`, { outcome })
    await this.expect(refusal ? 400 : 200, refusal, asked)
    if (refund.status !== 'initiated') return
    refund.status = outcome
    payment.refunding -= amount
    this.pending[payment.currency] -= amount
    if (outcome === 'completed') payment.refunded += amount
    else this.available[payment.currency] += amount
  }

  /** The server must have what the model has. */
  async compare(): Promise<void> {
    for (const { currency, available, pending } of (await this.call('GET', '/wallets')).data) {
      const code = currency as Currency
      assert.deepEqual([code, available, pending], [code, this.available[code], this.pending[code]])
    }
    for (const payment of this.payments) {
      const { data } = await this.call('GET', `/payments/${payment.id}`)
      assert.deepEqual(
        [data.status, data.method, data.amount_received, data.amount_refunded, data.fee, data.net],
        [
          payment.status,
          payment.method,
          payment.received,
          payment.refunded,
          payment.fee,
          payment.counted - payment.fee,
        ],
      )
      const { docs } = (await this.call('GET', `/refunds?payment=${payment.id}&limit=100`)).data
      const mine = this.refunds.filter((refund) => refund.payment === payment)
      const shown = (list: { id: string; amount: number; status: string }[]): string[] =>
        list.map(({ id, amount, status }) => `${id} ${amount} ${status}`).sort()
      assert.deepEqual(shown(docs), shown(mine))
    }
    const events = (await this.call('GET', '/events?limit=100')).data
    assert.equal(events.hasNextPage, false)
    const told = events.docs.map(
      (event: { type: string; payload: { id: string } }) => `${event.type} ${event.payload.id}`,
    )
    for (const { id, status } of this.payments) {
      const ends = told.filter((one: string) => one.startsWith('payment.') && one.endsWith(id))
      assert.deepEqual(ends, status === 'pending' ? [] : [`payment.${status} ${id}`])
    }
  }
}

describe('any sequence of payments, deposits and refunds', () => {
  let server: TestServer
  const settings = { SANDBOX_DELAY: '1h' }
  before(async () => {
    server = await shareServer(settings)
  })
  after(() => server.stop())
  const renew = async (): Promise<void> => {
    await server.stop().catch(() => {})
    server = await startServer(settings)
  }

  it('leaves the balances and records that a simple model has', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(open, { minLength: 1, maxLength: 3 }),
        fc.array(operation, { minLength: 5, maxLength: 25 }),
        inFreshWorlds(renew, async (first, operations) => {
          const model = new Model(await newBusiness(server, 'Model'))
          for (const step of [...first, ...operations]) await model.apply(step)
          await model.compare()
          await server.assertBooksClean()
          for (const refund of model.refunds)
            if (refund.status === 'initiated') await model.end(refund, 'completed')
          await model.compare()
          assert.deepEqual(model.pending, { ngn: 0, usd: 0 })
          for (const { status } of [...model.payments, ...model.refunds]) seen.add(status)
        }),
      ),
      { numRuns: runs(25) },
    )
    // Which ends chance picks differs from run to run; that it picks many does not.
    assert.ok(seen.has('completed') && seen.size >= 3, [...seen].join(', '))
  })
})
