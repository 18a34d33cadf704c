import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import type { App, Scope } from '../../core/app.ts'
import type { Task } from '../../core/module.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import { newClient } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { startWorkers, type Workers } from './jobs.ts'
import { claimDue, runnerTask } from './runner.ts'
import { enqueue, type NewJob, schedule, timerTask } from './timers.ts'

/** How long what runs gets when workers stop: only a pool that was cut off waits for it. */
const graceMs = 2_000

describe('tasks that run from their timers', () => {
  let server: TestServer
  let scope: Scope
  let ctx: Ctx
  let ran: unknown[] = []
  let workers: Workers[] = []
  let gate = Promise.withResolvers<void>()
  const started: AbortSignal[] = []
  let failure: Error | null = null
  let failHeld = false
  const tasks: Record<string, Task> = {
    'test.note': async (_ctx, { what }) => void ran.push(what),
    'test.held': async (_ctx, { what }, signal) => {
      started.push(signal)
      await Promise.race([
        gate.promise,
        new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ])
      signal.throwIfAborted()
      if (failHeld) throw new Error('on purpose')
      ran.push(what)
    },
    'test.fail': async (_ctx, { what }) => {
      ran.push(what)
      if (failure !== null) throw failure
    },
  }
  before(async () => {
    server = await startServer({}, undefined, undefined, 'none')
    scope = { businessId: server.businessId, livemode: true, now: server.app.clock.now() }
    ctx = outside(server.app, scope)
  })
  afterEach(async () => {
    gate.resolve()
    for (const one of workers) await one.stop()
    workers = []
    gate = Promise.withResolvers()
    ran = []
    started.length = 0
    failure = null
    await server.app.db.query(`delete from timers where task like 'test.%'`)
  })
  after(() => server.stop())

  async function startRunner(app: App = server.app, concurrency = 4, grace = graceMs) {
    const plan = {
      groups: [{ concurrency, tasks }],
      periodic: [runnerTask(app, tasks, concurrency), timerTask(app, Object.keys(tasks))],
    }
    const started = await startWorkers(app, server.databaseUrl, plan, grace)
    workers.push(started)
    return started
  }
  const job = (task: string, what: unknown): NewJob => ({
    task,
    subject: newId(scope.now),
    payload: { what },
  })
  const add = (jobs: NewJob[]) => ctx.write((work) => enqueue(work, jobs))
  const timers = () =>
    server.app.db.query<{ id: Id; claimed_by: string | null; what: unknown }>(
      `select id, claimed_by, payload -> 'what' as what from timers where task like 'test.%' order by id`,
    )
  const jobs = () =>
    server.app.db.query<{ attempts: number; payload: Record<string, unknown> }>(
      `select attempts, payload from graphile_worker._private_jobs`,
    )
  const nothingLeft = async () => (await timers()).length === 0 && (await jobs()).length === 0

  it('run once each where two workers take them, at once and at their time, and leave nothing', async () => {
    await startRunner()
    await startRunner()
    await add(Array.from({ length: 60 }, (_, n) => job('test.note', n)))
    await ctx.write((work) =>
      schedule(work, { ...job('test.note', 'later'), dueAt: later(server.app.clock.now(), 300) }),
    )
    await until(async () => ran.includes('later') && ran.length >= 61)
    assert.equal(new Set(ran).size, 61)
    await until(nothingLeft)
    assert.equal(ran.length, 61)
  })

  it('take turns, those to run at once and those whose time has come', async () => {
    const past = later(scope.now, -60_000)
    await add(Array.from({ length: 10 }, () => job('test.note', 'at once')))
    await ctx.write(async (work) => {
      for (let n = 0; n < 10; n++)
        await schedule(work, { ...job('test.note', 'waited'), dueAt: past })
    })
    const params = ['worker-own', server.app.clock.now(), Object.keys(tasks), 6]
    const claimed = await server.app.db.rows(claimDue, params)
    const whats = claimed.map(({ payload }) => payload.what).sort()
    assert.deepEqual(whats, [...Array(3).fill('at once'), ...Array(3).fill('waited')])
  })

  it('become jobs when they fail, and are tried again', async () => {
    failure = new Error('on purpose')
    await startRunner()
    await add([job('test.fail', 'once more')])
    const [left] = await until(async () => {
      const rows = await jobs()
      return rows.length > 0 && rows
    })
    assert.deepEqual(await timers(), [])
    assert.equal(left?.payload.business_id, server.businessId)
    failure = null
    await server.app.db.query('update graphile_worker._private_jobs set run_at = now()')
    await until(nothingLeft)
    assert.ok(ran.length >= 2)
  })

  it('are released when the worker that claimed them is dead, and run', async () => {
    await add([job('test.note', 'lost')])
    await server.app.db.query(
      `update timers set claimed_by = 'worker-lost' where task like 'test.%'`,
    )
    await startRunner()
    await until(async () => ran.includes('lost') && (await nothingLeft()))
    assert.deepEqual(ran, ['lost'])
  })

  it('run where the answer to a claim was lost', async () => {
    let lost = 0
    const db = {
      ...server.app.db,
      rows: async (statement: typeof claimDue, params: unknown[]) => {
        const rows = await server.app.db.rows(statement, params)
        if (statement === claimDue && rows.length > 0 && lost++ === 0) throw new Error('no answer')
        return rows
      },
    } as App['db']
    await add([job('test.note', 'unheard')])
    await startRunner({ ...server.app, db })
    await until(async () => ran.includes('unheard') && (await nothingLeft()))
    assert.deepEqual([lost > 0, ran], [true, ['unheard']])
  })

  it('run though one was lost while what was lost before is being released', async () => {
    const [releasing, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lost: unknown[] = []
    let isCut = true
    const db = {
      ...server.app.db,
      rows: async (statement: typeof claimDue, params: unknown[]) => {
        if (statement.name === 'jobs.queue_failed' && isCut) {
          lost.push(params)
          throw new Error('cut')
        }
        if (statement.name === 'timers.release_claims' && isCut) {
          releasing.resolve()
          await released.promise
        }
        return server.app.db.rows(statement, params)
      },
    } as App['db']
    failure = new Error('on purpose')
    await startRunner({ ...server.app, db })
    await add([job('test.fail', 'first'), job('test.held', 'second')])
    await releasing.promise
    // It fails, and cannot be queued, after the release has begun without it.
    failHeld = true
    gate.resolve()
    await until(async () => lost.length >= 2)
    isCut = false
    failure = null
    failHeld = false
    released.resolve()
    await until(async () => ran.includes('second') && (await nothingLeft()))
  })

  it('go on when every database session is cut', async () => {
    await startRunner()
    await add(Array.from({ length: 20 }, (_, n) => job('test.note', n)))
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    await until(async () => new Set(ran).size === 20 && (await nothingLeft()))
  })

  it('are given back by a worker that stops before they end', async () => {
    const one = await startRunner(server.app, 4, 0)
    await add([job('test.held', 'begun')])
    await until(async () => started.length > 0)
    await one.stop()
    assert.equal(started[0]?.aborted, true)
    assert.deepEqual(
      (await timers()).map(({ claimed_by }) => claimed_by),
      [null],
    )
    assert.deepEqual([ran, await jobs()], [[], []])
  })

  it('end when their test data were emptied meanwhile, and leave no job', async () => {
    failure = new TestDataEmptied()
    const test = outside(server.app, { ...scope, livemode: false })
    await startRunner()
    await test.write((work) => enqueue(work, [job('test.fail', 'emptied')]))
    await until(async () => ran.length >= 2)
    await server.app.db.query(`delete from timers where task like 'test.%'`)
    await until(async () => (await jobs()).length === 0 && (await timers()).length === 0)
    const tries = ran.length
    await add([job('test.note', 'after')])
    await until(async () => ran.includes('after'))
    assert.ok(ran.length <= tries + 2)
  })
})
