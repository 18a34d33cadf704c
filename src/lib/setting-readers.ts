/** Parses the values of settings by type. Values are trimmed and never empty. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { cellLetter } from './cells.ts'
import { parseDuration } from './duration.ts'
import { asciiEmail, isEmail } from './email.ts'

/**
 * @property type its name in the docs
 * @property example a valid value; by default the setting's default, or null if the error needs
 * none
 * @property lines whether the value may have several lines
 * @property read throws {RangeError} with what is expected, without the value
 */
export type Reader<T> = {
  type: string
  example?: string | null
  lines?: true
  read(text: string): T
}

/** Rejects a value. */
function must(sentence: string): never {
  throw new RangeError(`must ${sentence}`)
}

const longestValue = 65_536

/**
 * Trims the text of a setting: blanks, line breaks and a byte order mark.
 * @throws {RangeError} without the text, if it is quoted, too long, or has a control character
 */
export function cleanText(text: string, { lines }: { lines?: true | undefined } = {}): string {
  const trimmed = text.trim()
  if (/^(["'])(.*\1)?$/s.test(trimmed))
    throw new RangeError('is in quotes, which become part of it: write it without them')
  if (trimmed.length > longestValue) must(`have at most ${longestValue} characters`)
  const control = /\p{Cc}/u.exec(lines ? trimmed.replace(/[\r\n\t]/g, '') : trimmed)?.[0]
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    throw new RangeError(`has a control character in it (U+${code})`)
  }
  return trimmed
}

export function wholeNumber(minimum: number, maximum: number): Reader<number> {
  return {
    type: 'whole number',
    read(text) {
      const value = Number(text)
      if (!/^\d+$/.test(text) || value < minimum || value > maximum)
        must(`be a whole number from ${minimum} to ${maximum}`)
      return value
    },
  }
}

export function oneOf<const V extends readonly string[]>(...values: V): Reader<V[number]> {
  return {
    type: values.map((value) => `\`${value}\``).join(', '),
    example: null,
    read: (text) =>
      values.find((value) => value === text) ?? must(`be one of ${values.join(', ')}`),
  }
}

export const boolean: Reader<boolean> = {
  type: '`true` or `false`',
  example: null,
  read: (text) =>
    text === 'true' || text === 'false' ? text === 'true' : must('be true or false'),
}

/**
 * Parses a duration in milliseconds.
 * @param to the maximum; timers of Node.js above 2^31 - 1 ms (24.8 days) fire at once, so durations
 * of timers are shorter
 * @param zero whether `0` is allowed, in any unit
 */
export function duration({
  from = '1ms',
  to = '36500d',
  zero = false,
  example = '',
} = {}): Reader<number> {
  const [least, most] = [parseDuration(from), parseDuration(to)]
  return {
    type: zero ? 'duration or `0`' : 'duration',
    ...(example || zero ? { example: example || '90d' } : {}),
    read(text) {
      if (zero && text === '0') return 0
      const value = /^\d{1,9}(ms|s|m|h|d)$/.test(text) ? parseDuration(text) : Number.NaN
      if (zero && value === 0) return 0
      if (!(value >= least && value <= most))
        must(`be a duration from ${from} to ${to}${zero ? ', or 0' : ''}`)
      return value
    },
  }
}

/** Backoff delays before retries; `none`: no retry. */
export const retryDelays: Reader<number[]> = {
  type: 'durations, comma-separated, or `none`',
  read(text) {
    const delays = text === 'none' ? [] : listOf(text)
    const { read } = duration({ from: '0ms', to: '365d' })
    if (delays.length > 10) must('be at most 10 durations')
    return delays.map((delay) => {
      try {
        return read(delay)
      } catch {
        return must('be durations of at most 365d, comma-separated, or none')
      }
    })
  },
}

const listOf = (text: string): string[] => text.split(',').map((part) => part.trim())

/** A host name or address to listen on. */
export const host: Reader<string> = {
  type: 'IP address or host name',
  read(text) {
    // A name whose last part is a number, such as `127.1`, is an address in an old notation.
    const isNumber = /(^|\.)(\d+|0x[\da-f]*)$/i.test(text)
    const isName = text.length <= 253 && /^\w[\w-]*(\.\w[\w-]*)*$/.test(text) && !isNumber
    return isIP(text) > 0 || isName ? text : must('be an IP address or a host name without a port')
  },
}

function path(type: 'file' | 'folder'): Reader<string> {
  return {
    type,
    example: type === 'file' ? '/etc/bursar/file.json' : '/var/lib/bursar',
    read: (text) =>
      Buffer.byteLength(text) <= 4_095
        ? text
        : must(`be the path of a ${type}, of at most 4095 bytes`),
  }
}

export const file = path('file')
export const folder = path('folder')

export const files: Reader<string[]> = {
  type: 'files, comma-separated',
  example: '/usr/share/fonts/one.ttf',
  read: (text) =>
    listOf(text).map((part) => (part === '' ? must('be files, comma-separated') : file.read(part))),
}

/** @throws {RangeError} unless it is http or https, without user, password and fragment */
function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:\/\//i.test(text)) return must('be an http or https URL')
  if (url.username !== '' || url.password !== '') must('be a URL without a user and a password')
  if (url.hash !== '' || text.includes('#')) must('be a URL without a #')
  return url
}

/** A URL, unchanged. */
export const url: Reader<string> = {
  type: 'URL',
  example: 'https://hooks.example/T01/B02?key=3',
  read: (text) => readUrl(text) && text,
}

/** A URL to which paths are appended: without a query and trailing slash. */
export const baseUrl: Reader<string> = {
  type: 'URL',
  example: 'https://rates.example',
  read(text) {
    if (readUrl(text).search !== '' || text.includes('?')) must('be a URL without a query')
    return text.replace(/\/+$/, '')
  },
}

/** The scheme, host and port of a URL, without a path. */
export const origin: Reader<string> = {
  type: 'origin',
  example: 'https://payments.example',
  read(text) {
    const { pathname, search, origin } = readUrl(text)
    if (pathname !== '/' || search !== '' || text.includes('?'))
      must(
        'be a scheme and a host alone: pages and forms begin at its root, so Bursar needs a host name of its own',
      )
    return origin
  },
}

export const databaseUrl: Reader<string> = {
  type: 'PostgreSQL URL',
  example: 'postgres://bursar_server:password@db.example/bursar',
  read: (text) => (/^postgres(ql)?:\/\/./.test(text) ? text : must('start with postgres://')),
}

export const smtpUrl: Reader<string> = {
  type: 'SMTP URL',
  example: 'smtps://user:password@mail.example:465',
  read: (text) =>
    /^smtps?:\/\//.test(text) && URL.canParse(text) ? text : must('start with smtp:// or smtps://'),
}

export const mailbox: Reader<string> = {
  type: 'mail address',
  example: 'ops@shop.example',
  read: (text) => (isEmail(text) ? asciiEmail(text) : must('be one address')),
}

/** An email address, optionally after a name. */
export const sender: Reader<string> = {
  type: 'mail address, also with a name',
  read(text) {
    // An unquoted name with a comma or colon would be parsed as several addresses.
    const [, address = text] =
      /^(?:"[^"]{1,200}"|[^",;:<>@()[\]\\]{1,200})\s*<([^<>]*)>$/.exec(text) ?? []
    return isEmail(address) ? text : must('be an address, or a name and an address in <>')
  },
}

