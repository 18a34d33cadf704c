import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant, noId } from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import { settled, snapshot, startServer, type TestServer } from '../../../test/support/harness.ts'
import { maxAmount } from '../../lib/money.ts'
import { isChecksumAddress } from '../../rails/reference/eip55.ts'

let server: TestServer
let merchant: Merchant
before(async () => {
  server = await startServer()
  merchant = newMerchant(server)
})
after(() => server.stop())

const deposit = (id: string, body: Record<string, unknown>) =>
  server.call('POST', `/crypto/wallets/${id}/simulate-deposit`, body)

describe('a crypto wallet', () => {
  it('has one address for every network, and reads back as it was made', async () => {
    const customer = await merchant.addCustomer()
    const wallet = await merchant.openCryptoWallet({
      customer: customer.id,
      label: 'Ada',
      reference: 'ada-1',
      metadata: { a: 1 },
    })
    assert.ok(isChecksumAddress(wallet.address))
    assert.deepEqual(
      [
        wallet.customer,
        wallet.label,
        wallet.reference,
        wallet.status,
        wallet.livemode,
        wallet.metadata,
      ],
      [customer.id, 'Ada', 'ada-1', 'active', false, { a: 1 }],
    )
    const tokens = (await server.call('GET', '/crypto/tokens')).data
    const ids = new Set(
      tokens.flatMap((token: { networks: { id: string }[] }) => token.networks.map(({ id }) => id)),
    )
    assert.deepEqual(new Set(wallet.networks), ids)
    assert.deepEqual((await server.call('GET', `/crypto/wallets/${wallet.id}`)).data, wallet)
    const listed = (await server.call('GET', `/crypto/wallets?customer=${customer.id}`)).data
    assert.deepEqual([listed.totalDocs, listed.docs[0]], [1, wallet])
    assert.notEqual((await merchant.openCryptoWallet()).address, wallet.address)
  })

  it('is refused with a reason, and leaves nothing behind', async () => {
    await merchant.openCryptoWallet({ reference: 'twice' })
    const before = await snapshot(server.app)
    for (const [body, status, code] of [
      [{ reference: 'twice' }, 409, 'duplicate_reference'],
      [{ customer: noId }, 400, 'customer_not_found'],
      [{ label: '' }, 422, 'validation_failed'],
      [{ colour: 'red' }, 422, 'validation_failed'],
    ] as const) {
      const answer = await server.call('POST', '/crypto/wallets', body)
      assert.deepEqual([answer.status, answer.code], [status, code])
    }
    const live = await server.callAs(server.liveKey)('POST', '/crypto/wallets', {})
    assert.deepEqual([live.status, live.code], [400, 'rail_not_configured'])
    assert.deepEqual(await snapshot(server.app), before)
  })

  it('has indexes without gaps, however many ask at once and however many are refused', async () => {
    const first = await server.app.db.query<{ n: bigint }>(
      `select next_index as n from crypto_keys where key = 'sandbox'`,
    )
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        server.call('POST', '/crypto/wallets', i % 4 === 0 ? { reference: 'twice' } : {}),
      ),
    )
    const made = answers.filter(({ status }) => status === 201).length
    assert.equal(made, 30)
    const rows = await server.app.db.query<{ index: bigint }>(
      `select index from crypto_addresses where key = 'sandbox' order by index`,
    )
    assert.deepEqual(
      rows.map(({ index }) => Number(index)),
      rows.map((_, i) => i),
    )
    assert.equal(rows.length, Number(first[0]?.n) + made)
  })

  it('belongs to its business and mode', async () => {
    const wallet = await merchant.openCryptoWallet()
    const live = server.callAs(server.liveKey)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/deposits'],
      ['PATCH', '/close'],
    ] as const) {
      assert.equal((await live(method, `/crypto/wallets/${wallet.id}${path}`)).status, 404)
      assert.equal((await server.call(method, `/crypto/wallets/${noId}${path}`)).status, 404)
    }
    assert.equal((await live('GET', '/crypto/wallets')).data.totalDocs, 0)
    assert.equal(
      (await live('POST', `/crypto/wallets/${wallet.id}/simulate-deposit`, {})).code,
      'test_mode_only',
    )
  })
})

