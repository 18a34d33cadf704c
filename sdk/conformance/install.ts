/**
 * The lines that `docs/sdks.md` prints to install the SDKs from a clone: each is typed into a shell
 * in a new project beside a clone, and the installed SDK makes a first call.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createBusiness } from '../../src/books/businesses/businesses.ts'
import type { TestServer } from '../../test/support/harness.ts'
import { runToEnd } from './driver.ts'
import { projectOf } from './php.ts'

const root = join(import.meta.dirname, '../..')

/** The version that stands in for a reader's pnpm. */
const pnpm = '#!/bin/sh\nexec npm exec --yes --package=pnpm@10.34.9 -- pnpm "$@"\n'

type Language = 'TypeScript' | 'Python' | 'PHP'

const readmes: Record<Language, string> = {
  TypeScript: 'sdk/typescript/README.md',
  Python: 'sdk/python/README.md',
  PHP: 'sdk/php/README.md',
}

const call = `payments.create({ amount: 1000, currency: 'ngn' })`
const ofNode = (head: string): string => `${head}
new Bursar().${call}.then((payment) => process.stdout.write(payment.checkout_url))
`

/** A project before the line, in each language, and the commands that make a call after it. */
const projects: Record<Language, { files: Record<string, string>; calls: string[] }> = {
  TypeScript: {
    files: {
      'package.json': '{ "private": true }',
      'call.mjs': ofNode(`import { Bursar } from '@bursar/sdk'`),
      'call.cjs': ofNode(`const { Bursar } = require('@bursar/sdk')`),
      'typed.mts': `import { Bursar, type Payment } from '@bursar/sdk'
const payment: Payment = await new Bursar().${call}
// @ts-expect-error: a payment has no such field
payment.colour
`,
    },
    calls: [
      'node call.mjs',
      'node call.cjs',
      `"${root}/node_modules/.bin/tsc" --ignoreConfig --noEmit --strict --target es2022 --module nodenext --types '' typed.mts && node call.mjs`,
    ],
  },
  Python: {
    files: {
      'call.py': `from bursar import Bursar
print(Bursar().payments.create(amount=1000, currency="ngn").checkout_url, end="")
`,
    },
    calls: ['python call.py'],
  },
  PHP: {
    files: {
      // Its dependencies are Debian's packages: a test needs no Packagist.
      'composer.json': JSON.stringify(projectOf()),
      'call.php': `<?php
require 'vendor/autoload.php';
echo (new Bursar\\Client())->payments->create(['amount' => 1000, 'currency' => 'ngn'])->checkout_url;
`,
    },
    calls: ['php call.php'],
  },
}

/** The printed lines of a language. @throws {Error} where a README has another line */
function linesOf(language: Language): string[] {
  const page = readFileSync(join(root, 'docs/sdks.md'), 'utf8')
  const rows = page.matchAll(/^\| (TypeScript|Python|PHP)\b[^|]*\| `(.+)` \|$/gm)
  const lines = [...rows].filter(([, name]) => name === language).map(([, , line]) => line ?? '')
  if (lines.length === 0) throw new Error(`docs/sdks.md has no line for ${language}`)
  if (!readFileSync(join(root, readmes[language]), 'utf8').includes(`\n${lines[0]}\n`))
    throw new Error(`${readmes[language]} does not have the line ${lines[0]}`)
  return lines
}

/**
 * Makes a fresh clone of the SDKs, with what a commit of this tree would have of them.
 * @returns its folder
 */
function cloneSdks(dir: string): string {
  const [origin, clone] = [join(dir, 'origin'), join(dir, 'bursar')]
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8' })
  const files = git(root, 'ls-files', '-z', '-co', '--exclude-standard', '--deduplicate', 'sdk')
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(origin, file)), { recursive: true })
    cpSync(join(root, file), join(origin, file))
  }
  git(origin, 'init', '-q')
  git(origin, 'add', '.')
  git(origin, '-c', 'user.name=test', '-c', 'user.email=test@test.example', 'commit', '-qm', 'SDKs')
  git(dir, 'clone', '-q', origin, clone)
  return clone
}

/**
 * Installs by each line, and makes calls.
 * @param dir an empty folder
 * @returns what was tried
 * @throws {Error} where a line or a call fails, or the line changes a tracked file of the clone
 */
export async function checkInstalls(
  language: Language,
  dir: string,
  server: TestServer,
): Promise<string> {
  const clone = cloneSdks(dir)
  const { test_key } = await createBusiness(server.app, `Installed ${language}`)
  const tools = join(dir, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'pnpm'), pnpm, { mode: 0o755 })
  const env = [
    `PATH=${tools}:${dirname(process.execPath)}:${process.env.PATH}`,
    `BURSAR_GIT=file://${clone}`,
    `BURSAR_URL=${server.url}`,
    `BURSAR_KEY=${test_key}`,
    'COMPOSER_ALLOW_SUPERUSER=1',
    'COMPOSER_DISABLE_NETWORK=1',
    'COMPOSER_NO_INTERACTION=1',
    'PIP_DISABLE_PIP_VERSION_CHECK=1',
  ]
  const lines = linesOf(language)
  for (const [i, line] of lines.entries()) {
    const cwd = join(dir, `project-${i}`)
    mkdirSync(cwd)
    const { files, calls } = projects[language]
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text)
    const shell = (text: string): Promise<string> =>
      runToEnd('env', [...env, 'bash', '-euo', 'pipefail', '-c', text], cwd)
    const enter = language === 'Python' ? '. .venv/bin/activate; ' : ''
    if (enter !== '') await shell('python3 -m venv .venv')
    await shell(enter + line)
    for (const one of calls) {
      const url = await shell(enter + one)
      if (!/^http:\/\/\S+\/pay\/\w+$/.test(url)) throw new Error(`${line}; ${one}: ${url}`)
    }
  }
  const changed = await runToEnd('git', ['status', '--short', '--ignored'], clone)
  if (changed !== '') throw new Error(`the lines changed the clone: ${changed}`)
  return `${language}: each printed line installs it from a fresh clone, and it makes a first call: ${lines.join('; ')}`
}
