/**
 * Goal: once a business was stopped nothing begins, whatever was on its way, and what was answered
 * before is answered again. Method: one server, stopped while banks are asked, wallets are locked
 * and clients hurry.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { signedIn } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  type Call,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorKey } from '../../../test/support/people.ts'

describe('a business that is stopped', () => {
  let server: TestServer
  let ask: Call
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    ask = (await operatorKey(server)).call
  })
  after(() => server.stop())

  let count = 0
  const newBusiness = async () => {
    const made = await must(ask('POST', '/operator/businesses', { name: `Shop ${++count}` }))
    const call = server.callAs(made.test_key)
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
    return { id: made.id as string, call, testKey: made.test_key as string }
  }
  const change = (id: string, status: string) =>
    must(ask('PATCH', `/operator/businesses/${id}`, { status }))

  it('is answered again what it was answered before, by its Idempotency-Key', async () => {
    const { id, call } = await newBusiness()
    const post = (path: string, body: object, key: string) =>
      call('POST', path, body, { 'idempotency-key': key })
    const asked: [string, object, string][] = [
      ['/payouts', bankPayout('first', 50_000), 'k-payout'],
      ['/payments', { amount: 5_000, currency: 'ngn' }, 'k-payment'],
      ['/payouts', bankPayout('too-much', 900_000_000), 'k-refused'],
    ]
    const first = await Promise.all(asked.map((one) => post(...one)))
    assert.deepEqual(
      first.map(({ status }) => status),
      [201, 201, 400],
    )
    await change(id, 'suspended')
    for (const [i, one] of asked.entries()) {
      const again = await post(...one)
      assert.deepEqual([again.status, again.body], [first[i]?.status, first[i]?.body])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
    }
    assert.equal(
      (await post('/payouts', bankPayout('other', 50_000), 'k-payout')).code,
      'idempotency_key_reused',
    )
    for (const path of ['/payouts', '/payments', '/customers'])
      assert.equal((await post(path, bodyFor(path), 'k-new')).code, 'business_suspended')
    await change(id, 'active')
    // That it was stopped is not kept under the key.
    assert.equal((await post('/payouts', bodyFor('/payouts'), 'k-new')).status, 201)
    assert.equal((await must(call('GET', '/payouts'))).totalDocs, 2)
  })

  it('has a form that is sent again answered as before', async () => {
    const { id, call } = await newBusiness()
    const { post } = await signedIn({ ...server, businessId: id })
    const { destination, ...rest } = bankPayout('by-hand', 50_000)
    const nested = Object.entries(destination).map(([name, value]) => [
      `destination.${name}`,
      String(value),
    ])
    const form = { ...rest, ...Object.fromEntries(nested), amount: '500.00', step: 'do' }
    const send = (key: string, more: object = {}) =>
      post('/payouts/-/new', { ...form, ...more, key: `page-${key}` })
    const first = await send('a'.repeat(24))
    assert.equal(first.status, 303, first.html)
    await change(id, 'suspended')
    const again = await send('a'.repeat(24))
    assert.deepEqual([again.status, again.location], [303, first.location])
    const fresh = await send('b'.repeat(24), { reference: 'by-hand-2' })
    assert.equal(fresh.status, 403)
    assert.match(fresh.html, /was suspended by the operator/)
    assert.equal((await must(call('GET', '/payouts'))).totalDocs, 1)
  })

  it('begins nothing whose bank was still being asked, whoever asked it', async () => {
    const { id, call } = await newBusiness()
    const { ports } = server.app.rails.test.sandbox
    const rail = ports.lookup
    const gate = Promise.withResolvers<void>()
    let asked = 0
    ports.lookup = {
      ...rail,
      lookup: async (...of) => {
        asked++
        await gate.promise
        return rail.lookup(...of)
      },
    }
    const { destination } = bankPayout('', 0)
    const batch = await must(
      call('POST', '/payouts/batch', {
        reference: 'many',
        currency: 'ngn',
        lines: [{ amount: 50_000, destination }],
      }),
    )
    const answers = Promise.all(
      [0, 1, 2, 3].flatMap((n) => [
        call('POST', '/payouts', bankPayout(`plain-${n}`, 50_000)),
        call('POST', '/payouts', bankPayout(`keyed-${n}`, 50_000), {
          'idempotency-key': `slow-${n}`,
        }),
      ]),
    )
    await until(async () => asked === 9)
    await change(id, 'suspended')
    gate.resolve()
    ports.lookup = rail
    for (const { status, code } of await answers)
      assert.deepEqual([status, code], [403, 'business_suspended'])
    const line = await until(async () => {
      const [first] = (await must(call('GET', `/payout-batches/${batch.id}/lines`))).docs
      return first.status !== 'waiting' && first
    })
    assert.deepEqual([line.status, line.code], ['refused', 'business_suspended'])
    assert.equal((await must(call('GET', '/payouts'))).totalDocs, 0)
    await change(id, 'active')
    const again = await call('POST', '/payouts', bankPayout('keyed-0', 50_000), {
      'idempotency-key': 'slow-0',
    })
    assert.equal(again.status, 201)
  })

  it('has nothing committed after it was stopped, however many hurry', async () => {
    await server.asOwner(`
      create table stops (business_id text, seen pg_snapshot);
      create function see_stop() returns trigger language plpgsql security definer as
        $$ begin insert into stops values (new.id, pg_current_snapshot()); return null; end $$;
      create trigger see_stop after update of status on businesses for each row execute function see_stop()`)
    for (let round = 0; round < 3; round++) {
      const { id, call } = await newBusiness()
      const codes: (string | undefined)[] = []
      let made = 0
      const hurry = async (client: number): Promise<void> => {
        for (let n = 0; ; n++) {
          const key = client % 2 === 0 ? { 'idempotency-key': `${client}-${n}` } : {}
          const { status, code } = await (client % 4 < 2
            ? call('POST', '/payouts', bankPayout(`hurry-${client}-${n}`, 10_000), key)
            : call('POST', '/payments', bodyFor('/payments'), key))
          if (status !== 201) return void codes.push(code)
          made++
        }
      }
      const all = Promise.all(Array.from({ length: 12 }, (_, client) => hurry(client)))
      await until(async () => made > 20)
      await change(id, 'suspended')
      await all
      assert.deepEqual([...new Set(codes)], ['business_suspended'])
      const { rows: late } = await server.asOwner(`
        select made.id from (select business_id, id, xmin from payments union all
                             select business_id, id, xmin from events) as made join stops using (business_id)
         where business_id = '${id}' and not pg_visible_in_snapshot(made.xmin::text::xid8, seen)`)
      assert.deepEqual(late, [])
    }
  })
})

const bodyFor = (path: string): object =>
  path === '/payouts'
    ? bankPayout('new', 50_000)
    : path === '/payments'
      ? { amount: 5_000, currency: 'ngn' }
      : { email: 'ada@example.com', type: 'individual', first_name: 'Ada', last_name: 'Okafor' }
