/** Stores the names by which providers know our records, and finds a record by them. */
import type { App } from '../../core/app.ts'
import { insert, type Work } from '../../core/inside.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import type { About, NotifiedKind } from '../../rails/ports/inbound.ts'
import type { ApplyResult, RecordOwner } from './appliers.ts'
import * as statements from './sql.ts'

type RecordReference = { rail: string; kind: NotifiedKind; reference: string; subject: Id }

/**
 * Stores the reference that a provider will receive, in the transaction that is committed before
 * the first byte is sent. Idempotent.
 * @throws {Error} when another record has the reference
 */
export async function keepReference(
  work: Work,
  { rail, kind, reference, subject }: RecordReference,
): Promise<void> {
  const row = { rail, kind, reference, subject, provider_id: null, created_at: work.scope.now }
  if ((await insert(work, statements.references, row, 'do nothing')) !== null) return
  const { businessId, livemode } = work.scope
  const known = await work.reader.row(statements.selectOwner, [
    livemode,
    rail,
    kind,
    reference,
    null,
  ])
  if (known?.business_id !== businessId || known.subject !== subject)
    throw new Error(`${rail} knows another ${kind} by the reference ${reference}`)
}

/**
 * Stores the provider's own id of a record once it is known, because not every notification
 * contains our reference. Does nothing when another record has the id.
 */
export async function keepProviderId(
  work: Work,
  { rail, kind, reference, providerId }: Omit<RecordReference, 'subject'> & { providerId: string },
): Promise<void> {
  const known = await work.reader.row(statements.selectOwner, [
    work.scope.livemode,
    rail,
    kind,
    null,
    providerId,
  ])
  if (known === null)
    await work.rows(statements.updateProviderId, [rail, kind, reference, providerId])
}

/**
 * Stores both names of an order that returns money to the payer. Notifications may name the
 * returned payment, which can have several orders; the provider's lists name our order id. The
 * provider's own id is stored with the order id.
 * @throws {Error} when another record has one of the names
 */
export async function keepRefundNames(
  work: Work,
  { id, ...payment }: RecordReference & { id: Id },
  providerId: string | null = null,
): Promise<void> {
  await keepReference(work, payment)
  const order = { ...payment, reference: id }
  await keepReference(work, order)
  if (providerId !== null) await keepProviderId(work, { ...order, providerId })
}

/**
 * Returns the record that a provider means, or null when it has no owner yet; `again` when the
 * provider gave no answer.
 */
export async function findOwner(
  app: App,
  about: About & { rail: string; livemode: boolean },
): Promise<RecordOwner | 'again' | null> {
  const { livemode, rail, kind, reference, providerId } = about
  const known = await app.db.row(statements.selectOwner, [
    livemode,
    rail,
    kind,
    reference,
    providerId,
  ])
  if (known) return { businessId: known.business_id, subject: known.subject }
  return (await app.strategies.inbound[kind]?.find?.(app, about)) ?? null
}

/**
 * Queries a record as a webhook about it would.
 * @returns `unknown_subject` when no record has these names
 */
export async function queryRecord(
  app: App,
  about: About & { rail: string; livemode: boolean },
): Promise<ApplyResult | 'unknown_subject'> {
  const applier = app.strategies.inbound[about.kind]
  const owner = applier ? await findOwner(app, about) : null
  if (!applier || owner === null) return 'unknown_subject'
  if (owner === 'again') return owner
  const scope = await scopeOf(app, owner.businessId, about.livemode)
  return applier.apply(outside(app, scope), owner.subject, about)
}
