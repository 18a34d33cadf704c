import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { before, describe, it } from 'node:test'
import { newClient, type Statement } from '../src/db/db.ts'
import { type Filter, listPage } from '../src/db/list.ts'
import { newDatabase } from './cluster.ts'

/** The wings of the house, from the top: each uses only itself and what stands below it. */
const wings = ['edge', 'selling', 'collecting', 'paying-out', 'platform', 'books', 'core', 'rails', 'db', 'lib']

/** Packages that one place alone may know. */
const owners: Record<string, string> = {
  pg: 'db/',
  fastify: 'edge/http/',
  '@fastify/rate-limit': 'edge/http/',
  '@fastify/swagger': 'edge/http/',
  '@fastify/swagger-ui': 'edge/http/',
  ajv: 'edge/http/',
  commander: 'edge/cli/',
  pino: 'edge/main.ts',
  pdfkit: 'selling/invoices/',
  nodemailer: 'platform/mail/',
  'prom-client': 'edge/meta/',
  viem: 'rails/evm/',
  'viem/accounts': 'rails/evm/',
  'viem/utils': 'rails/evm/',
  '@scure/bip32': 'rails/evm/',
  '@scure/bip39': 'rails/evm/',
  '@noble/curves/secp256k1.js': 'rails/evm/',
}

/** Only `db` (migrations) and `jobs` speak to the job queue. */
const queueUsers = ['src/db/', 'src/platform/jobs/']

/** Rooms that are entered by more files than the one with their name. */
const faces: Record<string, string[]> = {
  'books/ledger': ['ledger.ts', 'crossing.ts', 'verify.ts'],
  'platform/jobs': ['jobs.ts', 'timers.ts'],
}

/** Packages that take much memory and that few servers need: they are loaded by their first use. */
const lazy = ['viem', '@scure/bip32', '@scure/bip39', 'nodemailer', 'pdfkit']

/**
 * `from` and `to` are rooms: a folder of a wing that has rooms, a wing that has none, or `npm:` and a package. `loads`: the importing file
 * cannot run without it; neither a type nor an `import()`.
 */
type Import = { file: string; from: string; to: string; target: string; loads: boolean }

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const withoutRooms = ['core', 'rails', 'db', 'lib']
const wingOf = (path: string): string => path.split('/')[1] as string
const roomOf = (path: string): string => {
  const [, wing, room] = path.split('/') as [string, string, string]
  return withoutRooms.includes(wing) ? wing : `${wing}/${room}`
}
const imports: Import[] = sources.flatMap((file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map((match) => {
    const target = match[1] ?? match[2] ?? (match[3] as string)
    const local = target.startsWith('.')
    const path = local ? normalize(join(dirname(file), target)) : target
    const loads = match[3] === undefined && !/^(?:import|export) type\b/.test(match[0])
    return { file, from: roomOf(file), to: local ? roomOf(path) : `npm:${target}`, target: path, loads }
  }),
)
const main = 'edge/main.ts'
const local = imports.filter(({ to }) => !to.startsWith('npm:'))

describe('the dependency rule', () => {
  it('sees the imports', () => assert.ok(local.length > 200, `${local.length} imports`))

  it('lets imports point down the wings only', () => {
    for (const { file, target } of local) {
      const [above, below] = [wingOf(file), wingOf(target)].map((wing) => wings.indexOf(wing)) as [number, number]
      assert.ok(above >= 0 && below >= 0, `${file} imports ${target}: no such wing`)
      const exempt = file === 'src/core/context.ts' && target === 'src/books/pricing/pricing.ts'
      assert.ok(above <= below || exempt, `${file} imports ${target}: that stands above it`)
    }
  })

  it('enters another room by its face only', () => {
    for (const { file, from, to, target } of local) {
      if (from === to || from === main || !to.includes('/') || to === main) continue
      const room = to.split('/')[1] as string
      const own = faces[to] ?? [`${room}.ts`]
      assert.ok(
        own.some((face) => target === `src/${to}/${face}`),
        `${file} imports ${target}: another room is entered by its face only`,
      )
    }
  })

  it('has no circles between rooms', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of local)
      if (from !== to && from !== main) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    const visit = (room: string, path: string[]): void => {
      assert.ok(!path.includes(room), `a circle: ${[...path, room].join(' → ')}`)
      for (const next of edges.get(room) ?? []) visit(next, [...path, room])
    }
    for (const room of edges.keys()) visit(room, [])
  })

  it('keeps each library behind its door', () => {
    for (const { file, to } of imports) {
      const name = to.startsWith('npm:') ? to.slice(4) : ''
      if (name in owners) assert.ok(file.startsWith(`src/${owners[name]}`), `${file} imports ${name}`)
      if (name === 'graphile-worker')
        assert.ok(
          queueUsers.some((place) => file.startsWith(place)),
          `${file} imports ${name}`,
        )
    }
  })

  it('starts a server without what only some need', () => {
    const loaded = new Set(['src/edge/cli/cli.ts'])
    for (const file of loaded) for (const one of imports) if (one.file === file && one.loads) loaded.add(one.target)
    assert.ok(loaded.has('src/edge/http/server.ts') && loaded.has('fastify'), 'the walk reaches the server')
    for (const name of lazy)
      assert.deepEqual(
        [...loaded].filter((target) => target === name || target.startsWith(`${name}/`)),
        [],
      )
  })

  it('reads the environment and the time in one place', () => {
    for (const file of sources) {
      const text = readFileSync(file, 'utf8')
      if (file !== 'src/edge/cli/cli.ts') assert.ok(!/process\.env/.test(text), `${file} reads process.env`)
      // The checkout's script runs in the payer's browser.
      if (file !== 'src/lib/clock.ts' && file !== 'src/edge/checkout/view/script.ts')
        assert.ok(!/Date\.now\(\)|new Date\(\)/.test(text), `${file} reads the machine's clock`)
    }
  })

  it('lets SQL take its time from parameters', () => {
    // The job queue's own locks and the record of migrations are the machine's affair, not the product's.
    const exempt = ['src/platform/jobs/jobs.ts', 'src/db/migrate.ts']
    for (const file of [...sources, ...globSync('src/**/*.sql')])
      if (!exempt.includes(file))
        assert.ok(
          !/\b(now|clock_timestamp|statement_timestamp)\(\)(?!:)|current_timestamp/i.test(
            readFileSync(file, 'utf8').replaceAll(/clock\.now\(\)|\.now\(\)|now\(\): Date/g, ''),
          ),
          `${file} uses SQL's own time`,
        )
  })

  it('keeps files short', () => {
    for (const file of sources) {
      const lines = readFileSync(file, 'utf8').split('\n').length
      assert.ok(lines <= 400, `${file} has ${lines} lines: it is doing two things`)
    }
  })
})

