/**
 * Paying by card: what a card can do, what is charged, and how often it can be tried.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Page } from 'playwright-core'
import { heading } from './browser.ts'
import {
  cards,
  changedByItself,
  delay,
  describeCheckout,
  mark,
  newMerchant,
  payButton,
  payByCard,
  server,
  shop,
  typeCard,
} from './checkout.ts'

const isWrong = async (page: Page, label: string | RegExp): Promise<boolean> =>
  (await page.getByLabel(label, { exact: true }).getAttribute('aria-invalid')) === 'true'

describeCheckout('cards at the hosted checkout', ({ payer, screen }) => {
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
      assert.equal(
        await page.getByLabel('Card number', { exact: true }).inputValue(),
        '4242 4242 4242 4242',
      )
      assert.equal(await page.getByLabel(/^Expiry/).inputValue(), '12/34')
      await me.look('card-filled')
      // The page goes on to the shop by itself, however long it is looked at.
      const looked = Promise.withResolvers<void>()
      await page.route(`${shop.url}/**`, async (route) => {
        await looked.promise
        await route.continue()
      })
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
      await me.look('completed-to-shop')
      looked.resolve()
      // On the phone the payer waits to be taken there.
      if (screen === 'desktop')
        await me.press(page.getByRole('link', { name: 'Return to Zuma Books' }))
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
      const sent: string[] = []
      page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
      await typeCard(me, '4242424242424241', '0120', '12')
      await me.press(payButton(page))
      await page.getByText('A digit of this number is wrong.').waitFor()
      for (const label of ['Card number', /^Expiry/, 'Security code'])
        assert.equal(await isWrong(page, label), true, String(label))
      assert.equal(await page.evaluate('document.activeElement.id'), 'number')
      await me.look('card-invalid')
      assert.deepEqual(sent, [])
      await payByCard(me, cards.good)
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).attempts, 1)
  })

  it('mends one wrong digit without typing anything else again', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await typeCard(me, '4242424242424241')
      // Said on the way to the next field already.
      assert.equal(await isWrong(page, 'Card number'), true)
      const number = page.getByLabel('Card number', { exact: true })
      assert.equal(await number.getAttribute('aria-describedby'), 'number-error')
      await me.press(payButton(page))
      assert.equal(await page.evaluate('document.activeElement.id'), 'number')
      await number.press('End')
      await number.press('Backspace')
      await number.press('2')
      assert.equal(await isWrong(page, 'Card number'), false)
      assert.equal(await page.getByRole('alert').count(), 0)
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
    })
    assert.equal((await read(payment.id)).attempts, 1)
  })

  it('keeps the expiry date of a wrong card without the script, and asks for the rest again', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(
      payment.checkout_url,
      async (me, page) => {
        me.expectErrors(/status of 400/)
        await typeCard(me, '4242424242424241', '12/34')
        await me.press(payButton(page))
        await page.getByText('A digit of this number is wrong.').waitFor()
        assert.equal(await page.evaluate('document.activeElement.id'), 'number')
        const values = ['Card number', /^Expiry/, 'Security code'].map((label) =>
          page.getByLabel(label, { exact: true }).inputValue(),
        )
        assert.deepEqual(await Promise.all(values), ['', '12/34', ''])
        await me.look('plain-card-invalid')
        await me.type('Card number', cards.good)
        await me.type('Security code', '123')
        await me.press(payButton(page))
        await heading(page, 'Payment complete')
      },
      { script: false },
    )
    assert.equal((await read(payment.id)).attempts, 1)
  })

  it('is declined for good', async () => {
    const { open, payment: read } = await newMerchant()
    const payment = await open({ methods: ['card'], redirect_url: `${shop.url}/thanks` })
    await payer(payment.checkout_url, async (me, page) => {
      await payByCard(me, cards.fraudulent)
      await heading(page, 'Payment failed')
      await me.look('failed')
      const back = await page
        .getByRole('link', { name: 'Return to Zuma Books' })
        .getAttribute('href')
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

  it('fills in a test card', async () => {
    const { open } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      await me.press(page.getByRole('button', { name: 'Use test card 4242 4242 4242 4242' }))
      await me.press(payButton(page))
      await heading(page, 'Payment complete')
    })
  })

  it('sees the brand of the number while it is typed, which is sent nowhere', async () => {
    const { open } = await newMerchant()
    const payment = await open({ methods: ['card'] })
    await payer(payment.checkout_url, async (me, page) => {
      const lit = () =>
        page.evaluate<string[]>(
          `[...document.querySelectorAll('.brands li:not(.other) svg')].map((el) => el.ariaLabel)`,
        )
      assert.deepEqual(await lit(), ['Visa', 'Mastercard', 'Verve'])
      const asked: string[] = []
      page.on('request', (request) => void asked.push(request.url()))
      const number = page.getByLabel('Card number', { exact: true })
      for (const [typed, brands] of [
        ['4', ['Visa']],
        ['55', ['Mastercard']],
        ['2', ['Visa', 'Mastercard', 'Verve']],
        ['22', ['Mastercard']],
        ['5060', ['Verve']],
        ['9', ['Visa', 'Mastercard', 'Verve']],
      ] as const) {
        await number.fill('')
        await me.type('Card number', typed)
        assert.deepEqual(await lit(), brands, typed)
      }
      assert.deepEqual(asked, [])
      await number.fill('5060')
      await me.look('card-brand')
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

  it('charges once, however often Pay is pressed', async () => {
    const { open, payment: read, receipts } = await newMerchant()
    const ways: { script: boolean; pay(page: Page): Promise<unknown> }[] = [
      { script: true, pay: (page) => payButton(page).dblclick() },
      { script: false, pay: (page) => payButton(page).dblclick() },
      {
        script: true,
        pay: (page) =>
          page.evaluate(
            `for (let i = 0; i < 2; i++) document.querySelector('form[action$="/card"]').requestSubmit()`,
          ),
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
      await keyboard.type(cards.good)
      assert.match(await next(), /^Expiry/)
      await keyboard.type('1234')
      assert.match(await next(), /^Security code/)
      await keyboard.type('123')
      assert.match(await next(), /^Pay ₦/)
      await keyboard.press('Enter')
      await heading(page, 'Payment complete')
    })
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
})
