/**
 * Goal: the menu fits on a screen of 800 pixels on every page, shows where one is, and can be used
 * by keyboard and without scripts. Method: a page of each group at a real browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { menu } from '../../src/web/dashboard/menu.ts'
import { signedIn, signedInOperator } from '../support/dashboard.ts'
import type { TestServer } from '../support/harness.ts'
import { newPayer, startWorkingServer } from './browser.ts'
import { byMenu, newPerson } from './dashboard.ts'

describe('the menu of the dashboard', { concurrency: 1 }, () => {
  let server: TestServer
  before(async () => {
    server = await startWorkingServer()
  })
  after(() => server.stop())

  it('fits on a screen of 800 pixels, with the group of the page open', async () => {
    const person = await newPerson(server, 'desktop')
    const { page } = person
    await page.setViewportSize({ width: 1280, height: 800 })
    const hidden = (): Promise<number> =>
      page.evaluate<number>(
        `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.side'))`,
      )
    for (const { title, items } of menu) {
      await person.open(items[0]?.path ?? '')
      assert.equal(await hidden(), 0, title ?? 'Home')
      assert.equal(await page.locator('.side a[aria-current]').innerText(), items[0]?.title)
      assert.ok(await page.locator('.side a[aria-current]').isVisible())
    }
    await person.leave()
  })

  it('folds and opens groups by keyboard, and the menu of the account too', async () => {
    const person = await newPerson(server, 'desktop')
    const { page } = person
    const summary = page.locator('.side summary', { hasText: 'Developers' })
    const keys = page.getByRole('link', { name: 'API keys', exact: true })
    assert.equal(await keys.isVisible(), false)
    await summary.press('Enter')
    await keys.waitFor()
    await summary.press('Enter')
    await keys.waitFor({ state: 'hidden' })

    const account = page.getByRole('button', { name: /Account, mode and businesses/ })
    await account.press('Enter')
    const signOut = page.getByRole('button', { name: 'Sign out' })
    await signOut.waitFor()
    await person.look('account-menu')
    await page.keyboard.press('Escape')
    await signOut.waitFor({ state: 'hidden' })
    await account.press('Enter')
    await person.link('Switch to live')
    await page.locator('.band', { hasText: 'this is real money' }).waitFor()
    await person.leave()
  })

  it('is a page of its own on a phone', async () => {
    const person = await newPerson(server, 'phone')
    await person.link('Menu')
    await person.look('menu')
    await person.page.getByRole('button', { name: /Account, mode and businesses/ }).tap()
    await person.look('menu-account')
    await person.open('')
    await byMenu(person, 'phone', 'Products')
    await person.page.getByRole('heading', { name: 'Products', exact: true }).waitFor()
    await person.leave()
  })

  it('works without scripts, for the operator too', async () => {
    for (const [who, group, item] of [
      [await signedIn(server), 'Settings', 'Audit log'],
      [await signedInOperator(server), 'Installation', 'Queues'],
    ] as const) {
      const visitor = await newPayer('desktop', { script: false, friends: [server.url] })
      const { page } = visitor
      const [name, value] = who.cookie.split('=') as [string, string]
      await page.context().addCookies([{ name, value, url: server.url }])
      await page.goto(server.url + who.base)
      const link = page.locator('.side').getByRole('link', { name: item, exact: true })
      if (!(await link.isVisible())) await page.locator('.side summary', { hasText: group }).click()
      await link.click()
      await page.getByRole('heading', { name: item }).waitFor()
      await page.getByRole('button', { name: /Account, mode and businesses/ }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await visitor.leave()
    }
  })
})
