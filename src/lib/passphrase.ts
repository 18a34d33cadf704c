/** Encrypts a small secret with a passphrase: scrypt (RFC 7914) derives the key for AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'

/** The cost of one guess: 128 MiB, and about half a second. */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 }
const head = Buffer.from('bursar sealed 1\n')

/** Encrypts a text. Layout: head, salt (16), nonce (12), tag (16), ciphertext. */
export function sealUnder(passphrase: string, text: string | Uint8Array): Buffer {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv(
    'aes-256-gcm',
    scryptSync(passphrase, salt, 32, cost),
    nonce,
  ).setAAD(head)
  const body = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([head, salt, nonce, cipher.getAuthTag(), body])
}

/** Decrypts what `sealUnder` returned; null if the passphrase is wrong or a byte was changed. */
export function openUnder(passphrase: string, sealed: Uint8Array): Buffer | null {
  const part = (from: number, length: number): Uint8Array =>
    sealed.subarray(head.length + from, head.length + from + length)
  if (!head.equals(sealed.subarray(0, head.length))) return null
  try {
    const key = scryptSync(passphrase, part(0, 16), 32, cost)
    const decipher = createDecipheriv('aes-256-gcm', key, part(16, 12)).setAAD(head)
    decipher.setAuthTag(part(28, 16))
    return Buffer.concat([decipher.update(sealed.subarray(head.length + 44)), decipher.final()])
  } catch {
    return null
  }
}
