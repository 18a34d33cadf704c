/**
 * An embedded database that is carried over to this version's PostgreSQL, from any: what must be
 * true before, when it is killed, and after.
 */
import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { binariesIn, findBinaries, versionOf } from '../../src/db/cluster/binaries.ts'
import { type Embedded, stopCluster, useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient } from '../../src/db/db.ts'
import { makeDataDir } from './cluster.ts'
import { command, type Output, type Served, serve } from './commands.ts'
import { bankPayout, type Call, makeCall, must, until } from './harness.ts'

const folderOfOwn = async (): Promise<string> => join((await findBinaries()).postgres, '..', '..')

type Options = {
  /** Where the binaries of before are; this version's own where none are given. */
  folder?: string
  /** What fills the database, beside what is needed here. */
  business?(key: string, served: Served, env: Record<string, string>): Promise<void>
}

/** Says that a database survives the way, with its rules. */
export function describeCarrying(
  title: string,
  { folder: given, business = async () => {} }: Options = {},
): void {
  describe(title, { timeout: 1_800_000 }, () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-carried-'))
    const data = join(dir, 'data')
    const env = { DATA_DIR: data, RATE_LIMIT_MAX: '0', SANDBOX_DELAY: '0s' }
    const bursar = (...args: string[]): Promise<Output> => command(args, env)
    let folder: string
    let from: number
    let key: string
    let account: string
    let before_: unknown
    let kept: string
    const upgrade = (...more: string[]): Promise<Output> =>
      bursar('database', 'upgrade', '--binaries', folder, ...more)
    /**
     * Has the database running on the binaries of before, which the commands of this version join.
     */
    const onOld = async <T>(work: (embedded: Embedded) => Promise<T>): Promise<T> => {
      const embedded = await useEmbedded({ dir: data, binaries: binariesIn(folder) }, 'tool')
      return work(embedded).finally(() => embedded.release())
    }
    const asOwner = async (embedded: Embedded, text: string) => {
      const client = newClient(embedded.ownerUrl)
      await client.connect()
      return client.query(text).finally(() => client.end())
    }
    /** Which folder of an archive has what the old cluster wrote. */
    const archive = join(data, 'postgres-archive.json')
    /** What the server shows, and what the catalogue says of roles and triggers. */
    const picture = async (embedded: Embedded) => {
      const rights = await asOwner(
        embedded,
        `select (select json_agg(r order by r) from (select relname, relacl::text, relrowsecurity from pg_class
                  where relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and relkind in ('r', 'p', 'S')) r) as tables,
                (select json_agg(t order by t) from (select tgrelid::regclass::text, tgname, tgenabled from pg_trigger
                  where not tgisinternal) t) as triggers,
                (select json_agg(p order by p) from (select proname, prosecdef, proacl::text from pg_proc
                  where pronamespace = 'public'::regnamespace) p) as functions,
                (select json_agg(s order by s) from (select schemaname, sequencename, last_value from pg_sequences) s) as sequences,
                (select json_agg(d order by d) from (select adrelid::regclass::text, adnum, regexp_replace(pg_get_expr(adbin, adrelid), 'bigint \\+ \\d+', 'base') from pg_attrdef) d) as defaults,
                (select base from event_positions)::float8 as base,
                (select sum(balance * hashtext(id::text)) from ledger_accounts)::text as balances,
                (select count(*) from ledger_postings)::text as postings, (select count(*) from events)::text as events`,
      )
      return rights.rows[0]
    }

    before(
      async () => {
        folder = given ?? (await folderOfOwn())
        // A database of this version is made already.
        if (given === undefined) await makeDataDir(data)
        from = versionOf(binariesIn(folder)).major
        await onOld(async (embedded) => {
          key = JSON.parse(
            (await bursar('business', 'create', '--name', 'Ada', '--json')).out,
          ).test_key
          const served = await serve(env)
          const call = makeCall(served.url, key)
          await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
          await must(
            call('POST', '/payouts', bankPayout('one', 100_000), { 'idempotency-key': 'one' }),
          )
          const customer = await must(
            call('POST', '/customers', { name: 'Ada "\\ Okafor\\N', email: 'ada@example.com' }),
          )
          account = (
            await must(
              call('POST', '/virtual-accounts', { customer: customer.id, currency: 'ngn' }),
            )
          ).id
          await must(
            call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 5_000 }),
          )
          await until(
            async () => (await call('GET', '/payouts/one')).data.status === 'completed',
            60_000,
          )
          // The positions of events do not begin at the number of the transaction.
          await asOwner(embedded, 'select leave_event_positions()')
          await business(key, served, env)

          const refused = await upgrade()
          assert.match(
            refused.err,
            /Another Bursar server is already running on the data directory/,
          )
          assert.deepEqual([refused.code, existsSync(join(data, 'upgrading'))], [1, false])
          served.child.kill('SIGTERM')
          await served.ended
          before_ = await picture(embedded)
        })
      },
      { timeout: 900_000 },
    )
    after(() => rmSync(dir, { recursive: true, force: true }))

    it('is as it was when the command is killed in the middle', { timeout: 240_000 }, async () => {
      const { code } = await command(
        ['database', 'upgrade', '--binaries', folder],
        env,
        async (child) => {
          while (!existsSync(join(data, 'upgrading', 'postgres', 'postmaster.pid'))) await sleep(1)
          await sleep(300)
          child.kill('SIGKILL')
        },
      )
      assert.equal(code, null)
      assert.ok(existsSync(join(data, 'upgrading')))
      // What it has started lives on, and is taken over.
      assert.deepEqual(await onOld(picture), before_)
    })

    it('refuses what would be lost', { timeout: 240_000 }, async () => {
      await onOld((embedded) => asOwner(embedded, 'create schema mine'))
      const { code, err } = await upgrade()
      assert.match(
        err,
        /^bursar: The database holds what is not Bursar's and would be lost: the schema mine\. /,
      )
      assert.deepEqual(
        [code, readdirSync(data).filter((name) => /upgrading|restoring|postgres-/.test(name))],
        [1, []],
      )
      await onOld((embedded) => asOwner(embedded, 'drop schema mine'))
    })

    it('is the same afterwards, in every row, right and trigger', {
      timeout: 240_000,
    }, async (t) => {
      writeFileSync(archive, '{"id":"wal-before"}')
      const { code, out, err } = await upgrade('--json')
      assert.deepEqual([code, err], [0, ''])
      const said = JSON.parse(out)
      kept = said.kept
      assert.deepEqual([said.from, said.to], [from, versionOf(await findBinaries()).version])
      t.diagnostic(
        `${said.rows} rows of ${said.tables} tables, ${said.postings} postings, in ${said.seconds} s`,
      )
      assert.ok(said.rows > 100 && said.tables > 100, out)
      assert.ok(existsSync(join(kept, 'PG_VERSION')))
      // Its segments have the names of the first that the old one wrote.
      assert.ok(!existsSync(archive))
      const embedded = await useEmbedded({ dir: data }, 'tool')
      const now = (await picture(embedded)) as Record<string, unknown>
      // The numbers of transactions begin anew.
      assert.ok((now.base as number) >= (before_ as { base: number }).base)
      for (const [part, found] of Object.entries(now))
        if (part !== 'base')
          assert.deepEqual(found, (before_ as Record<string, unknown>)[part], part)
      for (const text of [
        'update ledger_postings set amount = amount + 1',
        'delete from ledger_postings',
        'truncate ledger_postings cascade',
        'delete from events',
        'delete from audit_log',
      ])
        await assert.rejects(
          asOwner(embedded, text),
          /append-only|not allowed|are never|unchanged|may not|is kept/,
          text,
        )
      const serving = newClient(embedded.url)
      await serving.connect()
      await assert.rejects(serving.query('delete from ledger_postings'), /permission denied/)
      await serving.end()
      await embedded.release()
    })

    it('ends what was broken off while the new files took the place of the old', {
      timeout: 240_000,
    }, async () => {
      const draft = join(data, 'restoring')
      mkdirSync(draft)
      writeFileSync(
        join(draft, 'upgraded.json'),
        JSON.stringify({ kept: kept.slice(data.length + 1) }),
      )
      renameSync(join(data, 'postgres'), join(draft, 'postgres'))
      writeFileSync(archive, '{"id":"wal-before"}')
      const refused = await bursar('ledger', 'verify')
      assert.match(
        refused.err,
        /`bursar database upgrade` was broken off at its end in .*: run it again/,
      )
      const ended = await upgrade('--json')
      assert.deepEqual([ended.code, JSON.parse(ended.out).kept], [0, kept])
      assert.deepEqual([draft, archive, join(data, 'upgrading')].filter(existsSync), [])
    })

    it('goes on as if nothing had been', { timeout: 240_000 }, async () => {
      const served = await serve(env)
      const call: Call = makeCall(served.url, key)
      const repeated = await call('POST', '/payouts', bankPayout('one', 100_000), {
        'idempotency-key': 'one',
      })
      // Where the business's clock went on by weeks, the key is forgotten, and the reference is
      // not.
      assert.equal(repeated.status, given === undefined ? 201 : 409)
      await must(call('POST', '/payouts', bankPayout('two', 50_000)))
      await must(call('POST', `/virtual-accounts/${account}/simulate-deposit`, { amount: 7_000 }))
      await until(
        async () => (await call('GET', '/payouts/two')).data.status === 'completed',
        60_000,
      )
      const { docs } = await must(call('GET', '/events?limit=100'))
      assert.equal(new Set(docs.map(({ id }: { id: string }) => id)).size, docs.length)
      served.child.kill('SIGTERM')
      assert.equal(await served.ended, 0)
      const { code, out } = await bursar('ledger', 'verify', '--json')
      assert.deepEqual([code, JSON.parse(out).differences], [0, []])
      await stopCluster(join(data, 'postgres'))
    })
  })
}
