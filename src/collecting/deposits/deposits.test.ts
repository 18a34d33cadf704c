import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, mock } from 'node:test'
import {
  type Json,
  type Merchant,
  most,
  newMerchant,
  noId,
  sender,
} from '../../../test/support/actors.ts'
import {
  settled,
  shareServer,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'

describe('deposits', () => {
  let server: TestServer
  let merchant: Merchant
  let customer: { id: string }
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    customer = await merchant.addCustomer({ name: 'Ada Okafor' })
  })
  after(() => server.stop())

  const openAccount = (body: object = {}): Promise<Json> =>
    merchant.openAccount({
      currency: 'ngn',
      ...('kind' in body ? {} : { customer: customer.id }),
      ...body,
    })
  const pathOf = (account: { id: string }) => `/virtual-accounts/${account.id}/simulate-deposit`
  const statusOf = async (account: { id: string }) =>
    (await server.call('GET', `/virtual-accounts/${account.id}`)).data.status

  for (const currency of ['ngn', 'usd'])
    it(`in ${currency} make a transaction, credit the wallet and tell of it`, async () => {
      const account = await openAccount({
        currency,
        reference: `shelf-${currency}`,
        metadata: { shelf: 'A4' },
      })
      const before = await merchant.wallet(currency)
      const made = await merchant.deposit(account, {
        amount: 250_000,
        sender,
        notice: `first-${currency}`,
      })
      const { id, created_at, updated_at, ...rest } = made
      assert.match(id, /^[0-9a-f]{24}$/)
      assert.equal(created_at, updated_at)
      assert.deepEqual(rest, {
        type: 'deposit',
        method: 'bank_transfer',
        direction: 'credit',
        status: 'completed',
        currency,
        amount: 250_000,
        fee: 0,
        net: 250_000,
        balance_after: before.available + 250_000,
        balance_change: 250_000,
        completed_at: created_at,
        late: false,
        reference: `shelf-${currency}`,
        customer: customer.id,
        source: sender,
        related: { virtual_account: account.id },
        livemode: false,
        metadata: { shelf: 'A4' },
      })
      const now = await merchant.wallet(currency)
      assert.deepEqual([now.available, now.pending], [before.available + 250_000, before.pending])
      const verified = await server.call('GET', `/transactions/${id}/verify`)
      assert.equal(verified.status, 200)
      assert.deepEqual(verified.data, made)
      const events = await merchant.eventsOf(id)
      assert.deepEqual(
        events.map((event: { type: string }) => event.type),
        ['virtual_account.deposit'],
      )
      assert.deepEqual(events[0].payload, verified.data)
      for (const field of 'id status method amount livemode direction currency metadata source customer'.split(
        ' ',
      ))
        assert.ok(field in events[0].payload, field)
      // All of it was written by one database transaction.
      const writers = await server.app.db.query(
        `select xmin::text from transactions where id = $1
         union select xmin::text from ledger_postings where transaction_id = $1
         union select xmin::text from deposit_notices where transaction_id = $1
         union select xmin::text from events where id = $2`,
        [id, events[0].id],
      )
      assert.equal(writers.length, 1)
    })

  it('have a source only when the bank tells who sent them', async () => {
    const account = await openAccount()
    for (const body of [{ amount: 100 }, { amount: 100, sender: {} }]) {
      const { id } = await merchant.deposit(account, body)
      const verified = (await server.call('GET', `/transactions/${id}/verify`)).data
      assert.ok(!('source' in verified))
      const [event] = await merchant.eventsOf(id)
      assert.ok(!('source' in event.payload))
      assert.deepEqual(event.payload, verified)
    }
    const { source } = await merchant.deposit(account, {
      amount: 100,
      sender: { account_name: 'Obi Eze' },
    })
    assert.deepEqual(source, { account_name: 'Obi Eze' })
  })

  it('are found by customer, method and type', async () => {
    const other = (
      await server.call('POST', '/customers', { name: 'Uche', email: 'uche@example.com' })
    ).data
    const account = await openAccount({ customer: other.id })
    const { id } = await merchant.deposit(account, { amount: 777 })
    for (const query of [
      '',
      '&type=deposit',
      '&method=bank_transfer&direction=credit&status=completed&currency=ngn',
    ]) {
      const { data } = await server.call('GET', `/transactions?customer=${other.id}${query}`)
      assert.deepEqual(
        data.docs.map((doc: { id: string }) => doc.id),
        [id],
      )
    }
    assert.equal(
      (await server.call('GET', `/transactions?customer=${other.id}&currency=usd`)).data.totalDocs,
      0,
    )
    // Money of a customer who is deleted is booked as before.
    assert.equal((await server.call('DELETE', `/customers/${other.id}`)).status, 200)
    assert.equal((await merchant.deposit(account, { amount: 1 })).customer, other.id)
  })

  it('are booked once for a notice, told again', async () => {
    const account = await openAccount()
    const before = await merchant.wallet()
    const first = await merchant.deposit(account, { amount: 5_000, sender, notice: 'told-1' })
    await settled(server.app)
    const state = await snapshot(server.app)
    assert.deepEqual(
      await merchant.deposit(account, { amount: 5_000, sender, notice: 'told-1' }),
      first,
    )
    // Who sent it may be told late; what the bank said first stands.
    assert.deepEqual(await merchant.deposit(account, { amount: 5_000, notice: 'told-1' }), first)
    assert.deepEqual(await snapshot(server.app), state)
    assert.equal((await merchant.wallet()).available, before.available + 5_000)
    assert.notEqual(
      (await merchant.deposit(account, { amount: 5_000, sender, notice: 'told-2' })).id,
      first.id,
    )
  })

  it('are refused under the notice of another deposit: nothing tells which of the two is to be booked', async () => {
    const errors = mock.method(server.app.log, 'warn')
    const [account, other] = [await openAccount(), await openAccount()]
    const tokens = (await server.call('POST', '/crypto/wallets', {})).data
    const { id } = await merchant.deposit(account, { amount: 100, notice: 'reused' })
    const cryptoPath = `/crypto/wallets/${tokens.id}/simulate-deposit`
    await server.call('POST', cryptoPath, {
      amount: 100,
      currency: 'usdc',
      notice: 'reused-tokens',
    })
    for (const [path, body] of [
      [pathOf(account), { amount: 99, notice: 'reused' }],
      [pathOf(other), { amount: 100, notice: 'reused' }],
      [cryptoPath, { amount: 999, currency: 'usdc', notice: 'reused' }],
      [cryptoPath, { amount: 101, currency: 'usdc', notice: 'reused-tokens' }],
      [cryptoPath, { amount: 100, currency: 'usdt', chain: 'ethereum', notice: 'reused-tokens' }],
    ] as const) {
      const { body: answer } = await merchant.isRefused('POST', path, body, 409, 'notice_reused')
      if (body.notice === 'reused') assert.deepEqual(answer.errors.transaction, id)
    }
    assert.equal(errors.mock.callCount(), 5)
    errors.mock.restore()
    assert.equal((await merchant.deposit(account, { amount: 100, notice: 'reused' })).id, id)
  })

  it('are booked once for a notice, told twenty times at once', async () => {
    const account = await openAccount()
    const before = await merchant.wallet()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        server.call('POST', pathOf(account), { amount: 6_000, notice: 'at once' }),
      ),
    )
    for (const { status, data } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(data, answers[0]?.data)
    }
    assert.equal((await merchant.wallet()).available, before.available + 6_000)
    assert.equal((await merchant.eventsOf(answers[0]?.data.id)).length, 1)
    const booked = await server.app.db.query(
      `select from transactions where related->>'virtual_account' = $1`,
      [account.id],
    )
    assert.equal(booked.length, 1)
  })

  it('are all booked when many come at once', async () => {
    const accounts = [await openAccount(), await openAccount(), await openAccount()]
    const before = await merchant.wallet()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        server.call('POST', pathOf(accounts[i % 3] as { id: string }), { amount: i + 1 }),
      ),
    )
    assert.ok(answers.every((answer) => answer.status === 200))
    assert.equal(new Set(answers.map((answer) => answer.data.id)).size, 30)
    assert.equal((await merchant.wallet()).available, before.available + (30 * 31) / 2)
    // Each saw the balance right after its own.
    const balances = answers.map((answer) => answer.data.balance_after)
    assert.equal(new Set(balances).size, 30)
    assert.equal(Math.max(...balances), (await merchant.wallet()).available)
  })

  it('with an Idempotency-Key are booked once, with one answer', async () => {
    const account = await openAccount()
    const before = await merchant.wallet()
    const send = () =>
      server.call('POST', pathOf(account), { amount: 800 }, { 'idempotency-key': 'deposit-1' })
    const first = await send()
    const again = await send()
    assert.deepEqual([again.status, again.body], [200, first.body])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal((await merchant.wallet()).available, before.available + 800)
  })

  it('are booked and marked late on accounts that have ended', async () => {
    const closed = await openAccount()
    assert.equal((await merchant.deposit(closed, { amount: 10 })).late, false)
    await server.call('PATCH', `/virtual-accounts/${closed.id}/close`)
    const expired = await openAccount({ kind: 'dynamic', amount: 1_000 })
    await server.call('POST', '/test/clock', { advance: '25h' })
    assert.equal(await statusOf(expired), 'expired')
    const before = await merchant.wallet()
    for (const account of [closed, expired]) {
      const { id, late } = await merchant.deposit(account, { amount: 1_000 })
      assert.equal(late, true)
      const [event] = await merchant.eventsOf(id)
      assert.deepEqual([event.type, event.payload.late], ['virtual_account.deposit', true])
    }
    assert.equal((await merchant.wallet()).available, before.available + 2_000)
    assert.deepEqual([await statusOf(closed), await statusOf(expired)], ['closed', 'expired'])
  })

  it('close a dynamic account when its amount came', async () => {
    const account = await openAccount({ kind: 'dynamic', amount: 4_000 })
    assert.equal((await merchant.deposit(account, { amount: 3_999 })).late, false)
    assert.equal(await statusOf(account), 'active')
    // Left out, the amount is the account's own.
    assert.deepEqual(await merchant.deposit(account, {}).then((made) => [made.amount, made.late]), [
      4_000,
      false,
    ])
    assert.equal(await statusOf(account), 'closed')
    assert.equal((await merchant.deposit(account, {})).late, true)
    const larger = await openAccount({ kind: 'dynamic', amount: 4_000 })
    assert.equal((await merchant.deposit(larger, { amount: 4_001 })).late, false)
    assert.equal(await statusOf(larger), 'closed')
    const lasting = await openAccount()
    await merchant.deposit(lasting, { amount: 4_000 })
    assert.equal(await statusOf(lasting), 'active')
  })

  it('refuse bad input, and leave no trace', async () => {
    const account = await openAccount()
    const bad: [Record<string, unknown>, string][] = [
      [{}, 'amount'],
      [{ amount: 0 }, 'amount'],
      [{ amount: -1 }, 'amount'],
      [{ amount: 0.5 }, 'amount'],
      [{ amount: '1' }, 'amount'],
      [{ amount: most + 1 }, 'amount'],
      [{ amount: 1, notice: '' }, 'notice'],
      [{ amount: 1, notice: 'x'.repeat(101) }, 'notice'],
      [{ amount: 1, notice: 'a\u0000' }, 'notice'],
      [{ amount: 1, sender: 'Obi' }, 'sender'],
      [{ amount: 1, sender: { account_number: '12' } }, 'sender.account_number'],
      [{ amount: 1, sender: { account_name: '' } }, 'sender.account_name'],
      [{ amount: 1, sender: { iban: 'DE00' } }, 'sender.iban'],
      [{ amount: 1, note: 'x' }, 'note'],
    ]
    for (const [body, path] of bad) {
      const { data } = await merchant.isRefused(
        'POST',
        pathOf(account),
        body,
        422,
        'validation_failed',
      )
      assert.deepEqual([data[0].path, data[0].location], [path, 'body'], JSON.stringify(body))
    }
    await merchant.isRefused('POST', pathOf({ id: noId }), { amount: 1 }, 404, 'not_found')
    await merchant.isRefused(
      'POST',
      pathOf(account),
      { amount: 1 },
      403,
      'test_mode_only',
      server.callAs(server.liveKey),
    )
  })

  it('are refused when the wallet could not be shown any more; the notice can be told again', async () => {
    const account = await openAccount({ currency: 'usd' })
    const { available } = await merchant.wallet('usd')
    await merchant.isRefused(
      'POST',
      pathOf(account),
      { amount: most, notice: 'huge' },
      400,
      'amount_too_large',
    )
    await merchant.deposit(account, { amount: most - available })
    await merchant.isRefused(
      'POST',
      pathOf(account),
      { amount: 1, notice: 'one more' },
      400,
      'amount_too_large',
    )
    assert.equal((await merchant.wallet('usd')).available, most)
  })
})

