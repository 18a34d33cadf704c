import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  cards,
  goodCard,
  type Merchant,
  newBusiness,
  newMerchant,
  newPayer,
  pathOf,
  readPage,
  unchanged,
} from '../../../test/support/actors.ts'
import {
  patience,
  shareServer,
  startServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { showMoney } from '../../lib/money.ts'

const unknownSlug = 'A'.repeat(24)

let server: TestServer
let merchant: Merchant

describe('the hosted page', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  it('is not there for a slug that leads nowhere, whatever is asked of it', async () => {
    const payer = newPayer({ checkout_url: `${server.url}/pay/${unknownSlug}` })
    await unchanged(server, async () => {
      const pages = [await payer.open(), await payer.open('/status'), await payer.open('/events')]
      for (const form of ['card', 'challenge', 'transfer', 'crypto', 'simulate', 'start'])
        pages.push(await payer.send(form))
      for (const slug of ['x', '%00', '..%2f', 'A'.repeat(500)])
        pages.push(await newPayer({ checkout_url: `${server.url}/pay/${slug}` }).open())
      for (const page of pages) {
        assert.equal(page.status, 404)
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
        assert.match(page.text, /can’t find this page/)
        assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      }
    })
    assert.equal(payer.cookie, '')
  })

  it('has headers that keep it from being framed, scripted, cached or told on', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    for (const answer of [
      await payer.open(),
      await payer.send('card', goodCard),
      await payer.open('/status'),
    ]) {
      const { headers } = answer
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((part): [string, string] => {
          const [name = '', ...values] = part.split(' ')
          return [name, values.join(' ')]
        }),
      )
      for (const [name, value] of [
        ['default-src', "'none'"],
        ['frame-ancestors', "'none'"],
        ['form-action', "'self'"],
        ['base-uri', "'none'"],
        ['connect-src', "'self'"],
      ] as const)
        assert.equal(policy.get(name), value)
      for (const name of ['style-src', 'script-src'])
        assert.match(
          policy.get(name) ?? '',
          /^'sha256-[0-9A-Za-z+/]{43}='$/,
          'one hash and nothing else',
        )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('strict-transport-security'), null)
    }
  })

  it('has one style and one script, those that its policy names, and nothing else that runs', async () => {
    const hashOf = (text: string) =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const payment = await merchant.openPayment()
    const ended = await merchant.openPayment()
    await merchant.simulate(ended, 'completed')
    const pages = [
      await newPayer(payment).open(),
      await newPayer(payment).open('?method=card'),
      await newPayer(payment).open('?method=crypto'),
      await newPayer(ended).open(),
      await newPayer({ checkout_url: `${server.url}/pay/${unknownSlug}` }).open(),
    ]
    for (const { html, headers } of pages) {
      const policy = headers.get('content-security-policy') ?? ''
      for (const tag of ['style', 'script']) {
        const found = [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, 'g'))]
        assert.equal(found.length, 1)
        assert.ok(policy.includes(`${tag}-src ${hashOf(found[0]?.[1] ?? '')}`), tag)
      }
      const markup = html.replaceAll(/<(style|script)>[\s\S]*?<\/\1>/g, '')
      assert.doesNotMatch(markup, /<[^>]+\s(on\w+|style)=/)
      assert.doesNotMatch(markup, /<(link|iframe|img|object|embed)\b|\ssrc=/)
    }
  })

  it('gives the browser a cookie once, that scripts and other sites do not see', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    const first = await payer.open()
    assert.match(
      first.headers.get('set-cookie') ?? '',
      /^bursar_payer=[0-9A-Za-z]{24}; Path=\/pay; HttpOnly; SameSite=Lax$/,
    )
    assert.equal((await payer.open()).headers.get('set-cookie'), null)
    // One that is not ours is replaced.
    payer.cookie = 'bursar_payer=short'
    assert.match((await payer.open()).headers.get('set-cookie') ?? '', /^bursar_payer=/)
    assert.notEqual(
      (await newPayer(payment).open()).headers.get('set-cookie'),
      first.headers.get('set-cookie'),
    )
  })

  it('shows what was typed as text, never as HTML', async () => {
    const evil = `<script>alert(1)</script><img src=x onerror="alert(2)">'"&`
    const shown =
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(2)&quot;&gt;&#39;&quot;&amp;'
    const call = await newBusiness(server, evil)
    const payment = await newMerchant(server, { call }).openPayment({ description: `for ${evil}` })
    const payer = newPayer(payment)
    await payer.post('transfer')
    const asked = await payer.open(
      `?method=${encodeURIComponent(evil)}&wrong=${encodeURIComponent(evil)}`,
    )
    const pages = [await payer.open(), await payer.open('?method=bank_transfer'), asked]
    await call('POST', `/payments/${payment.id}/cancel`)
    pages.push(await payer.open())
    for (const { html } of pages) {
      assert.ok(html.includes(shown))
      assert.ok(!html.includes('<script>alert') && !html.includes('<img'))
    }
    assert.ok(pages[0]?.html.includes(`for ${shown}`))
  })

  it('leads back to the shop with reference and status, and keeps what the address had', async () => {
    const links = (html: string) =>
      [...html.matchAll(/href="([^"]+)"/g)].map((match) =>
        (match[1] ?? '').replaceAll('&amp;', '&'),
      )
    for (const status of ['completed', 'failed', 'expired', 'canceled']) {
      const reference = `order:${status}=1`
      const payment = await merchant.openPayment({
        reference,
        redirect_url: 'https://shop.example/back?order=7&status=mine#top',
        cancel_url: 'https://shop.example/cart',
      })
      const query = (state: string) => `reference=${encodeURIComponent(reference)}&status=${state}`
      const payer = newPayer(payment)
      const pending = links((await payer.open()).html)
      assert.ok(pending.includes(`https://shop.example/cart?${query('pending')}`), `${pending}`)
      assert.ok(!pending.some((link) => link.includes('/back')))
      if (status === 'canceled') await merchant.cancelPayment(payment)
      else await merchant.simulate(payment, status)
      const page = await payer.open()
      const back = `https://shop.example/back?order=7&status=mine&${query(status)}#top`
      assert.ok(links(page.html).includes(back), `${links(page.html)}`)
      assert.ok(!links(page.html).some((link) => link.includes('/cart')))
      // A payer who has paid is taken there; one who has not is not.
      assert.equal(page.html.includes('http-equiv="refresh"'), status === 'completed')
    }
    const bare = await merchant.openPayment()
    await merchant.simulate(bare, 'completed')
    assert.ok(!links((await newPayer(bare).open()).html).some((link) => link.startsWith('http')))
  })

  it('offers each way that the payment takes, and no other', async () => {
    const all = await newPayer(await merchant.openPayment()).open()
    for (const method of ['card', 'bank_transfer', 'crypto'])
      assert.ok(all.html.includes(`?method=${method}"`))
    const one = await merchant.openPayment({ methods: ['bank_transfer'] })
    const page = await newPayer(one).open('?method=card')
    assert.ok(
      page.html.includes(`${pathOf(one)}/transfer`) && !page.html.includes(`${pathOf(one)}/card`),
    )
    // A form that is not offered does nothing.
    const payer = newPayer(one)
    await payer.open()
    for (const [form, fields] of [
      ['card', goodCard],
      ['crypto', { choice: 'usdc.base' }],
    ] as const)
      await unchanged(server, async () => {
        const { status, location } = await payer.send(form, fields)
        assert.deepEqual([status, location], [303, pathOf(one)])
      })
  })

  it('has a version that changes when the payment does', async () => {
    const payment = await merchant.openPayment()
    const version = async (): Promise<string> => {
      const response = await fetch(`${payment.checkout_url}/status`)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      const body = (await response.json()) as Record<string, string>
      assert.deepEqual(Object.keys(body), ['version'])
      return body.version as string
    }
    const seen = [await version()]
    assert.equal(await version(), seen[0])
    assert.ok((await newPayer(payment).open()).html.includes(`data-version="${seen[0]}"`))
    for (const act of [
      () => newPayer(payment).post('transfer'),
      () => newPayer(payment).post('card', { ...goodCard, number: cards.declined }),
      () => merchant.simulate(payment, 'underpaid'),
      () => merchant.simulate(payment, 'completed'),
    ]) {
      await act()
      seen.push(await version())
    }
    assert.equal(new Set(seen).size, seen.length, `${seen}`)
  })

  it('shows at least what its version tells of, when it is read while money comes', async () => {
    for (let round = 0; round < 12; round++) {
      const payment = await merchant.openPayment()
      let done = false
      const paid = merchant.simulate(payment, 'underpaid').finally(() => {
        done = true
      })
      const look = async (): Promise<void> => {
        while (!done) {
          const { html, text } = await newPayer(payment).open('?method=card')
          const [, received] = /data-version="[a-z]+\.(\d+)\./.exec(html) as RegExpExecArray
          if (received !== '0')
            assert.ok(
              text.includes(`received ${showMoney(BigInt(received as string), 'ngn')}`),
              text,
            )
        }
      }
      await Promise.all([paid, ...Array.from({ length: 8 }, look)])
    }
  })

  it('is told of changes by a stream', async () => {
    const payment = await merchant.openPayment()
    const stream = await streamOf(payment)
    assert.equal(stream.status, 200)
    assert.match(stream.type, /^text\/event-stream/)
    const other = await streamOf(payment)
    const first = await stream.next()
    assert.equal(await other.next(), first)
    assert.ok((await newPayer(payment).open()).html.includes(`data-version="${first}"`))
    await merchant.simulate(payment, 'completed')
    const { version } = (await (await fetch(`${payment.checkout_url}/status`)).json()) as {
      version: string
    }
    assert.notEqual(version, first)
    // Where the machine is slow, what it was on the way there is seen as well.
    for (const one of [stream, other])
      for (let seen = first; seen !== version; ) {
        seen = await one.next()
        assert.notEqual(seen, null)
      }
    await other.leave()
    await stream.leave()
    // Who comes after everyone has left is told as well.
    const last = await streamOf(payment)
    assert.equal(await last.next(), version)
    await last.leave()
  })

  it('refuses a body that no form of ours sends', async () => {
    const payment = await merchant.openPayment()
    const payer = newPayer(payment)
    await payer.open()
    await unchanged(server, async () => {
      for (const [type, body] of [
        ['application/json', JSON.stringify({ token: payer.token, ...goodCard })],
        ['application/json', JSON.stringify({ token: payer.token, ...goodCard })],
        ['text/plain', `token=${payer.token}`],
        ['application/x-www-form-urlencoded', `token=${payer.token}&number=${'4'.repeat(20_000)}`],
      ] as const) {
        const page = await readPage(
          await fetch(`${payment.checkout_url}/card`, {
            method: 'POST',
            redirect: 'manual',
            headers: { cookie: payer.cookie, 'content-type': type },
            body,
          }),
        )
        assert.equal(page.status, 400, type)
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      }
    })
  })

  it('of a collection has none of a payment’s forms, and the other way round', async () => {
    const { data } = await server.call('POST', '/collections', { name: 'Books', currency: 'ngn' })
    const payment = await merchant.openPayment()
    await unchanged(server, async () => {
      const shelf = newPayer(data)
      await shelf.open()
      for (const form of ['card', 'challenge', 'transfer', 'crypto', 'simulate'])
        assert.equal((await shelf.send(form, goodCard)).status, 404, form)
      assert.equal((await shelf.open('/status')).status, 404)
      assert.equal((await shelf.open('/events')).status, 404)
      assert.equal((await newPayer(payment).post('start', { amount: '5' })).status, 404)
    })
  })

  it('simulates test payments only; rejects live ones', async () => {
    const live = server.callAs(server.liveKey)
    const refused = await unchanged(server, () =>
      live('POST', '/payments', { amount: 1_000, currency: 'ngn' }),
    )
    assert.deepEqual([refused.status, refused.code], [400, 'rail_not_configured'])
    // As if a rail had been there.
    const payment = await merchant.openPayment()
    const slug = 'B'.repeat(24)
    const { db } = server.app
    await db.query(
      `insert into payments select (jsonb_populate_record(p, jsonb_build_object('livemode', true, 'slug', $2::text))).*
         from payments p where id = $1`,
      [payment.id, slug],
    )
    await db.query(
      `insert into pay_links select slug, business_id, livemode, 'payment', id from payments where livemode and id = $1`,
      [payment.id],
    )
    const payer = newPayer({ checkout_url: `${server.url}/pay/${slug}` })
    const test = await newPayer(payment).open('?method=card')
    assert.ok(test.html.includes('/simulate"') && test.text.includes('Test mode'))
    const page = await payer.open('?method=card')
    assert.equal(page.status, 200)
    assert.ok(!page.html.includes('/simulate"') && !page.text.includes('Test mode'))
    await unchanged(server, async () => {
      assert.equal(
        (await payer.send('simulate', { outcome: 'completed', method: 'card' })).status,
        404,
      )
      for (const form of ['card', 'challenge'])
        assert.equal((await payer.send(form, goodCard)).status, 404, form)
      for (const [form, fields] of [
        ['transfer', {}],
        ['crypto', { choice: 'usdc.base' }],
      ] as const)
        assert.equal((await payer.send(form, fields)).status, 400, form)
    })
    await db.query('delete from pay_links where slug = $1', [slug])
    await db.query('delete from payments where livemode and id = $1', [payment.id])
  })
})

