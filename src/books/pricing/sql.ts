import type { PricingTable } from '../../core/pricing.ts'
import { sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

export type PlanRow = { id: Id; name: string; created_at: Date }
export type VersionRow = {
  number: bigint
  plan_id: Id
  holds_from: Date
  prices: PricingTable
  made_by: string | null
  created_at: Date
}
export type AssignmentRow = {
  number: bigint
  business_id: Id
  plan_id: Id | null
  holds_from: Date
  made_by: string | null
  created_at: Date
}

const pricesLock = "hashtextextended('bursar prices', 0)"

/** Serialises writers of prices until their transactions end. */
export const lockPrices = sqlOfAll('pricing.lock', `select pg_advisory_xact_lock(${pricesLock})`)

/** Waits for writers of prices, so that the next statement reads what they committed. */
export const awaitWriters = sqlOfAll(
  'pricing.await_writers',
  `select pg_advisory_xact_lock_shared(${pricesLock})`,
)

/** The author, with a person's current email address. */
const maker = 'coalesce((select email from persons where id = made_by), made_by) as made_by'
const versionColumns = `number, plan_id, holds_from, prices, ${maker}, created_at`
const assignmentColumns = 'number, business_id, plan_id, holds_from, made_by, created_at'

export const versionsAfter = sqlOfAll<VersionRow>(
  'pricing.versions_after',
  `select ${versionColumns} from price_versions where number > $1 order by number`,
)

export const assignmentsAfter = sqlOfAll<AssignmentRow>(
  'pricing.assignments_after',
  `select ${assignmentColumns} from price_assignments where number > $1 order by number`,
)

export const insertPlan = sqlOfAll<PlanRow>(
  'pricing.insert_plan',
  `insert into price_plans (id, name, created_at) values ($1, $2, $3) on conflict (name) do nothing
   returning id, name, created_at`,
)

export const selectPlans = sqlOfAll<PlanRow>(
  'pricing.select_plans',
  'select id, name, created_at from price_plans order by id desc',
)

export const selectPlan = sqlOfAll<PlanRow>(
  'pricing.select_plan',
  'select id, name, created_at from price_plans where id = $1',
)

export const insertVersion = sqlOfAll<VersionRow>(
  'pricing.insert_version',
  `insert into price_versions (plan_id, holds_from, prices, made_by, created_at) values ($1, $2, $3::text::jsonb, $4, $5)
   returning ${versionColumns}`,
)

/** The version of a plan at a time. */
export const versionAt = sqlOfAll<VersionRow>(
  'pricing.version_at',
  `select ${versionColumns} from price_versions
    where plan_id = $1 and holds_from <= $2 order by holds_from desc, number desc limit 1`,
)

export const versionsOf = sqlOfAll<VersionRow>(
  'pricing.versions_of',
  `select ${versionColumns} from price_versions where plan_id = any ($1::text[]) order by plan_id, holds_from desc, number desc`,
)

export const insertAssignment = sqlOfMany<AssignmentRow>(
  'pricing.insert_assignment',
  `insert into price_assignments (business_id, plan_id, holds_from, made_by, created_at) values ($1, $2, $3, $4, $5)
   returning ${assignmentColumns}`,
)

/** The plans of some businesses, including future ones. */
export const assignmentsOf = sqlOfMany<AssignmentRow & { plan_name: string | null }>(
  'pricing.assignments_of',
  `select a.number, a.business_id, a.plan_id, a.holds_from, ${maker}, a.created_at, p.name as plan_name
     from price_assignments a left join price_plans p on p.id = a.plan_id
    where a.business_id = any ($1::text[]) order by a.business_id, a.holds_from desc, a.number desc`,
)

export type OfficialRow = {
  id: Id
  pair: 'usd_ngn'
  rate: string
  /** A day, as 2026-11-23. */
  published_on: string
  fetched_at: Date
  status: 'good' | 'suspect' | 'refused'
  decided_by: string | null
}
const officialColumns = 'id, pair, rate, published_on::text, fetched_at, status, decided_by'

/** The rate in use: of the newest day, and of its rates the one that the source published last. */
export const selectGood = sqlOfAll<OfficialRow>(
  'pricing.select_good_rate',
  `select ${officialColumns} from exchange_rates where pair = $1 and status = 'good'
    order by published_on desc, fetched_at desc, first_fetched_at desc limit 1`,
)

/**
 * Stores one row per rate and day; fetching it again renews its age. `$7`: it was in use and now
 * waits for a person. `was` is its previous status, or null.
 */
export const upsertOfficial = sqlOfAll<OfficialRow & { was: OfficialRow['status'] | null }>(
  'pricing.upsert_official',
  `with was as (select status from exchange_rates where pair = $2 and rate = $3 and published_on = $4::date)
   insert into exchange_rates as known (id, pair, rate, published_on, first_fetched_at, fetched_at, status)
   values ($1, $2, $3, $4::date, $5, $5, $6)
   on conflict (pair, published_on, rate) do update
      set fetched_at = greatest(known.fetched_at, excluded.fetched_at),
          status = case when $7 and known.status = 'good' then 'suspect' else known.status end,
          decided_by = case when $7 and known.status = 'good' then null else known.decided_by end
   returning ${officialColumns}, (select status from was) as was`,
)

export const selectOfficial = sqlOfAll<OfficialRow>(
  'pricing.select_official',
  `select ${officialColumns} from exchange_rates order by published_on desc, first_fetched_at desc limit 30`,
)

export const decideOfficial = sqlOfAll<OfficialRow>(
  'pricing.decide_official',
  `update exchange_rates set status = $2, decided_by = $3 where id = $1 and status = 'suspect' returning ${officialColumns}`,
)
