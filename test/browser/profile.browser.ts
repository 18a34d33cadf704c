/**
 * Somebody gives the business its looks in a real browser, whose forms carry files.
 */
import { after, before, describe, it } from 'node:test'
import type { Browser } from 'playwright-core'
import { startServer } from '../support/harness.ts'
import { pictures } from '../support/pictures.ts'
import { heading, startBrowser } from './browser.ts'
import { byMenu, newPerson } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the page of the business, on a ${screen}`, () => {
    let browser: Browser
    before(async () => {
      browser = await startBrowser()
    })
    after(() => browser.close())

    it('takes a logo and a colour, and says what is no logo', async () => {
      const server = await startServer()
      const one = await newPerson(server, browser, screen)
      const { page } = one
      const logo = page.getByLabel(/^Logo/)
      await byMenu(one, screen, 'Business')
      await heading(page, 'Business')
      await page.getByLabel(/^Name/).first().fill('Ada’s Bakery and Confectionery of Ikeja')
      await page.getByLabel('Colour').fill('#0a5c36')
      await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pictures.png })
      await one.button('Save')
      await page.getByText('It is saved').waitFor()
      await page.getByAltText(/^Logo of Ada/).waitFor()
      await one.look('profile')
      one.expectErrors(/status of 422/)
      await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('<svg onload="x()"/>') })
      await one.button('Save')
      await page.locator('#f-logo-error').waitFor()
      await one.look('profile-refused')
      await one.leave()
      await server.stop()
    })
  })
