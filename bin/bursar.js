#!/usr/bin/env node
// The server runs on the Node.js that its lock file pins where the one on the path is below 24, and within little memory: by default the
// young generation alone may take 130 MiB, the old one grow to several times what is alive in it, and each thread of the C library
// keep an arena of its own. Compiled code is kept from one start to the next: what strips the types takes memory and time. An
// operator's own settings of these count.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from './flags.js'

const own = [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ').replaceAll('_', '-')
const flags = nodeFlags.filter((flag) => !own.includes(flag.split('=')[0]))
const cache = fileURLToPath(new URL('../node_modules/.cache/bursar', import.meta.url))
const env = { MALLOC_ARENA_MAX: '2', NODE_COMPILE_CACHE: cache, ...process.env }
const cli = fileURLToPath(new URL('../src/edge/cli/cli.ts', import.meta.url))
const args = [...flags, ...process.execArgv, cli, ...process.argv.slice(2)]
const [major] = process.versions.node.split('.').map(Number)

if (major < 24) {
  const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(pinned)) {
    console.error(`Bursar needs Node.js 24; this is ${process.version}, and the pinned one is missing: run \`npm ci\`.`)
    process.exit(1)
  }
  begin(pinned)
} else if (process.execve && process.platform !== 'win32')
  process.execve(process.execPath, [process.execPath, ...args], env)
else begin(process.execPath)

function begin(node) {
  // By the channel it learns that this process is gone, also when nothing could be passed on.
  const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
