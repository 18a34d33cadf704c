import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patience, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { rowsTouched } from '../../../test/support/plans.ts'
import type { Scope } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { startWorkers, type Workers } from './jobs.ts'
import { claimDue } from './runner.ts'
import { holdSession } from './session.ts'
import { enqueue, fireDue, fireOwn, schedule, timerTask } from './timers.ts'

describe('jobs and timers', () => {
  let server: TestServer
  let scope: Scope
  let ctx: Ctx
  const workers: Workers[] = []
  const ran: { what: unknown; at: number }[] = []
  let failures = 0
  /** What jobs are held by until a test opens it. */
  const gates = new Map<unknown, PromiseWithResolvers<void>>()
  const gateOf = (what: unknown): PromiseWithResolvers<void> => {
    const gate = gates.get(what) ?? Promise.withResolvers<void>()
    gates.set(what, gate)
    return gate
  }
  before(async () => {
    server = await startServer()
    scope = { businessId: server.businessId, livemode: true, now: server.app.clock.now() }
    ctx = outside(server.app, scope)
    const tasks = {
      'test.note': async (_ctx: Ctx, payload: Record<string, unknown>) => {
        ran.push({ what: payload.what, at: performance.now() })
      },
      'test.fail': async () => {
        failures += 1
        throw new Error('on purpose')
      },
      'test.held': async (_ctx: Ctx, payload: Record<string, unknown>) => {
        await gateOf(payload.gate).promise
        ran.push({ what: payload.what, at: performance.now() })
      },
    }
    // Two sets of workers with a timer loop each, as two processes would have.
    for (let i = 0; i < 2; i++)
      workers.push(
        await startWorkers(
          server.app,
          server.databaseUrl,
          { groups: [{ concurrency: 4, tasks }], periodic: [timerTask(server.app, [])] },
          1_000,
        ),
      )
  })
  /** How often the trigger of a test has failed. */
  const timesFailed = async (admin: ReturnType<typeof newClient>): Promise<number> => {
    const { rows } = await admin.query('select last_value from failures where is_called')
    return Number(rows[0]?.last_value ?? 0)
  }
  after(async () => {
    for (const one of workers) await one.stop()
    await server.stop()
  })

  it('survives a job that throws, and keeps it for another try', async () => {
    await ctx.write((work) =>
      enqueue(work, [
        { task: 'test.fail', subject: newId(scope.now) },
        { task: 'test.note', subject: newId(scope.now), payload: { what: 'after' } },
      ]),
    )
    await until(async () => failures > 0 && ran.some((one) => one.what === 'after'))
    const [job] = await until(async () => {
      const rows = await server.app.db.query<{ attempts: number; last_error: string | null }>(
        `select attempts, last_error from graphile_worker.jobs where task_identifier = 'test.fail'`,
      )
      return rows[0]?.last_error ? rows : null
    })
    assert.match(job?.last_error ?? '', /on purpose/)
  })

  it('has a job that failed often, or was broken off, wait five minutes at most, and tries it for a week', async () => {
    const jobs = () =>
      server.app.db.query<{ what: string; wait: number; max_attempts: number }>(
        `select payload->>'what' as what, extract(epoch from run_at - now())::float as wait, max_attempts
           from graphile_worker._private_jobs where payload->>'what' in ('often', 'planned')`,
      )
    await ctx.write((work) =>
      enqueue(work, [{ task: 'test.fail', subject: newId(scope.now), payload: { what: 'often' } }]),
    )
    const failed = await until(async () =>
      (await jobs()).find(
        ({ what, wait, max_attempts }) => what === 'often' && wait > 0 && max_attempts === 2_000,
      ),
    )
    assert.ok(failed.wait < 5)
    await server.app.db.query(
      `update graphile_worker._private_jobs set attempts = 9, max_attempts = 25, run_at = now() + exp(9) * interval '1 second' where payload->>'what' = 'often'`,
    )
    await server.app.db.query(
      `select graphile_worker.add_job('test.note', '{"what": "planned"}', run_at => now() + interval '1 hour')`,
    )
    const waits = await until(async () => {
      const rows = await jobs()
      return rows.some(({ what, wait }) => what === 'often' && wait <= 300) && rows
    })
    assert.equal(
      waits.find(({ what }) => what === 'often')?.max_attempts,
      2_000,
      'as one of an earlier version has it',
    )
    const waitOf = (one: string) => waits.find(({ what }) => what === one)?.wait ?? 0
    assert.ok(waitOf('often') > 200, `${waitOf('often')} s`)
    assert.ok(waitOf('planned') > 3_500, 'what was never tried keeps its time')
    await server.app.db.query(
      `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker._private_jobs where payload->>'what' in ('often', 'planned')`,
    )
  })

  it('adds nothing when the transaction rolls back', async () => {
    await assert.rejects(
      ctx.write(async (work) => {
        await enqueue(work, [
          { task: 'test.note', subject: newId(scope.now), payload: { what: 'never' } },
        ])
        await schedule(work, {
          task: 'test.note',
          subject: newId(scope.now),
          dueAt: scope.now,
          payload: { what: 'never' },
        })
        throw new Error('no')
      }),
    )
    assert.ok(!ran.some((one) => one.what === 'never'))
  })

  it('fires each timer once, at most a second late, whoever runs', async () => {
    const start = performance.now()
    const now = server.app.clock.now()
    await ctx.write(async (work) => {
      for (let i = 0; i < 60; i++)
        await schedule(work, {
          task: 'test.note',
          subject: newId(now),
          dueAt: later(now, 300 + i * 10),
          payload: { what: `t${i}`, due: i },
        })
    })
    const fired = () => ran.filter((one) => /^t\d+$/.test(String(one.what)))
    const left = () =>
      server.app.db.query(
        `select 1 from timers where payload->>'due' is not null
         union all select 1 from graphile_worker._private_jobs where payload->>'due' is not null`,
      )
    await until(async () => fired().length >= 60 && (await left()).length === 0)
    assert.equal(fired().length, 60)
    for (const { what, at } of fired()) {
      const late = at - start - (300 + Number(String(what).slice(1)) * 10)
      assert.ok(late > -50 && late < 1_000 * patience, `${what} was ${Math.round(late)} ms late`)
    }
  })

  it('looks at each timer a few times, whatever plan was made while there were none', async () => {
    const count = 2_000
    const fill = `insert into timers (business_id, livemode, id, due_at, task, subject, payload)
      select '${scope.businessId}', true, lpad(to_hex(n), 24, '0'), now() - interval '1 day', 'test.note', lpad('', 24, '0'), '{}'
        from generate_series(1, ${count}) n`
    for (const [statement, types, params] of [
      [fireDue, 'timestamptz, int, text[]', `now(), 200, '{}'`],
      [claimDue, 'text, timestamptz, text[], int', `'worker', now(), '{test.note}', 200`],
      [
        fireOwn.own,
        'text, boolean, timestamptz',
        `'${scope.businessId}', true, now() - interval '1 hour'`,
      ],
    ] as const) {
      const touched = await rowsTouched(server.databaseUrl, {
        table: 'timers',
        statement,
        types,
        params,
        fill,
      })
      assert.ok(touched < 20 * count, `${statement.name} touches ${touched} rows`)
      assert.ok(statement.replanned)
    }
  })

  it('goes on when every database session is cut', async () => {
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await admin.end()
    await until(async () => (await server.call('GET', '/health')).status === 200)
    assert.ok(
      workers.every((one) => one.healthy()) ||
        (await until(async () => workers.every((one) => one.healthy()))),
    )
    await ctx.write((work) =>
      enqueue(work, [
        { task: 'test.note', subject: newId(scope.now), payload: { what: 'recovered' } },
      ]),
    )
    await until(async () => ran.some((one) => one.what === 'recovered'), 20_000)
  })

  it('starts workers again that could not end their job', async () => {
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query(
      `create sequence failures; grant usage on sequence failures to public;
       create function fail_once() returns trigger language plpgsql as
         $$ begin perform nextval('failures'); raise exception 'on purpose' using errcode = '57014'; end $$`,
    )
    await admin.query(
      `create trigger fail_once before delete on graphile_worker._private_jobs for each statement execute function fail_once()`,
    )
    const note = (what: string) =>
      ctx.write((work) =>
        enqueue(work, [{ task: 'test.note', subject: newId(scope.now), payload: { what } }]),
      )
    await note('not ended')
    await until(
      async () => ran.some((one) => one.what === 'not ended') && (await timesFailed(admin)) > 0,
    )
    await admin.query('drop trigger fail_once on graphile_worker._private_jobs')
    await admin.end()
    await note('ended')
    await until(async () => ran.some((one) => one.what === 'ended'), 20_000)
    await until(async () => workers.every((one) => one.healthy()))
  })

  it('starts workers again that could not end several jobs one after the other', async () => {
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query(
      `create trigger fail_for_a_while before delete on graphile_worker._private_jobs for each statement execute function fail_once()`,
    )
    // Each set of workers gets some of them. Each is let go once the one before could not be ended:
    // they are not ended together.
    const held = Array.from({ length: 8 }, (_, n) => `held ${n}`)
    await ctx.write((work) =>
      enqueue(
        work,
        held.map((what) => ({
          task: 'test.held',
          subject: newId(scope.now),
          payload: { what, gate: what },
        })),
      ),
    )
    for (const what of held) {
      const before = await timesFailed(admin)
      gateOf(what).resolve()
      await until(
        async () => ran.some((one) => one.what === what) && (await timesFailed(admin)) > before,
      )
    }
    await admin.query('drop trigger fail_for_a_while on graphile_worker._private_jobs')
    await admin.end()
    const left = () =>
      server.app.db
        .query("select id from graphile_worker.jobs where task_identifier = 'test.held'")
        .then((rows) => rows.length)
    await until(async () => (await left()) === 0, 20_000)
    await until(async () => workers.every((one) => one.healthy()))
  })

  it('gives back the jobs of workers that have died, and not those of the living', async () => {
    await server.app.db.query(
      `select graphile_worker.add_job('test.note', json_build_object('business_id', $1::text, 'livemode', true, 'what', 'rescued'), run_at => now() + interval '1 hour')`,
      [scope.businessId],
    )
    await server.app.db.query(
      `update graphile_worker._private_jobs set locked_by = 'pool-dead', locked_at = now() - interval '1 minute', run_at = now()
        where payload->>'what' = 'rescued'`,
    )
    await until(async () => ran.some((one) => one.what === 'rescued'))
  })

  it('gives back a job that its pool was given and never heard of, and not those that it runs', async () => {
    const lost = (pool: string) =>
      server.app.db.query(
        `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - interval '1 minute', run_at = now()
          where payload->>'what' = 'unheard'`,
        [pool],
      )
    await ctx.write((work) =>
      enqueue(work, [
        { task: 'test.held', subject: newId(scope.now), payload: { what: 'long', gate: 'long' } },
      ]),
    )
    const pool = await until(async () => {
      const [row] = await server.app.db.query<{ pool: string }>(
        `select locked_by as pool from graphile_worker._private_jobs where payload->>'what' = 'long' and locked_by is not null`,
      )
      return row?.pool
    })
    // As if it had been taken long ago.
    await server.app.db.query(
      `update graphile_worker._private_jobs set locked_at = now() - interval '1 minute' where payload->>'what' = 'long'`,
    )
    await server.app.db.query(
      `select graphile_worker.add_job('test.note', json_build_object('business_id', $1::text, 'livemode', true, 'what', 'unheard'), run_at => now() + interval '1 hour')`,
      [scope.businessId],
    )
    await lost(pool)
    await until(async () => ran.some((one) => one.what === 'unheard'))
    gateOf('long').resolve()
    await until(async () => {
      const left = await server.app.db.query(
        `select from graphile_worker._private_jobs where payload->>'what' in ('unheard', 'long')`,
      )
      return left.length === 0
    })
    assert.deepEqual(
      ['unheard', 'long'].map((what) => ran.filter((one) => one.what === what).length),
      [1, 1],
    )
  })

  describe('that end while jobs they have taken wait for a worker', () => {
    /**
     * Ends workers while one job runs, and one waits in the process. @returns what was logged of
     * it, and how many jobs are still taken
     */
    async function end(
      whileEnding = async (): Promise<void> => {},
    ): Promise<{ logged: string[]; taken: number }> {
      const logged: string[] = []
      const write =
        (level: string) =>
        ({ err }: { err?: Error }, message: string): void =>
          void logged.push(`${level}: ${message}, since ${err?.message}`)
      const app = {
        ...server.app,
        log: { ...server.app.log, warn: write('warn'), error: write('error') },
      }
      const [running, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const task = async (): Promise<void> => {
        running.resolve()
        await released.promise
      }
      const groups = [{ concurrency: 1, tasks: { 'test.own': task } }]
      const one = { task: 'test.own', subject: newId(scope.now) }
      await ctx.write((work) => enqueue(work, [one, one, one]))
      const own = await startWorkers(app, server.databaseUrl, { groups, periodic: [] }, 30_000)
      await running.promise
      await whileEnding()
      const stopped = own.stop()
      released.resolve()
      await stopped
      const jobs = await server.app.db.query<{ locked_by: string | null }>(
        `select locked_by from graphile_worker.jobs where task_identifier = 'test.own'`,
      )
      await server.app.db.query(
        `select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs where task_identifier = 'test.own'`,
      )
      return { logged, taken: jobs.filter((job) => job.locked_by !== null).length }
    }

    it('give them back before they have ended', async () => {
      assert.deepEqual(await end(), { logged: [], taken: 0 })
    })

    it('warn where they cannot, and why, since others do so later', async () => {
      const admin = newClient(server.superuserUrl)
      await admin.connect()
      const { logged, taken } = await end(async () => {
        await admin.query(
          `create trigger refused before update on graphile_worker._private_jobs for each row
             when (new.locked_by is null and old.locked_by is not null) execute function fail_once()`,
        )
      }).finally(() =>
        admin
          .query('drop trigger refused on graphile_worker._private_jobs')
          .then(() => admin.end()),
      )
      assert.ok(
        logged.some((line) => /^warn: Failed to return jobs.*, since on purpose$/.test(line)),
      )
      assert.deepEqual(
        logged.filter((line) => line.startsWith('error')),
        [],
      )
      assert.equal(taken, 1)
    })
  })

  it('do not wait for a worker that is busy while another is free', async () => {
    const done: unknown[] = []
    const task = async (_ctx: Ctx, { held }: Record<string, unknown>): Promise<void> => {
      if (held) await gateOf('busy').promise
      done.push(held)
    }
    const startOwn = (): Promise<Workers> =>
      startWorkers(
        server.app,
        server.databaseUrl,
        { groups: [{ concurrency: 4, tasks: { 'test.mixed': task } }], periodic: [] },
        30_000,
      )
    await ctx.write((work) =>
      enqueue(
        work,
        Array.from({ length: 12 }, (_, n) => ({
          task: 'test.mixed',
          subject: newId(scope.now),
          payload: { held: n < 4 },
        })),
      ),
    )
    const own = [await startOwn()]
    try {
      // More than its four workers run: the others wait for those. Of jobs of one moment the
      // database may give the others first, which then wait for nobody.
      await until(async () => {
        const taken = await server.app.db.query(
          `select from graphile_worker.jobs where task_identifier = 'test.mixed' and locked_at is not null`,
        )
        return taken.length > 4 || done.length > 0
      })
      own.push(await startOwn())
      await until(async () => done.length >= 8)
      gateOf('busy').resolve()
      await until(async () => done.length >= 12)
      assert.deepEqual(done, [...Array(8).fill(false), ...Array(4).fill(true)])
    } finally {
      gateOf('busy').resolve()
      for (const one of own) await one.stop()
    }
  })

  it('lets go of a pool that was announced while the session was lost', async () => {
    const names = ['pool-lost-0']
    const held = () =>
      server.app.db.query(
        `select objid from pg_locks join unnest($1::text[]) as one (name)
             on objid::bigint = hashtext(name)::bigint & x'ffffffff'::bigint
          where locktype = 'advisory' and granted`,
        [names],
      )
    const session = await holdSession(server.app, server.databaseUrl)
    await session.announce(names[0] as string)
    assert.equal((await held()).length, 1, 'others see it once it is announced')
    await server.app.db.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and granted and objid::bigint = hashtext($1)::bigint & x'ffffffff'::bigint`,
      [names[0]],
    )
    await until(async () => !session.stands())
    // One after the other, so that some come before, some while and some after it is opened again.
    const announceOne = async (): Promise<void> => {
      const name = `pool-lost-${names.length}`
      names.push(name)
      void session.announce(name)
      await sleep(2)
    }
    while (!session.stands()) await announceOne()
    for (let n = 0; n < 50; n++) await announceOne()
    await until(async () => (await held()).length === names.length)
    for (const name of names) session.forget(name)
    await until(async () => (await held()).length === 0)
    await session.end()
  })
})
