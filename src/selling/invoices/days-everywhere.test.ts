/**
 * Goal: whatever the time zone and the moment, every surface names the same day on which an invoice
 * is due, was issued and was paid. Method: a property over HTTP, of a business of its own each
 * time; days are told by `Intl`, which the product does not ask for them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type Json, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { assertLines, linesOfPdf } from '../../../test/support/pdfs.ts'
import { inFreshWorlds, runs } from '../../../test/support/runs.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'

/**
 * Far from UTC, by quarters of an hour, without summer time, and with clocks that change at
 * midnight.
 */
const zones = [
  'Pacific/Apia',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Africa/Cairo',
  'Africa/Lagos',
  'Australia/Lord_Howe',
  'UTC',
]

const dayIn = (moment: string, timeZone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(moment))
const inWords = (day: string, style: 'long' | 'medium'): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: style, timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  )

/** A day of the next two years, among them those on which clocks change at midnight. */
const someDay = fc.oneof(
  fc.constantFrom(
    '2027-09-05',
    '2027-03-14',
    '2027-03-28',
    '2027-04-30',
    '2028-02-29',
    '2027-12-31',
  ),
  fc
    .date({ min: new Date('2027-01-01'), max: new Date('2028-12-31'), noInvalidDate: true })
    .map((one) => one.toISOString().slice(0, 10)),
)
/** How it is given: as a day, or as a moment of it or of one beside it. */
const someDue = fc
  .tuple(someDay, fc.option(fc.integer({ min: -14 * 60, max: 38 * 60 }), { freq: 2 }))
  .map(([day, minutes]) =>
    minutes === null
      ? day
      : new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000).toISOString(),
  )
/** How far a clock is put ahead, in minutes: up to a year and a day. */
const someAhead = fc.integer({ min: 1, max: 366 * 24 * 60 })

describe('the days of an invoice', () => {
  let server: TestServer
  const renew = async (): Promise<void> => {
    await server?.stop()
    server = await startServer()
  }
  before(renew)
  after(() => server.stop())

  it('are the same everywhere, in any time zone and at any moment', async () => {
    const same = async (
      timeZone: string,
      due: string,
      ahead: number,
      until: number,
    ): Promise<void> => {
      const { business, test_key } = await createBusiness(server.app, 'Shop')
      const merchant = newMerchant(server, { call: server.callAs(test_key), price: 500_000 })
      const person = await signedIn({ ...server, businessId: business.id })
      const csvOf = async (path: string): Promise<string[]> => {
        const response = await fetch(`${server.url}${path}`, {
          headers: { authorization: `Bearer ${test_key}` },
        })
        return (await response.text()).split('\r\n')
      }
      await merchant.ask('PUT', '/business', { time_zone: timeZone, locale: 'en-GB' })
      await merchant.advance(`${ahead}m`)
      const open = await merchant.openInvoice({ due_date: due })
      const dueDay = due.length === 10 ? due : dayIn(due, timeZone)
      const issued = dayIn(open.finalized_at, timeZone)
      await merchant.sendInvoice(open)
      await merchant.advance(`${until}m`)
      const page = await merchant.payerOf(open).reads()
      await merchant.simulate(open.payment, 'completed', 'card')
      const paid = await merchant.readInvoice(open)
      const paidDay = dayIn(paid.paid_at, timeZone)

      assert.equal(open.due_day, dueDay)
      assert.equal(paid.due_day, dueDay)
      const { docs } = await merchant.ask('GET', '/events?type=invoice.finalized')
      assert.equal(docs[0].payload.due_day, dueDay)
      assert.match(
        page,
        new RegExp(`due (on )?(${inWords(dueDay, 'medium')}|${american(dueDay)})`, 'i'),
      )
      const [mail] = await server.app.db.query<{ body: string }>(
        'select body from mails where invoice_id = $1 order by id limit 1',
        [open.id],
      )
      assert.match(mail?.body ?? '', new RegExp(`It is due on ${inWords(dueDay, 'long')}\\.`))
      assertLines(
        await linesOfPdf(server, `/invoices/${open.id}/pdf`, test_key),
        `Issued ${inWords(issued, 'long')}`,
        `Due ${inWords(dueDay, 'long')}`,
        `Paid ${inWords(paidDay, 'long')}`,
      )
      const [titles = '', line = ''] = await csvOf('/invoices/export')
      const cells = Object.fromEntries(
        titles.split(',').map((title, i) => [title, line.split(',')[i] ?? '']),
      )
      assert.deepEqual(
        [cells.due_day, cells.finalized_at_local?.slice(0, 10), cells.paid_at_local?.slice(0, 10)],
        [dueDay, issued, paidDay],
      )
      const record = (await shown(person.get(`/invoices/${open.id}`))).replaceAll(/<[^>]*>/g, ' ')
      for (const day of [dueDay, issued, paidDay])
        assert.ok(record.includes(inWords(day, 'medium')), `${day}: ${record}`)
      assert.ok((await shown(person.get('/invoices'))).includes(inWords(dueDay, 'medium')))
      const { lines } = await merchant.ask(
        'GET',
        `/reports/settlements?from=${paidDay}&to=${paidDay}`,
      )
      assert.deepEqual(
        lines.map((one: Json) => [one.period, one.gross ?? one.amount]),
        [[paidDay, 500_000]],
      )
      const statement = await merchant.ask('GET', `/statements/${paidDay.slice(0, 7)}`)
      const ngn = statement.wallets.find(({ currency }: Json) => currency === 'ngn')
      assert.equal(ngn.in, 500_000)
    }
    const property = fc.asyncProperty(
      fc.constantFrom(...zones),
      someDue,
      someAhead,
      fc.integer({ min: 1, max: 2_000 }),
      inFreshWorlds(renew, same),
    )
    await fc.assert(property, { numRuns: runs(40) })
  })

  it('are those of the business in the references that forms begin with', async () => {
    const { business, test_key } = await createBusiness(server.app, 'Shop')
    const merchant = newMerchant(server, { call: server.callAs(test_key) })
    const person = await signedIn({ ...server, businessId: business.id })
    for (const time_zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      await merchant.ask('PUT', '/business', { time_zone })
      const today = dayIn(new Date(await merchant.now()).toISOString(), time_zone)
      assert.match(
        await shown(person.get('/payout-batches/-/new')),
        new RegExp(`value="batch-${today}-`),
        time_zone,
      )
      assert.match(
        await shown(person.get('/payouts/-/new')),
        new RegExp(`value="payout-${today}-`),
        time_zone,
      )
    }
  })
})

const american = (day: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  )
