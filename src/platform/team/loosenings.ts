/**
 * Live changes that loosen a business's safety settings. Each waits for a second person's
 * confirmation, or for a day in which every owner is notified and can cancel it. Callers lock the
 * subject first.
 */
import { type Change, recordChange, recordTeamChange } from '../../books/audit/audit.ts'
import type { Actor } from '../../core/app.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import { later } from '../../lib/clock.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { schedule, unschedule } from '../jobs/timers.ts'
import { mailOnce } from '../mail/mail.ts'
import type { Loosening, LooseningSubject } from './loosenings-sql.ts'
import * as statements from './loosenings-sql.ts'
import { requireSecondPerson, whoActs } from './makers.ts'
import { requireRightNow } from './persons.ts'
import type { Right } from './roles.ts'
import { selectRecipients } from './team-sql.ts'

export type { Loosening } from './loosenings-sql.ts'

/** How long an unconfirmed loosening waits: 24 hours. */
export const looseningWaitMs = 24 * 3_600_000

/**
 * How long no loosening takes effect without a second person after an owner removed another: 72
 * hours.
 */
export const ownerRemovedWaitMs = 72 * 3_600_000

/**
 * Subjects of loosenings: the job that applies one when due, and its place in the audit log; a team
 * belongs to both modes.
 */
const subjects = {
  limits: {
    task: 'limits.loosen',
    record: recordChange,
    right: 'manage',
    page: '/limits',
    what: 'the limits of payouts',
  },
  second_factor: {
    task: 'team.loosen',
    record: recordTeamChange,
    right: 'team' as const,
    page: '/team',
    what: 'whether everybody needs a second factor',
  },
} as const satisfies Record<LooseningSubject, object>

/** Returns the task of a subject. Timers store these names. */
export const looseningTask = (subject: LooseningSubject): string => subjects[subject].task

type Fields = Record<string, unknown>

/**
 * Whether a loosening must wait: in live mode, when a key or a person requests it. Commands on the
 * server's machine act at once.
 */
export function looseningWaits({ scope: { livemode, actor } }: View): boolean {
  return livemode && (actor?.type === 'key' || actor?.type === 'person')
}

/** Returns the pending loosening of a subject, or null. */
export async function findLoosening(
  { reader, scope }: View,
  subject: LooseningSubject,
): Promise<Loosening | null> {
  return scope.livemode ? reader.row(statements.selectLoosening, [scope.businessId, subject]) : null
}

/**
 * Stores a loosening until it takes effect, replaces a pending one, and mails every owner.
 * @param asked.before the values that the change replaces, by field name
 * @param asked.lines the change in words, with old and new values
 */
export async function askForLoosening(
  work: Work,
  subject: LooseningSubject,
  { change, before, lines }: { change: Fields; before: Fields; lines: string[] },
): Promise<void> {
  const { businessId, now, actor } = work.scope
  const maker = whoActs(work.scope)
  if (!maker || !actor || actor.type === 'operator')
    throw new Error('what the operator changes does not wait')
  const earlier = await findLoosening(work, subject)
  if (earlier) await end(work, earlier, 'loosening.canceled')
  const soonest = await soonestOf(work)
  const usual = later(now, looseningWaitMs)
  const loosening: Loosening = {
    id: newId(now),
    subject,
    change,
    created_at: now,
    takes_effect_at: soonest !== null && soonest > usual ? soonest : usual,
    made_by: { ...maker, address: actor.address },
  }
  const { id, made_by, created_at, takes_effect_at } = loosening
  await work.tx.rows(statements.insertLoosening, [
    businessId,
    subject,
    id,
    toJson(change),
    toJson(made_by),
    created_at,
    takes_effect_at,
  ])
  const payload = { loosening_id: id }
  await schedule(work, {
    task: looseningTask(subject),
    subject: id,
    dueAt: takes_effect_at,
    payload,
  })
  const after = { ...change, takes_effect_at }
  await subjects[subject].record(work, {
    action: 'loosening.requested',
    subject: businessId,
    before,
    after,
  })
  await mailOwners(work, loosening, { actor, lines })
}

/**
 * Keeps only these fields of a pending change, because others were decided since. Cancels it if
 * none is left.
 */
export async function narrowLoosening(
  work: Work,
  loosening: Loosening,
  change: Fields,
): Promise<void> {
  if (Object.keys(change).length === 0) await end(work, loosening, 'loosening.canceled')
  else
    await work.tx.rows(statements.updateLoosening, [
      work.scope.businessId,
      loosening.id,
      toJson(change),
    ])
}

/**
 * Ends a pending change as confirmed by the acting person. The caller applies the change.
 * @throws {Refusal} `not_found`, `approved_by_maker`, `approver_too_new`
 */
export async function confirmLoosening(
  work: Work,
  subject: LooseningSubject,
  id: string,
): Promise<Loosening> {
  const loosening = await lockWaiting(work, subject, id)
  await requireSecondPerson(work, loosening.made_by)
  if (!(await end(work, loosening, 'loosening.confirmed'))) refuseOver()
  return loosening
}

