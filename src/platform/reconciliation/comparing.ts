/** Compares a provider's movement with its booked receipts. Pure: the caller acts on the result. */
import type { KnownReceipt } from '../../books/receipts/receipts.ts'
import type { NotifiedKind } from '../../rails/ports/inbound.ts'
import type { Movement } from '../../rails/ports/statement.ts'

export type FindingKind = 'missing_here' | 'missing_there' | 'amount_differs' | 'fee_differs'

/** A fee that a receipt lacks, by the provider's current list. */
export type SaidFee = { receipt: KnownReceipt; fee: bigint }

/**
 * `booked`: the booked change of the provider's debt; negative: less. `unbooked`: query the record;
 * if that changes nothing, it is a finding. `kept`: the provider's fee of a movement without any
 * booking, because nothing came of it.
 */
export type Comparison = {
  booked: bigint
  finding: FindingKind | null
  unbooked: boolean
  fees: SaidFee[]
  kept: bigint
}

/** The kinds of a movement's receipts: the movement, and its return. */
const kinds = {
  payment: [['charge', 'deposit'], null],
  payout: [['payout'], 'payout_return'],
  refund: [['refund'], 'refund_return'],
} as const satisfies Record<Movement['kind'], readonly [readonly string[], string | null]>

/** The kinds under which a movement's record is looked for, in order. */
export const recordsOf: Record<Movement['kind'], readonly NotifiedKind[]> = {
  payment: ['checkout', 'deposit'],
  payout: ['payout'],
  refund: ['refund'],
}

/** A receipt's change of the provider's debt. */
function effectOf({ kind, amount, fee }: KnownReceipt): bigint {
  const comes = kind === 'charge' || kind === 'deposit' || kind.endsWith('_return')
  return (comes ? amount : -amount) - (fee ?? 0n)
}

/** @param receipts those with the movement's id */
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
    // It was returned once, and the provider says that it is still there: neither is trusted.
    if (back) return { ...result, unbooked: true, finding: 'missing_there' }
    if (out.amount !== amount) return { ...result, finding: 'amount_differs' }
    if (out.fee === null) return { ...result, fees: fee === null ? [] : [{ receipt: out, fee }] }
    return { ...result, finding: fee !== null && fee !== out.fee ? 'fee_differs' : null }
  }
  // It was returned or never sent: both are booked, or neither.
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
  // The total fee is the sum of both.
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

/** The booked amount after the fees are booked. */
export const bookedWith = ({ booked, fees }: Comparison): bigint =>
  fees.reduce((sum, { fee }) => sum - fee, booked)
