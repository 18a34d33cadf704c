/**
 * Payout schedules: rules that pay a part of a wallet to the business's own account at set times.
 * An active schedule has one timer for its next run, written in the transaction that computes it.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { timeZoneOf } from '../../books/profiles/profiles.ts'
import { availableIn } from '../../books/wallets/wallets.ts'
import { insert, update, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf, type PageQuery } from '../../db/lists/list.ts'
import { refuse as refuseGenerally, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { schedule as setTimer, unschedule } from '../../platform/jobs/timers.ts'
import { type Maker, whoActs } from '../../platform/team/team.ts'
import {
  type BeneficiaryRow,
  findBeneficiaries,
  requireOwn,
} from '../beneficiaries/beneficiaries.ts'
import { assertPayable } from '../payouts/payouts.ts'
import { type Rule, runsAhead } from './calendar.ts'
import { foreseen } from './foreseen.ts'
import type { ScheduleUpdate } from './schema.ts'
import {
  defaultTime,
  type RunRecord,
  type ScheduleIn,
  type ScheduleQuery,
  type ScheduleRecord,
} from './schema.ts'
import * as statements from './sql.ts'
import { type RunRow, runs, type ScheduleRow, schedules } from './sql.ts'

export type PayoutSchedule = Static<typeof ScheduleRecord>
type Run = Static<typeof RunRecord>

export const runTask = 'payout_schedules.run'

/** The number of future runs in a record. */
const shownAhead = 5

/** The columns of the next run. */
type Next = Pick<ScheduleRow, 'next_run_at' | 'next_run_day'>
const never: Next = { next_run_at: null, next_run_day: null }

/**
 * Returns a rule's next run: later than now and than the schedule's latest run, and on a later day
 * than the last paid one. Now alone is not enough: a change that began before a run waits for it.
 * @param row without an id: a schedule that has not run
 */
export async function nextOf(
  view: View,
  row: Rule & Pick<ScheduleRow, 'last_paid_day'> & { id?: Id },
): Promise<{ next_run_at: Date; next_run_day: string }> {
  const { now } = view.scope
  const last = row.id === undefined ? null : await view.row(statements.selectLastDue, [row.id])
  const after = last?.due_at && last.due_at > now ? last.due_at : now
  const [next] = runsAhead(row, await timeZoneOf(view), after, row.last_paid_day, 1)
  if (!next) throw new Error('a rule has no end')
  return { next_run_at: next.at, next_run_day: next.day }
}

/**
 * Returns a rule's next times, as if its schedule had it now. @param id of an existing schedule,
 * which pays at most once a day
 */
export async function aheadOf(view: View, rule: Rule, count: number, id?: string): Promise<Date[]> {
  const known = id === undefined ? null : await view.row(statements.selectSchedule, [id])
  const runs = runsAhead(
    rule,
    await timeZoneOf(view),
    view.scope.now,
    known?.last_paid_day ?? null,
    count,
  )
  return runs.map(({ at }) => at)
}

/** Sets the timer of a row's next run. */
export const setNext = (
  work: Work,
  { id, next_run_at }: Pick<ScheduleRow, 'id' | 'next_run_at'>,
): Promise<void> =>
  setTimer(work, {
    task: runTask,
    subject: id,
    dueAt: next_run_at as Date,
    payload: { schedule_id: id },
  })

/**
 * Creates an active schedule.
 * @throws {Refusal} those of `requireOwn` and `assertPayable`; `validation_failed` for an invalid
 * rule
 */
export async function create(
  work: Work,
  input: Static<typeof ScheduleIn>,
): Promise<PayoutSchedule> {
  const { now } = work.scope
  const rule = readRule(input.interval, input)
  const amounts = readAmounts(input, { keep: 0n, minimum: 1n, maximum: null })
  const payee = await readPayee(work, input.currency, input.beneficiary)
  const row = await insert(work, schedules, {
    id: newId(now),
    currency: input.currency,
    ...payee,
    ...rule,
    ...amounts,
    description: input.description ?? null,
    status: 'active',
    made_by: whoActs(work.scope) ?? { type: 'operator', id: null, hint: null, same: [] },
    ...(await nextOf(work, { ...rule, last_paid_day: null })),
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })
  if (!row) throw new Error('the schedule was not stored')
  await setNext(work, row)
  await recordChange(work, {
    action: 'payout_schedule.created',
    subject: row.id,
    before: null,
    after: audited(row),
  })
  return toSchedule(work, row)
}

