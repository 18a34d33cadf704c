/** What payouts by every provider share: what is in the way of an order, and how an order is known. */
import {
  obstacleIn,
  obstacleOfFailure,
  refusedNow,
  type Unanswered,
  unknown,
} from '../http/answers.ts'
import type { ProviderClient } from '../http/client.ts'
import type { Pauses } from '../http/pauses.ts'
import type { Obstacle, Obstruction, OrderState, PayoutOrder } from '../ports/rail.ts'
import type { Balance } from './balance.ts'
import { payoutReference } from './provider-orders.ts'

/** What an account pays out with, beside what it has for everything. */
export type PayoutParts = {
  balance: Balance
  /** What is left untouched at the provider, in minor units. */
  floatMin: bigint
  /** What is in the way for a while, without a person. */
  pauses: Pauses
}

type Funds = { client: Pick<ProviderClient<never, never>, 'bucket'> } & PayoutParts

/**
 * How long making a recipient may take, so that a payout still has its time within the deadline of
 * a rail.
 */
export const recipientMs = 4_000

/** A recipient took too long to make. It is kept now, so the next try has its whole time. */
export const recipientTooSlow = refusedNow('provider_down', 1_000)

/** How soon an order is offered again that its provider is not asked for: another account may pay. */
export const elsewhereMs = 15_000

/** Returns what says an obstacle to people, in a provider's sentences. */
export const obstructionsOf =
  <O extends Obstacle>(sentences: Record<O, string>) =>
  (obstacle: O): Obstruction => ({ obstacle, sentence: sentences[obstacle] })

/**
 * Returns what keeps an order from being sent: the rate limit, a pause, the balance, or that the
 * balance cannot be read; null where nothing does.
 * @param needed what the order takes, with its fee
 */
export async function findObstruction(
  { client, balance, floatMin }: Funds,
  {
    needed,
    paused,
    obstruction,
  }: {
    needed: bigint
    paused: Obstruction | null
    obstruction(obstacle: Exclude<Obstacle, 'otp_required'>): Obstruction
  },
): Promise<Obstruction | null> {
  if (client.bucket.pausedMs('send') > 0) return obstruction('rate_limited')
  if (paused !== null) return paused
  const held = await balance.available()
  if ('amount' in held)
    return held.amount < needed + floatMin ? obstruction('balance_too_low') : null
  return obstruction(obstacleOfFailure(held))
}

/** Returns the state of an order whose call had no answer: `unknown` if it may have been executed. */
export function stateUnanswered(
  { balance }: Pick<Funds, 'balance'>,
  order: PayoutOrder,
  answer: Unanswered,
): OrderState {
  const certain = obstacleIn(answer)
  if (certain !== null) balance.answered(order.id, false)
  return certain ?? unknown
}

/**
 * Returns the state of an order whose recipient is not known. A recipient is no money: whether it
 * was made or not, nothing of the order was sent.
 */
export const recipientUnanswered = (answer: Unanswered): OrderState =>
  obstacleIn(answer) ?? refusedNow('provider_down')

/** What is known of every provider's payouts without asking. `arrivalMs` is the provider's own. */
export const payoutTerms = ({ name }: { name: string }) => ({
  name,
  holdMs: 0,
  orderLifeMs: 600_000,
  referenceOf: async (order: PayoutOrder) => payoutReference(order),
})
