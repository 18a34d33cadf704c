/**
 * An invoice as its payer sees it: from the merchant's product to the page where it is paid, on a
 * phone and at a desk.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { TestServer } from '../support/harness.ts'
import {
  fillCard,
  heading,
  newBookshop,
  newPayer,
  type Payer,
  type Screen,
  shareWorkingServer,
} from './browser.ts'

let server: TestServer

/** A merchant who sells novels and shelves. */
async function newMerchant() {
  const { ask, openInvoice, readInvoice } = await newBookshop(server)
  /** From products and a customer to an open invoice. */
  const bill = (currency: string, sold: [name: string, amount: number, quantity: number][]) =>
    openInvoice(
      { memo: 'Thank you for your order.' },
      { currency, lines: sold.map(([name, amount, quantity]) => ({ name, amount, quantity })) },
    )
  return { ask, bill, invoice: readInvoice }
}

/** Waits until the page says something. */
const says = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

async function payByCard({ page, press }: Payer, number = '4242424242424242'): Promise<void> {
  await press(page.getByRole('link', { name: /^Card/ }))
  await fillCard(page, number)
  await press(page.getByRole('button', { name: /^Pay [₦$]/ }))
}

/**
 * What is behind the link to the PDF, asked for as this payer's browser would: its viewer is not
 * ours to look at.
 */
async function pdfOf(page: Page, name: string): Promise<string> {
  const link = page.getByRole('link', { name: /^Invoice \d+ \(PDF\)$/ })
  assert.ok(await link.isVisible())
  const href = new URL((await link.getAttribute('href')) ?? '', page.url())
  const response = await page.request.get(href.href)
  const { 'content-type': type, 'content-disposition': disposition } = response.headers()
  assert.deepEqual([response.status(), type], [200, 'application/pdf'])
  assert.ok(disposition?.includes(`filename="${name}"`), disposition)
  return (await response.body()).toString('latin1')
}

describe('the page of an invoice in a browser', () => {
  before(async () => {
    server = await shareWorkingServer()
  })
  after(async () => {
    await server.stop()
  })

  for (const screen of ['phone', 'desktop'] as const)
    describe(`on a ${screen}`, () => flows(screen))
})

function flows(screen: Screen): void {
  /** A payer who does something, and whose page did nothing wrong in the end. */
  async function payer(
    url: string,
    does: (payer: Payer, page: Page) => Promise<void>,
    script = true,
  ) {
    const one = await newPayer(screen, { friends: [server.url], script })
    await one.page.goto(url)
    await does(one, one.page)
    await one.leave()
  }

  it('shows what is sold, gives the PDF, and takes a card', async () => {
    const { bill, invoice } = await newMerchant()
    const open = await bill('ngn', [
      ['Novel', 250_000, 3],
      ['Shelf of oak, with a place for three hundred books and a lamp', 12_345_600, 1],
    ])
    await payer(open.payment_url, async (me, page) => {
      assert.ok(await page.getByText('Zuma Books').first().isVisible())
      for (const text of ['₦7,500.00', '₦123,456.00', '₦130,956.00']) await says(page, text)
      assert.ok(await page.getByText(/Novel/).first().isVisible())
      await me.look('invoice')
      const pdf = await pdfOf(page, `invoice-${open.number}.pdf`)
      assert.ok(pdf.startsWith('%PDF-') && /%%EOF\s*$/.test(pdf), pdf.slice(0, 20))
      await payByCard(me)
      await heading(page, 'Payment complete')
      await me.look('invoice-paid')
      assert.ok((await pdfOf(page, `invoice-${open.number}.pdf`)).startsWith('%PDF-'))
    })
    assert.equal((await invoice(open.id)).status, 'paid')
  })

  it('in euros shows the lines in euros, and asks for dollars', async () => {
    const { bill, invoice } = await newMerchant()
    const open = await bill('eur', [['Novel', 2_000, 2]])
    const dollars = `$${(open.collect_amount / 100).toFixed(2)}`
    await payer(open.payment_url, async (me, page) => {
      await says(page, '€40.00')
      await says(page, dollars)
      await me.look('invoice-euros')
      await payByCard(me)
      await heading(page, 'Payment complete')
    })
    assert.equal((await invoice(open.id)).status, 'paid')
  })

  it('can read a hundred lines', async () => {
    const { bill } = await newMerchant()
    const open = await bill(
      'ngn',
      Array.from({ length: 100 }, (_, i) => [`Article ${i + 1}`, 1_000_000_000 + i, 1_000]),
    )
    await payer(open.payment_url, async (me, page) => {
      await says(page, '100 items')
      await me.look('invoice-long')
      await me.press(page.getByText('Show more'))
      for (const name of ['Article 1', 'Article 100']) await says(page, name)
      await me.look('invoice-long-unfolded')
    })
  })

  it('sees by itself that it was paid elsewhere, or is void', async () => {
    const { ask, bill } = await newMerchant()
    const [paid, gone] = [
      await bill('ngn', [['Novel', 500_000, 1]]),
      await bill('ngn', [['Novel', 500_000, 1]]),
    ]
    await payer(paid.payment_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await heading(page, 'Pay by card')
      await ask('POST', `/payments/${paid.payment}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      })
      await heading(page, 'Payment complete')
    })
    await payer(gone.payment_url, async (me, page) => {
      await page.getByRole('link', { name: /^Card/ }).waitFor()
      await ask('POST', `/invoices/${gone.id}/void`)
      await page.getByRole('link', { name: /^Card/ }).waitFor({ state: 'detached' })
      await me.look('invoice-void')
    })
  })

  it('can be paid on the same page after a card was declined for good', async () => {
    const { bill, invoice } = await newMerchant()
    const open = await bill('ngn', [['Novel', 500_000, 1]])
    await payer(open.payment_url, async (me, page) => {
      await payByCard(me, '4100000000000019')
      await says(page, 'Your bank declined this card. Try another card, or ask your bank.')
      await says(page, '₦5,000.00')
      await me.look('invoice-declined')
      await page.goto(open.payment_url)
      await payByCard(me)
      await heading(page, 'Payment complete')
    })
    const paid = await invoice(open.id)
    assert.deepEqual([paid.status, paid.payment], ['paid', open.payment])
  })

  it('works without its script', async () => {
    const { bill, invoice } = await newMerchant()
    const open = await bill('ngn', [['Novel', 500_000, 1]])
    await payer(
      open.payment_url,
      async (me, page) => {
        await says(page, '₦5,000.00')
        await payByCard(me)
        await heading(page, 'Payment complete')
      },
      false,
    )
    assert.equal((await invoice(open.id)).status, 'paid')
  })
}
