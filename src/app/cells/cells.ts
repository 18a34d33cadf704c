/**
 * `bursar serve` over several cells: a server for each, in processes of its own, behind the front.
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

const checkFileEveryMs = 250

export type RunningCells = Pick<Front, 'url'> & { stop(): Promise<void>; kill(): void }

/** `replaced`: the server whose place this one takes; it answers until this one is ready. */
type Running = CellServer & { settings: string; replaced: Running | null }

type Parts = {
  config: Config
  /** The environment of the servers, besides the settings of their cells. */
  env: NodeJS.ProcessEnv
  role: Role
  /** The letters of the cells that this machine serves; null: all. */
  only: readonly string[] | null
  log: Log
}

/**
 * Starts the front and a server for each cell, and follows CELLS_FILE. A new cell gets a server. A
 * cell whose settings change gets a new server before its old one stops. A server that exits is
 * restarted with backoff, without an effect on other cells.
 * @throws {Error} `EADDRINUSE` when the port is taken
 */
export async function startCells(cells: readonly Cell[], parts: Parts): Promise<RunningCells> {
  const { config, env, only, log } = parts
  const front = await startFront(cells, { port: config.PORT, host: config.HOST, only, log })
  const servers = new CellServers(front, parts)
  servers.follow(cells)
  const stopWatching = watchFile(env, log, (changed) => servers.follow(changed))
  return {
    url: front.url,
    kill: () => servers.kill(),
    async stop() {
      stopWatching()
      await Promise.all([servers.stop(), front.stop()])
    },
  }
}

/** The servers of the cells that this machine serves. */
class CellServers {
  readonly #front: Front
  readonly #parts: Parts
  readonly #servers = new Map<string, Running>()
  /** Servers that have not exited yet, also of cells that were removed. */
  readonly #stopping = new Set<Promise<void>>()

  constructor(front: Front, parts: Parts) {
    this.#front = front
    this.#parts = parts
  }

  /** Starts, replaces and stops servers, so that they fit the cells. */
  follow(cells: readonly Cell[]): void {
    const { only } = this.#parts
    this.#front.follow(cells)
    for (const [letter, server] of this.#servers)
      if (!cells.some((cell) => cell.letter === letter)) {
        this.#servers.delete(letter)
        this.#stop(server)
      }
    for (const cell of cells)
      if (only === null || only.includes(cell.letter)) this.#serve(cell, cells[0] as Cell)
  }

  kill(): void {
    for (const server of this.#servers.values()) server.kill()
  }

  async stop(): Promise<void> {
    for (const server of this.#servers.values()) this.#stop(server)
    await Promise.all(this.#stopping)
  }

  /** Starts a server for a cell unless one runs with these settings. */
  #serve(cell: Cell, first: Cell): void {
    const { letter } = cell
    const { env, role, log } = this.#parts
    const own = this.#settingsOf(cell, first)
    const settings = JSON.stringify(own)
    const replaced = this.#servers.get(letter) ?? null
    if (replaced?.settings === settings) return
    const started = startServer({
      letter,
      cli,
      args: ['serve', '--role', role, '--behind-front'],
      env: { ...env, ...own },
      log,
      onReady: (url) => {
        this.#front.move(letter, url)
        if (server.replaced) this.#stop(server.replaced)
        server.replaced = null
      },
      // A server that this one replaces still answers.
      onEnd: () => {
        if (this.#servers.get(letter) === server && server.replaced === null)
          this.#front.move(letter, null)
      },
    })
    const server: Running = { ...started, settings, replaced }
    this.#servers.set(letter, server)
  }

  #settingsOf({ letter, accepts, settings }: Cell, first: Cell): Record<string, string> {
    const { config } = this.#parts
    return {
      ...settings,
      CELL: letter,
      CELL_ACCEPTS: String(accepts),
      CELLS_FILE: '',
      PORT: '0',
      HOST: '127.0.0.1',
      BASE_URL: config.BASE_URL ?? this.#front.url,
      TRUST_PROXY: trustOf(config),
      ...(letter === first.letter
        ? {}
        : { LIMITS_DATABASE_URL: first.settings.DATABASE_URL as string }),
    }
  }

  #stop(server: Running): void {
    if (server.replaced) this.#stop(server.replaced)
    server.replaced = null
    const exited = server.stop().finally(() => this.#stopping.delete(exited))
    this.#stopping.add(exited)
  }
}

const cli = fileURLToPath(new URL(`../cli/cli${extname(import.meta.url)}`, import.meta.url))

/** Reads CELLS_FILE again when it changes. A file with an error changes nothing. @returns stops */
function watchFile(
  env: NodeJS.ProcessEnv,
  log: Log,
  onChange: (cells: readonly Cell[]) => void,
): () => void {
  let version = versionOf(env)
  const interval = setInterval(() => {
    const current = versionOf(env)
    if (current === version) return
    version = current
    try {
      const cells = readCells(env)
      if (cells === null) return
      log.info({ cells: cells.map(({ letter }) => letter).join() }, 'the file of cells has changed')
      onChange(cells)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      log.error(
        { err: error },
        'the file of cells has changed and cannot be used: all goes on as before',
      )
    }
  }, checkFileEveryMs)
  return () => clearInterval(interval)
}

/** Returns TRUST_PROXY of a cell's server: the front is one more trusted proxy, the last one. */
function trustOf({ TRUST_PROXY: given }: Config): string {
  if (given === false) return '1'
  return typeof given === 'number' ? String(given + 1) : [...given, 'loopback'].join(',')
}
