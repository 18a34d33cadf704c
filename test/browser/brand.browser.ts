/**
 * What payers see of a business beside its name, in colours that are hard to read, with a name that
 * has no end.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makePng, pictures } from '../support/pictures.ts'
import { heading } from './browser.ts'
import { describeCheckout, newMerchant } from './checkout.ts'

const contacts = {
  support_email: 'help@zuma.example',
  support_phone: '+2348012345678',
  terms_url: 'https://zuma.example/terms',
  tax_id: '12345678-0001',
  registration_number: 'RC 1234567',
  address: {
    line1: '12 Allen Avenue',
    city: 'Ikeja',
    state: 'Lagos',
    postal_code: '100271',
    country: 'ng',
  },
}

describeCheckout('the looks of a business', ({ payer }) => {
  for (const [name, look] of [
    ['green', { color: '#0a5c36', logo: pictures.png.toString('base64') }],
    ['yellow', { color: '#ffcc00', logo: pictures.webp.toString('base64') }],
    ['black', { color: '#000000', logo: makePng({ width: 1_024, height: 32 }).toString('base64') }],
    ['endless', { color: '#777777', name: 'W'.repeat(200), registration_number: 'R'.repeat(50) }],
  ] as const)
    it(`can be read: ${name}`, async () => {
      const { ask, open } = await newMerchant()
      await ask('PUT', '/business', { ...contacts, ...look })
      const payment = await open({ methods: ['card', 'bank_transfer'] })
      await payer(payment.checkout_url, async (me, page) => {
        await page.getByText('help@zuma.example').waitFor()
        if ('logo' in look) {
          const wide = await page.evaluate<number>(
            `document.querySelector('img.logo').naturalWidth`,
          )
          assert.ok(wide > 0, 'the logo was not loaded')
        }
        await me.look(`brand-${name}`)
        await me.press(page.getByRole('link', { name: /^Card/ }))
        await heading(page, 'Pay by card')
        await me.look(`brand-${name}-card`)
      })
    })
})
