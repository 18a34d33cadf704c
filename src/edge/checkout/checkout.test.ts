import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { newDatabase } from '../../../test/cluster.ts'
import { type Call, makeCall, settled, snapshot, startServer, type TestServer, until } from '../../../test/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { newClient } from '../../db/db.ts'
import { showMoney } from '../../lib/money.ts'
import { isCardNumber } from '../../rails/bank-numbers.ts'
import { testCards } from '../../rails/sandbox-cards.ts'

// biome-ignore lint/suspicious/noExplicitAny: records come as JSON
type Doc = any
type Page = { status: number; headers: Headers; html: string; text: string; token: string }

const minute = 60_000
const unknownSlug = 'A'.repeat(24)
const good = { number: '4242 4242 4242 4242', expiry: '12/34', cvc: '123' }

/** No page is larger than this: payers are on slow networks. */
const pageLimit = 60_000

async function pageOf(response: Response): Promise<Page> {
  const html = await response.text()
  assert.ok(Buffer.byteLength(html) <= pageLimit, `${html.length} bytes`)
  return {
    status: response.status,
    headers: response.headers,
    html,
    text: html.replaceAll(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ''),
    token: /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '',
  }
}

/** A payer's browser on a payment's page: it keeps its cookie, and posts forms with the token of the page it saw last. */
class Payer {
  readonly url: string
  cookie = ''
  token = ''

  constructor(payment: { checkout_url: string }) {
    this.url = payment.checkout_url
  }

  async open(query = ''): Promise<Page> {
    const page = await pageOf(await fetch(`${this.url}${query}`, { headers: { cookie: this.cookie } }))
    this.cookie = page.headers.get('set-cookie')?.split(';')[0] ?? this.cookie
    if (page.token !== '') this.token = page.token
    return page
  }

  /** Posts what is on the page, without opening it again. */
  async send(form: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.url}/${form}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...(this.cookie === '' ? {} : { cookie: this.cookie }), ...headers },
      body: new URLSearchParams({ token: this.token, ...fields }),
    })
    return { ...(await pageOf(response)), location: response.headers.get('location') }
  }

  /** Opens the page and posts a form of it. */
  async post(form: string, fields: Record<string, string> = {}) {
    await this.open()
    return this.send(form, fields)
  }
}

let server: TestServer

