/**
 * What must be true of what a business is notified of: every event came to every endpoint and by
 * the stream, signed, as its row says.
 */
import { erased } from '../src/platform/customer-keys/customer-keys.ts'
import { newEvents } from './looks.ts'
import { ask } from './requests.ts'
import { tries } from './setup.ts'
import { follow } from './streams.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

/** How long a stream may take to give what there is. */
const streamMs = 30_000

/** What is personal is sealed beside the row, which has null or a word in its place. */
// biome-ignore lint/suspicious/noExplicitAny: bodies come in every shape
function isSame(row: any, sent: any): boolean {
  if (row === null || typeof row !== 'object') return row === null || row === erased || row === sent
  return Object.keys(row).every((field) => isSame(row[field], sent?.[field]))
}

/**
 * Every event came to every endpoint, and says what its row says.
 * @param news ids of each business' events that were not looked at before
 * @param rest waits until all has been delivered that will be
 */
export async function judgeDeliveries(
  { database, shops }: World,
  news: Map<Shop, string[]>,
  rest: () => Promise<void>,
  tally: Tally,
): Promise<void> {
  const since = '2000-01-01T00:00:00Z'
  const early = await database.ask<{ what: string }>(
    `select 'delivery ' || id || ' of ' || type || ' after ' || tries || ' tries' as what
       from webhook_deliveries where status = 'failed' and tries < $1 and webhook_id = any ($2)`,
    [tries, shops.flatMap(({ model }) => model.endpoints.map(({ id }) => id))],
  )
  for (const { what } of early) tally.finding('given up early', what)
  // A client that asks for all that failed is not told which they were: those whose every try did.
  const failed = await database.ask<{ event_id: string }>(
    `select d.event_id from webhook_deliveries d join webhook_attempts a
         on a.business_id = d.business_id and a.livemode = d.livemode and a.delivery_id = d.id
      where a.error is not null or a.response_status not between 200 and 299
      group by d.business_id, d.livemode, d.id, d.event_id having count(*) >= $1`,
    [tries],
  )
  for (const { model } of shops) for (const { event_id } of failed) model.resent.add(event_id)
  for (const { model, asking } of shops)
    for (const { id } of model.endpoints)
      await ask(
        asking,
        'POST',
        `/webhooks/${id}/recover`,
        { since },
        `recover-${id}-${tally.seconds()}`,
      )
  await rest()
  for (const shop of shops) {
    const { model, asking } = shop
    const ids = news.get(shop) as string[]
    ids.push(...(await newEvents(model, asking, model.since, tally)).map(({ id }) => id))
    const rows = await database.ask<{ id: string; body: string }>(
      'select id, body from events where id = any ($1)',
      [ids],
    )
    tally.check('events', rows.length)
    if (rows.length !== ids.length)
      tally.finding(
        'event that is none',
        `${model.name} lists ${ids.length}, and has ${rows.length}`,
      )
    for (const { id, body } of rows)
      for (const { taken, fresh } of model.endpoints) {
        const sent = fresh.get(id)
        if (!taken.has(id))
          tally.finding('event never delivered', `${model.name}: ${id} ${body.slice(0, 80)}`)
        else if (sent !== undefined && !isSame(JSON.parse(body), JSON.parse(sent)))
          tally.finding(
            'webhook bytes',
            `${model.name}: event ${id} was delivered with other bytes`,
          )
      }
    for (const { fresh } of model.endpoints) {
      for (const id of fresh.keys())
        if (!model.events.has(id))
          tally.finding('event that is none', `${model.name}: ${id} was delivered and is not there`)
      fresh.clear()
    }
  }
}

/**
 * Who stayed on the stream, however often it was cut, has what one has who reads it now in one go,
 * from where the last look was: each event once, in one order.
 */
export async function judgeStream(shop: Shop, news: string[], tally: Tally): Promise<void> {
  const { model, asking, follower, streamed } = shop
  const fresh = follow(asking.apis, asking.key, () => 0, streamed.place)
  const lacks = async (seen: Map<string, number>): Promise<number> => {
    const left = (): number => news.filter((id) => !seen.has(id)).length
    for (const late = performance.now() + streamMs; left() > 0 && performance.now() < late; )
      await new Promise((resolve) => setTimeout(resolve, 50))
    return left()
  }
  for (const [who, { times }] of [
    ['a new reader', fresh],
    ['who stayed', follower],
  ] as const) {
    const left = await lacks(times)
    if (left > 0)
      tally.finding('stream', `${model.name}: ${who} lacks ${left} of ${news.length} events`)
  }
  await fresh.stop()
  const stayed = follower.order.slice(streamed.length)
  for (const id of stayed) {
    const times = follower.times.get(id) ?? 0
    if (times > 1 && !model.resent.has(id))
      tally.finding('stream', `${model.name}: event ${id} came ${times} times`)
  }
  const once = (order: string[]): string[] => order.filter((id) => !model.resent.has(id))
  const [had, has] = [once(stayed), once(fresh.order)]
  const first = had.findIndex((id, n) => has[n] !== id)
  if (first >= 0)
    tally.finding(
      'stream',
      `${model.name}: the order differs from event ${first} on: ${had[first]}, not ${has[first]}`,
    )
  tally.check('events in the stream', stayed.length)
  Object.assign(streamed, { place: follower.place(), length: follower.order.length })
}
