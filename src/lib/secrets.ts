/**
 * Secrets at rest: keys that only we check are hashed, secrets that we must use again are sealed with AES-256-GCM.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random text of letters and digits; 32 of them carry 190 bits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length)
    // 248 is the largest multiple of 62 below 256: what lies above it would favour the first letters.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += alphabet[byte % 62]
  return text
}

/** SHA-256 of a text. Fit for keys of high entropy only, never for passwords. */
export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/** The same in hex, in a third of the time that it takes by way of a buffer: every request asks for one. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex')
}

/** Hex HMAC-SHA256 of the bytes. */
export function hmacSha256(secret: string | Uint8Array, bytes: string | Uint8Array): string {
  return createHmac('sha256', secret).update(bytes).digest('hex')
}

const prepared = new WeakMap<Uint8Array, KeyObject>()

/** A key as OpenSSL has it: to make it takes longer than to use it. */
function prepare(key: Uint8Array): KeyObject {
  const known = prepared.get(key) ?? createSecretKey(key)
  prepared.set(key, known)
  return known
}

/** Seals a text with a 32-byte key, bound to what it belongs to. Layout: version, nonce (12), tag (16), ciphertext. */
export function seal(key: Uint8Array, text: string, belongsTo: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', prepare(key), nonce).setAAD(Buffer.from(belongsTo))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body])
}

/**
 * Decrypts what `seal` made.
 * @throws {Error} when the key, the owner or the bytes are not those it was sealed with
 */
export function unseal(key: Uint8Array, sealed: Uint8Array, belongsTo: string): string {
  if (sealed[0] !== 1 || sealed.length < 29) throw new Error('unknown sealed format')
  const decipher = createDecipheriv('aes-256-gcm', prepare(key), sealed.subarray(1, 13)).setAAD(Buffer.from(belongsTo))
  decipher.setAuthTag(sealed.subarray(13, 29))
  return Buffer.concat([decipher.update(sealed.subarray(29)), decipher.final()]).toString('utf8')
}
