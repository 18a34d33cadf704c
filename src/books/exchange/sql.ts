import { sqlOfAll } from '../../db/db.ts'
import type { Currency } from '../../lib/money.ts'

/**
 * Serialises exchanges per limit, over all businesses. Locks in the order of names, to avoid
 * deadlocks.
 */
export const lockLimits = sqlOfAll<{ livemode: boolean; currency: Currency; max_short: bigint }>(
  'exchange.lock_limits',
  `select livemode, currency, max_short from exchange_limits
    where (livemode, currency) in (select * from unnest($1::boolean[], $2::text[]))
    order by livemode, currency for update`,
)

/** The positions of some currencies, less the payouts in flight. */
export const selectLeft = sqlOfAll<{ livemode: boolean; currency: Currency; balance: bigint }>(
  'exchange.select_left',
  `select livemode, currency,
          (select coalesce(sum(a.balance), 0) from ledger_accounts a
            where a.livemode = wanted.livemode and a.currency = wanted.currency and a.purpose = 'exchange')::bigint
        - (select coalesce(sum(p.destination_amount), 0) from payouts p
            where p.livemode = wanted.livemode and p.destination_currency = wanted.currency
              and p.destination_currency <> p.currency and p.status in ('pending', 'processing'))::bigint as balance
     from unnest($1::boolean[], $2::text[]) as wanted (livemode, currency)`,
)

export const selectPositions = sqlOfAll<{
  livemode: boolean
  currency: string
  balance: bigint
  promised: bigint
  max_short: bigint | null
}>(
  'exchange.select_positions',
  `select livemode, currency, coalesce(p.balance, 0)::bigint as balance, coalesce(o.promised, 0)::bigint as promised, l.max_short
     from (select livemode, currency, sum(balance) as balance from ledger_accounts
            where purpose = 'exchange' and changed_at is not null group by 1, 2) p
     full join (select livemode, destination_currency as currency, sum(destination_amount) as promised from payouts
                 where destination_currency <> currency and status in ('pending', 'processing') group by 1, 2) o
               using (livemode, currency)
     full join exchange_limits l using (livemode, currency)
    order by livemode desc, currency`,
)

export const upsertLimit = sqlOfAll(
  'exchange.upsert_limit',
  `insert into exchange_limits (livemode, currency, max_short, updated_at) values ($1, $2, $3, $4)
   on conflict (livemode, currency) do update set max_short = excluded.max_short, updated_at = excluded.updated_at`,
)
export const deleteLimit = sqlOfAll(
  'exchange.delete_limit',
  'delete from exchange_limits where livemode = $1 and currency = $2',
)
