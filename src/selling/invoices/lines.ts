/** The lines of an invoice: copies of products, or of what is in no catalogue, less discounts. */
import type { View, Work } from '../../core/inside.ts'
import { refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { assertCarryable, shareHalfUp } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { findProducts, type ProductRow } from '../products/products.ts'
import { refuse } from './refusals.ts'
import type { PreviewIn } from './schema.ts'
import type { InvoiceRow, LineRow } from './sql.ts'
import * as statements from './sql.ts'
import { grossOf, taxesOf } from './tax.ts'

export type NewLine = Omit<LineRow, 'invoice_id' | 'position'>
type Wanted = Static<typeof PreviewIn>['lines'][number]
/** What a line copies: a product as it is, or the line that copied it before it was archived. */
type Copied = Pick<
  ProductRow,
  'distribution_id' | 'name' | 'amount' | 'tax_rate_bps' | 'tax_inclusive'
>

/**
 * Reads the lines of an invoice. A line whose product was archived in the meantime stays as it was.
 * @param known the lines that it has
 * @throws {Refusal} `product_not_found`, `product_archived`, `mixed_currencies`,
 * `amount_too_large`; `validation_failed` for a discount above the price
 */
export async function readLines(
  view: View,
  input: { lines: Wanted[]; currency?: InvoiceRow['currency'] | undefined },
  known: LineRow[],
): Promise<{ lines: NewLine[]; currency: InvoiceRow['currency']; total: bigint }> {
  const ids = input.lines.flatMap(({ product }) => (product === undefined ? [] : [product]))
  const products = await findProducts(view, ids)
  const left = [...known]
  const currencies = new Set(input.currency === undefined ? [] : [input.currency])
  const lines = input.lines.map((wanted, i) => {
    if (wanted.product === undefined) {
      requireOwn(wanted, i)
      return lineOf(wanted, null, i)
    }
    const { copied, currency } = copyOf(wanted.product, products, left)
    currencies.add(currency)
    return lineOf(wanted, copied, i)
  })
  const [currency, other] = currencies
  if (other !== undefined)
    refuse(
      'mixed_currencies',
      `The lines are in ${[...currencies].join(' and ')}; an invoice has one currency.`,
    )
  if (currency === undefined)
    return invalid('currency', 'currency is required where no line has a product')
  const taxes = taxesOf(lines)
  const taxed = lines.map((line, i) => ({ ...line, tax: taxes[i] as bigint }))
  const total = assertCarryable(taxed.reduce((sum, line) => sum + grossOf(line), 0n))
  if (total === 0n) invalid('lines.0.discount', 'The discounts leave nothing to ask for')
  return { lines: taxed, currency, total }
}

/**
 * Returns what a line copies of its product. An existing line can be kept once.
 * @throws {Refusal} `product_not_found`, `product_archived`
 */
function copyOf(
  id: Id,
  products: ReadonlyMap<Id, ProductRow>,
  left: LineRow[],
): { copied: Copied; currency: InvoiceRow['currency'] } {
  const product = products.get(id)
  if (!product) return refuse('product_not_found', `There is no product '${id}'.`)
  const at = left.findIndex((line) => line.product_id === id)
  const [kept] = at < 0 ? [] : left.splice(at, 1)
  if (!product.active && !kept)
    refuse('product_archived', `'${product.name}' is archived, and cannot be added to an invoice.`)
  return { copied: product.active || !kept ? product : kept, currency: product.currency }
}

/** @throws {Refusal} `validation_failed` for a line without a product that lacks name or amount */
function requireOwn(wanted: Wanted, at: number): void {
  for (const name of ['name', 'amount'] as const)
    if (wanted[name] === undefined) {
      const path = `lines.${at}.${name}`
      invalid(path, `${path} is required without a product`)
    }
}

function lineOf(wanted: Wanted, copied: Copied | null, at: number): Omit<NewLine, 'tax'> {
  const amount = wanted.amount === undefined ? (copied?.amount ?? 0n) : BigInt(wanted.amount)
  const quantity = BigInt(wanted.quantity)
  const whole = assertCarryable(amount * quantity)
  const discount = discountOf(wanted, whole, at)
  const rate = wanted.tax_rate_bps === undefined ? copied?.tax_rate_bps : wanted.tax_rate_bps
  return {
    product_id: wanted.product ?? null,
    distribution_id: copied?.distribution_id ?? null,
    name: wanted.name ?? copied?.name ?? '',
    amount,
    quantity,
    discount,
    discount_bps: wanted.discount_bps ?? null,
    total: whole - discount,
    tax_rate_bps: rate ?? null,
    tax_inclusive: wanted.tax_inclusive ?? copied?.tax_inclusive ?? false,
  }
}

/** @throws {Refusal} `validation_failed` for two discounts, and for one above the price */
function discountOf({ discount, discount_bps }: Wanted, whole: bigint, at: number): bigint {
  const path = `lines.${at}.discount`
  if (discount !== undefined && discount_bps !== undefined)
    invalid(path, `${path} does not belong beside discount_bps`)
  if (discount_bps !== undefined) return shareHalfUp(whole, BigInt(discount_bps), 10_000n)
  const amount = BigInt(discount ?? 0)
  if (amount > whole) invalid(path, `${path} must be at most amount × quantity`)
  return amount
}

const invalid = (path: string, message: string): never =>
  refuseInput([{ path, message, location: 'body' }])

export async function storeLines(work: Work, invoice: Id, lines: NewLine[]): Promise<void> {
  await work.rows(statements.insertLines, [
    invoice,
    lines.map((line) => line.product_id),
    lines.map((line) => line.distribution_id),
    lines.map((line) => line.name),
    lines.map((line) => line.amount),
    lines.map((line) => line.quantity),
    lines.map((line) => line.discount),
    lines.map((line) => line.discount_bps),
    lines.map((line) => line.tax_rate_bps),
    lines.map((line) => line.tax_inclusive),
    lines.map((line) => line.tax),
  ])
}
