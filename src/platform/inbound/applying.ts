/** Runs the job of an event: finds the record and has its module query the provider. */
import type { JobPayload, Task } from '../../core/module.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import type { Tx } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import { type IncidentKind, openIncident, stuckAfterMs } from '../incidents/incidents.ts'
import { addWaiting, schedule } from '../jobs/timers.ts'
import type { ApplyResult, RecordOwner } from './appliers.ts'
import { findOwner } from './references.ts'
import * as statements from './sql.ts'

type ProviderEvent = statements.ProviderEvent

/** The business of an event's job: an event belongs to none before it is applied. */
export const noBusiness = '0'.repeat(24) as Id
export const applyTask = 'inbound.apply'

/**
 * Delays before each retry for an event whose record is unknown: it may have overtaken our own
 * commit.
 */
const unknownRetryMs = [5_000, 60_000, 600_000, 3_600_000]
/**
 * Age at which a dispute that its provider does not answer about is an incident: it must be
 * answered within a day or two.
 */
const disputeShownMs = 2 * 60_000

/** Payload of an event's job. A job whose `tries` differs from the event's is stale. */
type ApplyJob = { event_id: Id; tries: number }
const jobOf = (id: Id, tries: number): ApplyJob => ({ event_id: id, tries })

/** Adds the job that applies an event as soon as the transaction has committed. */
export function applySoon(
  tx: Tx,
  { id, livemode }: { id: Id; livemode: boolean },
  now: Date,
): Promise<void> {
  const scope = { businessId: noBusiness, livemode, now }
  return addWaiting(tx, [
    { task: applyTask, subject: id, dueAt: null, payload: jobOf(id, 0), scope },
  ])
}

async function applyEvent(ctx: Ctx, { event_id: id, tries }: ApplyJob): Promise<void> {
  const event = await ctx.reader.row(statements.selectEvent, [id])
  if (event === null || event.outcome !== null || event.tries !== tries) return
  const { livemode, kind, reference, provider_id: providerId, rail, type } = event
  const applier = ctx.strategies.inbound[kind]
  if (applier === undefined)
    return endEvent(ctx, event, {
      outcome: 'nothing_to_do',
      incident: kind === 'other' ? null : 'unhandled_event',
    })
  const about = { kind, reference, providerId, rail, type }
  const owner = await findOwner(ctx, { ...about, livemode })
  if (owner === null) return kind === 'dispute' ? showDispute(ctx, event) : retryUnknown(ctx, event)
  if (owner === 'again') return retryUnanswered(ctx, event)
  const scope = await scopeOf(ctx, owner.businessId, livemode)
  const outcome = await applier.apply(outside(ctx, scope, ctx.log), owner.subject, about)
  if (outcome === 'again') return retryUnanswered(ctx, event, owner)
  return endEvent(ctx, event, {
    outcome,
    owner,
    incident: outcome === 'quarantined' ? 'quarantined' : null,
  })
}

/**
 * Opens an incident for a dispute of a payment that no merchant has. Retries where the provider can
 * be queried, because the dispute may have overtaken the payment.
 */
async function showDispute(ctx: Ctx, event: ProviderEvent): Promise<void> {
  const detail = (await queryDispute(ctx, event)) ?? {}
  const waitMs = statementOf(ctx, event) && unknownRetryMs[event.tries]
  if (waitMs === undefined)
    return endEvent(ctx, event, { outcome: 'quarantined', incident: 'unhandled_event', detail })
  const incident = incidentOf(ctx, event, 'unhandled_event')
  await openIncident(ctx.reader, { ...incident, detail: { ...incident.detail, ...detail } })
  return retry(ctx, event, waitMs)
}

const statementOf = (ctx: Ctx, { rail, livemode }: ProviderEvent) =>
  ctx.rails[modeOf(livemode)].accounts[rail]?.statement

/** Queries the provider about a dispute. Returns null when it gives no answer. */
async function queryDispute(ctx: Ctx, event: ProviderEvent) {
  const { provider_id } = event
  const statement = statementOf(ctx, event)
  if (statement === undefined || provider_id === null) return null
  const dispute = await statement.dispute(provider_id).catch(() => null)
  if (dispute === null) return null
  const { payment, amount, currency, state } = dispute
  return { payment, amount, currency, state }
}

function retryUnknown(ctx: Ctx, event: ProviderEvent): Promise<void> {
  const waitMs = unknownRetryMs[event.tries]
  if (waitMs === undefined)
    return endEvent(ctx, event, { outcome: 'unknown_subject', incident: 'unknown_subject' })
  return retry(ctx, event, waitMs)
}

/**
 * Retries an event that its provider gave no answer about. The record may have ended, and has no
 * timer of its own then.
 */
async function retryUnanswered(ctx: Ctx, event: ProviderEvent, owner?: RecordOwner): Promise<void> {
  const ageMs = ctx.scope.now.getTime() - event.received_at.getTime()
  if (event.kind === 'dispute' && ageMs >= disputeShownMs)
    await openIncident(ctx.reader, incidentOf(ctx, event, 'unhandled_event', owner))
  if (ageMs >= stuckAfterMs) await openIncident(ctx.reader, incidentOf(ctx, event, 'stuck', owner))
  await retry(ctx, event, askAgainAfter(ageMs))
}

function retry(ctx: Ctx, { id, tries }: ProviderEvent, waitMs: number): Promise<void> {
  return ctx.write(async (work) => {
    const counted = await work.reader.row(statements.countTry, [id, tries])
    if (counted === null) return
    const dueAt = later(work.scope.now, waitMs)
    await schedule(work, { task: applyTask, subject: id, dueAt, payload: jobOf(id, tries + 1) })
  })
}

type EventEnd = {
  outcome: Exclude<ApplyResult, 'again'> | 'unknown_subject'
  owner?: RecordOwner
  incident?: IncidentKind | null
  detail?: Record<string, unknown>
}

function endEvent(
  ctx: Ctx,
  event: ProviderEvent,
  { outcome, owner, incident = null, detail = {} }: EventEnd,
): Promise<void> {
  return ctx.write(async (work) => {
    const ended = await work.reader.row(statements.endEvent, [
      event.id,
      outcome,
      work.scope.now,
      owner?.businessId ?? null,
      owner?.subject ?? null,
    ])
    if (ended === null || incident === null) return
    const about = incidentOf(ctx, event, incident, owner)
    const opened = { ...about, detail: { ...about.detail, ...detail } }
    await openIncident(work.tx, opened)
    ctx.log.warn(
      { rail: event.rail, incident, ...opened.detail },
      "a person must look into a provider's notification",
    )
  })
}

function incidentOf(
  { scope }: Ctx,
  { id, livemode, rail, type, kind: about, reference, provider_id }: ProviderEvent,
  kind: IncidentKind,
  owner?: RecordOwner,
) {
  return {
    livemode,
    rail,
    kind,
    subject: id,
    at: scope.now,
    ...(owner ? { businessId: owner.businessId } : {}),
    detail: {
      event: type,
      about,
      reference,
      provider_id,
      ...(owner ? { subject: owner.subject } : {}),
    },
  }
}

export const inboundTasks: Record<string, Task> = {
  [applyTask]: (ctx: Ctx, payload: JobPayload) => applyEvent(ctx, payload as ApplyJob),
}
