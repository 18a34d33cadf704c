/**
 * Goal: whoever reports taxes has each invoice and credit note by rate, in a file whose sums are
 * those of the papers. Method: papers with every mix of rates over HTTP; the rows of a paper are
 * added up beside its record.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn } from '../../../test/support/dashboard.ts'
import { listAll, shareServer, type TestServer } from '../../../test/support/harness.ts'

type Row = Record<string, string>

describe('the export by tax rate', () => {
  let server: TestServer
  let merchant: Merchant
  let mixed: Json
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    await server.fund('usd', 1_000_000)
    const lines = [
      { amount: 33_333, tax_rate_bps: 750 },
      { amount: 10_001, tax_rate_bps: 750, tax_inclusive: true },
      { amount: 5_003, tax_rate_bps: 2_000 },
      { amount: 999, tax_rate_bps: 0 },
      { amount: 1_250 },
    ]
    mixed = await merchant.openInvoice({}, { lines })
    await merchant.simulate(mixed.payment, 'completed', 'card')
    for (const amount of [20_000, 7_777]) {
      await merchant.refund(mixed.payment, { amount })
      await merchant.refundsEnded(mixed.payment, amount === 20_000 ? 1 : 2)
    }
    await merchant.openInvoice({}, { lines: [{ amount: 4_000 }] })
    await merchant.openInvoice(
      {},
      { currency: 'eur', lines: [{ amount: 7_001, tax_rate_bps: 1_925 }] },
    )
    await merchant.voidInvoice(
      await merchant.openInvoice({}, { lines: [{ amount: 100, tax_rate_bps: 500 }] }),
    )
    const ratesUpTo = Array.from({ length: 60 }, (_, i) => ({
      amount: 1_003 + i,
      tax_rate_bps: i * 7,
    }))
    await merchant.draftInvoice({}, { lines: ratesUpTo })
  })
  after(() => server.stop())

  const rowsOf = async (path: string): Promise<Row[]> => {
    const { status, body } = await server.call('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    const [head = '', ...lines] = body.trimEnd().split('\r\n')
    const names = head.split(',')
    return lines.map((line: string) =>
      Object.fromEntries(line.split(',').map((cell, i) => [names[i], cell])),
    )
  }
  const sum = (rows: Row[], name: string): number =>
    rows.reduce((total, row) => total + Number(row[name]), 0)

  for (const [path, total] of [
    ['/invoices', 'total'],
    ['/credit-notes', 'amount'],
  ] as const)
    it(`has a row for each rate of ${path}, which come to the paper to the unit`, async () => {
      const records = await listAll(server.call, path)
      const rows = await rowsOf(`${path}/export?by_tax_rate=true`)
      assert.deepEqual(
        [...new Set(rows.map(({ id }) => id))],
        records.map(({ id }) => id),
      )
      for (const record of records) {
        const own = rows.filter(({ id }) => id === record.id)
        assert.equal(sum(own, 'net_minor'), record.subtotal)
        assert.equal(sum(own, 'tax_minor'), record.tax)
        assert.equal(sum(own, 'gross_minor'), record[total])
        for (const { rate_bps, net, tax } of record.taxes) {
          const [row] = own.filter(
            ({ tax_rate_percent }) => tax_rate_percent === String(rate_bps / 100),
          )
          assert.deepEqual(
            [row?.net_decimal, row?.tax_decimal, row?.gross_minor],
            [(net / 100).toFixed(2), (tax / 100).toFixed(2), String(net + tax)],
          )
        }
        const untaxed = own.filter(({ tax_rate_percent }) => tax_rate_percent === '')
        assert.equal(own.length, record.taxes.length + untaxed.length)
        assert.equal(untaxed.length, sum(own, 'net_minor') - sumOfNets(record) === 0 ? 0 : 1)
        for (const row of own)
          assert.deepEqual([row.status, row.currency], [record.status, record.currency])
      }
    })

  const sumOfNets = ({ taxes }: Json): number =>
    taxes.reduce((total: number, { net }: Json) => total + net, 0)

  it('has its rates as numbers, and is narrowed as its list is', async () => {
    const rows = await rowsOf(`/invoices/export?by_tax_rate=true&number=${mixed.number}`)
    assert.deepEqual(
      rows.map(({ tax_rate_percent }) => tax_rate_percent),
      ['0', '7.5', '20', ''],
    )
    const excel = await server.call(
      'GET',
      '/invoices/export?by_tax_rate=true&spreadsheet=true&currency=eur',
    )
    assert.match(excel.body, /,19\.25,70\.01,/)
    const [plain] = await rowsOf(`/invoices/export?number=${mixed.number}`)
    assert.ok(plain && 'total_minor' in plain && !('tax_rate_percent' in plain))
    await merchant.isRefused(
      'GET',
      '/payments/export?by_tax_rate=true',
      undefined,
      422,
      'validation_failed',
    )
    await merchant.isRefused(
      'GET',
      '/invoices?by_tax_rate=true',
      undefined,
      422,
      'validation_failed',
    )
  })

  it('is had from the pages of invoices and credit notes', async () => {
    const visitor = await signedIn(server, 'viewer')
    for (const path of ['/invoices', '/credit-notes']) {
      const html = await shown(visitor.get(path))
      const [, link = assert.fail(html)] = /href="([^"]*by_tax_rate=true)"/.exec(html) ?? []
      assert.match(
        (await visitor.get(link.replaceAll('&amp;', '&'))).html,
        /^id,.*,tax_rate_percent,net_decimal,/,
      )
    }
    assert.ok(!(await shown(visitor.get('/payments'))).includes('by_tax_rate'))
  })
})
