/**
 * Somebody gives the business its looks in a real browser, whose forms carry files.
 */
import { describe, it } from 'node:test'
import { pictures } from '../support/pictures.ts'
import { heading, shareWorkingServer } from './browser.ts'
import { byMenu, newPerson } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the page of the business, on a ${screen}`, () => {
    it('takes a logo and a colour, and says what is no logo', async () => {
      const server = await shareWorkingServer()
      const one = await newPerson(server, screen)
      const { page } = one
      const logo = page.getByLabel(/^Logo/)
      await byMenu(one, screen, 'Business')
      await heading(page, 'Business')
      await page.getByLabel(/^Name/).first().fill('Ada’s Bakery and Confectionery of Ikeja')
      await page.getByLabel('Colour').fill('#0a5c36')
      await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: pictures.png })
      await one.button('Save')
      await page.getByText('Saved').waitFor()
      await page.getByAltText(/^Logo of Ada/).waitFor()
      await one.look('profile')
      one.expectErrors(/status of 422/)
      await logo.setInputFiles({
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: Buffer.from('<svg onload="x()"/>'),
      })
      await one.button('Save')
      await page.locator('#f-logo-error').waitFor()
      await one.look('profile-refused')
      await one.leave()
      await server.stop()
    })
  })
