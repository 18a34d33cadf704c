import type { Fee, PayoutMethod, RateSource } from '../../core/pricing.ts'
import type { KeptReview } from '../../core/review.ts'
import { replanned, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import { selectIdsByPart } from '../../db/lists/matches.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import type { Warning } from '../../lib/schema.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import type { Maker } from '../../platform/team/team.ts'
import type { FailureReason, Waits } from '../../rails/ports/rail.ts'
import { type ApprovalReason, type LimitOf, limitsOf, noLimit } from '../limits/limits.ts'
import type { PayoutStatus } from './states.ts'

/** The price that a quote fixes and a payout keeps. Amounts in JSON are read as numbers. */
const priced = {
  amount: t.bigint(),
  currency: t.text<WalletCurrency>(),
  method: t.text<PayoutMethod>(),
  destination: t.json<StoredDestination>(),
  fee: t.bigint(),
  fee_breakdown: t.json<{ type: Fee['type']; amount: bigint | number }[]>(),
  rate: t.text(),
  destination_amount: t.bigint(),
  destination_currency: t.text<Currency>(),
}

export const quotes = t.table('payout_quotes', {
  id: t.text<Id>(),
  ...priced,
  rate_source: t.text<RateSource>(),
  rate_fetched_at: t.nullable(t.time()),
  rate_valid_until: t.nullable(t.time()),
  status: t.defaulted(t.text<'open' | 'used' | 'expired'>()),
  created_at: t.time(),
  expires_at: t.time(),
})

/** Why a payout needs a second person, and the decision. Times in JSON are read as text. */
export type ApprovalDetails = {
  reasons: ApprovalReason[]
  made_by: Maker | null
  until: Date | string
  decided_by: Maker | null
  decided_at: Date | string | null
}

/** Why screening holds a payout. Times in JSON are read as text. */
export type PayoutReview = KeptReview

export const payouts = t.table('payouts', {
  id: t.text<Id>(),
  reference: t.text(),
  ...priced,
  quote_id: t.nullable(t.text<Id>()),
  beneficiary_id: t.nullable(t.text<Id>()),
  refund_id: t.nullable(t.text<Id>()),
  /** The refund's customer. */
  customer_id: t.nullable(t.text<Id>()),
  description: t.nullable(t.text()),
  warnings: t.json<Warning[]>(),
  rail: t.text(),
  status: t.text<PayoutStatus>(),
  approval: t.text<'none' | 'waiting' | 'approved' | 'refused'>(),
  approval_details: t.nullable(t.json<ApprovalDetails>()),
  review: t.defaulted(t.nullable(t.json<PayoutReview>())),
  submissions: t.defaulted(t.integer()),
  failure_reason: t.defaulted(t.nullable(t.text<FailureReason>())),
  provider_reference: t.defaulted(t.nullable(t.text())),
  tx_hash: t.defaulted(t.nullable(t.text())),
  sent_at: t.defaulted(t.nullable(t.time())),
  waits: t.defaulted(t.nullable(t.json<Waits>())),
  transaction_id: t.text<Id>(),
  return_transaction_id: t.defaulted(t.nullable(t.text<Id>())),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type PayoutRow = t.RowOf<typeof payouts>
export const columns = t.columnsOf(payouts)

export const selectQuote = t.byId(quotes)

export const expireQuote = sql(
  'payouts.expire_quote',
  `update payout_quotes set status = 'expired'
    where business_id = $1 and livemode = $2 and id = $3 and expires_at <= $4 and status = 'open'`,
)

/** Finds which quotes have already priced a payout, by their positions in the list. */
export const selectUsed = replanned(
  sqlOfMany<{ position: bigint }>(
    'payouts.select_used_quotes',
    `select position
       from unnest($1::text[], $2::boolean[], $3::text[]) with ordinality as wanted (business_id, livemode, id, position)
      where (select q.status = 'used' from payout_quotes q
              where q.business_id = wanted.business_id and q.livemode = wanted.livemode and q.id = wanted.id)`,
  ),
)

export const useQuotes = replanned(
  sqlOfMany(
    'payouts.use_quotes',
    `update payout_quotes q set status = 'used'
       from unnest($1::text[], $2::boolean[], $3::text[]) as made (business_id, livemode, id)
      where q.business_id = made.business_id and q.livemode = made.livemode and q.id = made.id`,
  ),
)

/**
 * Finds which references are taken, by their positions in the list, and the limits of the remaining
 * wallets. Lock the wallets first, because it counts what they have sent. Run it after
 * `planByIndex` with arrays in parentheses, as `readByIds` does, so that it keeps its plan.
 */
export const selectTaken = sqlOfMany<{
  [K in keyof LimitOf]: K extends 'position' ? bigint : LimitOf[K] | null
}>(
  'payouts.select_taken',
  `select position, ${noLimit}
     from unnest((select $1::text[]), (select $2::boolean[]), (select $3::text[]))
          with ordinality as wanted (business_id, livemode, reference, position)
    where (select true from payouts p
            where p.business_id = wanted.business_id and p.livemode = wanted.livemode
              and p.reference = wanted.reference)
    union all ${limitsOf(4)}`,
)

export const selectByReference = sql<PayoutRow>(
  'payouts.select_by_reference',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and reference = $3`,
)

export const selectReferences = sql<{ reference: string }>(
  'payouts.select_references',
  'select reference from payouts where business_id = $1 and livemode = $2 and reference = any ($3::text[])',
)

/** Payouts to an account number or address `?`, case-insensitive. */
export const goesTo = 'account_key = hashtextextended(lower(?), 0)'

/** Locks payouts in id order. */
export const lockByReferences = sql<PayoutRow>(
  'payouts.lock_by_references',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and reference = any ($3::text[])
    order by id for no key update`,
)

/** Reads payouts by id. */
export const selectByIds = sql<PayoutRow>(
  'payouts.select_by_ids',
  `select ${columns} from payouts where business_id = $1 and livemode = $2 and id = any ($3::text[])`,
)

export const selectById = t.byId(payouts)
export const lockById = t.byId(payouts, t.locked)

/** Open payouts of all businesses, except those on the rail `$1`, for the operator. */
export const selectOpen = sqlOfAll<PayoutRow & { business_id: Id; livemode: boolean }>(
  'payouts.select_open',
  `select business_id, livemode, ${columns} from payouts
    where status in ('pending', 'processing') and rail <> $1 order by created_at, id`,
)

export type OutcomeRow = Pick<
  PayoutRow,
  'currency' | 'status' | 'failure_reason' | 'method' | 'amount' | 'fee'
> & {
  net_amount: bigint
  count: bigint
}

/** Outcomes of the payouts created from `$3` up to `$4`. Fees count only for completed payouts. */
export const selectOutcomes = sql<OutcomeRow>(
  'payouts.select_outcomes',
  `select currency, status, failure_reason, method, count(*) as count, sum(amount)::bigint as amount,
          coalesce(sum(fee) filter (where status in ('completed', 'returned')), 0)::bigint as fee,
          coalesce(sum(amount - fee) filter (where status in ('completed', 'returned')), 0)::bigint as net_amount
     from payouts
    where business_id = $1 and livemode = $2 and id >= $3 and id < $4
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
)

/** Of the newest payouts, those with a text in their reference, or to an account that ends with it. */
export const selectByPart = selectIdsByPart('payouts', "destination->>'account_number'")
