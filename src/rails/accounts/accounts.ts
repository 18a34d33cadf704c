/**
 * Reads the operator's `RAILS_FILE`: accounts at providers and routes, each below its mode so that
 * the two cannot mix. The file refers to secrets, and contains none.
 */
import { ConfigError } from '../../lib/config.ts'
import { isId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { type Static, Type } from '../../lib/schema.ts'
import { mistakeIn, readSettingsFile } from '../../lib/settings-file.ts'
import { type AccountSettings, isSecret, type Provider, secretForm } from '../ports/provider.ts'
import { type RouteName, type Routes, routeNames } from '../ports/routes.ts'

/** An account of the file, and the provider that opens it. */
export type ConfiguredAccount = {
  provider: Provider
  settings: AccountSettings<Record<string, unknown>>
  /** Its secrets, which no message may show. */
  secrets: readonly string[]
}
export type ConfiguredMode = { accounts: ConfiguredAccount[]; routes: Routes }
export type RailsSettings = { test: ConfiguredMode; live: ConfiguredMode }

const closed = { additionalProperties: false }
const ModeIn = Type.Object(
  {
    accounts: Type.Record(Type.String(), Type.Object({ provider: Type.String() })),
    routes: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1, uniqueItems: true })),
    ),
  },
  closed,
)
const FileIn = Type.Object({ live: Type.Optional(ModeIn), test: Type.Optional(ModeIn) }, closed)
/** Settings of every account, for any provider. */
const common = {
  provider: Type.String(),
  serves: Type.Optional(Type.Unknown()),
  channels: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String(), { minItems: 1, uniqueItems: true })),
  ),
}

/** Names in records and books that no account of the file may have. */
const taken = ['sandbox', 'simulated', 'evm']

type Given = {
  providers: readonly Provider[]
  secretOf(reference: string): string
  baseUrl: string | null
}

/**
 * Reads the file; without one, the sandbox is the only account.
 * @throws {ConfigError} one line that names the error, without secrets
 */
export function readRailsFile(file: string | null, given: Given): RailsSettings {
  const none = { accounts: [], routes: {} }
  if (file === null) return { test: none, live: none }
  const { test, live } = readSettingsFile('RAILS_FILE', file, FileIn)
  const read = (name: 'test' | 'live', mode: Static<typeof ModeIn> | undefined): ConfiguredMode => {
    try {
      return mode === undefined ? none : readMode(name, mode, given)
    } catch (error) {
      if (error instanceof RangeError) throw new ConfigError(`RAILS_FILE: ${error.message}`)
      throw error
    }
  }
  const settings = { test: read('test', test), live: read('live', live) }
  if (settings.live.accounts.length > 0) assertReachable(given.baseUrl)
  return settings
}

function readMode(
  mode: 'test' | 'live',
  { accounts, routes = {} }: Static<typeof ModeIn>,
  given: Given,
): ConfiguredMode {
  const read = Object.entries(accounts).map(([name, account]) => {
    const place = `${mode}.accounts.${name}`
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
      throw new RangeError(`${place}: a name has 1 to 40 lower-case letters, digits and dashes`)
    if (taken.includes(name))
      throw new RangeError(`${place}: records carry this name for another rail`)
    return readAccount(place, name, mode === 'live', account, given)
  })
  const bySecret = new Map<string, string>()
  for (const { provider, settings, secrets } of read) {
    const shared = provider.sharedKey?.(settings.own)
    for (const secret of new Set(secrets)) {
      const opens = JSON.stringify([secret, secret === shared?.secret ? shared.part : null])
      const other = bySecret.get(opens)
      if (other !== undefined)
        throw new RangeError(
          `${mode}.accounts: ${other} and ${settings.name} have the same secret, so they are one account`,
        )
      bySecret.set(opens, settings.name)
    }
  }
  const checked = readRoutes(`${mode}.routes`, routes, read)
  for (const { settings } of read)
    for (const route of Object.keys(settings.channels))
      if (!checked[route as RouteName]?.includes(settings.name))
        throw new RangeError(
          `${mode}.accounts.${settings.name}.channels.${route}: ${mode}.routes has no ${route} to this account`,
        )
  const routesOf = (name: string) => routeNames.filter((route) => checked[route]?.includes(name))
  return {
    accounts: read.map(({ settings, ...account }) => ({
      ...account,
      settings: { ...settings, routes: routesOf(settings.name) },
    })),
    routes: checked,
  }
}

