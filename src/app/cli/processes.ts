/**
 * Several processes on one port: children that answer requests, and that are restarted when they
 * exit. Each is a `bursar serve --role api` on the parent's database. It exits with its parent,
 * however the parent exits.
 */
import cluster, { type Worker } from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Address, claimAddress, close, holdPort, localUrl } from '../../lib/listening.ts'
import type { Log } from '../../lib/log.ts'
import type { Parent } from '../main.ts'

export type Processes = {
  url: string
  /** Lets the children drain, and waits until they have exited. */
  stop(): Promise<void>
  /** Kills the remaining children at once. */
  kill(): void
}

/** The parent sends its health to each child every second. A child reports once that it is ready. */
type Health = { workers: boolean }
type Ready = { ready: true }

const healthEveryMs = 1_000
const firstWaitMs = 100
const longestWaitMs = 5_000
/** A child that ran this long was healthy: its replacement starts without a longer wait. */
const healthyAfterMs = 10_000

/** A child could not start. It has reported why itself. */
export class ChildFailed extends Error {}

type Options = {
  count: number
  address: Address
  /** Variables that the children have besides this process's own; an empty text removes a secret. */
  env: Record<string, string>
  /** Whether the parent's workers are healthy; null if it has none. */
  workers(): boolean | null
  log: Log
}

/**
 * Starts the children, the first before the others: a fault of the settings stops all of them.
 * @throws {ChildFailed} when the first cannot start; {Error} `EADDRINUSE` when the port is taken
 */
export async function startProcesses(options: Options): Promise<Processes> {
  const { count, address } = options
  const releaseAddress = await claimAddress(address)
  // A port that the system chooses is reserved until a child listens on it.
  const reserved = address.port === 0 ? await holdPort(address) : null
  const port = reserved ? (reserved.address() as AddressInfo).port : address.port
  const children = superviseChildren(options, port)
  try {
    await ready(children.start())
  } catch (error) {
    await children.stop()
    await releaseAddress()
    throw error
  } finally {
    if (reserved) await close(reserved)
  }
  children.restartFromNowOn()
  for (let n = 1; n < count; n++) children.start()
  return {
    url: localUrl({ ...address, port }),
    kill: children.kill,
    async stop() {
      children.restartNoMore()
      await releaseAddress()
      await children.stop()
    },
  }
}

type Supervisor = {
  start(): Worker
  /** Restarts children that exit. */
  restartFromNowOn(): void
  restartNoMore(): void
  /** Lets the children drain, and waits until they have exited. */
  stop(): Promise<void>
  kill(): void
}

function superviseChildren(
  { env, workers, log }: Pick<Options, 'env' | 'workers' | 'log'>,
  port: number,
): Supervisor {
  const cli = fileURLToPath(new URL(`cli${extname(import.meta.url)}`, import.meta.url))
  cluster.setupPrimary({ exec: cli, args: ['serve', '--role', 'api'] })
  const living = new Set<Worker>()
  const restarts = new Set<NodeJS.Timeout>()
  let isRestarting = false
  let onLastExit = (): void => {}

  const sendHealth = (child: Worker): void => {
    const healthy = workers()
    if (healthy !== null && child.isConnected())
      child.send({ workers: healthy } satisfies Health, () => {})
  }
  const interval = setInterval(() => living.forEach(sendHealth), healthEveryMs)

  function start(failures = 0): Worker {
    const child = cluster.fork({ ...env, PORT: String(port) })
    const startedAt = performance.now()
    living.add(child)
    child.on('online', () => sendHealth(child))
    // Without a listener, a message to a child that has just exited would end the parent.
    child.on('error', (error) => log.debug({ err: error }, 'a process could not be sent a message'))
    child.on('exit', (code, signal) => {
      living.delete(child)
      if (living.size === 0) onLastExit()
      if (!isRestarting) return
      const wasHealthy = performance.now() - startedAt > healthyAfterMs
      const earlier = wasHealthy ? 0 : failures
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** earlier)
      const { pid } = child.process
      log.error({ pid, code, signal, wait }, 'a process ended and is started again')
      const restart = setTimeout(() => {
        restarts.delete(restart)
        start(earlier + 1)
      }, wait)
      restarts.add(restart)
    })
    return child
  }

  function restartNoMore(): void {
    isRestarting = false
    clearInterval(interval)
    for (const restart of restarts) clearTimeout(restart)
  }

  return {
    start: () => start(),
    restartFromNowOn() {
      isRestarting = true
    },
    restartNoMore,
    async stop() {
      restartNoMore()
      const lastExit = new Promise<void>((resolve) => {
        onLastExit = resolve
      })
      for (const child of living) child.process.kill('SIGTERM')
      if (living.size > 0) await lastExit
    },
    kill() {
      isRestarting = false
      for (const child of living) child.process.kill('SIGKILL')
    },
  }
}

function ready(child: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('message', ({ ready }: Ready) => {
      if (ready) resolve()
    })
    child.on('exit', () => reject(new ChildFailed('a process could not start')))
  })
}

/** Whether this process is such a child. */
export const isChild = cluster.isWorker

/** In a child: returns the parent's latest health. */
export function parentOf(): Parent {
  let healthy: boolean | null = null
  process.on('message', (health: Health) => {
    healthy = health.workers
  })
  return { workers: () => healthy }
}

/** In a child: notifies the parent that it answers. */
export function notifyReady(): void {
  process.send?.({ ready: true } satisfies Ready)
}
