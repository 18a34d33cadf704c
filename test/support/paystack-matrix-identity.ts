/** Every fault by every operation that looking into a customer is made of. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { applies, type Fault, type OperationName } from '../doubles/paystack.ts'
import { minuteMs, type Till } from './paystack.ts'
import {
  documentEventsOf,
  giveDocument,
  knownOf,
  newCustomer,
  openIdentityTill,
  standing,
} from './paystack-identity.ts'
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

const operations = {
  create_customer: null,
  identify: 'create_customer',
  fetch_customer: 'identify',
} as const satisfies Part['operations']

export const identityPart: Part = {
  name: 'an identity number',
  operations,
  open: async () => listen(await openIdentityTill(rolled)),
  expectedOf(operation, fault) {
    if (!applies(operation, fault)) return null
    return fault === 'status_false' && operation !== 'fetch_customer' ? 'failed' : 'verified'
  },
  runCell: (till, operation, fault) =>
    isOfWebhooks(fault) ? runWebhookCell(till, fault) : runCell(till, operation, fault),
}

async function runCell(till: Till, operation: OperationName, fault: Fault): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const after = operations[operation as keyof typeof operations]
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  const asked = double.requests.length
  const customer = await newCustomer(till)
  await giveDocument(till, customer)
  for (let round = 0; round < 4 && rule.applied === 0 && fault !== 'no_connection'; round++)
    await till.pass(minuteMs)
  if (fault === 'no_connection') await till.pass(minuteMs)
  await double.clearFaults()
  if (fault === 'slow') await sleep(50)
  for (
    let round = 0;
    round < 12 && (await standing(till, customer)).status === 'pending';
    round++
  ) {
    const known = knownOf(till, customer)
    if (known?.asked) double.live.identity.succeed(known.code)
    await till.pass(6 * minuteMs)
  }

  const hit = double.requests
    .slice(asked)
    .some((one) => one.fault === fault && one.operation === operation)
  assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
  const { status } = await standing(till, customer)
  assert.equal(knownOf(till, customer)?.identified ?? false, status === 'verified')
  assert.deepEqual(
    (await documentEventsOf(till, customer)).map(({ type }) => type),
    [`customer.document.${status}`],
  )
  await till.assertSound()
  return status
}

/** Has a fault befall the webhook about one customer who is looked into. */
async function runWebhookCell(till: Till, fault: WebhookFault): Promise<Cell> {
  await till.pass(minuteMs)
  const incidents = await incidentsIn(till)
  await befall(till, 'identify', fault)
  const customer = await newCustomer(till)
  await giveDocument(till, customer)
  const known = knownOf(till, customer)
  assert.ok(known)
  if (!known.identified) till.double.live.identity.succeed(known.code)
  const heard = await hear(till, fault, known.code)
  assert.equal((await standing(till, customer)).status, heard ? 'verified' : 'pending')
  for (let round = 0; round < 12 && (await standing(till, customer)).status === 'pending'; round++)
    await till.pass(6 * minuteMs)
  await hearLate(till, fault, known.code)

  assert.equal((await standing(till, customer)).status, 'verified')
  assert.deepEqual(
    (await documentEventsOf(till, customer)).map(({ type }) => type),
    ['customer.document.verified'],
  )
  assert.equal(await incidentsIn(till), incidents)
  await till.assertSound()
  return 'verified'
}
