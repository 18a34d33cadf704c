import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shown, signedIn, type Visitor, visitor } from '../../../test/support/dashboard.ts'
import { shareServer, startServer, type TestServer } from '../../../test/support/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'

describe('the dashboard', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await shareServer()
    owner = await signedIn(server)
  })
  after(() => server.stop())

  it('sends who is not signed in to sign in, and back to the page', async () => {
    const stranger = visitor(server.url, owner.base, '')
    for (const path of ['', '/payments?status=pending']) {
      const { status, location } = await stranger.get(path)
      assert.equal(status, 303)
      assert.equal(location, `/dashboard/sign-in?next=${encodeURIComponent(owner.base + path)}`)
    }
    const lost = visitor(server.url, owner.base, 'bursar_session=0123456789abcdef0123')
    assert.match((await lost.get('')).location ?? '', /^\/dashboard\/sign-in\?next=/)
  })

  it('shows the business and the mode on every page', async () => {
    const test = await shown(owner.get(''))
    assert.match(test, /<title>Home · Test · Test Business<\/title>/)
    assert.match(test, /<body class="test">[\s\S]*<strong>Test<\/strong>/)
    const live = await shown(owner.get(`/dashboard/${server.businessId}/live`))
    assert.match(live, /<body class="live">[\s\S]*<strong>Live<\/strong>/)
  })

  it('has nothing of another business, of another mode, or of no page', async () => {
    const { business } = await createBusiness(server.app, 'Other')
    for (const path of [
      `/dashboard/${business.id}/test`,
      `/dashboard/${server.businessId}/other`,
      '/dashboard/nothing',
      `${owner.base}/nothing`,
    ]) {
      const { status, html } = await owner.get(path)
      assert.equal(status, 404, path)
      assert.match(html, /There is nothing here/)
      assert.doesNotMatch(html, /Other/)
    }
  })

  it('lets nothing in from elsewhere, and no page be framed or kept', async () => {
    const { headers, html } = await owner.get('')
    const policy = headers.get('content-security-policy') ?? ''
    for (const directive of policy.split('; '))
      assert.match(directive, /^[a-z-]+ '(none|self)'$/, 'nothing inline, nobody else')
    assert.match(policy, /^default-src 'none'/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.doesNotMatch(html, /<style|<script>| style=| on[a-z]+=/)
    assert.ok(html.length < 100_000)
  })

  it('has its files under names of their content, to be kept for ever', async () => {
    const html = await shown(owner.get(''))
    const files = [...html.matchAll(/(?:href|src)="(\/dashboard\/assets\/[^"]+)"/g)].map(
      ([, path]) => path as string,
    )
    assert.equal(files.length, 5)
    for (const path of files) {
      assert.match(path, /-[0-9a-f]{12}\.(css|js|svg|png|webmanifest)$/)
      const { status, headers } = await owner.get(path)
      assert.deepEqual(
        [status, headers.get('cache-control')],
        [200, 'public, max-age=31536000, immutable'],
      )
      const zipped = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip' } })
      await zipped.arrayBuffer()
      if (path.endsWith('css')) assert.equal(zipped.headers.get('content-encoding'), 'gzip')
    }
    assert.equal((await owner.get('/dashboard/assets/style-000000000000.css')).status, 404)
  })

  it('can be installed as an app of its own pages, with icons that are there', async () => {
    const html = await shown(owner.get(''))
    const [, path = ''] = /<link rel="manifest" href="([^"]+)">/.exec(html) ?? []
    const { headers, html: text } = await visitor(server.url, '', '').get(path)
    assert.match(headers.get('content-type') ?? '', /^application\/manifest\+json/)
    const { icons, ...app } = JSON.parse(text)
    assert.deepEqual(
      [app.start_url, app.scope, app.display],
      ['/dashboard', '/dashboard', 'standalone'],
    )
    for (const { src, sizes, type } of icons) {
      const response = await fetch(server.url + src)
      assert.equal(response.headers.get('content-type'), type)
      const png = Buffer.from(await response.arrayBuffer())
      assert.equal(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, sizes)
    }
    assert.match(html, /<meta name="theme-color" media="\(prefers-color-scheme: light\)"/)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    const policy = (await owner.get('')).headers.get('content-security-policy')
    assert.match(policy ?? '', /manifest-src 'self'/)
    assert.doesNotMatch(text + html, /serviceWorker/)
  })

  it('gives a session 600 pages a minute, and does not count them against the API', async () => {
    const busy = await startServer({ RATE_LIMIT_MAX: '20' })
    const person = await signedIn(busy)
    const statuses: number[] = []
    for (let i = 0; i < 30; i++)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 21 }, () => person.get('/dashboard')))).map(
          ({ status }) => status,
        ),
      )
    assert.deepEqual(
      [statuses.filter((one) => one === 303).length, statuses.filter((one) => one === 429).length],
      [600, 30],
    )
    assert.equal((await busy.call('GET', '/wallets')).status, 200)
    await busy.stop()
  })
})
