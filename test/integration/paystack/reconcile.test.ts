/**
 * Goal: the clearing accounts come to what Paystack owes, to the kobo, and whatever does not is
 * shown to a person once. Method: whole servers over the double of Paystack, whose own books are
 * the truth; each difference is made there or here, and looked for.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { linesOf } from '../../../src/app/cli/reconcile.ts'
import { post } from '../../../src/books/ledger/ledger.ts'
import { type Receipt, recordReceipt } from '../../../src/books/receipts/receipts.ts'
import { recordTransaction } from '../../../src/books/transactions/transactions.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { type Id, newId } from '../../../src/lib/ids.ts'
import { ask } from '../../../src/paying-out/payouts/settlement.ts'
import { closeIncident, listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  lastRuns,
  type ReconciledAccount,
  type ReconcileOptions,
  type ReconciliationReport,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { askerOf, dataOf } from '../../doubles/paystack/asking.ts'
import { paymentFee, startPaystack } from '../../doubles/paystack.ts'
import { runCommand } from '../../support/command-line.ts'
import { startServer } from '../../support/harness.ts'
import { minuteMs, openTill, type Till } from '../../support/paystack.ts'
import { railsEnv } from '../../support/provider.ts'

/** So long after it moved, what is not booked is looked for. */
const later = 31 * minuteMs

