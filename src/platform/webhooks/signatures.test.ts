/**
 * Goal: receivers can tell our deliveries from forgeries and from replays with the libraries of
 * Standard Webhooks, as they come. Method: a real HTTPS receiver keeps what it gets; the libraries
 * of npm and PyPI judge it, now, later, and changed.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { findPython, run } from '../../../test/support/python.ts'
import { type Received, type Receiver, startReceiver } from '../../../test/support/receiver.ts'

type Case = {
  secret: string
  raw: boolean
  body: string
  headers: Record<string, string>
  later: number
}

const tolerance = 5 * 60

/** Verifies by the library of npm, as of a time. @returns the event's id, or why it is refused */
function verifyHere({ secret, raw, body, headers, later }: Case): string {
  const real = Date.now
  Date.now = () => real() + later * 1_000
  try {
    const webhook = raw ? new Webhook(secret, { format: 'raw' }) : new Webhook(secret)
    return (webhook.verify(body, headers) as { id: string }).id
  } catch (error) {
    return (error as Error).message
  } finally {
    Date.now = real
  }
}

async function verifyInPython(python: string, cases: Case[]): Promise<string[]> {
  const { code, out, err } = await run(
    python,
    ['test/support/python/verify.py'],
    JSON.stringify(cases),
  )
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

describe('the signatures of deliveries', () => {
  let receiver: Receiver
  let server: TestServer
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  const register = (): Promise<Json> =>
    must(server.call('POST', '/webhooks', { url: `${receiver.url}/hook` }))
  /** What the receiver gets of a sample that is sent to an endpoint. */
  async function delivered({ id }: Json): Promise<Received> {
    const { event_id } = await must(
      server.call('POST', `/webhooks/${id}/test`, { type: 'payout.completed' }),
    )
    return until(async () =>
      receiver.requests.find(({ headers }) => headers['x-event-id'] === event_id),
    )
  }
  const caseOf = ({ headers, body }: Received, secret: string, more: Partial<Case> = {}): Case => ({
    secret,
    raw: !secret.startsWith('whsec_'),
    body: body.toString(),
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    ),
    later: 0,
    ...more,
  })

  it('are those of Standard Webhooks beside ours, over id, time and body', async () => {
    const webhook = await register()
    const started = Math.floor(Date.now() / 1_000)
    const { headers, body } = await delivered(webhook)
    const timestamp = headers['webhook-timestamp'] as string
    assert.match(timestamp, /^\d+$/)
    assert.ok(Number(timestamp) >= started && Number(timestamp) <= Date.now() / 1_000, timestamp)
    assert.equal(headers['webhook-id'], JSON.parse(body.toString()).id)
    const hmac = createHmac('sha256', webhook.secret)
      .update(`${headers['webhook-id']}.${timestamp}.`)
      .update(body)
    assert.equal(headers['webhook-signature'], `v1,${hmac.digest('base64')}`)
    assert.equal(
      headers['x-signature'],
      `sha256=${createHmac('sha256', webhook.secret).update(body).digest('hex')}`,
    )
    assert.equal(webhook.standard_secret, `whsec_${Buffer.from(webhook.secret).toString('base64')}`)
  })

  it('carry the real time of the try, also where the test clock runs ahead and where an event is sent again', async () => {
    const webhook = await register()
    await must(server.call('POST', '/test/clock', { advance: '3d' }))
    const first = await delivered(webhook)
    assert.equal(verifyHere(caseOf(first, webhook.standard_secret)), first.headers['x-event-id'])
    const seen = receiver.requests.length
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const again = { event_id: first.headers['x-event-id'], webhook_id: webhook.id }
    await must(server.call('POST', '/webhooks/events/resend', again))
    const second = await until(async () => receiver.requests[seen])
    assert.deepEqual(second.body, first.body)
    assert.equal(second.headers['webhook-id'], first.headers['webhook-id'])
    assert.ok(
      Number(second.headers['webhook-timestamp']) > Number(first.headers['webhook-timestamp']),
    )
    assert.equal(verifyHere(caseOf(second, webhook.standard_secret)), first.headers['x-event-id'])
  })

  /**
   * Each case with what a library must say of it: now, changed, replayed, and while a secret rolls.
   */
  async function judged(): Promise<{ cases: Case[]; wanted: (string | RegExp)[] }> {
    const webhook = await register()
    const plain = await delivered(webhook)
    const rolled = await must(server.call('POST', `/webhooks/${webhook.id}/roll-secret`))
    assert.equal(rolled.standard_secret, `whsec_${Buffer.from(rolled.secret).toString('base64')}`)
    const rolling = await delivered(webhook)
    assert.equal((rolling.headers['webhook-signature'] as string).split(' ').length, 2)
    const [id, rollingId] = [plain, rolling].map(
      ({ headers }) => headers['x-event-id'] as string,
    ) as [string, string]
    const forged = caseOf(plain, webhook.standard_secret)
    const postdated = {
      ...forged.headers,
      'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 60),
    }
    const none = /^No matching signature found$/
    const table: [Case, string | RegExp][] = [
      [caseOf(plain, webhook.standard_secret), id],
      [caseOf(plain, webhook.secret), id],
      [caseOf(plain, webhook.secret, { later: tolerance - 10 }), id],
      [caseOf(plain, webhook.standard_secret, { later: tolerance + 10 }), /too old/],
      [caseOf(plain, webhook.secret, { later: tolerance + 10 }), /too old/],
      [{ ...forged, body: forged.body.replace('"test":true', '"test":null') }, none],
      [{ ...forged, headers: postdated }, none],
      [{ ...forged, headers: { ...forged.headers, 'webhook-id': rollingId } }, none],
      [caseOf(plain, rolled.standard_secret), none],
      [caseOf(rolling, webhook.standard_secret), rollingId],
      [caseOf(rolling, webhook.secret), rollingId],
      [caseOf(rolling, rolled.standard_secret), rollingId],
      [caseOf(rolling, rolled.secret), rollingId],
    ]
    return { cases: table.map(([one]) => one), wanted: table.map(([, want]) => want) }
  }
  const assertJudged = (said: string[], wanted: (string | RegExp)[]): void => {
    assert.equal(said.length, wanted.length)
    for (const [i, want] of wanted.entries())
      if (typeof want === 'string') assert.equal(said[i], want, `case ${i}`)
      else assert.match(said[i] as string, want, `case ${i}`)
  }

  it('are judged right by the library of npm', async () => {
    const { cases, wanted } = await judged()
    assertJudged(cases.map(verifyHere), wanted)
  })

  it('are judged right by the library of PyPI', async (t) => {
    const found = await findPython()
    if ('missing' in found) return t.skip(found.missing)
    const { cases, wanted } = await judged()
    assertJudged(await verifyInPython(found.python, cases), wanted)
  })
})
