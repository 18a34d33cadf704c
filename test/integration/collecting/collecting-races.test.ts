/**
 * Goal: of many payers, merchants and workers at once as many win as there are places and money for, and every kobo is booked once.
 * Method: requests are sent together, in each order and with each lead; then charges, postings, events and balances are counted; one server is killed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refundTasks } from '../../../src/collecting/refunds/settlement.ts'
import { newClient } from '../../../src/db/db.ts'
import {
  cards,
  goodCard,
  type Merchant,
  newMerchant,
  newPayer,
  type Payer,
  pathOf,
  sender,
} from '../../support/actors.ts'
import { newDatabase } from '../../support/cluster.ts'
import { command, type Served, serve } from '../../support/commands.ts'
import {
  bankPayout,
  ctxOf,
  type Json,
  listAll,
  makeCall,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'

const count = (values: (string | number | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}
/** The card attempt that a payer's form makes. */
const attemptOf = (payer: Payer): string => payer.token.split('.')[0] as string

describe('races for places and for one payment', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 100_000 })
  })
  after(() => server.stop())

  const charged = async (tries: string[]): Promise<string[]> =>
    (await server.app.db.query<{ id: string }>('select id from sandbox_charges where id = any($1)', [tries])).map(
      (row) => row.id,
    )

  /** That many payers, each with a payment of their own open and a card in hand. */
  async function payersOf(collection: Json, howMany: number): Promise<Payer[]> {
    return Promise.all(
      Array.from({ length: howMany }, async () => {
        const payer = newPayer(collection)
        await payer.start()
        await payer.open()
        return payer
      }),
    )
  }

  it('payers who begin and payers who have paid, of one collection at once, never wait for each other for ever', async () => {
    for (let round = 0; round < 6; round++) {
      const collection = await must(
        server.call('POST', '/collections', { name: 'Seats', currency: 'ngn', amount: 5_000 }),
      )
      await payersOf(collection, 10)
      const { docs } = await must(server.call('GET', `/collections/${collection.id}/payments?limit=100`))
      const fresh = docs.slice(0, 5)
      const accounts: Json[] = []
      for (const payment of docs.slice(5)) accounts.push(await merchant.payerOf(payment).openAccount())
      const answers = await Promise.all([
        ...accounts.map(({ id }) => server.call('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 5_000 })),
        ...fresh.map(({ id }: Json) =>
          server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed', method: 'bank_transfer' }),
        ),
      ])
      assert.deepEqual(count(answers.map(({ status }) => status)), { 200: 10 })
      const now = await must(server.call('GET', `/collections/${collection.id}`))
      assert.deepEqual([now.payments_count, now.amount_collected], [10, 50_000])
    }
  })

  for (const [payers, places, rounds] of [
    [2, 1, 6],
    [2, 2, 2],
    [16, 5, 2],
  ] as const)
    it(`${payers} payers for ${places} places: as many pay as there are places, and no other card is charged`, async () => {
      for (let round = 0; round < rounds; round++) {
        const collection = await must(
          server.call('POST', '/collections', {
            name: 'Seats',
            currency: 'ngn',
            amount: 5_000,
            max_payments: places,
          }),
        )
        const all = await payersOf(collection, payers)
        const told = await Promise.all(all.map((one) => one.typeCard()))
        const winners = all.filter((one, i) => told[i] === `${new URL(one.url).pathname}?method=card`)
        const losers = all.filter((_one, i) => told[i] === pathOf(collection))
        assert.deepEqual([winners.length, losers.length], [places, payers - places])
        assert.deepEqual(await charged(losers.map(attemptOf)), [])
        assert.equal((await charged(winners.map(attemptOf))).length, places)
        const { docs } = await must(server.call('GET', `/collections/${collection.id}/payments?limit=100`))
        const expected = { completed: places, ...(payers > places ? { pending: payers - places } : {}) }
        assert.deepEqual(count(docs.map((payment: Json) => payment.status)), expected)
        const now = await must(server.call('GET', `/collections/${collection.id}`))
        assert.deepEqual([now.payments_count, now.amount_collected], [places, places * 5_000])
      }
    })

  it('declined cards give their places on: in the end as many pay as there are places', async () => {
    const collection = await must(
      server.call('POST', '/collections', { name: 'Seats', currency: 'ngn', amount: 5_000, max_payments: 3 }),
    )
    const all = await payersOf(collection, 9)
    // Every second card is declined for good: its payment ends, and its place is free again.
    await Promise.all(all.map((one, i) => one.typeCard(i % 2 ? cards.fraudulent : goodCard.number)))
    const state = async () => must(server.call('GET', `/collections/${collection.id}`))
    assert.ok((await state()).payments_count <= 3)
    for (const one of await payersOf(collection, 3 - (await state()).payments_count)) await one.typeCard()
    assert.equal((await state()).payments_count, 3)
    assert.match(await (await fetch(server.url + pathOf(collection))).text(), /This is fully paid/)
  })

  it('a collection is canceled while payers begin: each has paid, or was told and not charged', async () => {
    for (let round = 0; round < 4; round++) {
      const collection = await must(
        server.call('POST', '/collections', { name: 'Seats', currency: 'ngn', amount: 5_000 }),
      )
      const all = await payersOf(collection, 8)
      const [told, canceled] = await Promise.all([
        Promise.all(all.map((one) => one.typeCard())),
        server.call('POST', `/collections/${collection.id}/cancel`),
      ])
      assert.equal(canceled.status, 200)
      const paid = all.filter((_one, i) => told[i] !== pathOf(collection))
      assert.deepEqual((await charged(all.map(attemptOf))).sort(), paid.map(attemptOf).sort())
      const now = await must(server.call('GET', `/collections/${collection.id}`))
      assert.deepEqual([now.active, now.payments_count], [false, paid.length])
    }
  })

  for (const number of [goodCard.number, cards.lostAnswer])
    it(`card ${number}, transfer, cancel and expiry at once: every naira is booked once, and one end is told`, async () => {
      const ends: string[] = []
      for (let round = 0; round < 15; round++) {
        const before = await merchant.available()
        const payment = await merchant.openPayment()
        const payer = merchant.payerOf(payment)
        await payer.openAccount()
        await payer.open()
        const deeds = [
          () => payer.typeCard(number),
          () => payer.typeCard(number),
          () => server.call('POST', `/payments/${payment.id}/cancel`),
          () => server.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'expired' }),
          () => payer.transfer(100_000),
        ]
        // Each gets its turn to be first, with no lead, a small one, and one to finish in.
        const lead = [0, 4, 20][round % 3] as number
        const inTurn = [...deeds.slice(round % 5), ...deeds.slice(0, round % 5)]
        await Promise.all(inTurn.map((deed, i) => sleep(i * lead).then(deed)))
        const cards = (await charged([attemptOf(payer)])).length
        const now = await until(async () => {
          const data = await merchant.readPayment(payment)
          return data.status !== 'pending' && data.amount_received === 100_000 * (1 + cards) ? data : null
        })
        ends.push(now.status)
        assert.equal(await merchant.available(), before + now.amount_received - now.fee)
        assert.deepEqual(await merchant.eventTypesOf(payment), [`payment.${now.status}`])
      }
      assert.ok(new Set(ends).size > 1, `it always ended ${ends[0]}`)
    })

  it('20 equal notices at once are one deposit, and 20 different ones are 20', async () => {
    const payment = await merchant.openPayment()
    const account = await merchant.payerOf(payment).openAccount()
    const before = await merchant.available()
    const told = (notice: (i: number) => string) =>
      Promise.all(Array.from({ length: 20 }, (_, i) => merchant.deposit(account, { amount: 1_000, notice: notice(i) })))
    const same = await told(() => 'one')
    assert.equal(new Set(same.map((transaction) => JSON.stringify(transaction))).size, 1)
    assert.equal((await merchant.readPayment(payment)).amount_received, 1_000)
    assert.equal(await merchant.available(), before + 990)
    const different = await told((i) => `other-${i}`)
    assert.equal(new Set(different.map((transaction) => transaction.id)).size, 20)
    const now = await merchant.readPayment(payment)
    assert.deepEqual([now.amount_received, now.status, now.fee], [21_000, 'pending', 210])
  })

  it('the last part comes twice at once: completed once, with a surplus', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await merchant.openPayment()
      const payer = merchant.payerOf(payment)
      await payer.openAccount()
      await Promise.all(Array.from({ length: 4 }, () => payer.transfer(50_000, null)))
      const now = await merchant.readPayment(payment)
      assert.deepEqual([now.status, now.variance, now.amount_received], ['completed', 'overpaid', 200_000])
      assert.equal((await merchant.eventsOf(payment)).length, 1)
    }
  })

  for (const account_number of ['0123456789', '0000000001', '0000000006', '0000000007'])
    it(`a refund to ${account_number} that is settled by several workers at once ends once`, async () => {
      await server.fund('ngn', 1_000_000)
      const settle = refundTasks['refunds.settle']
      assert.ok(settle)
      for (let round = 0; round < 4; round++) {
        const payment = await merchant.takeTransfer({ ...sender, account_number })
        const before = await merchant.available()
        const { id } = await must(merchant.refund(payment))
        const ctx = await ctxOf(server)
        await Promise.all(Array.from({ length: 5 }, () => settle(ctx, { refund_id: id }, new AbortController().signal)))
        const done = await merchant.refundEnded(id)
        const failed = account_number === '0000000001'
        assert.equal(done.status, failed ? 'failed' : 'completed')
        assert.equal(await merchant.available(), failed ? before : before - 100_000)
        const rows = await server.app.db.query<{ kind: string }>(
          'select kind from ledger_postings where subject = $1 order by id',
          [id],
        )
        const end = failed ? 'refund_release' : 'refund_sent'
        assert.deepEqual(
          rows.map((row) => row.kind),
          ['refund_hold', end],
        )
        assert.deepEqual((await merchant.eventTypesOf(id)).sort(), [`refund.${done.status}`, 'refund.initiated'].sort())
      }
    })
})

