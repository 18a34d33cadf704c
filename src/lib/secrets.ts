/**
 * Secrets at rest: secrets that we only compare are hashed, secrets that we use again are encrypted
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

/** Returns a random text of letters and digits; 32 of them carry 190 bits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    // 248 is the largest multiple of 62 below 256: higher bytes would favour the first letters.
    for (const byte of randomBytes(length))
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
  return text
}

/** Returns the SHA-256 of a text. For random keys only, never for passwords. */
export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Returns the same in hex, three times as fast as by a buffer: every request needs it. */
export function sha256Hex(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex')
}

/** Returns the HMAC-SHA256 of the bytes as text. */
export function hmacSha256(
  secret: string | Uint8Array | KeyObject,
  bytes: string | Uint8Array,
  encoding: 'hex' | 'base64' = 'hex',
): string {
  return createHmac('sha256', secret).update(bytes).digest(encoding)
}

/**
 * The purpose of an encryption key. Each has a key of its own, so a ciphertext of one purpose
 * cannot be used for another.
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
  | 'dispute evidence'
  | 'kept page'

/** A key of the operator (32 bytes) and the keys derived from it. */
export type MasterKey = {
  /** 16 hex digits that identify the key without revealing it. */
  id: string
  /** The key itself. */
  raw: KeyObject
  of(purpose: Purpose): KeyObject
}

/** The keys of a server: it encrypts with the first and decrypts with any. */
export type Keyring = readonly [MasterKey, ...MasterKey[]]

/** Returns the keyring of the current key and earlier ones. */
export function keyringOf(current: Uint8Array, old: readonly Uint8Array[] = []): Keyring {
  const keys = new Map(
    [current, ...old].map((bytes) => [Buffer.from(bytes).toString('hex'), masterKey(bytes)]),
  )
  return [...keys.values()] as [MasterKey, ...MasterKey[]]
}

/** HKDF-SHA256 (RFC 5869) without a salt, because the input is uniformly random. */
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

/** Returns the prefix of everything that is encrypted with a key. */
export function sealedPrefix(key: MasterKey): Buffer {
  return Buffer.concat([Buffer.from([2]), Buffer.from(key.id, 'hex')])
}

/** The position of the nonce (12 bytes); the tag (16) and the ciphertext follow. */
const nonceAt = 1 + idBytes

/**
 * Encrypts a text with the current key for a purpose, bound to its owner. Layout: 2, key id (8),
 * nonce (12), tag (16), ciphertext.
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
 * Decrypts what `seal` returned.
 * @throws {Error} if no key of the keyring, or another purpose, owner or ciphertext was used
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
 * Returns the HMAC-SHA256 of a text in hex under each key, current one first, so that values of old
 * keys are recognised.
 */
export function macsOf(keys: Keyring, purpose: Purpose, text: string): string[] {
  return keys.map((key) => hmacSha256(key.of(purpose), text))
}
