/**
 * Where webhooks may go, and the client that takes them there. An address is checked at registration, to tell the
 * integrator early, and at every connection, because a name can change its answer between the two.
 */
import type { LookupAddress } from 'node:dns'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext, rootCertificates } from 'node:tls'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../lib/config.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import { addressesOf } from './names.ts'

const keptBytes = 1_024
/** Reading an answer to its end keeps its connection for the next event; past this it costs more than a new one. */
const readBytes = 64 * 1_024
const idleMs = 30_000
/** As many as may be busy: one that is closed when the rush pauses costs a handshake when it goes on. */
const mostIdle = 256
const resolveMs = 3_000
const notPublic = 'The URL leads to an address that is not public.'
const waysOut =
  'GET /events/stream shows the same events without a webhook; WEBHOOK_ALLOW_PRIVATE_TARGETS=true, a setting of the server, allows such URLs.'

/** IPv6 addresses outside of it are local, mapped, translated or not assigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an IPv4 or IPv6 address is on the public internet. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast))
}

/** The address of a URL whose host is an address, else null. */
function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}

/**
 * Checks a URL that events are to be sent to. A name that cannot be resolved yet passes: it is checked again when it is
 * connected to.
 * @throws {Refusal} `validation_failed` when it is not https or carries credentials; `forbidden_target` when it leads to
 *   an address that is not public
 */
export async function checkTarget(config: Config, text: string): Promise<void> {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') refuseUrl('must be an https URL')
  if (url.username !== '' || url.password !== '') refuseUrl('must not carry credentials')
  if (config.WEBHOOK_ALLOW_PRIVATE_TARGETS) return
  const literal = literalAddress(url)
  const addresses = literal === null ? await resolveAll(url.hostname) : [literal]
  if (!addresses.every(isPublicAddress)) refuse('forbidden_target', `${notPublic} ${waysOut}`)
}

function refuseUrl(problem: string): never {
  refuseInput([{ path: 'url', message: `url ${problem}`, location: 'body' }])
}

async function resolveAll(name: string): Promise<string[]> {
  const answer = addressesOf(name, false).catch(() => [])
  const giveUp = new AbortController()
  const timeout = sleep(resolveMs, [], { signal: giveUp.signal }).catch(() => [])
  const found = await Promise.race([answer, timeout])
  giveUp.abort()
  return found.map(({ address }) => address)
}

/** Resolves names for connections. Unless private targets are allowed, a name with an address that is not public has none. */
function lookupFor({ WEBHOOK_ALLOW_PRIVATE_TARGETS: local }: Config): LookupFunction {
  return (hostname, options, callback) => {
    const tell = (addresses: LookupAddress[]): void => {
      const [first] = addresses
      if (!first) callback(new Error(`${hostname} has no address`), [])
      else if (!local && !addresses.every(({ address }) => isPublicAddress(address))) callback(new Error(notPublic), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    }
    addressesOf(hostname, local).then(tell, (error) => callback(error, []))
  }
}

const agents = new WeakMap<Config, Agent>()

/**
 * The connections to webhook targets, one pool per configuration.
 * @throws {Error} when `WEBHOOK_CA_FILE` cannot be read
 */
export function targetAgent(config: Config): Agent {
  let agent = agents.get(config)
  if (!agent) {
    agent = new Agent({
      keepAlive: true,
      maxFreeSockets: mostIdle,
      timeout: idleMs,
      // Read once: as `ca`, all authorities would be parsed for each connection, and part of the name of each.
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

/** What came of one request. `error` says why there was no answer, or why it does not count. Milliseconds. */
export type Exchange = { status: number | null; body: string | null; durationMs: number; error: string | null }

/** Whether the target has taken the event. */
export function isTaken({ status, error }: Exchange): boolean {
  return error === null && status !== null && status >= 200 && status < 300
}

/**
 * Sends one POST within `WEBHOOK_TIMEOUT`, the reading of the answer included. Redirects are not followed.
 * @throws {Error} when `stopping` is aborted before it ends; every other end is an exchange
 */
export async function post(
  config: Config,
  target: { url: string; headers: Record<string, string>; body: string },
  stopping: AbortSignal,
): Promise<Exchange> {
  const agent = targetAgent(config)
  const started = performance.now()
  const url = new URL(target.url)
  const literal = literalAddress(url)
  const answer: Answer = { status: null, chunks: [] }
  let error: string | null = null
  stopping.throwIfAborted()
  const abort = new AbortController()
  const stop = () => abort.abort()
  const timer = setTimeout(stop, config.WEBHOOK_TIMEOUT)
  stopping.addEventListener('abort', stop, { once: true })
  try {
    if (literal !== null && !config.WEBHOOK_ALLOW_PRIVATE_TARGETS && !isPublicAddress(literal))
      throw new Error(notPublic)
    await exchange(agent, url, target.headers, target.body, abort.signal, answer)
    if (answer.status !== null && answer.status >= 300 && answer.status < 400) error = 'Redirects are not followed.'
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
    body: answer.status === null ? null : readable(Buffer.concat(answer.chunks).subarray(0, keptBytes)),
    durationMs: Math.round(performance.now() - started),
    error,
  }
}

/** Filled as it comes, so that what was there when an exchange broke off can be logged. */
type Answer = { status: number | null; chunks: Buffer[] }

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
      // The target may close an idle connection just as it is used again: that says nothing about the target.
      const stale =
        outgoing.reusedSocket && answer.status === null && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
      if (stale && !signal.aborted) resolve(exchange(agent, url, headers, body, signal, answer))
      else reject(error)
    })
    outgoing.on('close', () => {
      if (answer.status === null) brokeOff()
    })
    outgoing.end(body)
  })
}

/** Errors of several addresses at once have a code, but no message. */
function describe(error: NodeJS.ErrnoException): string {
  return readable(Buffer.from(error.message || error.code || 'The request failed.').subarray(0, 300))
}

/** Text that PostgreSQL can hold: no NUL, no broken UTF-8, no character cut at the end. */
export function readable(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\u0000', '\uFFFD')
}
