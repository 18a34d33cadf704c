/**
 * Several processes on one port: children that answer requests, and are started again when they
 * die. Each is a `bursar serve --role api` on the parent's database, and ends with its parent,
 * however that ends.
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
  /** Lets the children drain, and waits until they have ended. */
  stop(): Promise<void>
  /** Ends what is left of them at once. */
  kill(): void
}

/**
 * What the parent sends its children, again and again, and a child its parent, when it is ready.
 */
type Health = { workers: boolean }
type Ready = { ready: true }

const healthEveryMs = 1_000
const firstWaitMs = 100
const longestWaitMs = 5_000
/** A child that lived this long was well: the next one need not wait. */
const wellAfterMs = 10_000

/** A child could not start. It has said why itself. */
export class ChildFailed extends Error {}

/**
 * Starts the children, the first before the others: what keeps it from starting would keep all.
 * @param env what they have in their environment besides ours, or instead: a secret that they need
 * not have is an empty text here
 * @param workers whether the parent's workers are healthy; null when it has none
 * @throws {ChildFailed} when the first cannot start; {Error} `EADDRINUSE` when the port is taken
 */
export async function startProcesses(
  count: number,
  address: Address,
  env: Record<string, string>,
  workers: () => boolean | null,
  log: Log,
): Promise<Processes> {
  const cli = fileURLToPath(new URL(`cli${extname(import.meta.url)}`, import.meta.url))
  cluster.setupPrimary({ exec: cli, args: ['serve', '--role', 'api'] })
  const living = new Set<Worker>()
  const waits = new Set<NodeJS.Timeout>()
  let running = false
  let stopping = false
  let ended = (): void => {}

  const letGo = await claimAddress(address)
  // One that is given is held until it is used.
  const held = address.port === 0 ? await holdPort(address) : null
  const port = held ? (held.address() as AddressInfo).port : address.port

  const sendHealth = (child: Worker): void => {
    const healthy = workers()
    if (healthy !== null && child.isConnected())
      child.send({ workers: healthy } satisfies Health, () => {})
  }
  const interval = setInterval(() => living.forEach(sendHealth), healthEveryMs)

  function start(failures: number): Worker {
    const child = cluster.fork({ ...env, PORT: String(port) })
    const bornAt = performance.now()
    living.add(child)
    child.on('online', () => sendHealth(child))
    // Without a listener, a message to a child that has just died would end the parent.
    child.on('error', (error) => log.debug({ err: error }, 'a process could not be sent a message'))
    child.on('exit', (code, signal) => {
      living.delete(child)
      if (living.size === 0) ended()
      if (stopping || !running) return
      const well = performance.now() - bornAt > wellAfterMs
      const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (well ? 0 : failures))
      log.error(
        { pid: child.process.pid, code, signal, wait },
        'a process ended and is started again',
      )
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
    clearInterval(interval)
    for (const timer of waits) clearTimeout(timer)
    await letGo()
    const all = new Promise<void>((resolve) => {
      ended = resolve
    })
    for (const child of living) child.process.kill('SIGTERM')
    if (living.size > 0) await all
  }

  try {
    await ready(start(0))
  } catch (error) {
    clearInterval(interval)
    await letGo()
    throw error
  } finally {
    if (held) await close(held)
  }
  running = true
  for (let n = 1; n < count; n++) start(0)
  return { url: localUrl({ ...address, port }), stop, kill }
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

/** In a child: what it has from its parent. */
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
