/** The HTTPS client that sends webhooks to their endpoints. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Config } from '../../lib/config.ts'
import { assertTarget, lookupFor } from './ssrf.ts'

const keptBytes = 1_024
/**
 * Reading an answer to its end keeps the connection for the next event. Beyond this size, a new
 * connection is cheaper.
 */
const readBytes = 64 * 1_024
const idleMs = 30_000
/** As many as may be busy: closing one in a short pause costs a handshake when the load resumes. */
const mostIdle = 256

const agents = new WeakMap<Config, Agent>()

/**
 * Returns the connection pool for webhook targets, one per configuration.
 * @throws {Error} when `WEBHOOK_CA_FILE` cannot be read
 */
export function targetAgent(config: Config): Agent {
  let agent = agents.get(config)
  if (!agent) {
    agent = new Agent({
      keepAlive: true,
      maxFreeSockets: mostIdle,
      timeout: idleMs,
      // Parsed once: as `ca`, every connection would parse all authorities.
      ...(config.WEBHOOK_CA_FILE === null
        ? {}
        : {
            secureContext: createSecureContext({
              ca: [...rootCertificates, readFileSync(config.WEBHOOK_CA_FILE, 'utf8')],
            }),
          }),
      lookup: lookupFor(config),
    })
    agents.set(config, agent)
  }
  return agent
}

/**
 * The result of one request. `error` says why there was no answer or why it does not count.
 * `retryAfter` is that header. Times are in milliseconds.
 */
export type Exchange = {
  status: number | null
  body: string | null
  durationMs: number
  error: string | null
  retryAfter: string | null
}

/** Whether the target accepted the event. */
export function isSuccess({ status, error }: Exchange): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/**
 * Sends one POST and reads the answer within `WEBHOOK_TIMEOUT`. It does not follow redirects.
 * @throws {Error} when `stopping` aborts first; every other end is an exchange
 */
export async function post(
  config: Config,
  target: { url: string; headers: Record<string, string>; body: string },
  stopping: AbortSignal,
): Promise<Exchange> {
  const agent = targetAgent(config)
  const started = performance.now()
  const url = new URL(target.url)
  const answer: Answer = { status: null, retryAfter: null, chunks: [] }
  let error: string | null = null
  stopping.throwIfAborted()
  const abort = new AbortController()
  const stop = () => abort.abort()
  const timer = setTimeout(stop, config.WEBHOOK_TIMEOUT)
  stopping.addEventListener('abort', stop, { once: true })
  try {
    assertTarget(config, url)
    await exchange(agent, url, target.headers, target.body, abort.signal, answer)
    if (answer.status === 410)
      error = 'Gone: the receiver takes this event no more, so it is not tried again.'
    if (answer.status !== null && answer.status >= 300 && answer.status < 400)
      error = 'Redirects are not followed.'
  } catch (thrown) {
    stopping.throwIfAborted()
    error = abort.signal.aborted
      ? `No complete answer within ${config.WEBHOOK_TIMEOUT} ms.`
      : describe(thrown as NodeJS.ErrnoException)
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
  }
  return {
    status: answer.status,
    body:
      answer.status === null ? null : readable(Buffer.concat(answer.chunks).subarray(0, keptBytes)),
    durationMs: Math.round(performance.now() - started),
    error,
    retryAfter: answer.retryAfter,
  }
}

/** Filled as data arrive, so that a partial answer can be logged. */
type Answer = { status: number | null; retryAfter: string | null; chunks: Buffer[] }

function exchange(
  agent: Agent,
  url: URL,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
  answer: Answer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokeOff = () => reject(new Error('The connection broke off.'))
    const outgoing = request(url, {
      method: 'POST',
      agent,
      signal,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    })
    outgoing.on('response', (response) => {
      answer.status = response.statusCode ?? null
      answer.retryAfter = response.headers['retry-after'] ?? null
      let size = 0
      response.on('data', (chunk: Buffer) => {
        if (size < keptBytes) answer.chunks.push(chunk)
        size += chunk.length
        if (size <= readBytes) return
        resolve()
        response.destroy()
      })
      response.on('end', resolve)
      response.on('error', reject)
      response.on('close', () => {
        if (!response.complete) brokeOff()
      })
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The target may close an idle connection just as it is reused: not a failure of the target.
      const stale =
        outgoing.reusedSocket &&
        answer.status === null &&
        ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (stale && !signal.aborted) resolve(exchange(agent, url, headers, body, signal, answer))
      else reject(error)
    })
    outgoing.on('close', () => {
      if (answer.status === null) brokeOff()
    })
    outgoing.end(body)
  })
}

/** Several addresses that fail at once give an error with a code but no message. */
function describe(error: NodeJS.ErrnoException): string {
  return readable(
    Buffer.from(error.message || error.code || 'The request failed.').subarray(0, 300),
  )
}

/** Text that PostgreSQL accepts: no NUL, valid UTF-8, no character cut at the end. */
export function readable(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\uFFFD')
}
