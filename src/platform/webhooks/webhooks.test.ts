/**
 * Goal: each event reaches each endpoint that asked for it, signed, in its own words, and again
 * until it is taken; the log says so truly. Method: payouts make events, a real HTTPS receiver
 * answers well, badly or never, and the test clock brings the next tries.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test'
import {
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import {
  bankPayout,
  patience,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type Received, type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import type { Delivery } from './schema.ts'

/** A delivery as JSON brings it. */
type Entry = Omit<Delivery, 'next_attempt_at' | 'updated_at'> & {
  next_attempt_at: string | null
  updated_at: string
}

const sign = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
/**
 * Whether the state of an entry is that after its latest try. The log reads states first and tries
 * after, so for a moment an entry can show a try beside the state from before it, in which it is
 * due at once.
 */
const isSettled = ({ status, next_attempt_at, updated_at }: Entry): boolean =>
  status !== 'pending' || Date.parse(next_attempt_at ?? '') - Date.parse(updated_at) > 1_000
const typeOf = (request: Received): string => JSON.parse(request.body.toString()).type
const pathsOf = (requests: Received[]): string[] => requests.map((one) => one.path).sort()

let payouts = 0

/** Pays out, and waits until the payout has been completed. */
async function payBy(merchant: Merchant, more: Record<string, unknown> = {}): Promise<Json> {
  payouts += 1
  const { reference } = await merchant.payOut(bankPayout(`hook-${payouts}`, 10_000, more))
  const ended = await merchant.payoutEnded(reference)
  assert.equal(ended.status, 'completed')
  return ended
}

