import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { OrderState, PayoutOrder } from '../ports/rail.ts'
import { magic, sandboxRail } from './sandbox.ts'

describe("the sandbox's bank", () => {
  const delayMs = 60_000
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const start = new Date('2026-11-20T10:00:00.000Z')
  /** An order for each magic account number and two others, by each of two businesses. */
  function orders(): PayoutOrder[] {
    const businesses = [newId(start), newId(start)]
    return [...Object.keys(magic), 123, 124].flatMap((number) =>
      businesses.map((businessId) => ({
        businessId,
        id: newId(start),
        at: start,
        destination: {
          type: 'ng_bank',
          bank_code: '058',
          account_name: null,
          account_number: String(number).padStart(10, '0'),
        },
      })),
    ) as unknown as PayoutOrder[]
  }
  const shown = (states: OrderState[]): unknown[] =>
    states.map((state) => ({ ...state, providerReference: 'providerReference' in state }))

  it('answers orders that come together as it answers them one after the other', async () => {
    const rail = sandboxRail(server.app.db, delayMs)
    const together = orders()
    const alone = orders()
    for (const [step, of, ask] of [
      ['sent', 0, rail.send],
      ['sent again', 10, rail.send],
      ['asked before they settle', delayMs - 1, rail.ask],
      ['asked once they have', delayMs + 10, rail.ask],
      ['asked about a time before', 20, rail.ask],
    ] as const) {
      const at = later(start, of)
      const inCompany = await Promise.all(together.map((order) => ask({ ...order, at })))
      const one: OrderState[] = []
      for (const order of alone) one.push(await ask({ ...order, at }))
      assert.deepEqual(shown(inCompany), shown(one), step)
    }
  })

  it('says the same of an order that is sent, or asked about, several times at once', async () => {
    const rail = sandboxRail(server.app.db, delayMs)
    const order = orders().at(-1) as PayoutOrder
    const four = (at: Date, ask: typeof rail.ask) =>
      Promise.all([at, at, at, at].map((at) => ask({ ...order, at })))
    for (const state of await four(start, rail.send)) assert.equal(state.state, 'processing')
    for (const state of await four(later(start, delayMs), rail.ask))
      assert.equal(state.state, 'completed')
    const rows = await server.app.db.query('select id from sandbox_orders where id = $1', [
      order.id,
    ])
    assert.equal(rows.length, 1)
  })

  it('knows no order of another business', async () => {
    const rail = sandboxRail(server.app.db, delayMs)
    const [one, other] = orders() as [PayoutOrder, PayoutOrder]
    await rail.send(one)
    const states = await Promise.all([rail.ask(one), rail.ask({ ...other, id: one.id })])
    assert.deepEqual(
      states.map(({ state }) => state),
      ['processing', 'not_found'],
    )
  })
})
