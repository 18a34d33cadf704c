/**
 * Goal: whatever befalls a look-up, the document ends as its issuer has it, with one event, and is
 * looked up again only where the answer was lost. Method: one cell after the other over one server
 * and one double. A run of all tests takes each third; `npm run rails:matrix` takes all.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type DojahFault, dojahFaults } from '../../doubles/dojah.ts'
import { type Desk, minuteMs, openDesk } from '../../support/dojah.ts'

const isWhole = process.env.MATRIX === 'whole'
const bvn = '22212345678'
/** Answers that are no use: paid for, and final. */
const useless: readonly DojahFault[] = ['refused', 'entity_null', 'other_number', 'no_name']
/** Those after which it is not looked up again. */
const once: readonly DojahFault[] = [...useless, 'slow', 'no_connection', 'number_object']
/** Faults by which a person is told that something cannot be, or is to be done. */
const reported: readonly DojahFault[] = ['other_number', 'no_name', 'wallet_empty']

describe('the matrix of faults: a look-up of an identity number', () => {
  let desk: Desk
  const cells: string[] = []
  before(async () => {
    desk = await openDesk()
    desk.double.people.push({ bvn, first: 'ADA', last: 'OKAFOR' })
  })
  after(async () => {
    await desk.stop()
    console.log(`\na look-up\n${cells.join('\n')}\n`)
  })

  for (const [at, fault] of dojahFaults.entries()) {
    if (!isWhole && at % 3 > 0) continue
    const expected = useless.includes(fault) ? 'failed' : 'verified'
    it(`${fault} ends ${expected}`, async () => {
      const { double } = desk
      await desk.pass(minuteMs)
      const asked = double.requests.length
      const incidents = await openIncidents(desk)
      await double.fault(fault)
      const customer = await desk.customer()
      await desk.give(customer, 'bvn', bvn)
      const applied = double.applied()
      await double.clearFaults()
      for (
        let round = 0;
        round < 6 && (await desk.standing(customer)).status === 'pending';
        round++
      )
        await desk.pass(6 * minuteMs)
      assert.equal(applied, fault === 'no_connection' ? 0 : 1)
      assert.equal((await desk.standing(customer)).status, expected)
      assert.deepEqual(
        (await desk.eventsOf(customer)).map(({ type }) => type),
        [`customer.document.${expected}`],
      )
      const times = once.includes(fault) ? 1 : 2
      assert.equal(double.requests.length - asked, times)
      assert.equal((await openIncidents(desk)) - incidents, reported.includes(fault) ? 1 : 0)
      await desk.assertSound()
      cells.push(`${fault.padEnd(16)} ${expected}, asked ${times === 1 ? 'once' : 'twice'}`)
    })
  }
})

async function openIncidents({ server }: Desk): Promise<number> {
  const [row] = await server.app.db.query<{ times: number }>(
    'select coalesce(sum(times), 0)::integer as times from provider_incidents where closed_at is null',
  )
  return row?.times ?? 0
}
