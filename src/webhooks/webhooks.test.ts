import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bankPayout, snapshot, startServer, type TestServer, until } from '../../test/harness.ts'
import { type Received, type Receiver, startReceiver } from '../../test/receiver.ts'

describe('webhooks', () => {
  let receiver: Receiver
  let server: TestServer
  let payouts = 0
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_TIMEOUT: '1s',
    })
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
    receiver.answer = (_request, response) => response.end('ok')
  })

  const register = async (more: Record<string, unknown> = {}) => {
    const { status, data, body } = await server.call('POST', '/webhooks', { url: `${receiver.url}/hook`, ...more })
    assert.equal(status, 201, JSON.stringify(body))
    return data
  }
  const pay = async (more: Record<string, unknown> = {}) => {
    payouts += 1
    const reference = `hook-${payouts}`
    const { status } = await server.call('POST', '/payouts', bankPayout(reference, 10_000, more))
    assert.equal(status, 201)
    return until(async () => {
      const { data } = await server.call('GET', `/payouts/${reference}`)
      return data.status === 'completed' ? data : null
    })
  }
  const sign = (secret: string, body: Buffer): string =>
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const typesOf = (requests: Received[]): string[] => requests.map((one) => JSON.parse(one.body.toString()).type).sort()
  const log = async (query: string) => (await server.call('GET', `/webhooks/events?${query}`)).data.docs

  it('deliver each event of a payout once, signed over the exact bytes', async () => {
    const webhook = await register()
    assert.match(webhook.secret, /^weh_[0-9A-Za-z]{32}$/)
    const payout = await pay()
    await until(async () => receiver.requests.length >= 2)
    await sleep(300)
    assert.deepEqual(typesOf(receiver.requests), ['payout.completed', 'payout.initiated'])
    for (const { headers, body } of receiver.requests) {
      assert.equal(headers['x-signature'], sign(webhook.secret, body))
      const event = JSON.parse(body.toString())
      assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'payload'])
      assert.deepEqual(
        [headers['x-event-id'], headers['x-event-type'], headers['x-delivery-attempt']],
        [event.id, event.type, '1'],
      )
      if (event.type === 'payout.completed') assert.deepEqual(event.payload, payout)
    }
    const entries = await log(`webhook_id=${webhook.id}`)
    assert.ok(
      entries.every(
        (entry: { status: string; attempts: unknown[] }) => entry.status === 'succeeded' && entry.attempts.length === 1,
      ),
    )
  })

  it('show their secret once and keep it sealed', async () => {
    const webhook = await register()
    const read = await server.call('GET', `/webhooks/${webhook.id}`)
    assert.equal(read.status, 200)
    assert.ok(!JSON.stringify(read.body).includes(webhook.secret))
    const rows = await server.app.db.query('select secret from webhooks')
    assert.ok(rows.every((row) => !(row.secret as Buffer).includes(webhook.secret)))
    const again = { 'idempotency-key': 'hook-1' }
    const body = { url: `${receiver.url}/keyed` }
    const first = await server.call('POST', '/webhooks', body, again)
    assert.deepEqual((await server.call('POST', '/webhooks', body, again)).body, first.body)
    const kept = await server.app.db.query('select body from idempotency_keys')
    assert.ok(kept.every((row) => !(row.body as Buffer).includes(first.data.secret)))
  })

  it('refuse what they cannot serve, and leave no trace', async () => {
    const url = `${receiver.url}/x`
    for (const [body, status] of [
      [{ url: url.replace('https', 'http') }, 422],
      [{ url: 'nonsense' }, 422],
      [{ url: 'https://user:pass@example.com/' }, 422],
      [{}, 422],
      [{ url, events: ['payout.exploded'] }, 422],
      [{ url, events: [] }, 422],
      [{ url, evnts: ['*'] }, 422],
    ] as const) {
      const before = await snapshot(server.app)
      const answer = await server.call('POST', '/webhooks', body)
      assert.equal(answer.status, status, JSON.stringify([body, answer.body]))
      assert.deepEqual(await snapshot(server.app), before)
    }
    const { id } = await register()
    assert.equal((await server.callAs(server.liveKey)('GET', `/webhooks/${id}`)).status, 404)
    assert.equal((await server.call('GET', '/webhooks/zzz')).status, 404)
    assert.equal(
      (await server.call('POST', '/webhooks/events/resend', { event_id: '0'.repeat(24), webhook_id: id })).status,
      404,
    )
  })

  it('send only what an endpoint wants', async () => {
    await register({ url: `${receiver.url}/completed`, events: ['payout.completed'] })
    await register({ url: `${receiver.url}/vip`, metadata_filter: { tier: 'vip' } })
    const off = await register({ url: `${receiver.url}/off` })
    await server.call('PUT', `/webhooks/${off.id}`, { active: false })
    const gone = await register({ url: `${receiver.url}/gone` })
    await server.call('DELETE', `/webhooks/${gone.id}`)
    await pay()
    await pay({ metadata: { tier: 'vip', n: 1 } })
    await until(async () => receiver.requests.length >= 4)
    await sleep(300)
    assert.deepEqual(receiver.requests.map((one) => one.path).sort(), ['/completed', '/completed', '/vip', '/vip'])
  })

  it('are tried four times, each logged, and then given up', async () => {
    const { id } = await register({ events: ['payout.completed'] })
    receiver.answer = (_request, response) => response.writeHead(500).end('x'.repeat(5_000))
    await pay()
    for (let tries = 1; tries <= 4; tries++) {
      const [entry] = await until(async () => {
        const found = await log(`webhook_id=${id}`)
        return found[0]?.attempts.length >= tries ? found : null
      })
      assert.equal(entry.attempts.length, tries)
      assert.equal(entry.attempts[tries - 1].response_status, 500)
      assert.ok(entry.attempts[tries - 1].response_body.length <= 1_024)
      assert.equal(entry.status, tries === 4 ? 'failed' : 'pending')
      assert.equal(entry.next_attempt_at === null, tries === 4)
      const { data } = await server.call('POST', '/test/clock', { advance: '40m' })
      assert.equal(
        data.fired.filter((timer: { task: string }) => timer.task === 'webhooks.retry').length,
        tries === 4 ? 0 : 1,
      )
    }
    assert.deepEqual(
      receiver.requests.map((one) => one.headers['x-delivery-attempt']),
      ['1', '2', '3', '4'],
    )
    assert.equal(new Set(receiver.requests.map((one) => one.body.toString())).size, 1)
  })

  it('follow no redirect and wait no longer than they say', async () => {
    const { id } = await register({ events: ['payout.completed'] })
    receiver.answer = ({ path }, response) =>
      path === '/hook' ? response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end() : response.end()
    await pay()
    const [redirected] = await until(async () => {
      const found = await log(`webhook_id=${id}`)
      return found[0]?.attempts.length ? found : null
    })
    assert.deepEqual([redirected.status, redirected.attempts[0].response_status], ['pending', 302])
    receiver.answer = null
    const { event_id } = redirected
    await server.call('POST', '/webhooks/events/resend', { event_id, webhook_id: id })
    const [hung] = await until(async () => {
      const found = await log(`webhook_id=${id}`)
      return found[0]?.attempts.length === 2 ? found : null
    })
    const last = hung.attempts.find(
      (attempt: { error: string | null; response_status: number | null }) => attempt.response_status === null,
    )
    assert.ok(last.duration_ms >= 900 && last.duration_ms < 3_000 && last.error)
    assert.ok(!receiver.requests.some((one) => one.path === '/elsewhere'))
  })

  it('do not wait for an endpoint that hangs', async () => {
    await register({ url: `${receiver.url}/dead` })
    await register({ url: `${receiver.url}/fine` })
    receiver.answer = ({ path }, response) => {
      if (path === '/fine') response.end()
    }
    const start = performance.now()
    await Promise.all(Array.from({ length: 10 }, () => pay()))
    await until(async () => receiver.requests.filter((one) => one.path === '/fine').length >= 20)
    assert.ok(performance.now() - start < 8_000)
    assert.equal(receiver.requests.filter((one) => one.path === '/fine').length, 20)
  })

  it('are sent again on demand with the same bytes, and signed by old and new after a roll', async () => {
    const webhook = await register({ events: ['payout.completed'] })
    await pay()
    await until(async () => receiver.requests.length === 1)
    const [entry] = await until(async () => {
      const found = await log(`webhook_id=${webhook.id}&status=succeeded`)
      return found.length > 0 ? found : null
    })
    const rolled = await server.call('POST', `/webhooks/${webhook.id}/roll-secret`)
    assert.match(rolled.data.secret, /^weh_/)
    assert.notEqual(rolled.data.secret, webhook.secret)
    const sent = await server.call('POST', '/webhooks/events/resend', {
      event_id: entry.event_id,
      webhook_id: webhook.id,
    })
    assert.equal(sent.status, 200)
    await until(async () => receiver.requests.length === 2)
    const [first, second] = receiver.requests as [Received, Received]
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['x-signature'], sign(rolled.data.secret, second.body))
    assert.equal(second.headers['x-signature-previous'], sign(webhook.secret, second.body))
    const entries = await log(`event_id=${entry.event_id}`)
    assert.equal(entries.length, 1)
  })
})

