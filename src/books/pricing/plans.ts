/**
 * Pricing plans: named prices that change at set times, and the plan of each business. Changes take
 * effect only in the future, after all processes know of them, so prices given earlier stay right.
 */
import type { Actor } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import type { PricingTable } from '../../core/pricing.ts'
import { type Clock, later } from '../../lib/clock.ts'
import { refuse as refuseGeneral, refuseInput } from '../../lib/errors.ts'
import { type Id, isId, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { recordChange, recordOperatorChange } from '../audit/audit.ts'
import { refuse } from './refusals.ts'
import type { PlanRow, VersionRow } from './sql.ts'
import * as statements from './sql.ts'
import { assertCreditable, type Fault, makePricing } from './table.ts'

/** The greatest age of a process's cached prices. */
export const mostAgeMs = 45_000

/**
 * How far ahead changes must be. The excess over `mostAgeMs` is the tolerated difference between
 * clocks.
 */
export const minimumLeadMs = 60_000

/** The machine's clock, read at the time of the change: a writer may have waited for another. */
export type PricesClock = { clock: Clock }

export type PlanVersion = Omit<VersionRow, 'plan_id'>
/** A plan with its versions: future ones first, then the current one, then past ones. */
export type Plan = PlanRow & { versions: PlanVersion[] }

/** A plan of a business, and its start. */
export type PlanOf = {
  plan_id: Id | null
  plan_name: string | null
  holds_from: Date
  made_by: string | null
}

const faultOfBody: Fault = (part, message) =>
  refuseInput([{ path: `prices.${part}`, message: `prices.${part} ${message}`, location: 'body' }])

/**
 * Merges parts of a table over another.
 * @throws {Refusal} `validation_failed` if the result is malformed
 */
function tableOver(base: PricingTable, parts: Partial<PricingTable>): PricingTable {
  const table = { ...base, ...parts }
  assertCreditable(makePricing(table, faultOfBody), faultOfBody)
  return table
}

/** Returns the author; the email address of a person is looked up when it is read. */
function makerOf(actor: Actor | undefined): string | null {
  if (actor?.type === 'person') return actor.id
  return (actor?.type === 'operator' ? actor.key?.hint : actor?.hint) ?? null
}

/**
 * @param since the earliest start: a clock may have been set back since
 * @throws {Refusal} `validation_failed` if the start is too soon
 */
function dateOf(now: Date, wanted: Date | undefined, since = now): Date {
  const soonest = later(now, minimumLeadMs)
  const earliest = soonest > since ? soonest : since
  if (wanted === undefined) return earliest
  if (!(wanted >= earliest))
    refuseInput([
      {
        path: 'holds_from',
        message: `holds_from must be ${minimumLeadMs / 1_000} seconds ahead at least, so that every process knows it by then: ${earliest.toISOString()} or later`,
        location: 'body',
      },
    ])
  return wanted
}

/**
 * Waits for the lock on prices.
 * @returns the machine's time then
 */
async function locked(work: Work, { clock }: PricesClock): Promise<Date> {
  await work.tx.rows(statements.lockPrices)
  work.afterCommit(() => work.prices.refresh())
  return clock.now()
}

/**
 * Creates a plan, with prices from now on; no business has it yet.
 * @param prices parts of a table; the rest are the installation's
 * @throws {Refusal} `plan_name_taken`; `validation_failed` if the table is malformed
 */
export async function createPlan(
  work: Work,
  {
    name,
    prices = {},
    ...time
  }: PricesClock & { name: string; prices?: Partial<PricingTable> | undefined },
): Promise<Plan> {
  const table = tableOver(work.prices.standard, prices)
  const now = await locked(work, time)
  const plan = await work.tx.row(statements.insertPlan, [newId(now), name, now])
  if (!plan)
    refuse(
      'plan_name_taken',
      `There is a plan '${name}' already; give that one a new version, or choose another name.`,
    )
  await insertVersion(work, plan.id, now, table, now)
  await recordChange(work, {
    action: 'plan.created',
    subject: plan.id,
    before: null,
    after: { name, prices: table },
  })
  return getPlan(work, plan.id)
}

async function insertVersion(
  work: Work,
  plan: Id,
  holdsFrom: Date,
  table: PricingTable,
  now: Date,
): Promise<void> {
  await work.tx.rows(statements.insertVersion, [
    plan,
    holdsFrom,
    toJson(table),
    makerOf(work.scope.actor),
    now,
  ])
}

/**
 * Adds a version to a plan. It replaces a version with the same start.
 * @param prices parts of a table; the rest are the previous version's
 * @param holdsFrom the start; by default the earliest possible time
 * @throws {Refusal} `not_found`; `validation_failed` if the table is malformed or the start is too
 * soon
 */
export async function addVersion(
  work: Work,
  {
    plan: planId,
    prices,
    holdsFrom: wanted,
    ...time
  }: PricesClock & { plan: string; prices: Partial<PricingTable>; holdsFrom?: Date | undefined },
): Promise<Plan> {
  const now = await locked(work, time)
  const plan = await requirePlan(work, planId)
  const holdsFrom = dateOf(now, wanted, plan.created_at)
  const before = (await work.tx.row(statements.versionAt, [plan.id, holdsFrom])) as VersionRow
  const table = tableOver(before.prices, prices)
  await insertVersion(work, plan.id, holdsFrom, table, now)
  const [was, is] = [
    { ...before.prices, holds_from: before.holds_from },
    { ...table, holds_from: holdsFrom },
  ]
  await recordChange(work, {
    action: 'plan.version_added',
    subject: plan.id,
    before: was,
    after: is,
  })
  return getPlan(work, plan.id)
}

/**
 * Assigns a plan to a business; null: the installation's prices.
 * @param work of the business
 * @param holdsFrom the start; by default the earliest possible time
 * @throws {Refusal} `not_found`; `validation_failed` if the start is too soon
 */
export async function assignPlan(
  work: Work,
  {
    plan: planId,
    holdsFrom: wanted,
    ...time
  }: PricesClock & { plan: string | null; holdsFrom?: Date | undefined },
): Promise<PlanOf[]> {
  const { businessId, actor } = work.scope
  const now = await locked(work, time)
  const plan = planId === null ? null : await requirePlan(work, planId)
  const holdsFrom = dateOf(now, wanted)
  const before = await plansOf(work, [businessId])
  const last = before.get(businessId)?.find(({ holds_from }) => holds_from <= holdsFrom)
  await work.tx.rows(statements.insertAssignment, [
    businessId,
    plan?.id ?? null,
    holdsFrom,
    makerOf(actor),
    now,
  ])
  await recordOperatorChange(work, {
    action: 'business.plan_changed',
    subject: businessId,
    before: { plan: last?.plan_name ?? null, holds_from: last?.holds_from ?? null },
    after: { plan: plan?.name ?? null, holds_from: holdsFrom },
  })
  return (await plansOf(work, [businessId])).get(businessId) ?? []
}

/** Returns a plan of the operator, or null. */
export const findPlan = async (
  { reader }: Pick<View, 'reader'>,
  id: string,
): Promise<PlanRow | null> => (isId(id) ? reader.row(statements.selectPlan, [id]) : null)

/** @throws {Refusal} `not_found` */
async function requirePlan(view: View, id: string): Promise<PlanRow> {
  return (await findPlan(view, id)) ?? refuseGeneral('not_found', `There is no plan '${id}'.`)
}

/** @throws {Refusal} `not_found` */
export async function getPlan(view: View, id: string): Promise<Plan> {
  const plan = await requirePlan(view, id)
  const versions = await view.reader.rows(statements.versionsOf, [[plan.id]])
  return { ...plan, versions: versions.map(({ plan_id: _plan, ...version }) => version) }
}

/** Returns all plans, newest first. */
export async function listPlans(view: View): Promise<Plan[]> {
  const plans = await view.reader.rows(statements.selectPlans)
  const versions = await view.reader.rows(statements.versionsOf, [plans.map(({ id }) => id)])
  const of = Map.groupBy(versions, ({ plan_id }) => plan_id)
  return plans.map((plan) => ({
    ...plan,
    versions: (of.get(plan.id) ?? []).map(({ plan_id: _plan, ...version }) => version),
  }))
}

/**
 * Returns the plans of some businesses: future ones first, then the current one, then past ones.
 */
export async function plansOf(
  { reader }: Pick<View, 'reader'>,
  businesses: Id[],
): Promise<Map<Id, PlanOf[]>> {
  const rows = await reader.rows(statements.assignmentsOf, [businesses])
  return Map.groupBy(rows, ({ business_id }) => business_id)
}
