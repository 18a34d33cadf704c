/**
 * Goal: what is taxed is taxed on the record, on paper and on the page alike, and no share gets of
 * a tax. Method: products with rates are sold over HTTP; PDFs are read back, and pages fetched as
 * payers do.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, most, newMerchant } from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { assertLines, linesOfPdf } from '../../../test/support/pdfs.ts'

describe('taxes of invoices', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 100_000 })
    await merchant.ask('PUT', '/business', {
      tax_id: '12345678-0001',
      address: { line1: '12 Allen Avenue', city: 'Ikeja', country: 'ng' },
    })
  })
  after(async () => {
    await server.stop()
  })

  const mixed = [
    { name: 'Novel', amount: 100_000, quantity: 3, tax_rate_bps: 750 },
    { name: 'Lamp', amount: 107_500, tax_rate_bps: 750, tax_inclusive: true },
    { name: 'Bread', amount: 5_000, tax_rate_bps: 0 },
    { name: 'Stamp', amount: 333 },
  ]

  it('are copied with the product, and change with no later word of it', async () => {
    const draft = await merchant.draftInvoice({}, { lines: mixed })
    const taxes = draft.lines.map((one: Record<string, unknown>) => [
      one.tax_rate_bps,
      one.tax_inclusive,
      one.tax,
    ])
    assert.deepEqual(taxes, [
      [750, false, 22_500],
      [750, true, 7_500],
      [0, false, 0],
      [null, false, 0],
    ])
    // 300,000 + 22,500 on top, 107,500 with its tax in it, 5,000 and 333.
    assert.deepEqual([draft.total, draft.subtotal, draft.tax], [435_333, 405_333, 30_000])
    assert.deepEqual(draft.taxes, [
      { rate_bps: 0, net: 5_000, tax: 0 },
      { rate_bps: 750, net: 400_000, tax: 30_000 },
    ])
    const { product } = draft.lines[0]
    const changed = await merchant.ask('PUT', `/products/${product}`, {
      tax_rate_bps: 2_000,
      tax_inclusive: true,
    })
    assert.deepEqual([changed.tax_rate_bps, changed.tax_inclusive], [2_000, true])
    assert.deepEqual(await merchant.readInvoice(draft), draft)
    const open = await merchant.finalizeInvoice(draft)
    assert.deepEqual(
      [open.lines, open.taxes, open.collect_amount],
      [draft.lines, draft.taxes, 435_333],
    )
    const anew = await merchant.ask('POST', '/invoices', {
      customer: draft.customer,
      lines: [{ product, quantity: 1 }],
    })
    assert.deepEqual([anew.total, anew.tax, anew.lines[0].tax_inclusive], [100_000, 16_667, true])
    const cleared = await merchant.ask('PUT', `/products/${product}`, { tax_rate_bps: null })
    assert.deepEqual([cleared.tax_rate_bps, cleared.tax_inclusive], [null, true])
  })

  it('take rates from nothing to the whole, and no other', async () => {
    const product = { name: 'Novel', amount: 1, currency: 'ngn' }
    for (const tax_rate_bps of [-1, 10_001, 7.5, '750'])
      await merchant.isRefused(
        'POST',
        '/products',
        { ...product, tax_rate_bps },
        422,
        'validation_failed',
      )
    const customer = await merchant.addCustomer()
    const dear = await merchant.addProduct({ amount: most, tax_rate_bps: 1 })
    const body = { customer: customer.id, lines: [{ product: dear.id, quantity: 1 }] }
    await merchant.isRefused('POST', '/invoices', body, 400, 'amount_too_large')
  })

  it('make a tax invoice: seller, buyer, lines with their rates, totals by rate', async () => {
    const open = await merchant.openInvoice({}, { lines: mixed, customer: { name: 'Ada Obi' } })
    const lines = await linesOfPdf(server, `/invoices/${open.id}/pdf`)
    assertLines(
      lines,
      `Test Business Tax invoice ${open.number}`,
      'Description Quantity Unit price Tax Amount',
      'Novel 3 ₦1,000.00 7.5% ₦3,000.00',
      'Lamp 1 ₦1,075.00 incl. 7.5% ₦1,075.00',
      'Bread 1 ₦50.00 0% ₦50.00',
      'Stamp 1 ₦3.33 – ₦3.33',
      'Without tax ₦4,053.33',
      'Tax of 0% on ₦50.00 ₦0.00',
      'Tax of 7.5% on ₦4,000.00 ₦300.00',
      'Total ₦4,353.33',
      'Tax ID 12345678-0001',
      'ada@example.com 12 Allen Avenue',
    )
    const page = await (await fetch(open.payment_url)).text()
    for (const shown of [
      'plus 7.5% tax',
      '7.5% tax included',
      'Without tax',
      '₦4,053.33',
      'Tax of 7.5% on ₦4,000.00',
      '₦300.00',
      'Billed to',
      'Ada Obi',
      'Tax ID 12345678-0001',
      '12 Allen Avenue',
    ])
      assert.ok(page.includes(shown), shown)
  })

  it('leave an invoice without them as it was', async () => {
    const open = await merchant.openInvoice()
    assert.deepEqual([open.total, open.subtotal, open.tax, open.taxes], [100_000, 100_000, 0, []])
    const lines = await linesOfPdf(server, `/invoices/${open.id}/pdf`)
    assertLines(
      lines,
      `Test Business Invoice ${open.number}`,
      'Description Quantity Unit price Amount',
      'Total ₦1,000.00',
    )
    assert.ok(!lines.some((line) => line.startsWith('Without tax')))
    assert.doesNotMatch(await (await fetch(open.payment_url)).text(), /Without tax/)
  })

  it('are in euros on an invoice in euros, which is paid in dollars', async () => {
    const open = await merchant.openInvoice(
      {},
      {
        currency: 'eur',
        lines: [{ name: 'Seat', amount: 4_999, quantity: 3, tax_rate_bps: 1_900 }],
      },
    )
    assert.deepEqual([open.subtotal, open.tax, open.total], [14_997, 2_849, 17_846])
    const lines = await linesOfPdf(server, `/invoices/${open.id}/pdf`)
    const dollars = `$${(open.collect_amount / 100).toFixed(2)}`
    assertLines(lines, 'Tax of 19% on €149.97 €28.49', 'Total in euros €178.46', `Total ${dollars}`)
  })

  it('fit their page with a hundred rates and the largest amounts', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      name: `Thing ${i}`,
      amount: 1_000,
      tax_rate_bps: 100 + i,
    }))
    const open = await merchant.openInvoice({}, { lines: many })
    assert.equal(open.taxes.length, 100)
    const lines = await linesOfPdf(server, `/invoices/${open.id}/pdf`)
    assert.equal(lines.filter((line) => line.startsWith('Tax of ')).length, 100)
    const large = [
      { name: 'All', amount: 8_000_000_000_000_000, tax_rate_bps: 1_234, tax_inclusive: true },
    ]
    const largest = await merchant.openInvoice({}, { lines: large })
    assertLines(
      await linesOfPdf(server, `/invoices/${largest.id}/pdf`),
      'All 1 ₦80,000,000,000,000.00 incl. 12.34% ₦80,000,000,000,000.00',
    )
  })

  it('are no share’s: plans share what is left without them, and the fee comes before the tax', async () => {
    const share = async (percentage_bps: number, product: object) => {
      const plan = await merchant.ask('POST', '/distributions', {
        name: 'Makers',
        currency: 'ngn',
        shares: [{ name: 'Ada', percentage_bps }],
      })
      const { id } = await merchant.addProduct({ distribution: plan.id, ...product })
      const customer = await merchant.addCustomer()
      const invoice = await merchant.finalizeInvoice(
        await merchant.ask('POST', '/invoices', {
          customer: customer.id,
          lines: [{ product: id, quantity: 1 }],
        }),
      )
      const payment = await merchant.simulate(invoice.payment, 'completed', 'bank_transfer')
      const held = (await merchant.ask('GET', `/distributions/${plan.id}`)).shares[0].accrued
      return { held, fee: payment.fee }
    }
    assert.equal((await share(5_000, { amount: 100_000, tax_rate_bps: 750 })).held, 50_000)
    assert.equal(
      (await share(5_000, { amount: 107_500, tax_rate_bps: 750, tax_inclusive: true })).held,
      50_000,
    )
    const all = await share(10_000, { amount: 100_000, tax_rate_bps: 750 })
    assert.ok(all.fee > 0)
    assert.equal(all.held, 100_000 - all.fee)
  })
})
