/**
 * The documents in a real browser: on a phone and at a desk, light and dark, with and without their
 * script, and within their budget.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TestServer } from '../support/harness.ts'
import { heading, newPayer, shareWorkingServer } from './browser.ts'

describe('the documents', () => {
  let server: TestServer
  before(async () => {
    server = await shareWorkingServer()
  })
  after(() => server.stop())

  for (const screen of ['phone', 'desktop'] as const)
    it(`are read on a ${screen}`, async () => {
      const one = await newPayer(screen, { friends: [server.url] })
      const { page } = one
      const isSeen = (text: string) => page.getByText(text).first().isVisible()
      await page.goto(`${server.url}/docs`)
      await heading(page, 'Bursar docs')
      if (screen === 'phone') await one.look('docs-front', { schemes: ['light', 'dark'] })
      if (screen === 'phone') await one.press(page.getByRole('link', { name: 'Contents' }))
      await one.press(page.getByRole('navigation').getByRole('link', { name: 'Accept a payment' }))
      await heading(page, 'Accept a payment')
      assert.deepEqual(
        [
          await isSeen('curl "$BURSAR_URL/payments"'),
          await isSeen("require 'vendor/autoload.php'"),
        ],
        [true, false],
      )
      await page.getByRole('radio', { name: 'PHP' }).check()
      assert.deepEqual(
        [
          await isSeen('curl "$BURSAR_URL/payments"'),
          await isSeen("require 'vendor/autoload.php'"),
        ],
        [false, true],
      )
      await one.look('docs-guide')
      // The choice goes along.
      await page.goto(`${server.url}/docs/api/payments#createPayment`)
      await heading(page, 'Open a payment')
      assert.equal(await page.getByRole('radio', { name: 'PHP' }).isChecked(), true)
      assert.equal(await isSeen('$bursar->payments->create('), true)
      await one.look('docs-reference')
      await page.getByRole('button', { name: 'Copy' }).and(page.locator(':visible')).first().focus()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      assert.match(await page.evaluate('navigator.clipboard.readText()'), /\$bursar->payments->/)
      await page.keyboard.press('/')
      await page.keyboard.type('roll secret')
      const results = page.getByRole('region', { name: 'Search results' })
      await results.getByRole('link').first().waitFor()
      await page.keyboard.press('ArrowDown')
      assert.equal(await page.evaluate(`document.activeElement.closest('#found') !== null`), true)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await heading(page, 'Search')
      if (screen === 'phone') await one.look('docs-search', { schemes: ['light', 'dark'] })
      await one.press(page.locator('a[href$="#rollWebhookSecret"]'))
      await page.waitForURL(/#rollWebhookSecret$/)
      await one.leave()
    })

  it('try an operation with the reader’s own test key, and with no live key', async () => {
    const one = await newPayer('desktop', { friends: [server.url] })
    const { page } = one
    await page.goto(`${server.url}/docs/api/customers`)
    const operation = page.locator('#createCustomer')
    await operation.getByText('Try it').click()
    const key = operation.getByLabel('Your test key')
    const send = operation.getByRole('button', { name: 'Send POST /customers' })
    await key.fill(server.liveKey)
    await send.click()
    const invalid = `document.querySelector('#createCustomer .try input').validity.patternMismatch`
    assert.equal(await page.evaluate(invalid), true)
    await key.fill(server.testKey)
    await send.click()
    await operation.getByText(/^201 in \d+ ms$/).waitFor()
    assert.match(await operation.locator('.try pre').innerText(), /"email": "/)
    await one.look('docs-try')
    const read = page.locator('#getCustomer')
    await read.getByText('Try it').click()
    assert.equal(await read.getByLabel('Your test key').inputValue(), server.testKey)
    await one.leave()
  })

  it('are read without a script', async () => {
    const one = await newPayer('phone', { friends: [server.url], script: false })
    const { page } = one
    await page.goto(`${server.url}/docs/guides/refund`)
    await one.press(page.getByRole('link', { name: 'Contents' }))
    await page.getByRole('navigation').getByRole('link', { name: 'Payouts', exact: true }).waitFor()
    await page.goto(`${server.url}/docs/guides/refund`)
    await page.getByRole('radio', { name: 'Python' }).check()
    assert.equal(await page.getByText('from bursar import Bursar').isVisible(), true)
    assert.equal(await page.getByText('curl "$BURSAR_URL').first().isVisible(), false)
    await one.leave()
  })

  it('show the first operation within two seconds on a slow phone, all from here, in less than 500 kB', async () => {
    const one = await newPayer('phone', { friends: [server.url] })
    const { page } = one
    const tools = await page.context().newCDPSession(page)
    await tools.send('Network.setCacheDisabled', { cacheDisabled: true })
    // The processor's time of the page's thread, which is the same on a busy machine: on a phone it
    // is four times as long.
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    // Made by the first reader; what is measured is what every other waits.
    await fetch(`${server.url}/docs/api/payouts`)
    await page.goto(`${server.url}/docs/api/payouts`, { waitUntil: 'commit' })
    await page.locator('.op').first().waitFor()
    const entries = await page.evaluate<{ transferSize: number; name: string }[]>(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type).map(({ transferSize, name }) => ({ transferSize, name })))`,
    )
    const { metrics } = await tools.send('Performance.getMetrics')
    const seconds = (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 99) * 4
    assert.ok(seconds < 2, `${seconds} s`)
    const bytes = entries.reduce((sum, { transferSize }) => sum + transferSize, 0)
    console.log(`${seconds.toFixed(2)} s, ${bytes} bytes`)
    assert.ok(bytes > 5_000 && bytes < 500_000, `${bytes} bytes`)
    assert.ok(asked.length >= 3 && asked.length <= 5, asked.join(' '))
    assert.ok(
      asked.every((url) => url.startsWith(`${server.url}/docs`)),
      asked.join(' '),
    )
    await one.leave()
  })
})
