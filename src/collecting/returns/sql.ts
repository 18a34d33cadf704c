import { sql, sqlOfAll } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { FailureReason } from '../../rails/ports/rail.ts'
import type { ReturnStatus } from './states.ts'

export const returns = t.table('provider_returns', {
  id: t.text<Id>(),
  charge_id: t.text<Id>(),
  rail: t.text(),
  payment: t.text(),
  payment_reference: t.nullable(t.text()),
  amount: t.bigint(),
  fee: t.nullable(t.bigint()),
  currency: t.text<WalletCurrency>(),
  requested_by: t.text(),
  status: t.text<ReturnStatus>(),
  failure_reason: t.defaulted(t.nullable(t.text<FailureReason>())),
  provider_reference: t.defaulted(t.nullable(t.text())),
  sent_at: t.defaulted(t.nullable(t.time())),
  submissions: t.defaulted(t.integer()),
  created_at: t.time(),
  updated_at: t.time(),
})
export type ReturnRow = t.RowOf<typeof returns>
const columns = t.columnsOf(returns)

export const selectReturn = t.byId(returns)
export const lockReturn = t.byId(returns, t.locked)

/** The latest return of a payment. */
export const selectLatest = sql<ReturnRow>(
  'returns.select_latest',
  `select ${columns} from provider_returns
    where business_id = $1 and livemode = $2 and rail = $3 and payment = $4 order by id desc limit 1`,
)

/** The returns of a payment that a notification names. */
export const selectNotified = sql<{ id: Id }>(
  'returns.select_notified',
  `select id from provider_returns
    where business_id = $1 and livemode = $2 and charge_id = $3
      and (status <> 'failed' or sent_at is not null) order by id`,
)

/** Open returns of both modes. */
export const selectOpen = sqlOfAll<ReturnRow & { business_id: Id }>(
  'returns.select_open',
  `select business_id, ${columns} from provider_returns where status = 'initiated' order by created_at, id`,
)