describe('webhooks', () => {
  let receiver: Receiver
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      // Longer than a test takes: no try comes but by the test clock.
      WEBHOOK_RETRY_DELAYS: '1h,2h,3h',
      WEBHOOK_TIMEOUT: '60s',
    })
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })
  beforeEach(async () => {
    for (const { id } of (await server.call('GET', '/webhooks')).data.docs)
      await server.call('DELETE', `/webhooks/${id}`)
    receiver.requests.length = 0
    receiver.answer = 200
  })

  const register = async (more: Record<string, unknown> = {}) => {
    const { status, data, body } = await server.call('POST', '/webhooks', {
      url: `${receiver.url}/hook`,
      ...more,
    })
    assert.equal(status, 201, JSON.stringify(body))
    return data
  }
  const pay = (more: Record<string, unknown> = {}) => payBy(merchant, more)
  const log = async (query: string): Promise<Entry[]> => {
    const { status, data, body } = await server.call('GET', `/webhooks/events?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return data.docs
  }
  /** Has deliveries wait this long for their answers, until the test has ended. */
  const giveUpAfter = (t: TestContext, timeoutMs: number): void => {
    const { config } = server.app
    const { WEBHOOK_TIMEOUT } = config
    Object.assign(config, { WEBHOOK_TIMEOUT: timeoutMs })
    t.after(() => Object.assign(config, { WEBHOOK_TIMEOUT }))
  }
  /** The newest entry that matches, once it has so many tries. */
  const tried = (query: string, tries: number): Promise<Entry> =>
    until(async () => {
      const [entry] = await log(query)
      return entry && entry.attempts.length >= tries && isSettled(entry) ? entry : null
    })
  /** Moves the test clock. @returns the deliveries whose next try fell due */
  const advance = async (by: string): Promise<string[]> => {
    const { status, data, body } = await server.call('POST', '/test/clock', { advance: by })
    assert.equal(status, 200, JSON.stringify(body))
    const fired: { task: string; subject: string }[] = data.fired
    return fired.filter((timer) => timer.task === 'webhooks.retry').map((timer) => timer.subject)
  }

  it('deliver each event of a payout once, signed over the exact bytes', async () => {
    const webhook = await register()
    assert.match(webhook.secret, /^weh_[0-9A-Za-z]{32}$/)
    const payout = await pay({ metadata: { shop: 'Ọjà ✓', 'a"b': [1, { c: null }] } })
    await until(async () => receiver.requests.length >= 2)
    await server.idle()
    assert.deepEqual(receiver.requests.map(typeOf).sort(), ['payout.completed', 'payout.initiated'])
    for (const { headers, body } of receiver.requests) {
      assert.equal(headers['x-signature'], sign(webhook.secret, body))
      assert.equal(headers['x-signature-previous'], undefined)
      assert.equal(headers['content-type'], 'application/json')
      const event = JSON.parse(body.toString())
      assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'payload'])
      assert.equal(new Date(event.timestamp).toISOString(), event.timestamp)
      assert.deepEqual(
        [headers['x-event-id'], headers['x-event-type'], headers['x-delivery-attempt']],
        [event.id, event.type, '1'],
      )
      if (event.type === 'payout.completed') assert.deepEqual(event.payload, payout)
      else assert.deepEqual([event.payload.id, event.payload.status], [payout.id, 'pending'])
    }
    const entries = await until(async () => {
      const found = await log(`webhook_id=${webhook.id}`)
      return found.every((entry) => entry.status !== 'pending') ? found : null
    })
    assert.equal(entries.length, 2)
    for (const entry of entries) {
      assert.deepEqual(
        [entry.status, entry.next_attempt_at, entry.attempts.length],
        ['succeeded', null, 1],
      )
      const { at, duration_ms, ...rest } = entry.attempts[0] as Entry['attempts'][number]
      assert.deepEqual(rest, { response_status: 200, response_body: 'ok', error: null })
    }
  })

  it('show their secret once and keep it sealed', async () => {
    const webhook = await register()
    for (const read of [
      await server.call('GET', `/webhooks/${webhook.id}`),
      await server.call('GET', '/webhooks'),
      await server.call('PUT', `/webhooks/${webhook.id}`, { description: 'seen again' }),
    ]) {
      assert.equal(read.status, 200)
      const text = JSON.stringify(read.body)
      assert.ok(text.includes(webhook.id) && !text.includes('secret') && !text.includes('weh_'))
    }
    const rows = await server.app.db.query('select secret from webhooks')
    assert.ok(rows.every((row) => !(row.secret as Buffer).includes(webhook.secret)))
    assert.ok(rows.every((row) => !(row.secret as Buffer).includes('weh_')))
    const again = { 'idempotency-key': 'hook-1' }
    const body = { url: `${receiver.url}/keyed` }
    const first = await server.call('POST', '/webhooks', body, again)
    assert.deepEqual((await server.call('POST', '/webhooks', body, again)).body, first.body)
    const kept = await server.app.db.query('select body from idempotency_keys')
    assert.ok(kept.every((row) => !(row.body as Buffer).includes(first.data.secret)))
  })

  it('refuse what they cannot serve, and leave no trace', async () => {
    const url = `${receiver.url}/x`
    const kept = await register()
    for (const [body, path] of [
      [{ url: url.replace('https', 'http') }, 'url'],
      [{ url: 'nonsense' }, 'url'],
      [{ url: 'https://user:pass@example.com/' }, 'url'],
      [{ url, events: ['payout.exploded'] }, 'events'],
      [{ url, events: [] }, 'events'],
      [{ url, evnts: ['*'] }, 'evnts'],
      [{ url, secret: 'weh_mine' }, 'secret'],
      [{ url, metadata_filter: { tier: ['vip'] } }, 'metadata_filter'],
    ] as const)
      for (const [method, target] of [
        ['POST', '/webhooks'],
        ['PUT', `/webhooks/${kept.id}`],
      ] as const) {
        const state = await snapshot(server.app)
        const answer = await server.call(method, target, body)
        assert.equal(answer.status, 422, JSON.stringify([method, body, answer.body]))
        assert.match(answer.data[0].path, new RegExp(`^${path}`))
        assert.deepEqual(await snapshot(server.app), state)
      }
    assert.equal((await server.call('POST', '/webhooks', {})).status, 422)
    const { secret, standard_secret, warnings, ...shown } = kept
    assert.deepEqual((await server.call('GET', `/webhooks/${kept.id}`)).data, shown)
  })

  it('are their own business’s and mode’s alone', async () => {
    const webhook = await register()
    await pay()
    const { event_id, id: deliveryId } = await tried(
      `webhook_id=${webhook.id}&type=payout.completed`,
      1,
    )
    const other = await newBusiness(server, 'Other Business')
    for (const call of [other, server.callAs(server.liveKey)]) {
      for (const [method, path, body] of [
        ['GET', `/webhooks/${webhook.id}`, undefined],
        ['PUT', `/webhooks/${webhook.id}`, { active: false }],
        ['DELETE', `/webhooks/${webhook.id}`, undefined],
        ['POST', `/webhooks/${webhook.id}/roll-secret`, undefined],
        ['POST', `/webhooks/${webhook.id}/test`, { type: 'payout.completed' }],
        ['POST', `/webhooks/${webhook.id}/recover`, { since: '2020-01-01T00:00:00Z' }],
        ['GET', `/webhooks/events/${deliveryId}`, undefined],
        ['POST', '/webhooks/events/resend', { event_id, webhook_id: webhook.id }],
        ['GET', `/events/${event_id}`, undefined],
      ] as const) {
        const { status, code } = await call(method, path, body)
        assert.deepEqual([method, path, status, code], [method, path, 404, 'not_found'])
      }
      for (const path of [
        '/webhooks',
        '/webhooks/events',
        `/webhooks/events?webhook_id=${webhook.id}`,
        '/events',
      ])
        assert.equal((await call('GET', path)).data.totalDocs, 0, path)
    }
    receiver.requests.length = 0
    await other('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 })
    await payBy(newMerchant(server, { call: other }))
    await server.idle()
    assert.equal(receiver.requests.length, 0)
    assert.equal((await server.call('GET', '/webhooks/zzz')).status, 404)
    assert.equal((await server.call('GET', `/webhooks/${noId}`)).status, 404)
  })

  it('are twenty at most, however many are registered at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        server.call('POST', '/webhooks', { url: `${receiver.url}/${n}` }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 20)
    const refused = answers.filter(({ status }) => status !== 201)
    assert.ok(refused.every(({ status, code }) => status === 400 && code === 'too_many_webhooks'))
    const { docs } = (await server.call('GET', '/webhooks')).data
    await server.call('DELETE', `/webhooks/${docs[0].id}`)
    await register()
  })

  it('send only what an endpoint wants', async () => {
    await register({ url: `${receiver.url}/completed`, events: ['payout.completed'] })
    await register({ url: `${receiver.url}/vip`, metadata_filter: { tier: 'vip' } })
    await register({
      url: `${receiver.url}/both`,
      events: ['payout.initiated'],
      metadata_filter: { tier: 'vip', n: 1 },
    })
    await register({ url: `${receiver.url}/text`, metadata_filter: { n: '1' } })
    await register({ url: `${receiver.url}/failed`, events: ['payout.failed'] })
    await register({ url: `${receiver.url}/born-off`, active: false })
    const off = await register({ url: `${receiver.url}/off` })
    await server.call('PUT', `/webhooks/${off.id}`, { active: false })
    const gone = await register({ url: `${receiver.url}/gone` })
    await server.call('DELETE', `/webhooks/${gone.id}`)
    assert.equal((await server.call('GET', `/webhooks/${gone.id}`)).status, 404)
    await pay()
    await pay({ metadata: { tier: 'vip', n: 1 } })
    await pay({ metadata: { tier: 'vip', n: 2 } })
    const wanted = [
      ...Array(1).fill('/both'),
      ...Array(3).fill('/completed'),
      ...Array(4).fill('/vip'),
    ]
    await until(async () => receiver.requests.length >= wanted.length)
    await server.idle()
    assert.deepEqual(pathsOf(receiver.requests), wanted)

    // Switched on, it gets what comes from now on, and nothing of what came before.
    await server.call('PUT', `/webhooks/${off.id}`, { active: true, events: ['payout.completed'] })
    await pay()
    await until(async () => receiver.requests.some((one) => one.path === '/off'))
    await server.idle()
    assert.equal(receiver.requests.filter((one) => one.path === '/off').length, 1)
  })

  it('are tried four times, each logged, and then given up', async () => {
    const { id, secret } = await register({ events: ['payout.completed'] })
    receiver.answer = (_request, response) => response.writeHead(500).end('x'.repeat(5_000))
    await pay()
    for (const [index, waitMs] of [3_600_000, 7_200_000, 10_800_000, null].entries()) {
      const entry = await tried(`webhook_id=${id}`, index + 1)
      assert.equal(entry.attempts.length, index + 1)
      const last = entry.attempts.at(-1)
      assert.deepEqual([last?.response_status, last?.response_body], [500, 'x'.repeat(1_024)])
      if (waitMs === null) {
        assert.deepEqual([entry.status, entry.next_attempt_at], ['failed', null])
        continue
      }
      assert.equal(entry.status, 'pending')
      const wait = Date.parse(entry.next_attempt_at ?? '') - Date.parse(entry.updated_at)
      assert.ok(
        wait >= waitMs * 0.9 && wait <= waitMs * 1.1,
        `waits ${wait} ms for try ${index + 2}`,
      )
      if (index === 0) assert.ok(!(await advance('30m')).includes(entry.id))
      assert.equal((await advance('4h')).filter((one) => one === entry.id).length, 1)
    }
    const [{ id: deliveryId }] = (await log(`webhook_id=${id}`)) as [Entry]
    assert.ok(!(await advance('30d')).includes(deliveryId))
    await server.idle()
    assert.deepEqual(
      receiver.requests.map((one) => one.headers['x-delivery-attempt']),
      ['1', '2', '3', '4'],
    )
    const [first] = receiver.requests as [Received]
    for (const { headers, body } of receiver.requests) {
      assert.deepEqual(body, first.body)
      assert.equal(headers['x-event-id'], first.headers['x-event-id'])
      assert.equal(headers['x-signature'], sign(secret, body))
    }
  })

  for (const status of [429, 503])
    it(`wait as long as the receiver says with ${status}, within their four tries`, async () => {
      const { id } = await register({ events: ['payout.completed'] })
      // A date is read when it comes, some time after it was made.
      const asked = [
        { value: '20000', from: 20_000_000, to: 20_000_000 },
        {
          value: new Date(Date.now() + 50_000_000).toUTCString(),
          from: 40_000_000,
          to: 50_000_000,
        },
        { value: '9'.repeat(9), from: 86_400_000, to: 86_400_000 },
        { value: '1', from: null, to: null },
      ]
      receiver.answer = (_request, response) => {
        response
          .writeHead(status, { 'retry-after': asked[receiver.requests.length - 1]?.value })
          .end()
      }
      await pay()
      for (const [index, { from, to }] of asked.entries()) {
        const entry = await tried(`webhook_id=${id}`, index + 1)
        if (from === null) {
          assert.deepEqual([entry.status, entry.next_attempt_at], ['failed', null])
          continue
        }
        const wait = Date.parse(entry.next_attempt_at ?? '') - Date.parse(entry.updated_at)
        assert.ok(wait >= from && wait <= to, `waits ${wait} ms for try ${index + 2}`)
        await advance('25h')
      }
      assert.equal(receiver.requests.length, 4)
    })

  it('end at once where the receiver says that it is gone', async () => {
    const { id } = await register({ events: ['payout.completed'] })
    receiver.answer = 410
    await pay()
    const entry = await tried(`webhook_id=${id}`, 1)
    assert.deepEqual([entry.status, entry.next_attempt_at], ['failed', null])
    assert.match(entry.attempts[0]?.error ?? '', /^Gone/)
    await advance('30d')
    assert.equal(receiver.requests.length, 1)
  })

  it('end with the first try that is taken', async () => {
    const { id } = await register({ events: ['payout.completed'] })
    receiver.answer = 503
    await pay()
    const { id: deliveryId } = await tried(`webhook_id=${id}`, 1)
    receiver.answer = 204
    assert.ok((await advance('4h')).includes(deliveryId))
    const entry = await tried(`webhook_id=${id}`, 2)
    assert.deepEqual(
      [
        entry.status,
        entry.next_attempt_at,
        entry.attempts.map((attempt) => attempt.response_status),
      ],
      ['succeeded', null, [503, 204]],
    )
    assert.ok(!(await advance('4h')).includes(deliveryId))
    assert.equal(receiver.requests.length, 2)
  })

  it('send nothing more to an endpoint that is gone, and the next try to an address that is new', async () => {
    const gone = await register({ url: `${receiver.url}/gone`, events: ['payout.completed'] })
    const moved = await register({ url: `${receiver.url}/old`, events: ['payout.completed'] })
    receiver.answer = 500
    await pay()
    for (const { id } of [gone, moved]) await tried(`webhook_id=${id}`, 1)
    await server.call('DELETE', `/webhooks/${gone.id}`)
    await server.call('PUT', `/webhooks/${moved.id}`, { url: `${receiver.url}/new` })
    await advance('4h')
    const [closed] = await until(async () => {
      const found = await log(`webhook_id=${gone.id}`)
      return found[0]?.status === 'failed' ? found : null
    })
    assert.deepEqual([closed?.attempts.length, closed?.next_attempt_at], [1, null])
    assert.equal((await tried(`webhook_id=${moved.id}`, 2)).url, `${receiver.url}/new`)
    assert.deepEqual(pathsOf(receiver.requests), ['/gone', '/new', '/old'])
  })

  it('follow no redirect and wait no longer than they say', async (t) => {
    const { id } = await register({ events: ['payout.completed'] })
    receiver.answer = ({ path }, response) =>
      path === '/hook'
        ? response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
        : response.end()
    await pay()
    const redirected = await tried(`webhook_id=${id}`, 1)
    assert.deepEqual([redirected.status, redirected.attempts[0]?.response_status], ['pending', 302])
    assert.deepEqual(pathsOf(receiver.requests), ['/hook'])

    receiver.answer = 'hang'
    giveUpAfter(t, 1_000)
    const again = { event_id: redirected.event_id, webhook_id: id }
    await server.call('POST', '/webhooks/events/resend', again)
    const hung = await tried(`webhook_id=${id}`, 2)
    assert.equal(hung.status, 'pending')
    const silent = hung.attempts[1] as Entry['attempts'][number]
    assert.deepEqual([silent.response_status, silent.response_body], [null, null])
    assert.ok(
      silent.error && silent.duration_ms >= 900 && silent.duration_ms < 5_000 * patience,
      JSON.stringify(silent),
    )

    // An answer that begins well and never ends is none. Its beginning has time enough to come.
    giveUpAfter(t, 1_000 * Math.min(patience, 10))
    receiver.answer = (_request, response) => response.writeHead(200).write('well')
    await server.call('POST', '/webhooks/events/resend', again)
    const begun = await tried(`webhook_id=${id}`, 3)
    const half = begun.attempts[2] as Entry['attempts'][number]
    assert.deepEqual(
      [begun.status, half.response_status, half.response_body],
      ['pending', 200, 'well'],
    )
    assert.ok(half.error)
  })

  it('are sent again on demand with the same bytes, and signed by old and new after a roll', async () => {
    const webhook = await register({ events: ['payout.completed'] })
    await pay()
    const entry = await tried(`webhook_id=${webhook.id}`, 1)
    const again = { event_id: entry.event_id, webhook_id: webhook.id }
    const rolled = await server.call('POST', `/webhooks/${webhook.id}/roll-secret`)
    assert.match(rolled.data.secret, /^weh_[0-9A-Za-z]{32}$/)
    assert.notEqual(rolled.data.secret, webhook.secret)
    const sent = await server.call('POST', '/webhooks/events/resend', again)
    assert.equal(sent.status, 200)
    assert.deepEqual([sent.data.id, sent.data.status], [entry.id, 'pending'])
    await tried(`webhook_id=${webhook.id}`, 2)
    const [first, second] = receiver.requests as [Received, Received]
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['x-event-id'], first.headers['x-event-id'])
    assert.equal(second.headers['x-signature'], sign(rolled.data.secret, second.body))
    assert.equal(second.headers['x-signature-previous'], sign(webhook.secret, second.body))

    await advance('25h')
    await server.call('POST', '/webhooks/events/resend', again)
    const whole = await tried(`webhook_id=${webhook.id}`, 3)
    const third = receiver.requests[2] as Received
    assert.equal(third.headers['x-signature'], sign(rolled.data.secret, third.body))
    assert.equal(third.headers['x-signature-previous'], undefined)
    assert.deepEqual(
      [whole.status, (await log(`event_id=${entry.event_id}`)).length],
      ['succeeded', 1],
    )
  })

  it('are sent again to whoever is asked for, and to nobody unknown or inactive', async () => {
    const wanting = await register({ events: ['payout.completed'] })
    const other = await register({ url: `${receiver.url}/other`, events: ['payout.failed'] })
    await pay()
    const { event_id } = await tried(`webhook_id=${wanting.id}`, 1)
    for (const body of [
      { event_id: noId, webhook_id: wanting.id },
      { event_id, webhook_id: noId },
      { event_id: 'zzz', webhook_id: wanting.id },
    ]) {
      const state = await snapshot(server.app)
      const { status, code } = await server.call('POST', '/webhooks/events/resend', body)
      assert.deepEqual([status, code], [404, 'not_found'])
      assert.deepEqual(await snapshot(server.app), state)
    }
    assert.equal((await server.call('POST', '/webhooks/events/resend', { event_id })).status, 422)

    await server.call('POST', '/webhooks/events/resend', { event_id, webhook_id: other.id })
    assert.equal((await tried(`webhook_id=${other.id}`, 1)).status, 'succeeded')
    assert.deepEqual(pathsOf(receiver.requests), ['/hook', '/other'])

    await server.call('PUT', `/webhooks/${other.id}`, { active: false })
    const refused = await server.call('POST', '/webhooks/events/resend', {
      event_id,
      webhook_id: other.id,
    })
    assert.deepEqual([refused.status, refused.code], [400, 'webhook_inactive'])
  })

  it('get as many tries again when they are resent or recovered', async () => {
    const { id } = await register({ events: ['payout.completed'] })
    const since = (await server.call('GET', '/test/clock')).data.now
    receiver.answer = 500
    await pay()
    for (let tries = 1; tries <= 4; tries++) {
      await tried(`webhook_id=${id}`, tries)
      await advance('4h')
    }
    const [dead] = await log(`webhook_id=${id}&status=failed`)
    assert.equal(dead?.attempts.length, 4)

    await server.call('POST', '/webhooks/events/resend', {
      event_id: dead?.event_id,
      webhook_id: id,
    })
    const resent = await tried(`webhook_id=${id}`, 5)
    assert.equal(resent.status, 'pending')
    assert.ok(resent.next_attempt_at)
    for (let tries = 6; tries <= 8; tries++) {
      await advance('4h')
      await tried(`webhook_id=${id}`, tries)
    }
    assert.equal((await log(`webhook_id=${id}&status=failed`)).length, 1)

    receiver.answer = 200
    const later = (await server.call('GET', '/test/clock')).data.now
    const recover = (from: string) =>
      server.call('POST', `/webhooks/${id}/recover`, { since: from })
    assert.equal((await recover('yesterday')).status, 422)
    assert.deepEqual((await recover(later)).data, { recovered: 0 })
    assert.deepEqual((await recover(since)).data, { recovered: 1 })
    assert.equal((await tried(`webhook_id=${id}`, 9)).status, 'succeeded')
    assert.deepEqual((await recover(since)).data, { recovered: 0 })
    assert.deepEqual(
      receiver.requests.map((one) => one.headers['x-delivery-attempt']),
      ['1', '2', '3', '4', '1', '2', '3', '4', '1'],
    )
  })

  it('are logged so that each entry can be found', async () => {
    const one = await register({ url: `${receiver.url}/one` })
    const two = await register({ url: `${receiver.url}/two` })
    receiver.answer = ({ path }, response) => response.writeHead(path === '/one' ? 200 : 500).end()
    const payout = await pay({ metadata: { shop: 'ikeja' } })
    const settled = await until(async () => {
      const found = [...(await log(`webhook_id=${one.id}`)), ...(await log(`webhook_id=${two.id}`))]
      return found.length === 4 &&
        found.every((entry) => entry.attempts.length === 1 && isSettled(entry))
        ? found
        : null
    })
    const ids = (entries: Entry[]): string[] => entries.map((entry) => entry.id).sort()
    const matching = (wanted: Partial<Entry>): string[] =>
      ids(
        settled.filter((entry) =>
          Object.entries(wanted).every(([key, value]) => entry[key as keyof Entry] === value),
        ),
      )
    const event_id = settled[0]?.event_id as Entry['event_id']
    for (const [query, wanted] of [
      [`webhook_id=${one.id}&status=succeeded`, { webhook_id: one.id }],
      [`webhook_id=${two.id}&status=pending`, { webhook_id: two.id }],
      [`webhook_id=${one.id}&status=failed`, { webhook_id: noId as Entry['id'] }],
      [`event_id=${event_id}`, { event_id }],
      [
        `webhook_id=${two.id}&type=payout.initiated`,
        { webhook_id: two.id, type: 'payout.initiated' as Entry['type'] },
      ],
      [`event_id=${event_id}&webhook_id=${two.id}`, { event_id, webhook_id: two.id }],
      [`event_id=${noId}`, { event_id: noId as Entry['id'] }],
    ] as const)
      assert.deepEqual(ids(await log(query)), matching(wanted), query)
    for (const query of [
      'status=lost',
      'type=payout.exploded',
      'webhook_id=zzz',
      'event_id=zzz',
      'colour=red',
    ])
      assert.equal((await server.call('GET', `/webhooks/events?${query}`)).status, 422, query)

    const entry = settled.find(({ type }) => type === 'payout.completed') as Entry
    assert.deepEqual([entry.payload, entry.metadata], [payout, { shop: 'ikeja' }])
    assert.deepEqual((await server.call('GET', `/webhooks/events/${entry.id}`)).data, entry)
    assert.equal((await server.call('GET', `/webhooks/events/${noId}`)).status, 404)
    const event = await server.call('GET', `/events/${entry.event_id}`)
    assert.deepEqual([event.data.type, event.data.payload], ['payout.completed', payout])
    assert.equal((await server.call('GET', `/events/${noId}`)).status, 404)
  })
})

describe('a webhook endpoint that hangs', () => {
  it('does not hold up another', async () => {
    const dead = await startReceiver()
    const fine = await startReceiver()
    appendFileSync(fine.caFile, readFileSync(dead.caFile))
    dead.answer = 'hang'
    const server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: fine.caFile,
      WEBHOOK_TIMEOUT: '60s',
    })
    try {
      await server.fund('ngn', 10_000_000)
      // The dead one first, so that its deliveries stand before the others everywhere.
      const { data } = await server.call('POST', '/webhooks', { url: dead.url })
      await server.call('POST', '/webhooks', { url: fine.url })
      await Promise.all(Array.from({ length: 10 }, () => payBy(newMerchant(server))))
      await until(async () => fine.requests.length >= 20)
      await until(async () => dead.requests.length > 0)
      assert.equal(new Set(fine.requests.map((one) => one.headers['x-event-id'])).size, 20)
      const log = await server.call('GET', `/webhooks/events?webhook_id=${data.id}&status=pending`)
      assert.equal(log.data.totalDocs, 20)
      assert.ok(log.data.docs.every((entry: Entry) => entry.attempts.length === 0))
    } finally {
      await dead.stop()
      await server.stop()
      await fine.stop()
    }
  })
})

describe('webhooks to targets that cannot be trusted', () => {
  it('are refused at registration, by name and by number', async () => {
    const server = await startServer()
    try {
      const { data } = await server.call('POST', '/webhooks', { url: 'https://8.8.8.8/hook' })
      for (const host of [
        'localhost',
        '127.0.0.1',
        '10.0.0.1',
        '169.254.169.254',
        '[::1]',
        '[::ffff:10.0.0.1]',
        '2130706433',
        '0.0.0.0',
        '[fd00::1]',
      ])
        for (const [method, path] of [
          ['POST', '/webhooks'],
          ['PUT', `/webhooks/${data.id}`],
        ] as const) {
          const { status, code } = await server.call(method, path, { url: `https://${host}/hook` })
          assert.deepEqual([method, host, status, code], [method, host, 400, 'forbidden_target'])
        }
      const { docs } = (await server.call('GET', '/webhooks')).data
      assert.deepEqual(
        docs.map((webhook: { url: string }) => webhook.url),
        ['https://8.8.8.8/hook'],
      )
    } finally {
      await server.stop()
    }
  })

  for (const [problem, allowed, reason] of [
    ['a name that has come to lead to a private address', 'false', /public/],
    ['a certificate of an unknown authority', 'true', /certificate/],
  ] as const)
    it(`are refused at connection: ${problem}`, async () => {
      const receiver = await startReceiver()
      const server = await startServer({
        WEBHOOK_ALLOW_PRIVATE_TARGETS: allowed,
        ...(allowed === 'false' ? { WEBHOOK_CA_FILE: receiver.caFile } : {}),
      })
      try {
        await server.fund('ngn', 1_000_000)
        const made = await server.call('POST', '/webhooks', {
          url: 'https://8.8.8.8/hook',
          events: ['payout.initiated'],
        })
        assert.equal(made.status, 201)
        // As if the name had led elsewhere when it was registered.
        await server.app.db.query('update webhooks set url = $1', [`${receiver.url}/hook`])
        await server.call('POST', '/payouts', bankPayout('distrust', 10_000))
        const [entry] = await until(async () => {
          const { data } = await server.call('GET', '/webhooks/events')
          return data.docs[0]?.attempts.length ? data.docs : null
        })
        assert.deepEqual([entry.status, entry.attempts[0].response_status], ['pending', null])
        assert.match(entry.attempts[0].error, reason)
        assert.equal(receiver.requests.length, 0)
      } finally {
        await server.stop()
        await receiver.stop()
      }
    })
})
