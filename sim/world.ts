/**
 * The whole of a run: PostgreSQL, the product's processes, businesses with their clients, the targets of webhooks, and what breaks them.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../bin/flags.js'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { open } from '../src/edge/main.ts'
import { readConfig } from '../src/lib/config.ts'
import { chance } from '../test/chance.ts'
import { type Client, newClient } from './client.ts'
import { type Database, startDatabase } from './database.ts'
import { newBreaker } from './faults.ts'
import { type Model, newModel } from './model.ts'
import { atTheBrim, money, type Operation } from './money.ts'
import { owned } from './owned.ts'
import { type Slot, startSlot } from './processes.ts'
import { startTargets, type Targets } from './receivers.ts'
import { type Asking, ask } from './requests.ts'
import { type Follower, follow } from './streams.ts'
import type { Tally } from './tally.ts'

export type Shop = { model: Model; clients: Client[]; asking: Asking; follower: Follower }

export type World = {
  env: Record<string, string>
  database: Database
  slots: Slot[]
  shops: Shop[]
  targets: Targets
  /** What must be in no log. */
  secrets: string[]
  /** Works and breaks for so long. */
  live(ms: number): Promise<void>
  stop(): Promise<void>
}

export type Size = { apis: number; workers: number; businesses: number; clients: number; faultEveryMs: number }

const retryDelays = '500ms,1s,1s,2s,2s,2s,2s'
/** How often a delivery is tried before it has failed. */
export const tries = retryDelays.split(',').length + 1

const bin = fileURLToPath(new URL('../bin/bursar.js', import.meta.url))
const webhookSecret = /^weh_/

export async function openWorld(
  dir: string,
  seed: number,
  size: Size,
  tally: Tally,
  log: (line: string) => void,
): Promise<World> {
  mkdirSync(dir, { recursive: true })
  const database = await startDatabase(join(dir, 'data'))
  const targets = await startTargets(seed + 1, tally)
  const env = {
    SECRETS_KEY: 'cd'.repeat(32),
    BASE_URL: 'http://localhost:4000',
    ...{ RATE_LIMIT_MAX: '0', CARD_TRIES_MAX: '0', CARD_DECLINES_MAX: '0', DATABASE_POOL: '10' },
    ...{ SANDBOX_DELAY: '200ms', LOG_LEVEL: 'info', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_TIMEOUT: '1s' },
    ...{ WEBHOOK_CA_FILE: targets.caFile, WEBHOOK_RETRY_DELAYS: retryDelays },
  }
  const breaker = newBreaker(chance(seed + 2), tally)
  const slots: Slot[] = []
  const roles = [
    ...Array.from({ length: size.apis }, () => 'api' as const),
    ...Array.from({ length: size.workers }, () => 'worker' as const),
  ]
  for (const [n, role] of roles.entries()) {
    const name = `${role}-${n}`
    const slot: Slot = await startSlot({
      ...{ name, role, env, databaseUrl: database.url },
      command: [...nodeFlags, bin, 'serve'],
      log: join(dir, `${name}.log`),
      fateOf: () => breaker.fateOf(name),
      sealed: (fate) => breaker.sealed(slot, fate),
      died: (how) => tally.finding('a process ended by itself', how),
    })
    slots.push(slot)
  }
  await Promise.all(slots.map((slot) => slot.ready()))
  const apis = (): string[] => slots.filter(({ role }) => role === 'api').map(({ url }) => url)
  const secrets = [env.SECRETS_KEY]
  let cutShare = 0
  const shops: Shop[] = []
  const opened = await open(readConfig({ ...env, DATABASE_URL: database.url, LOG_LEVEL: 'fatal' }), 'tool')
  for (let n = 0; n < size.businesses; n++) {
    const model = newModel(`shop-${n}`)
    const made = await createBusiness(opened.app, model.name)
    Object.assign(model, { id: made.business.id, key: made.test_key })
    const askingBy = (salt: number): Asking => ({
      by: chance(seed * 1_000 + n * 100 + salt),
      tally,
      key: model.key,
      apis,
      cutShare: () => cutShare,
    })
    const asking = askingBy(99)
    for (const part of ['all', 'more'].slice(0, 1 + (n % 2))) {
      const endpoint = targets.open(`${model.name}-${part}`)
      const { data, status, message } = await ask(asking, 'POST', '/webhooks', { url: endpoint.url }, `hook-${part}`)
      if (status !== 201 || !webhookSecret.test(data.secret)) throw new Error(`no endpoint: ${status} ${message}`)
      endpoint.secrets.push(data.secret)
      model.endpoints.push(Object.assign(endpoint, { id: data.id }))
      secrets.push(data.secret)
    }
    secrets.push(made.test_key, made.live_key)
    const clients = Array.from({ length: size.clients }, (_, c) => newClient(askingBy(c), model, c))
    const pick = chance(seed + 7 + n)
    shops.push({ model, clients, asking, follower: follow(apis, model.key, () => pick.below(1_000)) })
  }
  await opened.close()

  const work = async (client: Client, all: readonly Operation[], until: () => boolean): Promise<void> => {
    const weights = all.reduce((sum, { weight }) => sum + weight, 0)
    while (!until()) {
      let at = client.by.below(weights)
      const operation = all.find(({ weight }) => {
        at -= weight
        return at < 0
      }) as Operation
      try {
        await operation.run(client)
      } catch (error) {
        tally.finding('not answered', (error as Error).message)
      }
      await sleep(client.by.below(30))
    }
  }

  return {
    ...{ env, database, slots, shops, targets, secrets },
    async live(ms) {
      let over = false
      cutShare = 0.03
      targets.share = 0.1
      breaker.start(slots, database, size.faultEveryMs)
      const working = shops.flatMap(({ clients }, n) =>
        clients.map((client) => work(client, n === 0 ? [...atTheBrim, ...owned] : [...money, ...owned], () => over)),
      )
      await sleep(ms)
      over = true
      await breaker.stop()
      cutShare = 0
      targets.share = 0
      for (const slot of slots) slot.signal('SIGCONT')
      await Promise.all(working)
      await Promise.all(slots.map((slot) => slot.ready()))
      log(`calm after ${tally.seconds()} s`)
    },
    async stop() {
      await Promise.all(shops.map(({ follower }) => follower.stop()))
      await Promise.all(slots.map((slot) => slot.stop()))
      await targets.stop()
      await database.stop()
    },
  }
}
