/**
 * Goal: Monnify's sandbox signs no webhook, so in test mode one without a signature is taken as a
 * hint, and only what Monnify says when it is asked is booked. Method: a server with a test account
 * at the double of the sandbox, asked over HTTP with a test key.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { monnifyAt } from '../../../src/rails/monnify/monnify.ts'
import { contract } from '../../doubles/monnify/reserved.ts'
import { type Double, startMonnify } from '../../doubles/monnify.ts'
import { movingClock, pass, providerTiming, slowMs } from '../../support/dollars.ts'
import {
  type Json,
  listAll,
  must,
  startServer,
  type TestServer,
  workedOff,
} from '../../support/harness.ts'
import { monnifyAccount, monnifyEnv } from '../../support/monnify.ts'
import { railsEnv } from '../../support/provider.ts'

describe('a test account at Monnify', () => {
  const clock = movingClock()
  let server: TestServer
  let double: Double
  let made = 0
  before(async () => {
    double = await startMonnify({ now: clock.now, slowMs, sandbox: true })
    const accounts = { monnify: { ...monnifyAccount, contract_code: contract } }
    const routes = { 'account.ngn': ['monnify'], 'payout.ngn': ['monnify'] }
    const env = { ...railsEnv({ test: { accounts, routes } }), ...monnifyEnv(double) }
    const reach = { host: double.url, ...providerTiming }
    server = await startServer(env, [monnifyAt({ live: reach, test: reach })], clock)
    double.events.url = `${server.url}/rails/monnify/test/webhook`
  })
  after(async () => {
    await server.stop()
    await double.stop()
  })

  const depositsOf = (customer: Json) =>
    listAll(
      server.call,
      `/transactions?customer=${customer.id}&type=deposit`,
    ) as unknown as Promise<Json[]>
  async function openOne(): Promise<{ customer: Json; account: Json }> {
    const names = { first_name: 'Ada', last_name: 'Okafor', phone: '+2348012345678' }
    const customer = await must(
      server.call('POST', '/customers', { ...names, email: `ada${++made}@example.com` }),
    )
    // A static account in naira is for verified customers.
    await must(
      server.call('POST', `/customers/${customer.id}/documents`, {
        id_type: 'bvn',
        id_number: '22222222222',
      }),
    )
    return {
      customer,
      account: await must(
        server.call('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn' }),
      ),
    }
  }

  it('books what an unsigned webhook hints at, once, as Monnify says', async () => {
    const { customer, account } = await openOne()
    const paid = double.reserved.pay(account.account_number, 2_500_00)
    // It says another amount than Monnify does.
    const lie = {
      eventType: 'SUCCESSFUL_TRANSACTION',
      eventData: {
        transactionReference: paid.id,
        amountPaid: 9_999_999,
        product: { type: 'RESERVED_ACCOUNT', reference: `vc-${customer.id}` },
      },
    }
    assert.equal(await double.events.post(JSON.stringify(lie)), 200)
    await double.events.deliver()
    await workedOff(server)
    assert.deepEqual(
      (await depositsOf(customer)).map(({ amount }) => amount),
      [2_500_00],
    )
    assert.ok(double.events.deliveries.every(({ status }) => status === 200))
  })

  it('books nothing of what Monnify does not know', async () => {
    const { customer } = await openOne()
    const forged = {
      eventType: 'SUCCESSFUL_TRANSACTION',
      eventData: {
        transactionReference: 'MNFY|04|20211117112842|000170',
        amountPaid: 5_000,
        paymentStatus: 'PAID',
        product: { type: 'RESERVED_ACCOUNT', reference: `vc-${customer.id}` },
      },
    }
    assert.equal(await double.events.post(JSON.stringify(forged)), 200)
    await workedOff(server)
    await pass(server, clock, 60_000)
    assert.deepEqual(await depositsOf(customer), [])
  })

  it('refuses a webhook that is signed by somebody else', async () => {
    const answer = await fetch(double.events.url as string, {
      method: 'POST',
      body: '{"eventType":"SUCCESSFUL_TRANSACTION","eventData":{}}',
      headers: { 'content-type': 'application/json', 'monnify-signature': 'ab'.repeat(64) },
    })
    assert.equal(answer.status, 401)
  })
})
