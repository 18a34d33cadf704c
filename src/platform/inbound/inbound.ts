/**
 * Webhooks of payment providers. One is a hint: it is kept before it is answered, and then the
 * provider is asked about what it names, as a timer would have asked. Nothing of a body but
 * references is used.
 */
import type { App } from '../../core/app.ts'
import { insert, type Work } from '../../core/inside.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { type Database, type Tx, transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { seal, sha256, unseal } from '../../lib/secrets.ts'
import {
  type About,
  type Approvals,
  approvalsOf,
  type Inbound,
  type InboundNotification,
  inboundOf,
  type NotifiedKind,
  type TransferToApprove,
} from '../../rails/ports/inbound.ts'
import { openIncident } from '../incidents/incidents.ts'
import { addWaiting, unschedule } from '../jobs/timers.ts'
import * as statements from './sql.ts'

export type { ProviderEvent } from './sql.ts'

/**
 * What came of asking about a record. `again`: the provider gave no answer, so it must be asked
 * again. `quarantined`: what it answered cannot be so, and nothing was done.
 */
export type Applied = 'applied' | 'nothing_to_do' | 'again' | 'quarantined'

/**
 * What a module does when a provider notifies of one of its records: it asks the rail, outside of
 * any transaction, and applies the answer.
 */
export type InboundApplier = {
  apply(ctx: Ctx, subject: Id, about: About & { rail: string; type?: string }): Promise<Applied>
  /**
   * Whose record it is, where none of the names that it comes by is kept: what a provider takes of
   * its own accord, such as a deposit, or an order whose id there was lost. May ask the rail:
   * `again` when that gave no answer. Null where it is nobody's yet.
   */
  find?(
    app: App,
    about: About & { rail: string; livemode: boolean },
  ): Promise<Owned | 'again' | null>
}
export type Owned = { businessId: Id; subject: Id }

/**
 * What a module says when a provider asks whether it may pay one of its records: what speaks
 * against it, or null where nothing does. Null for what is none of its records. Asks nobody
 * outside: the provider waits.
 */
export type Approver = (
  ctx: Ctx,
  subject: Id,
  asked: TransferToApprove & { rail: string },
) => Promise<{ objection: string | null } | null>

declare module '../../core/app.ts' {
  interface Strategies {
    /** By what a notification is about; a kind that has none is for a person to look at. */
    inbound: Partial<Record<NotifiedKind, InboundApplier>>
    /** Of the modules that have money paid by providers. */
    approvers: readonly Approver[]
  }
}

/** Events belong to no business before they are applied: their jobs are nobody's. */
export const nobody = '0'.repeat(24) as Id
export const applyTask = 'inbound.apply'

/**
 * What a job of an event carries: one of another try than the event's is of the past, and does
 * nothing.
 */
export const jobOf = (id: Id, tries: number) => ({ event_id: id, tries })

/** Has an event applied as soon as the transaction has committed. */
function applySoon(
  tx: Tx,
  { id, livemode }: { id: Id; livemode: boolean },
  now: Date,
): Promise<void> {
  const scope = { businessId: nobody, livemode, now }
  return addWaiting(tx, [
    { task: applyTask, subject: id, dueAt: null, payload: jobOf(id, 0), scope },
  ])
}

// Receiving
// -------------------------------------------------------------------------------------------------

/** What came to an account's address. */
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
   * Keeps a delivery, and what is to be done about it, in one commit.
   * @returns false, and nothing is kept, when the account's provider has not signed it
   * @throws when it could not be committed: the provider must deliver it again
   */
  receive(delivery: Delivery): Promise<boolean>
  /** Whether an account of the mode has the name, and asks before it pays. */
  asks(name: string, livemode: boolean): boolean
  /**
   * Decides whether a provider may pay what it asks about: only what is being paid here. What is
   * refused is an incident.
   * @param token the end of the address that it came to
   * @returns null, and nothing of it is read, when it does not come from the account's provider
   */
  approve(delivery: Delivery & { token: string | null }): Promise<'approved' | 'refused' | null>
  /** Deliveries with a bad signature or none, since this process started. */
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
        const notification = read(inbound, raw)
        if (notification !== null) await keepEvent(app, { name, livemode, raw, notification })
        return true
      }
      countRefused(delivery)
      return false
    },
    asks: (name, livemode) => approvalsOf(app.rails, livemode, name) !== null,
    async approve(delivery) {
      const { name, livemode, raw, headers, token } = delivery
      const approvals = approvalsOf(app.rails, livemode, name)
      if (approvals !== null && isSigned(app, () => approvals.verify(raw, headers, token)))
        return (await decide(app, { name, livemode, raw, approvals })) ? 'approved' : 'refused'
      countRefused(delivery)
      return null
    },
    refused: () => [...refused.values()],
  }
}

