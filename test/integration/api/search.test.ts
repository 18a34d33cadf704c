/**
 * Goal: each list is narrowed by what is in its records, and by the days of the business; no text
 * that is asked for is more than a text. Method: records are made over HTTP, or copied to other
 * times; every filter is asked alone, together, page by page and by cursor.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import { address, type Json, type Merchant, newMerchant, noId } from '../../support/actors.ts'
import { bankPayout, startServer, storedColumns, type TestServer } from '../../support/harness.ts'

describe('lists are searched', () => {
  let server: TestServer
  let merchant: Merchant
  const made: Record<string, Json> = {}

  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
    made.ada = await merchant.addCustomer({
      name: 'Ada Obi',
      email: 'Ada@Example.com',
      reference: 'c_1',
      phone: '+2348012345678',
    })
    made.bola = await merchant.addCustomer({
      name: 'Bọ́lá Ade',
      email: 'bola@example.org',
      reference: 'cX1',
    })
    made.chidi = await merchant.addCustomer({
      name: 'Chidi Eze',
      email: 'chidi@mail.ng',
      reference: 'd1',
    })
    made.paid = await merchant.takePayment('card', {
      reference: 'rent_1',
      amount: 500_000,
      customer: made.ada.id,
    })
    made.other = await merchant.takePayment('card', {
      reference: 'rentX1',
      amount: 600_000,
      email: 'ADA@example.com',
    })
    made.open = await merchant.openPayment({
      reference: 'rent=1',
      amount: 500_000,
      customer: made.bola.id,
    })
    made.plain = await merchant.openPayment({ reference: 'Rent_2', amount: 5_000 })
    await merchant.payOut(bankPayout('out_1', 500_000))
    await merchant.payOut(
      bankPayout('outX1', 600_000, {
        destination: { bank_code: '058', account_number: '1234567893' },
      }),
    )
    await server.fund('usd', 100_000)
    await merchant.payOut({
      reference: 'coin',
      amount: 50_000,
      currency: 'usd',
      method: 'crypto',
      destination: { currency: 'usdc', chain: 'base', address },
    })
    for (const [payment, reference, amount] of [
      [made.paid, 'back_1', 200_000],
      [made.other, 'backX1', 300_000],
    ])
      made[reference] = (await merchant.refund(payment, { reference, amount })).data
    const [book, shelf] = [
      await merchant.addProduct({ amount: 900_000 }),
      await merchant.addProduct({ amount: 700_000 }),
    ]
    for (const [name, customer, product] of [
      ['first', made.chidi, book],
      ['second', made.bola, shelf],
    ])
      made[name] = await merchant.create('/invoices', {
        customer: customer.id,
        lines: [{ product: product.id, quantity: 1 }],
      })
    made.first = await merchant.finalizeInvoice(made.first)
  })
  after(() => server.stop())

  const search = (list: string, query: Record<string, string>, call = server.call) =>
    call('GET', `/${list}?${new URLSearchParams(query)}`)
  /** The names of what is found, newest first. */
  async function found(list: string, query: Record<string, string>): Promise<string[]> {
    const { status, body, data } = await search(list, query)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(data.totalDocs, data.docs.length)
    return data.docs.map((one: Json) => (list === 'invoices' ? String(one.total) : one.reference))
  }

  for (const [list, query, names] of [
    ['payments', { amount: '500000' }, ['rent=1', 'rent_1']],
    ['payments', { amount: '500001' }, []],
    ['payments', { email: 'ada@EXAMPLE.com' }, ['rentX1', 'rent_1']],
    ['payments', { email: 'ada@example' }, []],
    ['payments', { reference: 'rent' }, ['rent=1', 'rentX1', 'rent_1']],
    ['payments', { reference: 'rent_' }, ['rent_1']],
    ['payments', { reference: 'rent%' }, []],
    ['payments', { reference: '%' }, []],
    ['payments', { reference: 'rent=' }, ['rent=1']],
    ['payments', { reference: "rent' or true --" }, []],
    ['payments', { reference: '?1' }, []],
    ['payments', { reference: 'rent\\' }, []],
    ['payments', { search: 'rent_' }, ['Rent_2', 'rent_1']],
    ['payments', { search: ' rent=1 ' }, ['rent=1']],
    ['payments', { search: 'ada obi' }, ['rent_1']],
    ['payments', { search: 'ada@example.com' }, ['rentX1', 'rent_1']],
    ['payments', { search: 'bola' }, ['rent=1']],
    ['payments', { search: '5,000.00' }, ['rent=1', 'rent_1']],
    ['payments', { search: '₦5000' }, ['rent=1', 'rent_1']],
    ['payments', { search: '5000 NGN' }, ['rent=1', 'rent_1']],
    ['payments', { search: '50' }, ['Rent_2']],
    ['payments', { search: '%' }, []],
    ['payments', { search: '  ' }, []],
    ['payments', { search: '0' }, []],
    ['payments', { email: 'ada@example.com', amount: '500000' }, ['rent_1']],
    ['payments', { email: 'ada@example.com', status: 'pending' }, []],
    ['payments', { amount: '500000', status: 'pending' }, ['rent=1']],
    ['payments', { amount: '500000', method: 'card' }, ['rent_1']],
    ['payments', { reference: 'rent', amount: '500000', search: 'ada' }, ['rent_1']],
    ['payouts', { amount: '500000' }, ['out_1']],
    ['payouts', { reference: 'out_' }, ['out_1']],
    ['payouts', { search: 'out' }, ['outX1', 'out_1']],
    ['payouts', { search: '1234567893' }, ['outX1']],
    ['payouts', { search: address.toLowerCase() }, ['coin']],
    ['payouts', { search: '6,000' }, ['outX1']],
    ['payouts', { search: 'outX', amount: '500000' }, []],
    ['payouts', { search: 'outX', status: 'canceled' }, []],
    ['refunds', { amount: '200000' }, ['back_1']],
    ['refunds', { email: 'ada@example.com' }, ['backX1', 'back_1']],
    ['refunds', { reference: 'back_' }, ['back_1']],
    ['refunds', { search: 'ada obi' }, ['back_1']],
    ['refunds', { search: '3000.00' }, ['backX1']],
    ['refunds', { email: 'ada@example.com', amount: '300000' }, ['backX1']],
    ['invoices', { amount: '900000' }, ['900000']],
    ['invoices', { email: 'BOLA@example.org' }, ['700000']],
    ['invoices', { number: '1' }, ['900000']],
    ['invoices', { search: '1' }, ['900000']],
    ['invoices', { search: '7,000.00' }, ['700000']],
    ['invoices', { search: 'bola' }, ['700000']],
    ['invoices', { search: 'bola', status: 'open' }, []],
    ['customers', { reference: 'c_' }, ['c_1']],
    ['customers', { email: 'ada@example.com' }, ['c_1']],
    ['customers', { search: 'cX' }, ['cX1']],
    ['customers', { search: 'exam' }, ['cX1', 'c_1']],
    ['customers', { search: '+234 801 234 5678' }, ['c_1']],
    ['customers', { search: 'exam', reference: 'cX' }, ['cX1']],
  ] as [string, Record<string, string>, string[]][])
    it(`${list} by ${new URLSearchParams(query)}: ${names.length}`, async () =>
      assert.deepEqual(await found(list, query), names))

  it('by the ids of records', async () => {
    for (const [list, record] of [
      ['payments', made.plain],
      ['refunds', made.back_1],
      ['invoices', made.second],
      ['customers', made.bola],
    ] as [string, Json][])
      for (const text of [record.id, record.id.toUpperCase()])
        assert.deepEqual(
          (await search(list, { search: text })).data.docs.map(({ id }: Json) => id),
          [record.id],
        )
    assert.deepEqual(await found('refunds', { search: made.paid.id }), ['back_1'])
    assert.deepEqual(await found('payments', { search: noId }), [])
  })

  it('within their own business and mode', async () => {
    for (const list of ['payments', 'payouts', 'refunds', 'invoices', 'customers'])
      for (const text of ['ada', '5000', 'rent', 'out', 'back', made.paid.id]) {
        const { data } = await search(list, { search: text }, server.callAs(server.liveKey))
        assert.equal(data.totalDocs, 0, `${list} ${text}`)
      }
  })

  it('by nothing that they do not have', async () => {
    for (const [list, query] of [
      ['payouts', { email: 'ada@example.com' }],
      ['customers', { amount: '1' }],
      ['invoices', { reference: 'x' }],
      ['payments', { amount: '0' }],
      ['payments', { amount: '1.5' }],
      ['payments', { from: 'yesterday' }],
      ['payouts', { to: '2026-02-30' }],
      ['refunds', { search: '' }],
      ['customers', { reference: 'x'.repeat(101) }],
      ['invoices', { number: 'one' }],
      ['payments', { created_at: '2026-01-01' }],
    ] as [string, Record<string, string>][]) {
      const { status, code } = await search(list, query)
      assert.deepEqual(
        [status, code],
        [422, 'validation_failed'],
        `${list} ${JSON.stringify(query)}`,
      )
    }
  })

  it('after a customer was deleted, by the email address of its records', async () => {
    const gone = await merchant.addCustomer({ name: 'Gone Away', email: 'gone@example.com' })
    await merchant.openPayment({ reference: 'gone-1', customer: gone.id })
    await merchant.ask('DELETE', `/customers/${gone.id}`)
    assert.deepEqual(await found('payments', { email: 'gone@example.com' }), ['gone-1'])
    assert.deepEqual(await found('payments', { search: 'gone away' }), [])
    assert.deepEqual(await found('customers', { email: 'gone@example.com' }), [])
  })

  it('by the new email address of a customer too', async () => {
    const moved = await merchant.addCustomer({ name: 'Moved', email: 'old@example.com' })
    await merchant.openPayment({ reference: 'moved-1', customer: moved.id })
    await merchant.ask('PUT', `/customers/${moved.id}`, { email: 'new@example.com' })
    for (const email of ['old@example.com', 'new@example.com'])
      assert.deepEqual(await found('payments', { email }), ['moved-1'])
  })

  it('by page and by cursor, each once, while others are written', async () => {
    const names = Array.from({ length: 11 }, (_, i) => `walk-${String(i).padStart(2, '0')}`)
    for (const reference of names) await merchant.payOut(bankPayout(reference, 123_400))
    made.newer = 0
    for (const query of [
      { reference: 'walk-' },
      { amount: '123400' },
      { search: '1,234' },
      { search: 'walk-' },
    ]) {
      const seen: string[] = []
      let after: string | undefined
      do {
        const { data }: Json = await search('payouts', {
          ...query,
          limit: '3',
          ...(after ? { after } : {}),
        })
        seen.push(...data.docs.map(({ reference }: Json) => reference))
        after = data.hasNextPage ? data.docs.at(-1).id : undefined
        await merchant.payOut(bankPayout(`walk-new-${made.newer++}`, 123_400))
      } while (after)
      assert.deepEqual(
        seen.filter((name) => !name.includes('new')),
        names.toReversed(),
      )
      assert.equal(new Set(seen).size, seen.length)
      const second = (await search('payouts', { ...query, limit: '5', page: '2' })).data
      const all = (await search('payouts', { ...query, limit: '100' })).data
      assert.deepEqual(second.docs, all.docs.slice(5, 10))
      assert.deepEqual(
        [second.totalDocs, second.prevPage, second.nextPage],
        [all.docs.length, 1, 3],
      )
      assert.equal(all.hasNextPage, false)
    }
    assert.equal(
      (await search('payouts', { reference: 'walk-', page: '1000000000000' })).data.docs.length,
      0,
    )
    assert.equal(
      (await search('payouts', { reference: 'walk-', after: noId })).code,
      'invalid_cursor',
    )
  })

  describe('by day', () => {
    /** What a copy of a record must not have in common with it. */
    const ownOf = (list: string, time: string): object =>
      list === 'invoices'
        ? {}
        : { reference: time, ...(list === 'refunds' ? { status: 'failed' } : {}) }

    /** Copies a record to other times. */
    async function copy(list: string, id: string, times: string[]): Promise<void> {
      const columns = await storedColumns(server.app.db, list)
      for (const time of times) {
        const changed = { id: newId(new Date(time)), created_at: time, ...ownOf(list, time) }
        await server.app.db.query(
          `insert into ${list} (${columns}) select ${columns}
             from (select (jsonb_populate_record(one, $2)).* from ${list} one where id = $1) copied`,
          [id, JSON.stringify(changed)],
        )
      }
    }
    const days: [zone: string, day: string, first: string, end: string][] = [
      ['UTC', '2027-03-14', '2027-03-14T00:00:00.000Z', '2027-03-15T00:00:00.000Z'],
      ['Africa/Lagos', '2027-05-01', '2027-04-30T23:00:00.000Z', '2027-05-01T23:00:00.000Z'],
      // 23 and 25 hours.
      ['America/New_York', '2027-03-14', '2027-03-14T05:00:00.000Z', '2027-03-15T04:00:00.000Z'],
      ['America/New_York', '2027-11-07', '2027-11-07T04:00:00.000Z', '2027-11-08T05:00:00.000Z'],
      // Begins at one o'clock.
      ['Africa/Cairo', '2027-04-30', '2027-04-29T22:00:00.000Z', '2027-04-30T21:00:00.000Z'],
    ]
    for (const list of ['payments', 'payouts', 'refunds', 'invoices', 'customers'])
      it(`${list}, whose last day is in it, wherever the business is`, async () => {
        const one =
          list === 'payouts'
            ? await merchant.readPayout('out_1')
            : {
                payments: made.plain,
                refunds: made.back_1,
                invoices: made.second,
                customers: made.bola,
              }[list]
        const ms = (time: string, ahead: number): string =>
          new Date(Date.parse(time) + ahead).toISOString()
        const times = days.flatMap(([, , first, end]) => [ms(first, -1), first, ms(end, -1), end])
        await copy(list, one.id, [...new Set(times)])
        for (const [zone, day, first, end] of days) {
          await merchant.ask('PUT', '/business', { time_zone: zone })
          const inside = [...new Set(times)]
            .filter((time) => time >= first && time < end)
            .sort()
            .reverse()
          const read = async (query: Record<string, string>): Promise<string[]> => {
            const { data } = await search(list, { ...query, limit: '100' })
            assert.equal(data.totalDocs, data.docs.length)
            return data.docs.map((doc: Json) => doc.created_at)
          }
          assert.deepEqual(await read({ from: day, to: day }), inside, `${zone} ${day}`)
          // A time is the moment itself, and the last is not in it.
          assert.deepEqual(await read({ from: first, to: end }), inside)
          assert.deepEqual(await read({ from: end, to: first }), [])
          const later = await read({ from: day })
          assert.deepEqual(
            later,
            later.filter((time) => time >= first),
          )
          assert.ok(later.includes(first) && !later.includes(ms(first, -1)))
          if (list === 'payments')
            assert.deepEqual(
              await read({ from: day, to: day, amount: String(made.plain.amount) }),
              inside,
            )
        }
        await merchant.ask('PUT', '/business', { time_zone: 'UTC' })
        for (const query of [{ from: '0001-01-01' }, { to: '9999-12-31' }])
          assert.ok((await search(list, query)).data.totalDocs >= times.length / 2)
        for (const query of [
          { to: '0001-01-01' },
          { from: '9999-12-31' },
          { from: '2200-01-01' },
          { to: '1960-01-01' },
        ])
          assert.equal((await search(list, query)).data.totalDocs, 0, JSON.stringify(query))
      })
  })
})
