/**
 * The Python SDK as a user gets it: a wheel that is built from the packed source, installed into an
 * empty environment, and type-checked there; run by its client and by the one for coroutines.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, runToEnd, startProgram } from './driver.ts'
import type { Prepared } from './typescript.ts'

const source = join(import.meta.dirname, '../python')
const needed = 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)'

/** What the code of the README speaks of and does not make. */
const before = `import os
from typing import Mapping

from bursar import ApiError, Bursar

landlord = "6925f3a1c0ffee00c0ffee01"
raw_body = b""
headers: Mapping[str, str] = {}
`

/** @param dir an empty folder */
export async function preparePython(dir: string): Promise<Prepared> {
  try {
    await runToEnd('python3', ['-c', needed], dir)
  } catch {
    return { drivers: [], passed: [], lacking: ['Python: it needs Python 3.10 or newer with venv'] }
  }
  const tools = join(dir, 'tools/bin')
  await runToEnd('python3', ['-m', 'venv', 'tools'], dir)
  await runToEnd(
    join(tools, 'pip'),
    [...quiet, '-r', join(source, 'conformance/requirements.txt')],
    dir,
  )
  const wheel = await pack(dir, tools)

  const app = join(dir, 'app')
  await runToEnd('python3', ['-m', 'venv', '--without-pip', 'app'], dir)
  const python = join(app, 'bin/python')
  await runToEnd(join(tools, 'pip'), ['--python', python, ...quiet, wheel], dir)
  cpSync(join(source, 'conformance'), app, { recursive: true })
  const blocks = readFileSync(join(source, 'README.md'), 'utf8').matchAll(
    /^```python\n(.*?)^```$/gms,
  )
  writeFileSync(join(app, 'readme.py'), [before, ...[...blocks].map(([, code]) => code)].join('\n'))
  await typeCheck(dir, tools, app, python)
  await runToEnd(python, ['own.py'], app)

  const common = {
    agent: 'bursar-python/0.1.0 python/',
    integers: 'int64' as const,
    can: ['fork', 'multiprocessing', 'proxies'] as Driver['can'] & {},
  }
  const drivers: Driver[] = [
    {
      name: 'Python',
      ...common,
      start: (env = {}) => startProgram(python, ['driver.py'], { cwd: app, env }),
    },
    {
      name: 'Python, async',
      ...common,
      quick: true,
      start: (env = {}) => startProgram(python, ['driver.py', 'async'], { cwd: app, env }),
    },
  ]
  const passed = [
    'Python: packed as source and wheel, with its types, and nothing but what is to be published',
    'Python: mypy --strict and pyright find nothing in it, in a sample or in its README, with the installed package; and what only Python has',
  ]
  return { drivers, passed, lacking: [] }
}

const quiet = ['install', '--quiet', '--disable-pip-version-check', '--no-warn-script-location']

/** @returns the path of the wheel */
async function pack(dir: string, tools: string): Promise<string> {
  const copy = join(dir, 'source')
  cpSync(source, copy, { recursive: true, filter: (path) => !/__pycache__|\/dist$/.test(path) })
  await runToEnd(
    join(tools, 'python'),
    ['-m', 'build', '--no-isolation', '--outdir', join(dir, 'dist'), copy],
    dir,
  )
  const wheel = readdirSync(join(dir, 'dist')).find((file) => file.endsWith('.whl'))
  if (!wheel) throw new Error('no wheel was built')
  const path = join(dir, 'dist', wheel)
  const listed = (await runToEnd(join(tools, 'python'), ['-m', 'zipfile', '-l', path], dir))
    .split('\n')
    .slice(1)
  const files = listed.flatMap((line) => line.split(/\s/)[0] || [])
  const odd = files.filter(
    (file) => !/^bursar(\/\w+\.py|\/py\.typed|-0\.1\.0\.dist-info\/.+)$/.test(file),
  )
  if (odd.length > 0 || !files.includes('bursar/py.typed'))
    throw new Error(`the wheel has ${files.join(', ')}`)
  return path
}

/**
 * In the source, strictly as mypy has it; in programs that use what is installed, strictly as both
 * have it.
 */
async function typeCheck(dir: string, tools: string, app: string, python: string): Promise<void> {
  const programs = ['sample.py', 'readme.py']
  const copy = join(dir, 'source')
  mkdirSync(join(app, 'checked'))
  for (const name of programs) cpSync(join(app, name), join(app, 'checked', name))
  const config = { include: ['checked'], typeCheckingMode: 'strict', pythonVersion: '3.9' }
  writeFileSync(join(app, 'pyrightconfig.json'), JSON.stringify(config))
  const mypy = (args: string[], cwd: string): Promise<string> =>
    runToEnd(join(tools, 'mypy'), ['--strict', '--cache-dir', join(dir, 'mypy'), ...args], cwd)
  const pyright = (project: string): Promise<string> =>
    runToEnd(join(tools, 'pyright'), ['--pythonpath', python, '-p', project], project)
  await Promise.all([
    mypy([], copy).then(() => mypy(['--python-executable', python, ...programs], app)),
    pyright(app).then(() => pyright(copy)),
  ])
}
