/**
 * Fills a business with years of what it did in a month: every row that the month left in test mode
 * is copied as often as asked, with ids and times of its own. The copies are made in PostgreSQL, in
 * the order of their times, and the triggers that count are on.
 */
import type { Client } from 'pg'

type Column = { name: string; type: string }
type Seed = Record<string, string | null>

/** What there is once, whatever happened: books, settings, what is for sale, and what waits. */
const kept = [
  'api_keys',
  'ledger_accounts',
  'wallets',
  'test_clocks',
  'webhooks',
  'webhook_queue',
  'timers',
  'idempotency_keys',
  'list_counts',
  'list_changes',
  'transaction_sums',
  'posting_sums',
  'payout_limits',
  'beneficiaries',
  'payout_schedules',
  'products',
  'distributions',
  'distribution_shares',
  'collections',
  'invoice_numbers',
  'credit_note_numbers',
  'list_views',
  'payout_schedule_runs',
  'sample_events',
  'crypto_keys',
  'business_profiles',
  'business_logos',
  'team_notice_times',
]
/** Texts, beside those of unique keys, that are each copy's own. */
const own = [
  'customers.email',
  'customers.reference',
  'customers.phone',
  'virtual_accounts.account_number',
]
/** Numbers that are each copy's own. */
const numbers = ['invoices.number', 'credit_notes.number', 'crypto_addresses.index']
const copiesAtOnce = 25

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Copies what the business has in test mode.
 * @param start of the time over which the copies are spread, which ends at `end`
 * @returns how many rows were written, by table
 */
export async function copyRows(
  client: Client,
  { business, copies, start, end }: { business: string; copies: number; start: Date; end: Date },
): Promise<Record<string, number>> {
  const tables = await tablesOf(client)
  const seeds = new Map<string, { columns: Column[]; rows: Seed[] }>()
  for (const [table, columns] of tables) {
    const names = columns.map(({ name, type }) =>
      type === 'timestamptz'
        ? `floor(extract(epoch from ${name}) * 1000)::bigint::text as ${name}`
        : `${name}::text`,
    )
    const { rows } = await client.query<Seed>(
      `select ${names.join(', ')} from ${table} where business_id = $1 and not livemode`,
      [business],
    )
    if (rows.length > 0) seeds.set(table, { columns, rows })
  }
  const times = [...seeds.values()].flatMap(({ columns, rows }) =>
    columns
      .filter(({ name }) => name === 'created_at')
      .flatMap(({ name }) => rows.map((row) => Number(row[name]))),
  )
  const first = Math.min(...times)
  // What took a month takes a copy an hour, so that every hour is as busy.
  const squeeze = 720
  const offsetOf = (ms: number): number => Math.max(0, Math.round((ms - first) / squeeze))

  const tokens = new Map<string, string>()
  for (const { rows } of seeds.values())
    for (const { id } of rows) {
      if (!id || !/^[0-9a-f]{24}$/.test(id) || tokens.has(id)) continue
      const made = Number.parseInt(id.slice(0, 8), 16) * 1000 + Number.parseInt(id.slice(8, 11), 16)
      const ordinal = tokens.size.toString(16).padStart(7, '0')
      tokens.set(id, `(copy_time(c.ms + ${offsetOf(made)}) || '${ordinal}' || c.hex)`)
    }
  const texts = [...(await uniqueTexts(client)), ...own]
  for (const [table, { columns, rows }] of seeds)
    for (const { name } of columns) {
      if (!texts.includes(`${table}.${name}`)) continue
      for (const row of rows) {
        const text = row[name]
        if (text && text.length > 5 && text !== business && !tokens.has(text))
          tokens.set(text, ownText(text))
      }
    }
  const pattern = new RegExp(
    [...tokens.keys()]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('|'),
    'g',
  )
  const sqlOf = (value: string | null, { type }: Column): string => {
    if (value === null) return `null::${type}`
    if (type === 'timestamptz')
      return `c.at + ${offsetOf(Number(value))} * interval '1 millisecond'`
    const parts: string[] = []
    let from = 0
    for (const match of /text|json|object_id|character/.test(type) ? value.matchAll(pattern) : []) {
      if (match.index > from) parts.push(literal(value.slice(from, match.index)))
      parts.push(tokens.get(match[0]) as string)
      from = match.index + match[0].length
    }
    if (from < value.length || parts.length === 0) parts.push(literal(value.slice(from)))
    return `(${parts.join(' || ')})::${type}`
  }

  await client.query(`create or replace function pg_temp.copy_time(ms bigint) returns text immutable language sql as
    $$ select lpad(to_hex(ms / 1000), 8, '0') || lpad(to_hex(ms % 1000), 3, '0') $$`)
  await client.query(
    `create temp table copies as
     select k, at, floor(extract(epoch from at) * 1000)::bigint as ms, lpad(to_hex(k), 6, '0') as hex
       from (select k, date_trunc('milliseconds', $1::timestamptz + k * (($2::timestamptz - $1::timestamptz) / $3::integer)) as at
               from generate_series(1, $3::integer) k) made`,
    [start, end, copies],
  )
  await client.query('create unique index on copies (k); analyze copies')
  const written: Record<string, number> = {}
  const statements: { table: string; text: string }[] = []
  for (const [table, { columns, rows }] of seeds) {
    const names = columns.map(({ name }) => name)
    const timed = ['posted_at', 'created_at', 'at'].find((name) => names.includes(name))
    for (let i = 0; i < rows.length; i += 400) {
      const selects = rows.slice(i, i + 400).map((row, j) => {
        const numbered = (column: Column): string =>
          numbers.includes(`${table}.${column.name}`) && row[column.name]
            ? `${row[column.name]} + c.k * ${Math.max(...rows.map((one) => Number(one[column.name] ?? 0))) + Number(table === 'crypto_addresses')}`
            : sqlOf(row[column.name] ?? null, column)
        return `select ${columns.map((column) => `${numbered(column)}${j === 0 ? ` as ${column.name}` : ''}`).join(', ')} from c`
      })
      const text = `with c as (select * from copies where k between $1 and $2)
        insert into ${table} (${names.join(', ')}) select * from (${selects.join(' union all ')}) made ${timed ? `order by ${timed}` : ''}`
      statements.push({ table, text: text.replaceAll('copy_time(', 'pg_temp.copy_time(') })
    }
    await client.query(
      `alter table ${table} disable trigger all; alter table ${table} enable trigger user`,
    )
  }
  const indexes = await dropIndexes(client, [...seeds.keys()])
  const started = performance.now()
  for (let k = 1; k <= copies; k += copiesAtOnce) {
    const to = Math.min(k + copiesAtOnce - 1, copies)
    await client.query('begin')
    for (const { table, text } of statements) {
      const { rowCount } = await client.query(text, [k, to]).catch((error) => {
        throw new Error(`${table}: ${error.message} ${error.detail ?? ''}`)
      })
      written[table] = (written[table] ?? 0) + (rowCount ?? 0)
    }
    await client.query('commit')
    if (Math.floor(to / 500) > Math.floor((k - 1) / 500))
      console.error(`${to} copies, ${Math.round((performance.now() - started) / 1000)} s`)
  }
  for (const text of indexes) await client.query(text)
  for (const table of seeds.keys()) await client.query(`alter table ${table} enable trigger all`)
  await client.query(
    `update ledger_accounts a set balance = a.balance * $2 where business_id = $1 and not livemode`,
    [business, copies + 1],
  )
  await client.query(
    `update collections set payments_count = payments_count * $2, amount_collected = amount_collected * $2
      where business_id = $1 and not livemode`,
    [business, copies + 1],
  )
  await client.query(
    'update distribution_shares set settled = settled * $2 where business_id = $1 and not livemode',
    [business, copies + 1],
  )
  await client.query(
    `update invoice_numbers set last = (select max(number) from invoices i where i.business_id = $1 and not i.livemode)
      where business_id = $1 and not livemode`,
    [business],
  )
  return written
}

