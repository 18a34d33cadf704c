/**
 * Devices that signed in before. Their tries are counted apart from those of strangers: who tries
 * passwords of somebody's account cannot keep that person out (after OWASP's "Slow Down Online
 * Guessing Attacks with Device Cookies"). Nothing of it is stored.
 */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../core/app.ts'
import type { Id } from '../../lib/ids.ts'
import { macsOf, randomText } from '../../lib/secrets.ts'

/** The cookie that says of which person's devices a browser is. It signs nobody in. */
export const deviceCookie = 'bursar_device'
/** Seconds. */
export const deviceCookieAge = 365 * 86_400

const macs = (app: Pick<App, 'secrets'>, personId: Id, device: string): string[] =>
  macsOf(app.secrets, 'known device', `${personId} ${device}`)

/** What a browser keeps from which a person has signed in. */
export function deviceToken(app: Pick<App, 'secrets'>, personId: Id): string {
  const device = randomText(16)
  return `${device}.${macs(app, personId, device)[0]}`
}

/** What tells a known device of a person from others, or null when it is none. */
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
