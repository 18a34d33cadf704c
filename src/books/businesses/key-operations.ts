/**
 * API keys managed by people, in the dashboard only. People can neither grant nor see a key with
 * rights that they lack.
 */
import { BlockList } from 'node:net'
import { inside, type View, type Work } from '../../core/inside.ts'
import { named, routesOf } from '../../core/route.ts'
import { keyScopes } from '../../core/scopes.ts'
import { type PageOf, pageOf } from '../../db/lists/list.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import * as s from '../../lib/schema.ts'
import { addToBlockList } from '../../lib/setting-readers.ts'
import { forgetKeys } from './authentication.ts'
import { changeScopesLocked, createKey, type KeyOptions, revokeLocked, rollLocked } from './keys.ts'
import { readScopes, requireScope } from './scopes.ts'
import type { KeyRow } from './sql.ts'
import * as statements from './sql.ts'

const route = routesOf('Business')

const dayMs = 86_400_000

const Scope = s.OneOf(s.Named('KeyScope', keyScopes), { description: 'What it may do.' })
const Scopes = s.Type.Array(Scope, {
  minItems: 1,
  uniqueItems: true,
  description: 'What it may do.',
})
const states = s.Named('KeyStatus', ['active', 'ending', 'expired', 'revoked'] as const)

const fields = {
  id: s.IdText('The key.'),
  hint: s.Type.String({ description: 'Its beginning and end.' }),
  name: s.Type.String({ description: 'What it is for.' }),
  status: s.OneOf(states, { description: '`ending`: it works until `expires_at`.' }),
  scopes: Scopes,
  allow_ips: s.Type.Array(s.Type.String(), {
    description: 'Where it may be used from; none: from anywhere.',
  }),
  livemode: s.Type.Boolean({ description: 'Its mode.' }),
  created_at: s.Timestamp('When it was made.'),
  expires_at: s.Nullable(s.Timestamp('When it stops working.')),
  revoked_at: s.Nullable(s.Timestamp('When it was revoked.')),
  last_used_at: s.Nullable(s.Timestamp('When it was used last.')),
  last_used_from: s.Nullable(s.Type.String({ description: 'From where.' })),
}
const KeyRecord = s.Type.Object(fields, {
  title: 'Key',
  description: 'An API key, without its secret.',
})
const KeyWithSecret = s.Type.Object(
  { ...fields, key: s.Type.String({ description: 'The key itself, which nothing shows again.' }) },
  { title: 'KeyWithSecret', description: 'A key as it is shown once.' },
)
type Key = s.Static<typeof KeyRecord>

const KeyParams = s.Body({ id: s.Type.String({ description: 'The key.' }) })
const NewKey = s.Body({
  name: s.Line(1, 100, { description: 'What it is for.' }),
  scopes: Scopes,
  allow_ips: s.Type.Optional(
    s.Type.Array(s.Text(1, 50), { maxItems: 100, description: 'Addresses and CIDRs.' }),
  ),
  days: s.Type.Optional(
    s.Nullable(
      s.Small('How long it works, in days; null: until it is revoked.', {
        minimum: 1,
        maximum: 3_650,
      }),
    ),
  ),
})

function toRecord(row: KeyRow, now: Date): Key {
  const {
    business_id: _business,
    lifetime_ms: _lifetime,
    root_id: _root,
    made_by: _maker,
    changed_by: _changers,
    ...record
  } = row
  const ended = row.expires_at !== null && row.expires_at <= now
  const status = row.revoked_at
    ? 'revoked'
    : ended
      ? 'expired'
      : row.expires_at
        ? 'ending'
        : 'active'
  return { ...record, status } as unknown as Key
}

/** Returns machine time, in which keys and people's sessions live. */
const timeOf = ({ scope }: Pick<View, 'scope'>): Date => scope.actor?.at ?? scope.now

async function keysOf(view: View): Promise<Key[]> {
  const { businessId, livemode } = view.scope
  const rows = await view.reader.rows(statements.selectKeys, [businessId])
  return rows
    .filter((row) => row.livemode === livemode)
    .map((row) => toRecord(row, timeOf(view)))
    .reverse()
}

async function listOf(
  view: View,
  { page = 1, limit = 20, after }: { page?: number; limit?: number; after?: string },
): Promise<PageOf<Key>> {
  const all = await keysOf(view)
  const start =
    after === undefined ? (page - 1) * limit : all.findIndex(({ id }) => id === after) + 1
  return pageOf(
    { page, limit, after },
    all.slice(start, start + limit),
    all.length,
    start + limit < all.length,
  )
}