/** Statements that name no business, and why they may. */
const withoutBusiness: Record<string, string> = {
  'timers.fire_due': 'fires what is due for everyone; over shards, each by itself',
  'counts.fold': 'folds for everyone; over shards, each by itself',
  'idempotency.delete_old': 'forgets what is old, for everyone',
  'businesses.select_key_owners': 'finds the business of a key that the operator names',
  'businesses.select_keys_by_hash': 'finds the business of a key',
  'payments.select_link': 'finds the business of a page',
  'webhooks.select_streamed': 'reads events of everyone in the order of their commits, and tells apart whose they are',
  'webhooks.select_news': 'the same',
  'webhooks.select_ready': 'looks which endpoints have something to send, of everyone in turn',
  'webhooks.select_claimants': 'looks which workers hold deliveries',
  'webhooks.wake_due': 'wakes what has waited, for everyone; over shards, each by itself',
  'crypto.select_owners': 'finds the businesses of addresses on a chain',
  'crypto.select_known_addresses': 'what a chain is watched for, of everyone',
  'deposits.select_above': 'what stands in blocks that are gone, of everyone',
  'deposits.select_due': 'what stands in blocks that are deep enough, of everyone',
}

/** Unique keys that do not begin with the business, and why they may. */
const globalKeys: Record<string, string> = {
  api_keys_key_hash_key: 'finds the business of a key, which is random',
  crypto_addresses_key_index_key: 'an index of a key is used once, whoever gets it',
  crypto_addresses_pkey: 'finds the business of an address on a chain',
  pay_links_pkey: 'finds the business of a page, whose slug is random',
}

/** Indexes that do not begin with the business: each is read by one of the statements above, or by an operator's command. */
const globalIndexes = [
  'chain_deposits_by_block',
  'chain_deposits_pending',
  'crypto_addresses_on_chains',
  'events_by_position',
  'idempotency_keys_oldest',
  'mails_newest',
  'timers_due',
  'timers_immediate',
  'webhook_queue_claimed',
  'webhook_queue_due',
]

/** Tables without a business: each can have a copy of its own on every shard, or stay in one place. */
const globalTables = [
  'businesses',
  'crypto_keys',
  'event_positions',
  'evm_blocks',
  'evm_broadcasts',
  'evm_networks',
  'evm_obstacles',
  'evm_senders',
  'evm_transactions',
  'rate_limits',
  'schema_migrations',
]

