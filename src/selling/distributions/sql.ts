import { sql } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { StoredDestination } from '../../paying-out/destinations/destinations.ts'

export type DistributionRow = {
  id: Id
  livemode: boolean
  name: string
  currency: 'usd' | 'ngn' | 'eur'
  active: boolean
  metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
}

export type ShareRow = {
  id: Id
  distribution_id: Id
  name: string
  percentage_bps: number | null
  flat: bigint | null
  destination: StoredDestination | null
  settled: bigint
  /** Taken off its plan: it gets nothing more, and is here for as long as it holds money. */
  removed: boolean
  /** The balance of its ledger account. */
  accrued: bigint
}

export const columns = 'id, livemode, name, currency, active, metadata, created_at, updated_at'

export const insertDistribution = sql<DistributionRow>(
  'distributions.insert',
  `insert into distributions (business_id, livemode, id, name, currency, active, metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, true, $6, $7, $7) returning ${columns}`,
)

export const selectDistribution = sql<DistributionRow>(
  'distributions.select',
  `select ${columns} from distributions where business_id = $1 and livemode = $2 and id = $3`,
)

/** Which of some distributions are active. */
export const selectActive = sql<{ id: Id }>(
  'distributions.select_active',
  'select id from distributions where business_id = $1 and livemode = $2 and id = any($3) and active',
)

export const lockDistribution = sql<DistributionRow>(
  'distributions.lock',
  `select ${columns} from distributions where business_id = $1 and livemode = $2 and id = $3 for no key update`,
)

export const updateDistribution = sql<DistributionRow>(
  'distributions.update',
  `update distributions set name = $4, active = $5, metadata = $6, updated_at = $7
    where business_id = $1 and livemode = $2 and id = $3 returning ${columns}`,
)

export const upsertShare = sql(
  'distributions.upsert_share',
  `insert into distribution_shares as known (business_id, livemode, id, distribution_id, position, name, percentage_bps, flat,
                                             destination)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (business_id, livemode, id)
     do update set position = excluded.position, name = excluded.name, percentage_bps = excluded.percentage_bps,
                   flat = excluded.flat, destination = excluded.destination, removed = false`,
)

export const removeShares = sql(
  'distributions.remove_shares',
  `update distribution_shares set removed = true
    where business_id = $1 and livemode = $2 and distribution_id = $3 and not id = any($4)`,
)

/** The shares of some distributions, in order, with what they hold; then those that were taken off and hold money again. */
export const selectShares = sql<ShareRow>(
  'distributions.select_shares',
  `select s.id, s.distribution_id, s.name, s.percentage_bps, s.flat, s.destination, s.settled, s.removed,
          a.balance as accrued
     from distribution_shares s
     join ledger_accounts a on a.business_id = s.business_id and a.livemode = s.livemode and a.purpose = 'share'
      and a.currency = any('{usd,ngn}') and a.subject = s.id
    where s.business_id = $1 and s.livemode = $2 and s.distribution_id = any($3)
      and (not s.removed or a.balance > 0)
    order by s.distribution_id, s.removed, s.position`,
)

export const addSettled = sql(
  'distributions.add_settled',
  'update distribution_shares set settled = settled + $4 where business_id = $1 and livemode = $2 and id = $3',
)

export const insertEntries = sql(
  'distributions.insert_entries',
  `insert into distribution_entries (business_id, livemode, payment_id, share_id, amount, created_at)
   select $1, $2, $3, share_id, amount, $6 from unnest($4::text[], $5::bigint[]) as new (share_id, amount)`,
)

export type EntryRow = {
  share_id: Id
  amount: bigint
  returned: bigint
  borne: bigint
  currency: 'usd' | 'ngn'
  accrued: bigint
}

export const selectEntries = sql<EntryRow>(
  'distributions.select_entries',
  `select e.share_id, e.amount, e.returned, e.borne, a.currency, a.balance as accrued
     from distribution_entries e
     join ledger_accounts a on a.business_id = e.business_id and a.livemode = e.livemode and a.purpose = 'share'
      and a.currency = any('{usd,ngn}') and a.subject = e.share_id
    where e.business_id = $1 and e.livemode = $2 and e.payment_id = $3
    order by e.share_id`,
)

export const addReturned = sql(
  'distributions.add_returned',
  `update distribution_entries e
      set returned = e.returned + change.returned, borne = e.borne + change.borne
     from unnest($4::text[], $5::bigint[], $6::bigint[]) as change (share_id, returned, borne)
    where e.business_id = $1 and e.livemode = $2 and e.payment_id = $3 and e.share_id = change.share_id`,
)

export const insertReturns = sql(
  'distributions.insert_returns',
  `insert into distribution_returns (business_id, livemode, refund_id, payment_id, share_id, returned, borne, created_at)
   select $1, $2, $3, $4, share_id, returned, borne, $8
     from unnest($5::text[], $6::bigint[], $7::bigint[]) as new (share_id, returned, borne)
    where returned > 0 or borne > 0`,
)

export const undoReturns = sql<{ share_id: Id; payment_id: Id; returned: bigint; borne: bigint }>(
  'distributions.undo_returns',
  `update distribution_returns set undone = true
    where business_id = $1 and livemode = $2 and refund_id = $3 and not undone
   returning share_id, payment_id, returned, borne`,
)

/** What a refund that failed could not give back stays returned. */
export const keepReturn = sql(
  'distributions.keep_return',
  `update distribution_returns set undone = false, returned = $5, borne = 0
    where business_id = $1 and livemode = $2 and refund_id = $3 and share_id = $4`,
)

export const insertSettlement = sql(
  'distributions.insert_settlement',
  `insert into distribution_settlements (business_id, livemode, payout_id, share_id, amount, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
)

export const failSettlement = sql<{ share_id: Id; amount: bigint }>(
  'distributions.fail_settlement',
  `update distribution_settlements set failed = true
    where business_id = $1 and livemode = $2 and payout_id = $3 and not failed returning share_id, amount`,
)

export const selectShareCurrency = sql<{ currency: 'usd' | 'ngn' }>(
  'distributions.select_share_currency',
  `select currency from ledger_accounts
    where business_id = $1 and livemode = $2 and purpose = 'share' and currency = any('{usd,ngn}') and subject = $3`,
)