describe('races for money that goes back', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server, { price: 100_000 })
  })
  after(() => server.stop())

  const paid = (): Promise<Json> => merchant.takePayment('card')

  it('refunds of different payments never take more out of the wallet than is there', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, paid))
    await must(server.call('POST', '/payouts', bankPayout('rest', 12 * 98_500 - 5 * 100_000)))
    const answers = await Promise.all(payments.map((payment) => merchant.refund(payment)))
    assert.deepEqual(count(answers.map(({ code }) => code)), { undefined: 5, insufficient_funds: 7 })
    assert.deepEqual(await merchant.balance(), { available: 0, pending: 12 * 98_500 })
    // Some fail at the rail: their money is there again, for as many others.
    const made = answers.filter(({ status }) => status === 201)
    await Promise.all(
      made.map(({ data }, i) =>
        must(server.call('POST', `/refunds/${data.id}/simulate`, { outcome: i < 2 ? 'failed' : 'completed' })),
      ),
    )
    assert.deepEqual(await merchant.balance(), { available: 200_000, pending: 12 * 98_500 - 500_000 })
    const open = payments.filter((_payment, i) => answers[i]?.status !== 201)
    const again = await Promise.all(open.map((payment) => merchant.refund(payment)))
    assert.deepEqual(count(again.map(({ code }) => code)), { undefined: 2, insufficient_funds: 5 })
  })

  it('20 refunds of one payment at once are one', async () => {
    await server.fund('ngn', 2_000_000)
    const payment = await paid()
    const { available, pending } = await merchant.balance()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => merchant.refund(payment, { amount: 4_000, reference: `try-${i}` })),
    )
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), { 201: 1, refund_in_progress: 19 })
    assert.ok(answers.every(({ status }) => status === 201 || status === 409))
    assert.deepEqual(await merchant.balance(), { available: available - 4_000, pending: pending + 4_000 })
    assert.equal((await must(server.call('GET', `/refunds?payment=${payment.id}`))).totalDocs, 1)
  })

  it('20 refunds with one Idempotency-Key are one, with one answer', async () => {
    const payment = await paid()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call('POST', '/refunds', { payment: payment.id }, { 'idempotency-key': 'refund' }),
      ),
    )
    assert.deepEqual(count(answers.map(({ status }) => status)), { 201: 20 })
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1)
  })

  it('20 refunds of different payments with one reference are one', async () => {
    const payments = await Promise.all(Array.from({ length: 20 }, paid))
    const answers = await Promise.all(
      payments.map((payment) => merchant.refund(payment, { amount: 500, reference: 'same' })),
    )
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), { 201: 1, duplicate_reference: 19 })
  })

  it('money that comes and money that goes back at once never wait for each other for ever', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, paid))
    const accounts = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const payment = await merchant.openPayment({ on_mismatch: 'reverse' })
        return merchant.payerOf(payment).openAccount()
      }),
    )
    const answers = await Promise.all(
      Array.from({ length: 36 }, (_, i) => {
        if (i % 3 === 0) return merchant.refund(payments[i / 3])
        if (i % 3 === 1) return server.call('POST', '/payouts', bankPayout(`cross-${i}`, 10_000))
        // Half of it is sent back by itself: not what was due, or more than it.
        const amount = i % 2 ? 100_000 : 90_000
        return server.call('POST', `/virtual-accounts/${accounts[i % 4].id}/simulate-deposit`, { amount, sender })
      }),
    )
    assert.ok(
      answers.every(({ status }) => status < 300),
      JSON.stringify(answers.map(({ body }) => body.errors)),
    )
    await until(async () => {
      await merchant.advance('2h')
      return (await must(server.call('GET', '/refunds?status=initiated'))).totalDocs === 0
    }, 30_000)
  })
})

