/**
 * Sets up a run: starts its parts, has clients work with them, and has faults break them.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../bin/flags.js'
import { open } from '../src/app/main.ts'
import { createBusiness, listKeys, rollKey } from '../src/books/businesses/businesses.ts'
import type { App } from '../src/core/app.ts'
import { readConfig } from '../src/lib/config.ts'
import { sweep } from '../src/platform/inbound/sweeping.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../src/platform/reconciliation/reconciliation.ts'
import { chance } from '../test/support/chance.ts'
import { mnemonic } from '../test/support/evm.ts'
import { startChain } from './blocks.ts'
import { type Client, newClient } from './client.ts'
import { startClock } from './clock.ts'
import { backUpAndRestore, makeNext, passphrase } from './copies.ts'
import { startDatabase } from './database.ts'
import { decided, openDecisions } from './decided.ts'
import { newBreaker } from './faults.ts'
import { buyFirst, goOn, liveMoney, openInlets } from './live.ts'
import { liveCards } from './live-cards.ts'
import { liveDocuments } from './live-documents.ts'
import { bvns, newModel } from './model.ts'
import { atTheBrim, money, type Operation } from './money.ts'
import { more } from './more.ts'
import { askNamesAt, startNames } from './names.ts'
import { openOperator } from './operator.ts'
import { owned } from './owned.ts'
import { atCheckout, cardNumbers } from './payers.ts'
import { type Slot, startSlot } from './processes.ts'
import { type Inlet, providersAt, startDoubles } from './providers.ts'
import { startTargets } from './receivers.ts'
import { type Asking, ask } from './requests.ts'
import { follow } from './streams.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

export type Size = {
  apis: number
  workers: number
  businesses: number
  clients: number
  faultEvery: number
  heavy: number
  operator: number
  /**
   * How many clients the live business has for each of another's; more of its providers' requests
   * are befallen then.
   */
  live: number
}

const retryDelays = '500ms,1s,1s,2s,2s,2s,2s'
/** How often a delivery is tried before it has failed. */
export const tries = retryDelays.split(',').length + 1

const entry = fileURLToPath(new URL('server.ts', import.meta.url))
/** As `bin/bursar.js` keeps compiled code from one start to the next. */
const compiled = fileURLToPath(new URL('../node_modules/.cache/bursar', import.meta.url))
/** A day passes in a few minutes here. */
const rollOverlapMs = 24 * 3_600_000
const webhookSecret = /^weh_/
const allButApprove = ['read', 'collect', 'payout', 'refund', 'manage']

/** Which of the businesses has addresses on a chain; from it on, they have a second key. */
export const onChain = 2

/** So many payers are at the pages of a business at once, whose wallet is neither full nor live. */
const payersOf = 2

/**
 * What one after another of the businesses does: the first is full to the brim. The last of all is
 * live.
 */
const jobs = [
  [...atTheBrim, ...owned],
  [...money, ...owned],
  [...money, ...owned, ...more, ...decided],
]
export const leastBusinesses = jobs.length + 1

/** How many sweeps of one account a run may be behind. */
const mostSweeps = 300

/** Until all is asked for that was before now: a run's clock goes faster than sweeps do. */
async function sweepAll(app: App, tally: Tally): Promise<void> {
  for (const { name, inbound } of Object.values(app.rails.live.accounts)) {
    const missed = inbound?.missed
    if (!missed) continue
    let left = mostSweeps
    for (; left > 0 && (await sweep(app, true, name, missed)) !== null; left--) await sleep(20)
    if (left === 0) tally.finding('sweep', `${name} does not say what it notified nobody of`)
  }
}

/** How what was opened is closed, in the order in which it was opened. */
type Closing = (() => Promise<unknown>)[]

/**
 * Closes what is open, the last first; one that cannot be closed keeps no other open. @throws
 * {Error} that of the first such
 */
