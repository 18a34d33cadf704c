/**
 * Goal: a payout with a live key is paid by Paystack's transfer, once, whatever Paystack answers.
 * Method: whole servers over the double of Paystack, asked over HTTP; what the double's books have
 * is held against what the server says.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { newId } from '../../../src/lib/ids.ts'
import { ask } from '../../../src/paying-out/payouts/settlement.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { holdOutgoing, releaseOutgoing } from '../../../src/rails/records/outgoing.ts'
import type { Json } from '../../support/actors.ts'
import { must, until } from '../../support/harness.ts'
import { minuteMs, openTill, type Till } from '../../support/paystack.ts'

describe('a live payout by Paystack', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  it('is a transfer to a recipient that is made once, and completes when Paystack says so', async () => {
    const { id, reference, destination } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'processing')
    const [transfer] = till.transfersOf(id)
    assert.deepEqual(
      [
        transfer?.reference,
        transfer?.amount,
        transfer?.recipient.account,
        transfer?.recipient.name,
      ],
      [`po-${id}`, 996_500, destination.account_number, 'ADA NGOZI OKAFOR'],
    )
    till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    const payout = await till.payout(reference)
    assert.deepEqual([payout.status, payout.provider_reference], ['completed', transfer?.code])
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
    const same = { destination: { bank_code: '058', account_number: destination.account_number } }
    const again = await till.payOut(1_000_000, same)
    assert.equal(till.transfersOf(again.id).length, 1)
    const asked = till.double.requests.filter(({ operation }) => operation === 'create_recipient')
    assert.equal(asked.length, 1)
    await till.assertSound()
  })

  for (const [response, reason] of [
    ['Account number is invalid', 'invalid_account'],
    ['Beneficiary name mismatch', 'name_mismatch'],
    ['Transfer limit exceeded', 'limit_exceeded'],
    ['Destination bank is not available', 'bank_unavailable'],
  ] as const)
    it(`fails with ${reason} when Paystack says '${response}', and the wallet has the money again`, async () => {
      const { id, reference } = await till.payOut()
      till.double.live.transfer.fail(`po-${id}`, response)
      await till.pass(minuteMs)
      const payout = await till.payout(reference)
      assert.deepEqual([payout.status, payout.failure_reason], ['failed', reason])
      assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.failed'])
      await till.assertSound()
    })

  for (const end of ['abandoned', 'blocked', 'rejected'] as const)
    it(`fails when Paystack says that the transfer is ${end}`, async () => {
      const { id, reference } = await till.payOut()
      till.double.live.transfer.end(`po-${id}`, end)
      await till.pass(minuteMs)
      const payout = await till.payout(reference)
      assert.deepEqual([payout.status, payout.failure_reason], ['failed', 'rejected'])
      await till.assertSound()
    })

  it('is returned when it is reversed after it arrived, and the wallet has what had arrived', async () => {
    const { id, reference } = await till.payOut()
    till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    till.double.live.transfer.reverse(`po-${id}`)
    const scope = await scopeOf(till.server.app, till.server.businessId, true)
    await ask(outside(till.server.app, scope), id, true)
    assert.equal((await till.payout(reference)).status, 'returned')
    assert.deepEqual(await till.eventsOf(id), [
      'payout.initiated',
      'payout.completed',
      'payout.returned',
    ])
    await till.assertSound()
  })

  it('is noticed by a webhook that says so, by which nothing is believed', async () => {
    const { id, reference } = await till.payOut()
    const { events, transfer } = till.double.live
    events.url = `${till.server.url}/rails/paystack/live/webhook`
    transfer.succeed(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'completed')
    transfer.reverse(`po-${id}`)
    // Signed, and not so: the transfer of the other is as it was.
    const other = await till.payOut()
    events.inject('transfer.success', {
      reference: `po-${other.id}`,
      status: 'success',
      amount: 1,
      id: 1,
    })
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'returned')
    assert.equal((await till.payout(other.reference)).status, 'processing')
    const kept = await till.server.app.db.query(
      'select outcome from provider_events order by received_at, id',
    )
    assert.ok(kept.length >= 3)
    assert.deepEqual(await till.eventsOf(id), [
      'payout.initiated',
      'payout.completed',
      'payout.returned',
    ])
    events.url = null
    await till.assertSound()
  })

  it('is not booked by a transfer that another payout has booked: a person must look', async () => {
    const one = await till.payOut()
    till.double.live.transfer.succeed(`po-${one.id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(one.reference)).status, 'completed')
    const other = await till.payOut()
    till.double.live.transfer.succeed(`po-${other.id}`)
    const [first] = till.transfersOf(one.id)
    const [second] = till.transfersOf(other.id)
    const code = second?.code
    Object.assign(second as object, { code: first?.code })
    await till.pass(minuteMs)
    assert.equal((await till.payout(other.reference)).status, 'processing')
    const [incident] = await listIncidents(till.server.app.db, {})
    assert.match(String(incident?.detail.found), /the payout TRF_\w+ of paystack is booked already/)
    Object.assign(second as object, { code })
    await till.pass(10 * minuteMs)
    assert.equal((await till.payout(other.reference)).status, 'completed')
    await till.assertSound()
  })

  it('fails when it is reversed before it arrived', async () => {
    const { id, reference } = await till.payOut()
    till.double.live.transfer.reverse(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'failed')
    await till.assertSound()
  })
})

describe('a live payout that Paystack does not take now', () => {
  it('waits for the balance, and is paid once it is enough', async (t) => {
    const till = await openTill({ account: { payout_float_min: 9_999_000_000 } })
    t.after(() => till.stop())
    const { id, reference } = await till.payOut(2_000_000)
    assert.equal((await till.payout(reference)).status, 'pending')
    assert.deepEqual(till.transfersOf(id), [])
    till.double.live.operator.topUp(5_000_000)
    await till.pass(minuteMs)
    assert.equal(till.transfersOf(id).length, 1)
    await till.assertSound()
  })

  for (const burns of [false, true])
    it(`is refused for want of balance, and sent again when there is some${burns ? ', where the refusal used the reference up' : ''}`, async (t) => {
      const till = await openTill({ settings: { refusedTransferBurnsReference: burns } })
      t.after(() => till.stop())
      // The balance that was read is not the balance that is there when the transfer comes.
      await till.payOut(10_000)
      const { books, operator } = till.double.live
      books.move('balance', -books.pots.balance, 'Transfer', 1, 'somebody else')
      const { id, reference } = await till.payOut(2_000_000)
      assert.deepEqual(
        [(await till.payout(reference)).status, till.transfersOf(id)],
        ['pending', []],
      )
      operator.topUp(100_000_000)
      await till.pass(minuteMs)
      await till.pass(minuteMs)
      assert.deepEqual(
        till.transfersOf(id).map((one) => one.reference),
        [`po-${id}-2`],
      )
      till.double.live.transfer.succeed(`po-${id}-2`)
      await till.pass(minuteMs)
      assert.equal((await till.payout(reference)).status, 'completed')
      assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
    })

  it('waits while outgoing money is held, and its timeline says since when', async (t) => {
    const till = await openTill({})
    t.after(() => till.stop())
    const { db, clock } = till.server.app
    const at = clock.now()
    await holdOutgoing(db, { id: newId(at), reason: 'operator', dataOf: null, at })
    const { id, reference } = await till.payOut()
    const why = async (): Promise<Json[]> =>
      (await must(till.live('GET', `/explain/${id}`))).entries.filter(({ title }: Json) =>
        /holds all outgoing/.test(title),
      )
    assert.deepEqual([(await till.payout(reference)).status, till.transfersOf(id)], ['pending', []])
    assert.deepEqual(
      (await why()).map((one) => one.at),
      [at.toISOString()],
    )
    await releaseOutgoing(db, clock.now(), 'Ada')
    assert.deepEqual(await why(), [])
    await till.pass(60 * minuteMs)
    assert.equal(till.transfersOf(id).length, 1)
  })

  it('waits while the business may pay nobody, can be canceled, and nothing was sent', async (t) => {
    const till = await openTill({ settings: { thirdPartyPayouts: false } })
    t.after(() => till.stop())
    const { id, reference } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'pending')
    await must(till.live('POST', `/payouts/${reference}/cancel`))
    assert.deepEqual(
      [till.transfersOf(id), await till.eventsOf(id)],
      [[], ['payout.initiated', 'payout.canceled']],
    )
    await till.assertSound()
  })

  it('waits also where Paystack says so with 403, which is not about the key', async (t) => {
    const till = await openTill({ settings: { thirdPartyPayouts: false, starterStatus: 403 } })
    t.after(() => till.stop())
    const { id, reference } = await till.payOut()
    const { entries } = await must(till.live('GET', `/explain/${id}`))
    assert.equal((await till.payout(reference)).status, 'pending')
    assert.ok(
      entries.some(({ title }: Json) => /switched on|enabled/.test(title)),
      JSON.stringify(entries),
    )
    await till.assertSound()
  })

  it('is held and asked about when Paystack refuses it in words that nobody knows, and a person is told', async (t) => {
    const till = await openTill({ settings: { strangeRefusal: 'transfer' } })
    t.after(() => till.stop())
    const held = async (): Promise<number> => (await must(till.live('GET', '/wallets')))[0].pending
    const before = await held()
    const { id, reference } = await till.payOut()
    const during = await held()
    assert.notEqual(during, before)
    for (let round = 0; round < 4; round++) await till.pass(6 * minuteMs)
    assert.deepEqual(
      [(await till.payout(reference)).status, await held(), till.transfersOf(id)],
      ['processing', during, []],
    )
    assert.deepEqual(
      (await listIncidents(till.server.app.db, {})).map(({ kind, subject, detail }) => [
        kind,
        subject,
        detail.says,
      ]),
      [['quarantined', id, 'a refusal that this version does not know: strange_refusal (400)']],
    )
    till.double.live.settings.strangeRefusal = null
    for (let round = 0; round < 4; round++) await till.pass(60 * minuteMs)
    assert.deepEqual(
      till.transfersOf(id).map((one) => one.reference),
      [`po-${id}`],
    )
    till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(6 * 60 * minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })

  it('can be canceled when Paystack refuses its recipient in words that nobody knows: nothing was sent', async (t) => {
    const till = await openTill({ settings: { strangeRefusal: 'create_recipient' } })
    t.after(() => till.stop())
    const { id, reference } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'pending')
    assert.deepEqual(
      (await listIncidents(till.server.app.db, {})).map(({ subject, detail }) => [
        subject,
        detail.says,
      ]),
      [
        [
          'POST /transferrecipient',
          'a refusal that this version does not know: strange_refusal (400)',
        ],
      ],
    )
    await must(till.live('POST', `/payouts/${reference}/cancel`))
    assert.deepEqual(till.transfersOf(id), [])
    await till.assertSound()
  })

  it('stays processing while Paystack waits for a code, and no other is sent until a person says so', async (t) => {
    const till = await openTill({ settings: { otp: true } })
    t.after(() => till.stop())
    const first = await till.payOut()
    assert.equal((await till.payout(first.reference)).status, 'processing')
    const second = await till.payOut()
    assert.deepEqual(
      [(await till.payout(second.reference)).status, till.transfersOf(second.id)],
      ['pending', []],
    )
    till.double.live.transfer.release(`po-${first.id}`)
    till.double.live.transfer.succeed(`po-${first.id}`)
    await till.pass(10 * minuteMs)
    assert.equal((await till.payout(first.reference)).status, 'completed')
    assert.equal((await till.payout(second.reference)).status, 'pending')
    await till.assertSound()
  })
})
