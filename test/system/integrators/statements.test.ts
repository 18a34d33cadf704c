/**
 * Goal: programs of others come to our balances and to each of our amounts, from bank statements in
 * each format and from payment orders. Method: months of every kind of movement, and batches; lxml
 * validates by the schemas of ISO 20022, `mt-940` and Prowide read.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readPain001 } from '../../../src/paying-out/batches/batches.ts'
import { americanAccount, bankAccount, type Merchant, newMerchant } from '../../support/actors.ts'
import { readCamt, readMt940 } from '../../support/bank-files.ts'
import { type BankFile, type BankRead, bankReaders } from '../../support/bank-readers.ts'
import { must, startServer, type TestServer } from '../../support/harness.ts'
import { send } from '../../support/http.ts'
import { tradeMonths } from '../../support/months.ts'
import { ordersFile, transferXml } from '../../support/payment-orders.ts'

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
      const asked = formats.flatMap((format) =>
        ['ngn', 'usd'].map((currency) => ({ format, currency })),
      )
      const files = await Promise.all(
        asked.map(async ({ format, currency }) => ({
          format,
          text: await statement(format, currency),
        })),
      )
      const found = await read(files)
      for (const [at, { format, currency }] of asked.entries()) {
        const { text } = files[at] as BankFile
        const theirs = found[at] as BankRead
        const ours = format === 'mt940' ? readMt940(text) : readCamt(text)
        const amounts = ours.entries.map(({ amount }) => String(amount))
        assert.deepEqual(
          [theirs.opening, theirs.closing, theirs.amounts],
          [String(ours.opening), String(ours.closing), amounts],
          `${format} ${currency}`,
        )
        const days = ours.entries.map(({ day }) => day)
        if (theirs.days) assert.deepEqual(theirs.days, days)
        const { available, pending } = await merchant.balance(currency)
        assert.equal(theirs.closing, String(available + pending))
        const sum = theirs.amounts.reduce((all, one) => all + BigInt(one), 0n)
        assert.equal(BigInt(theirs.opening) + sum, BigInt(theirs.closing))
      }
    })
})

describe('payment orders', () => {
  let server: TestServer
  let count = 0
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 100_000_000)
    await server.fund('usd', 100_000_000)
  })
  after(() => server.stop())

  const fileOf = async (currency: string, lines: object[]): Promise<string> => {
    const body = { reference: `file-${currency}-${count++}`, currency, dry_run: true, lines }
    const { id } = await must(server.call('POST', '/payouts/batch', body))
    await must(server.call('POST', `/payout-batches/${id}/cancel`))
    const query = `debtor_account=DE89370400440532013000&debtor_bank=COBADEFFXXX`
    const { status, text } = await send(`${server.url}/payout-batches/${id}/pain001?${query}`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    assert.equal(status, 200, text)
    return text
  }

  for (const { name, find } of bankReaders)
    it(`of a batch are read by ${name}, with each amount and the sums`, async (t) => {
      const read = await find()
      if ('missing' in read) return t.skip(read.missing)
      const lines = {
        ngn: [
          { amount: 5_000_001, destination: bankAccount(), description: '<Ọlá>' },
          { amount: 7_000_000, destination: bankAccount('0123456781') },
        ],
        usd: [{ amount: 123_456, destination: americanAccount }],
      }
      const given = ordersFile([transferXml({ amount: '0.10' }), transferXml({ id: 'w-2' })])
      const texts = [await fileOf('ngn', lines.ngn), await fileOf('usd', lines.usd), given]
      const found = await read(texts.map((text) => ({ format: 'pain.001.001.09', text })))
      const ours = [
        ...[lines.ngn, lines.usd].map((of) => of.map(({ amount }) => amount)),
        readPain001(given, 'ngn').map(({ amount }) => amount),
      ]
      for (const [at, amounts] of ours.entries()) {
        const theirs = found[at] as BankRead
        assert.deepEqual(theirs.amounts, amounts.map(String))
        assert.deepEqual(
          [theirs.count ?? theirs.opening, theirs.sum ?? theirs.closing],
          [String(amounts.length), String(amounts.reduce((all, one) => all + one, 0))],
        )
      }
    })
})
