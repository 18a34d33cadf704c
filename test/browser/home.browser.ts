/**
 * Goal: the home page says what leaves and what arrives, and lists what needs attention until
 * somebody has dealt with it. Method: one of each is made by the API and by the test clock, then a
 * person in a real browser looks at it and deals with it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bankAccount, newMerchant } from '../support/actors.ts'
import { until } from '../support/harness.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the home page, on a ${screen}`, () => {
    it('says what is on hold and what arrives, apart', async () => {
      const server = await startWorkingServer()
      server.leaveBooksUnverified()
      const merchant = newMerchant(server)
      await server.fund('ngn', 10_000_000)
      await merchant.ask('PUT', '/limits', {
        currencies: [{ currency: 'ngn', approve_above: 1_000_000 }],
      })
      const destination = bankAccount()
      const order = { currency: 'ngn', method: 'bank_transfer', destination }
      await merchant.payOut({ ...order, reference: 'rent', amount: 2_000_000 })
      // As a transfer on a blockchain stands there before it is confirmed.
      await server.app.db.query(
        `insert into transactions select (jsonb_populate_record(t, '{"id": "0123456789abcdef01234567", "direction": "credit", "type": "deposit",
         "method": "crypto", "status": "pending", "amount": 345600, "fee": 0, "related": {}}')).* from transactions t where type = 'payout'`,
      )
      const person = await newPerson(server, screen)
      await says(person.page, '₦20,000.00 on hold for payouts and refunds')
      await says(person.page, '₦3,456.00 arriving: not confirmed yet')
      await person.look('home-pending')
      await person.link('₦20,000.00 on hold for payouts and refunds')
      await person.page.locator('main tbody tr').waitFor()
      await person.leave()
      await server.stop()
    })

    it('lists what needs attention until somebody has dealt with it', async () => {
      const server = await startWorkingServer()
      const merchant = newMerchant(server)
      await server.fund('ngn', 10_000_000)
      const limits = { currencies: [{ currency: 'ngn', approve_above: 1_000_000 }] }
      await merchant.ask('PUT', '/limits', { approval_hours: 24, ...limits })
      const batch = await merchant.create('/payouts/batch', {
        reference: 'wages',
        currency: 'ngn',
        lines: [{ amount: 2_000_000, destination: bankAccount() }],
      })
      await until(async () =>
        (await merchant.ask('GET', '/payouts?approval=waiting')).totalDocs === 1 ? true : null,
      )
      await merchant.simulate(await merchant.openPayment(), 'underpaid', 'bank_transfer')
      const disputed = await merchant.takePayment('bank_transfer')
      await merchant.ask('POST', `/payments/${disputed.id}/simulate-dispute`, { reason: 'Fraud' })
      await merchant.advance('25h')
      await until(async () =>
        (await merchant.ask('GET', '/payouts?status=canceled')).totalDocs === 1 ? true : null,
      )
      await merchant.advance('20d')
      const person = await newPerson(server, screen)
      const { page } = person
      await says(page, 'Nobody approved it in time, so it was canceled.')
      await says(page, /paid of ₦10,000\.00/)
      await says(page, 'Disputes to answer')
      await says(page, /Evidence is due by/)
      await says(page, '20 days ago')
      assert.equal(await page.locator('.needs h3', { hasText: '(1)' }).count(), 3)
      await person.look('home-needs')
      const underpaid = page.locator('.needs li', { hasText: 'Underpaid' })
      await person.press(underpaid.getByRole('button', { name: 'Mark as dealt with' }))
      await says(page, 'Marked as dealt with.')
      assert.equal(await underpaid.count(), 0)
      await says(page, 'Nobody approved it in time')

      await person.open(`/payout-batches/${batch.id}`)
      await says(page, 'Payouts that did not go through')
      await says(page, 'Nobody approved it in time')
      await person.look('batch-canceled')
      await person.leave()
      await server.stop()
    })
  })
