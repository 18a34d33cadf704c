/**
 * Notices: what rails tell of money that came. A notice is booked once, however often it is told.
 */

import { getTransaction, type Source, type Transaction } from '../../books/transactions/transactions.ts'
import { type Ctx, inTransaction, type Scope } from '../../core/context.ts'
import { replanned, rowsOf, sql, type Tx } from '../../db/db.ts'
import { Refusal, refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { CryptoCurrency } from '../../lib/money.ts'

/** What a rail tells of money that came. `notice` is the rail's own id of it. */
export type Notice = { rail: string; notice: string; amount: bigint; source: Source | null }

/** A notice that somebody wants to book. `transaction` is the id that its transaction would have. */
export type Claim = { scope: Scope; rail: string; notice: string; transaction: Id }

/** In the order of their keys, so that two transactions never wait for each other. */
const insertNotices = sql<{ transaction_id: Id }>(
  'deposits.insert_notices',
  `insert into deposit_notices (business_id, livemode, rail, notice, transaction_id, created_at)
   select *
     from ${rowsOf('business_id text, livemode boolean, rail text, notice text, transaction_id text, created_at timestamptz')} as claim
    order by business_id, livemode, rail, notice
   on conflict do nothing
   returning transaction_id`,
)
const selectNotices = replanned(
  sql<{ position: bigint; transaction_id: Id }>(
    'deposits.select_notices',
    `select claim.position, n.transaction_id
       from unnest($1::text[], $2::boolean[], $3::text[], $4::text[])
            with ordinality as claim (business_id, livemode, rail, notice, position)
       join deposit_notices n using (business_id, livemode, rail, notice)`,
  ),
)
const deleteNotices = replanned(
  sql(
    'deposits.delete_notices',
    `delete from deposit_notices n
      using ${rowsOf('business_id text, livemode boolean, rail text, notice text')} as claim
      where n.business_id = claim.business_id and n.livemode = claim.livemode
        and n.rail = claim.rail and n.notice = claim.notice`,
  ),
)

const keysOf = (claims: Claim[]): unknown[] => [
  claims.map(({ scope }) => scope.businessId),
  claims.map(({ scope }) => scope.livemode),
  claims.map(({ rail }) => rail),
  claims.map(({ notice }) => notice),
]

/**
 * Claims notices, of any number of businesses; who claims one that another is claiming waits for what becomes of it. Whoever has
 * a claim books it, or gives it back, in the same transaction.
 * @param claims no two of one notice
 * @returns the transactions of those that are booked already; the others are claimed
 */
export async function claim(tx: Tx, claims: Claim[]): Promise<Map<Claim, Id>> {
  const known = new Map<Claim, Id>()
  if (claims.length === 0) return known
  const rows = await tx.rows(insertNotices, [
    ...keysOf(claims),
    claims.map(({ transaction }) => transaction),
    claims.map(({ scope }) => scope.now),
  ])
  const claimed = new Set(rows.map((row) => row.transaction_id))
  const others = claims.filter(({ transaction }) => !claimed.has(transaction))
  if (others.length === 0) return known
  for (const { position, transaction_id } of await tx.rows(selectNotices, keysOf(others)))
    known.set(others[Number(position) - 1] as Claim, transaction_id)
  if (known.size < others.length) throw new Error('a notice that is booked has vanished')
  return known
}

/** Gives back claims that nothing was booked for: the notices can be told again. */
export async function giveBack(tx: Tx, claims: Claim[]): Promise<void> {
  if (claims.length > 0) await tx.rows(deleteNotices, keysOf(claims))
}

/** What the transaction of a deposit says, as far as its notice tells. `amount` in minor units of what is credited. */
export type Told = {
  method: 'bank_transfer' | 'crypto'
  amount: bigint
  related: Record<string, Id>
  token?: CryptoCurrency
}

/**
 * The transaction of a notice that was told before, for who tells it again.
 * @throws {Refusal} `notice_reused` (409) when it is another deposit's, which says nothing of whether this one is booked
 */
export function assertTold(known: Transaction, notice: string, { method, amount, related, token }: Told): Transaction {
  const same =
    known.method === method &&
    known.amount === amount &&
    (token === undefined || known.source?.currency === token) &&
    Object.entries(related).every(([record, id]) => known.related[record] === id)
  if (same) return known
  const text = `The notice '${notice}' was told before, of another deposit (transaction ${known.id}). Nothing was booked; tell each deposit by a notice of its own.`
  return refuse('notice_reused', text, { transaction: known.id })
}

/** Does `work` for a notice, and has the log say so where it was refused as another deposit's: a rail may hold money that is not booked. */
export async function noteReuse<T>(ctx: Ctx, { rail, notice }: Named, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.code === 'notice_reused')
      ctx.log.error({ rail, notice, ...error.details }, 'a notice was told again, of another deposit')
    throw error
  }
}

type Named = Pick<Notice, 'rail' | 'notice'>

/**
 * Claims the notice with the id its transaction will have; who told it first books it, and everyone gets the one transaction.
 * @param told what a transaction that the notice has already must say
 * @param transaction the id, where the money was seen before it came; else a new one
 * @throws {Refusal} `notice_reused` (409) when it says something else
 */
export function once(
  ctx: Ctx,
  { rail, notice }: Named,
  told: (inside: Ctx) => Promise<Told>,
  book: (inside: Ctx, id: Id) => Promise<Transaction>,
  transaction: Id = newId(ctx.scope.now),
): Promise<Transaction> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const [known] = (await claim(tx, [{ scope: ctx.scope, rail, notice, transaction }])).values()
    if (!known) return book(inside, transaction)
    return assertTold(await getTransaction(inside, known), notice, await told(inside))
  })
}
