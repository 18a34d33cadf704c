import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { newMerchant, newPayer } from '../../../test/support/actors.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { defaultPricing } from '../../books/pricing/pricing.ts'

describe('the choice of a coin and its network', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-tokens-'))
  let server: TestServer
  before(async () => {
    const file = join(dir, 'pricing.json')
    const network = { ...defaultPricing.network, 'celo.ngn': 1_000, 'polygon.ngn': 2_000 }
    const { usdt_ngn, ...rates } = defaultPricing.rates
    writeFileSync(file, JSON.stringify({ network, rates: { ...rates, usdc_ngn: '1550.25' } }))
    server = await startServer({ PRICING_FILE: file })
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true })
  })

  it('has the lowest fees of networks first, and only coins that have a rate, which is shown until when it holds', async () => {
    const merchant = newMerchant(server)
    await merchant.ask('PUT', '/business', { time_zone: 'Africa/Lagos' })
    const payer = newPayer(await merchant.openPayment({ methods: ['crypto'] }))
    const { html, text } = await payer.open()
    const choices = [...html.matchAll(/name="choice" value="([^"]+)"/g)].map(([, choice]) => choice)
    assert.deepEqual(choices.slice(0, 3), ['usdc.celo', 'usdc.polygon', 'usdc.base'])
    const real = choices.filter((choice) => !choice?.includes('sepolia'))
    assert.equal(real.at(-1), 'usdc.ethereum')
    assert.doesNotMatch(html, /value="usdt/)
    assert.match(text, /Networks with the lowest fees come first/)
    assert.match(text, /1 USDC = ₦1,550\.25/)
    const before = html.slice(0, html.indexOf('<details class="fold" id="more">'))
    assert.equal(before.match(/name="choice"/g)?.length, 6)
    await payer.send('crypto', { choice: 'usdc.celo' })
    // The sandbox plays this network: a wallet would send real coins to an address of nobody.
    assert.doesNotMatch((await payer.open('?method=crypto')).html, /ethereum:/)
    assert.match(
      (await payer.open('?lang=en')).text,
      /1 USDC = ₦1,550\.25\. This rate holds until \d\d:\d\d GMT\+1\./,
    )
    assert.match(
      (await payer.open('?lang=fr')).text,
      /1 USDC = 1.550,25\s₦\. Ce taux est garanti jusqu’à \d\d:\d\d/,
    )
  })
})
