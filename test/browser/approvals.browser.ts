/**
 * Two people and a payout above a limit, in a real browser, on a phone and at a desk: one has made
 * it, the other approves it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyWith } from '../support/approvers.ts'
import { signedIn } from '../support/dashboard.ts'
import { bankPayout, must } from '../support/harness.ts'
import { heading, newPayer, shareWorkingServer } from './browser.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`payouts above a limit, on a ${screen}`, () => {
    it('are approved by a second person, alone and several at once', async () => {
      const server = await shareWorkingServer({ SANDBOX_DELAY: '1h' })
      await server.fund('ngn', 100_000_000)
      const boss = await signedIn(server, 'owner', 'test', { name: 'Obi Eze' })
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 404/)
      const [name = '', value = ''] = boss.cookie.split('=')
      await page.context().addCookies([{ name, value, url: server.url }])

      await page.goto(`${server.url}${boss.base}/limits`)
      await heading(page, 'Limits')
      await one.type('Approve one payout above, NGN', '500,000')
      await one.look('limits')
      await one.press(page.getByRole('button', { name: 'Save' }))
      await page.getByText('Limits updated').waitFor()

      const payer = await keyWith(server, ['payout', 'read'])
      for (const [i, amount] of [60_000_000, 5_100_000, 5_200_000, 5_300_000].entries())
        await must(payer.call('POST', '/payouts', bankPayout(`rent-${i}`, amount)))
      await must(
        server.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 0 }] }),
      )
      for (const reference of ['wage-1', 'wage-2'])
        await must(payer.call('POST', '/payouts', bankPayout(reference, 5_000_000)))

      await page.goto(`${server.url}${boss.base}/payouts/rent-0`)
      await one.look('approvals-payout')
      await one.press(page.getByRole('link', { name: 'Approve' }))
      await heading(page, 'Approve')
      await one.look('approvals-confirm')
      await one.press(page.getByRole('button', { name: 'Approve and send' }))
      await page.getByText('You have approved the payout').waitFor()

      await page.goto(`${server.url}${boss.base}/approvals`)
      await heading(page, 'Approvals')
      for (const reference of ['wage-1', 'wage-2'])
        await page.locator(`input[name="pick.${reference}"]`).check()
      await one.look('approvals-list')
      await one.press(page.getByRole('button', { name: 'Approve selected' }))
      await heading(page, 'Approve 2 payouts')
      await one.look('approvals-several')
      await one.press(page.getByRole('button', { name: 'Approve and send' }))
      await page.getByText('2 payouts of ₦100,000.00 are approved').waitFor()
      const { docs } = await must(server.call('GET', '/payouts?approval=approved'))
      assert.deepEqual(docs.map(({ reference }: { reference: string }) => reference).sort(), [
        'rent-0',
        'wage-1',
        'wage-2',
      ])
      await one.leave()
      await server.stop()
    })

    it('are limited until a second owner confirms a change that loosens limits', async () => {
      const server = await shareWorkingServer()
      const [boss, mate] = [
        await signedIn(server, 'owner', 'live'),
        await signedIn(server, 'owner', 'live'),
      ]
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      const become = async ({ cookie }: typeof boss) => {
        const [name = '', value = ''] = cookie.split('=')
        await page.context().addCookies([{ name, value, url: server.url }])
      }
      const hours = {
        approval_hours: '24',
        beneficiary_cooling_off_hours: '24',
        payouts_by_key: 'any',
      }
      for (const [i, amount] of ['500000', '800000'].entries())
        await boss.post('/limits', {
          key: `page-00000000000000000000000${i}`,
          ...hours,
          'ngn.approve_above': amount,
        })
      await become(boss)
      await page.goto(`${server.url}${boss.base}/limits`)
      await page.getByRole('button', { name: 'Cancel change' }).waitFor()
      await one.look('limits-waiting')
      await become(mate)
      await page.goto(`${server.url}${boss.base}/limits`)
      await one.look('limits-to-confirm')
      await one.press(page.getByRole('button', { name: 'Confirm change' }))
      await page.getByText('You confirmed the change').waitFor()

      for (const required of ['yes', 'no']) await boss.post('/team/second-factor', { required })
      await page.goto(`${server.url}${boss.base}/team`)
      await page.getByRole('button', { name: 'Confirm change' }).waitFor()
      await one.look('team-to-confirm')
      await one.leave()
      await server.stop()
    })
  })