describe('a server that is killed while it takes money', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let served: Served
  before(async () => {
    database = await newDatabase()
  })
  after(async () => {
    served?.child.kill('SIGKILL')
    await database.drop()
  })

  const env = (): Record<string, string> => ({
    DATABASE_URL: database.url,
    SECRETS_KEY: 'cd'.repeat(32),
    ...{ RATE_LIMIT_MAX: '0', CARD_TRIES_MAX: '0', CARD_DECLINES_MAX: '0' },
    SANDBOX_DELAY: '200ms',
  })
  const run = async (...args: string[]): Promise<Json> => JSON.parse((await command([...args, '--json'], env())).out)

  it('ends every payment, try and refund after the restart, with clean books and nothing told twice', async () => {
    const made = await run('business', 'create', '--name', 'Crash')
    served = await serve(env())
    let call = makeCall(served.url, made.test_key)
    const numbers = [goodCard.number, cards.lostAnswer, '4000000000005126', cards.lostOrder]
    const accounts = ['0123456789', '0000000001', '0000000006', '0000000007']
    const answered = new Set<string>()
    let turn = 0

    /** Opens payments, pays them by each way in turn, and refunds some, until the server is dead. */
    async function client(): Promise<void> {
      for (;;) {
        const n = turn++
        const reference = `crash-${n}`
        const payment = await must(call('POST', '/payments', { reference, amount: 100_000, currency: 'ngn' }))
        answered.add(reference)
        if (n % 2) await newPayer(payment).payByCard(numbers[(n >> 1) % 4])
        else {
          await newPayer(payment).post('transfer')
          const docs = (await must(call('GET', '/virtual-accounts?limit=100'))).docs
          const account = docs.find((one: Json) => one.payment === payment.id)
          const from = { ...sender, account_number: accounts[(n >> 1) % 4] }
          const path = `/virtual-accounts/${account.id}/simulate-deposit`
          await must(call('POST', path, { sender: from, notice: reference }))
        }
        await call('POST', '/refunds', { payment: payment.id, amount: 30_000 })
      }
    }

    for (let kill = 0; kill < 3; kill++) {
      // What a client was doing when the server died is what the restart must show.
      const clients = Array.from({ length: 8 }, () => client().catch(() => {}))
      const target = answered.size + 30 + kill * 13
      await until(async () => answered.size >= target, 60_000)
      served.child.kill('SIGKILL')
      await Promise.all([...clients, served.ended])
      served = await serve(env())
      call = makeCall(served.url, made.test_key)
    }

    const db = newClient(database.url)
    await db.connect()
    const open = async (table: string, states: string): Promise<number> =>
      Number((await db.query(`select count(*) from ${table} where status in (${states})`)).rows[0].count)
    try {
      // Tries whose answer was never heard are asked about, and then the time of what nobody pays is over.
      await must(call('POST', '/test/clock', { advance: '1m' }))
      await until(async () => (await open('payment_attempts', `'processing'`)) === 0, 60_000)
      await must(call('POST', '/test/clock', { advance: '25h' }))
      await until(async () => (await open('payments', `'pending'`)) === 0, 60_000)
      await until(async () => (await open('refunds', `'initiated'`)) === 0, 60_000)
      assert.equal(await open('payment_attempts', `'processing', 'challenge'`), 0)
      const { rows: unbooked } = await db.query(
        `select c.id from sandbox_charges c join payment_attempts a on a.id = c.id
          where c.outcome = 'succeeded' and a.transaction_id is null`,
      )
      assert.deepEqual(unbooked, [], 'a card was charged and nothing was booked')
    } finally {
      await db.end()
    }

    const payments = await listAll(call, '/payments')
    const refunds = await listAll(call, '/refunds')
    const known = new Set(payments.map((payment) => payment.reference))
    for (const reference of answered) assert.ok(known.has(reference), `${reference} was answered and is lost`)
    const ends = count(payments.map((payment) => payment.status))
    assert.ok((ends.completed ?? 0) > 50 && refunds.length > 20, JSON.stringify([ends, refunds.length]))
    const told = new Map<string, string[]>()
    for (const { type, payload } of await listAll(call, '/events'))
      told.set(payload.id, [...(told.get(payload.id) ?? []), type].sort())
    for (const { id, status } of payments) assert.deepEqual(told.get(id), [`payment.${status}`])
    for (const { id, status } of refunds)
      assert.deepEqual(told.get(id), [`refund.${status}`, 'refund.initiated'].sort())
    const { differences } = await run('ledger', 'verify')
    assert.deepEqual(differences, [])
  })
})
