/**
 * Tax rules of invoices, without I/O. The tax of a rate is computed once for all of its lines and
 * allocated among them, so lines and totals agree to the minor unit.
 */
import { allocate, shareHalfUp } from '../../lib/money.ts'

/**
 * The fields that decide a line's tax. `total` is `amount × quantity`, with or without the tax.
 * `tax_rate_bps` is null when nothing is taxed.
 */
export type Taxable = { total: bigint; tax_rate_bps: number | null; tax_inclusive: boolean }
export type Taxed = Taxable & { tax: bigint }

/**
 * The sums of a tax rate. `net` is without the tax. `rate_bps` is null for lines without a rate.
 */
export type RatePart = { rate_bps: number | null; net: bigint; tax: bigint }

const whole = 10_000n

/**
 * Returns the tax of each line, in minor units. The tax of all lines with one rate, inclusive or
 * exclusive, is rounded once, half up, and allocated by largest remainder. So each line is at most
 * one unit off its own tax.
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
    // Lines that discounts make free have no tax, and nothing to allocate it by.
    if (tax_rate_bps === null || sum(totals) === 0n) continue
    const rate = BigInt(tax_rate_bps)
    const of = tax_inclusive ? whole + rate : whole
    allocate(shareHalfUp(sum(totals), rate, of), totals).forEach((part, i) => {
      taxes[at[i] as number] = part
    })
  }
  return taxes
}

/** Returns the price of a line without its tax. */
export const netOf = ({ total, tax, tax_inclusive }: Taxed): bigint =>
  tax_inclusive ? total - tax : total
/** Returns the price of a line with its tax. */
export const grossOf = ({ total, tax, tax_inclusive }: Taxed): bigint =>
  tax_inclusive ? total : total + tax

/** Sums lines by rate: lines without a rate first, then the lowest rate. */
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

/** Returns the parts with a rate, as the API shows them. */
export const ratedParts = (
  parts: readonly RatePart[],
): { rate_bps: number; net: bigint; tax: bigint }[] =>
  parts.flatMap(({ rate_bps, net, tax }) => (rate_bps === null ? [] : [{ rate_bps, net, tax }]))

/** Returns the subtotal without taxes, the taxes, and the taxes by rate. */
export function taxTotals({ total }: { total: bigint }, lines: readonly Taxed[]) {
  const tax = sum(lines.map((line) => line.tax))
  return { subtotal: total - tax, tax, taxes: ratedParts(groupByRate(lines)) }
}

/**
 * Allocates a refunded amount among the rest of each rate, net and tax, by largest remainder. The
 * parts sum to the amount exactly, and all refunds together return everything.
 * @param amount at most what is left
 * @param left the rest of each rate, in the order of the result
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

/** The taxes of an invoice or credit note. */
type TaxedPaper = {
  subtotal: bigint
  tax: bigint
  taxes: { rate_bps: number; net: bigint; tax: bigint }[]
}

/**
 * Returns a row for each rate of an invoice or credit note, and one for lines without a rate. They
 * sum to its totals. Rates in percent.
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
