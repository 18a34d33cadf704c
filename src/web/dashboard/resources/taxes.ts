/**
 * Taxes, of what is sold or credited.
 */
import type { Doc, Visit } from '../place.ts'
import type { Row } from '../resource.ts'

/** A rate as it is read: `7.5 %`. */
export const rateOf = ({ show }: Pick<Visit, 'show'>, bps: number): string =>
  `${show.number(bps / 100)} %`

/**
 * The sums of an invoice or a credit note without its taxes, and the taxes by their rates; none
 * where nothing has a rate.
 */
export function taxRows(
  { subtotal, taxes, currency }: Doc,
  seen: Pick<Visit, 'show'>,
): Exclude<Row, false | null>[] {
  if (taxes.length === 0) return []
  return [
    ['Without taxes', seen.show.money(subtotal, currency)],
    ...(taxes as Doc[]).map(
      ({ rate_bps, tax }) =>
        [`Tax of ${rateOf(seen, rate_bps)}`, seen.show.money(tax, currency)] as const,
    ),
  ]
}
