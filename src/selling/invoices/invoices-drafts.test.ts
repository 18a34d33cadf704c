/**
 * Goal: a draft copies its products, takes what an invoice may hold and nothing else, and can be
 * changed until it is finalized. Method: drafts are made and changed over HTTP; what a refusal
 * leaves is compared row by row.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Json,
  type Merchant,
  most,
  must,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

let server: TestServer
let merchant: Merchant
const untaxed = {
  discount: 0,
  discount_bps: null,
  tax_rate_bps: null,
  tax_inclusive: false,
  tax: 0,
}

describe('drafts of invoices', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  it('copy name and amount of their products, as they are then', async () => {
    const someone = await merchant.addCustomer()
    const book = await merchant.addProduct({
      amount: 250_000,
      name: 'Novel',
      description: 'A long one',
    })
    const shelf = await merchant.addProduct({ amount: 1, name: 'Shelf' })
    const given = {
      customer: someone.id,
      lines: [
        { product: book.id, quantity: 3 },
        { product: shelf.id, quantity: 1_000_000 },
        { product: book.id, quantity: 1 },
      ],
      due_date: '2026-12-24T18:30:00+01:00',
      memo: 'Thank you',
      reminders: { days_before: [3, 1], days_after: [0, 7] },
      metadata: { order: { id: 7 } },
    }
    const draft = await merchant.ask('POST', '/invoices', given)
    const { id, created_at, updated_at, ...rest } = draft
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(created_at, updated_at)
    const novel = { product: book.id, name: 'Novel', amount: 250_000, ...untaxed }
    const expected = {
      number: null,
      customer: someone.id,
      currency: 'ngn',
      lines: [
        { ...novel, quantity: 3, total: 750_000 },
        {
          product: shelf.id,
          name: 'Shelf',
          amount: 1,
          quantity: 1_000_000,
          total: 1_000_000,
          ...untaxed,
        },
        { ...novel, quantity: 1, total: 250_000 },
      ],
      total: 2_000_000,
      subtotal: 2_000_000,
      tax: 0,
      taxes: [],
      exchange_rate: null,
      collect_currency: null,
      collect_amount: null,
      due_date: '2026-12-24T17:30:00.000Z',
      due_day: '2026-12-24',
      amount_paid: 0,
      amount_due: 2_000_000,
      memo: 'Thank you',
      reminders: { days_before: [3, 1], days_after: [0, 7] },
      status: 'draft',
      payment: null,
      payment_url: null,
      sent_at: null,
      finalized_at: null,
      paid_at: null,
      voided_at: null,
      livemode: false,
      metadata: { order: { id: 7 } },
    }
    assert.deepEqual(rest, expected)
    await merchant.ask('PUT', `/products/${book.id}`, {
      name: 'Novel, second edition',
      amount: 300_000,
    })
    assert.deepEqual(await merchant.readInvoice(draft), draft)
    assert.deepEqual((await merchant.allEvents()).length, 0)

    const bare = await merchant.ask('POST', '/invoices', {
      customer: someone.id,
      lines: [{ product: book.id, quantity: 1 }],
    })
    assert.deepEqual(
      [bare.due_date, bare.memo, bare.reminders, bare.metadata, bare.total],
      [null, null, {}, {}, 300_000],
    )
  })

  it('take a due date as a day or as a time, of any year and zone', async () => {
    for (const [given, shown] of [
      ['2026-12-24', '2026-12-24T00:00:00.000Z'],
      ['2028-02-29', '2028-02-29T00:00:00.000Z'],
      ['2026-12-24T23:00:00.123-05:00', '2026-12-25T04:00:00.123Z'],
      ['1999-01-01', '1999-01-01T00:00:00.000Z'],
      ['9999-12-31', '9999-12-31T00:00:00.000Z'],
      ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ]) {
      const draft = await merchant.draftInvoice({ due_date: given })
      assert.equal(draft.due_date, shown)
      assert.equal((await merchant.finalizeInvoice(draft)).due_date, shown)
      assert.match((await merchant.paymentOf(draft)).expires_at, /^\d{4}-/, given)
    }
    for (const given of [
      '2026-02-29',
      '2026-13-01',
      'tomorrow',
      '',
      '24.12.2026',
      1_700_000_000,
      '2026-12-24T25:00Z',
    ])
      for (const body of [{ due_date: given }])
        await merchant.isRefused(
          'PUT',
          `/invoices/${(await merchant.draftInvoice()).id}`,
          body,
          422,
          'validation_failed',
        )
  })

  it('take no due date that no clock shows', async () => {
    const draft = await merchant.draftInvoice()
    const path = `/invoices/${draft.id}`
    // The format lets these through.
    for (const given of [
      '2026-12-31T23:59:60Z',
      '0000-01-01',
      '9999-12-31T23:59:59-01:00',
      '2026-12-24T18:00:00+05',
    ]) {
      const { data } = await merchant.isRefused(
        'PUT',
        path,
        { due_date: given },
        422,
        'validation_failed',
      )
      assert.deepEqual([data[0].path, data[0].location], ['due_date', 'body'], given)
      const body = {
        customer: draft.customer,
        lines: [{ product: draft.lines[0].product, quantity: 1 }],
      }
      await merchant.isRefused(
        'POST',
        '/invoices',
        { ...body, due_date: given },
        422,
        'validation_failed',
      )
    }
  })

  it('change by what is given; new lines copy their products anew', async () => {
    const draft = await merchant.draftInvoice({
      memo: 'First',
      due_date: '2026-12-24',
      metadata: { a: 1 },
    })
    const [line] = draft.lines
    const path = `/invoices/${draft.id}`
    await merchant.ask('PUT', `/products/${line.product}`, {
      name: 'Dearer novel',
      amount: 700_000,
    })

    const noted = await merchant.ask('PUT', path, { memo: 'Second' })
    assert.deepEqual(noted, { ...draft, memo: 'Second', updated_at: noted.updated_at })
    const cleared = await merchant.ask('PUT', path, {
      memo: null,
      due_date: null,
      metadata: {},
      reminders: {},
    })
    assert.deepEqual(
      [cleared.memo, cleared.due_date, cleared.metadata, cleared.total],
      [null, null, {}, 500_000],
    )

    const other = await merchant.addProduct({ amount: 5, name: 'Pen' })
    const lines = [
      { product: other.id, quantity: 2 },
      { product: line.product, quantity: 2 },
    ]
    const changed = await merchant.ask('PUT', path, { lines })
    assert.deepEqual(changed.lines, [
      { product: other.id, name: 'Pen', amount: 5, quantity: 2, total: 10, ...untaxed },
      {
        product: line.product,
        name: 'Dearer novel',
        amount: 700_000,
        quantity: 2,
        total: 1_400_000,
        ...untaxed,
      },
    ])
    assert.equal(changed.total, 1_400_010)
    assert.deepEqual(await merchant.readInvoice(draft), changed)

    const euros = await merchant.addProduct({ amount: 900, currency: 'eur' })
    const moved = await merchant.ask('PUT', path, { lines: [{ product: euros.id, quantity: 1 }] })
    assert.deepEqual([moved.currency, moved.total, moved.lines.length], ['eur', 900, 1])
    assert.deepEqual(await merchant.ask('PUT', path, {}), {
      ...moved,
      updated_at: (await merchant.readInvoice(draft)).updated_at,
    })
  })

  it('keep what was copied of a product that is archived since; nothing new takes one', async () => {
    const draft = await merchant.draftInvoice()
    const [line] = draft.lines
    const someone = draft.customer
    const other = await merchant.addProduct({ amount: 7, name: 'Old' })
    await merchant.ask('PUT', `/products/${line.product}`, { name: 'Renamed', amount: 1 })
    for (const id of [line.product, other.id])
      await merchant.ask('PATCH', `/products/${id}/archive`)

    const kept = await merchant.ask('PUT', `/invoices/${draft.id}`, {
      lines: [{ product: line.product, quantity: 4 }],
    })
    assert.deepEqual(kept.lines, [{ ...line, quantity: 4, total: 2_000_000 }])
    const lines = (id: string) => [
      { product: line.product, quantity: 1 },
      { product: id, quantity: 1 },
    ]
    await merchant.isRefused(
      'PUT',
      `/invoices/${draft.id}`,
      { lines: lines(other.id) },
      400,
      'product_archived',
    )
    await merchant.isRefused(
      'PUT',
      `/invoices/${draft.id}`,
      { lines: lines(line.product) },
      400,
      'product_archived',
    )
    await merchant.isRefused(
      'POST',
      '/invoices',
      { customer: someone, lines: lines(other.id) },
      400,
      'product_archived',
    )
    const fresh = [{ product: line.product, quantity: 1 }]
    await merchant.isRefused(
      'POST',
      '/invoices',
      { customer: someone, lines: fresh },
      400,
      'product_archived',
    )
    assert.equal((await merchant.finalizeInvoice(draft)).total, 2_000_000)
    await merchant.ask('PATCH', `/products/${other.id}/unarchive`)
    assert.equal(
      (
        await merchant.ask('POST', '/invoices', {
          customer: someone,
          lines: [{ product: other.id, quantity: 1 }],
        })
      ).total,
      7,
    )
  })

  it('refuse unknown products and customers, and more than one currency', async () => {
    const draft = await merchant.draftInvoice()
    const { customer: someone, lines } = draft
    const [line] = lines
    const known = { product: line.product, quantity: 1 }
    const path = `/invoices/${draft.id}`
    const other = newMerchant(server, { call: await newBusiness(server, 'Another') })
    const live = newMerchant(server, { call: server.callAs(server.liveKey) })
    const foreignProduct = await other.addProduct({ amount: 1 })
    const foreignCustomer = await other.addCustomer()
    const liveProduct = await live.addProduct({ amount: 1 })
    const deleted = await merchant.addCustomer()
    await merchant.ask('DELETE', `/customers/${deleted.id}`)
    for (const id of [noId, foreignProduct.id, liveProduct.id, draft.id]) {
      const wrong = [known, { product: id, quantity: 1 }]
      await merchant.isRefused(
        'POST',
        '/invoices',
        { customer: someone, lines: wrong },
        400,
        'product_not_found',
      )
      await merchant.isRefused('PUT', path, { lines: wrong }, 400, 'product_not_found')
    }
    for (const id of [noId, foreignCustomer.id, deleted.id, line.product])
      await merchant.isRefused(
        'POST',
        '/invoices',
        { customer: id, lines: [known] },
        400,
        'customer_not_found',
      )
    for (const currency of ['usd', 'eur']) {
      const mixed = [
        known,
        { product: (await merchant.addProduct({ amount: 1, currency })).id, quantity: 1 },
      ]
      await merchant.isRefused(
        'POST',
        '/invoices',
        { customer: someone, lines: mixed },
        400,
        'mixed_currencies',
      )
      await merchant.isRefused('PUT', path, { lines: mixed }, 400, 'mixed_currencies')
    }
  })

  it('refuse totals that no amount can carry', async () => {
    const draft = await merchant.draftInvoice()
    const [largest, one] = [
      await merchant.addProduct({ amount: most }),
      await merchant.addProduct({ amount: 1 }),
    ]
    const line = (of: { id: string }, quantity: number) => ({ product: of.id, quantity })
    for (const lines of [
      [line(largest, 2)],
      [line(largest, 1_000_000)],
      [line(largest, 1), line(one, 1)],
      Array.from({ length: 100 }, () => line(largest, 1_000_000)),
    ]) {
      await merchant.isRefused(
        'POST',
        '/invoices',
        { customer: draft.customer, lines },
        400,
        'amount_too_large',
      )
      await merchant.isRefused('PUT', `/invoices/${draft.id}`, { lines }, 400, 'amount_too_large')
    }
    const full = await merchant.ask('PUT', `/invoices/${draft.id}`, { lines: [line(largest, 1)] })
    assert.equal(full.total, most)
    assert.equal((await merchant.finalizeInvoice(draft)).collect_amount, most)
    const euros = await merchant.draftInvoice({}, { lines: [{ amount: most }], currency: 'eur' })
    await merchant.isRefused(
      'POST',
      `/invoices/${euros.id}/finalize`,
      undefined,
      400,
      'amount_too_large',
    )
  })

  it('refuse bad input, and leave no trace', async () => {
    const draft = await merchant.draftInvoice()
    const line = { product: draft.lines[0].product, quantity: 1 }
    const many = (length: number) => Array.from({ length }, () => line)
    const both: [Record<string, unknown>, string][] = [
      [{ lines: [] }, 'lines'],
      [{ lines: many(101) }, 'lines'],
      [{ lines: null }, 'lines'],
      [{ lines: line }, 'lines'],
      [{ lines: [{ ...line, quantity: 0 }] }, 'lines.0.quantity'],
      [{ lines: [line, { ...line, quantity: -1 }] }, 'lines.1.quantity'],
      [{ lines: [{ ...line, quantity: 1.5 }] }, 'lines.0.quantity'],
      [{ lines: [{ ...line, quantity: '1' }] }, 'lines.0.quantity'],
      [{ lines: [{ ...line, quantity: 1_000_001 }] }, 'lines.0.quantity'],
      [{ lines: [{ product: line.product }] }, 'lines.0.quantity'],
      [{ lines: [{ ...line, amount: 0 }] }, 'lines.0.amount'],
      [{ lines: [{ ...line, colour: 1 }] }, 'lines.0.colour'],
      [{ lines: [{ ...line, product: 'novel' }] }, 'lines.0.product'],
      [{ memo: '' }, 'memo'],
      [{ memo: 'x'.repeat(1_001) }, 'memo'],
      [{ memo: 'a\u0000b' }, 'memo'],
      [{ reminders: { days_before: [91] } }, 'reminders.days_before.0'],
      [{ reminders: { days_before: [-1] } }, 'reminders.days_before.0'],
      [{ reminders: { days_after: [1, 1] } }, 'reminders.days_after'],
      [{ reminders: { days_after: [1, 2, 3, 4, 5, 6] } }, 'reminders.days_after'],
      [{ reminders: { weekly: true } }, 'reminders.weekly'],
      [{ reminders: { days_before: [1] } }, 'due_date'],
      [{ due_date: null, reminders: { days_before: [], days_after: [0] } }, 'due_date'],
      [{ metadata: null }, 'metadata'],
      [{ number: 1 }, 'number'],
      [{ status: 'open' }, 'status'],
      [{ currency: 'gbp' }, 'currency'],
    ]
    for (const [change, path] of both)
      for (const [method, at, body] of [
        ['POST', '/invoices', { customer: draft.customer, lines: [line], ...change }],
        ['PUT', `/invoices/${draft.id}`, change],
      ] as const) {
        const { data } = await merchant.isRefused(method, at, body, 422, 'validation_failed')
        assert.deepEqual(
          [data[0].path, data[0].location],
          [path, 'body'],
          `${method} ${JSON.stringify(change)}`,
        )
      }
    for (const [body, path] of [
      [{ lines: [line] }, 'customer'],
      [{ customer: draft.customer }, 'lines'],
      [{ customer: 'ada', lines: [line] }, 'customer'],
    ] as const)
      assert.equal(
        (await merchant.isRefused('POST', '/invoices', body, 422, 'validation_failed')).data[0]
          .path,
        path,
      )
    const moved = { customer: draft.customer }
    assert.equal(
      (await merchant.isRefused('PUT', `/invoices/${draft.id}`, moved, 422, 'validation_failed'))
        .data[0].path,
      'customer',
    )
    const reminding = await merchant.draftInvoice({
      due_date: '2026-12-24',
      reminders: { days_after: [1], days_before: [] },
    })
    const { data } = await merchant.isRefused(
      'PUT',
      `/invoices/${reminding.id}`,
      { due_date: null },
      422,
      'validation_failed',
    )
    assert.match(data[0].message, /^due_date is required for reminders/)
    const silent = await merchant.ask('PUT', `/invoices/${reminding.id}`, {
      due_date: null,
      reminders: { days_after: [] },
    })
    assert.equal(silent.due_date, null)
    const full = await merchant.ask('POST', '/invoices', {
      customer: draft.customer,
      lines: many(100),
    })
    assert.deepEqual([full.lines.length, full.total], [100, 50_000_000])
  })

  it('are deleted, and then are no more', async () => {
    const draft = await merchant.draftInvoice()
    const path = `/invoices/${draft.id}`
    const { data, status } = await server.call('DELETE', path)
    assert.deepEqual([status, data], [200, draft])
    await merchant.isRefused('GET', path, undefined, 404, 'not_found')
    await merchant.isRefused('DELETE', path, undefined, 404, 'not_found')
    const rows = await server.app.db.query('select 1 from invoice_lines where invoice_id = $1', [
      draft.id,
    ])
    assert.equal(rows.length, 0)
  })

  it('are all that can be changed, finalized or deleted', async () => {
    const [open, paid, gone] = [
      await merchant.openInvoice(),
      await merchant.openInvoice(),
      await merchant.openInvoice(),
    ]
    await merchant.simulate(paid.payment, 'completed', 'card')
    await merchant.voidInvoice(gone)
    for (const { id, lines } of [open, paid, gone]) {
      for (const body of [
        {},
        { memo: 'New' },
        { lines: [{ product: lines[0].product, quantity: 1 }] },
      ])
        await merchant.isRefused('PUT', `/invoices/${id}`, body, 400, 'invoice_not_draft')
      await merchant.isRefused('DELETE', `/invoices/${id}`, undefined, 400, 'invoice_not_draft')
      await merchant.isRefused(
        'POST',
        `/invoices/${id}/finalize`,
        undefined,
        400,
        'invoice_not_draft',
      )
    }
  })

  it('are not found by another id, mode or business', async () => {
    const draft = await merchant.draftInvoice()
    const open = await merchant.openInvoice()
    const other = await newBusiness(server)
    const live = server.callAs(server.liveKey)
    for (const [call, id] of [
      [server.call, noId],
      [server.call, 'nonsense'],
      [live, draft.id],
      [live, open.id],
      [other, draft.id],
      [other, open.id],
    ] as const) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PUT', '', { memo: 'Mine' }],
        ['DELETE', '', undefined],
        ['POST', '/finalize', undefined],
        ['POST', '/void', undefined],
        ['POST', '/send', undefined],
        ['GET', '/pdf', undefined],
      ] as const)
        await merchant.isRefused(method, `/invoices/${id}${path}`, body, 404, 'not_found', call)
    }
    assert.equal((await must(live('GET', '/invoices'))).totalDocs, 0)
    assert.equal((await must(other('GET', '/invoices'))).totalDocs, 0)
    assert.equal((await server.callAs(null)('GET', `/invoices/${draft.id}`)).status, 401)
  })

  it('are listed with the others, by page, cursor and filter', async () => {
    const someone = await merchant.addCustomer()
    const [naira, dollars] = [
      await merchant.addProduct({ amount: 100 }),
      await merchant.addProduct({ amount: 100, currency: 'usd' }),
    ]
    const make = (of: { id: string }) =>
      merchant.ask('POST', '/invoices', {
        customer: someone.id,
        lines: [{ product: of.id, quantity: 1 }],
      })
    const [draft, open, paid, gone, foreign] = [
      await make(naira),
      await make(naira),
      await make(naira),
      await make(naira),
      await make(dollars),
    ]
    for (const one of [open, paid, gone]) await merchant.finalizeInvoice(one)
    await merchant.simulate((await merchant.readInvoice(paid)).payment, 'completed', 'card')
    await merchant.voidInvoice(gone)
    for (const [query, wanted] of [
      ['', [foreign, gone, paid, open, draft]],
      ['&status=draft', [foreign, draft]],
      ['&status=open', [open]],
      ['&status=paid', [paid]],
      ['&status=void', [gone]],
      ['&currency=usd', [foreign]],
      ['&currency=eur', []],
      ['&currency=ngn&status=draft', [draft]],
      ['&limit=2&page=3', [draft]],
      [`&limit=2&after=${gone.id}`, [paid, open]],
    ] as const) {
      const { docs } = await merchant.ask('GET', `/invoices?customer=${someone.id}${query}`)
      assert.deepEqual(
        docs.map((doc: Json) => doc.id),
        wanted.map((invoice) => invoice.id),
        query,
      )
      for (const doc of docs) assert.deepEqual(doc, await merchant.readInvoice(doc))
    }
    assert.deepEqual((await merchant.ask('GET', `/invoices?customer=${noId}`)).docs, [])
    await merchant.isRefused('GET', `/invoices?after=${noId}`, undefined, 400, 'invalid_cursor')
    for (const query of [
      'limit=101',
      'page=0',
      'status=sent',
      'currency=gbp',
      'customer=x',
      'number=0',
      'total=1',
    ])
      await merchant.isRefused('GET', `/invoices?${query}`, undefined, 422, 'validation_failed')
  })
})