/** Cancels a pending change. @throws {Refusal} `not_found` */
export async function cancelLoosening(
  work: Work,
  subject: LooseningSubject,
  id: string,
): Promise<void> {
  if (!(await end(work, await lockWaiting(work, subject, id), 'loosening.canceled'))) refuseOver()
}

/**
 * Records that an owner removed or demoted another, with the team locked. Cancels each pending
 * change, because an owner who could have canceled it is gone. Later requests wait longer.
 */
export async function tightenLoosening(work: Work): Promise<void> {
  const { businessId, now } = work.scope
  await work.tx.rows(statements.updateOwnerRemoved, [businessId, now])
  for (const subject of Object.keys(subjects) as LooseningSubject[]) {
    const waiting = await findLoosening(work, subject)
    if (waiting) await end(work, waiting, 'loosening.canceled')
  }
}

/** The earliest time at which an unconfirmed change may take effect; null: no owner was removed. */
async function soonestOf({ tx, scope }: Work): Promise<Date | null> {
  const row = await tx.row(statements.selectOwnerRemoved, [scope.businessId])
  return row?.owner_removed_at ? later(row.owner_removed_at, ownerRemovedWaitMs) : null
}

/**
 * Ends the wait of a due change, for its job. Cancels it if its requester lost the right, or if an
 * owner was removed while it was requested. Idempotent.
 * @returns the change, and the requester's work by which the caller applies it; null if it was
 * confirmed or canceled
 */
export async function takeDueLoosening(
  work: Work,
  subject: LooseningSubject,
  id: unknown,
): Promise<{ loosening: Loosening; as: Work } | null> {
  const loosening = await findLoosening(work, subject)
  if (!loosening || loosening.id !== id || loosening.takes_effect_at > work.scope.now) return null
  const { right } = subjects[subject]
  const as = inside(work, work.tx, {
    ...work.scope,
    actor: makerOf(loosening, work.scope.now, right),
  })
  const soonest = await soonestOf(work)
  if (soonest !== null && soonest > loosening.takes_effect_at) {
    await end(work, loosening, 'loosening.canceled')
    return null
  }
  try {
    await requireRightNow(as, right)
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'scope_missing') throw error
    await end(work, loosening, 'loosening.canceled')
    return null
  }
  const isOurs = await work.tx.row(statements.deleteLoosening, [
    work.scope.businessId,
    loosening.id,
  ])
  return isOurs && { loosening, as }
}

/** The requester as an actor of the audit log, with the right that the change required. */
function makerOf(
  { made_by: { type, id, hint, address } }: Loosening,
  at: Date,
  right: Right,
): Actor {
  const who = { id: id as Id, hint: hint ?? '', scopes: [right], address, at }
  return type === 'key' ? { type, ...who, root: who.id, makers: [] } : { type: 'person', ...who }
}

async function lockWaiting(work: Work, subject: LooseningSubject, id: string): Promise<Loosening> {
  const found = await findLoosening(work, subject)
  return found?.id === id ? found : refuseOver()
}

/** @throws {Refusal} always, `not_found` */
function refuseOver(): never {
  refuse(
    'not_found',
    'This change does not wait any more: it took effect, or was canceled or replaced.',
  )
}

/** @returns whether it was still pending */
async function end(work: Work, loosening: Loosening, action: Change['action']): Promise<boolean> {
  const { id, subject, change, takes_effect_at } = loosening
  const { businessId } = work.scope
  if (!(await work.tx.row(statements.deleteLoosening, [businessId, id]))) return false
  await unschedule(work.tx, businessId, looseningTask(subject), [id])
  const before = { ...change, takes_effect_at }
  await subjects[subject].record(work, { action, subject: businessId, before, after: null })
  return true
}

async function mailOwners(
  work: Work,
  { id, subject, takes_effect_at }: Loosening,
  { actor, lines }: { actor: Exclude<Actor, { type: 'operator' }>; lines: string[] },
): Promise<void> {
  const { businessId } = work.scope
  const { what, page } = subjects[subject]
  const who = actor.type === 'key' ? `The key ${actor.hint}` : actor.hint
  for (const { email, name, role, business } of await work.tx.rows(selectRecipients, [
    businessId,
  ])) {
    if (role !== 'owner') continue
    const body = [
      `Hello ${name.replaceAll(/\s+/g, ' ')},`,
      '',
      `${who} asked to loosen ${what} of ${business}, from ${actor.address}:`,
      '',
      ...lines.map((line) => `- ${line}`),
      '',
      `This takes effect at ${takes_effect_at.toISOString().slice(0, 16).replace('T', ' ')} UTC, or sooner if a second person confirms it.`,
      'If it should not, cancel it here before then:',
      dashboardUrl(work, `/${businessId}/live${page}`),
      '',
      'Every owner gets this mail.',
      '',
    ].join('\n')
    await mailOnce(work, {
      about: `loosening.requested ${id}`,
      recipient: email,
      subject: `Someone asked to loosen ${what} – ${business}`,
      body,
    })
  }
}
