/**
 * Goal: a standing payout runs once a time, at its time, and leaves in the wallet what it keeps;
 * whatever happens beside it, nothing else is paid. Method: a server whose clock moves by hand, the
 * test clock over weeks and months, and its job, run by several at once.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused, day, newBusiness, noId, setStatus } from '../../../test/support/actors.ts'
import {
  confirmOwn,
  type KeyHolder,
  keyWith,
  newPerson,
  ownAccount,
} from '../../../test/support/approvers.ts'
import {
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { tasks } from '../../app/modules.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { type Clock, manualClock } from '../../lib/clock.ts'
import { runTask } from './payout-schedules.ts'

const naira = (amount: number) => amount * 100

describe('payout schedules', () => {
  // A Sunday. Lagos is an hour ahead of UTC, all year.
  const clock = manualClock(new Date('2027-01-10T00:00:00Z'))
  /** How much time goes by whenever somebody looks at the clock. */
  let lookMs = 0
  const slow: Clock = {
    now: () => {
      clock.advance(lookMs)
      return clock.now()
    },
  }
  let server: TestServer
  let payer: KeyHolder
  let account: Json
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' }, undefined, slow)
    const manager = await keyWith(server, ['manage'])
    await must(manager.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    await must(manager.call('PUT', '/business', { time_zone: 'Africa/Lagos' }))
    payer = await keyWith(server, ['payout', 'read'], newPerson(server))
    account = await ownAccount(server)
  })
  after(() => server.stop())

  const make = (more: object = {}): Promise<Json> =>
    must(
      payer.call('POST', '/payout-schedules', {
        currency: 'ngn',
        beneficiary: account.id,
        interval: 'daily',
        ...more,
      }),
    )
  const read = (id: string): Promise<Json> => must(payer.call('GET', `/payout-schedules/${id}`))
  const change = (id: string, body: object): Promise<Json> =>
    must(payer.call('PATCH', `/payout-schedules/${id}`, body))
  /** What each run came to, the first first: when it was due, and what it paid or why not. */
  const runsOf = async (id: string): Promise<[string, number | string][]> => {
    const { docs } = await must(payer.call('GET', `/payout-schedules/${id}/runs?limit=100`))
    return (docs as Json[]).reverse().map(({ due_at, amount, code }) => [due_at, amount ?? code])
  }
  const remove = (id: string) => must(payer.call('DELETE', `/payout-schedules/${id}`))
  const advance = (by: string) => must(server.call('POST', '/test/clock', { advance: by }))
  const now = async (): Promise<Date> =>
    new Date((await must(server.call('GET', '/test/clock'))).now)
  const available = async (currency = 'ngn'): Promise<number> =>
    (await must(payer.call('GET', `/wallets?currency=${currency}`)))[0].available
  /** Has the wallet hold exactly so much. */
  const holds = async (amount: number): Promise<void> => {
    const less = (await available()) - amount
    if (less < 0) await server.fund('ngn', -less)
    const reference = `drain-${Math.random()}`
    const destination = { bank_code: '058', account_number: '0123456789' }
    const order = { reference, amount: less, currency: 'ngn', method: 'bank_transfer', destination }
    if (less > 0) await must(payer.call('POST', '/payouts', order))
    assert.equal(await available(), amount)
  }
  /** Runs its job as it is at a moment. */
  const runAt = async (id: string, at: string | Date): Promise<void> => {
    const ctx = outside(server.app, {
      ...(await scopeOf(server.app, server.businessId, false)),
      now: new Date(at),
    })
    await tasks[runTask]?.(ctx, { schedule_id: id }, new AbortController().signal)
  }

  it('pay every day what is above what they keep, as ordinary payouts, and nothing below the least', async () => {
    await holds(naira(150_000))
    const made = await make({
      keep: naira(50_000),
      minimum: naira(20_000),
      description: 'To our bank',
      metadata: { a: 1 },
    })
    assert.deepEqual(
      [made.status, made.time, made.next_run_at, made.next_amount, made.next_skip, made.last_run],
      ['active', '06:00', '2027-01-10T05:00:00.000Z', naira(100_000), null, null],
    )
    assert.deepEqual(made.upcoming.slice(0, 2), [
      '2027-01-10T05:00:00.000Z',
      '2027-01-11T05:00:00.000Z',
    ])
    assert.deepEqual([made.made_by.id, made.made_by.hint], [payer.id, payer.hint])
    await advance('2d')
    assert.equal(await available(), naira(50_000))
    await holds(naira(69_999))
    await advance('1d')
    await server.fund('ngn', 100)
    await advance('1d')
    await advance('3d')
    assert.deepEqual(await runsOf(made.id), [
      ['2027-01-10T05:00:00.000Z', naira(100_000)],
      ['2027-01-11T05:00:00.000Z', 'below_minimum'],
      ['2027-01-12T05:00:00.000Z', 'below_minimum'],
      ['2027-01-13T05:00:00.000Z', naira(20_000)],
      ...['14', '15', '16'].map((of): [string, string] => [
        `2027-01-${of}T05:00:00.000Z`,
        'below_minimum',
      ]),
    ])
    const payout = await must(payer.call('GET', `/payouts/schedule-${made.id}-2027-01-10`))
    assert.deepEqual(
      [
        payout.amount,
        payout.beneficiary,
        payout.status,
        payout.description,
        payout.metadata,
        payout.approval,
      ],
      [
        naira(100_000),
        account.id,
        'completed',
        'To our bank',
        { a: 1, payout_schedule: made.id },
        'none',
      ],
    )
    assert.equal(
      payout.created_at,
      '2027-01-10T05:00:00.000Z',
      'at its own time, not when the clock had moved',
    )
    const events = (await must(payer.call('GET', '/events?limit=100'))).docs.filter(
      ({ payload }: Json) => payload.id === payout.id,
    )
    assert.deepEqual(events.map(({ type }: Json) => type).sort(), [
      'payout.completed',
      'payout.initiated',
    ])
    const seen = await read(made.id)
    assert.equal(seen.last_run.code, 'below_minimum')
    assert.match(seen.last_run.message, /has 50,000.00 ngn available/)
    const timeline = await must(payer.call('GET', `/explain/${made.id}`))
    assert.deepEqual(
      [timeline.kind, timeline.status, timeline.entries.at(-1).title],
      ['payout_schedule', 'active', 'The next run'],
    )
    await remove(made.id)
    await advance('2d')
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal(
        (
          await payer.call(
            method,
            `/payout-schedules/${made.id}`,
            method === 'PATCH' ? {} : undefined,
          )
        ).status,
        404,
      )
    assert.equal((await payer.call('GET', `/payout-schedules/${made.id}/runs`)).status, 404)
    assert.equal((await must(payer.call('GET', `/explain/${made.id}`))).status, 'deleted')
    await server.assertBooksClean()
  })

  it('pay on the last day of a month that has no 31st, in order, when the clock moves by months', async () => {
    await holds(naira(10_000))
    const made = await make({ interval: 'monthly', day: 31, time: '18:30', maximum: naira(1_000) })
    await advance('120d')
    assert.deepEqual(await runsOf(made.id), [
      ['2027-01-31T17:30:00.000Z', naira(1_000)],
      ['2027-02-28T17:30:00.000Z', naira(1_000)],
      ['2027-03-31T17:30:00.000Z', naira(1_000)],
      ['2027-04-30T17:30:00.000Z', naira(1_000)],
    ])
    assert.equal(await available(), naira(6_000))
    await remove(made.id)
  })

  it('run at each of their times, however long it takes to play them', async () => {
    await holds(naira(40_000))
    const made = await make({ maximum: naira(1_000) })
    lookMs = 300
    await advance('30d').finally(() => {
      lookMs = 0
    })
    const runs = await runsOf(made.id)
    const from = Date.parse(made.next_run_at)
    assert.deepEqual(
      runs,
      runs.map((_, nth) => [new Date(from + nth * day).toISOString(), naira(1_000)]),
    )
    assert.ok(runs.length >= 30, `${runs.length} runs`)
    await remove(made.id)
  })

  it('run once when they were missed for days, and go on from there', async () => {
    await holds(naira(10_000))
    const made = await make({ time: '12:00', maximum: naira(1_000) })
    clock.advance(3.5 * day)
    await until(async () => (await runsOf(made.id)).length > 0)
    const { next_run_at, last_run } = await read(made.id)
    assert.deepEqual((await runsOf(made.id)).length, 1)
    assert.equal(last_run.due_at, made.next_run_at)
    assert.ok(new Date(next_run_at) > (await now()))
    assert.ok(new Date(next_run_at).getTime() - (await now()).getTime() <= day)
    await settled(server.app)
    assert.equal(await available(), naira(9_000))
    await remove(made.id)
  })

  it('are paused and resumed, and a change of the rule moves the next run, to once a day at most', async () => {
    await holds(naira(10_000))
    const made = await make({ maximum: naira(1_000) })
    const paused = await change(made.id, { status: 'paused' })
    assert.deepEqual(
      [paused.status, paused.next_run_at, paused.upcoming, paused.paused_because],
      ['paused', null, [], null],
    )
    await runAt(made.id, made.next_run_at)
    await advance('2d')
    assert.deepEqual(await runsOf(made.id), [])
    const listed = async (query: string) =>
      (await must(payer.call('GET', `/payout-schedules?${query}`))).docs.map(({ id }: Json) => id)
    assert.deepEqual(await listed('status=paused'), [made.id])
    assert.deepEqual(await listed('status=active'), [])
    const resumed = await change(made.id, { status: 'active' })
    assert.ok(
      new Date(resumed.next_run_at) > (await now()),
      'what was missed while it was paused is not made up for',
    )
    await advance('1d')
    const [[due] = []] = await runsOf(made.id)
    assert.equal(due, resumed.next_run_at)
    // It has paid today: later on the same day it pays no more.
    const later = await change(made.id, { time: '23:59' })
    assert.equal(later.next_run_at.slice(0, 10) > (due as string).slice(0, 10), true)
    const monthly = await change(made.id, { interval: 'monthly', day: 1, time: '06:00' })
    assert.deepEqual(
      [monthly.weekday, monthly.day, monthly.next_run_at.slice(8, 10)],
      [null, 1, '01'],
    )
    const weekly = await change(made.id, {
      interval: 'weekly',
      weekday: 'monday',
      maximum: null,
      keep: 5,
    })
    assert.deepEqual([weekly.day, weekly.maximum, weekly.keep], [null, null, 5])
    assert.equal(new Date(weekly.next_run_at).getUTCDay(), 1)
    await must(server.call('PUT', '/business', { time_zone: 'Asia/Tokyo' }))
    const moved = await read(made.id)
    assert.deepEqual(
      [moved.next_run_at, moved.upcoming[0]],
      [weekly.next_run_at, weekly.next_run_at],
    )
    assert.equal(moved.upcoming[1].slice(11, 16), '21:00', 'six in the morning in Tokyo')
    assert.equal((await change(made.id, {})).next_run_at.slice(11, 16), '21:00')
    await must(server.call('PUT', '/business', { time_zone: 'Africa/Lagos' }))
    await remove(made.id)
    const entries = (await must(server.call('GET', '/audit'))).docs.filter(
      ({ subject }: Json) => subject === made.id,
    )
    assert.deepEqual(
      [entries[0].action, entries.at(-1).action, entries.at(-2).after],
      ['payout_schedule.removed', 'payout_schedule.created', { status: 'paused' }],
    )
    await server.assertBooksClean()
  })

  it('pay where somebody has confirmed it, and pause when that was changed, until they are resumed', async () => {
    await holds(naira(10_000))
    const payee = await ownAccount(server, {
      destination: { bank_code: '058', account_number: '0000000014' },
    })
    const made = await make({ beneficiary: payee.id, maximum: naira(1_000) })
    const tick = () => advance('1d').then(() => read(made.id))
    await must(
      server.call('PATCH', `/beneficiaries/${payee.id}`, {
        destination: { bank_code: '058', account_number: '0000000012' },
      }),
    )
    assert.equal((await read(made.id)).next_skip, 'beneficiary_not_confirmed')
    const paused = await tick()
    assert.deepEqual(
      [paused.status, paused.paused_because, paused.next_run_at],
      ['paused', 'beneficiary_not_confirmed', null],
    )
    const resume = () => payer.call('PATCH', `/payout-schedules/${made.id}`, { status: 'active' })
    await assertRefused(server, 400, 'beneficiary_not_confirmed', resume)
    await confirmOwn(server, payee.id)
    const resumed = await must(resume())
    assert.deepEqual(
      [resumed.status, resumed.paused_because, resumed.next_skip],
      ['active', null, null],
    )
    assert.equal((await tick()).last_run.amount, naira(1_000))

    // Changed and confirmed again between two runs: who set it up has to say that it goes there.
    await must(
      server.call('PATCH', `/beneficiaries/${payee.id}`, {
        destination: { bank_code: '058', account_number: '0000000013' },
      }),
    )
    await confirmOwn(server, payee.id)
    assert.equal((await tick()).paused_because, 'beneficiary_changed')
    await must(resume())
    const tomorrow = new Date((await now()).getTime() + day)
    await server.app.db.query('update beneficiaries set usable_from = $2 where id = $1', [
      payee.id,
      tomorrow,
    ])
    const cooling = await tick()
    assert.deepEqual([cooling.status, cooling.last_run.code], ['active', 'beneficiary_cooling_off'])
    assert.equal((await tick()).last_run.amount, naira(1_000), 'it heals by itself')
    await must(server.call('DELETE', `/beneficiaries/${payee.id}`))
    assert.equal((await tick()).paused_because, 'beneficiary_not_found')
    await assertRefused(server, 400, 'beneficiary_not_found', resume)
    await change(made.id, { status: 'active', beneficiary: account.id })
    await remove(made.id)
  })

  it('wait for a second person above a limit, who is nobody of those who made or changed them', async () => {
    await holds(naira(10_000))
    const manager = await keyWith(server, ['manage'])
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 100 }] }),
    )
    const [ada, obi, eve] = [newPerson(server), newPerson(server), newPerson(server)]
    const [byAda, byObi] = [
      await keyWith(server, ['payout', 'read'], ada),
      await keyWith(server, ['payout'], obi),
    ]
    const body = { currency: 'ngn', beneficiary: account.id, interval: 'daily' }
    const made = await must(byAda.call('POST', '/payout-schedules', body))
    await must(byObi.call('PATCH', `/payout-schedules/${made.id}`, { keep: naira(1_000) }))
    await advance('1d')
    const { reference } = (await read(made.id)).last_run
    const payout = await must(payer.call('GET', `/payouts/${reference}`))
    assert.deepEqual(
      [payout.approval, payout.status, payout.amount],
      ['waiting', 'pending', naira(9_000)],
    )
    assert.deepEqual(payout.approval_details.made_by, {
      type: 'key',
      id: byAda.id,
      hint: byAda.hint,
    })
    for (const person of [ada, obi]) {
      const approver = await keyWith(server, ['approve'], person)
      assert.equal(
        (await approver.call('POST', `/payouts/${reference}/approve`)).code,
        'approved_by_maker',
      )
    }
    const approver = await keyWith(server, ['approve'], eve)
    assert.equal(
      (await must(approver.call('POST', `/payouts/${reference}/approve`))).approval,
      'approved',
    )
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: null }] }),
    )
    await remove(made.id)
  })

  it('run once, however many run them at once, beside payouts that leave them less', async () => {
    const keep = naira(10_000)
    for (let round = 0; round < 4; round++) {
      await holds(naira(50_000))
      const made = await make({ keep })
      const destination = { bank_code: '058', account_number: '0123456789' }
      const order = { amount: naira(7_000), currency: 'ngn', method: 'bank_transfer', destination }
      const others = Array.from({ length: 5 }, (_, n) =>
        payer.call('POST', '/payouts', { ...order, reference: `beside-${made.id}-${n}` }),
      )
      await Promise.all([
        ...others,
        ...Array.from({ length: 4 }, () => runAt(made.id, made.next_run_at)),
      ])
      const paid = (await Promise.all(others)).filter(({ status }) => status === 201).length
      const runs = await runsOf(made.id)
      assert.equal(runs.length, 1)
      const { docs } = await must(payer.call('GET', `/transactions?limit=10`))
      const [run] = docs.filter(({ reference }: Json) =>
        reference?.startsWith(`schedule-${made.id}`),
      )
      // What it took was what there was above what it keeps, in the moment that it had the wallet.
      if (run) assert.equal(run.balance_after, keep)
      else assert.equal(runs[0]?.[1], 'below_minimum')
      assert.equal(await available(), naira(50_000) - paid * naira(7_000) - (run?.amount ?? 0))
      assert.ok((await available()) >= 0)
      await remove(made.id)
    }
    await server.assertBooksClean()
  })

  it('do not run again for a time that has run, where a change began before it', async () => {
    await holds(naira(1_000))
    const made = await make({ keep: naira(50_000) })
    const due = made.next_run_at as string
    // A worker whose clock is a little ahead, or whose run the change waited for.
    await runAt(made.id, due)
    const changed = await change(made.id, { keep: naira(60_000) })
    assert.ok(changed.next_run_at > due, changed.next_run_at)
    assert.deepEqual(
      (await runsOf(made.id)).map(([at]) => at),
      [due],
    )
    await change(made.id, { status: 'paused' })
    const resumed = await change(made.id, { status: 'active' })
    assert.ok(resumed.next_run_at > due)
    await runAt(made.id, resumed.next_run_at)
    assert.equal((await runsOf(made.id)).length, 2)
    await remove(made.id)
  })

  it('leave nothing behind when the next run cannot be set, and happen once it can', async () => {
    await holds(naira(10_000))
    const made = await make({ keep: naira(9_000) })
    await server.asOwner(`
      create function break_timers() returns trigger language plpgsql as $$ begin
        if new.task = '${runTask}' then raise 'killed'; end if; return new; end $$;
      create trigger break_timers before insert on timers for each row execute function break_timers()`)
    await assert.rejects(runAt(made.id, made.next_run_at), /killed/)
    assert.deepEqual([await runsOf(made.id), await available()], [[], naira(10_000)])
    await server.asOwner('drop trigger break_timers on timers; drop function break_timers')
    await server.assertBooksClean()
    await runAt(made.id, made.next_run_at)
    await runAt(made.id, made.next_run_at)
    assert.deepEqual([(await runsOf(made.id)).length, await available()], [1, naira(9_000)])
    await server.app.db.query('delete from timers where subject = $1', [made.id])
    await assert.rejects(server.assertBooksClean(), /every active payout schedule has a timer/)
    await change(made.id, { time: '07:00' })
    await server.assertBooksClean()
    await remove(made.id)
  })

  it('pay nothing where the payout is refused, and say why', async () => {
    await holds(3_400)
    const made = await make()
    await runAt(made.id, made.next_run_at)
    assert.deepEqual(
      (await runsOf(made.id)).map(([, code]) => code),
      ['amount_too_small'],
    )
    assert.equal((await read(made.id)).status, 'active')
    await holds(naira(100))
    const next = await read(made.id)
    const destination = { bank_code: '058', account_number: '0123456789' }
    await server.fund('usd', 1_000)
    await must(
      payer.call('POST', '/payouts', {
        reference: `schedule-${made.id}-${next.next_run_at.slice(0, 10)}`,
        amount: 900,
        currency: 'usd',
        method: 'bank_transfer',
        destination,
      }),
    )
    await runAt(made.id, next.next_run_at)
    assert.equal((await read(made.id)).last_run.code, 'duplicate_reference')
    await setStatus(server, 'suspended')
    await runAt(made.id, (await read(made.id)).next_run_at)
    await setStatus(server, 'active')
    const stopped = await read(made.id)
    assert.deepEqual([stopped.last_run.code, stopped.status], ['business_suspended', 'active'])
    await remove(made.id)
  })

  it('are refused without an account of one’s own, with a rule that is none, and to others', async () => {
    const body = { currency: 'ngn', beneficiary: account.id, interval: 'daily' }
    const create = (more: object) => () =>
      payer.call('POST', '/payout-schedules', { ...body, ...more })
    for (const [more, path] of [
      [{ interval: 'weekly' }, 'weekday'],
      [{ interval: 'monthly' }, 'day'],
      [{ weekday: 'monday' }, 'weekday'],
      [{ interval: 'weekly', weekday: 'friday', day: 3 }, 'day'],
      [{ interval: 'monthly', day: 32 }, 'day'],
      [{ time: '24:00' }, 'time'],
      [{ minimum: 10, maximum: 9 }, 'maximum'],
      [{ keep: -1 }, 'keep'],
    ] as const) {
      const answer = await assertRefused(server, 422, 'validation_failed', create(more))
      assert.equal(answer.data[0].path, path)
    }
    const [plain, unconfirmed] = await Promise.all([
      ownAccount(server).then(async ({ id }) => {
        await server.app.db.query(
          'update beneficiaries set confirmed_at = null, confirmed_by = null, own = false where id = $1',
          [id],
        )
        return id
      }),
      ownAccount(server).then(async ({ id }) => {
        await server.app.db.query(
          'update beneficiaries set confirmed_at = null, confirmed_by = null where id = $1',
          [id],
        )
        return id
      }),
    ])
    const made = await make()
    for (const [beneficiary, code] of [
      [noId, 'beneficiary_not_found'],
      [plain, 'beneficiary_not_own'],
      [unconfirmed, 'beneficiary_not_confirmed'],
    ]) {
      await assertRefused(server, 400, code as string, create({ beneficiary }))
      await assertRefused(server, 400, code as string, () =>
        payer.call('PATCH', `/payout-schedules/${made.id}`, { beneficiary }),
      )
    }
    const stranger = await newBusiness(server)
    assert.equal((await stranger('POST', '/payout-schedules', body)).code, 'beneficiary_not_found')
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal(
        (
          await stranger(
            method,
            `/payout-schedules/${made.id}`,
            method === 'PATCH' ? {} : undefined,
          )
        ).status,
        404,
      )
    const reader = await keyWith(server, ['read', 'manage', 'collect'])
    assert.equal((await reader.call('POST', '/payout-schedules', body)).code, 'scope_missing')
    assert.equal(
      (await reader.call('DELETE', `/payout-schedules/${made.id}`)).code,
      'scope_missing',
    )
    assert.equal((await reader.call('GET', `/payout-schedules/${made.id}`)).status, 200)

    const live = server.callAs(server.liveKey)
    await server.app.db.query('update beneficiaries set livemode = true where id = $1', [
      account.id,
    ])
    assert.equal((await live('POST', '/payout-schedules', body)).code, 'rail_not_configured')
    await remove(made.id)
    await server.app.db.query(
      `update payout_schedules set livemode = true, deleted_at = null, status = 'paused' where id = $1`,
      [made.id],
    )
    const resume = await live('PATCH', `/payout-schedules/${made.id}`, {
      status: 'active',
      beneficiary: account.id,
    })
    assert.equal(resume.code, 'rail_not_configured')
    await server.app.db.query('update beneficiaries set livemode = false where id = $1', [
      account.id,
    ])
  })
})
