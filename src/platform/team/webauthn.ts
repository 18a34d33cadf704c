/**
 * Parses and verifies authenticator answers (https://www.w3.org/TR/webauthn-3/). Loads the library
 * at its first use, because few requests need it.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** The host of passkeys, and the origin of the pages that use them. */
export type PasskeyHost = { id: string; origin: string }

/** A browser's answer: parsed, not yet verified. */
export type Answer = {
  /** In base64url, as the library expects. */
  id: string
  credentialId: Buffer
  challenge: string
  userHandle: string | null
  json: object
}

const longest = 20_000

/** Parses an answer from the pages' script; null if invalid. */
export function readAnswer(text: string): Answer | null {
  try {
    if (text.length > longest) return null
    const json = JSON.parse(text)
    const { id, response } = json
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    if (typeof id !== 'string' || typeof challenge !== 'string') return null
    const userHandle = typeof response.userHandle === 'string' ? response.userHandle : null
    return { id, credentialId: Buffer.from(id, 'base64url'), challenge, userHandle, json }
  } catch {
    return null
  }
}

const library = () => import('@simplewebauthn/server')

export type NewPasskey = {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  backedUp: boolean
}

/**
 * In bytes (https://www.w3.org/TR/webauthn-3/#credential-id). An index cannot hold much longer
 * keys.
 */
const longestId = 1023

const transportsKnown = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Verifies that a new passkey was created for us on an unlocked device; null: it was not. */
export async function verifyNew(
  { json, challenge }: Answer,
  host: PasskeyHost,
): Promise<NewPasskey | null> {
  const { verifyRegistrationResponse } = await library()
  const response = json as RegistrationResponseJSON
  const made = await verifyRegistrationResponse({ response, ...expected(host, challenge) }).catch(
    () => null,
  )
  if (!made?.registrationInfo) return null
  const { credential, credentialBackedUp: backedUp } = made.registrationInfo
  const credentialId = Buffer.from(credential.id, 'base64url')
  if (credentialId.length > longestId) return null
  const transports = Array.isArray(response.response.transports) ? response.response.transports : []
  return {
    credentialId,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    backedUp,
    transports: transportsKnown.filter((one) => transports.includes(one as never)),
  }
}

/**
 * Verifies that a passkey was used for us on an unlocked device, with an increased counter; null:
 * it was not.
 */
export async function verifyShown(
  { id, json, challenge }: Answer,
  passkey: { public_key: Buffer; sign_count: bigint },
  host: PasskeyHost,
): Promise<{ counter: number; backedUp: boolean } | null> {
  const { verifyAuthenticationResponse } = await library()
  const credential = {
    id,
    publicKey: new Uint8Array(passkey.public_key),
    counter: Number(passkey.sign_count),
  }
  const response = json as AuthenticationResponseJSON
  const shown = await verifyAuthenticationResponse({
    response,
    credential,
    ...expected(host, challenge),
  }).catch(() => null)
  if (!shown?.verified) return null
  return {
    counter: shown.authenticationInfo.newCounter,
    backedUp: shown.authenticationInfo.credentialBackedUp,
  }
}

const expected = ({ id, origin }: PasskeyHost, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: id,
  requireUserVerification: true,
})
