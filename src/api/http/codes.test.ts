/**
 * Goal: codes are lower-case in every answer, and are taken in any case. Method: currencies,
 * countries, chains, methods and filters are sent in capitals, in bodies, queries and paths.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { bankPayout, must, shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('codes', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 1_000_000)
  })
  after(() => server.stop())

  it('are taken in capitals, and answered in lower case', async () => {
    const destination = { ...bankPayout('', 1).destination, country: 'NG', currency: 'NGN' }
    const asked = {
      ...bankPayout('caps-1', 50_000),
      currency: 'NGN',
      method: 'BANK_TRANSFER',
      destination,
    }
    const payout = await must(server.call('POST', '/payouts', asked))
    assert.deepEqual(
      [payout.currency, payout.method, payout.destination.country, payout.destination.currency],
      ['ngn', 'bank_transfer', 'ng', 'ngn'],
    )
    const listed = await must(server.call('GET', '/payouts?currency=NGN&method=Bank_Transfer'))
    assert.equal(listed.totalDocs, 1)
    assert.equal((await must(server.call('GET', '/wallets?currency=USD')))[0].currency, 'usd')
    const banks = await must(server.call('GET', '/misc/NG/banks'))
    assert.deepEqual(banks, await must(server.call('GET', '/misc/ng/banks')))
    assert.ok(
      (await must(server.call('GET', '/misc/NG/resolve?bank_code=058&account_number=0123456789')))
        .account_name,
    )
    const crypto = {
      amount: 1_000,
      currency: 'USD',
      method: 'crypto',
      destination: { currency: 'USDC', chain: 'BASE' },
    }
    assert.equal(
      (await must(server.call('POST', '/payouts/quote', crypto))).destination.chain,
      'base',
    )
  })

  it('of countries are lower-case in addresses', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com' }
    for (const country of ['ng', 'NG', 'Ng']) {
      const made = await must(server.call('POST', '/customers', { ...ada, address: { country } }))
      assert.equal(made.address.country, 'ng')
    }
  })

  it('are still among those that there are', async () => {
    const merchant = newMerchant(server)
    await merchant.isRefused(
      'POST',
      '/payouts',
      { ...bankPayout('odd', 1), currency: 'XXX' },
      422,
      'validation_failed',
    )
    await merchant.isRefused('GET', '/payouts?status=DONE', undefined, 422, 'validation_failed')
  })
})
