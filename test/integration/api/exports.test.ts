/**
 * Goal: the export of each list is the list: the same records in the same order, narrowed by the
 * same filters. Method: records of every list are made, and each export is read beside its list;
 * long ones are read in batches of their own.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { csvOf } from '../../../src/lib/csv.ts'
import { type Json, type Merchant, newMerchant } from '../../support/actors.ts'
import { shown, signedIn, signedInOperator } from '../../support/dashboard.ts'
import {
  bankPayout,
  listAll,
  must,
  settled,
  shareServer,
  type TestServer,
} from '../../support/harness.ts'
import { operatorKeyOf } from '../../support/operators.ts'

/** The rows of a table as RFC 4180 has them, by the names of its first line. */
function parse(csv: string): Record<string, string>[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') rows.push([])
  }
  const [names = [], ...lines] = rows.slice(0, -1)
  return lines.map((line) => Object.fromEntries(names.map((name, i) => [name, line[i] ?? ''])))
}

/** Whether a file begins with a byte order mark. */
const hasMark = async (response: Response): Promise<boolean> =>
  Buffer.from(await response.arrayBuffer()).indexOf('\uFEFF') === 0

describe('a file of a table', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())
  const month = new Date().toISOString().slice(0, 7)

  it('is for Excel where it is asked for, whatever it is of', async () => {
    const operatorKey = await operatorKeyOf(server)
    const { body: document } = await server.call('GET', '/openapi.json')
    const ofBusiness = Object.entries<Json>(document.paths)
      .filter(([, { get }]) => get?.responses?.['200']?.content?.['text/csv'])
      .map(([path]) => path)
    assert.ok(ofBusiness.length >= 15, ofBusiness.join(' '))
    for (const path of [...ofBusiness, '/operator/earnings/csv']) {
      const key = path.startsWith('/operator') ? operatorKey : server.testKey
      for (const [asked, isForExcel] of [
        ['', false],
        ['?spreadsheet=false', false],
        ['?spreadsheet=true', true],
      ] as const) {
        const response = await fetch(`${server.url}${path.replace('{month}', month)}${asked}`, {
          headers: { authorization: `Bearer ${key}` },
        })
        assert.equal(response.status, 200, `${path}${asked}`)
        assert.equal(await hasMark(response), isForExcel, `${path}${asked}`)
      }
    }
  })

  it('keeps amounts numbers for Excel, and months texts', async () => {
    const { body } = await server.call('GET', `/statements/${month}/csv?spreadsheet=true`)
    assert.ok(body.includes(`"=""${month}""",ngn,closing,,100000.00,10000000\r\n`), body)
  })

  it('is for Excel by a link of its page', async () => {
    const owner = await signedIn(server)
    const operator = await signedInOperator(server)
    for (const [person, page] of [
      [owner, '/reports'],
      [owner, '/reports/fees'],
      [owner, '/reports/settlements'],
      [operator, '/earnings'],
    ] as const) {
      const [, link = ''] =
        /href="([^"]*spreadsheet=true)"/.exec(await shown(person.get(page))) ?? []
      const response = await fetch(`${server.url}${link.replaceAll('&amp;', '&')}`, {
        headers: { cookie: person.cookie },
      })
      assert.equal(response.status, 200, page)
      assert.ok(await hasMark(response), page)
    }
  })
})

