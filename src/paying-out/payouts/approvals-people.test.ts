/**
 * Goal: people approve by their role, and never what they made themselves, by hand or by a key of
 * theirs. Method: the module's functions, with signed-in people as who acts, as the dashboard calls
 * them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keyWith } from '../../../test/support/approvers.ts'
import { visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { type SignedIn, sessionOf, signIn } from '../../../test/support/people.ts'
import { createKey } from '../../books/businesses/businesses.ts'
import type { Actor } from '../../core/app.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { randomText } from '../../lib/secrets.ts'
import { type PersonRole, rightsOf } from '../../platform/team/team.ts'
import { updateLimits } from '../limits/limits.ts'
import { approve, refuse } from './decisions.ts'
import { create, prepare } from './payouts.ts'

describe('people and payouts that wait', () => {
  let server: TestServer
  let number = 0
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
    const manager = await keyWith(server, ['manage'])
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 0 }] }),
    )
  })
  after(() => server.stop())

  /** What a person is answered with, who has a role at the moment. */
  const as = async ({ personId: id, email: hint }: SignedIn, role: PersonRole): Promise<Ctx> => {
    const at = server.app.clock.now()
    const actor: Actor = {
      type: 'person',
      id,
      hint,
      scopes: rightsOf(role, false),
      address: '127.0.0.1',
      at,
    }
    return outside(server.app, { ...(await scopeOf(server.app, server.businessId, false)), actor })
  }
  const codeOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work
      return 'done'
    } catch (error) {
      assert.ok(error instanceof Refusal, String(error))
      return error.code
    }
  }
  const pay = async (ctx: Ctx): Promise<string> => {
    const reference = `by-hand-${++number}`
    const order = await prepare(ctx, bankPayout(reference, 100_000) as never)
    const payout = await ctx.write((work) => create(work, order))
    assert.equal(payout.approval, 'waiting')
    return reference
  }
  const approved = (ctx: Ctx, reference: string) =>
    codeOf(ctx.write((work) => approve(work, reference)))

  it('approve what another has made, and are named in the record and the audit log', async () => {
    const [ada, obi] = [await signIn(server, 'finance'), await signIn(server, 'finance')]
    const reference = await pay(await as(ada, 'finance'))
    assert.equal(await approved(await as(ada, 'finance'), reference), 'approved_by_maker')
    assert.equal(await approved(await as(obi, 'finance'), reference), 'done')
    const { approval, approval_details, id } = await must(
      server.call('GET', `/payouts/${reference}`),
    )
    assert.equal(approval, 'approved')
    assert.deepEqual(approval_details.made_by, { type: 'person', id: ada.personId, hint: null })
    assert.deepEqual(approval_details.decided_by, { type: 'person', id: obi.personId, hint: null })
    const kept = await server.app.db.query(
      `select approval_details::text as text from payouts where business_id = $1
       union all select body from events where business_id = $1`,
      [server.businessId],
    )
    assert.ok(!JSON.stringify(kept).includes('@example.com'), 'no address of a person is kept')
    const [entry] = (await must(server.call('GET', '/audit?action=payout.approved'))).docs
    assert.deepEqual(
      [entry.subject, entry.actor.id, entry.address],
      [id, obi.personId, '127.0.0.1'],
    )
  })

  it('do not approve what their key has made, nor does their key what they made by hand; they may refuse it', async () => {
    const [ada, obi] = [await signIn(server, 'developer'), await signIn(server, 'admin')]
    const acting = await as(ada, 'developer')
    const make = (scopes: ('payout' | 'approve')[]) =>
      acting
        .write((work) => createKey(work, { name: 'own', scopes }))
        .then(({ key }) => server.callAs(key))
    const [payer, approver] = [await make(['payout']), await make(['approve'])]
    await must(payer('POST', '/payouts', bankPayout('by-key', 100_000)))
    assert.equal(await approved(acting, 'by-key'), 'approved_by_maker')
    const byHand = await pay(acting)
    assert.equal((await approver('POST', `/payouts/${byHand}/approve`)).code, 'approved_by_maker')
    assert.equal(await approved(await as(obi, 'admin'), 'by-key'), 'done')
    assert.equal(await codeOf(acting.write((work) => refuse(work, byHand))), 'done')
  })

  it('do not approve what a key pays that they have rolled or re-scoped, nor what they knew before another rolled it', async () => {
    const signedIn = () => signIn(server, 'admin', { secondFactor: true })
    const [ada, obi, ife] = [await signedIn(), await signedIn(), await signedIn()]
    const mayApprove = async (who: SignedIn, reference: string) =>
      approved(await as(who, 'admin'), reference)
    const send = async (who: SignedIn, path: string, fields: Record<string, string>) => {
      const { csrf } = await sessionOf(server, who.token)
      const at = visitor(
        server.url,
        `/dashboard/${server.businessId}/test`,
        who.headers.cookie,
        csrf,
      )
      return at.post(path, { key: `page-${randomText(24)}`, step: 'do', ...fields })
    }
    const maker = await as(ada, 'admin')
    const made = await maker.write((work) =>
      createKey(work, { name: 'shared', scopes: ['payout', 'collect'] }),
    )
    const rescoped = await send(obi, `/keys/${made.record.id}/scopes`, { 'scopes.payout': 'true' })
    assert.equal(rescoped.status, 303, rescoped.html)
    await must(server.callAs(made.key)('POST', '/payouts', bankPayout('by-rescoped', 100_000)))
    for (const who of [ada, obi])
      assert.equal(await mayApprove(who, 'by-rescoped'), 'approved_by_maker')

    const rolled = await send(ife, `/keys/${made.record.id}/roll`, { overlap: '24' })
    const [key] = /sk_test_\w{20,}/.exec(rolled.html) ?? []
    assert.ok(key, rolled.html)
    await must(server.callAs(key)('POST', '/payouts', bankPayout('by-rolled', 100_000)))
    for (const who of [ada, obi, ife])
      assert.equal(await mayApprove(who, 'by-rolled'), 'approved_by_maker')
    const other = await signIn(server, 'finance')
    assert.equal(await approved(await as(other, 'finance'), 'by-rolled'), 'done')
  })

  it('do not approve once their role was taken away, in the middle of it neither', async () => {
    const [ada, obi] = [await signIn(server, 'finance'), await signIn(server, 'finance')]
    const [one, two] = [await pay(await as(ada, 'finance')), await pay(await as(ada, 'finance'))]
    const acting = await as(obi, 'finance')
    const set = (role: string) =>
      server.app.db.query('update memberships set role = $2 where person_id = $1', [
        obi.personId,
        role,
      ])
    await set('support')
    assert.equal(await approved(acting, one), 'scope_missing')
    await set('finance')
    // Who takes it away now waits for this approval, and acts on the next.
    let taken: Promise<unknown> = Promise.resolve()
    await acting.write(async (work) => {
      await approve(work, one)
      taken = server.app.db.query('delete from memberships where person_id = $1', [obi.personId])
    })
    await taken
    assert.equal(await approved(acting, two), 'scope_missing')
    assert.equal((await must(server.call('GET', `/payouts/${two}`))).approval, 'waiting')
  })

  it('may raise a limit by hand, which a key that pays out may not', async () => {
    const owner = await as(await signIn(server, 'owner'), 'owner')
    const change = { currencies: [{ currency: 'ngn' as const, approve_above: 50_000 }] }
    assert.equal((await server.call('PUT', '/limits', change)).code, 'limits_not_loosened')
    const { currencies } = await owner.write((work) => updateLimits(work, change))
    assert.equal(currencies[0]?.approve_above, 50_000n)
  })
})