describe('a simulated deposit of tokens', () => {
  it('credits the dollar wallet and tells of it, without any node', async () => {
    const customer = (
      await server.call('POST', '/customers', { name: 'Bo', email: 'bo@example.com' })
    ).data
    const wallet = await merchant.openCryptoWallet({
      customer: customer.id,
      reference: 'bo',
      metadata: { order: 7 },
    })
    const before = await merchant.wallet('usd')
    const sender = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const { status, data } = await deposit(wallet.id, {
      amount: 12_345,
      currency: 'usdt',
      chain: 'polygon',
      sender,
    })
    assert.equal(status, 200)
    const expected = [
      12_345,
      0,
      12_345,
      'usd',
      'crypto',
      'credit',
      'completed',
      'deposit',
      'bo',
      customer.id,
      false,
    ]
    assert.deepEqual(
      [
        'amount',
        'fee',
        'net',
        'currency',
        'method',
        'direction',
        'status',
        'type',
        'reference',
        'customer',
        'late',
      ].map((field) => data[field]),
      expected,
    )
    assert.deepEqual(data.related, { crypto_wallet: wallet.id })
    assert.deepEqual(data.source, { currency: 'usdt', chain: 'polygon', address: sender })
    assert.equal((await merchant.wallet('usd')).available, before.available + 12_345)
    assert.equal(data.balance_after, before.available + 12_345)
    const events = (await server.call('GET', '/events?type=crypto.deposit')).data.docs
    assert.deepEqual(events[0].payload, data)
    await assertEventsFit(server, events, ['crypto.deposit'])
    assert.deepEqual((await server.call('GET', `/transactions/${data.id}/verify`)).data, data)
  })

  it('is booked once for one notice, also when it is told many times at once', async () => {
    const wallet = await merchant.openCryptoWallet()
    const before = await merchant.wallet('usd')
    const body = { amount: 100, currency: 'usdc', notice: 'n-1' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => deposit(wallet.id, body)))
    assert.equal(new Set(answers.map(({ data }) => data.id)).size, 1)
    assert.equal((await merchant.wallet('usd')).available, before.available + 100)
  })

  it('is booked after the wallet was closed too, and marked late; a closed wallet is not closed twice', async () => {
    const wallet = await merchant.openCryptoWallet()
    const closed = await server.call('PATCH', `/crypto/wallets/${wallet.id}/close`)
    assert.deepEqual([closed.status, closed.data.status], [200, 'closed'])
    const again = await server.call('PATCH', `/crypto/wallets/${wallet.id}/close`)
    assert.deepEqual([again.status, again.code], [400, 'wallet_not_active'])
    const { data } = await deposit(wallet.id, { amount: 5, currency: 'usdc' })
    assert.deepEqual([data.status, data.late], ['completed', true])
  })

  it('is refused with a reason, and nothing moves', async () => {
    const wallet = await merchant.openCryptoWallet()
    await settled(server.app)
    const before = await snapshot(server.app)
    for (const [body, status, code] of [
      [{}, 422, 'validation_failed'],
      [{ amount: 0, currency: 'usdc' }, 422, 'validation_failed'],
      [{ amount: 1.5, currency: 'usdc' }, 422, 'validation_failed'],
      [{ amount: 1, currency: 'usd' }, 422, 'validation_failed'],
      [{ amount: 1, currency: 'usdc', sender: '0x1' }, 422, 'validation_failed'],
      [{ amount: 1, currency: 'usdt', chain: 'base' }, 400, 'unsupported_chain'],
      [{ amount: 1, currency: 'usdc', chain: 'solana' }, 400, 'unsupported_chain'],
      [{ amount: Number(maxAmount), currency: 'usdc' }, 400, 'amount_too_large'],
    ] as const) {
      const answer = await deposit(wallet.id, body)
      assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(body))
    }
    assert.deepEqual(await snapshot(server.app), before)
  })
})
