/**
 * The hosted checkout as payers use it: on a phone and at a desk, in a real browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startServer, type TestServer } from '../harness.ts'
import {
  fillCard,
  heading,
  newBookshop,
  newPayer,
  type Payer,
  type PayerOptions,
  type Screen,
  type Shop,
  startBrowser,
  startShop,
} from './browser.ts'

const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002760003184',
  late: '4000000000000259',
  fraudulent: '4100000000000019',
}

/** How long a lost answer stays lost, so that only the test clock can bring it. */
const delay = '60s'

let server: TestServer
let shop: Shop

/** What these tests do as a merchant. */
async function newMerchant() {
  const { ask, advance, openPayment, readPayment, deposit } = await newBookshop(server)
  return {
    ask,
    advance,
    /** Opens a payment of 5,000.00 naira. */
    open: (more: Record<string, unknown> = {}) => openPayment({ description: 'Two novels', ...more }),
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
const mark = (page: Page) => page.evaluate('void (window.marked = true)')
const isMarked = (page: Page) => page.evaluate<boolean>('window.marked === true')

/** The page has changed by itself, and told it to who cannot see it. */
async function changedByItself(page: Page, said: string | RegExp): Promise<void> {
  assert.ok(await isMarked(page), 'the page was loaded again')
  await page.getByRole('status').filter({ hasText: said }).waitFor({ state: 'attached' })
}

const payButton = (page: Page) => page.getByRole('button', { name: /^Pay ₦/ })

async function typeCard(payer: Payer, number: string, expiry = '1234', cvc = '123'): Promise<void> {
  await payer.type('Card number', number)
  await payer.type(/^Expiry/, expiry)
  await payer.type('Security code', cvc)
}

async function payByCard({ page, press }: Payer, number: string): Promise<void> {
  await fillCard(page, number)
  await press(payButton(page))
}

const eventStream = /\/events(\?|$)/

describe('the hosted checkout in a browser', { concurrency: 2 }, () => {
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: delay })
    shop = await startShop()
  })
  after(async () => {
    await server.assertBooksClean()
    await Promise.all([server.stop(), shop.stop()])
  })

  for (const screen of ['phone', 'desktop'] as const)
    describe(`on a ${screen}`, { concurrency: 2 }, () => flows(screen))
})

