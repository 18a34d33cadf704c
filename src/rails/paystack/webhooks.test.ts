import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { paystackInbound } from './webhooks.ts'

const sign = (raw: string | Buffer, secret: string): string =>
  createHmac('sha512', secret).update(raw).digest('hex')
const inbound = paystackInbound(['sk_live_now', 'sk_live_before'])
const read = (event: string, data: object) =>
  inbound.read(Buffer.from(JSON.stringify({ event, data })))

describe('the signature of a webhook', () => {
  const raw = Buffer.from(
    '{"event":"transfer.success",  "data":{"reference":"po-1","reason":"\\u00e9"}}',
  )
  const verify = (given: string | undefined, bytes = raw) =>
    inbound.verify(bytes, { 'x-paystack-signature': given })

  it('is over the bytes as they came, by the key of now or the one before', () => {
    assert.equal(verify(sign(raw, 'sk_live_now')), true)
    assert.equal(verify(sign(raw, 'sk_live_before')), true)
    // As code on the web has it, which hashes what it has written anew.
    assert.equal(verify(sign(JSON.stringify(JSON.parse(raw.toString())), 'sk_live_now')), false)
  })

  it('is a known value', () => {
    // HMAC-SHA512 with this key of these bytes, by `openssl dgst -sha512 -hmac`.
    const known = createHmac('sha512', 'key')
      .update('The quick brown fox jumps over the lazy dog')
      .digest('hex')
    assert.equal(known.slice(0, 32), 'b42af09057bac1e2d41708e48a902e09')
    const fox = Buffer.from('The quick brown fox jumps over the lazy dog')
    assert.equal(paystackInbound(['key']).verify(fox, { 'x-paystack-signature': known }), true)
  })

  it('is refused when it is another, of other bytes, cut short, or missing', () => {
    const good = sign(raw, 'sk_live_now')
    assert.equal(verify(sign(raw, 'sk_test_now')), false)
    assert.equal(verify(good, Buffer.from(`${raw} `)), false)
    for (const bad of [
      good.slice(1),
      `${good}0`,
      good.toUpperCase(),
      '',
      undefined,
      'é'.repeat(64),
    ])
      assert.equal(verify(bad), false, bad)
  })
})

describe('what a webhook is about', () => {
  const about = (event: string, data: object) => Object.values(read(event, data)?.about ?? {})

  it('is read as references, whatever the body looks like', () => {
    assert.deepEqual(
      about('transfer.reversed', { reference: 'po-1', transfer_code: 'TRF_1', amount: '1' }),
      ['payout', 'po-1', 'TRF_1'],
    )
    assert.deepEqual(about('charge.success', { id: 7, reference: 'tr-1', channel: 'card' }), [
      'checkout',
      'tr-1',
      '7',
    ])
    assert.deepEqual(
      about('charge.success', { id: '8', reference: 'x', channel: 'dedicated_nuban' }),
      ['deposit', 'x', '8'],
    )
    assert.deepEqual(
      about('refund.processed', { transaction_reference: 'tr-1', amount: '10000' }),
      ['refund', 'tr-1', null],
    )
    assert.deepEqual(
      about('refund.needs-attention', { id: '132', transaction_reference: 'tr-1' }),
      ['refund', 'tr-1', '132'],
    )
    assert.deepEqual(
      about('dedicatedaccount.assign.success', {
        customer: { customer_code: 'CUS_1' },
        dedicated_account: { id: 9 },
      }),
      ['account', 'CUS_1', '9'],
    )
    assert.deepEqual(
      about('dedicatedaccount.assign.failed', {
        customer: { customer_code: 'CUS_1' },
        dedicated_account: null,
      }),
      ['account', 'CUS_1', null],
    )
    assert.deepEqual(
      about('customeridentification.failed', { customer_id: 82796315, customer_code: 'CUS_1' }),
      ['identity', 'CUS_1', '82796315'],
    )
    assert.deepEqual(
      about('charge.dispute.create', { id: 3, transaction: { reference: 'tr-1' } }),
      ['dispute', 'tr-1', '3'],
    )
  })

  it('says nothing of an amount or a status', () => {
    const said = JSON.stringify(
      read('transfer.success', {
        reference: 'po-1',
        status: 'success',
        amount: 123_456_789,
        currency: 'NGN',
      }),
    )
    assert.doesNotMatch(said, /123456789|NGN|"success"/)
  })

  it('has one key for one event, and another for each state', () => {
    const key = (event: string, data: object) => read(event, data)?.key
    const data = { id: 1, reference: 'po-1', status: 'success' }
    assert.equal(key('transfer.success', data), key('transfer.success', { ...data, amount: 5 }))
    assert.notEqual(key('transfer.success', data), key('transfer.success', { ...data, id: 2 }))
    assert.notEqual(
      key('transfer.success', data),
      key('transfer.reversed', { ...data, status: 'reversed' }),
    )
    assert.match(key('transfer.success', data) as string, /^[0-9a-f]{64}$/)
  })

  it('is nothing for events that we do nothing about, and an error for what is none', () => {
    assert.equal(read('subscription.create', { id: 1 }), null)
    for (const raw of [
      '',
      '[]',
      'null',
      '{}',
      '{"event":"transfer.success"}',
      '{"data":{}}',
      'no json',
    ])
      assert.throws(() => inbound.read(Buffer.from(raw)), Error, raw)
  })
})
