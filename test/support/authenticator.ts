/**
 * An authenticator without a device: it makes passkeys (ES256, no attestation) and shows them, as
 * browsers hand both on, and does what none should: lies about its page, counts back, is not
 * unlocked.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** What is lied about. `unlocked`: whether its owner has shown a finger, a face or a PIN. */
export type Lies = {
  origin?: string
  host?: string
  count?: number
  unlocked?: boolean
  userHandle?: string
  type?: string
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const base64 = (data: string | Buffer): string => Buffer.from(data as Buffer).toString('base64url')

/** CBOR (RFC 8949), as far as it is needed: a string of bytes, with its length. */
const bytes = (data: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x59, data.length >> 8, data.length & 255]), data])

/** One passkey of a person, for pages at `origin`. @param idLength how many bytes its id has */
export function newPasskey(origin: string, idLength = 32) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = (text: string): Buffer =>
    Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')])
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const cose = [
    Buffer.from('a5010203262001', 'hex'),
    Buffer.from([0x21]),
    point(x),
    Buffer.from([0x22]),
    point(y),
  ]
  const id = randomBytes(idLength)
  const host = new URL(origin).hostname

  const data = (flags: number, lies: Lies): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.count ?? 0)
    return Buffer.concat([
      sha256(lies.host ?? host),
      Buffer.from([flags | (lies.unlocked === false ? 0 : 4)]),
      count,
    ])
  }
  const clientData = (type: string, challenge: string, lies: Lies): string =>
    JSON.stringify({
      type: lies.type ?? type,
      challenge,
      origin: lies.origin ?? origin,
      crossOrigin: false,
    })
  const answer = (response: object): string =>
    JSON.stringify({
      id: base64(id),
      rawId: base64(id),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    })

  return {
    id,
    /** What the browser sends of the passkey that it has made. */
    made(challenge: string, lies: Lies = {}): string {
      const length = Buffer.from([id.length >> 8, id.length & 255])
      const authData = Buffer.concat([data(0x41, lies), Buffer.alloc(16), length, id, ...cose])
      const head = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a0', 'hex'),
        Buffer.from('hauthData'),
      ])
      return answer({
        clientDataJSON: base64(clientData('webauthn.create', challenge, lies)),
        attestationObject: base64(Buffer.concat([head, bytes(authData)])),
        transports: ['internal', 'nonsense'],
      })
    },
    /** What it sends of the passkey that was shown. */
    shown(challenge: string, lies: Lies = {}): string {
      const authenticatorData = data(1, lies)
      const clientDataJSON = clientData('webauthn.get', challenge, lies)
      return answer({
        clientDataJSON: base64(clientDataJSON),
        authenticatorData: base64(authenticatorData),
        signature: base64(
          sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey),
        ),
        ...(lies.userHandle !== undefined && { userHandle: lies.userHandle }),
      })
    },
  }
}
