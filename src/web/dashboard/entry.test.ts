import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shown, signedIn, type Visitor, visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { recordTransaction } from '../../books/transactions/transactions.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { newId } from '../../lib/ids.ts'
import { addMember } from '../../platform/team/team.ts'

describe('the start of the dashboard', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
  })
  after(() => server.stop())

  const leadsTo = async (one: Visitor, cookie = '') =>
    (await visitor(server.url, one.base, `${one.cookie}; ${cookie}`).get('/dashboard')).location

  /** The cookie that a page gives. */
  const givenBy = async (one: Visitor, path: string): Promise<string | undefined> => {
    const { headers } = await one.get(path)
    return headers
      .getSetCookie()
      .find((text) => text.startsWith('bursar_last='))
      ?.split(';')[0]
  }

  it('is the test mode, and the live mode once money moved there', async () => {
    const owner = await signedIn(server)
    const at = `/dashboard/${server.businessId}`
    assert.equal(await leadsTo(owner), `${at}/test`)
    await server.fund('ngn', 1_000_00)
    assert.equal(await leadsTo(owner), `${at}/test`, 'money of the test mode is none')
    const live = outside(server.app, await scopeOf(server.app, server.businessId, true))
    await live.write((work) =>
      recordTransaction(work, {
        id: newId(work.scope.now),
        type: 'payment',
        method: 'card',
        direction: 'credit',
        status: 'completed',
        currency: 'ngn',
        amount: 5_000n,
        fee: 0n,
        balanceAfter: 5_000n,
        reference: null,
        related: {},
        metadata: {},
      }),
    )
    assert.equal(await leadsTo(owner), `${at}/live`)
  })

  it('is the business and the mode that were looked at last, as long as they are the visitor’s', async () => {
    const owner = await signedIn(server)
    const { business } = await createBusiness(server.app, 'Second')
    const both = await signIn(server)
    await addMember(server.app, business.id, both.personId, 'viewer')
    const one = visitor(server.url, owner.base, both.headers.cookie)
    assert.match(
      await shown(one.get('/dashboard')),
      new RegExp(`href="/dashboard/${business.id}/test">`),
    )
    const cookie = await givenBy(one, `/dashboard/${business.id}/live`)
    assert.equal(cookie, `bursar_last=${business.id}.live`)
    assert.equal(await leadsTo(one, cookie), `/dashboard/${business.id}/live`)
    assert.notEqual(await leadsTo(owner, cookie), `/dashboard/${business.id}/live`)
    for (const other of ['bursar_last=x', `bursar_last=${business.id}.other`])
      assert.equal(await leadsTo(one, other), null, 'the choice of both')
    const known = visitor(server.url, one.base, `${one.cookie}; ${cookie}`)
    assert.equal(await givenBy(known, `/dashboard/${business.id}/live`), undefined)
    assert.equal(await givenBy(one, `/dashboard/${'0'.repeat(24)}/live`), undefined)
  })
})
