/**
 * Goal: a standby takes the place of its primary, and nothing is lost that was answered, told that
 * did not happen, or written at the one that was left behind. Method: two PostgreSQL servers, the
 * standby synchronous, and a server whose DATABASE_URL names both; the primary is killed with -9
 * under load, the standby is promoted, the old one is made anew from a base backup, and so on in
 * turn. `FAILOVERS` is how often.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { useEmbedded } from '../../src/db/cluster/embedded.ts'
import { newClient, openDatabase, sqlOfAll, transaction } from '../../src/db/db.ts'
import { migrate } from '../../src/db/schema/migrate.ts'
import { command, type Served, serve } from '../support/commands.ts'
import { type EventStream, openStream } from '../support/event-stream.ts'
import {
  type Answer,
  bankPayout,
  type Call,
  type Json,
  listAll,
  makeCall,
  until,
} from '../support/harness.ts'
import { follow, type Node, startNode, type Urls } from '../support/nodes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const failovers = Number(process.env.FAILOVERS ?? 1)
const synchronous = 'alter system set synchronous_standby_names'

/** Two servers, of which one follows the other. */
class Pair {
  readonly dir = mkdtempSync(join(tmpdir(), 'bursar-pair-'))
  primary!: Node
  standby!: Node
  private urls!: Urls

  async start(): Promise<void> {
    const embedded = await useEmbedded({ dir: join(this.dir, 'one') }, 'serve')
    const { url, ownerUrl, superuserUrl, backupUrl } = embedded
    this.urls = { url, ownerUrl, superuserUrl, backupUrl }
    await migrate(ownerUrl, 'bursar_server')
    await embedded.release()
    this.primary = await startNode(this.urls, join(this.dir, 'one'), 5601)
    await this.rebuild(join(this.dir, 'two'), 5602)
  }

  /** The URL that names both, in the order of their making. */
  url(kind: keyof Urls = 'url'): string {
    const clusters = ['one', 'two'].map((name) => join(this.dir, name, 'postgres')).join(',')
    return this.primary[kind]
      .replace(/host=[^&]*/, `host=${encodeURIComponent(clusters)}`)
      .replace(/port=\d+/, 'port=5601,5602&target_session_attrs=read-write')
  }

  /** Makes the standby from a copy of the primary; from then on commits wait for it. */
  async rebuild(dir: string, port: number): Promise<void> {
    await follow(this.primary, dir)
    this.standby = await startNode(this.urls, dir, port)
    await until(() => this.replicates('streaming'), 60_000)
    await this.primary.ask(`${synchronous} = 'follower'`)
    await this.primary.ask('select pg_reload_conf()')
    await until(() => this.replicates('sync'), 60_000)
  }

  private async replicates(how: string): Promise<boolean> {
    const rows = await this.primary.ask<{ state: string; sync_state: string }>(
      'select * from pg_stat_replication',
    )
    return rows.some(({ state, sync_state }) => state === how || sync_state === how)
  }

  /**
   * What an operator, or what stands for one, does once the primary is dead. There is nobody to
   * wait for then.
   */
  async promote(): Promise<void> {
    await this.standby.ask(`${synchronous} = ''`)
    await this.standby.ask('select pg_promote()')
    await this.standby.ask('select pg_reload_conf()')
    ;[this.primary, this.standby] = [this.standby, this.primary]
  }