function bookkeeper(till: Till) {
  const { server, double } = till
  const { app } = server
  const hands = {
    reconcile: (asked?: ReconcileOptions): Promise<ReconciliationReport> =>
      reconcile(app, findReconcilable(app, true, 'paystack') as ReconciledAccount, asked),
    /** What differs, by kind and what it is about. */
    findings: async (asked?: ReconcileOptions): Promise<string[]> =>
      (await hands.reconcile(asked)).findings.map(({ kind, subject }) =>
        `${kind} ${subject}`.trim(),
      ),
    /**
     * A payer pays, and it is booked here: as the modules that take money do. @param more what is
     * booked of it in another way
     */
    async payIn(amount: number, more: Partial<Receipt> = {}): Promise<string> {
      const paid = await askerOf(double).paid(amount)
      return hands.book({
        providerId: String(paid.id),
        amount: BigInt(amount),
        fee: BigInt(paymentFee(amount, 'card')),
        ...more,
      })
    },
    async book(more: Partial<Receipt>): Promise<string> {
      const ctx = outside(app, await scopeOf(app, server.businessId as Id, true))
      const [subject, transaction] = [newId(ctx.scope.now), newId(ctx.scope.now)]
      const receipt: Receipt = {
        rail: 'paystack',
        kind: 'charge',
        providerId: '',
        subject,
        transaction,
        amount: 0n,
        fee: null,
        currency: 'ngn',
        availableAt: null,
        ...more,
      }
      const { amount } = receipt
      await ctx.write(async (work) => {
        assert.ok(await recordReceipt(work, receipt))
        const debit = { purpose: 'rail_clearing', currency: 'ngn', subject: 'paystack' } as const
        const credit = { purpose: 'wallet_available', currency: 'ngn' } as const
        const after = await post(work, [
          { debit, credit, amount, kind: 'deposit', subject, transaction },
        ])
        await recordTransaction(work, {
          id: transaction,
          type: 'deposit',
          method: 'bank_transfer',
          direction: 'credit',
          status: 'completed',
          currency: 'ngn',
          amount,
          fee: 0n,
          balanceAfter: after(credit),
          reference: null,
          related: {},
          metadata: {},
        })
      })
      return receipt.providerId
    },
    /** Gives a part of a payment back, and books that here. */
    async payBack(payment: string, amount: number): Promise<void> {
      const id = double.live.refund.onDashboard(payment, amount)
      const ctx = outside(app, await scopeOf(app, server.businessId as Id, true))
      const [subject, transaction] = [newId(ctx.scope.now), newId(ctx.scope.now)]
      const moved = { currency: 'ngn', amount: BigInt(amount), availableAt: null } as const
      await ctx.write(async (work) => {
        const receipt = {
          rail: 'paystack',
          kind: 'refund',
          providerId: String(id),
          subject,
          transaction,
        } as const
        assert.ok(await recordReceipt(work, { ...receipt, ...moved, fee: 0n }))
        const debit = { purpose: 'wallet_available', currency: 'ngn' } as const
        const credit = { purpose: 'rail_clearing', currency: 'ngn', subject: 'paystack' } as const
        const after = await post(work, [
          { debit, credit, amount: moved.amount, kind: 'deposit', subject, transaction },
        ])
        await recordTransaction(work, {
          id: transaction,
          type: 'refund',
          method: 'bank_transfer',
          direction: 'debit',
          status: 'completed',
          currency: 'ngn',
          amount: moved.amount,
          fee: 0n,
          balanceAfter: after(debit),
          reference: null,
          related: {},
          metadata: {},
        })
      })
    },
    /** A payout that arrives. */
    async paidOut(amount = 1_000_000) {
      const payout = await till.payOut(amount)
      double.live.transfer.succeed(`po-${payout.id}`)
      await till.pass(minuteMs)
      assert.equal((await till.payout(payout.reference)).status, 'completed')
      return payout
    },
    async askAbout(id: string): Promise<void> {
      await ask(outside(app, await scopeOf(app, server.businessId as Id, true)), id as Id, true)
    },
    open: async () =>
      (await listIncidents(app.db, { rail: 'paystack' })).map(
        ({ kind, subject }) => `${kind} ${subject}`,
      ),
    async close(kind: string): Promise<void> {
      for (const incident of await listIncidents(app.db, { rail: 'paystack' }))
        if (incident.kind === kind) assert.ok(await closeIncident(app, incident.id, 'Ada'))
    },
    postings: async () =>
      (
        await app.db.query<{ postings: bigint }>('select count(*) as postings from ledger_postings')
      )[0]?.postings,
    balanceOf: async (purpose: string): Promise<bigint> => {
      const [row] = await app.db.query<{ balance: bigint }>(
        `select coalesce(sum(balance), 0)::bigint as balance from ledger_accounts
          where livemode and subject = 'paystack' and purpose = $1`,
        [purpose],
      )
      return row?.balance ?? 0n
    },
    /** The books are in order, and come to what the double owes. */
    async assertZero(report: ReconciliationReport, onTheWay = 0n): Promise<void> {
      assert.deepEqual(report.findings, [])
      assert.equal(report.difference, 0n)
      assert.equal(report.onTheWay, onTheWay)
      assert.equal(report.available + report.unsettled, BigInt(double.live.books.owed()))
      assert.equal(
        await hands.balanceOf('rail_clearing'),
        -(BigInt(double.live.books.owed()) - onTheWay),
      )
      await till.assertSound()
    },
  }
  return hands
}

