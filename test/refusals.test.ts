import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { refusals } from '../src/lib/errors.ts'
import { bankPayout, snapshot, startServer, type TestServer } from './harness.ts'

describe('refusals that no other test provokes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pricing-'))
  let server: TestServer
  before(async () => {
    const file = join(dir, 'pricing.json')
    writeFileSync(
      file,
      JSON.stringify({ platform: { 'bank_transfer.usd': { flat: 0, bps: 0, min: 0, max: null } }, provider: {} }),
    )
    server = await startServer({ PRICING_FILE: file })
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  async function refused(key: string, path: string, body: unknown, status: number, code: string): Promise<void> {
    const before = await snapshot(server.app)
    const answer = await server.callAs(key)('POST', path, body)
    assert.deepEqual([answer.status, answer.code], [status, code], JSON.stringify(answer.body))
    assert.deepEqual(await snapshot(server.app), before)
  }

  it('leave no trace', async () => {
    const { testKey, liveKey } = server
    const most = 9_007_199_254_740_991
    await refused(liveKey, '/wallets/simulate-fund', { currency: 'ngn', amount: 1 }, 403, 'test_mode_only')
    await server.fund('usd', most)
    await refused(testKey, '/wallets/simulate-fund', { currency: 'usd', amount: 1 }, 400, 'amount_too_large')
    // 1550 ngn for each usd: more than the API could carry back.
    await refused(testKey, '/payouts', bankPayout('huge', most, { currency: 'usd' }), 400, 'amount_too_large')
    const { reference: _reference, ...quote } = bankPayout('none', 100_000)
    await refused(testKey, '/payouts', bankPayout('none', 100_000), 400, 'unsupported_currency')
    await refused(testKey, '/payouts/quote', quote, 400, 'unsupported_currency')
    const zero = { currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` }
    const crypto = { currency: 'usd', method: 'crypto', destination: zero }
    await refused(testKey, '/payouts', bankPayout('zero', 100_000, crypto), 400, 'invalid_destination')
    const contract = { ...zero, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }
    await refused(
      testKey,
      '/payouts',
      bankPayout('contract', 100_000, { ...crypto, destination: contract }),
      400,
      'invalid_destination',
    )
    await server.assertBooksClean()
  })

  it('hold webhook endpoints to their number and state', async () => {
    const url = 'https://8.8.8.8/hook'
    const first = await server.call('POST', '/webhooks', { url, active: false })
    assert.equal(first.status, 201)
    await refused(
      server.testKey,
      `/webhooks/${first.data.id}/test`,
      { type: 'payout.completed' },
      400,
      'webhook_inactive',
    )
    for (let i = 1; i < 20; i++) assert.equal((await server.call('POST', '/webhooks', { url })).status, 201)
    await refused(server.testKey, '/webhooks', { url }, 400, 'too_many_webhooks')
  })

  it('are all in the catalogue, and all of the catalogue is tested', () => {
    const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).map((file) => readFileSync(file, 'utf8'))
    const sources = globSync('src/**/*.ts')
      .filter((file) => !/test\.ts$|lib\/errors\.ts$/.test(file))
      .map((file) => readFileSync(file, 'utf8'))
    for (const code of Object.keys(refusals)) {
      assert.ok(
        sources.some((text) => text.includes(`'${code}'`)),
        `${code} is never given`,
      )
      // A bug is no refusal: the test of `internal_error` looks at its status and text.
      if (code !== 'internal_error')
        assert.ok(
          tests.some((text) => text.includes(`'${code}'`)),
          `${code} is never tested`,
        )
    }
  })
})
