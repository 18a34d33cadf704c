/**
 * Goal: a month closes with the ledger's balance, the next opens with it, and the lines between
 * explain the difference. Method: all kinds of money move in three months of the test clock; sums
 * are recomputed from ledger rows.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { tradeMonths } from '../../../test/support/months.ts'

describe('the statement of a month', () => {
  let server: TestServer
  let merchant: Merchant
  /** The months with movements, first one first. */
  let months: string[]
  const statementOf = (month: string): Promise<Json> =>
    must(server.call('GET', `/statements/${month}`))
  const walletOf = async (month: string, currency = 'ngn'): Promise<Json> =>
    (await statementOf(month)).wallets.find((wallet: Json) => wallet.currency === currency)

  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    months = await tradeMonths(server, merchant, 3)
  })
  after(() => server.stop())

  it('closes with what the ledger held, and the next one opens with it', async () => {
    const heldBefore = async (currency: string, time: string): Promise<number> => {
      const [row] = await server.app.db.query<{ held: bigint }>(
        `select coalesce(sum(case when a.id = p.credit_account then p.amount else -p.amount end), 0)::bigint as held
           from ledger_postings p
           join ledger_accounts a on a.business_id = p.business_id and a.livemode = p.livemode
            and a.id in (p.debit_account, p.credit_account)
          where p.business_id = $1 and not p.livemode and a.purpose like 'wallet_%' and a.currency = $2 and p.posted_at < $3`,
        [server.businessId, currency, time],
      )
      return Number(row?.held)
    }
    for (const currency of ['ngn', 'usd']) {
      let opening = 0
      for (const month of months) {
        const { to } = await statementOf(month)
        const wallet = await walletOf(month, currency)
        assert.equal(wallet.opening, opening, `${month} ${currency}`)
        assert.equal(wallet.closing, await heldBefore(currency, to), `${month} ${currency}`)
        assert.equal(wallet.closing, wallet.opening + wallet.in - wallet.out - wallet.fees)
        for (const name of ['in', 'out', 'fees'])
          assert.equal(
            wallet.activity.reduce((sum: number, activity: Json) => sum + activity[name], 0),
            wallet[name],
          )
        opening = wallet.closing
      }
      assert.equal(opening, (await merchant.wallet(currency)).total)
    }
  })

  it('says what came, left and was paid in fees', async () => {
    const { fee: cardFee } = (await must(server.call('GET', '/payments?method=card'))).docs[0]
    const { fee: transferFee } = (await must(server.call('GET', '/payments?method=bank_transfer')))
      .docs[0]
    const { fee, net_amount } = await merchant.readPayout('done-2')
    const wallet = await walletOf(months[1] as string)
    assert.deepEqual(
      wallet.activity.map(({ type, ...sums }: Json) => [type, sums.in, sums.out, sums.fees]),
      [
        ['deposit', 340_000, 0, cardFee + transferFee],
        ['payout', 0, net_amount, fee],
        ['refund', 0, 50_000, 0],
        ['simulated_fund', 5_000_000, 0, 0],
      ],
    )
  })

  it('is open until the month is over', async () => {
    const [first, , third] = await Promise.all(months.map(statementOf))
    assert.deepEqual([first.complete, third.complete], [true, false])
    assert.deepEqual(
      [first.livemode, first.business, first.time_zone],
      [false, 'Test Business', 'UTC'],
    )
    assert.equal(first.from, `${months[0]}-01T00:00:00.000Z`)
    assert.equal(first.to, `${months[1]}-01T00:00:00.000Z`)
  })

  it('is one of a month that has begun', async () => {
    await merchant.isRefused('GET', '/statements/9998-01', undefined, 404, 'not_found')
    for (const month of ['2026-13', '2026-1', '2026', '0000-01', 'now', '2026-11-01'])
      await merchant.isRefused('GET', `/statements/${month}`, undefined, 404, 'not_found')
    const { wallets } = await statementOf('2020-02')
    for (const { currency: _currency, ...sums } of wallets)
      assert.deepEqual(sums, { opening: 0, in: 0, out: 0, fees: 0, closing: 0, activity: [] })
  })

  it('keeps modes apart', async () => {
    const { wallets } = await must(
      server.callAs(server.liveKey)('GET', `/statements/${new Date().toISOString().slice(0, 7)}`),
    )
    assert.deepEqual(
      wallets.map(({ closing }: Json) => closing),
      [0, 0],
    )
  })

  it('is had as CSV, with readable amounts', async () => {
    const [, month = ''] = months
    const { opening, closing } = await walletOf(month)
    const { body, headers } = await server.call('GET', `/statements/${month}/csv`)
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    const lines = body.trimEnd().split('\r\n')
    assert.equal(lines[0], 'month,currency,line,type,amount_decimal,amount_minor')
    assert.equal(lines[1], `${month},ngn,opening,,${(opening / 100).toFixed(2)},${opening}`)
    assert.ok(lines.includes(`${month},ngn,in,deposit,3400.00,340000`))
    assert.ok(lines.includes(`${month},ngn,closing,,${(closing / 100).toFixed(2)},${closing}`))
    await merchant.isRefused('GET', '/statements/never/csv', undefined, 404, 'not_found')
  })

  it('is had as a PDF', async () => {
    const [, month = ''] = months
    const { closing } = await walletOf(month)
    const response = await fetch(`${server.url}/statements/${month}/pdf`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    assert.equal(response.headers.get('content-type'), 'application/pdf')
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (process.env.PDFS) {
      mkdirSync(process.env.PDFS, { recursive: true })
      writeFileSync(join(process.env.PDFS, 'statement.pdf'), bytes)
    }
    const { text } = await extractText(await getDocumentProxy(bytes), { mergePages: true })
    const shown = `₦${(closing / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    const named = new Date(`${month}-01`).toLocaleDateString('en-GB', {
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    })
    for (const part of [
      'Test Business',
      `Statement ${named}`,
      `1 ${named} to`,
      'NGN',
      'USD',
      '₦3,400.00',
      shown,
      'Test mode',
    ])
      assert.ok(text.replaceAll(/\s+/g, ' ').includes(part), `${part} is not in: ${text}`)
    await merchant.isRefused('GET', '/statements/never/pdf', undefined, 404, 'not_found')
  })

  it('begins and ends where the business is', async () => {
    await must(server.call('PUT', '/business', { time_zone: 'Africa/Lagos' }))
    const [first = '', second = ''] = months
    const statement = await statementOf(second)
    assert.equal(statement.from, new Date(Date.parse(`${second}-01T00:00:00+01:00`)).toISOString())
    assert.equal((await walletOf(first)).closing, (await walletOf(second)).opening)
  })
})
