/**
 * Goal: all test data of one business go, and nothing else does, whoever writes meanwhile and
 * whatever dies. Method: records of every module; digests of every table's rows before and after;
 * clients that write while it is done.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { runCommand } from '../../../test/support/command-line.ts'
import { signedIn } from '../../../test/support/dashboard.ts'
import {
  type BusinessTable,
  countRows,
  fillEveryModule,
  findBusinessTables,
  putRows,
  takeRows,
} from '../../../test/support/every-module.ts'
import {
  bankPayout,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { closeBooks } from '../../app/closing.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { sealPostings } from '../../books/proofs/proofs.ts'
import { foldPostingsOf } from '../../books/statements/statements.ts'
import { newClient } from '../../db/db.ts'
import { mailNotices } from '../team/notices.ts'

/** Tables of a business and mode that are not emptied, and why. */
const kept: Record<string, string> = {
  api_keys: 'access',
  audit_log: 'says who did what, this too',
  business_logos: 'the profile',
  business_profiles: 'the profile',
  ledger_accounts: 'stay, empty: processes remember their ids',
  list_changes: 'of what is kept alone',
  list_counts: 'of what is kept alone',
  payout_limits: 'settings',
  provider_events: 'what providers said, no longer of the business',
  provider_incidents: 'the operator’s, no longer of the business',
  provider_returns: 'the operator’s',
  seal_salts: 'hides what is in proofs that were published',
  transaction_sums: 'emptied with the counts',
  wallets: 'stay, empty',
  webhooks: 'endpoints: settings',
}
/** Of the business, whatever the mode. */
const ofBoth = [
  'approval_grants',
  'invitations',
  'list_views',
  'loosenings',
  'memberships',
  'moved_chains',
  'price_assignments',
  'test_clocks',
  'test_data_removals',
]
/**
 * Who uses a key is written while requests go on; postings are sealed, requests are written later;
 * counts, which `ledger verify` knows, are folded at any time.
 */
const byThemselves = [
  'list_changes',
  'list_counts',
  'posting_seals',
  'posting_sums',
  'requests',
  'transaction_sums',
]