const unknown = (id: string): never =>
  refuse('not_found', `There is no key '${id}' that is in force.`)

/**
 * Runs an action on a locked key of this business and mode, in machine time.
 * @throws {Refusal} `not_found`
 */
async function withKey<T>(
  of: Work,
  id: string,
  change: (work: Work, key: KeyRow) => Promise<T | null>,
): Promise<T> {
  const work = inMachineTime(of)
  const { businessId, livemode } = work.scope
  const key = await work.tx.row(statements.lockKey, [businessId, id])
  const changed = key?.livemode === livemode ? await change(work, key) : null
  work.afterCommit(forgetKeys)
  return changed ?? unknown(id)
}

const inMachineTime = (work: Work): Work =>
  inside(work, work.tx, { ...work.scope, now: timeOf(work) })

/**
 * @throws {Refusal} `scope_missing` if the person lacks a scope of the key; `validation_failed` for
 * an invalid set of scopes
 */
function requireOwn({ scope }: Work, scopes: readonly string[], given = scopes): void {
  for (const one of given) requireScope(scope, one as KeyRow['scopes'][number])
  checked('scopes', () => readScopes(scopes))
}

function checked<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const message = `${error.message.slice(0, 1).toUpperCase()}${error.message.slice(1)}.`
    return refuseInput([{ path, message, location: 'body' }])
  }
}

async function make(of: Work, options: KeyOptions & { scopes: readonly string[] }) {
  const work = inMachineTime(of)
  requireOwn(work, options.scopes)
  for (const address of options.allowIps ?? [])
    checked('allow_ips', () => addToBlockList(new BlockList(), address))
  const { key, record } = await createKey(work, options)
  return { ...toRecord(record, work.scope.now), key }
}

export const keyOperations = named({
  listKeys: route.get('/keys', {
    scope: 'manage',
    summary: 'List API keys',
    schema: { query: s.Body(s.pageQuery), data: s.Page(KeyRecord) },
    message: 'Keys',
    read: (ctx, { query }) => listOf(ctx, query),
  }),
  getKey: route.get('/keys/{id}', {
    scope: 'manage',
    summary: 'Get an API key',
    schema: { params: KeyParams, data: KeyRecord },
    message: 'Key',
    read: async (ctx, { params }) =>
      (await keysOf(ctx)).find(({ id }) => id === params.id) ?? unknown(params.id),
  }),
  createKey: route.post('/keys', {
    scope: 'manage',
    givesPower: true,
    summary: 'Make an API key',
    once: ['key'],
    schema: { body: NewKey, data: KeyWithSecret },
    message: 'Key made',
    run: (work, { body: { name, scopes, allow_ips: allowIps = [], days = null } }) =>
      make(work, { name, scopes, allowIps, lifetimeMs: days === null ? null : days * dayMs }),
  }),
  rollKey: route.post('/keys/{id}/roll', {
    scope: 'manage',
    givesPower: true,
    summary: 'Replace an API key',
    once: ['key'],
    schema: {
      params: KeyParams,
      body: s.Body({
        overlap_hours: s.Small('How long the old key works on; 0: it is revoked.', {
          minimum: 0,
          maximum: 720,
        }),
      }),
      data: KeyWithSecret,
    },
    message: 'Key rolled',
    run: (of, { params, body }) =>
      withKey(of, params.id, async (work, old) => {
        requireOwn(work, old.scopes)
        const rolled = await rollLocked(work, old, body.overlap_hours * 3_600_000)
        return rolled && { ...toRecord(rolled.record, work.scope.now), key: rolled.key }
      }),
  }),
  changeKeyScopes: route.put('/keys/{id}', {
    scope: 'manage',
    givesPower: true,
    summary: 'Change what an API key may do',
    schema: { params: KeyParams, body: s.Body({ scopes: Scopes }), data: KeyRecord },
    message: 'Key changed',
    run: (of, { params, body: { scopes } }) =>
      withKey(of, params.id, async (work, key) => {
        requireOwn(
          work,
          scopes,
          scopes.filter((one) => !key.scopes.includes(one)),
        )
        const changed = await changeScopesLocked(work, key, scopes)
        return changed && toRecord(changed, work.scope.now)
      }),
  }),
  revokeKey: route.post('/keys/{id}/revoke', {
    scope: 'manage',
    summary: 'Revoke an API key',
    schema: { params: KeyParams, data: KeyRecord },
    message: 'Key revoked',
    run: (of, { params }) =>
      withKey(of, params.id, async (work, key) =>
        toRecord(await revokeLocked(work, key), work.scope.now),
      ),
  }),
})
