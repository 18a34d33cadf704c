/**
 * Notices: what rails tell of money that came. A notice is booked once, however often it is told.
 */
import { type Ctx, inTransaction } from '../context.ts'
import { sql } from '../db/db.ts'
import { type Id, newId } from '../lib/ids.ts'
import { getTransaction, type Source, type Transaction } from '../transactions/transactions.ts'

/** What a rail tells of money that came. `notice` is the rail's own id of it. */
export type Notice = { rail: string; notice: string; amount: bigint; source: Source | null }

const claimNotice = sql<{ transaction_id: Id }>(
  'deposits.claim_notice',
  `insert into deposit_notices (business_id, livemode, rail, notice, transaction_id, created_at)
   values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning transaction_id`,
)
const selectNotice = sql<{ transaction_id: Id }>(
  'deposits.select_notice',
  `select transaction_id from deposit_notices
    where business_id = $1 and livemode = $2 and rail = $3 and notice = $4`,
)

/**
 * Claims the notice with the id its transaction will have; who told it first books it, and everyone gets the one transaction.
 * @param transaction the id, where the money was seen before it came; else a new one
 */
export function once(
  ctx: Ctx,
  { rail, notice }: Pick<Notice, 'rail' | 'notice'>,
  book: (inside: Ctx, id: Id) => Promise<Transaction>,
  transaction: Id = newId(ctx.scope.now),
): Promise<Transaction> {
  const { businessId, livemode, now } = ctx.scope
  const key = [businessId, livemode, rail, notice]
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    if (await tx.row(claimNotice, [...key, transaction, now])) return book(inside, transaction)
    const known = await tx.row(selectNotice, key)
    return getTransaction(inside, known?.transaction_id as Id)
  })
}
