/**
 * Goal: what is often wrong with an installation is found, with what to do about it; looking
 * changes nothing. Method: each thing is really broken, on a server of its own database.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { startPaystack } from '../../../test/doubles/paystack.ts'
import { type Output, runAddedCommand } from '../../../test/support/command-line.ts'
import { assertFound, examineWith, foundOf } from '../../../test/support/findings.ts'
import { must, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { railsEnv } from '../../../test/support/provider.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { addDoctorCommand } from '../../app/cli/doctor.ts'
import { type Opened, open } from '../../app/open.ts'
import { heldWarnings, hold } from '../../app/outgoing.ts'
import type { App } from '../../core/app.ts'
import { systemClock } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { keyringOf } from '../../lib/secrets.ts'
import { openIncident } from '../../platform/incidents/incidents.ts'
import { healthOf } from '../installation/installation.ts'
import { diagnose, type Finding, obstacleOf } from './doctor.ts'
import { ofDisk } from './keeping.ts'

const look = (server: TestServer, more: Partial<App> = {}): Promise<Finding[]> => {
  const app = { ...server.app, ...more }
  return diagnose({ app, evmWarnings: async () => [], heldWarnings: () => heldWarnings(app) })
}

/** Opens the application as the command does, whatever its schema. */
const openWith = (env: Record<string, string>): Promise<Opened> =>
  open(readConfig({ LOG_LEVEL: 'silent', SECRETS_KEY: 'ab'.repeat(32), ...env }), 'tool', {
    bringUp: async () => {},
  })
const obstacleWith = (env: Record<string, string>): Promise<Finding> =>
  openWith(env).then(() => assert.fail('it was opened'), obstacleOf)

/** Runs `bursar doctor`. */
const doctor = (env: Record<string, string>): Promise<Output> =>
  runAddedCommand(
    (program, print) => addDoctorCommand(program, { config: () => readConfig(env), print }),
    ['doctor'],
  )

