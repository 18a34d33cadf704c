import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assertEventsFit } from '../../../test/events.ts'
import { type Call, settled, snapshot, startServer, type TestServer } from '../../../test/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { defaultPricing } from '../../books/pricing/pricing.ts'

const noId = '0'.repeat(24)
const most = 9_007_199_254_740_991
const day = 86_400_000
const sender = { account_name: 'Obi Eze', account_number: '0123456789', bank_name: 'GTBank', bank_code: '058' }
const goodCard = '4242424242424242'
const lostCard = '4000000000000259'
const fraudulentCard = '4100000000000019'

// biome-ignore lint/suspicious/noExplicitAny: records come as JSON
type Doc = any

let server: TestServer

/** Everything that a refusal must leave as it was: what every test counts, the numbers given, and every invoice. */
async function everything(): Promise<unknown> {
  const numbers = await server.app.db.query('select * from invoice_numbers order by business_id, livemode')
  const invoices = await server.app.db.query('select * from invoices order by business_id, id')
  const lines = await server.app.db.query('select * from invoice_lines order by invoice_id, position')
  const payments = await server.app.db.query('select id, status, updated_at from payments order by business_id, id')
  return { counts: await snapshot(server.app), numbers, invoices, lines, payments }
}

async function refused(
  method: string,
  path: string,
  body: unknown,
  status: number,
  code: string,
  call: Call = server.call,
): Promise<Doc> {
  await settled(server.app)
  const before = await everything()
  const answer = await call(method, path, body)
  const what = `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`
  assert.deepEqual([answer.status, answer.code], [status, code], what)
  assert.ok(answer.body.message.length > 5)
  assert.deepEqual(await everything(), before, what)
  return answer
}

