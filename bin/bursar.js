#!/usr/bin/env node
// The server runs on the Node.js that comes with it where the one on the path is below 24, and
// within little memory: by default the young generation alone may take 130 MiB, the old one grow to
// several times what is alive in it, and each thread of the C library keep an arena of its own.
// Compiled code is kept from one start to the next: what strips the types takes memory and time. An
// operator's own settings of these count. A clone runs its sources; the package has them as
// JavaScript.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from './flags.js'

const own = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ').replaceAll('_', '-')
const flags = nodeFlags.filter((flag) => !own.includes(flag.split('=')[0]))
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const source = at('src/app/cli/cli.ts')
const env = {
  ...{ MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: at('node_modules/.cache/bursar') },
  ...proxied(),
  ...process.env,
  ...direct(),
}
const args = [
  ...flags,
  ...process.execArgv,
  existsSync(source) ? source : at('dist/app/cli/cli.js'),
  ...process.argv.slice(2),
]
const [major] = process.versions.node.split('.').map(Number)

if (major < 24) {
  const pinned = pinnedNode()
  if (pinned === null) {
    console.error(
      `Bursar needs Node.js 24; this is ${process.version}, and the pinned one is missing: install again with npm, without --omit=optional.`,
    )
    process.exit(1)
  }
  begin(pinned)
} else if (process.execve && process.platform !== 'win32')
  process.execve(process.execPath, [process.execPath, ...args], env)
else begin(process.execPath)

/**
 * Has a command that asks a server over the network go by HTTP_PROXY and HTTPS_PROXY, which Node.js
 * ignores unless it is started so.
 */
function proxied() {
  return asksServer() ? { NODE_USE_ENV_PROXY: '1' } : {}
}

/** What is on this machine is asked without the proxy: `listen` passes events on to it. */
function direct() {
  if (!asksServer()) return {}
  const hosts = [process.env.no_proxy || process.env.NO_PROXY, 'localhost', '127.0.0.1', '[::1]']
    .filter(Boolean)
    .join(',')
  return { no_proxy: hosts, NO_PROXY: hosts }
}

/**
 * Whether the command is one of an integrator: those that run a server, or work on its database,
 * are in the outline.
 */
function asksServer() {
  const outline = existsSync(source)
    ? at('src/app/cli/outline.json')
    : at('dist/app/cli/outline.json')
  return !Object.hasOwn(JSON.parse(readFileSync(outline, 'utf8')), process.argv[2] ?? '')
}

/** The Node.js of this platform's npm package, or null. */
function pinnedNode() {
  const { resolve } = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'win' : process.platform
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`])
    try {
      const folder = dirname(resolve(`${name}/package.json`))
      return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    } catch {
      // Its package is of another platform, or was left out.
    }
  return null
}

function begin(node) {
  // By the channel it learns that this process is gone, also when nothing could be passed on.
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
