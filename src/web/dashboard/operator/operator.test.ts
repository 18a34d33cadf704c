/**
 * Goal: who looks after the installation makes, stops and prices businesses and makes keys by
 * pages, and nobody else finds them. Method: pages over HTTP, as a browser without scripts sends
 * them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  hiddenOf,
  shown,
  signedIn,
  signedInOperator,
  visitor,
} from '../../../../test/support/dashboard.ts'
import { must, startServer, type TestServer } from '../../../../test/support/harness.ts'
import { heldPayout, waitingPaper } from '../../../../test/support/operators.ts'

describe('the operator’s pages', () => {
  let server: TestServer
  let owner: Awaited<ReturnType<typeof signedInOperator>>
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    owner = await signedInOperator(server)
  })
  after(() => server.stop())

  /**
   * Fills in a form, and confirms what it says will happen where it says that. @returns the page
   * that comes, and what was foreseen
   */
  const act = async (path: string, fields: Record<string, string> = {}, reviews = true) => {
    const form = hiddenOf(await shown(owner.get(path)))
    const asked = reviews
      ? await shown(owner.post(path, { ...form, ...fields, step: 'review' }))
      : null
    const done = await owner.post(path, {
      ...(asked ? hiddenOf(asked) : form),
      ...fields,
      step: 'do',
    })
    return { asked: asked ?? '', done }
  }
  const idIn = (path: string | null): string => /([0-9a-f]{24})/.exec(path ?? '')?.[1] as string
  const secretIn = (html: string, form: RegExp): string => form.exec(html)?.[1] as string

  it('are nobody’s but those of who looks after the installation', async () => {
    const other = await signedIn(server)
    const nobody = visitor(server.url, '/dashboard/operator', '')
    for (const path of [
      '',
      '/businesses',
      '/plans',
      '/keys',
      '/businesses/-/new',
      `/businesses/${server.businessId}`,
    ]) {
      assert.equal((await other.get(`/dashboard/operator${path}`)).status, 404, path)
      assert.match((await nobody.get(path)).location ?? '', /^\/dashboard\/sign-in\?next=/, path)
    }
    const posted = await other.post('/dashboard/operator/keys/-/new', {
      name: 'x',
      step: 'do',
      key: `page-${'a'.repeat(24)}`,
    })
    assert.equal(posted.status, 404)
    assert.ok(!(await shown(other.get(''))).includes('/dashboard/operator'))
    assert.match(
      await shown(owner.get(`/dashboard/${server.businessId}/test`)),
      /href="\/dashboard\/operator"/,
    )
    assert.equal((await owner.get('')).location, '/dashboard/operator/businesses')
  })

  it('make a business, whose keys are shown once, and find it', async () => {
    const { done } = await act('/businesses/-/new', { name: 'Ada’s Bakery' }, false)
    assert.equal(done.status, 200)
    const key = secretIn(done.html, /(sk_test_\w+)/)
    assert.match(done.html, /sk_live_\w+/)
    const id = (await must(server.callAs(key)('GET', '/business'))).id
    const list = await shown(owner.get('/businesses?search=bakery'))
    const table = list.split('<table')[1] ?? ''
    assert.ok(table.includes(id) && !table.includes('Test Business') && !list.includes(key))
    const page = await shown(owner.get(`/businesses/${id}`))
    assert.ok(page.includes('The prices of the installation') && !page.includes(key))
  })

  it('suspend, let go on and close a business, and say before what that means', async () => {
    const path = `/businesses/${server.businessId}`
    const { asked, done } = await act(`${path}/suspend`, { reason: 'Papers are missing.' })
    assert.match(asked, /can start nothing new/)
    assert.equal(done.location, `/dashboard/operator${path}?done=suspend`)
    assert.match(
      await shown(owner.get(done.location as string)),
      /Business suspended\..*Papers are missing\./s,
    )
    assert.equal((await server.call('POST', '/payments', {})).code, 'business_suspended')
    assert.match(await shown(owner.get('/businesses?status=suspended')), /Test Business/)
    await act(`${path}/resume`, {}, false)
    assert.equal((await server.call('POST', '/payments', {})).status, 422)
    await server.asOwner(
      `update ledger_accounts set balance = 5 where business_id = '${server.businessId}' and livemode and purpose = 'wallet_available' and currency = 'usd'`,
    )
    const closed = await act(`${path}/close`)
    assert.equal(closed.done.status, 409)
    assert.match(closed.done.html, /Its live usd wallet holds 0\.05 usd/)
    const { docs } = await must(server.callAs(server.liveKey)('GET', '/audit'))
    assert.deepEqual(
      [docs[0].action, docs[0].actor.type, docs[0].actor.hint],
      ['business.status_changed', 'person', owner.email],
    )
  })

  it('make plans, give them versions with dates, and businesses their plan', async () => {
    const platform = { 'bank_transfer.ngn': { flat: 900, bps: 25, min: 0, max: null } }
    const { done } = await act(
      '/plans/-/new',
      { name: 'Growth', prices: JSON.stringify({ platform }) },
      false,
    )
    assert.equal(done.status, 303, done.html.slice(0, 3_000))
    const id = idIn(done.location)
    const page = await shown(owner.get(`/plans/${id}`))
    assert.match(page, /₦9\.00, 0\.25 %|NGN.9\.00, 0\.25 %/)
    const tooSoon = await act(`/plans/${id}/version`, { prices: '{}', holds_from: '2020-01-01' })
    assert.equal(tooSoon.done.status, 422)
    assert.match(tooSoon.done.html, /must be 60 seconds ahead at least/)
    const form = hiddenOf(await shown(owner.get(`/plans/${id}/version`)))
    const bad = await owner.post(`/plans/${id}/version`, { ...form, prices: '{', step: 'review' })
    assert.match(bad.html, /Prices must be JSON/)
    const version = await act(`/plans/${id}/version`, {
      prices: '{"deposit": {}}',
      holds_from: '2999-01-01',
    })
    assert.match(version.asked, /From 2999-01-01, 00:00 UTC, on these prices hold/)
    assert.match(
      await shown(owner.get(version.done.location as string)),
      /Version created\..*ahead/s,
    )
    const given = await act(`/businesses/${server.businessId}/plan`, {
      plan: id,
      holds_from: '2998-12-31',
    })
    assert.match(given.asked, /the prices of <bdi>Growth<\/bdi>/)
    const business = await shown(owner.get(given.done.location as string))
    assert.match(business, /<bdi>Growth<\/bdi>.*31 Dec(ember)? 2998/s)
    assert.ok(business.includes(owner.email))
  })

  it('review papers: the number is shown once it is asked for, and a decision is for good', async () => {
    const [first, second] = [await waitingPaper(server), await waitingPaper(server)]
    const list = await shown(owner.get('/documents'))
    assert.ok(list.includes(first) && list.includes(second) && list.includes('*****0021'))
    assert.doesNotMatch(list, /A00000021/)
    assert.match(
      await shown(owner.get(`/documents/${first}/number`)),
      /The audit log records that you looked/,
    )
    const looked = await act(`/documents/${first}/number`, {}, false)
    assert.match(looked.done.html, /A00000021.*Keep it nowhere.*I have looked/s)
    const again = await shown(owner.get(`/documents/${first}`))
    assert.doesNotMatch(again, /A00000021/)
    const approved = await act(`/documents/${first}/approve`, { note: 'Seen.' })
    assert.match(approved.asked, /counts as that of <bdi>Ada Okafor<\/bdi>/)
    const page = await shown(owner.get(approved.done.location as string))
    assert.match(page, /Document approved\./)
    assert.ok(
      page.includes(owner.email) &&
        page.includes('Seen.') &&
        !page.includes(`/documents/${first}/approve`),
    )
    const rejected = await act(`/documents/${second}/reject`, { reason: 'not_found' })
    assert.match(
      await shown(owner.get(rejected.done.location as string)),
      /Rejected as.*Not found/s,
    )
    const late = await owner.post(`/documents/${second}/approve`, {
      step: 'do',
      key: `page-${'b'.repeat(24)}`,
      ...hiddenOf(await shown(owner.get('/keys/-/new'))),
    })
    assert.equal(late.status, 409)
    const log = await shown(owner.get('/audit-log'))
    for (const word of ['Document approved', 'Document rejected', 'Document number shown'])
      assert.ok(log.includes(word))
    assert.ok(log.includes(`/dashboard/operator/documents/${first}`))
  })

  it('look at what screening holds, and release or refuse it', async () => {
    const [first, second] = [await heldPayout(server), await heldPayout(server)]
    const list = await shown(owner.get('/reviews'))
    assert.ok(list.includes(first) && list.includes(second) && list.includes('0000000011'))
    const released = await act(`/reviews/${first}/release`, { note: 'Somebody else.' })
    assert.match(released.asked, /goes to its rail/)
    const page = await shown(owner.get(released.done.location as string))
    assert.match(
      page,
      /It is released\..*On <bdi>sandbox<\/bdi>, by account: <bdi>0000000011<\/bdi>/s,
    )
    assert.ok(
      page.includes(owner.email) &&
        page.includes('Somebody else.') &&
        !page.includes(`/reviews/${first}/refuse`),
    )
    const refused = await act(`/reviews/${second}/refuse`, {})
    assert.match(await shown(owner.get(refused.done.location as string)), /It is refused\./)
    const log = await shown(owner.get('/audit-log'))
    assert.ok(
      log.includes('Review released') && log.includes(`/dashboard/operator/reviews/${second}`),
    )
  })

  it('make keys of the operator, which are shown once, and revoke them', async () => {
    const { done } = await act('/keys/-/new', { name: 'platform' }, false)
    const key = secretIn(done.html, /(op_\w{40,})/)
    const call = server.callAs(key)
    const [plan] = (await must(call('GET', '/operator/plans'))).docs
    assert.equal(plan.versions[0].made_by, owner.email)
    const list = await shown(owner.get('/keys'))
    assert.ok(!list.includes(key))
    const id = /keys\/([0-9a-f]{24})/.exec(list)?.[1]
    await act(`/keys/${id}/revoke`, {}, false)
    assert.equal((await call('GET', '/operator/plans')).status, 401)
    assert.match(
      await shown(owner.get(`/keys/${id}`)),
      new RegExp(`Revoked.*${owner.email}|${owner.email}.*Revoked`, 's'),
    )
  })
})
