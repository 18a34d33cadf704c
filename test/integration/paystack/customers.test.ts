/**
 * Goal: each customer of ours is one customer at Paystack, made once, and never shares it with
 * another business's. Method: the adapter's function over the double of Paystack and a database.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../../src/lib/ids.ts'
import type { Account } from '../../../src/rails/paystack/account.ts'
import { openClient } from '../../../src/rails/paystack/client.ts'
import { customerAt } from '../../../src/rails/paystack/customers.ts'
import {
  keptCustomer,
  ownersOf,
  setIdentified,
} from '../../../src/rails/records/provider-customers.ts'
import { type Double, startPaystack } from '../../doubles/paystack.ts'
import { providerTiming } from '../../support/dollars.ts'
import { shareServer, type TestServer } from '../../support/harness.ts'

describe('a customer at Paystack', () => {
  let server: TestServer
  let double: Double
  const reports: string[] = []
  before(async () => {
    server = await shareServer()
    double = await startPaystack()
  })
  after(async () => {
    await server.stop()
    await double.stop()
  })

  const accountOf = (shared: boolean, name = shared ? 'shared' : 'own'): Account => {
    const { db, clock, log } = server.app
    const reach = { host: double.url, ...providerTiming }
    const client = openClient({ reach, secretKey: double.keys.live, livemode: true, clock, log })
    const report: Account['report'] = (kind, _subject, detail) => reports.push(`${kind}: ${detail}`)
    return { name, livemode: true, shared, host: 'pay.example.com', client, db, clock, log, report }
  }
  const ada = (more: object = {}) => ({
    id: newId(new Date()),
    businessId: server.businessId,
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Okafor',
    phone: '+2348012345678',
    ...more,
  })
  const made = () =>
    double.requests.filter(({ operation }) => operation === 'create_customer').length

  it('has an address of its own where businesses share the account, and is made once', async () => {
    const account = accountOf(true)
    const [first, second] = [ada(), ada()]
    const before = made()
    const said = await customerAt(account, first)
    assert.ok('customer' in said)
    assert.equal(said.customer.email, `${first.id}@pay.example.com`)
    assert.deepEqual(await customerAt(account, first), said)
    assert.equal(made(), before + 1)
    const other = await customerAt(account, second)
    assert.ok('customer' in other && other.customer.code !== said.customer.code)
    const there = double.live.books.customers.find(({ code }) => code === said.customer.code)
    assert.deepEqual(
      [there?.first_name, there?.last_name, there?.phone, there?.metadata],
      ['Ada', 'Okafor', '+2348012345678', { bursar_customer: first.id, email: 'ada@example.com' }],
    )
    assert.deepEqual(await ownersOf(account, said.customer.code), [
      { businessId: server.businessId, customerId: first.id },
    ])
  })

  it('has its own address where the account is one business’s, also when two have the same', async () => {
    const account = accountOf(false)
    const [first, second] = [ada(), ada()]
    const said = await customerAt(account, first)
    const same = await customerAt(account, second)
    assert.ok('customer' in said && 'customer' in same)
    assert.deepEqual(
      [said.customer.email, same.customer.code],
      ['ada@example.com', said.customer.code],
    )
    assert.equal((await ownersOf(account, said.customer.code)).length, 2)
  })

  it('is one also when many ask at once, and when Paystack makes one for each', async () => {
    const account = accountOf(true)
    double.live.settings.oneCustomerPerEmail = false
    const customer = ada()
    const all = await Promise.all(Array.from({ length: 4 }, () => customerAt(account, customer)))
    double.live.settings.oneCustomerPerEmail = true
    const codes = new Set(all.map((one) => ('customer' in one ? one.customer.code : one.is)))
    assert.equal(codes.size, 1)
    await setIdentified(account, customer, true)
    const kept = await keptCustomer(account, customer)
    assert.deepEqual([kept?.identified, codes.has(kept?.code as string)], [true, true])
  })

  it('is not kept when Paystack does not say that there is one', async () => {
    const account = accountOf(true)
    for (const fault of ['timeout_after', 'error_after', 'html', 'other_mode'] as const) {
      const customer = ada()
      await double.fault('create_customer', fault)
      const said = await customerAt(account, customer)
      assert.ok('is' in said && said.is === 'unknown', fault)
      assert.equal(await keptCustomer(account, customer), null)
      // Asked again, it is the one that was made.
      assert.ok('customer' in (await customerAt(account, customer)))
    }
    assert.deepEqual(reports, ['quarantined: a customer with another mode'])
    assert.deepEqual(double.violations, [])
  })
})
