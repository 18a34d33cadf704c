/** Shared by payouts of every provider: obstacles, and references of orders. */
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

/** An account's parts for payouts. */
export type PayoutParts = {
  balance: Balance
  /** The amount that stays at the provider, in minor units. */
  floatMin: bigint
  /** Temporary pauses that end without a person. */
  pauses: Pauses
}

type Funds = { client: Pick<ProviderClient<never, never>, 'bucket'> } & PayoutParts

/**
 * The longest time to create a recipient, so that the payout still fits within the rail's timeout.
 */
export const recipientMs = 4_000

/** Creating a recipient took too long. It is stored now, so the next try has its whole time. */
export const recipientTooSlow = refusedNow('provider_down', 1_000)

/**
 * How soon an order is offered again that its provider was not asked for, because another account
 * may pay.
 */
export const elsewhereMs = 15_000

/** Returns a function that describes an obstacle to people, in a provider's sentences. */
export const obstructionsOf =
  <O extends Obstacle>(sentences: Record<O, string>) =>
  (obstacle: O): Obstruction => ({ obstacle, sentence: sentences[obstacle] })

/**
 * Returns why an order cannot be sent: the rate limit, a pause, the balance, or an unreadable
 * balance; null if it can.
 * @param needed the order's amount with its fee
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

/**
 * Returns the state of an order whose call had no answer: `unknown` if it may have been executed.
 */
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
 * Returns the state of an order whose recipient is unknown. Creating a recipient moves no money, so
 * nothing of the order was sent.
 */
export const recipientUnanswered = (answer: Unanswered): OrderState =>
  obstacleIn(answer) ?? refusedNow('provider_down')

/** Static facts of every provider's payouts. `arrivalMs` is the provider's own. */
export const payoutTerms = ({ name }: { name: string }) => ({
  name,
  holdMs: 0,
  orderLifeMs: 600_000,
  referenceOf: async (order: PayoutOrder) => payoutReference(order),
})
