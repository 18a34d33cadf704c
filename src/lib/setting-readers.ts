/** Reads the texts of settings, each by its form: what is wrong is a `RangeError` that says what there must be. */

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { cellLetter } from './cells.ts'
import { parseDuration } from './duration.ts'

export function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new RangeError(`must be a whole number from ${minimum} to ${maximum}`)
    return value
  }
}

export function oneOf<const V extends readonly string[]>(...values: V) {
  return (text: string): V[number] => {
    if (!values.includes(text)) throw new RangeError(`must be one of ${values.join(', ')}`)
    return text
  }
}

const leastTokenLength = 16

export function token(text: string): string | null {
  if (text === '') return null
  if (text.length < leastTokenLength)
    throw new RangeError(`must have at least ${leastTokenLength} characters; make one with \`openssl rand -hex 32\``)
  return text
}

export function passphrase(text: string): string | null {
  if (text === '') return null
  if (text.length < 12) throw new RangeError('must have at least 12 characters')
  return text
}

export function headerList(text: string): Record<string, string> {
  const pairs = text.split(',').filter((part) => part.trim() !== '')
  const headers = pairs.map((part) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]+)$/.exec(part))
  if (headers.includes(null)) throw new RangeError('must be NAME=value, comma-separated')
  return Object.fromEntries(
    headers.map((match) => [match?.[1] as string, decodeURIComponent(match?.[2] as string).trim()]),
  )
}

export const boolean = (text: string): boolean => oneOf('true', 'false')(text) === 'true'

export const optional = (text: string): string | null => (text === '' ? null : text)

export function positiveDuration(text: string): number {
  const value = parseDuration(text)
  if (value === 0) throw new RangeError('must be longer than nothing')
  return value
}

/** What a timer waits for: Node.js has none of more than 24 days, and takes a longer one for a millisecond. @throws {RangeError} */
export function timerDuration(text: string): number {
  const value = positiveDuration(text)
  if (value > 86_400_000) throw new RangeError('must be a day at most')
  return value
}

/** @throws {RangeError} */
export function dayOrNone(text: string): number {
  const value = durationOrNone(text)
  if (value !== 0 && value < 86_400_000) throw new RangeError('must be a day or longer, or 0')
  return value
}

export const durationOrNone = (text: string): number => (text === '0' ? 0 : parseDuration(text))

export function baseUrl(text: string): string | null {
  if (text === '') return null
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new RangeError('must be an http or https URL')
  return text.replace(/\/+$/, '')
}

/** @throws {RangeError} */
export function cell(text: string): string {
  if (!cellLetter.test(text)) throw new RangeError('must be one lower-case letter')
  return text
}

export function databaseUrl(text: string): string | null {
  if (text === '') return null
  if (!/^postgres(ql)?:\/\//.test(text)) throw new RangeError('must start with postgres://')
  return text
}

/** A key of 32 bytes from its 64 hex digits or its base64, or null when the text is no such key. */
export function readSecretsKey(text: string): Buffer | null {
  const trimmed = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(trimmed) ? Buffer.from(trimmed, 'hex') : Buffer.from(trimmed, 'base64')
  return key.length === 32 ? key : null
}

export function secretsKey(text: string): Buffer | null {
  if (text === '') return null
  const key = readSecretsKey(text)
  if (key === null) throw new RangeError('must be 32 bytes, as 64 hex digits or as base64')
  return key
}

export function secretsKeys(text: string): Buffer[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part) => secretsKey(part) as Buffer)
}

/** @throws {RangeError} which shows nothing of the text */
export function proofKey(text: string): KeyObject | null {
  if (text === '') return null
  try {
    const key = createPrivateKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // Said below, without what OpenSSL says of the text.
  }
  throw new RangeError('must be an Ed25519 private key in PEM, as `openssl genpkey -algorithm ed25519` makes it')
}

export function mailbox(text: string): string | null {
  if (text === '') return null
  if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(text)) throw new RangeError('must be one address, such as ops@shop.example')
  return text
}

export function smtpUrl(text: string): string | null {
  if (text === '') return null
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) throw new RangeError('must start with smtp:// or smtps://')
  return text
}

export function evmKey(text: string): string | null {
  if (text === '') return null
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new RangeError('must be 0x and 64 hex digits')
  return text
}

/** `false`, a number of hops, or addresses and CIDRs. `true` is refused: it would let every client name its own address. */
export function trustProxy(text: string): false | number | string[] {
  if (text === '' || text === 'false') return false
  if (/^[1-9]\d?$/.test(text)) return Number(text)
  const addresses = text.split(',').map((part) => part.trim())
  const named = ['loopback', 'linklocal', 'uniquelocal']
  for (const address of addresses)
    if (!named.includes(address) && !isCidr(address))
      throw new RangeError('must be false, a number of hops, or a list of proxy addresses and CIDRs')
  return addresses
}

/** Whether a text is an IPv4 or IPv6 address, or a CIDR of one. */
function isCidr(text: string): boolean {
  try {
    addToBlockList(new BlockList(), text)
    return true
  } catch {
    return false
  }
}

/**
 * Adds an address or a CIDR to a block list.
 * @throws {RangeError} when the text is neither
 */
export function addToBlockList(list: BlockList, text: string): void {
  const [address = '', prefix, rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 6 ? 128 : 32
  if (family === 0 || rest !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
    throw new RangeError(`'${text}' is not an IP address or CIDR`)
  list.addSubnet(address, prefix === undefined ? widest : Number(prefix), family === 6 ? 'ipv6' : 'ipv4')
}

export function retryDelays(text: string): number[] {
  const delays = text === '' ? [] : text.split(',').map((part) => parseDuration(part))
  if (delays.length > 10) throw new RangeError('must be at most 10 durations')
  return delays
}

/** Port numbers, or null for any. */
export function ports(text: string): number[] | null {
  if (text === '*') return null
  return text.split(',').map((part) => integer(1, 65_535)(part.trim()))
}