describe('a wallet whose money is on its way out', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  it('takes no more than it could be shown with, also when that money comes back', async () => {
    await server.fund('usd', most)
    const stuck = {
      country: 'us',
      routing_number: '110000000',
      account_number: '0002',
      account_name: 'Ada',
    }
    const payout = { reference: 'stuck', amount: most, currency: 'usd', method: 'bank_transfer' }
    const destination = { ...stuck, account_type: 'checking' }
    assert.equal((await server.call('POST', '/payouts', { ...payout, destination })).status, 201)
    await until(
      async () => (await server.call('GET', '/payouts/stuck')).data.status === 'processing',
    )
    const dynamic = { kind: 'dynamic', currency: 'usd', amount: most }
    const account = (await server.call('POST', '/virtual-accounts', dynamic)).data
    const tokens = (await server.call('POST', '/crypto/wallets', {})).data
    const payment = (await server.call('POST', '/payments', { amount: most, currency: 'usd' })).data
    await settled(server.app)
    const before = await snapshot(server.app)
    for (const [path, body] of [
      [`/virtual-accounts/${account.id}/simulate-deposit`, {}],
      [`/virtual-accounts/${account.id}/simulate-deposit`, { amount: 1 }],
      [`/crypto/wallets/${tokens.id}/simulate-deposit`, { amount: 1, currency: 'usdc' }],
      [`/payments/${payment.id}/simulate`, { outcome: 'completed', method: 'bank_transfer' }],
      [`/payments/${payment.id}/simulate`, { outcome: 'completed', method: 'crypto' }],
      ['/wallets/simulate-fund', { currency: 'usd', amount: 1 }],
    ] as const) {
      const answer = await server.call('POST', path, body)
      assert.deepEqual([answer.status, answer.code], [400, 'amount_too_large'], path)
    }
    assert.deepEqual(await snapshot(server.app), before)
    await server.call('POST', '/payouts/stuck/simulate', {
      outcome: 'failed',
      failure_reason: 'rejected',
    })
    const [wallet] = (await server.call('GET', '/wallets?currency=usd')).data
    assert.deepEqual([wallet.available, wallet.pending, wallet.total], [most, 0, most])
  })
})