describe('the doctor, of what lies in the database', () => {
  let server: TestServer
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_DELAYS: 'none',
    })
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  it('finds nothing to mend in a server that is well', async () => {
    const findings = await look(server)
    assert.deepEqual(
      findings.filter(({ level }) => level === 'fail'),
      [],
    )
    for (const check of [
      'database',
      'schema',
      'clock',
      'secrets',
      'incidents',
      'outgoing',
      'queues',
      'endpoints',
    ])
      assert.match(foundOf(findings, check).join(), /^ok /, check)
  })

  it('finds a migration that is lacking, and does not read the tables then', async () => {
    const { rows } = await server.asOwner(
      `delete from schema_migrations where name = '0012-removal.sql' returning checksum`,
    )
    const findings = await look(server)
    assertFound(findings, 'schema', /^fail The database lacks migration 0012-removal/)
    assert.deepEqual(foundOf(findings, 'queues'), [])
    assertFound(findings, 'data', /^warn was not looked at/)
    const [{ checksum }] = rows as [{ checksum: string }]
    const insert = (name: string) =>
      server.asOwner(
        `insert into schema_migrations (name, checksum) values ('${name}', '${checksum}')`,
      )
    await insert('0012-removal.sql')
    await insert('9999-later.sql')
    assertFound(await look(server), 'schema', /^fail The database has migration 9999-later\.sql/)
    await server.asOwner(`delete from schema_migrations where name = '9999-later.sql'`)
    assertFound(await look(server), 'schema', /^ok /)
  })

  it('finds a right that the role lacks, and a role that has too many', async () => {
    const { role } = (
      await server.app.db.query<{ role: string }>('select current_user as role')
    )[0] as { role: string }
    await server.asOwner(`revoke insert on payouts from ${role}`)
    assertFound(
      await look(server),
      'schema',
      /^fail The role \S+ may not do what this version needs/,
    )
    await server.asOwner(`grant insert on payouts to ${role}`)
    const owners = await openWith({ DATABASE_URL: server.ownerUrl, BASE_URL: server.url })
    const findings = await healthOf(owners.app).finally(owners.close)
    assert.deepEqual(
      findings.filter(({ level }) => level === 'fail'),
      [],
    )
    assertFound(findings, 'role', /^warn the role \S+ owns the tables/)
    assertFound(findings, 'address', /^ok the server answers/)
  })

  it('finds clocks that differ', async () => {
    const ahead = (ms: number): Partial<App> => ({
      clock: { now: () => new Date(systemClock.now().getTime() + ms) },
    })
    assertFound(
      await look(server, ahead(-3_600_000)),
      'clock',
      /^fail the database’s is 3\d\d\d\.\d s ahead of/,
    )
    assertFound(
      await look(server, ahead(60_000)),
      'clock',
      /^fail the database’s is \d\d\.\d s behind/,
    )
  })

  it('finds a key of sealed secrets that is missing, and one that is to be rotated', async () => {
    const [mine, other] = [Buffer.from('ab'.repeat(32), 'hex'), Buffer.alloc(32, 7)]
    const [key] = keyringOf(other, [])
    await server.app.db.query('insert into sealing_keys (key_id, used_at) values ($1, $2)', [
      key.id,
      new Date(0),
    ])
    assertFound(
      await look(server),
      'secrets',
      new RegExp(`^fail key ${key.id} has sealed something`),
    )
    assertFound(
      await look(server, { secrets: keyringOf(mine, [other]) }),
      'secrets',
      /^warn .*old key/,
    )
    await server.app.db.query('delete from sealing_keys where key_id = $1', [key.id])
    assertFound(await look(server), 'secrets', /^ok /)
  })

  it('finds a webhook endpoint that takes nothing, and none once it does', async () => {
    receiver.answer = 500
    const made = await server.call('POST', '/webhooks', { url: `${receiver.url}/secret-path` })
    assert.equal(made.status, 201)
    const { id } = made.data
    assert.equal(
      (await server.call('POST', `/webhooks/${id}/test`, { type: 'payout.completed' })).status,
      200,
    )
    const found = await until(async () => {
      const findings = await look(server)
      return foundOf(findings, 'endpoints')[0]?.startsWith('warn') ? findings : undefined
    })
    assertFound(
      found,
      'endpoints',
      new RegExp(`^warn test ${id} \\(localhost:\\d+\\).*nothing came since`),
    )
    assert.doesNotMatch(JSON.stringify(found), /secret-path/)
    receiver.answer = 200
    await server.call('POST', `/webhooks/${id}/recover`, {
      since: new Date(Date.now() - 3_600_000).toISOString(),
    })
    await until(
      async () => foundOf(await look(server), 'endpoints')[0]?.startsWith('ok') || undefined,
    )
  })

  it('finds open incidents, and outgoing money that is held', async () => {
    const at = systemClock.now()
    await openIncident(server.app.db, {
      livemode: true,
      rail: 'one',
      kind: 'stuck',
      subject: 'x',
      detail: {},
      at,
    })
    await hold(server.app)
    const findings = await look(server)
    assertFound(findings, 'incidents', /^warn 1 open: stuck$/)
    assertFound(findings, 'outgoing', /^warn outgoing money is held since/)
  })

  it('finds jobs that no try is left of, and work that nobody begins once the workers are gone', async () => {
    await server.leave()
    assertFound(await look(server), 'queues', /^ok /)
    const past = new Date(systemClock.now().getTime() - 3_600_000)
    await server.app.db.query(
      `insert into timers (business_id, livemode, id, due_at, task, subject, payload)
       values ($1, false, $2, $3, 'payouts.submit', $2, '{}')`,
      [server.businessId, '0'.repeat(24), past],
    )
    await server.app.db.query(
      `select graphile_worker.add_job('payouts.ask', '{}', run_at => $1::timestamptz)`,
      [past],
    )
    await server.app.db.query(
      `select graphile_worker.permanently_fail_jobs(array[(graphile_worker.add_job('invoices.mail', '{}')).id], 'x')`,
    )
    const findings = await look(server)
    assertFound(findings, 'queues', /^fail 1 of payouts\.submit are due/m)
    assertFound(findings, 'queues', /^fail 1 jobs payouts\.ask wait for a worker/m)
    assertFound(findings, 'queues', /^warn 1 jobs invoices\.mail failed until no try was left/m)
  })
})

