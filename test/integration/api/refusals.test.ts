import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { refusals } from '../../../src/app/modules.ts'
import {
  address,
  bankAccount,
  type Merchant,
  most,
  newMerchant,
  noId,
} from '../../support/actors.ts'
import { ownAccount } from '../../support/approvers.ts'
import { bankPayout, startServer, type TestServer } from '../../support/harness.ts'

describe('refusals that no other test provokes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-pricing-'))
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    const file = join(dir, 'pricing.json')
    writeFileSync(
      file,
      JSON.stringify({
        rates: { usd_ngn: '1550.00' },
        platform: { 'bank_transfer.usd': { flat: 0, bps: 0, min: 0, max: null } },
        provider: {},
      }),
    )
    server = await startServer({ PRICING_FILE: file })
    merchant = newMerchant(server)
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('leave no trace', async () => {
    const fund = '/wallets/simulate-fund'
    const live = server.callAs(server.liveKey)
    await merchant.isRefused(
      'POST',
      fund,
      { currency: 'ngn', amount: 1 },
      403,
      'test_mode_only',
      live,
    )
    await server.fund('usd', most)
    await merchant.isRefused('POST', fund, { currency: 'usd', amount: 1 }, 400, 'amount_too_large')
    // 1550 ngn for each usd: more than the API could carry back.
    await merchant.isRefused(
      'POST',
      '/payouts',
      bankPayout('huge', most, { currency: 'usd' }),
      400,
      'amount_too_large',
    )
    const { reference: _reference, ...quote } = bankPayout('none', 100_000)
    await merchant.isRefused(
      'POST',
      '/payouts',
      bankPayout('none', 100_000),
      400,
      'unsupported_currency',
    )
    await merchant.isRefused('POST', '/payouts/quote', quote, 400, 'unsupported_currency')
    const { id: beneficiary } = await ownAccount(server)
    const standing = { currency: 'ngn', beneficiary, interval: 'daily' }
    await merchant.isRefused('POST', '/payout-schedules', standing, 400, 'unsupported_currency')
    const { id: schedule } = await merchant.create('/payout-schedules', {
      ...standing,
      currency: 'usd',
    })
    const tokens = { method: 'crypto', destination: { currency: 'usdc', chain: 'base', address } }
    const elsewhere = { beneficiary: (await ownAccount(server, tokens)).id }
    await merchant.isRefused(
      'PATCH',
      `/payout-schedules/${schedule}`,
      elsewhere,
      400,
      'unsupported_currency',
    )
    await merchant.ask('DELETE', `/payout-schedules/${schedule}`)
    const zero = { currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` }
    const crypto = { currency: 'usd', method: 'crypto', destination: zero }
    await merchant.isRefused(
      'POST',
      '/payouts',
      bankPayout('zero', 100_000, crypto),
      400,
      'invalid_destination',
    )
    const contract = { ...zero, address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' }
    await merchant.isRefused(
      'POST',
      '/payouts',
      bankPayout('contract', 100_000, { ...crypto, destination: contract }),
      400,
      'invalid_destination',
    )
  })

  it('refuse to quote what could not be paid out', async () => {
    const token = { currency: 'usdc', chain: 'base', address }
    const cases: [code: string, destination: object, more?: object][] = [
      ['unknown_bank', { bank_code: '000', account_number: '0123456789' }],
      ['invalid_destination', bankAccount('012345678')],
      ['account_not_found', bankAccount('0000000003')],
      ['currency_mismatch', { ...bankAccount(), currency: 'usd' }],
      ['invalid_address', { ...token, address: address.toLowerCase() }, { method: 'crypto' }],
      ['unsupported_chain', { ...token, chain: 'bitcoin' }, { method: 'crypto' }],
      ['amount_too_large', bankAccount(), { amount: most }],
    ]
    const quote = { amount: 100_000, currency: 'usd', method: 'bank_transfer' }
    for (const [code, destination, more] of cases)
      await merchant.isRefused(
        'POST',
        '/payouts/quote',
        { ...quote, destination, ...more },
        400,
        code,
      )
  })

  it('refuse a token that the server has no rate for', async () => {
    const payment = await merchant.openPayment({ methods: ['crypto', 'bank_transfer'] })
    const path = `/payments/${payment.id}/simulate`
    await merchant.isRefused('POST', path, { outcome: 'completed' }, 400, 'unsupported_currency')
    await merchant.simulate(payment, 'completed', 'bank_transfer')
    const back = { payment: payment.id, destination: { currency: 'usdc', chain: 'base', address } }
    await merchant.isRefused('POST', '/refunds', back, 400, 'unsupported_currency')
  })

  it('refuse in live mode what needs a rail that is not there', async () => {
    const live = server.callAs(server.liveKey)
    const destination = bankAccount()
    for (const [method, path, body] of [
      ['POST', '/collections', { name: 'Tips', currency: 'ngn' }],
      ['POST', '/refunds', { payment: noId, destination }],
      [
        'POST',
        '/payouts/quote',
        { amount: 100_000, currency: 'ngn', method: 'bank_transfer', destination },
      ],
      ['GET', '/misc/ng/resolve?bank_code=058&account_number=0123456789', undefined],
    ] as const)
      await merchant.isRefused(method, path, body, 400, 'rail_not_configured', live)
  })

  it('hold webhook endpoints to their number and state', async () => {
    const url = 'https://8.8.8.8/hook'
    const first = await server.call('POST', '/webhooks', { url, active: false })
    assert.equal(first.status, 201)
    await merchant.isRefused(
      'POST',
      `/webhooks/${first.data.id}/test`,
      { type: 'payout.completed' },
      400,
      'webhook_inactive',
    )
    for (let i = 1; i < 20; i++)
      assert.equal((await server.call('POST', '/webhooks', { url })).status, 201)
    await merchant.isRefused('POST', '/webhooks', { url }, 400, 'too_many_webhooks')
  })

  it('are all in the catalogue, and all of the catalogue is tested', () => {
    const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).map((file) =>
      readFileSync(file, 'utf8'),
    )
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
