/**
 * Products: what a business sells. Invoices keep copies, so a change here leaves what was written
 * there alone.
 */
import { insert, update as updateRow, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { nameContains } from '../../db/lists/matches.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { findDistribution } from '../distributions/distributions.ts'
import { refuse } from './refusals.ts'
import type { ProductChange, ProductIn, ProductQuery, ProductRecord } from './schema.ts'
import { lockProduct, type ProductRow, products, selectProduct, selectProducts } from './sql.ts'

export { productRefusals } from './refusals.ts'
export type { ProductRow } from './sql.ts'
export type Product = Static<typeof ProductRecord>

/** @throws {Refusal} `invalid_distribution` */
export async function create(work: Work, input: Static<typeof ProductIn>): Promise<Product> {
  const { now } = work.scope
  if (input.distribution) await checkDistribution(work, input.distribution, input.currency)
  const row = await insert(work, products, {
    id: newId(now),
    name: input.name,
    amount: BigInt(input.amount),
    currency: input.currency,
    description: input.description ?? null,
    distribution_id: input.distribution ?? null,
    tax_rate_bps: input.tax_rate_bps ?? null,
    tax_inclusive: input.tax_inclusive ?? false,
    active: true,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })
  return toProduct(row as ProductRow)
}

/** @throws {Refusal} `invalid_distribution` */
async function checkDistribution(
  view: View,
  id: Id,
  currency: ProductRow['currency'],
): Promise<void> {
  const found = await findDistribution(view, id)
  if (!found) refuse('invalid_distribution', `There is no distribution '${id}'.`)
  if (!found.active) refuse('invalid_distribution', 'The distribution is not active.')
  if (found.currency !== currency)
    refuse(
      'invalid_distribution',
      `The distribution is in ${found.currency}, the product in ${currency}.`,
    )
}

/** Changes what is given. @throws {Refusal} `not_found`, `invalid_distribution` */
export async function update(
  work: Work,
  id: string,
  input: Static<typeof ProductChange>,
): Promise<Product> {
  const old = await lock(work, id)
  if (input.distribution && input.distribution !== old.distribution_id)
    await checkDistribution(work, input.distribution, old.currency)
  return change(work, old, {
    name: input.name ?? old.name,
    amount: input.amount === undefined ? old.amount : BigInt(input.amount),
    description: input.description === undefined ? old.description : input.description,
    distribution_id: input.distribution === undefined ? old.distribution_id : input.distribution,
    tax_rate_bps: input.tax_rate_bps === undefined ? old.tax_rate_bps : input.tax_rate_bps,
    tax_inclusive: input.tax_inclusive ?? old.tax_inclusive,
    metadata: input.metadata ?? old.metadata,
  })
}

/** Archives a product, or brings it back. Idempotent. @throws {Refusal} `not_found` */
export async function setActive(work: Work, id: string, active: boolean): Promise<Product> {
  return change(work, await lock(work, id), { active })
}

/** @throws {Refusal} `not_found` */
async function lock(work: Work, id: string): Promise<ProductRow> {
  return (await work.row(lockProduct, [id])) ?? refuse('not_found', `There is no product '${id}'.`)
}

/** Stores what changes of a product that the caller has locked. */
async function change(
  work: Work,
  { id }: ProductRow,
  changes: Partial<ProductRow>,
): Promise<Product> {
  return toProduct(await updateRow(work, products, id, { ...changes, updated_at: work.scope.now }))
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Product> {
  const row = await ctx.row(selectProduct, [id])
  return row ? toProduct(row) : refuse('not_found', `There is no product '${id}'.`)
}

/** Products by their ids; those that do not exist are not in it. */
export async function findProducts(view: View, ids: Id[]): Promise<Map<Id, ProductRow>> {
  const rows = await view.rows(selectProducts, [ids])
  return new Map(rows.map((row) => [row.id, row]))
}

export async function list(ctx: Ctx, query: Static<typeof ProductQuery>): Promise<PageOf<Product>> {
  const page = await listPage<ProductRow>(ctx, products, query, {
    filters: [
      ['active = ?', query.active],
      ['currency = ?', query.currency],
      nameContains(query.search),
    ],
  })
  return mapPage(page, toProduct)
}

/** The record as the API gives it. */
function toProduct({ distribution_id, ...row }: ProductRow): Product {
  return { ...row, distribution: distribution_id }
}
