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
/** Also one that was deleted. */
export const selectAny = t.byId(beneficiaries)

/** What a person types, of a label, a holder, an account, an address or an id. */
export const matches = `(position(lower(?) in lower(label)) > 0
  or position(lower(?) in lower(coalesce(destination->>'resolved_account_name', destination->>'account_name', ''))) > 0
  or destination->>'account_number' = ? or lower(destination->>'address') = lower(?) or id = lower(?))`

/** What a payout may be for: one beneficiary, or whichever has its destination. */
export type PayeeRow = { position: bigint; revision: number; usable_from: Date }

/**
 * Of some payouts, whom they are for: those that name a beneficiary by its id, the others by where
 * they go, of which the one is read that can be paid first. One that is gone has no row. To be read
 * with the wallets locked: nobody changes them then.
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
