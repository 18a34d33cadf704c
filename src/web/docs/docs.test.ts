/**
 * Goal: the documents say what the server does, lead nowhere that is not there, and load nothing
 * from anybody. Method: every page is read as a browser without a script would, and every link of
 * it is followed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { readReference } from './document.ts'
import { pageOf, readLibrary } from './library.ts'
import { blocks, tokensOf } from './markdown.ts'
import { sdkNames } from './sdk-names.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const read = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(server.url + path, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const unescaped = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
const linksOf = (text: string): string[] =>
  [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href]) => unescaped(href as string))

describe('the documents', () => {
  it('lead to pages and places that there are, and load nothing from anywhere else', async () => {
    const pages = new Map<string, string>()
    const wanted: { from: string; href: string }[] = [{ from: '', href: '/docs' }]
    for (const { from, href } of wanted) {
      if (/^(?:https?|mailto):/.test(href)) continue
      const [path = '', anchor] = href.split('#')
      const place = path || from
      if (!pages.has(place)) {
        const { status, headers, text } = await read(place)
        assert.equal(status, 200, `${from} leads to ${href}`)
        const isPage = headers.get('content-type')?.startsWith('text/html') === true
        pages.set(place, isPage ? text : '')
        if (isPage && !place.startsWith('/docs/search'))
          for (const link of linksOf(text)) wanted.push({ from: place, href: link })
      }
      if (anchor)
        assert.ok(pages.get(place)?.includes(` id="${anchor}"`), `${from} leads to ${href}`)
    }
    assert.ok(pages.size > 50, `${pages.size} pages`)
    for (const [path, text] of pages) {
      assert.doesNotMatch(
        text,
        /<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//,
        path,
      )
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.deepEqual(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        [],
        path,
      )
    }
  })

  it('have every operation with its samples, and every event', async () => {
    for (const [path, root] of [
      ['/openapi.json', '/docs/api'],
      ['/operator/openapi.json', '/docs/operator-api'],
    ]) {
      const document = JSON.parse((await read(path as string)).text)
      for (const { slug, operations, events } of readReference(document).groups) {
        const { text } = await read(`${root}/${slug}`)
        for (const { id, path: at } of operations) {
          assert.ok(text.includes(`id="${id}"`) && text.includes(`<code>${at}</code>`), id)
          if (root === '/docs/api') assert.ok(sdkNames[id], `${id} has no name in the SDKs`)
        }
        for (const { type } of events) assert.ok(text.includes(`id="${type}"`), type)
        const samples = text.split('class="lang-php"').length - 1
        assert.equal(samples, root === '/docs/api' ? operations.length : 0, slug)
      }
    }
  })

  it('name no operation that there is not', async () => {
    const document = JSON.parse((await read('/openapi.json')).text)
    const known = readReference(document).groups.flatMap(({ operations }) =>
      operations.map(({ id }) => id),
    )
    assert.deepEqual(Object.keys(sdkNames).sort(), known.sort())
  })

  it('are compressed where the reader takes it, and fit a slow line', async () => {
    for (const path of ['/docs', '/docs/api/payouts', '/llms.txt', '/docs/webhooks.md']) {
      const whole = await fetch(server.url + path, { headers: { 'accept-encoding': 'identity' } })
      const zipped = await fetch(server.url + path, {
        headers: { 'accept-encoding': 'br;q=0.5, gzip' },
      })
      const refused = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip;q=0' } })
      assert.deepEqual(
        [whole, zipped, refused].map(({ headers }) => headers.get('content-encoding')),
        [null, 'gzip', null],
        path,
      )
      assert.equal(zipped.headers.get('vary'), 'accept-encoding')
      assert.ok(Number(zipped.headers.get('content-length')) < 60_000, path)
      assert.equal(await whole.text(), await zipped.text(), path)
      await refused.arrayBuffer()
    }
  })

  it('are found by words, escaped as they were typed', async () => {
    const { text } = await read(`/docs/search?q=${encodeURIComponent('create payout')}`)
    assert.match(text, /href="\/docs\/api\/payouts#createPayout"/)
    const none = await read(`/docs/search?q=${encodeURIComponent('<b>zzzqqq</b>"')}`)
    assert.match(none.text, /Nothing found for “&lt;b&gt;zzzqqq&lt;\/b&gt;&quot;”/)
    assert.doesNotMatch(none.text, /<b>zzz/)
    assert.match((await read('/docs/search')).text, /Type what you look for/)
  })

  it('are found by the beginning of a word and with a wrong letter, with the words around it', async () => {
    for (const query of ['idempot', 'idempotensy']) {
      const { text } = await read(`/docs/search?q=${query}`)
      assert.match(text, /<a href="\/docs\/[^"]+">[^<]*<\/a>/, query)
      assert.match(text, /<mark>idempoten/i, query)
    }
    const part = await read('/docs/search?part=1&q=payout')
    assert.doesNotMatch(part.text, /<html/)
    assert.equal(part.text.match(/class="found"/g)?.length, 8)
  })

  it('are what a browser is shown at the root, and name the way on', async () => {
    const shown = await read('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    assert.match(shown.text, /<h1>Bursar docs<\/h1>/)
    for (const href of ['#integrate', '#operate', '#contribute', '/dashboard'])
      assert.ok(shown.text.includes(`href="${href}"`), href)
    assert.equal(JSON.parse((await read('/')).text).data.name, 'bursar')
    const { text } = await read('/docs/guides/verify-a-webhook')
    assert.match(text, /rel="prev" href="\/docs\/guides\/accept-a-payment"/)
    assert.match(text, /rel="next" href="\/docs\/guides\/refund"/)
    assert.match(text, /class="hljs-string"/)
  })

  it('say what is not there', async () => {
    for (const path of [
      '/docs/none',
      '/docs/guides/none',
      '/docs/api/none',
      '/docs/..%2fpackage.json',
      '/docs/generate.ts',
    ])
      assert.deepEqual([(await read(path)).status, path], [404, path])
  })

  it('are there for programs', async () => {
    const list = await read('/llms.txt')
    assert.match(list.headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(list.text, /^# Bursar\n\n> /)
    for (const [, href = ''] of list.text.matchAll(/\]\(([^)]+)\)/g))
      assert.equal((await fetch(href)).status, 200, href)
    const full = await read('/llms-full.txt')
    assert.ok(full.text.includes('`POST /payouts`: Create a payout'), 'has the operations')
    assert.ok(full.text.includes('# Receiving webhooks'), 'has the documents')
    const page = await read('/docs/webhooks.md')
    assert.match(page.headers.get('content-type') ?? '', /^text\/markdown/)
    assert.match(page.text, /^# Receiving webhooks\n/)
  })
})

describe('Markdown', () => {
  const places = { page: (target: string) => `/docs/${target}`, operation: () => null }
  const show = (text: string) => blocks(tokensOf(text), places).main.toString()

  it('is escaped, whatever it holds', () => {
    const text = show(
      '# A <b>\n\n<script>alert(1)</script>\n\n`<i>` [x](javascript:alert) & "q" ![a<b](http://x.example/i.png)',
    )
    assert.doesNotMatch(text, /<script|<b>|<i>|<img|javascript:alert"/)
    assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
    assert.match(text, /&amp; &quot;q&quot;/)
  })

  it('has no comments, and headings that can be linked to, as at GitHub', () => {
    const text = show('<!-- errors -->\n\n## What’s new, `x_y`?\n\n## Same\n\n## Same\n')
    assert.equal(
      (text.match(/id="[^"]*"/g) ?? []).join(' '),
      'id="whats-new-x_y" id="same" id="same-1"',
    )
    assert.doesNotMatch(text, /errors/)
  })

  it('puts the same sample in several languages together', () => {
    const samples =
      '```sh\nls\n```\n\n```typescript\nls()\n```\n\n```python\nls()\n```\n\n```php\nls();\n```\n'
    assert.equal(show(samples).match(/class="many"/g)?.length, 1)
    assert.doesNotMatch(show('```sh\nls\n```\n\nand\n\n```php\nls();\n```\n'), /many/)
  })

  it('follows links among the documents only', () => {
    const library = readLibrary()
    assert.deepEqual(
      ['webhooks.md', 'errors.md#x', '../README.md', '../src/web/docs/README.md'].map((target) =>
        pageOf(library, 'sandbox', target),
      ),
      ['/docs/webhooks', '/docs/errors#x', null, null],
    )
    assert.equal(pageOf(library, 'guides/refund', '../webhooks.md#a'), '/docs/webhooks#a')
  })
})
