/**
 * Goal: money at Paystack that nobody claims goes back to who paid it, once, whatever happens
 * between; and the books come to what it owes. Method: the command as an operator runs it, beside a
 * server over the double of Paystack in test mode, whose clock a test moves.
 */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { verifyBooks } from '../../src/app/main.ts'
import { later } from '../../src/lib/clock.ts'
import { listIncidents, openIncident } from '../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../src/platform/reconciliation/reconciliation.ts'
import { askerOf, dataOf } from '../doubles/paystack/asking.ts'
import { type Double, startPaystack } from '../doubles/paystack.ts'
import { command } from '../support/commands.ts'
import { startServer, type TestServer, until } from '../support/harness.ts'
import { minuteMs } from '../support/paystack.ts'
import { railsEnv } from '../support/provider.ts'

const operator = '000000000000000000000001'

describe('bursar rails return', () => {
  let double: Double
  let server: TestServer
  let env: Record<string, string>
  let ahead = 0
  before(async () => {
    double = await startPaystack()
    double.test.operator.topUp(10_000_000)
    const account = { provider: 'paystack', secret_key: 'env:TEST_KEY', base_url: double.url }
    const file = railsEnv({
      test: { accounts: { paystack: account }, routes: { 'payout.ngn': ['paystack'] } },
    })
    const given = { ...file, TEST_KEY: double.keys.test }
    server = await startServer(given, undefined, { now: () => later(new Date(), ahead) })
    env = { ...given, DATABASE_URL: server.databaseUrl, SECRETS_KEY: 'ab'.repeat(32) }
    await held()
  })
  after(async () => {
    await server.stop()
    await double.stop()
  })

  const held = () =>
    reconcile(server.app, findReconcilable(server.app, false, 'paystack') as ReconciledAccount)
  const run = (
    payment: string | number,
    begun?: (child: ChildProcess) => void,
    ...more: string[]
  ) =>
    command(
      ['rails', 'return', 'paystack', String(payment), '--by', 'Ada', '--mode', 'test', ...more],
      env,
      begun,
    )
  const assign = (payment: number) =>
    command(
      [
        'rails',
        'assign',
        'paystack',
        String(payment),
        '--business',
        server.businessId,
        '--by',
        'Ada',
        '--mode',
        'test',
      ],
      env,
    )
  /**
   * A payment that nobody claims, and its incident. Then it is now again: the command goes by the
   * machine's clock.
   */
  const paid = async (amount = 300_000): Promise<number> => {
    ahead = 0
    const { id } = await askerOf(double, 'test').paid(amount)
    ahead += 31 * minuteMs
    await held()
    ahead -= 31 * minuteMs
    assert.deepEqual(await open(), [`missing_here payment ${id}`])
    return id
  }
  const open = async () =>
    (await listIncidents(server.app.db, {})).map(({ kind, subject }) => `${kind} ${subject}`).sort()
  const givenBack = (payment: number) =>
    double.test.books.refunds.filter((one) => one.transaction.id === payment)
  const statusOf = async (payment: number) =>
    (
      await server.app.db.query<{ status: string }>(
        'select status from provider_returns where payment = $1 order by id desc',
        [String(payment)],
      )
    )[0]?.status
  /** Lets time go by until the server has ended it. */
  const ended = (payment: number, status: string) =>
    until(async () => {
      ahead += minuteMs
      for (const one of givenBack(payment))
        if (one.status === 'pending') double.test.refund.process(one.id)
      return (await statusOf(payment)) === status
    }, 30_000)
  const unclaimed = async () =>
    (
      await server.app.db.query<{ balance: bigint }>(
        `select balance from ledger_accounts where business_id = $1 and not livemode and purpose = 'unclaimed'`,
        [operator],
      )
    )[0]?.balance
  const assertSound = async () => {
    const report = await held()
    assert.deepEqual(
      report.findings.filter(({ accepted }) => !accepted),
      [],
    )
    assert.equal(report.difference, 0n)
    assert.deepEqual(double.violations, [])
    assert.deepEqual(double.audit(), [])
    await server.assertBooksClean()
  }

  it('sends a payment back once, books it as nobody’s, and closes its incident when it is back', async () => {
    const id = await paid()
    const stranger = {
      event: 'charge.success',
      about: 'deposit',
      reference: null,
      provider_id: String(id),
    }
    await openIncident(server.app.db, {
      livemode: false,
      rail: 'paystack',
      kind: 'unknown_subject',
      subject: 'an event',
      detail: stranger,
      at: new Date(),
    })
    const both = await Promise.all([run(id), run(id)])
    assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1], JSON.stringify(both))
    assert.match(
      both.map(({ out }) => out).join(''),
      /^3,000\.00 ngn of payment \d+ are on their way back, or may be\./,
    )
    assert.match(
      both.map(({ err }) => err).join(''),
      /is on its way back already\. Nothing was sent\./,
    )
    assert.deepEqual(await open(), [`missing_here payment ${id}`, 'unknown_subject an event'])
    const incident = (await listIncidents(server.app.db, {})).find(
      ({ kind }) => kind === 'missing_here',
    )
    assert.deepEqual([incident?.detail.status, incident?.detail.by], ['initiated', 'Ada'])
    assert.equal(await unclaimed(), 300_000n)
    const onItsWay = await held()
    assert.deepEqual(
      [onItsWay.difference, onItsWay.lines.find(({ kind }) => kind === 'refund')?.waiting],
      [0n, 1],
    )
    await server.assertBooksClean()
    assert.match((await assign(id)).err, /is booked already/)

    await ended(id, 'completed')
    assert.deepEqual(
      givenBack(id).map(({ status, amount }) => [status, amount]),
      [['processed', 300_000]],
    )
    assert.equal(await unclaimed(), 0n)
    assert.deepEqual(await open(), [])
    const receipts = await server.app.db.query<{
      kind: string
      business_id: string
      amount: bigint
    }>('select kind, business_id, amount from provider_receipts order by kind')
    assert.deepEqual(
      receipts.map((one) => [one.kind, one.business_id, one.amount]),
      [
        ['charge', operator, 300_000n],
        ['refund', operator, 300_000n],
      ],
    )
    assert.match((await run(id)).err, /is back with who paid it\. Nothing was sent\./)
    assert.match((await assign(id)).err, /was given back there already/)
    assert.equal((await server.call('GET', '/transactions')).data.totalDocs, 0)
    await assertSound()
  })

  it('leaves the incident open when it fails, and sends it anew when it is told to', async () => {
    const id = await paid(400_000)
    assert.equal((await run(id)).code, 0)
    double.test.refund.fail(givenBack(id)[0]?.id as number)
    await ended(id, 'failed')
    const [incident] = await listIncidents(server.app.db, {})
    assert.deepEqual([incident?.subject, incident?.detail.status], [`payment ${id}`, 'failed'])
    assert.equal(await unclaimed(), 400_000n)
    await assertSound()
    const again = await run(id, undefined, '--json')
    assert.deepEqual([again.code, JSON.parse(again.out).status], [0, 'initiated'])
    await ended(id, 'completed')
    assert.deepEqual(
      givenBack(id).map(({ status }) => status),
      ['failed', 'processed'],
    )
    assert.deepEqual([await unclaimed(), await open()], [0n, []])
    await assertSound()
  })

  it('has the money again when it comes back after it had arrived', async () => {
    const id = await paid(500_000)
    assert.equal((await run(id)).code, 0)
    await ended(id, 'completed')
    double.test.refund.fail(givenBack(id)[0]?.id as number)
    ahead += 31 * minuteMs
    await held()
    assert.deepEqual([await statusOf(id), await unclaimed()], ['failed', 500_000n])
    assert.deepEqual(await open(), [`missing_here payment ${id}`])
    await assertSound()
    ahead = 0
    assert.equal((await run(id)).code, 0)
    await ended(id, 'completed')
    assert.deepEqual([await unclaimed(), await open()], [0n, []])
    await assertSound()
  })

  it('hears of the end by a webhook too; and is missed by the books when nobody sees to it', async () => {
    const id = await paid(600_000)
    assert.equal((await run(id)).code, 0)
    const [refund] = givenBack(id)
    await server.app.db.query("delete from timers where task = 'returns.ask'")
    assert.deepEqual(
      (await verifyBooks(server.app)).differences.map(({ check }) => check),
      ['every return on its way has a timer or a job'],
    )
    double.test.events.url = `${server.url}/rails/paystack/test/webhook`
    double.test.events.queue.splice(0)
    double.test.refund.process(refund?.id as number)
    await double.test.events.deliver()
    await until(async () => (await statusOf(id)) === 'completed', 30_000)
    assert.deepEqual([await unclaimed(), await open()], [0n, []])
    await assertSound()
  })

  for (const [fault, when] of [
    ['timeout_before', 'it was sent, and not taken'],
    ['timeout_after', 'it was taken, and not answered'],
  ] as const)
    it(`sends it back once though the command is killed: ${when}`, async () => {
      const id = await paid(200_000)
      await double.fault('refund', fault, { mode: 'test' })
      let child: ChildProcess | undefined
      const killed = run(id, (one) => {
        child = one
      })
      await until(
        async () =>
          double.requests.some((one) => one.operation === 'refund' && one.fault === fault),
        30_000,
      )
      child?.kill('SIGKILL')
      assert.equal((await killed).code, null)
      await double.clearFaults()
      double.requests.splice(0)
      // As long as it may be on its way, it is asked about and not sent.
      ahead += minuteMs
      await until(
        async () => double.requests.some((one) => one.operation === 'list_refunds'),
        30_000,
      )
      assert.equal(givenBack(id).length, fault === 'timeout_after' ? 1 : 0)
      await ended(id, 'completed')
      assert.deepEqual(
        givenBack(id).map(({ status }) => status),
        ['processed'],
      )
      assert.deepEqual(await open(), [])
      double.requests.splice(0)
      await assertSound()
    })

  it('refuses what is somebody’s, what was not paid, and what is not to be sent', async () => {
    const asker = askerOf(double, 'test')
    const unpaid = double.test.books.transaction(dataOf(await asker.initialize()).reference)
    const waited = await asker.paid(250_000)
    await server.app.db.query(
      `insert into provider_references (business_id, livemode, rail, kind, reference, subject, created_at)
       values ($1, false, 'paystack', 'checkout', $2, $1, $3)`,
      [server.businessId, waited.reference, new Date()],
    )
    const assigned = await asker.paid(260_000)
    assert.equal((await assign(assigned.id)).code, 0)
    const byHand = await asker.paid(270_000)
    const { id: refund } = dataOf(
      await asker.refund(String(byHand.id), 270_000, { merchant_note: 'by hand' }),
    )
    double.test.refund.process(refund)
    const sent = double.test.books.refunds.length
    for (const [payment, err] of [
      ['999', /has no payment '999' that was paid/],
      [unpaid.id, /has no payment '\d+' that was paid/],
      [waited.id, /A record here waits for '\d+'/],
      [assigned.id, /is booked already: it is a business’s\. Nothing was sent/],
      [byHand.id, /was given back there already\. Nothing was sent/],
    ] as const) {
      const refused = await run(payment)
      assert.match(refused.err, err)
      assert.equal(refused.code, 1)
    }
    const outgoing = (...args: string[]) => command(['outgoing', ...args], env)
    assert.equal((await outgoing('hold')).code, 0)
    assert.match((await run(byHand.id)).err, /Not sent: outgoing money is held/)
    assert.equal((await outgoing('release', '--by', 'Ada')).code, 0)
    for (const [args, err] of [
      [['--mode', 'live'], /no live account 'paystack' that gives payments back/],
      [['--by', ' '], /--by must have 1 to 200/],
    ] as const)
      assert.match((await run(byHand.id, undefined, ...args)).err, err)
    assert.equal(double.test.books.refunds.length, sent)
    await server.assertBooksClean()
  })
})
