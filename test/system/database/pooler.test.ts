/**
 * Goal: behind a pooler that lends sessions for one transaction, no session lock is trusted: a server
 * starts with sessions of its own, or says what to set. Method: the commands through a real
 * PgBouncer.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { newDatabase, type TestDatabase } from '../../support/cluster.ts'
import { command, type Output, openBeside, serve } from '../../support/commands.ts'
import { bankPayout, makeCall, must } from '../../support/harness.ts'
import { type Pooler, poolerVersion, startPooler } from '../../support/pooler.ts'

const version = poolerVersion()
const skip = version === null && 'there is no PgBouncer here'
/** What 1.21 brought: prepared statements that follow a connection from session to session. */
const follows = version !== null && version >= 1.21

describe('a database behind PgBouncer', { skip }, () => {
  let database: TestDatabase
  let shared: Pooler
  let own: Pooler
  const env = { SECRETS_KEY: 'cd'.repeat(32), RATE_LIMIT_MAX: '0', PORT: '0', SANDBOX_DELAY: '0s' }
  before(async () => {
    database = await newDatabase()
    shared = await startPooler(
      database.url,
      'transaction',
      follows ? 'max_prepared_statements = 100' : '',
    )
    own = await startPooler(database.url, 'session')
  })
  after(async () => {
    await Promise.all([shared?.stop(), own?.stop()])
    await database?.drop()
  })

  const refused = async (args: string[], given: Record<string, string>): Promise<string> => {
    const { code, err }: Output = await command(args, { ...env, ...given })
    assert.equal(code, 1, err)
    return err
  }

  for (const args of [['serve'], ['serve', '--role', 'worker'], ['migrate'], ['ledger', 'verify']])
    it(`is refused by ${args.join(' ')} where connections share sessions`, async () => {
      assert.equal(
        await refused(args, { DATABASE_URL: shared.url, BASE_URL: 'http://localhost:4000' }),
        'bursar: DATABASE_URL: leads through a pooler whose connections share sessions, such as PgBouncer with pool_mode = transaction. Set DIRECT_DATABASE_URL to PostgreSQL itself, or use pool_mode = session.\n',
      )
    })

  it('is refused as the direct one, and as the owner’s', async () => {
    const text = 'leads through a pooler whose connections share sessions'
    assert.match(
      await refused(['serve'], { DATABASE_URL: shared.url, DIRECT_DATABASE_URL: shared.url }),
      new RegExp(`DIRECT_DATABASE_URL: ${text}`),
    )
    assert.match(
      await refused(['migrate'], { DATABASE_URL: database.url, MIGRATE_DATABASE_URL: shared.url }),
      new RegExp(`MIGRATE_DATABASE_URL: ${text}`),
    )
  })

  it('is refused where the direct one is another', async () => {
    const other = await newDatabase()
    const given = { DATABASE_URL: shared.url, DIRECT_DATABASE_URL: other.url }
    assert.equal(
      await refused(['serve', '--role', 'api'], given),
      'bursar: DIRECT_DATABASE_URL: is another database than DATABASE_URL\n',
    )
    await other.drop()
  })

  it('serves where each connection has a session', async () => {
    await pays({ DATABASE_URL: own.url })
    await pays({ DATABASE_URL: own.url, DIRECT_DATABASE_URL: database.url })
  })

  it('is refused where prepared statements are not kept', { skip: follows }, async () => {
    const given = { DATABASE_URL: shared.url, DIRECT_DATABASE_URL: database.url }
    assert.equal(
      await refused(['serve', '--role', 'api'], given),
      'bursar: DATABASE_URL: its pooler does not keep prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements, or pool_mode = session\n',
    )
  })

  it('serves requests beside direct sessions', {
    skip: !follows && `PgBouncer ${version} keeps no prepared statements`,
  }, async () => {
    await pays({ DATABASE_URL: shared.url, DIRECT_DATABASE_URL: database.url })
  })

  /** Pays out by an API process over the given URLs, beside a worker on the database itself. */
  async function pays(given: Record<string, string>): Promise<void> {
    const beside = await openBeside({ ...env, DATABASE_URL: database.url })
    const { test_key: key } = await createBusiness(beside.app, 'Pooled')
    await beside.close()
    const { child, url, ended, output } = await serve({ ...env, ...given }, ['--role', 'api'])
    const call = makeCall(url, key)
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }))
    const payouts = Array.from({ length: 40 }, (_, n) =>
      must(call('POST', '/payouts', bankPayout(`pooled-${n}`, 10_000))),
    )
    await Promise.all(payouts)
    assert.equal((await must(call('GET', '/payouts?limit=100'))).docs.length, 40)
    child.kill('SIGTERM')
    assert.equal(await ended, 0, output())
  }
})
