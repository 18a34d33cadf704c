/** Determines the client's address, for keys' allowlists, the rate limit, the pages and the log. */
import { BlockList, isIP, isIPv6 } from 'node:net'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../lib/config.ts'
import { addToBlockList } from '../../lib/setting-readers.ts'

/**
 * Parses an address in the forms of proxies: `1.2.3.4`, `1.2.3.4:567`, `::1`, `[::1]`, `[::1]:567`,
 * with or without a zone.
 * @returns its canonical form, an IPv4-mapped IPv6 address as IPv4; null for other text
 */
export function readAddress(text: string): string | null {
  const known = read.get(text)
  if (known !== undefined) return known
  const address = parseAddress(text)
  if (read.size >= mostRead) read.clear()
  if (text.length <= longest) read.set(text, address)
  return address
}

/** A cache, because all requests of a connection have the same address. */
const read = new Map<string, string | null>()
const mostRead = 1_000
const longest = 64

function parseAddress(text: string): string | null {
  const bare =
    /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text
  const [address = ''] = bare.split('%', 1)
  return isIP(address) === 0 ? null : normalizeIP(address, 128)
}

/** Returns the client's address according to trusted proxies, or else the connection's. */
export function addressOf(request: FastifyRequest): string {
  // A closed connection has no address any more.
  return (
    readAddress(request.ip ?? '') ?? readAddress(request.socket.remoteAddress ?? '') ?? '0.0.0.0'
  )
}

/**
 * Returns the network that counts as one client: an IPv6 address counts with its /56, which
 * providers give to one home (RIPE-690).
 */
export const networkOf = (address: string): string => normalizeIP(address, 56)

const namedRanges: Record<string, string[]> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a function that checks whether an address is in one of the ranges. */
function inRanges(ranges: readonly string[]): (text: string) => boolean {
  const list = new BlockList()
  for (const named of ranges)
    for (const range of namedRanges[named] ?? [named]) addToBlockList(list, range)
  return (text) => {
    const address = readAddress(text)
    return address !== null && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

/** Returns whether a connection's address is one of this machine. */
export const isLoopback = inRanges(['loopback'])

/**
 * Returns which proxies are trusted for the client's address. A number trusts that many hops,
 * counted from the server.
 */
export function trustedProxies(
  setting: Config['TRUST_PROXY'],
): false | ((address: string, hop: number) => boolean) {
  if (setting === false) return false
  if (typeof setting === 'number') return (_address, hop) => hop < setting
  return inRanges(setting)
}
