/**
 * Builds the headers of an attempt, signed by the endpoint's secret. `bursar listen` builds the
 * same.
 */
import { hmacSha256, randomText } from '../../lib/secrets.ts'
import { version } from '../../lib/version.ts'

export const newSecret = (): string => `weh_${randomText(32)}`

/**
 * A secret in its two forms: Standard Webhooks libraries expect the key in base64; our key is the
 * bytes of our secret.
 */
export const spelled = (secret: string) => ({
  secret,
  standard_secret: `whsec_${Buffer.from(secret).toString('base64')}`,
})

/** One attempt: the bytes of its body and its number, from 1. */
export type SignedTry = {
  event_id: string
  type: string
  body: string
  attempt: number
  sample: boolean
}

/** The signing secrets: the newest and, for 24 hours after a roll, the previous one. */
export type SigningSecrets = readonly [newest: string, previous?: string]

/**
 * Builds the headers of an attempt. `X-Signature` covers the body with the newest secret; after a
 * roll, `X-Signature-Previous` does so with the previous one. The Standard Webhooks headers
 * (https://www.standardwebhooks.com, specification 1.0.0) also cover the event id and the time.
 * @param sentAt the machine's time, which receivers compare with their own
 */
export function deliveryHeaders(
  { event_id, type, body, attempt, sample }: SignedTry,
  secrets: SigningSecrets,
  sentAt: Date,
): Record<string, string> {
  const timestamp = Math.floor(sentAt.getTime() / 1_000)
  const timed = `${event_id}.${timestamp}.${body}`
  const [newest, previous] = secrets
    .filter((secret) => secret !== undefined)
    .map((secret) => ({
      own: `sha256=${hmacSha256(secret, body)}`,
      standard: `v1,${hmacSha256(secret, timed, 'base64')}`,
    }))
  if (!newest) throw new Error('a delivery is signed by one secret at least')
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Bursar/${version}`,
    'X-Event-Id': event_id,
    'X-Event-Type': type,
    'X-Delivery-Attempt': String(attempt),
    ...(sample ? { 'X-Event-Sample': 'true' } : {}),
    'X-Signature': newest.own,
    ...(previous ? { 'X-Signature-Previous': previous.own } : {}),
    'webhook-id': event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': previous ? `${newest.standard} ${previous.standard}` : newest.standard,
  }
}
