/**
 * Goal: a dispute is answered in a real browser, on a phone and at a desk, and neither Back nor reload
 * sends a form again. Method: a simulated dispute; a refused file first, then evidence.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { must } from '../support/harness.ts'
import { pictures } from '../support/pictures.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson } from './dashboard.ts'

describe('the answer to a dispute', { concurrency: 1 }, () => {
  for (const screen of ['phone', 'desktop'] as const)
    it(`is written and submitted on a ${screen}`, async () => {
      const server = await startWorkingServer()
      const payment = await newMerchant(server).takePayment('card')
      const { id } = await must(server.call('POST', `/payments/${payment.id}/simulate-dispute`, {}))
      const person = await newPerson(server, screen)
      const { page } = person
      person.expectErrors(/422/)
      await person.open(`/disputes/${id}`)
      await person.look('dispute-open')
      await person.open(`/disputes/${id}/evidence`)
      const explanation = page.getByLabel('What was sold and delivered')
      const save = page.getByRole('button', { name: 'Save evidence' })
      const choose = (buffer: Buffer) =>
        page
          .getByLabel('Proof of delivery')
          .setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer })
      await explanation.fill('Three dresses, handed over in the shop.')
      await choose(Buffer.from('no picture'))
      await person.press(save)
      await page.getByText('Proof of delivery is no PDF, PNG or JPEG file').waitFor()
      await page.reload()
      assert.equal(await explanation.inputValue(), 'Three dresses, handed over in the shop.')
      await person.look('dispute-evidence')
      await choose(pictures.png)
      await person.press(save)
      await person.look('dispute-ready')
      await person.press(page.getByRole('link', { name: 'Submit evidence' }))
      await person.look('dispute-submit')
      await person.press(page.locator('main button[name=step][value=do]'))
      await page.getByText('Evidence sent to the provider').waitFor()
      await person.leave()
      await server.stop()
    })
})
