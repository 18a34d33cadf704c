/**
 * Who looks after the installation, in a real browser, on a phone and at a desk: makes a business,
 * prices it and suspends it.
 */
import { describe, it } from 'node:test'
import { openIncident } from '../../src/platform/incidents/incidents.ts'
import { bankPayout, must, until } from '../support/harness.ts'
import { signIn } from '../support/people.ts'
import { heading, newPayer, startWorkingServer } from './browser.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the operator, on a ${screen}`, () => {
    it('makes a plan and a business, and suspends it, which its people see', async () => {
      const server = await startWorkingServer()
      const incident = await openIncident(server.app.db, {
        livemode: true,
        rail: 'paystack',
        kind: 'quarantined',
        subject: 'payout of November',
        detail: { reference: 'po-1' },
        at: server.app.clock.now(),
      })
      const { call } = server
      const ada = { first_name: 'Ada', last_name: 'Okafor', email: 'ada@example.com' }
      const { id: customer } = await must(call('POST', '/customers', ada))
      await must(
        call('POST', `/customers/${customer}/documents`, {
          id_type: 'passport',
          id_number: 'A00000021',
        }),
      )
      await must(
        server.call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }),
      )
      await must(server.call('POST', '/payouts', bankPayout('rent', 100_000)))
      const listed = { bank_code: '058', account_number: '0000000011' }
      await must(
        server.call('POST', '/payouts', bankPayout('held-1', 200_000, { destination: listed })),
      )
      await until(async () => (await must(server.call('GET', '/payouts/held-1'))).review !== null)
      const account = await must(call('POST', '/virtual-accounts', { customer, currency: 'ngn' }))
      const sender = { ...listed, account_name: 'Obi Eze' }
      await must(
        call('POST', `/virtual-accounts/${account.id}/simulate-deposit`, {
          amount: 345_600,
          sender,
        }),
      )
      const { headers } = await signIn(server, 'owner', { installationOwner: true })
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 404/)
      const [name = '', value = ''] = headers.cookie.split('=')
      await page.context().addCookies([{ name, value, url: server.url }])
      const press = (role: 'link' | 'button', text: string) =>
        one.press(page.getByRole(role, { name: text }).first())

      await page.goto(`${server.url}/dashboard/operator/plans`)
      await press('link', 'New plan')
      await one.type('Name', 'Growth')
      await one.look('operator-plan-new')
      await press('button', 'Make the plan')
      await page.getByText('Plan created.').waitFor()
      await one.look('operator-plan')
      await press('link', 'New version')
      await press('button', 'Continue')
      await heading(page, 'New version')
      await one.look('operator-version')

      await page.goto(`${server.url}/dashboard/operator/businesses`)
      await press('link', 'New business')
      await one.type('Name', 'Ada’s Bakery')
      await page.getByLabel('Plan').selectOption({ label: 'Growth' })
      await press('button', 'Make the business')
      await page.getByText('Business created.').waitFor()
      await one.look('operator-business-made')
      await press('link', 'I have kept it')
      await heading(page, 'Ada’s Bakery')
      await page.getByText('Plans', { exact: true }).last().waitFor()
      await one.look('operator-business')

      await press('link', 'Change its limits')
      await page.getByLabel('One payout at most').first().fill('500000')
      await one.look('operator-limits')
      await press('button', 'Continue')
      await page.getByText('What will happen').waitFor()
      await one.look('operator-limits-foreseen')
      await press('button', 'Change its limits')
      await page.getByText('Limits updated.').waitFor()
      await one.look('operator-limits-set')

      await page.goto(`${server.url}/dashboard/operator/businesses`)
      await one.look('operator-businesses')
      await page.goto(`${server.url}/dashboard/operator/businesses/${server.businessId}/suspend`)
      await page.getByLabel('Why').fill('We wait for your papers.')
      await press('button', 'Continue')
      await page.getByText('What will happen').waitFor()
      await one.look('operator-suspend')
      await press('button', 'Suspend')
      await page.getByText('Business suspended.').waitFor()
      await page.goto(`${server.url}/dashboard/${server.businessId}/live`)
      await page.getByText('We wait for your papers.').waitFor()
      await one.look('operator-suspended-home')
      await page.goto(`${server.url}/dashboard/operator/documents`)
      await one.look('operator-documents')
      await press('link', 'Passport')
      await one.look('operator-document')
      await press('link', 'Show the number')
      await press('button', 'Show the number')
      await page.getByText('A00000021').waitFor()
      await one.look('operator-document-number')
      await page.goto(`${server.url}/dashboard/operator/documents`)
      await press('link', 'Passport')
      await press('link', 'Reject')
      await page.getByLabel('Why').selectOption('mismatch')
      await one.look('operator-document-reject')
      await press('button', 'Continue')
      await press('button', 'Reject')
      await page.getByText('Document rejected.').waitFor()
      await one.look('operator-document-rejected')

      await page.goto(`${server.url}/dashboard/operator/reviews`)
      await one.look('operator-reviews')
      await press('link', 'held-1')
      await one.look('operator-review')
      await press('link', 'Refuse')
      await one.look('operator-review-refuse')
      await press('button', 'Continue')
      await press('button', 'Refuse')
      await page.getByText('It is refused.').waitFor()
      await one.look('operator-review-refused')
      await page.goto(`${server.url}/dashboard/operator/reviews`)
      await press('link', '3,456.00')
      await one.look('operator-review-deposit')
      await press('link', 'Refuse')
      await press('button', 'Continue')
      await page.getByText('It stays on hold').waitFor()
      await one.look('operator-review-deposit-refuse')
      await press('button', 'Refuse')
      await page.getByText('It is refused.').waitFor()
      await one.look('operator-review-deposit-refused')
      await press('link', 'Release after all')
      await press('button', 'Continue')
      await page.getByText('is credited, and pays').waitFor()
      await one.look('operator-review-deposit-release')
      await press('button', 'Release after all')
      await page.getByText('It is released.').waitFor()
      await one.look('operator-review-deposit-released')

      await page.goto(`${server.url}/dashboard/operator/keys`)
      await one.look('operator-keys')
      await page.goto(`${server.url}/dashboard/operator/earnings?mode=test`)
      await one.look('operator-earnings')
      await page.goto(`${server.url}/dashboard/operator/ledger-verifications`)
      await press('link', 'Verify the ledger')
      await page.getByText('What will happen').waitFor()
      await one.look('operator-verify')
      await press('button', 'Verify the ledger')
      await page.getByText('All agrees.').waitFor()
      await page.getByText('What came since the ledger was closed on').waitFor()
      await one.look('operator-verified')
      for (const path of ['health', 'rails', 'incidents', 'queues', 'audit-log']) {
        await page.goto(`${server.url}/dashboard/operator/${path}`)
        await one.look(`operator-${path}`)
      }
      await page.goto(`${server.url}/dashboard/operator/incidents/${incident}`)
      await one.look('operator-incident')
      await press('link', 'Close')
      await page.getByLabel('What was found or done').fill('The provider has mended it.')
      await press('button', 'Continue')
      await press('button', 'Close')
      await page.getByText('Incident closed.').waitFor()
      await one.leave()
      await server.stop()
    })
  })