describe('the doctor, of accounts at providers', () => {
  it('finds a key that is refused, webhooks that never came, and those that a sweep had to find', async (t) => {
    const double = await startPaystack()
    t.after(() => double.stop())
    const accounts = {
      shop: { provider: 'paystack', secret_key: 'env:PS_KEY', base_url: double.url },
    }
    const env = railsEnv({ test: { accounts, routes: { 'payout.ngn': ['shop'] } } })
    const server = await startServer({ ...env, PS_KEY: double.keys.test })
    t.after(() => server.stop())
    assertFound(
      await look(server),
      'rails',
      /test shop at paystack: no webhook of it was ever seen/,
    )
    const insert = (key: string, swept: boolean, at: string) =>
      server.app.db.query(
        `insert into provider_events (livemode, rail, key, id, type, kind, received_at, outcome, ended_at, swept)
         values (false, 'shop', $1::text, $1::text, 'x', 'other', $2::timestamptz, 'nothing_to_do', $2::timestamptz, $3)`,
        [key, at, swept],
      )
    await insert('1'.repeat(24), false, '2026-11-20T10:00:00Z')
    assert.doesNotMatch(foundOf(await look(server), 'rails').join(), /webhook of it|sweep/)
    double.rollKey('test')
    assertFound(await look(server), 'rails', /^fail test shop at paystack: does not take its key$/m)
    await insert('2'.repeat(24), true, '2026-11-21T10:00:00Z')
    assertFound(
      await look(server),
      'rails',
      /a sweep at 2026-11-21T10:00:00\.000Z found something without a webhook/,
    )
  })
})

describe('the doctor, of the lists of screening', () => {
  it('says how old they are, and that a newer one cannot be read', async (t) => {
    const file = `${mkdtempSync('/tmp/bursar-doctor-')}/list.csv`
    writeFileSync(file, 'type,value\nname,Ada Okafor\n')
    const server = await startServer({ SCREENING_FILE: file, SCREENING_MAX_AGE: '2d' })
    t.after(() => server.stop())
    assertFound(await look(server), 'screening', /^ok .*list\.csv has 1 entries of /)
    const old = new Date(Date.now() - 3 * 86_400_000)
    writeFileSync(file, 'type,value\nname,Ada Okafor\nname,Bola Ige\n')
    utimesSync(file, old, old)
    const ask = () => server.app.screens.live[0]?.ask({ names: ['Ada Okafor'] })
    await until(
      async () =>
        (await ask()) &&
        foundOf(await look(server), 'screening')
          .join()
          .includes('2 entries'),
    )
    assertFound(await look(server), 'screening', /^warn .*: that is old/)
    writeFileSync(file, 'name\nAda Okafor\n')
    await until(
      async () =>
        (await ask()) &&
        foundOf(await look(server), 'screening')
          .join()
          .includes('cannot be read'),
    )
    assertFound(
      await look(server),
      'screening',
      /^fail .*a newer one cannot be read: line 1 must name the columns/,
    )
    await until(async () =>
      /cannot be read completely/.test(
        String((await must(server.call('GET', '/health'))).warnings),
      ),
    )
    const broken = await obstacleWith({ SCREENING_FILE: file, DATABASE_URL: server.databaseUrl })
    assert.match(broken.found, /SCREENING_FILE '.*list\.csv': line 1 must name the columns/)
  })
})

