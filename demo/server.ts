/**
 * What a merchant's own program needs to speak to the server: a key, HTTP and patience.
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** Ends the day with a line that says why. */
export class Stop extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: the demo reads answers as a script would, without a client library
export type Json = any

const url = (process.env.BURSAR_URL ?? 'http://localhost:4000').replace(/\/+$/, '')
const key = process.env.BURSAR_KEY ?? ''
/** About what the day takes, with room. */
const requestsNeeded = 250
const patienceMs = 30_000

const limitAdvice = 'start the server with RATE_LIMIT_MAX=0 and run this again.'

/**
 * Sees that there is a server to play against, and a key for it.
 * @throws {Stop} when there is not
 */
export async function checkServer(): Promise<void> {
  if (key === '')
    throw new Stop(
      'BURSAR_KEY is not set. It is a test key: `npm start` prints one at its first start, `npx bursar keys create` makes another.',
    )
  if (!key.startsWith('sk_test_'))
    throw new Stop('BURSAR_KEY must be a test key (sk_test_…): the day is made of test money.')
  const { headers } = await request('GET', '/wallets')
  const limit = headers.get('ratelimit-limit')
  const left = Number(headers.get('ratelimit-remaining'))
  if (limit !== null && left < requestsNeeded)
    throw new Stop(
      `The server takes ${limit} requests from one address and ${left} are left; the day needs about ${requestsNeeded}: ${limitAdvice}`,
    )
}

/** Where the server is. */
export const serverUrl = url

let sent = 0

/** How many requests were made so far. */
export const requestsMade = (): number => sent

/**
 * A request that anyone can make, such as a payer's. @throws {Stop} when there is no server, or it
 * wants no more requests
 */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  sent += 1
  try {
    response = await fetch(url + path, { ...init, signal: AbortSignal.timeout(20_000) })
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message
    throw new Stop(
      `There is no server at ${url} (${cause}). Start one with RATE_LIMIT_MAX=0 npm start, or set BURSAR_URL.`,
    )
  }
  if (response.status === 429)
    throw new Stop(`The server's rate limit is reached (429): ${limitAdvice}`)
  return response
}

async function request(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ headers: Headers; data: Json }> {
  const response = await send(path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (response.status === 401) throw new Stop(`The server at ${url} does not know this BURSAR_KEY.`)
  const answer: Json = await response.json()
  if (!response.ok)
    throw new Stop(
      `${method} ${path} was refused (${response.status} ${answer.errors?.code}): ${answer.message}`,
    )
  return { headers: response.headers, data: answer.data }
}

/** `GET` with the key. @throws {Stop} when it is refused */
export async function get(path: string): Promise<Json> {
  return (await request('GET', path)).data
}

/** `POST` with the key. @throws {Stop} when it is refused */
export async function post(path: string, body: unknown = {}): Promise<Json> {
  return (await request('POST', path, body)).data
}

/** Everything of a list that is newer than `since`. Lists are newest first. */
export async function listSince(
  path: string,
  since: string,
  timeOf: (record: Json) => string,
): Promise<Json[]> {
  const found: Json[] = []
  for (let after = ''; ; ) {
    const { docs, hasNextPage } = await get(`${path}?limit=100${after}`)
    const recent = docs.filter((record: Json) => timeOf(record) >= since)
    found.push(...recent)
    if (!hasNextPage || recent.length < docs.length) return found
    after = `&after=${docs.at(-1).id}`
  }
}

/**
 * Looks again and again until a record has one of the statuses that end it.
 * @throws {Stop} when that takes too long
 */
export async function settled(path: string, open: string[]): Promise<Json> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const record = await get(path)
    if (!open.includes(record.status)) return record
    if (performance.now() > deadline)
      throw new Stop(
        `${path} is still ${record.status} after ${patienceMs / 1000} s. SANDBOX_DELAY=1s makes outcomes quick.`,
      )
    await sleep(300)
  }
}
