/**
 * `bursar serve`: one process, or one that looks after others.
 */
import { flushCompileCache } from 'node:module'
import { createBusiness, listBusinesses } from '../../books/businesses/businesses.ts'
import type { App, Role } from '../../core/app.ts'
import { powerOf } from '../../db/schema/migrate.ts'
import { type Config, readConfig } from '../../lib/config.ts'
import { isEverywhere } from '../../lib/listening.ts'
import { version } from '../../lib/version.ts'
import { invitationUrl, inviteFirstOwner } from '../../platform/team/team.ts'
import { type Cell, type Ready, type RunningCells, readCells, startCells } from '../cells/cells.ts'
import { type Opened, open, openLog, serve, startWork, telemetryOf } from '../main.ts'
import { ChildFailed, isChild, notifyReady, parentOf, startProcesses } from './processes.ts'
import { stopSignal, stopWithLauncher } from './signals.ts'
import { print, UserError } from './terminal.ts'

/** What the embedded database lets in, less what it keeps for itself and for commands. */
const embeddedConnections = 190
/**
 * What a process needs beside `DATABASE_POOL`: the sandbox's own, the workers' sessions, and the
 * one that says which version runs.
 */
const furtherConnections = 7

type Running = { url: string; stop(): Promise<void>; kill?(): void }

/** @throws {UserError} when the text names no role */
export function readRole(text: string): Role {
  if (text === 'all' || text === 'api' || text === 'worker') return text
  throw new UserError(`--role '${text}': must be one of api, worker, all`)
}

/** @throws {UserError} when the text is no number of processes */
export function readCount(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  throw new UserError(`--processes '${text}': must be a whole number from 1 to 99`)
}

/**
 * Runs the server until a signal stops it.
 * @param behindFront whether it is a cell's, started by the front, which is told where it answers
 * @throws {ConfigError} or {UserError} when it cannot start like this
 */
export async function runServer(
  config: Config,
  role: Role,
  count: number,
  behindFront = false,
): Promise<void> {
  if (role !== 'all' && config.DATABASE_URL === null)
    throw new UserError(
      `--role ${role} needs DATABASE_URL: the embedded database is for one server with its --processes.`,
    )
  if (role === 'worker' && count > 1)
    throw new UserError(
      '--processes is for what answers requests; start another `bursar serve --role worker`.',
    )
  if (!isChild && config.DATABASE_URL !== null && config.WAL_ARCHIVE_DIR !== null)
    throw new UserError(
      'WAL_ARCHIVE_DIR is for the embedded database: archive the WAL of your own by its archive_command.',
    )
  const connections = (count + 1) * (config.DATABASE_POOL + furtherConnections)
  if (config.DATABASE_URL === null && count > 1 && connections > embeddedConnections)
    throw new UserError(
      `--processes ${count}: they could open ${connections} connections, and the embedded database has ${embeddedConnections} for them; lower DATABASE_POOL.`,
    )
  let opened: Opened | null = null
  let running: Running | null = null
  const stop = stopSignal(config.STOP_TIMEOUT, () => {
    opened?.app.log.error({}, 'the stop took too long')
    running?.kill?.()
  })
  // The children of `--processes` have a channel, too, and end by it.
  if (!isChild && process.connected) stopWithLauncher()
  opened = await open(config, role)
  if (stop.aborted) return end(opened, null, stop)
  // The processes that a front starts, or a parent, have its environment.
  if (!isChild && !behindFront)
    for (const sentence of config.unknown) opened.app.log.warn({}, sentence)
  const power = isChild ? null : await powerOf(opened.url)
  if (power)
    opened.app.log.warn(
      {},
      `${power}, and so could undo what the tables refuse: let another serve (MIGRATE_DATABASE_URL)`,
    )
  try {
    running =
      count > 1
        ? await lookAfter(opened, config, role, count)
        : await serve(opened, role, isChild ? { parent: parentOf() } : {})
  } catch (error) {
    if (stop.aborted) return end(opened, null, stop)
    await opened.close()
    if (error instanceof ChildFailed) {
      process.exitCode = 1
      return
    }
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new UserError(`Port ${config.PORT} is taken on ${config.HOST}; set PORT to another.`)
    throw error
  }
  if (stop.aborted) return end(opened, running, stop)
  stop.addEventListener('abort', () => void end(opened, running, stop))
  if (behindFront) process.send?.({ url: running.url } satisfies Ready)
  else if (role === 'worker')
    print(`\nBursar ${version} works on jobs; ${running.url}/health says how it is.\n`)
  else if (isChild) notifyReady()
  else await welcome(opened, running.url)
  // A process that is killed would leave nothing for the next start.
  flushCompileCache()
}

/**
 * Runs the servers of cells, and the front before them, until a signal stops it.
 * @param only the letters of those that are served here; null: all
 * @throws {ConfigError} or {UserError} when it cannot start like this
 */