async function asked(method: string, path: string, body?: unknown, call: Call = server.call): Promise<Doc> {
  const answer = await call(method, path, body)
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`)
  return answer.data
}
const product = (amount: number, more: Record<string, unknown> = {}, call?: Call): Promise<Doc> =>
  asked('POST', '/products', { name: 'Novel', amount, currency: 'ngn', ...more }, call)
const customer = (more: Record<string, unknown> = {}, call?: Call): Promise<Doc> =>
  asked('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com', ...more }, call)
const get = (invoice: { id: string }, call?: Call): Promise<Doc> =>
  asked('GET', `/invoices/${invoice.id}`, undefined, call)
const paymentOf = async (invoice: { id: string }): Promise<Doc> =>
  asked('GET', `/payments/${(await get(invoice)).payment}`)
const finalized = (invoice: { id: string }, call?: Call): Promise<Doc> =>
  asked('POST', `/invoices/${invoice.id}/finalize`, undefined, call)
const voided = (invoice: { id: string }): Promise<Doc> => asked('POST', `/invoices/${invoice.id}/void`)
const simulated = (payment: string, outcome: string, method?: string): Promise<Doc> =>
  asked('POST', `/payments/${payment}/simulate`, { outcome, ...(method ? { method } : {}) })

/** A draft of one line, at 5,000.00 naira unless said otherwise, for a new customer. */
async function drafted(
  more: Record<string, unknown> = {},
  of: { amount?: number; currency?: string; call?: Call } = {},
): Promise<Doc> {
  const { amount = 500_000, currency = 'ngn', call } = of
  const [someone, thing] = [await customer({}, call), await product(amount, { currency }, call)]
  const lines = [{ product: thing.id, quantity: 1 }]
  return asked('POST', '/invoices', { customer: someone.id, lines, ...more }, call)
}
/** An open invoice, as `drafted` makes it. */
const opened = async (
  more: Record<string, unknown> = {},
  of: { amount?: number; currency?: string; call?: Call } = {},
): Promise<Doc> => finalized(await drafted(more, of), of.call)

/** Every event there is, oldest first. */
async function allEvents(): Promise<Doc[]> {
  const events = []
  for (let page = 1; ; page++) {
    const data = await asked('GET', `/events?limit=100&page=${page}`)
    events.push(...data.docs)
    if (!data.hasNextPage) return events.reverse()
  }
}
/** The events of an invoice and of all its payments, oldest first. */
const eventsOf = async (invoice: { id: string }): Promise<Doc[]> =>
  (await allEvents()).filter(({ payload }) => payload.id === invoice.id || payload.invoice === invoice.id)
const typesOf = async (invoice: { id: string }): Promise<string[]> =>
  (await eventsOf(invoice)).map((event) => event.type)
/** The only event of a type that an invoice has told. */
async function theEvent(invoice: { id: string }, type: string): Promise<Doc> {
  const found = (await eventsOf(invoice)).filter((event) => event.type === type)
  assert.equal(found.length, 1, type)
  return found[0]
}

const texts = (html: string): string => html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, '')
/** What an invoice's page says. */
async function pageOf(invoice: { payment_url: string }): Promise<string> {
  const response = await fetch(invoice.payment_url)
  assert.equal(response.status, 200)
  return texts(await response.text())
}
type Posts = (form: string, fields?: Record<string, string>) => Promise<number>
/** Opens an invoice's page, whose forms can be posted from then on. */
async function pageOpened({ payment_url: url }: { payment_url: string }): Promise<Posts> {
  const page = await fetch(`${url}?method=card`)
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  return async (form, fields = {}) => {
    const body = new URLSearchParams({ token, ...fields })
    const response = await fetch(`${url}/${form}`, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
    await response.text()
    return response.status
  }
}
const cardOf = (number: string) => ({ number, expiry: '12/34', cvc: '123' })
async function cardTried(invoice: { payment_url: string }, number: string): Promise<void> {
  const post = await pageOpened(invoice)
  assert.equal(await post('card', cardOf(number)), 303)
}
/** The one-time account of an invoice, opened by its payer. */
async function accountOf(invoice: { id: string; payment_url: string }): Promise<Doc> {
  const post = await pageOpened(invoice)
  assert.equal(await post('transfer'), 303)
  const { payment } = await get(invoice)
  const [row] = await server.app.db.query<{ id: string }>('select id from virtual_accounts where payment_id = $1', [
    payment,
  ])
  return asked('GET', `/virtual-accounts/${row?.id}`)
}
const deposited = (account: { id: string }, amount: number): Promise<Doc> =>
  asked('POST', `/virtual-accounts/${account.id}/simulate-deposit`, { amount, sender })
const balance = async (currency: string): Promise<number> =>
  (await asked('GET', `/wallets?currency=${currency}`))[0].available
const advance = (by: string): Promise<Doc> => asked('POST', '/test/clock', { advance: by })
const count = <T>(of: T[], what: T): number => of.filter((one) => one === what).length

describe('drafts of invoices', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('copy name and amount of their products, as they are then', async () => {
    const someone = await customer()
    const book = await product(250_000, { name: 'Novel', description: 'A long one' })
    const shelf = await product(1, { name: 'Shelf' })
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
    const draft = await asked('POST', '/invoices', given)
    const { id, created_at, updated_at, ...rest } = draft
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(created_at, updated_at)
    const novel = { product: book.id, name: 'Novel', amount: 250_000 }
    const expected = {
      number: null,
      customer: someone.id,
      currency: 'ngn',
      lines: [
        { ...novel, quantity: 3, total: 750_000 },
        { product: shelf.id, name: 'Shelf', amount: 1, quantity: 1_000_000, total: 1_000_000 },
        { ...novel, quantity: 1, total: 250_000 },
      ],
      total: 2_000_000,
      exchange_rate: null,
      collect_currency: null,
      collect_amount: null,
      due_date: '2026-12-24T17:30:00.000Z',
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
    await asked('PUT', `/products/${book.id}`, { name: 'Novel, second edition', amount: 300_000 })
    assert.deepEqual(await get(draft), draft)
    assert.deepEqual((await allEvents()).length, 0)

    const bare = await asked('POST', '/invoices', { customer: someone.id, lines: [{ product: book.id, quantity: 1 }] })
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
      const draft = await drafted({ due_date: given })
      assert.equal(draft.due_date, shown)
      assert.equal((await finalized(draft)).due_date, shown)
      assert.match((await paymentOf(draft)).expires_at, /^\d{4}-/, given)
    }
    for (const given of ['2026-02-29', '2026-13-01', 'tomorrow', '', '24.12.2026', 1_700_000_000, '2026-12-24T25:00Z'])
      for (const body of [{ due_date: given }])
        await refused('PUT', `/invoices/${(await drafted()).id}`, body, 422, 'validation_failed')
  })

  it('take no due date that no clock shows', async () => {
    const draft = await drafted()
    const path = `/invoices/${draft.id}`
    // The format lets these through.
    for (const given of ['2026-12-31T23:59:60Z', '0000-01-01', '9999-12-31T23:59:59-01:00', '2026-12-24T18:00:00+05']) {
      const { data } = await refused('PUT', path, { due_date: given }, 422, 'validation_failed')
      assert.deepEqual([data[0].path, data[0].location], ['due_date', 'body'], given)
      const body = { customer: draft.customer, lines: [{ product: draft.lines[0].product, quantity: 1 }] }
      await refused('POST', '/invoices', { ...body, due_date: given }, 422, 'validation_failed')
    }
  })

  it('change by what is given; new lines copy their products anew', async () => {
    const draft = await drafted({ memo: 'First', due_date: '2026-12-24', metadata: { a: 1 } })
    const [line] = draft.lines
    const path = `/invoices/${draft.id}`
    await asked('PUT', `/products/${line.product}`, { name: 'Dearer novel', amount: 700_000 })

    const noted = await asked('PUT', path, { memo: 'Second' })
    assert.deepEqual(noted, { ...draft, memo: 'Second', updated_at: noted.updated_at })
    const cleared = await asked('PUT', path, { memo: null, due_date: null, metadata: {}, reminders: {} })
    assert.deepEqual([cleared.memo, cleared.due_date, cleared.metadata, cleared.total], [null, null, {}, 500_000])

    const other = await product(5, { name: 'Pen' })
    const lines = [
      { product: other.id, quantity: 2 },
      { product: line.product, quantity: 2 },
    ]
    const changed = await asked('PUT', path, { lines })
    assert.deepEqual(changed.lines, [
      { product: other.id, name: 'Pen', amount: 5, quantity: 2, total: 10 },
      { product: line.product, name: 'Dearer novel', amount: 700_000, quantity: 2, total: 1_400_000 },
    ])
    assert.equal(changed.total, 1_400_010)
    assert.deepEqual(await get(draft), changed)

    const euros = await product(900, { currency: 'eur' })
    const moved = await asked('PUT', path, { lines: [{ product: euros.id, quantity: 1 }] })
    assert.deepEqual([moved.currency, moved.total, moved.lines.length], ['eur', 900, 1])
    assert.deepEqual(await asked('PUT', path, {}), { ...moved, updated_at: (await get(draft)).updated_at })
  })

  it('keep what was copied of a product that is archived since; nothing new takes one', async () => {
    const draft = await drafted()
    const [line] = draft.lines
    const someone = draft.customer
    const other = await product(7, { name: 'Old' })
    await asked('PUT', `/products/${line.product}`, { name: 'Renamed', amount: 1 })
    for (const id of [line.product, other.id]) await asked('PATCH', `/products/${id}/archive`)

    const kept = await asked('PUT', `/invoices/${draft.id}`, { lines: [{ product: line.product, quantity: 4 }] })
    assert.deepEqual(kept.lines, [{ ...line, quantity: 4, total: 2_000_000 }])
    const lines = (id: string) => [
      { product: line.product, quantity: 1 },
      { product: id, quantity: 1 },
    ]
    await refused('PUT', `/invoices/${draft.id}`, { lines: lines(other.id) }, 400, 'product_archived')
    await refused('PUT', `/invoices/${draft.id}`, { lines: lines(line.product) }, 400, 'product_archived')
    await refused('POST', '/invoices', { customer: someone, lines: lines(other.id) }, 400, 'product_archived')
    const fresh = [{ product: line.product, quantity: 1 }]
    await refused('POST', '/invoices', { customer: someone, lines: fresh }, 400, 'product_archived')
    assert.equal((await finalized(draft)).total, 2_000_000)
    await asked('PATCH', `/products/${other.id}/unarchive`)
    assert.equal(
      (await asked('POST', '/invoices', { customer: someone, lines: [{ product: other.id, quantity: 1 }] })).total,
      7,
    )
  })

  it('refuse unknown products and customers, and more than one currency', async () => {
    const draft = await drafted()
    const { customer: someone, lines } = draft
    const [line] = lines
    const known = { product: line.product, quantity: 1 }
    const path = `/invoices/${draft.id}`
    const other = (await createBusiness(server.app, 'Another')).test_key
    const foreignProduct = await product(1, {}, server.callAs(other))
    const foreignCustomer = await customer({}, server.callAs(other))
    const liveProduct = await product(1, {}, server.callAs(server.liveKey))
    const deleted = await customer()
    await asked('DELETE', `/customers/${deleted.id}`)
    for (const id of [noId, foreignProduct.id, liveProduct.id, draft.id]) {
      const wrong = [known, { product: id, quantity: 1 }]
      await refused('POST', '/invoices', { customer: someone, lines: wrong }, 400, 'product_not_found')
      await refused('PUT', path, { lines: wrong }, 400, 'product_not_found')
    }
    for (const id of [noId, foreignCustomer.id, deleted.id, line.product])
      await refused('POST', '/invoices', { customer: id, lines: [known] }, 400, 'customer_not_found')
    for (const currency of ['usd', 'eur']) {
      const mixed = [known, { product: (await product(1, { currency })).id, quantity: 1 }]
      await refused('POST', '/invoices', { customer: someone, lines: mixed }, 400, 'mixed_currencies')
      await refused('PUT', path, { lines: mixed }, 400, 'mixed_currencies')
    }
  })

  it('refuse totals that no amount can carry', async () => {
    const draft = await drafted()
    const [largest, one] = [await product(most), await product(1)]
    const line = (of: { id: string }, quantity: number) => ({ product: of.id, quantity })
    for (const lines of [
      [line(largest, 2)],
      [line(largest, 1_000_000)],
      [line(largest, 1), line(one, 1)],
      Array.from({ length: 100 }, () => line(largest, 1_000_000)),
    ]) {
      await refused('POST', '/invoices', { customer: draft.customer, lines }, 400, 'amount_too_large')
      await refused('PUT', `/invoices/${draft.id}`, { lines }, 400, 'amount_too_large')
    }
    const full = await asked('PUT', `/invoices/${draft.id}`, { lines: [line(largest, 1)] })
    assert.equal(full.total, most)
    assert.equal((await finalized(draft)).collect_amount, most)
    const euros = await drafted({}, { amount: most, currency: 'eur' })
    await refused('POST', `/invoices/${euros.id}/finalize`, undefined, 400, 'amount_too_large')
  })

  it('refuse bad input, and leave no trace', async () => {
    const draft = await drafted()
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
      [{ lines: [{ ...line, amount: 1 }] }, 'lines.0.amount'],
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
      [{ currency: 'ngn' }, 'currency'],
    ]
    for (const [change, path] of both)
      for (const [method, at, body] of [
        ['POST', '/invoices', { customer: draft.customer, lines: [line], ...change }],
        ['PUT', `/invoices/${draft.id}`, change],
      ] as const) {
        const { data } = await refused(method, at, body, 422, 'validation_failed')
        assert.deepEqual([data[0].path, data[0].location], [path, 'body'], `${method} ${JSON.stringify(change)}`)
      }
    for (const [body, path] of [
      [{ lines: [line] }, 'customer'],
      [{ customer: draft.customer }, 'lines'],
      [{ customer: 'ada', lines: [line] }, 'customer'],
    ] as const)
      assert.equal((await refused('POST', '/invoices', body, 422, 'validation_failed')).data[0].path, path)
    const moved = { customer: draft.customer }
    assert.equal(
      (await refused('PUT', `/invoices/${draft.id}`, moved, 422, 'validation_failed')).data[0].path,
      'customer',
    )
    const reminding = await drafted({ due_date: '2026-12-24', reminders: { days_after: [1], days_before: [] } })
    const { data } = await refused('PUT', `/invoices/${reminding.id}`, { due_date: null }, 422, 'validation_failed')
    assert.match(data[0].message, /^due_date is required with reminders/)
    const silent = await asked('PUT', `/invoices/${reminding.id}`, { due_date: null, reminders: { days_after: [] } })
    assert.equal(silent.due_date, null)
    const full = await asked('POST', '/invoices', { customer: draft.customer, lines: many(100) })
    assert.deepEqual([full.lines.length, full.total], [100, 50_000_000])
  })

  it('are deleted, and then are no more', async () => {
    const draft = await drafted()
    const path = `/invoices/${draft.id}`
    const { data, status } = await server.call('DELETE', path)
    assert.deepEqual([status, data], [200, null])
    await refused('GET', path, undefined, 404, 'not_found')
    await refused('DELETE', path, undefined, 404, 'not_found')
    const rows = await server.app.db.query('select 1 from invoice_lines where invoice_id = $1', [draft.id])
    assert.equal(rows.length, 0)
  })

  it('are all that can be changed, finalized or deleted', async () => {
    const [open, paid, gone] = [await opened(), await opened(), await opened()]
    await simulated(paid.payment, 'completed', 'card')
    await voided(gone)
    for (const { id, lines } of [open, paid, gone]) {
      for (const body of [{}, { memo: 'New' }, { lines: [{ product: lines[0].product, quantity: 1 }] }])
        await refused('PUT', `/invoices/${id}`, body, 400, 'invoice_not_draft')
      await refused('DELETE', `/invoices/${id}`, undefined, 400, 'invoice_not_draft')
      await refused('POST', `/invoices/${id}/finalize`, undefined, 400, 'invoice_not_draft')
    }
  })

  it('are not found by another id, mode or business', async () => {
    const draft = await drafted()
    const open = await opened()
    const other = server.callAs((await createBusiness(server.app, 'Stranger')).test_key)
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
        await refused(method, `/invoices/${id}${path}`, body, 404, 'not_found', call)
    }
    assert.equal((await asked('GET', '/invoices', undefined, live)).totalDocs, 0)
    assert.equal((await asked('GET', '/invoices', undefined, other)).totalDocs, 0)
    assert.equal((await server.callAs(null)('GET', `/invoices/${draft.id}`)).status, 401)
  })

  it('are listed with the others, by page, cursor and filter', async () => {
    const someone = await customer()
    const [naira, dollars] = [await product(100), await product(100, { currency: 'usd' })]
    const make = (of: { id: string }) =>
      asked('POST', '/invoices', { customer: someone.id, lines: [{ product: of.id, quantity: 1 }] })
    const [draft, open, paid, gone, foreign] = [
      await make(naira),
      await make(naira),
      await make(naira),
      await make(naira),
      await make(dollars),
    ]
    for (const one of [open, paid, gone]) await finalized(one)
    await simulated((await get(paid)).payment, 'completed', 'card')
    await voided(gone)
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
      const { docs } = await asked('GET', `/invoices?customer=${someone.id}${query}`)
      assert.deepEqual(
        docs.map((doc: Doc) => doc.id),
        wanted.map((invoice) => invoice.id),
        query,
      )
      for (const doc of docs) assert.deepEqual(doc, await get(doc))
    }
    assert.deepEqual((await asked('GET', `/invoices?customer=${noId}`)).docs, [])
    await refused('GET', `/invoices?after=${noId}`, undefined, 400, 'invalid_cursor')
    for (const query of ['limit=101', 'page=0', 'status=sent', 'currency=gbp', 'customer=x', 'number=1'])
      await refused('GET', `/invoices?${query}`, undefined, 422, 'validation_failed')
  })

  it('left clean books', () => server.assertBooksClean())
})

describe('invoices that are finalized', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('get the next number, a payment and a page; the event is the record', async () => {
    const draft = await drafted({ due_date: '2099-01-31', metadata: { order: 7 }, memo: 'Thanks' })
    const open = await finalized(draft)
    assert.match(open.payment_url.replace(server.url, ''), /^\/pay\/[0-9A-Za-z]{24}$/)
    assert.equal(open.finalized_at, open.updated_at)
    const { updated_at, finalized_at, payment, payment_url } = open
    const made = { number: 1, status: 'open', collect_currency: 'ngn', collect_amount: 500_000 }
    assert.deepEqual(open, { ...draft, ...made, updated_at, finalized_at, payment, payment_url })
    assert.deepEqual(await get(draft), open)
    assert.deepEqual((await theEvent(draft, 'invoice.finalized')).payload, open)
    assert.deepEqual(await typesOf(draft), ['invoice.finalized'])

    const paying = await paymentOf(open)
    assert.deepEqual(
      [paying.amount, paying.currency, paying.status, paying.invoice, paying.customer, paying.checkout_url],
      [500_000, 'ngn', 'pending', draft.id, draft.customer, payment_url],
    )
    assert.deepEqual(
      [paying.description, paying.metadata, paying.email],
      ['Invoice 1', { order: 7 }, 'ada@example.com'],
    )
    assert.equal(paying.expires_at, '9999-12-31T23:59:59.999Z')
    const shown = await pageOf(open)
    for (const text of ['Novel', '₦5,000.00', 'Invoice 1']) assert.ok(shown.includes(text), text)

    assert.equal((await opened()).number, 2)
    assert.equal((await opened({}, { currency: 'usd' })).number, 3)
  })

  it('keep the page of an invoice without lines for other payments', async () => {
    const other = await asked('POST', '/payments', { amount: 1_000, currency: 'ngn' })
    assert.equal((await fetch(`${other.checkout_url}/invoice.pdf`)).status, 404)
    assert.equal((await fetch(`${server.url}/pay/${'x'.repeat(24)}/invoice.pdf`)).status, 404)
  })

  it('in euros fix the rate, and are paid in dollars', async () => {
    const draft = await drafted({}, { amount: 12_345, currency: 'eur' })
    const open = await finalized(draft)
    const rate = Number(open.exchange_rate)
    assert.match(open.exchange_rate, /^1\.\d+$/)
    assert.deepEqual([open.currency, open.total, open.collect_currency], ['eur', 12_345, 'usd'])
    assert.equal(open.collect_amount, Math.floor((12_345 * Math.round(rate * 1e6)) / 1e6))
    const paying = await paymentOf(open)
    assert.deepEqual([paying.amount, paying.currency], [open.collect_amount, 'usd'])
    const shown = await pageOf(open)
    for (const text of ['€123.45', `$${(open.collect_amount / 100).toFixed(2)}`])
      assert.ok(shown.includes(text), `${text}: ${shown}`)
    const before = await balance('usd')
    const paid = await simulated(open.payment, 'completed', 'bank_transfer')
    assert.equal(await balance('usd'), before + open.collect_amount - paid.fee)
    const now = await get(open)
    assert.deepEqual(
      [now.status, now.total, now.currency, now.exchange_rate],
      ['paid', 12_345, 'eur', open.exchange_rate],
    )
    assert.equal((await opened({}, { amount: 1, currency: 'eur' })).collect_amount, 1)
  })

  it('are 1 to 200 when 16 clients finalize 200 at once, whatever is refused between', async () => {
    const mine = server.callAs((await createBusiness(server.app, 'Many')).test_key)
    const [someone, leaver] = [await customer({}, mine), await customer({}, mine)]
    const thing = await product(1_000, {}, mine)
    const lines = [{ product: thing.id, quantity: 1 }]
    /** Runs the work with 16 clients at once. */
    const byClients = async (work: (() => Promise<Doc>)[]): Promise<Doc[]> => {
      const results: Doc[] = []
      const queue = [...work]
      const client = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) results.push(await next())
      }
      await Promise.all(Array.from({ length: 16 }, client))
      return results
    }
    const make = (of: { id: string }) => () => asked('POST', '/invoices', { customer: of.id, lines }, mine)
    const drafts = await byClients(Array.from({ length: 220 }, (_, i) => make(i % 11 === 5 ? leaver : someone)))
    await asked('DELETE', `/customers/${leaver.id}`, undefined, mine)
    const answers = await byClients(
      drafts.map(
        ({ id }) =>
          () =>
            mine('POST', `/invoices/${id}/finalize`),
      ),
    )
    const done = answers.filter((answer) => answer.status === 200)
    assert.deepEqual([done.length, answers.length], [200, 220])
    for (const { status, code } of answers) if (status !== 200) assert.equal(code, 'customer_not_found')
    const numbers = done.map((answer) => answer.data.number).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
    assert.equal(new Set(done.map((answer) => answer.data.payment_url)).size, 200)
    await server.assertBooksClean()
  })

  it('are refused in live mode, where no rail is configured, and use no number', async () => {
    const live = server.callAs(server.liveKey)
    const draft = await drafted({}, { call: live })
    await refused('POST', `/invoices/${draft.id}/finalize`, undefined, 400, 'rail_not_configured', live)
    const rows = await server.app.db.query('select 1 from invoice_numbers where livemode')
    assert.equal(rows.length, 0)
    assert.deepEqual(await get(draft, live), draft)
  })

  it('are refused when the customer is gone, and the next one gets the number', async () => {
    const first = await opened()
    const draft = await drafted()
    await asked('DELETE', `/customers/${draft.customer}`)
    await refused('POST', `/invoices/${draft.id}/finalize`, undefined, 400, 'customer_not_found')
    assert.equal((await opened()).number, first.number + 1)
  })

  it('are finalized once, by however many at once, and every business counts from 1', async () => {
    const other = server.callAs((await createBusiness(server.app, 'Counts too')).test_key)
    for (const call of [server.call, other]) {
      const draft = await drafted({}, { call })
      const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', `/invoices/${draft.id}/finalize`)))
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
      for (const { status, code } of answers)
        if (status !== 200) assert.deepEqual([status, code], [400, 'invoice_not_draft'])
      const { docs } = await asked('GET', `/payments?customer=${draft.customer}`, undefined, call)
      assert.equal(docs.length, 1)
    }
    assert.equal((await drafted({}, { call: other }).then((draft) => finalized(draft, other))).number, 2)
  })

  it('are changed, deleted or finalized, when two clients want different things at once', async () => {
    for (let i = 0; i < 6; i++) {
      const draft = await drafted()
      const path = `/invoices/${draft.id}`
      const lines = [{ product: draft.lines[0].product, quantity: 3 }]
      const [open, changed] = await Promise.all([
        server.call('POST', `${path}/finalize`),
        i % 2 === 0 ? server.call('PUT', path, { lines }) : server.call('DELETE', path),
      ])
      if (open.status === 200) {
        const now = await get(draft)
        const paying = await paymentOf(draft)
        assert.deepEqual([now.total, now.collect_amount, paying.amount], [now.total, now.total, now.total])
        assert.equal(now.total, changed.status === 200 ? 1_500_000 : 500_000)
        if (changed.status !== 200) assert.equal(changed.code, 'invoice_not_draft')
      } else assert.deepEqual([open.code, changed.status], ['not_found', 200])
    }
    await server.assertBooksClean()
  })

  it('keep who was billed, whatever becomes of the customer and the product', async () => {
    const open = await opened()
    await asked('PUT', `/customers/${open.customer}`, { name: 'Someone Else', email: 'else@example.com' })
    await asked('PUT', `/products/${open.lines[0].product}`, { name: 'Renamed', amount: 1 })
    assert.deepEqual(await get(open), open)
    await asked('DELETE', `/customers/${open.customer}`)
    assert.deepEqual(await get(open), open)
    await simulated(open.payment, 'completed', 'card')
    assert.equal((await get(open)).status, 'paid')
  })
})

describe('invoices in euros without a rate', () => {
  it('are not finalized, and use no number', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bursar-pricing-'))
    const { eur_usd: _euro, ...rates } = (defaultPricing as { rates: Record<string, string> }).rates
    const file = join(dir, 'pricing.json')
    writeFileSync(file, JSON.stringify({ ...defaultPricing, rates }))
    server = await startServer({ PRICING_FILE: file })
    try {
      const draft = await drafted({}, { currency: 'eur' })
      await refused('POST', `/invoices/${draft.id}/finalize`, undefined, 400, 'unsupported_currency')
      assert.equal((await opened()).number, 1)
    } finally {
      await server.stop()
      await rm(dir, { recursive: true })
    }
  })
})

describe('invoices that are paid', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  /** Fails unless an invoice was paid once, and told so once. */
  async function assertPaid(open: Doc): Promise<Doc> {
    const paid = await get(open)
    const { paid_at, updated_at } = paid
    assert.deepEqual(paid, { ...open, status: 'paid', paid_at, updated_at, payment: paid.payment })
    const payment = await paymentOf(paid)
    assert.deepEqual(
      [payment.status, payment.invoice, payment.amount, payment.paid_at],
      ['completed', open.id, open.collect_amount, paid_at],
    )
    const types = await typesOf(open)
    assert.deepEqual([count(types, 'invoice.paid'), count(types, 'payment.completed')], [1, 1])
    assert.deepEqual((await theEvent(open, 'payment.completed')).payload.id, payment.id)
    return paid
  }

  it('by card, on their page', async () => {
    const open = await opened()
    const before = await balance('ngn')
    const post = await pageOpened(open)
    assert.equal(await post('card', cardOf(goodCard)), 303)
    const paid = await assertPaid(open)
    assert.deepEqual((await theEvent(open, 'invoice.paid')).payload, paid)
    assert.equal(paid.payment, open.payment)
    assert.ok(Date.parse(paid.paid_at) >= Date.parse(open.finalized_at))
    assert.equal(await balance('ngn'), before + (await paymentOf(open)).net)
    assert.deepEqual(await typesOf(open), ['invoice.finalized', 'payment.completed', 'invoice.paid'])
    // The same form once more does nothing.
    assert.equal(await post('card', cardOf(goodCard)), 303)
    await assertPaid(open)
    await refused('POST', `/payments/${open.payment}/simulate`, { outcome: 'completed' }, 400, 'payment_not_pending')
  })

  for (const [currency, method] of [
    ['ngn', 'bank_transfer'],
    ['usd', 'bank_transfer'],
    ['eur', 'bank_transfer'],
    ['ngn', 'crypto'],
    ['usd', 'crypto'],
    ['eur', 'crypto'],
    ['eur', 'card'],
  ] as const)
    it(`by ${method} in ${currency}`, async () => {
      const open = await opened({}, { currency })
      await simulated(open.payment, 'completed', method)
      const paid = await assertPaid(open)
      assert.deepEqual((await theEvent(open, 'invoice.paid')).payload, paid)
    })

  it('in parts: what is missing is asked for', async () => {
    const open = await opened()
    const account = await accountOf(open)
    await deposited(account, 200_000)
    assert.deepEqual(await get(open), open)
    assert.ok((await pageOf(open)).includes('₦3,000.00'))
    assert.deepEqual(
      (await typesOf(open)).filter((type) => type.startsWith('invoice')),
      ['invoice.finalized'],
    )
    await cardTried(open, goodCard)
    const paid = await assertPaid(open)
    assert.equal((await paymentOf(paid)).amount_received, 500_000)
  })

  it('twice: the second money is booked, and they stay paid once', async () => {
    const open = await opened()
    const account = await accountOf(open)
    const before = await balance('ngn')
    await deposited(account, 500_000)
    const paid = await assertPaid(open)
    await deposited(account, 500_000)
    assert.deepEqual(await assertPaid(open), paid)
    const payment = await paymentOf(open)
    assert.deepEqual([payment.variance, payment.amount_received], ['overpaid', 1_000_000])
    assert.equal(await balance('ngn'), before + payment.net)
  })

  it('with more than they ask for', async () => {
    const open = await opened()
    await simulated(open.payment, 'overpaid', 'bank_transfer')
    await assertPaid(open)
    assert.equal((await paymentOf(open)).variance, 'overpaid')
  })

  it('by many deposits at once: paid once', async () => {
    const open = await opened()
    const account = await accountOf(open)
    await Promise.all(Array.from({ length: 6 }, () => deposited(account, 500_000)))
    await assertPaid(open)
    assert.equal((await paymentOf(open)).amount_received, 3_000_000)
  })

  it('after their due date as well as before', async () => {
    const soon = new Date(Date.now() + 2 * day).toISOString()
    const [late, old] = [await opened({ due_date: soon }), await opened({ due_date: '2020-01-01' })]
    await advance('40d')
    for (const open of [late, old]) {
      assert.equal((await get(open)).status, 'open')
      await cardTried(open, goodCard)
      const paid = await assertPaid(open)
      assert.ok(Date.parse(paid.paid_at) > Date.parse(open.due_date))
    }
  })

  it('when the payer confirms to their bank', async () => {
    const open = await opened()
    await cardTried(open, '4000002760003184')
    assert.equal((await get(open)).status, 'open')
    const post = await pageOpened(open)
    assert.equal(await post('challenge', { answer: 'approve' }), 303)
    await assertPaid(open)
  })

  it('not by a card that is declined, and later by another', async () => {
    const open = await opened()
    await cardTried(open, '4000000000000002')
    assert.deepEqual(await get(open), open)
    await cardTried(open, goodCard)
    await assertPaid(open)
  })

  it('still, after a card was declined for good', async () => {
    const open = await opened()
    await cardTried(open, fraudulentCard)
    assert.deepEqual(await get(open), open)
    const payment = await paymentOf(open)
    assert.deepEqual([payment.status, payment.failure_reason], ['pending', 'fraudulent'])
    assert.deepEqual(await typesOf(open), ['invoice.finalized'])
    await cardTried(open, goodCard)
    assert.equal((await assertPaid(open)).payment, open.payment)
  })

  it('and neither fails nor expires by itself', async () => {
    const open = await opened()
    for (const outcome of ['failed', 'expired']) {
      const { status, code } = await server.call('POST', `/payments/${open.payment}/simulate`, { outcome })
      assert.deepEqual([status, code], [400, 'payment_of_invoice'])
    }
    for (const by of ['300d', '300d']) await advance(by)
    assert.deepEqual(await get(open), open)
    await cardTried(open, goodCard)
    await assertPaid(open)
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await allEvents(), [
      'crypto.deposit',
      'invoice.finalized',
      'invoice.paid',
      'payment.completed',
      'virtual_account.deposit',
    ])
    await server.assertBooksClean()
  })
})

describe('invoices that are voided', () => {
  before(async () => {
    // An answer that is lost stays lost for an hour.
    server = await startServer({ SANDBOX_DELAY: '1h' })
  })
  after(() => server.stop())

  /** Fails unless an invoice ended in one way, and told so once. */
  async function assertEnded(invoice: { id: string }, status: 'paid' | 'void'): Promise<void> {
    assert.equal((await get(invoice)).status, status)
    const payment = await paymentOf(invoice)
    assert.equal(payment.status, status === 'paid' ? 'completed' : 'canceled')
    const types = await typesOf(invoice)
    const told = status === 'paid' ? ['payment.completed', 'invoice.paid'] : ['payment.canceled', 'invoice.voided']
    assert.deepEqual(types.toSorted(), ['invoice.finalized', ...told].sort())
  }

  it('cancel their payment, and tell of both', async () => {
    const open = await opened()
    const account = await accountOf(open)
    const gone = await voided(open)
    const { voided_at, updated_at } = gone
    assert.deepEqual(gone, { ...open, status: 'void', voided_at, updated_at })
    assert.equal(voided_at, updated_at)
    assert.deepEqual(await get(open), gone)
    assert.deepEqual((await theEvent(open, 'invoice.voided')).payload, gone)
    assert.deepEqual((await theEvent(open, 'payment.canceled')).payload, await paymentOf(open))
    await assertEnded(open, 'void')
    assert.equal((await asked('GET', `/virtual-accounts/${account.id}`)).status, 'closed')
    assert.ok(!(await pageOf(open)).includes('Card number'))
    assert.equal((await fetch(`${open.payment_url}/invoice.pdf`)).status, 200)
  })

  it('are open ones only, and once', async () => {
    const [draft, paid, gone] = [await drafted(), await opened(), await opened()]
    await simulated(paid.payment, 'completed', 'card')
    await voided(gone)
    for (const { id } of [draft, paid, gone])
      await refused('POST', `/invoices/${id}/void`, undefined, 400, 'invoice_not_open')
    const raced = await opened()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('POST', `/invoices/${raced.id}/void`)),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    for (const { status, code } of answers)
      if (status !== 200) assert.deepEqual([status, code], [400, 'invoice_not_open'])
    await assertEnded(raced, 'void')
  })

  it('leave their payment to nobody else', async () => {
    const open = await opened()
    await refused('POST', `/payments/${open.payment}/cancel`, undefined, 400, 'payment_of_invoice')
    await voided(open)
    await refused('POST', `/payments/${open.payment}/cancel`, undefined, 400, 'payment_of_invoice')
  })

  it('take late money, book it, and stay void', async () => {
    const open = await opened()
    const account = await accountOf(open)
    const gone = await voided(open)
    const before = await balance('ngn')
    const { id } = await deposited(account, 500_000)
    const payment = await paymentOf(open)
    assert.deepEqual([payment.status, payment.variance, payment.amount_received], ['canceled', 'late', 500_000])
    assert.equal((await asked('GET', `/transactions/${id}/verify`)).late, true)
    assert.equal(await balance('ngn'), before + payment.net)
    assert.deepEqual(await get(open), gone)
    await assertEnded(open, 'void')
  })

  it('keep what was paid in part', async () => {
    const open = await opened()
    await deposited(await accountOf(open), 100_000)
    await voided(open)
    const payment = await paymentOf(open)
    assert.deepEqual([payment.status, payment.amount_received], ['canceled', 100_000])
    await assertEnded(open, 'void')
  })

  it('are not voided while a card is being charged', async () => {
    const open = await opened()
    await cardTried(open, lostCard)
    await refused('POST', `/invoices/${open.id}/void`, undefined, 400, 'payment_processing')
    for (const outcome of ['failed', 'expired'])
      await refused('POST', `/payments/${open.payment}/simulate`, { outcome }, 400, 'payment_of_invoice')
    await advance('61m')
    await assertEnded(open, 'paid')
  })

  it('are either paid or void when both happen at once', async () => {
    for (let round = 0; round < 10; round++) {
      const open = await opened()
      const byCard = round % 2 === 1
      const account = byCard ? null : await accountOf(open)
      const post = await pageOpened(open)
      const [answer] = await Promise.all([
        server.call('POST', `/invoices/${open.id}/void`),
        account ? deposited(account, 500_000) : post('card', cardOf(goodCard)),
      ])
      const what = `round ${round}: ${JSON.stringify(answer.body)}`
      if (answer.status === 200) {
        await assertEnded(open, 'void')
        assert.equal((await paymentOf(open)).amount_received, byCard ? 0 : 500_000, what)
      } else {
        assert.equal(answer.status, 400, what)
        assert.ok(['invoice_not_open', 'payment_processing'].includes(answer.code ?? ''), what)
        await assertEnded(open, 'paid')
      }
      await server.assertBooksClean()
    }
  })

  it('told events that fit their schemas, and left clean books', async () => {
    await assertEventsFit(server, await allEvents(), [
      'invoice.finalized',
      'invoice.paid',
      'invoice.voided',
      'payment.canceled',
      'payment.completed',
      'virtual_account.deposit',
    ])
    await server.assertBooksClean()
  })
})
