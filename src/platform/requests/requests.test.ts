/**
 * Goal: what was asked with a key can be looked up for a while, and costs no payment anything.
 * Method: requests over HTTP, read back at `GET /requests`; a recorder over databases that hang and
 * refuse.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must, newBusiness } from '../../../test/support/actors.ts'
import {
  type Answer,
  bankPayout,
  type Json,
  makeCall,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { serve } from '../../app/main.ts'
import { listKeys } from '../../books/businesses/businesses.ts'
import type { Scope } from '../../core/app.ts'
import { newClient } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { maskedBody } from './masking.ts'
import { forgetOldRequests, makeRecorder } from './requests.ts'

const day = 86_400_000

describe('requests', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  const idOf = ({ headers }: Answer): string => headers.get('x-request-id') as string
  /** Waits until a request is recorded. */
  const recorded = (answer: Answer, call = server.call): Promise<Json> =>
    until(async () => {
      const found = await call('GET', `/requests/${idOf(answer)}`)
      return found.status === 200 && found.data
    })
  const list = (query = '', call = server.call): Promise<Json> =>
    must(call('GET', `/requests${query}`))

  it('are kept with what became of them, by the id of their answer', async () => {
    const [key] = (await listKeys(server.app, server.businessId)).filter(
      ({ livemode }) => !livemode,
    )
    const made = await server.call('POST', '/payouts', bankPayout('kept-1', 10_000), {
      'idempotency-key': 'kept-once',
    })
    const { created_at, ms, address, ...found } = await recorded(made)
    assert.deepEqual(found, {
      id: idOf(made),
      method: 'POST',
      path: '/payouts',
      status: 201,
      code: null,
      key: key?.id,
      body: null,
      livemode: false,
      subject: made.data.id,
      idempotency_key: 'kept-once',
    })
    const again = await server.call('POST', '/payouts', bankPayout('kept-1', 10_000), {
      'idempotency-key': 'kept-once',
    })
    assert.deepEqual([again.status, (await recorded(again)).subject], [201, made.data.id])
    assert.ok(ms > 0 && ms < 60_000)
    assert.match(address, /127\.0\.0\.1$/)
    assert.ok(Math.abs(Date.parse(created_at) - server.app.clock.now().getTime()) < 60_000)

    const looked = await recorded(await server.call('GET', '/customers?email=ada%40example.com'))
    assert.deepEqual([looked.path, looked.status], ['/customers', 200])
    for (const [method, path, body, headers, code] of [
      ['GET', '/payouts/never', undefined, {}, 'not_found'],
      ['POST', '/payouts', '{', {}, 'malformed_json'],
      [
        'POST',
        '/payouts',
        bankPayout('kept-1', 10_000),
        { 'idempotency-key': 'kept' },
        'duplicate_reference',
      ],
      [
        'POST',
        '/payouts',
        bankPayout('kept-1', 10_000),
        { 'idempotency-key': 'kept' },
        'duplicate_reference',
      ],
    ] as const) {
      const answer = await server.call(method, path, body, headers)
      assert.deepEqual([answer.code, (await recorded(answer)).code], [code, code])
    }
  })

  it('are not those without a valid key, and not those that ask for requests', async () => {
    const before = (await list()).totalDocs
    for (const key of [null, 'sk_test_nobody']) await server.callAs(key)('GET', '/wallets')
    await list()
    await recorded(await server.call('GET', '/wallets'))
    assert.equal((await list()).totalDocs, before + 1)
    assert.equal((await server.call('GET', `/requests/${'0'.repeat(24)}`)).code, 'not_found')
  })

  it('have the body of refusals in test mode, masked, and no other', async () => {
    const body = { ...bankPayout('masked', 0), description: 'card 4242 4242 4242 4242' }
    const refused = await recorded(await server.call('POST', '/payouts', body))
    assert.deepEqual(JSON.parse(refused.body), {
      ...body,
      destination: { bank_code: '058', account_number: '…6789' },
      description: 'card …4242',
    })
    const live = server.callAs(server.liveKey)
    const livelyRefused = await recorded(await live('POST', '/payouts', body), live)
    assert.deepEqual([livelyRefused.status, livelyRefused.body], [422, null])
  })

  it('are masked whatever a body holds, and cut short', () => {
    for (const [body, kept] of [
      [undefined, null],
      [{ id_number: '12345678901', id_type: 'bvn' }, '{"id_number":"…8901","id_type":"bvn"}'],
      [{ note: 'bvn 22212345678 of Ada' }, '{"note":"bvn …5678 of Ada"}'],
      [
        { pin: 1234, password: 'x', nested: [{ client_secret: 'y', cvc: '123' }] },
        '{"pin":"…","password":"…","nested":[{"client_secret":"…","cvc":"…"}]}',
      ],
      [
        { card: { number: 4242424242424242, expiry: '12/34' } },
        '{"card":{"number":"…4242","expiry":"12/34"}}',
      ],
      [
        { n: 5_555_555_555_554_444, amount: 5_555_555_555_554_444 },
        '{"n":"…4444","amount":5555555555554444}',
      ],
      [
        { metadata: { key: `sk_live_${'x'.repeat(33)}`, 4242424242424242: 1 } },
        '{"metadata":{"key":"sk_live_…","…4242":1}}',
      ],
      [
        { id: '6925f3a1c0ffee00c0ffee01', at: '2026-11-21T09:30:00Z', reference: 'rent-2026-11' },
        '{"id":"6925f3a1c0ffee00c0ffee01","at":"2026-11-21T09:30:00Z","reference":"rent-2026-11"}',
      ],
    ] as const)
      assert.equal(maskedBody(body), kept)
    const long = maskedBody({ texts: Array.from({ length: 40 }, () => 'x'.repeat(400)) }) as string
    assert.deepEqual([long.length, long.at(-1)], [2_048, '…'])
    const wide = Object.fromEntries(Array.from({ length: 120_000 }, (_, i) => [`field-${i}`, i]))
    assert.ok(Object.keys(JSON.parse(maskedBody(wide) as string)).length === 50)
    let deep: object = {}
    for (let i = 0; i < 1_000; i++) deep = { deep }
    assert.ok((maskedBody(deep) as string).length < 200)
  })

  it('are found by status, code, method, path, time and cursor, in the mode and business of the key alone', async () => {
    const call = await newBusiness(server, 'Finds')
    const answers: Answer[] = []
    for (const [method, path, body] of [
      ['GET', '/wallets'],
      ['POST', '/customers', { name: 'Ada', email: 'ada@example.com' }],
      ['GET', '/customers/none'],
      ['POST', '/payouts', {}],
      ['DELETE', '/customers/none'],
    ] as const)
      answers.push(await call(method, path, body))
    await recorded(answers.at(-1) as Answer, call)
    const found = async (query: string) => {
      const { docs } = await list(query, call)
      return docs.map(({ id }: Json) => answers.findIndex((answer) => idOf(answer) === id))
    }
    const today = server.app.clock.now().toISOString().slice(0, 10)
    for (const [query, expected] of [
      ['', [4, 3, 2, 1, 0]],
      ['?status=404', [4, 2]],
      ['?status=201', [1]],
      ['?failed=true', [4, 3, 2]],
      ['?failed=false', [1, 0]],
      ['?code=validation_failed', [3]],
      ['?method=GET', [2, 0]],
      ['?path=/customers', [4, 2, 1]],
      ['?path=/customers&failed=true&method=DELETE', [4]],
      [`?from=${today}&to=${today}`, [4, 3, 2, 1, 0]],
      ['?to=2020-01-01', []],
      ['?to=1960-01-01', []],
      ['?from=9000-01-01', []],
      ['?limit=2&page=2', [2, 1]],
      ['?limit=2&page=9', []],
      [`?limit=2&after=${idOf(answers[3] as Answer)}`, [2, 1]],
    ] as const)
      assert.deepEqual(await found(query), expected, query)
    const { docs: _docs, ...page } = await list('?limit=2&page=2', call)
    assert.deepEqual(page, {
      totalDocs: 5,
      limit: 2,
      page: 2,
      totalPages: 3,
      hasNextPage: true,
      hasPrevPage: true,
      nextPage: 3,
      prevPage: 1,
    })
    const next = await list(`?limit=2&after=${idOf(answers[3] as Answer)}`, call)
    assert.deepEqual([next.hasNextPage, next.nextPage], [true, null])
    assert.equal(
      (await call('GET', `/requests/${idOf(await server.call('GET', '/wallets'))}`)).status,
      404,
    )
    assert.equal((await call('GET', '/requests?method=BREW')).status, 422)
  })

  /** Requests of an hour, by one statement. `failedAt`: the oldest of them was refused. */
  const fill = (businessId: string, count: number, at: Date): Promise<unknown> =>
    server.app.db.query(
      `insert into requests (business_id, livemode, id, method, path, status, key_id, address, ms, created_at)
       select $1, false, $4 || lpad(to_hex(n), 13, '0'), 'GET', '/wallets', case when n = 1 then 418 else 200 end, $1, '::1', 1, $2
         from generate_series(1, $3::int) n`,
      [businessId, at, count, newId(at).slice(0, 11)],
    )

  it('are looked through to an end: 10,000 of them, or of those that failed', async () => {
    const call = await newBusiness(server, 'Busy')
    const answer = await call('GET', '/wallets')
    const { key } = await recorded(answer, call)
    const [{ business_id: id }] = (await server.app.db.query(
      'select business_id from api_keys where id = $1',
      [key],
    )) as [{ business_id: string }]
    await fill(id, 10_100, later(server.app.clock.now(), -day))
    assert.equal((await list('', call)).totalDocs, 10_000)
    assert.equal((await list('?method=PATCH', call)).totalDocs, 0)
    assert.equal((await list('?status=418', call)).totalDocs, 1)
    assert.equal((await list('?failed=true', call)).totalDocs, 1)
  })

  it('are deleted once they are older than REQUESTS_KEEP, a batch at a time', async () => {
    const { db, clock, config } = server.app
    await fill(server.businessId, 5_100, later(clock.now(), -8 * day))
    const kept = async () =>
      (await db.query<{ n: bigint }>('select count(*) as n from requests'))[0]?.n as bigint
    const before = await kept()
    await Promise.all([forgetOldRequests(server.app), forgetOldRequests(server.app)])
    await forgetOldRequests(server.app)
    assert.equal(await kept(), before - 5_100n)
    await forgetOldRequests({ ...server.app, config: { ...config, REQUESTS_KEEP: 0 } })
    assert.equal(await kept(), 0n)
  })

  it('hold up no payout while they cannot be written', async () => {
    const client = await server.app.db.pool.connect()
    try {
      await client.query('begin')
      await client.query('lock table requests in access exclusive mode')
      const answers: Answer[] = []
      // No more at once than a process lets in.
      for (const wave of ['a', 'b', 'c']) {
        const pay = (i: number): Promise<Answer> =>
          server.call('POST', '/payouts', bankPayout(`held-${wave}-${i}`, 10_000))
        answers.push(...(await Promise.all(Array.from({ length: 200 }, (_, i) => pay(i)))))
      }
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
      await client.query('rollback')
      await Promise.all(answers.map((answer) => recorded(answer)))
    } finally {
      client.release(true)
    }
  })

  it('are written when the server stops', async () => {
    const running = await serve({ app: server.app, url: server.databaseUrl, evm: null }, 'api')
    const answer = await makeCall(running.url, server.testKey)('GET', '/wallets')
    await running.stop()
    assert.equal((await server.call('GET', `/requests/${idOf(answer)}`)).status, 200)
  })

  it('are written when the server stops, also those that are answered while it does, by whichever connection', async () => {
    const running = await serve({ app: server.app, url: server.databaseUrl, evm: null }, 'api')
    const call = makeCall(running.url, server.testKey)
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query('begin; lock table wallets')
    const asked = Promise.all(Array.from({ length: 10 }, () => call('GET', '/wallets')))
    await until(async () => {
      const { rows } = await admin.query(
        `select count(*)::integer as n from pg_locks where not granted and relation = 'wallets'::regclass`,
      )
      return rows[0].n > 0
    })
    const stopped = running.stop()
    await until(() =>
      call('GET', '/health').then(
        () => false,
        () => true,
      ),
    )
    await admin.query('rollback')
    await admin.end()
    const answers = await asked
    await stopped
    for (const answer of answers) {
      assert.equal(answer.status, 200)
      assert.equal((await server.call('GET', `/requests/${idOf(answer)}`)).status, 200)
    }
  })

  it('are dropped and counted when too many wait, or the database does not take them', async () => {
    const actor = {
      type: 'key',
      id: 'k',
      hint: '',
      scopes: [],
      address: '::1',
      root: 'k',
      makers: [],
      at: new Date(0),
    } as const
    const scope: Scope = { businessId: 'b', livemode: true, now: actor.at, actor }
    const request = {
      id: 'r',
      method: 'GET',
      path: '/',
      status: 200,
      code: null,
      ms: 1,
      subject: null,
      idempotency_key: null,
    }
    const of = (rows: () => Promise<unknown[]>) =>
      makeRecorder({ db: { rows } as never, log: server.app.log })
    let answer: () => void = () => {}
    const hanging = of(() => new Promise((resolve) => (answer = () => resolve([]))))
    // 500 are on their way and 10,000 wait; then there is no more room.
    for (let i = 0; i < 10_503; i++) hanging.add(scope, request, null)
    assert.equal(hanging.dropped(), 3)
    const flushed = hanging.flush()
    await until(async () => {
      answer()
      return Promise.race([
        flushed.then(() => true),
        new Promise((resolve) => setImmediate(resolve, false)),
      ])
    })
    assert.equal(hanging.dropped(), 3)
    const refusing = of(() => Promise.reject(new Error('no table')))
    for (let i = 0; i < 7; i++) refusing.add(scope, request, null)
    refusing.add({ ...scope, actor: { type: 'operator', at: actor.at } }, request, null)
    await refusing.flush()
    assert.equal(refusing.dropped(), 7)
  })
})

describe('a server that keeps no requests', () => {
  it('records none, and says how many it dropped where it does', async () => {
    const off = await startServer({
      REQUESTS_KEEP: '0',
      METRICS_TOKEN: 'scrape-me-if-you-can-with-this-token',
    })
    const running = await serve(
      {
        app: { ...off.app, config: { ...off.app.config, REQUESTS_KEEP: day } },
        url: off.databaseUrl,
        evm: null,
      },
      'api',
    )
    const metrics = async (url: string): Promise<string> =>
      (await makeCall(url, 'scrape-me-if-you-can-with-this-token')('GET', '/metrics')).body
    await must(off.call('GET', '/wallets'))
    assert.match(await metrics(running.url), /^bursar_requests_unrecorded 0$/m)
    assert.doesNotMatch(await metrics(off.url), /bursar_requests_unrecorded/)
    await running.stop()
    assert.equal((await must(off.call('GET', '/requests'))).totalDocs, 0)
    await off.stop()
  })
})
