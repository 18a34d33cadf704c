/**
 * The client's address, by which keys' whitelists, the rate limit, the pages and the log know a
 * request.
 */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../lib/config.ts'
import { addToBlockList } from '../../lib/setting-readers.ts'

/**
 * Reads an address as proxies write it: `1.2.3.4`, `1.2.3.4:567`, `::1`, `[::1]`, `[::1]:567`, with
 * a zone or without.
 * @returns it in its one form, an IPv4 address in IPv6 as IPv4; null when the text is no address
 */
export function readAddress(text: string): string | null {
  const known = read.get(text)
  if (known !== undefined) return known
  const address = parseAddress(text)
  if (read.size >= mostRead) read.clear()
  if (text.length <= longest) read.set(text, address)
  return address
}

/** What was read: all requests of a connection come from the same address. */
const read = new Map<string, string | null>()
const mostRead = 1_000
const longest = 64

function parseAddress(text: string): string | null {
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  const [address = ''] = bare.split('%', 1)
  return isIP(address) === 0 ? null : normalizeIP(address, 128)
}

/** What the trusted proxies say, where that is an address; else the address of the connection. */
export function addressOf(request: FastifyRequest): string {
  // A connection that is gone has none any more.
  return (
    readAddress(request.ip ?? '') ?? readAddress(request.socket.remoteAddress ?? '') ?? '0.0.0.0'
  )
}

/**
 * What is counted as one client: an IPv6 address counts with its /56, which providers give to one
 * home (RIPE-690).
 */
export const networkOf = (address: string): string => normalizeIP(address, 56)

const namedRanges: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Whose word is taken for where a request came from. A number of hops trusts as many proxies,
 * counted from the server.
 */
export function trustedProxies(
  setting: Config['TRUST_PROXY'],
): false | ((address: string, hop: number) => boolean) {
  if (setting === false) return false
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  const trusted = new BlockList()
  for (const named of setting)
    for (const range of namedRanges[named] ?? [named]) addToBlockList(trusted, range)
  return (text) => {
    const address = readAddress(text)
    return address !== null && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}
