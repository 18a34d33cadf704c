/** Every fault of the double of Bridge, by every operation that a payout in dollars is made of: what must become of the payout, of the double's books, and of the events. */
import assert from 'node:assert/strict'
import { listIncidents } from '../src/platform/incidents/incidents.ts'
import { minuteMs, openTill, type Till } from './bridge.ts'
import { applies, type Fault, faults, type OperationName, webhookFaults } from './doubles/bridge.ts'
import { type Json, until } from './harness.ts'

/** What a payout asks of Bridge, and which operation comes before each. Transfers are listed where an answer was lost. */
export const operations = {
  get_wallet: null,
  create_external_account: 'get_wallet',
  create_transfer: 'create_external_account',
  list_transfers: 'create_transfer',
  get_transfer: 'create_transfer',
} as const satisfies Partial<Record<OperationName, OperationName | null>>
export type Column = keyof typeof operations

export const columns = Object.keys(operations) as Column[]
export const rows: readonly Fault[] = faults
export type Cell = 'paid' | 'failed'

const isOfWebhooks = (fault: Fault): fault is (typeof webhookFaults)[number] =>
  (webhookFaults as readonly Fault[]).includes(fault)

/** @returns null where the pair has no sense: Bridge's answers say nothing of their mode */
export function expectedOf(operation: Column, fault: Fault): Cell | null {
  if (!applies(operation, fault) || fault === 'other_mode') return null
  const ends = fault === 'status_false' && operation.startsWith('create_')
  return ends || fault === 'webhook_out_of_order' ? 'failed' : 'paid'
}

/** Has a fault befall an operation of one payout, and holds what comes of it against what must. */
export async function runCell(till: Till, operation: Column, fault: Fault): Promise<Cell> {
  if (isOfWebhooks(fault)) return runWebhookCell(till, fault)
  const { double } = till
  // So that the balance is asked for anew, and nothing waits of the cell before.
  await till.pass(minuteMs)
  const after = operations[operation]
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  if (operation === 'list_transfers' && fault !== 'no_connection') await double.fault('create_transfer', 'reset_after')
  const asked = double.requests.length
  const payout = await till.payOut()
  // Until the fault has come, which of some operations is only when they are asked about.
  for (let round = 0; round < 4 && rule.applied === 0 && fault !== 'no_connection'; round++) await till.pass(minuteMs)
  if (fault === 'no_connection') await till.pass(minuteMs)
  // It was asked about meanwhile, and not found: that it is sent again then is what must not be.
  if (fault === 'arrives_late') {
    await till.pass(minuteMs)
    double.arrive()
  }
  await double.clearFaults()
  const ended = await end(till, payout)

  const hit = double.requests.slice(asked).some((one) => one.fault === fault && one.operation === operation)
  assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
  const transfers = till.transfersOf(payout.id)
  const paid = transfers.filter(({ state }) => state === 'payment_processed')
  assert.ok(transfers.length <= 1, `it was executed ${transfers.length} times`)
  assert.deepEqual(await till.eventsOf(payout.id), ['payout.initiated', `payout.${ended.status}`])
  assert.equal(paid.length, ended.status === 'completed' ? 1 : 0)
  assert.equal(transfers.length, paid.length, 'a transfer goes on that is over here')
  if (fault.startsWith('other_')) {
    const about = operation === 'create_external_account' ? 'POST /customers/external_accounts' : payout.id
    const reported = (await listIncidents(till.server.app.db, {})).find(({ subject }) => subject === about)
    assert.equal(reported?.kind, 'quarantined')
  }
  if (fault === 'arrives_late') {
    const sent = double.requests.slice(asked).filter((one) => one.operation === 'create_transfer')
    assert.equal(sent.length, 1, 'it was sent again while the first may still have been on its way')
  }
  await till.assertSound()
  return ended.status === 'completed' ? 'paid' : 'failed'
}

const refused: Partial<Record<Fault, number>> = { webhook_forged: 401, webhook_test_key: 401, webhook_oversized: 413 }
const unsent: Fault[] = ['webhook_never', 'webhook_late']

const keptOf = ({ server }: Till, reference: string): Promise<Json[]> =>
  server.app.db.query<Json>('select deliveries, outcome from provider_events where reference = $1 order by id', [
    reference,
  ])

/** Has a fault befall the webhooks about one payout. The order of two is turned by a transfer that succeeds and comes back. */
async function runWebhookCell(till: Till, fault: (typeof webhookFaults)[number]): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const incidents = (await listIncidents(till.server.app.db, { closed: true })).length
  double.events.queue.splice(0)
  double.events.deliveries.splice(0)
  await double.fault('create_transfer', fault, { times: fault === 'webhook_out_of_order' ? 1 : 9 })
  const { id, reference } = await till.payOut()
  const name = `po-${id}`
  const back = fault === 'webhook_out_of_order'
  if (back) double.transfer.comeBack(name)
  else if (fault !== 'webhook_before_answer') double.transfer.succeed(name)
  await double.events.deliver()
  const answers = [...new Set(double.events.deliveries.map(({ status }) => status))]
  assert.deepEqual(answers, unsent.includes(fault) ? [] : [refused[fault] ?? 200])
  const heard = answers.includes(200)
  const kept = await until(async () => {
    const found = await keptOf(till, name)
    return found.every(({ outcome }) => outcome !== null) ? found : null
  })
  assert.equal(kept.length > 0, heard)
  for (const { deliveries, outcome } of kept) {
    assert.match(outcome, /^(applied|nothing_to_do)$/)
    assert.equal(deliveries, fault === 'webhook_twice_at_once' ? 2 : 1)
  }
  const status = back ? 'failed' : 'completed'
  assert.equal((await till.payout(reference)).status, heard ? status : 'processing')
  await double.clearFaults()
  const ended = await end(till, { id, reference })
  await double.events.deliver({ late: true })
  await until(async () => (await keptOf(till, name)).every(({ outcome }) => outcome !== null))
  assert.equal(ended.status, status)
  assert.deepEqual(await till.eventsOf(id), ['payout.initiated', `payout.${status}`])
  assert.equal(till.transfersOf(id).length, 1)
  assert.equal((await listIncidents(till.server.app.db, { closed: true })).length, incidents)
  await till.assertSound()
  return back ? 'failed' : 'paid'
}

/** Has the bank pay what the double has taken, and time go by, until the payout is at its end. */
async function end(till: Till, { id, reference }: Json): Promise<Json> {
  for (let round = 0; round < 12; round++) {
    const payout = await till.payout(reference)
    if (payout.status === 'completed' || payout.status === 'failed') return payout
    for (const transfer of till.transfersOf(id))
      if (transfer.state === 'funds_received') till.double.transfer.succeed(transfer.reference)
    await till.pass(6 * minuteMs)
  }
  throw new Error(`it never ended: ${JSON.stringify(await till.payout(reference))}`)
}

export const open = (): Promise<Till> => openTill()

/** The cells as a table of text. */
export function tableOf(cells: Map<string, Cell | 'wrong'>): string {
  const filled = rows.filter((row) => columns.some((column) => cells.has(`${column} ${row}`)))
  const width = Math.max(...filled.map((row) => row.length))
  const line = (first: string, rest: string[]) =>
    `${first.padEnd(width)}  ${rest.map((one, i) => one.padEnd((columns[i] as string).length)).join('  ')}`
  const of = (row: Fault) => columns.map((column) => cells.get(`${column} ${row}`) ?? '·')
  return [line('', columns), ...filled.map((row) => line(row, of(row)))].join('\n')
}
