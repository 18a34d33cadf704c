/**
 * The operator's actions on businesses: creates, stops and prices them. The audit log of the
 * business records each change.
 */

import { recordOperatorChange } from '../../books/audit/audit.ts'
import {
  type BusinessStatus,
  changeStatus,
  createBusinessIn,
  findOperated,
  forgetKeys,
  forgottenEverywhere,
  listOperated,
  type OperatedRow,
} from '../../books/businesses/businesses.ts'
import {
  assignPlan,
  findPlan,
  type PlanOf,
  type PricesClock,
  plansOf,
} from '../../books/pricing/pricing.ts'
import { hasPending } from '../../books/transactions/transactions.ts'
import { walletIn } from '../../books/wallets/wallets.ts'
import type { App } from '../../core/app.ts'
import { inside, type View, type Work } from '../../core/inside.ts'
import type { PageOf, PageQuery } from '../../db/lists/list.ts'
import { acceptsBusinesses } from '../../lib/cells.ts'
import type { Id } from '../../lib/ids.ts'
import { formatMoney, walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { refuse } from './refusals.ts'
import type { OperatorBusinessRecord } from './schema.ts'

export {
  authenticateOperator,
  createOperatorKey,
  listOperatorKeys,
  operatorScope,
  revokeOperatorKey,
} from './keys.ts'

declare module '../../core/app.ts' {
  interface Strategies {
    /** Returns a reason against closing a business, as a sentence; null: none. */
    closing: readonly ((view: View) => Promise<string | null>)[]
  }
}

export type OperatorBusiness = Static<typeof OperatorBusinessRecord>

/** The outside context: the machine's time, and how to invalidate caches in all processes. */
export type Outside = PricesClock & Pick<App, 'role'>

function toRecord(row: OperatedRow, plans: PlanOf[] = [], now: Date): OperatorBusiness {
  const { status_reason: reason, status_at, created_at, ...business } = row
  const holding = plans.find(({ holds_from }) => holds_from <= now)
  return {
    ...business,
    reason,
    plan: holding?.plan_id ?? null,
    created_at,
    updated_at: status_at ?? created_at,
    plans: plans.map(({ plan_id: plan, plan_name: name, holds_from, made_by }) => ({
      plan,
      name,
      holds_from,
      made_by,
    })),
  } as OperatorBusiness
}

async function recordOf(view: View, row: OperatedRow): Promise<OperatorBusiness> {
  const plans = await plansOf(view, [row.id])
  return toRecord(row, plans.get(row.id), view.scope.now)
}

/** Lists businesses, the newest first. @throws {Refusal} `invalid_cursor` */
export async function listBusinesses(
  view: View,
  { page = 1, limit = 20, ...query }: PageQuery & { search?: string; status?: BusinessStatus },
): Promise<PageOf<OperatorBusiness>> {
  const found = await listOperated(view.reader, { page, limit, after: undefined, ...query })
  const plans = await plansOf(
    view,
    found.docs.map(({ id }) => id),
  )
  return {
    ...found,
    docs: found.docs.map((row) => toRecord(row, plans.get(row.id), view.scope.now)),
  }
}

/** @throws {Refusal} `not_found` */
export async function getBusiness(view: View, id: string): Promise<OperatorBusiness> {
  return recordOf(view, await findOperated(view.reader, id))
}

/** The operator's transaction as one of a business, in live mode. */
const workOf = (work: Work, businessId: Id): Work => {
  const { now, actor } = work.scope
  return inside(work, work.tx, { businessId, livemode: true, now, ...(actor ? { actor } : {}) })
}

/** @throws {Refusal} `plan_not_found` */
async function requireKnownPlan(work: Work, plan: string): Promise<void> {
  if ((await findPlan(work, plan)) === null) refuse('plan_not_found', `There is no plan '${plan}'.`)
}

/**
 * Creates a business. Its keys are returned only here.
 * @param plan starts a minute from now; until then the business has the installation's prices
 * @throws {Refusal} `plan_not_found`; `cell_full` when the cell accepts no new businesses
 */
export async function createBusiness(
  work: Work,
  { name, plan, ...time }: Outside & { name: string; plan?: string | undefined },
) {
  const { now, actor } = work.scope
  if (!acceptsBusinesses())
    refuse(
      'cell_full',
      'This cell takes no new businesses: make it in another, by a key of the operator of that one.',
    )
  const { business, test_key, live_key } = await createBusinessIn(work, work.tx, {
    name,
    now,
    ...(actor ? { actor } : {}),
  })
  const own = workOf(work, business.id)
  await recordOperatorChange(own, {
    action: 'business.created',
    subject: business.id,
    before: null,
    after: { name },
  })
  if (plan !== undefined) {
    await requireKnownPlan(work, plan)
    await assignPlan(own, { ...time, plan })
  }
  return { ...(await getBusiness(work, business.id)), test_key, live_key }
}

/**
 * Stops or resumes a business. After the answer, no process accepts what was stopped.
 * @throws {Refusal} `not_found`; `business_not_empty` when closing one with live money or open live
 * records
 */
export async function changeBusiness(
  work: Work,
  id: string,
  {
    status,
    reason = null,
    role,
  }: Outside & { status: BusinessStatus; reason?: string | null | undefined },
): Promise<OperatorBusiness> {
  const { id: businessId } = await findOperated(work.reader, id)
  const own = workOf(work, businessId)
  const changed = await changeStatus(own, status, reason)
  if (status === 'closed') await requireEmpty(own)
  work.afterCommit(() => {
    forgetKeys()
    // Other processes may still cache the previous state.
    return role === 'all' ? undefined : forgottenEverywhere()
  })
  return recordOf(work, changed)
}

/** @throws {Refusal} `business_not_empty` */
async function requireEmpty(work: Work): Promise<void> {
  for (const currency of walletCurrencies) {
    const { available, pending } = await walletIn(work, currency)
    const total = BigInt(available) + BigInt(pending)
    if (total !== 0n)
      refuse(
        'business_not_empty',
        `Its live ${currency} wallet holds ${formatMoney(total, currency)}: pay that out first, then close the business.`,
      )
  }
  if (await hasPending(work))
    refuse(
      'business_not_empty',
      'Money is on its way to it or from it in live mode: wait until that has ended, then close the business.',
    )
  for (const speaksAgainst of work.strategies.closing) {
    const sentence = await speaksAgainst(work)
    if (sentence !== null) refuse('business_not_empty', sentence)
  }
}

/**
 * Sets a business's plan from a date on; null: the installation's prices.
 * @throws {Refusal} `not_found`, `plan_not_found`; `validation_failed` for a date too close
 */
export async function changePlanOf(
  work: Work,
  id: string,
  { plan, holdsFrom, ...time }: Outside & { plan: string | null; holdsFrom?: Date | undefined },
): Promise<OperatorBusiness> {
  const business = await findOperated(work.reader, id)
  if (plan !== null) await requireKnownPlan(work, plan)
  await assignPlan(workOf(work, business.id), { ...time, plan, holdsFrom })
  return recordOf(work, business)
}
