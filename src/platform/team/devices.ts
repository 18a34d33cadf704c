/**
 * Recognises devices that signed in before and counts their attempts separately, so that password
 * guessing cannot lock the account's owner out (OWASP, "Slow Down Online Guessing Attacks with
 * Device Cookies"). Stores nothing.
 */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../core/app.ts'
import type { Id } from '../../lib/ids.ts'
import { macsOf, randomText } from '../../lib/secrets.ts'

/** The cookie that marks a browser as a person's known device. It does not sign in. */
export const deviceCookie = 'bursar_device'
/** Seconds. */
export const deviceCookieAge = 365 * 86_400

const macs = (app: Pick<App, 'secrets'>, personId: Id, device: string): string[] =>
  macsOf(app.secrets, 'known device', `${personId} ${device}`)

/** Creates the device token that a browser keeps after a person signed in. */
export function deviceToken(app: Pick<App, 'secrets'>, personId: Id): string {
  const device = randomText(16)
  return `${device}.${macs(app, personId, device)[0]}`
}

/**
 * Returns the name of a person's known device, or null if the token is not valid for that person.
 */
export function knownDevice(
  app: Pick<App, 'secrets'>,
  personId: Id,
  token: string | null,
): string | null {
  const [, device, mac] = /^([0-9A-Za-z]{16})\.([0-9a-f]{64})$/.exec(token ?? '') ?? []
  if (device === undefined || mac === undefined) return null
  const given = Buffer.from(mac, 'hex')
  return macs(app, personId, device).some((one) => timingSafeEqual(given, Buffer.from(one, 'hex')))
    ? device
    : null
}
