/**
 * Fills a database with what years of business leave behind, past the product: rows are made in
 * SQL, with triggers off.
 */

import type { Opened } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { newClient } from '../src/db/db.ts'
import { countedLists } from '../src/db/lists/counts.ts'
import { partByMonth } from './partitions.ts'

const businesses = 1_000
const chunk = 250_000

/**
 * Rows as they were made over a year: every second belongs to the first business, the others to the
 * rest.
 */
const made = (from: number, to: number, total: number): string => `
  (select n, case when n % 2 = 0 then ($1::text[])[1] else ($1::text[])[2 + (n / 2) % ${businesses - 1}] end as business_id, at,
          to_hex(floor(extract(epoch from at))::bigint) || lpad(to_hex(extract(milliseconds from at)::bigint % 1000), 3, '0')
            || lpad(to_hex(n), 13, '0') as id
     from (select n, date_trunc('milliseconds', timestamptz '2025-11-20T00:00:00Z' + n * (interval '365 days' / ${total})) as at
             from generate_series(${from}, ${to}) n) numbered) row`
const pick = (values: string[]): string => `(array[${values.map((value) => `'${value}'`).join()}])`

/**
 * One payout in ten transactions, two events and a delivery for each; four payments, one customer,
 * and in a hundred two refunds and two invoices. A few statuses and types are rare.
 */
function statements(from: number, to: number, total: number): string[] {
  const rows = made(from, to, total)
  const payout = 'n % 20 < 2'
  const status = `case when n % ${Math.ceil(total / 10)} < 2 then 'reversed' when n % 100 = 0 then 'failed' else 'completed' end`
  const method = `case when n % 5 < 4 then 'bank_transfer' else 'crypto' end`
  const customer = 'n % 10 = 6 or n % 50 = 4'
  const amount = '1000 + n % 9973 * 100'
  const family = `'Name' || n % 4999`
  const destination = `'{"bank_code":"058","account_number":"0123456789","account_name":"Ada Obi","currency":"ngn","country":"NG"}'`
  return [
    `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee, balance_after,
                               reference, customer_id, related, created_at, updated_at)
     select business_id, false, id, case when ${payout} then 'payout' when n % ${Math.ceil(total / 10)} < 4 then 'refund' else 'deposit' end,
            ${method}, case when ${payout} then 'debit' else 'credit' end, ${status},
            case when n % 7 = 0 then 'usd' else 'ngn' end, 10000, 100, 1000000, 'ref-' || n,
            case when n % 3 = 0 then lpad(to_hex(n % 10007), 24, '0') end, jsonb_build_object('payout', id), at, at from ${rows}`,
    `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject,
                                  transaction_id, posted_at)
     select business_id, false, 1, 2, 10000, 'ngn', ${pick(['deposit', 'payout_hold'])}[1 + n % 2], id, id, at from ${rows}`,
    `insert into payouts (business_id, livemode, id, reference, amount, currency, method, destination, fee, fee_breakdown, rate,
                          destination_amount, destination_currency, rail, status, transaction_id, created_at, updated_at)
     select business_id, false, id, 'ref-' || n, 10000, case when n % 7 = 0 then 'usd' else 'ngn' end, ${method},
            ${destination}, 100, '[{"type":"processing","amount":100}]', '1', 9900, 'ngn', 'sandbox',
            case ${status} when 'reversed' then 'canceled' else ${status} end, id, at, at from ${rows} where ${payout}`,
    `insert into events (business_id, livemode, id, type, body, created_at, position)
     select business_id, false, overlay(id placing to_hex(e) from 12), ${pick(['payout.initiated', 'payout.completed'])}[e],
            '{"payload":{"id":"' || id || '","text":"' || repeat('x', 600) || '"}}', at, 0
       from ${rows} cross join generate_series(1, 2) e where ${payout}`,
    `insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, tries, created_at,
                                     updated_at)
     select business_id, false, id, overlay(id placing '2' from 12), lpad('1', 24, '0'), 'payout.completed',
            'https://example.com/hook', case when n % 1000 = 0 then 'failed' else 'succeeded' end, 1, at, at
       from ${rows} where ${payout}`,
    `insert into customers (business_id, livemode, id, reference, name, email, phone, type, created_at, updated_at)
     select business_id, false, id, 'c-' || n, ${pick(['Ada', 'Bola', 'Chidi', 'Dayo', 'Emeka'])}[1 + n / 10 % 5] || ' ' || ${family},
            'mail' || n || '@example.com', '+2348' || lpad(n::text, 9, '0'), 'individual', at, at from ${rows} where ${customer}`,
    `insert into customer_words (business_id, livemode, word, customer_id)
     select business_id, false, unnest(array['mail' || n || '@example.com', 'mail' || n, 'example', 'com',
              lower(${pick(['Ada', 'Bola', 'Chidi', 'Dayo', 'Emeka'])}[1 + n / 10 % 5]), lower(${family})]), id
       from ${rows} where ${customer}`,
    `insert into payments (business_id, livemode, id, reference, amount, currency, customer_id, email, methods, expires_at, fee_bearer,
                           on_mismatch, slug, status, method, created_at, updated_at)
     select business_id, false, id, 'pay-' || n, ${amount}, case when n % 7 = 0 then 'usd' else 'ngn' end,
            case when n % 3 = 0 then lpad(to_hex(n % 10007), 24, '0') end, 'mail' || n % 100000 || '@example.com', '{card}', at, 'business',
            'accept', 's' || n, case when ${status} = 'reversed' then 'canceled' else ${status} end, 'card', at, at
       from ${rows} where n % 10 between 2 and 5`,
    `insert into refunds (business_id, livemode, id, payment_id, customer_id, email, reference, amount, currency, method, destination, rate,
                          destination_amount, destination_currency, automatic, way, rail, status, transaction_id, created_at, updated_at)
     select business_id, false, id, id, case when n % 3 = 0 then lpad(to_hex(n % 10007), 24, '0') end, 'mail' || n % 100000 || '@example.com',
            'back-' || n, ${amount}, 'ngn', 'card', '{"charge":"","brand":"visa","last4":"4242"}', '1', 9900, 'ngn', false, 'x', 'sandbox',
            'completed', id, at, at from ${rows} where n % 50 = 2`,
    `insert into invoices (business_id, livemode, id, number, customer_id, currency, total, status, created_at, updated_at)
     select business_id, false, id, n, id, 'ngn', ${amount}, 'open', at, at
       from ${rows} where n % 50 = 4`,
    `insert into webhook_attempts (business_id, livemode, delivery_id, number, at, response_status, response_body, duration_ms)
     select business_id, false, id, 1, at, 200, 'ok', 20 from ${rows} where ${payout}`,
  ]
}