/** A text as each copy has its own. */
function ownText(text: string): string {
  const at = text.indexOf('@')
  if (at > 0) return `(${literal(text.slice(0, at))} || '.' || c.k || ${literal(text.slice(at))})`
  if (/^\+?\d{8,14}$/.test(text))
    return `(${literal(text.slice(0, -7))} || lpad(((c.k * 7919 + ${Number(text.slice(-7))}) % 10000000)::text, 7, '0'))`
  if (/^0x[0-9a-fA-F]{40,}$/.test(text)) return `(${literal(text.slice(0, -6))} || c.hex)`
  return `(${literal(text)} || '-' || c.k)`
}

/** The tables of businesses' rows, with the columns that are written. */
async function tablesOf(client: Client): Promise<Map<string, Column[]>> {
  const { rows } = await client.query<{ table_name: string; name: string; type: string }>(
    `select c.table_name, c.column_name as name, coalesce(c.domain_name, c.udt_name) as type
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER'
        and not (select relispartition from pg_class where oid = to_regclass(quote_ident(c.table_name)))
        and c.is_identity = 'NO' and not (c.table_name in ('events', 'ledger_postings') and c.column_name = 'position')
        and not (c.table_name = 'event_resends' and c.column_name = 'position')
      order by c.table_name, c.ordinal_position`,
  )
  const tables = new Map<string, Column[]>()
  for (const { table_name, name, type } of rows)
    tables.set(table_name, [...(tables.get(table_name) ?? []), { name, type }])
  for (const [table, columns] of tables)
    if (
      kept.includes(table) ||
      !['business_id', 'livemode'].every((name) => columns.some((one) => one.name === name))
    )
      tables.delete(table)
  return tables
}

/** The texts of unique keys that are no ids. */
async function uniqueTexts(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct i.indrelid::regclass::text || '.' || a.attname as name
       from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
       join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace and n.nspname = 'public'
      where i.indisunique and a.atttypid = 'text'::regtype`,
  )
  return rows
    .map(({ name }) => name)
    .filter(
      (name) =>
        !/\.(word|kind|type|purpose|currency|method|chain|task|asset|rail|page|key)$/.test(name),
    )
}

/** Drops what can be made again faster once all is there. @returns the statements that make it */
async function dropIndexes(client: Client, tables: string[]): Promise<string[]> {
  const { rows } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
      where schemaname = 'public' and indexdef not like 'CREATE UNIQUE%' and tablename = any ($1)`,
    [tables],
  )
  for (const { indexname } of rows) await client.query(`drop index ${indexname}`)
  return rows.map(({ indexdef }) => indexdef)
}
