/**
 * A standing payout in a real browser, on a phone and at a desk: set up, looked at, paused and
 * resumed.
 */
import { describe, it } from 'node:test'
import { ownAccount } from '../support/approvers.ts'
import { heading, shareWorkingServer } from './browser.ts'
import { byMenu, newPerson, says } from './dashboard.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`standing payouts, on a ${screen}`, () => {
    it('are set up by seeing what will happen, and paused and resumed by a press', async () => {
      const server = await shareWorkingServer()
      await server.fund('ngn', 10_000_000)
      const { id } = await ownAccount(server)
      const person = await newPerson(server, screen, 'finance')
      const { page } = person
      await byMenu(person, screen, 'Standing payouts')
      await person.link('New standing payout')
      await person.link('Monthly')
      await page.getByLabel('To', { exact: true }).selectOption(id)
      await page.getByLabel('On day').fill('31')
      await page.getByLabel('Keep in the wallet').fill('40,000')
      await person.look('standing-new')
      await person.button('Continue')
      await says(page, /If it ran now/)
      await person.look('standing-review')
      await person.button('Begin it')
      await heading(page, 'Every month on day 31 at 06:00')
      await says(page, /a run would pay nothing/)
      await server.app.db.query('update beneficiaries set usable_from = created_at')
      await server.call('POST', '/test/clock', { advance: '62d' })
      await page.reload()
      await says(page, '₦60,000.00')
      await person.look('standing')
      await person.link('Pause')
      await heading(page, 'Pause')
      await person.look('standing-pause')
      await person.button('Pause it')
      await says(page, 'Standing payout paused.')
      await person.link('Resume')
      await heading(page, 'Resume')
      await person.button('Resume it')
      await says(page, 'Standing payout resumed.')
      await page.goto(`${server.url}${person.base}/payout-schedules`)
      await person.look('standing-list')
      await server.fund('ngn', 100_000)
      await page.goto(server.url + person.base)
      await says(page, /Standing payout: ₦1,000\.00/)
      await person.look('standing-home')
      await person.leave()
      await server.stop()
    })
  })