describe('the export of a list', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    await server.fund('ngn', 10_000_000)
    await must(server.call('PUT', '/business', { time_zone: 'Africa/Lagos' }))
    const address = { line1: '12 Allen Avenue, "B"', city: 'Ikeja', country: 'ng' }
    await merchant.addCustomer({ name: '=HYPERLINK("x")', address })
    const customer = await merchant.addCustomer({ phone: '+2348012345678' })
    await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const paid = await merchant.takePayment('card', { amount: 250_000 })
    await merchant.openPayment({ amount: 9_999, description: 'two\nlines' })
    await merchant.refundEnded((await merchant.refund(paid, { amount: 50_000 })).data)
    await merchant.openInvoice()
    await merchant.creditedInvoice('usd')
    await merchant.openCryptoWallet({ customer: customer.id, label: 'Till, 1' })
    await merchant.create('/collections', { name: 'School "fees"', currency: 'ngn' })
    const shares = [{ name: 'One', flat_amount: 5 }]
    await merchant.create('/distributions', { name: 'Authors', currency: 'ngn', shares })
    await merchant.payOut(bankPayout('one', 30_000))
    await merchant.payOut(bankPayout('two', 40_000))
    for (const reference of ['one', 'two']) await merchant.payoutEnded(reference)
    await settled(server.app)
  })
  after(() => server.stop())

  const rowsOf = async (path: string): Promise<Record<string, string>[]> => {
    const { status, headers, body } = await server.call('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(headers.get('content-type') ?? '', /^text\/csv; charset=utf-8/)
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[a-z-]+\.csv"$/)
    return parse(body)
  }
  /** A field as the list has it: `destination_country` of `destination.country`. */
  const fieldOf = (record: Json, name: string): unknown => {
    if (name in record) return record[name]
    const [outer = '', ...inner] = name.split('_')
    return record[outer]?.[inner.join('_')]
  }

  for (const path of [
    '/payments',
    '/payouts',
    '/refunds',
    '/invoices',
    '/customers',
    '/virtual-accounts',
    '/crypto/wallets',
    '/collections',
    '/products',
    '/distributions',
    '/credit-notes',
    '/transactions',
  ])
    it(`has all of ${path}, in its order`, async () => {
      const records = await listAll(server.call, path)
      const rows = await rowsOf(`${path}/export`)
      assert.ok(records.length > 0)
      assert.deepEqual(
        rows.map(({ id }) => id),
        records.map(({ id }) => id),
      )
      for (const [i, row] of rows.entries())
        for (const [name, text] of Object.entries(row)) {
          const [, of, how] = /^(.+)_(decimal|minor|local)$/.exec(name) ?? [null, name, null]
          if (name === 'customer_name') continue
          const value = fieldOf(records[i], of as string) ?? null
          if (value === null) assert.equal(text, '', name)
          else if (how === 'decimal') assert.equal(text, (Number(value) / 100).toFixed(2), name)
          // In Lagos it is an hour later, all year.
          else if (how === 'local')
            assert.equal(
              text,
              new Date(Date.parse(value as string) + 3_600_000)
                .toISOString()
                .slice(0, 19)
                .replace('T', ' '),
            )
          else assert.equal(text.replace(/^'(?==)/, ''), String(value), name)
        }
    })

  it('is narrowed as its list is', async () => {
    assert.equal((await rowsOf('/payments/export?status=completed&currency=ngn')).length, 1)
    assert.equal((await rowsOf('/payments/export?amount=9999')).length, 1)
    assert.deepEqual(
      (await rowsOf('/payouts/export?reference=tw')).map(({ reference }) => reference),
      ['two'],
    )
    assert.equal((await rowsOf('/customers/export?search=hyper')).length, 1)
    const [account] = await listAll(server.call, '/virtual-accounts')
    const [wallet] = await listAll(server.call, '/crypto/wallets')
    for (const [path, text, count] of [
      ['/collections', ' SCHOOL', 1],
      ['/collections', 'nothing', 0],
      ['/distributions', 'thor', 1],
      ['/distributions', '%', 0],
      ['/crypto/wallets', 'till', 1],
      ['/crypto/wallets', wallet?.address.toLowerCase(), 1],
      ['/virtual-accounts', account?.account_number, 1],
      ['/virtual-accounts', account?.id, 1],
      ['/virtual-accounts', '0000000000', 0],
    ])
      assert.equal(
        (await rowsOf(`${path}/export?search=${encodeURIComponent(text)}`)).length,
        count,
        `${path} ${text}`,
      )
    const { name } = await merchant.ask('GET', `/customers/${account?.customer}`)
    assert.ok(
      (await listAll(server.call, `/virtual-accounts?search=${encodeURIComponent(name)}`)).length >
        0,
    )
    assert.equal((await rowsOf('/customers/export?to=2020-01-01')).length, 0)
  })

  it('names customers beside their ids, and amounts by their unit', async () => {
    const [account] = await rowsOf('/virtual-accounts/export')
    const { name } = await merchant.ask('GET', `/customers/${account?.customer}`)
    assert.equal(account?.customer_name, name)
    const [first = ''] = (await server.call('GET', '/transactions/export')).body.split('\r\n')
    assert.match(first, /,amount_decimal,.*,customer,customer_name,.*,amount_minor,/)
    assert.ok(!first.split(',').includes('amount'), 'no amount is without its unit')
  })

  it('for a spreadsheet has a byte order mark, and keeps zeros and phone numbers', async () => {
    const ask = async (path: string): Promise<string> => {
      const answer = await fetch(server.url + path, {
        headers: { authorization: `Bearer ${server.testKey}` },
      })
      return Buffer.from(await answer.arrayBuffer()).toString('utf8')
    }
    const plain = await ask('/customers/export')
    assert.ok(!plain.startsWith('\uFEFF'))
    assert.match(plain, /,\+2348012345678,/)
    const excel = await ask('/customers/export?spreadsheet=true')
    assert.ok(excel.startsWith('\uFEFFid,'))
    assert.ok(excel.includes(',"=""+2348012345678""",'))
    assert.ok(excel.includes(`"'=HYPERLINK(""x"")"`))
    assert.ok((await ask('/payouts/export?spreadsheet=true')).includes(',"=""058""",'))
  })

  it('has no pages, and refuses before the file begins', async () => {
    for (const path of ['/payments', '/payouts', '/customers'])
      for (const query of ['page=2', 'limit=5', 'from=yesterday', 'nothing=1'])
        await merchant.isRefused(
          'GET',
          `${path}/export?${query}`,
          undefined,
          422,
          'validation_failed',
        )
    await merchant.isRefused(
      'GET',
      '/payouts/export?from=0000-01-01',
      undefined,
      422,
      'validation_failed',
    )
  })

  it('takes no reference of a payout', async () => {
    await merchant.isRefused(
      'POST',
      '/payouts',
      bankPayout('export', 1_000),
      422,
      'validation_failed',
    )
    assert.equal(
      (await server.call('POST', '/payouts', bankPayout('export-1', 10_000))).status,
      201,
    )
  })

  it('goes on where a batch has ended', async () => {
    const ids = Array.from({ length: 2_000 }, (_, i) => ({ id: `${i}`, amount: BigInt(i) }))
    const asked: (string | undefined)[] = []
    const parts = await csvOf({ id: 'text', amount: 'amount' }, 'UTC', async ({ limit, after }) => {
      asked.push(after)
      const from = after === undefined ? 0 : Number(after) + 1
      return ids.slice(from, from + limit)
    })
    let csv = ''
    for await (const part of parts) csv += part
    const rows = parse(csv)
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids.map(({ id }) => id),
    )
    assert.deepEqual(asked, [undefined, '999', '1999'])
    assert.deepEqual(rows[1_234], { id: '1234', amount_decimal: '12.34', amount_minor: '1234' })
    // Records that are no row, or several, are a batch all the same.
    const rowsOf = (record: object) =>
      'id' in record && Number(record.id) % 3 === 0 ? [] : [record, record]
    let doubled = ''
    const again = await csvOf(
      { id: 'text' },
      'UTC',
      async ({ limit, after }) => {
        const from = after === undefined ? 0 : Number(after) + 1
        return ids.slice(from, from + limit)
      },
      { rowsOf },
    )
    for await (const part of again) doubled += part
    assert.equal(parse(doubled).length, 2 * ids.filter(({ id }) => Number(id) % 3 !== 0).length)
  })
})
