/** What Monnify's webhooks are about. Of their bodies only the reference is read. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Inbound } from '../ports/inbound.ts'
import { isPayoutReference } from '../records/provider-orders.ts'
import { isOfPayout, paidEvent } from './confirmed.ts'
import { notificationOf } from './deposits.ts'

/**
 * The signature is the hex HMAC-SHA512 of the raw body (https://developers.monnify.com, Webhooks,
 * with a vector). The sandbox sends none: in test mode a webhook without one is taken as the hint
 * that every webhook is, and asked about.
 * @param livemode whether a webhook without a signature is refused
 * @param secrets the secret key of now, and the one before while it is rolled
 * @param missed what payers paid that nobody told of; null where nobody pays there
 */
export function monnifyInbound(
  livemode: boolean,
  secrets: readonly string[],
  missed: Inbound['missed'] | null = null,
): Inbound {
  return {
    ...(missed ? { missed } : {}),
    verify(raw, headers) {
      const signature = headers['monnify-signature']
      if (signature === undefined) return !livemode
      const said = Buffer.from(signature, 'hex')
      return secrets.some((secret) => {
        const own = createHmac('sha512', secret).update(raw).digest()
        return said.length === own.length && timingSafeEqual(said, own)
      })
    },
    read(raw) {
      const body = asObject(JSON.parse(raw.toString('utf8')))
      const type = textOf(body?.eventType)
      if (type === null) throw new Error('no event of Monnify: it names no type')
      const data = asObject(body?.eventData)
      if (type === paidEvent) return notificationOf(data)
      const reference = textOf(data?.reference)
      // Transfers that others make with the same key are none of ours.
      if (!isOfPayout(type) || !isPayoutReference(reference)) return null
      // An event has no id: the same bytes are the same event.
      return {
        key: sha256(raw).toString('hex'),
        type,
        about: { kind: 'payout', reference, providerId: null },
      }
    },
  }
}
