import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { before, describe, it } from 'node:test'
import { declaredStatements, newClient, type Statement, type Tx } from '../../../src/db/db.ts'
import { type Filter, listPage, type Match } from '../../../src/db/lists/list.ts'
import { matchAmount, matchReference } from '../../../src/db/lists/matches.ts'
import { insertMany, insertOne, json, table, text, updateById } from '../../../src/db/table.ts'
import { newDatabase } from '../../support/cluster.ts'
import { reachOf } from '../../support/imports.ts'
import { inProcessFiles, processStarters } from '../../support/layers.ts'

/** The layers, from the top: each imports only itself and those below it. */
const layers = [
  'app',
  'web',
  'api',
  'selling',
  'collecting',
  'paying-out',
  'platform',
  'books',
  'core',
  'rails',
  'db',
  'lib',
]

/** Packages that one place alone may know. */
const owners: Record<string, string> = {
  pg: 'db/',
  fastify: 'api/http/',
  '@fastify/rate-limit': 'api/http/',
  ajv: 'api/http/',
  commander: 'app/cli/',
  marked: 'web/docs/',
  minisearch: 'web/docs/',
  pino: 'app/open.ts',
  pdfkit: 'lib/pdf/',
  'bidi-js': 'lib/pdf/',
  'csv-parse/sync': 'lib/csv.ts',
  'temporal-polyfill': 'lib/days.ts',
  nodemailer: 'platform/mail/',
  '@simplewebauthn/server': 'platform/team/',
  'prom-client': 'api/meta/',
  '@opentelemetry/api': 'api/telemetry/',
  '@opentelemetry/exporter-metrics-otlp-http': 'api/telemetry/',
  '@opentelemetry/exporter-trace-otlp-http': 'api/telemetry/',
  '@opentelemetry/resources': 'api/telemetry/',
  '@opentelemetry/sdk-metrics': 'api/telemetry/',
  '@opentelemetry/sdk-trace-base': 'api/telemetry/',
  viem: 'rails/evm/',
  'viem/accounts': 'rails/evm/',
  'viem/utils': 'rails/evm/',
  '@scure/bip32': 'rails/evm/',
  '@scure/bip39': 'rails/evm/',
  '@noble/curves/secp256k1.js': 'rails/evm/',
}

/** Only `db` (migrations) and `jobs` speak to the job queue. */
const queueUsers = ['src/db/', 'src/platform/jobs/']

/** Modules that are entered by more files than the one with their name. */
const publicFiles: Record<string, string[]> = {
  'books/ledger': ['ledger.ts', 'exchange.ts', 'verify.ts'],
  'books/proofs': ['proofs.ts', 'checking.ts'],
  'collecting/customers': ['customers.ts', 'reviews.ts'],
  'platform/jobs': ['jobs.ts', 'timers.ts', 'orphaned-claims.ts'],
  'platform/webhooks': ['webhooks.ts', 'signing.ts'],
}

/** Packages that take much memory and that few servers need: they are loaded by their first use. */
const lazy = [
  'viem',
  '@scure/bip32',
  '@scure/bip39',
  'minisearch',
  'nodemailer',
  'pdfkit',
  '@simplewebauthn/server',
  '@opentelemetry',
  'typebox',
]

/**
 * `from` and `to` are modules: a folder of a layer that has modules, a layer that has none, or
 * `npm:` and a package. `loads`: the importing file cannot run without it; neither a type nor an
 * `import()`.
 */
type Import = { file: string; from: string; to: string; target: string; loads: boolean }

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
/** Folders outside `src`. Of the dependency rule, they keep one part: no circles between files. */
const outside = ['bench', 'dev', 'demo', 'deploy', 'docs', 'sdk', 'sim', 'test']
/**
 * The TypeScript files of a folder, with tests and generated files, without installed and built
 * ones.
 */
const typescriptIn = (folder: string): string[] =>
  globSync(`${folder}/**/*.ts`, { exclude: ['**/node_modules/**', '**/dist/**'] })
