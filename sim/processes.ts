/**
 * The processes of the product, each started by the product's own command, and started again whenever it has ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommitFate, type PgProxy, startPgProxy } from './pg-proxy.ts'

export type Slot = {
  name: string
  role: 'api' | 'worker'
  url: string
  proxy: PgProxy
  /** Everything that its processes ever printed. */
  log: string
  running(): boolean
  /** Whether it has answered for a while: one that is killed again before would never do anything. */
  settled(): boolean
  /** kill -9. @returns whether there was one to kill */
  kill(): boolean
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
  databaseUrl: string
  log: string
  fateOf: () => CommitFate | null
  sealed: (fate: CommitFate) => void
  /** It ended though nobody had asked for it. */
  died: (how: string) => void
}

/** Below those that the system gives to connections going out: one of them could have it whenever the process is down. */
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

const settledMs = 3_000

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
  databaseUrl,
  log,
  fateOf,
  sealed,
  died,
}: SlotOptions): Promise<Slot> {
  const proxy = await startPgProxy(databaseUrl, fateOf, sealed)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  let version: 'this' | 'next' = 'this'
  let asked = false
  let up: number | null = null
  let stopping = false
  let ended: Promise<void> = Promise.resolve()

  const start = (): void => {
    asked = false
    up = null
    const given = { ...process.env, ...env, PORT: String(port), DATABASE_URL: proxy.url }
    const started = spawn(process.execPath, [...commands[version], '--role', role], {
      env: given,
      // By the channel it notices that nobody looks after it any more.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    void (async () => {
      while (child === started && up === null)
        if (await answers(url)) up = performance.now()
        else await sleep(150)
    })()
    let printed = ''
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (chunk: Buffer) => {
        printed = `${printed}${chunk}`.slice(-2_000)
        appendFileSync(log, chunk)
      })
    ended = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        child = null
        // The database may be away just as it starts: then it is the supervisor's to try again, as any would.
        if (
          !asked &&
          !/database|ECONN|recovery|starting up|shutting down|terminat|connection slots|too many clients|timeout/i.test(
            printed,
          )
        )
          died(`${name} ended with ${code ?? signal}: ${printed.slice(-1_500)}`)
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
  start()
  return {
    name,
    role,
    url,
    proxy,
    log,
    running: () => child !== null,
    settled: () => child !== null && up !== null && performance.now() - up > settledMs,
    kill: () => end('SIGKILL'),
    signal: (signal) => child?.kill(signal) ?? false,
    restart(next = version) {
      version = next
      return end('SIGTERM')
    },
    async ready() {
      const deadline = performance.now() + 120_000
      while (!(await answers(url))) {
        if (performance.now() > deadline)
          throw new Error(`${name} does not answer: ${readFileSync(log, 'utf8').slice(-2_000)}`)
        await sleep(100)
      }
    },
    async stop() {
      stopping = true
      end('SIGTERM')
      const late = setTimeout(() => end('SIGKILL'), 8_000)
      await ended
      clearTimeout(late)
      await proxy.close()
    },
  }
}
