/**
 * Decides where webhooks may go, to prevent SSRF. Checks an address at registration, for an early
 * answer, and at every connection, because DNS answers change.
 */
import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../lib/config.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Warning } from '../../lib/schema.ts'
import { addressesOf } from './dns.ts'
import { refuse } from './refusals.ts'

const resolveMs = 3_000
const notPublic = 'The URL leads to an address that is not public.'
const alternatives =
  '`bursar listen` brings events to a program on your own machine, and GET /events/stream shows them without a webhook; WEBHOOK_ALLOW_PRIVATE_TARGETS=true, a setting of the server, allows such URLs.'

/** IPv6 addresses outside of it are local, mapped, translated or not assigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Names of a machine or local network, also with a trailing dot: they never have a public address,
 * whatever DNS says (RFC 6761, 6762, 8375; ICANN resolution 2024.07.29.06 for `internal`).
 */
const localName = /^[^.]+\.?$|\.(localhost|local|internal|home\.arpa)\.?$/

/** Whether an IPv4 or IPv6 address is on the public internet. False for any other text. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast))
}

/** The address in a URL whose host is an IP address, else null. */
function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? null : host
}

/**
 * Checks the URL of an endpoint. A name that does not resolve yet passes with a warning: each
 * connection checks it again. The port is checked only here, so registered endpoints keep theirs
 * when the rule changes.
 * @throws {Refusal} `validation_failed` when it is not https, has credentials, or a port that the
 * server does not allow; `forbidden_target` when it leads to an address that is not public
 */
export async function checkTarget(config: Config, text: string): Promise<Warning[]> {
  const { WEBHOOK_ALLOW_PRIVATE_TARGETS: local, WEBHOOK_PORTS: ports } = config
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') refuseUrl('must be an https URL')
  if (url.username !== '' || url.password !== '') refuseUrl('must not carry credentials')
  const portAllowed = ports === null || ports.includes(Number(url.port || 443))
  if (!local && !portAllowed) refusePort(ports)
  const literal = literalAddress(url)
  if (!local && literal === null && localName.test(url.hostname))
    refuse('forbidden_target', `${notPublic} ${alternatives}`)
  const addresses = literal === null ? await resolveAll(url.hostname, local) : [literal]
  if (!local && !addresses.every(isPublicAddress))
    refuse('forbidden_target', `${notPublic} ${alternatives}`)
  if (!portAllowed && addresses.some(isPublicAddress)) refusePort(ports)
  if (addresses.length > 0) return []
  const message = `${url.hostname} cannot be resolved now, and nothing reaches it until it can: check the name and its DNS record.`
  return [{ code: 'unresolved_target', message }]
}

function refusePort(ports: number[]): never {
  refuseUrl(
    `must use port ${ports.join(' or ')}; WEBHOOK_PORTS, a setting of the server, allows others`,
  )
}

function refuseUrl(problem: string): never {
  refuseInput([{ path: 'url', message: `url ${problem}`, location: 'body' }])
}

async function resolveAll(name: string, local: boolean): Promise<string[]> {
  const answer = addressesOf(name, local).catch(() => [])
  const giveUp = new AbortController()
  const timeout = sleep(resolveMs, [], { signal: giveUp.signal }).catch(() => [])
  const found = await Promise.race([answer, timeout])
  giveUp.abort()
  return found.map(({ address }) => address)
}

/**
 * Checks the URL of a connection whose host is an IP address, since no name is resolved then.
 * @throws {Error} when the address is not public
 */
export function assertTarget(config: Config, url: URL): void {
  const literal = literalAddress(url)
  if (literal !== null && !config.WEBHOOK_ALLOW_PRIVATE_TARGETS && !isPublicAddress(literal))
    throw new Error(notPublic)
}

/**
 * Resolves names for connections. Unless private targets are allowed, a name with a non-public
 * address fails.
 */
export function lookupFor({ WEBHOOK_ALLOW_PRIVATE_TARGETS: local }: Config): LookupFunction {
  return (hostname, options, callback) => {
    const pass = (addresses: LookupAddress[]): void => {
      const [first] = addresses
      if (!first) callback(new Error(`${hostname} has no address`), [])
      else if (!local && !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new Error(notPublic), [])
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    }
    addressesOf(hostname, local).then(pass, (error) => callback(error, []))
  }
}
