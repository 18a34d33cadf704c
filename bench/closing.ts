/**
 * What it costs to verify the books as their history grows: all of it, and what came since a
 * closing. The books are clean: payouts over a year, with their transactions, postings, events,
 * counts and sums, made in SQL past the product.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Opened, open, verifyBooks } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { closeUpTo } from '../src/books/ledger/closing.ts'
import { foldPostingsOf } from '../src/books/statements/statements.ts'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { countedLists } from '../src/db/lists/counts.ts'
import { readConfig } from '../src/lib/config.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '10000' },
  },
})
/** A payout is a row of its own, a transaction, three postings and two events. */
const rowsEach = 7
const businesses = 100
const chunk = 100_000
const year = 365 * 86_400_000

const dir = mkdtempSync(join(tmpdir(), 'bursar-closing-'))
const embedded = await useEmbedded(
  { dir, settings: { fsync: 'off', synchronous_commit: 'off', max_wal_size: '8GB' } },
  'serve',
)
const at = (url: string, name: string): string => url.replace(/\/(postgres|bursar)\?/, `/${name}?`)
try {
  console.log(
    `${'rows'.padStart(9)}  ${['all, before', 'close', 'a month since', 'a day since', 'all, after'].map((title) => title.padStart(14)).join('')}   seconds`,
  )
  for (const [name, rows] of [
    ['small', values.small],
    ['large', values.rows],
  ] as const)
    await measure(name, Math.round(Number(rows) / rowsEach))
} finally {
  await embedded.release()
  rmSync(dir, { recursive: true, force: true })
}

async function measure(name: string, payouts: number): Promise<void> {
  const admin = newClient(embedded.superuserUrl)
  await admin.connect()
  await admin.query(`create database ${name} owner bursar`)
  await admin.end()
  const [url, ownerUrl] = [at(embedded.url, name), at(embedded.ownerUrl, name)]
  const opened = await open(
    readConfig({
      DATABASE_URL: url,
      MIGRATE_DATABASE_URL: ownerUrl,
      SECRETS_KEY: '00'.repeat(32),
      LOG_LEVEL: 'fatal',
    }),
    'all',
  )
  const { db } = opened.app
  const start = new Date(Date.now() - year)
  const first = await fill(opened, at(embedded.superuserUrl, name), payouts, start)
  const closing = (left: number) => ({
    position: first + BigInt(Math.floor(payouts * (1 - left / 365))),
    closed_at: new Date(start.getTime() + year - left * 86_400_000),
  })
  const seconds: number[] = []
  const timed = async (work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now()
    await work()
    seconds.push((performance.now() - began) / 1_000)
  }
  const verified = (whole: boolean) =>
    timed(async () => {
      const { differences } = await verifyBooks({ db }, { whole })
      if (differences.length > 0)
        throw new Error(`the books differ: ${JSON.stringify(differences[0])}`)
    })
  await verified(true)
  await timed(() => closeUpTo(db, closing(30)))
  await verified(false)
  await closeUpTo(db, closing(1))
  await verified(false)
  await verified(true)
  console.log(
    `${String(payouts * rowsEach).padStart(9)}  ${seconds.map((one) => one.toFixed(2).padStart(14)).join('')}`,
  )
  await opened.close()
}

