import { sql, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

export type WalletRow = {
  id: Id
  currency: WalletCurrency
  available: bigint
  pending: bigint
  created_at: Date
  /** The last change of its balances, or its creation. */
  updated_at: Date
}

export const insertWallets = sql(
  'wallets.insert',
  `insert into wallets (business_id, livemode, id, currency, available_account, pending_account, created_at)
   select $1, $2, new.id, new.currency, available.id, pending.id, $5
     from unnest($3::text[], $4::text[]) as new (id, currency)
     join ledger_accounts available on available.business_id = $1 and available.livemode = $2
      and available.purpose = 'wallet_available' and available.currency = new.currency and available.subject = ''
     join ledger_accounts pending on pending.business_id = $1 and pending.livemode = $2
      and pending.purpose = 'wallet_pending' and pending.currency = new.currency and pending.subject = ''`,
)

export const selectWallet = sql<Pick<WalletRow, 'id' | 'currency' | 'created_at'>>(
  'wallets.select_one',
  'select id, currency, created_at from wallets where business_id = $1 and livemode = $2 and id = $3',
)

/**
 * The wallets of each request; of every currency if it names none. The limit and the parentheses
 * keep one generic plan, as in `readByIds` (`db/table.ts`).
 */
export const selectWallets = sqlOfMany<WalletRow & { asker: number }>(
  'wallets.select',
  `select asked.asker::integer, found.*
     from unnest((select $1::text[]), (select $2::boolean[]), (select $3::text[]))
          with ordinality as asked (business_id, livemode, currency, asker)
    cross join lateral (
      select w.id, w.currency, available.balance as available, pending.balance as pending, w.created_at,
             greatest(w.created_at, available.changed_at, pending.changed_at) as updated_at
        from wallets w
        join ledger_accounts available on available.business_id = w.business_id and available.livemode = w.livemode
         and available.id = w.available_account
        join ledger_accounts pending on pending.business_id = w.business_id and pending.livemode = w.livemode
         and pending.id = w.pending_account
       where w.business_id = asked.business_id and w.livemode = asked.livemode
         and (asked.currency is null or w.currency = asked.currency)
       order by w.currency limit 100) found`,
)
