/**
 * Goal: a table has a cell below each head, and a phone cuts no report off. Method: a record with a
 * table of others, and the reports, in a real browser.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { bankPayout } from '../support/harness.ts'
import { thisMonth } from '../support/months.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`tables, on a ${screen}`, () => {
    it('have a cell for each head, and fit', async () => {
      const server = await startWorkingServer()
      const merchant = newMerchant(server)
      await server.fund('ngn', 1_000_000_000)
      const customer = await merchant.addCustomer()
      await merchant.takePayment('card', { customer: customer.id })
      await merchant.payOut(bankPayout('rent', 123_456_789))
      await merchant.payoutEnded('rent')
      const person = await newPerson(server, screen)
      const { page } = person
      const shown = (selector: string) => page.locator(selector).filter({ visible: true }).count()
      await person.open(`/customers/${customer.id}`)
      const [heads, cells] = [
        await shown('.sheet .list th'),
        await shown('.sheet .list tr:first-child td'),
      ]
      assert.ok(cells > 0)
      if (screen === 'desktop') assert.equal(heads, cells)
      await person.look('tables-customer')
      for (const path of [
        '/reports',
        '/reports/fees',
        '/reports/payouts',
        '/reports/settlements',
      ]) {
        await person.open(path)
        await page.locator('main .scroll').first().waitFor()
        const wider = await page.evaluate<number>(
          `Math.max(...[...document.querySelectorAll('main .scroll')].map((one) => one.scrollWidth - one.clientWidth))`,
        )
        assert.ok(wider <= 0, `${path}: ${wider} pixels are cut off`)
        await person.look(`tables${path.replaceAll('/', '-')}`)
      }
      const month = await thisMonth(merchant)
      await merchant.advance('31d')
      await person.open(`/reports?month=${month}`)
      await page.getByRole('link', { name: 'MT940 (SWIFT)' }).first().waitFor()
      await person.look('tables-reports-over')
      await person.leave()
      await server.stop()
    })
  })
