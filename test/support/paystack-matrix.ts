/**
 * Every fault of the double, by every operation that an order is made of: what must become of the
 * order, of the double's books, and of the events. Here are payouts; the other parts stand beside
 * it.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { applies, type Fault, faults, type OperationName } from '../doubles/paystack.ts'
import type { Json } from './harness.ts'
import { minuteMs, openTill, type Till } from './paystack.ts'
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

/** What a payout asks of Paystack, and which operation comes before each. */
const payoutOperations = {
  resolve: null,
  balance: 'resolve',
  create_recipient: 'balance',
  transfer: 'create_recipient',
  verify_transfer: 'transfer',
} as const satisfies Partial<Record<OperationName, OperationName | null>>
type PayoutOperation = keyof typeof payoutOperations

/** A part of the matrix: its operations, and which comes before each. */
export type Part = {
  name: string
  operations: Partial<Record<OperationName, OperationName | null>>
  open(): Promise<Till>
  /** Null where the pair has no sense. */
  expectedOf(operation: OperationName, fault: Fault): Cell | null
  /** Has a fault befall an operation of one order, and holds what comes of it against what must. */
  runCell(till: Till, operation: OperationName, fault: Fault): Promise<Cell>
}

export const columnsOf = ({ operations }: Part) => Object.keys(operations) as OperationName[]

export const payoutPart: Part = {
  name: 'a payout',
  operations: payoutOperations,
  open: async () => listen(await openTill(rolled)),
  expectedOf: (operation, fault) => expectedOf(operation as PayoutOperation, fault),
  runCell: (till, operation, fault) =>
    isOfWebhooks(fault)
      ? runWebhookCell(till, fault)
      : runCell(till, operation as PayoutOperation, fault),
}

/** What befalls answers, and what befalls the webhooks that follow. */
export const rows: readonly Fault[] = faults

/**
 * A sentence about what came of it, which ends the same way: that the order was paid once, or that
 * it failed and was paid never.
 */
export type Cell = 'paid' | 'opened' | 'verified' | 'failed' | 'not asked'

/**
 * A refusal that nobody knows is certain of nothing, so the payout goes on. @returns null where the
 * pair has no sense
 */
function expectedOf(operation: PayoutOperation, fault: Fault): Cell | null {
  if (!applies(operation, fault)) return null
  return fault === 'webhook_out_of_order' ? 'failed' : 'paid'
}

/** Has a fault befall an operation of one payout, and holds what comes of it against what must. */
async function runCell(till: Till, operation: PayoutOperation, fault: Fault): Promise<Cell> {
  const { double, live } = till
  // So that the balance is asked for anew, and nothing waits of the cell before.
  await till.pass(minuteMs)
  const after = payoutOperations[operation]
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  const asked = double.requests.length
  const payout = await till.payOut()
  // Until the fault has come, which of some operations is only when they are asked about.
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
  const ended = await end(till, payout)

  const hit = double.requests
    .slice(asked)
    .some((one) => one.fault === fault && one.operation === operation)
  assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
  const transfers = till.transfersOf(payout.id)
  const paid = transfers.filter(({ status }) => status === 'success')
  const events = await till.eventsOf(payout.id)
  assert.ok(transfers.length <= 1, `it was executed ${transfers.length} times`)
  assert.deepEqual(events, ['payout.initiated', `payout.${ended.status}`])
  assert.equal(paid.length, ended.status === 'completed' ? 1 : 0)
  if (fault === 'arrives_late') {
    const sent = double.requests.slice(asked).filter((one) => one.operation === 'transfer')
    assert.equal(sent.length, 1, 'it was sent again while the first may still have been on its way')
  }
  assert.equal(transfers.length, paid.length, 'a transfer goes on that is over here')
  assert.equal((await live('GET', `/payouts/${payout.reference}`)).data.status, ended.status)
  await till.assertSound()
  return ended.status === 'completed' ? 'paid' : 'failed'
}

/**
 * Has a fault befall the webhooks about one payout. The order of two is turned by a transfer that
 * succeeds and comes back.
 */
async function runWebhookCell(till: Till, fault: WebhookFault): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const incidents = await incidentsIn(till)
  await befall(till, 'transfer', fault)
  const { id, reference } = await till.payOut()
  const name = `po-${id}`
  const back = fault === 'webhook_out_of_order'
  if (fault !== 'webhook_before_answer') double.live.transfer.succeed(name)
  if (back) double.live.transfer.reverse(name)
  const heard = await hear(till, fault, name)
  const status = back ? 'failed' : 'completed'
  assert.equal((await till.payout(reference)).status, heard ? status : 'processing')
  const ended = await end(till, { id, reference })
  await hearLate(till, fault, name)

  assert.equal(ended.status, status)
  assert.equal((await till.payout(reference)).status, status)
  assert.deepEqual(await till.eventsOf(id), ['payout.initiated', `payout.${status}`])
  assert.deepEqual(
    till.transfersOf(id).map((one) => [one.status, one.amount]),
    [[back ? 'reversed' : 'success', 996_500]],
  )
  assert.equal(await incidentsIn(till), incidents)
  await till.assertSound()
  return back ? 'failed' : 'paid'
}

/** Has the bank pay what the double has taken, and time go by, until the payout is at its end. */
async function end(till: Till, { id, reference }: Json): Promise<Json> {
  for (let round = 0; round < 12; round++) {
    const payout = await till.payout(reference)
    if (payout.status === 'completed' || payout.status === 'failed') return payout
    for (const transfer of till.transfersOf(id))
      if (transfer.status === 'pending') till.double.live.transfer.succeed(transfer.reference)
    await till.pass(6 * minuteMs)
  }
  throw new Error(`it never ended: ${JSON.stringify(await till.payout(reference))}`)
}

/** The cells of a part as a table of text. */
export function tableOf(part: Part, cells: Map<string, Cell | 'wrong' | null>): string {
  const columns = columnsOf(part)
  const filled = rows.filter((row) => columns.some((column) => cells.has(`${column} ${row}`)))
  const width = Math.max(...filled.map((row) => row.length))
  const line = (first: string, rest: string[]) =>
    `${first.padEnd(width)}  ${rest.map((one, i) => one.padEnd((columns[i] as string).length)).join('  ')}`
  return [
    line('', columns),
    ...filled.map((row) =>
      line(
        row,
        columns.map((column) => cells.get(`${column} ${row}`) ?? '·'),
      ),
    ),
  ].join('\n')
}
