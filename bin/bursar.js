#!/usr/bin/env node
// The server runs on the Node.js that its lock file pins, whatever `node` is on the path.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const cli = new URL('../src/cli/cli.ts', import.meta.url)
const [major] = process.versions.node.split('.').map(Number)

if (major >= 24) {
  await import(cli.href)
} else {
  const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (!existsSync(pinned)) {
    console.error(`Bursar needs Node.js 24; this is ${process.version}, and the pinned one is missing: run \`npm ci\`.`)
    process.exit(1)
  }
  const child = spawn(pinned, [fileURLToPath(cli), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}
