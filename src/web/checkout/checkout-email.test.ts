/**
 * Goal: where a rail must be told the payer's address, the page asks for it once, and whoever has
 * the link learns no more of it. Method: a live payment whose one-time accounts are such a rail's,
 * by the forms of its page.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newPayer } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { railsEnv, testProvider } from '../../../test/support/provider.ts'
import { find, payerOf } from '../../collecting/payments/payments.ts'
import { outside, scopeOf } from '../../core/outside.ts'

describe('the address of a payer', () => {
  let server: TestServer
  let number = 0
  before(async () => {
    const accounts = { one: { provider: 'testpay', secret_key: 'env:LIVE_KEY', needs_email: true } }
    const rails = { live: { accounts, routes: { 'bank_transfer.ngn': ['one'] } } }
    server = await startServer(railsEnv(rails), [testProvider().provider])
  })
  after(() => server.stop())

  const live: Call = (...asked) => server.callAs(server.liveKey)(...asked)
  async function opened(more: object = {}) {
    const body = { reference: `mail-${++number}`, amount: 500_000, currency: 'ngn', ...more }
    const payment = await must(live('POST', '/payments', body))
    const at = { checkout_url: payment.checkout_url.replace('https://pay.example.com', server.url) }
    return { payment, payer: newPayer(at), other: newPayer(at) }
  }
  const read = ({ id }: Json): Promise<Json> => must(live('GET', `/payments/${id}`))
  const stored = async ({ id }: Json) => {
    const ctx = outside(server.app, await scopeOf(server.app, server.businessId, true))
    return payerOf(ctx, await find(ctx, id))
  }

  it('is asked for once, kept, found, and shown to no other payer in full', async () => {
    const { payment, payer, other } = await opened()
    assert.match((await payer.open('?method=bank_transfer')).html, /name="email"/)
    const answer = await payer.send('transfer', { email: ' bisi.ade@example.com ' })
    assert.equal(
      answer.location,
      `/pay/${payment.checkout_url.split('/').at(-1)}?method=bank_transfer`,
    )
    assert.deepEqual(await stored(payment), { email: 'bisi.ade@example.com', name: null })
    await other.post('transfer', { email: 'eve@example.com' })
    assert.equal((await read(payment)).email, 'bisi.ade@example.com')
    for (const page of [await other.open(), await other.open('?method=bank_transfer')])
      assert.ok(!page.html.includes('bisi.ade'), page.text)
    const found = await must(live('GET', '/payments?email=BISI.ade@example.com'))
    assert.deepEqual(
      found.docs.map(({ id }: Json) => id),
      [payment.id],
    )
    const searched = await must(live('GET', '/payments?search=bisi.ade@example.com'))
    assert.equal(searched.docs.length, 1)
  })

  it('is told to providers with its domain in ASCII', async () => {
    const { payment, payer } = await opened()
    await payer.open('?method=bank_transfer')
    await payer.send('transfer', { email: 'bisi@bücher.example' })
    assert.equal((await read(payment)).email, 'bisi@bücher.example')
    assert.equal((await stored(payment)).email, 'bisi@xn--bcher-kva.example')
    for (const asked of [
      'email=bisi@xn--bcher-kva.example',
      `search=${encodeURIComponent('BISI@bücher.example')}`,
    ]) {
      const { docs } = await must(live('GET', `/payments?${asked}`))
      assert.deepEqual(
        docs.map(({ id }: Json) => id),
        [payment.id],
        asked,
      )
    }
  })

  it('is not asked for where the merchant gave it, and no payer changes it', async () => {
    const { payment, payer } = await opened({ email: 'ada@example.com' })
    assert.doesNotMatch((await payer.open('?method=bank_transfer')).html, /name="email"/)
    await payer.send('transfer', { email: 'eve@example.com' })
    assert.equal((await read(payment)).email, 'ada@example.com')
    assert.equal((await stored(payment)).email, 'ada@example.com')
  })

  for (const email of [
    '',
    'bisi',
    'bisi@',
    'bisi@localhost',
    '@example.com',
    'a b@example.com',
    'a@b@example.com',
  ])
    it(`is asked for again when it is '${email}'`, async () => {
      const { payment, payer } = await opened()
      const { location } = await payer.post('transfer', { email })
      assert.match(location, /method=bank_transfer&wrong=email$/)
      const page = await payer.open('?method=bank_transfer&wrong=email')
      assert.match(page.text, /Check the email address/)
      assert.equal((await read(payment)).email, null)
    })

  it('is refused when it is too long, or would end a header or a query', async () => {
    const { payment, payer } = await opened()
    for (const email of [
      `${'a'.repeat(65)}@example.com`,
      `a@${'b.'.repeat(150)}com`,
      'a\r\nbcc:x@example.com',
      'a\u202e@x.ng',
    ])
      assert.match((await payer.post('transfer', { email })).location, /wrong=email$/, email)
    assert.equal((await read(payment)).email, null)
  })
})
