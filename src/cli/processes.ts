/**
 * Several processes on one port: children that answer requests, and are started again when they die. Each is a
 * `bursar serve --role api` on the parent's database, and ends with its parent, however that ends.
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Log } from '../context.ts'

export type Processes = {
  url: string
  /** Lets the children drain, and waits until they have ended. */
  stop(): Promise<void>
  /** Ends what is left of them at once. */
  kill(): void
}

/** What the parent tells its children, again and again. */
type News = { workers: boolean }

const newsEveryMs = 1_000
const firstWaitMs = 100
const longestWaitMs = 5_000
/** A child that lived this long was well: the next one need not wait. */
const wellAfterMs = 10_000

/** A child could not start. It has said why itself. */
export class ChildFailed extends Error {}

/**
 * Starts the children, the first before the others: what keeps it from starting would keep all.
 * @param env what they have in their environment besides ours, `PORT` included
 * @param workers whether the parent's workers are healthy; null when it has none
 * @throws {ChildFailed} when the first cannot start
 */
export async function startProcesses(
  count: number,
  env: Record<string, string>,
  workers: () => boolean | null,
  log: Log,
): Promise<Processes> {
  cluster.setupPrimary({ exec: fileURLToPath(new URL('cli.ts', import.meta.url)), args: ['serve', '--role', 'api'] })
  const living = new Set<Worker>()
  const waits = new Set<NodeJS.Timeout>()
  let port = env.PORT ?? '0'
  let known: string | null = null
  let stopping = false
  let ended = (): void => {}

  const tell = (child: Worker): void => {
    const healthy = workers()
    if (healthy !== null && child.isConnected()) child.send({ workers: healthy } satisfies News, () => {})
  }
  const news = setInterval(() => living.forEach(tell), newsEveryMs)

  function start(failures: number): Worker {
    // The port that children share is given back when the last of them has gone; the next ones must ask for the same.
    if (living.size === 0 && known !== null) port = known
    const child = cluster.fork({ ...env, PORT: port })
    const bornAt = performance.now()
    living.add(child)
    child.on('online', () => tell(child))
    // Without a listener, telling a child that has just died would end the parent.
    child.on('error', (error) => log.debug({ err: error }, 'a process could not be told the news'))
    child.on('exit', (code, signal) => {
      living.delete(child)
      if (living.size === 0) ended()
      if (stopping || known === null) return
      const well = performance.now() - bornAt > wellAfterMs
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (well ? 0 : failures))
      log.error({ pid: child.process.pid, code, signal, wait }, 'a process ended and is started again')
      const timer = setTimeout(() => {
        waits.delete(timer)
        start(well ? 1 : failures + 1)
      }, wait)
      waits.add(timer)
    })
    return child
  }

  function kill(): void {
    stopping = true
    for (const child of living) child.process.kill('SIGKILL')
  }

  async function stop(): Promise<void> {
    stopping = true
    clearInterval(news)
    for (const timer of waits) clearTimeout(timer)
    const all = new Promise<void>((resolve) => {
      ended = resolve
    })
    for (const child of living) child.process.kill('SIGTERM')
    if (living.size > 0) await all
  }

  try {
    known = await listening(start(0))
  } catch (error) {
    clearInterval(news)
    throw error
  }
  for (let n = 1; n < count; n++) start(0)
  return { url: `http://localhost:${known}`, stop, kill }
}

/** @returns the port that a child listens on */
function listening(child: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on('listening', ({ port }) => resolve(String(port)))
    child.on('exit', () => reject(new ChildFailed('a process could not start')))
  })
}

/** In a child: whether the parent's workers are healthy, as it said last; null when it has none. */
export function parentsWorkers(): () => boolean | null {
  let healthy: boolean | null = null
  process.on('message', (news: News) => {
    healthy = news.workers
  })
  return () => healthy
}

/** Whether this process is such a child. */
export const isChild = cluster.isWorker
