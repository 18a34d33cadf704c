/**
 * Whether the simulator finds what it is for: bugs are planted one at a time in a copy, and each
 * must be found.
 */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parts } from './copies.ts'
import type { Finding } from './tally.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export type Planted = {
  name: string
  bug: string
  found: (Finding & { seed: number }) | null
  seconds: number
}

/**
 * Plants each bug, and runs until something is found.
 * @param only a part of the names of those that are planted
 * @param minutes how long each is looked for, by each seed
 * @param seeds tried in order until one finds it
 * @throws {Error} where a bug cannot be planted, or a run cannot start
 */
export async function plantAll(
  only: string,
  minutes: number,
  seeds: number[],
  say: (line: string) => void,
): Promise<Planted[]> {
  const planted: Planted[] = []
  for (const patch of globSync('sim/mutations/*.patch', { cwd: root }).sort()) {
    const name = basename(patch, '.patch')
    if (!name.includes(only)) continue
    const bug = readFileSync(join(root, patch), 'utf8').split('\n', 1)[0] as string
    const one: Planted = { name, bug, found: null, seconds: 0 }
    for (const seed of seeds) {
      const { findings, seconds } = await runCopy(join(root, patch), seed, minutes)
      one.seconds += seconds
      if (findings[0]) one.found = { ...findings[0], seed }
      if (one.found) break
    }
    const { found } = one
    say(
      `${name}: ${found ? `${found.kind}, by seed ${found.seed}, after ${Math.round(found.after)} s: ${found.what.slice(0, 160)}` : 'NOT FOUND'}`,
    )
    planted.push(one)
  }
  return planted
}

async function runCopy(
  patch: string,
  seed: number,
  minutes: number,
): Promise<{ findings: Finding[]; seconds: number }> {
  const copy = mkdtempSync(join(tmpdir(), 'bursar-planted-'))
  try {
    for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    execFileSync('git', ['apply', patch], {
      cwd: copy,
      env: { ...process.env, GIT_CEILING_DIRECTORIES: tmpdir() },
    })
    const args = [
      'sim/sim.ts',
      '--seed',
      String(seed),
      '--minutes',
      String(minutes),
      '--pause',
      '20',
      '--first',
      '--json',
    ]
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let errors = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      errors = (errors + chunk).slice(-2_000)
    })
    await new Promise((resolve) => child.on('close', resolve))
    if (out === '') throw new Error(`${basename(patch)}: the run could not start: ${errors}`)
    return JSON.parse(out)
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
