import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  assertRefused,
  type Json,
  type Merchant,
  most,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('products', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const shoes = (more: object = {}) => ({
    name: 'Running shoes',
    amount: 250_000,
    currency: 'ngn',
    ...more,
  })
  const make = (more: object = {}): Promise<Json> => merchant.ask('POST', '/products', shoes(more))
  const plan = (currency: string): Promise<Json> =>
    merchant.ask('POST', '/distributions', {
      name: 'Makers',
      currency,
      shares: [{ name: 'Ada', percentage_bps: 1_000 }],
    })

  it('are made, and read back as they were made', async () => {
    const distribution = await plan('usd')
    const { status, data } = await server.call('POST', '/products', {
      name: 'Running shoes',
      amount: 9_900,
      currency: 'usd',
      description: 'Size 42',
      distribution: distribution.id,
      metadata: { sku: 'a-1' },
    })
    assert.equal(status, 201)
    assert.match(data.id, /^[0-9a-f]{24}$/)
    assert.equal(data.created_at, data.updated_at)
    assert.deepEqual(
      { ...data, id: '', created_at: '', updated_at: '' },
      {
        id: '',
        name: 'Running shoes',
        amount: 9_900,
        currency: 'usd',
        description: 'Size 42',
        distribution: distribution.id,
        tax_rate_bps: null,
        tax_inclusive: false,
        active: true,
        livemode: false,
        metadata: { sku: 'a-1' },
        created_at: '',
        updated_at: '',
      },
    )
    assert.deepEqual(await merchant.ask('GET', `/products/${data.id}`), data)
    const plain = await make({ description: null, distribution: null })
    assert.deepEqual([plain.description, plain.distribution, plain.metadata], [null, null, {}])
    const bare = await make()
    assert.deepEqual([bare.description, bare.distribution, bare.metadata], [null, null, {}])
  })

  it('hold to their limits', async () => {
    for (const fine of [
      { name: 'x' },
      { name: 'é'.repeat(200) },
      { amount: 1 },
      { amount: most },
      { description: 'x'.repeat(1_000) },
      { currency: 'usd' },
      { currency: 'eur' },
    ]) {
      const made = await make(fine)
      for (const [field, value] of Object.entries(fine)) assert.equal(made[field], value)
      assert.deepEqual(await merchant.ask('GET', `/products/${made.id}`), made)
    }
    for (const [field, values] of Object.entries({
      name: ['', 'x'.repeat(201), 'a\u0000', null, 5, undefined],
      amount: [0, -1, 1.5, '5', null, most + 1, undefined],
      currency: ['gbp', 'usdc', 'XYZ', '', null, undefined],
      description: ['', 'x'.repeat(1_001), 5],
      distribution: ['nonsense', '', 5, noId.slice(1)],
      metadata: [null, [], 'x', { 'a\u0000': 1 }, { big: 'x'.repeat(16_384) }],
      active: [false],
      price: [1],
    }))
      for (const value of values) {
        const { data } = await assertRefused(server, 422, 'validation_failed', () =>
          server.call('POST', '/products', shoes({ [field]: value })),
        )
        assert.ok(
          data.every((issue: Json) => issue.path.split('.')[0] === field),
          JSON.stringify(data),
        )
      }
  })

  it('name only a distribution that exists, is active and has their currency', async () => {
    const ngn = await plan('ngn')
    const off = await plan('ngn')
    await merchant.ask('PATCH', `/distributions/${off.id}/deactivate`)
    const stranger = await newBusiness(server)
    const body = { name: 'Theirs', currency: 'ngn', shares: [{ name: 'Bola', percentage_bps: 1 }] }
    const theirs = (await stranger('POST', '/distributions', body)).data
    const live = (await server.callAs(server.liveKey)('POST', '/distributions', body)).data
    const wrong = [noId, off.id, theirs.id, live.id, (await plan('usd')).id, (await plan('eur')).id]
    const known = await make({ distribution: ngn.id })
    for (const distribution of wrong) {
      await assertRefused(server, 400, 'invalid_distribution', () =>
        server.call('POST', '/products', shoes({ distribution })),
      )
      await assertRefused(server, 400, 'invalid_distribution', () =>
        server.call('PUT', `/products/${known.id}`, { distribution, amount: 7 }),
      )
    }
    assert.deepEqual(await merchant.ask('GET', `/products/${known.id}`), known)
    for (const currency of ['usd', 'eur'])
      await assertRefused(server, 400, 'invalid_distribution', () =>
        server.call('POST', '/products', shoes({ currency, distribution: ngn.id })),
      )
    // What a product names already stays when it is turned off, and other changes are free.
    await merchant.ask('PATCH', `/distributions/${ngn.id}/deactivate`)
    const renamed = await merchant.ask('PUT', `/products/${known.id}`, {
      name: 'Boots',
      distribution: ngn.id,
    })
    assert.deepEqual([renamed.name, renamed.distribution], ['Boots', ngn.id])
    await merchant.ask('PATCH', `/distributions/${off.id}/activate`)
    assert.equal((await make({ distribution: off.id })).distribution, off.id)
  })

  it('change in what is given, and in nothing else', async () => {
    const distribution = await plan('ngn')
    let now = await make({
      description: 'Size 42',
      distribution: distribution.id,
      metadata: { sku: 'a-1' },
    })
    for (const change of [
      { name: 'Boots' },
      { amount: most },
      { description: 'Size 43' },
      { metadata: { sku: 'b-2' } },
      { description: null },
      { distribution: null },
      { distribution: distribution.id, amount: 1 },
      { metadata: {} },
      {},
    ]) {
      const changed = await merchant.ask('PUT', `/products/${now.id}`, change)
      assert.deepEqual(changed, { ...now, ...change, updated_at: changed.updated_at })
      assert.ok(changed.updated_at >= now.updated_at)
      assert.deepEqual(await merchant.ask('GET', `/products/${now.id}`), changed)
      now = changed
    }
    for (const change of [
      { name: '' },
      { name: null },
      { name: 'x'.repeat(201) },
      { amount: 0 },
      { amount: null },
      { amount: most + 1 },
      { description: '' },
      { description: 'x'.repeat(1_001) },
      { distribution: 'nonsense' },
      { metadata: null },
      { currency: 'ngn' },
      { active: true },
    ])
      await assertRefused(server, 422, 'validation_failed', () =>
        server.call('PUT', `/products/${now.id}`, change),
      )
    assert.deepEqual(await merchant.ask('GET', `/products/${now.id}`), now)
  })

  it('are archived and brought back, as often as one likes', async () => {
    const made = await make()
    for (const [step, active] of [
      ['unarchive', true],
      ['archive', false],
      ['archive', false],
      ['unarchive', true],
      ['archive', false],
    ] as const) {
      const { status, data } = await server.call('PATCH', `/products/${made.id}/${step}`)
      assert.deepEqual([status, data], [200, { ...made, active, updated_at: data.updated_at }])
      assert.deepEqual(await merchant.ask('GET', `/products/${made.id}`), data)
    }
    // An archived one can still be put right.
    const changed = await merchant.ask('PUT', `/products/${made.id}`, { amount: 5 })
    assert.deepEqual([changed.amount, changed.active], [5, false])
  })

  it('are listed newest first, by what is asked for', async () => {
    const call = await newBusiness(server, 'Lister')
    const ids: Record<string, string> = {}
    for (const [name, currency] of [
      ['a', 'ngn'],
      ['b', 'usd'],
      ['c', 'ngn'],
      ['d', 'eur'],
    ] as const)
      ids[name] = (await call('POST', '/products', { name, amount: 1, currency })).data.id
    await call('PATCH', `/products/${ids.c}/archive`)
    const names = async (query: string): Promise<string> => {
      const { status, data } = await call('GET', `/products${query}`)
      assert.equal(status, 200)
      return data.docs.map((one: Json) => one.name).join('')
    }
    for (const [query, expected] of [
      ['', 'dcba'],
      ['?active=true', 'dba'],
      ['?active=false', 'c'],
      ['?currency=ngn', 'ca'],
      ['?currency=ngn&active=true', 'a'],
      ['?currency=eur&active=false', ''],
      ['?limit=3', 'dcb'],
      ['?limit=3&page=2', 'a'],
      [`?after=${ids.c}`, 'ba'],
      [`?after=${ids.c}&currency=usd`, 'b'],
    ])
      assert.equal(await names(query as string), expected, query)
    const { data } = await call('GET', '/products?limit=3')
    assert.deepEqual([data.totalDocs, data.totalPages, data.hasNextPage], [4, 2, true])
    for (const query of ['?currency=gbp', '?active=maybe', '?name=a', '?limit=0', '?limit=101'])
      await assertRefused(server, 422, 'validation_failed', () => call('GET', `/products${query}`))
  })

  it('are nobody else’s, and not of the other mode', async () => {
    const { id } = await make()
    const stranger = await newBusiness(server)
    const live = server.callAs(server.liveKey)
    for (const [call, of] of [
      [stranger, id],
      [live, id],
      [server.call, noId],
      [server.call, 'nonsense'],
    ] as const) {
      await assertRefused(server, 404, 'not_found', () => call('GET', `/products/${of}`))
      await assertRefused(server, 404, 'not_found', () =>
        call('PUT', `/products/${of}`, { amount: 1 }),
      )
      await assertRefused(server, 404, 'not_found', () => call('PATCH', `/products/${of}/archive`))
      await assertRefused(server, 404, 'not_found', () =>
        call('PATCH', `/products/${of}/unarchive`),
      )
    }
    for (const call of [stranger, live])
      assert.deepEqual((await call('GET', '/products')).data.docs, [])
    const { status, data } = await live('POST', '/products', shoes())
    assert.deepEqual([status, data.livemode], [201, true])
  })

  it('leave the lines of invoices as they were written', async () => {
    const customer = (await merchant.addCustomer()).id
    const product = await make()
    const draft = await merchant.ask('POST', '/invoices', {
      customer,
      lines: [{ product: product.id, quantity: 2 }],
    })
    const other = await merchant.ask('POST', '/invoices', {
      customer,
      lines: [{ product: product.id, quantity: 3 }],
    })
    const open = await merchant.ask('POST', `/invoices/${other.id}/finalize`)
    const untaxed = { tax_rate_bps: null, tax_inclusive: false, tax: 0 }
    const full = { discount: 0, discount_bps: null }
    assert.deepEqual(draft.lines, [
      {
        product: product.id,
        name: 'Running shoes',
        amount: 250_000,
        quantity: 2,
        total: 500_000,
        ...full,
        ...untaxed,
      },
    ])
    await merchant.ask('PUT', `/products/${product.id}`, { name: 'Boots', amount: 9 })
    await merchant.ask('PATCH', `/products/${product.id}/archive`)
    assert.deepEqual(await merchant.ask('GET', `/invoices/${draft.id}`), draft)
    assert.deepEqual(await merchant.ask('GET', `/invoices/${open.id}`), open)
    const finalized = await merchant.ask('POST', `/invoices/${draft.id}/finalize`)
    assert.deepEqual(
      [finalized.lines, finalized.total, finalized.collect_amount],
      [draft.lines, 500_000, 500_000],
    )
    await merchant.ask('PATCH', `/products/${product.id}/unarchive`)
    const next = await merchant.ask('POST', '/invoices', {
      customer,
      lines: [{ product: product.id, quantity: 2 }],
    })
    assert.deepEqual([next.lines[0].name, next.total], ['Boots', 18])
  })
})
