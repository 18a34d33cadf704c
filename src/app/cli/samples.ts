/**
 * `bursar samples`: small programs of a shop that run as they are, to begin one's own with.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import {
  type Access,
  accessOf,
  type Environment,
  exits,
  exitsHelp,
  modeOfKey,
  withUsageStatus,
} from './access.ts'
import { secretOf } from './listen.ts'
import { print, UserError } from './terminal.ts'

const samples: Record<string, { says: string; needs: string; start: string }> = {
  node: {
    says: 'a shop in Node.js, without a package',
    needs: 'Node.js 20.12 or newer',
    start: 'node server.mjs',
  },
  python: {
    says: 'a shop in Python, by its standard library',
    needs: 'Python 3.9 or newer',
    start: 'python3 server.py',
  },
}
export const sampleNames: readonly string[] = Object.keys(samples)

const port = 3000

/** Adds `bursar samples`. @param out prints what there is, and what to do next */
export function addSamplesCommand(
  program: Command,
  env: Environment,
  out: (line: string) => void = print,
): void {
  withUsageStatus(program.command('samples'))
    .description('write a program that takes a payment and verifies webhooks')
    .argument('[name]', sampleNames.join(' or '))
    .argument('[dir]', 'where to: it must not exist, or be empty (default: bursar-NAME)')
    .option('--list', 'list what there is, as without a name')
    .addHelpText(
      'after',
      `
With a login, or BURSAR_KEY, its .env has what it needs: the URL, the key if it is one of test mode,
and the secret that \`bursar listen\` signs with.
${exitsHelp}`,
    )
    .action(
      (name: string | undefined, dir: string | undefined, { list = false }: { list?: boolean }) => {
        if (list || name === undefined) {
          for (const [one, { says, needs }] of Object.entries(samples))
            out(`${one.padEnd(8)}  ${says}; needs ${needs}`)
          return
        }
        const sample = Object.hasOwn(samples, name) ? samples[name] : undefined
        if (!sample)
          throw new UserError(
            `There is no sample '${name}'. There are ${sampleNames.join(', ')}.`,
            exits.usage,
          )
        const to = resolve(dir ?? `bursar-${name}`)
        const access = accessIfAny(env)
        write(name, to, access)
        const shown = relative('.', to) || '.'
        out(`${shown} has ${sample.says}.`)
        if (access === null)
          out(
            `Put your API key into ${join(shown, '.env')}: \`bursar login\` first would have done it.`,
          )
        out('Next, each in a terminal of its own:')
        out(`  cd ${shown} && ${sample.start}`)
        out(`  npx bursar listen --forward-to http://localhost:${port}/webhook`)
        out('  npx bursar trigger payment.completed')
      },
    )
}

/** What is logged in with, where that is test mode; a live key is written nowhere. */
function accessIfAny(env: Environment): Access | null {
  try {
    const access = accessOf(env)
    return modeOfKey(access.key) === 'test' ? access : null
  } catch (error) {
    if (error instanceof UserError && error.status === exits.key) return null
    throw error
  }
}

/** @throws {UserError} when there is something already */
function write(name: string, to: string, access: Access | null): void {
  if (existsSync(to) && readdirSync(to).length > 0)
    throw new UserError(`${to} is not empty: name another folder.`)
  const from = new URL(`samples/${name}/`, import.meta.url)
  try {
    mkdirSync(to, { recursive: true })
    for (const file of readdirSync(from))
      writeFileSync(join(to, file), readFileSync(new URL(file, from)))
    writeFileSync(join(to, '.gitignore'), '.env\n')
    const settings = {
      BURSAR_URL: access?.url ?? 'http://localhost:4000',
      BURSAR_KEY: access?.key ?? '',
      WEBHOOK_SECRET: access ? secretOf(access) : '',
    }
    const lines = Object.entries(settings).map(([setting, value]) => `${setting}=${value}\n`)
    writeFileSync(join(to, '.env'), lines.join(''), { mode: 0o600 })
  } catch (error) {
    throw new UserError(`${to} cannot be written: ${(error as Error).message}`)
  }
}
