/**
 * A passkey's life in a real browser, whose authenticator is virtual: made, signed in by, asked for
 * after the password, removed.
 */
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { goodPassword, withPassword } from '../support/people.ts'
import { heading, newPayer, startWorkingServer } from './browser.ts'

/**
 * Gives the page's browser an authenticator as phones and laptops have them, and a hand that
 * unlocks it or does not.
 */
async function withAuthenticator(page: Page): Promise<{ unlocks(yes: boolean): Promise<void> }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    async unlocks(isUserVerified) {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}

for (const screen of ['phone', 'desktop'] as const)
  describe(`passkeys, on a ${screen}`, () => {
    it('are made, sign in, are asked for after the password, and are removed', async () => {
      const server = await startWorkingServer()
      const { email } = await withPassword(server)
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      const press = (role: 'button' | 'link', name: string) =>
        one.press(page.getByRole(role, { name, exact: true }).first())
      const { unlocks } = await withAuthenticator(page)
      const signOut = async () => {
        await page.goto(`${server.url}/dashboard/account`)
        await press('button', 'Sign out')
        await heading(page, 'Sign in')
      }

      await page.goto(`${server.url}/dashboard/account`)
      await one.type('Email address', email)
      await one.type('Password', goodPassword)
      await page.keyboard.press('Enter')
      await heading(page, 'Your account')
      await press('link', 'Add a passkey')
      await heading(page, 'Add a passkey')
      await one.look('passkey-add')
      await press('button', 'Create passkey')
      await heading(page, 'Your recovery codes')
      await press('link', 'I have saved them')
      await page.getByText('Passkey added').waitFor()
      await page.getByText('not used yet').waitFor()
      await one.look('passkey-account')

      await signOut()
      await unlocks(false)
      await press('button', 'Sign in with a passkey')
      await page.getByText('No passkey was used').waitFor()
      await one.look('passkey-sign-in')
      await unlocks(true)
      await press('button', 'Sign in with a passkey')
      await heading(page, 'Home')

      await signOut()
      await one.type('Email address', email)
      await one.type('Password', goodPassword)
      await page.keyboard.press('Enter')
      await heading(page, 'Your second factor')
      await one.look('passkey-second')
      await press('button', 'Sign in with a passkey')
      await heading(page, 'Home')

      await page.goto(`${server.url}/dashboard/account`)
      await one.press(page.getByRole('link', { name: /^Change Chrome on/ }))
      await heading(page, /^Chrome on/)
      await one.look('passkey-one')
      await press('button', 'Remove passkey')
      await page.getByText('Passkey removed').waitFor()
      await signOut()
      one.expectErrors(/status of 422/)
      await press('button', 'Sign in with a passkey')
      await page.getByText('The passkey was not accepted').waitFor()

      // At an address that is not the server's own, the way to it is shown.
      server.app.origin.url = 'https://pay.shop.example'
      await page.reload()
      await page.getByText('Passkeys belong to the address of this server').waitFor()
      await one.leave()
      await server.stop()
    })
  })
