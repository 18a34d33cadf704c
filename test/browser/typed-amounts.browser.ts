/**
 * Goal: an amount that a person types in a real browser is the one that is made, as three locales write it. Method: the form of a payment.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { must } from '../support/harness.ts'
import { shareWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

const typed = {
  'fr-FR': { '12,50': 1_250, '1500,50': 150_050, '40,5': 4_050, '1 500,00': 150_000 },
  'en-NG': { '12.50': 1_250, '1500.50': 150_050, '40,5': 4_050, '1,500.00': 150_000 },
  'de-DE': { '12,50': 1_250, '1500,50': 150_050, '40,5': 4_050, '1.500': 150_000 },
}

describe('amounts that are typed at the dashboard', () => {
  it('are made as the locale of the business writes them, or refused with both readings', async () => {
    const server = await shareWorkingServer()
    const person = await newPerson(server, 'desktop')
    const { page } = person
    for (const [locale, amounts] of Object.entries(typed)) {
      await must(server.call('PUT', '/business', { locale }))
      for (const [text, amount] of Object.entries(amounts)) {
        await person.open('/payments/-/new')
        await page.getByLabel('Amount').fill(text)
        await person.button('Create the link')
        await says(page, 'The payment is there.')
        const { docs } = await must(server.call('GET', '/payments?limit=1'))
        assert.equal(docs[0].amount, amount, `${text} in ${locale}`)
      }
    }
    await person.open('/payments/-/new')
    await page.getByLabel('Amount').fill('1,500')
    person.expectErrors(/422/)
    await person.button('Create the link')
    await says(page, '“1,500” can be read as 1.500,00 or as 1,50. Type 1500,00 or 1,50.')
    await person.look('typed-amount')
    await person.leave()
    await server.stop()
  })
})
