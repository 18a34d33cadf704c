/**
 * Webhook deliveries to a local HTTPS receiver, from the commit of their events to the record of
 * every try. The server and the receiver are processes of their own; the events are written from
 * here.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { open } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { transaction } from '../src/db/db.ts'
import { readConfig } from '../src/lib/config.ts'
import { emitMany, type News } from '../src/platform/events/events.ts'
import type { Measure } from './load.ts'
import { start, stop } from './processes.ts'
import { environment } from './product.ts'

export type Webhooks = {
  /**
   * Delivers for about so many seconds, to the endpoints of so many businesses.
   * @returns deliveries a second whose attempt is in the log, until the last of them is
   */
  measure(seconds: number, businesses: number): Promise<Measure>
  /** The server, whose memory counts. */
  pid: number
  /** Where deliveries go. */
  receiver: number
  close(): Promise<void>
}

/** Businesses with an endpoint each. */
export const endpoints = 100
const inCommit = 100
/** Deliveries that wait at most: as many as keep the server busy. */
const ahead = 2_000

/**
 * Opens what the measure needs: a server that may deliver to a local receiver, on a database of its
 * own below `dir`.
 */
export async function openWebhooks(dir: string): Promise<Webhooks> {
  const embedded = await useEmbedded({ dir: join(dir, 'webhooks') }, 'serve')
  const caFile = join(dir, 'ca.pem')
  const receiver = await start('receiver.ts', [caFile], {}, /^(https\S+)/)
  const env = {
    ...environment(embedded),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: caFile,
  }
  const server = await start('../bin/bursar.js', ['serve'], env, /is listening on (\S+)/)
  const { app, close } = await open(readConfig(env), 'tool')
  const owners: string[] = []
  for (let i = 0; i < endpoints; i++) {
    const { business, test_key } = await createBusiness(app, `Webhooks ${i}`)
    owners.push(business.id)
    const answer = await fetch(`${server.said}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${receiver.said}/hook` }),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
  const news = (n: number, businesses: number): News => ({
    scope: { businessId: owners[n % businesses] as string, livemode: false, now: app.clock.now() },
    type: 'payout.initiated',
    record: {
      metadata: {},
      id: '0'.repeat(24),
      amount: n,
      padding: 'x'.repeat(600),
    } as News['record'],
  })
  const logged = async (): Promise<number> =>
    Number(
      (
        await app.db.query<{ n: bigint }>(
          'select count(*) as n from webhook_attempts where error is null',
        )
      )[0]?.n,
    )
  /**
   * Deliveries whose attempt is not in the log yet: it is written by the statement that ends the
   * wait. Cheap to ask for, unlike the log.
   */
  const waiting = async (): Promise<number> =>
    Number((await app.db.query<{ n: bigint }>('select count(*) as n from webhook_queue'))[0]?.n)

  return {
    async measure(seconds, businesses) {
      const before = await logged()
      const begun = performance.now()
      const passed = (): number => (performance.now() - begun) / 1000
      let written = 0
      while (passed() < seconds) {
        const some = Array.from({ length: inCommit }, (_, i) => news(written + i, businesses))
        await transaction(app.db, (tx) => emitMany(tx, some))
        written += inCommit
        while ((await waiting()) >= ahead && passed() < seconds) await sleep(20)
      }
      while ((await waiting()) > 0) await sleep(20)
      const took = passed()
      const found = (await logged()) - before
      if (found !== written)
        throw new Error(`${written} events were written, and ${found} attempts logged`)
      return { value: written / took, requests: written }
    },
    pid: server.child.pid as number,
    receiver: receiver.child.pid as number,
    async close() {
      await Promise.all([stop(server), stop(receiver)])
      await close()
      await embedded.release()
    },
  }
}
