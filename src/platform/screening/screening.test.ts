/**
 * Goal: what goes to whom a list has waits for a person with its money held, reaches no rail, and
 * is released or refused once, whoever else acts. Method: payouts by HTTP to listed accounts,
 * decided by keys of the operator and by commands; races; the books, the events and the rail's own.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assertRefused } from '../../../test/support/actors.ts'
import { runCommand } from '../../../test/support/command-line.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import {
  type Call,
  ctxOf,
  type Json,
  listAll,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { heldPayout, operatorOf } from '../../../test/support/operators.ts'
import { outside } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { schedule } from '../jobs/timers.ts'
import { createOperatorKey, operatorScope } from '../operator/operator.ts'

/** Names of people in scripts that write vowels and tones as marks, or voiced letters by a mark. */
const _inScripts = [
  'सुनील कुमार',
  'মিনা বেগম',
  'கமலா ராஜன்',
  'ก้อง สุขใจ',
  'じゅん ささき',
  'ශ්\u200dරී ද සිල්වා',
]

/**
 * Names with Latin letters that Unicode does not decompose, and with capitals of other scripts
 * beside characters that nobody sees.
 */
const _lettersOfTheirOwn = [
  'Þórður Ægisson',
  'Kofi Ƒomevi Ɣeyram',
  'Ɲa Ɠoro',
  'STRAẞE HANS',
  'Ива\u00adнов Пётр',
  'ΓΙΩΡΓΟΣ\u200b ΠΑΠΠΑΣ',
  '\u200eԱրամ Հակոբյան',
  '𞤀𞤥𞤢𞤣𞤵 𞤁𞤭𞤢𞤤𞤮',
]

