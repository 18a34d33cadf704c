/**
 * Goal: who pays a live payment by card gets from our page to the provider's and back, in a real
 * browser, and reads what is so. Method: our server behind https, the double of Paystack with its
 * own page, and the double's webhooks by hand: sooner, later or never.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Front, startFront } from '../support/https-front.ts'
import { minuteMs } from '../support/paystack.ts'
import { openShop, type Shop } from '../support/paystack-cards.ts'
import { heading, newPayer, type Payer, type PayerOptions } from './browser.ts'

const ours = 'https://pay.example.com'

for (const screen of ['phone', 'desktop'] as const)
  describe(`paying at the provider’s page, on a ${screen}`, () => {
    let shop: Shop
    let front: Front
    before(async () => {
      front = await startFront(() => shop.server.url)
      shop = await openShop({ env: { BASE_URL: ours } })
    })
    after(async () => {
      await shop.assertSound()
      await shop.stop()
      await front.stop()
    })
    beforeEach(() => void shop.double.live.events.queue.splice(0))
    afterEach(() => shop.double.connect())

    async function payer(options: PayerOptions = {}): Promise<Payer> {
      const { origin } = new URL(shop.double.checkoutUrl)
      return newPayer(screen, {
        friends: [ours, origin, 'https://shop.example'],
        selfSigned: true,
        hosts: { 'pay.example.com': `127.0.0.1:${front.port}` },
        ...options,
      })
    }
    const pay = (page: Page) => page.getByRole('button', { name: 'Pay ₦5,000.00' })
    const at = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    const there = (page: Page) => heading(page, 'NGN 5000.00')
    const link = (page: Page, name: string) => page.getByRole('link', { name })
    /** Opens the page of a new payment, and goes on to Paystack's. */
    async function goTo(me: Payer, more: object = {}) {
      const payment = await shop.open({ redirect_url: undefined, ...more })
      await me.page.goto(payment.checkout_url)
      await me.press(pay(me.page))
      await there(me.page)
      const [transaction] = await shop.transactionsOf(payment)
      return { payment, reference: transaction?.reference as string }
    }
    const statusOf = async (payment: { id: string }) => (await shop.stands(payment)).status

    it('pays, and is back before any webhook', async () => {
      const me = await payer()
      const { page } = me
      const payment = await shop.open({
        methods: undefined,
        email: undefined,
        redirect_url: undefined,
      })
      await page.goto(payment.checkout_url)
      await heading(page, 'Pay by card')
      await me.look('away-card')
      assert.equal(await page.getByLabel('Card number').count(), 0)
      await me.type('Email', 'bisi@example.com')
      await me.press(pay(page))
      await there(page)
      await me.press(at(page, 'Pay by card'))
      await heading(page, 'Payment complete')
      assert.equal(new URL(page.url()).origin, ours)
      assert.equal(new URL(page.url()).search, '?method=card')
      await page.getByText('Visa ending in 4081').waitFor()
      await me.look('away-complete')
      await shop.double.live.events.deliver()
      await page.reload()
      await heading(page, 'Payment complete')
      assert.deepEqual((await shop.stands(payment)).events, ['payment.completed'])
      await me.leave()
    })

    it('is declined there, comes back, and pays on the same page', async () => {
      const me = await payer()
      const { page } = me
      const { payment } = await goTo(me)
      const url = page.url()
      await me.press(at(page, 'Be declined'))
      await page.getByRole('alert').filter({ hasText: 'Declined' }).waitFor()
      await me.press(at(page, 'Leave'))
      await page.getByRole('alert').filter({ hasText: 'Your bank declined this card' }).waitFor()
      assert.match(await page.title(), /^Error: /)
      await me.look('away-declined')
      assert.equal(await statusOf(payment), 'pending')
      await me.press(at(page, 'Try again on the payment page'))
      await there(page)
      assert.equal(page.url(), url)
      await shop.pass(3_000)
      await me.press(at(page, 'Pay by card'))
      await heading(page, 'Payment complete')
      await me.leave()
    })

    it('leaves everything alone, and reads that it was not finished when that is so', async () => {
      const me = await payer()
      const { page } = me
      const { payment } = await goTo(me)
      await me.press(at(page, 'Leave'))
      await heading(page, 'Waiting for the bank')
      assert.doesNotMatch(await page.locator('main').innerText(), /failed|declined/i)
      await me.look('away-waiting')
      await shop.pass(150 * minuteMs)
      await page.getByRole('alert').filter({ hasText: 'The payment was not finished' }).waitFor()
      await me.look('away-not-finished')
      assert.equal(await statusOf(payment), 'pending')
      await me.leave()
    })

    it('goes back by the button of the browser, and on again', async () => {
      const me = await payer()
      const { page } = me
      const { payment } = await goTo(me)
      const url = page.url()
      await page.goBack()
      await heading(page, /Pay by card|Waiting for the bank/)
      assert.equal(new URL(page.url()).pathname, new URL(payment.checkout_url).pathname)
      await at(page, 'Continue to the payment page').waitFor()
      await me.press(at(page, 'Continue to the payment page'))
      await there(page)
      assert.equal(page.url(), url)
      await me.press(at(page, 'Pay by card'))
      await heading(page, 'Payment complete')
      assert.equal((await shop.transactionsOf(payment)).length, 1)
      await me.leave()
    })

    it('pays in one of two tabs, and the other tells by itself', async () => {
      const [me, other] = [await payer(), await payer()]
      const payment = await shop.open({ redirect_url: undefined })
      await me.page.goto(payment.checkout_url)
      await other.page.goto(payment.checkout_url)
      await Promise.all([me.press(pay(me.page)), other.press(pay(other.page))])
      await Promise.all([there(me.page), there(other.page)])
      assert.equal(me.page.url(), other.page.url())
      await other.page.goto(payment.checkout_url)
      await heading(other.page, 'Waiting for the bank')
      await me.press(at(me.page, 'Pay by card'))
      await heading(me.page, 'Payment complete')
      await heading(other.page, 'Payment complete')
      assert.equal((await shop.read(payment)).attempts, 1)
      await Promise.all([me.leave(), other.leave()])
    })

    it('is told by a webhook that overtakes it, and goes back to the shop', async () => {
      const me = await payer()
      const { page } = me
      const { payment, reference } = await goTo(me, { redirect_url: 'https://shop.example/thanks' })
      shop.double.live.payer.pay(reference)
      await shop.double.live.events.deliver()
      await shop.pass(0)
      assert.equal(await statusOf(payment), 'completed')
      await page.goto(`${payment.checkout_url}/back?trxref=${reference}&reference=${reference}`)
      await heading(page, 'Payment complete')
      const back = new URL(
        (await link(page, 'Return to Test Business').getAttribute('href')) as string,
      )
      assert.deepEqual([back.pathname, back.searchParams.get('status')], ['/thanks', 'completed'])
      await me.leave()
    })

    it('is told that the provider is down, before it leaves and when it is back', async () => {
      const me = await payer()
      const { page } = me
      const payment = await shop.open({ redirect_url: undefined })
      await page.goto(payment.checkout_url)
      await shop.double.disconnect()
      await me.press(pay(page))
      await page.getByRole('alert').filter({ hasText: 'could not be opened' }).waitFor()
      await me.look('away-down')
      await shop.double.connect()
      await me.press(pay(page))
      await there(page)
      await shop.double.disconnect()
      await me.press(at(page, 'Pay by card'))
      await heading(page, 'Waiting for the bank')
      assert.doesNotMatch(await page.locator('main').innerText(), /failed|declined/i)
      assert.equal(await statusOf(payment), 'pending')
      await shop.double.connect()
      await shop.pass(10_000)
      await heading(page, 'Payment complete')
      await me.leave()
    })

    it('is asked to wait while a bank is at work', async () => {
      const me = await payer()
      const { page } = me
      const { payment, reference } = await goTo(me)
      shop.double.live.payer.begin(reference)
      await page.goto(`${payment.checkout_url}/back`)
      await page.getByText('Please do not pay again').waitFor()
      await me.look('away-confirming')
      shop.double.live.payer.pay(reference)
      await shop.double.live.events.deliver()
      await heading(page, 'Payment complete')
      await me.leave()
    })

    it('pays without the script of the page', async () => {
      const me = await payer({ script: false })
      const { page } = me
      await goTo(me)
      await page.goBack()
      await heading(page, /Waiting for the bank|Pay by card/)
      await page.goForward()
      await there(page)
      await me.press(at(page, 'Pay by card'))
      await heading(page, 'Payment complete')
      await me.leave()
    })

    it('sees on the way where it is going', async () => {
      const me = await payer()
      const { page } = me
      const { payment } = await goTo(me)
      // The way is left at once: it is looked at as it would be where that is switched off.
      const html = await (await fetch(`${shop.payerOf(payment).url}/leave`)).text()
      await page.goto(payment.checkout_url)
      await page.route('**/leave', (route) =>
        route.fulfill({
          body: html.replace(/<meta http-equiv="refresh"[^>]*>/, ''),
          contentType: 'text/html',
        }),
      )
      await page.goto(`${payment.checkout_url}/leave`)
      await heading(page, 'Taking you to the secure payment page')
      await me.look('away-leaving')
      await me.press(link(page, 'Go to the payment page'))
      await there(page)
      await me.leave()
    })
  })
