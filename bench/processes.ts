/**
 * The programs that a run starts, none of which outlives it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../bin/flags.js'

const living = new Set<ChildProcess>()
let ended = false

export type Started = {
  child: ChildProcess
  /** What its first line that matched held. */
  said: string
}

/**
 * Starts a file of ours as the product is started, so that references have no other Node.js, and
 * waits for the line that says where it is.
 */
export async function start(
  file: string,
  args: string[],
  env: Record<string, string>,
  line: RegExp,
): Promise<Started> {
  assertGoingOn()
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [...nodeFlags, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  keep(child)
  const lines = createInterface({ input: child.stdout })
  const said = await new Promise<string>((resolve, reject) => {
    lines.on('line', (text) => {
      const found = line.exec(text)
      if (found) resolve(found[1] as string)
    })
    child.on('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready`)))
  })
  return { child, said }
}

/**
 * Runs a program to its end.
 * @returns what it printed
 * @throws {Error} when it fails
 */
export function run(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return new Promise((resolve, reject) => {
    assertGoingOn()
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    keep(child)
    let printed = ''
    let complained = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    child.stderr.on('data', (data) => {
      complained += data
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(printed)
        : reject(new Error(`${program} ended with ${code}: ${complained}`)),
    )
  })
}

function keep(child: ChildProcess): void {
  living.add(child)
  child.on('exit', () => living.delete(child))
}

/** Asks it to stop, and waits until it has. */
export function stop({ child }: Started): Promise<void> {
  return end(child, 'SIGTERM')
}

function assertGoingOn(): void {
  if (ended) throw new Error('the run has ended')
}

/** Ends whatever still runs, and lets nothing more be started. */
export async function endAll(): Promise<void> {
  ended = true
  await Promise.all([...living].map((child) => end(child, 'SIGKILL')))
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
    return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

/** The path of an installed program. PostgreSQL's are not on everybody's. */
export function installed(name: string): string | null {
  const folders = [
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

/** Whether the system tells the memory of processes, and what they have worked. */
export const tellsMemory = existsSync('/proc/self/status')

/** The process and all below it. */
export function tree(pid: number): number[] {
  const children =
    told(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean).map(Number) ?? []
  return [pid, ...children.flatMap(tree)]
}

/** The process of a PostgreSQL that runs, by the folder of its cluster. */
export const postmasterOf = (cluster: string): number =>
  Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])

/** What the system tells of a process, or null when it has ended: its time is then its parent's. */
function told(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * What processes have worked so far, with all that ended below them, in microseconds of one core.
 */
export function worked(pids: number[]): number {
  const ticks = pids.flatMap((pid) => {
    const stat = told(`/proc/${pid}/stat`)
    if (stat === null) return []
    // utime, stime, cutime and cstime, counted from behind the name, which may have spaces.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number)
  })
  return ticks.reduce((sum, one) => sum + one, 0) * (1e6 / ticksInSecond)
}

/** The kernel's USER_HZ, which is 100 on every architecture that Node.js runs on. */
const ticksInSecond = 100

/** Lets the peak of its memory begin again. */
export function forgetPeak(pid: number): void {
  for (const one of tree(pid)) writeFileSync(`/proc/${one}/clear_refs`, '5')
}

/** The peak of resident memory since then, of a process and all below it, in MiB. */
export const peakMiB = (pid: number): number => memoryMiB(pid, /VmHWM:\s+(\d+)/)

/** The same, now. */
export const residentMiB = (pid: number): number => memoryMiB(pid, /VmRSS:\s+(\d+)/)

function memoryMiB(pid: number, line: RegExp): number {
  const kib = tree(pid).map((one) =>
    Number(line.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1]),
  )
  return kib.reduce((sum, one) => sum + one, 0) / 1024
}
