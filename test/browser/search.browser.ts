/**
 * Goal: somebody finds a record from any page by the keyboard alone, and comes back to a list as it
 * was. Method: a real browser; nothing is clicked in the palette.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMerchant } from '../support/actors.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson } from './dashboard.ts'

describe('the search over all pages', () => {
  it('opens by / and Ctrl+K, and leads by the keyboard to a record or an action', async () => {
    const server = await startWorkingServer()
    const merchant = newMerchant(server)
    const { id } = await merchant.openPayment({ reference: 'order-grace-17' })
    const person = await newPerson(server, 'desktop')
    const { page } = person
    page.setDefaultTimeout(15_000)
    await page.keyboard.press('/')
    await page.locator('.palette input').waitFor()
    await page.keyboard.type('grace-1')
    await page.locator('.palette a', { hasText: '₦' }).first().waitFor()
    await person.look('palette')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/payments/${id}`)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new inv')
    await page.locator('.palette a', { hasText: 'New invoice' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await page.locator('.palette').isVisible(), false)
    await person.open('/search?q=grace')
    await person.look('search')
    await person.leave()
    await server.stop()
  })

  it('leaves the filters of a list as they were', async () => {
    const server = await startWorkingServer()
    const merchant = newMerchant(server)
    await merchant.openPayment({ reference: 'kept-1' })
    const person = await newPerson(server, 'desktop')
    const { page } = person
    page.setDefaultTimeout(15_000)
    await person.open('/payments?status=pending&reference=kept')
    await page.locator('main tbody a').first().click()
    await page.locator('.crumbs a').first().click()
    await page.waitForURL('**/payments?status=pending&reference=kept')
    await person.leave()
    await server.stop()
  })
})
