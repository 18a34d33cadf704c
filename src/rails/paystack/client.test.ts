/**
 * Goal: after a call it is said what is certain, and nothing of what was sent is logged.
 * Method: the client alone, over the double.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Double, startPaystack } from '../../../test/doubles/paystack.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { openClient } from './client.ts'

describe('a call of Paystack', () => {
  let double: Double
  const lines: string[] = []
  const keep = (fields: object, message: string) =>
    void lines.push(JSON.stringify({ ...fields, message }))
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, isLevelEnabled: () => true }
  const open = (secretKey = double.keys.live, reach = {}) =>
    openClient({
      secretKey,
      livemode: true,
      clock: systemClock,
      log,
      reach: {
        host: double.url,
        connectMs: 300,
        wholeMs: 600,
        ...(double.ca ? { ca: double.ca } : {}),
        ...reach,
      },
    })
  before(async () => {
    double = await startPaystack({ tls: true })
    double.live.operator.topUp(1_000_000)
  })
  after(() => double.stop())

  const recipient = {
    ...({ method: 'POST', path: '/transferrecipient', urgency: 'send' } as const),
    body: {
      type: 'nuban',
      name: 'ADA OKAFOR',
      account_number: '0123456789',
      bank_code: '058',
      currency: 'NGN',
    },
  }
  const verify = {
    ...({ method: 'GET', path: '/transfer/verify/{reference}', urgency: 'ask' } as const),
    params: { reference: 'po-secret-reference' },
  }

  it('says what is certain', async () => {
    const client = open()
    assert.equal((await client.ask(recipient)).is, 'answered')
    assert.deepEqual(await client.ask(verify), {
      is: 'refused',
      status: 404,
      code: 'transfer_not_found',
      message: 'Transfer not found',
    })
    assert.equal((await open('sk_live_wrong').ask(recipient)).is, 'bad_credentials')
    for (const fault of [
      'timeout_before',
      'timeout_after',
      'reset_after',
      'error_before',
      'redirect',
      'truncated',
      'empty',
      'endless',
    ] as const) {
      await double.fault('create_recipient', fault)
      assert.equal((await open().ask(recipient)).is, 'unknown', fault)
    }
    await double.fault('create_recipient', 'rate_limited')
    const limited = open()
    assert.deepEqual(await limited.ask(recipient), { is: 'rate_limited', againInMs: 30_000 })
    const before = double.requests.length
    assert.equal((await limited.ask(recipient)).is, 'rate_limited')
    assert.equal(double.requests.length, before, 'it was asked while it said to wait')
  })

  it('knows that not a byte was sent where there was no connection', async () => {
    const nowhere = { host: 'https://127.0.0.1:1' }
    assert.equal((await open(double.keys.live, nowhere).ask(recipient)).is, 'not_sent')
    assert.equal(
      (await open(double.keys.live, { host: 'https://no.such.host.invalid' }).ask(recipient)).is,
      'not_sent',
    )
    // Its certificate is not one of the public authorities'.
    const strict = openClient({
      secretKey: double.keys.live,
      livemode: true,
      clock: systemClock,
      log,
      reach: { host: double.url, connectMs: 300, wholeMs: 600 },
    })
    const before = double.requests.length
    assert.equal((await strict.ask(recipient)).is, 'not_sent')
    assert.equal(double.requests.length, before)
  })

  it('is a line in the log, without the key and what was sent', () => {
    assert.ok(lines.length > 10)
    const all = lines.join('\n')
    assert.match(all, /"path":"\/transfer\/verify\/\{reference\}"/)
    assert.match(all, /"request_id":"[0-9a-f]{16}-LOS"/)
    for (const secret of [double.keys.live, 'sk_live', 'po-secret-reference', '0123456789', 'ADA'])
      assert.ok(!all.includes(secret), secret)
  })
})
