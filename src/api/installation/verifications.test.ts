/**
 * Goal: the operator has the books verified by a press, sees how far it is and what it found, one
 * at a time; and a run that died is no riddle. Method: over HTTP, as a key and at pages; a check of
 * the test's own waits for a lock, so that a run stands still.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { noId } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  shown,
  signedIn,
  type Visitor,
  visitor,
} from '../../../test/support/dashboard.ts'
import {
  type Call,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { signIn } from '../../../test/support/people.ts'
import { closeBooks } from '../../app/closing.ts'
import { operator } from '../../books/ledger/ledger.ts'
import { checksOf } from '../../books/ledger/verify.ts'
import type { Check } from '../../core/module.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { findSession } from '../../platform/team/team.ts'
import { verificationTasks } from './verifications.ts'

/** What is read of a page. */
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

const path = '/operator/ledger-verifications'
const page = '/ledger-verifications'
const nothing = `select '' as business_id, false as livemode, '' as what, '' as expected, '' as found`
/** Ends once nobody else has the lock. */
const waiting: Check = {
  name: 'waits',
  text: `with l as materialized (select pg_advisory_xact_lock(77)::text as got) ${nothing} from l where got = 'never'`,
}
const broken: Check = { name: 'is broken', text: `${nothing} from nowhere` }

describe('verifying the ledger by a press', () => {
  let server: TestServer
  let ask: Call
  let owner: Visitor
  let own: readonly Check[]
  before(async () => {
    server = await startServer()
    own = server.app.strategies.installation.checks
    await server.fund('ngn', 100_000)
    ask = await operatorOf(server)
    const person = await signIn(server, 'owner', { installationOwner: true })
    const session = await findSession(server.app, person.token)
    owner = visitor(server.url, '/dashboard/operator', person.headers.cookie, session?.csrf)
  })
  after(() => server.stop())

  const use = (...checks: readonly Check[]): void => {
    Object.assign(server.app.strategies.installation, { checks })
  }
  const read = (id: string): Promise<Json> => must(ask('GET', `${path}/${id}`))
  const ended = (id: string): Promise<Json> =>
    until(async () => {
      const found = await read(id)
      return found.ended_at !== null && found
    })
  const start = (): Promise<Json> => must(ask('POST', path))
  /** Runs its job as a worker would that takes it up. */
  const take = async (id: string): Promise<void> => {
    const ctx = outside(server.app, await scopeOf(server.app, operator, true))
    for (const task of Object.values(verificationTasks))
      await task(ctx, { verification_id: id }, new AbortController().signal)
  }

  it('says that all agrees, and how much was looked at', async () => {
    const begun = await start()
    assert.deepEqual(
      [begun.checks, begun.checks_done, begun.made_by?.slice(0, 4)],
      [checksOf(own, false).length, 0, 'op_…'],
    )
    const found = await ended(begun.id)
    assert.deepEqual(
      [found.status, found.differences, found.differences_count, found.checks_left, found.doing],
      ['clean', [], 0, 0, null],
    )
    assert.ok(found.accounts > 8 && found.postings >= 1)
    assert.deepEqual((await must(ask('GET', path))).docs[0], found)
    assert.equal((await ask('GET', `${path}/${noId}`)).code, 'not_found')
  })

  it('says from which closing on it has read', async () => {
    const closed = await until(() => closeBooks(server.app))
    const { id } = await start()
    const found = await ended(id)
    assert.deepEqual([found.status, found.closed_at], ['clean', closed.closed_at.toISOString()])
    assert.match(
      textOf(await shown(owner.get(`${page}/${id}`))),
      /since the ledger was closed on .* bursar ledger verify --whole reads it again/,
    )
  })

  it('shows how far it is, and is one at a time, however many press', async () => {
    use(own[0] as Check, waiting, own[1] as Check)
    const holder = newClient(server.databaseUrl)
    await holder.connect()
    await holder.query('select pg_advisory_lock(77)')
    const made = await Promise.all([start(), start(), start()])
    assert.equal(new Set(made.map(({ id }) => id)).size, 1)
    const { id } = made[0] as Json
    await until(async () => (await read(id)).doing === 'waits')
    const { status, checks, checks_done, checks_left } = await read(id)
    assert.deepEqual([status, checks, checks_done, checks_left], ['running', 3, 1, 2])

    const form = hiddenOf(await shown(owner.get(`${page}/-/new`)))
    const pressed = await owner.post(`${page}/-/new`, { ...form, step: 'do' })
    assert.equal(pressed.location, `/dashboard/operator${page}/${id}?done=new`)
    const running = await shown(owner.get(pressed.location as string))
    assert.match(textOf(running), /It is under way\..*1 of 3 checks, 2 left.*Look again/)
    assert.match(running, /<noscript><meta http-equiv="refresh" content="5">/)
    await holder.query('select pg_advisory_unlock(77)')
    await holder.end()
    assert.equal((await ended(id)).status, 'clean')
    const over = await shown(owner.get(`${page}/${id}`))
    assert.ok(!over.includes('http-equiv="refresh"') && over.includes('All agrees.'))
    use(...own)
    const { id: next } = await start()
    assert.notEqual(next, id)
    await ended(next)
  })

  it('names what differs', async () => {
    const change = (by: number) =>
      server.asOwner(
        `update ledger_accounts set balance = balance + ${by} where business_id = '${server.businessId}' and not livemode and purpose = 'wallet_available' and currency = 'ngn'`,
      )
    await change(5)
    const { id } = await start()
    const found = await ended(id)
    await change(-5)
    assert.equal(found.status, 'differs')
    assert.ok(found.differences_count >= 2)
    const [first] = found.differences
    assert.deepEqual(
      [first.check, first.business, first.livemode, first.what, first.expected, first.found],
      [
        'every balance is the sum of its postings',
        server.businessId,
        false,
        'wallet_available ngn',
        '100000',
        '100005',
      ],
    )
    assert.match(
      textOf(await shown(owner.get(`${page}/${id}`))),
      /What differs.*wallet_available ngn.*100000 100005/,
    )
    assert.match(textOf(await shown(owner.get(page))), /Differs/)
  })

  it('has no result where its process died or a check broke, and another can be started', async () => {
    use(own[0] as Check, broken)
    const { id } = await start()
    const found = await ended(id)
    assert.deepEqual([found.status, found.checks_done, found.accounts], ['unfinished', 1, null])
    assert.match(textOf(await shown(owner.get(`${page}/${id}`))), /It ended without a result/)
    use(...own)
    // One whose worker was killed in the middle: its job is taken up by another.
    const died = '6'.repeat(24)
    await server.app.db.query(
      `insert into ledger_verifications (id, status, checks, checks_done, created_at, began_at) values ($1, 'running', 9, 4, now(), now())`,
      [died],
    )
    assert.equal((await start()).id, died, 'it counts as running until somebody takes it up')
    await take(died)
    const dead = await read(died)
    assert.deepEqual([dead.status, dead.checks_done, dead.differences_count], ['unfinished', 4, 0])
    // A job that runs once more changes nothing of what has ended.
    await take(id)
    assert.deepEqual(await read(id), found)
    assert.equal((await ended((await start()).id)).status, 'clean')
  })

  it('is for who looks after the installation alone', async () => {
    const other = await signedIn(server)
    for (const at of [page, `${page}/-/new`])
      assert.equal((await other.get(`/dashboard/operator${at}`)).status, 404)
    assert.equal((await server.call('POST', path)).code, 'invalid_key')
  })
})