/** An open stream of versions. */
async function streamOf(payment: { checkout_url: string }) {
  const aborted = new AbortController()
  const response = await fetch(`${payment.checkout_url}/events`, { signal: aborted.signal })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    /** The next version, or null when the stream has ended. */
    async next(): Promise<string | null> {
      for (;;) {
        const message = /^data: (.*)\n\n/m.exec(text)
        if (message) {
          text = text.slice(message.index + message[0].length)
          return message[1] ?? ''
        }
        const { done, value } = await reader.read()
        if (done) return null
        text += decoder.decode(value, { stream: true })
      }
    },
    async leave(): Promise<void> {
      aborted.abort()
      await reader.closed.catch(() => {})
    },
  }
}

describe('the hosted page behind https', () => {
  it('has cookies for https only, and links with the public address', async () => {
    server = await startServer({ BASE_URL: 'https://pay.example' })
    merchant = newMerchant(server)
    const payment = await merchant.openPayment()
    assert.match(payment.checkout_url, /^https:\/\/pay\.example\/pay\/a[0-9A-Za-z]{24}$/)
    const page = await newPayer({ checkout_url: `${server.url}${pathOf(payment)}` }).open()
    assert.match(
      page.headers.get('set-cookie') ?? '',
      /^__Host-bursar_payer=[0-9A-Za-z]{24}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    )
    assert.match(page.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/)
    const payer = newPayer({ checkout_url: `${server.url}${pathOf(payment)}` })
    await payer.open()
    // One that another host of the domain could have given is not taken.
    const planted = payer.cookie.replace('__Host-', '')
    assert.equal((await payer.send('transfer', {}, { cookie: planted })).status, 400)
    assert.equal((await payer.send('transfer')).status, 303)
    await server.stop()
  })
})

describe('a server that stops', () => {
  it('ends the streams of open pages, and does not wait for payers to leave', async () => {
    server = await startServer()
    merchant = newMerchant(server)
    const payment = await merchant.openPayment()
    const streams = await Promise.all([
      streamOf(payment),
      streamOf(payment),
      streamOf(await merchant.openPayment()),
    ])
    for (const stream of streams) assert.notEqual(await stream.next(), null)
    const start = performance.now()
    await server.stop()
    assert.ok(performance.now() - start < 5_000 * patience)
    for (const stream of streams) assert.equal(await stream.next(), null)
  })
})
