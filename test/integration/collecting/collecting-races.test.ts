/**
 * Goal: of many payers, merchants and workers at once as many win as there are places and money
 * for, and every kobo is booked once. Method: requests are sent together, in each order and with
 * each lead; then charges, postings, events and balances are counted.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refundTasks } from '../../../src/collecting/refunds/settlement.ts'
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
import {
  bankPayout,
  ctxOf,
  type Json,
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
    (
      await server.app.db.query<{ id: string }>(
        'select id from sandbox_charges where id = any($1)',
        [tries],
      )
    ).map((row) => row.id)

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
      const { docs } = await must(
        server.call('GET', `/collections/${collection.id}/payments?limit=100`),
      )
      const fresh = docs.slice(0, 5)
      const accounts: Json[] = []
      for (const payment of docs.slice(5))
        accounts.push(await merchant.payerOf(payment).openAccount())
      const answers = await Promise.all([
        ...accounts.map(({ id }) =>
          server.call('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 5_000 }),
        ),
        ...fresh.map(({ id }: Json) =>
          server.call('POST', `/payments/${id}/simulate`, {
            outcome: 'completed',
            method: 'bank_transfer',
          }),
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
        const winners = all.filter(
          (one, i) => told[i] === `${new URL(one.url).pathname}?method=card`,
        )
        const losers = all.filter((_one, i) => told[i] === pathOf(collection))
        assert.deepEqual([winners.length, losers.length], [places, payers - places])
        assert.deepEqual(await charged(losers.map(attemptOf)), [])
        assert.equal((await charged(winners.map(attemptOf))).length, places)
        const { docs } = await must(
          server.call('GET', `/collections/${collection.id}/payments?limit=100`),
        )
        const expected = {
          completed: places,
          ...(payers > places ? { pending: payers - places } : {}),
        }
        assert.deepEqual(count(docs.map((payment: Json) => payment.status)), expected)
        const now = await must(server.call('GET', `/collections/${collection.id}`))
        assert.deepEqual([now.payments_count, now.amount_collected], [places, places * 5_000])
      }
    })

  it('declined cards give their places on: in the end as many pay as there are places', async () => {
    const collection = await must(
      server.call('POST', '/collections', {
        name: 'Seats',
        currency: 'ngn',
        amount: 5_000,
        max_payments: 3,
      }),
    )
    const all = await payersOf(collection, 9)
    // Every second card is declined for good: its payment ends, and its place is free again.
    await Promise.all(all.map((one, i) => one.typeCard(i % 2 ? cards.fraudulent : goodCard.number)))
    const state = async () => must(server.call('GET', `/collections/${collection.id}`))
    assert.ok((await state()).payments_count <= 3)
    for (const one of await payersOf(collection, 3 - (await state()).payments_count))
      await one.typeCard()
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
          return data.status !== 'pending' && data.amount_received === 100_000 * (1 + cards)
            ? data
            : null
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
      Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          merchant.deposit(account, { amount: 1_000, notice: notice(i) }),
        ),
      )
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
      assert.deepEqual(
        [now.status, now.variance, now.amount_received],
        ['completed', 'overpaid', 200_000],
      )
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
        await Promise.all(
          Array.from({ length: 5 }, () =>
            settle(ctx, { refund_id: id }, new AbortController().signal),
          ),
        )
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
        assert.deepEqual(
          (await merchant.eventTypesOf(id)).sort(),
          [`refund.${done.status}`, 'refund.initiated'].sort(),
        )
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
    assert.deepEqual(count(answers.map(({ code }) => code)), {
      undefined: 5,
      insufficient_funds: 7,
    })
    assert.deepEqual(await merchant.balance(), { available: 0, pending: 12 * 98_500 })
    // Some fail at the rail: their money is there again, for as many others.
    const made = answers.filter(({ status }) => status === 201)
    await Promise.all(
      made.map(({ data }, i) =>
        must(
          server.call('POST', `/refunds/${data.id}/simulate`, {
            outcome: i < 2 ? 'failed' : 'completed',
          }),
        ),
      ),
    )
    assert.deepEqual(await merchant.balance(), {
      available: 200_000,
      pending: 12 * 98_500 - 500_000,
    })
    const open = payments.filter((_payment, i) => answers[i]?.status !== 201)
    const again = await Promise.all(open.map((payment) => merchant.refund(payment)))
    assert.deepEqual(count(again.map(({ code }) => code)), { undefined: 2, insufficient_funds: 5 })
  })

  it('20 refunds of one payment at once are one', async () => {
    await server.fund('ngn', 2_000_000)
    const payment = await paid()
    const { available, pending } = await merchant.balance()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        merchant.refund(payment, { amount: 4_000, reference: `try-${i}` }),
      ),
    )
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), {
      201: 1,
      refund_in_progress: 19,
    })
    assert.ok(answers.every(({ status }) => status === 201 || status === 409))
    assert.deepEqual(await merchant.balance(), {
      available: available - 4_000,
      pending: pending + 4_000,
    })
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
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), {
      201: 1,
      duplicate_reference: 19,
    })
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
        return server.call('POST', `/virtual-accounts/${accounts[i % 4].id}/simulate-deposit`, {
          amount,
          sender,
        })
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
