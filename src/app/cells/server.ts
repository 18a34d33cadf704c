/** The server of one cell: a process that is started again when it ends. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Log } from '../../lib/log.ts'

/** What a cell's server tells whoever started it. */
export type Ready = { url: string }

export type CellServer = {
  /** Asks it to end, and does not start it again. @returns when it has ended */
  stop(): Promise<void>
  kill(): void
}

type Options = {
  letter: string
  cli: string
  args: string[]
  env: NodeJS.ProcessEnv
  log: Log
  /** It answers there. */
  onReady(url: string): void
  /** It answers no more; it is started again, unless it was stopped. */
  onEnd(): void
}

const firstWaitMs = 200
const longestWaitMs = 5_000
/** One that lived this long was well: the next need not wait. */
const wellAfterMs = 10_000

export function startServer({ letter, cli, args, env, log, onReady, onEnd }: Options): CellServer {
  let child: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let ended = (): void => {}

  function start(failures: number): void {
    const bornAt = performance.now()
    child = fork(cli, args, { env })
    child.on('message', ({ url }: Ready) => stopping || onReady(url))
    child.on('error', (error) =>
      log.debug({ err: error, cell: letter }, 'a cell’s process could not be sent a message'),
    )
    child.on('exit', (code, signal) => {
      child = null
      onEnd()
      if (stopping) return ended()
      const well = performance.now() - bornAt > wellAfterMs
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (well ? 0 : failures))
      log.error({ cell: letter, code, signal, wait }, 'a cell’s process ended and is started again')
      timer = setTimeout(() => start(well ? 1 : failures + 1), wait)
    })
  }
  start(0)
  return {
    kill: () => void child?.kill('SIGKILL'),
    stop() {
      stopping = true
      clearTimeout(timer)
      return new Promise<void>((resolve) => {
        ended = resolve
        if (child === null) resolve()
        else child.kill('SIGTERM')
      })
    },
  }
}
