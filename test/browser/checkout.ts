/**
 * The hosted checkout as payers use it: on a phone and at a desk, in a real browser. What the tests
 * of its parts share.
 */
import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { Page } from 'playwright-core'
import type { TestServer } from '../support/harness.ts'
import {
  fillCard,
  newBookshop,
  newPayer,
  type Payer,
  type PayerOptions,
  type Screen,
  type Shop,
  shareWorkingServer,
  startShop,
} from './browser.ts'

export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002760003184',
  late: '4000000000000259',
  fraudulent: '4100000000000019',
}

/** How long a lost answer stays lost, so that only the test clock can bring it. */
export const delay = '60s'

/** There from the first test of the file on. */
export let server: TestServer
/** There from the first test of the file on. */
export let shop: Shop

export type AtScreen = {
  screen: Screen
  /** A payer who does something, and whose page did nothing wrong in the end. */
  payer(
    url: string,
    does: (payer: Payer, page: Page) => Promise<void>,
    options?: PayerOptions,
  ): Promise<void>
  /**
   * A payer whose test says when they leave. `elsewhere`: the origins beside the server's that
   * pages may speak to
   */
  newPayer(...elsewhere: string[]): Promise<Payer>
}

/** Declares what payers do on each screen, with a server for all. */
export function describeCheckout(title: string, flows: (at: AtScreen) => void): void {
  describe(title, () => {
    before(async () => {
      server = await shareWorkingServer({ SANDBOX_DELAY: delay })
      shop = await startShop()
    })
    after(async () => {
      await Promise.all([server.stop(), shop.stop()])
    })

    for (const screen of ['phone', 'desktop'] as const)
      describe(`on a ${screen}`, () => {
        const open = (elsewhere: string[], options: PayerOptions = {}) =>
          newPayer(screen, { friends: [server.url, ...elsewhere], ...options })
        flows({
          screen,
          async payer(url, does, options) {
            const one = await open([shop.url], options)
            await one.page.goto(url)
            await does(one, one.page)
            await one.leave()
          },
          newPayer: (...elsewhere) => open(elsewhere),
        })
      })
  })
}

/** What these tests do as a merchant. */
export async function newMerchant() {
  const { ask, advance, openPayment, readPayment, deposit } = await newBookshop(server)
  return {
    ask,
    advance,
    /** Opens a payment of 5,000.00 naira. */
    open: (more: Record<string, unknown> = {}) =>
      openPayment({ description: 'Two novels', ...more }),
    payment: readPayment,
    /** The account that a payer of this payment was shown. */
    async account(payment: string) {
      const { docs } = await ask('GET', '/virtual-accounts')
      return docs.find((account: { payment: string }) => account.payment === payment)
    },
    deposit: (account: string, amount: number) => deposit(account, { amount }),
    /** What has come for a payment, by transaction. */
    async receipts(payment: string) {
      const { docs } = await ask('GET', '/transactions?type=payment')
      return docs.filter((one: { related: { payment: string } }) => one.related.payment === payment)
    },
  }
}

/** Marks the document, so that a reload would show. */
export const mark = (page: Page) => page.evaluate('void (window.marked = true)')
export const isMarked = (page: Page) => page.evaluate<boolean>('window.marked === true')

/** The page has changed by itself, and told it to who cannot see it. */
export async function changedByItself(page: Page, said: string | RegExp): Promise<void> {
  assert.ok(await isMarked(page), 'the page was loaded again')
  await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached' })
}

export const payButton = (page: Page) => page.getByRole('button', { name: /^Pay ₦/ })

export async function typeCard(
  payer: Payer,
  number: string,
  expiry = '1234',
  cvc = '123',
): Promise<void> {
  await payer.type('Card number', number)
  await payer.type(/^Expiry/, expiry)
  await payer.type('Security code', cvc)
}

export async function payByCard({ page, press }: Payer, number: string): Promise<void> {
  await fillCard(page, number)
  await press(payButton(page))
}
