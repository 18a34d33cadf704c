#!/usr/bin/env node
// The server runs on the Node.js that comes with it where the one on the path is below 24, and within little memory: by default the
// young generation alone may take 130 MiB, the old one grow to several times what is alive in it, and each thread of the C library
// keep an arena of its own. Compiled code is kept from one start to the next: what strips the types takes memory and time. An
// operator's own settings of these count. A clone runs its sources; the package has them as JavaScript.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from './flags.js'

const own = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ').replaceAll('_', '-')
const flags = nodeFlags.filter((flag) => !own.includes(flag.split('=')[0]))
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const env = { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: at('node_modules/.cache/bursar'), ...process.env }
const source = at('src/edge/cli/cli.ts')
const args = [
  ...flags,
  ...process.execArgv,
  existsSync(source) ? source : at('dist/edge/cli/cli.js'),
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
