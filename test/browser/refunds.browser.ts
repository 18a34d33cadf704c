/**
 * The pages of refunds that wait, and of sellers' shares before they are paid, in a real browser,
 * on a phone and at a desk.
 */
import { describe, it } from 'node:test'
import { ada, bankAccount, newMerchant } from '../support/actors.ts'
import { signedIn } from '../support/dashboard.ts'
import { must, until } from '../support/harness.ts'
import { operatorOf } from '../support/operators.ts'
import { half, newSharingMerchant } from '../support/sharing.ts'
import { heading, newPayer, startWorkingServer } from './browser.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`refunds and shares, on a ${screen}`, () => {
    it('say where money goes, and why it waits', async () => {
      const server = await startWorkingServer({ SANDBOX_DELAY: '1h' })
      await server.fund('ngn', 100_000_000)
      const merchant = newMerchant(server, { price: 500_000 })
      const operator = await operatorOf(server)
      const boss = await signedIn(server, 'owner', 'test', { name: 'Obi Eze' })
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      const [name = '', value = ''] = boss.cookie.split('=')
      await page.context().addCookies([{ name, value, url: server.url }])

      const account_number = '0123456703'
      const paid = await merchant.takeTransfer({ ...ada, account_number })
      await must(
        operator('POST', '/operator/screening/entries', {
          type: 'account',
          kind: 'block',
          value: account_number,
        }),
      )
      const held = await merchant.refund(paid)
      await until(async () => (await merchant.ask('GET', `/refunds/${held.data.id}`)).review)
      await page.goto(`${server.url}${boss.base}/refunds/${held.data.id}`)
      await page.getByText('Held by screening').first().waitFor()
      await one.look('refund-held')

      const destination = bankAccount('0123456701')
      const { data } = await merchant.refund(await merchant.takeTransfer(ada), { destination })
      await page.goto(`${server.url}${boss.base}/refunds/${data.id}`)
      await page.getByText('See the payout').waitFor()
      await one.look('refund-elsewhere')

      const sharing = newSharingMerchant(server)
      const plan = await sharing.makePlan([...half, { name: 'Bola', percentage_bps: 1_000 }])
      await sharing.sell([plan, 100_000, 1])
      const shares = [...half, { name: 'Bola', percentage_bps: 1_000, destination }]
      await merchant.ask('PUT', `/distributions/${plan.id}`, { shares })
      await page.goto(`${server.url}${boss.base}/distributions/${plan.id}`)
      await one.look('distribution-shares')
      await one.press(page.getByRole('link', { name: 'Pay out shares' }))
      await heading(page, 'Pay out shares')
      await page.getByText('can be used from').waitFor()
      await one.look('distribution-settle')
      await one.leave()
      await server.stop()
    })
  })
