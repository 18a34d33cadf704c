/** Opens the parts of a process: the database, the rails, the prices and the keys. */
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
import { useArchived } from '../db/cluster/archive.ts'
import { postgresUser } from '../db/cluster/binaries.ts'
import { openDatabase } from '../db/db.ts'
import { claimCell } from '../db/moves/own-cell.ts'
import { isSameDatabase, keepsPrepared, sharesSessions } from '../db/pooler.ts'
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

/** The open parts, for the server and for commands. */
export type Opened = {
  app: App
  url: string
  evm: Evm
  embedded: boolean
  /**
   * Leaves the embedded database without waiting for its queries. It stops when its last user
   * leaves.
   */
  release(): Promise<void>
  /** Waits for the queries to end, and leaves the database. */
  close(): Promise<void>
}

/** Opens a log that writes lines of JSON to the standard output, each in one write. */
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

type Role = App['role']

type OpenOptions = {
  clock?: Clock | undefined
  /** Prepares the schema. Servers update it; a tool leaves that to them and to the operator. */
  bringUp?: ((access: Access) => Promise<unknown>) | undefined
  /** The providers whose accounts `RAILS_FILE` may have. */
  providers?: readonly Provider[] | undefined
}

/**
 * Opens the operator's or the embedded database, brings its schema up to date and makes the parts.
 * @param role what the process does: a data directory has one server at a time; a `tool` runs beside
 * it or alone
 * @throws {ConfigError} when the configuration cannot work
 * @throws {MigrationError} when the schema does not fit
 */
