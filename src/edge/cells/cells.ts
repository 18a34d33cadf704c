/** `bursar serve` over several cells: a server for each, in processes of its own, and the front before them. */
import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Role } from '../../core/app.ts'
import type { Config } from '../../lib/config.ts'
import type { Log } from '../../lib/log.ts'
import type { Cell } from './file.ts'
import { type Front, startFront } from './front.ts'

export { type Cell, environmentOf, readCells } from './file.ts'

/** What a cell's server tells whoever started it. */
export type Ready = { url: string }

const firstWaitMs = 200
const longestWaitMs = 5_000
/** One that lived this long was well: the next need not wait. */
const wellAfterMs = 10_000

export type RunningCells = Pick<Front, 'url'> & { stop(): Promise<void>; kill(): void }

/** @property env what their processes have in theirs, beside what is the cell's own */
type Parts = { config: Config; env: NodeJS.ProcessEnv; role: Role; log: Log }

/**
 * Starts them. A cell that cannot start, or ends, is started again, in ever longer steps: the others notice nothing.
 * @throws {Error} `EADDRINUSE` when the port is taken
 */
export async function startCells(cells: readonly Cell[], { config, env, role, log }: Parts): Promise<RunningCells> {
  const front = await startFront(cells, { port: config.PORT, host: config.HOST, log })
  const cli = fileURLToPath(new URL(`../cli/cli${extname(import.meta.url)}`, import.meta.url))
  const first = cells[0] as Cell
  const children = new Map<string, ChildProcess>()
  const waits = new Set<NodeJS.Timeout>()
  let stopping = false
  let ended = (): void => {}

  function start(cell: Cell, failures: number): void {
    const { letter, settings } = cell
    const child = fork(cli, ['serve', '--role', role, '--behind-front'], {
      env: {
        ...env,
        ...settings,
        ...{ CELL: letter, CELLS_FILE: '', PORT: '0', HOST: '127.0.0.1' },
        ...{ BASE_URL: config.BASE_URL ?? front.url, TRUST_PROXY: trustOf(config) },
        ...(letter === first.letter ? {} : { LIMITS_DATABASE_URL: first.settings.DATABASE_URL as string }),
      },
    })
    const bornAt = performance.now()
    children.set(letter, child)
    child.on('message', ({ url }: Ready) => front.move(letter, url))
    child.on('error', (error) =>
      log.debug({ err: error, cell: letter }, 'a cell’s process could not be sent a message'),
    )
    child.on('exit', (code, signal) => {
      front.move(letter, null)
      children.delete(letter)
      if (stopping) {
        if (children.size === 0) ended()
        return
      }
      const well = performance.now() - bornAt > wellAfterMs
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (well ? 0 : failures))
      log.error({ cell: letter, code, signal, wait }, 'a cell’s process ended and is started again')
      const timer = setTimeout(() => {
        waits.delete(timer)
        start(cell, well ? 1 : failures + 1)
      }, wait)
      waits.add(timer)
    })
  }

  for (const cell of cells) start(cell, 0)
  return {
    url: front.url,
    kill(): void {
      for (const child of children.values()) child.kill('SIGKILL')
    },
    async stop() {
      stopping = true
      for (const timer of waits) clearTimeout(timer)
      const all = new Promise<void>((resolve) => {
        ended = resolve
      })
      for (const child of children.values()) child.kill('SIGTERM')
      await Promise.all([front.stop(), children.size > 0 ? all : null])
    },
  }
}

/** The front is one more that is trusted to say where a request came from: the last. */
function trustOf({ TRUST_PROXY: given }: Config): string {
  if (given === false) return '1'
  return typeof given === 'number' ? String(given + 1) : [...given, 'loopback'].join(',')
}