export const cell: Reader<string> = {
  type: 'letter',
  read: (text) => (cellLetter.test(text) ? text : must('be one lower-case letter')),
}

/** A bearer token. */
export const token: Reader<string> = {
  type: 'token',
  example: null,
  read(text) {
    if (text.length < 16) must('have at least 16 characters; make one with `openssl rand -hex 32`')
    return /^[\x20-\x7e]{16,1024}$/.test(text)
      ? text
      : must('have at most 1024 characters, all of them ASCII')
  },
}

export const passphrase: Reader<string> = {
  type: 'passphrase',
  example: null,
  read: (text) =>
    text.length >= 12 && text.length <= 1_024
      ? text
      : must('have at least 12 characters, and at most 1024'),
}

export const headerList: Reader<Record<string, string>> = {
  type: 'headers, comma-separated',
  example: 'api-key=3f9a',
  read(text) {
    const headers = listOf(text)
      .filter((part) => part !== '')
      .map((part) => /^([\w!#$%&'*+.^`|~-]+)\s*=\s*([\x20-\x7e]+)$/.exec(part))
    try {
      return Object.fromEntries(
        headers.map((match) => [(match as RegExpExecArray)[1], headerValue(match?.[2] as string)]),
      )
    } catch {
      return must('be NAME=value, comma-separated, with what is not ASCII as %XX')
    }
  },
}

/** @throws {Error} if the text cannot be decoded, or no header could carry it */
function headerValue(text: string): string {
  const value = decodeURIComponent(text).trim()
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : must('be visible')
}

/** Returns a key of 32 bytes from 64 hex digits or base64, or null. */
export function readSecretsKey(text: string): Buffer | null {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex')
  const key = Buffer.from(trimmed, 'base64')
  return /^[\w+/-]+=*$/.test(trimmed) && key.length === 32 ? key : null
}

export const secretsKey: Reader<Buffer> = {
  type: 'key of 32 bytes',
  example: null,
  read: (text) =>
    readSecretsKey(text) ??
    must('be 32 bytes, as 64 hex digits or as base64; `openssl rand -hex 32` makes them'),
}

export const secretsKeys: Reader<Buffer[]> = {
  type: 'keys of 32 bytes, comma-separated',
  example: null,
  lines: true,
  read: (text) =>
    text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(secretsKey.read),
}

export const proofKey: Reader<KeyObject> = {
  type: 'private key in PEM',
  example: null,
  lines: true,
  read(text) {
    try {
      const key = createPrivateKey(text)
      if (key.asymmetricKeyType === 'ed25519') return key
    } catch {
      // Reported below, without OpenSSL's message about the text.
    }
    return must(
      'be an Ed25519 private key in PEM, as `openssl genpkey -algorithm ed25519` makes it',
    )
  },
}

export const evmKey: Reader<string> = {
  type: 'private key',
  example: null,
  read: (text) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text : must('be 0x and 64 hex digits')),
}

/**
 * `false`, a number of hops, or addresses and CIDRs. `true` is rejected: every client could then
 * claim any address.
 */
export const trustProxy: Reader<false | number | string[]> = {
  type: '`false`, number of hops, or addresses',
  example: '10.0.0.0/8',
  read(text) {
    if (text === 'false') return false
    if (/^[1-9]\d?$/.test(text)) return Number(text)
    const addresses = listOf(text)
    const named = ['loopback', 'linklocal', 'uniquelocal']
    for (const address of addresses)
      if (!named.includes(address) && !isCidr(address))
        must('be false, a number of hops, or a list of proxy addresses and CIDRs')
    return addresses
  },
}

/** Whether a text is an IPv4 or IPv6 address or CIDR. */
function isCidr(text: string): boolean {
  try {
    addToBlockList(new BlockList(), text)
    return true
  } catch {
    return false
  }
}

/**
 * Adds an address or CIDR to a block list.
 * @throws {RangeError} if the text is neither
 */
export function addToBlockList(list: BlockList, text: string): void {
  const [address = '', prefix, rest] = text.split('/')
  const family = isIP(address)
  const widest = family === 6 ? 128 : 32
  if (family === 0 || rest !== undefined || (prefix !== undefined && !/^\d{1,3}$/.test(prefix)))
    throw new RangeError(`'${text}' is not an IP address or CIDR`)
  list.addSubnet(
    address,
    prefix === undefined ? widest : Number(prefix),
    family === 6 ? 'ipv6' : 'ipv4',
  )
}

/** Port numbers, or null for any. */
export const ports: Reader<number[] | null> = {
  type: 'ports, comma-separated, or `*`',
  read: (text) =>
    text === '*'
      ? null
      : listOf(text).map((part) =>
          /^\d{1,5}$/.test(part) && Number(part) >= 1 && Number(part) <= 65_535
            ? Number(part)
            : must('be ports from 1 to 65535, comma-separated, or *'),
        ),
}