for (const settings of [
  {},
  { feeOnVerify: false },
  { reversalKeepsFee: true },
  { reversalKeepsFee: true, feeOnVerify: false },
  { listsGoBy: 'days', refundModelRow: 'id', refundDates: 'created_at' },
  { listsGoBy: 'days', partlyRefunded: 'success' },
] as const)
  describe(`the books, held against Paystack${Object.keys(settings).length ? ` with ${Object.keys(settings).join(' and ')}` : ''}`, () => {
    let till: Till
    let keeper: ReturnType<typeof bookkeeper>
    before(async () => {
      till = await openTill({ settings })
      keeper = bookkeeper(till)
    })
    after(() => till.stop())

    it('begin with what Paystack owed before', async () => {
      const report = await keeper.reconcile()
      assert.equal(report.opening, 10_000_000_000n)
      await keeper.assertZero(report)
    })

    it('come to zero after payments, payouts with fees, returns, a settlement and a top-up', async () => {
      const { operator, books, transfer } = till.double.live
      await keeper.payIn(500_000)
      await keeper.payIn(40_000_000)
      await keeper.paidOut()
      await keeper.paidOut(8_000_000)
      const back = await keeper.paidOut(7_000_000)
      transfer.reverse(`po-${back.id}`)
      await keeper.askAbout(back.id)
      assert.equal((await till.payout(back.reference)).status, 'returned')
      const early = await till.payOut()
      transfer.reverse(`po-${early.id}`)
      await till.pass(minuteMs)
      assert.equal((await till.payout(early.reference)).status, 'failed')
      await keeper.assertZero(await keeper.reconcile())
      operator.settle('bank')
      operator.topUp(123_456)
      await keeper.payIn(70_000)
      const report = await keeper.reconcile()
      assert.deepEqual([report.settlements, report.topUps], [1, 1])
      await keeper.assertZero(report)
      const settled = BigInt(books.settlements[0]?.effective as number)
      assert.equal(settled, 40_500_000n - 200_000n - 17_500n)
      assert.equal(await keeper.balanceOf('operator_bank'), 10_000_000_000n + 123_456n - settled)
    })

    it('change by nothing when they are held against it again, or by two at once', async () => {
      const postings = await keeper.postings()
      till.double.live.operator.topUp(1_000)
      const both = await Promise.all([keeper.reconcile(), keeper.reconcile()])
      assert.equal(both[0].topUps + both[1].topUps, 1)
      for (const report of both) await keeper.assertZero(report)
      await keeper.assertZero(await keeper.reconcile())
      assert.equal(await keeper.postings(), (postings as bigint) + 1n)
    })

    it('leave a settlement to the balance where it is', async () => {
      const bank = await keeper.balanceOf('operator_bank')
      till.double.live.operator.settle('balance')
      const report = await keeper.reconcile()
      assert.deepEqual([report.settlements, report.unsettled], [0, 0n])
      await keeper.assertZero(report)
      assert.equal(await keeper.balanceOf('operator_bank'), bank)
    })

    it('come to zero after refunds out of what is settled, and out of what is not', async () => {
      const { operator, books, refund } = till.double.live
      await keeper.payIn(600_000)
      const { reference: payment = '' } = books.transactions.at(-1) ?? {}
      operator.settle('balance')
      await till.pass(minuteMs)
      await keeper.payBack(payment, 20_000)
      await keeper.assertZero(await keeper.reconcile())
      await keeper.payIn(50_000)
      await keeper.payBack(payment, 100_000)
      assert.ok(
        books.movements.filter(({ model, pot }) => model === 'Refund' && pot === 'pending').length >
          0,
      )
      await keeper.assertZero(await keeper.reconcile())
      operator.settle('balance')
      await keeper.assertZero(await keeper.reconcile())
      // One fails after the settlement that followed it, and so is in the balance again.
      const failing = refund.onDashboard(payment, 30_000)
      await till.pass(minuteMs)
      await keeper.payIn(60_000)
      operator.settle('balance')
      refund.fail(failing)
      await keeper.payBack(payment, 30_000)
      await keeper.assertZero(await keeper.reconcile())
    })

    it('come to zero when a payout comes back long after it arrived, and nobody tells of it', async () => {
      const payout = await keeper.paidOut(3_000_000)
      await keeper.assertZero(await keeper.reconcile())
      await till.pass(60 * 24 * 60 * minuteMs)
      till.double.live.transfer.reverse(`po-${payout.id}`)
      till.double.live.events.queue.splice(0)
      await till.pass(later)
      await keeper.assertZero(await keeper.reconcile())
      assert.equal((await till.payout(payout.reference)).status, 'returned')
      await keeper.assertZero(await keeper.reconcile())
    })

    it('know what is on its way there and not booked here', async () => {
      const { id, reference } = await till.payOut(2_000_000)
      const [transfer] = till.transfersOf(id)
      const report = await keeper.reconcile()
      await keeper.assertZero(report, BigInt(-(transfer?.taken as number)))
      assert.equal(report.lines.find(({ kind }) => kind === 'payout')?.waiting, 1)
      const earlier = await keeper.reconcile({ to: new Date(Date.now() - 60_000) })
      assert.deepEqual(
        [earlier.lines.map(({ listed }) => listed), earlier.difference],
        [[0, 0, 0], 0n],
      )
      till.double.live.transfer.succeed(`po-${id}`)
      await till.pass(minuteMs)
      assert.equal((await till.payout(reference)).status, 'completed')
      await keeper.assertZero(await keeper.reconcile())
    })
  })

