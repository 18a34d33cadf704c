/**
 * Secrets at rest: keys that only we check are hashed, secrets that we must use again are sealed
 * with AES-256-GCM.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random text of letters and digits; 32 of them carry 190 bits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    // 248 is the largest multiple of 62 below 256: what lies above it would favour the first
    // letters.
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
  return text
}

/** SHA-256 of a text. Fit for keys of high entropy only, never for passwords. */
export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/**
 * The same in hex, in a third of the time that it takes by way of a buffer: every request asks for
 * one.
 */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** HMAC-SHA256 of the bytes, as text. */
export function hmacSha256(
  secret: string | Uint8Array | KeyObject,
  bytes: string | Uint8Array,
  encoding: 'hex' | 'base64' = 'hex',
): string {
  return createHmac('sha256', secret).update(bytes).digest(encoding)
}

/**
 * What a key is used for. Each purpose has a key of its own, so that what was sealed for one opens
 * for no other.
 */
export type Purpose =
  | 'webhook secret'
  | 'identity number'
  | 'kept answer'
  | 'checkout form'
  | 'provider event'
  | 'authenticator secret'
  | 'known device'
  | 'passkey challenge'
  | 'customer key'
  | 'personal data'
  | 'card tries'

/** One key of the operator's, of 32 bytes, and what is derived from it. */
export type MasterKey = {
  /** 16 hex digits that tell it from others, and nothing of it. */
  id: string
  /** The key itself. */
  raw: KeyObject
  of(purpose: Purpose): KeyObject
}

/** The keys of a server: it seals under the first, and opens what is sealed under any. */
export type Keyring = readonly [MasterKey, ...MasterKey[]]

/** Makes a keyring of the key in use and those before it. */
export function keyringOf(current: Uint8Array, old: readonly Uint8Array[] = []): Keyring {
  const keys = new Map(
    [current, ...old].map((bytes) => [Buffer.from(bytes).toString('hex'), masterKey(bytes)]),
  )
  return [...keys.values()] as [MasterKey, ...MasterKey[]]
}

/** HKDF-SHA256 (RFC 5869) without a salt: the input is as random as a key can be. */
function masterKey(bytes: Uint8Array): MasterKey {
  const derive = (info: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', bytes, '', `bursar ${info}`, length))
  const derived = new Map<Purpose, KeyObject>()
  return {
    id: derive('key id', idBytes).toString('hex'),
    raw: createSecretKey(bytes),
    of(purpose) {
      const key = derived.get(purpose) ?? createSecretKey(derive(purpose, 32))
      derived.set(purpose, key)
      return key
    },
  }
}

const idBytes = 8

/** What everything that is sealed under a key begins with. */
export function sealedPrefix(key: MasterKey): Buffer {
  return Buffer.concat([Buffer.from([2]), Buffer.from(key.id, 'hex')])
}

/** Where the nonce begins: it has 12 bytes; the tag of 16 and the ciphertext follow. */
const nonceAt = 1 + idBytes

/**
 * Seals a text under the key in use, for a purpose, bound to what it belongs to. Layout: 2, key id
 * (8), nonce (12), tag (16), ciphertext.
 */
export function seal([key]: Keyring, purpose: Purpose, text: string, belongsTo: string): Buffer {
  const prefix = sealedPrefix(key)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key.of(purpose), nonce)
  cipher.setAAD(Buffer.concat([prefix, Buffer.from(belongsTo)]))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([prefix, nonce, cipher.getAuthTag(), body])
}

/**
 * Decrypts what `seal` made.
 * @throws {Error} when the key is none of the keyring's, or the purpose, the owner or the bytes are
 * not those it was sealed with
 */
export function unseal(
  keys: Keyring,
  purpose: Purpose,
  sealed: Uint8Array,
  belongsTo: string,
): string {
  if (sealed[0] !== 2 || sealed.length < nonceAt + 28) throw new Error('unknown sealed format')
  const id = Buffer.from(sealed.subarray(1, nonceAt)).toString('hex')
  const key = keys.find((one) => one.id === id)
  if (!key) throw new Error(`sealed under key ${id}, which is none of those given`)
  const [tagAt, textAt] = [nonceAt + 12, nonceAt + 28]
  const decipher = createDecipheriv('aes-256-gcm', key.of(purpose), sealed.subarray(nonceAt, tagAt))
  decipher.setAAD(Buffer.concat([sealed.subarray(0, nonceAt), Buffer.from(belongsTo)]))
  decipher.setAuthTag(sealed.subarray(tagAt, textAt))
  return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString(
    'utf8',
  )
}

/**
 * Hex HMAC-SHA256 of a text under each of the keys, that in use first: what was made under an old
 * one is still known.
 */
export function macsOf(keys: Keyring, purpose: Purpose, text: string): string[] {
  return keys.map((key) => hmacSha256(key.of(purpose), text))
}