/** A signature that cannot even be compared is a bad one. */
function isSigned({ log }: App, verify: () => boolean): boolean {
  try {
    return verify()
  } catch (error) {
    log.warn({ err: error }, 'the signature of a provider could not be looked at')
    return false
  }
}

const digestOf = (text: string | Buffer): string => sha256(text).toString('hex')

/** The longest of what names an event or a record; a key that is longer is known by its digest. */
const longestName = 200

/**
 * @returns `unreadable` for what a provider signed and is none of its events, or names what cannot
 * be stored
 */
function read(inbound: Inbound, raw: Buffer): InboundNotification | 'unreadable' | null {
  let said: InboundNotification | null
  try {
    said = inbound.read(raw)
  } catch {
    return 'unreadable'
  }
  if (said === null) return null
  const { key, type, about } = said
  const names = [type, about.reference ?? '', about.providerId ?? '']
  if (
    [key, ...names].some((name) => name.includes('\u0000')) ||
    names.some((name) => name.length > longestName)
  )
    return 'unreadable'
  return { ...said, key: key.length > longestName ? digestOf(key) : key }
}

/** What is to be kept; `raw` is null where nobody has delivered it. */
type Read = {
  name: string
  livemode: boolean
  raw: Buffer | null
  notification: InboundNotification | 'unreadable'
}