describe('what differs between the books and Paystack', () => {
  let till: Till
  let keeper: ReturnType<typeof bookkeeper>
  before(async () => {
    till = await openTill()
    keeper = bookkeeper(till)
    await keeper.reconcile()
  })
  after(() => till.stop())

  /** Every finding is an incident, once; when a person has closed it, it is accepted. */
  const foundAndAccepted = async (kind: string, subject: string, difference: bigint) => {
    const report = await keeper.reconcile()
    assert.deepEqual(
      report.findings
        .filter(({ accepted }) => !accepted)
        .map((one) => [one.kind, one.subject, one.difference]),
      [[kind, subject, difference]],
    )
    await keeper.reconcile()
    assert.deepEqual(await keeper.open(), [`${kind} ${subject}`])
    await keeper.close(kind)
    assert.deepEqual(
      (await keeper.reconcile()).findings.find((one) => one.subject === subject)?.accepted,
      true,
    )
    assert.deepEqual(await keeper.open(), [])
    await till.assertSound()
  }

  it('waits while it may be on its way into the books', async () => {
    const paid = await askerOf(till.double).paid(300_000)
    const report = await keeper.reconcile()
    assert.deepEqual([report.findings, report.difference], [[], 0n])
    await till.pass(later)
    const fee = BigInt(paymentFee(300_000, 'card'))
    await foundAndAccepted('missing_here', `payment ${paid.id}`, 300_000n - fee)
  })

  it('is a payment that the provider does not list', async () => {
    await keeper.book({ providerId: '77', amount: 5_000n, fee: 50n })
    await till.pass(later)
    await foundAndAccepted('missing_there', 'charge 77', -4_950n)
  })

  it('is another amount', async () => {
    const id = await keeper.payIn(600_000, { amount: 600_100n })
    await foundAndAccepted('amount_differs', `payment ${id}`, -100n)
  })

  it('is another fee', async () => {
    const id = await keeper.payIn(650_000, { fee: 1n })
    await foundAndAccepted('fee_differs', `payment ${id}`, 1n - BigInt(paymentFee(650_000, 'card')))
  })

  it('is what else changes the balance, and a balance that nothing explains', async () => {
    const { books, payer, operator } = till.double.live
    operator.settle('bank')
    payer.dispute(books.transactions[0]?.reference as string, 700)
    await foundAndAccepted('missing_here', `balance ${books.movements.at(-1)?.id}`, -700n)
    books.pots.balance += 11
    const report = await keeper.reconcile()
    assert.deepEqual(
      report.findings
        .filter(({ accepted }) => !accepted)
        .map(({ kind, difference }) => [kind, difference]),
      [['balance_differs', 11n]],
    )
    // Of the whole account a person cannot say that it is in order.
    await keeper.close('balance_differs')
    assert.ok((await keeper.findings()).includes('balance_differs'))
    assert.deepEqual(await keeper.open(), ['balance_differs '])
    await keeper.close('balance_differs')
    books.pots.balance -= 11
    await keeper.reconcile()
    assert.deepEqual(await keeper.open(), [])
  })

  it('is no difference where a payout is said to have failed after it had arrived: it came back', async () => {
    const { id, reference } = await keeper.paidOut()
    const [transfer] = till.transfersOf(id)
    Object.assign(transfer as object, { status: 'pending' })
    till.double.live.transfer.fail(`po-${id}`)
    await till.pass(later)
    assert.deepEqual(
      (await keeper.reconcile()).findings.filter(({ accepted }) => !accepted),
      [],
    )
    assert.equal((await till.payout(reference)).status, 'returned')
    await till.assertSound()
  })

  it('is no difference where the record here is asked about, and its answer was lost', async () => {
    const { id, reference } = await till.payOut()
    till.double.live.transfer.succeed(`po-${id}`)
    await till.server.app.db.query('delete from timers where subject = $1', [id])
    await till.pass(later)
    assert.equal((await till.payout(reference)).status, 'processing')
    assert.deepEqual(
      (await keeper.reconcile()).findings.filter(({ accepted }) => !accepted),
      [],
    )
    assert.equal((await till.payout(reference)).status, 'completed')
  })

  it('is printed, with the difference at the end, and kept', async () => {
    const report = await keeper.reconcile()
    const lines = linesOf(report)
    assert.match(lines.at(-1) as string, /^difference +-?[\d,.]+ ngn$/)
    assert.equal(lines.filter((line) => line.startsWith('accepted')).length, report.findings.length)
    const [run] = await lastRuns(till.server.app)
    assert.deepEqual(
      [run?.rail, run?.owed, run?.findings],
      ['paystack', report.owed, report.findings.length],
    )
  })

  it('is not known when Paystack does not say all of it, and then nothing is kept', async () => {
    const [before] = await lastRuns(till.server.app)
    await till.double.fault('list_settlements', 'error_before', { times: 1 })
    await assert.rejects(keeper.reconcile(), /Paystack could not be asked for \/settlement/)
    assert.deepEqual(await lastRuns(till.server.app), [before])
  })
})

