/**
 * `bursar serve` over several cells: a server for each, in processes of its own, and the front
 * before them.
 */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../core/app.ts'
import { type Config, ConfigError } from '../../lib/config.ts'
import type { Log } from '../../lib/log.ts'
import { type Cell, readCells, versionOf } from './file.ts'
import { type Front, startFront } from './front.ts'
import { type CellServer, startServer } from './server.ts'

export { type Cell, type CellEntry, changeCells, environmentOf, readCells } from './file.ts'
export type { Ready } from './server.ts'

/** How often it is looked whether the file has changed. */
const lookEveryMs = 250

export type RunningCells = Pick<Front, 'url'> & { stop(): Promise<void>; kill(): void }

/** @property before whom it takes the place of, which answers until it does */
type Running = CellServer & { settings: string; before: Running | null }

/**
 * @property env what their processes have in theirs, beside what is the cell's own. @property only
 * the cells that are served here; null: all
 */
type Parts = {
  config: Config
  env: NodeJS.ProcessEnv
  role: Role
  only: readonly string[] | null
  log: Log
}

/**
 * Starts them, and follows the file: a cell that is added gets a server, and one whose settings
 * change another, before the one that it had ends. A cell that cannot start, or ends, is started
 * again, in ever longer steps: the others notice nothing.
 * @throws {Error} `EADDRINUSE` when the port is taken
 */
export async function startCells(
  cells: readonly Cell[],
  { config, env, role, only, log }: Parts,
): Promise<RunningCells> {
  const front = await startFront(cells, { port: config.PORT, host: config.HOST, only, log })
  const cli = fileURLToPath(new URL(`../cli/cli${extname(import.meta.url)}`, import.meta.url))
  const servers = new Map<string, Running>()
  /** All that is not over, of cells that are gone too. */
  const ending = new Set<Promise<void>>()
  const settingsOf = (
    known: readonly Cell[],
    { letter, accepts, settings }: Cell,
  ): Record<string, string> => {
    const first = known[0] as Cell
    return {
      ...settings,
      CELL: letter,
      CELL_ACCEPTS: String(accepts),
      CELLS_FILE: '',
      PORT: '0',
      HOST: '127.0.0.1',
      BASE_URL: config.BASE_URL ?? front.url,
      TRUST_PROXY: trustOf(config),
      ...(letter === first.letter
        ? {}
        : { LIMITS_DATABASE_URL: first.settings.DATABASE_URL as string }),
    }
  }
  const end = (server: Running): void => {
    if (server.before) end(server.before)
    server.before = null
    const over = server.stop().finally(() => ending.delete(over))
    ending.add(over)
  }
  const follow = (known: readonly Cell[]): void => {
    front.follow(known)
    for (const [letter, server] of servers)
      if (!known.some((cell) => cell.letter === letter)) {
        servers.delete(letter)
        end(server)
      }
    for (const cell of known) {
      const { letter } = cell
      if (only !== null && !only.includes(letter)) continue
      const own = settingsOf(known, cell)
      const settings = JSON.stringify(own)
      const before = servers.get(letter) ?? null
      if (before?.settings === settings) continue
      const started = startServer({
        letter,
        cli,
        args: ['serve', '--role', role, '--behind-front'],
        env: { ...env, ...own },
        log,
        onReady(url) {
          front.move(letter, url)
          if (server.before) end(server.before)
          server.before = null
        },
        // The one of before answers still, where there is one.
        onEnd: () =>
          servers.get(letter) === server && server.before === null && front.move(letter, null),
      })
      const server: Running = { ...started, settings, before }
      servers.set(letter, server)
    }
  }
  follow(cells)

  let version = versionOf(env)
  const watch = setInterval(() => {
    const seen = versionOf(env)
    if (seen === version) return
    version = seen
    try {
      const known = readCells(env)
      if (known === null) return
      log.info({ cells: known.map(({ letter }) => letter).join() }, 'the file of cells has changed')
      follow(known)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      log.error(
        { err: error },
        'the file of cells has changed and cannot be used: all goes on as before',
      )
    }
  }, lookEveryMs)
  return {
    url: front.url,
    kill(): void {
      for (const server of servers.values()) server.kill()
    },
    async stop() {
      clearInterval(watch)
      for (const server of servers.values()) end(server)
      await Promise.all([front.stop(), ...ending])
    },
  }
}

/** The front is one more that is trusted to say where a request came from: the last. */
function trustOf({ TRUST_PROXY: given }: Config): string {
  if (given === false) return '1'
  return typeof given === 'number' ? String(given + 1) : [...given, 'loopback'].join(',')
}