/**
 * Changes the given fields. A new rule moves the next run; a resumed schedule pays to its
 * beneficiary's current destination.
 * @throws {Refusal} `not_found`; those of `create`
 */
export async function change(
  work: Work,
  { id, input }: { id: string; input: Static<typeof ScheduleUpdate> },
): Promise<PayoutSchedule> {
  const { now } = work.scope
  const before = (await work.row(statements.lockSchedule, [id])) ?? unknown(id)
  const status = input.status ?? before.status
  const interval = input.interval ?? before.interval
  const known = interval === before.interval ? before : null
  const rule = readRule(interval, {
    weekday: input.weekday ?? known?.weekday,
    day: input.day ?? known?.day,
    time: input.time ?? before.time,
  })
  const amounts = readAmounts(input, before)
  const resumes = before.status === 'paused' && status === 'active'
  const payee =
    resumes || input.beneficiary !== undefined
      ? await readPayee(work, before.currency, input.beneficiary ?? before.beneficiary_id)
      : {}
  const next: Next =
    status === 'active'
      ? await nextOf(work, { ...rule, id: before.id, last_paid_day: before.last_paid_day })
      : never
  const after = await update(work, schedules, before.id, {
    ...payee,
    ...rule,
    ...amounts,
    description: input.description === undefined ? before.description : input.description,
    status,
    paused_because: status === 'active' ? null : before.paused_because,
    made_by:
      Object.keys(input).every((name) => name === 'status') && status === 'paused'
        ? before.made_by
        : alsoBy(before.made_by, whoActs(work.scope)),
    ...next,
    metadata: input.metadata ?? before.metadata,
    updated_at: now,
  })
  await unschedule(work.tx, work.scope.businessId, runTask, [before.id])
  if (after.next_run_at) await setNext(work, after)
  const entry = { action: 'payout_schedule.changed', subject: before.id } as const
  await recordChange(work, { ...entry, before: audited(before), after: audited(after) })
  return toSchedule(work, after)
}

/** Adds a person to the makers of a schedule's payouts. */
const alsoBy = (maker: Maker, other: Maker | null): Maker => ({
  ...maker,
  same: [...new Set([...maker.same, ...(other?.same ?? [])])],
})

/**
 * Deletes a schedule: it is not found and does not run any more. Its payouts stay.
 * @returns its last state
 * @throws {Refusal} `not_found`
 */
export async function remove(work: Work, id: string): Promise<PayoutSchedule> {
  const row = (await work.row(statements.lockSchedule, [id])) ?? unknown(id)
  await update(work, schedules, row.id, { ...never, deleted_at: work.scope.now })
  await unschedule(work.tx, work.scope.businessId, runTask, [row.id])
  await recordChange(work, {
    action: 'payout_schedule.removed',
    subject: row.id,
    before: audited(row),
    after: null,
  })
  return toSchedule(work, row)
}

/** Returns a schedule. @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<PayoutSchedule> {
  return toSchedule(view, await find(view, id))
}

async function find(view: View, id: string): Promise<ScheduleRow> {
  return (await view.row(statements.selectSchedule, [id])) ?? unknown(id)
}

function unknown(id: string): never {
  refuseGenerally('not_found', `There is no payout schedule '${id}'.`)
}

export async function list(
  ctx: Ctx,
  query: Static<typeof ScheduleQuery>,
): Promise<PageOf<PayoutSchedule>> {
  const page = await listPage<ScheduleRow>(ctx, schedules, query, {
    where: 'deleted_at is null',
    filters: [
      ['status = ?', query.status],
      ['currency = ?', query.currency],
    ],
  })
  return { ...page, docs: await toSchedules(ctx, page.docs) }
}

/** Lists a schedule's runs, the latest first. @throws {Refusal} `not_found` */
export async function listRuns(ctx: Ctx, id: string, query: PageQuery): Promise<PageOf<Run>> {
  const { id: of } = await find(ctx, id)
  return mapPage(
    await listPage<RunRow>(ctx, runs, query, { filters: [['schedule_id = ?', of]] }),
    toRun,
  )
}

/** Returns the newest runs of each of the schedules, the latest first. */
export function newestRuns(view: View, ids: Id[], limit: number): Promise<RunRow[]> {
  return view.rows(statements.selectNewestRuns, [ids, limit])
}

