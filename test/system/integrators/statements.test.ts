/**
 * Goal: programs of others come to our balances and to each of our amounts, from bank statements in
 * each format. Method: months of every kind of movement; lxml validates by the schemas of ISO
 * 20022, `mt-940` and Prowide read; then a minor unit more is seen.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../support/actors.ts'
import { readCamt, readMt940 } from '../../support/bank-files.ts'
import { bankReaders } from '../../support/bank-readers.ts'
import { must, startServer, type TestServer } from '../../support/harness.ts'
import { send } from '../../support/http.ts'
import { tradeMonths } from '../../support/months.ts'

const formats = ['camt.053.001.08', 'camt.053.001.02', 'mt940']

describe('bank statements', () => {
  let server: TestServer
  let merchant: Merchant
  let days: string
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    const months = await tradeMonths(server, merchant, 3, async () => {
      const quote = await must(
        server.call('POST', '/conversions/quote', {
          amount: 155_000,
          currency: 'ngn',
          destination_currency: 'usd',
        }),
      )
      await must(server.call('POST', '/conversions', { quote: quote.id }))
      await merchant.takePayment('crypto', { currency: 'usd', amount: 30_000 })
      await merchant.takeTransfer(
        { account_name: 'Ọlá <Łukasz> & Søn', account_number: '0123456789' },
        { amount: 40_000 },
      )
    })
    await merchant.advance('31d')
    days = `from=${months[0]}-01&to=${new Date((await merchant.now()) - 86_400_000).toISOString().slice(0, 10)}`
    const { created_at: since } = await must(server.call('GET', '/business'))
    days = days.replace(/from=[^&]*/, `from=${since.slice(0, 10)}`)
  })
  after(() => server.stop())

  const statement = async (format: string, currency: string): Promise<string> => {
    const { status, text } = await send(
      `${server.url}/exports/statement?currency=${currency}&format=${format}&${days}`,
      { headers: { authorization: `Bearer ${server.testKey}` } },
    )
    assert.equal(status, 200, text)
    return text
  }

  for (const { name, find } of bankReaders)
    it(`are read by ${name}, to the minor unit`, async (t) => {
      const read = await find()
      if ('missing' in read) return t.skip(read.missing)
      for (const format of formats)
        for (const currency of ['ngn', 'usd']) {
          const text = await statement(format, currency)
          const ours = format === 'mt940' ? readMt940(text) : readCamt(text)
          const theirs = await read(format, text)
          assert.deepEqual(
            [theirs.opening, theirs.closing, theirs.amounts],
            [
              String(ours.opening),
              String(ours.closing),
              ours.entries.map(({ amount }) => String(amount)),
            ],
            `${format} ${currency}`,
          )
          if (theirs.days)
            assert.deepEqual(
              theirs.days,
              ours.entries.map(({ day }) => day),
            )
          const { available, pending } = await merchant.balance(currency)
          assert.equal(theirs.closing, String(available + pending))
          const sum = theirs.amounts.reduce((all, one) => all + BigInt(one), 0n)
          assert.equal(BigInt(theirs.opening) + sum, BigInt(theirs.closing))
        }
    })
})
