/**
 * Goal: a payout in dollars with a live key is paid by Stripe's Outbound Payments, once, whatever
 * Stripe answers. Method: whole servers over a double of Stripe's API v2, asked over HTTP; what the
 * double's books have is held against what the server says.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sweep } from '../../../src/platform/inbound/sweeping.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { minuteMs } from '../../support/dollars.ts'
import { until } from '../../support/harness.ts'
import { openTill, type Till } from '../../support/stripe-outbound.ts'

const dayMs = 24 * 60 * minuteMs

describe('a live payout in dollars by Stripe', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  it('is a payment to a recipient that is made once, and completes when Stripe says that it was posted', async () => {
    const { id, reference, destination, fee } = await till.payOut(100_00)
    const [payment] = till.paymentsOf(id)
    assert.equal((await till.payout(reference)).status, 'processing')
    const method = till.double.methods.get(payment?.to.payout_method ?? '')
    const recipient = till.double.recipients.get(payment?.to.recipient ?? '')
    assert.deepEqual(
      [payment?.reference, payment?.amount, method?.number, method?.bank_account?.routing_number],
      [
        `po-${id}`,
        { value: 100_00 - fee, currency: 'usd' },
        destination.account_number,
        '021000021',
      ],
    )
    assert.deepEqual(recipient.identity.individual, {
      given_name: 'Ada',
      surname: 'Okafor',
      address: {
        line1: '12 Main Street',
        city: 'Austin',
        state: 'TX',
        postal_code: '78701',
        country: 'us',
      },
    })
    assert.match(recipient.contact_email, /^recipient-[0-9a-f]{24}@pay\.example\.com$/)
    till.double.payment.post(`po-${id}`)
    await till.pass(minuteMs)
    const payout = await till.payout(reference)
    assert.deepEqual([payout.status, payout.provider_reference], ['completed', payment?.id])
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
    const { bank_name: _, ...same } = destination
    const again = await till.payOut(50_00, { destination: same })
    assert.equal(till.paymentsOf(again.id)[0]?.to.payout_method, payment?.to.payout_method)
    assert.equal(
      till.double.requests.filter(({ operation }) => operation === 'create_recipient').length,
      1,
    )
    await till.assertSound()
  })

  it('is found by an event that names the payment alone, where the answer with its id was lost', async () => {
    await till.double.fault('create_payment', 'error_after')
    const { id, reference } = await till.payOut(100_00)
    assert.equal((await till.payout(reference)).status, 'processing')
    till.double.payment.post(`po-${id}`)
    await till.double.events.deliver()
    await till.pass(0)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })

  it('pays a company, and without an address', async () => {
    const destination = {
      country: 'us',
      routing_number: '021000021',
      account_number: '55443322',
      account_type: 'savings',
    }
    const { id } = await till.payOut(100_00, {
      destination: { ...destination, account_name: 'Globex' },
    })
    const recipient = till.double.recipients.get(till.paymentsOf(id)[0]?.to.recipient ?? '')
    assert.deepEqual(recipient.identity, {
      country: 'us',
      entity_type: 'company',
      business_details: { registered_name: 'Globex' },
    })
    await till.assertSound()
  })

  for (const [said, reason] of [
    ['payout_method_does_not_exist', 'invalid_account'],
    ['payout_method_amount_limit_exceeded', 'limit_exceeded'],
    ['payout_method_declined', 'rejected'],
    ['review_rejected', 'rejected'],
    ['unknown_failure', 'unknown'],
    ['a reason of next year', 'unknown'],
  ] as const)
    it(`fails with ${reason} when Stripe says ${said}, and the wallet has the money again`, async () => {
      const { id, reference } = await till.payOut()
      till.double.payment.fail(`po-${id}`, said as 'review_rejected')
      await till.pass(minuteMs)
      const payout = await till.payout(reference)
      assert.deepEqual([payout.status, payout.failure_reason], ['failed', reason])
      assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.failed'])
      await till.assertSound()
    })

  it('fails when somebody cancels it at Stripe', async () => {
    const { id, reference } = await till.payOut()
    till.double.payment.cancel(`po-${id}`)
    await till.pass(minuteMs)
    assert.deepEqual((await till.payout(reference)).failure_reason, 'rejected')
    await till.assertSound()
  })

  it('is returned when it comes back after it arrived, which an event tells, and nothing of the event is believed', async () => {
    const { id, reference } = await till.payOut()
    const { events, payment } = till.double
    payment.post(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'completed')
    const other = await till.payOut()
    const [open] = till.paymentsOf(other.id)
    const lie = {
      id: 'evt_lie',
      object: 'v2.core.event',
      type: 'v2.money_management.outbound_payment.posted',
      livemode: true,
      related_object: { id: open?.id, type: 'v2.money_management.outbound_payment' },
    }
    assert.equal(await events.post(JSON.stringify(lie)), 200)
    payment.comeBack(`po-${id}`, 'payout_method_holder_name_incorrect')
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'returned')
    assert.equal((await till.payout(reference)).failure_reason, 'name_mismatch')
    assert.equal((await till.payout(other.reference)).status, 'processing')
    assert.deepEqual(await till.eventsOf(id), [
      'payout.initiated',
      'payout.completed',
      'payout.returned',
    ])
    await till.assertSound()
  })

  it('is returned too where the event never came, once Stripe is asked for its events', async () => {
    const { id, reference } = await till.payOut()
    till.double.payment.post(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    till.double.payment.comeBack(`po-${id}`, 'payout_method_closed')
    till.double.events.queue.splice(0)
    await till.pass(60 * minuteMs)
    const { app } = till.server
    const missed = app.rails.live.accounts.stripe?.inbound?.missed
    assert.ok(missed)
    await sweep(app, true, 'stripe', missed)
    await until(async () => (await till.payout(reference)).status === 'returned')
    assert.equal((await till.payout(reference)).failure_reason, 'invalid_account')
    await till.assertSound()
  })

  it('takes events that are signed with the secret, now or before, and no others', async () => {
    const { events, secrets } = till.double
    const now = Date.now()
    const body = (name: string) =>
      JSON.stringify({
        id: name,
        object: 'v2.core.event',
        type: 'v2.core.account.created',
        livemode: true,
      })
    assert.equal(await events.post(body('evt_a')), 200)
    assert.equal(await events.post(body('evt_b'), secrets.previous), 200)
    assert.equal(await events.post(body('evt_c'), secrets.other), 401)
    // The till's clock has been moved since.
    assert.equal(await events.post(body('evt_d'), secrets.live, new Date(now - 10 * dayMs)), 401)
    const refused = await fetch(events.url as string, { method: 'POST', body: body('evt_e') })
    assert.equal(refused.status, 401)
  })

  it('is paid once where the answer was lost for days', async () => {
    await till.double.fault('create_payment', 'reset_after')
    await till.double.fault('list_payments', 'error_before', { times: 99 })
    const { id, reference } = await till.payOut()
    for (let day = 0; day < 3; day++) await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'processing')
    await till.double.clearFaults()
    till.double.payment.post(`po-${id}`)
    await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    const sent = till.double.requests.filter(({ body }) => body?.metadata?.bursar_id === `po-${id}`)
    assert.deepEqual([till.paymentsOf(id).length, sent.length], [1, 1])
    await till.assertSound()
  })

  it('is paid to a bank account made anew, where Stripe knows the one before no more', async () => {
    const { id, destination } = await till.payOut()
    const method = till.double.methods.get(till.paymentsOf(id)[0]?.to.payout_method ?? '')
    assert.ok(method)
    const { bank_name: _, ...same } = destination
    till.double.methods.delete(method.id)
    const again = await till.payOut(50_00, { destination: same })
    await till.pass(minuteMs)
    const [payment] = till.paymentsOf(again.id)
    assert.equal(payment?.reference, `po-${again.id}-2`)
    const anew = till.double.methods.get(payment?.to.payout_method ?? '')
    assert.deepEqual([anew?.number, anew?.id === method.id], [destination.account_number, false])
    await till.assertSound()
  })

  const incidents = async (): Promise<string[]> =>
    (await listIncidents(till.server.app.db, {})).map(({ kind, subject }) => `${kind} ${subject}`)

  it('is left to a person where Stripe knows its payment no more, and not where it refuses to say', async () => {
    const before = await incidents()
    const { id, reference } = await till.payOut(100_00)
    await till.double.fault('get_payment', 'status_false')
    await till.pass(minuteMs)
    assert.deepEqual(await incidents(), before)
    const [payment] = till.paymentsOf(id)
    till.double.payments.splice(till.double.payments.indexOf(payment as never), 1)
    await till.pass(10 * minuteMs)
    assert.deepEqual(await incidents(), [`quarantined ${id}`, ...before])
    till.double.payments.push(payment as never)
    till.double.payment.post(`po-${id}`)
    await till.double.events.deliver()
    await till.pass(0)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })

  it('leaves no event to a person while Stripe does not say what its payment is', async () => {
    const before = await incidents()
    for (const operation of ['get_payment', 'list_payments'] as const)
      await till.double.fault(operation, 'error_after', { times: 40 })
    await till.double.fault('create_payment', 'error_after')
    const { id, reference } = await till.payOut(100_00)
    till.double.payment.post(`po-${id}`)
    await till.double.events.deliver()
    for (let hour = 0; hour < 6; hour++) await till.pass(60 * minuteMs)
    assert.equal((await till.payout(reference)).status, 'processing')
    assert.deepEqual(await incidents(), before)
    await till.double.clearFaults()
    await till.pass(6 * 60 * minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })
})

describe('a live payout that Stripe does not take now', () => {
  it('waits for the balance, and is paid once it is enough', async (t) => {
    const till = await openTill({ topUp: 100_00, account: { payout_float_min: 50_00 } })
    t.after(() => till.stop())
    const { id, reference } = await till.payOut(100_00)
    assert.equal((await till.payout(reference)).status, 'pending')
    till.double.topUp(100_00)
    await till.pass(minuteMs)
    assert.equal(till.paymentsOf(id).length, 1)
    await till.server.assertBooksClean()
  })

  it('is refused for want of balance, and sent again under another reference when there is some', async (t) => {
    const till = await openTill({ topUp: 1_000_00 })
    t.after(() => till.stop())
    await till.payOut(10_00)
    const held = till.double.funds.available
    till.double.funds.available = 0
    const { id, reference } = await till.payOut(100_00)
    assert.deepEqual([(await till.payout(reference)).status, till.paymentsOf(id)], ['pending', []])
    till.double.funds.available = held
    await till.pass(minuteMs)
    await till.pass(minuteMs)
    assert.deepEqual(
      till.paymentsOf(id).map((one) => one.reference),
      [`po-${id}-2`],
    )
    await till.assertSound()
  })

  it('waits while payouts to others are not enabled', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    till.double.funds.enabled = false
    const { id, reference } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'pending')
    till.double.funds.enabled = true
    await till.pass(11 * minuteMs)
    await till.pass(minuteMs)
    assert.equal(till.paymentsOf(id).length, 1)
    await till.assertSound()
  })
})

describe('the books against Stripe', () => {
  it('agree to the cent, whatever became of the payouts, and name what Stripe has charged', async (t) => {
    const till = await openTill({ topUp: 10_000_00 })
    t.after(() => till.stop())
    const { app } = till.server
    const reconcileNow = () =>
      reconcile(app, findReconcilable(app, true, 'stripe') as ReconciledAccount)
    const begun = await reconcileNow()
    assert.deepEqual([begun.difference, begun.opening], [0n, 10_000_00n])
    const made = []
    for (let n = 0; n < 4; n++) made.push(await till.payOut())
    const [done, back, failed, open] = made
    const { payment } = till.double
    payment.post(`po-${done.id}`)
    payment.post(`po-${back.id}`)
    await till.pass(minuteMs)
    payment.comeBack(`po-${back.id}`, 'payout_method_closed')
    payment.fail(`po-${failed.id}`, 'payout_method_declined')
    till.double.topUp(77_77)
    till.double.withdraw(11_11)
    await till.pass(60 * minuteMs)
    const first = await reconcileNow()
    // What came back after it arrived was noticed by this alone.
    assert.equal((await till.payout(back.reference)).status, 'returned')
    assert.equal((await till.payout(open.reference)).status, 'processing')
    const again = await reconcileNow()
    assert.deepEqual(
      [first.topUps, first.settlements, again.topUps, again.difference],
      [1, 1, 0, 0n],
    )
    assert.deepEqual(again.findings, [])
    till.double.charge(1_23)
    const charged = await reconcileNow()
    assert.deepEqual([charged.findings.length, charged.difference], [1, -1_23n])
    assert.match(String(charged.findings[0]?.subject), /^balance txne_/)
    await till.server.assertBooksClean()
  })
})
