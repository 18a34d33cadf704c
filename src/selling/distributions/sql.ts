import { sql } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import type { Maker } from '../../platform/team/team.ts'

export const distributions = t.table('distributions', {
  id: t.text<Id>(),
  name: t.text(),
  currency: t.text<'usd' | 'ngn' | 'eur'>(),
  active: t.boolean(),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type DistributionRow = t.RowOf<typeof distributions>

export const shares = t.table('distribution_shares', {
  id: t.text<Id>(),
  distribution_id: t.text<Id>(),
  position: t.integer(),
  name: t.text(),
  percentage_bps: t.nullable(t.integer()),
  flat: t.nullable(t.bigint()),
  destination: t.nullable(t.json<StoredDestination>()),
  destination_changed_at: t.nullable(t.time()),
  destination_changed_by: t.nullable(t.json<Omit<Maker, 'same'>>()),
  destination_usable_from: t.nullable(t.time()),
  /** Removed from its plan: it gets nothing more, and is kept while it holds money. */
  removed: t.defaulted(t.boolean()),
  settled: t.defaulted(t.bigint()),
})

export type ShareRow = Omit<t.RowOf<typeof shares>, 'livemode' | 'position'> & {
  /** The balance of its ledger account. */
  accrued: bigint
}

export const selectShare = t.byId(shares)
export const selectDistribution = t.byId(distributions)

/** Finds which of the distributions are active. */
export const selectActive = sql<{ id: Id }>(
  'distributions.select_active',
  'select id from distributions where business_id = $1 and livemode = $2 and id = any($3) and active',
)

export const lockDistribution = t.byId(distributions, t.locked)

/** Updates a known share to its given fields, removed or not, and keeps its settled amount. */
export const onKnownShare = `(business_id, livemode, id)
  do update set position = excluded.position, name = excluded.name, percentage_bps = excluded.percentage_bps,
                flat = excluded.flat, destination = excluded.destination, removed = false,
                destination_changed_at = excluded.destination_changed_at,
                destination_changed_by = excluded.destination_changed_by,
                destination_usable_from = excluded.destination_usable_from`

export const removeShares = sql(
  'distributions.remove_shares',
  `update distribution_shares set removed = true
    where business_id = $1 and livemode = $2 and distribution_id = $3 and not id = any($4)`,
)

/**
 * The shares of distributions in order, with their balances; then removed shares that hold money
 * again.
 */
export const selectShares = sql<ShareRow>(
  'distributions.select_shares',
  `select s.id, s.distribution_id, s.name, s.percentage_bps, s.flat, s.destination, s.destination_changed_at,
          s.destination_changed_by, s.destination_usable_from, s.settled, s.removed,
          a.balance as accrued
     from distribution_shares s
     join ledger_accounts a on a.business_id = s.business_id and a.livemode = s.livemode and a.purpose = 'share'
      and a.currency = any('{usd,ngn}') and a.subject = s.id
    where s.business_id = $1 and s.livemode = $2 and s.distribution_id = any($3)
      and (not s.removed or a.balance > 0)
    order by s.distribution_id, s.removed, s.position`,
)

/** The total balances of all shares by currency, without zeros. */
export const selectHeld = sql<{ currency: 'usd' | 'ngn'; held: bigint }>(
  'distributions.select_held',
  `select currency, sum(balance)::bigint as held from ledger_accounts
    where business_id = $1 and livemode = $2 and purpose = 'share' and balance > 0 group by currency order by currency`,
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
  /** The part of refunds that the share could not cover. */
  absorbed: bigint
  currency: 'usd' | 'ngn'
  accrued: bigint
}

export const selectEntries = sql<EntryRow>(
  'distributions.select_entries',
  `select e.share_id, e.amount, e.returned, e.borne as absorbed, a.currency, a.balance as accrued
     from distribution_entries e
     join ledger_accounts a on a.business_id = e.business_id and a.livemode = e.livemode and a.purpose = 'share'
      and a.currency = any('{usd,ngn}') and a.subject = e.share_id
    where e.business_id = $1 and e.livemode = $2 and e.payment_id = $3
    order by e.share_id`,
)

export const addReturned = sql(
  'distributions.add_returned',
  `update distribution_entries e
      set returned = e.returned + change.returned, borne = e.borne + change.absorbed
     from unnest($4::text[], $5::bigint[], $6::bigint[]) as change (share_id, returned, absorbed)
    where e.business_id = $1 and e.livemode = $2 and e.payment_id = $3 and e.share_id = change.share_id`,
)

export const insertReturns = sql(
  'distributions.insert_returns',
  `insert into distribution_returns (business_id, livemode, refund_id, payment_id, share_id, returned, borne, created_at)
   select $1, $2, $3, $4, share_id, returned, absorbed, $8
     from unnest($5::text[], $6::bigint[], $7::bigint[]) as new (share_id, returned, absorbed)
    where returned > 0 or absorbed > 0`,
)

export const undoReturns = sql<{
  share_id: Id
  payment_id: Id
  returned: bigint
  absorbed: bigint
}>(
  'distributions.undo_returns',
  `update distribution_returns set undone = true
    where business_id = $1 and livemode = $2 and refund_id = $3 and not undone
   returning share_id, payment_id, returned, borne as absorbed`,
)

/** The amount that a failed refund could not credit back stays returned. */
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

export const returnSettlement = sql<{ share_id: Id }>(
  'distributions.return_settlement',
  `update distribution_settlements set returned = $4
    where business_id = $1 and livemode = $2 and payout_id = $3 and returned = 0 returning share_id`,
)

export const selectShareCurrency = sql<{ currency: 'usd' | 'ngn' }>(
  'distributions.select_share_currency',
  `select currency from ledger_accounts
    where business_id = $1 and livemode = $2 and purpose = 'share' and currency = any('{usd,ngn}') and subject = $3`,
)
