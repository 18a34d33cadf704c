/**
 * What a process needs before it can do anything, opened once: the database, the rails, the prices
 * and the keys.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import pino from 'pino'
import { sealedAnswers } from '../api/http/idempotency.ts'
import { verify } from '../books/ledger/verify.ts'
import {
  assertCreditable,
  holdPrices,
  isOfficial,
  makePricing,
  readTable,
} from '../books/pricing/pricing.ts'
import type { App } from '../core/app.ts'
import type { Prices } from '../core/pricing.ts'
import { useArchived } from '../db/cluster/archive.ts'
import { postgresUser } from '../db/cluster/binaries.ts'
import { openDatabase, tryToConnect } from '../db/db.ts'
import { claimCell } from '../db/moves/own-cell.ts'
import { openReplica } from '../db/replica.ts'
import { type Access, prepareSchema, requireSchema } from '../db/schema/migrate.ts'
import { type HeldVersion, holdVersion } from '../db/schema/versions.ts'
import { useKeys } from '../db/sealed.ts'
import { nameCell } from '../lib/cells.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { type Config, ConfigError } from '../lib/config.ts'
import { keyFileOf, readKeyFile } from '../lib/key-file.ts'
import { localUrl } from '../lib/listening.ts'
import type { Log } from '../lib/log.ts'
import { type Keyring, keyringOf } from '../lib/secrets.ts'
import { traced } from '../lib/steps.ts'
import { targetAgent } from '../platform/webhooks/http-client.ts'
import { readRailsFile } from '../rails/accounts/accounts.ts'
import { checkAccounts } from '../rails/accounts/checks.ts'
import { termsOf } from '../rails/accounts/choice.ts'
import type { Provider } from '../rails/ports/provider.ts'
import type { Rails } from '../rails/ports/routes.ts'
import { knownNetworks } from '../rails/reference/networks.ts'
import { sandboxScreen } from '../rails/sandbox/sandbox.ts'
import { openScreenFile } from '../rails/screen-file/screen-file.ts'
import { checks, sealed } from './modules.ts'
import { heldWarnings } from './outgoing.ts'
import {
  type Evm,
  providers as knownProviders,
  loadEvm,
  makeRails,
  reportsWritten,
} from './rails.ts'
import { strategiesOf } from './strategies.ts'

/** The parts, opened: for the server and for commands. */
export type Opened = {
  app: App
  url: string
  evm: Evm
  embedded: boolean
  /**
   * Leaves the embedded database, which stops when nobody else uses it, without waiting for what is
   * asked of it.
   */
  release(): Promise<void>
  /** Waits for what is asked of the database, and leaves it. */
  close(): Promise<void>
}

/** Lines of JSON to the standard output, each in one write. */
export function openLog(config: Pick<Config, 'LOG_LEVEL' | 'OTEL_EXPORTER_OTLP_ENDPOINT'>): Log {
  const mixin = () => {
    const { trace_id, span_id } = traced.getStore() ?? {}
    return { trace_id, span_id }
  }
  return pino(
    {
      level: config.LOG_LEVEL,
      base: null,
      ...(config.OTEL_EXPORTER_OTLP_ENDPOINT !== null && { mixin }),
    },
    pino.destination({ fd: 1, sync: true }),
  ) as never
}

/**
 * Opens the database (the operator's, or the embedded one), brings its schema up to date and makes
 * the parts.
 * @param role what the process does: a server of it is the one of its data directory, a `tool` runs
 * beside it or alone
 * @param bringUp what is done about the schema: a tool leaves it to servers, and to the operator
 * @param providers whose accounts `RAILS_FILE` may have
 * @throws {ConfigError} when the configuration cannot work
 * @throws {MigrationError} when the schema does not fit
 */
