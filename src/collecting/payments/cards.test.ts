import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { cards, type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { ctxOf, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { newId } from '../../lib/ids.ts'
import type { CardRail, ChargeOrder } from '../../rails/ports/cards.ts'
import { chargeCard, openTransfer } from './payments.ts'

/**
 * Payers who answer their bank after the try was given up. The sandbox is the scheme, and tests
 * stand in its way.
 */
describe('a charge that shows late', () => {
  let server: TestServer
  let merchant: Merchant
  let scheme: CardRail
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    scheme = server.app.rails.test.sandbox.cards
  })
  after(() => server.stop())

  const amount = 100_000
  const between = (part: Partial<CardRail>): void => {
    server.app.rails.test.sandbox.cards = { ...scheme, ...part }
  }
  /** Pays with a card whose bank asks the payer. @returns the order that the scheme was given */
  async function challenged(
    id: string,
    meanwhile: () => Promise<unknown> = async () => null,
  ): Promise<ChargeOrder> {
    let given: ChargeOrder | null = null
    between({
      async charge(order, card) {
        given = order
        await meanwhile()
        return scheme.charge(order, card)
      },
    })
    const card = { number: cards.challenged, expiryMonth: 12, expiryYear: 2099, cvc: '123' }
    await chargeCard(await ctxOf(server), id, newId(new Date()), card)
    between({})
    return given as unknown as ChargeOrder
  }
  const tries = (id: string) =>
    server.app.db.query<{ status: string }>(
      `select status from payment_attempts where payment_id = '${id}'`,
    )
  const booked = (id: string): Promise<Json> =>
    until(async () =>
      (await merchant.readPayment(id)).amount_received > amount ? merchant.readPayment(id) : null,
    )

  it('is booked when the challenge came after the payment was completed another way', async () => {
    const { id } = await merchant.openPayment({ amount, currency: 'usd' })
    const account = await openTransfer(await ctxOf(server), id)
    const order = await challenged(id, async () => {
      await merchant.deposit(account, { amount })
    })
    assert.equal((await merchant.readPayment(id)).status, 'completed')
    assert.deepEqual(await tries(id), [{ status: 'failed' }])
    await scheme.confirm(order, true)
    await merchant.advance('11m')
    const now = await booked(id)
    assert.deepEqual(
      [now.status, now.amount_received, now.variance],
      ['completed', 2 * amount, 'overpaid'],
    )
    assert.deepEqual(await tries(id), [{ status: 'succeeded' }])
  })

  it('is booked though the scheme could not be reached when it was asked', async () => {
    const { id } = await merchant.openPayment({ amount, currency: 'usd' })
    const order = await challenged(id)
    await merchant.cancelPayment(id)
    await scheme.confirm(order, true)
    let asked = 0
    between({
      async ask() {
        asked++
        throw new Error('the scheme is down')
      },
    })
    await merchant.advance('25h')
    await until(async () => asked > 2)
    assert.equal((await merchant.readPayment(id)).amount_received, 0)
    between({})
    await merchant.advance('3d')
    const now = await until(async () =>
      (await merchant.readPayment(id)).amount_received > 0 ? merchant.readPayment(id) : null,
    )
    assert.deepEqual([now.status, now.amount_received, now.variance], ['canceled', amount, 'late'])
  })

  it('is not asked about for ever', async () => {
    const { id } = await merchant.openPayment({ amount, currency: 'usd' })
    await challenged(id)
    await merchant.cancelPayment(id)
    between({ ask: async () => ({ state: 'unknown', askAgainInMs: 1 }) })
    for (const by of ['20d', '20d', '20d', '20d']) await merchant.advance(by)
    const waiting = `select 1 from timers where task = 'payments.ask_charge' and payload->>'payment_id' = '${id}'`
    await until(async () => (await server.app.db.query(waiting)).length === 0)
    between({})
  })
})
