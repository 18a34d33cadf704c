/**
 * Goal: in live mode nobody makes the second person: who was invited by the maker of a payout, or
 * joined by a link that was shown, does not approve for 72 hours. Method: people join by
 * invitations and roles, on a live account at a double of Paystack, with a clock that the test
 * moves.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey } from '../../../src/books/businesses/businesses.ts'
import type { Actor } from '../../../src/core/app.ts'
import { type Ctx, outside, scopeOf } from '../../../src/core/outside.ts'
import { Refusal } from '../../../src/lib/errors.ts'
import {
  cancelLooser,
  confirmLooser,
  updateLimits,
} from '../../../src/paying-out/limits/settings.ts'
import { approve, refuse } from '../../../src/paying-out/payouts/decisions.ts'
import { create, prepare } from '../../../src/paying-out/payouts/payouts.ts'
import {
  acceptAs,
  acceptAsNewcomer,
  changeRole,
  invite,
  type PersonRole,
  rightsOf,
} from '../../../src/platform/team/team.ts'
import { bankPayout, must } from '../../support/harness.ts'
import { openTill, type Till } from '../../support/paystack.ts'
import { browserAt, goodPassword, type SignedIn, sessionOf, signIn } from '../../support/people.ts'

const hourMs = 3_600_000

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error))
    return error.code
  }
}

describe('second persons in live mode', () => {
  let till: Till
  let number = 0
  before(async () => {
    till = await openTill()
    const currencies = [{ currency: 'ngn', approve_above: 0 }]
    await must(till.live('PUT', '/limits', { currencies, approval_hours: 720 }))
  })
  after(() => till.stop())

  type Person = Pick<SignedIn, 'personId'>
  /** Who acts by the role of this moment, and has just shown a second factor. */
  const actor = async ({ personId: id }: Person): Promise<Actor> => {
    const { app, businessId } = till.server
    const [member] = await app.db.query<{ role: PersonRole }>(
      'select role from memberships where business_id = $1 and person_id = $2',
      [businessId, id],
    )
    const at = app.clock.now()
    const scopes = member ? rightsOf(member.role, true) : []
    return { type: 'person', id, hint: '', scopes, address: '127.0.0.1', at, provedAt: at }
  }
  const as = async (who: Person): Promise<Ctx> => {
    const { app, businessId } = till.server
    return outside(app, { ...(await scopeOf(app, businessId, true)), actor: await actor(who) })
  }
  const member = (role: PersonRole) => signIn(till.server, role, { secondFactor: true })
  /** Somebody whose address is proven joins. */
  const joins = async (by: SignedIn, role: PersonRole): Promise<SignedIn> => {
    const person = await signIn(till.server, 'viewer', { secondFactor: true })
    const { app, businessId } = till.server
    await app.db.query('delete from memberships where business_id = $1 and person_id = $2', [
      businessId,
      person.personId,
    ])
    const { token } = await (await as(by)).write((work) =>
      invite(work, { email: person.email, role }, 'shown'),
    )
    await acceptAs(app, token as string, await sessionOf(till.server, person.token), browserAt())
    return person
  }
  /** Somebody makes an account by the link that was shown. */
  const joinsByLink = async (by: SignedIn, role: PersonRole): Promise<Person> => {
    const email = `link-${++number}@example.com`
    const { token } = await (await as(by)).write((work) => invite(work, { email, role }, 'shown'))
    const newcomer = { name: 'Link', password: goodPassword }
    const { session } = await acceptAsNewcomer(
      till.server.app,
      token as string,
      newcomer,
      browserAt(),
    )
    return { personId: (await sessionOf(till.server, session)).person.id }
  }
  const pay = async (who: Person): Promise<string> => {
    const ctx = await as(who)
    const reference = `second-${++number}`
    const destination = { bank_code: '058', account_number: String(2_100_000_000 + number) }
    const order = await prepare(ctx, bankPayout(reference, 1_000_000, { destination }) as never)
    await ctx.write((work) => create(work, order))
    return reference
  }
  const approves = async (who: Person, reference: string): Promise<string> => {
    const ctx = await as(who)
    return codeOf(ctx.write((work) => approve(work, reference)))
  }

  /** Asks for looser limits. @returns the id of the change that waits */
  const loosens = async (who: Person): Promise<string> => {
    const change = { currencies: [{ currency: 'ngn' as const, approve_above: 99_000_000 }] }
    const { pending_change: pending } = await (await as(who)).write((work) =>
      updateLimits(work, change),
    )
    return (pending as { id: string }).id
  }

  it('are not who the maker invited, gave the role to, or had invited, nor their keys, until 72 hours after', async () => {
    const [ada, obi] = [await member('owner'), await member('owner')]
    const [kem, dayo] = [await joins(ada, 'admin'), await member('viewer')]
    await (await as(ada)).write((work) => changeRole(work, dayo.personId, 'finance'))
    const efe = await joins(kem, 'finance')
    const { key } = await (await as(kem)).write((work) =>
      createKey(work, { name: 'approvals', scopes: ['approve'] }),
    )
    const byKey = async (reference: string) =>
      (await till.server.callAs(key)('POST', `/payouts/${reference}/approve`)).code

    const reference = await pay(ada)
    for (const who of [kem, dayo, efe])
      assert.equal(await approves(who, reference), 'approver_too_new')
    assert.equal(await byKey(reference), 'approver_too_new')
    const change = await loosens(ada)
    const confirmed = await till.server.callAs(key)('POST', `/limits/pending/${change}/confirm`)
    assert.equal(confirmed.code, 'approver_too_new')
    await (await as(ada)).write((work) => cancelLooser(work, change))
    const { approval, id } = await till.payout(reference)
    assert.deepEqual([approval, till.transfersOf(id)], ['waiting', []])
    for (const who of [kem, dayo, efe]) assert.equal(await approves(who, await pay(obi)), 'done')
    const ctx = await as(efe)
    const refused = await pay(ada)
    assert.equal(
      await codeOf(ctx.write((work) => refuse(work, refused))),
      'done',
      'they may refuse',
    )

    await till.server.app.db.query('delete from memberships where person_id = $1', [kem.personId])
    assert.equal(await byKey(reference), 'approver_too_new', 'who has left has made the key still')
    await till.pass(72 * hourMs)
    assert.equal(await approves(efe, reference), 'done')
  })

  it('are not who has just invited the maker, nor who was invited by the same person', async () => {
    const ada = await member('admin')
    const [bola, chidi] = [await joins(ada, 'admin'), await joins(ada, 'finance')]
    const reference = await pay(bola)
    for (const who of [ada, chidi]) assert.equal(await approves(who, reference), 'approver_too_new')
    assert.equal(await approves(await member('admin'), await pay(bola)), 'done')
    const id = await loosens(bola)
    const confirming = await as(ada)
    assert.equal(
      await codeOf(confirming.write((work) => confirmLooser(work, id))),
      'approver_too_new',
    )
    await confirming.write((work) => cancelLooser(work, id))
    await till.pass(72 * hourMs)
    for (const who of [ada, chidi]) assert.equal(await approves(who, await pay(bola)), 'done')
  })

  it('are not who was given the role once more by somebody else', async () => {
    const ada = await member('admin')
    const [bola, chidi] = [await joins(ada, 'admin'), await joins(ada, 'admin')]
    const reference = await pay(ada)
    for (const [giver, taker] of [
      [chidi, bola],
      [bola, chidi],
    ] as const)
      for (const role of ['viewer', 'admin'] as const)
        await (await as(giver)).write((work) => changeRole(work, taker.personId, role))
    for (const who of [bola, chidi])
      assert.equal(await approves(who, reference), 'approver_too_new')
  })

  it('are not who joined by a link that was shown, whoever made the payout, until 72 hours after', async () => {
    const [ada, obi] = [await member('owner'), await member('owner')]
    const bola = await joinsByLink(ada, 'finance')
    const [one, two] = [await pay(ada), await pay(obi)]
    for (const reference of [one, two])
      assert.equal(await approves(bola, reference), 'approver_too_new')
    assert.equal(await approves(ada, two), 'done')
  })
})
