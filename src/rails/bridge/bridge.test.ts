/** Goal: an account at Bridge whose settings cannot work is refused by a sentence without its secrets, and of a webhook references alone are read. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock } from '../../lib/clock.ts'
import type { ProviderParts } from '../provider.ts'
import { bridge } from './bridge.ts'
import { bridgeInbound } from './webhooks.ts'

const own = { api_key: 'sk-live-one', customer: 'cust', wallet: 'bw' }
const open = (livemode: boolean, more: object = {}) =>
  bridge.open(
    { name: 'b', livemode, serves: '*', baseUrl: null, channels: {}, routes: [], own: { ...own, ...more } as never },
    { clock: systemClock, log: {}, db: {}, host: 'h', report() {} } as unknown as ProviderParts,
  )

describe('an account at Bridge', () => {
  it('is of the mode that its key names', () => {
    assert.equal(open(true).ports.payout?.name, 'b')
    assert.throws(() => open(false), /^RangeError: api_key: is a key of live mode; it belongs below live$/)
    assert.throws(() => open(true, { api_key: 'sk-test-one' }), /it belongs below test/)
  })

  it('has a public RSA key for webhooks, or none', () => {
    const make = (kind: 'rsa' | 'ed25519') =>
      (kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')).publicKey
        .export({ type: 'spki', format: 'pem' })
        .toString()
    assert.ok(open(true, { webhook_key: make('rsa') }).inbound)
    for (const wrong of [make('ed25519'), 'secret'])
      assert.throws(() => open(true, { webhook_key: wrong }), /^RangeError: webhook_key: is no public RSA key in PEM$/)
    assert.equal(open(true).inbound?.verify(Buffer.from('{}'), {}), false)
  })

  it('reads of a webhook which transfer it is about, and no more', () => {
    const { read } = bridgeInbound([], systemClock)
    const reference = `po-${'0a'.repeat(12)}-2`
    const event = {
      ...{ event_id: 'wh_1', event_type: 'transfer.updated', event_category: 'transfer', event_object_id: 'tr_1' },
      event_object: { client_reference_id: reference, state: 'payment_processed', amount: '1.00' },
    }
    assert.deepEqual(read(Buffer.from(JSON.stringify(event))), {
      ...{ key: 'wh_1', type: 'transfer.updated' },
      about: { kind: 'payout', reference, providerId: 'tr_1' },
    })
    for (const other of [
      { event_category: 'customer' },
      { event_object: {} },
      { event_object: { client_reference_id: 'payroll-1' } },
    ])
      assert.equal(read(Buffer.from(JSON.stringify({ ...event, ...other }))), null)
    for (const broken of ['[]', '{}', '{"event_id":"wh_1"}']) assert.throws(() => read(Buffer.from(broken)), /no event/)
  })
})