/** Layers whose folders have no public file: any file of theirs may be imported. */
const openLayers = ['core', 'rails', 'db', 'lib']
/** Folders of `rails` that every provider may use. Each of the others is a provider. */
const sharedByProviders = ['ports', 'accounts', 'http', 'records', 'reference']
const isProvider = (module: string): boolean =>
  module.startsWith('rails/') && !sharedByProviders.includes(module.slice('rails/'.length))
const layerOf = (path: string): string => path.split('/')[1] as string
/**
 * The folder of a file within its layer, as `books/ledger`; the layer, of a file that is in none.
 */
const moduleOf = (path: string): string => {
  const [, layer, folder] = dirname(path).split('/') as [string, string, string | undefined]
  return folder === undefined ? layer : `${layer}/${folder}`
}
/**
 * What a file imports: a path from the root where `local`, else a package. Types and `import()`
 * count.
 */
const importsIn = (file: string): { target: string; local: boolean; loads: boolean }[] =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map((match) => {
    const target = match[1] ?? match[2] ?? (match[3] as string)
    const local = target.startsWith('.')
    const loads = match[3] === undefined && !/^(?:import|export) type\b/.test(match[0])
    return { target: local ? normalize(join(dirname(file), target)) : target, local, loads }
  })
const imports: Import[] = sources.flatMap((file) =>
  importsIn(file).map(({ target, local, loads }) => {
    const to = local ? moduleOf(target) : `npm:${target}`
    return { file, from: moduleOf(file), to, target, loads }
  }),
)
/** The composition root: the files at the top of `app` put the modules together. */
const composes = (module: string): boolean => module === 'app'
const local = imports.filter(({ to }) => !to.startsWith('npm:'))

describe('the dependency rule', () => {
  it('sees the imports', () => assert.ok(local.length > 200, `${local.length} imports`))

  it('lets imports point down the layers only', () => {
    for (const { file, target } of local) {
      const [above, below] = [layerOf(file), layerOf(target)].map((layer) =>
        layers.indexOf(layer),
      ) as [number, number]
      assert.ok(above >= 0 && below >= 0, `${file} imports ${target}: no such layer`)
      assert.ok(above <= below, `${file} imports ${target}: that stands above it`)
    }
  })

  it('enters another module by its public file only', () => {
    for (const { file, from, to, target } of local) {
      if (from === to || composes(from) || composes(to) || openLayers.includes(layerOf(target)))
        continue
      const module = to.split('/')[1] as string
      const own = publicFiles[to] ?? [`${module}.ts`]
      assert.ok(
        own.some((name) => target === `src/${to}/${name}`),
        `${file} imports ${target}: another module is entered by its public file only`,
      )
    }
  })

  it('has no circles between modules', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of local)
      if (from !== to && !composes(from)) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    const visit = (module: string, path: string[]): void => {
      assert.ok(!path.includes(module), `a circle: ${[...path, module].join(' → ')}`)
      for (const next of edges.get(module) ?? []) visit(next, [...path, module])
    }
    for (const module of edges.keys()) visit(module, [])
  })

  it('has no circles between files, by types neither', () => {
    const files = [...sources, ...outside.flatMap(typescriptIn)]
    const targets = new Map(
      files.map((file) => [file, importsIn(file).map(({ target }) => target)]),
    )
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      else if (!done.has(file)) {
        for (const target of targets.get(file) ?? []) visit(target, [...path, file])
        done.add(file)
      }
    }
    for (const file of files) visit(file, [])
    assert.deepEqual(circles, [])
  })

  it('sees the imports of every folder outside src', () => {
    for (const folder of outside)
      assert.ok(
        typescriptIn(folder).some((file) => importsIn(file).length > 0),
        folder,
      )
  })

  it('lets modules know the ports of rails, and no provider', () => {
    const toProviders = imports.filter(({ to }) => isProvider(to))
    assert.ok(toProviders.length > 0)
    for (const { file, from, to } of toProviders)
      assert.ok(
        from === to || layerOf(file) === 'app',
        `${file} imports ${to}: only the composition knows a provider`,
      )
  })

  it('lets one folder import each library', () => {
    for (const { file, to } of imports) {
      const name = to.startsWith('npm:') ? to.slice(4) : ''
      if (name in owners)
        assert.ok(file.startsWith(`src/${owners[name]}`), `${file} imports ${name}`)
      if (name === 'graphile-worker')
        assert.ok(
          queueUsers.some((place) => file.startsWith(place)),
          `${file} imports ${name}`,
        )
    }
  })

  it('starts a server without what only some need', () => {
    const loadedBy = (...files: string[]): Set<string> => {
      const loaded = new Set(files)
      for (const file of loaded)
        for (const one of imports) if (one.file === file && one.loads) loaded.add(one.target)
      return loaded
    }
    // Commands answer no requests.
    assert.ok(!loadedBy('src/app/cli/cli.ts', 'src/app/cli/operating.ts').has('fastify'))
    const loaded = loadedBy(
      'src/app/cli/cli.ts',
      'src/app/cli/operating.ts',
      'src/app/cli/serve.ts',
    )
    assert.ok(
      loaded.has('src/api/http/server.ts') && loaded.has('fastify'),
      'the walk reaches the server',
    )
    for (const name of lazy)
      assert.deepEqual(
        [...loaded].filter((target) => target === name || target.startsWith(`${name}/`)),
        [],
      )
  })

  it('reads the environment and the time in one place', () => {
    for (const file of sources) {
      const text = readFileSync(file, 'utf8')
      if (file !== 'src/app/cli/cli.ts')
        assert.ok(!/process\.env/.test(text), `${file} reads process.env`)
      // The checkout's script runs in the payer's browser.
      if (file !== 'src/lib/clock.ts' && file !== 'src/web/checkout/view/script.ts')
        assert.ok(!/Date\.now\(\)|new Date\(\)/.test(text), `${file} reads the machine's clock`)
    }
  })

  it('lets SQL take its time from parameters', () => {
    // The job queue's own locks and the record of migrations are the machine's affair, not the
    // product's. A migration has no clock: it decides where the first partition ends. What drops
    // partitions trusts no server's time.
    const exempt = [
      'src/platform/jobs/jobs.ts',
      'src/db/schema/migrate.ts',
      'src/db/schema/migrations/0009-events.sql',
      // What holds the server's time against the database's.
      'src/db/same-time.ts',
    ]
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
      assert.ok(lines <= 500, `${file} has ${lines} lines`)
    }
  })
})