async function close(closing: Closing): Promise<void> {
  const failed: unknown[] = []
  for (const one of closing.splice(0).reverse()) await one().catch((error) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}

/** @throws {Error} where it cannot be opened; then nothing of it is left */
export async function openWorld(...given: Given): Promise<World> {
  const closing: Closing = []
  try {
    return await build(closing, ...given)
  } catch (error) {
    await close(closing).catch(() => {})
    throw error
  }
}

type Given = [dir: string, seed: number, size: Size, tally: Tally, log: (line: string) => void]

async function build(closing: Closing, ...[dir, seed, size, tally, log]: Given): Promise<World> {
  mkdirSync(dir, { recursive: true })
  const kept = <One extends { stop(): Promise<unknown> }>(one: One): One => {
    closing.push(() => one.stop())
    return one
  }
  const clock = startClock(join(dir, 'clock'))
  const database = kept(await startDatabase(join(dir, 'data')))
  const doubles = kept(await startDoubles(dir, clock))
  const chain = kept(await startChain(seed))
  const targets = kept(await startTargets(seed + 1, tally, clock))
  const names = kept(await startNames(chance(seed + 6), tally))
  askNamesAt(names.place)
  const next = makeNext(dir)
  const env = {
    SECRETS_KEY: 'cd'.repeat(32),
    BASE_URL: 'https://pay.example.com',
    ...doubles.env,
    RATE_LIMIT_MAX: '0',
    CARD_TRIES_MAX: '0',
    CARD_DECLINES_MAX: '0',
    DATABASE_POOL: '6',
    SANDBOX_DELAY: '200ms',
    LOG_LEVEL: 'info',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_TIMEOUT: '1s',
    WEBHOOK_CA_FILE: targets.caFile,
    WEBHOOK_RETRY_DELAYS: retryDelays,
    DATABASE_URL: database.url,
    MIGRATE_DATABASE_URL: database.ownerUrl,
    ...chain.env,
    MALLOC_ARENA_MAX: '2',
    NODE_COMPILE_CACHE: compiled,
  }
  const breaker = newBreaker(chance(seed + 2), tally)
  const slots: Slot[] = []
  closing.push(() => Promise.all(slots.map((slot) => slot.stop())))
  const given = JSON.stringify({ places: doubles.places, clock: clock.file, names: names.place })
  const commandOf = (file: string): string[] => [...nodeFlags, file, given]
  const roles = [
    ...Array(size.apis).fill('api'),
    ...Array(size.workers).fill('worker'),
  ] as Slot['role'][]
  for (const [n, role] of roles.entries()) {
    const name = `${role}-${n}`
    const slot: Slot = await startSlot({
      name,
      role,
      env,
      commands: { this: commandOf(entry), next: commandOf(join(next.dir, 'sim/server.ts')) },
      log: join(dir, `${name}.log`),
      done: breaker.done,
      died: (how) => tally.finding('a process ended by itself', how),
    })
    slots.push(slot)
  }
  await Promise.all(slots.map((slot) => slot.ready()))
  const apis = (): string[] => slots.filter(({ role }) => role === 'api').map(({ url }) => url)
  const passwords = [database.url, database.ownerUrl].flatMap(
    (url) => /:\/\/[^:]+:([^@]+)@/.exec(url)?.[1] ?? [],
  )
  const secrets = [
    env.SECRETS_KEY,
    ...doubles.secrets,
    ...passwords,
    passphrase,
    mnemonic,
    ...bvns,
    ...cardNumbers,
  ]
  let cutShare = 0
  const shops: Shop[] = []
  let inlets: Inlet[] = []
  const config = readConfig({ ...process.env, ...env, LOG_LEVEL: 'silent' })
  const opened = await open(config, 'tool', {
    clock,
    providers: providersAt(doubles.places),
  })
  closing.push(() => opened.close())
  for (const rail of doubles.reconciled)
    await reconcile(opened.app, findReconcilable(opened.app, true, rail) as ReconciledAccount, {
      opening: true,
    })
  const operator = await openOperator({ opened, database, tally })
  const operated = operator.operations.map(({ weight, run }) => ({
    weight: weight * size.operator,
    run,
  }))
  for (let n = 0; n < size.businesses; n++) {
    const livemode = n === size.businesses - 1
    const made = await createBusiness(opened.app, `shop-${n}`)
    const key = livemode ? made.live_key : made.test_key
    const model = Object.assign(newModel(`shop-${n}`), { id: made.business.id, livemode, key })
    const own = (await listKeys(opened.app, made.business.id)).find(
      (one) => one.livemode === livemode,
    )
    model.keyId = own?.id ?? ''
    const askingBy = (salt: number): Asking => ({
      by: chance(seed * 1_000 + n * 100 + salt),
      tally,
      key: () => model.key,
      apis,
      cutShare: () => cutShare,
    })
    const asking = askingBy(99)
    for (const part of ['all', 'more'].slice(0, 1 + (n % 2))) {
      const endpoint = targets.open(`${model.name}-${part}`)
      const { data, status, message } = await ask(
        asking,
        'POST',
        '/webhooks',
        { url: endpoint.url },
        `hook-${part}`,
      )
      if (status !== 201 || !webhookSecret.test(data.secret))
        throw new Error(`no endpoint: ${status} ${message}`)
      endpoint.secrets.push(data.secret)
      model.endpoints.push(Object.assign(endpoint, { id: data.id }))
    }
    if (n === onChain) await chain.open(asking, model)
    if (livemode) inlets = await openInlets(asking, model.id, database, doubles)
    if (livemode) await buyFirst(asking, model, doubles, inlets[0] as Inlet)
    const decider =
      n >= onChain && !livemode ? await openDecisions(opened, asking, model, database) : null
    const many = livemode ? size.live * size.clients : size.clients
    const clients = Array.from({ length: many }, (_, c) => newClient(askingBy(c), model, c))
    if (decider !== null)
      for (const client of clients) {
        const number = client.number + 1_000
        client.decider = newClient({ ...askingBy(number), key: () => decider }, model, number)
      }
    const payers = Array.from({ length: n === 0 || livemode ? 0 : payersOf }, (_, p) =>
      newClient({ ...askingBy(0), by: chance(seed + 1_000 + 10 * n + p) }, model, 5_000 + p),
    )
    const pick = chance(seed + 7 + n)
    const follower = kept(
      follow(
        apis,
        () => model.key,
        () => pick.below(1_000),
      ),
    )
    const job = livemode
      ? [...liveMoney, ...liveCards(doubles), ...liveDocuments(doubles)]
      : (jobs[Math.min(n, jobs.length - 1)] as readonly Operation[])
    const operations = n >= onChain && !livemode ? [...job, ...operated] : job
    shops.push({
      model,
      clients,
      payers,
      asking,
      follower,
      streamed: { place: null, length: 0 },
      operations,
    })
  }

  const work = async (
    client: Client,
    all: readonly Operation[],
    until: () => boolean,
  ): Promise<void> => {
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
    }
  }

  const outside = chance(seed + 3)
  const chainy = chance(seed + 8)
  /**
   * A key of a business is revoked while requests with it are under way: what they are for is asked
   * with another.
   */
  const revoke = async ({ model, asking }: Shop): Promise<void> => {
    const owner = await operator.personOf(model)
    const made = await owner('createKey', { body: { name: 'in its place', scopes: allButApprove } })
    if (!made) return
    const before = { id: model.keyId, key: model.key }
    Object.assign(model, { key: made.data.key, keyId: made.data.id })
    await owner('revokeKey', { params: { id: before.id } })
    tally.fault('API key revoked')
    await operator.judgeRevoked({ asking }, before.key, '/wallets')
  }
  /** Keys are rolled while requests with them are under way; the old one works on for a while. */
  const roll = async (until: () => boolean): Promise<void> => {
    const by = chance(seed + 5)
    while (!until()) {
      await sleep(500 + by.below(2_000))
      const shop = by.one(shops)
      const { model, asking } = shop
      if (by.happens(0.3)) {
        await revoke(shop)
        continue
      }
      try {
        const rolled = await rollKey(
          opened.app,
          model.id as never,
          model.keyId as never,
          rollOverlapMs,
        )
        if (rolled === null) throw new Error('there is no such key')
        Object.assign(model, { key: rolled.key, keyId: rolled.record.id })
        tally.fault('API key rolled')
      } catch (error) {
        if (!(await database.ask('select 1')).length) log(`no key was rolled: ${error}`)
      }
      const endpoint = by.one(model.endpoints)
      const { status, data } = await ask(
        asking,
        'POST',
        `/webhooks/${endpoint.id}/roll-secret`,
        undefined,
        `roll-${tally.seconds()}`,
      )
      if (status >= 300) continue
      // What is on its way is signed by the secret before, too.
      endpoint.secrets.push(data.secret)
      tally.operation('rollWebhookSecret')
      tally.fault('webhook secret rolled')
    }
  }
  const rollOperators = async (until: () => boolean): Promise<void> => {
    const by = chance(seed + 9)
    while (!until()) {
      await sleep(by.below(1_000))
      await operator.roll(by.one(shops).asking)
    }
  }
  const breakable = { slots, database, clock, next }
  const world: World = {
    env,
    clock,
    database,
    doubles,
    chain,
    inlets,
    slots,
    shops,
    targets,
    secrets,
    logs: [...slots, { name: 'postgres', log: join(dir, 'data', 'postgres.log') }],
    async live(ms) {
      let over = false
      cutShare = 0.02
      targets.share = 0.03
      names.share = 0.1
      breaker.start(breakable, size.faultEvery, size.heavy)
      const backup = backUpAndRestore(dir, env)
      const working = [
        goOn(outside, world, size.live, () => over),
        roll(() => over),
        rollOperators(() => over),
        chain.goOn(chainy, tally, () => over),
        ...shops.flatMap(({ clients, operations }) =>
          clients.map((client) => work(client, operations, () => over)),
        ),
        ...shops.flatMap(({ payers }) =>
          payers.map((payer) => work(payer, atCheckout, () => over)),
        ),
      ]
      await sleep(ms)
      over = true
      await breaker.stop(breakable)
      names.share = 0
      cutShare = 0
      targets.share = 0
      for (const slot of slots) slot.signal('SIGCONT')
      await Promise.all(working)
      await Promise.all(slots.map((slot) => slot.ready()))
      const wrong = await backup
      if (wrong === '') tally.check('backups under load, restored and verified')
      else if (wrong === null) tally.check('backups that a fault broke off')
      else tally.finding('backup', wrong)
      log(`calm after ${tally.seconds()} s`)
    },
    async reconcile() {
      await sweepAll(opened.app, tally)
      const differing: string[] = []
      for (const rail of doubles.reconciled)
        await reconcile(
          opened.app,
          findReconcilable(opened.app, true, rail) as ReconciledAccount,
        ).then(
          ({ findings }) =>
            differing.push(
              ...findings.map(
                ({ kind, subject, difference }) => `${rail}: ${kind} ${subject}, ${difference}`,
              ),
            ),
          (error: Error) =>
            tally.finding('reconciliation', `${rail} could not be reconciled: ${error.message}`),
        )
      return differing
    },
    unblock: () =>
      database.ask('delete from provider_blocks').then(
        () => {},
        () => {},
      ),
    stop: () => close(closing),
  }
  return world
}
