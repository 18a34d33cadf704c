/**
 * Commands that look after API keys.
 */
import type { Command } from 'commander'
import {
  changeScopes,
  createKey,
  defaultScopes,
  findKeyOwner,
  type KeyRow,
  listKeys,
  revoke,
  rollKey,
} from '../../books/businesses/businesses.ts'
import type { App, Scope } from '../../core/app.ts'
import { outside } from '../../core/outside.ts'
import { keyScopes } from '../../core/scopes.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { Id } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { duration } from '../../lib/setting-readers.ts'
import type { CommandContext } from './context.ts'
import { UserError } from './terminal.ts'
import { readName } from './texts.ts'

type Options = { business?: string; json?: boolean; scopes?: string; expires?: string }

/** Adds `bursar keys …`. */
export function addKeyCommands(
  program: Command,
  { withApp, businessOf, print }: CommandContext,
): void {
  /** Whose key it is: a key that must be revoked is not looked for in a list first. */
  const ownerOf = async (app: App, keyId: Id, business: string | undefined): Promise<Id> => {
    if (business !== undefined) return (await businessOf(app, business)).id
    const owner = await findKeyOwner(app, keyId)
    if (owner === null)
      throw new UserError(
        `There is no key ${keyId}. \`bursar keys list\` shows those of a business.`,
      )
    return owner
  }

  const keys = program.command('keys').description('manage API keys')
  const businessOption = [
    '--business <id>',
    'whose keys; may be left out when there is one business',
  ] as const
  const scopesOption = [
    '--scopes <list>',
    `what it may do, comma-separated: ${keyScopes.join(', ')}`,
  ] as const
  const expires =
    'when it stops working: after a duration such as 90d, or at a time such as 2027-01-31T00:00:00Z'

  keys
    .command('create')
    .description('create a key, which is shown once')
    .option(...businessOption)
    .option('--live', 'a live key instead of a test key')
    .option('--name <name>', 'what it is for', 'unnamed')
    .option(...scopesOption, defaultScopes.join(','))
    .option('--expires <when>', expires)
    .option('--allow-ip <address...>', 'addresses or CIDRs it may be used from; may be given again')
    .option('--json', 'print JSON')
    .action(
      (options: Options & { live?: boolean; name: string; allowIp?: string[]; scopes: string }) =>
        withApp(async (app) => {
          const { id } = await businessOf(app, options.business)
          const scope: Scope = {
            businessId: id,
            livemode: options.live ?? false,
            now: app.clock.now(),
          }
          const name = readName('--name', options.name, 100)
          const made = await outside(app, scope).write((work) =>
            createKey(work, {
              name,
              allowIps: options.allowIp ?? [],
              scopes: listOf(options.scopes),
              lifetimeMs:
                options.expires === undefined ? null : readLifetime(options.expires, scope.now),
            }),
          )
          if (options.json) return print(toJson({ key: made.key, ...shown(made.record) }))
          print(made.key)
          print(`Key ${made.record.id}: ${termsOf(made.record)}. Keep it: it is not shown again.`)
        }),
    )
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .option(...businessOption)
    .option('--json', 'print JSON')
    .action((options: Options) =>
      withApp(async (app) => {
        const { id } = await businessOf(app, options.business)
        const all = (await listKeys(app, id)).map(shown)
        if (options.json) return print(toJson(all))
        const now = app.clock.now()
        for (const key of all) {
          const from =
            key.allow_ips.length === 0 ? 'from anywhere' : `from ${key.allow_ips.join(', ')}`
          print(
            `${key.id}  ${key.hint}  ${stateOf(key, now)}  ${key.scopes.join(',')}  ${from}  ${usedOf(key)}  ${key.name}`,
          )
        }
      }),
    )
  keys
    .command('scopes')
    .description('change what a key may do, in every server process within a second')
    .argument('<key-id>', 'the id that `keys list` shows')
    .argument('<scopes>', 'all that it may do from now on, such as read,collect')
    .option(...businessOption)
    .action((keyId: string, scopes: string, options: Options) =>
      withApp(async (app) => {
        const owner = await ownerOf(app, keyId, options.business)
        const key = await changeScopes(app, owner, keyId, listOf(scopes))
        if (!key) throw new UserError(`Business ${owner} has no key ${keyId} that was not revoked.`)
        print(`Key ${key.hint} may ${key.scopes.join(', ')}.`)
      }),
    )
  keys
    .command('revoke')
    .description('revoke a key; every server process refuses it within a second')
    .argument('<key-id>', 'the id that `keys list` shows')
    .option(...businessOption)
    .action((keyId: string, options: Options) =>
      withApp(async (app) => {
        const owner = await ownerOf(app, keyId, options.business)
        const key = await revoke(app, owner, keyId)
        if (!key) throw new UserError(`Business ${owner} has no key ${keyId}.`)
        print(`Key ${key.hint} is revoked: ${usedOf(key)}.`)
      }),
    )
  keys
    .command('roll')
    .description('replace a key; the old one works on for the overlap')
    .argument('<key-id>', 'the id that `keys list` shows')
    .option(...businessOption)
    .option(
      '--overlap <duration>',
      'how long the old key works on, such as 15m, 24h; 0s: it is revoked',
      '24h',
    )
    .option(scopesOption[0], `${scopesOption[1]}; without it, what the old one may`)
    .option(
      '--expires <when>',
      `${expires}, or never; without it, as long as the old one was made to work`,
    )
    .option('--json', 'print JSON')
    .action((keyId: string, options: Options & { overlap: string }) =>
      withApp(async (app) => {
        const owner = await ownerOf(app, keyId, options.business)
        const { scopes, expires } = options
        const rolled = await rollKey(app, owner, keyId, readOverlap(options.overlap), {
          ...(scopes === undefined ? {} : { scopes: listOf(scopes) }),
          ...(expires === undefined
            ? {}
            : { lifetimeMs: expires === 'never' ? null : readLifetime(expires, app.clock.now()) }),
        })
        if (!rolled) throw new UserError(`Business ${owner} has no key ${keyId} in force.`)
        const { key, record, old } = rolled
        if (options.json) return print(toJson({ key, ...shown(record), replaces: shown(old) }))
        print(key)
        print(
          `Key ${record.id}: ${termsOf(record)}. It replaces ${old.hint}, which ${old.revoked_at ? 'is revoked' : `works ${untilOf(old)}`}.`,
        )
      }),
    )
}

