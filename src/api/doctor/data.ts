/** Checks the database and its contents. */
import { type DatabaseState, inspectDatabase } from '../../db/schema/migrate.ts'
import { keysInUse } from '../../db/sealed.ts'
import { later } from '../../lib/clock.ts'
import { behind, type Queue } from '../../platform/jobs/timers.ts'
import { type Finding, fail, type Installation, ok, warn } from './finding.ts'

const look = ({ app }: Installation): Promise<DatabaseState> => inspectDatabase(app.db, app.clock)

export async function database(of: Installation): Promise<Finding[]> {
  const { version, supported, role, power } = await look(of)
  const embedded = of.app.config.DATABASE_URL === null
  if (!supported)
    return [fail('database', `is PostgreSQL ${version}`, 'Upgrade it: Bursar needs 15 or newer.')]
  const found = ok(
    'database',
    `PostgreSQL ${version}${embedded ? ', embedded' : ''}; the role ${role} serves`,
  )
  if (power === null) return [found]
  const sentence = `the role ${role} ${power}, and so could undo what the tables refuse`
  return [
    found,
    warn(
      'role',
      sentence,
      'Let another role serve: “Your own PostgreSQL” in docs/operations.md has the commands.',
    ),
  ]
}

export async function schema(of: Installation): Promise<Finding[]> {
  const { misfit, unfinished } = await look(of)
  if (misfit !== null)
    return [fail('schema', misfit, 'Run `bursar migrate` with the version that is to serve.')]
  if (unfinished.length > 0)
    return [
      warn(
        'schema',
        `has what servers of the version before need: ${unfinished.join(', ')}`,
        'Run `bursar migrate --finish` once none of them is alive, and you will not go back.',
      ),
    ]
  return [ok('schema', 'is this version’s, and the role may do what it needs')]
}

/** From this clock difference on, webhook signatures and sign-in codes start to fail. */
const failAheadMs = 10_000
const warnAheadMs = 1_000

export async function clock(of: Installation): Promise<Finding[]> {
  const { aheadMs, unsureMs } = await look(of)
  const surely = Math.max(0, Math.abs(aheadMs) - unsureMs)
  const seconds = (surely / 1000).toFixed(1)
  const found = `the database’s is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine’s`
  const todo = 'Set both by NTP: times that are due, and signatures, are judged by them.'
  if (surely >= failAheadMs) return [fail('clock', found, todo)]
  if (surely >= warnAheadMs) return [warn('clock', found, todo)]
  return [ok('clock', 'the database’s agrees with this machine’s, to the second')]
}

export async function secrets({ app }: Installation): Promise<Finding[]> {
  const [current, ...old] = app.secrets.map(({ id }) => id)
  const used = await keysInUse(app.db)
  const missing = used.filter((id) => id !== current && !old.includes(id))
  if (missing.length > 0)
    return missing.map((id) =>
      fail(
        'secrets',
        `key ${id} has sealed something and is not given: no server starts without it`,
        `Give it in SECRETS_KEYS_OLD, or put it into secrets.key; if it is lost: \`bursar secrets forget ${id}\`.`,
      ),
    )
  if (used.length > 1)
    return [
      warn(
        'secrets',
        `something may be sealed under an old key still, besides ${current}`,
        'Run `bursar secrets rotate`, then take the old key away.',
      ),
    ]
  return [ok('secrets', `one key, ${current}, opens everything`)]
}

/** Work that is later than this is not just queued. */
const lateMs = 5 * 60_000

const sentences: Record<Queue, (count: bigint, task: string) => string> = {
  timers: (count, task) =>
    `${count} of ${task} are due for more than five minutes and were not started`,
  jobs: (count, task) => `${count} jobs ${task} wait for a worker for more than five minutes`,
  'given up': (count, task) => `${count} jobs ${task} failed until no try was left`,
  webhooks: (count) => `${count} deliveries to webhooks wait for more than five minutes`,
}

const todos: Record<Queue, string> = {
  timers:
    'See that a worker runs: `bursar serve`, or `--role worker`; `/health` says whether it works.',
  jobs: 'See that a worker runs, and that WORKER_CONCURRENCY and DATABASE_POOL suffice.',
  'given up': 'Look for the task in the log, and mend what it failed by.',
  webhooks: 'See that a worker runs, and which endpoints answer slowly.',
}

export async function queues({ app }: Installation): Promise<Finding[]> {
  const late = await behind(app.db, later(app.clock.now(), -lateMs))
  if (late.length === 0) return [ok('queues', 'nothing is late')]
  return late.map(({ queue, task, count }) => {
    const level = queue === 'timers' || queue === 'jobs' ? fail : warn
    return level('queues', sentences[queue](count, task), todos[queue])
  })
}

export async function outgoing({ heldWarnings }: Installation): Promise<Finding[]> {
  const held = await heldWarnings()
  if (held.length === 0) return [ok('outgoing', 'money goes out')]
  return held.map((sentence) =>
    warn('outgoing', sentence, 'Follow “Outgoing money is held” in docs/backup.md.'),
  )
}
