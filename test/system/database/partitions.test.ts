/**
 * Goal: events, deliveries, attempts and resends of before are the first partitions after an upgrade, as they were: nothing of them is written again, and who writes meanwhile waits
 * for no scan. Method: a database of the version before, filled by SQL, that is migrated while somebody writes events as servers of before do.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newClient } from '../../../src/db/db.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { knownMigrations, numberOf } from '../../../src/db/migrations.ts'
import { newDatabase } from '../../support/cluster.ts'
import { patience } from '../../support/harness.ts'

const bases = ['events', 'event_resends', 'webhook_deliveries', 'webhook_attempts']
const business = '6a0000000000000000000001'
const rows = 20_000

const fill = `
  insert into events (business_id, livemode, id, type, body, created_at, position)
  select '${business}', true, lpad(to_hex(extract(epoch from at)::bigint), 8, '0') || lpad(n::text, 16, '0'), 'payout.completed', repeat('x', 400), at, 1
    from (select n, now() - interval '1 second' * (${rows} - n) * 100 as at from generate_series(1, ${rows}) n) made;
  insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, tries, created_at, updated_at)
  select business_id, livemode, left(id, 8) || left(encode(sha256(id::bytea), 'hex'), 16), id, '${business}', type, 'https://shop.example', 'failed', 4, created_at, created_at
    from events;
  insert into webhook_attempts (business_id, livemode, delivery_id, number, at, duration_ms)
  select business_id, livemode, id, 1, created_at, 5 from webhook_deliveries;
  insert into event_resends (business_id, livemode, id, event_id) select business_id, livemode, id, id from events limit 100;
  insert into test_clocks (business_id, offset_ms) values ('${business}', 40 * 86400000::bigint);
  insert into events (business_id, livemode, id, type, body, created_at)
  select '${business}', false, to_hex(extract(epoch from at)::bigint) || repeat('0', 16), 'payout.completed', '{}', at from (select now() + interval '40 days' as at) made`

describe('an upgrade of many events to partitions', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  before(async () => {
    database = await newDatabase('template1')
    const former = knownMigrations().filter((name) => numberOf(name) < 100)
    await migrate(database.ownerUrl, 'bursar_server', undefined, former)
    await database.asOwner(`insert into businesses (id, name, created_at) values ('${business}', 'Before', now())`)
    await database.asOwner(fill)
  })
  after(() => database.drop())

  const one = async <Row>(text: string): Promise<Row> => (await database.asOwner(text)).rows[0] as Row

  it('writes none of them again, and lets others write', async () => {
    const files = (of: string): string =>
      `select string_agg(relname || ' ' || pg_relation_filenode(c.oid), ', ' order by pg_relation_filenode(c.oid)) as files from pg_class c
        where relnamespace = 'public'::regnamespace and (c.oid in (${of}) or c.oid in (select indexrelid from pg_index where indrelid in (${of})))`
    const regclass = (suffix: string): string => bases.map((base) => `'${base}${suffix}'::regclass`).join(', ')
    const had = await one<{ files: string }>(files(regclass('')))
    const numbers = (said: { files: string }): string[] =>
      said.files.split(', ').map((file) => file.split(' ')[1] ?? '')

    const writer = newClient(database.url)
    await writer.connect()
    let stop = false
    let written = 0
    let longest = 0
    const writing = (async () => {
      while (!stop) {
        const began = performance.now()
        await writer.query({
          name: 'events of before',
          text: `insert into events (business_id, livemode, id, type, body, metadata, created_at)
                 values ($1, true, to_hex(extract(epoch from now())::bigint) || lpad($2, 16, 'e'), 'payout.failed', '{}', '{}', now())`,
          values: [business, String(written)],
        })
        written++
        longest = Math.max(longest, performance.now() - began)
      }
    })()
    await migrate(database.ownerUrl, null)
    stop = true
    await writing
    await writer.end()
    assert.ok(written > 10 && longest < 2_000 * patience, `${written} written, one of them in ${longest} ms`)

    assert.deepEqual(numbers(await one(files(regclass('_first')))), numbers(had))
    const counted = `select (select count(*) from events)::int as events, (select count(*) from webhook_deliveries)::int as deliveries,
                            (select count(*) from webhook_attempts)::int as attempts, (select count(*) from event_resends)::int as resends`
    assert.deepEqual(await one(counted), {
      ...{ events: rows + 1 + written, deliveries: rows, attempts: rows, resends: 100 },
    })
    const { ends } = await one<{ ends: Date }>(
      `select ids_begin(substring(pg_get_expr(relpartbound, oid) from 'TO \\(''([0-9a-f]+)''\\)')) as ends from pg_class where relname = 'events_first'`,
    )
    const ahead = (ends.getTime() - Date.now()) / 86_400_000
    assert.ok(ahead > 40 + 28 && ahead < 40 + 62, `the first partition ends in ${ahead} days`)
    assert.equal(ends.toISOString().slice(8), '01T00:00:00.000Z')
  })

  it('lets statements of servers of before go on, and counts what they write', async () => {
    const client = newClient(database.url)
    await client.connect()
    const { id } = await one<{ id: string }>('select id from events where livemode order by id limit 1')
    // Word for word what servers of 0096 send.
    const { rows: resent } = await client.query(
      `insert into webhook_deliveries as d (business_id, livemode, id, event_id, webhook_id, type, url, status,
                                            next_attempt_at, created_at, updated_at)
       values ($1, true, $2, $3, $1, 'payout.completed', 'https://shop.example', 'pending', now(), now(), now())
       on conflict (business_id, livemode, event_id, webhook_id) do update
         set status = 'pending', tries = 0, url = excluded.url, next_attempt_at = excluded.next_attempt_at,
             updated_at = excluded.updated_at
       returning id, tries`,
      [business, 'f'.repeat(24), id],
    )
    assert.equal(resent[0].tries, 0)
    assert.notEqual(resent[0].id, 'f'.repeat(24))
    await client.end()
    const { found, real } = await one<{ found: string; real: string }>(
      `select (select sum(rows) from (select rows from list_counts where list in ('events', 'webhook_deliveries') and day = 'infinity'
                                      union all select change from list_changes where list in ('events', 'webhook_deliveries')) counted) as found,
              (select count(*) from events) + (select count(*) from webhook_deliveries) as real`,
    )
    assert.equal(Number(found), Number(real))
    const { pending } = await one<{ pending: string }>(
      `select sum(change) as pending from list_changes where facets @> '{"status": "pending"}'`,
    )
    assert.equal(Number(pending), 1)
  })
})