/** @returns the lowest position of its postings: each payout has the next */
async function fill(
  { app }: Opened,
  superuserUrl: string,
  total: number,
  start: Date,
): Promise<bigint> {
  const ids: string[] = []
  for (let i = 0; i < businesses; i += 20)
    for (const made of await Promise.all(
      Array.from({ length: 20 }, (_, j) => createBusiness(app, `Business ${i + j}`)),
    ))
      ids.push(made.business.id)
  const client = newClient(superuserUrl)
  await client.connect()
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`,
  )
  const { rows: accounts } = await client.query<{
    id: string
    purpose: string
    subject: string
    business_id: string
  }>(
    `select business_id, id, purpose, subject from ledger_accounts
      where not livemode and currency = 'ngn' and (purpose in ('wallet_available', 'wallet_pending', 'fees') or purpose = 'rail_clearing' and subject = 'sandbox')`,
  )
  const of = (purpose: string): string[] =>
    ids.map(
      (id) =>
        accounts.find((one) => one.business_id === id && one.purpose === purpose)?.id as string,
    )
  const parts = ['wallet_available', 'wallet_pending', 'fees', 'rail_clearing'].map(of)
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
      where schemaname = 'public' and indexdef not like 'CREATE UNIQUE%' and tablename in ('transactions', 'ledger_postings', 'payouts', 'events')`,
  )
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`)
  const { rows: horizon } = await client.query<{ position: string }>(
    'select event_horizon() as position',
  )
  const first = BigInt(horizon[0]?.position as string)
  const destination = `'{"bank_code":"058","account_number":"0123456789","account_name":"Ada Obi","currency":"ngn","country":"NG"}'`
  const columns =
    'business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at, position'
  await client.query(
    `with funded as (
       insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee, balance_after, related, created_at, updated_at)
       select id, false, id, 'simulated_fund', 'simulated', 'credit', 'completed', 'ngn', ${total} * 10000::bigint, 0, 0, '{}', $4, $4
         from unnest($1::text[]) id)
     insert into ledger_postings (${columns})
     select id, false, rail, available, ${total} * 10000::bigint, 'ngn', 'simulated_fund', id, id, $4, ${first}
       from rows from (unnest($1::text[]), unnest($2::bigint[]), unnest($3::bigint[])) as row (id, available, rail)`,
    [ids, parts[0], parts[3], start],
  )
  for (let from = 0; from < total; from += chunk) {
    const rows = `
      (select n, ${first} + n as position, ($1::text[])[1 + n % ${businesses}] as business_id, at, ($2::bigint[])[1 + n % ${businesses}] as available,
              ($3::bigint[])[1 + n % ${businesses}] as pending, ($4::bigint[])[1 + n % ${businesses}] as fees, ($5::bigint[])[1 + n % ${businesses}] as rail,
              to_hex(floor(extract(epoch from at))::bigint) || lpad(to_hex(extract(milliseconds from at)::bigint % 1000), 3, '0') || lpad(to_hex(n), 13, '0') as id
         from (select n, date_trunc('milliseconds', timestamptz '${start.toISOString()}' + n * (interval '365 days' / ${total})) as at
                 from generate_series(${from}, ${Math.min(from + chunk, total) - 1}) n) numbered) row`
    for (const text of [
      `insert into payouts (business_id, livemode, id, reference, amount, currency, method, destination, fee, fee_breakdown, rate,
                              destination_amount, destination_currency, rail, status, transaction_id, created_at, updated_at)
         select business_id, false, id, 'ref-' || n, 10000, 'ngn', 'bank_transfer', ${destination}, 100, '[{"type":"processing","amount":100}]', '1',
                9900, 'ngn', 'sandbox', 'completed', id, at, at from ${rows}`,
      `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee, balance_after,
                                   reference, related, created_at, updated_at)
         select business_id, false, id, 'payout', 'bank_transfer', 'debit', 'completed', 'ngn', 10000, 100, 1000000, 'ref-' || n,
                jsonb_build_object('payout', id), at, at from ${rows}`,
      `insert into ledger_postings (${columns})
         select business_id, false, debit, credit, amount, 'ngn', kind, id, id, at, position
           from ${rows} cross join lateral (values (available, pending, 10000, 'payout_hold'), (pending, rail, 9900, 'payout_sent'),
                                                   (pending, fees, 100, 'payout_fee')) p (debit, credit, amount, kind)`,
      `insert into events (business_id, livemode, id, type, body, created_at, position)
         select business_id, false, overlay(id placing to_hex(e) from 12), (array['payout.initiated', 'payout.completed'])[e],
                '{"payload":{"id":"' || id || '","text":"' || repeat('x', 600) || '"}}', at, position
           from ${rows} cross join generate_series(1, 2) e`,
    ])
      await client.query(text, [ids, ...parts])
    if (from % 500_000 === 0) console.error(`${from} payouts`)
  }
  for (const { indexdef } of indexes) await client.query(indexdef)
  await client.query(
    `update ledger_accounts a set balance = moved.amount
       from (select business_id, account, sum(amount) as amount
               from (select business_id, credit_account as account, amount from ledger_postings
                     union all select business_id, debit_account, -amount from ledger_postings) sides group by 1, 2) moved
      where a.business_id = moved.business_id and not a.livemode and a.id = moved.account`,
  )
  for (const list of ['transactions', 'payouts', 'events'] as const)
    await client.query(
      `insert into list_counts
       select business_id, livemode, '${list}', coalesce(day, 'infinity'), facets, count(*)
         from (select business_id, livemode, day_of(created_at) as day,
                      jsonb_build_object(${countedLists[list].facets.map((facet) => `'${facet}', ${facet}`).join()}) as facets from ${list}) listed
        group by grouping sets ((business_id, livemode, day, facets), (business_id, livemode, facets))`,
    )
  await client.query(
    `insert into transaction_sums
     select business_id, livemode, quarter_of(created_at), currency, direction, sum(case direction when 'credit' then amount - fee else amount end)
       from transactions where status = 'completed' group by 1, 2, 3, 4, 5`,
  )
  // What is written from here on has higher positions.
  await client.query('select leave_event_positions()')
  await client.query(`update folded_postings set position = ${first}`)
  await client.query('vacuum (analyze)')
  await foldPostingsOf(app.db)
  await client.end()
  return first
}