describe('the way to shards', () => {
  type Key = { table: string; name: string; columns: string[]; unique: boolean }
  let tables: string[]
  let keys: Key[]
  let references: { name: string; columns: string[]; target: string; targets: string[] }[]

  before(async () => {
    const database = await newDatabase()
    const client = newClient(database.url)
    await client.connect()
    const read = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[]
    const names = (relation: string, numbers: string): string =>
      `array(select coalesce(a.attname, '()')::text from unnest(${numbers}) with ordinality as n (attnum, place)
               left join pg_attribute a on a.attrelid = ${relation} and a.attnum = n.attnum order by place)`
    const rows = await read<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
    )
    tables = rows.map(({ name }) => name)
    keys = await read<Key>(
      `select t.relname as table, i.relname as name, x.indisunique as unique, ${names('t.oid', 'x.indkey')} as columns
         from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
        where t.relnamespace = 'public'::regnamespace`,
    )
    references = await read(
      `select conname as name, ${names('conrelid', 'conkey')} as columns, confrelid::regclass::text as target,
              ${names('confrelid', 'confkey')} as targets
         from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
    )
    await client.end()
    await database.drop()
  })

  const owned = (): string[] => tables.filter((table) => !globalTables.includes(table))

  it('begins every key and index of a table with the business', () => {
    assert.ok(owned().length > 30 && keys.length > 60, `${owned().length} tables, ${keys.length} keys`)
    for (const { table, name, columns, unique } of keys) {
      if (globalTables.includes(table)) continue
      const exempt = unique ? name in globalKeys : globalIndexes.includes(name)
      assert.equal(columns[0] === 'business_id', !exempt, `${name} of ${table}: ${columns.join(', ')}`)
    }
    for (const table of owned().filter((name) => name !== 'list_changes'))
      assert.ok(
        keys.some((key) => key.table === table && key.unique),
        `${table} has a key`,
      )
  })

  it('lets tables refer to rows of the same business only', () => {
    assert.ok(references.length > 20, `${references.length} references`)
    for (const { name, columns, target, targets } of references) {
      if (globalTables.includes(target) && target !== 'businesses') continue
      assert.equal(columns[0], 'business_id', name)
      assert.equal(targets[0], target === 'businesses' ? 'id' : 'business_id', name)
    }
  })

  it('names the business wherever a statement touches a table of one', () => {
    /** From a place on to where the parentheses around it end. */
    const restOfScope = (text: string, from: number): string => {
      for (let i = from, depth = 0; i < text.length; i++) {
        if (text[i] === '(') depth++
        if (text[i] === ')' && depth-- === 0) return text.slice(from, i)
      }
      return text.slice(from)
    }
    const found = new Set<string>()
    const keywords = 'where|set|on|using|order|group|limit|join|left|cross|for|values|select|returning|union'
    const use = new RegExp(
      `\\b(from|join|into|update|using)\\s+(${owned().join('|')})\\b(?:\\s+(?:as\\s+)?(?!(?:${keywords})\\b)(\\w+))?`,
      'g',
    )
    for (const file of sources.filter((name) => !name.endsWith('verify.ts'))) {
      // The rows that arrays make touch no table, and hold quotes of their own.
      const source = readFileSync(file, 'utf8').replaceAll(/\$\{rowsOf\([\s\S]*?\)\}/g, '(rows)')
      for (const [, name, text] of source.matchAll(/sql(?:<[^(]*>)?\(\s*'([^']+)',\s*([`'][^`]*?[`']),?\s*\)/g))
        for (const { 1: verb, 2: table, 3: alias, index } of (text as string).matchAll(use)) {
          const named =
            verb === 'into'
              ? new RegExp(`into ${table}(?: as \\w+)?\\s*\\([^)]*business_id`)
              : new RegExp(
                  `\\b${alias ?? table}\\.business_id =|(?<![.\\w])business_id =|= ${alias ?? table}\\.business_id|using \\(business_id`,
                )
          if (named.test(restOfScope(text as string, index))) continue
          found.add(name as string)
        }
    }
    assert.deepEqual([...found].sort(), Object.keys(withoutBusiness).sort(), 'the statements that name none')
  })

  it('names the business in the statements that lists are made of', async () => {
    const texts: string[] = []
    const rows = async <Row>({ text }: Statement<Row>): Promise<Row[]> => {
      texts.push(text)
      return [{ total: 5_000n, created_at: new Date(0), until: new Date(0), newer: 0n }] as Row[]
    }
    const db = { rows, row: async <Row>(statement: Statement<Row>) => (await rows(statement))[0] ?? null }
    const all = { table: 'transactions', columns: 'id', business: 'b', livemode: true }
    const from = new Date(0)
    for (const listed of [
      all,
      { ...all, facets: { status: 'failed' } },
      { ...all, from, filters: [['customer_id = ?', 'c'] as Filter] },
    ])
      for (const query of [{}, { page: 200 }, { after: 'x' }]) await listPage(db, listed, query)
    assert.ok(texts.length > 15)
    for (const text of texts)
      for (const { index } of text.matchAll(/from (?:transactions|list_\w+)/g))
        assert.match(text.slice(index), /^from \w+\s+where business_id = \$1/, text)
  })
})
