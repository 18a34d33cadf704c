/** Monnify's webhooks. Only the reference is read from their bodies. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Inbound } from '../ports/inbound.ts'
import { isPayoutReference } from '../records/provider-orders.ts'
import { isOfPayout, paidEvent } from './confirmed.ts'
import { notificationOf } from './deposits.ts'

/**
 * The signature is the hex HMAC-SHA512 of the raw body (https://developers.monnify.com, Webhooks,
 * with a vector). The sandbox does not sign: in test mode an unsigned webhook is accepted, because
 * every webhook is only a hint that is then queried.
 * @param livemode whether an unsigned webhook is refused
 * @param secrets the current secret key, and the previous one during a roll
 * @param missed finds payments without a webhook; null if no payers pay there
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
      // Others' transfers with the same key are not ours.
      if (!isOfPayout(type) || !isPayoutReference(reference)) return null
      // Events have no id: equal bytes are the same event.
      return {
        key: sha256(raw).toString('hex'),
        type,
        about: { kind: 'payout', reference, providerId: null },
      }
    },
  }
}
