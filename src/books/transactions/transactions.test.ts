import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bankPayout, shareServer, type TestServer, until } from '../../../test/support/harness.ts'

describe('transactions', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
    for (let i = 0; i < 25; i++) await server.fund(i % 2 ? 'ngn' : 'usd', 100_000 + i)
    await server.call('POST', '/payouts', bankPayout('-2', 50_000))
    await until(async () => (await server.call('GET', '/payouts/-2')).data.status === 'completed')
  })
  after(() => server.stop())

  it('are listed newest first, by filter', async () => {
    const { data } = await server.call('GET', '/transactions')
    assert.deepEqual(
      [data.docs.length, data.totalDocs, data.limit, data.page, data.totalPages],
      [20, 26, 20, 1, 2],
    )
    assert.deepEqual(
      [data.hasNextPage, data.hasPrevPage, data.nextPage, data.prevPage],
      [true, false, 2, null],
    )
    assert.equal(data.docs[0].type, 'payout')
    const times = data.docs.map((doc: { created_at: string }) => doc.created_at)
    assert.deepEqual(times, times.toSorted().reverse())
    for (const [query, count] of [
      ['currency=usd', 13],
      ['direction=debit', 1],
      ['method=wallet', 25],
      ['status=completed', 26],
      ['type=payout', 1],
      ['to=2020-01-01T00:00:00Z', 0],
      [`from=${encodeURIComponent(times[0])}`, 1],
      [`customer=${'0'.repeat(24)}`, 0],
    ] as const)
      assert.equal(
        (await server.call('GET', `/transactions?${query}`)).data.totalDocs,
        count,
        query,
      )
  })

  it('verify as they stand, for their own business and mode only', async () => {
    const { data } = await server.call('GET', '/transactions?type=payout')
    const [payout] = data.docs
    assert.deepEqual((await server.call('GET', `/transactions/${payout.id}/verify`)).data, payout)
    assert.equal(
      (await server.callAs(server.liveKey)('GET', `/transactions/${payout.id}/verify`)).status,
      404,
    )
  })

  it('export as CSV, whole, safe for spreadsheets', async () => {
    const { status, headers, body } = await server.call('GET', '/transactions/export')
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    const lines = body.trimEnd().split('\r\n')
    assert.equal(lines.length, 27)
    assert.match(lines[0], /^id,created_at,completed_at,type,/)
    assert.match(
      lines[1],
      /,[\d:.TZ-]{24},payout,bank_transfer,debit,completed,ngn,500.00,35.00,465.00,[\d.]+,-500.00,'-2,,,[\d: -]{19},[\d: -]{19},50000,3500,46500,\d+,-50000$/,
    )
    assert.equal(
      (await server.call('GET', '/transactions/export?currency=usd')).body.trimEnd().split('\r\n')
        .length,
      14,
    )
    assert.equal((await server.call('GET', '/transactions/export?page=2')).status, 422)
  })
})
