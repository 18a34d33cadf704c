/**
 * The processes of the product, each started by the product's own command, and started again
 * whenever it has ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Done, Fate, Order } from './messages.ts'

export type Slot = {
  name: string
  role: 'api' | 'worker'
  url: string
  /** Everything that its processes ever printed. */
  log: string
  running(): boolean
  /**
   * Whether it has answered for a while: one that is killed again before would never do anything.
   */
  settled(): boolean
  /** kill -9. @returns whether there was one to kill */
  kill(): boolean
  /**
   * Arms what becomes of it, or of one of its next COMMITs. @returns whether nothing was armed
   * before
   */
  arm(fate: Fate): boolean
  disarm(): void
  /** Cuts its next statement in the middle, or every connection of it to PostgreSQL. */
  cut(what: 'next' | 'all'): void
  /** SIGSTOP or SIGCONT. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): boolean
  /** Asks it to end in order. It is started again all the same. */
  /** @param version what it is started as from now on */
  restart(version?: 'this' | 'next'): boolean
  /** Resolves once it answers. */
  ready(): Promise<void>
  stop(): Promise<void>
}

export type SlotOptions = {
  name: string
  role: 'api' | 'worker'
  /** What starts each version of it. */
  commands: Record<'this' | 'next', string[]>
  env: Record<string, string>
  log: string
  /** What it was told to do to its connections has come true. */
  done: (done: Done) => void
  /** It ended though nobody had asked for it. */
  died: (how: string) => void
}

/**
 * Below those that the system gives to connections going out: one of them could have it whenever
 * the process is down.
 */
const ports = { from: 20_000, to: 32_000 }

async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.from + Math.floor(Math.random() * (ports.to - ports.from))
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}

/** What a file has from a place on. */
export function readFrom(file: string, place: number): Buffer {
  const from = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(from).size - place))
    return bytes.subarray(0, readSync(from, bytes, 0, bytes.length, place))
  } finally {
    closeSync(from)
  }
}

const settledMs = 3_000
/** How long a process may take to come to a point. */
const pointWithinMs = 3_000
/** What the database makes of a process that starts while it is away. */
const explained =
  /database|ECONN|EPIPE|recovery|starting up|shutting down|terminat|connection slots|too many clients|timeout/i

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.body?.cancel().then(() => response.status === 200) ?? false,
    () => false,
  )

export async function startSlot({
  name,
  role,
  commands,
  env,
  log,
  done,
  died,
}: SlotOptions): Promise<Slot> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  let version: 'this' | 'next' = 'this'
  let asked = false
  /** What it was told to do last, which it may have died of. */
  let armed: Fate | null = null
  let waiting = false
  let up: number | null = null
  let stopping = false
  let ended: Promise<void> = Promise.resolve()

  const start = (): void => {
    asked = false
    armed = null
    waiting = false
    up = null
    const given = { ...process.env, ...env, PORT: String(port) }
    const printing = openSync(log, 'a')
    const printed = fstatSync(printing).size
    const started = spawn(process.execPath, [...commands[version], '--role', role], {
      env: given,
      // By the channel it notices that nobody looks after it any more.
      stdio: ['ignore', printing, printing, 'ipc'],
    })
    closeSync(printing)
    child = started
    started.on('message', (what: Done) => {
      if ('fate' in what) waiting = false
      done(what)
    })
    void (async () => {
      while (child === started && up === null)
        if (await answers(url)) up = performance.now()
        else await sleep(150)
    })()
    ended = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        child = null
        // One that has killed itself as it was told can say so no more.
        if (armed && ('point' in armed || armed.kill) && signal === 'SIGKILL' && !asked)
          done({ fate: armed })
        else if (!asked) {
          const last = readFrom(log, printed).toString().slice(-2_000)
          // The database may be away just as it starts: then it is the supervisor's to try again,
          // as any would.
          if (!explained.test(last))
            died(`${name} ended with ${code ?? signal}: ${last.slice(-1_500)}`)
        }
        resolve()
        if (!stopping) setTimeout(start, 100)
      })
    })
  }
  const end = (signal: NodeJS.Signals): boolean => {
    if (child === null) return false
    asked = true
    return child.kill(signal)
  }
  const tell = (order: Order): void => void child?.send(order, () => {})
  const disarm = (): void => {
    waiting = false
    tell({ fate: null })
  }
  start()
  return {
    name,
    role,
    url,
    log,
    running: () => child !== null,
    settled: () => child !== null && up !== null && performance.now() - up > settledMs,
    kill: () => end('SIGKILL'),
    arm(fate) {
      if (waiting) return false
      waiting = true
      armed = fate
      tell({ fate })
      // Commits come all the time, and what else a process does may not.
      if ('point' in fate)
        setTimeout(() => waiting && armed === fate && disarm(), pointWithinMs).unref()
      return true
    },
    disarm,
    cut: (what) => tell({ cut: what }),
    signal: (signal) => child?.kill(signal) ?? false,
    restart(next = version) {
      version = next
      return end('SIGTERM')
    },
    async ready() {
      const deadline = performance.now() + 600_000
      while (!(await answers(url))) {
        if (performance.now() > deadline)
          throw new Error(`${name} does not answer: ${readFrom(log, 0).toString().slice(-2_000)}`)
        await sleep(100)
      }
    },
    async stop() {
      stopping = true
      end('SIGTERM')
      const late = setTimeout(() => end('SIGKILL'), 8_000)
      await ended
      clearTimeout(late)
    },
  }
}
