/**
 * Goal: nobody empties the test data but an owner who has just shown a second factor and types the
 * name of the business. Method: the page, by every role and in both modes, and what is left behind
 * each refusal.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { must, shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { roles } from '../../platform/team/team.ts'

const path = '/test-data'

describe('the page that empties the test data', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await shareServer()
    await newMerchant(server).addCustomer()
    owner = await signedIn(server, 'owner', 'test', { secondFactor: false })
  })
  after(() => server.stop())

  /** Types a name and sends it. */
  const type = async (name: string) =>
    owner.post(path, { ...hiddenOf(await shown(owner.get(path))), name, step: 'do' })
  const customers = async (): Promise<number> =>
    (await must(server.call('GET', '/customers'))).totalDocs
  const removals = () =>
    server.app.db.query('select from test_data_removals where business_id = $1', [
      server.businessId,
    ])
  const assertUntouched = async (): Promise<void> => {
    assert.deepEqual(await removals(), [])
    assert.equal(await customers(), 1)
  }
  /** Has the owner signed in with a second factor, so many minutes ago. */
  const proved = (minutes: number): Promise<unknown> =>
    server.app.db.query(
      `with p as (update persons set totp_secret = 'x', totp_confirmed_at = now() where id in (select person_id from memberships where role = 'owner' and business_id = $3) returning id)
       update person_sessions set method = 'password_totp', signed_in_at = $1::timestamptz - $2 * interval '1 minute' where person_id in (select id from p)`,
      [server.app.clock.now(), minutes, server.businessId],
    )

  it('is for owners alone, in test mode alone', async () => {
    for (const role of roles)
      for (const mode of ['test', 'live'] as const) {
        const person = await signedIn(server, role, mode)
        const may = role === 'owner' && mode === 'test'
        const home = await shown(person.get(''))
        assert.equal(home.includes(`${person.base}${path}"`), may, `${role} ${mode}`)
        const status = may ? 200 : mode === 'live' ? 404 : 403
        assert.equal((await person.get(path)).status, status, `${role} ${mode}`)
        if (may) continue
        const sent = { key: 'page-000000000000000000000000', name: 'Test Business', step: 'do' }
        assert.equal((await person.post(path, sent)).status, status, `${role} ${mode}`)
      }
    assert.equal(
      (await server.call('POST', '/test/empty', { name: 'Test Business' })).code,
      'route_not_found',
    )
    await assertUntouched()
  })

  it('asks for a second factor, shown a short while ago', async () => {
    const none = await type('Test Business')
    assert.equal(none.status, 403)
    assert.match(none.html, /Sign in with a second factor .*<a href="\/dashboard\/account">/)
    await proved(40)
    const old = await type('Test Business')
    assert.equal(old.status, 403)
    assert.match(old.html, /Sign in again to confirm this.*&amp;again=1">/)
    await assertUntouched()
    await proved(0)
  })

  it('asks for the name of the business, to the letter', async () => {
    for (const name of ['test business', 'Test Busines', '']) {
      const answer = await type(name)
      assert.equal(answer.status, 422)
      assert.match(answer.html, /id="f-name-error"/)
      assert.match(answer.html, /aria-invalid="true"/)
    }
    const stale = await owner.post(path, { name: 'Test Business', step: 'do' })
    assert.equal(stale.status, 400)
    await assertUntouched()
  })

  it('empties them, and says when, and who did it', async () => {
    const answer = await type('Test Business')
    assert.deepEqual([answer.status, answer.location], [303, `${owner.base}${path}`])
    const html = await until(async () => {
      const now = await shown(owner.get(path))
      return now.includes('They were emptied last on') && now
    })
    assert.doesNotMatch(html, /being emptied/)
    assert.equal(await customers(), 0)
    const [entry] = (await must(server.call('GET', '/audit?action=business.test_data_emptied')))
      .docs
    assert.equal(entry.actor.type, 'person')
    assert.match(
      await shown(owner.get(`/audit-log/${entry.id}`)),
      /<dt>Who<\/dt><dd><bdi>owner\.\w+@shop\.example/,
    )
  })
})