export async function open(
  given: Config,
  role: App['role'],
  clock: Clock = systemClock,
  bringUp: (access: Access) => Promise<unknown> = role === 'tool' ? requireSchema : prepareSchema,
  providers: readonly Provider[] = knownProviders,
): Promise<Opened> {
  // Of the owner's URL nothing is kept: it is for the schema only.
  const config: Config = { ...given, MIGRATE_DATABASE_URL: null }
  const log = openLog(config)
  nameCell(config.CELL, config.CELL_ACCEPTS)
  const table = readTable(config.PRICING_FILE)
  const pricing = makePricing(table)
  if (Object.values(table.rates).includes(isOfficial) && config.EXCHANGE_RATES_URL === null)
    throw new ConfigError('PRICING_FILE: rates: an official rate needs EXCHANGE_RATES_URL')
  const evm = await loadEvm(config)
  if (evm)
    assertCreditable(pricing, (part) => {
      throw new ConfigError(`PRICING_FILE: ${part}: is needed with EVM_FILE`)
    })
  const accounts = readRailsFile(config.RAILS_FILE, {
    providers,
    secretOf: config.secretOf,
    baseUrl: config.BASE_URL,
  })
  const lists = config.SCREENING_FILE === null ? [] : [openScreenFile(config.SCREENING_FILE, log)]
  const dir = resolve(config.DATA_DIR)
  if (config.DATABASE_URL === null) closeDataDir(dir, role === 'tool' ? null : log)
  const secrets = readKeys(config)
  await assertConsistent(given, role)
  const use = role === 'tool' ? 'tool' : 'serve'
  const server = config.DATABASE_URL === null ? await useArchived(config, use) : null
  let held: HeldVersion | null = null
  let released: Promise<void> | undefined
  const release = async () => {
    await held?.end()
    released ??= server?.release()
    await released
  }
  const url = config.DATABASE_URL ?? (server as { url: string }).url
  try {
    await bringUp({ url, ownerUrl: server?.ownerUrl ?? given.MIGRATE_DATABASE_URL })
    if (role !== 'tool')
      held = await holdVersion(url, {
        log,
        onMisfit({ message }) {
          log.error({}, `this server stops: ${message}`)
          process.kill(process.pid, 'SIGTERM')
        },
      })
  } catch (error) {
    await release()
    throw error
  }
  const pools = openPools(config, { url, role, log })
  const { db } = pools
  const close = async () => {
    await reportsWritten()
    await pools.close()
    await release()
  }
  let rails: Rails
  let prices: Prices
  try {
    prices = await holdPrices({ db, clock, log }, table, config.EXCHANGE_RATES_MAX_AGE)
    rails = makeRails(evm, accounts, pools.sandbox, { db, clock, log, config })
  } catch (error) {
    await close()
    throw error
  }
  const app: App = {
    role,
    db,
    probe: pools.probe,
    limits: pools.limits ?? db,
    replica: pools.replica,
    clock,
    elapsed: () => performance.now(),
    config,
    log,
    secrets,
    prices,
    rails,
    screens: { test: [sandboxScreen, ...lists], live: lists },
    terms: termsOf(rails),
    networks: evm ? evm.rail.networksWith(evm.settings) : knownNetworks,
    strategies: strategiesOf(
      () => heldWarnings({ db }),
      async () =>
        evm ? await evm.rail.evmStates(evm, db, clock.now()) : { watchers: [], warnings: [] },
    ),
    origin: { url: config.BASE_URL ?? localUrl({ port: config.PORT, host: config.HOST }) },
  }
  const opened: Opened = {
    app,
    url,
    evm,
    embedded: server !== null,
    release,
    close,
  }
  try {
    await assertUsable(app)
    await claimCell(db, config.CELL, { claims: role !== 'tool' })
    if (role !== 'tool') await checkAccounts(accounts, rails, { db, log, now: clock.now() })
  } catch (error) {
    await close()
    throw error
  }
  return opened
}

/**
 * Recomputes the books and holds every record against them.
 * @param onCheck is told how many checks are done
 * @param whole reads all of history, not only what came since the last closing
 */
export async function verifyBooks(
  { db }: Pick<App, 'db'>,
  {
    onCheck = () => {},
    whole = false,
  }: { onCheck?(done: number, total: number): void; whole?: boolean } = {},
) {
  const found = await verify(db, checks, {
    whole,
    before: async (done, _name, total) => onCheck(done, total),
  })
  onCheck(checks.length, checks.length)
  return found
}

