import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bankPayout, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { type PlanNode, readBy } from '../../../test/support/plans.ts'
import { verify } from '../../books/ledger/verify.ts'
import { selectIdsOfPayment } from '../../books/transactions/sql.ts'
import { newClient } from '../db.ts'
import { countChecks } from './count-checks.ts'
import { countedList, countedLists, foldCounts, sameCombination } from './counts.ts'

const dayMs = 86_400_000

describe('counts of lists', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    await server.fund('ngn', 100_000_000)
    await server.fund('usd', 100_000)
  })
  after(() => server.stop())

  const differences = async (): Promise<unknown[]> =>
    (await verify(server.app.db, countChecks, { whole: true })).differences

  /** Rows of many days, as many as a far page needs; every 500th is one of its kind. */
  async function fill(): Promise<void> {
    await server.app.db.query(
      `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee,
                                 balance_after, created_at, updated_at)
       select $1, true, lpad(to_hex(n), 24, '0'), 'deposit', 'bank_transfer', 'credit',
              case when n % 500 = 0 then 'reversed' else 'completed' end, case when n % 3 = 0 then 'usd' else 'ngn' end,
              1, 0, 0, at, at
         from (select n, timestamptz '2026-01-01T10:00:00Z' + n * interval '15 minutes' as at
                 from generate_series(1, 5000) n) made`,
      [server.businessId],
    )
  }

  it('are exact at each commit, folded or not, also where a state changes and where work is undone', async () => {
    for (let i = 0; i < 5; i++)
      assert.equal(
        (await server.call('POST', '/payouts', bankPayout(`count-${i}`, 10_000))).status,
        201,
      )
    assert.equal((await server.call('POST', '/payouts', bankPayout('count-0', 10_000))).status, 409)
    await until(
      async () => (await server.call('GET', '/payouts?status=completed')).data.totalDocs === 5,
    )
    assert.equal((await server.call('GET', '/payouts')).data.totalDocs, 5)
    assert.equal((await server.call('GET', '/payouts?status=pending')).data.totalDocs, 0)
    assert.deepEqual(await differences(), [])
    await foldCounts(server.app.db)
    assert.deepEqual(await differences(), [])
    assert.equal((await server.call('GET', '/payouts')).data.totalDocs, 5)
  })

  it('stay exact while many write and several fold', async () => {
    let busy = true
    const folders = [1, 2].map(async () => {
      while (busy) {
        await foldCounts(server.app.db)
        await sleep(1)
      }
    })
    const readers = [1, 2].map(async () => {
      let last = 0
      while (busy) {
        const { totalDocs } = (await server.call('GET', '/payouts')).data
        assert.ok(totalDocs >= last, `${totalDocs} after ${last}`)
        last = totalDocs
      }
    })
    const made = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        server.call('POST', '/payouts', bankPayout(`many-${i}`, 10_000)),
      ),
    )
    busy = false
    await Promise.all([...folders, ...readers])
    assert.ok(made.every(({ status }) => status === 201))
    assert.equal((await server.call('GET', '/payouts')).data.totalDocs, 205)
    assert.deepEqual(await differences(), [])
  })

  it('leave out deleted customers, and tell when they are wrong', async () => {
    const { data } = await server.call('POST', '/customers', {
      name: 'Ada Obi',
      email: 'ada@example.com',
    })
    assert.equal((await server.call('GET', '/customers')).data.totalDocs, 1)
    await server.call('DELETE', `/customers/${data.id}`)
    assert.equal((await server.call('GET', '/customers')).data.totalDocs, 0)
    await foldCounts(server.app.db)
    await server.app.db.query(
      `update list_counts set rows = rows + 1 where list = 'payouts' and day = 'infinity'`,
    )
    const wrong = await differences()
    assert.ok(wrong.length > 0)
    await server.app.db.query(
      `update list_counts set rows = rows - 1 where list = 'payouts' and day = 'infinity'`,
    )
    assert.deepEqual(await differences(), [])
  })

  it('lead to the same pages as a walk, for every filter, range and depth', async () => {
    await fill()
    const live = server.callAs(server.liveKey)
    type Found = { id: string; created_at: Date }
    const start = Date.parse('2026-01-01T10:00:00Z')
    const at = (ms: number): string => new Date(start + ms).toISOString()
    const times: [string, string?][] = [
      [''],
      [`&from=${at(3.3 * dayMs)}`],
      [`&from=2026-01-05T00:00:00Z&to=2026-01-20T00:00:00Z`],
      [`&from=${at(2.1 * dayMs)}&to=${at(30.7 * dayMs)}`],
      [`&from=${at(1.1 * dayMs)}&to=${at(1.2 * dayMs)}`],
      [`&to=${at(9 * dayMs)}`],
      [`&from=${at(20 * dayMs)}&to=${at(2 * dayMs)}`],
      ['&from=0001-01-01T00:00:00.001Z&to=9999-12-31T23:59:59.999Z'],
      ['&from=9999-12-31T00:00:00.001Z'],
    ]
    for (const folded of [false, true]) {
      if (folded) await foldCounts(server.app.db)
      for (const filter of [
        '',
        'currency=usd',
        'status=reversed',
        'currency=ngn&status=completed',
        'type=payout',
      ])
        for (const [time] of times) {
          const query = new URLSearchParams(filter + time)
          const params = [...query.entries()]
          const real = await server.app.db.query<Found>(
            `select id, created_at from transactions where business_id = $1 and livemode
               ${params.map(([name], i) => `and ${name === 'from' ? 'created_at >=' : name === 'to' ? 'created_at <' : `${name} =`} $${i + 2}`).join(' ')}
              order by created_at desc, id desc`,
            [server.businessId, ...params.map(([, value]) => value)],
          )
          const ids = real.map(({ id }) => id)
          for (const page of [1, 7, 45, 1_000_000_000]) {
            const { data } = await live('GET', `/transactions?${query}&limit=100&page=${page}`)
            const wanted = ids.slice((page - 1) * 100, page * 100)
            assert.equal(data.totalDocs, ids.length, `${query}`)
            assert.deepEqual(
              data.docs.map(({ id }: Found) => id),
              wanted,
              `${query}, page ${page}`,
            )
          }
          const cursor = ids[Math.floor(ids.length / 2)]
          if (cursor === undefined) continue
          const { data } = await live('GET', `/transactions?${query}&after=${cursor}`)
          assert.deepEqual(
            data.docs.map(({ id }: Found) => id),
            ids.slice(ids.indexOf(cursor) + 1).slice(0, 20),
            `${query}, after`,
          )
        }
    }
  })

  it('read a page of each combination and no more, also where its values come together', async () => {
    const live = server.callAs(server.liveKey)
    const { data: customer } = await live('POST', '/customers', {
      name: 'Bola Ade',
      email: 'bola@example.com',
    })
    await server.app.db.query(
      `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee,
                                 balance_after, customer_id, created_at, updated_at)
       select $1, true, 'f' || lpad(to_hex(n), 23, '0'), (array['deposit', 'payout', 'refund', 'payment'])[1 + n % 4],
              (array['bank_transfer', 'crypto', 'wallet', 'card'])[1 + n % 4], (array['credit', 'debit', 'debit', 'credit'])[1 + n % 4],
              (array['completed', 'failed', 'reversed', 'pending'])[1 + n % 4], (array['ngn', 'usd', 'eur', 'ngn'])[1 + n % 4],
              1, 0, 0, $2, at, at
         from (select n, timestamptz '2024-01-01' + n * interval '1 minute' as at from generate_series(1, 24000) n) made`,
      [server.businessId, customer.id],
    )
    await foldCounts(server.app.db)
    await server.asOwner('vacuum analyze transactions')
    const plan = await server.app.db.query<Record<string, [{ Plan: PlanNode }]>>(
      `explain (analyze, format json) select found.id
         from (select facets from list_counts
                where business_id = '${server.businessId}' and livemode and list = 'transactions' and day = 'infinity') combination
        cross join lateral (
          select id from transactions where business_id = '${server.businessId}' and livemode and ${sameCombination(countedLists.transactions)}
           order by created_at desc, id desc limit 20) found`,
    )
    const [{ combinations }] = (await server.app.db.query<{ combinations: bigint }>(
      `select count(*) as combinations from list_counts
        where business_id = $1 and livemode and list = 'transactions' and day = 'infinity'`,
      [server.businessId],
    )) as [{ combinations: bigint }]
    const read = readBy(plan[0]?.['QUERY PLAN']?.[0].Plan as PlanNode, ['transactions'])
    assert.ok(read <= 20 * Number(combinations), `${read} rows of ${combinations} combinations`)

    // The oldest of those of a payment, past all that are newer.
    await server.asOwner(
      `update transactions set related = jsonb_build_object('payment', id), type = 'payment' where customer_id = '${customer.id}'`,
    )
    await server.asOwner('vacuum analyze transactions')
    const oldest = selectIdsOfPayment.own.text
      .replace('$1', `'${server.businessId}'`)
      .replace('$2', 'true')
      .replace('$3', `'f${'1'.padStart(23, '0')}'`)
      .replace('$4', '1')
    const found = await server.app.db.query<Record<string, [{ Plan: PlanNode }]>>(
      `explain (analyze, format json) ${oldest}`,
    )
    assert.equal(readBy(found[0]?.['QUERY PLAN']?.[0].Plan as PlanNode, ['transactions']), 1)

    // What belongs to a record has no counts of its own: it is counted up to 10,000, and further as
    // pages get there.
    const of = `/transactions?customer=${customer.id}&limit=100`
    const asked = async (query: string) => (await live('GET', of + query)).data
    const first = await asked('')
    assert.deepEqual([first.totalDocs, first.hasNextPage], [10_000, true])
    const far = await asked('&page=150')
    assert.deepEqual(
      [far.docs.length, far.totalDocs, far.hasNextPage, far.nextPage],
      [100, 15_001, true, 151],
    )
    const behind = await asked(`&after=${far.docs.at(-1).id}`)
    assert.deepEqual(behind.docs, (await asked('&page=151')).docs)
    const last = await asked('&page=240')
    assert.deepEqual([last.docs.length, last.totalDocs, last.hasNextPage], [100, 24_000, false])
    const past = await asked('&page=241')
    assert.deepEqual([past.docs, past.hasNextPage, past.totalDocs], [[], false, 10_000])
    assert.equal((await asked('&from=2024-01-01&to=2024-01-02')).totalDocs, 2 * 1440 - 1)
  })

  it('lead to rare rows by the index of what they have in common', async () => {
    // PostgreSQL names the indexes of partitions.
    const inPartitions: Record<string, RegExp> = {
      events: /events_first_business_id_livemode_type_id_idx/,
      webhook_deliveries: /webhook_deliveries_first_business_id_livemode_hashtext_\w+_idx/,
    }
    const client = newClient(server.ownerUrl)
    await client.connect()
    try {
      // What the planner would do with a large table: these are small, where anything is as good.
      await client.query('begin')
      await client.query('set local enable_seqscan = off; set local enable_sort = off')
      for (const table of Object.keys(countedLists)) {
        const list = countedList(table)
        if (!list || list.facets.length === 0) continue
        if (list.inIdOrder)
          await client.query(`alter table ${table} drop constraint ${table}_pkey cascade`)
        else await client.query(`drop index ${table}_newest`)
        const { rows } = await client.query(
          `explain select found.id from jsonb_array_elements('[{}]') combination (facets) cross join lateral (
             select id from ${table} where business_id = 'x' and livemode and ${sameCombination(list)}
              order by ${list.inIdOrder ? '' : 'created_at desc, '}id desc limit 20) found`,
        )
        assert.match(
          JSON.stringify(rows),
          inPartitions[table] ?? new RegExp(`${table}_newest_alike`),
        )
      }
    } finally {
      await client.end()
    }
  })
})