export async function runCells(
  env: NodeJS.ProcessEnv,
  { role, count, only }: { role: Role; count: number; only: readonly string[] | null },
): Promise<void> {
  if (count > 1)
    throw new UserError(
      '--processes is for one cell: start `bursar serve` with CELLS_FILE on more machines.',
    )
  const cells = readCells(env) as Cell[]
  const unknown = only?.find((letter) => !cells.some((cell) => cell.letter === letter))
  if (unknown !== undefined)
    throw new UserError(
      `--cells: there is no cell '${unknown}': there are ${cells.map(({ letter }) => letter).join(', ')}.`,
    )
  const config = readConfig(env)
  const log = openLog(config)
  for (const sentence of config.unknown) log.warn({}, sentence)
  let running: RunningCells | null = null
  const stop = stopSignal(config.STOP_TIMEOUT, () => running?.kill())
  try {
    running = await startCells(cells, { config, env, role, only, log })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new UserError(`Port ${config.PORT} is taken on ${config.HOST}; set PORT to another.`)
    throw error
  }
  const leave = async (): Promise<never> => {
    await running?.stop()
    process.exit(0)
  }
  if (stop.aborted) return leave()
  stop.addEventListener('abort', () => void leave())
  print(`\nBursar ${version} is listening on ${running.url}`)
  printNetwork(config)
  print(`  cells    ${(only ?? cells.map(({ letter }) => letter)).join(', ')}`)
  print(`  health   ${running.url}/health`)
  print('  next     npx bursar business create --name "Your Business"\n')
}

/** What only workers hold, taken from those that answer requests. */
const withoutSpendingKeys = {
  EVM_PAYOUT_KEY: '',
  EVM_PAYOUT_KEY_FILE: '',
  EVM_MNEMONIC_FILE: '',
  EVM_TEST_PAYOUT_KEY: '',
  EVM_TEST_PAYOUT_KEY_FILE: '',
  EVM_TEST_MNEMONIC_FILE: '',
}

/**
 * What the children's environment has unlike ours. What we were given, they are given the same way,
 * in files too.
 */
function childSettings(given: Config, { app, url }: Opened): Record<string, string> {
  return {
    ...(given.DATABASE_URL === null && { DATABASE_URL: url }),
    ...(given.SECRETS_KEY === null && keysOf(app)),
    ...withoutSpendingKeys,
  }
}

/** Keys of a file that commands may rewrite are read once. */
function keysOf({ secrets }: App): Record<string, string> {
  const [current, ...old] = secrets.map(({ raw }) => raw.export().toString('hex'))
  return { SECRETS_KEY: current as string, SECRETS_KEYS_OLD: old.join(), SECRETS_KEYS_OLD_FILE: '' }
}

/** The children answer; this process has their database, and the workers when the role says so. */
async function lookAfter(
  opened: Opened,
  given: Config,
  role: Role,
  count: number,
): Promise<Running> {
  const { app } = opened
  let work: Awaited<ReturnType<typeof startWork>> | null = null
  const children = await startProcesses({
    count,
    address: { port: app.config.PORT, host: app.config.HOST },
    env: childSettings(given, opened),
    workers: () => (role === 'all' ? (work?.healthy() ?? false) : null),
    log: app.log,
  })
  app.origin.url = app.config.BASE_URL ?? children.url
  const telemetry = role === 'all' ? await telemetryOf(app, null) : null
  try {
    if (role === 'all') work = await startWork(opened)
  } catch (error) {
    children.kill()
    throw error
  }
  return {
    url: children.url,
    kill: children.kill,
    async stop() {
      await Promise.all([children.stop(), work?.stop()])
      await telemetry?.stop()
    },
  }
}

/** Leaves everything in order, and ends the process. */
async function end(opened: Opened, running: Running | null, stop: AbortSignal): Promise<never> {
  opened.app.log.info({ signal: stop.reason }, 'stopping')
  await running?.stop()
  await opened.close()
  process.exit(0)
}

/** Says that other machines can reach the server, where they can. */
function printNetwork({ HOST }: Config): void {
  if (isEverywhere(HOST)) print(`  network  open on every address of this machine (HOST=${HOST})`)
}

/**
 * What a newcomer needs next. The demo business is made once, in an embedded database that has
 * none.
 */
async function welcome({ app, embedded }: Opened, url: string): Promise<void> {
  print(`\nBursar ${version} is listening on ${url}`)
  printNetwork(app.config)
  print(`  docs     ${url}/docs`)
  const isNew = (await listBusinesses(app)).length === 0
  if (embedded && isNew) {
    const { business: demo, test_key: key } = await createBusiness(app, 'Demo Business')
    print(`  business ${demo.name} (${demo.id}), made for you to try`)
    print(`  test key ${key}   (shown once)`)
    await printOwner(app)
    print('\nTry it:')
    print(`  curl ${url}/wallets -H 'Authorization: Bearer ${key}'`)
    print(
      `  curl ${url}/wallets/simulate-fund -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"currency":"ngn","amount":5000000}'`,
    )
    print(
      `  curl ${url}/payouts -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"reference":"first-1","amount":1000000,"currency":"ngn","method":"bank_transfer","destination":{"bank_code":"058","account_number":"0123456789"}}'`,
    )
  } else {
    print(
      isNew
        ? '  next     npx bursar business create --name "Your Business"'
        : '  keys     npx bursar keys create',
    )
    await printOwner(app)
  }
  print('')
}

/**
 * Where the dashboard is: while there is no owner, the link by which somebody becomes it. Each
 * start makes another, which replaces it.
 */
async function printOwner(app: App): Promise<void> {
  const token = await inviteFirstOwner(app)
  if (token === null) print(`  sign in  ${app.origin.url}/dashboard`)
  else print(`  owner    ${invitationUrl(app, token)}   (for the first who opens it within a day)`)
}
