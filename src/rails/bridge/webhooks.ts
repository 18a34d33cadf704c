/**
 * Bridge's webhooks. Each is signed by its endpoint's private key, with the time of the delivery; a
 * retry has a new time.
 */
import { createVerify, type KeyObject } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Inbound } from '../ports/inbound.ts'
import { isPayoutReference } from '../records/provider-orders.ts'

/** The maximum age of a delivery, as Bridge advises: an older one may be a replay. */
const oldestMs = 600_000

const header = /^t=(\d{1,15}),v0=([A-Za-z0-9+/]+={0,2})$/

/**
 * @param keys the endpoint's public keys: the current one, and the previous one during a
 * replacement. None: everything is refused
 */
export function bridgeInbound(keys: readonly KeyObject[], clock: Clock): Inbound {
  return {
    verify(raw, headers) {
      const [, time, signature] = header.exec(headers['x-webhook-signature'] ?? '') ?? []
      if (time === undefined || signature === undefined) return false
      if (Math.abs(clock.now().getTime() - Number(time)) > oldestMs) return false
      const digest = sha256(Buffer.concat([Buffer.from(`${time}.`), raw]))
      // RSA with SHA-256 over this digest, so a digest of a digest: the example of Bridge's page on
      // signatures, settled on 2026-11-28.
      return keys.some((key) =>
        createVerify('sha256').update(digest).verify(key, signature, 'base64'),
      )
    },
    read(raw) {
      const body = asObject(JSON.parse(raw.toString('utf8')))
      const [key, type] = [textOf(body?.event_id), textOf(body?.event_type)]
      if (body === null || key === null || type === null)
        throw new Error('no event of Bridge: it has no id, or names no type')
      const about = transferIn(body)
      // Others' transfers with the same key, and tokens that the operator sends, are not ours.
      if (about === null || !isPayoutReference(about.reference)) return null
      return {
        key,
        type,
        about: { kind: 'payout', reference: about.reference, providerId: about.id },
      }
    },
  }
}

/**
 * Returns an event's transfer and its reference; null for other events. https://apidocs.bridge.xyz
 * (webhook event structure)
 */
const transferIn = (
  event: Record<string, unknown>,
): { id: string | null; reference: string | null } | null =>
  event.event_category === 'transfer'
    ? {
        id: textOf(event.event_object_id),
        reference: textOf(asObject(event.event_object)?.client_reference_id),
      }
    : null
