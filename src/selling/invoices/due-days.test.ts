import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { assertLines, linesOfPdf } from '../../../test/support/pdfs.ts'

let server: TestServer
let merchant: Merchant
let person: Visitor

const moveTo = (time_zone: string): Promise<Json> => merchant.ask('PUT', '/business', { time_zone })
const bodiesOf = async ({ id }: { id: string }): Promise<string[]> => {
  const mails = await server.app.db.query(
    'select body from mails where invoice_id = $1 order by created_at, id',
    [id],
  )
  return mails.map(({ body }) => body as string)
}
const exportOf = async (): Promise<string> => {
  const response = await fetch(`${server.url}/invoices/export`, {
    headers: { authorization: `Bearer ${server.testKey}` },
  })
  return response.text()
}
const lineOf = (csv: string, id: string): string =>
  csv.split('\n').find((line) => line.includes(id)) ?? ''

describe('the day on which an invoice is due', () => {
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 500_000 })
    person = await signedIn(server)
  })
  after(() => server.stop())

  for (const [zone, due_date, begins] of [
    ['America/New_York', '2099-12-05', '2099-12-05T05:00:00.000Z'],
    ['Africa/Lagos', '2099-12-05', '2099-12-04T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2099-12-05', '2099-12-04T10:00:00.000Z'],
    ['Africa/Lagos', '2099-12-05T00:00:00+01:00', '2099-12-04T23:00:00.000Z'],
    ['America/New_York', '2099-12-06T04:59:59Z', '2099-12-06T04:59:59.000Z'],
  ] as const)
    it(`is the same everywhere: ${due_date} in ${zone}`, async () => {
      await moveTo(zone)
      const open = await merchant.openInvoice({ due_date })
      assert.deepEqual([open.due_day, open.due_date], ['2099-12-05', begins])
      assertLines(await linesOfPdf(server, `/invoices/${open.id}/pdf`), 'Due 5 December 2099')
      assert.match(await merchant.payerOf(open).reads(), /due (on )?(Dec 5, 2099|5 Dec 2099)/i)
      await merchant.sendInvoice(open)
      assert.match((await bodiesOf(open)).join(''), /It is due on 5 December 2099\./)
      assert.match(await shown(person.get(`/invoices/${open.id}`)), /Dec 5, 2099|5 Dec 2099/)
      assert.match(lineOf(await exportOf(), open.id), /,2099-12-05,/)
    })

  it('stays the same when the form saves another field, and when the time zone changes', async () => {
    await moveTo('Africa/Lagos')
    const draft = await merchant.draftInvoice({ due_date: '2027-03-05T00:00:00+01:00' })
    const path = `/invoices/${draft.id}/edit`
    const form = await shown(person.get(path))
    assert.match(form, /type="date" value="2027-03-05"[^>]*name="due_date"/)
    const product = draft.lines[0].product
    const fields = {
      due_date: '2027-03-05',
      memo: 'Thanks',
      'lines.0.product': product,
      'lines.0.quantity': '1',
    }
    const saved = await person.post(path, { ...hiddenOf(form), ...fields, step: 'do' })
    assert.equal(saved.status, 303)
    const changed = await merchant.readInvoice(draft)
    assert.deepEqual(
      [changed.memo, changed.due_day, changed.due_date],
      ['Thanks', '2027-03-05', '2027-03-04T23:00:00.000Z'],
    )
    await moveTo('America/New_York')
    assert.equal((await merchant.finalizeInvoice(draft)).due_day, '2027-03-05')
  })

  it('decides when reminders go out, and from when on it is overdue', async () => {
    await moveTo('America/New_York')
    const now = new Date(await merchant.now())
    const due = new Date(now.getTime() + 5 * 86_400_000).toISOString().slice(0, 10)
    const reminders = { days_before: [1], days_after: [0, 1] }
    const open = await merchant.openInvoice({ due_date: due, reminders })
    const until = async (moment: string): Promise<unknown> =>
      merchant.advance(`${Math.round((Date.parse(moment) - (await merchant.now())) / 60_000)}m`)
    const last = async (): Promise<string | undefined> =>
      (await bodiesOf(open)).at(-1)?.split('\n')[2]
    const isOverdue = async (): Promise<boolean> =>
      /overdue/i.test(rowOf(await shown(person.get('/invoices')), open.id))
    // 19:30 or 20:30 there, on the evening before.
    await until(`${due}T00:30:00Z`)
    assert.match((await last()) ?? '', /is due in 1 day\.$/)
    assert.equal(await isOverdue(), false)
    await until(`${due}T06:00:00Z`)
    assert.match((await last()) ?? '', /is due today\.$/)
    await until(`${due}T23:00:00Z`)
    assert.equal(await isOverdue(), false)
    await until(new Date(Date.parse(`${due}T06:00:00Z`) + 86_400_000).toISOString())
    assert.match((await last()) ?? '', /was due 1 day ago/)
    assert.equal(await isOverdue(), true)
  })
})

const rowOf = (html: string, id: string): string =>
  html.split('<tr').find((row) => row.includes(id)) ?? ''
