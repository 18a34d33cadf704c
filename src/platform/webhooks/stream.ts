/**
 * Streams a business's events to connected clients as they commit. One poll per process finds the
 * streams with news; each reads on from its cursor. Nothing is buffered, so a slow client costs no
 * memory.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Ctx } from '../../core/outside.ts'
import type { StreamRequest } from '../../core/route.ts'
import type { Database } from '../../db/db.ts'
import { type Counts, makeCounts } from '../../lib/counts.ts'
import { refuse } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { openBodies } from '../customer-keys/customer-keys.ts'
import { partitionStart } from './retention.ts'
import * as statements from './sql.ts'

/**
 * A cursor in commit order: everything before `position`, and the event `id` at it, has been sent.
 */
type Cursor = { position: bigint; id: Id | '' }

/**
 * `wake` is set while the stream has sent all it could read. `fromStart`: it reads from the first
 * event, whatever was dropped, until it has sent all.
 */
type Stream = {
  businessId: Id
  livemode: boolean
  at: Cursor
  fromStart: boolean
  wake: (() => void) | null
}

/** The last position with dropped events, and the bound that their ids are below. */
type Dropped = { dropped_position: bigint; dropped_before: string }

/** @property open the number of open streams per key and per business */
type Feed = { streams: Set<Stream>; open: Counts; polling: boolean }

const pollEveryMs = 250
/** Proxies close connections that are silent for long. */
const heartbeatEveryMs = 15_000
const retryMs = 1_000
const mostStreams = 1_000
const mostOfCaller = 10
/** Per business, in both modes, because it can create any number of keys. */
const mostOfBusiness = 250
/** Events per chunk, and events of all businesses that one read scans. */
const eventsPerChunk = 50
const eventsPerScan = 2_000

const feeds = new WeakMap<Database, Feed>()

/**
 * Yields events as server-sent events until `signal`: those that commit from now on, or after the
 * client's cursor.
 * @throws {Refusal} `invalid_cursor`; `too_many_streams` when in this process the key has 10 open
 * streams, its business 250, or all have 1,000
 */
export async function streamEvents(
  ctx: Ctx,
  after: string | undefined,
  { lastEventId, caller, signal }: StreamRequest,
): Promise<AsyncIterable<string>> {
  const at = await readCursor(ctx, lastEventId ?? after)
  const feed = feeds.get(ctx.db) ?? { streams: new Set(), open: makeCounts(), polling: false }
  feeds.set(ctx.db, feed)
  const { businessId, livemode } = ctx.scope
  if (
    feed.streams.size >= mostStreams ||
    feed.open.of(caller) >= mostOfCaller ||
    feed.open.of(businessId) >= mostOfBusiness
  )
    refuse(
      'too_many_streams',
      `At most ${mostOfCaller} streams of a key, and ${mostOfBusiness} of a business, may be open; close one first.`,
    )
  const stream: Stream = { businessId, livemode, at, fromStart: at.position === 0n, wake: null }
  feed.streams.add(stream)
  for (const who of [caller, businessId]) feed.open.add(who, 1)
  void poll(ctx, feed)
  const leave = (): void => {
    feed.streams.delete(stream)
    for (const who of [caller, businessId]) feed.open.add(who, -1)
    stream.wake?.()
  }
  // Depends on the signal, not on the end of the generator: a client can leave before its first
  // read.
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return send(ctx, stream, signal)
}

/** @throws {Refusal} `invalid_cursor` when the text is no cursor, or one of another database */
async function readCursor(ctx: Ctx, text: string | undefined): Promise<Cursor> {
  const dropped = await horizonOf(ctx)
  const { horizon } = dropped
  if (text === undefined) return { position: horizon, id: '' }
  const [, position, id] = /^(\d{1,18})(?:-([0-9a-f]{24}))?$/.exec(text) ?? []
  if (position === undefined || BigInt(position) > horizon)
    refuse(
      'invalid_cursor',
      'The stream has no such place. Send the `id` of an event it gave, or nothing, or `after=0`.',
    )
  const at: Cursor = { position: BigInt(position), id: id ?? '' }
  if (at.position !== 0n && hasLost(at, dropped))
    refuse(
      'invalid_cursor',
      `Events after this place are kept no longer: those of before ${partitionStart(dropped.dropped_before)} were dropped. What is kept comes after \`after=0\`.`,
    )
  return at
}

