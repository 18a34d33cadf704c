/**
 * Goal: a quote prices one payout, whoever asks, however often and at once. Method: payouts of one
 * quote are asked for one after the other, together in one batch, and over each other.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  type Answer,
  bankPayout,
  must,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'

describe('a quote', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  const quoted = async (amount = 50_000) => {
    const { reference: _none, ...asked } = bankPayout('', amount)
    const { id } = await must(server.call('POST', '/payouts/quote', asked))
    return (reference: string) => ({ ...asked, reference, quote: id })
  }
  const pay = (body: object, headers = {}) => server.call('POST', '/payouts', body, headers)
  const codes = (answers: Answer[]) => answers.map(({ status, code }) => code ?? status).sort()

  it('prices one payout, and no other', async () => {
    const payout = await quoted()
    assert.equal((await pay(payout('one-1'))).status, 201)
    await merchant.isRefused('POST', '/payouts', payout('one-2'), 400, 'quote_used')
    // A retry is told that its payout is there.
    await merchant.isRefused('POST', '/payouts', payout('one-1'), 409, 'duplicate_reference')
    await merchant.advance('6m')
    await merchant.isRefused('POST', '/payouts', payout('one-2'), 400, 'quote_used')
  })

  it('prices one of many that come at once', async () => {
    const payout = await quoted()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => pay(payout(`many-${i}`))),
    )
    assert.deepEqual(codes(answers), [201, ...Array(11).fill('quote_used')])
    const keyed = await quoted()
    const others = Array.from({ length: 12 }, (_, i) =>
      pay(keyed(`keyed-${i}`), { 'idempotency-key': `k-${i}` }),
    )
    assert.deepEqual(codes(await Promise.all(others)), [201, ...Array(11).fill('quote_used')])
  })

  it('is not used up by a payout that is refused', async () => {
    const payout = await quoted(900_000_000)
    await merchant.isRefused('POST', '/payouts', payout('poor-1'), 400, 'insufficient_funds')
    await server.fund('ngn', 900_000_000)
    assert.equal((await pay(payout('poor-1'))).status, 201)
    const other = await quoted()
    await merchant.isRefused('POST', '/payouts', other('poor-1'), 409, 'duplicate_reference')
    assert.equal((await pay(other('poor-2'))).status, 201)
  })

  it('stays used when its payout is canceled', async () => {
    const payout = await quoted()
    await must(pay(payout('gone-1')))
    await server.call('POST', '/payouts/gone-1/cancel')
    await merchant.isRefused('POST', '/payouts', payout('gone-2'), 400, 'quote_used')
  })
})
