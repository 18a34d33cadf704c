/**
 * Goal: somebody writes an invoice of what is in no catalogue, for a new customer, sees its total
 * before it is stored, and refunds and credits it from its page. Method: a team over HTTP, as
 * browsers without scripts.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, must, newMerchant } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
  valuesOf,
} from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const totalOf = (html: string): string =>
  textOf(/<div id="form-total"[^>]*>([\s\S]*?)<\/div>\s*<p>/.exec(html)?.[1] ?? '')

const lines = {
  'lines.0.name': 'Repair',
  'lines.0.amount': '5,000',
  'lines.0.quantity': '2',
  'lines.0.discount_bps': '10',
  'lines.0.tax_rate_bps': '7.5',
  currency: 'ngn',
}

describe('invoices at the dashboard', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    person = await signedIn(server, 'owner')
  })
  after(() => server.stop())

  const form = '/invoices/-/new'
  const send = async (step: string, typed: Record<string, string>): Promise<PageText> => {
    const hidden = hiddenOf(await shown(person.get(form)))
    return person.post(form, { ...hidden, ...lines, ...typed, step })
  }
  const countOf = async (path: string): Promise<number> =>
    (await must(server.call('GET', path))).totalDocs

  it('work out the total by the rules of the API, and store nothing', async () => {
    const { status, html } = await send('total', {})
    assert.equal(status, 200)
    assert.match(
      totalOf(html),
      /Discounts −₦1,000\.00 .*₦9,000\.00 .*Tax ₦675\.00 .*Total ₦9,675\.00/,
    )
    assert.match(html, /value="Repair"/)
    assert.match(totalOf((await send('total', { currency: '' })).html), /currency is required/)
    assert.match(totalOf((await send('total', { 'lines.0.amount': 'ten' })).html), /Type an amount/)
    assert.deepEqual([await countOf('/invoices'), await countOf('/customers')], [0, 0])
  })

  it('are written for a new customer, who is created once', async () => {
    const nobody = await send('do', {})
    assert.equal(nobody.status, 422)
    assert.match(textOf(nobody.html), /Choose a customer, or fill in a new one/)
    assert.equal(await countOf('/customers'), 0)
    const hidden = hiddenOf(await shown(person.get(form)))
    const fields = {
      ...hidden,
      ...lines,
      new_name: 'Ngozi Bello',
      new_email: 'ngozi@example.com',
      step: 'do',
    }
    const answers = [await person.post(form, fields), await person.post(form, fields)]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    assert.equal(answers[0]?.location, answers[1]?.location)
    assert.deepEqual([await countOf('/invoices'), await countOf('/customers')], [1, 1])
    const page = textOf(await shown(person.get(String(answers[0]?.location))))
    assert.match(page, /Draft · ₦9,675\.00 .* Ngozi Bello/)
    assert.match(page, /Repair Discount of 10 ?%: −₦1,000\.00/)
    const again = await send('do', { new_email: 'ngozi@example.com', new_name: 'Ngozi B.' })
    assert.equal(again.status, 303)
    assert.equal(await countOf('/customers'), 1)
    const both = await send('do', { customer: 'ngozi@example.com', new_email: 'x@example.com' })
    assert.match(textOf(both.html), /but not both/)
    const suggested = await shown(person.get(form))
    assert.match(suggested, /<option value="Ngozi Bello &lt;ngozi@example\.com&gt;">/)
    const chosen = await send('do', { customer: 'Ngozi Bello <ngozi@example.com>' })
    assert.equal(chosen.status, 303)
  })

  it('keep price and discount when they are changed', async () => {
    const [draft] = (await must(server.call('GET', '/invoices'))).docs
    const path = `/invoices/${draft.id}/edit`
    const html = await shown(person.get(path))
    assert.match(html, /name="lines\.0\.amount"|id="f-lines-0-amount"/)
    const typed = { ...hiddenOf(html), ...lines, 'lines.0.discount_bps': '20', step: 'do' }
    assert.equal((await person.post(path, typed)).status, 303)
    const changed = await must(server.call('GET', `/invoices/${draft.id}`))
    assert.deepEqual([changed.lines[0].discount, changed.total], [200_000, 860_000])
  })

  /** A draft, and its form saved as a browser does: all that stands in it, and what is typed. */
  const stored = async (lines: object[]): Promise<Json> => {
    const { id: customer } = await merchant.addCustomer()
    return must(server.call('POST', '/invoices', { customer, lines, currency: 'ngn' }))
  }
  const save = async ({ id }: Json, typed: Record<string, string>): Promise<Json> => {
    const html = await shown(person.get(`/invoices/${id}/edit`))
    const answer = await person.post(`/invoices/${id}/edit`, {
      ...valuesOf(html),
      ...typed,
      step: 'do',
    })
    assert.equal(answer.status, 303, textOf(answer.html))
    return must(server.call('GET', `/invoices/${id}`))
  }

  it('keep every line to the unit when only the note is changed', async () => {
    const taxed = await merchant.addProduct({ amount: 200_000, tax_rate_bps: 750 })
    const within = await merchant.addProduct({
      amount: 107_500,
      tax_rate_bps: 750,
      tax_inclusive: true,
    })
    const draft = await stored([
      { product: taxed.id, quantity: 1 },
      { product: taxed.id, quantity: 1, tax_rate_bps: 0 },
      { product: taxed.id, quantity: 1, tax_rate_bps: null },
      { product: taxed.id, quantity: 2, tax_inclusive: true, name: 'Used', amount: 150_000 },
      { product: within.id, quantity: 1, discount: 5_000 },
      { product: within.id, quantity: 1, tax_inclusive: false, discount_bps: 1_250 },
      { name: 'Work', amount: 107_500, quantity: 1, tax_rate_bps: 750, tax_inclusive: true },
      { name: 'Way', amount: 1_234, quantity: 3, discount: 1 },
    ])
    const changed = await save(draft, { memo: 'Thank you' })
    assert.equal(changed.memo, 'Thank you')
    for (const name of ['lines', 'total', 'tax', 'taxes', 'currency'])
      assert.deepEqual(changed[name], draft[name], name)
  })

  it('take name, price and tax of another product that is chosen for a line', async () => {
    const first = await merchant.addProduct({ name: 'First', amount: 200_000, tax_rate_bps: 750 })
    const other = await merchant.addProduct({ name: 'Other', amount: 300_000 })
    const choose = { 'lines.0.product': other.id }
    const fresh = { name: 'Other', amount: 300_000, discount: 0, tax_rate_bps: null }
    for (const line of [
      { product: first.id, quantity: 1 },
      { product: first.id, quantity: 1, name: 'Used', amount: 150_000, discount: 50_000 },
      { product: first.id, quantity: 1, tax_rate_bps: 0, tax_inclusive: true },
      { name: 'Work', amount: 100_000, quantity: 1, tax_rate_bps: 750, discount: 1 },
    ]) {
      const { lines, total } = await save(await stored([line]), choose)
      const { name, amount, discount, tax_rate_bps } = lines[0]
      assert.deepEqual({ name, amount, discount, tax_rate_bps }, fresh, JSON.stringify(line))
      assert.equal(total, 300_000)
    }
    const typed = { ...choose, 'lines.0.name': 'Mine', 'lines.0.amount': '10' }
    const { lines } = await save(await stored([{ product: first.id, quantity: 2 }]), typed)
    assert.deepEqual([lines[0].product, lines[0].name, lines[0].total], [other.id, 'Mine', 2_000])
  })

  it('lead to refund and credit once they are paid, and the credit note is mailed', async () => {
    const open = await merchant.openInvoice()
    assert.doesNotMatch(await shown(person.get(`/invoices/${open.id}`)), /Refund or credit/)
    await merchant.simulate(open.payment, 'completed', 'card')
    await server.fund('ngn', 1_000_000)
    const html = await shown(person.get(`/invoices/${open.id}`))
    const [, refund = ''] = /href="([^"]+)">Refund or credit/.exec(html) ?? []
    const filled = await shown(person.get(refund))
    assert.match(filled, new RegExp(`value="Invoice ${open.number}"`))
    await must(merchant.refund(open.payment))
    await merchant.refundsEnded(open.payment, 1)
    const [note] = (await must(server.call('GET', `/credit-notes?invoice=${open.id}`))).docs
    const review = await shown(person.get(`/credit-notes/${note.id}/send`))
    assert.match(textOf(review), /It is sent to the customer’s email address/)
    const sent = await person.post(`/credit-notes/${note.id}/send`, {
      ...hiddenOf(review),
      step: 'do',
    })
    assert.equal(sent.status, 303)
    const { sent_at } = await must(server.call('GET', `/credit-notes/${note.id}`))
    assert.ok(sent_at)
    const [mail] = await server.app.db.query<{ subject: string; body: string }>(
      'select subject, body from mails where credit_note_id = $1',
      [note.id],
    )
    assert.match(`${mail?.subject}`, /^Credit note \d+ from/)
    assert.match(`${mail?.body}`, new RegExp(`of invoice ${open.number}\\.`))
  })

  it('have a payment that is open until they are paid or voided, and not to the year 9999', async () => {
    const open = await merchant.openInvoice()
    const html = await shown(person.get(`/payments/${open.payment}`))
    assert.match(textOf(html), /Until No end/)
    assert.doesNotMatch(html, /31, 9999/)
  })

  it('mail no credit note that is void', async () => {
    const note = await merchant.creditedInvoice()
    await must(server.call('POST', `/refunds/${note.refund}/simulate`, { outcome: 'returned' }))
    const answer = await server.call('POST', `/credit-notes/${note.id}/send`)
    assert.deepEqual([answer.status, answer.code], [400, 'credit_note_void'])
    assert.equal((await must(server.call('GET', `/credit-notes/${note.id}`))).sent_at, null)
  })
})
