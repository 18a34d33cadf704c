/**
 * Paying a collection: what it asks, and what the next payer finds.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { heading } from './browser.ts'
import {
  cards,
  describeCheckout,
  newMerchant,
  payButton,
  payByCard,
  shop,
  typeCard,
} from './checkout.ts'

describeCheckout('collections at the hosted checkout', ({ newPayer, payer }) => {
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
    const second = await newPayer(shop.url)
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
    const first = await newPayer()
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
    const collection = await ask('POST', '/collections', {
      name: 'Choir dues',
      currency: 'ngn',
      amount: 250_000,
    })
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
})
