/**
 * Card testing: who tries cards from one address too often, or has too many declined in a row, on
 * whatever page of the installation, is turned away for a while. The counts are one for all
 * processes, in the database, by the address's hash alone.
 */
import * as payments from '../../collecting/payments/payments.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PageRequest } from '../../core/route.ts'
import { sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { Id } from '../../lib/ids.ts'
import { macsOf } from '../../lib/secrets.ts'
import { type LimitRule, recordFired } from '../../paying-out/limits/limits.ts'

/** One more in a window that begins with the first. */
const count = sqlOfAll<{ used: bigint; other: bigint | null }>(
  'checkout.count',
  `insert into rate_limits as known (key, used, granted, resets_at) values ($1, 1, 1, $3)
   on conflict (key) do update set
     used = case when known.resets_at <= $2 then 1 else known.used + 1 end,
     resets_at = case when known.resets_at <= $2 then excluded.resets_at else known.resets_at end
   returning used, (select o.used from rate_limits o where o.key = $4 and o.resets_at > $2) as other`,
)
const forget = sqlOfAll('checkout.forget', 'delete from rate_limits where key = $1')

const keyOf = ({ secrets }: Ctx, rule: string, { address }: PageRequest): string =>
  `${rule} ${macsOf(secrets, 'card tries', address)[0]}`
const triesOf = (ctx: Ctx, request: PageRequest) => keyOf(ctx, 'card tries', request)
const declinesOf = (ctx: Ctx, request: PageRequest) => keyOf(ctx, 'card declines', request)

/**
 * Counts a try to pay by card, before anybody is asked.
 * @returns whether it may be made; that one may not is counted as its rule, of the business whose
 * page it is
 */
export async function admitTry(ctx: Ctx, request: PageRequest): Promise<boolean> {
  const {
    CARD_TRIES_MAX: tries,
    CARD_DECLINES_MAX: declines,
    CARD_TRIES_WINDOW: windowMs,
  } = ctx.config
  if (tries === 0 && declines === 0) return true
  const now = ctx.clock.now()
  const keys = [triesOf(ctx, request), declinesOf(ctx, request)]
  const row = await ctx.db.row(count, [keys[0], now, later(now, windowMs), keys[1]])
  const rule: LimitRule | null =
    declines > 0 && Number(row?.other ?? 0n) >= declines
      ? 'card_declines'
      : tries > 0 && Number(row?.used ?? 0n) > tries
        ? 'card_tries'
        : null
  if (rule === null) return true
  await recordFired(ctx.db, [{ scope: ctx.scope, rule }])
  return false
}

/** Counts how a try ended: declines in a row, until a card is taken. */
export async function countOutcome(ctx: Ctx, request: PageRequest, payment: Id): Promise<void> {
  const { CARD_DECLINES_MAX: declines, CARD_TRIES_WINDOW: windowMs } = ctx.config
  if (declines === 0) return
  const status = (await payments.latestAttempt(ctx, payment))?.status
  const now = ctx.clock.now()
  const key = declinesOf(ctx, request)
  if (status === 'failed') await ctx.db.rows(count, [key, now, later(now, windowMs), key])
  if (status === 'succeeded') await ctx.db.rows(forget, [key])
}