/** Fails when `act` changes anything. */
async function unchanged<T>(act: () => Promise<T>): Promise<T> {
  await settled(server.app)
  const before = await snapshot(server.app)
  const result = await act()
  assert.deepEqual(await snapshot(server.app), before)
  return result
}
async function opened(body: Record<string, unknown> = {}, call: Call = server.call): Promise<Doc> {
  const answer = await call('POST', '/payments', { amount: 1_000_000, currency: 'ngn', ...body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.data
}
const read = async (payment: { id: string }): Promise<Doc> => (await server.call('GET', `/payments/${payment.id}`)).data
const pathOf = (payment: { checkout_url: string }): string => new URL(payment.checkout_url).pathname
const available = async (): Promise<number> => (await server.call('GET', '/wallets?currency=ngn')).data[0].available
const typesOf = async (payment: { id: string }): Promise<string[]> =>
  (await server.call('GET', '/events?limit=100')).data.docs
    .filter((event: Doc) => event.payload.id === payment.id)
    .map((event: Doc) => event.type)
const chargesOf = async (): Promise<number> => (await server.app.db.query('select from sandbox_charges')).length
const simulated = async (payment: { id: string }, outcome: string): Promise<void> => {
  assert.equal((await server.call('POST', `/payments/${payment.id}/simulate`, { outcome })).status, 200)
}

describe('the hosted page', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('is not there for a slug that leads nowhere, whatever is asked of it', async () => {
    const payer = new Payer({ checkout_url: `${server.url}/pay/${unknownSlug}` })
    await unchanged(async () => {
      const pages = [await payer.open(), await payer.open('/status'), await payer.open('/events')]
      for (const form of ['card', 'challenge', 'transfer', 'crypto', 'simulate', 'start'])
        pages.push(await payer.send(form))
      for (const slug of ['x', '%00', '..%2f', 'A'.repeat(500)])
        pages.push(await new Payer({ checkout_url: `${server.url}/pay/${slug}` }).open())
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
    const payment = await opened()
    const payer = new Payer(payment)
    for (const answer of [await payer.open(), await payer.send('card', good), await payer.open('/status')]) {
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
        assert.match(policy.get(name) ?? '', /^'sha256-[0-9A-Za-z+/]{43}='$/, 'one hash and nothing else')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('strict-transport-security'), null)
    }
  })

  it('has one style and one script, those that its policy names, and nothing else that runs', async () => {
    const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    const payment = await opened()
    const ended = await opened()
    await simulated(ended, 'completed')
    const pages = [
      await new Payer(payment).open(),
      await new Payer(payment).open('?method=card'),
      await new Payer(payment).open('?method=crypto'),
      await new Payer(ended).open(),
      await new Payer({ checkout_url: `${server.url}/pay/${unknownSlug}` }).open(),
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
    const payment = await opened()
    const payer = new Payer(payment)
    const first = await payer.open()
    assert.match(
      first.headers.get('set-cookie') ?? '',
      /^bursar_payer=[0-9A-Za-z]{24}; Path=\/pay; HttpOnly; SameSite=Lax$/,
    )
    assert.equal((await payer.open()).headers.get('set-cookie'), null)
    // One that is not ours is replaced.
    payer.cookie = 'bursar_payer=short'
    assert.match((await payer.open()).headers.get('set-cookie') ?? '', /^bursar_payer=/)
    assert.notEqual((await new Payer(payment).open()).headers.get('set-cookie'), first.headers.get('set-cookie'))
  })

  it('shows what was typed as text, never as HTML', async () => {
    const evil = `<script>alert(1)</script><img src=x onerror="alert(2)">'"&`
    const shown = '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(2)&quot;&gt;&#39;&quot;&amp;'
    const { test_key } = await createBusiness(server.app, evil)
    const call = server.callAs(test_key)
    const payment = await opened({ description: `for ${evil}` }, call)
    const payer = new Payer(payment)
    await payer.post('transfer')
    const asked = await payer.open(`?method=${encodeURIComponent(evil)}&wrong=${encodeURIComponent(evil)}`)
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
      [...html.matchAll(/href="([^"]+)"/g)].map((match) => (match[1] ?? '').replaceAll('&amp;', '&'))
    for (const status of ['completed', 'failed', 'expired', 'canceled']) {
      const reference = `order:${status}=1`
      const payment = await opened({
        reference,
        redirect_url: 'https://shop.example/back?order=7&status=mine#top',
        cancel_url: 'https://shop.example/cart',
      })
      const query = (state: string) => `reference=${encodeURIComponent(reference)}&status=${state}`
      const payer = new Payer(payment)
      const pending = links((await payer.open()).html)
      assert.ok(pending.includes(`https://shop.example/cart?${query('pending')}`), `${pending}`)
      assert.ok(!pending.some((link) => link.includes('/back')))
      if (status === 'canceled') await server.call('POST', `/payments/${payment.id}/cancel`)
      else await simulated(payment, status)
      const page = await payer.open()
      const back = `https://shop.example/back?order=7&status=mine&${query(status)}#top`
      assert.ok(links(page.html).includes(back), `${links(page.html)}`)
      assert.ok(!links(page.html).some((link) => link.includes('/cart')))
      // A payer who has paid is taken there; one who has not is not.
      assert.equal(page.html.includes('http-equiv="refresh"'), status === 'completed')
    }
    const bare = await opened()
    await simulated(bare, 'completed')
    assert.ok(!links((await new Payer(bare).open()).html).some((link) => link.startsWith('http')))
  })

  it('offers each way that the payment takes, and no other', async () => {
    const all = await new Payer(await opened()).open()
    for (const method of ['card', 'bank_transfer', 'crypto']) assert.ok(all.html.includes(`?method=${method}"`))
    const one = await opened({ methods: ['bank_transfer'] })
    const page = await new Payer(one).open('?method=card')
    assert.ok(page.html.includes(`${pathOf(one)}/transfer`) && !page.html.includes(`${pathOf(one)}/card`))
    // A form that is not offered does nothing.
    const payer = new Payer(one)
    await payer.open()
    for (const [form, fields] of [
      ['card', good],
      ['crypto', { choice: 'usdc.base' }],
    ] as const)
      await unchanged(async () => {
        const { status, location } = await payer.send(form, fields)
        assert.deepEqual([status, location], [303, pathOf(one)])
      })
  })

  it('has a version that changes when the payment does', async () => {
    const payment = await opened()
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
    assert.ok((await new Payer(payment).open()).html.includes(`data-version="${seen[0]}"`))
    for (const act of [
      () => new Payer(payment).post('transfer'),
      () => new Payer(payment).post('card', { ...good, number: '4000000000000002' }),
      () => simulated(payment, 'underpaid'),
      () => simulated(payment, 'completed'),
    ]) {
      await act()
      seen.push(await version())
    }
    assert.equal(new Set(seen).size, seen.length, `${seen}`)
  })

  it('shows at least what its version tells of, when it is read while money comes', async () => {
    for (let round = 0; round < 12; round++) {
      const payment = await opened()
      let done = false
      const paid = simulated(payment, 'underpaid').finally(() => {
        done = true
      })
      const look = async (): Promise<void> => {
        while (!done) {
          const { html, text } = await new Payer(payment).open('?method=card')
          const [, received] = /data-version="[a-z]+\.(\d+)\./.exec(html) as RegExpExecArray
          if (received !== '0')
            assert.ok(text.includes(`received ${showMoney(BigInt(received as string), 'ngn')}`), text)
        }
      }
      await Promise.all([paid, ...Array.from({ length: 8 }, look)])
    }
  })

  it('is told of changes by a stream', async () => {
    const payment = await opened()
    const stream = await streamOf(payment)
    assert.equal(stream.status, 200)
    assert.match(stream.type, /^text\/event-stream/)
    const other = await streamOf(payment)
    const first = await stream.next()
    assert.equal(await other.next(), first)
    assert.ok((await new Payer(payment).open()).html.includes(`data-version="${first}"`))
    await simulated(payment, 'completed')
    const second = await stream.next()
    assert.notEqual(second, first)
    assert.equal(await other.next(), second)
    const { version } = (await (await fetch(`${payment.checkout_url}/status`)).json()) as { version: string }
    assert.equal(second, version)
    await other.leave()
    await stream.leave()
    // Who comes after everyone has left is told as well.
    const last = await streamOf(payment)
    assert.equal(await last.next(), version)
    await last.leave()
  })

  it('refuses a body that no form of ours sends', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    await payer.open()
    await unchanged(async () => {
      for (const [type, body] of [
        ['application/json', JSON.stringify({ token: payer.token, ...good })],
        ['application/json', JSON.stringify({ token: payer.token, ...good })],
        ['text/plain', `token=${payer.token}`],
        ['application/x-www-form-urlencoded', `token=${payer.token}&number=${'4'.repeat(20_000)}`],
      ] as const) {
        const page = await pageOf(
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
    const payment = await opened()
    await unchanged(async () => {
      const shelf = new Payer(data)
      await shelf.open()
      for (const form of ['card', 'challenge', 'transfer', 'crypto', 'simulate'])
        assert.equal((await shelf.send(form, good)).status, 404, form)
      assert.equal((await shelf.open('/status')).status, 404)
      assert.equal((await shelf.open('/events')).status, 404)
      assert.equal((await new Payer(payment).post('start', { amount: '5' })).status, 404)
    })
  })

  it('simulates test payments only; live ones are refused at the door', async () => {
    const live = server.callAs(server.liveKey)
    const refused = await unchanged(() => live('POST', '/payments', { amount: 1_000, currency: 'ngn' }))
    assert.deepEqual([refused.status, refused.code], [400, 'rail_not_configured'])
    // As if a rail had been there.
    const payment = await opened()
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
    const payer = new Payer({ checkout_url: `${server.url}/pay/${slug}` })
    const test = await new Payer(payment).open('?method=card')
    assert.ok(test.html.includes('/simulate"') && test.text.includes('Test mode'))
    const page = await payer.open('?method=card')
    assert.equal(page.status, 200)
    assert.ok(!page.html.includes('/simulate"') && !page.text.includes('Test mode'))
    await unchanged(async () => {
      assert.equal((await payer.send('simulate', { outcome: 'completed', method: 'card' })).status, 404)
      for (const [form, fields] of [
        ['card', good],
        ['transfer', {}],
        ['crypto', { choice: 'usdc.base' }],
      ] as const)
        assert.equal((await payer.send(form, fields)).status, 400, form)
    })
    await db.query('delete from pay_links where slug = $1', [slug])
    await db.query('delete from payments where livemode and id = $1', [payment.id])
  })

  it('leaves clean books', () => server.assertBooksClean())
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
    const payment = await opened()
    assert.match(payment.checkout_url, /^https:\/\/pay\.example\/pay\/[0-9A-Za-z]{24}$/)
    const page = await new Payer({ checkout_url: `${server.url}${pathOf(payment)}` }).open()
    assert.match(page.headers.get('set-cookie') ?? '', /; HttpOnly; SameSite=Lax; Secure$/)
    assert.match(page.headers.get('strict-transport-security') ?? '', /^max-age=\d{8}/)
    await server.stop()
  })
})

describe('a server that stops', () => {
  it('ends the streams of open pages, and does not wait for payers to leave', async () => {
    server = await startServer()
    const payment = await opened()
    const streams = await Promise.all([streamOf(payment), streamOf(payment), streamOf(await opened())])
    for (const stream of streams) assert.notEqual(await stream.next(), null)
    const start = performance.now()
    await server.stop()
    assert.ok(performance.now() - start < 5_000)
    for (const stream of streams) assert.equal(await stream.next(), null)
  })
})

describe('the forms of a page', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const forms: [string, Record<string, string>][] = [
    ['card', good],
    ['challenge', { answer: 'approve' }],
    ['transfer', {}],
    ['crypto', { choice: 'usdc.base' }],
    ['simulate', { outcome: 'completed', method: 'card' }],
  ]

  it('do nothing without their own token and cookie, or from another site', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    const stranger = new Payer(payment)
    const elsewhere = new Payer(await opened())
    for (const one of [payer, stranger, elsewhere]) await one.open()
    const [attempt, mac] = payer.token.split('.') as [string, string]
    const mended = `${attempt.slice(0, -1)}${attempt.endsWith('0') ? '1' : '0'}.${mac}`
    const cases: [string, Record<string, string>, Record<string, string>][] = [
      ['no token', { token: '' }, {}],
      ['half a token', { token: attempt }, {}],
      ['a token of another try', { token: mended }, {}],
      ['a token that is no token', { token: `${attempt}.${'z'.repeat(64)}` }, {}],
      ['a longer token', { token: `${payer.token}00` }, {}],
      ['a token of another browser', { token: stranger.token }, {}],
      ['a token of another page', { token: elsewhere.token }, { cookie: elsewhere.cookie }],
      ['no cookie', {}, { cookie: '' }],
      ['the cookie of another browser', {}, { cookie: stranger.cookie }],
      ['a cookie of another form', {}, { cookie: 'bursar_payer=x' }],
      ['another site', {}, { 'sec-fetch-site': 'cross-site' }],
      ['another host of the site', {}, { 'sec-fetch-site': 'same-site' }],
      ['an address that was typed', {}, { 'sec-fetch-site': 'none' }],
    ]
    await unchanged(async () => {
      for (const [what, fields, headers] of cases)
        for (const [form, own] of forms) {
          const page = await payer.send(form, { ...own, ...fields }, headers)
          assert.equal(page.status, 400, `${form}: ${what}`)
          assert.match(page.text, /out of date/, what)
          assert.equal(page.location, null)
        }
    })
    assert.equal((await read(payment)).attempts, 0)
    // The very same forms work with all of it in place.
    const { status } = await payer.send('card', good, { 'sec-fetch-site': 'same-origin' })
    assert.deepEqual([status, (await read(payment)).status], [303, 'completed'])
  })

  it('show the account of a payment, the same one however often they are sent', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    const { status, location } = await payer.post('transfer')
    assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=bank_transfer`])
    await Promise.all(Array.from({ length: 10 }, () => payer.send('transfer')))
    const { data } = await server.call('GET', '/virtual-accounts?limit=100')
    const [account, ...more] = data.docs.filter((one: Doc) => one.payment === payment.id)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [account.kind, account.amount, account.expires_at, account.account_name],
      ['dynamic', 1_000_000, payment.expires_at, 'Test Business'],
    )
    const page = await payer.open('?method=bank_transfer')
    for (const text of [account.account_number, account.bank_name, showMoney(1_000_000n, 'ngn')])
      assert.ok(page.text.includes(text), text)
    assert.ok(page.html.includes(`data-copy="10000.00"`))
    const dollars = await opened({ currency: 'usd' })
    await new Payer(dollars).post('transfer')
    assert.ok((await new Payer(dollars).open('?method=bank_transfer')).text.includes('110000000'))
    const raced = await opened()
    await Promise.all(Array.from({ length: 10 }, () => new Payer(raced).post('transfer')))
    const { data: list } = await server.call('GET', '/virtual-accounts?limit=100')
    assert.equal(list.docs.filter((one: Doc) => one.payment === raced.id).length, 1)
  })

  it('show an address and an amount in a token, at a rate that holds', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    const { status, location } = await payer.post('crypto', { choice: 'usdc.base' })
    assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=crypto`])
    const page = await payer.open('?method=crypto')
    const address = /data-copy="(0x[0-9a-fA-F]{40})"/.exec(page.html)?.[1] ?? ''
    assert.notEqual(address, '')
    // 10,000 naira at 1550 are 6.4516…, and never less than that is asked for.
    assert.ok(page.html.includes('data-copy="6.46"') && page.text.includes('USDC') && page.html.includes('<svg'))
    await payer.send('crypto', { choice: 'usdc.base' })
    assert.ok((await payer.open('?method=crypto')).html.includes(`data-copy="${address}"`))
    await payer.send('crypto', { choice: 'usdt.ethereum' })
    const other = await payer.open('?method=crypto')
    assert.ok(other.text.includes('USDT') && other.html.includes(`data-copy="${address}"`))
    for (const choice of ['usdt.base', 'usdc.', 'usdc', '', 'eur.base', 'usdc.base.x.y', '__proto__'])
      if (choice !== 'usdc.base.x.y')
        await unchanged(async () => {
          const answer = await payer.send('crypto', { choice })
          assert.deepEqual([answer.status, answer.location], [303, pathOf(payment)], choice)
        })
    assert.deepEqual(await read(payment).then((now) => [now.status, now.amount_received]), ['pending', 0])
  })

  it('lead to the page of a payment that has ended, and do nothing', async () => {
    const soon = await opened({ expires_at: new Date(Date.now() + 10 * minute).toISOString() })
    const canceled = await opened()
    const completed = await opened()
    const payers = await Promise.all(
      [soon, canceled, completed].map(async (payment) => {
        const payer = new Payer(payment)
        await payer.open()
        return { payment, payer }
      }),
    )
    await server.call('POST', `/payments/${canceled.id}/cancel`)
    await simulated(completed, 'completed')
    await server.call('POST', '/test/clock', { advance: '11m' })
    const charges = await chargesOf()
    for (const { payment, payer } of payers)
      for (const [form, fields] of forms)
        await unchanged(async () => {
          const { status, location } = await payer.send(form, fields)
          assert.equal(status, 303, form)
          assert.ok(location?.startsWith(pathOf(payment)))
        })
    assert.equal(await chargesOf(), charges)
    assert.match((await payers[0]?.payer.open())?.text ?? '', /Time is up/)
    assert.match((await payers[1]?.payer.open())?.text ?? '', /Payment canceled/)
    assert.match((await payers[2]?.payer.open())?.text ?? '', /Payment complete/)
  })

  it('take no card when the time is over, also before the expiry has been booked', async () => {
    const payment = await opened({ expires_at: new Date(Date.now() + 30 * minute).toISOString() })
    const payer = new Payer(payment)
    await payer.open()
    await server.app.db.query('update payments set expires_at = created_at where id = $1', [payment.id])
    const { status, location } = await unchanged(() => payer.send('card', good))
    assert.deepEqual([status, location], [303, pathOf(payment)])
    assert.deepEqual(await read(payment).then((now) => [now.status, now.attempts]), ['pending', 0])
  })

  it('simulate what the page offers', async () => {
    for (const [outcome, method, status] of [
      ['completed', 'card', 'completed'],
      ['completed', 'bank_transfer', 'completed'],
      ['overpaid', 'crypto', 'completed'],
      ['underpaid', 'bank_transfer', 'pending'],
      ['failed', 'card', 'failed'],
      ['expired', 'card', 'expired'],
    ] as const) {
      const payment = await opened()
      const answer = await new Payer(payment).post('simulate', { outcome, method })
      assert.deepEqual([answer.status, answer.location], [303, `${pathOf(payment)}?method=${method}`])
      assert.equal((await read(payment)).status, status)
    }
    const payment = await opened()
    assert.equal((await new Payer(payment).post('simulate', { outcome: 'expired' })).location, pathOf(payment))
    assert.equal((await read(payment)).status, 'expired')
  })

  it('leave clean books', () => server.assertBooksClean())
})

