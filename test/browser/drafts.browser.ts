/**
 * Goal: neither going back nor the end of a session loses what was typed. Method: a real browser
 * goes back from a review and from a result, and loses its session in the middle.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`a form, on a ${screen}`, () => {
    it('is there again after going back, and after signing in again', async () => {
      const server = await startWorkingServer()
      await server.fund('ngn', 10_000_000)
      const person = await newPerson(server, screen)
      const { page } = person
      page.setDefaultTimeout(15_000)
      const amount = page.locator('[name=amount]')
      await person.open('/payouts/-/new')
      await page.locator('[name="destination.bank_code"]').selectOption('058')
      await page.locator('[name="destination.account_number"]').fill('0123456789')
      await amount.fill('1,000')
      await person.button('Continue')
      await says(page, 'What will happen')
      await page.goBack()
      await amount.waitFor()
      assert.equal(await amount.inputValue(), '1,000')
      assert.equal(await page.locator('[name="destination.bank_code"]').inputValue(), '058')
      await person.button('Continue')
      await person.button('Pay out')
      await says(page, 'Payout created.')
      // To the review, whose button makes no second payout, and to the form before it.
      await page.goBack()
      await says(page, 'What will happen')
      await person.button('Pay out')
      await says(page, 'Payout created.')
      assert.equal((await server.call('GET', '/payouts')).data.totalDocs, 1)
      await page.goBack()
      await page.goBack()
      await amount.waitFor()

      await page.locator('[name="destination.bank_code"]').selectOption('058')
      await page.locator('[name="destination.account_number"]').fill('0123456789')
      await amount.fill('2,000')
      await server.app.db.query('delete from person_sessions')
      await person.button('Continue')
      await says(page, 'Your session ended, so nothing was done.')
      await person.look('drafts-signed-out')
      assert.match(decodeURIComponent(page.url()), /next=.*\/payouts\/-\/new/)
      await person.leave()
      await server.stop()
    })
  })
