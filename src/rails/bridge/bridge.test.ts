/**
 * Goal: an account at Bridge whose settings cannot work is refused by a sentence without its
 * secrets, and of a webhook references alone are read.
 */
import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { systemClock } from '../../lib/clock.ts'
import type { ProviderParts } from '../ports/provider.ts'
import { bridge } from './bridge.ts'
import { bridgeInbound } from './webhooks.ts'

const own = { api_key: 'sk-live-one', customer: 'cust', wallet: 'bw' }
const open = (livemode: boolean, more: object = {}) =>
  bridge.open(
    {
      name: 'b',
      livemode,
      serves: '*',
      baseUrl: null,
      channels: {},
      routes: [],
      own: { ...own, ...more } as never,
    },
    { clock: systemClock, log: {}, db: {}, host: 'h', report() {} } as unknown as ProviderParts,
  )

/** Of https://apidocs.bridge.xyz/v1/docs/webhook-event-signature-verification (“Test Data”). */
const published = {
  publicKey: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtqsEE4eI7EmzhcquGJXt
LX9PMK0UH6Kl1WIR21sv8HtueG8BuvvpP3MiN7ltzmIhS8KaynCjN4l+620PnXeu
xWG+CSnEdkinL9hCqbEid5vv9zl0j9LWiJx3FkKHqADU7cgm46aa8dKUdIQYF2X+
O7WmyLkC4wUM/mWhBPMsIQBznashRMZxx7XJjsVp27ACUE4eNIjEXbVYN6U8jSbU
hG++CfL8xXu+GHDqKmFE6Po6HnuURvLFVnCtE3mXXBcVFlPy+octfx8nOMLT3X8O
9UehIigJ34o2yMm/Fq3HUJzg2BsiAiGgtr0vmeoV9Q7upSNj9TuOumAzZFi4pYA+
qwIDAQAB
-----END PUBLIC KEY-----`,
  signature:
    'jz/0dmHJ63FAzacGutrDTEoq+iSz/PHm/ugdooXDQu5NwuVIT2LmZGjsnCsBHgR9Py6OBP9zurzW4dHgygU4EDqmMPTUOvhvndYb4lWt+TY66LihaFI2whL6DAf/jb1QjYjNU0A6x9SLzC45dgE6X7zTDUM+2Z+scG/WEQf6SxQMt4E2sEipl5PqMK5lYUe3otdJV+X2c9D64bGwCEE7QSia+Vhozg8QNOQEk/rdz2IEONIg6oC43CeiN4E2kF9XLAGuy9uAHx9O9OJH5ZPLJZjyo4VcXYeWQgxaQ1gZ1Qu6hEEzgiPSff/1nou58dm4bIIazgCWli/mO0NyGcpfFw==',
}

describe('an account at Bridge', () => {
  it('is of the mode that its key names', () => {
    assert.equal(open(true).ports.payout?.name, 'b')
    assert.throws(
      () => open(false),
      /^RangeError: api_key: is a key of live mode; it belongs below live$/,
    )
    assert.throws(() => open(true, { api_key: 'sk-test-one' }), /it belongs below test/)
  })

  it('has a public RSA key for webhooks, or none', () => {
    const make = (kind: 'rsa' | 'ed25519') =>
      (kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519')
      ).publicKey
        .export({ type: 'spki', format: 'pem' })
        .toString()
    assert.ok(open(true, { webhook_key: make('rsa') }).inbound)
    for (const wrong of [make('ed25519'), 'secret'])
      assert.throws(
        () => open(true, { webhook_key: wrong }),
        /^RangeError: webhook_key: is no public RSA key in PEM$/,
      )
    assert.equal(open(true).inbound?.verify(Buffer.from('{}'), {}), false)
  })

  it('takes the signature that Bridge’s page on signatures has as its example, and no other time, body or key', () => {
    const at = 1705854411204
    const inbound = bridgeInbound([createPublicKey(published.publicKey)], {
      now: () => new Date(at + 1_000),
    })
    const verify = (body: string, time = at) =>
      inbound.verify(Buffer.from(body), {
        'x-webhook-signature': `t=${time},v0=${published.signature}`,
      })
    assert.equal(verify('{"message":"Hello World!"}'), true)
    assert.equal(verify('{"message":"Hello World?"}'), false)
    assert.equal(verify('{"message":"Hello World!"}', at + 1), false)
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const other = bridgeInbound([publicKey], { now: () => new Date(at) })
    const header = { 'x-webhook-signature': `t=${at},v0=${published.signature}` }
    assert.equal(other.verify(Buffer.from('{"message":"Hello World!"}'), header), false)
  })

  it('reads of a webhook which transfer it is about, and no more', () => {
    const { read } = bridgeInbound([], systemClock)
    const reference = `po-${'0a'.repeat(12)}-2`
    const event = {
      event_id: 'wh_1',
      event_type: 'transfer.updated',
      event_category: 'transfer',
      event_object_id: 'tr_1',
      event_object: { client_reference_id: reference, state: 'payment_processed', amount: '1.00' },
    }
    assert.deepEqual(read(Buffer.from(JSON.stringify(event))), {
      key: 'wh_1',
      type: 'transfer.updated',
      about: { kind: 'payout', reference, providerId: 'tr_1' },
    })
    for (const other of [
      { event_category: 'customer' },
      { event_object: {} },
      { event_object: { client_reference_id: 'payroll-1' } },
    ])
      assert.equal(read(Buffer.from(JSON.stringify({ ...event, ...other }))), null)
    for (const broken of ['[]', '{}', '{"event_id":"wh_1"}'])
      assert.throws(() => read(Buffer.from(broken)), /no event/)
  })
})