describe('webhooks to private addresses', () => {
  it('are refused at registration, by name and by number', async () => {
    const server = await startServer()
    try {
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
      ]) {
        const { status, code } = await server.call('POST', '/webhooks', { url: `https://${host}/hook` })
        assert.deepEqual([host, status, code], [host, 400, 'forbidden_target'])
      }
    } finally {
      await server.stop()
    }
  })

  it('are refused again at connection, whatever was registered', async () => {
    const receiver = await startReceiver()
    const server = await startServer({ WEBHOOK_CA_FILE: receiver.caFile })
    try {
      await server.fund('ngn', 1_000_000)
      const made = await server.call('POST', '/webhooks', { url: 'https://8.8.8.8/hook', events: ['payout.initiated'] })
      assert.equal(made.status, 201)
      // As if the name had led elsewhere when it was registered.
      await server.app.db.query('update webhooks set url = $1', [`${receiver.url}/hook`])
      await server.call('POST', '/payouts', bankPayout('rebind', 10_000))
      const [entry] = await until(async () => {
        const { data } = await server.call('GET', '/webhooks/events')
        return data.docs[0]?.attempts.length ? data.docs : null
      })
      assert.equal(entry.attempts[0].response_status, null)
      assert.match(entry.attempts[0].error, /public/)
      assert.equal(receiver.requests.length, 0)
    } finally {
      await server.stop()
      await receiver.stop()
    }
  })
})
