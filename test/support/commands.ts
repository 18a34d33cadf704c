/**
 * The commands as an operator runs them, in processes of their own.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { type Opened, open } from '../../src/app/main.ts'
import { readConfig } from '../../src/lib/config.ts'
import type { Output } from './command-line.ts'
import { patience, until } from './harness.ts'

export type { Output } from './command-line.ts'

/** This version; another may lie elsewhere. */
export const tree = new URL('../..', import.meta.url).pathname
const binOf = (of: string): string => join(of, 'bin/bursar.js')

/** As long as a stop may take on this machine. */
const stopTimeout = `${Math.ceil(5 * patience)}s`

/** Runs a command to its end. `begun` is given its process. */
export function command(
  args: string[],
  env: Record<string, string>,
  begun: (child: ChildProcess) => void = () => {},
  of = tree,
): Promise<Output> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [binOf(of), ...args], {
      env: { ...process.env, STOP_TIMEOUT: stopTimeout, ...env },
    })
    begun(child)
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.on('close', (code) => resolve({ code, out, err }))
  })
}

export type Served = {
  child: ChildProcess
  url: string
  output(): string
  ended: Promise<number | null>
}

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts `bursar serve` and waits until it is ready. */
export async function serve(
  env: Record<string, string>,
  args: string[] = [],
  cwd = '.',
  of = tree,
): Promise<Served> {
  const child = spawn(process.execPath, [binOf(of), 'serve', ...args], {
    cwd,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', STOP_TIMEOUT: stopTimeout, ...env },
  })
  children.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const url = await until(async () => {
    assert.equal(child.exitCode, null, output)
    return /(?:listening on|works on jobs;) (http:\/\/[^\s/]+)/.exec(output)?.[1]
  }, 60_000)
  return { child, url, output: () => output, ended }
}

/**
 * Opens the application beside a server, with the server's settings: as a command does, without its
 * process.
 */
export const openBeside = (env: Record<string, string>): Promise<Opened> =>
  open(readConfig({ ...env, LOG_LEVEL: 'silent' }), 'tool')

/**
 * Fails unless a server that is ending has ended, and well, within five seconds of a machine that
 * does nothing else.
 */
export async function assertEndsSoon({ child, ended, output }: Served): Promise<void> {
  await until(async () => child.exitCode !== null || child.signalCode !== null, 5_000)
  assert.equal(await ended, 0, output())
}

/** The children of a process that answer requests. */
export async function childrenOf({ child }: Served): Promise<number[]> {
  const { stdout } = await promisify(execFile)('pgrep', [
    '-P',
    String(child.pid),
    '-f',
    'cli.ts',
  ]).catch(() => ({
    stdout: '',
  }))
  return stdout.trim().split('\n').filter(Boolean).map(Number)
}

/** Why the environment of another process cannot be looked at here, or false. */
export const environmentsHidden =
  process.platform === 'linux' ? false : 'only Linux shows the environment of a process'

/** The environment that a process was started with, as its machine shows it to others. */
export function environmentOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(
    lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
  )
}
