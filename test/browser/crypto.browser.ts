/**
 * Paying in stablecoins as payers do: the page in a browser, and a real transfer on a chain.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type LocalNetwork, startNetwork } from '../support/evm.ts'
import { type TestServer, until } from '../support/harness.ts'
import { newPayer, startWorkingServer } from './browser.ts'

describe('a payment in stablecoins in a browser', () => {
  let network: LocalNetwork
  let server: TestServer
  before(async () => {
    network = await startNetwork()
    server = await startWorkingServer(network.env)
  })
  after(async () => {
    await server?.assertBooksClean()
    await server?.stop()
    await network?.stop()
  })

  for (const screen of ['phone', 'desktop'] as const)
    it(`on a ${screen}: is seen on the chain, confirmed, and complete, all by itself`, async () => {
      const made = await server.call('POST', '/payments', {
        amount: 7_550,
        currency: 'usd',
        methods: ['crypto'],
      })
      const payment = made.data
      const payer = await newPayer(screen, { friends: [server.url] })
      const { page } = payer
      await page.goto(payment.checkout_url)
      await page.evaluate('void (window.marked = true)')
      const more = page.getByText('More coins and networks')
      if (await more.isVisible()) await payer.press(more)
      await payer.press(page.getByRole('button', { name: 'USDC on Anvil', exact: true }))
      await page.getByRole('heading', { name: /Send exactly 75\.50 USDC on Anvil\./ }).waitFor()
      await payer.look('chain-address')
      await page.evaluate('void (window.marked = true)')
      const address = (await page.getByText(/^0x[0-9a-fA-F]{40}$/).textContent()) as string
      const known = await network.node.balance(network.usdc, address)
      const open = page.getByRole('link', { name: 'Open in wallet' })
      assert.equal(await open.isVisible(), screen === 'phone')
      assert.equal(
        await page.locator('.wallet a').getAttribute('href'),
        `ethereum:${network.usdc}@31337/transfer?address=${address}&uint256=75500000`,
      )

      // In two parts, as a payer does who has sent too little at first.
      for (const [units, seen] of [
        [50_000_000n, '$50.00'],
        [25_500_000n, '$25.50'],
      ] as const) {
        await network.node.transfer(network.usdc, 1, address, units)
        await page.getByRole('heading', { name: `We have seen your payment of ${seen}.` }).waitFor()
        // The rest can be paid at once; nothing more is asked for what is all there.
        if (units === 50_000_000n)
          await page.getByRole('heading', { name: /Send exactly 25\.50 USDC on Anvil\./ }).waitFor()
        else {
          assert.equal(await page.getByRole('img', { name: /QR code/ }).count(), 0)
          assert.equal(await page.getByText('Being confirmed', { exact: true }).count(), 1)
        }
        assert.match(
          (await page.getByRole('heading', { level: 1 }).textContent()) ?? '',
          /\$25\.50/,
        )
        await payer.look(`chain-confirming-${seen.slice(1)}`)
        await network.node.mine(network.confirmations)
        if (units === 50_000_000n)
          await page.getByRole('heading', { name: /Send exactly 25\.50 USDC on Anvil\./ }).waitFor()
      }
      await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
      assert.ok(await page.evaluate('window.marked === true'), 'the page was loaded again')
      await payer.look('chain-complete')
      await payer.leave()
      assert.equal(await network.node.balance(network.usdc, address), known + 75_500_000n)
      const paid = await until(async () => {
        const { data } = await server.call('GET', `/payments/${payment.id}`)
        return data.status === 'completed' ? data : null
      })
      assert.deepEqual(
        [paid.amount_received, paid.amount_confirming, paid.method],
        [7_550, 0, 'crypto'],
      )
    })
})
