/**
 * How a client of a business asks: over connections that are cut, to processes that are killed,
 * again and again with the same Idempotency-Key until it has an answer. So each write is known in
 * the end to stand or not to.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../test/support/chance.ts'
import type { Tally } from './tally.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers come in every shape
export type Json = any

export type Answer = {
  status: number
  data: Json
  code: string | undefined
  message: string
  /** Whether an earlier try of it was lost: its answer, or all of it. */
  again: boolean
}

/**
 * Where a connection is cut: before the request is whole, once it is sent, or as its answer begins.
 */
export const cuts = ['request cut', 'answer not waited for', 'answer lost'] as const
export type Cut = (typeof cuts)[number]

export type Asking = {
  by: Chance
  tally: Tally
  /** Its key just now. */
  key: () => string
  /** Whom it may ask. */
  apis: () => string[]
  /** How often a connection of it is cut. */
  cutShare: () => number
}

export const patience = 120_000

/** Looks until there is something. @returns null where there is nothing for so long */
export async function until<T>(
  look: () => Promise<T | null | undefined | false>,
  ms: number,
): Promise<T | null> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > deadline) return null
    await sleep(200)
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** @throws {Error} when the connection ended before the whole answer was there */
export function once(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | null,
  cut: Cut | null = null,
  afterMs = 0,
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    // One that is cut is nobody else's; and one that is kept may have ended by now, which would
    // look like a cut.
    const options = {
      method,
      headers: { ...headers, ...length },
      agent: cut === null ? agent : false,
      timeout: 60_000,
    }
    const request = httpRequest(url, options, (response) => {
      if (cut === 'answer lost') return request.destroy(new Error('cut'))
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        response.complete
          ? resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
          : reject(new Error('cut')),
      )
      response.on('error', reject)
    })
    request.on('error', reject)
    request.on('timeout', () => request.destroy(new Error('no answer for a minute')))
    if (cut === 'request cut') {
      request.write((body ?? '').slice(0, (body ?? '').length >> 1))
      setTimeout(() => request.destroy(new Error('cut')), afterMs)
      return
    }
    if (cut === 'answer not waited for')
      setTimeout(() => request.destroy(new Error('cut')), afterMs)
    request.end(body ?? undefined)
  })
}

/** Refusals that say: nothing was done, or nobody knows, ask again. */
export const asksAgain = new Set([429, 502, 503])

/**
 * Asks until it is answered.
 * @param idempotencyKey null: none is sent; the caller has another way to know
 * @throws {Error} when nobody has answered for two minutes
 */
export async function ask(
  { by, tally, key, apis, cutShare }: Asking,
  method: string,
  path: string,
  body?: unknown,
  idempotencyKey: string | null = null,
): Promise<Answer> {
  const text = body === undefined ? null : JSON.stringify(body)
  const headers = (given: string) => ({
    authorization: `Bearer ${given}`,
    ...(text === null ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
  })
  const deadline = performance.now() + patience
  for (let tries = 0; performance.now() < deadline; tries++) {
    const cut = by.happens(cutShare()) ? by.one(text === null ? cuts.slice(1) : cuts) : null
    const given = key()
    if (cut !== null) tally.fault(cut)
    try {
      const answer = await once(
        by.one(apis()) + path,
        method,
        headers(given),
        text,
        cut,
        by.below(25),
      )
      // A key that was revoked while it was used is not the one that there is.
      const revoked = answer.status === 401 && given !== key()
      if (revoked) tally.fault('request by a key that was revoked meanwhile')
      if (!revoked && !asksAgain.has(answer.status)) {
        const parsed = answer.text.startsWith('{') ? JSON.parse(answer.text) : { data: answer.text }
        const code = parsed.errors?.code
        return {
          status: answer.status,
          data: parsed.data,
          code,
          message: parsed.message ?? '',
          again: tries > 0,
        }
      }
    } catch {
      // Cut, or nobody is there: what became of it, the next try says.
    }
    await sleep(20 + by.below(Math.min(600, 60 * (tries + 1))))
  }
  throw new Error(`${method} ${path} was not answered for ${patience / 1000} s`)
}
