/**
 * Goal: the operator hears of each thing that needs a person once on each channel, until it is
 * over, whatever a channel does meanwhile. Method: an SMTP server and a web server on this machine
 * keep what they get, or refuse; conditions are a test's own, and those of a server with an account
 * at the double of Paystack.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { startPaystack } from '../../../test/doubles/paystack.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { railsEnv } from '../../../test/support/provider.ts'
import { operatorConditions } from '../../api/meta/conditions.ts'
import { open } from '../../app/main.ts'
import { later } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { closeIncident, openIncident } from '../incidents/incidents.ts'
import { type Condition, notifyOperator } from './alerts.ts'

const minuteMs = 60_000

describe('what the operator is told of', () => {
  let server: TestServer
  let ahead = 0
  const clock = { now: () => later(new Date(), ahead) }
  const mails: string[] = []
  const posts: { text: string; alerts: { condition: string; sentence: string }[] }[] = []
  let takes = { mail: true, post: true }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_from, _session, done) => done(takes.mail ? null : new Error('not now')),
    onData(stream, _session, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        mails.push(text)
        done()
      })
    },
  })
  const hook = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      if (takes.post) posts.push(JSON.parse(text))
      response.writeHead(takes.post ? 204 : 500).end()
    })
  })

  before(async () => {
    smtp.listen(0, '127.0.0.1')
    hook.listen(0, '127.0.0.1')
    await Promise.all([once(smtp.server, 'listening'), once(hook, 'listening')])
    const portOf = (address: unknown): number => (address as AddressInfo).port
    const env = {
      SMTP_URL: `smtp://127.0.0.1:${portOf(smtp.server.address())}`,
      OPERATOR_EMAIL: 'ops@example.com',
      OPERATOR_WEBHOOK_URL: `http://127.0.0.1:${portOf(hook.address())}/secret-path`,
    }
    server = await startServer(env, undefined, clock)
  })
  beforeEach(async () => {
    takes = { mail: true, post: true }
    await server.app.db.query('delete from operator_alerts')
    mails.length = 0
    posts.length = 0
  })
  after(async () => {
    await server.stop()
    await Promise.all([
      new Promise<void>((done) => smtp.close(() => done())),
      new Promise((done) => hook.close(done)),
    ])
  })

  const condition = (name: string, afterMs = 0): Condition => ({
    name,
    sentence: `it says ${name}`,
    afterMs,
  })
  const tell = (conditions: Condition[], unseen: string[] = []) =>
    notifyOperator(server.app, async () => ({ conditions, unseen }))

  it('is one message on each channel for what is new at the same time', async () => {
    await tell([condition('a'), condition('b')])
    assert.equal(mails.length, 1)
    assert.match(mails[0] as string, /^To: ops@example\.com\r$/m)
    assert.match(mails[0] as string, /^Subject: Bursar: 2 things need you\r$/m)
    assert.match(mails[0] as string, /- it says a\.\r\n- it says b\./)
    assert.deepEqual(
      posts.map(({ text, alerts }) => [text, alerts.map((one) => one.condition)]),
      [['Bursar: 2 things need you\n- it says a.\n- it says b.', ['a', 'b']]],
    )
  })

  it('is told once, by however many and for as long as it lasts, and anew when it comes back', async () => {
    await Promise.all([1, 2, 3].map(() => tell([condition('a')])))
    ahead += 100 * minuteMs
    await tell([condition('a')])
    assert.deepEqual([mails.length, posts.length], [1, 1])
    await tell([])
    await tell([condition('a')])
    assert.deepEqual([mails.length, posts.length], [2, 2])
  })

  it('is not over while it cannot be looked at', async () => {
    await tell([condition('account live a key')])
    await tell([], ['account live a '])
    await tell([condition('account live a key')])
    assert.equal(mails.length, 1)
  })

  it('is told when it has lasted, where it may pass', async () => {
    await tell([condition('a', 5 * minuteMs)])
    assert.equal(mails.length, 0)
    ahead += 5 * minuteMs
    await tell([condition('a', 5 * minuteMs)])
    assert.equal(mails.length, 1)
  })

  it('is tried again on a channel that failed, and not on the other', async () => {
    takes = { mail: false, post: true }
    await tell([condition('a')])
    await tell([condition('a')])
    assert.deepEqual([mails.length, posts.length], [0, 1])
    takes = { mail: true, post: false }
    ahead += minuteMs + 1_000
    await tell([condition('a'), condition('b')])
    assert.match(mails[0] as string, /2 things/)
    takes.post = true
    ahead += 5 * minuteMs
    await tell([condition('a'), condition('b')])
    assert.deepEqual(
      [mails.length, posts.length, posts[1]?.alerts.map((one) => one.condition)],
      [1, 2, ['b']],
    )
  })

  it('is an incident, from when it is opened until a person closes it', async () => {
    const look = operatorConditions(server.app, async () => [])
    const incident = {
      livemode: true,
      rail: 'acme',
      kind: 'stuck',
      subject: 'x',
      detail: {},
      at: new Date(),
    } as const
    const id = await openIncident(server.app.db, incident)
    await notifyOperator(server.app, look)
    await openIncident(server.app.db, incident)
    await notifyOperator(server.app, look)
    assert.equal(posts.length, 1)
    assert.equal(
      posts[0]?.alerts[0]?.sentence,
      'live acme: stuck x. A provider has given no answer about something for three days. It is asked about daily',
    )
    await closeIncident(server.app, id, 'Ada')
    await notifyOperator(server.app, look)
    assert.deepEqual(await server.app.db.query('select * from operator_alerts'), [])
  })

  it('is what screening holds of live mode, until a person decides', async () => {
    const look = operatorConditions(server.app, async () => [])
    const of = async () => (await look()).conditions.map(({ sentence }) => sentence)
    for (const livemode of [true, false])
      await server.app.db.query(
        `insert into screening_reviews (business_id, livemode, id, kind, subject, reason, hits, created_at)
         values ($1, $2, $3, 'payout', $3, 'block_list', '[]', now())`,
        [server.businessId, livemode, (livemode ? 'a' : 'b').repeat(24)],
      )
    const sentence = `Screening holds the live payout ${'a'.repeat(24)}: it waits for a person (bursar screening list)`
    assert.deepEqual(await of(), [sentence])
    await server.app.db.query('delete from screening_reviews')
    assert.deepEqual(await of(), [])
  })

  it('is what the stablecoin rail warns of, with its amounts, which do not tell two of them apart', async () => {
    let detail = 'the treasury 0x1 holds 1.00 USDC on base; 5.00 needed'
    const said = 'payouts on base wait: the treasury lacks tokens'
    const look = operatorConditions(server.app, async () => [{ said, detail }])
    await notifyOperator(server.app, look)
    assert.equal(posts.length, 0)
    ahead += 5 * minuteMs
    detail = 'the treasury 0x1 holds 0.50 USDC on base; 5.00 needed'
    await notifyOperator(server.app, look)
    await notifyOperator(server.app, look)
    assert.deepEqual(
      posts.map(({ alerts }) => alerts.map((one) => one.condition)),
      [[`evm ${said}`]],
    )
  })

  it('is a balance that is low and a key that is refused, of an account at a provider', async (t) => {
    const double = await startPaystack()
    const account = {
      provider: 'paystack',
      secret_key: 'env:TEST_KEY',
      base_url: double.url,
      alert_below: 50_000,
    }
    const file = {
      test: { accounts: { paystack: account }, routes: { 'payout.ngn': ['paystack'] } },
    }
    const opened = await open(
      readConfig({
        ...railsEnv(file),
        TEST_KEY: double.keys.test,
        DATABASE_URL: server.databaseUrl,
        SECRETS_KEY: 'ab'.repeat(32),
        LOG_LEVEL: 'fatal',
      }),
      'tool',
      { clock },
    )
    t.after(async () => {
      await opened.close()
      await double.stop()
    })
    const look = operatorConditions(opened.app, async () => [])
    const told = async (): Promise<string[]> => {
      ahead += 6 * minuteMs
      await notifyOperator(server.app, look)
      return posts.splice(0).flatMap(({ alerts }) => alerts.map(({ sentence }) => sentence))
    }
    const { operator } = double.test
    operator.topUp(49_999)
    assert.deepEqual(await told(), [
      'test paystack holds 499.99 ngn, less than 500.00 ngn: payouts will wait once it is too low',
    ])
    assert.deepEqual(await told(), [])
    await double.disconnect()
    assert.deepEqual(await told(), [])
    await double.connect()
    operator.topUp(1)
    assert.deepEqual(await told(), [])
    operator.topUp(-1)
    assert.equal((await told()).length, 1)
    double.rollKey('test')
    assert.deepEqual(await told(), ['test paystack: paystack does not take its key'])
  })

  it('needs an SMTP server to be mailed, and nothing is looked at where nobody is told', async () => {
    const given = { DATABASE_URL: server.databaseUrl, SECRETS_KEY: 'ab'.repeat(32) }
    await assert.rejects(
      open(readConfig({ ...given, OPERATOR_EMAIL: 'a@example.com' }), 'tool'),
      /needs SMTP_URL/,
    )
    assert.throws(
      () => readConfig({ OPERATOR_EMAIL: 'a@example.com, b@example.com' }),
      /must be one address/,
    )
    const config = { ...server.app.config, OPERATOR_EMAIL: null, OPERATOR_WEBHOOK_URL: null }
    await notifyOperator({ ...server.app, config }, () => assert.fail('it looked'))
  })
})
