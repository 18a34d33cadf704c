/** The rows of an invoice's form: what they start with, and the lines that they stand for. */
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { decimalOf } from '../../../lib/money.ts'
import type { Visit } from '../place.ts'
import type { Values } from '../resource.ts'

type Line = AnswerOf<'getInvoice'>['lines'][number]
type NewLine = NonNullable<BodyOf<'updateInvoice'>['lines']>[number]

/** `carried` is the `Carried` of a row that shows a stored line, as JSON. */
export type InvoiceForm = Omit<BodyOf<'updateInvoice'>, 'lines'> & {
  lines?: (Omit<Partial<NewLine>, 'discount' | 'tax_inclusive'> & { carried?: string })[]
}

/** What a row started with, and what a stored line has that no field of the row shows. */
type Carried = Partial<
  Pick<Line, 'product' | 'name' | 'amount' | 'tax_rate_bps' | 'tax_inclusive' | 'discount'>
>

/** The fields that a product gives a line, unless others are typed. */
const ofProduct = ['name', 'amount', 'tax_rate_bps'] as const

/** Returns the lines that were filled in. The quantity is 1 if it was left empty. */
export const linesOf = ({ lines = [] }: InvoiceForm): NewLine[] =>
  lines.flatMap(({ quantity = 1, carried, ...line }) =>
    line.product || line.name || line.amount
      ? [withCarried({ ...line, quantity }, readCarried(carried))]
      : [],
  )

/**
 * A row keeps what its line had, unless something else was typed. A row whose product is another now
 * takes name, price and tax of that, where they stand as they started.
 */
function withCarried(line: NewLine, carried: Carried): NewLine {
  if (line.product !== undefined && line.product !== carried.product) {
    const kept = { ...line }
    for (const name of ofProduct) if (kept[name] === carried[name]) delete kept[name]
    return kept
  }
  const { tax_inclusive, discount = 0, tax_rate_bps } = carried
  return {
    ...(tax_rate_bps === null && { tax_rate_bps }),
    ...(tax_inclusive !== undefined && { tax_inclusive }),
    ...(discount > 0 && line.discount_bps === undefined && { discount }),
    ...line,
  }
}

/** @throws {Refusal} `validation_failed` if it is not what the form was sent with */
function readCarried(text: string | undefined): Carried {
  try {
    return { ...(JSON.parse(text ?? '{}') as Carried) }
  } catch {
    const message = 'The form is out of date. Open it again.'
    return refuseInput([{ path: 'lines', message, location: 'body' }])
  }
}

/**
 * Returns the rows of stored lines. Name and price are empty where they are those of the product,
 * which then gives them.
 */
export async function rowsOf(lines: readonly Line[], { api }: Visit): Promise<Values> {
  const ids = new Set(lines.flatMap(({ product }) => (product === null ? [] : [product])))
  const found = await Promise.all([...ids].map((id) => api.getProduct({ params: { id } })))
  const products = new Map(found.map((one) => [one.id, one]))
  return Object.fromEntries(
    lines.flatMap((line, i) => {
      const { product, quantity, discount_bps, tax_rate_bps, tax_inclusive } = line
      const copied = product === null ? undefined : products.get(product)
      const name = line.name === copied?.name ? undefined : line.name
      const amount = line.amount === copied?.amount ? undefined : line.amount
      const discount = discount_bps === null ? line.discount : 0
      const carried: Carried = { product, tax_rate_bps, tax_inclusive, discount }
      if (name !== undefined) carried.name = name
      if (amount !== undefined) carried.amount = amount
      const typed: Record<string, string> = {
        product: product ?? '',
        name: name ?? '',
        amount: amount === undefined ? '' : decimalOf(BigInt(amount)),
        quantity: String(quantity),
        discount_bps: discount_bps === null ? '' : decimalOf(BigInt(discount_bps)),
        tax_rate_bps: tax_rate_bps === null ? '' : decimalOf(BigInt(tax_rate_bps)),
        carried: JSON.stringify(carried),
      }
      return Object.entries(typed).map(([field, text]) => [`lines.${i}.${field}`, text])
    }),
  )
}
