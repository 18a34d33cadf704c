/**
 * Receives webhooks and approval requests of providers. Uses nothing of a webhook's body but
 * references.
 */
import type { App } from '../../core/app.ts'
import { transaction } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { seal, sha256 } from '../../lib/secrets.ts'
import {
  approvalsOf,
  type Inbound,
  type InboundNotification,
  inboundOf,
} from '../../rails/ports/inbound.ts'
import { openIncident } from '../incidents/incidents.ts'
import { applySoon } from './applying.ts'
import { decideApproval } from './approving.ts'
import * as statements from './sql.ts'

/** A request to an account's address. */
export type Delivery = {
  name: string
  livemode: boolean
  raw: Buffer
  headers: Record<string, string | undefined>
}

/** Receives webhooks and approval requests of providers. */
export type ProviderWebhooks = {
  /** Whether an account of the mode has the name. */
  knows(name: string, livemode: boolean): boolean
  /**
   * Stores an event and the job that applies it, in one commit.
   * @returns false when the account's provider has not signed it, and nothing is stored
   * @throws when it could not be committed: the provider must deliver it again
   */
  receive(delivery: Delivery): Promise<boolean>
  /** Whether an account of the mode has the name and asks for approval before it pays. */
  asks(name: string, livemode: boolean): boolean
  /**
   * Decides whether a provider may pay: only what we are paying now. Opens an incident otherwise.
   * @param token the end of the address of the request
   * @returns null when the request does not come from the account's provider, and nothing is read
   */
  approve(delivery: Delivery & { token: string | null }): Promise<'approved' | 'refused' | null>
  /** Deliveries without a valid signature, since this process started. */
  refused(): { name: string; livemode: boolean; count: number }[]
}

/** Opens the receiver of provider webhooks of a process. */
export function openProviderWebhooks(app: App): ProviderWebhooks {
  const refused = new Map<string, { name: string; livemode: boolean; count: number }>()
  const countRefused = ({ name, livemode }: Delivery): void => {
    const key = `${livemode} ${name}`
    const before = refused.get(key)?.count ?? 0
    refused.set(key, { name, livemode, count: before + 1 })
  }
  return {
    knows: (name, livemode) => inboundOf(app.rails, livemode, name) !== null,
    async receive(delivery) {
      const { name, livemode, raw, headers } = delivery
      const inbound = inboundOf(app.rails, livemode, name)
      if (inbound !== null && isSigned(app, () => inbound.verify(raw, headers))) {
        const notification = parseNotification(inbound, raw)
        if (notification !== null) await storeEvent(app, { name, livemode, raw, notification })
        return true
      }
      countRefused(delivery)
      return false
    },
    asks: (name, livemode) => approvalsOf(app.rails, livemode, name) !== null,
    async approve(delivery) {
      const { name: rail, livemode, raw, headers, token } = delivery
      const approvals = approvalsOf(app.rails, livemode, rail)
      if (approvals !== null && isSigned(app, () => approvals.verify(raw, headers, token)))
        return (await decideApproval(app, { rail, livemode, raw, approvals }))
          ? 'approved'
          : 'refused'
      countRefused(delivery)
      return null
    },
    refused: () => [...refused.values()],
  }
}

/** Returns false also when the signature cannot be compared. */
function isSigned({ log }: App, verify: () => boolean): boolean {
  try {
    return verify()
  } catch (error) {
    log.warn({ err: error }, 'the signature of a provider could not be verified')
    return false
  }
}

const digestOf = (text: string | Buffer): string => sha256(text).toString('hex')

/**
 * Parses the body of a webhook. A key longer than `longestName` is replaced by its digest.
 * @returns null for an event that needs no action; `unreadable` for a body that is no event of the
 * provider, or has names that cannot be stored
 */
function parseNotification(
  inbound: Inbound,
  raw: Buffer,
): InboundNotification | 'unreadable' | null {
  let notification: InboundNotification | null
  try {
    notification = inbound.read(raw)
  } catch {
    return 'unreadable'
  }
  if (notification === null) return null
  const { key, type, about } = notification
  const names = [type, about.reference ?? '', about.providerId ?? '']
  if (
    [key, ...names].some((name) => name.includes('\u0000')) ||
    names.some((name) => name.length > statements.longestName)
  )
    return 'unreadable'
  return { ...notification, key: key.length > statements.longestName ? digestOf(key) : key }
}

/** @property raw null for an event that a sweep found, which no webhook delivered */
type NewEvent = {
  name: string
  livemode: boolean
  raw: Buffer | null
  notification: InboundNotification | 'unreadable'
}

/** Stores an event and the job that applies it. Idempotent by the event's key. */
export async function storeEvent(
  app: App,
  { name: rail, livemode, raw, notification }: NewEvent,
): Promise<void> {
  const now = app.clock.now()
  const readable = notification !== 'unreadable'
  const {
    key,
    type,
    about,
    mayRepeat = false,
  } = readable ? notification : unreadable(raw ?? Buffer.alloc(0))
  const owner = statements.bodyOwner({ livemode, rail, key })
  const body =
    raw && seal(app.secrets, statements.sealedBodies.purpose, raw.toString('latin1'), owner)
  const { kind, reference, providerId } = about
  const names = [livemode, rail, key, newId(now), type, kind, reference, providerId]
  await transaction(app.db, async (tx) => {
    const stored = await tx.row(statements.insertEvent, [
      ...names,
      body,
      now,
      readable ? null : 'quarantined',
      raw === null,
    ])
    const { id, deliveries, ended } = stored as { id: Id; deliveries: number; ended: boolean }
    if (deliveries > 1) {
      if (!mayRepeat || !ended) return
      await tx.rows(statements.reopenEvents, [rail, id, 1])
    }
    if (readable) await applySoon(tx, { id, livemode }, now)
    else
      await openIncident(tx, {
        livemode,
        rail,
        kind: 'unreadable_event',
        subject: id,
        at: now,
        detail: { bytes: raw?.length ?? 0 },
      })
  })
}

const unreadable = (raw: Buffer): InboundNotification => ({
  key: `sha256:${digestOf(raw)}`,
  type: 'unreadable',
  about: { kind: 'other', reference: null, providerId: null },
})
