import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newBusiness, newMerchant } from '../../../test/support/actors.ts'
import { shareServer, startServer, type TestServer } from '../../../test/support/harness.ts'
import { defaultPricing } from '../../books/pricing/pricing.ts'

let server: TestServer
let merchant: Merchant

describe('invoices that are finalized', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  it('get the next number, a payment and a page; the event is the record', async () => {
    const draft = await merchant.draftInvoice({
      due_date: '2099-01-31',
      metadata: { order: 7 },
      memo: 'Thanks',
    })
    const open = await merchant.finalizeInvoice(draft)
    assert.match(open.payment_url.replace(server.url, ''), /^\/pay\/a[0-9A-Za-z]{24}$/)
    assert.equal(open.finalized_at, open.updated_at)
    const { updated_at, finalized_at, payment, payment_url } = open
    const made = { number: 1, status: 'open', collect_currency: 'ngn', collect_amount: 500_000 }
    assert.deepEqual(open, { ...draft, ...made, updated_at, finalized_at, payment, payment_url })
    assert.deepEqual(await merchant.readInvoice(draft), open)
    assert.deepEqual((await merchant.eventOf(draft, 'invoice.finalized')).payload, open)
    assert.deepEqual(await merchant.eventTypesOf(draft), ['invoice.finalized'])

    const paying = await merchant.paymentOf(open)
    assert.deepEqual(
      [
        paying.amount,
        paying.currency,
        paying.status,
        paying.invoice,
        paying.customer,
        paying.checkout_url,
      ],
      [500_000, 'ngn', 'pending', draft.id, draft.customer, payment_url],
    )
    assert.deepEqual(
      [paying.description, paying.metadata, paying.email],
      ['Invoice 1', { order: 7 }, 'ada@example.com'],
    )
    assert.equal(paying.expires_at, '9999-12-31T23:59:59.999Z')
    const shown = await merchant.payerOf(open).reads()
    for (const text of ['Novel', '₦5,000.00', 'Invoice 1']) assert.ok(shown.includes(text), text)

    assert.equal((await merchant.openInvoice()).number, 2)
    assert.equal((await merchant.openInvoice({}, { currency: 'usd' })).number, 3)
  })

  it('keep the page of an invoice without lines for other payments', async () => {
    const other = await merchant.openPayment({ amount: 1_000 })
    assert.equal((await fetch(`${other.checkout_url}/invoice.pdf`)).status, 404)
    assert.equal((await fetch(`${server.url}/pay/${'x'.repeat(24)}/invoice.pdf`)).status, 404)
  })

  it('in euros fix the rate, and are paid in dollars', async () => {
    const draft = await merchant.draftInvoice({}, { lines: [{ amount: 12_345 }], currency: 'eur' })
    const open = await merchant.finalizeInvoice(draft)
    const rate = Number(open.exchange_rate)
    assert.match(open.exchange_rate, /^1\.\d+$/)
    assert.deepEqual([open.currency, open.total, open.collect_currency], ['eur', 12_345, 'usd'])
    assert.equal(open.collect_amount, Math.floor((12_345 * Math.round(rate * 1e6)) / 1e6))
    const paying = await merchant.paymentOf(open)
    assert.deepEqual([paying.amount, paying.currency], [open.collect_amount, 'usd'])
    const shown = await merchant.payerOf(open).reads()
    for (const text of ['€123.45', `$${(open.collect_amount / 100).toFixed(2)}`])
      assert.ok(shown.includes(text), `${text}: ${shown}`)
    const before = await merchant.available('usd')
    const paid = await merchant.simulate(open.payment, 'completed', 'bank_transfer')
    assert.equal(await merchant.available('usd'), before + open.collect_amount - paid.fee)
    const now = await merchant.readInvoice(open)
    assert.deepEqual(
      [now.status, now.total, now.currency, now.exchange_rate],
      ['paid', 12_345, 'eur', open.exchange_rate],
    )
    assert.equal(
      (await merchant.openInvoice({}, { lines: [{ amount: 1 }], currency: 'eur' })).collect_amount,
      1,
    )
  })

  it('are 1 to 200 when 16 clients finalize 200 at once, whatever is refused between', async () => {
    const mine = newMerchant(server, { call: await newBusiness(server, 'Many') })
    const [someone, leaver] = [await mine.addCustomer(), await mine.addCustomer()]
    const thing = await mine.addProduct({ amount: 1_000 })
    const lines = [{ product: thing.id, quantity: 1 }]
    /** Runs the work with 16 clients at once. */
    const byClients = async (work: (() => Promise<Json>)[]): Promise<Json[]> => {
      const results: Json[] = []
      const queue = [...work]
      const client = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) results.push(await next())
      }
      await Promise.all(Array.from({ length: 16 }, client))
      return results
    }
    const make = (of: { id: string }) => () =>
      mine.ask('POST', '/invoices', { customer: of.id, lines })
    const drafts = await byClients(
      Array.from({ length: 220 }, (_, i) => make(i % 11 === 5 ? leaver : someone)),
    )
    await mine.ask('DELETE', `/customers/${leaver.id}`)
    const answers = await byClients(
      drafts.map(
        ({ id }) =>
          () =>
            mine.call('POST', `/invoices/${id}/finalize`),
      ),
    )
    const done = answers.filter((answer) => answer.status === 200)
    assert.deepEqual([done.length, answers.length], [200, 220])
    for (const { status, code } of answers)
      if (status !== 200) assert.equal(code, 'customer_not_found')
    const numbers = done.map((answer) => answer.data.number).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
    assert.equal(new Set(done.map((answer) => answer.data.payment_url)).size, 200)
  })

  it('are refused in live mode, where no rail is configured, and use no number', async () => {
    const live = newMerchant(server, { call: server.callAs(server.liveKey) })
    const draft = await live.draftInvoice()
    await live.isRefused(
      'POST',
      `/invoices/${draft.id}/finalize`,
      undefined,
      400,
      'rail_not_configured',
    )
    const rows = await server.app.db.query(
      'select from invoice_numbers where livemode and business_id = $1',
      [server.businessId],
    )
    assert.equal(rows.length, 0)
    assert.deepEqual(await live.readInvoice(draft), draft)
  })

  it('are refused when the customer is gone, and the next one gets the number', async () => {
    const first = await merchant.openInvoice()
    const draft = await merchant.draftInvoice()
    await merchant.ask('DELETE', `/customers/${draft.customer}`)
    await merchant.isRefused(
      'POST',
      `/invoices/${draft.id}/finalize`,
      undefined,
      400,
      'customer_not_found',
    )
    assert.equal((await merchant.openInvoice()).number, first.number + 1)
  })

  it('are finalized once, by however many at once, and every business counts from 1', async () => {
    const other = newMerchant(server, { call: await newBusiness(server, 'Counts too') })
    for (const { call, ask, draftInvoice } of [merchant, other]) {
      const draft = await draftInvoice()
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => call('POST', `/invoices/${draft.id}/finalize`)),
      )
      assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
      for (const { status, code } of answers)
        if (status !== 200) assert.deepEqual([status, code], [400, 'invoice_not_draft'])
      const { docs } = await ask('GET', `/payments?customer=${draft.customer}`)
      assert.equal(docs.length, 1)
    }
    assert.equal((await other.openInvoice()).number, 2)
  })

  it('are changed, deleted or finalized, when two clients want different things at once', async () => {
    for (let i = 0; i < 6; i++) {
      const draft = await merchant.draftInvoice()
      const path = `/invoices/${draft.id}`
      const lines = [{ product: draft.lines[0].product, quantity: 3 }]
      const [open, changed] = await Promise.all([
        server.call('POST', `${path}/finalize`),
        i % 2 === 0 ? server.call('PUT', path, { lines }) : server.call('DELETE', path),
      ])
      if (open.status === 200) {
        const now = await merchant.readInvoice(draft)
        const paying = await merchant.paymentOf(draft)
        assert.deepEqual(
          [now.total, now.collect_amount, paying.amount],
          [now.total, now.total, now.total],
        )
        assert.equal(now.total, changed.status === 200 ? 1_500_000 : 500_000)
        if (changed.status !== 200) assert.equal(changed.code, 'invoice_not_draft')
      } else assert.deepEqual([open.code, changed.status], ['not_found', 200])
    }
  })

  it('keep who was billed, whatever becomes of the customer and the product', async () => {
    const open = await merchant.openInvoice()
    await merchant.ask('PUT', `/customers/${open.customer}`, {
      name: 'Someone Else',
      email: 'else@example.com',
    })
    await merchant.ask('PUT', `/products/${open.lines[0].product}`, { name: 'Renamed', amount: 1 })
    assert.deepEqual(await merchant.readInvoice(open), open)
    await merchant.ask('DELETE', `/customers/${open.customer}`)
    assert.deepEqual(await merchant.readInvoice(open), open)
    await merchant.simulate(open.payment, 'completed', 'card')
    assert.equal((await merchant.readInvoice(open)).status, 'paid')
  })
})

describe('invoices in euros without a rate', () => {
  it('are not finalized, and use no number', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bursar-pricing-'))
    const { eur_usd: _euro, ...rates } = (defaultPricing as { rates: Record<string, string> }).rates
    const file = join(dir, 'pricing.json')
    writeFileSync(file, JSON.stringify({ ...defaultPricing, rates }))
    server = await startServer({ PRICING_FILE: file })
    merchant = newMerchant(server, { price: 500_000 })
    try {
      const draft = await merchant.draftInvoice({}, { currency: 'eur' })
      await merchant.isRefused(
        'POST',
        `/invoices/${draft.id}/finalize`,
        undefined,
        400,
        'unsupported_currency',
      )
      assert.equal((await merchant.openInvoice()).number, 1)
    } finally {
      await server.stop()
      await rm(dir, { recursive: true })
    }
  })
})
