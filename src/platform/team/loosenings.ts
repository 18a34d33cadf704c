/**
 * Changes of live mode that loosen what a business has set for its safety. Each waits until a
 * second person confirms it, or for a day in which every owner knows of it and can cancel it. Who
 * asks locks first what the change is of.
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

/** How long a change that loosens waits where nobody confirms it: 24 hours. */
export const looseningWaitMs = 24 * 3_600_000

/**
 * How long nothing is loosened without a second person once an owner has removed another: 72 hours.
 */
export const ownerRemovedWaitMs = 72 * 3_600_000

/**
 * What can be loosened, with the job that loosens it when its time has come, and where the audit
 * log has it: a team's stands in both modes.
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

/** The names are stored with timers. */
export const looseningTask = (subject: LooseningSubject): string => subjects[subject].task

type Fields = Record<string, unknown>

/**
 * Whether what loosens has to wait: in live mode, where a key or a person asks for it. Commands on
 * the server's machine act at once.
 */
export function looseningWaits({ scope: { livemode, actor } }: View): boolean {
  return livemode && (actor?.type === 'key' || actor?.type === 'person')
}

/** The change of a subject that waits, or null. */
export async function findLoosening(
  { reader, scope }: View,
  subject: LooseningSubject,
): Promise<Loosening | null> {
  return scope.livemode ? reader.row(statements.selectLoosening, [scope.businessId, subject]) : null
}

/**
 * Keeps a change until it takes effect, in place of one that waited, and mails every owner.
 * @param asked.before what the change replaces, by the names of its fields
 * @param asked.lines what changes, in words, with before and after
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
 * Leaves of a change only these fields, as others were decided since; with none left it is
 * canceled.
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
 * Ends the wait of a change as confirmed by who acts. The caller makes the change.
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

/** Cancels a change that waits. @throws {Refusal} `not_found` */
export async function cancelLoosening(
  work: Work,
  subject: LooseningSubject,
  id: string,
): Promise<void> {
  if (!(await end(work, await lockWaiting(work, subject, id), 'loosening.canceled'))) refuseOver()
}

/**
 * Keeps that an owner was removed by another, or got a lower role, with the team locked: cancels
 * each change that waits, as an owner who was to know of it and could cancel it is gone. Those that
 * are asked for from now on wait for longer.
 */
export async function tightenLoosening(work: Work): Promise<void> {
  const { businessId, now } = work.scope
  await work.tx.rows(statements.updateOwnerRemoved, [businessId, now])
  for (const subject of Object.keys(subjects) as LooseningSubject[]) {
    const waiting = await findLoosening(work, subject)
    if (waiting) await end(work, waiting, 'loosening.canceled')
  }
}

/** Until when nothing takes effect by its time; null: no owner was removed. */
async function soonestOf({ tx, scope }: Work): Promise<Date | null> {
  const row = await tx.row(statements.selectOwnerRemoved, [scope.businessId])
  return row?.owner_removed_at ? later(row.owner_removed_at, ownerRemovedWaitMs) : null
}

/**
 * Ends the wait of a change whose time has come, for its job; cancels it where who asked for it may
 * not do so any more, or where an owner was being removed as it was asked for. Idempotent.
 * @returns the change, with the work by which the caller makes it, under who asked for it; null
 * where it was confirmed or canceled
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

/** Who asked for a change, as the audit log names who acts, with the right that it took. */
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

/** @returns whether it waited still */
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
      subject: `Somebody asked to loosen ${what} – ${business}`,
      body,
    })
  }
}
