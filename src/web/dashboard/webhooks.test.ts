/**
 * Goal: a developer who never asks the API sees what was sent and what came back, sends it again,
 * and is shown a secret once. Method: forms over HTTP; an endpoint of ours answers.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { foldCounts } from '../../db/lists/counts.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll('&quot;', '"')

describe('the pages of webhooks', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    merchant = newMerchant(server)
    person = await signedIn(server, 'developer')
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  const send = (path: string, html: string, typed: Record<string, string>): Promise<PageText> =>
    person.post(path, { ...hiddenOf(html), ...typed })
  const secretsIn = (html: string): string[] => html.match(/(weh_|whsec_)[\w+/=-]+/g) ?? []

  it('shows the secret of a new endpoint, and a rolled one, once', async () => {
    const path = '/webhooks/-/new'
    const form = await shown(person.get(path))
    const kinds = [...form.matchAll(/<legend>([^<]+)<\/legend>/g)].map(([, kind]) => kind)
    assert.deepEqual(kinds.length, new Set(kinds).size)
    assert.ok(
      kinds.includes('Payout events') && kinds.includes('Virtual account events'),
      kinds.join(),
    )
    const typed = {
      url: 'https://8.8.8.8/hook',
      'events.payment.completed': 'true',
      metadata_filter: 'shop=ikeja\nn=5',
    }
    const first = await send(path, form, { ...typed, step: 'do' })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('cache-control'), 'no-store')
    const [secret = assert.fail('no secret')] = secretsIn(first.html)
    const [made] = (await merchant.ask('GET', '/webhooks')).docs
    assert.deepEqual(
      [made.events, made.metadata_filter],
      [['payment.completed'], { shop: 'ikeja', n: 5 }],
    )
    const again = await send(path, form, { ...typed, step: 'do' })
    assert.deepEqual(secretsIn(again.html), [])
    assert.match(again.html, /It cannot be shown again/)
    assert.equal(
      (await merchant.ask('GET', '/webhooks')).totalDocs,
      1,
      'a page that is sent again does it once',
    )

    const roll = await shown(person.get(`/webhooks/${made.id}/roll`))
    const [rolled = assert.fail('no secret')] = secretsIn(
      (await send(`/webhooks/${made.id}/roll`, roll, { step: 'do' })).html,
    )
    assert.notEqual(rolled, secret)
    for (const page of [
      '/webhooks',
      `/webhooks/${made.id}`,
      `/webhooks/${made.id}/edit`,
      `/webhooks/${made.id}/roll`,
    ])
      assert.deepEqual(secretsIn(await shown(person.get(page))), [], page)
    const kept = JSON.stringify(await server.app.db.query('select * from audit_log'))
    assert.ok(!kept.includes(secret) && !kept.includes(rolled))
  })

  it('says what is wrong beside its field, and changes, pauses and deletes', async () => {
    const { id } = await merchant.create('/webhooks', { url: 'https://8.8.8.8/other' })
    const path = `/webhooks/${id}/edit`
    const form = await shown(person.get(path))
    assert.match(form, /name="events\.all"[^>]* checked/)
    for (const [typed, field] of [
      [{ url: 'http://8.8.8.8/hook', 'events.all': 'true' }, 'url'],
      [{ url: 'https://8.8.8.8/other' }, 'events-all'],
      [
        { url: 'https://8.8.8.8/other', 'events.all': 'true', metadata_filter: 'nothing' },
        'metadata_filter',
      ],
    ] as const)
      assert.match(
        (await send(path, form, { ...typed, step: 'do' })).html,
        new RegExp(`id="f-${field}-error">[^<]+<`),
      )
    const changed = await send(path, form, {
      url: 'https://8.8.8.8/third',
      'events.payout.failed': 'true',
      'events.payout.completed': 'true',
      step: 'do',
    })
    assert.equal(changed.status, 303)
    const read = () => merchant.ask('GET', `/webhooks/${id}`)
    assert.deepEqual((await read()).events.toSorted(), ['payout.completed', 'payout.failed'])
    for (const [action, active] of [
      ['pause', false],
      ['resume', true],
    ] as const) {
      await send(
        `/webhooks/${id}/${action}`,
        await shown(person.get(`/webhooks/${id}/${action}`)),
        { step: 'do' },
      )
      assert.equal((await read()).active, active, action)
    }
    await send(`/webhooks/${id}/delete`, await shown(person.get(`/webhooks/${id}/delete`)), {
      step: 'do',
    })
    await merchant.isRefused('GET', `/webhooks/${id}`, undefined, 404, 'not_found')
  })

  it('shows what was sent and what came back, and sends it again', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end('no <b>room</b>')
    const { id } = await merchant.create('/webhooks', { url: `${receiver.url}/hook` })
    const form = await shown(person.get(`/webhooks/${id}/test`))
    const tested = await send(`/webhooks/${id}/test`, form, {
      type: 'payout.completed',
      step: 'do',
    })
    const path = (tested.location ?? assert.fail(textOf(tested.html))).split('?')[0] as string
    const refused = await until(async () => {
      const html = await shown(person.get(path))
      return html.includes('no &lt;b&gt;room') && html
    }, 30_000)
    const [sent] = receiver.requests
    const said = textOf(refused)
    assert.match(said, /X-Event-Sample: true/)
    assert.match(said, new RegExp(`X-Event-Id: ${sent?.headers['x-event-id']}`))
    const shownBody =
      /(\{\s*"id"[\s\S]*?\n\})/.exec(said.replaceAll('&#39;', "'"))?.[1] ?? assert.fail(said)
    assert.equal(
      JSON.stringify(JSON.parse(shownBody)),
      sent?.body.toString(),
      'the body, but for spaces',
    )
    assert.match(said, /\b500\b/)

    receiver.answer = 200
    await send(`${path}/resend`, await shown(person.get(`${path}/resend`)), { step: 'do' })
    await until(async () => /badge good">200</.test(await shown(person.get(path))), 30_000)
    assert.match(
      await shown(person.get(`/deliveries?webhook_id=${id}&status=succeeded`)),
      /payout\.completed/,
    )

    await merchant.takePayment('card')
    const [event] = (await merchant.ask('GET', '/events')).docs
    assert.ok(event, 'something happened')
    const page = await shown(person.get(`/events/${event.id}`))
    assert.match(textOf(page), new RegExp(`"id": "${event.payload.id}"`))
    const choice = await shown(person.get(`/events/${event.id}/send`))
    const again = await send(`/events/${event.id}/send`, choice, { webhook_id: id, step: 'do' })
    assert.match(
      again.location ?? textOf(again.html),
      /\/deliveries\/[0-9a-f]{24}\?done=events\.send$/,
    )
  })

  it('shows a viewer all of it, and nothing to do', async () => {
    const viewer = await signedIn(server, 'viewer')
    const [{ id }] = (await merchant.ask('GET', '/webhooks')).docs
    const [delivery] = (await merchant.ask('GET', '/webhooks/events')).docs
    for (const path of [
      '/webhooks',
      `/webhooks/${id}`,
      '/deliveries',
      `/deliveries/${delivery.id}`,
      '/events',
    ]) {
      const html = await shown(viewer.get(path))
      assert.doesNotMatch(html, /\/(webhooks|deliveries|events)\/[^"/]+\/\w+"/, path)
    }
  })

  it('counts deliveries by day in a chart with its table, folded or not', async () => {
    const { docs } = await merchant.ask('GET', '/webhooks/events?limit=100')
    const counted = (status: string): number =>
      docs.filter((one: { status: string }) => one.status === status).length
    const [delivered, failed] = [counted('succeeded'), counted('failed')]
    assert.ok(delivered > 0 && docs.length < 100)
    const check = async (): Promise<void> => {
      const html = await shown(person.get('/webhooks'))
      const label = `Deliveries, last 30 days: ${delivered} delivered, ${failed} failed`
      assert.ok(html.includes(`role="img" aria-label="${label}"`), html)
      const rows = [...html.matchAll(/<td class="right">(\d+)<\/td><td class="right">(\d+)<\/td>/g)]
      const sum = (column: number): number =>
        rows.reduce((total, row) => total + Number(row[column]), 0)
      assert.deepEqual([rows.length, sum(1), sum(2)], [30, delivered, failed])
    }
    await check()
    await foldCounts(server.app.db)
    await check()
  })
})
