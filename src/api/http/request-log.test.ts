/**
 * Goal: the log holds no token, and no test key writes an error that calls an operator.
 * Method: a second server over the same parts, whose log the test reads.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pino from 'pino'
import { makeCall, startServer, type TestServer } from '../../../test/support/harness.ts'
import { serve } from '../../app/main.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import type { Database } from '../../db/db.ts'

describe('the log', () => {
  let server: TestServer
  let logged: Awaited<ReturnType<typeof serve>>
  let log: pino.Logger
  const lines: { level: number; msg: string; path?: string; status?: number }[] = []
  before(async () => {
    server = await startServer()
    log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const db: Database = Object.create(server.app.db)
    db.rows = async (statement, params) => {
      if (statement.name.startsWith('wallets.')) throw new TestDataEmptied()
      return server.app.db.rows(statement, params)
    }
    logged = await serve(
      { app: { ...server.app, db, log: log as never }, url: server.databaseUrl, evm: null },
      'api',
    )
  })
  beforeEach(() => {
    lines.length = 0
  })
  after(async () => {
    await logged.stop()
    await server.stop()
  })
  const requestLines = () => lines.filter(({ msg }) => msg === 'request')

  it('holds no path that no route has, nor one that is asked in another way than it takes', async () => {
    for (const [method, path, status] of [
      ['GET', '/pays/aSecretSlug', 404],
      ['PUT', '/pay/aSecretSlug', 405],
      ['GET', '/aSecretSlug?aSecretSlug', 404],
    ] as const) {
      lines.length = 0
      const answer = await fetch(`${logged.url}${path}`, { method })
      await answer.text()
      assert.equal(answer.status, status, path)
      assert.deepEqual(
        requestLines().map((line) => [line.path, line.status]),
        [['no route', status]],
      )
      assert.doesNotMatch(JSON.stringify(lines), /aSecretSlug/)
    }
  })

  it('has no error where a test key empties its test data', async () => {
    assert.equal(
      (await makeCall(logged.url, server.testKey)('GET', '/wallets')).code,
      'test_data_emptying',
    )
    assert.deepEqual(
      requestLines().map(({ level, status }) => [level, status]),
      [[pino.levels.values.warn, 503]],
    )
  })

  it('has what fails in test mode as a warning, and in live mode as an error', async () => {
    for (const livemode of [false, true]) {
      const scope = await scopeOf(server.app, server.businessId, livemode)
      outside(server.app, scope, log as never).log.error({}, `livemode: ${livemode}`)
    }
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [
        [pino.levels.values.warn, 'livemode: false'],
        [pino.levels.values.error, 'livemode: true'],
      ],
    )
  })
})