function flows(screen: Screen): void {
  let browser: Browser
  before(async () => {
    browser = await startBrowser()
  })
  after(() => browser.close())

  /** A payer who does something, and whose page did nothing wrong in the end. */
  async function payer(url: string, does: (payer: Payer, page: Page) => Promise<void>, options: PayerOptions = {}) {
    const one = await newPayer(browser, screen, { friends: [server.url, shop.url], ...options })
    await one.page.goto(url)
    await does(one, one.page)
    await one.leave()
  }

  it('pays by card, and goes back to the shop', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({
      redirect_url: `${shop.url}/thanks?order=${screen}`,
      cancel_url: `${shop.url}/cart?order=${screen}`,
      description: 'Two novels and a notebook, wrapped as a present. Delivery to Yaba on Friday.',
    })
    await payer(payment.checkout_url, async (me, page) => {
      await me.look('choose')
      assert.ok(await page.getByText('no real money moves').isVisible())
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await heading(page, 'Pay by card')
      await me.look('card')
      await typeCard(me, cards.good)
      assert.equal(await page.getByLabel('Card number', { exact: true }).inputValue(), '4242 4242 4242 4242')
      assert.equal(await page.getByLabel(/^Expiry/).inputValue(), '12/34')
      await me.look('card-filled')
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
      await me.look('completed-to-shop')
      // On the phone the payer waits to be taken there.
      if (screen === 'desktop') await me.press(page.getByRole('link', { name: 'Return to Zuma Books' }))
      await heading(page, 'Thank you')
      const url = new URL(page.url())
      assert.equal(url.pathname, '/thanks')
      assert.deepEqual(Object.fromEntries(url.searchParams), {
        order: screen,
        reference: payment.reference,
        status: 'completed',
      })
      await page.goBack()
      await heading(page, 'Payment complete')
    })
    const paid = await read(payment.id)
    assert.equal(paid.status, 'completed')
    assert.equal(paid.method, 'card')
  })

  it('can read what is long', async () => {
    const { open } = await newMerchant()
    const payment = await open({
      amount: 1_234_567_890,
      description: 'Twelve of the best, with everything that belongs to them. '.repeat(8),
      reference: `order-${'0123456789'.repeat(8)}-${screen}`,
      fee_bearer: 'customer',
    })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await heading(page, 'Pay by card')
      await me.look('long')
      await me.press(page.getByText('Show more'))
      await me.look('long-unfolded')
    })
  })

  it('can read the largest amount and a whole reference on the smallest phone', async () => {
    const { open } = await newMerchant()
    const payments = [await open({ amount: Number.MAX_SAFE_INTEGER }), await open()]
    for (const amount of [123_456_789_000, 12_345_678_900]) payments.push(await open({ amount }))
    for (const payment of payments)
      await payer(payment.checkout_url, async (me, page) => {
        if (screen === 'phone') await page.setViewportSize({ width: 320, height: 640 })
        for (const part of ['.amount', '.reference dd']) {
          const lines = await page.evaluate<number>(`(() => {
            const el = document.querySelector('${part}')
            return el.getBoundingClientRect().height / parseFloat(getComputedStyle(el).lineHeight)
          })()`)
          assert.ok(lines < 1.5, `${part}: ${lines} lines`)
        }
        if (payment === payments[0]) await me.look('largest')
      })
  })

  it('shows no time that is more than a week away', async () => {
    const { ask, open } = await newMerchant()
    const now = Date.parse((await ask('GET', '/test/clock')).now)
    const payment = await open({ methods: ['card'], expires_at: new Date(now + 29 * 86_400_000).toISOString() })
    await payer(payment.checkout_url, async (me, page) => {
      await heading(page, 'Pay by card')
      assert.equal(await page.getByRole('timer').count(), 0)
      await me.look('no-hurry')
    })
  })

  it('gives up, and goes back to the shop', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ cancel_url: `${shop.url}/cart?order=${screen}` })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: 'Cancel and go back' }))
      await heading(page, 'Thank you')
      assert.equal(
        page.url(),
        `${shop.url}/cart?order=${screen}&reference=${encodeURIComponent(payment.reference)}&status=pending`,
      )
    })
    assert.equal((await read(payment.id)).status, 'pending')
  })

  it('is declined, and pays with another card', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await payByCard(me, cards.declined)
      await page.getByRole('alert').filter({ hasText: 'declined' }).waitFor()
      assert.match(await page.title(), /^Error: /)
      await me.look('card-declined')
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
      await me.look('completed')
    })
    assert.equal((await read(payment.id)).attempts, 2)
  })

  it('is told which fields are wrong', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await typeCard(me, '4242424242424241', '0120', '12')
      await me.press(payButton(page))
      await page.getByText('Check the card number.').waitFor()
      for (const label of ['Card number', /^Expiry/, 'Security code'])
        assert.equal(await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid'), 'true', String(label))
      assert.equal(await page.evaluate('document.activeElement.id'), 'number')
      await me.look('card-invalid')
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).attempts, 1)
  })

  it('is declined for good', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'], redirect_url: `${shop.url}/thanks` })
    await payer(payment.checkout_url, async (me, page) => {
      await payByCard(me, cards.fraudulent)
      await heading(page, 'Payment failed')
      await me.look('failed')
      const back = await page.getByRole('link', { name: 'Return to Zuma Books' }).getAttribute('href')
      assert.equal(new URL(back as string).searchParams.get('status'), 'failed')
    })
    assert.equal((await read(payment.id)).status, 'failed')
  })

  it('approves what the bank asks, and rejects it', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(`${payment.checkout_url}?method=card`, async (me, page) => {
      await payByCard(me, cards.challenged)
      await heading(page, 'Your bank asks you to confirm')
      await me.look('challenge')
      await me.press(page.getByRole('button', { name: 'No, do not pay' }))
      await page.getByRole('alert').filter({ hasText: 'not confirmed' }).waitFor()
      await me.look('challenge-rejected')
      assert.equal((await read(payment.id)).amount_received, 0)
      await payByCard(me, cards.challenged)
      await me.press(page.getByRole('button', { name: 'Yes, pay' }))
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).amount_received, 500_000)
  })

  it('waits for an answer that comes late', async () => {
    const { open, advance } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await payByCard(me, cards.late)
      await heading(page, 'Checking with your bank')
      assert.equal(await page.locator('form').count(), 0)
      await me.look('processing')
      await mark(page)
      await advance(delay)
      await heading(page, 'Payment complete')
      await changedByItself(page, 'Payment complete')
    })
  })

  it('pays by bank transfer', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Bank transfer/ }))
      await heading(page, 'Pay by bank transfer')
      await me.look('transfer')
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly ₦5,000\.00/)
      const { id, account_number, bank_name, account_name } = await account(payment.id)
      for (const text of [account_number, bank_name, account_name])
        assert.ok(await page.getByText(text, { exact: true }).last().isVisible(), text)
      await me.look('transfer-details')
      await me.press(page.getByRole('button', { name: 'Copy account number' }))
      await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' })
      assert.equal(await page.evaluate('navigator.clipboard.readText()'), account_number)
      await me.look('transfer-copied')
      await mark(page)
      await deposit(id, 500_000)
      await heading(page, 'Payment complete')
      await changedByItself(page, 'Payment complete')
    })
  })

  it('pays by bank transfer in dollars', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open({ amount: 4_950, currency: 'usd', methods: ['bank_transfer'], fee_bearer: 'customer' })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly \$/)
      await me.look('transfer-usd-with-fee')
      const { id, amount, routing_number } = await account(payment.id)
      assert.ok(await page.getByText(routing_number, { exact: true }).isVisible())
      await deposit(id, amount)
      await heading(page, 'Payment complete')
    })
  })

  it('sends too little first, and then the rest', async () => {
    const { open, account, deposit, payment: read } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly ₦5,000\.00/)
      const { id } = await account(payment.id)
      await mark(page)
      await deposit(id, 200_000)
      await heading(page, /Send exactly ₦3,000\.00/)
      await changedByItself(page, /₦2,000\.00.*₦3,000\.00/)
      await me.look('transfer-underpaid')
      await deposit(id, 300_000)
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).amount_received, 500_000)
  })

  it('sends too much', async () => {
    const { open, account, deposit } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], redirect_url: `${shop.url}/thanks` })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      await deposit((await account(payment.id)).id, 620_000)
      await heading(page, 'Payment complete')
      await page
        .locator('#trouble')
        .getByText(/₦1,200\.00 more than was due/)
        .waitFor()
      await me.look('overpaid')
    })
  })

  it('is sent its money back when the amount is wrong', async () => {
    const { ask, open, account } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], on_mismatch: 'reverse' })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      const sender = { account_name: 'Ada Okafor', account_number: '0123456789', bank_code: '058' }
      const { id } = await account(payment.id)
      await ask('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 400_000, sender })
      await page.getByText('it was sent back to you').waitFor()
      await me.look('transfer-returned')
    })
  })

  it('is told of a wrong amount that could not be sent back', async () => {
    const { ask, open, account } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'], on_mismatch: 'reverse' })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      const sender = { account_name: 'Ada Okafor', account_number: '0000000001', bank_code: '058' }
      const { id } = await account(payment.id)
      await ask('POST', `/virtual-accounts/${id}/simulate-deposit`, { amount: 400_000, sender })
      const { docs } = await ask('GET', `/refunds?payment=${payment.id}`)
      await ask('POST', `/refunds/${docs[0].id}/simulate`, { outcome: 'failed' })
      await page
        .locator('#kept')
        .getByText(/₦4,000\.00 that we could not send back/)
        .waitFor()
      await me.look('transfer-kept')
    })
  })

  it('pays with crypto', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Crypto/ }))
      await heading(page, 'Pay with crypto')
      await me.look('crypto')
      await me.press(page.getByRole('button', { name: 'USDC on Base', exact: true }))
      // 5,000.00 at 1,550.00 is 3.2258 and up.
      await heading(page, /Send exactly 3\.23 USDC on Base\./)
      assert.ok(await page.getByText(/^0x[0-9a-fA-F]{40}$/).isVisible())
      assert.ok(await page.getByRole('img', { name: /QR code/ }).isVisible())
      await me.look('crypto-address')
      await me.press(page.getByText('Use another coin or network'))
      await me.press(page.getByRole('button', { name: /USDT on/ }).first())
      await heading(page, /Send exactly 3\.23 USDT on/)
      await me.press(page.getByRole('button', { name: 'Pay in full' }))
      await heading(page, 'Payment complete')
      await me.look('completed-crypto')
    })
    const paid = await read(payment.id)
    assert.equal(paid.method, 'crypto')
    assert.equal(paid.status, 'completed')
  })

  it('has things happen to a test payment', async () => {
    const { open, payment: read } = await newMerchant()
    const ends = [
      { method: 'card', button: 'Pay in full', shows: 'Payment complete', status: 'completed' },
      { method: 'card', button: 'Fail', shows: 'Payment failed', status: 'failed' },
      { method: 'card', button: 'Run out of time', shows: 'Time is up', status: 'expired' },
    ]
    for (const { method, button, shows, status } of ends) {
      const payment = await open()
      await payer(`${payment.checkout_url}?method=${method}`, async (me, page) => {
        await me.press(page.getByRole('button', { name: button, exact: true }))
        await heading(page, shows)
      })
      assert.equal((await read(payment.id)).status, status)
    }
    // A card that waits for the payer is given up.
    for (const { method, button, shows, status } of ends.slice(1)) {
      const payment = await open()
      await payer(`${payment.checkout_url}?method=${method}`, async (me, page) => {
        await payByCard(me, cards.challenged)
        await heading(page, 'Your bank asks you to confirm')
        assert.deepEqual(await page.locator('.outcomes button').allTextContents(), ['Fail', 'Run out of time'])
        await me.press(page.getByRole('button', { name: button, exact: true }))
        await heading(page, shows)
      })
      assert.equal((await read(payment.id)).status, status)
    }
    const payment = await open({ methods: ['crypto'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: /USDT on/ }).first())
      await me.press(page.getByRole('button', { name: 'Pay too little' }))
      await page.getByText('Still to pay').first().waitFor()
      await me.look('crypto-underpaid')
      await me.press(page.getByRole('button', { name: 'Pay too much' }))
      await heading(page, 'Payment complete')
      await me.look('crypto-overpaid')
    })
  })

  it('fills in a test card', async () => {
    const { open } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Use test card 4242 4242 4242 4242' }))
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
    })
  })

  it('runs out of time while the page is open', async () => {
    const { open, advance } = await newMerchant()
    const payment = await open()
    await payer(`${payment.checkout_url}?method=card`, async (me, page) => {
      await page
        .getByRole('timer')
        .filter({ hasText: /^2[34] hours left$/ })
        .waitFor()
      await advance('1439m')
      await page.reload()
      await page
        .getByRole('timer')
        .filter({ hasText: /0[01]:\d\d left/ })
        .waitFor()
      await me.look('last-minute')
      await me.type('Card number', '4242')
      await mark(page)
      await advance('10m')
      await heading(page, 'Time is up')
      await changedByItself(page, 'Time is up')
      await me.look('expired')
    })
  })

  it('gets money in after the time, and says so', async () => {
    const { open, account, deposit, advance } = await newMerchant()
    const payment = await open({ methods: ['bank_transfer'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await heading(page, /Send exactly/)
      await advance('25h')
      await heading(page, 'Time is up')
      await mark(page)
      await deposit((await account(payment.id)).id, 500_000)
      await page
        .getByRole('main')
        .getByText(/came after the time was up/)
        .waitFor()
      await changedByItself(page, /came after the time was up/)
      await me.look('expired-late')
    })
  })

  it('is canceled by the shop while the page is open', async () => {
    const { ask, open } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await mark(page)
      await ask('POST', `/payments/${payment.id}/cancel`)
      await heading(page, 'Payment canceled')
      await changedByItself(page, 'Payment canceled')
      await me.look('canceled')
    })
  })

  it('keeps what was typed when the page changes by itself', async () => {
    const { ask, open } = await newMerchant()
    const payment = await open()
    await payer(`${payment.checkout_url}?method=card`, async (me, page) => {
      await typeCard(me, cards.good)
      await mark(page)
      const other = await newPayer(browser, screen, { friends: [server.url] })
      await other.page.goto(`${payment.checkout_url}?method=bank_transfer`)
      await other.press(other.page.getByRole('button', { name: 'Show account details' }))
      await heading(other.page, /Send exactly/)
      const { docs } = await ask('GET', '/virtual-accounts')
      await ask('POST', `/virtual-accounts/${docs[0].id}/simulate-deposit`, { amount: 100_000 })
      await page.getByRole('button', { name: 'Pay ₦4,000.00' }).waitFor()
      assert.ok(await isMarked(page))
      assert.equal(await page.getByLabel('Card number', { exact: true }).inputValue(), '4242 4242 4242 4242')
      await me.look('card-partly-paid')
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
      await heading(other.page, 'Payment complete')
      await other.leave()
    })
  })

  it('pays by card without the script, to the end', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(
      payment.checkout_url,
      async (me, page) => {
        await me.look('plain-choose')
        await me.press(page.getByRole('link', { name: /^Card/ }))
        await heading(page, 'Pay by card')
        await me.look('plain-card')
        await payByCard(me, cards.declined)
        await page.getByRole('alert').filter({ hasText: 'declined' }).waitFor()
        await typeCard(me, cards.challenged, '12/34')
        await me.press(payButton(page))
        await heading(page, 'Your bank asks you to confirm')
        await me.look('plain-challenge')
        await me.press(page.getByRole('button', { name: 'Yes, pay' }))
        await heading(page, 'Payment complete')
        await me.look('plain-completed')
      },
      { script: false },
    )
    assert.equal((await read(payment.id)).status, 'completed')
  })

  it('waits without the script', async () => {
    const { open, account, deposit, advance } = await newMerchant()
    const [late, transfer] = await Promise.all([
      open({ methods: ['card'], redirect_url: `${shop.url}/thanks` }),
      open({ methods: ['bank_transfer'] }),
    ])
    await payer(
      late.checkout_url,
      async (me, page) => {
        await payByCard(me, cards.late)
        await heading(page, 'Checking with your bank')
        await me.look('plain-processing')
        await advance(delay)
        await heading(page, 'Payment complete')
        await heading(page, 'Thank you')
      },
      { script: false },
    )
    await payer(
      transfer.checkout_url,
      async (me, page) => {
        await me.press(page.getByRole('button', { name: 'Show account details' }))
        await heading(page, /Send exactly/)
        await me.look('plain-transfer')
        await deposit((await account(transfer.id)).id, 500_000)
        await heading(page, 'Payment complete')
      },
      { script: false },
    )
  })

  it('charges once, however often Pay is pressed', async () => {
    const { open, payment: read, receipts } = await newMerchant()
    const ways: { script: boolean; pay(page: Page): Promise<unknown> }[] = [
      { script: true, pay: (page) => payButton(page).dblclick() },
      { script: false, pay: (page) => payButton(page).dblclick() },
      {
        script: true,
        pay: (page) =>
          page.evaluate(`for (let i = 0; i < 2; i++) document.querySelector('form[action$="/card"]').requestSubmit()`),
      },
      {
        // Past the script, and both at once.
        script: true,
        pay: (page) =>
          page.evaluate(`(async () => {
            const form = document.querySelector('form[action$="/card"]')
            const send = () => fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
            await Promise.all([send(), send(), send()])
            location.reload()
          })()`),
      },
    ]
    for (const { script, pay } of ways) {
      const payment = await open({ methods: ['card'] })
      await payer(
        payment.checkout_url,
        async (me, page) => {
          await typeCard(me, cards.good)
          await pay(page)
          await heading(page, 'Payment complete')
        },
        { script },
      )
      assert.equal((await read(payment.id)).attempts, 1)
      assert.equal((await receipts(payment.id)).length, 1)
    }
  })

  it('cannot pay again by going back', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
      for (;;) {
        await page.goBack()
        if (!page.url().startsWith(server.url)) break
        await heading(page, 'Payment complete')
        assert.equal(await page.locator('form').count(), 0)
      }
    })
    assert.equal((await read(payment.id)).attempts, 1)
  })

  it('pays by card with the keyboard alone', async () => {
    const { open } = await newMerchant()
    const payment = await open()
    await payer(payment.checkout_url, async (_me, page) => {
      const { keyboard } = page
      const seen: string[] = []
      /** Goes on to the next thing, which must show that it has the focus. */
      const next = async (): Promise<string> => {
        await keyboard.press('Tab')
        const [name, visible] = await page.evaluate<[string, boolean]>(`(() => {
          const el = document.activeElement
          const outlined = [el, el.closest('.input')].some((one) => one && getComputedStyle(one).outlineStyle !== 'none' &&
            parseFloat(getComputedStyle(one).outlineWidth) >= 2)
          const box = el.getBoundingClientRect()
          return [el.labels?.[0]?.textContent ?? el.getAttribute('aria-label') ?? el.textContent.trim(),
            outlined && box.bottom > 0 && box.top < innerHeight]
        })()`)
        assert.ok(visible, `the focus on '${name}' does not show`)
        seen.push(name)
        return name
      }
      const goTo = async (wanted: RegExp): Promise<void> => {
        for (let steps = 0; steps < 15; steps++) if (wanted.test(await next())) return
        assert.fail(`${wanted} was not reached: ${seen.join(', ')}`)
      }
      await goTo(/^Card/)
      await keyboard.press('Enter')
      await heading(page, 'Pay by card')
      await goTo(/^Card number/)
      await keyboard.type(cards.good, { delay: 5 })
      assert.match(await next(), /^Expiry/)
      await keyboard.type('1234', { delay: 5 })
      assert.match(await next(), /^Security code/)
      await keyboard.type('123', { delay: 5 })
      assert.match(await next(), /^Pay ₦/)
      await keyboard.press('Enter')
      await heading(page, 'Payment complete')
    })
  })

  it('is kept up to date where event streams do not come through', async () => {
    const { ask, open } = await newMerchant()
    const payment = await open()
    const me = await newPayer(browser, screen, { friends: [server.url] })
    me.expectErrors(/ERR_FAILED/)
    await me.page.route(eventStream, (route) => route.abort())
    await me.page.goto(payment.checkout_url)
    await mark(me.page)
    await ask('POST', `/payments/${payment.id}/cancel`)
    // It asks every four seconds, from the first stream that failed.
    await me.page.getByRole('heading', { name: 'Payment canceled' }).waitFor({ timeout: 8_000 })
    assert.ok(await isMarked(me.page))
    await me.leave()
  })

  it('asks again for news that it was told of and could not fetch', async () => {
    const { ask, open } = await newMerchant()
    const payment = await open()
    const me = await newPayer(browser, screen, { friends: [server.url] })
    me.expectErrors(/ERR_FAILED/)
    await me.page.goto(payment.checkout_url)
    await mark(me.page)
    let lost = 0
    await me.page.route(`${payment.checkout_url}**`, (route) => {
      const { pathname } = new URL(route.request().url())
      return pathname.endsWith('/events') || ++lost > 2 ? route.continue() : route.abort()
    })
    await ask('POST', `/payments/${payment.id}/cancel`)
    // The page is lost, and two seconds later the status; four seconds after that both come.
    await me.page.getByRole('heading', { name: 'Payment canceled' }).waitFor()
    assert.ok(await isMarked(me.page))
    await me.leave()
  })

  it('pays a collection, which is full for the next', async () => {
    const { ask } = await newMerchant()
    const collection = await ask('POST', '/collections', {
      name: 'Class trip to Abeokuta',
      description: 'Bus, lunch and the entrance to Olumo Rock.',
      currency: 'ngn',
      min_amount: 100_000,
      max_amount: 2_000_000,
      max_payments: 1,
      redirect_url: `${shop.url}/trip`,
    })
    const second = await newPayer(browser, screen, { friends: [server.url, shop.url] })
    await second.page.goto(collection.checkout_url)
    await second.type('Amount in NGN', '2000')
    await second.press(second.page.getByRole('button', { name: 'Continue' }))
    await second.press(second.page.getByRole('link', { name: /^Card/ }))
    await typeCard(second, cards.good)

    await payer(collection.checkout_url, async (me, page) => {
      await heading(page, 'Class trip to Abeokuta')
      await me.look('collection')
      me.expectErrors(/status of 400/)
      await me.type('Amount in NGN', '5')
      await me.press(page.getByRole('button', { name: 'Continue' }))
      await page.getByText('too small').waitFor()
      await me.look('collection-too-small')
      await page.getByLabel('Amount in NGN').fill('')
      await me.type('Amount in NGN', '7,500.50')
      await me.type(/^Email/, 'ada@example.com')
      await me.press(page.getByRole('button', { name: 'Continue' }))
      await heading(page, /₦7,500\.50/)
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
      await me.press(page.getByRole('link', { name: 'Return to Zuma Books' }))
      await heading(page, 'Thank you')
    })

    await second.press(payButton(second.page))
    await heading(second.page, 'This is fully paid')
    await second.look('collection-full')
    await second.leave()
    await payer(collection.checkout_url, async (_me, page) => heading(page, 'This is fully paid'))
    const after = await ask('GET', `/collections/${collection.id}`)
    assert.equal(after.payments_count, 1)
    assert.equal(after.amount_collected, 750_050)
  })

  it('finds a collection that another is paying, and comes back', async () => {
    const { ask } = await newMerchant()
    const terms = { name: 'Choir dues', currency: 'ngn', amount: 250_000, max_payments: 1 }
    const collection = await ask('POST', '/collections', terms)
    const first = await newPayer(browser, screen, { friends: [server.url] })
    await first.page.goto(collection.checkout_url)
    await first.press(first.page.getByRole('button', { name: 'Continue' }))
    await first.press(first.page.getByRole('link', { name: /^Bank transfer/ }))
    await first.press(first.page.getByRole('button', { name: 'Show account details' }))
    await heading(first.page, /Send exactly/)
    await first.leave()
    await payer(collection.checkout_url, async (me, page) => {
      await heading(page, 'Someone is paying right now')
      await me.look('collection-busy')
      const { docs } = await ask('GET', `/collections/${collection.id}/payments`)
      await ask('POST', `/payments/${docs[0].id}/cancel`)
      await me.press(page.getByRole('link', { name: 'Try again' }))
      await heading(page, 'Choir dues')
    })
  })

  it('pays what a collection asks, and finds it ended later', async () => {
    const { ask } = await newMerchant()
    const collection = await ask('POST', '/collections', { name: 'Choir dues', currency: 'ngn', amount: 250_000 })
    await payer(collection.checkout_url, async (me, page) => {
      await me.look('collection-fixed')
      await me.press(page.getByRole('button', { name: 'Continue' }))
      await heading(page, /₦2,500\.00/)
      await me.press(page.getByRole('link', { name: /^Card/ }))
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
      await ask('POST', `/collections/${collection.id}/cancel`)
      await page.goto(collection.checkout_url)
      await heading(page, 'This has ended')
      await me.look('collection-ended')
    })
  })

  it('finds nothing under an address that leads nowhere', async () => {
    const me = await newPayer(browser, screen, { friends: [server.url] })
    me.expectErrors(/status of 404/)
    await me.page.goto(`${server.url}/pay/${'x'.repeat(24)}`)
    await heading(me.page, /find this page/)
    await me.look('not-found')
    await me.leave()
  })

  it('has tried enough cards after twenty', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open()
    await payer(`${payment.checkout_url}?method=card`, async (me, page) => {
      const tries = (count: number) =>
        page.evaluate<string>(`(async () => {
          let last
          for (let i = 0; i < ${count}; i++) {
            const text = await (await fetch(location.href)).text()
            const token = new DOMParser().parseFromString(text, 'text/html').querySelector('[name=token]').value
            const fields = { token, number: '${cards.declined}', expiry: '12/34', cvc: '123' }
            last = await fetch(location.pathname + '/card', { method: 'POST', body: new URLSearchParams(fields) })
          }
          return last.url
        })()`)
      await tries(20)
      await page
        .getByRole('main')
        .getByText(/tried with cards too often/)
        .waitFor()
      assert.equal(await page.getByLabel('Card number').count(), 0)
      await me.look('card-closed')
      // A form that was opened before leads to where it is said.
      assert.equal(await tries(1), `${payment.checkout_url}?method=card`)
      assert.equal((await read(payment.id)).attempts, 20)
      await me.press(page.getByRole('link', { name: /^Bank transfer/ }))
      await me.press(page.getByRole('button', { name: 'Show account details' }))
      await me.press(page.getByRole('button', { name: 'Pay in full' }))
      await heading(page, 'Payment complete')
    })
    const { attempts, status } = await read(payment.id)
    assert.deepEqual([attempts, status], [20, 'completed'])
  })

  it('is told when a form is out of date', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      me.expectErrors(/status of 400/)
      await typeCard(me, cards.good)
      await page.context().clearCookies()
      await me.press(payButton(page))
      await heading(page, 'This page was out of date')
      await me.look('out-of-date')
      await me.press(page.getByRole('link', { name: 'Open the page again' }))
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).attempts, 1)
  })
}
