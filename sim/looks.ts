/**
 * What a business has that is new, or was changed, since the oracle looked last: a look costs what
 * has happened, and not all that there is. A clock that was set back makes records that are older
 * than some before; how far back it was is allowed for.
 */
import type { Model } from './model.ts'
import { type Asking, ask, type Json } from './requests.ts'
import type { Tally } from './tally.ts'

/** A record of money with what the model calls its kind. */
export type Found = { kind: string; record: Json }

const lists = {
  payout: '/payouts',
  payment: '/payments',
  refund: '/refunds',
  conversion: '/conversions',
  dispute: '/disputes',
  deposit: '/transactions?type=deposit',
}

/** Does something for each, several at a time. */
export async function forEach<T>(all: Iterable<T>, run: (one: T) => Promise<void>): Promise<void> {
  const left = all[Symbol.iterator]()
  const work = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) await run(next.value)
  }
  await Promise.all(Array.from({ length: 12 }, work))
}

/** What a list has, newest first, down to what is older than this. */
async function read(
  asking: Asking,
  path: string,
  since: Date | null,
  tally: Tally,
): Promise<Json[]> {
  const all: Json[] = []
  for (let after = ''; ; ) {
    const to = `${path}${path.includes('?') ? '&' : '?'}limit=100${after && `&after=${after}`}`
    const { status, data } = await ask(asking, 'GET', to)
    if (status !== 200) tally.finding('list', `${to}: ${status}`)
    if (status !== 200) return all
    all.push(...data.docs)
    const last = all.at(-1)
    if (!data.hasNextPage || (since !== null && new Date(last.created_at) < since)) return all
    after = last.id
  }
}

/** Learns of events that were told since the last look. @returns them, newest first */
export async function newEvents(
  model: Model,
  asking: Asking,
  since: Date | null,
  tally: Tally,
): Promise<Json[]> {
  const fresh = (await read(asking, '/events', since, tally)).filter(
    ({ id }) => !model.events.has(id),
  )
  for (const { id, type, payload, created_at } of fresh) {
    model.events.add(id)
    model.told.set(payload.id, [...(model.told.get(payload.id) ?? []), type])
    model.newest = Math.max(model.newest, Date.parse(created_at))
    if (model.records.has(payload.id)) model.touched.add(payload.id)
  }
  return fresh
}

/**
 * Every record of money that is new, and those that a client or an event says have changed, by
 * their ids. Where something was answered and is not there, it is not among them.
 */
export async function recordsOf(
  model: Model,
  asking: Asking,
  since: Date | null,
  tally: Tally,
): Promise<Map<string, Found>> {
  const records = new Map<string, Found>()
  await forEach(Object.entries(lists), async ([kind, path]) => {
    for (const record of await read(asking, path, since, tally))
      records.set(record.id, { kind, record })
  })
  await forEach(model.touched, async (id) => {
    const expected = model.records.get(id)
    if (!expected || records.has(id)) return
    const { status, data } = await ask(asking, 'GET', expected.path)
    if (status === 200) records.set(id, { kind: expected.kind, record: data })
  })
  return records
}