describe('the doctor, of settings', () => {
  const stopped = (t: TestContext, server: { close(): unknown; closeAllConnections?(): void }) =>
    t.after(() => {
      server.closeAllConnections?.()
      server.close()
    })
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

  it('tells a setting that is wrong, and a database that is not there, and looks at the rest all the same', async () => {
    const wrong = await doctor({ TRUST_PROXY: 'true' })
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /^FAIL {2}settings {3}TRUST_PROXY 'true': /m)
    const gone = { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/none', PORT: '0' }
    const findings = [await obstacleWith(gone), ...(await examineWith(gone))]
    assertFound(findings, 'database', /^fail cannot be reached: DATABASE_URL: .*ECONNREFUSED/)
    assertFound(findings, 'mail', /^warn SMTP_URL is not set/)
    assert.doesNotMatch(JSON.stringify(findings), /hidden/)
    const keyless = await obstacleWith({ ...gone, SECRETS_KEY: '' })
    assertFound([keyless], 'settings', /^fail SECRETS_KEY: is required with DATABASE_URL/)
  })

  it('makes nothing where no data directory is', async () => {
    const dir = '/tmp/bursar-doctor-is-not-here'
    const { code, out } = await doctor({ DATA_DIR: dir, PORT: '0' })
    assert.equal(code, 1)
    assert.match(out, /^FAIL {2}database {3}there is no embedded database in /m)
    assert.match(out, /^FAIL {2}disk {7}\S+ does not exist/m)
    assert.ok(!existsSync(dir))
  })

  it('finds an address in the clear, one where nothing answers, and one where another does', async (t) => {
    const other = createServer((_request, response) => response.end('<h1>It works!</h1>'))
    await new Promise<void>((resolve) => other.listen(0, '0.0.0.0', resolve))
    stopped(t, other)
    const found = await examineWith({ BASE_URL: `http://0.0.0.0:${portOf(other)}` })
    assertFound(found, 'address', /^fail BASE_URL is http:.* in the clear$/m)
    assertFound(found, 'address', /^fail something else than Bursar answers/m)
    assertFound(
      await examineWith({ BASE_URL: 'http://localhost:1' }),
      'address',
      /^fail nothing answers at .*ECONNREFUSED/,
    )
    assertFound(await examineWith({}), 'address', /^warn BASE_URL is not set/)
    assertFound(
      await examineWith({ PORT: '1' }),
      'address',
      /^warn nothing answers at http:\/\/localhost:1/m,
    )
  })

  it('tries the mail server without a mail: where there is none, without TLS, with a wrong login, and well', async (t) => {
    let mails = 0
    const smtp = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth({ username, password }, _session, callback) {
        if (password === 'right') callback(null, { user: username ?? '' })
        else callback(new Error('Invalid login'))
      },
      onMailFrom(_address, _session, callback) {
        mails++
        callback()
      },
    })
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()))
    t.after(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
    const at = (host: string, password: string) =>
      `smtp://bursar:${password}@${host}:${portOf(smtp.server)}`
    const more = { MAIL_FROM: 'pay@shop.example' }
    assertFound(
      await examineWith({ SMTP_URL: 'smtp://localhost:1', ...more }),
      'mail',
      /^fail localhost:1: .*ECONNREFUSED/,
    )
    assertFound(
      await examineWith({ SMTP_URL: at('0.0.0.0', 'right'), ...more }),
      'mail',
      /^fail .*offers no STARTTLS/,
    )
    const wrong = await examineWith({ SMTP_URL: at('127.0.0.1', 'hidden'), ...more })
    assertFound(wrong, 'mail', /^fail .*Invalid login/)
    assert.doesNotMatch(JSON.stringify(wrong), /hidden/)
    const clear = { SMTP_URL: at('0.0.0.0', 'right'), SMTP_ALLOW_PLAINTEXT: 'true', ...more }
    assertFound(await examineWith(clear), 'mail', /^warn .*without TLS$/)
    assert.deepEqual(
      foundOf(await examineWith({ SMTP_URL: at('127.0.0.1', 'right'), ...more }), 'mail').length,
      1,
    )
    assertFound(
      await examineWith({ SMTP_URL: at('127.0.0.1', 'right') }),
      'mail',
      /^ok .*\nwarn MAIL_FROM is/,
    )
    assert.equal(mails, 0)
  })

  it('finds a disk that is nearly full', () => {
    const mebibyte = 1024 * 1024
    const level = (left: number, size: number) =>
      ofDisk('/data', left * mebibyte, size * mebibyte).level
    assert.deepEqual(
      [level(100, 100_000), level(1_000, 5_000), level(4_000, 100_000), level(50_000, 100_000)],
      ['fail', 'warn', 'warn', 'ok'],
    )
  })
})
