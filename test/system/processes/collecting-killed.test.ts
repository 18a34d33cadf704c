/**
 * Goal: a server that is killed while it takes money loses no payment, books no card twice, and
 * tells of each end once. Method: clients pay and refund in every way there is; the server is
 * killed three times in the middle; then charges, postings and events are counted.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Opened, verifyBooks } from '../../../src/app/main.ts'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { cards, goodCard, newPayer, sender } from '../../support/actors.ts'
import { newDatabase, type TestDatabase } from '../../support/cluster.ts'
import { openBeside, type Served, serve } from '../../support/commands.ts'
import { type Json, listAll, makeCall, must, until } from '../../support/harness.ts'

describe('a server that is killed while it takes money', () => {
  let database: TestDatabase
  let env: Record<string, string>
  let beside: Opened
  let served: Served
  before(async () => {
    database = await newDatabase()
    env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      SANDBOX_DELAY: '200ms',
      RATE_LIMIT_MAX: '0',
      CARD_TRIES_MAX: '0',
      CARD_DECLINES_MAX: '0',
    }
    beside = await openBeside(env)
  })
  after(async () => {
    served?.child.kill('SIGKILL')
    await beside.close()
    await database.drop()
  })

  it('ends every payment, try and refund after the restart, with clean books and nothing told twice', async () => {
    const made = await createBusiness(beside.app, 'Crash')
    served = await serve(env)
    let call = makeCall(served.url, made.test_key)
    const numbers = [goodCard.number, cards.lostAnswer, '4000000000005126', cards.lostOrder]
    const accounts = ['0123456789', '0000000001', '0000000006', '0000000007']
    const answered = new Set<string>()
    let turn = 0

    /**
     * Opens payments, pays them by each way in turn, and refunds some, until the server is dead.
     */
    async function client(): Promise<void> {
      for (;;) {
        const n = turn++
        const reference = `crash-${n}`
        const payment = await must(
          call('POST', '/payments', { reference, amount: 100_000, currency: 'ngn' }),
        )
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
      served = await serve(env)
      call = makeCall(served.url, made.test_key)
    }

    const { db } = beside.app
    const open = async (table: string, states: string): Promise<number> =>
      (await db.query(`select from ${table} where status in (${states})`)).length
    // Tries whose answer was never heard are asked about, and then the time of what nobody pays is
    // over.
    await must(call('POST', '/test/clock', { advance: '1m' }))
    await until(async () => (await open('payment_attempts', `'processing'`)) === 0, 60_000)
    await must(call('POST', '/test/clock', { advance: '25h' }))
    await until(async () => (await open('payments', `'pending'`)) === 0, 60_000)
    await until(async () => (await open('refunds', `'initiated'`)) === 0, 60_000)
    assert.equal(await open('payment_attempts', `'processing', 'challenge'`), 0)
    const unbooked = await db.query(
      `select c.id from sandbox_charges c join payment_attempts a on a.id = c.id
          where c.outcome = 'succeeded' and a.transaction_id is null`,
    )
    assert.deepEqual(unbooked, [], 'a card was charged and nothing was booked')

    const payments = await listAll(call, '/payments')
    const refunds = await listAll(call, '/refunds')
    const known = new Set(payments.map((payment) => payment.reference))
    for (const reference of answered)
      assert.ok(known.has(reference), `${reference} was answered and is lost`)
    const completed = payments.filter(({ status }) => status === 'completed').length
    assert.ok(
      completed > 50 && refunds.length > 20,
      `${completed} payments, ${refunds.length} refunds`,
    )
    const told = new Map<string, string[]>()
    for (const { type, payload } of await listAll(call, '/events'))
      told.set(payload.id, [...(told.get(payload.id) ?? []), type].sort())
    for (const { id, status } of payments) assert.deepEqual(told.get(id), [`payment.${status}`])
    for (const { id, status } of refunds)
      assert.deepEqual(told.get(id), [`refund.${status}`, 'refund.initiated'].sort())
    assert.deepEqual((await verifyBooks(beside.app)).differences, [])
  })
})
