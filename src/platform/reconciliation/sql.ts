import { sqlOfAll } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'

/** Accounts belong to no business. */
export const selectFirstSeen = sqlOfAll<{ first_seen_at: Date }>(
  'reconciliation.select_first_seen',
  'select first_seen_at from rail_accounts where livemode = $1 and name = $2',
)

export type Run = {
  id: Id
  livemode: boolean
  rail: string
  currency: WalletCurrency
  from_at: Date
  to_at: Date
  owed: bigint | null
  booked: bigint
  findings: number
  ended_at: Date
}

export const insertRun = sqlOfAll(
  'reconciliation.insert_run',
  `insert into provider_reconciliations (id, livemode, rail, currency, from_at, to_at, owed, booked, findings, ended_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

export const selectLast = sqlOfAll<Run>(
  'reconciliation.select_last',
  `select distinct on (livemode, rail) id, livemode, rail, currency, from_at, to_at, owed, booked, findings, ended_at
     from provider_reconciliations order by livemode, rail, id desc`,
)

export const deleteOld = sqlOfAll(
  'reconciliation.delete_old',
  'delete from provider_reconciliations where livemode = $1 and rail = $2 and ended_at < $3',
)
