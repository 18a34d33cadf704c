/**
 * Goal: a developer sees events as they come, and nobody goes on seeing them who may no longer.
 * Method: over HTTP, the page as it is without a script, and its stream as a browser follows it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'

/** What a browser is sent by a stream; `ended` once the server has ended it. */
async function follow(
  server: TestServer,
  path: string,
  cookie: string,
  headers: Record<string, string> = {},
) {
  const gone = new AbortController()
  const response = await fetch(server.url + path, {
    headers: { cookie, ...headers },
    signal: gone.signal,
  })
  const followed = {
    status: response.status,
    type: response.headers.get('content-type'),
    text: '',
    ended: false,
  }
  const reading = (async () => {
    try {
      for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
        new TextDecoderStream(),
      ))
        followed.text += text
      followed.ended = true
    } catch {}
  })()
  return Object.assign(followed, {
    async close() {
      gone.abort()
      await reading
    },
  })
}

/**
 * What has come whole and is not on a page yet: the stream of a page may begin with what another
 * transaction, open then, put behind its place.
 */
const notOn = (html: string, text: string): string =>
  text
    .split('\n\n')
    .slice(0, -1)
    .filter((one) => !html.includes(/<li id="[^"]+"/.exec(one)?.[0] ?? 'none'))
    .join('\n\n')

describe('the page of live events', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  const streamOf = (html: string): string =>
    (/data-live="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html)).replaceAll('&amp;', '&')
  const canceled = async (reference: string, description = 'Shoes') => {
    const { id } = await merchant.openPayment({ reference, description })
    await merchant.ask('POST', `/payments/${id}/cancel`)
  }
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    person = await signedIn(server, 'viewer')
  })
  after(() => server.stop())

  it('says how events come about, while there are none', async () => {
    const html = await shown(person.get('/live-events'))
    assert.match(html, /No events yet/)
    assert.match(html, /aria-current="page">Live events<\/a>/)
  })

  it('shows the newest with payload and deliveries, by type, and what comes after them by its stream', async () => {
    await canceled('shown-1', '<script>alert(1)</script>')
    const html = await shown(person.get('/live-events'))
    assert.match(html, /payment\.canceled<\/bdi> <code>shown-1<\/code>/)
    assert.match(html, /&quot;reference&quot;: &quot;shown-1&quot;/)
    assert.match(html, /Not sent to an endpoint yet/)
    assert.doesNotMatch(html, /<script>alert/)
    assert.ok(html.length < 100_000)
    const other = await shown(person.get('/live-events?type=payment.completed'))
    assert.match(other, /No events of this type yet/)

    const all = await follow(server, streamOf(html), person.cookie)
    const narrow = await follow(server, streamOf(other), person.cookie)
    assert.deepEqual([all.status, all.type], [200, 'text/event-stream'])
    await canceled('shown-2', '</li><script>alert(1)</script>')
    const payment = await merchant.openPayment()
    await merchant.simulate(payment, 'completed', 'card')
    await until(
      async () =>
        all.text.includes('payment.completed') && narrow.text.includes('payment.completed'),
    )
    assert.match(all.text, /^data: <li id="e-[0-9a-f]{24}"><details>.*payment\.canceled/m)
    assert.doesNotMatch(all.text, /<script/)
    assert.doesNotMatch(notOn(html, all.text), /shown-1/)
    assert.doesNotMatch(narrow.text, /payment\.canceled/)
    assert.match(narrow.text, /^data: <li id="e-[0-9a-f]{24}"><details>.*payment\.completed/m)
    for (const line of notOn(html, all.text).split('\n'))
      assert.match(line, /^(data: |id: |retry: |: |$)/)
    const place = [...all.text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] as string
    await Promise.all([all.close(), narrow.close()])

    await canceled('shown-3')
    const back = await follow(server, streamOf(html), person.cookie, { 'last-event-id': place })
    await until(async () => back.text.includes('shown-3'))
    assert.doesNotMatch(back.text, /shown-2/)
    await back.close()
  })

  it('is followed only as long as its reader may', async () => {
    const leaving = await signedIn(server, 'viewer')
    const stream = await follow(
      server,
      streamOf(await shown(leaving.get('/live-events'))),
      leaving.cookie,
    )
    await server.app.db.query(
      `delete from memberships where person_id =
        (select id from persons where name = 'Ada Okafor' and email like 'viewer.%' order by id desc limit 1)`,
    )
    await until(async () => stream.ended)
    assert.equal((await leaving.get('/live-events/stream')).status, 404)
    const nobody = await fetch(`${server.url}${person.base}/live-events/stream`, {
      redirect: 'manual',
    })
    assert.equal(nobody.status, 303)
  })

  it('is still a page where no more streams may be open', async () => {
    const path = streamOf(await shown(person.get('/live-events')))
    const open = await Promise.all(
      Array.from({ length: 10 }, () => follow(server, path, person.cookie)),
    )
    assert.match(await shown(person.get('/live-events')), /Too many pages of yours follow events/)
    await Promise.all(open.map((one) => one.close()))
  })
})
