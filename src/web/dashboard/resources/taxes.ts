/**
 * Taxes, of what is sold or credited.
 */
import type { AnswerOf } from '../../../core/operations.ts'
import type { Visit } from '../place.ts'

/** A rate as it is read: `7.5 %`. */
export const rateOf = ({ show }: Pick<Visit, 'show'>, bps: number): string =>
  `${show.number(bps / 100)} %`

type Taxed = Pick<AnswerOf<'getCreditNote'>, 'subtotal' | 'taxes' | 'currency'>

/**
 * The sums of an invoice or a credit note without its taxes, and the taxes by their rates; none
 * where nothing has a rate.
 */
export function taxRows(
  { subtotal, taxes, currency }: Taxed,
  seen: Pick<Visit, 'show'>,
): [label: string, value: string][] {
  if (taxes.length === 0) return []
  return [
    ['Without taxes', seen.show.money(subtotal, currency)],
    ...taxes.map(({ rate_bps, tax }): [string, string] => [
      `Tax of ${rateOf(seen, rate_bps)}`,
      seen.show.money(tax, currency),
    ]),
  ]
}