/**
 * Whether events after a cursor were dropped. The last position may have lost several; their ids
 * were not kept, but are below the bound.
 */
const hasLost = (at: Cursor, { dropped_position: last, dropped_before: bound }: Dropped): boolean =>
  at.position < last || (at.position === last && at.id < bound)

async function horizonOf(ctx: Ctx) {
  const row = await ctx.db.row(statements.selectHorizon)
  if (!row) throw new Error('event_positions has no row')
  return row
}

async function* send(ctx: Ctx, stream: Stream, signal: AbortSignal): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n${idLine(stream.at)}\n\n`
  while (!signal.aborted) {
    const { text, caughtUp, lost } = await readOn(ctx, stream)
    // The client reconnects at the same cursor and gets the error then.
    if (lost) return
    if (text !== '') yield text
    if (!caughtUp || signal.aborted) continue
    const woken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), heartbeatEveryMs)
      stream.wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
    stream.wake = null
    // The cursor advances without news, so that a client that reconnects much later has little to
    // scan.
    if (!woken) yield `: still here\n${idLine(stream.at)}\n\n`
  }
}

const idLine = ({ position, id }: Cursor): string =>
  `id: ${id === '' ? position : `${position}-${id}`}`

/** Reads a stream's next events and advances its cursor. */
async function readOn(
  ctx: Ctx,
  stream: Stream,
): Promise<{ text: string; caughtUp: boolean; lost: boolean }> {
  const { businessId, livemode, at } = stream
  const rows = await ctx.db.rows(statements.selectStreamed, [
    businessId,
    livemode,
    at.position,
    at.id,
    eventsPerScan,
    eventsPerChunk,
  ])
  const [first] = rows
  if (!first) throw new Error('a read of the stream always says how far it came')
  if (!stream.fromStart && hasLost(at, first)) return { text: '', caughtUp: false, lost: true }
  const events = rows.filter((row) => row.id !== null) as statements.StreamedEvent[]
  const last = events.at(-1)
  const full = last !== undefined && events.length === eventsPerChunk
  const end = full ? last : { position: first.end_position, id: first.end_id }
  // Never backwards: the horizon may equal the cursor that the client was just sent.
  if (end.position >= at.position) stream.at = { position: end.position, id: end.id }
  const caughtUp = !full && end.position >= first.horizon
  if (caughtUp) stream.fromStart = false
  const kept = events.map((event) => ({
    ...event,
    business_id: businessId,
    livemode,
    row: event.event_id,
  }))
  const bodies = await openBodies(ctx.db, ctx.secrets, kept)
  return {
    text: events
      .map(({ position, id }, i) => `${idLine({ position, id })}\ndata: ${bodies[i]}\n\n`)
      .join(''),
    caughtUp,
    lost: false,
  }
}

/**
 * Wakes the streams that have news. The cursors of the others advance without a read of their own.
 */
async function poll(ctx: Ctx, feed: Feed): Promise<void> {
  if (feed.polling) return
  feed.polling = true
  let from: bigint | null = null
  while (feed.streams.size > 0) {
    const idle = [...feed.streams].filter((stream) => stream.wake !== null)
    if (idle.length > 0)
      try {
        from = await wakeStreams(ctx, idle, from)
      } catch (error) {
        ctx.log.warn({ err: error }, 'open event streams could not be notified of events')
      }
    await sleep(pollEveryMs)
  }
  feed.polling = false
}

/** @returns the position up to which it has scanned */
async function wakeStreams(ctx: Ctx, idle: Stream[], from: bigint | null): Promise<bigint> {
  const rows = await ctx.db.rows(statements.selectNews, [
    from,
    idle.map((stream) => stream.businessId),
    idle.map((stream) => stream.livemode),
  ])
  const horizon = rows[0]?.horizon ?? 0n
  const start = from ?? horizon
  const news = new Set(rows.map((row) => `${row.business_id} ${row.livemode}`))
  for (const stream of idle) {
    if (stream.wake === null) continue
    if (stream.at.position < start || news.has(`${stream.businessId} ${stream.livemode}`))
      stream.wake()
    else if (stream.at.position < horizon) stream.at = { position: horizon, id: '' }
  }
  return horizon
}
