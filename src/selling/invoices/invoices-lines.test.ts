/**
 * Goal: an invoice can ask for what is in no catalogue, at its own price and with a discount, and
 * its sums, its page and its PDF agree. Method: over HTTP; what is refused changes nothing; the
 * ledger is verified at the end.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, must, newMerchant, noId } from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { linesOfPdf } from '../../../test/support/pdfs.ts'

describe('lines of an invoice', () => {
  let server: TestServer
  let merchant: Merchant
  let customer: string
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    customer = (await merchant.addCustomer()).id
  })
  after(() => server.stop())

  const ask = (lines: object[], more: object = {}) =>
    server.call('POST', '/invoices', { customer, lines, ...more })
  const repair = { name: 'Repair', amount: 500_000, quantity: 2 }

  it('can be of no product, with taxes and discounts, as the preview says', async () => {
    const lines = [
      { ...repair, discount_bps: 1_000, tax_rate_bps: 750 },
      { name: 'Way there', amount: 100_001, quantity: 1, discount_bps: 3_333 },
      { name: 'Parts', amount: 30_000, quantity: 3, discount: 5_000 },
    ]
    const draft = await must(ask(lines, { currency: 'ngn' }))
    assert.deepEqual(
      draft.lines.map(({ product, discount, discount_bps, total, tax }: Json) => [
        product,
        discount,
        discount_bps,
        total,
        tax,
      ]),
      [
        [null, 100_000, 1_000, 900_000, 67_500],
        [null, 33_330, 3_333, 66_671, 0],
        [null, 5_000, null, 85_000, 0],
      ],
    )
    assert.deepEqual([draft.subtotal, draft.tax, draft.total], [1_051_671, 67_500, 1_119_171])
    const shown = await must(server.call('POST', '/invoices/preview', { lines, currency: 'ngn' }))
    for (const name of ['lines', 'total', 'subtotal', 'tax', 'taxes', 'currency'])
      assert.deepEqual(shown[name], draft[name], name)
    const open = await merchant.finalizeInvoice(draft)
    await merchant.simulate(open.payment, 'completed', 'card')
    const paid = await merchant.readInvoice(open)
    assert.deepEqual([paid.status, paid.amount_paid], ['paid', 1_119_171])
    const text = (await linesOfPdf(server, `/invoices/${open.id}/pdf`)).join('\n')
    assert.match(text, /Discount of 10%: −₦1,000\.00/)
    assert.match(text, /PAID/)
    assert.match(text, /Paid\s+₦11,191\.71/)
  })

  it('can give a product another name and price, and keep its taxes and shares', async () => {
    const product = await merchant.addProduct({ amount: 200_000, tax_rate_bps: 750 })
    const own = { product: product.id, quantity: 1, amount: 150_000, name: 'Novel, used' }
    const [line] = (await must(ask([own]))).lines
    assert.deepEqual(
      [line.product, line.name, line.amount, line.tax_rate_bps],
      [product.id, 'Novel, used', 150_000, 750],
    )
    const draft = await must(ask([{ product: product.id, quantity: 1 }, repair]))
    assert.deepEqual([draft.currency, draft.total], ['ngn', 1_215_000])
    const path = `/invoices/${draft.id}`
    const changed = await must(server.call('PUT', path, { lines: [repair], currency: 'usd' }))
    assert.deepEqual([changed.currency, changed.total], ['usd', 1_000_000])
    const alone = await server.call('PUT', path, { currency: 'ngn' })
    assert.deepEqual([alone.code, alone.body.data[0].path], ['validation_failed', 'currency'])
  })

  it('can be free beside others, and not all of them, with taxes too', async () => {
    const free = { ...repair, discount_bps: 10_000, tax_rate_bps: 750 }
    const draft = await must(ask([free, repair], { currency: 'ngn' }))
    assert.deepEqual(
      draft.lines.map(({ total, tax }: Json) => [total, tax]),
      [
        [0, 0],
        [1_000_000, 0],
      ],
    )
    assert.deepEqual([draft.total, draft.tax], [1_000_000, 0])
    const open = await merchant.finalizeInvoice(draft)
    await merchant.simulate(open.payment, 'completed', 'card')
    assert.equal((await merchant.readInvoice(open)).status, 'paid')
    const inclusive = { ...free, tax_inclusive: true }
    const before = (await must(server.call('GET', '/invoices'))).totalDocs
    for (const lines of [[free], [inclusive], [free, inclusive]]) {
      const answer = await ask(lines, { currency: 'ngn' })
      assert.deepEqual([answer.status, answer.code], [422, 'validation_failed'])
      assert.match(answer.body.data[0].message, /discounts leave nothing/)
    }
    assert.equal((await must(server.call('GET', '/invoices'))).totalDocs, before)
  })

  it('are refused with what is wrong, and nothing is stored', async () => {
    const before = (await must(server.call('GET', '/invoices'))).totalDocs
    const dollars = await merchant.addProduct({ currency: 'usd' })
    const gone = await merchant.addProduct()
    await merchant.ask('PATCH', `/products/${gone.id}/archive`)
    for (const [lines, more, code, says] of [
      [[{ quantity: 1 }], { currency: 'ngn' }, 'validation_failed', /name is required/],
      [[repair], {}, 'validation_failed', /currency is required/],
      [[{ ...repair, discount: 1_000_001 }], { currency: 'ngn' }, 'validation_failed', /at most/],
      [
        [{ ...repair, discount: 1, discount_bps: 1 }],
        { currency: 'ngn' },
        'validation_failed',
        /does not belong beside/,
      ],
      [[{ ...repair, discount_bps: 10_000 }], { currency: 'ngn' }, 'validation_failed', /nothing/],
      [[{ product: dollars.id, quantity: 1 }], { currency: 'ngn' }, 'mixed_currencies', /ngn/],
      [[{ product: noId, quantity: 1 }], {}, 'product_not_found', /product/],
      [[{ product: gone.id, quantity: 1 }], {}, 'product_archived', /archived/],
      [
        [{ ...repair, amount: Number.MAX_SAFE_INTEGER }],
        { currency: 'ngn' },
        'amount_too_large',
        /would exceed/,
      ],
    ] as const)
      for (const path of ['/invoices', '/invoices/preview']) {
        const body = { ...(path === '/invoices' ? { customer } : {}), lines, ...more }
        const answer = await server.call('POST', path, body)
        assert.equal(answer.code, code, JSON.stringify(answer.body))
        assert.match(JSON.stringify(answer.body), says)
      }
    assert.equal((await must(server.call('GET', '/invoices'))).totalDocs, before)
  })
})
