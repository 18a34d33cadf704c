/** Finds problems of an installation, for `bursar doctor` and the pages that show the same. */
import { ConfigError } from '../../lib/config.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { address, names, proxy } from './address.ts'
import { clock, database, outgoing, queues, schema, secrets } from './data.ts'
import { type Finding, fail, type Installation, type Settings, warn } from './finding.ts'
import { archive, backups, disk } from './keeping.ts'
import { endpoints, incidents, mail, rails } from './outside.ts'
import { screening } from './screening.ts'

export { type Finding, fail, type Level, warn } from './finding.ts'

type Check<Subject> = { name: string; look(subject: Subject): Promise<Finding[]> }

const ofSettings: Check<Settings>[] = [
  { name: 'settings', look: names },
  { name: 'address', look: address },
  { name: 'proxy', look: proxy },
  { name: 'mail', look: mail },
  { name: 'disk', look: disk },
]

/** Checks that must pass before the tables can be read. */
const ofDatabase: Check<Installation>[] = [
  { name: 'database', look: database },
  { name: 'schema', look: schema },
  { name: 'clock', look: clock },
]

const ofData: Check<Installation>[] = [
  { name: 'secrets', look: secrets },
  { name: 'rails', look: rails },
  { name: 'incidents', look: incidents },
  { name: 'outgoing', look: outgoing },
  { name: 'screening', look: screening },
  { name: 'queues', look: queues },
  { name: 'endpoints', look: endpoints },
  { name: 'backups', look: backups },
  { name: 'archive', look: archive },
]

/** The longest duration of a check; its own requests have shorter timeouts. */
const checkMs = 30_000

async function examine<Subject>(checks: Check<Subject>[], subject: Subject): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map(({ name, look }) =>
      withDeadline(checkMs, look(subject)).catch((error: Error) => [
        fail(
          name,
          `could not be looked at: ${error.message}`,
          'Mend that first, then run this again.',
        ),
      ]),
    ),
  )
  return found.flat()
}

/**
 * Checks the settings' targets: the server's address, the mail server, the disk. Sends no mail and
 * changes nothing.
 */
export const examineSettings = (settings: Settings): Promise<Finding[]> =>
  examine(ofSettings, settings)

/**
 * Runs every check, and changes nothing. A check never throws: one that fails to run is a finding.
 */
export async function diagnose(installation: Installation): Promise<Finding[]> {
  const { app } = installation
  const [settings, base] = await Promise.all([
    examineSettings({ config: app.config, clock: app.clock, url: app.origin.url }),
    examine(ofDatabase, installation),
  ])
  const readable = !base.some(({ check, level }) => check !== 'clock' && level === 'fail')
  const rest = readable
    ? await examine(ofData, installation)
    : [
        warn(
          'data',
          'was not looked at, as the database is not well',
          'Mend the database, then run this again.',
        ),
      ]
  return [...base, ...rest, ...settings]
}

/** Turns an error that keeps an installation from opening into a finding. */
export function obstacleOf(error: unknown): Finding {
  const { message } = error as Error
  if (!(error instanceof ConfigError))
    return fail('database', message, 'Make it start, or mend DATABASE_URL.')
  if (/^(MIGRATE_)?DATABASE_URL/.test(message))
    return fail('database', `cannot be reached: ${message}`, 'Start PostgreSQL, or mend that URL.')
  return fail('settings', message, 'Mend that setting: the server does not start with it.')
}
