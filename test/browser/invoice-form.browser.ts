/**
 * Goal: the form of an invoice shows its total as it is typed, with scripts and without. Method: a
 * real browser; nothing is pressed for the total where scripts run.
 */
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the form of an invoice, on a ${screen}`, () => {
    it('shows the total of what is typed, and makes a new customer in place', async () => {
      const server = await startWorkingServer()
      const merchant = newMerchant(server)
      const person = await newPerson(server, screen)
      const { page } = person
      page.setDefaultTimeout(15_000)
      await person.open('/invoices/-/new')
      const put = (name: string, text: string) => page.locator(`[name="${name}"]`).fill(text)
      await put('new_name', 'Ngozi Bello')
      await put('new_email', 'ngozi@example.com')
      await page.locator('[name=currency]').selectOption('ngn')
      await put('lines.0.name', 'Repair')
      await put('lines.0.amount', '5,000')
      await put('lines.0.quantity', '2')
      await page.locator('#form-total', { hasText: '₦10,000.00' }).waitFor()
      await put('lines.0.discount_bps', '10')
      await page.locator('#form-total', { hasText: '₦9,000.00' }).waitFor()
      await person.look('invoice-form')
      await person.button('Create')
      await says(page, 'Ngozi Bello')
      await person.look('invoice-draft')
      const paid = await merchant.openInvoice()
      await merchant.simulate(paid.payment, 'completed', 'card')
      await person.open(`/invoices/${paid.id}`)
      await person.look('invoice-paid')
      await person.leave()
      await server.stop()
    })
  })