describe('the layers of tests', () => {
  const files = globSync(inProcessFiles)
  const belongs = 'a test of that belongs to the system layer, in test/system/<subject>'

  it('starts no process of Bursar by `npm test`', () => {
    assert.ok(files.length > 200, `${files.length} files`)
    for (const starter of processStarters) {
      assert.ok(existsSync(starter), `there is no ${starter}`)
      for (const file of files)
        assert.ok(
          !reachOf(file).has(starter),
          `${file} reaches ${starter}, which starts processes: ${belongs}`,
        )
    }
  })

  it('starts no PostgreSQL but the one of the run by `npm test`', () => {
    const starts = /\b(useEmbedded|useArchived|startCopy|makeDataDir|startCluster)\(/
    for (const file of files) {
      const [, start] = starts.exec(readFileSync(file, 'utf8')) ?? []
      assert.equal(start, undefined, `${file} starts a PostgreSQL by ${start}: ${belongs}`)
    }
  })
})

/** Unique keys that do not begin with the business, and why they may. */
const globalKeys: Record<string, string> = {
  api_keys_key_hash_key: 'finds the business of a key, which is random',
  business_logos_slug_key: 'finds a logo by its address, which is random',
  crypto_addresses_key_index_key: 'an index of a key is used once, whoever gets it',
  crypto_addresses_pkey: 'finds the business of an address on a chain',
  pay_links_pkey: 'finds the business of a page, whose slug is random',
  price_assignments_number_key: 'each process reads those after the last that it knows',
  customer_documents_reviews: 'finds what a person reviews by its id, whoever it is of',
  screening_reviews_by_id: 'finds what a person reviews by its id, whoever it is of',
  dispute_movements_pkey: 'what a provider took for a dispute is booked once, whoever it is of',
  disputes_livemode_rail_provider_reference_key:
    'a dispute at a provider is one record, whoever it is of',
  provider_receipts_money_in: 'a payment that a provider took is booked once, whoever it is of',
  provider_receipts_pkey: 'a movement at a provider is booked once, whoever it is of',
  provider_references_pkey: 'finds the business of what a provider notifies of, by our reference',
  provider_references_provider_id: 'finds it by the provider’s id',
  virtual_accounts_rail_number: 'finds the business of money that came to an account at a provider',
}

/**
 * Indexes that do not begin with the business: each is read by a statement over everybody, or by an
 * operator's command.
 */
const globalIndexes = [
  'chain_deposits_by_block',
  'chain_deposits_pending',
  'crypto_addresses_on_chains',
  'events_by_position',
  'idempotency_keys_oldest',
  'mails_newest',
  'moved_chains_by_day',
  'mails_old',
  'customers_deleted',
  'customer_days_old',
  'payments_with_payer',
  'transactions_with_payer',
  'memberships_of_person',
  'disputes_by_time',
  'limit_rule_days_of_day',
  'payout_destination_days_old',
  'ledger_accounts_exchange',
  'payouts_exchanging',
  'disputes_open',
  'customer_documents_waiting',
  'customer_keys_at_work',
  'customer_keys_destroyed',
  'screening_reviews_ended',
  'screening_reviews_waiting',
  'provider_receipts_by_time',
  'provider_customers_code',
  'requests_oldest',
  'timers_due',
  'timers_immediate',
  'webhook_queue_claimed',
  'webhook_queue_due',
]

/**
 * Tables without a business: each can have a copy of its own on every shard, or stay in one place.
 */
const globalTables = [
  'backups',
  'businesses',
  'cell_moves',
  'crypto_keys',
  'event_positions',
  'event_retention',
  'exchange_limits',
  'exchange_rates',
  'folded_postings',
  'ledger_closings',
  'evm_blocks',
  'evm_broadcasts',
  'evm_networks',
  'evm_obstacles',
  'evm_senders',
  'evm_transactions',
  'invitations',
  'kept_pages',
  'ledger_verifications',
  'outgoing_holds',
  'passkey_challenges',
  'passkeys',
  'password_resets',
  'person_sessions',
  'persons',
  'price_plans',
  'price_versions',
  'proof_keys',
  'proofs',
  'provider_banks',
  'provider_blocks',
  'provider_events',
  'operator_alerts',
  'operator_keys',
  'provider_incidents',
  'provider_orders',
  'tier_limits',
  'own_cell',
  'provider_recipients',
  'provider_reconciliations',
  'provider_settlements',
  'provider_sweeps',
  'rail_accounts',
  'rate_limits',
  'recovery_codes',
  'schema_migrations',
  'screening_entries',
  'sealed_postings',
  'sealing_keys',
]

describe('the way to shards', () => {
  type Key = { table: string; name: string; columns: string[]; unique: boolean }
  let tables: string[]
  let moded: Set<string>
  let keys: Key[]
  let references: { name: string; columns: string[]; target: string; targets: string[] }[]

  before(async () => {
    const database = await newDatabase()
    const client = newClient(database.url)
    await client.connect()
    const read = async <Row>(text: string): Promise<Row[]> =>
      (await client.query(text)).rows as Row[]
    const names = (relation: string, numbers: string): string =>
      `array(select coalesce(a.attname, '()')::text from unnest(${numbers}) with ordinality as n (attnum, place)
               left join pg_attribute a on a.attrelid = ${relation} and a.attnum = n.attnum order by place)`
    const rows = await read<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
    )
    tables = rows.map(({ name }) => name)
    const columns = await read<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'livemode'`,
    )
    moded = new Set(columns.map(({ name }) => name))
    keys = await read<Key>(
      `select t.relname as table, coalesce(h.inhparent::regclass::text, i.relname) as name, x.indisunique as unique, ${names('t.oid', 'x.indkey')} as columns
         from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
         left join pg_inherits h on h.inhrelid = i.oid
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
    assert.ok(
      owned().length > 30 && keys.length > 60,
      `${owned().length} tables, ${keys.length} keys`,
    )
    for (const { table, name, columns, unique } of keys) {
      if (globalTables.includes(table)) continue
      const exempt = unique ? name in globalKeys : globalIndexes.includes(name)
      assert.equal(
        columns[0] === 'business_id',
        !exempt,
        `${name} of ${table}: ${columns.join(', ')}`,
      )
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

  /** From a place on to where the parentheses around it end. */
  const restOfScope = (text: string, from: number): string => {
    for (let i = from, depth = 0; i < text.length; i++) {
      if (text[i] === '(') depth++
      if (text[i] === ')' && depth-- === 0) return text.slice(from, i)
    }
    return text.slice(from)
  }

  const keywords =
    'where|set|on|using|order|group|limit|join|left|cross|for|values|select|returning|union'
  /** Each use of a business's table in a statement, with the rest of what that use is a part of. */
  const usesIn = (text: string) =>
    [
      ...text.matchAll(
        new RegExp(
          `\\b(from|join|into|update|using)\\s+(${owned().join('|')})\\b(?:\\s+(?:as\\s+)?(?!(?:${keywords})\\b)(\\w+))?`,
          'g',
        ),
      ),
    ].map(({ 1: verb, 2: table, 3: alias, index }) => ({
      verb,
      table: table as string,
      name: alias ?? (table as string),
      rest: restOfScope(text, index),
    }))
  type Use = ReturnType<typeof usesIn>[number]

  /**
   * Uses that do not say by `column` whose rows they mean: by no parameter, and by nothing that
   * says it in turn.
   */
  const nameless = (uses: Use[], column: 'business_id' | 'livemode'): Use[] => {
    const equality = new RegExp(`(?<![.\\w])(?:(\\w+)\\.)?${column} = (?:(\\w+)\\.${column})?`, 'g')
    /** What the rows of a use are found by: names, and null for a value. */
    const foundBy = ({ verb, table, name, rest }: Use): (string | null)[] => {
      if (verb === 'into')
        return new RegExp(`into ${table}(?: as \\w+)?\\s*\\([^)]*${column}`).test(rest)
          ? [null]
          : []
      const found = [...rest.matchAll(equality)].flatMap(([, left = name, right = null]) =>
        left === name ? [right] : right === name ? [left] : [],
      )
      if (new RegExp(`using \\(business_id${column === 'livemode' ? ', livemode' : ''}`).test(rest))
        found.push(null)
      // Found again by their places, of what another part of the statement has found.
      return [
        ...found,
        ...[...rest.matchAll(/ctid = any \(array\(select ctid from (\w+)/g)].map(
          ([, part]) => part as string,
        ),
      ]
    }
    let left = uses
    for (let before = -1; before !== left.length; ) {
      before = left.length
      const open = new Set(left.map(({ name }) => name))
      left = left.filter((use) => !foundBy(use).some((by) => by === null || !open.has(by)))
    }
    return left
  }

  it('tells what names the rows of a business from what does not', () => {
    for (const [text, ofAnyone, ofAnyMode] of [
      ['select from events where business_id = $1 and livemode = $2 and id = $3', [], []],
      ['select from events where business_id = $1 and not moved and id = $3', [], ['events']],
      ['select from events where id = $3', ['events'], ['events']],
      [
        'with a as (select from events) select from payouts where business_id = $1',
        ['events'],
        ['events', 'payouts'],
      ],
      [
        'select from events e join payouts p on p.business_id = e.business_id',
        ['events', 'payouts'],
        ['events', 'payouts'],
      ],
      [
        'select from events e join payouts p on p.business_id = e.business_id where p.business_id = any ($1)',
        [],
        ['events', 'payouts'],
      ],
      [
        'select from asked a join events e on e.business_id = a.business_id and e.livemode = a.livemode',
        [],
        [],
      ],
      ['insert into events (business_id, livemode, id) values ($1, $2, $3)', [], []],
      ['insert into events (id) values ($1)', ['events'], ['events']],
    ] as const) {
      const uses = usesIn(text)
      const found = (['business_id', 'livemode'] as const).map((column) =>
        nameless(uses, column).map(({ table }) => table),
      )
      assert.deepEqual(found, [ofAnyone, ofAnyMode], text)
    }
  })

  it('names the business wherever a statement touches a table of one, and the mode where it is of one', async () => {
    // The commands begin to run as soon as they are imported; they have no statements.
    for (const file of sources) if (file !== 'src/app/cli/cli.ts') await import(`../../../${file}`)
    assert.ok(declaredStatements.size > 150, `${declaredStatements.size} statements`)
    const wrong: string[] = []
    for (const [name, { text, of }] of declaredStatements) {
      const uses = usesIn(text)
      const ofAnyone = nameless(uses, 'business_id')
      const ofAnyMode = nameless(uses, 'livemode').filter(({ table }) => moded.has(table))
      if (of === 'all' && uses.length > 0 && ofAnyone.length === 0)
        wrong.push(`'${name}' names its businesses: it is not of all`)
      if (of !== 'all')
        wrong.push(
          ...ofAnyone.map(({ table }) => `'${name}' does not name the business of ${table}`),
        )
      if (of === 'one')
        wrong.push(...ofAnyMode.map(({ table }) => `'${name}' does not name the mode of ${table}`))
    }
    assert.deepEqual(wrong, [])
  })

  it('names the business and the mode in the statements that tables make', async () => {
    const texts: string[] = []
    const rows = async <Row>({ text }: Statement<Row>): Promise<Row[]> => {
      texts.push(text)
      return []
    }
    const tx = {
      rows,
      row: async <Row>(statement: Statement<Row>) => (await rows(statement))[0] ?? null,
    } as Tx
    const events = table('events', { id: text(), type: text(), metadata: json() })
    const scope = { businessId: 'b', livemode: true }
    const row = { id: 'e', type: 'payout.completed', metadata: {} }
    await insertMany(tx, events, [
      { scope, row },
      { scope, row },
    ])
    await insertOne(tx, events, { scope, row })
    await insertOne(tx, events, { scope, row }, '(business_id, livemode, id) do nothing')
    await updateById(tx, events, scope, 'e', { type: 'payout.failed' })
    assert.equal(texts.length, 4)
    for (const text of texts) {
      const uses = usesIn(text)
      assert.equal(uses.length, 1, text)
      assert.deepEqual([nameless(uses, 'business_id'), nameless(uses, 'livemode')], [[], []], text)
    }
  })

  it('names the business in the statements that lists are made of', async () => {
    const texts: string[] = []
    const rows = async <Row>({ text }: Statement<Row>): Promise<Row[]> => {
      texts.push(text)
      const found = { total: 5_000n, counts: ['1', '1', '1', '1'], cut: false, ids: ['x'] }
      return [{ ...found, created_at: new Date(0), until: new Date(0), newer: 0n }] as Row[]
    }
    const reader = {
      rows,
      row: async <Row>(statement: Statement<Row>) => (await rows(statement))[0] ?? null,
    }
    const view = { reader, scope: { businessId: 'b', livemode: true } }
    const from = new Date(0)
    const recent: Match = { recent: 'amount = ?', of: 'amount', values: [1n] }
    const sought = [
      [
        matchReference('a', 'transactions'),
        matchAmount([1]),
        { each: 'customer_id = ?', values: ['b', 'c'] },
        recent,
      ],
      [matchReference('b', 'transactions'), matchAmount([2]), recent],
    ]
    for (const listed of [
      {},
      { facets: { status: 'failed' } },
      { from, filters: [['customer_id = ?', 'c'] as Filter] },
      { from, sought },
      { facets: { status: 'failed' }, filters: [['customer_id = ?', 'c'] as Filter], sought },
    ])
      for (const query of [{}, { page: 200 }, { after: 'x' }])
        await listPage(view, { name: 'transactions', columns: 'id' }, query, listed)
    assert.ok(texts.length > 15)
    for (const text of texts)
      for (const { index } of text.matchAll(/from (?:transactions|list_\w+)/g))
        assert.match(text.slice(index), /^from \w+\s+where business_id = \$1/, text)
  })
})