  async stop(): Promise<void> {
    for (const node of [this.primary, this.standby]) await node?.stop()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** The runner bounds each test by itself. */
const whole = { timeout: 300_000 + failovers * 120_000 }

describe('two servers of PostgreSQL in one URL', whole, () => {
  const pair = new Pair()
  let receiver: Receiver
  let served: Served
  let env: Record<string, string>
  let key: string
  let call: Call
  let stream: EventStream
  const streams: EventStream[] = []
  before(async () => {
    receiver = await startReceiver()
    await pair.start()
    env = {
      DATABASE_URL: pair.url(),
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '300ms',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_RETRY_DELAYS: '1s,1s,1s,5s,5s',
      LOG_LEVEL: 'fatal',
    }
    served = await serve(env)
    key = JSON.parse(
      (await command(['business', 'create', '--name', 'Pair', '--json'], env)).out,
    ).test_key
    call = makeCall(served.url, key)
    assert.equal((await call('POST', '/webhooks', { url: `${receiver.url}/hook` })).status, 201)
    await call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 9_000_000_000 })
  })
  after(async () => {
    served?.child.kill('SIGTERM')
    await served?.ended
    await pair.stop()
    await receiver.stop()
  })

  const works = async (): Promise<boolean> =>
    (await call('GET', '/wallets').catch(() => null))?.status === 200

  it(
    'lose nothing and tell nothing wrong when the one that takes writes is killed under load',
    whole,
    async (test) => {
      const answered = new Set<string>()
      const odd: unknown[] = []
      let asked = 0
      let stop = false
      const pay = async (reference: string): Promise<void> => {
        // As an integrator does it: with the same key until it is answered.
        while (!answered.has(reference)) {
          const answer = await call('POST', '/payouts', bankPayout(reference, 10_000), {
            'idempotency-key': reference,
          })
          if (answer.status === 201) answered.add(reference)
          else if (answer.status === 503) await sleep(100)
          else return void odd.push([reference, answer.status, answer.body])
        }
      }
      const client = async (): Promise<void> => {
        while (!stop) {
          await pay(`f-${asked++}`)
          await sleep(20)
        }
      }
      /** Goes on with the stream where it ended. */
      const listen = async (): Promise<void> => {
        let place: string | undefined
        while (!stop) {
          try {
            stream = await openStream(
              served.url,
              key,
              place === undefined ? { after: '0' } : { place },
            )
            streams.push(stream)
            await Promise.race([stream.ended, until(async () => stop, 3_600_000)])
            place = stream.place() || place
          } catch {
            await sleep(200)
          }
        }
        await stream.close()
      }
      const clients = [...Array.from({ length: 6 }, client), listen()]
      const more = async (count: number): Promise<void> => {
        const enough = answered.size + count
        await until(async () => answered.size >= enough, 60_000)
      }
      await more(60)
      const gaps: number[] = []
      for (let n = 0; n < failovers; n++) {
        await pair.primary.kill()
        const began = performance.now()
        await sleep(500)
        await pair.promote()
        const promoted = performance.now()
        await until(works, 30_000)
        gaps.push(performance.now() - promoted)
        test.diagnostic(
          `killed, promoted after ${(promoted - began).toFixed(0)} ms, answers ${(gaps.at(-1) ?? 0).toFixed(0)} ms later`,
        )
        await more(60)
        const { cluster, port } = pair.standby
        await pair.rebuild(join(cluster, '..'), port)
        await more(30)
      }
      stop = true
      await Promise.all(clients)
      assert.deepEqual(odd, [])
      const payouts = await until(async () => {
        const docs = await listAll(call, '/payouts')
        return docs.every(({ status }) => status === 'completed') ? docs : null
      }, 60_000)
      assert.deepEqual(new Set(payouts.map(({ reference }) => reference)), answered)
      const events = (await listAll(call, '/events')).map(({ id }) => id as string)
      const told = (): string[] =>
        receiver.requests.map(({ headers }) => headers['x-event-id'] as string)
      await until(async () => new Set(told()).size >= events.length, 60_000)
      assert.deepEqual(
        new Set(told()),
        new Set(events),
        'each event is delivered, and nothing else',
      )
      const rest = await openStream(served.url, key, { place: streams.at(-1)?.place() as string })
      const streamed = (): string[] =>
        [...streams, rest].flatMap((one) => one.events.map(({ body }: Json) => body.id))
      await until(async () => streamed().length >= events.length, 30_000)
      await rest.close()
      assert.deepEqual(streamed().sort(), [...events].sort(), 'each event is streamed once')
      const verified = await command(['ledger', 'verify', '--json'], env)
      assert.deepEqual([verified.code, JSON.parse(verified.out).differences], [0, []])
      test.diagnostic(
        `${failovers} failovers, ${answered.size} payouts answered, ${events.length} events, ${told().length} deliveries`,
      )
    },
  )

  it('say 503, and not that it was done, of a commit whose standby was not waited for', async () => {
    await pair.standby.kill()
    const canceled = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
    let answer: Answer | null = null
    const asking = call('POST', '/payouts', bankPayout('alone', 10_000), {
      'idempotency-key': 'alone',
    })
    asking.then((one) => {
      answer = one
    })
    await until(async () => {
      await pair.primary.ask(canceled)
      return answer
    }, 30_000)
    const { status, code } = await asking
    assert.deepEqual([status, code], [503, 'database_unavailable'])
    await pair.primary.ask(`${synchronous} = ''`)
    await pair.primary.ask('select pg_reload_conf()')
    // It was committed there all the same, and whoever asks again by its key hears so.
    const again = await until(async () => {
      const one = await call('POST', '/payouts', bankPayout('alone', 10_000), {
        'idempotency-key': 'alone',
      })
      return one.status === 201 ? one : null
    })
    assert.equal(again.data.reference, 'alone')
    const { cluster, port } = pair.standby
    await pair.rebuild(join(cluster, '..'), port)
  })

  it('are told apart when both take writes: what was the primary before is not answered from', async () => {
    const former = pair.primary
    const marked = async (node: Node): Promise<void> => {
      await node.ask(
        `create table if not exists which (node text); truncate which; insert into which values ('${node.port}')`,
      )
      await node.ask('grant select, insert on which to bursar_server')
    }
    const which = sqlOfAll<{ node: string }>('test.which', 'select node from which')
    const db = openDatabase(pair.url(), { max: 4, onError() {} })
    await marked(former)
    assert.equal((await db.row(which))?.node, String(former.port))
    // Nobody has told the old one: it lives, takes writes, and what is connected stays so.
    await former.ask(`${synchronous} = ''`)
    await former.ask('select pg_reload_conf()')
    await pair.promote()
    await pair.primary.ask(`update which set node = '${pair.primary.port}'`)
    await former.ask(`insert into which values ('written at the one before')`)
    await until(
      async () => (await db.row(which).catch(() => null))?.node === String(pair.primary.port),
      5_000,
    )
    for (let n = 0; n < 20; n++)
      await transaction(db, async (tx) =>
        assert.equal((await tx.row(which))?.node, String(pair.primary.port)),
      )
    // The server looks once a second: only what it has written at the new one says that it has seen
    // it.
    await until(async () => {
      const { status, data } = await call('POST', '/customers', {
        name: 'Ada',
        email: `${crypto.randomUUID()}@example.com`,
      })
      return (
        status === 201 &&
        (await pair.primary.ask(`select id from customers where id = '${data.id}'`)).length > 0
      )
    }, 5_000)

    const client = newClient(pair.url())
    await client.connect()
    assert.equal(
      (await client.query('select current_setting($1) as port', ['port'])).rows[0].port,
      String(pair.primary.port),
    )
    await client.end()

    // Only the one before can be reached: who has seen the new one refuses it.
    await pair.primary.kill()
    const said = (): Promise<string> =>
      db.row(which).then(
        () => 'answered',
        (error: Error) => error.message,
      )
    await until(async () =>
      / has timeline \d+ and was the primary before timeline \d+/.test(await said()),
    )
    for (let n = 0; n < 20; n++) assert.notEqual(await said(), 'answered')
    assert.equal((await call('GET', '/wallets')).code, 'database_unavailable')
    await db.close()
  })
})
