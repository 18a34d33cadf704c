/** The sandbox's card scheme. It keeps its own books, and of a card only what its number causes. */
import { type Database, sqlOfMany } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { CardRail, ChargeOrder, ChargeState } from '../ports/cards.ts'
import type { DeclineReason } from '../ports/rail.ts'

type TestCard = {
  meaning: string
  outcome: 'succeeded' | DeclineReason
  /** The decline is final: no other card will work. */
  final?: boolean
  /** The payer's bank asks the payer first. */
  challenge?: boolean
  /** The answer is lost; a later query shows what happened. */
  lost?: 'after' | 'before'
  refund?: 'rejected'
}

/** The test cards by number. Any future expiry and any code work. */
export const testCards: Record<string, TestCard> = {
  '4242424242424242': { meaning: 'succeeds (Visa)', outcome: 'succeeded' },
  '5555555555554444': { meaning: 'succeeds (Mastercard)', outcome: 'succeeded' },
  '5060666666666666666': { meaning: 'succeeds (Verve)', outcome: 'succeeded' },
  '4000000000000002': { meaning: 'declined: `declined`', outcome: 'declined' },
  '4111111111111111': { meaning: 'declined: `declined`', outcome: 'declined' },
  '4000000000009995': { meaning: 'declined: `insufficient_funds`', outcome: 'insufficient_funds' },
  '4000000000000069': { meaning: 'declined: `expired_card`', outcome: 'expired_card' },
  '4000000000000127': { meaning: 'declined: `incorrect_cvc`', outcome: 'incorrect_cvc' },
  '4100000000000019': {
    meaning: 'declined for good: `fraudulent`; the payment fails',
    outcome: 'fraudulent',
    final: true,
  },
  '4000002760003184': {
    meaning: 'asks the payer to confirm; succeeds when they do, else `challenge_failed`',
    outcome: 'succeeded',
    challenge: true,
  },
  '4000000000000259': {
    meaning: 'the answer is lost after the card was charged; succeeds when the scheme is asked',
    outcome: 'succeeded',
    lost: 'after',
  },
  '4000000000000119': {
    meaning: 'the order is lost on its way; `processing_error`, and nothing is charged',
    outcome: 'succeeded',
    lost: 'before',
  },
  '4000000000005126': {
    meaning: 'succeeds; a refund of it fails',
    outcome: 'succeeded',
    refund: 'rejected',
  },
}

/** Numbers of no real card: those of the table, and others of an unassigned range. */
const testNumbers = new RegExp(`^(400000\\d{10}|${Object.keys(testCards).join('|')})$`)

/** The brands of the table's numbers. */
const brands = ['visa', 'mastercard', 'verve'] as const

/** Any number outside the table. */
const unknownCard: TestCard = { meaning: '', outcome: 'declined' }

type ChargeRow = { outcome: string; state: 'challenge' | 'charged'; settles_at: Date }

const insertCharge = sqlOfMany(
  'sandbox.insert_charge',
  `insert into sandbox_charges (business_id, id, outcome, state, settles_at, refund_outcome)
   values ($1, $2, $3, $4, $5, $6) on conflict (business_id, id) do nothing`,
)
/**
 * The state of a charge that was queried before it arrived: `not_found` promises that it is never
 * made.
 */
const notTaken = 'not_taken'
const refuseCharge = sqlOfMany(
  'sandbox.refuse_charge',
  `insert into sandbox_charges (business_id, id, outcome, state, settles_at, refund_outcome)
   values ($1, $2, $3, 'charged', $4, 'rejected') on conflict (business_id, id) do nothing`,
)
const selectCharge = sqlOfMany<ChargeRow>(
  'sandbox.select_charge',
  'select outcome, state, settles_at from sandbox_charges where business_id = $1 and id = $2',
)
const answerChallenge = sqlOfMany(
  'sandbox.answer_challenge',
  `update sandbox_charges set state = 'charged', outcome = $3
    where business_id = $1 and id = $2 and state = 'challenge'`,
)

/** The card scheme. `delayMs` is how long a lost answer stays lost. */
export function sandboxCards(db: Database, delayMs: number): CardRail {
  const stateOf = async (order: ChargeOrder): Promise<ChargeState> => {
    const row = await db.row(selectCharge, [order.businessId, order.id])
    if (!row || row.outcome === notTaken) return { state: 'not_found' }
    if (row.state === 'challenge') return { state: 'challenge' }
    const waitMs = row.settles_at.getTime() - order.at.getTime()
    if (waitMs > 0) return { state: 'unknown', askAgainInMs: waitMs }
    const providerReference = `sbx_${order.id}`
    if (row.outcome === 'succeeded') return { state: 'succeeded', providerReference }
    const reason = row.outcome as DeclineReason
    return { state: 'declined', reason, final: reason === 'fraudulent', providerReference }
  }

  return {
    name: 'sandbox',
    chargeLifeMs: delayMs,
    brands: { ngn: brands, usd: brands },
    numbers: testNumbers,
    async ask(order) {
      await db.rows(refuseCharge, [order.businessId, order.id, notTaken, order.at])
      return stateOf(order)
    },

    async charge(order, card) {
      const found = testCards[card.number] ?? unknownCard
      if (found.lost === 'before') return { state: 'unknown', askAgainInMs: delayMs }
      await db.rows(insertCharge, [
        order.businessId,
        order.id,
        found.outcome,
        found.challenge ? 'challenge' : 'charged',
        found.lost === 'after' ? later(order.at, delayMs) : order.at,
        found.refund ?? 'completed',
      ])
      return found.lost === 'after' ? { state: 'unknown', askAgainInMs: delayMs } : stateOf(order)
    },

    async confirm(order, approved) {
      await db.rows(answerChallenge, [
        order.businessId,
        order.id,
        approved ? 'succeeded' : 'challenge_failed',
      ])
      return stateOf(order)
    },
  }
}
