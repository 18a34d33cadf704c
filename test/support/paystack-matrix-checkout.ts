/**
 * The part of the matrix that is payments by card: every fault of an answer, by what a payment asks
 * of Paystack. Its payer is led to one page or told to try again, pays, and is booked once.
 */
import assert from 'node:assert/strict'
import { applies, type Fault, type OperationName } from '../doubles/paystack.ts'
import type { Json } from './harness.ts'
import { minuteMs, type Till } from './paystack.ts'
import { openShop, type Shop } from './paystack-cards.ts'
import type { Part } from './paystack-matrix.ts'
import {
  befall,
  hear,
  hearLate,
  incidentsIn,
  isOfWebhooks,
  listen,
  rolled,
  type WebhookFault,
} from './paystack-matrix-webhooks.ts'

/** What is certainly not taken, before anybody has seen a page: the payer tries again. */
const refusals: Fault[] = ['no_connection', 'rate_limited', 'unauthorized', 'status_false']
const paid = {
  status: 'completed',
  received: 500_000,
  attempts: 'succeeded',
  events: ['payment.completed'],
}

export const checkoutPart: Part = {
  name: 'a payment by card',
  operations: { initialize: null, verify_transaction: 'initialize' },
  open: async (): Promise<Till> => listen(await openShop(rolled)),
  expectedOf: (operation: OperationName, fault: Fault) =>
    applies(operation, fault) ? ('paid' as const) : null,
  async runCell(till: Till, operation: OperationName, fault: Fault): Promise<'paid'> {
    const shop = till as Shop
    await shop.pass(minuteMs)
    if (isOfWebhooks(fault)) return runWebhookCell(shop, fault)
    const payment = await shop.open()
    await (operation === 'initialize'
      ? beginWith(shop, payment, fault)
      : askWith(shop, payment, fault))
    const refused = operation === 'initialize' && refusals.includes(fault)
    assert.deepEqual(await shop.stands(payment), {
      ...paid,
      attempts: refused ? 'failed succeeded' : 'succeeded',
    })
    const there = await shop.transactionsOf(payment)
    assert.equal(there.filter(({ paidAt }) => paidAt !== null).length, 1)
    const odd = fault.startsWith('other_')
    const subjects = (await shop.attemptsOf(payment)).map(({ id }) => id)
    const incidents = (await shop.incidents()).filter(({ subject }) => subjects.includes(subject))
    assert.deepEqual(
      incidents.map(({ kind }) => kind),
      odd ? ['quarantined'] : [],
    )
    await shop.assertSound()
    return 'paid'
  },
}

async function beginWith(shop: Shop, payment: Json, fault: Fault): Promise<void> {
  const payer = shop.payerOf(payment)
  await shop.double.fault('initialize', fault)
  const first = await shop.leave(payer)
  await shop.double.clearFaults()
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
  const there = await shop.transactionsOf(payment)
  const shown = there.filter(({ accessCode }) => url === `${shop.double.checkoutUrl}/${accessCode}`)
  assert.equal(shown.length, 1, 'the page that is shown is none of the double’s')
  shop.double.live.payer.pay(shown[0]?.reference as string)
  assert.match((await shop.back(payer)).text, /Payment complete/)
}

async function askWith(shop: Shop, payment: Json, fault: Fault): Promise<void> {
  const payer = shop.payerOf(payment)
  assert.match(await shop.leave(payer), /\/leave$/)
  const [there] = await shop.transactionsOf(payment)
  shop.double.live.payer.pay(there?.reference as string)
  await shop.double.fault('verify_transaction', fault)
  const page = await shop.back(payer)
  if (fault !== 'slow') {
    assert.match(page.text, /Waiting for the bank/, fault)
    assert.equal((await shop.stands(payment)).received, 0)
  }
  await shop.double.clearFaults()
  await shop.pass(40_000)
  await shop.pass(minuteMs)
}

/** Has a fault befall the webhook about one payment, which its payer does not come back from. */
async function runWebhookCell(shop: Shop, fault: WebhookFault): Promise<'paid'> {
  const incidents = await incidentsIn(shop)
  await befall(shop, 'initialize', fault)
  const payment = await shop.open()
  const payer = shop.payerOf(payment)
  await shop.leave(payer)
  const [there] = await shop.transactionsOf(payment)
  const name = there?.reference as string
  // One that overtakes the answer is of a payment that is paid before its payer has seen the page.
  if (there?.paidAt === null) shop.double.live.payer.pay(name)
  const heard = await hear(shop, fault, name)
  assert.equal((await shop.stands(payment)).received, heard ? 500_000 : 0)
  await shop.pass(2 * minuteMs)
  assert.deepEqual(await shop.stands(payment), paid)
  await hearLate(shop, fault, name)
  assert.match((await shop.back(payer)).text, /Payment complete/)

  assert.deepEqual(await shop.stands(payment), paid)
  assert.deepEqual(
    (await shop.transactionsOf(payment)).map(({ amount, paidAt }) => [amount, paidAt !== null]),
    [[500_000, true]],
  )
  assert.equal(await incidentsIn(shop), incidents)
  await shop.assertSound()
  return 'paid'
}
