/**
 * Goal: what cannot be done is said at its field, in money, before there is a button for it; and a
 * new key has only the rights that somebody ticked. Method: forms in a real browser.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`what cannot be done, on a ${screen}`, () => {
    it('is said at the amount before it is confirmed', async () => {
      const server = await startWorkingServer()
      const merchant = newMerchant(server)
      const payment = await merchant.takePayment('card', { amount: 500_000 })
      const person = await newPerson(server, screen)
      const { page } = person
      page.setDefaultTimeout(15_000)
      person.expectErrors(/422/)
      const amount = page.locator('[name=amount]')
      const wrong = page.locator('#f-amount-error')
      const confirm = page.locator('button[value=do]')

      await person.open(`/payments/${payment.id}/refund`)
      await amount.fill('6,000')
      await person.button('Continue')
      await wrong.waitFor()
      assert.match(await wrong.innerText(), /^At most ₦5,000\.00 of this payment/)
      assert.equal(await confirm.count(), 0)
      await person.look('review-refund')

      await person.open('/payouts/-/new')
      await page.locator('[name="destination.bank_code"]').selectOption('058')
      await page.locator('[name="destination.account_number"]').fill('0123456789')
      await amount.fill('900,000')
      await person.button('Continue')
      await wrong.waitFor()
      assert.match(await wrong.innerText(), /^Your NGN wallet has ₦[\d,.]+ available\./)
      assert.equal(await confirm.count(), 0)
      await person.look('review-payout')

      await person.open('/conversions/-/new')
      await amount.fill('900,000')
      await person.button('Continue')
      await wrong.waitFor()
      assert.equal(await confirm.count(), 0)

      await person.open('/keys/-/new')
      assert.equal(await page.locator('input[type=checkbox]:checked').count(), 0)
      assert.equal(await page.getByLabel('Works for').inputValue(), '90')
      await page.getByLabel('What it is for').fill('Till')
      await person.button('Create key')
      await says(page, 'Select at least one.')
      await person.look('review-key')
      await person.leave()
      await server.stop()
    })
  })
