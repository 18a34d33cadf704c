/**
 * Goal: a payout holds its money, ends once as the rail says, and gives back what did not arrive;
 * what cannot be paid is refused untouched. Method: magic account numbers of the sandbox decide
 * each end; the wallet, the transaction and the events are read after it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { address, type Merchant, most, newMerchant, noId } from '../../../test/support/actors.ts'
import {
  bankPayout,
  must,
  settled,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { payoutStates } from './states.ts'

describe('payouts', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
    await server.fund('usd', 1_000_000)
  })
  after(() => server.stop())

  it('runs the whole loop: quote, create, complete, verify', async () => {
    const before = await merchant.wallet('ngn')
    const order = bankPayout('loop-1', 1_000_000)
    const { reference: _reference, ...asked } = order
    const quote = await server.call('POST', '/payouts/quote', asked)
    assert.equal(quote.status, 200)
    assert.equal(quote.data.net_amount, 1_000_000 - quote.data.fee)
    assert.equal(quote.data.sufficient_funds, true)
    assert.deepEqual(await merchant.wallet('ngn').then((w) => w.total), before.total)

    const created = await server.call('POST', '/payouts', {
      ...order,
      quote: quote.data.id,
      metadata: { rent: 'november' },
    })
    assert.equal(created.status, 201)
    assert.equal(created.data.status, 'pending')
    assert.equal(created.data.fee, quote.data.fee)
    assert.deepEqual(created.data.metadata, { rent: 'november' })

    const done = await merchant.payoutEnded('loop-1')
    assert.equal(done.status, 'completed')
    assert.equal(done.failure_reason, null)
    const now = await merchant.wallet('ngn')
    assert.equal(now.available, before.available - 1_000_000)
    assert.equal(now.pending, before.pending)
    const verified = await server.call('GET', `/transactions/${done.transaction}/verify`)
    assert.equal(verified.status, 200)
    assert.equal(verified.data.status, 'completed')
    assert.equal(verified.data.amount, 1_000_000)
    assert.equal(verified.data.direction, 'debit')
    assert.deepEqual(verified.data.related, { payout: done.id })
    const events = await server.call('GET', '/events')
    const mine = events.data.docs.filter(
      (event: { payload: { reference: string } }) => event.payload.reference === 'loop-1',
    )
    assert.deepEqual(mine.map((event: { type: string }) => event.type).sort(), [
      'payout.completed',
      'payout.initiated',
    ])
    const completed = mine.find((event: { type: string }) => event.type === 'payout.completed')
    assert.deepEqual(completed.payload, done)
  })

  for (const [account, status, reason] of [
    ['0000000001', 'failed', 'invalid_account'],
    ['0000000004', 'failed', 'bank_unavailable'],
    ['0000000005', 'failed', 'rejected'],
    ['0000000006', 'completed', null],
    ['0000000007', 'completed', null],
    ['0000000008', 'failed', 'name_mismatch'],
    ['0000000009', 'failed', 'limit_exceeded'],
  ] as const)
    it(`ends account ${account} as ${status} ${reason ?? ''}`, async () => {
      const before = await merchant.wallet('ngn')
      const destination = { bank_code: '058', account_number: account }
      const { status: code } = await server.call(
        'POST',
        '/payouts',
        bankPayout(`magic-${account}`, 500_000, { destination }),
      )
      assert.equal(code, 201)
      const done = await merchant.payoutEnded(`magic-${account}`)
      assert.deepEqual([done.status, done.failure_reason], [status, reason])
      const spent = status === 'completed' ? 500_000 : 0
      assert.equal((await merchant.wallet('ngn')).available, before.available - spent)
      assert.equal((await merchant.wallet('ngn')).pending, before.pending)
      // However often it was sent, the rail has one order and the wallet one debit.
      const orders = await server.app.db.query('select from sandbox_orders where id = $1', [
        done.id,
      ])
      assert.equal(orders.length, 1)
    })

  it('keeps a stuck payout processing until it is simulated, both ways', async () => {
    for (const outcome of ['completed', 'failed']) {
      const reference = `stuck-${outcome}`
      const destination = { bank_code: '058', account_number: '0000000002' }
      await server.call('POST', '/payouts', bankPayout(reference, 500_000, { destination }))
      await until(
        async () =>
          (await server.call('GET', `/payouts/${reference}`)).data.status === 'processing',
      )
      const held = await merchant.wallet('ngn')
      assert.ok(held.pending >= 500_000)
      const { status, data } = await server.call('POST', `/payouts/${reference}/simulate`, {
        outcome,
        ...(outcome === 'failed' ? { failure_reason: 'rejected' } : {}),
      })
      assert.equal(status, 200)
      assert.equal(data.status, outcome)
      assert.equal(data.failure_reason, outcome === 'failed' ? 'rejected' : null)
      await settled(server.app)
      const state = await snapshot(server.app)
      for (const again of ['completed', 'failed']) {
        const late = await server.call('POST', `/payouts/${reference}/simulate`, { outcome: again })
        if (again === outcome) assert.deepEqual([late.status, late.data], [200, data])
        else assert.deepEqual([late.status, late.code], [400, 'payout_already_final'])
      }
      assert.deepEqual(await snapshot(server.app), state)
    }
  })

  it('pays crypto across currencies and keeps both sides of the exchange', async () => {
    const destination = { currency: 'usdc', chain: 'base', address }
    const { status, data } = await server.call('POST', '/payouts', {
      reference: 'crypto-1',
      amount: 2_000_000,
      currency: 'ngn',
      method: 'crypto',
      destination,
    })
    assert.equal(status, 201)
    assert.equal(data.destination.contract_address, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')
    const done = await merchant.payoutEnded('crypto-1')
    assert.match(done.tx_hash, /^0x[0-9a-f]{64}$/)
    const rows = await server.app.db.query<{ purpose: string; currency: string; balance: bigint }>(
      `select purpose, currency, balance from ledger_accounts where purpose = 'exchange' and balance <> 0 order by currency`,
    )
    assert.deepEqual(
      rows.map((row) => [row.currency, Number(row.balance)]),
      [
        ['ngn', done.net_amount],
        ['usdc', -done.destination_amount],
      ],
    )
  })

  it('takes the bank’s name however it is written, and warns of no other', async () => {
    const to = { bank_code: '058', account_number: '0123456789' }
    const quote = async (account_name: string) => {
      const { reference: _reference, ...asked } = bankPayout('name-0', 10_000, {
        destination: { ...to, account_name },
      })
      return (await must(server.call('POST', '/payouts/quote', asked))).warnings
    }
    const [warning] = await quote('Somebody Else')
    const [, holder = ''] = /knows the holder as '(.+?)'/.exec(warning.message) ?? []
    const words = holder.split(' ')
    const [first, others] = [holder[0], holder.slice(1)]
    for (const name of [
      holder.toUpperCase(),
      words.toReversed().join(' '),
      `${first}'${others}`,
      `${first}\u200b${others}`,
      `\u2068${holder}\u2069`,
    ])
      assert.deepEqual(await quote(name), [], name)
  })

  it('warns of another name, and goes on when the bank does not say', async () => {
    const named = { bank_code: '058', account_number: '0123456789', account_name: 'Somebody Else' }
    const { data } = await server.call(
      'POST',
      '/payouts',
      bankPayout('name-1', 10_000, { destination: named }),
    )
    assert.equal(data.warnings[0].code, 'account_name_mismatch')
    const { reference: _reference, ...asked } = bankPayout('name-1', 10_000, { destination: named })
    const quoted = await server.call('POST', '/payouts/quote', asked)
    assert.deepEqual(quoted.data.warnings, data.warnings)
    const silent = { bank_code: '058', account_number: '0000000010' }
    const second = await server.call(
      'POST',
      '/payouts',
      bankPayout('name-2', 10_000, { destination: silent }),
    )
    assert.equal(second.data.warnings[0].code, 'name_lookup_unavailable')
    await merchant.payoutEnded('name-1')
    await merchant.payoutEnded('name-2')
  })

  it('keeps a quote whatever the bank says later, and goes on when asking it fails', async (t) => {
    const destination = { bank_code: '058', account_number: '0123456789', account_name: 'Ada' }
    const { reference: _reference, ...asked } = bankPayout('', 50_000, { destination })
    const quote = async () => (await server.call('POST', '/payouts/quote', asked)).data
    const [first, second] = [await quote(), await quote()]
    assert.ok(first.destination.resolved_account_name)
    const bank = t.mock.method(server.app.rails.test.sandbox.ports.lookup, 'lookup')
    const errors = t.mock.method(server.app.log, 'warn')
    for (const [id, answer] of [
      [first.id, async () => ({ found: 'unavailable' as const })],
      [second.id, () => Promise.reject(new TypeError('fetch failed'))],
    ] as const) {
      bank.mock.mockImplementation(answer)
      const made = await server.call('POST', '/payouts', {
        ...asked,
        reference: `quoted-${id}`,
        quote: id,
      })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      assert.deepEqual(
        made.data.warnings.map(({ code }: { code: string }) => code),
        ['name_lookup_unavailable'],
      )
    }
    assert.equal(errors.mock.callCount(), 1)
    bank.mock.restore()
    for (const other of [
      { ...destination, bank_code: '011' },
      { ...destination, account_number: '0123456780' },
    ]) {
      const body = {
        ...asked,
        reference: 'quoted-other',
        quote: (await quote()).id,
        destination: other,
      }
      const refused = await server.call('POST', '/payouts', body)
      assert.deepEqual([refused.status, refused.code], [400, 'quote_mismatch'])
      assert.doesNotMatch(refused.body.message, /resolved|bank_name/)
    }
  })

  it('locks a quote, and refuses another payout or a late one', async () => {
    const destination = { currency: 'usdt', chain: 'ethereum' }
    const asked = { amount: 50_000, currency: 'usd', method: 'crypto', destination }
    const quote = (await server.call('POST', '/payouts/quote', asked)).data
    const payout = {
      ...asked,
      reference: 'locked-1',
      quote: quote.id,
      destination: { ...destination, address },
    }
    const other = await server.call('POST', '/payouts', { ...payout, amount: 50_001 })
    assert.deepEqual([other.status, other.code], [400, 'quote_mismatch'])
    const moved = await server.call('POST', '/test/clock', { advance: '5m' })
    assert.ok(
      moved.data.fired.some(
        (timer: { task: string; subject: string }) => timer.subject === quote.id,
      ),
    )
    const late = await server.call('POST', '/payouts', payout)
    assert.deepEqual([late.status, late.code], [400, 'quote_expired'])
    const unknown = await server.call('POST', '/payouts', { ...payout, quote: noId })
    assert.deepEqual([unknown.status, unknown.code], [400, 'quote_not_found'])
    const fresh = (await server.call('POST', '/payouts/quote', asked)).data
    const made = await server.call('POST', '/payouts', { ...payout, quote: fresh.id })
    assert.equal(made.status, 201)
    assert.deepEqual(
      [made.data.fee, made.data.rate, made.data.quote],
      [fresh.fee, fresh.rate, fresh.id],
    )
    await merchant.payoutEnded('locked-1')
  })

  it('lists with pages, cursor and filters', async () => {
    const first = (await server.call('GET', '/payouts?limit=3')).data
    assert.equal(first.docs.length, 3)
    const second = (await server.call('GET', '/payouts?limit=3&page=2')).data
    const after = (await server.call('GET', `/payouts?limit=3&after=${first.docs[2].id}`)).data
    assert.deepEqual(after.docs, second.docs)
    const failed = (await server.call('GET', '/payouts?status=failed&limit=100')).data
    assert.ok(
      failed.docs.length > 0 &&
        failed.docs.every((payout: { status: string }) => payout.status === 'failed'),
    )
    assert.equal(failed.totalDocs, failed.docs.length)
    const far = (await server.call('GET', '/payouts?page=9007199254740991&limit=100')).data
    assert.deepEqual([far.docs.length, far.hasNextPage, far.hasPrevPage], [0, false, true])
  })

  const bad: [string, Record<string, unknown>, number, string][] = [
    ['negative amount', { amount: -5 }, 422, 'validation_failed'],
    ['zero amount', { amount: 0 }, 422, 'validation_failed'],
    ['fractional amount', { amount: 10.5 }, 422, 'validation_failed'],
    ['huge amount', { amount: 1e300 }, 422, 'validation_failed'],
    ['one more than 2^53-1', { amount: 9007199254740992 }, 422, 'validation_failed'],
    ['string amount', { amount: '1000' }, 422, 'validation_failed'],
    ['null amount', { amount: null }, 422, 'validation_failed'],
    ['unknown field', { amuont: 5 }, 422, 'validation_failed'],
    ['no reference', { reference: undefined }, 422, 'validation_failed'],
    ['odd reference', { reference: 'a b' }, 422, 'validation_failed'],
    ['a reference that no path can hold', { reference: '..' }, 422, 'validation_failed'],
    ['NUL in text', { description: 'a\u0000b' }, 422, 'validation_failed'],
    ['lone surrogate', { description: 'a\ud800' }, 422, 'validation_failed'],
    ['NUL in a metadata key', { metadata: { 'a\u0000': 1 } }, 422, 'validation_failed'],
    ['metadata of 1 MiB', { metadata: { a: 'x'.repeat(1024 * 1024) } }, 422, 'validation_failed'],
    [
      '51 metadata keys',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, i])) },
      422,
      'validation_failed',
    ],
    ['wallet in another currency', { currency: 'eur' }, 422, 'validation_failed'],
    ['unknown method', { method: 'pigeon' }, 422, 'validation_failed'],
    ['fee above the amount', { amount: 3_500 }, 400, 'amount_too_small'],
    ['more than there is', { amount: most }, 400, 'insufficient_funds'],
    [
      'unknown bank',
      { destination: { bank_code: '000', account_number: '0123456789' } },
      400,
      'unknown_bank',
    ],
    [
      'nine digits',
      { destination: { bank_code: '058', account_number: '012345678' } },
      400,
      'invalid_destination',
    ],
    [
      'no such account',
      { destination: { bank_code: '058', account_number: '0000000003' } },
      400,
      'account_not_found',
    ],
    [
      'usd to a Nigerian bank',
      { destination: { bank_code: '058', account_number: '0123456789', currency: 'usd' } },
      400,
      'currency_mismatch',
    ],
    [
      'crypto fields on a bank',
      { destination: { bank_code: '058', account_number: '0123456789', chain: 'base' } },
      422,
      'validation_failed',
    ],
    ['no account', { destination: { bank_code: '058' } }, 422, 'validation_failed'],
    [
      'bad routing number',
      {
        destination: {
          country: 'us',
          routing_number: '110000001',
          account_number: '000123456789',
          account_name: 'Ada',
          account_type: 'checking',
        },
      },
      400,
      'invalid_destination',
    ],
    [
      'the holder’s address of an account in Nigeria',
      {
        destination: {
          bank_code: '058',
          account_number: '0123456789',
          holder_address: { city: 'Ikeja' },
        },
      },
      422,
      'validation_failed',
    ],
    [
      'unknown chain',
      { method: 'crypto', destination: { currency: 'usdc', chain: 'bitcoin', address } },
      400,
      'unsupported_chain',
    ],
    [
      'token not on the chain',
      { method: 'crypto', destination: { currency: 'usdt', chain: 'base', address } },
      400,
      'unsupported_chain',
    ],
    [
      'ngn by crypto',
      { method: 'crypto', destination: { currency: 'ngn', chain: 'base', address } },
      400,
      'currency_mismatch',
    ],
    [
      'wrong capital',
      {
        method: 'crypto',
        destination: { currency: 'usdc', chain: 'base', address: address.replace('aA', 'AA') },
      },
      400,
      'invalid_address',
    ],
    [
      'no capitals',
      {
        method: 'crypto',
        destination: { currency: 'usdc', chain: 'base', address: address.toLowerCase() },
      },
      400,
      'invalid_address',
    ],
    [
      'short address',
      {
        method: 'crypto',
        destination: { currency: 'usdc', chain: 'base', address: address.slice(0, -1) },
      },
      422,
      'validation_failed',
    ],
    ['malformed quote', { quote: 'zzz' }, 422, 'validation_failed'],
  ]
  it('refuses bad input with the right answer, and leaves no trace', async () => {
    for (const [what, change, status, code] of bad) {
      const before = await snapshot(server.app)
      for (const path of ['/payouts', '/payouts/quote']) {
        if (
          path === '/payouts/quote' &&
          !['negative amount', 'fractional amount', 'string amount'].includes(what)
        )
          continue
        const body: Record<string, unknown> = { ...bankPayout(`bad-${status}`, 100_000), ...change }
        if (path === '/payouts/quote') delete body.reference
        const answer = await server.call('POST', path, body)
        assert.deepEqual(
          [what, answer.status, answer.code],
          [what, status, code],
          JSON.stringify(answer.body),
        )
        assert.ok(answer.body.message.length > 5)
        if (status === 422)
          assert.ok(
            Array.isArray(answer.data) &&
              answer.data[0].path !== undefined &&
              answer.data[0].location === 'body',
          )
        else assert.equal(answer.data, null)
      }
      assert.deepEqual(await snapshot(server.app), before, what)
    }
  })

  it('refuses deep JSON and odd numbers', async () => {
    const before = await snapshot(server.app)
    const deep = `{"reference":"deep","metadata":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`
    assert.equal((await server.call('POST', '/payouts', deep)).status, 422)
    const text = JSON.stringify(bankPayout('odd', 1)).replace('"amount":1', '"amount":1e400')
    assert.equal((await server.call('POST', '/payouts', text)).status, 422)
    assert.deepEqual(await snapshot(server.app), before)
  })

  it('refuses a reference that was used, whatever the rest', async () => {
    const { reference: _reference, ...asked } = bankPayout('used-1', 1_000_000)
    const quote = (await server.call('POST', '/payouts/quote', asked)).data
    const paid = { ...asked, reference: 'used-1', quote: quote.id }
    assert.equal((await server.call('POST', '/payouts', paid)).status, 201)
    await merchant.payoutEnded('used-1')
    await server.call('POST', '/test/clock', { advance: '6m' })
    const before = await snapshot(server.app)
    for (const body of [
      paid,
      { ...paid, quote: noId },
      bankPayout('used-1', 5_000_000),
      bankPayout('used-1', 1),
      bankPayout('used-1', 1_000_000, {
        destination: { bank_code: '058', account_number: '0000000003' },
      }),
      bankPayout('used-1', 1_000_000, {
        destination: { bank_code: '000', account_number: '0123456789' },
      }),
    ]) {
      const again = await server.call('POST', '/payouts', body)
      assert.deepEqual(
        [again.status, again.code],
        [409, 'duplicate_reference'],
        JSON.stringify(body),
      )
    }
    assert.deepEqual(await snapshot(server.app), before)
  })

  it('keeps modes and businesses apart', async () => {
    const live = server.callAs(server.liveKey)
    assert.equal((await live('GET', '/payouts/loop-1')).status, 404)
    const refused = await live('POST', '/payouts', bankPayout('live-1', 100_000))
    assert.deepEqual([refused.status, refused.code], [400, 'rail_not_configured'])
    for (const [path, body] of [
      ['/wallets/simulate-fund', { currency: 'ngn', amount: 1 }],
      ['/payouts/loop-1/simulate', { outcome: 'completed' }],
      ['/test/clock', { advance: '1d' }],
    ] as const)
      assert.equal((await live('POST', path, body)).status, 403, path)
    assert.deepEqual(
      (await live('GET', '/wallets')).data.map((w: { total: number }) => w.total),
      [0, 0],
    )
  })

  it('has end states for every state', () => {
    for (const [state, triggers] of Object.entries(payoutStates.table))
      assert.equal(
        Object.keys(triggers).length === 0,
        ['failed', 'canceled', 'returned'].includes(state),
      )
  })
})

describe('payouts that wait', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  it('can be canceled while pending, once, and the money is back', async () => {
    await server.call('POST', '/payouts', bankPayout('c-1', 1_000_000))
    const held = (await server.call('GET', '/wallets?currency=ngn')).data[0]
    assert.deepEqual([held.available, held.pending, held.total], [9_000_000, 1_000_000, 10_000_000])
    const { status, data } = await server.call('POST', '/payouts/c-1/cancel')
    assert.deepEqual([status, data.status], [200, 'canceled'])
    const back = (await server.call('GET', '/wallets?currency=ngn')).data[0]
    assert.deepEqual([back.available, back.pending], [10_000_000, 0])
    const { data: reversed } = await server.call('GET', `/transactions/${data.transaction}/verify`)
    assert.deepEqual(
      [reversed.status, reversed.balance_change, reversed.completed_at],
      ['reversed', 0, null],
    )
    const again = await server.call('POST', '/payouts/c-1/cancel')
    assert.deepEqual([again.status, again.code], [400, 'payout_not_cancelable'])
  })

  it('goes on when the test clock moves', async () => {
    await server.call('POST', '/payouts', bankPayout('clock-1', 1_000_000))
    const moved = await server.call('POST', '/test/clock', { advance: '61m' })
    assert.equal(moved.status, 200)
    assert.deepEqual(
      moved.data.fired.map((timer: { task: string }) => timer.task),
      ['payouts.submit', 'payouts.submit'],
    )
    assert.equal((await server.call('GET', '/payouts/clock-1')).data.status, 'processing')
    await server.call('POST', '/test/clock', { advance: '61m' })
    assert.equal((await server.call('GET', '/payouts/clock-1')).data.status, 'completed')
    // A large step lets everything happen in its turn, each at the time it was due.
    const { data: made } = await server.call('POST', '/payouts', bankPayout('clock-2', 1_000_000))
    const leap = await server.call('POST', '/test/clock', { advance: '3d' })
    assert.deepEqual(
      leap.data.fired.map((timer: { task: string }) => timer.task),
      ['payouts.submit', 'payouts.ask'],
    )
    const done = (await server.call('GET', '/payouts/clock-2')).data
    assert.equal(done.status, 'completed')
    assert.equal(Date.parse(done.updated_at) - Date.parse(made.created_at), 2 * 3_600_000)
    for (const advance of ['', '3', '-3d', '400d', '0s'])
      assert.equal((await server.call('POST', '/test/clock', { advance })).status, 422, advance)
  })

  it('end as the sandbox had decided before, which a simulation does not change', async () => {
    await server.call('POST', '/payouts', bankPayout('decided', 10_000))
    const { data: payout } = await server.call('GET', '/payouts/decided')
    const order = {
      id: payout.id,
      attempt: 1,
      businessId: server.businessId,
      amount: 10_000n,
      currency: 'ngn' as const,
    }
    const destination = {
      type: 'ng_bank' as const,
      bank_code: '058',
      account_number: '0123456789',
      account_name: null,
    }
    // As by a process that died after it had the sandbox decide.
    await server.app.rails.test.sandbox.ports.payout.decide(
      { ...order, destination, at: new Date() },
      'failed',
      'rejected',
    )
    const { status, code } = await server.call('POST', '/payouts/decided/simulate', {
      outcome: 'completed',
    })
    assert.deepEqual([status, code], [400, 'payout_already_final'])
    assert.equal((await server.call('GET', '/payouts/decided')).data.status, 'failed')
  })
})
