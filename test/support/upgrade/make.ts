/**
 * Makes what the upgrade test starts from: the database of a release after a day of business, by the code of that release.
 *
 *     node test/support/upgrade/make.ts ../bursar-of-the-release 0.1.0
 *
 * with a clone of the release, its packages installed. The clone's own `demo` plays the day.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { newClient } from '../../../src/db/db.ts'
import { useEmbedded } from '../../../src/db/embedded.ts'
import { bankPayout, makeCall, must, until } from '../harness.ts'
import { fileOf, type Header, secretsKey } from './fixture.ts'

const [clone = '', release = ''] = process.argv.slice(2)
assert.ok(clone && release, 'usage: node test/support/upgrade/make.ts CLONE RELEASE')
const dir = mkdtempSync(join(tmpdir(), 'bursar-release-'))
const env = {
  ...process.env,
  ...{ DATA_DIR: dir, PORT: '0', RATE_LIMIT_MAX: '0', SECRETS_KEY: secretsKey, LOG_LEVEL: 'error' },
}

async function served<T>(
  settings: Record<string, string>,
  work: (url: string, key: string | null) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, ['bin/bursar.js', 'serve'], {
    ...{ cwd: resolve(clone), env: { ...env, ...settings } },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  const url = await until(async () => /listening on (http:\/\/[^\s/]+)/.exec(output)?.[1], 60_000)
  await until(async () => output.endsWith('\n\n'))
  try {
    return await work(url, /sk_test_\w+/.exec(output)?.[0] ?? null)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
}

const known = await served({ SANDBOX_DELAY: '1s' }, async (url, testKey) => {
  assert.ok(testKey)
  const call = makeCall(url, testKey)
  const webhook = await must(call('POST', '/webhooks', { url: 'https://shop.example/hooks', events: ['*'] }))
  execFileSync(process.execPath, ['demo/demo.ts'], {
    ...{ cwd: resolve(clone), env: { ...env, BURSAR_KEY: testKey, BURSAR_URL: url, PORT: new URL(url).port } },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return { testKey, webhook: { id: webhook.id, secret: webhook.secret } }
})

const { asked, answers } = await served({ SANDBOX_DELAY: '1h' }, async (url) => {
  const call = makeCall(url, known.testKey)
  const payment = { amount: 750_000, currency: 'ngn', reference: 'under-way', email: 'ada@example.com' }
  const kept = { path: '/payments', body: payment, key: 'kept-by-the-release' }
  const first = await must(call('POST', kept.path, kept.body, { 'idempotency-key': kept.key }))
  await must(call('POST', '/payouts', bankPayout('under-way', 20_000)))
  const lists = [
    '/payments',
    '/payouts',
    '/refunds',
    '/customers',
    '/invoices',
    '/products',
    '/collections',
    '/transactions',
  ]
  const paths = ['/wallets', ...lists.map((path) => `${path}?limit=100`)]
  const read = await Promise.all(paths.map(async (path) => [path, await must(call('GET', path))] as const))
  return { asked: { ...kept, answer: first }, answers: Object.fromEntries(read) }
})

const embedded = await useEmbedded({ dir }, 'tool')
const client = newClient(embedded.superuserUrl.replace('/postgres?', '/bursar?'))
await client.connect()
const { rows: tables } = await client.query<{ name: string; columns: string }>(
  `select table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER'
      and not (select relispartition from pg_class where oid = to_regclass(quote_ident(table_name))) group by 1 order by 1`,
)
const lines: string[] = []
for (const { name, columns } of tables) {
  const { rows } = await client.query(`select json_agg(t)::text as rows from (select ${columns} from ${name}) t`)
  if (rows[0].rows !== null) lines.push([name, columns, rows[0].rows.replaceAll('\n', '')].join('\t'))
}
const { rows: sequences } = await client.query<{ name: string; value: string }>(
  `select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public' and last_value is not null`,
)
const { rows: jobs } = await client.query('select count(*)::int as n from graphile_worker._private_jobs')
assert.equal(jobs[0].n, 0, 'what is due is done')
await client.end()
await embedded.release()
rmSync(dir, { recursive: true, force: true })

const header: Header = { release, at: new Date().toISOString(), ...known, asked, answers, sequences }
const file = fileOf(release)
const packed = gzipSync([JSON.stringify(header), ...lines, ''].join('\n'), { level: 9 })
writeFileSync(file, packed)
console.log(`${file}: ${lines.length} tables, ${packed.length} bytes`)
