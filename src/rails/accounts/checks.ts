/** Checks the accounts at providers when a server starts, and for `bursar rails status`. */
import { type Database, sqlOfAll } from '../../db/db.ts'
import { ConfigError } from '../../lib/config.ts'
import { withDeadline } from '../../lib/deadline.ts'
import type { Log } from '../../lib/log.ts'
import { modeOf } from '../../lib/mode.ts'
import { masked } from '../http/masking.ts'
import type { AccountCheck, RailAccount, Rails } from '../ports/routes.ts'
import type { ConfiguredAccount, RailsSettings } from './accounts.ts'

/** How long a start waits for a provider. */
const startWaitsMs = 5_000

const registerAccounts = sqlOfAll(
  'rails.register_accounts',
  `insert into rail_accounts (livemode, name, provider, first_seen_at)
   select *, $4 from unnest($1::boolean[], $2::text[], $3::text[]) on conflict do nothing`,
)

const selectAccounts = sqlOfAll<{ livemode: boolean; name: string; provider: string }>(
  'rails.select_accounts',
  'select livemode, name, provider from rail_accounts',
)

const selectKnown = sqlOfAll<{ id: string }>(
  'rails.select_known',
  'select id from businesses where id = any($1)',
)

/**
 * Stores the names of accounts with their providers. Idempotent.
 * @throws {ConfigError} when a name belonged to another provider before
 */
async function keepNames(db: Database, accounts: ConfiguredAccount[], now: Date): Promise<void> {
  const columns = [
    accounts.map(({ settings }) => settings.livemode),
    accounts.map(({ settings }) => settings.name),
    accounts.map(({ provider }) => provider.name),
  ]
  await db.rows(registerAccounts, [...columns, now])
  const known = await db.rows(selectAccounts)
  for (const account of accounts) {
    const { name, livemode } = account.settings
    const before = known.find((one) => one.name === name && one.livemode === livemode)?.provider
    if (before !== account.provider.name)
      throw new ConfigError(
        `RAILS_FILE: ${modeOf(account.settings.livemode)}.accounts.${name}: records carry this name for an account at ${before}; give this one another name`,
      )
  }
}

/** Returns sentences about likely mistakes in the file that do not stop the server. */
async function oversights(db: Database, { test, live }: RailsSettings): Promise<string[]> {
  const accounts = [...live.accounts, ...test.accounts]
  const named = accounts.flatMap(({ settings }) => (settings.serves === '*' ? [] : settings.serves))
  const known = named.length === 0 ? [] : (await db.rows(selectKnown, [named])).map(({ id }) => id)
  return accounts.flatMap((account) => {
    const { name, serves } = account.settings
    const place = `${modeOf(account.settings.livemode)}.accounts.${name}`
    const unknown = serves === '*' ? [] : serves.filter((id) => !known.includes(id))
    const { routes } = account.settings.livemode ? live : test
    const routed = Object.values(routes).some((names) => names.includes(name))
    return [
      ...unknown.map((id) => `${place}.serves: there is no business ${id}`),
      ...(routed ? [] : [`${place} is in no route, so nothing goes to it`]),
    ]
  })
}

export type Standing = { mode: 'live' | 'test'; account: RailAccount; check: AccountCheck }

/**
 * Queries the provider of each account about its state. One that does not answer in time gets a
 * warning.
 */
export function standingOf(rails: Rails, waitMs: number): Promise<Standing[]> {
  const asked = (['live', 'test'] as const).flatMap((mode) =>
    Object.values(rails[mode].accounts).flatMap((account) =>
      account.check ? [{ mode, account, ask: account.check }] : [],
    ),
  )
  return Promise.all(
    asked.map(async ({ mode, account, ask }) => {
      try {
        const check = await withDeadline(waitMs, ask())
        const warnings = check.warnings.map((warning) => masked(warning))
        return { mode, account, check: { ...check, warnings } }
      } catch (error) {
        const warnings = [
          `${account.provider} could not be asked: ${masked((error as Error).message)}`,
        ]
        return {
          mode,
          account,
          check: { fatal: null, keyWorks: null, obstacle: null, balances: {}, warnings },
        }
      }
    }),
  )
}

/**
 * Checks the file's accounts before a server uses them, and warns about problems that a person
 * should fix.
 * @throws {ConfigError} when a name belonged to another provider, or a provider says that an
 * account is of the other mode
 */
export async function checkAccounts(
  settings: RailsSettings,
  rails: Rails,
  { db, log, now }: { db: Database; log: Log; now: Date },
): Promise<void> {
  const accounts = [...settings.live.accounts, ...settings.test.accounts]
  if (accounts.length === 0) return
  await keepNames(db, accounts, now)
  for (const oversight of await oversights(db, settings)) log.warn({}, `RAILS_FILE: ${oversight}`)
  for (const { mode, account, check } of await standingOf(rails, startWaitsMs)) {
    const place = `RAILS_FILE: ${mode}.accounts.${account.name}`
    if (check.fatal !== null) throw new ConfigError(`${place}: ${check.fatal}`)
    if (check.keyWorks === false)
      log.warn({}, `${place}: ${account.provider} does not take its key`)
    for (const warning of check.warnings) log.warn({}, `${place}: ${warning}`)
  }
}
