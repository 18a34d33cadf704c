import type { PayoutMethod } from '../../core/pricing.ts'
import { replanned, sql, sqlOfMany } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Warning } from '../../lib/schema.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'

export const beneficiaries = t.table('beneficiaries', {
  id: t.text<Id>(),
  label: t.text(),
  method: t.text<PayoutMethod>(),
  destination: t.json<StoredDestination>(),
  destination_key: t.text(),
  revision: t.defaulted(t.integer()),
  warnings: t.json<Warning[]>(),
  own: t.boolean(),
  usable_from: t.time(),
  confirmed_at: t.defaulted(t.nullable(t.time())),
  confirmed_by: t.defaulted(t.nullable(t.text<Id>())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
  deleted_at: t.defaulted(t.nullable(t.time())),
})
export type BeneficiaryRow = t.RowOf<typeof beneficiaries>

export const selectBeneficiary = t.byId(beneficiaries, 'and deleted_at is null')
export const lockBeneficiary = t.byId(beneficiaries, `and deleted_at is null ${t.locked}`)
export const selectSome = sql<BeneficiaryRow>(
  'beneficiaries.select_some',
  `select ${t.columnsOf(beneficiaries)} from beneficiaries
    where business_id = $1 and livemode = $2 and id = any ($3::text[]) and deleted_at is null`,
)
/** Includes deleted beneficiaries. */
export const selectAny = t.byId(beneficiaries)

/** The search: in label, holder, account, address or id. */
export const matches = `(position(lower(?) in lower(label)) > 0
  or position(lower(?) in lower(coalesce(destination->>'resolved_account_name', destination->>'account_name', ''))) > 0
  or destination->>'account_number' = ? or lower(destination->>'address') = lower(?) or id = lower(?))`

/** The recipient of a payout: a named beneficiary, or one with the same destination. */
export type PayeeRow = { position: bigint; revision: number; usable_from: Date }

/**
 * Reads the recipients of payouts: named beneficiaries by id, others by destination, of which the
 * first usable one. A deleted one has no row. Read it with the wallets locked, so that none
 * changes.
 */
export const selectPayees = replanned(
  sqlOfMany<PayeeRow>(
    'beneficiaries.select_payees',
    `select position, b.revision, b.usable_from
       from unnest($1::text[], $2::boolean[], $3::text[], $4::text[])
            with ordinality as payout (business_id, livemode, id, key, position)
      cross join lateral (
        (select revision, usable_from from beneficiaries
          where business_id = payout.business_id and livemode = payout.livemode and id = payout.id and deleted_at is null)
        union all
        (select revision, usable_from from beneficiaries
          where business_id = payout.business_id and livemode = payout.livemode and payout.id is null
            and destination_key = payout.key and deleted_at is null
          order by usable_from limit 1)) b`,
  ),
)
