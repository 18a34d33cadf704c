/**
 * Goal: what moves in the balance of an account that takes money at Stripe is in the books, to the
 * cent: payments, refunds, disputes, what went to the bank. Nobody's wallet moves by a dispute
 * alone. Method: payments over the double of Stripe, whose balance is kept change by change; the
 * reconciliation must find no difference, or say which.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { minuteMs } from '../../support/dollars.ts'
import { type Call, type Json, must, until } from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'
import { makePng } from '../../support/pictures.ts'
import { openShop, type Shop } from '../../support/stripe-cards.ts'

const dayMs = 24 * 60 * minuteMs

describe('the balance of a card account at Stripe', () => {
  let shop: Shop
  let operator: Call
  before(async () => {
    shop = await openShop()
    operator = await operatorOf(shop.server)
    await held()
  })
  after(() => shop.stop())

  const held = () =>
    reconcile(
      shop.server.app,
      findReconcilable(shop.server.app, true, 'stripe-us') as ReconciledAccount,
    )
  const sell = async (
    amount: number,
  ): Promise<{ payment: Json; id: string; reference: string }> => {
    const { payment, payer, reference } = await shop.begin({ amount })
    shop.double.payer.pay(reference)
    await shop.back(payer)
    await delivered()
    return { payment, reference, id: shop.double.payer.of(reference).payment?.id as string }
  }
  const delivered = async (): Promise<void> => {
    await shop.double.events.deliver()
    await shop.pass(0)
  }
  const wallet = async () => (await shop.live('GET', '/wallets')).data
  const disputes = async (): Promise<Json[]> => (await must(shop.live('GET', '/disputes'))).docs
  /** Waits until the answer to a dispute is at Stripe. */
  const sent = (path: string) =>
    until(async () => {
      await shop.pass(0)
      return (await must(shop.live('GET', `${path}/evidence`))).status === 'sent'
    })
  /** What the books say that disputes cost here. */
  const cost = async (): Promise<bigint> => {
    const [row] = await shop.server.app.db.query<{ balance: bigint }>(
      "select balance from ledger_accounts where purpose = 'disputes' and subject = 'stripe-us' and business_id = $1 and livemode",
      [shop.server.businessId],
    )
    return row?.balance ?? 0n
  }

  it('agrees with the books through payments, refunds of which one fails late, and what goes to the bank and comes back', async () => {
    const sold = await sell(80_00)
    const first = await must(
      shop.live('POST', '/refunds', { payment: sold.payment.id, amount: 30_00 }),
    )
    await shop.pass(minuteMs)
    const second = await must(
      shop.live('POST', '/refunds', { payment: sold.payment.id, amount: 20_00 }),
    )
    await shop.pass(minuteMs)
    await delivered()
    await shop.pass(31 * minuteMs)
    const report = await held()
    assert.deepEqual([report.findings, report.difference], [[], 0n])
    assert.equal(report.available + report.unsettled, BigInt(80_00 - (2_32 + 30) - 50_00))
    assert.deepEqual(
      report.lines
        .filter(({ listed }) => listed > 0)
        .map(({ kind, listed, agreed }) => [kind, listed, agreed]),
      [
        ['payment', 1, 1],
        ['refund', 2, 2],
      ],
    )
    shop.double.refund.become(`re-${second.id}`, 'failed')
    await delivered()
    assert.equal((await must(shop.live('GET', `/refunds/${second.id}`))).status, 'failed')
    assert.equal((await must(shop.live('GET', `/refunds/${first.id}`))).status, 'completed')
    await shop.pass(3 * dayMs)
    assert.deepEqual((await held()).findings, [])

    const comesBack = shop.double.books.payOut()
    const paid = await held()
    assert.deepEqual([paid.findings, paid.settlements, paid.available], [[], 1, 0n])
    comesBack()
    const again = await held()
    assert.deepEqual(
      [again.findings, again.settlements, again.topUps, again.difference],
      [[], 0, 1, 0n],
    )
    for (const _ of [1, 2]) assert.deepEqual((await held()).findings, [])
    await shop.assertSound()
  })

  for (const outcome of ['won', 'lost'] as const)
    it(`has a dispute that is ${outcome} as a record with its deadline, and what Stripe took for it in no wallet`, async () => {
      const { payment, id: paid } = await sell(60_00)
      const [before, costs] = [await wallet(), await cost()]
      const id = shop.double.books.dispute(paid, 60_00)
      await delivered()
      const [opened] = await disputes()
      const [there] = shop.double.books.disputes.slice(-1)
      assert.deepEqual(
        [
          opened?.payment,
          opened?.amount,
          opened?.status,
          opened?.provider_reference,
          opened?.reason,
        ],
        [payment.id, 60_00, 'open', id, 'fraudulent'],
      )
      assert.equal(Date.parse(opened?.evidence_due_at), (there?.due ?? 0) * 1_000)
      await shop.pass(31 * minuteMs)
      assert.deepEqual((await held()).findings, [])
      // The amount, and Stripe's fee for it.
      assert.equal(await cost(), costs - 75_00n)

      shop.double.books.endDispute(id, outcome)
      await delivered()
      const [closed] = await disputes()
      assert.deepEqual([closed?.id, closed?.status], [opened?.id, outcome])
      assert.deepEqual(await shop.eventsOf(opened?.id), ['dispute.opened', 'dispute.closed'])
      for (const _ of [1, 2]) assert.deepEqual((await held()).findings, [])
      assert.equal(await cost(), outcome === 'won' ? costs - 15_00n : costs - 75_00n)
      assert.deepEqual(await wallet(), before)
      if (outcome === 'lost') {
        const decided = await must(operator('POST', `/operator/disputes/${closed?.id}/take`, {}))
        assert.equal(decided.taken, 60_00)
        assert.deepEqual((await held()).findings, [])
      }
      await shop.assertSound()
    })

  it('has a dispute that is answered from here: each file in its place, once although an answer was lost', async () => {
    const { id: paid } = await sell(90_00)
    const id = shop.double.books.dispute(paid, 90_00)
    await delivered()
    const [record] = await disputes()
    const path = `/disputes/${record?.id}`
    const png = makePng({ width: 40 }).toString('base64')
    const body = { explanation: 'A year of hosting.', files: { receipt: png } }
    const { files } = await must(shop.live('PUT', `${path}/evidence`, body))
    assert.deepEqual([files[0].kind, files[0].type], ['receipt', 'image/png'])
    await shop.double.fault('update_dispute', 'error_after')
    await must(shop.live('POST', `${path}/submit`))
    await until(async () => shop.double.requests.some((one) => one.operation === 'update_dispute'))
    await shop.pass(6 * minuteMs)
    await sent(path)
    const there = shop.double.books.disputes.find((one) => one.id === id)
    const { receipt, uncategorized_file: bundle, ...texts } = there?.evidence ?? {}
    assert.deepEqual([there?.submissions, texts], [1, { uncategorized_text: body.explanation }])
    const startOf = (name: string | undefined) =>
      shop.double.books.files.find((one) => one.id === name)?.raw.toString('latin1') ?? ''
    assert.match(startOf(receipt), /filename="evidence\.png"[\s\S]*PNG/)
    assert.match(startOf(bundle), /filename="evidence\.pdf"[\s\S]*%PDF-/)
    assert.deepEqual(shop.double.violations, [])

    const { id: other } = await sell(20_00)
    shop.double.books.dispute(other, 20_00)
    await delivered()
    const [second] = await disputes()
    await must(shop.live('POST', `/disputes/${second?.id}/accept`))
    await sent(`/disputes/${second?.id}`)
    await delivered()
    assert.equal((await disputes())[0]?.status, 'lost')
  })

  it('has an inquiry that is answered, becomes a chargeback, and is answered again, once', async () => {
    const { id: paid } = await sell(35_00)
    const id = shop.double.books.dispute(paid, 35_00, 'warning_needs_response')
    await delivered()
    const path = `/disputes/${(await disputes())[0]?.id}`
    const put = (explanation: string) => shop.live('PUT', `${path}/evidence`, { explanation })
    await must(put('A month of hosting.'))
    await must(shop.live('POST', `${path}/submit`))
    await sent(path)
    await delivered()
    assert.equal((await put('Another.')).code, 'dispute_answered')
    // What Stripe said before the answer, and is applied after it, asks for nothing.
    const there = shop.double.books.disputes.find((one) => one.id === id)
    shop.double.books.escalate(id)
    await delivered()
    assert.equal((await must(shop.live('GET', `${path}/evidence`))).status, 'sent')
    await shop.pass(61 * minuteMs)
    shop.double.books.escalate(id)
    await delivered()
    const { status, submitted_at, explanation } = await must(shop.live('GET', `${path}/evidence`))
    assert.deepEqual([status, submitted_at, explanation], ['draft', null, 'A month of hosting.'])
    await must(put('A month of hosting, and its log.'))
    // The try did not reach Stripe, which has an answer from before.
    await shop.double.fault('update_dispute', 'error_before')
    const tries = () =>
      shop.double.requests.filter(
        (one) => one.operation === 'update_dispute' && one.path.endsWith(id),
      ).length
    const before = tries()
    await must(shop.live('POST', `${path}/submit`))
    await until(async () => tries() > before)
    await shop.pass(6 * minuteMs)
    await sent(path)
    assert.deepEqual(
      [there?.submissions, there?.evidence.uncategorized_text],
      [2, 'A month of hosting, and its log.'],
    )
    shop.double.books.endDispute(id, 'won')
    await delivered()
  })

  it('has an accepted dispute as accepted although the answer was lost and a webhook closed it', async () => {
    const { id: paid } = await sell(15_00)
    shop.double.books.dispute(paid, 15_00)
    await delivered()
    const path = `/disputes/${(await disputes())[0]?.id}`
    await shop.double.fault('close_dispute', 'error_after')
    await must(shop.live('POST', `${path}/accept`))
    await until(async () => shop.double.books.disputes.at(-1)?.status === 'lost')
    await delivered()
    assert.equal((await must(shop.live('GET', path))).status, 'lost')
    await shop.pass(6 * minuteMs)
    await sent(path)
    const { accepts, failure } = await must(shop.live('GET', `${path}/evidence`))
    assert.deepEqual([accepts, failure], [true, null])
  })

  it('has a dispute that nobody told of within a sweep, and closes one without a webhook', async () => {
    const { id: paid } = await sell(25_00)
    const id = shop.double.books.dispute(paid, 25_00)
    shop.double.events.queue = []
    // Asked for by its money, before anybody tells of it.
    await shop.pass(31 * minuteMs)
    const { findings } = await held()
    assert.deepEqual(
      findings.map(({ kind, difference }) => [kind, difference]),
      [['missing_here', -40_00n]],
    )
    const [event] = shop.double.events.all
      .filter(({ type }) => type === 'charge.dispute.created')
      .slice(-1)
    await shop.double.events.post(event as never, '')
    await shop.pass(0)
    assert.equal((await disputes())[0]?.provider_reference, id)
    assert.deepEqual((await held()).findings, [])
    shop.double.books.endDispute(id, 'won')
    shop.double.events.queue = []
    await shop.pass(25 * 60 * minuteMs)
    await shop.pass(0)
    assert.equal((await disputes())[0]?.status, 'won')
    assert.deepEqual((await held()).findings, [])
    await shop.assertSound()
  })

  it('says what somebody did at Stripe’s dashboard, and what Stripe charges, and books neither', async () => {
    const { payment, id } = await sell(40_00)
    const before = await wallet()
    shop.double.refund.atDashboard(id, 10_00)
    shop.double.books.charge(2_00)
    await delivered()
    await shop.pass(31 * minuteMs)
    const report = await held()
    assert.deepEqual(
      report.findings
        .map(({ kind, subject, difference }) => [kind, subject.split(' ')[0], difference])
        .sort(),
      [
        ['missing_here', 'balance', -2_00n],
        ['missing_here', 'refund', -10_00n],
      ],
    )
    assert.equal(report.difference, -12_00n)
    const told = (await listIncidents(shop.server.app.db, { rail: 'stripe-us' })).map(
      ({ subject }) => subject,
    )
    for (const { subject } of report.findings) assert.ok(told.includes(subject), subject)
    assert.deepEqual([await wallet(), (await shop.read(payment)).status], [before, 'completed'])
    await shop.assertSound()
  })
})
