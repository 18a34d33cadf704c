/**
 * The headers of a try: what it is, and who says so, by the secret of its endpoint. `bursar listen`
 * makes the same.
 */
import { hmacSha256, randomText } from '../../lib/secrets.ts'
import { version } from '../../lib/version.ts'

export const newSecret = (): string => `weh_${randomText(32)}`

/**
 * A secret in its two spellings: libraries of Standard Webhooks take theirs for the base64 of the
 * key, whose bytes are those of ours.
 */
export const spelled = (secret: string) => ({
  secret,
  standard_secret: `whsec_${Buffer.from(secret).toString('base64')}`,
})

/** One try to deliver an event: the bytes of its body, and which try it is, from 1 on. */
export type SignedTry = {
  event_id: string
  type: string
  body: string
  attempt: number
  sample: boolean
}

/** The secrets that sign: the newest and, for a while after a roll, the one before. */
export type SigningSecrets = readonly [newest: string, previous?: string]

/**
 * The headers of a try. `X-Signature` is of the body alone under the newest secret and, after a
 * roll, the one before's stands beside it; those of Standard Webhooks
 * (https://www.standardwebhooks.com, specification 1.0.0) cover the event's id and the time too.
 * @param sentAt the machine's time, which receivers compare with theirs
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