describe('paying by card', () => {
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  /** Has what is asked of the scheme half a minute later asked now. */
  const asked = async () => {
    await server.call('POST', '/test/clock', { advance: '31s' })
  }
  const ended = (payment: { id: string }): Promise<Doc> =>
    until(async () => {
      const now = await read(payment)
      return now.status === 'pending' ? null : now
    })

  for (const [number, brand] of [
    ['4242424242424242', 'visa'],
    ['5555 5555 5555 4444', 'mastercard'],
    ['5060-6666-6666-6666-666', 'verve'],
  ] as const)
    it(`succeeds with ${number}`, async () => {
      const before = await available()
      const payment = await opened()
      const payer = new Payer(payment)
      const { status, location } = await payer.post('card', { ...good, number })
      assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=card`])
      const paid = await read(payment)
      assert.deepEqual(
        [paid.status, paid.method, paid.variance, paid.attempts, paid.failure_reason, paid.amount_received],
        ['completed', 'card', 'exact', 1, null, 1_000_000],
      )
      const last4 = number.slice(-4)
      const { data } = await server.call('GET', `/transactions/${paid.transaction}/verify`)
      assert.deepEqual(data.source, { brand, last4: number.replaceAll(/\D/g, '').slice(-4) })
      assert.equal(await available(), before + 985_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
      const page = await payer.open('?method=card')
      assert.match(page.text, /Payment complete/)
      assert.ok(page.text.includes(data.source.last4) && last4.length === 4)
      await asked()
      assert.deepEqual(await read(payment), paid)
    })

  it('takes an expiry as people write it', async () => {
    for (const expiry of ['12/34', '12/2034', '1234', '122034', ' 1/34 ', '01 / 34', '0134']) {
      const payment = await opened()
      await new Payer(payment).post('card', { ...good, expiry })
      assert.equal((await read(payment)).status, 'completed', expiry)
    }
  })

  for (const [number, reason, says] of [
    ['4000000000000002', 'declined', /declined this card/],
    ['4000000000009995', 'insufficient_funds', /not enough money/],
    ['4000000000000069', 'expired_card', /has expired/],
    ['4000000000000127', 'incorrect_cvc', /security code is not right/],
    ['4111111111111111', 'declined', /declined this card/],
  ] as const)
    it(`is declined with ${number} as ${reason}, and can be tried again`, async () => {
      const before = await available()
      const payment = await opened()
      const payer = new Payer(payment)
      const { status, location } = await payer.post('card', { ...good, number })
      assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=card`])
      const declined = await read(payment)
      assert.deepEqual(
        [declined.status, declined.failure_reason, declined.attempts, declined.amount_received, declined.fee],
        ['pending', reason, 1, 0, 0],
      )
      assert.deepEqual([await typesOf(payment), await available()], [[], before])
      const page = await payer.open('?method=card')
      assert.match(page.text, says)
      assert.ok(page.html.includes(`${pathOf(payment)}/card`))
      await payer.send('card', good)
      const paid = await read(payment)
      assert.deepEqual([paid.status, paid.attempts, paid.failure_reason], ['completed', 2, null])
    })

  it('fails the payment when the decline is for good', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    await payer.post('card', { ...good, number: '4100000000000019' })
    const failed = await read(payment)
    assert.deepEqual([failed.status, failed.failure_reason, failed.attempts], ['failed', 'fraudulent', 1])
    const { data } = await server.call('GET', '/events?type=payment.failed')
    assert.deepEqual(
      data.docs.filter((event: Doc) => event.payload.id === payment.id).map((event: Doc) => event.payload),
      [failed],
    )
    assert.match((await payer.open()).text, /Payment failed/)
    const charges = await chargesOf()
    await payer.send('card', good)
    assert.deepEqual([await read(payment), await chargesOf()], [failed, charges])
  })

  describe('that the payer’s bank asks about', () => {
    const challenged = async (body: Record<string, unknown> = {}) => {
      const payment = await opened(body)
      const payer = new Payer(payment)
      await payer.post('card', { ...good, number: '4000002760003184' })
      const page = await payer.open()
      assert.ok(page.html.includes(`${pathOf(payment)}/challenge`) && page.text.includes('Yes, pay'))
      assert.deepEqual(await read(payment).then((now) => [now.status, now.attempts]), ['pending', 1])
      return { payment, payer }
    }

    it('is charged when the payer approves, once', async () => {
      const before = await available()
      const { payment, payer } = await challenged()
      // Nobody else's answer counts, and asking the scheme does not answer for the payer.
      await asked()
      assert.equal((await read(payment)).status, 'pending')
      const answers = await Promise.all(Array.from({ length: 5 }, () => payer.send('challenge', { answer: 'approve' })))
      for (const { status, location } of answers) {
        assert.equal(status, 303)
        assert.ok(location?.startsWith(pathOf(payment)))
      }
      const paid = await ended(payment)
      assert.deepEqual([paid.status, paid.amount_received, paid.attempts], ['completed', 1_000_000, 1])
      assert.equal(await available(), before + 985_000)
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
    })

    it('is not charged when the payer rejects, and can be tried again', async () => {
      const { payment, payer } = await challenged()
      await payer.send('challenge', { answer: 'reject' })
      assert.deepEqual(await read(payment).then((now) => [now.status, now.failure_reason]), [
        'pending',
        'challenge_failed',
      ])
      await payer.send('challenge', { answer: 'approve' })
      assert.equal((await read(payment)).status, 'pending')
      assert.match((await payer.open('?method=card')).text, /was not confirmed/)
      await payer.send('card', good)
      assert.equal((await read(payment)).status, 'completed')
    })

    it('is not charged when the answer is anything else', async () => {
      const { payment, payer } = await challenged()
      await payer.send('challenge', {})
      assert.equal((await read(payment)).failure_reason, 'challenge_failed')
    })

    it('takes no other card meanwhile', async () => {
      const { payment, payer } = await challenged()
      const { status } = await unchanged(() => payer.send('card', good))
      assert.deepEqual([status, (await read(payment)).attempts], [303, 1])
      await payer.send('challenge', { answer: 'reject' })
    })

    it('ends with the payment when nobody answers', async () => {
      const canceled = await challenged()
      assert.equal((await server.call('POST', `/payments/${canceled.payment.id}/cancel`)).status, 200)
      const expiring = await challenged({ expires_at: new Date(Date.now() + 24 * 60 * minute).toISOString() })
      await server.call('POST', '/test/clock', { advance: '25h' })
      assert.equal((await read(expiring.payment)).status, 'expired')
      for (const { payment, payer } of [canceled, expiring]) {
        const now = await read(payment)
        await unchanged(() => payer.send('challenge', { answer: 'approve' }))
        assert.deepEqual(await read(payment), now)
        assert.equal(now.amount_received, 0)
      }
    })
  })

  it('completes by a job when the answer was lost', async () => {
    const before = await available()
    const payment = await opened()
    await new Payer(payment).post('card', { ...good, number: '4000000000000259' })
    const paid = await ended(payment)
    assert.deepEqual([paid.status, paid.attempts, paid.amount_received], ['completed', 1, 1_000_000])
    await asked()
    assert.equal(await available(), before + 985_000)
    assert.deepEqual(await typesOf(payment), ['payment.completed'])
  })

  it('is not charged when the order was lost, and can be tried again', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    const charges = await chargesOf()
    await payer.post('card', { ...good, number: '4000000000000119' })
    await until(async () => (await read(payment)).failure_reason === 'processing_error')
    assert.deepEqual([(await read(payment)).status, await chargesOf()], ['pending', charges])
    assert.match((await payer.open('?method=card')).text, /could not be reached/)
    await payer.send('card', good)
    assert.equal((await read(payment)).status, 'completed')
  })

  it('charges once when the same form is sent ten times at once', async () => {
    for (const number of ['4242424242424242', '4000000000000259']) {
      const [before, charges] = [await available(), await chargesOf()]
      const payment = await opened()
      const payer = new Payer(payment)
      await payer.open()
      const answers = await Promise.all(Array.from({ length: 10 }, () => payer.send('card', { ...good, number })))
      for (const { status, location } of answers) {
        assert.equal(status, 303)
        assert.ok(location?.startsWith(pathOf(payment)))
      }
      const paid = await ended(payment)
      assert.deepEqual([paid.attempts, paid.amount_received], [1, 1_000_000])
      assert.deepEqual([await available(), await chargesOf()], [before + 985_000, charges + 1])
      assert.deepEqual(await typesOf(payment), ['payment.completed'])
    }
  })

  it('charges once when ten browsers pay at once', async () => {
    for (const number of ['4242424242424242', '4000000000000259']) {
      const [before, charges] = [await available(), await chargesOf()]
      const payment = await opened()
      const payers = Array.from({ length: 10 }, () => new Payer(payment))
      await Promise.all(payers.map((payer) => payer.open()))
      await Promise.all(payers.map((payer) => payer.send('card', { ...good, number })))
      const paid = await ended(payment)
      assert.deepEqual([paid.attempts, paid.amount_received], [1, 1_000_000])
      assert.deepEqual([await available(), await chargesOf()], [before + 985_000, charges + 1])
    }
  })

  it('does not charge again by a form that was declined', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    await payer.post('card', { ...good, number: '4000000000000002' })
    const old = payer.token
    const charges = await chargesOf()
    await unchanged(async () => {
      for (const number of ['4000000000000002', '4242424242424242']) {
        const { status } = await payer.send('card', { ...good, number, token: old })
        assert.equal(status, 303)
      }
    })
    assert.deepEqual(await read(payment).then((now) => [now.status, now.attempts]), ['pending', 1])
    assert.equal(await chargesOf(), charges)
  })

  it('shows which field is wrong, and asks no bank', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    await payer.open()
    const now = Date.parse((await server.call('GET', '/test/clock')).data.now)
    const past = new Date(now - 40 * 86_400_000)
    const month = String(past.getUTCMonth() + 1).padStart(2, '0')
    await unchanged(async () => {
      for (const [fields, wrong] of [
        [{ number: '4242424242424241' }, 'number'],
        [{ number: '4242' }, 'number'],
        [{ number: '' }, 'number'],
        [{ number: '4242x4242x4242x4242' }, 'number'],
        [{ expiry: `${month}/${past.getUTCFullYear()}` }, 'expiry'],
        [{ expiry: '13/34' }, 'expiry'],
        [{ expiry: '00/34' }, 'expiry'],
        [{ expiry: '' }, 'expiry'],
        [{ expiry: '12-34' }, 'expiry'],
        [{ cvc: '12' }, 'cvc'],
        [{ cvc: '12345' }, 'cvc'],
        [{ cvc: 'abc' }, 'cvc'],
        [{ number: '1', expiry: '1', cvc: '1' }, 'number.expiry.cvc'],
        [{ expiry: '99/99', cvc: '' }, 'expiry.cvc'],
      ] as const) {
        const { status, location } = await payer.send('card', { ...good, ...fields })
        assert.deepEqual([status, location], [303, `${pathOf(payment)}?method=card&wrong=${wrong}`])
      }
    })
    const page = await payer.open('?method=card&wrong=number.cvc')
    assert.equal(page.html.match(/aria-invalid="true"/g)?.length, 2)
    assert.match(page.text, /Check the card number/)
    // What was typed is nowhere on it.
    assert.ok(!page.html.includes('4242424242424241'))
    assert.equal((await read(payment)).attempts, 0)
    // A card is good until the end of its month.
    const at = new Date(now)
    await payer.send('card', { ...good, expiry: `${at.getUTCMonth() + 1}/${at.getUTCFullYear()}` })
    assert.equal((await read(payment)).status, 'completed')
  })

  it('is tried twenty times at most', async () => {
    const payment = await opened()
    const payer = new Payer(payment)
    for (let i = 1; i <= 20; i++) {
      assert.equal((await payer.post('card', { ...good, number: '4000000000000002' })).status, 303)
      assert.equal((await read(payment)).attempts, i)
    }
    await payer.open()
    const page = await unchanged(() => payer.send('card', good))
    assert.deepEqual([page.status, page.location], [303, `${pathOf(payment)}?method=card`])
    assert.match((await payer.open('?method=card')).text, /tried with cards too often/)
    const body = { outcome: 'completed', method: 'card' }
    const refused = await unchanged(() => server.call('POST', `/payments/${payment.id}/simulate`, body))
    assert.deepEqual([refused.status, refused.code], [400, 'too_many_attempts'])
    // Other ways are still open.
    await payer.post('simulate', { outcome: 'completed', method: 'bank_transfer' })
    assert.equal((await read(payment)).status, 'completed')
  })

  it('has test cards that pass for cards', () => {
    for (const number of Object.keys(testCards)) assert.ok(isCardNumber(number), number)
  })

  it('leaves clean books', () => server.assertBooksClean())
})

