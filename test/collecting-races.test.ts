import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { refundTasks } from '../src/collecting/refunds/settlement.ts'
import { scopeOf } from '../src/core/context.ts'
import { newClient } from '../src/db/db.ts'
import { newDatabase } from './cluster.ts'
import { type Answer, bankPayout, type Call, makeCall, startServer, type TestServer, until } from './harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers come in every shape
type Json = any

const good = '4242424242424242'
const lostAnswer = '4000000000000259'
const sender = { account_name: 'Ada Okafor', bank_code: '058', account_number: '0123456789' }

const pathOf = (record: Json): string => new URL(record.checkout_url).pathname
const count = (values: (string | number | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1
  return counts
}
const must = async (answer: Promise<Answer>): Promise<Json> => {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
  return body.data
}

/** A payer who has a page open, and can post its form at any later moment. `id` is the try that the form makes. */
async function openPage(url: string, path: string) {
  const shown = await fetch(url + path)
  const token = /name="token" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
  const cookie = shown.headers.get('set-cookie')?.split(';')[0] ?? ''
  const post = async (form: string, fields: Record<string, string> = {}): Promise<string> => {
    const body = new URLSearchParams({ token, ...fields })
    const answer = await fetch(`${url}${path}/${form}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body,
    })
    assert.equal(answer.status, 303, await answer.text())
    return answer.headers.get('location') ?? ''
  }
  return {
    id: token.split('.')[0] as string,
    post,
    pay: (number = good) => post('card', { number, expiry: '12/99', cvc: '123' }),
  }
}

/** Opens the one-time account of a payment as its payer does. @returns the account's id */
async function openAccount(url: string, call: Call, payment: Json): Promise<string> {
  await (await openPage(url, pathOf(payment))).post('transfer')
  const { docs } = await must(call('GET', '/virtual-accounts?limit=100'))
  return docs.find((account: Json) => account.payment === payment.id).id
}

describe('races for places and for one payment', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const charged = async (tries: string[]): Promise<string[]> =>
    (await server.app.db.query<{ id: string }>('select id from sandbox_charges where id = any($1)', [tries])).map(
      (row) => row.id,
    )
  const wallet = async (): Promise<number> => (await server.call('GET', '/wallets?currency=ngn')).data[0].available

  /** That many payers, each with a payment of their own open and a card in hand. */
  async function payersOf(collection: Json, howMany: number) {
    return Promise.all(
      Array.from({ length: howMany }, async () => {
        const path = await (await openPage(server.url, pathOf(collection))).post('start')
        return { path, ...(await openPage(server.url, path)) }
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
      const accounts = []
      for (const payment of docs.slice(5)) accounts.push(await openAccount(server.url, server.call, payment))
      const answers = await Promise.all([
        ...accounts.map((id) => server.call('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 5_000 })),
        ...fresh.map(({ id }: Json) =>
          server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed', method: 'bank_transfer' }),
        ),
      ])
      assert.deepEqual(count(answers.map(({ status }) => status)), { 200: 10 })
      const now = await must(server.call('GET', `/collections/${collection.id}`))
      assert.deepEqual([now.payments_count, now.amount_collected], [10, 50_000])
    }
    await server.assertBooksClean()
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
        const told = await Promise.all(all.map((one) => one.pay()))
        const winners = all.filter((one, i) => told[i] === `${one.path}?method=card`)
        const losers = all.filter((_one, i) => told[i] === pathOf(collection))
        assert.deepEqual([winners.length, losers.length], [places, payers - places])
        assert.deepEqual(await charged(losers.map((one) => one.id)), [])
        assert.equal((await charged(winners.map((one) => one.id))).length, places)
        const { docs } = await must(server.call('GET', `/collections/${collection.id}/payments?limit=100`))
        const expected = { completed: places, ...(payers > places ? { pending: payers - places } : {}) }
        assert.deepEqual(count(docs.map((payment: Json) => payment.status)), expected)
        const now = await must(server.call('GET', `/collections/${collection.id}`))
        assert.deepEqual([now.payments_count, now.amount_collected], [places, places * 5_000])
        await server.assertBooksClean()
      }
    })

  it('declined cards give their places on: in the end as many pay as there are places', async () => {
    const collection = await must(
      server.call('POST', '/collections', { name: 'Seats', currency: 'ngn', amount: 5_000, max_payments: 3 }),
    )
    const all = await payersOf(collection, 9)
    // Every second card is declined for good: its payment ends, and its place is free again.
    await Promise.all(all.map((one, i) => one.pay(i % 2 ? '4100000000000019' : good)))
    await server.assertBooksClean()
    const state = async () => must(server.call('GET', `/collections/${collection.id}`))
    assert.ok((await state()).payments_count <= 3)
    for (const one of await payersOf(collection, 3 - (await state()).payments_count)) await one.pay()
    assert.equal((await state()).payments_count, 3)
    assert.match(await (await fetch(server.url + pathOf(collection))).text(), /This is fully paid/)
    await server.assertBooksClean()
  })

  it('a collection is canceled while payers begin: each has paid, or was told and not charged', async () => {
    for (let round = 0; round < 4; round++) {
      const collection = await must(
        server.call('POST', '/collections', { name: 'Seats', currency: 'ngn', amount: 5_000 }),
      )
      const all = await payersOf(collection, 8)
      const [told, canceled] = await Promise.all([
        Promise.all(all.map((one) => one.pay())),
        server.call('POST', `/collections/${collection.id}/cancel`),
      ])
      assert.equal(canceled.status, 200)
      const paid = all.filter((_one, i) => told[i] !== pathOf(collection))
      assert.deepEqual((await charged(all.map((one) => one.id))).sort(), paid.map((one) => one.id).sort())
      const now = await must(server.call('GET', `/collections/${collection.id}`))
      assert.deepEqual([now.active, now.payments_count], [false, paid.length])
      await server.assertBooksClean()
    }
  })

  for (const number of [good, lostAnswer])
    it(`card ${number}, transfer, cancel and expiry at once: every naira is booked once, and one end is told`, async () => {
      const ends: string[] = []
      for (let round = 0; round < 15; round++) {
        const before = await wallet()
        const payment = await must(server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
        const account = await openAccount(server.url, server.call, payment)
        const page = await openPage(server.url, pathOf(payment))
        const deeds = [
          () => page.pay(number),
          () => page.pay(number),
          () => server.call('POST', `/payments/${payment.id}/cancel`),
          () => server.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'expired' }),
          () => must(server.call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 100_000, sender })),
        ]
        // Each gets its turn to be first, with no lead, a small one, and one to finish in.
        const lead = [0, 4, 20][round % 3] as number
        const inTurn = [...deeds.slice(round % 5), ...deeds.slice(0, round % 5)]
        await Promise.all(inTurn.map((deed, i) => sleep(i * lead).then(deed)))
        const cards = (await charged([page.id])).length
        const now = await until(async () => {
          const data = await must(server.call('GET', `/payments/${payment.id}`))
          return data.status !== 'pending' && data.amount_received === 100_000 * (1 + cards) ? data : null
        })
        ends.push(now.status)
        assert.equal(await wallet(), before + now.amount_received - now.fee)
        const { docs } = await must(server.call('GET', '/events?limit=100'))
        const told = docs.filter((event: Json) => event.payload.id === payment.id).map((event: Json) => event.type)
        assert.deepEqual(told, [`payment.${now.status}`])
        await server.assertBooksClean()
      }
      assert.ok(new Set(ends).size > 1, `it always ended ${ends[0]}`)
    })

  it('20 equal notices at once are one deposit, and 20 different ones are 20', async () => {
    const payment = await must(server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
    const account = await openAccount(server.url, server.call, payment)
    const before = await wallet()
    const told = (notice: (i: number) => string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          must(
            server.call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 1_000, notice: notice(i) }),
          ),
        ),
      )
    const same = await told(() => 'one')
    assert.equal(new Set(same.map((transaction) => JSON.stringify(transaction))).size, 1)
    assert.equal((await must(server.call('GET', `/payments/${payment.id}`))).amount_received, 1_000)
    assert.equal(await wallet(), before + 990)
    const different = await told((i) => `other-${i}`)
    assert.equal(new Set(different.map((transaction) => transaction.id)).size, 20)
    const now = await must(server.call('GET', `/payments/${payment.id}`))
    assert.deepEqual([now.amount_received, now.status, now.fee], [21_000, 'pending', 210])
    await server.assertBooksClean()
  })

  it('the last part comes twice at once: completed once, with a surplus', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await must(server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
      const account = await openAccount(server.url, server.call, payment)
      await Promise.all(
        Array.from({ length: 4 }, () =>
          must(server.call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 50_000 })),
        ),
      )
      const now = await must(server.call('GET', `/payments/${payment.id}`))
      assert.deepEqual([now.status, now.variance, now.amount_received], ['completed', 'overpaid', 200_000])
      const { docs } = await must(server.call('GET', '/events?limit=100'))
      const told = docs.filter((event: Json) => event.payload.id === payment.id)
      assert.equal(told.length, 1)
      await server.assertBooksClean()
    }
  })

  for (const account_number of ['0123456789', '0000000001', '0000000006', '0000000007'])
    it(`a refund to ${account_number} that is settled by several workers at once ends once`, async () => {
      await server.fund('ngn', 1_000_000)
      const settle = refundTasks['refunds.settle']
      assert.ok(settle)
      for (let round = 0; round < 4; round++) {
        const payment = await must(server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
        const account = await openAccount(server.url, server.call, payment)
        const from = { ...sender, account_number }
        await must(server.call('POST', `/virtual-accounts/${account}/simulate-deposit`, { sender: from }))
        const before = await wallet()
        const { id } = await must(server.call('POST', '/refunds', { payment: payment.id }))
        const ctx = { ...server.app, scope: await scopeOf(server.app, server.businessId, false) }
        await Promise.all(Array.from({ length: 5 }, () => settle(ctx, { refund_id: id }, new AbortController().signal)))
        const done = await until(async () => {
          const data = await must(server.call('GET', `/refunds/${id}`))
          return data.status === 'initiated' ? null : data
        })
        const failed = account_number === '0000000001'
        assert.equal(done.status, failed ? 'failed' : 'completed')
        assert.equal(await wallet(), failed ? before : before - 100_000)
        const rows = await server.app.db.query<{ kind: string }>(
          'select kind from ledger_postings where subject = $1 order by id',
          [id],
        )
        const end = failed ? 'refund_release' : 'refund_sent'
        assert.deepEqual(
          rows.map((row) => row.kind),
          ['refund_hold', end],
        )
        const { docs } = await must(server.call('GET', '/events?limit=100'))
        const told = docs.filter((event: Json) => event.payload.id === id).map((event: Json) => event.type)
        assert.deepEqual(told.sort(), [`refund.${done.status}`, 'refund.initiated'].sort())
        await server.assertBooksClean()
      }
    })
})

describe('races for money that goes back', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
  })
  after(() => server.stop())

  const paid = async (): Promise<Json> => {
    const { id } = await must(server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
    return must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed', method: 'card' }))
  }
  const wallet = async (): Promise<[number, number]> => {
    const [{ available, pending }] = await must(server.call('GET', '/wallets?currency=ngn'))
    return [available, pending]
  }

  it('refunds of different payments never take more out of the wallet than is there', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, paid))
    await must(server.call('POST', '/payouts', bankPayout('rest', 12 * 98_500 - 5 * 100_000)))
    const answers = await Promise.all(
      payments.map((payment) => server.call('POST', '/refunds', { payment: payment.id })),
    )
    assert.deepEqual(count(answers.map(({ code }) => code)), { undefined: 5, insufficient_funds: 7 })
    assert.deepEqual(await wallet(), [0, 12 * 98_500])
    await server.assertBooksClean()
    // Some fail at the rail: their money is there again, for as many others.
    const made = answers.filter(({ status }) => status === 201)
    await Promise.all(
      made.map(({ data }, i) =>
        must(server.call('POST', `/refunds/${data.id}/simulate`, { outcome: i < 2 ? 'failed' : 'completed' })),
      ),
    )
    assert.deepEqual(await wallet(), [200_000, 12 * 98_500 - 500_000])
    const open = payments.filter((_payment, i) => answers[i]?.status !== 201)
    const again = await Promise.all(open.map((payment) => server.call('POST', '/refunds', { payment: payment.id })))
    assert.deepEqual(count(again.map(({ code }) => code)), { undefined: 2, insufficient_funds: 5 })
    await server.assertBooksClean()
  })

  it('20 refunds of one payment at once are one', async () => {
    await server.fund('ngn', 2_000_000)
    const payment = await paid()
    const [available, pending] = await wallet()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        server.call('POST', '/refunds', { payment: payment.id, amount: 4_000, reference: `try-${i}` }),
      ),
    )
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), { 201: 1, refund_in_progress: 19 })
    assert.ok(answers.every(({ status }) => status === 201 || status === 409))
    assert.deepEqual(await wallet(), [available - 4_000, pending + 4_000])
    assert.equal((await must(server.call('GET', `/refunds?payment=${payment.id}`))).totalDocs, 1)
    await server.assertBooksClean()
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
    await server.assertBooksClean()
  })

  it('20 refunds of different payments with one reference are one', async () => {
    const payments = await Promise.all(Array.from({ length: 20 }, paid))
    const answers = await Promise.all(
      payments.map((payment) =>
        server.call('POST', '/refunds', { payment: payment.id, amount: 500, reference: 'same' }),
      ),
    )
    assert.deepEqual(count(answers.map(({ status, code }) => code ?? status)), { 201: 1, duplicate_reference: 19 })
    await server.assertBooksClean()
  })

  it('money that comes and money that goes back at once never wait for each other for ever', async () => {
    const payments = await Promise.all(Array.from({ length: 12 }, paid))
    const accounts = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const payment = await must(
          server.call('POST', '/payments', { amount: 100_000, currency: 'ngn', on_mismatch: 'reverse' }),
        )
        return openAccount(server.url, server.call, payment)
      }),
    )
    const answers = await Promise.all(
      Array.from({ length: 36 }, (_, i) => {
        if (i % 3 === 0) return server.call('POST', '/refunds', { payment: payments[i / 3].id })
        if (i % 3 === 1) return server.call('POST', '/payouts', bankPayout(`cross-${i}`, 10_000))
        // Half of it is sent back by itself: not what was due, or more than it.
        const amount = i % 2 ? 100_000 : 90_000
        return server.call('POST', `/virtual-accounts/${accounts[i % 4]}/simulate-deposit`, { amount, sender })
      }),
    )
    assert.ok(
      answers.every(({ status }) => status < 300),
      JSON.stringify(answers.map(({ body }) => body.errors)),
    )
    await server.assertBooksClean()
    await until(async () => {
      await server.call('POST', '/test/clock', { advance: '2h' })
      return (await must(server.call('GET', '/refunds?status=initiated'))).totalDocs === 0
    }, 30_000)
    await server.assertBooksClean()
  })
})

const bin = new URL('../bin/bursar.js', import.meta.url).pathname

describe('a server that is killed while it takes money', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let child: ChildProcess | undefined
  before(async () => {
    database = await newDatabase()
  })
  after(async () => {
    child?.kill('SIGKILL')
    await database.drop()
  })

  const env = (): NodeJS.ProcessEnv => ({
    ...process.env,
    DATABASE_URL: database.url,
    SECRETS_KEY: 'cd'.repeat(32),
    RATE_LIMIT_MAX: '0',
    SANDBOX_DELAY: '200ms',
    PORT: '0',
    LOG_LEVEL: 'warn',
  })

  /** Runs a command to its end. @returns what it printed */
  async function run(...args: string[]): Promise<Json> {
    const running = spawn(process.execPath, [bin, ...args, '--json'], { env: env() })
    let out = ''
    running.stdout.on('data', (chunk) => {
      out += chunk
    })
    await new Promise((resolve) => running.on('close', resolve))
    return JSON.parse(out)
  }

  async function serve(): Promise<string> {
    const started = spawn(process.execPath, [bin, 'serve'], { env: env() })
    child = started
    let output = ''
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    return until(async () => {
      assert.equal(started.exitCode, null, output)
      return /listening on (http:\S+)/.exec(output)?.[1]
    }, 30_000)
  }

  async function all(call: Call, path: string): Promise<Json[]> {
    const docs: Json[] = []
    for (let page = 1; ; page++) {
      const data = await must(call('GET', `${path}?limit=100&page=${page}`))
      docs.push(...data.docs)
      if (!data.hasNextPage) return docs
    }
  }

  it('ends every payment, try and refund after the restart, with clean books and nothing told twice', async () => {
    const made = await run('business', 'create', '--name', 'Crash')
    let url = await serve()
    let call = makeCall(url, made.test_key)
    const cards = [good, lostAnswer, '4000000000005126', '4000000000000119']
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
        if (n % 2) await (await openPage(url, pathOf(payment))).pay(cards[(n >> 1) % 4])
        else {
          await (await openPage(url, pathOf(payment))).post('transfer')
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
      const dead = new Promise((resolve) => child?.on('exit', resolve))
      child?.kill('SIGKILL')
      await Promise.all([...clients, dead])
      url = await serve()
      call = makeCall(url, made.test_key)
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

    const payments = await all(call, '/payments')
    const refunds = await all(call, '/refunds')
    const known = new Set(payments.map((payment) => payment.reference))
    for (const reference of answered) assert.ok(known.has(reference), `${reference} was answered and is lost`)
    const ends = count(payments.map((payment) => payment.status))
    assert.ok((ends.completed ?? 0) > 50 && refunds.length > 20, JSON.stringify([ends, refunds.length]))
    const told = new Map<string, string[]>()
    for (const { type, payload } of await all(call, '/events'))
      told.set(payload.id, [...(told.get(payload.id) ?? []), type].sort())
    for (const { id, status } of payments) assert.deepEqual(told.get(id), [`payment.${status}`])
    for (const { id, status } of refunds)
      assert.deepEqual(told.get(id), [`refund.${status}`, 'refund.initiated'].sort())
    const { differences } = await run('ledger', 'verify')
    assert.deepEqual(differences, [])
  })
})