function readAccount(
  place: string,
  name: string,
  livemode: boolean,
  account: { provider: string },
  { providers, secretOf }: Given,
): ConfiguredAccount {
  const provider = providers.find((one) => one.name === account.provider)
  if (!provider) {
    const known = providers.map((one) => one.name).join(', ')
    throw new RangeError(
      `${place}.provider: '${account.provider}' is not a provider of this version; there ${known ? `are ${known}` : 'is none yet'}`,
    )
  }
  if (livemode && 'base_url' in account)
    throw new RangeError(
      `${place}.base_url: may be set below test only; a live account is at its provider's own host`,
    )
  const { settings } = provider
  const given = account as Record<string, unknown>
  const secretNames = Object.keys(settings).filter((setting) =>
    isSecret(settings[setting] as never),
  )
  for (const setting of secretNames)
    if (typeof given[setting] === 'string' && !new RegExp(secretForm).test(given[setting]))
      throw new RangeError(
        `${place}.${setting}: must be env:NAME or file:PATH, which say where the secret is`,
      )
  const base = livemode ? {} : { base_url: Type.Optional(Type.String({ pattern: '^https?://' })) }
  const mistake = mistakeIn(
    Type.Object({ ...common, ...base, ...settings }, closed),
    account,
    place,
  )
  if (mistake !== null) throw new RangeError(mistake)
  const { provider: _provider, serves, channels, base_url: baseUrl = null, ...own } = given
  const secrets: string[] = []
  for (const setting of secretNames.filter((one) => one in own)) {
    own[setting] = readSecret(`${place}.${setting}`, livemode, () =>
      secretOf(own[setting] as string),
    )
    secrets.push(own[setting] as string)
  }
  return {
    provider,
    settings: {
      name,
      livemode,
      serves: readServes(`${place}.serves`, serves),
      baseUrl: baseUrl as string | null,
      channels: (channels ?? {}) as AccountSettings<never>['channels'],
      routes: [],
      own,
    },
    secrets,
  }
}

/**
 * @throws {RangeError} when the secret does not exist or is of the other mode, as several
 * providers' keys show
 */
function readSecret(place: string, livemode: boolean, read: () => string): string {
  let secret: string
  try {
    secret = read()
  } catch (error) {
    throw new RangeError(`${place}: ${(error as Error).message}`)
  }
  const says = /^[a-z]{2}_(live|test)_/.exec(secret)?.[1]
  if (says !== undefined && says !== modeOf(livemode))
    throw new RangeError(`${place}: is a key of ${says} mode; it belongs below ${says}`)
  return secret
}

function readServes(place: string, serves: unknown): AccountSettings<never>['serves'] {
  if (serves === undefined || serves === '*') return '*'
  const ids = Array.isArray(serves) ? (serves as unknown[]) : []
  if (ids.length === 0 || !ids.every((id) => typeof id === 'string' && isId(id)))
    throw new RangeError(
      `${place}: must be "*", or a list of ids of businesses (\`bursar business list\`)`,
    )
  return ids as string[]
}

function readRoutes(
  place: string,
  routes: Record<string, string[]>,
  accounts: ConfiguredAccount[],
): Routes {
  for (const [route, names] of Object.entries(routes)) {
    if (!routeNames.includes(route as RouteName))
      throw new RangeError(
        `${place}.${route} is not a known route; there are ${routeNames.join(', ')}`,
      )
    for (const name of names) {
      const account = accounts.find(({ settings }) => settings.name === name)
      if (!account)
        throw new RangeError(`${place}.${route}: there is no account '${name}' beside it`)
      const { provider } = account
      if (!provider.routes.includes(route as RouteName))
        throw new RangeError(
          `${place}.${route}: '${name}' is at ${provider.name}, which does not serve ${route}; it serves ${provider.routes.join(', ')}`,
        )
    }
  }
  return routes as Routes
}

/** Checks that payers and webhooks can reach the server. @throws {ConfigError} */
function assertReachable(baseUrl: string | null): void {
  const url = baseUrl === null ? null : new URL(baseUrl)
  const host = url?.hostname ?? ''
  const local = /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(host)
  if (url?.protocol !== 'https:' || local)
    throw new ConfigError(
      'BASE_URL: must be https, and not this machine, where RAILS_FILE has live accounts: payers and webhooks of providers come to it',
    )
}