/** Keeps an event, and has it applied. Idempotent by its key. */
export async function keepEvent(
  app: App,
  { name: rail, livemode, raw, notification }: Read,
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
    const kept = await tx.row(statements.insertEvent, [
      ...names,
      body,
      now,
      readable ? null : 'quarantined',
      raw === null,
    ])
    const { id, deliveries, ended } = kept as { id: Id; deliveries: number; ended: boolean }
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

// Approvals
// -------------------------------------------------------------------------------------------------

/** @throws when it could not be looked at: it is not approved */
async function decide(
  app: App,
  {
    name: rail,
    livemode,
    raw,
    approvals,
  }: Pick<Delivery, 'name' | 'livemode' | 'raw'> & { approvals: Approvals },
): Promise<boolean> {
  const at = app.clock.now()
  let asked: TransferToApprove
  try {
    asked = approvals.read(raw)
    if (asked.reference.includes('\u0000') || asked.reference.length > longestName)
      throw new Error('its reference is none of ours')
  } catch (error) {
    const detail = {
      why: `what is asked about cannot be read: ${(error as Error).message}`,
      bytes: raw.length,
    }
    await openIncident(app.db, { livemode, rail, kind: 'approval_refused', detail, at })
    return false
  }
  const { reference, amount, currency, accountNumber } = asked
  const known = await ownerOf(app, { kind: 'payout', reference, providerId: null, rail, livemode })
  if (known === 'again') throw new Error('whose payment it is cannot be known now')
  const why =
    known === null
      ? 'nothing here has this reference'
      : await objectionTo(app, known, { ...asked, rail, livemode })
  app.log.info({ rail, livemode, reference, why }, 'a provider asked whether it may pay')
  if (why === null) return true
  const detail = { why, reference, amount, currency, account: `XXXXXX${accountNumber.slice(-4)}` }
  const ours = known === null ? {} : { businessId: known.businessId }
  await openIncident(app.db, {
    livemode,
    rail,
    kind: 'approval_refused',
    subject: reference,
    ...ours,
    detail,
    at,
  })
  return false
}

async function objectionTo(
  app: App,
  { businessId, subject }: Owned,
  asked: TransferToApprove & { rail: string; livemode: boolean },
): Promise<string | null> {
  const ctx = outside(app, await scopeOf(app, businessId, asked.livemode))
  for (const approver of app.strategies.approvers) {
    const found = await approver(ctx, subject, asked)
    if (found !== null) return found.objection
  }
  return 'nothing here has this reference'
}

// References
// -------------------------------------------------------------------------------------------------

/** What a provider knows a record by. */
export type KnownBy = { rail: string; kind: NotifiedKind; reference: string; subject: Id }

/**
 * Keeps what a provider will know a record by, in the transaction that is committed before the
 * first byte is sent. Idempotent.
 * @throws {Error} when the provider knows another record by it
 */
export async function keepReference(
  work: Work,
  { rail, kind, reference, subject }: KnownBy,
): Promise<void> {
  const row = { rail, kind, reference, subject, provider_id: null, created_at: work.scope.now }
  const kept = await insert(work, statements.references, row, 'do nothing')
  if (kept !== null) return
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
 * Keeps the provider's own id of a record, once it is known: not every notification has our
 * reference. Another's stays another's.
 */
export async function keepProviderId(
  work: Work,
  { rail, kind, reference, providerId }: Omit<KnownBy, 'subject'> & { providerId: string },
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
 * Keeps what a provider knows an order by that goes back to who paid: its notifications may name
 * what was paid, of which several orders may be, and its lists our id of the order. The provider's
 * own id is kept with the second.
 * @throws {Error} when the provider knows another record by one of them
 */
export async function keepRefundNames(
  work: Work,
  { id, ...known }: KnownBy & { id: Id },
  providerId: string | null = null,
): Promise<void> {
  await keepReference(work, known)
  const own = { ...known, reference: id }
  await keepReference(work, own)
  if (providerId !== null) await keepProviderId(work, { ...own, providerId })
}

/**
 * Whose record a provider means, or null where it is nobody's yet; `again` where the provider does
 * not say.
 */
export async function ownerOf(
  app: App,
  about: About & { rail: string; livemode: boolean },
): Promise<Owned | 'again' | null> {
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
 * Has a record asked about, as a webhook of it would.
 * @returns `unknown_subject` where nobody's record is known by these names
 */
export async function applyNow(
  app: App,
  about: About & { rail: string; livemode: boolean },
): Promise<Applied | 'unknown_subject'> {
  const applier = app.strategies.inbound[about.kind]
  const owner = applier ? await ownerOf(app, about) : null
  if (!applier || owner === null) return 'unknown_subject'
  if (owner === 'again') return owner
  const scope = await scopeOf(app, owner.businessId, about.livemode)
  return applier.apply(outside(app, scope), owner.subject, about)
}

/**
 * What is done about records of one kind whose modules differ: by what their references begin with,
 * or else by `others`.
 */
export function byReference(
  appliers: Record<string, InboundApplier>,
  others: InboundApplier,
): InboundApplier {
  const of = ({ reference }: About): InboundApplier =>
    Object.entries(appliers).find(([prefix]) => reference?.startsWith(prefix))?.[1] ?? others
  return {
    apply: (ctx, subject, about) => of(about).apply(ctx, subject, about),
    find: async (app, about) => of(about).find?.(app, about) ?? null,
  }
}

// For the operator
// -------------------------------------------------------------------------------------------------

/** The latest events of an account, of both modes, newest first. */
export function latestEvents(
  db: Database,
  rail: string,
  limit: number,
): Promise<statements.ProviderEvent[]> {
  return db.rows(statements.selectEvents, [rail, limit])
}

/**
 * An event of an account with its body as it came; `body` is null once it is applied.
 * @throws {Error} when the server lacks the key that it is sealed under
 */
export async function readEvent(
  { db, secrets }: Pick<App, 'db' | 'secrets'>,
  rail: string,
  id: string,
) {
  const row = await db.row(statements.selectBody, [id, rail])
  if (row === null) return null
  const { body, ...event } = row
  const opened =
    body && unseal(secrets, statements.sealedBodies.purpose, body, statements.bodyOwner(event))
  return { event, body: opened && Buffer.from(opened, 'latin1') }
}

const replayedAtOnce = 1_000

/**
 * Has events of an account applied anew, by the servers that run.
 * @param id one of them, whatever became of it; else all that nothing was done about
 * @returns how many
 */
export async function replayEvents(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  rail: string,
  id: string | null,
): Promise<number> {
  const now = clock.now()
  return transaction(db, async (tx) => {
    const events = await tx.rows(statements.reopenEvents, [rail, id, replayedAtOnce])
    await unschedule(
      tx,
      nobody,
      applyTask,
      events.map((event) => event.id),
    )
    for (const event of events) await applySoon(tx, event, now)
    return events.length
  })
}

/** When accounts were last heard of, each in its mode. */
export function heardOf(db: Database, accounts: { livemode: boolean; rail: string }[]) {
  return db.rows(statements.selectHeard, [
    accounts.map((one) => one.livemode),
    accounts.map((one) => one.rail),
  ])
}

/** How many wait to be applied, by mode and account, and since when. */
export function countUnapplied(db: Database) {
  return db.rows(statements.countUnapplied)
}

const deletedAtOnce = 1_000

/**
 * Deletes what came to its end longer than PROVIDER_EVENTS_KEEP ago, but what an open incident is
 * about.
 */
export async function forgetOldEvents({
  db,
  clock,
  config,
}: Pick<App, 'db' | 'clock' | 'config'>): Promise<void> {
  const before = later(clock.now(), -config.PROVIDER_EVENTS_KEEP)
  let deleted: bigint
  do deleted = (await db.row(statements.deleteOld, [before, deletedAtOnce]))?.deleted ?? 0n
  while (deleted >= deletedAtOnce)
}
