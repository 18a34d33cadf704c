/**
 * The job of an event: it finds the record, and has the record's module ask the provider.
 */

import type { JobPayload, Task } from '../../core/module.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { modeOf } from '../../lib/mode.ts'
import { askAgainAfter } from '../../rails/http/backoff.ts'
import { type IncidentKind, openIncident } from '../incidents/incidents.ts'
import { schedule } from '../jobs/timers.ts'
import { type Applied, applyTask, jobOf, type Owned, ownerOf } from './inbound.ts'
import * as statements from './sql.ts'

/**
 * How long until an event is looked at again whose record is not known: it may have overtaken our
 * own commit.
 */
const lookAgainMs = [5_000, 60_000, 600_000, 3_600_000]
/** How old an event is that its provider gave no answer about, when a person is to look. */
const stuckMs = 72 * 3_600_000
/**
 * How old an event about a dispute is when a person is shown that there is one, though its provider
 * says nothing of it.
 */
const showMs = 2 * 60_000

async function applyEvent(
  ctx: Ctx,
  { event_id: id, tries }: ReturnType<typeof jobOf>,
): Promise<void> {
  const event = await ctx.reader.row(statements.selectEvent, [id])
  if (event === null || event.outcome !== null || event.tries !== tries) return
  const applier = ctx.strategies.inbound[event.kind]
  if (applier === undefined)
    return end(ctx, event, {
      outcome: 'nothing_to_do',
      incident: event.kind === 'other' ? null : 'unhandled_event',
    })
  const about = {
    kind: event.kind,
    reference: event.reference,
    providerId: event.provider_id,
    rail: event.rail,
    type: event.type,
  }
  const owner = await ownerOf(ctx, { ...about, livemode: event.livemode })
  if (owner === null) return event.kind === 'dispute' ? show(ctx, event) : lookAgain(ctx, event)
  if (owner === 'again') return askAgain(ctx, event)
  const scope = await scopeOf(ctx, owner.businessId, event.livemode)
  const done = await applier.apply(outside(ctx, scope, ctx.log), owner.subject, about)
  if (done === 'again') return askAgain(ctx, event, owner)
  return end(ctx, event, {
    outcome: done,
    owner,
    incident: done === 'quarantined' ? 'quarantined' : null,
  })
}

/**
 * A dispute of a payment that no merchant has is a person's, who is shown at once what its provider
 * says of it. It is looked at again, where the provider can be asked: it may have overtaken the
 * payment.
 */
async function show(ctx: Ctx, event: statements.ProviderEvent): Promise<void> {
  const detail = (await disputeIn(ctx, event)) ?? {}
  const wait = statementOf(ctx, event) && lookAgainMs[event.tries]
  if (wait === undefined)
    return end(ctx, event, { outcome: 'quarantined', incident: 'unhandled_event', detail })
  const about = incidentOf(ctx, event, 'unhandled_event')
  await openIncident(ctx.reader, { ...about, detail: { ...about.detail, ...detail } })
  return tryAgain(ctx, event, wait)
}

const statementOf = (ctx: Ctx, { rail, livemode }: statements.ProviderEvent) =>
  ctx.rails[modeOf(livemode)].accounts[rail]?.statement

/** A dispute, as its provider says; null where it says nothing. */
async function disputeIn(ctx: Ctx, event: statements.ProviderEvent) {
  const { provider_id } = event
  const statement = statementOf(ctx, event)
  if (statement === undefined || provider_id === null) return null
  const said = await statement.dispute(provider_id).catch(() => null)
  if (said === null) return null
  const { payment, amount, currency, state } = said
  return { payment, amount, currency, state }
}

function lookAgain(ctx: Ctx, event: statements.ProviderEvent): Promise<void> {
  const wait = lookAgainMs[event.tries]
  if (wait === undefined)
    return end(ctx, event, { outcome: 'unknown_subject', incident: 'unknown_subject' })
  return tryAgain(ctx, event, wait)
}

/**
 * Its provider gave no answer. A record that had ended has no timer of its own any more, so the
 * event has one.
 */
async function askAgain(ctx: Ctx, event: statements.ProviderEvent, owner?: Owned): Promise<void> {
  const ageMs = ctx.scope.now.getTime() - event.received_at.getTime()
  // Who must answer a dispute has a day or two: a person sees in good time that there is one.
  if (event.kind === 'dispute' && ageMs >= showMs)
    await openIncident(ctx.reader, incidentOf(ctx, event, 'unhandled_event', owner))
  if (ageMs >= stuckMs) await openIncident(ctx.reader, incidentOf(ctx, event, 'stuck', owner))
  await tryAgain(ctx, event, askAgainAfter(ageMs))
}

function tryAgain(
  ctx: Ctx,
  { id, tries }: statements.ProviderEvent,
  waitMs: number,
): Promise<void> {
  return ctx.write(async (work) => {
    const counted = await work.reader.row(statements.countTry, [id, tries])
    if (counted === null) return
    const dueAt = later(work.scope.now, waitMs)
    await schedule(work, { task: applyTask, subject: id, dueAt, payload: jobOf(id, tries + 1) })
  })
}

type End = {
  detail?: Record<string, unknown>
  outcome: Exclude<Applied, 'again'> | 'unknown_subject'
  owner?: Owned
  incident?: IncidentKind | null
}

function end(
  ctx: Ctx,
  event: statements.ProviderEvent,
  { outcome, owner, incident = null, detail = {} }: End,
): Promise<void> {
  return ctx.write(async (work) => {
    const of = [owner?.businessId ?? null, owner?.subject ?? null]
    const ended = await work.reader.row(statements.endEvent, [
      event.id,
      outcome,
      work.scope.now,
      ...of,
    ])
    if (ended === null || incident === null) return
    const about = incidentOf(ctx, event, incident, owner)
    const opened = { ...about, detail: { ...about.detail, ...detail } }
    await openIncident(work.tx, opened)
    ctx.log.warn(
      { rail: event.rail, incident, ...opened.detail },
      'a person must look at what a provider notified of',
    )
  })
}

function incidentOf(
  { scope }: Ctx,
  event: statements.ProviderEvent,
  kind: IncidentKind,
  owner?: Owned,
) {
  const { id, livemode, rail, type, kind: of, reference, provider_id } = event
  return {
    livemode,
    rail,
    kind,
    subject: id,
    at: scope.now,
    ...(owner ? { businessId: owner.businessId } : {}),
    detail: {
      event: type,
      about: of,
      reference,
      provider_id,
      ...(owner ? { subject: owner.subject } : {}),
    },
  }
}

const apply: Task = (ctx: Ctx, payload: JobPayload) =>
  applyEvent(ctx, payload as ReturnType<typeof jobOf>)

export const inboundTasks: Record<string, Task> = { [applyTask]: apply }
