/**
 * Goal: whatever befalls whichever call of a payment by card at Stripe, its payer is led to one
 * page or told to try again, pays, and is booked once. Method: one cell after the other over one
 * server and one double. A run of all tests takes each fourth cell; `npm run rails:matrix` takes
 * all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Fault, faults, webhookFaults } from '../../doubles/paystack/faults.ts'
import { applies, type OperationName } from '../../doubles/stripe-cards.ts'
import { minuteMs } from '../../support/dollars.ts'
import type { Json } from '../../support/harness.ts'
import { openShop, type Shop } from '../../support/stripe-cards.ts'

const isWhole = process.env.MATRIX === 'whole'
/** What is certainly not taken, before anybody has seen a page: the payer tries again. */
const refusals: Fault[] = ['no_connection', 'rate_limited', 'unauthorized', 'status_false']
const paid = {
  status: 'completed',
  received: 50_00,
  attempts: 'succeeded',
  events: ['payment.completed'],
}

const isOfWebhooks = (fault: Fault): boolean => (webhookFaults as readonly Fault[]).includes(fault)

describe('the matrix of faults: a payment by card at Stripe', () => {
  let shop: Shop
  let wrong = 0
  let ran = 0
  before(async () => {
    shop = await openShop()
  })
  after(async () => {
    await shop.stop()
    console.log(`\na payment by card at Stripe: ${ran} cells, ${wrong} wrong\n`)
  })

  const columns: OperationName[] = ['create_session', 'get_session']
  for (const [c, column] of columns.entries())
    for (const [r, row] of faults.entries()) {
      if (!applies(column, row) || (!isWhole && (c + r) % 4 > 0)) continue
      it(`${column}: ${row} ends paid`, async () => {
        ran++
        wrong++
        // So that nothing waits of the cell before.
        await shop.pass(minuteMs)
        shop.double.events.queue.splice(0)
        shop.double.events.deliveries.splice(0)
        const asked = shop.double.requests.length
        const refused = column === 'create_session' && refusals.includes(row)
        const payment = await shop.open()
        if (isOfWebhooks(row)) await hearWith(shop, payment, row)
        else await (column === 'create_session' ? beginWith : askWith)(shop, payment, row)
        assert.deepEqual(await shop.stands(payment), {
          ...paid,
          attempts: refused ? 'failed succeeded' : 'succeeded',
        })
        const there = await shop.sessionsOf(payment)
        assert.equal(there.filter(({ payment: one }) => one?.status === 'succeeded').length, 1)
        assert.deepEqual(
          await shop.incidentsOf(payment),
          row.startsWith('other_') ? ['quarantined'] : [],
        )
        const hit = shop.double.requests
          .slice(asked)
          .some((one) => one.operation === column && one.fault === row)
        assert.ok(hit || row === 'no_connection' || isOfWebhooks(row), 'it was never befallen')
        await shop.assertSound()
        wrong--
      })
    }
})

async function beginWith(shop: Shop, payment: Json, fault: Fault): Promise<void> {
  const payer = shop.payerOf(payment)
  await shop.double.fault('create_session', fault)
  const first = await shop.leave(payer)
  await shop.double.clearFaults()
  shop.double.arrive()
  if (refusals.includes(fault)) {
    assert.match(first, /\?method=card$/)
    assert.match(
      (await payer.open('?method=card')).text,
      /could not be opened\. You have not been charged/,
    )
    assert.deepEqual(await shop.stands(payment), {
      status: 'pending',
      received: 0,
      attempts: 'failed',
      events: [],
    })
    await shop.pass(minuteMs)
    assert.match(await shop.leave(payer), /\/leave$/)
  } else assert.match(first, /\/leave$/, fault)
  const url = await shop.wayOf(payer)
  const shown = (await shop.sessionsOf(payment)).filter((one) => url === shop.double.pageOf(one))
  assert.equal(shown.length, 1, 'the page that is shown is none of the double’s')
  shop.double.payer.pay(shown[0]?.reference as string)
  assert.match((await shop.back(payer)).text, /Payment complete/)
  // Those that nobody has a page of end by themselves, and Stripe tells of that.
  await shop.pass(70 * minuteMs)
  await shop.back(payer)
  await shop.double.events.deliver()
  await shop.pass(0)
}

async function askWith(shop: Shop, payment: Json, fault: Fault): Promise<void> {
  const payer = shop.payerOf(payment)
  assert.match(await shop.leave(payer), /\/leave$/)
  const [there] = await shop.sessionsOf(payment)
  shop.double.payer.pay(there?.reference as string)
  await shop.double.fault('get_session', fault)
  const page = await shop.back(payer)
  if (fault !== 'slow') {
    assert.match(page.text, /Waiting for the bank/, fault)
    assert.equal((await shop.stands(payment)).received, 0)
  }
  await shop.double.clearFaults()
  await shop.pass(40_000)
  await shop.pass(minuteMs)
}

const refusedWith: Partial<Record<Fault, number>> = {
  webhook_forged: 401,
  webhook_test_key: 401,
  webhook_oversized: 413,
}

/** Has a fault befall the webhooks about a payment whose payer does not come back. */
async function hearWith(shop: Shop, payment: Json, fault: Fault): Promise<void> {
  const { double } = shop
  await double.fault('create_session', fault, { times: 9 })
  await shop.leave(shop.payerOf(payment))
  const [there] = await shop.sessionsOf(payment)
  if (there?.status === 'open') double.payer.pay(there.reference)
  await double.events.deliver()
  const answers = [...new Set(double.events.deliveries.map(({ status }) => status))]
  const isUnsent = fault === 'webhook_never' || fault === 'webhook_late'
  assert.deepEqual(answers, isUnsent ? [] : [refusedWith[fault] ?? 200])
  await shop.pass(0)
  // A webhook that comes before the answer may be applied before or after it.
  if (fault !== 'webhook_before_answer')
    assert.equal((await shop.stands(payment)).received, answers.includes(200) ? 50_00 : 0)
  await shop.pass(2 * minuteMs)
  assert.deepEqual(await shop.stands(payment), paid)
  await double.clearFaults()
  assert.equal((await double.events.deliver({ late: true })) > 0, fault === 'webhook_late')
  await shop.pass(0)
}
