/**
 * Follows `GET /events/stream` as server-sent events come
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html), over every break of the
 * connection.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Access, exits, refusalOf, unreachable } from './access.ts'
import { UserError } from './terminal.ts'

/**
 * A place in the stream: what follows it comes next. `body` is the event of that place; null where
 * there is none.
 */
export type Streamed = { place: string; body: string | null }

/** The server says every 15 s that it is still there. */
const silenceMs = 45_000
const waitsMs = [1_000, 1_000, 2_000, 4_000, 8_000]

/** The server has no such place in its stream: it has another database, or an older one. */
class PlaceLost extends Error {}

/**
 * Every event after a place, or from now on, until `stop`. The first that comes without an event is
 * the place that a new follower begins at.
 * @param say is given what becomes of the connection
 * @throws {UserError} with `exits.unreachable` when the server cannot be reached at first, with
 * `exits.key` whenever it refuses the key
 */
export async function* follow(
  access: Access,
  from: string | null,
  { stop, say }: { stop: AbortSignal; say(line: string): void },
): AsyncGenerator<Streamed> {
  let place = from
  let reached = false
  let failures = 0
  while (!stop.aborted) {
    try {
      for await (const streamed of connection(access, place, stop)) {
        if (failures > 0) say('Connected again; nothing was missed.')
        reached = true
        failures = 0
        place = streamed.place
        yield streamed
      }
    } catch (error) {
      if (stop.aborted) return
      if (error instanceof PlaceLost) {
        say(
          'The server does not know the place where this stopped, as after its data were replaced: going on from now.',
        )
        place = null
        continue
      }
      if (error instanceof UserError && (!reached || error.status === exits.key)) throw error
      if (!reached) throw unreachable(access.url, error)
    }
    if (stop.aborted) return
    if (failures++ === 0) say('The server is gone; connecting again.')
    await sleep(waitsMs[failures - 1] ?? 10_000, undefined, { signal: stop }).catch(() => {})
  }
}

/**
 * One connection to its end, which may be in order. @throws {PlaceLost} @throws {UserError} for
 * every other answer that is no stream
 */
async function* connection(
  { url, key }: Access,
  place: string | null,
  stop: AbortSignal,
): AsyncGenerator<Streamed> {
  const silent = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const awaitBytes = (): void => {
    timer = setTimeout(() => silent.abort(new DOMException('', 'TimeoutError')), silenceMs)
  }
  awaitBytes()
  try {
    const response = await fetch(`${url}/events/stream`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(place === null ? {} : { 'last-event-id': place }),
      },
      redirect: 'manual',
      signal: AbortSignal.any([stop, silent.signal]),
    })
    if (response.status === 400 && place !== null) throw new PlaceLost()
    if (!response.ok || !response.headers.get('content-type')?.startsWith('text/event-stream'))
      throw await refusalOf(url, response)
    let rest = ''
    for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      clearTimeout(timer)
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() as string
      for (const block of blocks) {
        const id = /^id: (.*)$/m.exec(block)?.[1]
        if (id !== undefined) yield { place: id, body: /^data: (.*)$/m.exec(block)?.[1] ?? null }
      }
      awaitBytes()
    }
  } finally {
    clearTimeout(timer)
  }
}