describe('bursar rails assign', () => {
  it('books a payment that nobody claims into a wallet, once, and reconciliation comes to zero', async (t) => {
    const double = await startPaystack()
    const account = { provider: 'paystack', secret_key: 'env:TEST_KEY', base_url: double.url }
    const file = railsEnv({
      test: { accounts: { paystack: account }, routes: { 'payout.ngn': ['paystack'] } },
    })
    const env = { ...file, TEST_KEY: double.keys.test }
    let ahead = 0
    const server = await startServer(env, undefined, { now: () => new Date(Date.now() + ahead) })
    t.after(async () => {
      await server.stop()
      await double.stop()
    })
    const { app } = server
    const held = () => reconcile(app, findReconcilable(app, false, 'paystack') as ReconciledAccount)
    await held()
    const { id } = await askerOf(double, 'test').paid(300_000)
    const unpaid = dataOf(await askerOf(double, 'test').initialize()).reference
    ahead = later
    assert.deepEqual(
      (await held()).findings.map(({ subject }) => subject),
      [`payment ${id}`],
    )
    const run = (payment: string, business = server.businessId) =>
      runCommand(app, [
        'rails',
        'assign',
        'paystack',
        payment,
        '--business',
        business,
        '--by',
        'Ada',
        '--mode',
        'test',
      ])
    const both = await Promise.all([run(String(id)), run(String(id))])
    assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1])
    assert.match(
      both.map(({ out }) => out).join(''),
      /^3,000\.00 ngn are in the test wallet of Test Business /,
    )
    assert.match(both.map(({ err }) => err).join(''), /is booked already/)
    const { data } = await server.call('GET', '/transactions')
    const [transaction] = data.docs
    assert.deepEqual(
      [data.totalDocs, transaction.type, transaction.amount, transaction.fee],
      [
        1,
        'deposit',
        300_000,
        Number(
          app.prices
            .of(server.businessId, app.clock.now())
            .incomingFee('deposit', 'bank_transfer', 'ngn', 300_000n),
        ),
      ],
    )
    assert.equal((await held()).difference, 0n)
    assert.deepEqual(
      (await listIncidents(app.db, {})).map(({ kind }) => kind),
      [],
    )
    for (const [payment, business, err] of [
      ['999', server.businessId, /has no payment '999' that was paid/],
      [
        String(double.test.books.transaction(unpaid).id),
        server.businessId,
        /has no payment '\d+' that was paid/,
      ],
      [String(id), '000000000000000000000001', /There is no business 000000000000000000000001/],
    ] as const)
      assert.match((await run(payment, business)).err, err)
    // Of one that is listed as reversed, as a part of it went back, what is left is there.
    const part = await askerOf(double, 'test').paid(400_000)
    double.test.refund.onDashboard(part.reference, 8_000)
    assert.match((await run(String(part.id))).out, /^3,920\.00 ngn are in the test wallet of /)
    assert.equal(
      (await held()).findings.reduce((sum, { difference }) => sum + difference, 0n),
      0n,
    )
    const other = await askerOf(double, 'test').paid(300_000)
    double.test.refund.onDashboard(other.reference, 5_000)
    const sent = await runCommand(app, [
      'rails',
      'return',
      'paystack',
      String(other.id),
      '--by',
      'Ada',
      '--mode',
      'test',
    ])
    assert.match(sent.out, /^2,950\.00 ngn of payment \d+ are on their way back/, sent.err)
    assert.equal(double.test.books.refunds.at(-1)?.amount, 295_000)
    const whole = await askerOf(double, 'test').paid(400_000)
    double.test.refund.onDashboard(whole.reference, 400_000)
    assert.match((await run(String(whole.id))).err, /was given back there already/)
    const waited = await askerOf(double, 'test').paid(200_000)
    await app.db.query(
      `insert into provider_references (business_id, livemode, rail, kind, reference, subject, created_at)
       values ($1, false, 'paystack', 'checkout', $2, $1, $3)`,
      [server.businessId, waited.reference, new Date()],
    )
    assert.match((await run(String(waited.id))).err, /A record here waits for/)
  })
})

