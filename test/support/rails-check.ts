/**
 * `bursar rails check` over the double of a provider, through a proxy that a test may have bend
 * answers. `npm run rails:check` prints it.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addOperatingCommands } from '../../src/app/cli/operating.ts'
import { UserError } from '../../src/app/cli/terminal.ts'
import { open } from '../../src/app/open.ts'
import { readConfig } from '../../src/lib/config.ts'
import { hurriedClock, type Place, type PlaceName, places } from './assumptions.ts'
import { type Bend, startBent } from './bent.ts'
import { type Output, runAddedCommand } from './command-line.ts'

type Options = {
  args?: string[]
  bends?: Bend[]
  /** Ends the command with an error as it has printed this line. */
  interruptedAt?: RegExp
}

/**
 * Runs the command over a double of its own.
 * @param databaseUrl of a database that has the schema
 * @returns what was printed, and the report with the bits of its file's mode
 */
export async function checkOverDouble(
  databaseUrl: string,
  name: PlaceName,
  { args = [], bends = [], interruptedAt }: Options = {},
) {
  const place: Place = await places[name]()
  const bent = await startBent(place.url, {
    bends: [...(place.corrections ?? []), ...bends],
    ...(place.headers ? { headers: place.headers } : {}),
    isTest: name !== 'paystack',
  })
  const dir = mkdtempSync(join(tmpdir(), 'bursar-check-'))
  try {
    const secrets: Record<string, string> = {}
    const own = Object.entries(place.own).map(([field, value]) => {
      if (!field.endsWith('_key')) return [field, value]
      secrets[`CHECK_${field.toUpperCase()}`] = value
      return [field, `env:CHECK_${field.toUpperCase()}`]
    })
    const [provider = name] = name.split('_')
    const account = { provider, base_url: bent.url, ...Object.fromEntries(own) }
    const routes = Object.fromEntries(place.routes.map((route) => [route, [provider]]))
    writeFileSync(
      join(dir, 'rails.json'),
      JSON.stringify({ test: { accounts: { [provider]: account }, routes } }),
    )
    const env = {
      RAILS_FILE: join(dir, 'rails.json'),
      ...secrets,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: 'ab'.repeat(32),
    }
    const opened = await open({ ...readConfig(env), LOG_LEVEL: 'silent' }, 'tool', {
      clock: hurriedClock(),
    })
    const report = join(dir, 'report.json')
    const pay = (line: string): void => {
      const [, url, to] =
        /^Open (\S+) and .* to account (\d+)/.exec(line) ?? /^Open (\S+) and pay/.exec(line) ?? []
      if (url) place.pay?.({ url, to: to ?? null, amount: 50_000n })
    }
    const ran: Output = await runAddedCommand(
      (program, print, say) =>
        addOperatingCommands(program, env, {
          withApp: (work) => work(opened.app),
          print(line) {
            print(line)
            if (interruptedAt?.test(line)) throw new UserError('Interrupted.')
          },
          wait: async () => place.world?.(),
          say(line) {
            say(line)
            pay(line)
          },
        }),
      ['rails', 'check', provider, '--report', report, ...args],
    ).finally(opened.close)
    return {
      ...ran,
      ...readReport(report),
      secrets: Object.values(secrets),
      violations: place.violations(),
    }
  } finally {
    await bent.stop()
    await place.stop()
    rmSync(dir, { recursive: true })
  }
}

function readReport(file: string): { report: string; mode: number } {
  if (!existsSync(file)) return { report: '', mode: 0 }
  return { report: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }
}
