/**
 * Answers of authenticators, read and verified (https://www.w3.org/TR/webauthn-3/). The library is
 * loaded by its first use: few requests need it.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'

/** For which host passkeys are made, and from which pages they are taken. */
export type PasskeyHost = { id: string; origin: string }

/** What a browser has sent: its form is known, and nothing of it is believed yet. */
export type Answer = {
  /** In base64url, as the library takes it. */
  id: string
  credentialId: Buffer
  challenge: string
  userHandle: string | null
  json: object
}

const longest = 20_000

/** Reads an answer as the pages' script writes it; null where it is none. */
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
 * In bytes (https://www.w3.org/TR/webauthn-3/#credential-id). An index has no room for what is much
 * longer.
 */
const longestId = 1023

const transportsKnown = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/**
 * Verifies that a passkey was made for us, by somebody who unlocked the device; null: it was not.
 */
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
  const told = Array.isArray(response.response.transports) ? response.response.transports : []
  return {
    credentialId,
    publicKey: Buffer.from(credential.publicKey),
    counter: credential.counter,
    backedUp,
    transports: transportsKnown.filter((one) => told.includes(one as never)),
  }
}

/**
 * Verifies that a passkey was shown to us, unlocked, and that it has not counted back; null: it was
 * not.
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