describe('bursar rails reconcile', () => {
  it('prints the table that ends with the difference, and its exit code says whether there is one', async (t) => {
    const double = await startPaystack()
    const account = { provider: 'paystack', secret_key: 'env:TEST_KEY', base_url: double.url }
    const file = railsEnv({
      test: { accounts: { paystack: account }, routes: { 'payout.ngn': ['paystack'] } },
    })
    const env = { ...file, TEST_KEY: double.keys.test }
    const server = await startServer(env)
    t.after(async () => {
      await server.stop()
      await double.stop()
    })
    const run = (...args: string[]) =>
      runCommand(server.app, ['rails', 'reconcile', 'paystack', ...args])
    double.test.operator.topUp(1_234_500)
    const clean = await run('--mode', 'test')
    assert.equal(clean.code, 0, clean.err)
    assert.deepEqual(clean.out.trimEnd().split('\n').slice(-2), [
      `booked${'12,345.00 ngn'.padStart(30)}`,
      `difference${'0.00 ngn'.padStart(26)}`,
    ])
    double.test.books.pots.balance -= 45
    const differs = await run('--mode', 'test', '--json')
    const said = JSON.parse(differs.out)
    assert.deepEqual(
      [differs.code, said.difference, said.findings[0].kind],
      [1, -45, 'balance_differs'],
    )
    for (const [args, err] of [
      [[], /RAILS_FILE has no live account 'paystack'/],
      [['--mode', 'dead'], /--mode must be live or test/],
      [['--mode', 'test', '--from', 'yesterday'], /--from must be a day/],
    ] as const) {
      const refused = await run(...args)
      assert.match(refused.err, err)
      assert.equal(refused.code, 1)
    }
    await double.disconnect()
    assert.match(
      (await run('--mode', 'test')).err,
      /Paystack could not be asked for .*Nothing is known of the difference/,
    )
  })
})
