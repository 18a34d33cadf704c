/**
 * Goal: people keep what they look for again and again, each for themselves. Method: over HTTP, by
 * the links and forms of the pages.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'

let server: TestServer
let ada: Visitor
let bola: Visitor
before(async () => {
  server = await startServer()
  ada = await signedIn(server)
  bola = await signedIn(server, 'viewer')
})
after(() => server.stop())

const save = (who: Visitor, name: string, query: string) =>
  who.post('/payments/-/views', { name, query })
/** The views above a list: where each leads, and what it is called. */
const viewsOf = (html: string): (readonly [string, string])[] =>
  [...html.matchAll(/<a href="[^"]*\/payments(\?[^"]*)"[^>]*><bdi>([^<]*)<\/bdi>/g)].map(
    ([, query = '', name = '']) => [query.replaceAll('&amp;', '&'), name] as const,
  )
const idsOf = (html: string): string[] =>
  [...html.matchAll(/\/-\/views\/([0-9a-f]{24})"/g)].map(([, id]) => id as string)

describe('saved views', () => {
  it('keep the filters of a list under a name, for the person alone, in both modes', async () => {
    assert.doesNotMatch(await shown(ada.get('/payments')), /class="views"/)
    const filtered = await shown(
      ada.get('/payments?status=completed&amount=1,500&page=2&nonsense=1'),
    )
    const [, link = ''] = /class="act" href="([^"]+)"/.exec(filtered) ?? []
    const asked = await shown(ada.get(link.replaceAll('&amp;', '&')))
    assert.match(asked, /It shows: [^<]*Status: Completed/)
    const [, query = ''] = /name="query" value="([^"]+)"/.exec(asked) ?? []
    const { location } = await save(ada, ' Paid   <1,500> ', query.replaceAll('&amp;', '&'))
    assert.match(location ?? '', /\/test\/payments\?/)
    assert.deepEqual(
      new URLSearchParams((location ?? '').split('?')[1]).toString().split('&').sort(),
      ['amount=1%2C500', 'status=completed'],
    )
    const again = await shown(ada.get(location ?? ''))
    assert.match(again, /aria-current="page"><bdi>Paid &lt;1,500&gt;<\/bdi>/)
    assert.doesNotMatch(again, /Save this view/)
    const live = `${ada.base.replace(/test$/, 'live')}/payments`
    assert.equal(viewsOf(await shown(ada.get(live))).length, 1)
    assert.doesNotMatch(await shown(ada.get('/refunds')), /class="views"/)
    assert.doesNotMatch(await shown(bola.get('/payments')), /class="views"/)
  })

  it('are replaced under the same name, renamed and deleted', async () => {
    await save(bola, 'Late', '?status=expired')
    await save(bola, 'Late', '?status=failed')
    await save(bola, 'Card', '?method=card')
    const page = await shown(bola.get('/payments/-/views'))
    const views = viewsOf(page)
    assert.deepEqual(views, [
      ['?method=card', 'Card'],
      ['?status=failed', 'Late'],
    ])
    const [card = '', late = ''] = idsOf(page)
    const taken = await bola.post(`/payments/-/views/${card}`, {
      step: 'rename',
      [`name-${card}`]: 'Late',
    })
    assert.equal(taken.status, 422)
    assert.match(
      taken.html,
      new RegExp(`id="f-name-${card}-error">Another view of this list has that name`),
    )
    await bola.post(`/payments/-/views/${card}`, { step: 'rename', [`name-${card}`]: 'Cards' })
    await bola.post(`/payments/-/views/${late}`, { step: 'delete' })
    assert.deepEqual(viewsOf(await shown(bola.get('/payments'))), [['?method=card', 'Cards']])
    // Of others nothing can be changed.
    assert.equal(
      (await ada.post(`/payments/-/views/${card}`, { step: 'rename', [`name-${card}`]: 'x' }))
        .status,
      404,
    )
    await ada.post(`/payments/-/views/${card}`, { step: 'delete' })
    assert.equal(viewsOf(await shown(bola.get('/payments'))).length, 1)
    for (const step of ['rename', 'delete'])
      assert.ok((await ada.post('/payments/-/views/%00', { step, name: 'x' })).status < 500, step)
  })

  it('say what is wrong with a name, and take nothing that the list does not know', async () => {
    const { status, html } = await save(ada, ' ', '?status=completed')
    assert.equal(status, 422)
    assert.match(html, /id="f-name-error">A name has 1 to 100 letters/)
    assert.match(html, /name="query" value="\?status=completed"/)
    assert.match(
      (await save(ada, 'Nothing', '?next=//evil.example&page=3')).location ?? '',
      /\/-\/views$/,
    )
    for (let n = 0; n < 29; n++) await save(ada, `View ${n}`, `?search=${n}`)
    assert.match((await save(ada, 'One more', '?search=x')).html, /delete one first/)
    assert.equal((await save(ada, 'View 1', '?search=other')).status, 303)
  })

  it('go with the membership', async () => {
    const count = async () => (await server.app.db.query('select from list_views')).length
    assert.equal(await count(), 31)
    await server.app.db.query(`delete from memberships where role = 'viewer'`)
    assert.equal(await count(), 30)
  })
})
