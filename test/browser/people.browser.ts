/**
 * The first owner's way from the link of `npm start` to the home page, in a real browser, on a
 * phone and at a desk.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inviteFirstOwner } from '../../src/platform/team/team.ts'
import { addressed } from '../support/dashboard-browser.ts'
import { codeAt, goodPassword, signIn } from '../support/people.ts'
import { heading, newPayer, startWorkingServer } from './browser.ts'

for (const screen of ['phone', 'desktop'] as const)
  describe(`the people of a business, on a ${screen}`, () => {
    it('come from the link of the first owner to the home page, out, and in again', async () => {
      const server = await startWorkingServer()
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 4(04|22)/)
      await page.goto(`${server.url}/dashboard/invite/${await inviteFirstOwner(server.app)}`)
      await heading(page, 'Become the first owner')
      await one.look('people-first-owner')
      const email = addressed('amara')
      await one.type('Email address', email)
      await one.type('Your name', 'Amara Eze')
      await one.type('Password', 'password123')
      await one.press(page.getByRole('button', { name: 'Join' }))
      await page.getByText('Many use this password').waitFor()
      assert.equal(await page.evaluate('document.activeElement.name'), 'password')
      await one.look('people-first-owner-refused')
      await one.type('Password', goodPassword)
      await one.press(page.getByRole('button', { name: 'Join' }))
      await heading(page, 'Home')
      assert.match(page.url(), /\/test$/)
      if (screen === 'phone') await one.press(page.getByRole('link', { name: 'Menu', exact: true }))
      await page.getByRole('button', { name: /Account, mode and businesses/ }).click()
      await one.press(page.getByRole('button', { name: 'Sign out' }))
      await heading(page, 'Sign in')
      await one.look('people-sign-in')
      await one.type('Email address', email)
      await one.type('Password', 'not the password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      await one.look('people-sign-in-wrong')
      assert.equal(await page.getByLabel('Email address').inputValue(), email)
      await one.type('Password', goodPassword)
      await page.keyboard.press('Enter')
      await heading(page, 'Home')
      await one.leave()
      await server.stop()
    })

    it('look after their account and their team', async () => {
      const server = await startWorkingServer()
      const { headers, email } = await signIn(server, 'owner', { name: 'Amara Eze' })
      await signIn(server, 'finance', {
        name: 'Bartholomew Chukwuemeka-Oyelaran',
        email: 'bartholomew@a-long-name.example',
      })
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 40[34]/)
      const [name = '', value = ''] = headers.cookie.split('=')
      await page.context().addCookies([{ name, value, url: server.url }])
      const base = `${server.url}/dashboard/${server.businessId}/test`
      await page.goto(`${base}/team/invite`)
      await heading(page, 'Confirm that it is you')
      await one.look('people-confirm')
      await one.press(page.getByRole('link', { name: 'Your account' }).last())
      await page.getByText(email).first().waitFor()
      await one.look('people-account')
      await one.press(page.getByRole('button', { name: 'Set up an app' }))
      await heading(page, 'Set up an authenticator app')
      await one.look('people-authenticator')
      const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
      await one.type('Code from the app', codeAt(secret, server.app.clock.now()))
      await one.press(page.getByRole('button', { name: 'Turn it on' }))
      await heading(page, 'Your recovery codes')
      await one.look('people-recovery-codes')
      await one.press(page.getByRole('button', { name: 'Copy codes' }))
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      await one.press(page.getByRole('link', { name: 'I have saved them' }))
      await page.getByText('10 recovery codes are left').waitFor()
      await page.goto(`${base}/team`)
      await heading(page, 'Team')
      await one.press(page.getByRole('link', { name: 'Invite' }))
      await one.type('Email address', 'new@shop.example')
      await one.look('people-invite')
      await one.press(page.getByRole('button', { name: 'Create a link' }))
      await heading(page, 'Invitation link')
      await one.look('people-invite-link')
      await one.press(page.getByRole('link', { name: 'Back to the team' }))
      await page.getByText('new@shop.example').waitFor()
      await one.look('people-team')
      await one.press(page.getByRole('link', { name: 'Bartholomew' }))
      await heading(page, 'Bartholomew Chukwuemeka-Oyelaran')
      await one.look('people-member')
      await one.leave()
      await server.stop()
    })

    it('are told what to do where they cannot come in', async () => {
      const server = await startWorkingServer()
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      one.expectErrors(/status of 404/)
      await page.goto(`${server.url}/dashboard/invite/${'x'.repeat(43)}`)
      await heading(page, 'This link has expired or was used')
      await one.look('people-link-over')
      await page.goto(`${server.url}/dashboard`)
      await one.press(page.getByRole('link', { name: 'Forgot your password?' }))
      await heading(page, 'Set a new password')
      await one.look('people-reset-unmailed')
      await one.leave()
      await server.stop()
    })
  })