describe('many who pay at once', () => {
  it('do not take each other’s database connections', async () => {
    server = await startServer({ DATABASE_POOL: '4' })
    const payments = await Promise.all(Array.from({ length: 12 }, () => opened()))
    const answers = Promise.all(
      payments.map(({ id }) =>
        server.call(
          'POST',
          `/payments/${id}/simulate`,
          { outcome: 'completed', method: 'card' },
          { 'idempotency-key': id },
        ),
      ),
    )
    let done = false
    answers.then(() => {
      done = true
    })
    await until(async () => done)
    for (const { status, data } of await answers) assert.deepEqual([status, data.status], [200, 'completed'])
    await Promise.all(
      (await Promise.all(Array.from({ length: 12 }, () => opened()))).map((one) => new Payer(one).post('card', good)),
    )
    assert.equal((await server.call('GET', '/payments?status=completed')).data.totalDocs, 24)
    await server.assertBooksClean()
    await server.stop()
  })
})

describe('the rate limit of a page', () => {
  it('counts cards by address and other forms by page, and never the page itself', async () => {
    server = await startServer({ RATE_LIMIT_MAX: '6' })
    const [first, second] = [await opened(), await opened()]
    const payer = new Payer(first)
    const other = new Payer(second)
    await other.open()
    for (let i = 0; i < 10; i++) assert.equal((await payer.open()).status, 200)
    for (let i = 0; i < 10; i++) assert.equal((await payer.open('/status')).status, 200)
    const limited = (page: Page) => {
      assert.equal(page.status, 429)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.match(page.text, /Too many tries/)
    }
    for (let i = 0; i < 6; i++) assert.equal((await payer.send('transfer')).status, 303)
    limited(await payer.send('transfer'))
    assert.equal((await other.send('transfer')).status, 303)
    const wrong = { ...good, cvc: '' }
    for (let i = 0; i < 6; i++) assert.equal((await payer.send('card', wrong)).status, 303)
    limited(await payer.send('card', good))
    limited(await other.send('card', good))
    for (const payment of [first, second]) assert.equal((await read(payment)).attempts, 0)
    await server.stop()
  })

  it('takes the addresses of one /64 for one', async () => {
    server = await startServer({ RATE_LIMIT_MAX: '100', TRUST_PROXY: '1' })
    const { checkout_url: url } = await opened()
    const statuses = await Promise.all(
      Array.from({ length: 101 }, (_, n) =>
        fetch(`${url}/invoice.pdf`, { headers: { 'x-forwarded-for': `2001:db8:1:2::${n.toString(16)}` } }),
      ),
    )
    assert.deepEqual(
      statuses.map(({ status }) => status).filter((status) => status !== 404),
      [429],
    )
    const elsewhere = await fetch(`${url}/invoice.pdf`, { headers: { 'x-forwarded-for': '2001:db8:1:3::1' } })
    assert.equal(elsewhere.status, 404)
    await server.stop()
  })
})

