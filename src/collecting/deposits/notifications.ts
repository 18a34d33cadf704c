/** Inbound deposit notifications. The rail's own id, the `notice`, makes booking idempotent. */

import type { Receipt } from '../../books/receipts/receipts.ts'
import {
  type Source,
  type Transaction,
  transactionIn,
} from '../../books/transactions/transactions.ts'
import type { Scope } from '../../core/app.ts'
import type { View, Work } from '../../core/inside.ts'
import { replanned, rowsOf, sql, sqlOfMany, type Tx } from '../../db/db.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import { refuse } from './refusals.ts'

/** A rail's report of a deposit. `notice` is the rail's own id of it. */
export type DepositNotification = {
  rail: string
  notice: string
  amount: bigint
  source: Source | null
  /** At a provider: its fee, when known, and when the rest becomes available for payouts. */
  receipt?: Pick<Receipt, 'kind' | 'fee' | 'availableAt'>
}

/** A claim to book a notification. `transaction` is the id that its transaction would get. */
export type NotificationClaim = { scope: Scope; rail: string; notice: string; transaction: Id }

/** Inserts in the order of keys, to avoid deadlocks. */
const insertNotifications = sqlOfMany<{ transaction_id: Id }>(
  'deposits.insert_notifications',
  `insert into deposit_notices (business_id, livemode, rail, notice, transaction_id, created_at)
   select *
     from ${rowsOf('business_id text, livemode boolean, rail text, notice text, transaction_id text, created_at timestamptz')} as claim
    order by business_id, livemode, rail, notice
   on conflict do nothing
   returning transaction_id`,
)
const selectNotifications = replanned(
  sqlOfMany<{ position: bigint; transaction_id: Id }>(
    'deposits.select_notifications',
    `select claim.position, n.transaction_id
       from unnest($1::text[], $2::boolean[], $3::text[], $4::text[])
            with ordinality as claim (business_id, livemode, rail, notice, position)
       join deposit_notices n using (business_id, livemode, rail, notice)`,
  ),
)
const deleteNotifications = replanned(
  sqlOfMany(
    'deposits.delete_notifications',
    `delete from deposit_notices n
      using ${rowsOf('business_id text, livemode boolean, rail text, notice text')} as claim
      where n.business_id = claim.business_id and n.livemode = claim.livemode
        and n.rail = claim.rail and n.notice = claim.notice`,
  ),
)

const keysOf = (claims: NotificationClaim[]): unknown[] => [
  claims.map(({ scope }) => scope.businessId),
  claims.map(({ scope }) => scope.livemode),
  claims.map(({ rail }) => rail),
  claims.map(({ notice }) => notice),
]

/**
 * Claims notifications of any businesses. Waits while another transaction claims one of them. The
 * caller books or releases each claim in the same transaction.
 * @param claims at most one for a notification
 * @returns the transactions of notifications that are booked already; the others are claimed
 */
export async function claimNotifications(
  tx: Tx,
  claims: NotificationClaim[],
): Promise<Map<NotificationClaim, Id>> {
  const known = new Map<NotificationClaim, Id>()
  if (claims.length === 0) return known
  const rows = await tx.rows(insertNotifications, [
    ...keysOf(claims),
    claims.map(({ transaction }) => transaction),
    claims.map(({ scope }) => scope.now),
  ])
  const claimed = new Set(rows.map((row) => row.transaction_id))
  const others = claims.filter(({ transaction }) => !claimed.has(transaction))
  if (others.length === 0) return known
  for (const { position, transaction_id } of await tx.rows(selectNotifications, keysOf(others)))
    known.set(others[Number(position) - 1] as NotificationClaim, transaction_id)
  if (known.size < others.length) throw new Error('a notification that is booked has vanished')
  return known
}

const selectIsBooked = sql<{ told: boolean }>(
  'deposits.select_told',
  `select exists (select from deposit_notices where business_id = $1 and livemode = $2 and rail = $3 and notice = $4) as told`,
)

/** Whether a notification was booked before. */
export const isBooked = async (view: View, { rail, notice }: NotificationId): Promise<boolean> =>
  (await view.row(selectIsBooked, [rail, notice]))?.told === true

/** Releases claims that were not booked, so that the rail can repeat the notification. */
export async function releaseNotifications(tx: Tx, claims: NotificationClaim[]): Promise<void> {
  if (claims.length > 0) await tx.rows(deleteNotifications, keysOf(claims))
}

type NotificationId = Pick<DepositNotification, 'rail' | 'notice'>

/** What a deposit's transaction must contain. `amount` in minor units of the credited currency. */
export type ExpectedTransaction = {
  method: 'bank_transfer' | 'crypto'
  amount: bigint
  related: Record<string, Id>
  token?: CryptoCurrency
}

/**
 * Returns the transaction of a repeated notification.
 * @throws {Refusal} `notice_reused` (409) when it belongs to another deposit
 */
export function assertSameDeposit(
  log: Log,
  known: Transaction,
  { rail, notice }: NotificationId,
  { method, amount, related, token }: ExpectedTransaction,
): Transaction {
  const same =
    known.method === method &&
    known.amount === amount &&
    (token === undefined || known.source?.currency === token) &&
    Object.entries(related).every(([record, id]) => known.related[record] === id)
  if (same) return known
  // An error for the operator: the rail may hold money that is not booked.
  log.error(
    { rail, notice, transaction: known.id },
    'a rail notified of another deposit under the same id',
  )
  const text = `The notice '${notice}' was used before, for another deposit (transaction ${known.id}). Nothing was booked; use a new notice for each deposit.`
  return refuse('notice_reused', text, { transaction: known.id })
}

/**
 * Books a notification once. A repeat returns the same transaction.
 * @param expected what an existing transaction of the notification must contain
 * @param transaction the id of its pending transaction, when the money was seen before
 * @throws {Refusal} `notice_reused` (409) when the notification belongs to another deposit
 */
export async function bookOnce(
  work: Work,
  notification: NotificationId,
  expected: () => Promise<ExpectedTransaction>,
  book: (id: Id) => Promise<Transaction>,
  transaction: Id = newId(work.scope.now),
): Promise<Transaction> {
  const { rail, notice } = notification
  const [known] = (
    await claimNotifications(work.tx, [{ scope: work.scope, rail, notice, transaction }])
  ).values()
  if (!known) return book(transaction)
  return assertSameDeposit(
    work.log,
    await transactionIn(work, known),
    notification,
    await expected(),
  )
}
