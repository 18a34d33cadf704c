/**
 * Takes events to a program on one's own machine, signed as the server signs, and remembers which
 * are over.
 */
import { readFileSync } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../lib/clock.ts'
import { deliveryHeaders } from '../../platform/webhooks/signing.ts'
import { keepFile, reasonOf } from './access.ts'

/** An event as the stream sends it: its bytes, and what they say. */
export type Event = { id: string; type: string; body: string }

/**
 * One try to deliver an event. `retryInMs` is null when there is no other: it was taken, or it is
 * given up.
 */
export type Try = {
  at: Date
  event: Event
  attempt: number
  status: number | null
  ms: number
  /** Why it does not count; null: it was taken. */
  error: string | null
  retryInMs: number | null
}

export const retryWaitsMs = [1_000, 2_000, 4_000, 8_000, 15_000]
const answerWithinMs = 30_000
/** What is being sent when the command is to end may still be answered for so long. */
const graceMs = 3_000
/** Events under way at once; the stream waits while there are as many. */
const mostUnderWay = 100
const mostUnsaved = 1_000

export type Forwarder = {
  /**
   * Tries once, in the order of the calls; what fails is tried again beside those that follow.
   * `over` is called unless the command ends before.
   */
  forward(event: Event, over: () => void): Promise<void>
  /** Resolves when nothing is under way. */
  ended(): Promise<void>
}

/** @param report is given every try that came to an end */
export function makeForwarder(
  target: URL,
  secret: string,
  { stop, report }: { stop: AbortSignal; report(tried: Try): void },
): Forwarder {
  const underWay = new Set<Promise<void>>()
  const cut = new AbortController()
  stop.addEventListener('abort', () => setTimeout(() => cut.abort(), graceMs).unref(), {
    once: true,
  })

  /** @returns whether it is over, for good or for bad; null: cut off by the end of the command */
  async function attempt(event: Event, count: number): Promise<boolean | null> {
    const at = systemClock.now()
    const tried = {
      event_id: event.id,
      type: event.type,
      body: event.body,
      attempt: count,
      sample: false,
    }
    const started = performance.now()
    const signal = AbortSignal.any([cut.signal, AbortSignal.timeout(answerWithinMs)])
    const { status, error } = await post(
      target,
      deliveryHeaders(tried, [secret], at),
      event.body,
      signal,
    )
    if (error !== null && cut.signal.aborted) return null
    const retryInMs = error === null ? null : (retryWaitsMs[count - 1] ?? null)
    report({
      at,
      event,
      attempt: count,
      status,
      ms: Math.round(performance.now() - started),
      error,
      retryInMs,
    })
    return retryInMs === null
  }

  async function retry(event: Event, over: () => void): Promise<void> {
    for (const [i, wait] of retryWaitsMs.entries()) {
      await sleep(wait, undefined, { signal: stop }).catch(() => {})
      if (stop.aborted) return
      const isOver = await attempt(event, i + 2)
      if (isOver === null) return
      if (isOver) return over()
    }
  }

  return {
    async forward(event, over) {
      while (underWay.size >= mostUnderWay && !stop.aborted) await Promise.race(underWay)
      if (stop.aborted) return
      const isOver = await attempt(event, 1)
      if (isOver) return over()
      if (isOver === null) return
      const retrying = retry(event, over).finally(() => underWay.delete(retrying))
      underWay.add(retrying)
    },
    async ended() {
      await Promise.all(underWay)
    },
  }
}

/**
 * POSTs, and reads the answer to its end. Redirects are not followed, as the server follows none.
 */
function post(
  target: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ status: number | null; error: string | null }> {
  return new Promise((resolve) => {
    let status: number | null = null
    const fail = (error: Error): void =>
      resolve({
        status,
        error: signal.aborted
          ? `no complete answer within ${answerWithinMs / 1_000} s`
          : reasonOf({ cause: error }),
      })
    const send = target.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = send(target, {
      method: 'POST',
      agent: false,
      signal,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    })
    outgoing.on('response', (response) => {
      status = response.statusCode ?? 0
      const taken = status >= 200 && status < 300
      const said = status >= 300 && status < 400 ? 'redirects are not followed' : 'not 2xx'
      response.resume()
      response.on('end', () => resolve({ status, error: taken ? null : said }))
      response.on('error', fail)
      response.on('close', () => fail(new Error('the connection broke off')))
    })
    outgoing.on('error', fail)
    outgoing.end(body)
  })
}

type Kept = { place: string; over: string[] }

/** How far a listener has come, in a file, so that the next one goes on there. */
export type Progress = {
  /** The place to follow from; null: there is none. */
  from: string | null
  /**
   * Takes a place, in the order of the stream.
   * @returns what is called when its event is over, and writes that down unless it is told that it
   * may wait; null when it was over before
   */
  take(place: string, isEvent: boolean): ((now?: boolean) => void) | null
}

/**
 * Opens the file of a listener. The place that it keeps is the last before which everything is
 * over; the events after it that are over, it names.
 * @param anew what it keeps does not count
 */
export function openProgress(file: string, names: Record<string, string>, anew: boolean): Progress {
  const kept = anew ? null : readProgress(file)
  const overBefore = new Set(kept?.over)
  const taken: { place: string; isEvent: boolean; over: boolean }[] = []
  let last = kept?.place ?? null
  const save = (): void => {
    while (taken[0]?.over) last = (taken.shift() as { place: string }).place
    if (last === null) return
    const over = taken.filter((one) => one.over && one.isEvent).map(({ place }) => place)
    keepFile(file, `${JSON.stringify({ ...names, place: last, over: [...over, ...overBefore] })}\n`)
  }
  return {
    from: last,
    take(place, isEvent) {
      const one = { place, isEvent, over: isEvent && overBefore.delete(place) }
      taken.push(one)
      const end = (now = true): void => {
        one.over = true
        // What nobody wants is passed over in one go, and not piled up.
        if (now || taken.length >= mostUnsaved) save()
      }
      if (!one.over) return end
      end()
      return null
    },
  }
}

function readProgress(file: string): Kept | null {
  try {
    const { place, over } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof place === 'string' && Array.isArray(over) ? { place, over } : null
  } catch {
    return null
  }
}
