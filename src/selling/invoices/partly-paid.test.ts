import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { assertLines, linesOfPdf } from '../../../test/support/pdfs.ts'

let server: TestServer
let merchant: Merchant
let person: Visitor

const mailsOf = ({ id }: { id: string }): Promise<Json[]> =>
  server.app.db.query(
    'select recipient, body from mails where invoice_id = $1 order by created_at, id',
    [id],
  )
const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, ' ')
const sums = ({ amount_paid, amount_due }: Json): unknown[] => [amount_paid, amount_due]

describe('an invoice after it was finalized', () => {
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 1_000_000 })
    person = await signedIn(server)
  })
  after(() => server.stop())

  it('says on every surface what was paid and what is still due', async () => {
    const due_date = new Date((await merchant.now()) + 2 * 86_400_000).toISOString()
    const draft = await merchant.draftInvoice({
      due_date,
      reminders: { days_before: [1], days_after: [1] },
    })
    assert.deepEqual(sums(draft), [0, 1_000_000])
    const open = await merchant.finalizeInvoice(draft)
    assert.deepEqual(sums(open), [0, 1_000_000])
    await merchant.simulate(open.payment, 'underpaid', 'bank_transfer')
    const paid = (await merchant.paymentOf(open)).amount_received as number
    assert.ok(paid > 0 && paid < 1_000_000)
    const money = (amount: number): string =>
      `₦${(amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    const left = money(1_000_000 - paid)
    assert.deepEqual(sums(await merchant.readInvoice(open)), [paid, 1_000_000 - paid])
    const { docs } = await merchant.ask('GET', '/invoices')
    assert.deepEqual(sums(docs[0]), [paid, 1_000_000 - paid])
    assertLines(
      await linesOfPdf(server, `/invoices/${open.id}/pdf`),
      `Paid ${money(paid)}`,
      `Still due ${left}`,
    )
    const page = textOf(await shown(person.get(`/invoices/${open.id}`)))
    for (const text of [money(paid), left]) assert.ok(page.includes(text), text)
    assert.ok(textOf(await shown(person.get('/invoices'))).includes(left))
    assert.ok((await merchant.payerOf(open).reads()).includes(left))
    await merchant.advance('25h')
    const said = `Of invoice 1 for ₦10,000.00, ${money(paid)} was paid. The remaining ${left} is due in 1 day.`
    assert.equal((await mailsOf(open)).at(-1)?.body.split('\n')[2], said)
    const sent = await merchant.sendInvoice(open)
    assert.deepEqual(sums(sent), [paid, 1_000_000 - paid])
    assert.match(
      (await mailsOf(open)).at(-1)?.body,
      new RegExp(`${left.replaceAll('.', '\\.')} is still to be paid`),
    )
    await merchant.voidInvoice(open)
    assert.deepEqual(sums(await merchant.readInvoice(open)), [paid, 0])
  })

  it('is paid in full with nothing due', async () => {
    const open = await merchant.openInvoice()
    await merchant.simulate(open.payment, 'completed', 'card')
    assert.deepEqual(sums(await merchant.readInvoice(open)), [1_000_000, 0])
    assert.deepEqual(sums((await merchant.eventOf(open, 'invoice.paid')).payload), [1_000_000, 0])
  })

  it('is mailed to the customer’s address of today, and to nobody once the customer is deleted', async () => {
    const due_date = new Date((await merchant.now()) + 2 * 86_400_000).toISOString()
    const open = await merchant.openInvoice({ due_date, reminders: { days_after: [0] } })
    await merchant.ask('PUT', `/customers/${open.customer}`, { email: 'new@example.com' })
    await merchant.sendInvoice(open)
    assert.deepEqual(
      (await mailsOf(open)).map(({ recipient }) => recipient),
      ['new@example.com'],
    )
    assert.match(
      (await linesOfPdf(server, `/invoices/${open.id}/pdf`)).join(' '),
      /ada@example\.com/,
    )
    await merchant.ask('DELETE', `/customers/${open.customer}`)
    const before = await merchant.readInvoice(open)
    await merchant.isRefused(
      'POST',
      `/invoices/${open.id}/send`,
      undefined,
      400,
      'customer_not_found',
    )
    await merchant.advance('3d')
    assert.equal((await mailsOf(open)).length, 1)
    assert.deepEqual(await merchant.readInvoice(open), before)
  })

  it('has its receipt mailed to that address too, and to nobody once the customer is deleted', async () => {
    const recipients = async ({ payment }: { payment: string }): Promise<string[]> => {
      const rows = await server.app.db.query<{ recipient: string }>(
        `select recipient from mails where about like '%' || $1`,
        [payment],
      )
      return rows.map(({ recipient }) => recipient)
    }
    const [moved, gone] = [await merchant.openInvoice(), await merchant.openInvoice()]
    await merchant.ask('PUT', `/customers/${moved.customer}`, { email: 'new@example.com' })
    await merchant.ask('DELETE', `/customers/${gone.customer}`)
    for (const { payment } of [moved, gone]) await merchant.simulate(payment, 'completed', 'card')
    assert.deepEqual([await recipients(moved), await recipients(gone)], [['new@example.com'], []])
  })
})
