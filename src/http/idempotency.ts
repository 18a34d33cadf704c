/**
 * Idempotency-Key: the key, the change and the answer are committed together, so an answer is given again exactly when
 * its change stands. A twin that comes while the first still runs waits for it on the key's row.
 */
import { createHmac } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { sql, transaction } from '../db/db.ts'
import { later } from '../lib/clock.ts'
import { Refusal, refuse, refuseInput } from '../lib/errors.ts'
import { open, seal } from '../lib/secrets.ts'

const keepMs = 24 * 60 * 60 * 1000

/** A finished answer: its status and the exact text of its body. */
export type Finished = { status: number; body: string; replayed: boolean }

const claimKey = sql<{ key: string }>(
  'idempotency.claim',
  `insert into idempotency_keys as known (business_id, livemode, key, request_hash, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (business_id, livemode, key) do update
     set request_hash = excluded.request_hash, status = null, body = null, created_at = excluded.created_at
   where known.created_at <= $6
   returning key`,
)
const selectAnswer = sql<{ request_hash: Buffer; status: number | null; body: Buffer | null }>(
  'idempotency.select',
  'select request_hash, status, body from idempotency_keys where business_id = $1 and livemode = $2 and key = $3',
)
const storeAnswer = sql(
  'idempotency.store',
  'update idempotency_keys set status = $4, body = $5 where business_id = $1 and livemode = $2 and key = $3',
)
const deleteOld = sql('idempotency.delete_old', 'delete from idempotency_keys where created_at < $1')

/**
 * Reads the header.
 * @throws {Refusal} `validation_failed` when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    refuseInput([
      {
        path: 'idempotency-key',
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
        location: 'headers',
      },
    ])
  return header
}

/**
 * What makes two requests the same: method, path and body. Keyed, since a body may hold a number that is short enough
 * to be found by trying them all.
 */
export function requestHash(key: Buffer, method: string, url: string, body: unknown): Buffer {
  return createHmac('sha256', key)
    .update(`${method} ${url}\n${JSON.stringify(body) ?? ''}`)
    .digest()
}

/**
 * Runs a request at most once for its key. Success and refusal are both kept, for 24 hours of the scope's time.
 * @throws {Refusal} `idempotency_key_reused` when the key came with another request before
 */
export async function once(
  ctx: Ctx,
  key: string,
  hash: Buffer,
  run: (ctx: Ctx) => Promise<{ status: number; body: string }>,
  refusalBody: (refusal: Refusal) => string,
): Promise<Finished> {
  const { businessId, livemode, now } = ctx.scope
  const owner = [businessId, livemode, key]
  const sealKey = ctx.config.SECRETS_KEY as Buffer
  const expired = later(now, -keepMs)
  let refusal: Refusal | null = null
  const finished = await transaction(ctx.db, async (tx): Promise<Finished> => {
    const claimed = await tx.row(claimKey, [...owner, hash, now, expired])
    if (!claimed) {
      const stored = await tx.row(selectAnswer, owner)
      if (!stored?.request_hash.equals(hash))
        refuse('idempotency_key_reused', 'This Idempotency-Key was used for another request; use a new one.')
      if (stored.status === null || stored.body === null)
        throw new Error('an Idempotency-Key was committed without its answer')
      return { status: stored.status, body: open(sealKey, stored.body, owner.join()), replayed: true }
    }
    let answer: { status: number; body: string }
    try {
      answer = await tx.savepoint(() => run({ ...ctx, tx }))
    } catch (error) {
      // A refusal undid all it touched. It is kept by the commit that claimed the key, so no twin can run in between.
      if (!(error instanceof Refusal) || error.code === 'validation_failed') throw error
      refusal = error
      answer = { status: error.status, body: refusalBody(error) }
    }
    await tx.rows(storeAnswer, [...owner, answer.status, seal(sealKey, answer.body, owner.join())])
    return { ...answer, replayed: false }
  })
  if (refusal) throw refusal
  return finished
}

/** Deletes what is older than 24 hours by the machine's clock; test clocks only run ahead of it. */
export async function forgetOldKeys(db: Ctx['db'], now: Date): Promise<void> {
  await db.rows(deleteOld, [later(now, -keepMs)])
}
