/**
 * What searches cost a payout: the time that PostgreSQL works for its row, inserted and then
 * processing and completed, as it is, without what searches need, and with indexes instead, in
 * turn. It is the processor's time, of one connection: other work blurs it less.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { migrate } from '../src/db/schema/migrate.ts'
import { worked } from './processes.ts'
import { median } from './report.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    rows: { type: 'string', default: '300000' },
  },
})

const key = (more: string): string =>
  `alter table payouts drop constraint payouts_pkey, add constraint payouts_pkey primary key (business_id, livemode, id) ${more}`
const account = `lower(coalesce(destination->>'account_number', destination->>'address'))`
const addAccount = `alter table payouts add column if not exists account_key bigint generated always as (hashtextextended(${account}, 0)) stored`
const dropIndexes = 'drop index if exists payouts_by_amount, payouts_by_account'
const ways: Record<string, string[]> = {
  'as it is': [dropIndexes, addAccount, key('include (amount, account_key)')],
  'without searches': [
    dropIndexes,
    key(''),
    'alter table payouts drop column if exists account_key',
  ],
  'with two indexes': [
    dropIndexes,
    key(''),
    'alter table payouts drop column if exists account_key',
    'create index payouts_by_amount on payouts (business_id, livemode, amount, id desc)',
    `create index payouts_by_account on payouts (business_id, livemode, ${account}, id desc)`,
  ],
}
const aRound = 32_000
/** As many as share a commit at 64 clients. */
const batch = 32

const owner = `'b' || n % 100`
/** In the order of their times, as payouts have them. */
const id = `lpad(to_hex(n), 11, '0') || lpad(to_hex(hashint4(n)::bigint & 268435455), 13, '0')`
const change = `
  update payouts p set status = $3 from (select ${owner} as business_id, ${id} as id from generate_series($1::int, $2::int - 1) n) made
   where p.business_id = made.business_id and not p.livemode and p.id = made.id`

const dir = mkdtempSync(join(tmpdir(), 'bursar-indexes-'))
const embedded = await useEmbedded(
  { dir, settings: { fsync: 'off', synchronous_commit: 'off' } },
  'serve',
)
const client = newClient(embedded.ownerUrl)
try {
  await migrate(embedded.ownerUrl, 'bursar_server')
  await client.connect()
  await bench()
} finally {
  await client.end()
  await embedded.release()
  rmSync(dir, { recursive: true, force: true })
}

/** Payouts of a hundred businesses, of thousands of amounts and accounts. */
async function insert(from: number, to: number): Promise<void> {
  await client.query(
    `insert into payouts (business_id, livemode, id, reference, amount, currency, method, destination, fee, fee_breakdown, rate,
                          destination_amount, destination_currency, rail, status, transaction_id, created_at, updated_at)
     select ${owner}, false, ${id}, 'order-' || hashint4(n) || n, 1000 + abs(hashint4(n)::bigint) % 9973 * 100, 'ngn', 'bank_transfer',
            jsonb_build_object('bank_code', '058', 'account_number', lpad((abs(hashint4(n)::bigint) % 49999)::text, 10, '0'),
                               'account_name', 'Ada Obi', 'currency', 'ngn', 'country', 'ng'),
            100, '[{"type":"processing","amount":100}]', '1', 900, 'ngn', 'sandbox', 'pending', ${id}, now(), now()
       from generate_series($1::int, $2::int - 1) n`,
    [from, to],
  )
}

async function bench(): Promise<void> {
  const one = async (text: string, params: unknown[] = []) =>
    (await client.query(text, params)).rows
  const [{ pid }] = await one('select pg_backend_pid() as pid')
  console.log(`a load of ${(loadavg()[0] as number).toFixed(1)}`)
  let last = Number(values.rows)
  await insert(0, last)
  const found = new Map(Object.keys(ways).map((way) => [way, [] as number[]]))
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = Object.entries(ways)
    for (const [way, texts] of round % 2 === 0 ? order : order.reverse()) {
      for (const text of texts) await client.query(text)
      await client.query('vacuum (analyze) payouts')
      const before = worked([pid])
      for (const end = last + aRound; last < end; last += batch) {
        await insert(last, last + batch)
        for (const status of ['processing', 'completed'])
          await client.query(change, [last, last + batch, status])
      }
      found.get(way)?.push((worked([pid]) - before) / aRound)
    }
  }
  for (const [way, times] of found)
    console.log(
      `${way.padEnd(18)} ${Math.min(...times).toFixed(1)} µs a payout at best, ${median(times).toFixed(1)} in the median of ${times.length}`,
    )
}