/** Opens the connections of a process. Health checks and the sandbox have pools of their own. */
function openPools(
  config: Config,
  { url, role, log }: { url: string; role: App['role']; log: Log },
) {
  const onError = (error: Error): void =>
    log.error({ err: error }, 'an idle database connection failed')
  const { DATABASE_POOL: max, LIMITS_DATABASE_URL: limitsUrl, READ_URL: readUrl } = config
  const db = openDatabase(url, { max, onError })
  const sandbox = openDatabase(url, { max: 4, onError })
  const probe = openDatabase(url, { max: 1, onError })
  const limits = limitsUrl === null ? null : openDatabase(limitsUrl, { max: 2, onError })
  const replica =
    readUrl === null || role === 'tool' ? null : openReplica(readUrl, db, { max, log })
  const all = [db, sandbox, probe, limits, replica]
  const close = async () => void (await Promise.all(all.map((one) => one?.close())))
  return { db, sandbox, probe, limits, replica, close }
}

/** @throws {ConfigError} for settings that do not go together, or a database that refuses */
async function assertConsistent(given: Config, role: App['role']): Promise<void> {
  if (role === 'worker' && given.BASE_URL === null)
    throw new ConfigError(
      'BASE_URL: is required with --role worker, whose jobs make links to where the API answers',
    )
  if (given.OPERATOR_EMAIL !== null && given.SMTP_URL === null)
    throw new ConfigError('OPERATOR_EMAIL: needs SMTP_URL, by which it is mailed')
  if (given.MIGRATE_DATABASE_URL !== null && given.DATABASE_URL === null)
    throw new ConfigError('MIGRATE_DATABASE_URL: needs DATABASE_URL, of the role that serves')
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL'] as const)
    if (given[name] !== null)
      await tryToConnect(given[name]).catch((error: Error) => {
        throw new ConfigError(`${name}: ${error.message}`)
      })
}

/** Everything that is sealed. */
export const sealedColumns = [...sealed, sealedAnswers]

/**
 * Keeps others out of the data directory. A folder with other things in it is not ours to close:
 * that is warned about.
 */
function closeDataDir(dir: string, log: Log | null): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return
  const user = postgresUser()
  try {
    if (readdirSync(dir).every((name) => /^(postgres|secrets\.key)/.test(name))) {
      // Root's PostgreSQL is another user, who must pass through.
      if (user) chownSync(dir, 0, user.gid)
      chmodSync(dir, user ? 0o710 : 0o700)
    }
  } catch (error) {
    // It is another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
  if ((statSync(dir).mode & 0o027) !== 0)
    log?.warn({ dir }, 'DATA_DIR can be read by other users of this machine: run `chmod 700` on it')
}

/**
 * The keys that the settings give, or the data directory. @throws {ConfigError} when there is none,
 * or a file holds none
 */
function readKeys(config: Config): Keyring {
  const { SECRETS_KEY: given, SECRETS_KEYS_OLD: old } = config
  if (given !== null) return keyringOf(given, old)
  if (config.DATABASE_URL !== null)
    throw new ConfigError(
      'SECRETS_KEY: is required with DATABASE_URL; make one with `openssl rand -hex 32` and keep it',
    )
  const [current, ...before] = readKeyFile(resolve(config.DATA_DIR))
  return keyringOf(current, [...before, ...old])
}

/**
 * What would be found out too late otherwise: by the first delivery, or the first invoice. @throws
 * {ConfigError} that says what
 */
async function assertUsable({ role, config, db, secrets, clock }: App): Promise<void> {
  try {
    targetAgent(config)
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${(error as Error).message}`)
  }
  for (const file of config.PDF_FONTS)
    if (!existsSync(file)) throw new ConfigError(`PDF_FONTS: there is no file '${file}'`)
  // A tool seals nothing, and must be able to look while a key is missing.
  const [missing] = role === 'tool' ? [] : await useKeys(db, secrets, clock.now())
  if (missing === undefined) return
  const by = config.SECRETS_KEY === null ? keyFileOf(resolve(config.DATA_DIR)) : 'SECRETS_KEY'
  throw new ConfigError(
    `${by}: is not the key of this database, or not the only one: key ${missing} has sealed something too. Give that key as well, in SECRETS_KEYS_OLD; if it is lost, run \`bursar secrets forget ${missing}\``,
  )
}