describe('emptying the test data of a business', () => {
  let receiver: Receiver
  let server: TestServer
  let tables: BusinessTable[]
  const errors: unknown[][] = []
  before(async () => {
    receiver = await startReceiver()
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    server.app.log.error = (...said: unknown[]) => void errors.push(said)
    tables = await findBusinessTables(server.app)
  })
  after(async () => {
    await server.stop()
    await receiver.stop()
  })

  const countOf = async (what: string, params: unknown[] = []): Promise<number> =>
    Number(
      (await server.app.db.query<{ n: bigint }>(`select count(*) as n from ${what}`, params))[0]?.n,
    )
  const ask = (businessId: string): Promise<unknown> =>
    server.app.db.query(
      `insert into test_data_removals (business_id, id, requested_by, requested_at)
       values ($1, substr(md5(random()::text), 1, 24), '{"type": "operator"}', $2)
       on conflict (business_id) where ended_at is null do nothing`,
      [businessId, server.app.clock.now()],
    )
  const waiting = (): Promise<number> => countOf('test_data_removals where ended_at is null')
  const done = (): Promise<unknown> => until(async () => (await waiting()) === 0)
  /** What the process remembers of keys is younger than the emptying. */
  const known = (): Promise<unknown> =>
    until(
      async () =>
        (await server.call('POST', '/customers', { name: 'Ada', email: 'a@b.example' })).status ===
        201,
    )

  const rowsOf = (businessId: string, livemode = false): Promise<Record<string, number>> =>
    countRows(server.app, tables, { businessId, livemode })

  /**
   * Everything of test mode of every business but this one, and everything of live mode and of
   * both.
   */
  const digests = async (businessId: string): Promise<Json> => {
    const found: Json = {}
    for (const { name, moded } of tables) {
      if (byThemselves.includes(name) || ['test_clocks', 'test_data_removals'].includes(name))
        continue
      const [row] = await server.app.db.query<{ digest: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t.row, '|' order by t.row)), '') as digest
           from (select (to_jsonb(t) - 'last_used_at' - 'last_used_from')::text as row from ${name} t
                  where ${moded ? 'livemode or' : ofBoth.includes(name) ? 'true or' : ''} business_id is distinct from $1
                        ${moded && name.startsWith('provider_') ? 'and business_id is not null' : ''}) t`,
        [businessId],
      )
      found[name] = row?.digest
    }
    return found
  }

  /** Somebody who writes test data of the business, and does not end. */
  const holding = async (businessId: string) => {
    const held = newClient(server.databaseUrl)
    await held.connect()
    await held.query('begin')
    await held.query('select hold_test_data(array[$1], array[null::integer])', [businessId])
    return {
      async end() {
        await held.query('commit')
        await held.end()
      },
    }
  }

  it('has decided of every table with test data whether it is emptied', async () => {
    const [row] = await server.app.db.query<{ names: string[] }>(
      'select test_data_tables() as names',
    )
    const moded = tables.filter((table) => table.moded).map(({ name }) => name)
    assert.deepEqual([...(row?.names ?? []), ...Object.keys(kept)].sort(), moded)
    const without = tables.filter(({ name }) => !moded.includes(name)).map(({ name }) => name)
    assert.deepEqual(without, [...ofBoth, 'sandbox_charges', 'sandbox_orders'].sort())
  })

  it('turns away who writes meanwhile, and leaves whole what was written before', async () => {
    const { businessId, call } = server
    await server.fund('ngn', 1_000_000_000)
    errors.length = 0
    let stop = false
    const codes = new Map<string, number>()
    const merchant = newMerchant(server)
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const client = async (n: number): Promise<void> => {
      for (let i = 0; !stop; i++) {
        const answers = await Promise.all([
          call('POST', '/payouts', bankPayout(`race-${n}-${i}`, 10_000), {
            'idempotency-key': `race-${n}-${i}`,
          }),
          call('POST', `/virtual-accounts/${account.id}/simulate-deposit`, { amount: 5_000 }),
          call('POST', '/payments', { amount: 5_000, currency: 'ngn', customer: account.customer }),
        ])
        for (const { code, status, headers } of answers) {
          const said = code ?? String(status)
          codes.set(said, (codes.get(said) ?? 0) + 1)
          if (said === 'test_data_emptying')
            assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
        }
      }
    }
    const folding = async (): Promise<void> => {
      while (!stop) await foldPostingsOf(server.app.db)
    }
    const closing = async (): Promise<void> => {
      while (!stop) assert.deepEqual((await closeBooks(server.app))?.differences ?? [], [])
    }
    const clients = [...Array.from({ length: 4 }, (_, n) => client(n)), folding(), closing()]
    await until(async () => codes.has('201'))
    // Somebody is still writing: emptying waits, and whoever comes is turned away.
    const held = await holding(businessId)
    await Promise.all([ask(businessId), ask(businessId)])
    await until(async () => (codes.get('test_data_emptying') ?? 0) > 20)
    assert.equal(await waiting(), 1)
    await held.end()
    await done()
    await until(
      async () =>
        codes.has('insufficient_funds') &&
        codes.has('not_found') &&
        codes.has('customer_not_found'),
    )
    stop = true
    await Promise.all(clients)
    const known = [
      '200',
      '201',
      'test_data_emptying',
      'insufficient_funds',
      'not_found',
      'customer_not_found',
    ]
    assert.deepEqual(
      [...codes.keys()].filter((said) => !known.includes(said)),
      [],
    )
    await settled(server.app)
    assert.deepEqual(errors, [], 'jobs of what was deleted end quietly')
    await merchant.advance('30d')
    await settled(server.app)
    assert.deepEqual(errors, [])
    for (const [column, target] of Object.entries({
      customer_id: 'customers',
      payment_id: 'payments',
      payout_id: 'payouts',
      refund_id: 'refunds',
      invoice_id: 'invoices',
      transaction_id: 'transactions',
      webhook_id: 'webhooks',
      batch_id: 'payout_batches',
      distribution_id: 'distributions',
      schedule_id: 'payout_schedules',
      delivery_id: 'webhook_deliveries',
    }))
      for (const { name } of await server.app.db.query<{ name: string }>(
        `select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attname = $1`,
        [column],
      ))
        assert.equal(
          await countOf(
            `${name} t where ${column} is not null and not livemode and not exists (
               select from ${target} o where o.business_id = t.business_id and o.livemode = t.livemode and o.id = t.${column})`,
          ),
          0,
          `${name}.${column}`,
        )
  })

  it('takes all of it, and nothing of live mode or of another business; everything can be made again', async () => {
    const { businessId, call } = server
    const { business, test_key } = await createBusiness(server.app, 'Another')
    await fillEveryModule(server, call, `${receiver.url}/hook`)
    await fillEveryModule(server, server.callAs(test_key), `${receiver.url}/other`)
    await until(() => closeBooks(server.app))
    const live = newMerchant(server, { call: server.callAs(server.liveKey) })
    await live.addCustomer({ reference: 'live' })
    await live.addProduct()
    await live.create('/webhooks', { url: `${receiver.url}/live` })
    await signedIn(server, 'viewer')
    await settled(server.app)
    // Else it is mailed at any time, and changes what is compared.
    await mailNotices(server.app)
    await sealPostings(server.app)
    for (const livemode of [false, true]) await putRows(server, businessId, livemode)
    await putRows(server, business.id, false)
    const [row] = await server.app.db.query<{ names: string[] }>(
      'select test_data_tables() as names',
    )
    const had = await until(async () => {
      const counts = await rowsOf(businessId)
      return counts.requests === undefined ? null : counts
    })
    for (const table of row?.names ?? []) assert.ok(had[table], `${table} had rows`)
    const indexes = () =>
      server.app.db.query('select string_agg(t::text, chr(10)) as all from crypto_keys t')
    const [keys, untouched, inLive] = [
      await indexes(),
      await digests(businessId),
      await rowsOf(businessId, true),
    ]
    assert.ok(inLive.customers && inLive.chain_deposits && inLive.webhooks)

    await ask(businessId)
    await done()

    assert.deepEqual(await digests(businessId), untouched)
    assert.deepEqual(await indexes(), keys)
    for (const table of Object.keys(await rowsOf(businessId)))
      assert.ok(
        ofBoth.includes(table) ||
          (table in kept && !kept[table]?.includes('no longer')) ||
          table === 'requests',
        `${table} has rows`,
      )
    assert.equal(
      await countOf(`ledger_accounts where business_id = $1 and not livemode and balance <> 0`, [
        businessId,
      ]),
      0,
    )
    assert.equal(
      await countOf(`graphile_worker._private_jobs where payload ->> 'business_id' = $1`, [
        businessId,
      ]),
      0,
    )
    await takeRows(server)

    await until(async () => (await call('GET', '/test/clock')).data.offset_ms === 0)
    for (const path of [
      '/customers',
      '/payouts',
      '/payments',
      '/transactions',
      '/events',
      '/crypto/wallets',
    ])
      assert.equal((await must(call('GET', path))).totalDocs, 0, path)
    for (const { available, pending } of await must(call('GET', '/wallets')))
      assert.deepEqual([available, pending], [0, 0])
    assert.equal((await must(call('GET', '/webhooks'))).docs.length, 1)
    const [entry] = (await must(call('GET', '/audit?action=business.test_data_emptied'))).docs
    assert.equal(entry.actor.type, 'operator')
    assert.ok(entry.after.records > 100)

    await known()
    await fillEveryModule(server, call, `${receiver.url}/hook`)
    await settled(server.app)
  })

  it('lets nobody else delete what is append-only, and the owner no live row', async () => {
    const { business } = await createBusiness(server.app, 'A third')
    await server.fund('usd', 5_000)
    const working = (id: string, text: string): Promise<unknown> =>
      server.asOwner(`begin; insert into test_data_removals (business_id, id, requested_by, requested_at, at_work)
        values ('${id}', '${'e'.repeat(24)}', '{}', now(), pg_current_xact_id()); ${text}; rollback`)
    for (const table of ['ledger_postings', 'events', 'event_resends', 'sample_events']) {
      await assert.rejects(server.asOwner(`delete from ${table}`), /append-only/, table)
      await assert.rejects(server.app.db.query(`delete from ${table}`), { code: '42501' }, table)
    }
    for (const table of ['ledger_postings', 'events']) {
      await assert.rejects(
        working(business.id, `delete from ${table} where not livemode`),
        /append-only/,
        table,
      )
      await working(
        server.businessId,
        `delete from ${table} where business_id = '${server.businessId}' and not livemode`,
      )
    }
    await server.asOwner(
      `insert into events (business_id, livemode, id, type, body, metadata, created_at)
       select business_id, true, id, type, body, metadata, created_at from events limit 1`,
    )
    await assert.rejects(
      working(server.businessId, 'delete from events where livemode'),
      /append-only/,
    )
    await assert.rejects(server.app.db.query('delete from audit_log'), { code: '42501' })
  })

  it('is not done by command without --yes', async () => {
    const { code, err } = await runCommand(server.app, [
      'business',
      'empty-test-data',
      server.businessId,
    ])
    assert.equal(code, 1)
    assert.match(
      err,
      /^bursar: This deletes all test data of Test Business and cannot be undone\. Add --yes to do it\.\n$/,
    )
    assert.equal(await waiting(), 0)
  })
})
