/**
 * A movement that a provider lists against what is booked of it. Pure: what to do about it is the
 * caller's.
 */
import type { KnownReceipt } from '../../books/receipts/receipts.ts'
import type { NotifiedKind } from '../../rails/ports/inbound.ts'
import type { Movement } from '../../rails/ports/statement.ts'

export type FindingKind = 'missing_here' | 'missing_there' | 'amount_differs' | 'fee_differs'

/** A fee that a receipt lacks, as the provider says it now. */
export type SaidFee = { receipt: KnownReceipt; fee: bigint }

/**
 * `booked`: what the books say that is owed more by it, or, below zero, less. `unbooked`: it is to
 * be asked about, and is a finding if that changes nothing. `kept`: what the provider keeps of one
 * of which nothing is booked here, as nothing came of it.
 */
export type Comparison = {
  booked: bigint
  finding: FindingKind | null
  unbooked: boolean
  fees: SaidFee[]
  kept: bigint
}

/** The kinds of receipts of a movement: what went, and what came back of it. */
const kinds = {
  payment: [['charge', 'deposit'], null],
  payout: [['payout'], 'payout_return'],
  refund: [['refund'], 'refund_return'],
} as const satisfies Record<Movement['kind'], readonly [readonly string[], string | null]>

/** What the records of a movement are notified as, in the order in which they are looked for. */
export const recordsOf: Record<Movement['kind'], readonly NotifiedKind[]> = {
  payment: ['checkout', 'deposit'],
  payout: ['payout'],
  refund: ['refund'],
}

/** What a receipt has changed of what is owed. */
function effectOf({ kind, amount, fee }: KnownReceipt): bigint {
  const comes = kind === 'charge' || kind === 'deposit' || kind.endsWith('_return')
  return (comes ? amount : -amount) - (fee ?? 0n)
}

/** @param receipts those that have the movement's id */
export function compare(movement: Movement, receipts: KnownReceipt[]): Comparison {
  const [outKinds, backKind] = kinds[movement.kind]
  const out = receipts.find(({ kind }) => (outKinds as readonly string[]).includes(kind))
  const back = receipts.find(({ kind }) => kind === backKind)
  const booked = [out, back].reduce((sum, one) => sum + (one ? effectOf(one) : 0n), 0n)
  const result: Comparison = { booked, finding: null, unbooked: false, fees: [], kept: 0n }
  const { state, fee, amount } = movement
  if (state === 'open') return result
  if (state === 'done') {
    if (!out) return { ...result, unbooked: true, finding: 'missing_here' }
    // It came back once, and the provider says that it is there: neither is believed.
    if (back) return { ...result, unbooked: true, finding: 'missing_there' }
    if (out.amount !== amount) return { ...result, finding: 'amount_differs' }
    if (out.fee === null) return { ...result, fees: fee === null ? [] : [{ receipt: out, fee }] }
    return { ...result, finding: fee !== null && fee !== out.fee ? 'fee_differs' : null }
  }
  // It came back, or never went: both are booked, or neither.
  if (!out) return { ...result, kept: fee ?? 0n, unbooked: state === 'returned' && fee !== 0n }
  if (out.amount === 0n)
    return { ...result, finding: fee !== null && fee !== out.fee ? 'fee_differs' : null }
  if (!back)
    return {
      ...result,
      unbooked: true,
      finding: state === 'ended' ? 'missing_there' : 'missing_here',
    }
  if (fee === null) return result
  // What is kept in the end is both fees together.
  const first = out.fee ?? fee
  const fees = [
    out.fee === null ? { receipt: out, fee } : null,
    back.fee === null ? { receipt: back, fee: fee - first } : null,
  ]
  const both = first + (back.fee ?? fee - first)
  return {
    ...result,
    fees: fees.filter((one) => one !== null),
    finding: both === fee ? null : 'fee_differs',
  }
}

/** What the comparison will say is booked once the fees are. */
export const bookedWith = ({ booked, fees }: Comparison): bigint =>
  fees.reduce((sum, { fee }) => sum - fee, booked)
