/**
 * From a clone to a webhook that one's own program has verified, as a newcomer does it: six
 * commands in a fresh folder, each timed. What runs on is ended at the end, and the folder is
 * deleted. It needs git and npm; a warm cache of npm is what makes it quick.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../test/support/ports.ts'

const root = new URL('../', import.meta.url).pathname
const mostSeconds = 60
const giveUpMs = 10 * 60_000

const folder = mkdtempSync(join(tmpdir(), 'bursar-first-webhook-'))
const [port, shopPort] = [await freePort(), await freePort()]
/** Nothing of this machine's own settings, and a home of its own for the login. */
const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|BURSAR_|DATA|SECRETS|NODE_)/.test(name),
    ),
  ),
  // Without the programs of this checkout.
  PATH: (process.env.PATH ?? '')
    .split(':')
    .filter((part) => !part.includes('node_modules'))
    .join(':'),
  XDG_CONFIG_HOME: join(folder, 'config'),
}

const running: ChildProcess[] = []
let output = ''

/**
 * Runs a line of a shell until its output has what it is waited for, or until its end. @returns the
 * match
 */
function run(line: string, cwd: string, awaited?: RegExp): Promise<RegExpExecArray | null> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', line], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    let text = ''
    const timer = setTimeout(
      () => reject(new Error(`${line}: nothing came of it\n${text}`)),
      giveUpMs,
    )
    const over = (found: RegExpExecArray | null): void => {
      clearTimeout(timer)
      resolve(found)
    }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk
        output += chunk
        const found = awaited?.exec(text)
        if (found) over(found)
      })
    child.on('exit', (code) => {
      clearTimeout(timer)
      if (code !== 0 || awaited) reject(new Error(`${line} ended with ${code}\n${text}`))
      else over(null)
    })
  })
}

const startedAt = performance.now()
const clone = join(folder, 'bursar')
/** Prints a command, and then how long it took. */
async function step(line: string, cwd: string, awaited?: RegExp): Promise<RegExpExecArray | null> {
  const at = performance.now()
  process.stdout.write(`$ ${line}\n`)
  const found = await run(line, cwd, awaited)
  process.stdout.write(`  ${((performance.now() - at) / 1000).toFixed(1)} s\n`)
  return found
}

try {
  await step(`git clone --quiet file://${root.replace(/\/$/, '')} bursar`, folder)
  const key = await step(
    `npm ci --silent && PORT=${port} npm start`,
    clone,
    /test key (sk_test_\S+)[\s\S]*\n\n$/,
  )
  await step(`echo ${key?.[1]} | npx bursar login --url http://localhost:${port}`, clone)
  await step(
    `npx bursar samples node shop && PORT=${shopPort} node shop/server.mjs`,
    clone,
    /The shop is at/,
  )
  await step(
    `npx bursar listen --forward-to http://localhost:${shopPort}/webhook`,
    clone,
    /Signing with/,
  )
  const at = output.length
  await step('npx bursar trigger payment.completed', clone)
  while (!output.slice(at).includes('verified payment.completed'))
    if (performance.now() - startedAt > giveUpMs)
      throw new Error(`the shop has verified nothing\n${output.slice(at)}`)
    else await new Promise((resolve) => setTimeout(resolve, 20))
  const seconds = (performance.now() - startedAt) / 1000
  console.log(
    `The shop has verified its first webhook ${seconds.toFixed(1)} s after the first command.`,
  )
  if (seconds > mostSeconds) {
    console.log(`That is more than ${mostSeconds} s.`)
    process.exitCode = 1
  }
} finally {
  await Promise.all(running.reverse().map(end))
  rmSync(folder, { recursive: true, force: true })
}

/** Ends what a line has started, and waits for it: the server leaves its database in order. */
async function end(child: ChildProcess): Promise<void> {
  const isOver = (): boolean => {
    try {
      process.kill(-(child.pid as number), 0)
      return false
    } catch {
      return true
    }
  }
  try {
    process.kill(-(child.pid as number), 'SIGTERM')
  } catch {
    return
  }
  for (let waited = 0; !isOver() && waited < 200; waited++)
    await new Promise((resolve) => setTimeout(resolve, 50))
}
