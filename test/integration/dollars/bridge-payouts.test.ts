/**
 * Goal: a payout in dollars with a live key is paid by Bridge's transfer, once, whatever Bridge
 * answers. Method: whole servers over the double of Bridge, asked over HTTP; what the double's
 * books have is held against what the server says.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import type { ReconciledAccount } from '../../../src/platform/reconciliation/reconciliation.ts'
import { findReconcilable, reconcile } from '../../../src/platform/reconciliation/reconciliation.ts'
import { openTill, type Till } from '../../support/bridge.ts'
import { minuteMs } from '../../support/dollars.ts'
import { until } from '../../support/harness.ts'

const dayMs = 24 * 60 * minuteMs
const reconcileNow = async ({ server }: Till) =>
  reconcile(server.app, findReconcilable(server.app, true, 'bridge') as ReconciledAccount)

describe('a live payout in dollars by Bridge', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  it('is a transfer to an external account that is made once, and completes when Bridge says so', async () => {
    const { id, reference, destination, fee } = await till.payOut(100_00)
    const [transfer] = till.transfersOf(id)
    assert.equal((await till.payout(reference)).status, 'processing')
    assert.deepEqual(
      [
        transfer?.reference,
        transfer?.amount,
        transfer?.rail,
        transfer?.account.number,
        transfer?.account.owner,
      ],
      [`po-${id}`, BigInt(100_00 - fee) * 10_000n, 'ach', destination.account_number, 'Ada Okafor'],
    )
    till.double.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    const payout = await till.payout(reference)
    assert.deepEqual([payout.status, payout.provider_reference], ['completed', transfer?.id])
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
    const { bank_name: _, ...same } = destination
    const again = await till.payOut(50_00, { destination: same })
    assert.equal(till.transfersOf(again.id)[0]?.account.id, transfer?.account.id)
    assert.equal(
      till.double.requests.filter(({ operation }) => operation === 'create_external_account')
        .length,
      1,
    )
    await till.assertSound()
  })

  for (const [state, reason] of [
    ['undeliverable', 'invalid_account'],
    ['canceled', 'rejected'],
  ] as const)
    it(`fails when Bridge says ${state}, and the wallet has the money again`, async () => {
      const { id, reference } = await till.payOut()
      till.double.transfer.become(`po-${id}`, state)
      await till.pass(minuteMs)
      const payout = await till.payout(reference)
      assert.deepEqual([payout.status, payout.failure_reason], ['failed', reason])
      if (state !== 'canceled') till.double.transfer.become(`po-${id}`, 'refunded')
      await till.assertSound()
    })

  it('is still under way while Bridge’s staff look at it, a person is told, and what they decide is its end', async () => {
    const [paid, back] = [await till.payOut(), await till.payOut()]
    for (const { id } of [paid, back]) till.double.transfer.become(`po-${id}`, 'error')
    await till.pass(minuteMs)
    for (const { id, reference } of [paid, back]) {
      assert.equal((await till.payout(reference)).status, 'processing')
      const told = (await listIncidents(till.server.app.db, {})).filter(
        ({ subject }) => subject === id,
      )
      assert.deepEqual(
        told.map(({ kind }) => kind),
        ['needs_attention'],
      )
    }
    till.double.transfer.succeed(`po-${paid.id}`)
    till.double.transfer.become(`po-${back.id}`, 'refund_in_flight')
    await till.pass(10 * minuteMs)
    assert.equal((await till.payout(paid.reference)).status, 'completed')
    assert.equal((await till.payout(back.reference)).status, 'failed')
    till.double.transfer.become(`po-${back.id}`, 'refunded')
    await till.assertSound()
  })

  it('is returned when it comes back after it arrived, which a webhook tells, and nothing of the webhook is believed', async () => {
    const { id, reference } = await till.payOut()
    const { events, transfer } = till.double
    transfer.succeed(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'completed')
    // Signed, and not so: the transfer of the other is as it was.
    const other = await till.payOut()
    const said = {
      api_version: 'v0',
      event_id: 'wh_lie',
      event_category: 'transfer',
      event_type: 'transfer.updated',
    }
    const lie = { client_reference_id: `po-${other.id}`, state: 'payment_processed' }
    assert.equal(
      await events.post(JSON.stringify({ ...said, event_object_id: 'tr_x', event_object: lie })),
      200,
    )
    transfer.comeBack(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'returned')
    assert.equal((await till.payout(reference)).failure_reason, 'invalid_account')
    assert.equal((await till.payout(other.reference)).status, 'processing')
    assert.deepEqual(await till.eventsOf(id), [
      'payout.initiated',
      'payout.completed',
      'payout.returned',
    ])
    await till.assertSound()
  })

  it('takes webhooks that are signed by the endpoint’s key, now or before, and no others', async () => {
    const { events, keys, books } = till.double
    const { id } = await till.payOut()
    const object = { client_reference_id: `po-${id}` }
    const body = (name: string) =>
      JSON.stringify({
        event_id: name,
        event_category: 'transfer',
        event_type: 'transfer.updated',
        event_object: object,
      })
    const at = (ms: number): Date => new Date(books.now().getTime() + ms)
    assert.equal(await events.post(body('wh_now')), 200)
    assert.equal(await events.post(body('wh_before'), keys.previous.privateKey), 200)
    assert.equal(await events.post(body('wh_other'), keys.other.privateKey), 401)
    assert.equal(await events.post(body('wh_old'), keys.live.privateKey, at(-601_000)), 401)
    assert.equal(await events.post(body('wh_early'), keys.live.privateKey, at(660_000)), 401)
    assert.equal(await events.post(body('wh_other_once'), keys.live.privateKey, at(0), false), 401)
    assert.equal(await events.post('{"event_category":"transfer"}'), 200)
    const kept = await till.server.app.db.query<{ key: string }>(
      "select key from provider_events where key like 'wh_now%' or key like 'wh_before%' or key ~ '^wh_(other|old|early)'",
    )
    assert.equal(kept.length, 2)
  })

  it('fails without an address of the holder, and Bridge is asked for nothing', async () => {
    const asked = till.double.requests.length
    const destination = {
      country: 'us',
      routing_number: '021000021',
      account_number: '99887766',
      account_name: 'Ada Okafor',
      account_type: 'savings',
    }
    const { reference } = await till.payOut(100_00, { destination })
    const payout = await till.payout(reference)
    assert.deepEqual([payout.status, payout.failure_reason], ['failed', 'rejected'])
    const posts = till.double.requests
      .slice(asked)
      .filter(({ operation }) => operation.startsWith('create_'))
    assert.deepEqual(posts, [])
    await till.assertSound()
  })

  it('says that less arrived than was sent, where Bridge takes its fee out of it', async () => {
    const { id, reference } = await till.payOut()
    till.double.transfer.of(`po-${id}`).kept = 500_000n
    till.double.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    const found = (await listIncidents(till.server.app.db, {})).filter(
      ({ subject }) => subject === id,
    )
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['needs_attention'],
    )
  })

  it('is paid to an external account made anew, where Bridge knows the one before no more', async () => {
    const { id, destination } = await till.payOut()
    const [before] = till.transfersOf(id)
    assert.ok(before)
    const { bank_name: _, ...same } = destination
    before.account.active = false
    const again = await till.payOut(50_00, { destination: same })
    await till.pass(minuteMs)
    const [transfer] = till.transfersOf(again.id)
    assert.deepEqual(
      [transfer?.reference, transfer?.account.number, transfer?.account.id === before.account.id],
      [`po-${again.id}-2`, destination.account_number, false],
    )
    await till.assertSound()
  })

  it('is paid once where the answer was lost, though Bridge forgets its keys after a day', async () => {
    await till.double.fault('create_transfer', 'reset_after')
    await till.double.fault('list_transfers', 'error_before', { times: 99 })
    const { id, reference } = await till.payOut()
    for (let day = 0; day < 3; day++) await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'processing')
    await till.double.clearFaults()
    till.double.transfer.succeed(`po-${id}`)
    await till.pass(dayMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.equal(till.transfersOf(id).length, 1)
    const sent = till.double.requests.filter(({ body }) => body?.client_reference_id === `po-${id}`)
    assert.equal(sent.length, 1)
    await till.assertSound()
  })

  for (const [status, code, message] of [
    [422, 'unprocessable_entity', 'Unprocessable'],
    [400, 'duplicate_record', 'Idempotency key was reused with different parameters'],
    [400, 'not_truly_idempotent', 'The same key, and another body'],
    [400, 'invalid_parameters', 'The Idempotency-Key was used for this amount'],
  ] as const)
    it(`is not failed where the key is refused as used up, by ${status} ${code}, and the list lacks it`, async () => {
      const { double } = till
      await double.fault('create_transfer', 'reset_after')
      await double.fault('list_transfers', 'error_before', { times: 99 })
      const { id, reference } = await till.payOut()
      await till.pass(2 * dayMs)
      await double.clearFaults()
      const { spentKey } = double
      double.spentKey = { status, body: { code, message } }
      const one = double.transfer.of(`po-${id}`)
      const { updatedAt } = one
      one.updatedAt = new Date(0)
      await till.pass(dayMs)
      assert.equal((await till.payout(reference)).status, 'processing')
      const sent = double.requests.filter(({ body }) => body?.client_reference_id === `po-${id}`)
      assert.ok(sent.length > 1)
      one.updatedAt = updatedAt
      double.spentKey = spentKey
      double.transfer.succeed(`po-${id}`)
      await till.pass(dayMs)
      assert.equal((await till.payout(reference)).status, 'completed')
      await till.assertSound()
    })
})

describe('a live payout that Bridge does not take now', () => {
  it('waits for the wallet, can be canceled, and is paid once there is enough', async (t) => {
    const till = await openTill({ topUp: 50_00, account: { payout_float_min: 10_00 } })
    t.after(() => till.stop())
    const one = await till.payOut(100_00)
    const other = await till.payOut(100_00)
    assert.equal((await till.payout(one.reference)).status, 'pending')
    const canceled = await till.live('POST', `/payouts/${other.reference}/cancel`)
    assert.equal(canceled.data.status, 'canceled')
    till.double.books.topUp(100_00)
    await till.pass(minuteMs)
    assert.deepEqual([till.transfersOf(one.id).length, till.transfersOf(other.id).length], [1, 0])
    await till.assertSound()
  })

  it('is refused for want of balance, and sent again under another reference when there is some', async (t) => {
    const till = await openTill({ topUp: 1_000_00 })
    t.after(() => till.stop())
    // The balance that was read is not the balance that is there when the transfer comes.
    await till.payOut(10_00)
    const held = till.double.books.wallet.balance
    till.double.books.wallet.balance = 0n
    const { id, reference } = await till.payOut(100_00)
    assert.deepEqual([(await till.payout(reference)).status, till.transfersOf(id)], ['pending', []])
    till.double.books.wallet.balance = held
    await till.pass(minuteMs)
    await till.pass(minuteMs)
    assert.deepEqual(
      till.transfersOf(id).map((one) => one.reference),
      [`po-${id}-2`],
    )
    till.double.transfer.succeed(`po-${id}-2`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })

  it('waits while the customer is not active', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    till.double.books.customer.status = 'under_review'
    const { id, reference } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'pending')
    till.double.books.customer.status = 'active'
    await till.pass(11 * minuteMs)
    await till.pass(minuteMs)
    assert.equal(till.transfersOf(id).length, 1)
    await till.assertSound()
  })
})

describe('the books against Bridge', () => {
  it('agree to the cent, whatever became of the payouts, and name what another made with the key', async (t) => {
    const till = await openTill({ topUp: 10_000_00 })
    t.after(() => till.stop())
    const begun = await reconcileNow(till)
    assert.deepEqual([begun.difference, begun.opening], [0n, 10_000_00n])
    const { transfer, books } = till.double
    const [done, back, failed, open] = [
      await till.payOut(),
      await till.payOut(),
      await till.payOut(),
      await till.payOut(),
    ]
    transfer.succeed(`po-${done.id}`)
    transfer.succeed(`po-${back.id}`)
    await till.pass(minuteMs)
    transfer.become(`po-${back.id}`, 'returned')
    transfer.become(`po-${failed.id}`, 'undeliverable')
    books.topUp(77_77, 'ethereum')
    await till.pass(60 * minuteMs)
    const report = await reconcileNow(till)
    // What came back after it arrived was noticed by this alone.
    assert.equal((await till.payout(back.reference)).status, 'returned')
    assert.equal((await till.payout(open.reference)).status, 'processing')
    const again = await reconcileNow(till)
    assert.deepEqual(
      [report.topUps, again.topUps, again.difference, again.findings],
      [1, 0, 0n, []],
    )
    for (const state of ['refund_in_flight', 'refund_failed', 'refunded'] as const) {
      transfer.become(`po-${back.id}`, state)
      transfer.become(`po-${failed.id}`, state)
      assert.equal((await reconcileNow(till)).difference, 0n)
    }
    transfer.become(`po-${open.id}`, 'error')
    assert.equal((await reconcileNow(till)).difference, 0n)
    const strange = books.transfer(`po-${done.id}`)
    books.transfers.push({
      ...strange,
      id: 'tr_strange',
      reference: 'payroll-1',
      at: books.now(),
      updatedAt: books.now(),
    })
    books.wallet.balance -= strange.amount
    await till.pass(60 * minuteMs)
    const found = await reconcileNow(till)
    assert.deepEqual(
      found.findings.map(({ kind, subject }) => [kind, subject]),
      [['missing_here', 'payout tr_strange']],
    )
    await till.server.assertBooksClean()
  })
})
