/**
 * Goal: an order that its rail refuses is queried before its money is given back. Method: a rail
 * whose answers are given.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OrderState, PayoutOrder } from '../../rails/ports/rail.ts'
import { sendOrder } from './sending.ts'

const order = { id: 'o', attempt: 1 } as PayoutOrder
const record = { rail: 'bank', destination: {}, sent_at: new Date(0) }
const refused: OrderState = { state: 'failed', reason: 'limit_exceeded', providerReference: null }
const log = { warn() {}, error() {} }

async function stateAfter(sent: OrderState, queried: OrderState): Promise<OrderState['state']> {
  const payout = { name: 'bank', send: async () => sent, ask: async () => queried }
  const rails = { live: { accounts: { bank: { ports: { payout } } } } }
  const ctx = { log, rails, scope: { livemode: true } } as unknown as Parameters<
    typeof sendOrder
  >[0]
  return (await sendOrder(ctx, record, order)).state
}

describe('an order that is sent again and refused', () => {
  it('is completed when the rail has paid it by an earlier try', async () => {
    assert.equal(
      await stateAfter(refused, { state: 'completed', providerReference: 'p', txHash: null }),
      'completed',
    )
  })

  it('fails when the rail does not have it', async () => {
    assert.equal(await stateAfter(refused, { state: 'not_found' }), 'failed')
  })

  it('is unknown while the rail gives no answer', async () => {
    assert.equal(await stateAfter(refused, { state: 'unknown', askAgainInMs: null }), 'unknown')
  })
})
