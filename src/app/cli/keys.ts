/** `bursar keys`: API keys of businesses. */
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
import { duration } from '../../lib/setting-readers.ts'
import { businessOf } from './business-option.ts'
import { addCommands, commandsWith } from './commands.ts'
import type { CommandContext } from './context.ts'
import { UserError } from './terminal.ts'
import { lineReader } from './texts.ts'

/** Adds `bursar keys …`. */
export function addKeyCommands(program: Command, { withApp, print }: CommandContext): void {
  const keys = program.command('keys').description('manage API keys')
  addCommands(keys, commands, { open: withApp, print })
}

const listOf = (scopes: string): string[] => scopes.split(',').map((scope) => scope.trim())

const keyId = { 'key-id': 'the id that `keys list` shows' } as const
const businessOption = {
  '--business <id>': 'whose keys; may be left out when there is one business',
} as const
const jsonOption = { '--json': 'print JSON' } as const
const scopesText = `its scopes, comma-separated: ${keyScopes.join(', ')}`
const expiresText =
  'when it expires: after a duration such as 90d, or at a time such as 2027-01-31T00:00:00Z'

const command = commandsWith<App>()

const commands = {
  create: command({
    description: 'create a key, which is shown once',
    options: {
      ...businessOption,
      '--live': 'a live key instead of a test key',
      '--name <name>': {
        text: 'what it is for',
        default: 'unnamed',
        read: lineReader('--name', 100),
      },
      '--scopes <list>': { text: scopesText, default: defaultScopes.join(','), read: listOf },
      '--expires <when>': expiresText,
      '--allow-ip <address...>': 'allowed address or CIDR; repeat for more',
      ...jsonOption,
    },
    async run(app, { business, live = false, name, scopes, expires, allow_ip: allowIps = [] }) {
      const { id: businessId } = await businessOf(app, business)
      const now = app.clock.now()
      const scope: Scope = { businessId, livemode: live, now }
      const lifetimeMs = expires === undefined ? null : readLifetime(expires, now)
      const { key, record } = await outside(app, scope).write((work) =>
        createKey(work, { name, allowIps, scopes, lifetimeMs }),
      )
      return {
        json: { key, ...shown(record) },
        lines: [key, `Key ${record.id}: ${termsOf(record)}. Keep it: it is not shown again.`],
      }
    },
  }),
  list: command({
    description: 'list the keys, without their secrets',
    options: { ...businessOption, ...jsonOption },
    async run(app, { business }) {
      const { id } = await businessOf(app, business)
      const keys = (await listKeys(app, id)).map(shown)
      const now = app.clock.now()
      return { json: keys, lines: keys.map((key) => lineOf(key, now)) }
    },
  }),
  scopes: command({
    description: 'change the scopes of a key; applies within a second',
    arguments: {
      ...keyId,
      scopes: { text: 'all its scopes, such as read,collect', read: listOf },
    },
    options: businessOption,
    async run(app, { 'key-id': id, scopes, business }) {
      const owner = await ownerOf(app, id, business)
      const key = await changeScopes(app, owner, id, scopes)
      if (!key) throw new UserError(`Business ${owner} has no key ${id} that was not revoked.`)
      return { lines: [`Key ${key.hint} may ${key.scopes.join(', ')}.`] }
    },
  }),
  revoke: command({
    description: 'revoke a key; applies within a second',
    arguments: keyId,
    options: businessOption,
    async run(app, { 'key-id': id, business }) {
      const owner = await ownerOf(app, id, business)
      const key = await revoke(app, owner, id)
      if (!key) throw new UserError(`Business ${owner} has no key ${id}.`)
      return { lines: [`Key ${key.hint} is revoked: ${usedOf(key)}.`] }
    },
  }),
  roll: command({
    description: 'replace a key; the old one works until the overlap ends',
    arguments: keyId,
    options: {
      ...businessOption,
      '--overlap <duration>': {
        text: 'how long the old key still works, such as 15m or 24h; 0s revokes it now',
        default: '24h',
        read: readOverlap,
      },
      '--scopes <list>': {
        text: `${scopesText}; without it, what the old one may`,
        read: listOf,
      },
      '--expires <when>': `${expiresText}, or never; without it, as long as the old one was made to work`,
      ...jsonOption,
    },
    async run(app, { 'key-id': id, business, overlap: overlapMs, scopes, expires }) {
      const owner = await ownerOf(app, id, business)
      const rolled = await rollKey(app, owner, id, overlapMs, {
        ...(scopes && { scopes }),
        ...(expires !== undefined && {
          lifetimeMs: expires === 'never' ? null : readLifetime(expires, app.clock.now()),
        }),
      })
      if (!rolled) throw new UserError(`Business ${owner} has no key ${id} in force.`)
      const { key, record, old } = rolled
      const oldState = old.revoked_at ? 'is revoked' : `works ${untilOf(old)}`
      return {
        json: { key, ...shown(record), replaces: shown(old) },
        lines: [
          key,
          `Key ${record.id}: ${termsOf(record)}. It replaces ${old.hint}, which ${oldState}.`,
        ],
      }
    },
  }),
}

/** Finds the owner of a key without `--business`: a leaked key must be revoked at once. */
async function ownerOf(app: App, keyId: Id, business: string | undefined): Promise<Id> {
  if (business !== undefined) return (await businessOf(app, business)).id
  const owner = await findKeyOwner(app, keyId)
  if (owner !== null) return owner
  throw new UserError(`There is no key ${keyId}. \`bursar keys list\` shows those of a business.`)
}

/** Returns an overlap in milliseconds. @throws {UserError} */
function readOverlap(text: string): number {
  try {
    return duration({ from: '0s' }).read(text)
  } catch (error) {
    throw new UserError(`--overlap '${text}': ${(error as Error).message}, such as 24h.`)
  }
}

const longestLifetimeMs = 100 * 365 * 86_400_000

/**
 * Returns how long a key works from now, in milliseconds.
 * @throws {UserError} unless the text is a duration or a future time, within a hundred years
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

type ShownKey = Omit<KeyRow, 'business_id' | 'lifetime_ms'>

const shown = ({ business_id: _owner, lifetime_ms: _lifetime, ...key }: KeyRow): ShownKey => key

const termsOf = (key: KeyRow): string =>
  `it may ${key.scopes.join(', ')}, and works ${untilOf(key)}`

const untilOf = ({ expires_at }: Pick<KeyRow, 'expires_at'>): string =>
  expires_at === null ? 'until it is revoked' : `until ${expires_at.toISOString()}`

function lineOf(key: ShownKey, now: Date): string {
  const from = key.allow_ips.length === 0 ? 'from anywhere' : `from ${key.allow_ips.join(', ')}`
  return [
    key.id,
    key.hint,
    stateOf(key, now),
    key.scopes.join(','),
    from,
    usedOf(key),
    key.name,
  ].join('  ')
}

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