/** @throws {Refusal} `validation_failed` when the day does not fit the interval, or is missing */
function readRule(
  interval: Rule['interval'],
  given: {
    weekday?: Rule['weekday'] | undefined
    day?: number | null | undefined
    time?: string | undefined
  },
): Rule {
  const wrong = (path: string, message: string): never =>
    refuseInput([{ path, message, location: 'body' }])
  for (const [path, of] of [
    ['weekday', 'weekly'],
    ['day', 'monthly'],
  ] as const) {
    if (interval === of && given[path] == null)
      wrong(path, `${path} is required: it says when the schedule runs`)
    if (interval !== of && given[path] != null)
      wrong(path, `${path} does not belong to ${interval}`)
  }
  return {
    interval,
    weekday: given.weekday ?? null,
    day: given.day ?? null,
    time: given.time ?? defaultTime,
  }
}

type Amounts = Pick<ScheduleRow, 'keep' | 'minimum' | 'maximum'>

/** @throws {Refusal} `validation_failed` when the maximum is below the minimum */
function readAmounts(input: Static<typeof ScheduleUpdate>, before: Amounts): Amounts {
  const read = (given: number | undefined, kept: bigint): bigint =>
    given === undefined ? kept : BigInt(given)
  const { maximum: most } = input
  const amounts = {
    keep: read(input.keep, before.keep),
    minimum: read(input.minimum, before.minimum),
    maximum: most === undefined ? before.maximum : most === null ? null : BigInt(most),
  }
  if (amounts.maximum !== null && amounts.maximum < amounts.minimum)
    refuseInput([
      { path: 'maximum', message: 'maximum must not be below minimum', location: 'body' },
    ])
  return amounts
}

/** @throws {Refusal} those of `requireOwn` and `assertPayable` */
async function readPayee(view: View, currency: WalletCurrency, id: string) {
  const payee = await requireOwn(view, id)
  assertPayable(view, currency, payee)
  return { beneficiary_id: payee.id, beneficiary_revision: payee.revision }
}

/** The schedule's fields in the audit log. */
const audited = (row: ScheduleRow) => {
  const { currency, beneficiary_id: beneficiary, interval, weekday, day, time } = row
  const { keep, minimum, maximum, description, status, paused_because } = row
  return {
    currency,
    beneficiary,
    interval,
    weekday,
    day,
    time,
    keep,
    minimum,
    maximum,
    description,
    status,
    paused_because,
  }
}

const toSchedule = async (view: View, row: ScheduleRow): Promise<PayoutSchedule> =>
  (await toSchedules(view, [row]))[0] as PayoutSchedule

/** The records as in the API, with the result of a run now. */
async function toSchedules(view: View, rows: ScheduleRow[]): Promise<PayoutSchedule[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const timeZone = await timeZoneOf(view)
  const payees = await findBeneficiaries(view, [...new Set(rows.map((row) => row.beneficiary_id))])
  const latest = new Map((await newestRuns(view, ids, 1)).map((run) => [run.schedule_id, run]))
  const available = await availableIn(view)
  return rows.map((row) => {
    const run = latest.get(row.id)
    const payee = payees.get(row.beneficiary_id) ?? null
    return {
      ...shown(row, timeZone),
      ...nextShown(row, payee, available.get(row.currency) ?? 0n, view.scope.now),
      last_run: run ? toRun(run) : null,
    }
  })
}

function nextShown(row: ScheduleRow, payee: BeneficiaryRow | null, available: bigint, now: Date) {
  const next = foreseen(row, payee, available, now)
  return 'code' in next
    ? { next_amount: null, next_skip: next.code }
    : { next_amount: next.amount, next_skip: null }
}

function shown(row: ScheduleRow, timeZone: string) {
  const {
    beneficiary_id: beneficiary,
    beneficiary_revision: _1,
    next_run_day,
    last_paid_day: _2,
    deleted_at: _3,
    ...rest
  } = row
  const { type, id, hint } = row.made_by
  const { next_run_at: next } = row
  const further = next
    ? runsAhead(row, timeZone, next, next_run_day, shownAhead - 1).map(({ at }) => at)
    : []
  return {
    ...rest,
    beneficiary,
    made_by: { type, id, hint },
    upcoming: next ? [next, ...further] : [],
  }
}

const toRun = ({ schedule_id: _schedule, payout_id: payout, ...run }: RunRow): Run => ({
  ...run,
  payout,
})
