/**
 * Every fault of a double, by every operation that a payout by one of the smaller adapters is made
 * of: what must become of the payout, of the double's books, and of the events.
 */
import assert from 'node:assert/strict'
import { listIncidents } from '../../src/platform/incidents/incidents.ts'
import { type Fault, faults, moreFaults, webhookFaults } from '../doubles/paystack/faults.ts'
import { type Dollars, minuteMs } from './dollars.ts'
import { type Json, until } from './harness.ts'

/** What became of an order at a double: `open` is to be paid yet. */
export type Sent = { reference: string; state: 'open' | 'paid' | 'over' }

/** A live server over a double of a provider that pays dollars. */
export type MatrixTill = Dollars & {
  double: {
    fault(
      operation: string,
      fault: Fault,
      options?: { times?: number; after?: string },
    ): Promise<{ applied: number }>
    clearFaults(): Promise<void>
    arrive(): void
    requests: { operation: string; fault: Fault | null }[]
    events: {
      queue: unknown[]
      deliveries: { status: number }[]
      deliver(options?: { late?: boolean }): Promise<unknown>
    }
  }
  sent(id: string): Sent[]
  succeed(reference: string): void
  /** It comes back from a bank, without or after an arrival, which is told by several events. */
  comeBack(reference: string): void
  assertSound(): Promise<void>
  stop(): Promise<void>
}

/** A provider's part of the matrix. */
export type Part = {
  name: string
  /** What a payout asks, and which operation comes before each. */
  operations: Record<string, string | null>
  /** What moves the money, and what looks for it where its answer was lost. */
  send: string
  look: string
  applies(operation: string, fault: Fault): boolean
  /** Those of `moreFaults` that its double knows. */
  more?: readonly Fault[]
  /** What an answer that cannot be so is reported about, where it is not the payout. */
  reportedAs: Record<string, string>
  open(): Promise<MatrixTill>
}

export const rows: readonly Fault[] = [...faults, ...moreFaults]
export type Cell = 'paid' | 'failed'

const isOfWebhooks = (fault: Fault): fault is (typeof webhookFaults)[number] =>
  (webhookFaults as readonly Fault[]).includes(fault)

/** @returns null where the pair has no sense */
export function expectedOf(
  { applies, more = [] }: Part,
  operation: string,
  fault: Fault,
): Cell | null {
  const isKnown = (faults as readonly Fault[]).includes(fault) || more.includes(fault)
  if (!isKnown || !applies(operation, fault)) return null
  const ends = fault === 'status_false' && /^(create|setup)_/.test(operation)
  return ends || fault === 'webhook_out_of_order' ? 'failed' : 'paid'
}

/** Has a fault befall an operation of one payout, and holds what comes of it against what must. */
export async function runCell(
  part: Part,
  till: MatrixTill,
  operation: string,
  fault: Fault,
): Promise<Cell> {
  if (isOfWebhooks(fault)) return runWebhookCell(part, till, fault)
  const { double } = till
  // So that the balance is asked for anew, and nothing waits of the cell before.
  await till.pass(minuteMs)
  const after = part.operations[operation] as string | null
  const rule = await double.fault(operation, fault, after === null ? {} : { after })
  if (operation === part.look && fault !== 'no_connection')
    await double.fault(part.send, 'reset_after')
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
  const ended = await end(till, payout)

  const hit = double.requests
    .slice(asked)
    .some((one) => one.fault === fault && one.operation === operation)
  assert.ok(hit || fault === 'no_connection', `${operation} was never befallen by ${fault}`)
  const transfers = till.sent(payout.id)
  const paid = transfers.filter(({ state }) => state === 'paid')
  assert.ok(transfers.length <= 1, `it was executed ${transfers.length} times`)
  assert.deepEqual(await till.eventsOf(payout.id), ['payout.initiated', `payout.${ended.status}`])
  assert.equal(paid.length, ended.status === 'completed' ? 1 : 0)
  assert.equal(transfers.length, paid.length, 'a transfer goes on that is over here')
  if (fault.startsWith('other_')) {
    const about = part.reportedAs[operation] ?? payout.id
    const reported = (await listIncidents(till.server.app.db, {})).find(
      ({ subject }) => subject === about,
    )
    if (about !== 'nothing') assert.equal(reported?.kind, 'quarantined')
  }
  if (fault === 'arrives_late') {
    const sent = double.requests.slice(asked).filter((one) => one.operation === part.send)
    assert.equal(sent.length, 1, 'it was sent again while the first may still have been on its way')
  }
  await till.assertSound()
  return ended.status === 'completed' ? 'paid' : 'failed'
}

const refused: Partial<Record<Fault, number>> = {
  webhook_forged: 401,
  webhook_test_key: 401,
  webhook_oversized: 413,
}
const unsent: Fault[] = ['webhook_never', 'webhook_late']

/** The webhooks that are kept about an order, by its reference or by the provider's id of it. */
const keptOf = ({ server }: MatrixTill, reference: string): Promise<Json[]> =>
  server.app.db.query<Json>(
    `select deliveries, outcome from provider_events
      where reference = $1
         or provider_id in (select provider_id from provider_orders where reference = $1) order by id`,
    [reference],
  )

/**
 * Has a fault befall the webhooks about one payout. The order of two is turned by a transfer that
 * succeeds and comes back.
 */
async function runWebhookCell(
  part: Part,
  till: MatrixTill,
  fault: (typeof webhookFaults)[number],
): Promise<Cell> {
  const { double } = till
  await till.pass(minuteMs)
  const incidents = (await listIncidents(till.server.app.db, { closed: true })).length
  double.events.queue.splice(0)
  double.events.deliveries.splice(0)
  await double.fault(part.send, fault, { times: fault === 'webhook_out_of_order' ? 1 : 9 })
  const { id, reference } = await till.payOut()
  const name = `po-${id}`
  const back = fault === 'webhook_out_of_order'
  if (back) till.comeBack(name)
  else if (fault !== 'webhook_before_answer') till.succeed(name)
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
  assert.equal(till.sent(id).length, 1)
  assert.equal((await listIncidents(till.server.app.db, { closed: true })).length, incidents)
  await till.assertSound()
  return back ? 'failed' : 'paid'
}

/** Has the bank pay what the double has taken, and time go by, until the payout is at its end. */
async function end(till: MatrixTill, { id, reference }: Json): Promise<Json> {
  for (let round = 0; round < 12; round++) {
    const payout = await till.payout(reference)
    if (payout.status === 'completed' || payout.status === 'failed') return payout
    for (const one of till.sent(id)) if (one.state === 'open') till.succeed(one.reference)
    await till.pass(6 * minuteMs)
  }
  throw new Error(`it never ended: ${JSON.stringify(await till.payout(reference))}`)
}

/** The cells as a table of text. */
export function tableOf(columns: string[], cells: Map<string, Cell | 'wrong'>): string {
  const filled = rows.filter((row) => columns.some((column) => cells.has(`${column} ${row}`)))
  const width = Math.max(...filled.map((row) => row.length))
  const line = (first: string, rest: string[]) =>
    `${first.padEnd(width)}  ${rest.map((one, i) => one.padEnd((columns[i] as string).length)).join('  ')}`
  const of = (row: Fault) => columns.map((column) => cells.get(`${column} ${row}`) ?? '·')
  return [line('', columns), ...filled.map((row) => line(row, of(row)))].join('\n')
}
