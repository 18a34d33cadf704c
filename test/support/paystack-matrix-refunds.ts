/**
 * Every fault by every operation that a refund is made of: Paystack knows no repeat of one, so that
 * two sends would be two refunds.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { applies, type Fault, type OperationName } from '../doubles/paystack.ts'
import { must } from './harness.ts'
import { minuteMs } from './paystack.ts'
import type { Shop } from './paystack-cards.ts'
import type { Cell, Part } from './paystack-matrix.ts'
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
import {
  clearing,
  ended,
  giveBack,
  givenBack,
  openShop,
  refundOf,
  sell,
} from './paystack-refunds.ts'

const operations = {
  fetch_transaction: null,
  verify_transaction: 'fetch_transaction',
  list_refunds: 'verify_transaction',
  refund: 'list_refunds',
  fetch_refund: 'refund',
} as const satisfies Part['operations']

export const refundPart: Part = {
  name: 'a refund',
  operations,
  open: async () => listen(await openShop(rolled)),
  expectedOf(operation, fault) {
    return applies(operation, fault) ? 'paid' : null
  },
  runCell: (till, operation, fault) =>
    isOfWebhooks(fault)
      ? runWebhookCell(till as Shop, fault)
      : runCell(till as Shop, operation, fault),
}

async function runCell(till: Shop, operation: OperationName, fault: Fault): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const sold = await sell(till, 'card')
  const apart = (await clearing(till)) - double.live.books.owed()
  const after = operations[operation as keyof typeof operations]
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  const asked = double.requests.length
  // Of less than the half two could be given back.
  const amount = fault === 'arrives_late' ? 200_000 : 500_000
  const refund = await giveBack(till, sold, { amount })
  for (let round = 0; round < 4 && rule.applied === 0 && fault !== 'no_connection'; round++)
    await till.pass(minuteMs)
  if (fault === 'no_connection') await till.pass(minuteMs)
  // It was asked about meanwhile, and not found: that it is sent again then is what must not be.
  if (fault === 'arrives_late') {
    await till.pass(minuteMs)
    double.arrive()
  }
  await double.clearFaults()
  if (fault === 'slow') await sleep(50)
  const end = await ended(till, sold, refund)

  const hit = double.requests
    .slice(asked)
    .some((one) => one.fault === fault && one.operation === operation)
  assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
  const made = givenBack(till, sold)
  const completed = end.status === 'completed'
  assert.deepEqual(
    made.map(({ status }) => status),
    completed ? ['processed'] : [],
  )
  assert.deepEqual(await till.eventsOf(refund.id), ['refund.initiated', `refund.${end.status}`])
  assert.equal(
    (await must(till.live('GET', `/payments/${sold.payment.id}`))).amount_refunded,
    completed ? amount : 0,
  )
  assert.equal((await clearing(till)) - double.live.books.owed(), apart)
  await till.assertSound()
  return completed ? 'paid' : 'failed'
}

/**
 * Has a fault befall the webhooks about one refund: that it was taken, and that it was given back.
 */
async function runWebhookCell(till: Shop, fault: WebhookFault): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const incidents = await incidentsIn(till)
  const sold = await sell(till, 'card')
  const apart = (await clearing(till)) - double.live.books.owed()
  await befall(till, 'refund', fault)
  const refund = await giveBack(till, sold)
  const [there] = givenBack(till, sold)
  if (there?.status === 'pending') double.live.refund.process(there.id)
  const heard = await hear(till, fault, sold.transaction.reference)
  assert.equal((await refundOf(till, refund)).status, heard ? 'completed' : 'initiated')
  const { status } = await ended(till, sold, refund)
  await hearLate(till, fault, sold.transaction.reference)

  assert.equal(status, 'completed')
  assert.deepEqual(await till.eventsOf(refund.id), ['refund.initiated', 'refund.completed'])
  assert.deepEqual(
    givenBack(till, sold).map((one) => [one.status, one.amount]),
    [['processed', 500_000]],
  )
  assert.equal(
    (await must(till.live('GET', `/payments/${sold.payment.id}`))).amount_refunded,
    500_000,
  )
  assert.equal((await clearing(till)) - double.live.books.owed(), apart)
  assert.equal(await incidentsIn(till), incidents)
  await till.assertSound()
  return 'paid'
}
