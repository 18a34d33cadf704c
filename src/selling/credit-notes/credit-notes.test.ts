/**
 * Goal: what is given back of a paid invoice is on a credit note, by the rates of its taxes, to the
 * unit; numbers have no gaps. Method: refunds are made and ended over HTTP; the sandbox decides
 * how. Sums are held against a simple model.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
  type Sold,
} from '../../../test/support/actors.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { assertLines, linesOfPdf } from '../../../test/support/pdfs.ts'

type Line = NonNullable<Sold['lines']>[number]

let server: TestServer
let merchant: Merchant

describe('credit notes', () => {
  before(async () => {
    // Refunds wait until a test says how they end.
    server = await startServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server, { price: 100_000 })
    for (const currency of ['ngn', 'usd'] as const) await server.fund(currency, 100_000_000)
  })
  after(async () => {
    await server.stop()
  })

  const paid = async (lines: Line[], currency = 'ngn', outcome = 'completed'): Promise<Json> => {
    const open = await merchant.openInvoice({}, { lines, currency })
    await merchant.simulate(open.payment, outcome, 'bank_transfer')
    return merchant.readInvoice(open)
  }
  const notesOf = async (invoice: Json): Promise<Json[]> =>
    (await merchant.ask('GET', `/credit-notes?invoice=${invoice.id}`)).docs
  const end = (refund: Json, outcome: string): Promise<Json> =>
    merchant.ask('POST', `/refunds/${refund.id}/simulate`, { outcome })
  const refund = async (invoice: Json, amount?: number, outcome = 'completed'): Promise<Json> => {
    const { data } = await merchant.refund(invoice.payment, {
      metadata: { why: 'broken' },
      ...(amount && { amount }),
    })
    return end(data, outcome)
  }
  const taxed = [
    { name: 'Novel', amount: 100_000, tax_rate_bps: 750 },
    { name: 'Lamp', amount: 60_000, tax_rate_bps: 2_000, tax_inclusive: true },
    { name: 'Stamp', amount: 333 },
  ]

  it('are issued when a refund is completed, and not when it is begun or fails', async () => {
    const invoice = await paid(taxed)
    assert.deepEqual([invoice.total, invoice.tax], [167_833, 17_500])
    const { data: begun } = await merchant.refund(invoice.payment)
    assert.deepEqual(await notesOf(invoice), [])
    await end(begun, 'failed')
    assert.deepEqual(await notesOf(invoice), [])
    const done = await refund(invoice)
    const [note, ...others] = await notesOf(invoice)
    assert.deepEqual(others, [])
    const { id, number, created_at, updated_at, ...rest } = note as Json
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.ok(number >= 1 && created_at === updated_at)
    assert.deepEqual(rest, {
      invoice: invoice.id,
      refund: done.id,
      currency: 'ngn',
      amount: 167_833,
      subtotal: 150_333,
      tax: 17_500,
      taxes: [
        { rate_bps: 750, net: 100_000, tax: 7_500 },
        { rate_bps: 2_000, net: 50_000, tax: 10_000 },
      ],
      status: 'issued',
      sent_at: null,
      voided_at: null,
      livemode: false,
      metadata: { why: 'broken' },
    })
    assert.deepEqual(await merchant.ask('GET', `/credit-notes/${id}`), note)
    assert.deepEqual(await merchant.readInvoice(invoice), invoice)
  })

  it('of parts sum to what was refunded, and in the end to the invoice, at each rate', async () => {
    const invoice = await paid(taxed)
    const sum = (notes: Json[], field: string) => notes.reduce((all, note) => all + note[field], 0)
    let back = 0
    for (const amount of [1, 2, 33_331, 77_777, 1, undefined]) {
      back += (await refund(invoice, amount)).amount
      const notes = await notesOf(invoice)
      assert.equal(sum(notes, 'amount'), back)
      for (const note of notes) assert.equal(note.subtotal + note.tax, note.amount)
      // Each time by what is left, so that it is never further off than a unit for each note.
      assert.ok(Math.abs(sum(notes, 'tax') - (17_500 * back) / 167_833) <= 2 * notes.length)
    }
    const notes = await notesOf(invoice)
    assert.deepEqual([back, sum(notes, 'tax'), sum(notes, 'subtotal')], [167_833, 17_500, 150_333])
    for (const { rate_bps, net, tax } of invoice.taxes) {
      const ofRate = notes.flatMap((note) =>
        note.taxes.filter((one: Json) => one.rate_bps === rate_bps),
      )
      assert.deepEqual([sum(ofRate, 'net'), sum(ofRate, 'tax')], [net, tax])
    }
    assert.deepEqual(
      notes.map((note) => note.number),
      notes.map((_, i) => notes[0]?.number - i),
    )
    const page = await merchant.ask('GET', `/credit-notes?invoice=${invoice.id}&limit=2&page=2`)
    assert.deepEqual(
      [page.totalDocs, page.docs.map((note: Json) => note.id)],
      [6, notes.slice(2, 4).map(({ id }) => id)],
    )
  })

  it('are void where the refund comes back after it was completed, and keep their number', async () => {
    const invoice = await paid(taxed)
    const done = await refund(invoice, 50_000)
    const [issued] = await notesOf(invoice)
    await end(done, 'returned')
    const [gone] = await notesOf(invoice)
    assert.deepEqual([gone?.status, gone?.number, gone?.amount], ['void', issued?.number, 50_000])
    assert.ok(gone?.voided_at)
    assertLines(
      await linesOfPdf(server, `/credit-notes/${gone?.id}/pdf`),
      `Test Business Void credit note ${gone?.number}`,
    )
    // What it credited is to be credited again.
    await refund(invoice)
    const [whole] = await notesOf(invoice)
    assert.deepEqual(
      [whole?.amount, whole?.tax, whole?.number],
      [167_833, 17_500, issued?.number + 1],
    )
  })

  it('leave out what came beyond the price, which goes back first', async () => {
    const invoice = await paid(taxed, 'ngn', 'overpaid')
    const { amount_received } = await merchant.paymentOf(invoice)
    const surplus = amount_received - invoice.total
    assert.ok(surplus > 0)
    await refund(invoice, surplus)
    assert.deepEqual(await notesOf(invoice), [])
    await refund(invoice, 1_000)
    await refund(invoice)
    assert.deepEqual(
      (await notesOf(invoice)).map((note) => note.amount),
      [invoice.total - 1_000, 1_000],
    )
  })

  it('are in euros of an invoice in euros, and sum to all of it', async () => {
    const invoice = await paid(
      [{ name: 'Seat', amount: 4_999, quantity: 3, tax_rate_bps: 1_900 }],
      'eur',
    )
    assert.deepEqual([invoice.total, invoice.tax], [17_846, 2_849])
    await refund(invoice, 1)
    await refund(invoice, Math.floor(invoice.collect_amount / 3))
    await refund(invoice)
    const notes = await notesOf(invoice)
    assert.ok(notes.length >= 2 && notes.every((note) => note.currency === 'eur'))
    assert.deepEqual(
      ['amount', 'tax', 'subtotal'].map((field) =>
        notes.reduce((all, note) => all + note[field], 0),
      ),
      [17_846, 2_849, 14_997],
    )
    assert.ok(Math.abs(notes[1]?.amount - 17_846 / 3) < 2)
  })

  it('are none of invoices that were voided, and of payments that are no invoice’s', async () => {
    const open = await merchant.openInvoice({}, { lines: taxed })
    await merchant.simulate(open.payment, 'underpaid', 'bank_transfer')
    await merchant.voidInvoice(open)
    await refund(open)
    assert.deepEqual(await notesOf(open), [])
    const { count } =
      (await server.app.db.query<{ count: bigint }>('select count(*) from credit_notes'))[0] ?? {}
    const plain = await merchant.takePayment('card')
    await refund({ payment: plain.id })
    assert.deepEqual(await server.app.db.query('select count(*) from credit_notes'), [{ count }])
  })

  it('are on paper: seller, buyer, invoice, rates and totals', async () => {
    await merchant.ask('PUT', '/business', { tax_id: '12345678-0001' })
    const invoice = await paid(taxed)
    await refund(invoice)
    const [note] = await notesOf(invoice)
    await merchant.ask('PUT', '/business', { tax_id: 'another' })
    assertLines(
      await linesOfPdf(server, `/credit-notes/${note?.id}/pdf`),
      `Test Business Credit note ${note?.number}`,
      `For invoice ${invoice.number}`,
      'ada@example.com Tax ID 12345678-0001',
      'Sold without tax ₦3.33 ₦0.00 ₦3.33',
      'Sold at 7.5% tax ₦1,000.00 ₦75.00 ₦1,075.00',
      'Sold at 20% tax ₦500.00 ₦100.00 ₦600.00',
      'Without tax ₦1,503.33',
      'Tax ₦175.00',
      'Total credited ₦1,678.33',
    )
  })

  it('have numbers without gaps when many refunds end at once', async () => {
    const before = Math.max(
      0,
      ...(await server.app.db.query<{ number: bigint }>('select number from credit_notes')).map(
        ({ number }) => Number(number),
      ),
    )
    const begun: Json[] = []
    for (let i = 0; i < 12; i++) {
      const invoice = await paid([{ amount: 1_000 + i, tax_rate_bps: 750 }])
      begun.push((await merchant.refund(invoice.payment)).data)
    }
    await Promise.all(begun.map((one, i) => end(one, i % 3 === 0 ? 'failed' : 'completed')))
    const numbers = await server.app.db.query<{ number: bigint }>(
      'select number from credit_notes order by number',
    )
    assert.deepEqual(
      numbers.map(({ number }) => Number(number)).slice(before),
      Array.from({ length: 8 }, (_, i) => before + i + 1),
    )
  })

  it('are not found by another business, mode or id', async () => {
    const invoice = await paid(taxed)
    await refund(invoice)
    const [note] = await notesOf(invoice)
    const call = await newBusiness(server)
    for (const path of [`/credit-notes/${note?.id}`, `/credit-notes/${note?.id}/pdf`])
      assert.equal((await call('GET', path)).status, 404, path)
    for (const path of [`/credit-notes?invoice=${invoice.id}`, '/credit-notes'])
      assert.equal((await call('GET', path)).data.totalDocs, 0)
    assert.ok((await merchant.ask('GET', '/credit-notes?limit=1')).totalDocs > 10)
    for (const path of [`/credit-notes/${noId}`, '/credit-notes/x/pdf'])
      assert.equal((await merchant.call('GET', path)).status, 404, path)
  })
})
