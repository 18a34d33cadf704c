/**
 * What a long check is, and what checks are made of: commands, as a user's shell would run them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { until } from '../support/harness.ts'

export type Check = {
  name: string
  /** What the machine lacks for it, or null. */
  lacks(): string | null
  /**
   * @param dir an empty folder of its own, deleted afterwards
   * @returns what it found, in a line
   * @throws {Error} when it fails
   */
  run(dir: string): Promise<string>
}

export const root = join(import.meta.dirname, '../..')

/** As a user's shell has it: without what npm puts before it for the scripts of this project. */
export const userPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !/node_modules|node-gyp-bin/.test(dir))
  .join(delimiter)

/** How package clients are set up here, and nothing of this project or its tests. */
const passedOn =
  /^(HOME|USER|LANG|TMPDIR|npm_config_(registry|cache|userconfig)|(GO|PIP_|SSL_|NODE_EXTRA)\w*|\w+_proxy)$/i

/** The environment that commands are run in. */
export function userEnv(more: Record<string, string> = {}): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => passedOn.test(name)) as [
    string,
    string,
  ][]
  const npm = {
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_prefer_offline: 'true',
  }
  return { ...Object.fromEntries(own), ...npm, PATH: userPath, ...more }
}

/** Whether a program is on the path. */
export const has = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`], { env: userEnv() }).status === 0

/**
 * Runs a line of shell. @throws {Error} with all that it printed, when it fails @returns what it
 * printed
 */
export async function sh(
  line: string,
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: userEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${line}\n${output.slice(-8_000)}`)
  return output
}

export type Server = {
  url: string
  output(): string
  /**
   * Ends it by SIGTERM, or by Ctrl-C what runs below npx. @returns how long that took, in ms
   * @throws {Error} when it did not end well, or not in time
   */
  stop(withinMs: number): Promise<number>
}

const running = new Set<Server>()

/** Ends what a check that failed left running. */
export const endAll = (): Promise<unknown> =>
  Promise.allSettled([...running].map((server) => server.stop(10_000)))

/** Starts a server by a command, and waits until it says where it listens. */
export async function start(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Server> {
  // A group of its own: what is between us and the server, such as npx, can be ended with it.
  const child = spawn(command, args, {
    cwd,
    env: userEnv({ PORT: '0', ...env }),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const group = -(child.pid as number)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const url = await until(async () => {
    if (child.exitCode !== null) throw new Error(`${command} ${args.join(' ')}\n${output}`)
    return /listening on (http:\/\/[^\s/]+)/.exec(output)?.[1]
  }, 120_000)
  const server: Server = {
    url,
    output: () => output,
    async stop(withinMs) {
      running.delete(server)
      const began = performance.now()
      // npx passes no SIGTERM on; a terminal's Ctrl-C goes to the group.
      const direct = command !== 'npx'
      process.kill(direct ? -group : group, direct ? 'SIGTERM' : 'SIGINT')
      const timer = setTimeout(() => process.kill(group, 'SIGKILL'), withinMs)
      await ended
      clearTimeout(timer)
      const took = performance.now() - began
      const how = child.exitCode ?? child.signalCode
      if (took > withinMs || (direct && how !== 0))
        throw new Error(`ended after ${took.toFixed(0)} ms with ${how}\n${output}`)
      return took
    },
  }
  running.add(server)
  return server
}

/** What a folder takes on the disk. */
export async function megabytes(path: string): Promise<number> {
  return Number((await sh(`du -sm ${path}`, '/')).split('\t')[0])
}
