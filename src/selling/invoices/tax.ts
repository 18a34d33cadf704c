/**
 * Taxes of what is sold by invoice. Pure rules: a rate's tax is worked out once, of all lines that
 * have it, and shared among them, so that lines and totals say the same to the minor unit.
 */
import { allocate } from '../../lib/money.ts'

/**
 * What tells a line's tax. `total` is `amount × quantity`: with the tax in it, or without;
 * `tax_rate_bps` null: nothing is taxed.
 */
export type Taxable = { total: bigint; tax_rate_bps: number | null; tax_inclusive: boolean }
export type Taxed = Taxable & { tax: bigint }

/** What is sold at a rate: `net` is without the tax. Null: what has no rate. */
export type RatePart = { rate_bps: number | null; net: bigint; tax: bigint }

const whole = 10_000n

/**
 * The tax of each line, in minor units. That of all lines with one rate, in the price or on top of
 * it, is rounded once, halves up, and shared by largest remainder: no line is further than a unit
 * from its own.
 */
export function taxesOf(lines: readonly Taxable[]): bigint[] {
  const taxes = lines.map(() => 0n)
  const groups = Map.groupBy(
    lines.keys(),
    (i) => `${lines[i]?.tax_rate_bps} ${lines[i]?.tax_inclusive}`,
  )
  for (const at of groups.values()) {
    const totals = at.map((i) => (lines[i] as Taxable).total)
    const { tax_rate_bps, tax_inclusive } = lines[at[0] as number] as Taxable
    if (tax_rate_bps === null) continue
    const rate = BigInt(tax_rate_bps)
    const of = tax_inclusive ? whole + rate : whole
    const tax = (2n * sum(totals) * rate + of) / (2n * of)
    allocate(tax, totals).forEach((part, i) => {
      taxes[at[i] as number] = part
    })
  }
  return taxes
}

/** What a line costs without its tax. */
export const netOf = ({ total, tax, tax_inclusive }: Taxed): bigint =>
  tax_inclusive ? total - tax : total
/** What a line costs with its tax: what is asked for it. */
export const grossOf = ({ total, tax, tax_inclusive }: Taxed): bigint =>
  tax_inclusive ? total : total + tax

/** Lines by their rates, the lowest first; what has no rate comes before. */
export function groupByRate(lines: readonly Taxed[]): RatePart[] {
  const parts = Map.groupBy(lines, (line) => line.tax_rate_bps)
  return [...parts]
    .map(([rate_bps, of]) => ({
      rate_bps,
      net: sum(of.map(netOf)),
      tax: sum(of.map(({ tax }) => tax)),
    }))
    .sort((a, b) => (a.rate_bps ?? -1) - (b.rate_bps ?? -1))
}

/** The parts that have a rate, as the API gives them. */
export const ratedParts = (
  parts: readonly RatePart[],
): { rate_bps: number; net: bigint; tax: bigint }[] =>
  parts.flatMap(({ rate_bps, net, tax }) => (rate_bps === null ? [] : [{ rate_bps, net, tax }]))

/**
 * The totals of lines that come to a total together: without taxes, the taxes, and those by rate.
 */
export function taxTotals({ total }: { total: bigint }, lines: readonly Taxed[]) {
  const tax = sum(lines.map((line) => line.tax))
  return { subtotal: total - tax, tax, taxes: ratedParts(groupByRate(lines)) }
}

/**
 * Shares an amount that is given back among what is left of each rate, net and tax, by largest
 * remainder: the parts sum to it exactly, and what is given back in the end is all there was.
 * @param amount no more than what is left
 * @param left of the same rates as the result
 */
export function shareBack(amount: bigint, left: readonly RatePart[]): RatePart[] {
  const shares = allocate(
    amount,
    left.flatMap(({ net, tax }) => [net, tax]),
  )
  return left.map(({ rate_bps }, i) => ({
    rate_bps,
    net: shares[2 * i] as bigint,
    tax: shares[2 * i + 1] as bigint,
  }))
}

/** What a paper says of its taxes. */
type TaxedPaper = {
  subtotal: bigint
  tax: bigint
  taxes: { rate_bps: number; net: bigint; tax: bigint }[]
}

/**
 * The rows of a paper by its rates, and one for what has none: their sums are those of the paper.
 * The rate is in percent.
 */
export function rowsByRate(record: object): object[] {
  const paper = record as TaxedPaper
  const untaxed = paper.subtotal - sum(paper.taxes.map(({ net }) => net))
  const parts: RatePart[] = [...paper.taxes]
  if (untaxed !== 0n || parts.length === 0) parts.push({ rate_bps: null, net: untaxed, tax: 0n })
  return parts.map(({ rate_bps, net, tax }) => ({
    ...paper,
    tax_rate_percent: rate_bps === null ? null : rate_bps / 100,
    net,
    tax,
    gross: net + tax,
  }))
}

/** Writes a rate for people: `750` becomes `7.5%`. */
export const showRate = (bps: number): string => `${(bps / 100).toString()}%`

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n)
