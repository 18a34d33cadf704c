/**
 * Goal: what Paystack took goes back by Paystack, once, whatever is answered; and the books agree
 * with Paystack's. Method: live payments over the double, refunds by HTTP, webhooks by HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'
import { minuteMs } from '../../support/paystack.ts'
import type { Shop } from '../../support/paystack-cards.ts'
import {
  clearing,
  ended,
  giveBack,
  givenBack,
  openShop,
  refundOf,
  sell,
} from '../../support/paystack-refunds.ts'

describe('a refund of what Paystack took', () => {
  let till: Shop
  before(async () => {
    till = await openShop()
    till.double.live.events.url = `${till.server.url}/rails/paystack/live/webhook`
  })
  after(() => till.stop())

  const balance = async (): Promise<Json> =>
    (await must(till.live('GET', '/wallets'))).find((one: Json) => one.currency === 'ngn')
  /** What the books and the double disagree about now. */
  const difference = async (): Promise<number> =>
    (await clearing(till)) - till.double.live.books.owed()
  const incidentsOf = async (id: string) =>
    (await listIncidents(till.server.app.db, {}))
      .filter(({ subject }) => subject === id)
      .map(({ kind }) => kind)

  for (const [method, destination] of [
    ['card', { card: { brand: 'visa', last4: '4081' } }],
    [
      'bank_transfer',
      {
        account_name: 'ADA OKAFOR',
        bank_name: 'Guaranty Trust Bank',
        account_number: 'XXXXXX6789',
      },
    ],
  ] as const)
    it(`goes back by it: ${method}`, async () => {
      const sold = await sell(till, method)
      const [before, apart] = [await balance(), await difference()]
      const refund = await giveBack(till, sold, { amount: 200_000 })
      assert.deepEqual(
        [refund.method, refund.destination, refund.status],
        [method, destination, 'initiated'],
      )
      const [taken] = givenBack(till, sold)
      assert.deepEqual([taken?.amount, taken?.merchantNote], [200_000, `bursar ${refund.id}`])
      const waiting = await refundOf(till, refund)
      assert.deepEqual(
        [waiting.status, waiting.provider_reference],
        ['initiated', String(taken?.id)],
      )

      const done = await ended(till, sold, refund)
      assert.deepEqual(
        [done.status, done.provider_reference, done.failure_reason],
        ['completed', String(taken?.id), null],
      )
      assert.equal((await balance()).available, before.available - 200_000)
      assert.equal(await difference(), apart)
      assert.deepEqual(await till.eventsOf(refund.id), ['refund.initiated', 'refund.completed'])
      const [receipt] = await till.server.app.db.query<Json>(
        "select kind, amount, fee, subject from provider_receipts where kind = 'refund' and provider_id = $1",
        [String(taken?.id)],
      )
      assert.deepEqual(
        { ...receipt },
        { kind: 'refund', amount: 200_000n, fee: null, subject: refund.id },
      )

      const rest = await giveBack(till, sold)
      assert.equal(rest.amount, 300_000)
      assert.equal((await ended(till, sold, rest)).status, 'completed')
      assert.equal(givenBack(till, sold).length, 2)
      await till.assertSound()
    })

  it('is no incident when Paystack says that the payment is reversed, and what somebody else gave back is', async () => {
    for (const [amount, kinds] of [
      [500_000, []],
      [400_000, ['reversed']],
    ] as const) {
      const sold = await sell(till, 'card')
      const refund = await giveBack(till, sold, { amount })
      await ended(till, sold, refund)
      const [attempt] = await till.attemptsOf(sold.payment)
      const { reference } = sold.transaction
      if (amount < 500_000) till.double.live.refund.onDashboard(reference, 500_000 - amount)
      await till.double.live.events.inject('charge.success', {
        reference,
        status: 'reversed',
        id: sold.transaction.id,
      })
      await until(async () => {
        const [event] = await till.server.app.db.query<Json>(
          "select outcome from provider_events where type = 'charge.success' and reference = $1",
          [reference],
        )
        return event?.outcome ?? null
      })
      assert.deepEqual(await incidentsOf(attempt?.id), kinds)
    }
  })

  it('goes as a payout where the merchant names a bank account', async () => {
    const sold = await sell(till, 'bank_transfer')
    const refund = await giveBack(till, sold, {
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    assert.deepEqual(givenBack(till, sold), [])
    till.double.live.transfer.succeed(`po-${refund.payout}`)
    await till.double.live.events.deliver()
    // By the webhook, which Paystack sends of a transfer: a refund is found by it as a payout is.
    await until(async () => (await refundOf(till, refund)).status === 'completed')
    // What came of the event is written down after what it led to.
    const event = await until(async () => {
      const [row] = await till.server.app.db.query<Json>(
        `select outcome, subject from provider_events
          where type = 'transfer.success' and reference = $1 and outcome is not null`,
        [`po-${refund.payout}`],
      )
      return row ?? null
    })
    assert.deepEqual({ ...event }, { outcome: 'applied', subject: refund.payout })
    await till.assertSound()
  })

  it('goes back by it where the merchant names the very account that paid', async () => {
    const number = '0123456788'
    const sold = await sell(till, 'bank_transfer', 500_000, number)
    const refund = await giveBack(till, sold, {
      destination: { bank_code: '058', account_number: number },
    })
    assert.deepEqual(
      [refund.payout, refund.amount, givenBack(till, sold).length],
      [null, 500_000, 1],
    )
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    await till.assertSound()
  })

  it('is screened by the account at the bank that is named, where its sender has no code of one', async () => {
    const operator = await operatorOf(till.server)
    const number = '0123456787'
    const block = (code: string) =>
      must(
        operator('POST', '/operator/screening/entries', {
          type: 'account',
          kind: 'block',
          value: `${code} ${number}`,
        }),
      )
    await block('044')
    const sold = await sell(till, 'bank_transfer', 500_000, number)
    const first = await giveBack(till, sold, { amount: 1_000 })
    assert.equal((await ended(till, sold, first)).status, 'completed')
    await block('058')
    const second = await giveBack(till, sold)
    const held = await until(async () => {
      const read = await refundOf(till, second)
      return read.review === null ? null : read
    })
    assert.deepEqual(
      [held.status, held.review.reason, givenBack(till, sold).length],
      ['initiated', 'block_list', 1],
    )
    const { docs } = await must(operator('GET', '/operator/reviews?status=waiting'))
    await must(operator('POST', `/operator/reviews/${docs[0].id}/refuse`))
    assert.equal((await refundOf(till, second)).status, 'failed')
    await till.assertSound()
  })

  it('is asked about when a webhook names its transaction, also of several refunds of one', async () => {
    const sold = await sell(till, 'card')
    const { live } = till.double
    for (const amount of [100_000, 100_000]) {
      const refund = await giveBack(till, sold, { amount })
      live.refund.process(givenBack(till, sold).at(-1)?.id as number)
      await live.events.deliver()
      await until(async () => (await refundOf(till, refund)).status === 'completed')
    }
    // Nothing waits for one that has completed: the webhook alone tells that it came back, of
    // either.
    const [first, second] = givenBack(till, sold)
    const before = await balance()
    for (const one of [first, second]) {
      live.refund.fail(one?.id as number)
      await live.events.deliver()
      await until(async () => {
        const all = (await must(till.live('GET', `/refunds?payment=${sold.payment.id}`)))
          .docs as Json[]
        return all.some(
          (row) => row.provider_reference === String(one?.id) && row.status === 'failed',
        )
      })
    }
    assert.equal((await balance()).available, before.available + 200_000)
    assert.equal((await must(till.live('GET', `/payments/${sold.payment.id}`))).amount_refunded, 0)
    await till.assertSound()
  })

  it('whose answer was lost is known by its note where Paystack lists it, also the second of a payment', async () => {
    const sold = await sell(till, 'card')
    const { app } = till.server
    await ended(till, sold, await giveBack(till, sold, { amount: 100_000 }))
    await till.double.fault('refund', 'timeout_after')
    const refund = await giveBack(till, sold, { amount: 100_000 })
    till.double.live.refund.process(givenBack(till, sold).at(-1)?.id as number)
    // Its own job asks only afterwards.
    await app.db.query("update timers set due_at = due_at + interval '1 day' where subject = $1", [
      refund.id,
    ])
    await till.pass(31 * minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    const { findings } = await reconcile(
      app,
      findReconcilable(app, true, 'paystack') as ReconciledAccount,
    )
    assert.deepEqual(
      findings.filter(({ subject }) => subject === `refund ${givenBack(till, sold).at(-1)?.id}`),
      [],
    )
    assert.equal((await refundOf(till, refund)).status, 'completed')
    await till.assertSound()
  })

  it('fails where Paystack says so, and the wallet has the money again', async () => {
    const sold = await sell(till, 'card')
    const before = await balance()
    const refund = await giveBack(till, sold)
    till.double.live.refund.fail(givenBack(till, sold)[0]?.id as number)
    await till.pass(minuteMs)
    const done = await refundOf(till, refund)
    assert.deepEqual([done.status, done.failure_reason], ['failed', 'rejected'])
    assert.equal((await balance()).available, before.available)
    assert.equal((await ended(till, sold, await giveBack(till, sold))).status, 'completed')
    await till.assertSound()
  })

  it('waits while Paystack holds too little for it, and is sent when it holds enough', async () => {
    const sold = await sell(till, 'card')
    const { books, operator } = till.double.live
    const kept = books.owed()
    books.move('balance', -books.pots.balance, 'TopUp', 1, 'The operator takes it all')
    books.move('pending', -books.pots.pending, 'TopUp', 1, 'The operator takes it all')
    const refund = await giveBack(till, sold)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    assert.deepEqual(givenBack(till, sold), [])
    const why = async (): Promise<string[]> =>
      (await must(till.live('GET', `/explain/${refund.id}`))).entries.flatMap(({ title }: Json) =>
        /it waits/.test(title) ? [title] : [],
      )
    assert.deepEqual(await why(), [
      'The account that the refund is paid from holds too little: it waits until the operator has added money',
    ])
    operator.topUp(kept)
    await till.pass(2 * minuteMs)
    assert.deepEqual(await why(), [])
    // Under the next number: nobody knows whether Paystack would take the former note for a repeat.
    assert.deepEqual(
      givenBack(till, sold).map((one) => one.merchantNote),
      [`bursar ${refund.id}-2`],
    )
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    await till.assertSound()
  })

  it('of a part is no incident, though Paystack lists the whole payment as reversed then', async () => {
    const { live } = till.double
    const sold = await sell(till, 'card')
    const paid = live.events.queue.findLast((one) => one.event === 'charge.success')
    assert.equal(
      (await ended(till, sold, await giveBack(till, sold, { amount: 8_000 }))).status,
      'completed',
    )
    assert.equal(sold.transaction.status, 'reversed')
    const before = await listIncidents(till.server.app.db, {})
    const again = { ...(paid?.data as Json), status: 'reversed' }
    await live.events.inject('charge.success', again)
    await till.pass(0)
    assert.deepEqual(await listIncidents(till.server.app.db, {}), before)
    assert.equal((await ended(till, sold, await giveBack(till, sold))).status, 'completed')
    await till.assertSound()
  })

  it('is asked about when Paystack refuses it in words that nobody knows, and keeps its money', async (t) => {
    const sold = await sell(till, 'card')
    const { settings } = till.double.live
    settings.strangeRefusal = 'refund'
    t.after(() => Object.assign(settings, { strangeRefusal: null }))
    const refund = await giveBack(till, sold)
    const { available } = await balance()
    for (let round = 0; round < 4; round++) await till.pass(6 * minuteMs)
    assert.deepEqual(
      [(await refundOf(till, refund)).status, (await balance()).available],
      ['initiated', available],
    )
    assert.deepEqual(await incidentsOf(refund.id), ['quarantined'])
    settings.strangeRefusal = null
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    assert.equal(givenBack(till, sold).length, 1)
    await till.assertSound()
  })

  it('is for a person to look at when Paystack knows it no more', async () => {
    const sold = await sell(till, 'card')
    const refund = await giveBack(till, sold)
    const { refunds } = till.double.live.books
    const [gone] = refunds.splice(
      refunds.indexOf(givenBack(till, sold)[0] as (typeof refunds)[number]),
      1,
    )
    await till.pass(minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    assert.deepEqual(await incidentsOf(refund.id), ['quarantined'])
    refunds.push(gone as (typeof refunds)[number])
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    await till.assertSound()
  })

  it('waits for a person, who is told what to ask, where Paystack says that it is reversed', async () => {
    const sold = await sell(till, 'card')
    const refund = await giveBack(till, sold)
    const id = givenBack(till, sold)[0]?.id as number
    till.double.live.refund.reverse(id)
    await till.pass(minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    const [incident] = (await listIncidents(till.server.app.db, {})).filter(
      ({ subject }) => subject === refund.id,
    )
    assert.match(String(incident?.detail.says), /reversed.*ask its support whether the payer/)
    till.double.live.refund.begin(id)
    till.double.live.refund.process(id)
    await till.pass(60 * minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'completed')
    await till.assertSound()
  })

  it('waits for a person where Paystack cannot give it back', async () => {
    const sold = await sell(till, 'card')
    const refund = await giveBack(till, sold)
    const id = givenBack(till, sold)[0]?.id as number
    till.double.live.refund.needAttention(id)
    await till.pass(minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    assert.deepEqual(await incidentsOf(refund.id), ['needs_attention'])
    till.double.live.refund.begin(id)
    till.double.live.refund.process(id)
    await till.pass(60 * minuteMs)
    assert.equal((await refundOf(till, refund)).status, 'completed')
    await till.assertSound()
  })

  it('is not booked by an answer about another refund', async () => {
    for (const [fault, operation] of [
      ['other_amount', 'fetch_refund'],
      ['other_currency', 'fetch_refund'],
      ['other_mode', 'fetch_refund'],
      ['other_reference', 'fetch_refund'],
    ] as const) {
      const sold = await sell(till, 'card')
      const refund = await giveBack(till, sold)
      till.double.live.refund.process(givenBack(till, sold)[0]?.id as number)
      await till.double.fault(operation, fault)
      await till.pass(minuteMs)
      assert.equal((await refundOf(till, refund)).status, 'initiated', fault)
      assert.deepEqual(await incidentsOf(refund.id), ['quarantined'], fault)
      await till.double.clearFaults()
      assert.equal((await ended(till, sold, refund)).status, 'completed')
    }
    await till.assertSound()
  })
})

describe('a refund where Paystack keeps no notes', () => {
  let till: Shop
  before(async () => {
    till = await openShop({ settings: { refundKeepsNote: false, refundFilter: false } })
  })
  after(() => till.stop())

  it('is given back once when it is answered', async () => {
    const sold = await sell(till, 'card')
    const refund = await giveBack(till, sold)
    assert.equal((await ended(till, sold, refund)).status, 'completed')
    assert.equal(givenBack(till, sold).length, 1)
    await till.assertSound()
  })

  it('is for a person to look at when the answer was lost, and never sent twice', async () => {
    const sold = await sell(till, 'card')
    await till.double.fault('refund', 'timeout_after')
    const refund = await giveBack(till, sold)
    for (let hour = 0; hour < 3; hour++) await till.pass(60 * minuteMs)
    assert.equal(givenBack(till, sold).length, 1)
    assert.equal((await refundOf(till, refund)).status, 'initiated')
    const open = (await listIncidents(till.server.app.db, {})).filter(
      ({ subject }) => subject === refund.id,
    )
    assert.deepEqual(
      open.map(({ kind }) => kind),
      ['quarantined'],
    )
    await till.assertSound()
  })
})
