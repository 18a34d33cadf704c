/**
 * What a payer reads and is told, whatever they pay by: at once, and when it changes while the page
 * is open.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { heading } from './browser.ts'
import {
  cards,
  changedByItself,
  delay,
  describeCheckout,
  isMarked,
  mark,
  newMerchant,
  payButton,
  payByCard,
  server,
  shop,
  typeCard,
} from './checkout.ts'

describeCheckout('the page of the hosted checkout', ({ newPayer, payer, screen }) => {
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
    const payment = await open({
      methods: ['card'],
      expires_at: new Date(now + 29 * 86_400_000).toISOString(),
    })
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
        assert.deepEqual(await page.locator('.outcomes button').allTextContents(), [
          'Fail',
          'Run out of time',
        ])
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
      const other = await newPayer()
      await other.page.goto(`${payment.checkout_url}?method=bank_transfer`)
      await other.press(other.page.getByRole('button', { name: 'Show account details' }))
      await heading(other.page, /Send exactly/)
      const { docs } = await ask('GET', '/virtual-accounts')
      await ask('POST', `/virtual-accounts/${docs[0].id}/simulate-deposit`, { amount: 100_000 })
      await page.getByRole('button', { name: 'Pay ₦4,000.00' }).waitFor()
      assert.ok(await isMarked(page))
      assert.equal(
        await page.getByLabel('Card number', { exact: true }).inputValue(),
        '4242 4242 4242 4242',
      )
      await me.look('card-partly-paid')
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
      await heading(other.page, 'Payment complete')
      await other.leave()
    })
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

  it('is kept up to date where event streams do not come through', async () => {
    const { ask, open } = await newMerchant()
    const payment = await open()
    const me = await newPayer()
    me.expectErrors(/ERR_FAILED/)
    await me.page.route(/\/events(\?|$)/, (route) => route.abort())
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
    const me = await newPayer()
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

  it('finds nothing under an address that leads nowhere', async () => {
    const me = await newPayer()
    me.expectErrors(/status of 404/)
    await me.page.goto(`${server.url}/pay/${'x'.repeat(24)}`)
    await heading(me.page, /find this page/)
    await me.look('not-found')
    await me.leave()
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
})