describe('payouts that screening holds', () => {
  let server: TestServer
  let reviewer: Call
  const dir = mkdtempSync(join(tmpdir(), 'bursar-lists-'))
  const listed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  before(async () => {
    const entries = [
      { type: 'address', value: listed.toLowerCase(), list: 'OFAC', reason: 'SDN 25308' },
      { type: 'account', value: '0000000046', list: 'UN' },
      { type: 'name', value: 'SEAN OBRIEN', list: 'UN' },
      { type: 'name', value: 'सुनील कुमार', list: 'UN' },
    ]
    writeFileSync(join(dir, 'list.json'), JSON.stringify({ entries }))
    server = await startServer({ SCREENING_FILE: join(dir, 'list.json') })
    reviewer = await operatorOf(server)
    await must(
      server.call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 }),
    )
    await must(
      server.call('POST', '/wallets/simulate-fund', { currency: 'usd', amount: 100_000_000 }),
    )
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true })
  })

  const wallet = async (): Promise<Json> =>
    (await must(server.call('GET', '/wallets'))).find((one: Json) => one.currency === 'ngn')
  const reviewOf = (id: string): Promise<Json> => must(reviewer('GET', `/operator/reviews/${id}`))
  const payoutOf = async (review: string): Promise<Json> => {
    const { subject } = await reviewOf(review)
    const { docs } = await must(server.call('GET', `/payouts?search=${subject}`))
    return docs[0]
  }
  const sentOrders = async (id: string): Promise<number> =>
    (await server.app.db.query('select id from sandbox_orders where id = $1', [id])).length
  const ended = (reference: string, status: string): Promise<Json> =>
    until(async () => {
      const { data } = await server.call('GET', `/payouts/${reference}`)
      return data.status === status ? data : undefined
    })
  const bank = (account_number: string): object => ({
    destination: { bank_code: '058', account_number },
  })
  let made = 0
  const payTo = async (order: object): Promise<Json> =>
    must(
      server.call('POST', '/payouts', {
        reference: `s-${made++}`,
        amount: 100_000,
        currency: 'ngn',
        method: 'bank_transfer',
        ...order,
      }),
    )
  const passes = async (account: string): Promise<void> =>
    void (await ended((await payTo(bank(account))).reference, 'completed'))

  it('are pending with why, hold their amount, and reach no rail until they are released', async () => {
    const before = await wallet()
    const id = await heldPayout(server)
    const payout = await payoutOf(id)
    assert.deepEqual(
      [payout.status, payout.review.reason, payout.failure_reason],
      ['pending', 'sanctions_list', null],
    )
    assert.equal(await sentOrders(payout.id), 0)
    assert.equal((await wallet()).pending, before.pending + 100_000)
    const review = await reviewOf(id)
    assert.deepEqual(review.hits, [
      { list: 'sandbox', matched: 'account', value: '0000000011', reason: null },
    ])
    assert.deepEqual(
      [review.status, review.business, review.subject, review.created_at, review.decided_by],
      ['waiting', server.businessId, payout.id, payout.review.since, null],
    )
    assert.ok(review.what.endsWith(` (${payout.reference})`), review.what)
    await assertRefused(server, 400, 'payout_under_review', () =>
      server.call('POST', `/payouts/${payout.reference}/simulate`, { outcome: 'completed' }),
    )
    const told = await must(server.call('GET', `/explain/${payout.id}`))
    assert.match(JSON.stringify(told), /Screening holds the payout/)

    const released = await must(
      reviewer('POST', `/operator/reviews/${id}/release`, { note: 'Another person.' }),
    )
    assert.deepEqual([released.status, released.note], ['released', 'Another person.'])
    assert.match(released.decided_by, /^the operator’s key op_…/)
    const paid = await ended(payout.reference, 'completed')
    assert.equal(paid.review, null)
    assert.equal(await sentOrders(payout.id), 1)
    const events = (await listAll(server.call, '/events')).filter(
      (event: Json) => event.payload.id === payout.id,
    )
    assert.deepEqual(events.map(({ type }) => type).reverse(), [
      'payout.initiated',
      'payout.review_opened',
      'payout.completed',
    ])
    const types = ['payout.completed', 'payout.initiated', 'payout.review_opened']
    await assertEventsFit(server, events as never, types)
    assert.doesNotMatch(JSON.stringify(events), /Another person|sandbox/)
    const { docs } = await must(reviewer('GET', '/operator/audit-log?limit=100'))
    const [entry] = docs.filter((one: Json) => one.subject === id)
    assert.equal(entry.action, 'review.released')
    assert.doesNotMatch(JSON.stringify(entry), /Another person|0000000011/)
  })

  const payName = (account_name: string): Promise<Json> => {
    const account = {
      country: 'us',
      routing_number: '021000021',
      account_number: '12345678',
      account_type: 'checking',
    }
    return payTo({ currency: 'usd', amount: 10_000, destination: { ...account, account_name } })
  }

  it('go to somebody whose name a list writes without an apostrophe, or without what nobody sees, and wait too', async () => {
    for (const name of [
      "Sean O'Brien",
      'Se\u200ban OBri\u2060en',
      'कुमार सुनील',
      'सुनी\u200dल कुमार',
    ]) {
      const { reference } = await payName(name)
      const held = await until(
        async () => (await must(server.call('GET', `/payouts/${reference}`))).review,
      )
      assert.equal(held.reason, 'sanctions_list', name)
    }
  })

  it('do not wait for a list that has the same letters with other vowels', async () => {
    const { reference } = await payName('सनल कमर')
    assert.equal((await ended(reference, 'completed')).review, null)
  })

  it('fail once they are refused, with their amount available again', async () => {
    const before = await wallet()
    const id = await heldPayout(server)
    await must(reviewer('POST', `/operator/reviews/${id}/refuse`, {}))
    const payout = await payoutOf(id)
    assert.deepEqual(
      [payout.status, payout.failure_reason, payout.review],
      ['failed', 'rejected', null],
    )
    const now = await wallet()
    assert.deepEqual([now.available, now.pending], [before.available + 1_000_000, before.pending])
    assert.equal(await sentOrders(payout.id), 0)
    for (const act of ['release', 'refuse'])
      await assertRefused(server, 409, 'review_decided', () =>
        reviewer('POST', `/operator/reviews/${id}/${act}`, {}),
      )
  })

  it('end once, however many release, refuse and cancel at once', async () => {
    for (let round = 0; round < 4; round++) {
      const id = await heldPayout(server)
      const { reference, id: payout } = await payoutOf(id)
      const answers = await Promise.all([
        reviewer('POST', `/operator/reviews/${id}/release`, {}),
        server.call('POST', `/payouts/${reference}/cancel`),
        reviewer('POST', `/operator/reviews/${id}/refuse`, {}),
        reviewer('POST', `/operator/reviews/${id}/release`, {}),
      ])
      const decisions = answers.filter((_, at) => at !== 1)
      const done = decisions.filter(({ status }) => status === 200)
      const after = await reviewOf(id)
      const final = await until(async () => {
        const { data } = await server.call('GET', `/payouts/${reference}`)
        return ['completed', 'failed', 'canceled'].includes(data.status) ? data.status : undefined
      })
      if (after.status === 'ended')
        assert.deepEqual([final, done.length, answers[1].status], ['canceled', 0, 200])
      else assert.deepEqual([done.length, done[0]?.data.status], [1, after.status])
      if (after.status === 'refused') assert.deepEqual([final, answers[1].status], ['failed', 400])
      // One that was released is as any other: it can be canceled until its rail has it.
      if (after.status === 'released')
        assert.equal(final, answers[1].status === 200 ? 'canceled' : 'completed')
      assert.equal(await sentOrders(payout), final === 'completed' ? 1 : 0)
    }
  })

  it('may have a job still, as while the one that held them ends, which does nothing', async () => {
    const payout = await payoutOf(await heldPayout(server))
    const waiting = {
      task: 'payouts.submit',
      subject: payout.id,
      payload: { payout_id: payout.id },
    }
    await (await ctxOf(server)).write((work) =>
      schedule(work, { ...waiting, dueAt: later(work.scope.now, 2_000) }),
    )
    await until(
      async () =>
        (await server.app.db.query('select from timers where subject = $1', [payout.id])).length ===
        0,
    )
    await settled(server.app)
    assert.equal(await sentOrders(payout.id), 0)
  })

  it('are what goes to a listed address or account, in whatever case', async () => {
    const order = {
      currency: 'usd',
      method: 'crypto',
      destination: { currency: 'usdc', chain: 'base', address: listed },
    }
    const { reference } = await payTo(order)
    const { review } = await until(async () => {
      const { data } = await server.call('GET', `/payouts/${reference}`)
      return data.review === null ? undefined : data
    })
    assert.equal(review.reason, 'sanctions_list')
    const { docs } = await must(reviewer('GET', '/operator/reviews?status=waiting'))
    const found = docs.find((one: Json) => one.what.endsWith(` (${reference})`))
    assert.deepEqual(found.hits, [
      { list: 'OFAC', matched: 'address', value: listed, reason: 'SDN 25308' },
    ])
    const canceled = await must(server.call('POST', `/payouts/${reference}/cancel`))
    assert.deepEqual([canceled.status, canceled.review], ['canceled', null])
    assert.equal((await reviewOf(found.id)).status, 'ended')
    await assertRefused(server, 409, 'review_decided', () =>
      reviewer('POST', `/operator/reviews/${found.id}/release`, {}),
    )
  })

  it('are let through where the list that has them is allowed, and held by any other', async () => {
    const add = (entry: object) =>
      reviewer('POST', '/operator/screening/entries', { type: 'account', ...entry })
    const { id } = await must(
      add({ kind: 'allow', value: '0000000046', list: 'UN', note: 'Its embassy.' }),
    )
    await passes('0000000046')
    await assertRefused(server, 409, 'screening_entry_exists', () =>
      add({ kind: 'allow', value: '0000000046', list: 'UN' }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      add({ kind: 'allow', value: '0000000046' }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      add({ kind: 'block', value: '1', list: 'UN' }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      add({ kind: 'block', type: 'name', value: ' .. ' }),
    )
    const { id: block } = await must(add({ kind: 'block', value: '0000000046' }))
    const review = await heldPayout(server, server.call, bank('0000000046'))
    const held = await reviewOf(review)
    assert.deepEqual(
      [held.reason, held.hits.map(({ list }: Json) => list)],
      ['block_list', ['block list']],
    )
    // What is found anew holds what was released.
    await must(reviewer('DELETE', `/operator/screening/entries/${id}`))
    await must(reviewer('POST', `/operator/reviews/${review}/release`, {}))
    const again = await until(async () => {
      const { docs } = await must(reviewer('GET', '/operator/reviews?status=waiting'))
      return docs.find(({ subject }: Json) => subject === held.subject)
    })
    assert.deepEqual(again.hits.map(({ list }: Json) => list).sort(), ['UN', 'block list'])
    await must(reviewer('POST', `/operator/reviews/${again.id}/release`, {}))
    await ended((await payoutOf(review)).reference, 'completed')
    await must(reviewer('DELETE', `/operator/screening/entries/${block}`))
    await assertRefused(server, 404, 'not_found', () =>
      reviewer('DELETE', `/operator/screening/entries/${block}`),
    )
  })

  it('are decided by nobody without the right', async () => {
    const id = await heldPayout(server)
    const now = server.app.clock.now()
    const { key } = await outside(
      server.app,
      operatorScope(now, { type: 'operator', at: now }),
    ).write((work) => createOperatorKey(work, 'prices'))
    const other = server.callAs(key)
    for (const ask of [
      () => other('GET', '/operator/reviews'),
      () => other('GET', `/operator/reviews/${id}`),
      () => other('POST', `/operator/reviews/${id}/release`, {}),
      () => other('POST', `/operator/reviews/${id}/refuse`, {}),
      () => other('GET', '/operator/screening/entries'),
      () =>
        other('POST', '/operator/screening/entries', { kind: 'block', type: 'name', value: 'Ada' }),
      () => other('DELETE', `/operator/screening/entries/${id}`),
    ])
      await assertRefused(server, 403, 'scope_missing', ask)
    await assertRefused(server, 404, 'not_found', () => reviewer('GET', '/operator/reviews/none'))
    assert.equal((await reviewOf(id)).status, 'waiting')
  })

  it('are listed and decided by commands, which keep who it was', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['screening', ...args])
    const id = await heldPayout(server)
    const listed = await run('list')
    assert.equal(listed.err, '')
    assert.match(
      listed.out,
      new RegExp(`^${id}  test  waiting  .*sandbox: account 0000000011`, 'm'),
    )
    assert.match(
      (await run('release', id, '--by', 'Chidi', '--note', 'Seen.')).out,
      /released .*by Chidi\n$/,
    )
    const again = await run('refuse', id, '--by', 'Chidi')
    assert.deepEqual([again.code, /The review is no longer pending/.test(again.err)], [1, true])
    assert.match((await run('list', '--all')).out, new RegExp(`^${id}  test  released`, 'm'))
    const blocked = (await run('block', 'name', 'Ada Okafor', '--by', 'Chidi')).out
    assert.match(blocked, /block {2}name Ada Okafor {2}by Chidi\n$/)
    assert.equal((await run('entries')).out, blocked)
    assert.match(
      (await run('block', 'passport', 'x', '--by', 'Chidi')).err,
      /must be one of address, account, name/,
    )
    assert.equal(
      (await run('remove', blocked.split(' ')[0] as string, '--by', 'Chidi')).out,
      blocked,
    )
    assert.match((await run('entries')).out, /Your lists are empty/)
  })

  it('wait while a newer list cannot be read completely, also who is on neither, and go on once it can', async () => {
    const file = join(dir, 'list.json')
    const good = readFileSync(file, 'utf8')
    const pendingOf = async (id: string): Promise<boolean> =>
      (
        await server.app.db.query(
          "select from graphile_worker._private_jobs where payload::text like '%' || $1 || '%' and last_error like '%cannot be read completely%'",
          [id],
        )
      ).length > 0
    writeFileSync(file, good.slice(0, -20))
    await until(async () =>
      /cannot be read completely/.test(
        String((await must(server.call('GET', '/health'))).warnings),
      ),
    )
    const { reference, id } = await payTo(bank('0123456789'))
    await until(() => pendingOf(id))
    assert.equal((await must(server.call('GET', `/payouts/${reference}`))).status, 'pending')
    assert.equal(await sentOrders(id), 0)
    const listedOne = await payTo(bank('0000000046'))
    const held = await until(
      async () => (await must(server.call('GET', `/payouts/${listedOne.reference}`))).review,
    )
    assert.equal(held.reason, 'sanctions_list')
    writeFileSync(file, good)
    await until(async () => String((await must(server.call('GET', '/health'))).warnings) === '')
    await server.app.db.query(
      "update graphile_worker._private_jobs set run_at = now() where payload::text like '%' || $1 || '%'",
      [id],
    )
    await ended(reference, 'completed')
  })

  it('pay nobody while a source gives no answer', async () => {
    const silent = { name: 'silent', ask: () => Promise.reject(new Error('it gives no answer')) }
    const screens = server.app.screens.test as unknown as object[]
    screens.push(silent)
    const { reference, id } = await payTo(bank('0123456789'))
    await until(async () => {
      const [job] = await server.app.db.query<{ last_error: string }>(
        "select last_error from graphile_worker._private_jobs where payload::text like '%' || $1 || '%'",
        [id],
      )
      return job?.last_error
    })
    assert.equal((await must(server.call('GET', `/payouts/${reference}`))).status, 'pending')
    assert.equal(await sentOrders(id), 0)
    screens.pop()
    await server.app.db.query(
      "update graphile_worker._private_jobs set run_at = now() where payload::text like '%' || $1 || '%'",
      [id],
    )
    await ended(reference, 'completed')
  })
})