/** In milliseconds. @throws {UserError} */
function readOverlap(text: string): number {
  try {
    return duration({ from: '0s' }).read(text)
  } catch (error) {
    throw new UserError(`--overlap '${text}': ${(error as Error).message}, such as 24h.`)
  }
}

const listOf = (scopes: string): string[] => scopes.split(',').map((scope) => scope.trim())

const longestLifetimeMs = 100 * 365 * 86_400_000

/**
 * How long a key is to work from now, in milliseconds.
 * @throws {UserError} when the text is no duration and no time, or says what is over or too far
 */
function readLifetime(text: string, now: Date): number {
  const lifetimeMs = /^\d+[a-z]+$/.test(text)
    ? parseDuration(text)
    : Date.parse(text) - now.getTime()
  if (!(lifetimeMs > 0 && lifetimeMs <= longestLifetimeMs))
    throw new UserError(
      `--expires '${text}' must be a duration such as 90d, or a time ahead such as 2027-01-31T00:00:00Z.`,
    )
  return lifetimeMs
}

const shown = ({ business_id: _owner, lifetime_ms: _lifetime, ...key }: KeyRow) => key

const termsOf = (key: KeyRow): string =>
  `it may ${key.scopes.join(', ')}, and works ${untilOf(key)}`

const untilOf = ({ expires_at }: Pick<KeyRow, 'expires_at'>): string =>
  expires_at === null ? 'until it is revoked' : `until ${expires_at.toISOString()}`

const usedOf = ({
  last_used_at,
  last_used_from,
}: Pick<KeyRow, 'last_used_at' | 'last_used_from'>): string =>
  last_used_at === null
    ? 'never used'
    : `last used ${last_used_at.toISOString()} from ${last_used_from}`

function stateOf(key: Pick<KeyRow, 'revoked_at' | 'expires_at'>, now: Date): string {
  if (key.revoked_at) return 'revoked'
  if (!key.expires_at) return 'active '
  return key.expires_at <= now ? 'expired' : `active until ${key.expires_at.toISOString()}`
}
