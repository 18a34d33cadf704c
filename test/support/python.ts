/**
 * Python for tests, with the packages of `test/support/python/requirements.txt`, which are
 * installed once. Where there is no Python, or its registry cannot be reached, tests are skipped.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Hex } from '../../src/lib/secrets.ts'

const root = new URL('../../', import.meta.url).pathname
const ownRequirements = join(root, 'test/support/python/requirements.txt')

export type Run = { code: number | null; out: string; err: string }

/** Runs a program to its end. */
export function run(
  program: string,
  args: string[],
  input = '',
  env: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env } })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      said.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.err += chunk
    })
    child.on('error', (error) => resolve({ code: null, out: '', err: error.message }))
    child.on('close', (code) => resolve({ code, ...said }))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/**
 * @param requirements the file that names its packages
 * @returns the interpreter, or why there is none in one line
 */
export async function findPython(
  requirements: string = ownRequirements,
): Promise<{ python: string } | { missing: string }> {
  const known = sha256Hex(readFileSync(requirements, 'utf8')).slice(0, 16)
  const home = join(root, 'node_modules/.cache', `python-${known}`)
  const python = join(home, 'bin/python')
  if (existsSync(python)) return { python }
  const half = `${home}-${process.pid}`
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '1',
    '--timeout',
    '20',
  ]
  for (const [program, args] of [
    ['python3', ['-m', 'venv', half]],
    [join(half, 'bin/python'), [...pip, '--requirement', requirements]],
  ] as const) {
    const { code, err } = await run(program, [...args])
    if (code === 0) continue
    rmSync(half, { recursive: true, force: true })
    return { missing: `Python with its packages is missing: ${err.trim().split('\n').at(-1)}` }
  }
  // Nothing in it that is used here says where it is.
  if (existsSync(home)) rmSync(half, { recursive: true, force: true })
  else renameSync(half, home)
  return { python }
}
