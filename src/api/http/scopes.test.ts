/**
 * Goal: a key does what its scopes say, and nothing else. Method: every operation is sent with a
 * key of every single scope, and the answers are compared with the scope of its route.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { must } from '../../../test/support/actors.ts'
import {
  type Answer,
  bankPayout,
  shareServer,
  snapshot,
  type TestServer,
} from '../../../test/support/harness.ts'
import { routes } from '../../app/modules.ts'
import { changeScopes, createKey } from '../../books/businesses/businesses.ts'
import { outside, scopeOf as timeOf } from '../../core/outside.ts'
import type { Route } from '../../core/route.ts'
import { type KeyScope, keyScopes } from '../../core/scopes.ts'

describe('scopes', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const make = async (scopes: KeyScope[], livemode = false) => {
    const scope = await timeOf(server.app, server.businessId, livemode)
    return outside(server.app, scope).write((work) =>
      createKey(work, { name: scopes.join(), scopes }),
    )
  }

  /**
   * Asks without a body, for records that there are not; of a stream, only the head is waited for.
   */
  async function send(
    { method, path, id }: Route,
    key: string,
  ): Promise<Pick<Answer, 'status' | 'body'>> {
    const leave = new AbortController()
    const response = await fetch(server.url + path.replaceAll(/\{\w+\}/g, '0'.repeat(24)), {
      method,
      headers: { authorization: `Bearer ${key}` },
      signal: leave.signal,
    })
    const streams = id === 'streamEvents' && response.status === 200
    const body = streams ? null : await response.text()
    if (streams) leave.abort()
    return {
      status: response.status,
      body: body !== null && /^\{/.test(body) ? JSON.parse(body) : body,
    }
  }

  for (const scope of keyScopes)
    it(`let a key that may only ${scope} do exactly the operations of that scope`, async () => {
      const { key } = await make([scope])
      for (const route of routes) {
        const { status, body } = await send(route, key)
        const needed = route.scope
        assert.notEqual(status, 401, route.id)
        if (needed === scope) assert.notEqual(body?.errors?.code, 'scope_missing', route.id)
        else
          assert.deepEqual(
            [status, body.errors],
            [403, { code: 'scope_missing', scope: needed }],
            `${route.id} by ${scope}`,
          )
      }
    })

  it('are asked before the mode, the schema and the Idempotency-Key, and leave no trace', async () => {
    const { key, record } = await make(['read'])
    const live = await make(['read'], true)
    const state = await snapshot(server.app)
    const call = server.callAs(key)
    for (const answer of [
      await call('POST', '/payouts', bankPayout('by-reader', 1_000), {
        'idempotency-key': 'reader',
      }),
      await call('POST', '/payouts', { nonsense: true }),
      await call('POST', '/payouts', '{'),
      await server.callAs(live.key)('POST', '/wallets/simulate-fund', {}),
    ])
      assert.deepEqual(
        [answer.status, answer.code],
        [403, 'scope_missing'],
        JSON.stringify(answer.body),
      )
    const { body } = await call('POST', '/payouts', {})
    assert.equal(
      body.message,
      `The key ${record.hint} lacks the scope 'payout': use one that has it.`,
    )
    assert.deepEqual(await snapshot(server.app), state)
  })

  it('change while a key is in use, and end its streams', async () => {
    const { key, record } = await make(['read', 'collect'])
    const call = server.callAs(key)
    await must(call('GET', '/wallets'))
    const stream = await fetch(`${server.url}/events/stream`, {
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(stream.status, 200)
    const ended = stream.text()
    await changeScopes(server.app, server.businessId, record.id, ['collect'])
    assert.deepEqual(
      [(await call('GET', '/wallets')).code, (await call('POST', '/customers', {})).status],
      ['scope_missing', 422],
    )
    await ended
    await changeScopes(server.app, server.businessId, record.id, ['read', 'payout'])
    await must(call('GET', '/wallets'))
  })

  it('are in the document, at each operation that needs a key', async () => {
    const { body } = await server.callAs(null)('GET', '/openapi.json')
    for (const { method, path, id, scope } of routes)
      assert.equal(body.paths[path][method.toLowerCase()]['x-scope'], scope, id)
  })

  it('can be none that approves and pays out', async () => {
    for (const scope of ['payout', 'refund_elsewhere'] as const)
      await assert.rejects(
        make(['approve', scope]),
        /approve and payout, or refund_elsewhere, cannot stand on one key/,
      )
    const { record } = await make(['approve', 'read'])
    const change = (scopes: string[]) =>
      changeScopes(server.app, server.businessId, record.id, scopes)
    await assert.rejects(change(['payout', 'approve']), RangeError)
    await assert.rejects(change(['spend']), /'spend' is no scope/)
    await assert.rejects(change([]), /needs a scope/)
    await assert.rejects(
      server.app.db.query(`update api_keys set scopes = '{approve,payout}' where id = $1`, [
        record.id,
      ]),
      /api_keys_scopes/,
    )
    await assert.rejects(
      server.app.db.query(
        `update api_keys set scopes = '{approve,refund_elsewhere}' where id = $1`,
        [record.id],
      ),
      /api_keys_scopes/,
    )
  })
})