/**
 * Makes the businesses and their rows.
 * @param months of events that have partitions of their own; 0: all stand in the first
 * @returns the ids of the businesses; the first owns half of all
 */
export async function fill(
  { app }: Opened,
  superuserUrl: string,
  total: number,
  months: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < businesses; i += 20) {
    const some = Array.from({ length: 20 }, (_, j) => createBusiness(app, `Business ${i + j}`))
    for (const { business } of await Promise.all(some)) ids.push(business.id)
  }
  const client = newClient(superuserUrl)
  await client.connect()
  if (months > 0) await partByMonth(client, new Date('2025-12-01'), months)
  await client.query(
    `set session_replication_role = replica; set maintenance_work_mem = '1GB'; set work_mem = '256MB'`,
  )
  const { rows: indexes } = await client.query<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes
      where schemaname = 'public' and indexdef not like 'CREATE UNIQUE%'
        and tablename in ('transactions', 'ledger_postings', 'payouts', 'events', 'webhook_deliveries', 'customers', 'customer_words',
                          'payments', 'refunds', 'invoices')`,
  )
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`)
  for (let from = 1; from <= total; from += chunk) {
    const to = Math.min(from + chunk - 1, total)
    for (const text of statements(from, to, total)) await client.query(text, [ids])
    if (to % 1_000_000 === 0) console.error(`${to} transactions`)
  }
  for (const { indexdef } of indexes) await client.query(indexdef.replace(' ON ONLY ', ' ON '))
  for (const [list, { facets }] of Object.entries(countedLists))
    if (list !== 'virtual_accounts')
      await client.query(
        `insert into list_counts
         select business_id, livemode, '${list}', coalesce(day, 'infinity'), facets, count(*)
           from (select business_id, livemode, day_of(created_at) as day,
                        jsonb_build_object(${facets.map((facet) => `'${facet}', ${facet}`).join()}) as facets from ${list}) listed
          group by grouping sets ((business_id, livemode, day, facets), (business_id, livemode, facets))`,
      )
  await client.query(
    `insert into transaction_sums
     select business_id, livemode, quarter_of(created_at), currency, direction, sum(case direction when 'credit' then amount - fee else amount end)
       from transactions where status = 'completed' group by 1, 2, 3, 4, 5`,
  )
  await client.query('vacuum (analyze)')
  await client.end()
  return ids
}