describe('deposits that cost something', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pricing-'))
  let server: TestServer
  before(async () => {
    const file = join(dir, 'pricing.json')
    writeFileSync(
      file,
      JSON.stringify({
        deposit: { 'bank_transfer.ngn': { flat: 10, bps: 100, min: 0, max: 5_000 } },
      }),
    )
    server = await startServer({ PRICING_FILE: file })
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('leave the fee behind, at most all of it', async () => {
    const merchant = newMerchant(server)
    const customer = (await merchant.addCustomer()).id
    const account = await merchant.openAccount({ customer, currency: 'ngn' })
    let available = 0
    for (const [amount, fee] of [
      [100_000, 1_010],
      [100_001, 1_011],
      [10_000_000, 5_000],
      [11, 11],
      [5, 5],
    ] as const) {
      const { data } = await server.call(
        'POST',
        `/virtual-accounts/${account.id}/simulate-deposit`,
        { amount },
      )
      available += amount - fee
      assert.deepEqual(
        [data.amount, data.fee, data.net, data.balance_after],
        [amount, fee, amount - fee, available],
      )
    }
    assert.equal(await merchant.available(), available)
    const free = await merchant.openAccount({ customer, currency: 'usd' })
    const { data } = await server.call('POST', `/virtual-accounts/${free.id}/simulate-deposit`, {
      amount: 500,
    })
    assert.deepEqual([data.fee, data.net], [0, 500])
  })
})
