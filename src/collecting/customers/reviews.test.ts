/**
 * Goal: a paper that no rail verifies waits for a person who may review, is decided once, and its
 * number is seen by nobody else, nor unnoticed. Method: customers and documents by HTTP, decided by
 * keys of the operator and by commands.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused } from '../../../test/support/actors.ts'
import { runCommand } from '../../../test/support/command-line.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import {
  type Call,
  type Json,
  listAll,
  must,
  shareServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { operatorOf, waitingPaper } from '../../../test/support/operators.ts'
import { outside } from '../../core/outside.ts'
import { createOperatorKey, operatorScope } from '../../platform/operator/operator.ts'

const paper = { id_type: 'passport', id_number: 'B12345678' }

describe('a paper that a person reviews', () => {
  let server: TestServer
  let live: Call
  let reviewer: Call
  before(async () => {
    server = await shareServer()
    live = server.callAs(server.liveKey)
    reviewer = await operatorOf(server)
  })
  after(() => server.stop())

  const waiting = (call = live, of: object = paper): Promise<string> =>
    waitingPaper(server, call, of)
  const customerOf = async (id: string): Promise<string> =>
    (await must(reviewer('GET', `/operator/documents/${id}`))).customer
  const eventsOf = async (customer: string, call = live): Promise<Json[]> =>
    (await listAll(call, '/events'))
      .filter(
        ({ type, payload }) =>
          type.startsWith('customer.document.') && payload.customer === customer,
      )
      .reverse()
  const audited = async (
    subject: string,
    call = reviewer,
    path = '/operator/audit-log',
  ): Promise<Json[]> =>
    (await must(call('GET', `${path}?limit=100`))).docs
      .filter((one: Json) => one.subject === subject)
      .reverse()

  it('waits with why, and is verified once it is approved', async () => {
    const { id: customer } = await must(
      live('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' }),
    )
    const given = await must(live('POST', `/customers/${customer}/documents`, paper))
    assert.deepEqual(
      [given.status, given.review.reason, given.id_number],
      ['pending', 'no_rail', '*****5678'],
    )
    await assertRefused(server, 409, 'document_pending', () =>
      live('POST', `/customers/${customer}/documents`, paper),
    )
    assert.equal((await must(live('GET', `/customers/${customer}`))).kyc_status, 'none')
    const { docs } = await must(reviewer('GET', '/operator/documents?status=pending'))
    const [one] = docs.filter((doc: Json) => doc.customer === customer)
    assert.deepEqual(
      [one.business, one.livemode, one.customer_name, one.id_number, one.reason, one.created_at],
      [server.businessId, true, 'Ada Okafor', '*****5678', 'no_rail', given.review.since],
    )
    const told = await must(live('GET', `/explain/${customer}`))
    assert.match(JSON.stringify(told), /A person of the operator’s looks at the identity document/)

    const decided = await must(
      reviewer('POST', `/operator/documents/${one.id}/approve`, { note: 'Seen.' }),
    )
    assert.deepEqual([decided.status, decided.note], ['verified', 'Seen.'])
    assert.match(decided.reviewed_by, /^the operator’s key op_…/)
    assert.equal((await must(live('GET', `/customers/${customer}`))).kyc_status, 'verified')
    const [listed] = await must(live('GET', `/customers/${customer}/documents`))
    assert.deepEqual([listed.id_type, listed.status], ['passport', 'verified'])
    const events = await eventsOf(customer)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['customer.document.verified'],
    )
    await assertEventsFit(server, events as never, ['customer.document.verified'])
    assert.doesNotMatch(JSON.stringify(events), /Seen/)
    const [entry, more] = await audited(one.id)
    assert.deepEqual(
      [entry?.action, entry?.actor.type, more],
      ['document.approved', 'operator', undefined],
    )
    assert.doesNotMatch(JSON.stringify(entry), /Seen|12345678/)
    assert.equal((await audited(one.id, live, '/audit')).length, 1)
  })

  it('fails with the reason once it is rejected, and can be given anew', async () => {
    const id = await waiting()
    const customer = await customerOf(id)
    await must(
      reviewer('POST', `/operator/documents/${id}/reject`, {
        reason: 'mismatch',
        note: 'Another name.',
      }),
    )
    assert.equal((await must(live('GET', `/customers/${customer}`))).kyc_status, 'rejected')
    const [event] = await eventsOf(customer)
    assert.deepEqual(
      [event?.type, event?.payload.failure_reason],
      ['customer.document.failed', 'mismatch'],
    )
    const again = await must(live('POST', `/customers/${customer}/documents`, paper))
    assert.equal(again.status, 'pending')
    await assertRefused(server, 404, 'not_found', () =>
      reviewer('POST', `/operator/documents/${id}/approve`, {}),
    )
    const { docs } = await must(reviewer('GET', '/operator/documents?status=pending&limit=100'))
    assert.equal(docs.filter((doc: Json) => doc.customer === customer).length, 1)
    assert.deepEqual((await must(reviewer('GET', '/operator/documents?status=failed'))).docs, [])
  })

  it('is decided once, however many decide at once', async () => {
    const id = await waiting()
    const customer = await customerOf(id)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        at % 2 === 0
          ? reviewer('POST', `/operator/documents/${id}/approve`, {})
          : reviewer('POST', `/operator/documents/${id}/reject`, { reason: 'rejected' }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
    assert.equal((await eventsOf(customer)).length, 1)
    assert.equal((await audited(id)).length, 1)
    await assertRefused(server, 409, 'document_reviewed', () =>
      reviewer('POST', `/operator/documents/${id}/reject`, { reason: 'rejected' }),
    )
    await assertRefused(server, 409, 'document_reviewed', () =>
      reviewer('POST', `/operator/documents/${id}/number`),
    )
  })

  it('shows its number only to who asks for it, and writes that down', async () => {
    const id = await waiting(live, { id_type: 'passport', id_number: 'C98765432' })
    const shown = await Promise.all([
      reviewer('GET', `/operator/documents/${id}`),
      reviewer('GET', '/operator/documents?limit=100'),
    ])
    assert.doesNotMatch(JSON.stringify(shown.map(({ body }) => body)), /98765432/)
    const key = { 'idempotency-key': 'look-1' }
    const first = await reviewer('POST', `/operator/documents/${id}/number`, undefined, key)
    assert.deepEqual([first.status, first.data.id_number], [200, 'C98765432'])
    const entries = await audited(id)
    assert.deepEqual(
      entries.map(({ action, after }) => [action, after.id_type]),
      [['document.number_shown', 'passport']],
    )
    const tables = await server.app.db.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    for (const { name } of tables) {
      const [found] = await server.app.db.query<{ text: string | null }>(
        `select string_agg(t::text, ' ') as text from ${name} t`,
      )
      assert.doesNotMatch(found?.text ?? '', /98765432/, name)
    }
  })

  it('is listed however many of test mode have waited for longer', async () => {
    const before = await must(
      server.call('POST', '/customers', { name: 'Many', email: 'many@example.com' }),
    )
    await must(
      server.call('POST', `/customers/${before.id}/documents`, {
        id_type: 'passport',
        id_number: 'A00000021',
      }),
    )
    const copies = (table: string, of: string): string =>
      `insert into ${table} select (jsonb_populate_record(t, ${of})).* from ${table} t, generate_series(1, 1000) n`
    const customer = "'aaaa' || lpad(to_hex(n), 20, '0')"
    await server.app.db.query(
      `${copies('customers', `jsonb_build_object('id', ${customer})`)} where t.id = '${before.id}'`,
    )
    await server.app.db.query(
      `${copies('customer_documents', `jsonb_build_object('customer_id', ${customer}, 'review_id', lpad(to_hex(n), 24, '0'))`)} where t.customer_id = '${before.id}'`,
    )
    const id = await waiting()
    const { docs, totalDocs } = await must(
      reviewer('GET', '/operator/documents?status=pending&page=10&limit=100'),
    )
    assert.equal(totalDocs, 1_000)
    assert.equal(docs.at(-1).id, id)
    await server.app.db.query("delete from customer_documents where customer_id like 'aaaa%'")
    await server.app.db.query("delete from customers where id like 'aaaa%'")
  })

  it('is decided by nobody without the right', async () => {
    const id = await waiting()
    const now = server.app.clock.now()
    const { key } = await outside(
      server.app,
      operatorScope(now, { type: 'operator', at: now }),
    ).write((work) => createOperatorKey(work, 'prices'))
    const other = server.callAs(key)
    assert.equal((await other('GET', '/operator/plans')).status, 200)
    for (const ask of [
      () => other('GET', '/operator/documents'),
      () => other('GET', `/operator/documents/${id}`),
      () => other('POST', `/operator/documents/${id}/number`),
      () => other('POST', `/operator/documents/${id}/approve`, {}),
      () => other('POST', `/operator/documents/${id}/reject`, { reason: 'rejected' }),
    ])
      await assertRefused(server, 403, 'scope_missing', ask)
    await assertRefused(server, 401, 'invalid_key', () =>
      live('POST', `/operator/documents/${id}/approve`, {}),
    )
    assert.equal((await must(reviewer('GET', `/operator/documents/${id}`))).status, 'pending')
  })

  it('is gone with its customer', async () => {
    const id = await waiting()
    await must(live('DELETE', `/customers/${await customerOf(id)}`))
    await assertRefused(server, 404, 'not_found', () =>
      reviewer('POST', `/operator/documents/${id}/approve`, {}),
    )
    const { docs } = await must(reviewer('GET', '/operator/documents?limit=100'))
    assert.ok(!docs.some((doc: Json) => doc.id === id))
  })

  it('can be tried with a test key, and stays a bvn nowhere', async () => {
    const id = await waiting(server.call, {
      id_type: 'drivers_license',
      id_number: 'AAA00000000021',
    })
    const customer = await customerOf(id)
    await must(server.call('POST', '/test/clock', { advance: '24h' }))
    await must(reviewer('POST', `/operator/documents/${id}/approve`, {}))
    const [document] = await must(server.call('GET', `/customers/${customer}/documents`))
    assert.ok(
      Date.parse(document.verified_at) - Date.now() > 80_000_000,
      'it is decided in the time of the test clock',
    )
    assert.equal((await eventsOf(customer, server.call)).length, 1)
    const { id: other } = await must(
      live('POST', '/customers', { name: 'Bola', email: 'bola@example.com' }),
    )
    await assertRefused(server, 400, 'rail_not_configured', () =>
      live('POST', `/customers/${other}/documents`, { id_type: 'bvn', id_number: '22212345678' }),
    )
  })

  it('is listed, seen and decided by commands, which keep who it was', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['documents', ...args])
    const id = await waiting(live, { id_type: 'voters_card', id_number: '90F5AE1C2' })
    const listed = await run('list')
    assert.match(
      listed.out,
      new RegExp(`^${id}  live  pending  20\\S+  voters_card \\*{5}E1C2 of Ada Okafor`, 'm'),
    )
    assert.equal((await run('show', id, '--number', '--by', 'Chidi')).out, '90F5AE1C2\n')
    assert.match((await run('show', id, '--number')).err, /--number and --by <name> go together/)
    assert.equal(JSON.parse((await run('show', id)).out).id_number, '*****E1C2')
    assert.match(
      (await run('review', id, '--by', 'Chidi')).err,
      /Say --approve, or --reject with a reason/,
    )
    assert.match(
      (await run('review', id, '--reject', 'ugly', '--by', 'Chidi')).err,
      /must be one of mismatch/,
    )
    const decided = await run(
      'review',
      id,
      '--reject',
      'not_found',
      '--by',
      'Chidi',
      '--note',
      'Asked the issuer.',
    )
    assert.match(decided.out, /failed \(not_found\).*by Chidi\n$/)
    const again = await run('review', id, '--approve', '--by', 'Chidi')
    assert.deepEqual([again.code, /was reviewed already/.test(again.err)], [1, true])
    assert.match((await run('list', '--all')).out, new RegExp(`^${id}  live  failed`, 'm'))
    assert.deepEqual(
      (await audited(id)).map(({ action, after }) => [action, after.by]),
      [
        ['document.number_shown', 'Chidi'],
        ['document.rejected', 'Chidi'],
      ],
    )
  })
})
