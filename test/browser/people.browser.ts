/**
 * The first owner's way from the link of `npm start` to the home page, in a real browser, on a phone and at a desk.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { inviteFirstOwner } from '../../src/platform/team/team.ts'
import { addressed } from '../dashboard-browser.ts'
import { startServer } from '../harness.ts'
import { goodPassword } from '../people.ts'
import { heading, newPayer, startBrowser } from './browser.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the people of a business, on a ${screen}`, () => {
    let browser: Browser
    before(async () => {
      browser = await startBrowser()
    })
    after(() => browser.close())

    it('come from the link of the first owner to the home page, out, and in again', async () => {
      const server = await startServer()
      const one = await newPayer(browser, screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 4(04|22)/)
      await page.goto(`${server.url}/dashboard/invite/${await inviteFirstOwner(server.app)}`)
      await heading(page, 'Become the first owner')
      await one.look('people-first-owner')
      const email = addressed('amara')
      await one.type('E-mail address', email)
      await one.type('Your name', 'Amara Eze')
      await one.type('Password', 'password123')
      await one.press(page.getByRole('button', { name: 'Join' }))
      await page.getByText('Many use this password').waitFor()
      assert.equal(await page.evaluate('document.activeElement.name'), 'password')
      await one.look('people-first-owner-refused')
      await one.type('Password', goodPassword)
      await one.press(page.getByRole('button', { name: 'Join' }))
      await heading(page, 'Home')
      assert.match(page.url(), /\/live$/)
      if (screen === 'phone') await one.press(page.getByRole('link', { name: 'Menu', exact: true }))
      await one.press(page.getByRole('button', { name: 'Sign out' }))
      await heading(page, 'Sign in')
      await one.look('people-sign-in')
      await one.type('E-mail address', email)
      await one.type('Password', 'not the password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await one.look('people-sign-in-wrong')
      assert.equal(await page.getByLabel('E-mail address').inputValue(), email)
      await one.type('Password', goodPassword)
      await page.keyboard.press('Enter')
      await heading(page, 'Home')
      await one.leave()
      await server.stop()
    })

    it('are told what to do where they cannot come in', async () => {
      const server = await startServer()
      const one = await newPayer(browser, screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 404/)
      await page.goto(`${server.url}/dashboard/invite/${'x'.repeat(43)}`)
      await heading(page, 'This link is not good any more')
      await one.look('people-link-over')
      await page.goto(`${server.url}/dashboard`)
      await one.press(page.getByRole('link', { name: 'Forgot your password?' }))
      await heading(page, 'Set a new password')
      await one.look('people-reset-unmailed')
      await one.leave()
      await server.stop()
    })
  })