export async function open(
  given: Config,
  role: Role,
  {
    clock = systemClock,
    bringUp = role === 'tool' ? requireSchema : prepareSchema,
    providers = knownProviders,
  }: OpenOptions = {},
): Promise<Opened> {
  // The owner's URL is for the schema only, so that it is not kept.
  const config: Config = { ...given, MIGRATE_DATABASE_URL: null }
  const log = openLog(config)
  nameCell(config.CELL, config.CELL_ACCEPTS)
  const files = await readFiles(config, log, providers)
  if (config.DATABASE_URL === null)
    closeDataDir(resolve(config.DATA_DIR), role === 'tool' ? null : log)
  const secrets = readKeys(config)
  await assertConsistent(given, role)
  const { url, embedded, release } = await connect(given, { role, log, bringUp })
  const pooled = (role === 'api' && config.DATABASE_URL) || url
  const pools = openPools(config, { url: pooled, role, log })
  const close = async () => {
    await reportsWritten()
    await pools.close()
    await release()
  }
  try {
    const app = await makeApp(files, pools, { role, clock, config, log, secrets })
    await assertUsable(app)
    await claimCell(app.db, config.CELL, { claims: role !== 'tool' })
    if (role !== 'tool') {
      const checked = { db: app.db, log, now: clock.now() }
      await checkAccounts(files.accounts, app.rails, checked)
    }
    return { app, url, evm: files.evm, embedded, release, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Files = Awaited<ReturnType<typeof readFiles>>

/** Reads the files that the settings name: prices, networks, accounts, and a sanctions list. */
async function readFiles(config: Config, log: Log, providers: readonly Provider[]) {
  const prices = readTable(config.PRICING_FILE)
  const pricing = makePricing(prices)
  if (Object.values(prices.rates).includes(isOfficial) && config.EXCHANGE_RATES_URL === null)
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
  const screens = config.SCREENING_FILE === null ? [] : [openScreenFile(config.SCREENING_FILE, log)]
  return { prices, evm, accounts, screens }
}

type Connection = Pick<Opened, 'url' | 'embedded' | 'release'>

/**
 * Starts the embedded database unless there is another one, and prepares the schema. A server stops
 * once the schema no longer fits its version.
 */
async function connect(
  config: Config,
  { role, log, bringUp }: { role: Role; log: Log } & Required<Pick<OpenOptions, 'bringUp'>>,
): Promise<Connection> {
  const use = role === 'tool' ? 'tool' : 'serve'
  const server = config.DATABASE_URL === null ? await useArchived(config, use) : null
  let held: HeldVersion | null = null
  let released: Promise<void> | undefined
  const release = async () => {
    await held?.end()
    released ??= server?.release()
    await released
  }
  const url = config.DIRECT_DATABASE_URL ?? config.DATABASE_URL ?? (server as { url: string }).url
  try {
    await bringUp?.({ url, ownerUrl: server?.ownerUrl ?? config.MIGRATE_DATABASE_URL })
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
  return { url, embedded: server !== null, release }
}

async function makeApp(
  { prices, evm, accounts, screens }: Files,
  { db, probe, limits, replica, sandbox }: Pools,
  given: Pick<App, 'role' | 'clock' | 'config' | 'log' | 'secrets'>,
): Promise<App> {
  const { clock, config, log } = given
  const heldPrices = await holdPrices({ db, clock, log }, prices, config.EXCHANGE_RATES_MAX_AGE)
  const rails = makeRails(evm, accounts, sandbox, { db, clock, log, config })
  return {
    ...given,
    db,
    probe,
    limits: limits ?? db,
    replica,
    elapsed: () => performance.now(),
    prices: heldPrices,
    rails,
    screens: { test: [sandboxScreen, ...screens], live: screens },
    terms: termsOf(rails),
    networks: evm ? evm.rail.networksWith(evm.settings) : knownNetworks,
    strategies: strategiesOf(
      () => heldWarnings({ db }),
      async () =>
        evm ? await evm.rail.evmStates(evm, db, clock.now()) : { watchers: [], warnings: [] },
    ),
    origin: { url: config.BASE_URL ?? localUrl({ port: config.PORT, host: config.HOST }) },
  }
}

/**
 * Recomputes the balances and compares every record with them.
 * @param onCheck reports how many checks are done
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

type Pools = ReturnType<typeof openPools>

/** Opens the connections of a process. Health checks and the sandbox have pools of their own. */
function openPools(config: Config, { url, role, log }: { url: string; role: Role; log: Log }) {
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
async function assertConsistent(given: Config, role: Role): Promise<void> {
  if (role === 'worker' && given.BASE_URL === null)
    throw new ConfigError(
      'BASE_URL: is required with --role worker, whose jobs make links to where the API answers',
    )
  if (given.OPERATOR_EMAIL !== null && given.SMTP_URL === null)
    throw new ConfigError('OPERATOR_EMAIL: needs SMTP_URL, by which it is mailed')
  if (given.MIGRATE_DATABASE_URL !== null && given.DATABASE_URL === null)
    throw new ConfigError('MIGRATE_DATABASE_URL: needs DATABASE_URL, of the role that serves')
  if (given.DIRECT_DATABASE_URL !== null && given.DATABASE_URL === null)
    throw new ConfigError('DIRECT_DATABASE_URL: needs DATABASE_URL, which leads through the pooler')
  await assertSessions(given)
}

/**
 * Connects by each URL, so that a wrong one is reported at the start. Behind a pooler that lends
 * sessions for a transaction, `DIRECT_DATABASE_URL` must lead to PostgreSQL itself.
 * @throws {ConfigError} for a database that does not answer, or a pooler that cannot work
 */
async function assertSessions(given: Config): Promise<void> {
  const { DATABASE_URL: url, DIRECT_DATABASE_URL: direct } = given
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL', 'DIRECT_DATABASE_URL'] as const) {
    const asked = given[name]
    if (asked === null) continue
    const isShared = await sharesSessions(asked).catch((error: Error) => {
      throw new ConfigError(`${name}: ${error.message}`)
    })
    const hasDirect = name === 'DATABASE_URL' && direct !== null
    if (isShared && !hasDirect)
      throw new ConfigError(
        `${name}: leads through a pooler whose connections share sessions, such as PgBouncer with pool_mode = transaction. ${
          name === 'DATABASE_URL'
            ? 'Set DIRECT_DATABASE_URL to PostgreSQL itself, or use pool_mode = session.'
            : 'Give the URL of PostgreSQL itself.'
        }`,
      )
  }
  if (url === null || direct === null) return
  if (!(await isSameDatabase(direct, url)))
    throw new ConfigError('DIRECT_DATABASE_URL: is another database than DATABASE_URL')
  if (!(await keepsPrepared(url)))
    throw new ConfigError(
      'DATABASE_URL: its pooler does not keep prepared statements: use PgBouncer 1.21 or newer with max_prepared_statements, or pool_mode = session',
    )
}

/** The columns of all encrypted values. */
export const sealedColumns = [...sealed, sealedAnswers]

/**
 * Makes the data directory private to this user. It does not change a folder that has other files
 * in it, but warns if other users can read it.
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
 * Reads the keys of the settings or of the data directory. @throws {ConfigError} when there is none,
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
 * Checks settings that would otherwise fail at the first delivery or the first invoice.
 * @throws {ConfigError}
 */
async function assertUsable({ role, config, db, secrets, clock }: App): Promise<void> {
  try {
    targetAgent(config)
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE: ${(error as Error).message}`)
  }
  for (const file of config.PDF_FONTS)
    if (!existsSync(file)) throw new ConfigError(`PDF_FONTS: there is no file '${file}'`)
  // A tool encrypts nothing, and must be able to read while a key is missing.
  const [missing] = role === 'tool' ? [] : await useKeys(db, secrets, clock.now())
  if (missing === undefined) return
  const by = config.SECRETS_KEY === null ? keyFileOf(resolve(config.DATA_DIR)) : 'SECRETS_KEY'
  throw new ConfigError(
    `${by}: is not the key of this database, or not the only one: key ${missing} has encrypted something too. Give that key as well, in SECRETS_KEYS_OLD; if it is lost, run \`bursar secrets forget ${missing}\``,
  )
}
