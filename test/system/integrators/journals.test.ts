/**
 * Goal: accounting programs come to the balances of the statements. Method: months of every kind of
 * movement; the lines of their exports as journals, which hledger and Beancount read in their
 * strict modes, with an assertion of each closing balance.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../support/actors.ts'
import {
  assertLoads,
  assertMonthsTie,
  journalReader,
  journalTools,
  ledgerTool,
  type Month,
} from '../../support/exported-months.ts'
import { must, startServer, type TestServer } from '../../support/harness.ts'
import { send } from '../../support/http.ts'
import { tradeMonths } from '../../support/months.ts'

describe('a journal of exported months', () => {
  let server: TestServer
  let months: Month[]
  before(async () => {
    server = await startServer()
    months = await assertMonthsTie(server.call, await tradeMonths(server, newMerchant(server), 3))
  })
  after(() => server.stop())

  for (const tool of journalTools)
    describe(`of ${tool.name}`, () => {
      it('loads, and has each closing balance', async (t) => {
        const missing = await assertLoads(tool, months)
        if (missing !== null) t.skip(missing)
      })
    })
})

describe('a journal of the API', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    await tradeMonths(server, merchant, 2, async () => {
      const quote = await must(
        server.call('POST', '/conversions/quote', {
          amount: 155_000,
          currency: 'ngn',
          destination_currency: 'usd',
        }),
      )
      await must(server.call('POST', '/conversions', { quote: quote.id }))
      await merchant.takePayment('crypto', { currency: 'usd', amount: 30_000 })
      const lost = await merchant.takePayment('card', { amount: 70_000 })
      const dispute = await must(
        server.call('POST', `/payments/${lost.id}/simulate-dispute`, { amount: 70_000 }),
      )
      await must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'lost' }))
      const reference = `coins-${Math.round(await merchant.now())}`
      const to = { chain: 'base', currency: 'usdc', address: `0x${'52'.repeat(20)}` }
      await merchant.payOut({
        reference,
        amount: 12_345,
        currency: 'usd',
        method: 'crypto',
        destination: to,
      })
      await merchant.payoutEnded(reference)
    })
  })
  after(() => server.stop())

  const journal = async (query: string): Promise<string> => {
    const { status, text } = await send(`${server.url}/exports/journal?${query}`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    assert.equal(status, 200, text)
    return text
  }

  for (const tool of [...journalTools, ledgerTool])
    it(`loads in ${tool.name}, whose balances are those of the wallets`, async (t) => {
      const read = await journalReader(tool)
      if (typeof read === 'string') return t.skip(read)
      const format = tool.name.toLowerCase()
      const today = new Date(await merchant.now()).toISOString()
      const month = `from=${today.slice(0, 7)}-01`
      for (const query of ['', month, 'accounts=pending=Assets:Wallet,available=Assets:Wallet']) {
        const text = await journal(`format=${format}&${query}`)
        const { code, out, err } = await read(text)
        assert.equal(code, 0, `${query}: ${out.slice(0, 1_000)}${err.slice(0, 1_000)}`)
        assert.match(text, /USDC/)
        // A minor unit more is seen, in what moved and in what is held.
        for (const one of [
          /(Income:Payments {2}-\d+\.\d)(\d)/,
          /((?: = |balance \S+ {2})\d+\.\d)(\d)/,
        ]) {
          const wrong = text.replace(one, (_, kept, digit) => `${kept}${(Number(digit) + 1) % 10}`)
          assert.notEqual(wrong, text)
          assert.notEqual((await read(wrong)).code, 0, `${query}: nothing was seen`)
        }
      }
    })
})
