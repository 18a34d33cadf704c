import { createCipheriv, randomBytes } from 'node:crypto'

/** What a version from before keys had ids made of a text: 1, nonce, tag and ciphertext, under the operator's key itself. */
export function sealedBefore(key: Uint8Array, text: string, belongsTo: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(belongsTo))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), body])
}
