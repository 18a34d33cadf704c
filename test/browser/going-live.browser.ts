/**
 * Goal: who wants to go live finds each step, its state and its page of the docs on the home page,
 * and no form lets them type what cannot work. Method: a server without rails, in a real browser.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`going live, on a ${screen}`, () => {
    it('shows the steps, leads to the docs, and stops at forms that cannot work', async () => {
      const server = await startWorkingServer()
      const person = await newPerson(server, screen)
      const { page } = person
      await person.link('See what it needs')
      const list = page.getByRole('region', { name: 'Going live' })
      await list.waitFor()
      const step = list.getByRole('listitem').filter({ hasText: 'Connect a provider or a network' })
      await step.getByText('To do', { exact: true }).waitFor()
      await person.look('going-live')
      await person.press(step.getByRole('link', { name: /^How to/ }))
      await page.getByRole('heading', { name: 'From an account at Paystack' }).waitFor()
      assert.match(page.url(), /\/docs\/live#from-an-account-at-paystack/)
      await page.goBack()
      await person.press(list.getByRole('link', { name: 'Edit profile' }))
      await page.getByRole('heading', { level: 1, name: 'Business' }).waitFor()

      const live = server.url + person.base.replace(/test$/, 'live')
      await page.goto(`${live}/payouts/-/new`)
      await says(page, 'This does not work on this server yet.')
      await says(page, 'No rail for payouts in ngn is configured in live mode on this server.')
      assert.equal(await page.locator('main form').count(), 0)
      await person.look('form-blocked')
      await person.link('Back')
      await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor()
      await person.leave()
      await server.stop()
    })
  })
