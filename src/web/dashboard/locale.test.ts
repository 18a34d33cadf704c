/**
 * Goal: the locale of a business shapes what docs/business.md says, and nothing else. Method: the
 * same month of the same business is read in two locales: pages, searches, hosted pages and files.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant, textOf } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { thisMonth } from '../../../test/support/months.ts'
import { linesOfPdf } from '../../../test/support/pdfs.ts'

describe('the locale of a business', () => {
  let server: TestServer
  let merchant: Merchant
  let visitor: Visitor
  let month: string
  let invoice: Json
  let paid: Json
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    visitor = await signedIn(server, 'viewer')
    month = await thisMonth(merchant)
    paid = await merchant.takePayment('card', { amount: 1_250_050 })
    invoice = await merchant.openInvoice(
      { due_date: '2099-12-05' },
      { lines: [{ tax_rate_bps: 750 }] },
    )
    await merchant.advance('31d')
  })
  after(() => server.stop())

  const choose = (locale: string): Promise<Json> => merchant.ask('PUT', '/business', { locale })
  const plain = (text: string): string => textOf(text).replaceAll(/\s+/g, ' ')

  it('writes amounts and days at the dashboard', async () => {
    const day = (locale: string): string =>
      new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
        new Date(paid.created_at),
      )
    for (const [locale, amount, due] of [
      ['en-NG', '₦12,500.50', '5 Dec 2099'],
      ['fr-FR', '12 500,50 ₦', '5 déc. 2099'],
    ] as const) {
      await choose(locale)
      const list = plain(await shown(visitor.get('/payments')))
      assert.ok(list.includes(amount), list)
      assert.ok(list.includes(day(locale)), list)
      assert.ok(plain(await shown(visitor.get(`/reports?month=${month}`))).includes(amount))
      assert.ok(plain(await shown(visitor.get(`/invoices/${invoice.id}`))).includes(due))
    }
  })

  it('reads amounts that are searched for, also by the API', async () => {
    await choose('fr-FR')
    for (const text of ['12500,50', '12 500,50', '12.500,50']) {
      const path = `/payments?search=${encodeURIComponent(text)}`
      assert.deepEqual(
        (await merchant.ask('GET', path)).docs.map(({ id }: Json) => id),
        [paid.id],
        text,
      )
    }
  })

  it('is the language of hosted pages, for payers whose browser asks for no language of theirs', async () => {
    const { checkout_url } = await merchant.openPayment()
    const languageOf = async (asked?: string): Promise<string | undefined> => {
      const headers = asked === undefined ? undefined : { 'accept-language': asked }
      const response = await fetch(checkout_url, headers ? { headers } : {})
      return /<html lang="(\w+)"/.exec(await response.text())?.[1]
    }
    await choose('fr-FR')
    assert.deepEqual([await languageOf('sw'), await languageOf('en')], ['fr', 'en'])
    await choose('de-DE')
    assert.equal(await languageOf('sw'), 'en')
  })

  it('changes no file: exports, statements and PDFs are the same in each', async () => {
    const read = async (): Promise<string[]> => {
      const files = [
        '/payments/export',
        '/transactions/export',
        '/invoices/export',
        `/statements/${month}/csv`,
      ]
      const csv = files.map(async (path) => (await server.call('GET', path)).body as string)
      const pdf = [`/statements/${month}/pdf`, `/invoices/${invoice.id}/pdf`].map(async (path) =>
        (await linesOfPdf(server, path)).join('\n'),
      )
      return Promise.all([...csv, ...pdf])
    }
    await choose('en-NG')
    const english = await read()
    await choose('fr-FR')
    assert.deepEqual(await read(), english)
    assert.match(english.join('\n'), /₦12,500\.50/)
    assert.match(english.join('\n'), /,12500\.50,/)
  })
})