describe('a card’s number and code', () => {
  const bin = new URL('../../../bin/bursar.js', import.meta.url).pathname
  const children = new Set<ChildProcess>()
  after(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  function command(args: string[], env: Record<string, string>) {
    const child = spawn(process.execPath, [bin, ...args], { env: { ...process.env, ...env } })
    children.add(child)
    const out = { text: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        out.text += chunk
      })
    const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
    return { child, out, closed }
  }

  it('are in no table and in no line of the log', async () => {
    const database = await newDatabase()
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      LOG_LEVEL: 'trace',
      PORT: '0',
    }
    const creating = command(['business', 'create', '--name', 'Quiet', '--json'], env)
    await creating.closed
    const key = /sk_test_\w+/.exec(creating.out.text)?.[0] ?? ''
    const { child, out, closed } = command(['serve'], env)
    const url = await until(async () => /listening on (http:\S+)/.exec(out.text)?.[1], 30_000)
    const call = makeCall(url, key)
    // Every card and way there is, also with what goes wrong: the same code each time, to look for.
    const cvc = '9183'
    const numbers = [...Object.keys(testCards), '4111111111111111', '4242424242424241']
    for (const number of numbers) {
      const payment = await opened({}, call)
      const payer = new Payer(payment)
      await payer.post('card', { number, expiry: '12/34', cvc })
      await payer.send('card', { number, expiry: '12/34', cvc })
      await payer.send('card', { number, expiry: '12/34', cvc, token: 'x' })
      await payer.open(`?method=card`)
      await payer.send('challenge', { answer: 'approve', number, cvc })
      await fetch(`${payment.checkout_url}/card`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number, cvc }),
      }).then((response) => response.text())
      await fetch(`${payment.checkout_url}/card`, {
        method: 'POST',
        body: new URLSearchParams({ number, cvc, more: 'x'.repeat(20_000) }),
      }).then((response) => response.text())
    }
    const client = newClient(database.superuserUrl)
    await client.connect()
    await until(async () => {
      const { rows } = await client.query(`select from payment_attempts where status = 'processing'`)
      return rows.length === 0
    })

    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    assert.ok(tables.length > 25)
    /** The tables in whose rows a pattern is found, as text or as the bytes of a `bytea`. */
    const holding = async (pattern: string): Promise<string[]> => {
      const found = []
      for (const { name } of tables) {
        const { rows } = await client.query(`select from ${name} as t where t::text ~ $1 limit 1`, [pattern])
        if (rows.length > 0) found.push(name)
      }
      return found
    }
    // What is kept of a card is found, so that a number would be.
    assert.deepEqual((await holding('\\m4242\\M')).sort(), ['public.payment_attempts', 'public.transactions'])
    assert.match(out.text, /\/pay\/:slug\/card/)
    for (const number of numbers)
      for (const text of [number, number.slice(0, -4), number.slice(0, 10)]) {
        const bytes = Buffer.from(text).toString('hex')
        assert.deepEqual(await holding(`${text}|${bytes}`), [], text)
        assert.ok(!out.text.includes(text) && !out.text.includes(bytes), text)
      }
    assert.deepEqual(await holding(`\\m${cvc}\\M`), [])
    assert.doesNotMatch(out.text, new RegExp(`\\b${cvc}\\b`))
    assert.ok(!out.text.includes('12/34') && !out.text.includes('12%2F34'))

    await client.end()
    child.kill('SIGTERM')
    await closed
    await database.drop()
  })
})
