/**
 * Products: what a business sells. Invoices keep copies, so a change here leaves what was written there alone.
 */
import { type Ctx, inTransaction, reader } from '../../core/context.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { findDistribution } from '../distributions/distributions.ts'
import type { ProductChange, ProductIn, ProductQuery, ProductRecord } from './schema.ts'
import {
  columns,
  insertProduct,
  lockProduct,
  type ProductRow,
  selectProduct,
  selectProducts,
  updateProduct,
} from './sql.ts'

export type { ProductRow } from './sql.ts'
export type Product = Static<typeof ProductRecord>

/** @throws {Refusal} `invalid_distribution` */
export function create(ctx: Ctx, input: Static<typeof ProductIn>): Promise<Product> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    if (input.distribution) await checkDistribution({ ...ctx, tx }, input.distribution, input.currency)
    const row = await tx.row(insertProduct, [
      businessId,
      livemode,
      newId(now),
      input.name,
      input.amount,
      input.currency,
      input.description ?? null,
      input.distribution ?? null,
      toJson(input.metadata ?? {}),
      now,
    ])
    return toProduct(row as ProductRow)
  })
}

/** @throws {Refusal} `invalid_distribution` */
async function checkDistribution(ctx: Ctx, id: Id, currency: ProductRow['currency']): Promise<void> {
  const found = await findDistribution(ctx, id)
  if (!found) refuse('invalid_distribution', `There is no distribution '${id}'.`)
  if (!found.active) refuse('invalid_distribution', 'The distribution is not active.')
  if (found.currency !== currency)
    refuse('invalid_distribution', `The distribution is in ${found.currency}, the product in ${currency}.`)
}

/** Changes what is given. @throws {Refusal} `not_found`, `invalid_distribution` */
export function update(ctx: Ctx, id: string, input: Static<typeof ProductChange>): Promise<Product> {
  return change(ctx, id, async (inside, row) => {
    if (input.distribution && input.distribution !== row.distribution_id)
      await checkDistribution(inside, input.distribution, row.currency)
    return {
      ...row,
      name: input.name ?? row.name,
      amount: input.amount === undefined ? row.amount : BigInt(input.amount),
      description: input.description === undefined ? row.description : input.description,
      distribution_id: input.distribution === undefined ? row.distribution_id : input.distribution,
      metadata: input.metadata ?? row.metadata,
    }
  })
}

/** Archives a product, or brings it back. To ask for what is so already changes nothing. @throws {Refusal} `not_found` */
export function setActive(ctx: Ctx, id: string, active: boolean): Promise<Product> {
  return change(ctx, id, async (_inside, row) => ({ ...row, active }))
}

function change(ctx: Ctx, id: string, make: (inside: Ctx, row: ProductRow) => Promise<ProductRow>): Promise<Product> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const old = await tx.row(lockProduct, [businessId, livemode, id])
    if (!old) return refuse('not_found', `There is no product '${id}'.`)
    const made = await make({ ...ctx, tx }, old)
    const row = await tx.row(updateProduct, [
      businessId,
      livemode,
      old.id,
      made.name,
      made.amount,
      made.description,
      made.distribution_id,
      made.active,
      toJson(made.metadata),
      now,
    ])
    return toProduct(row as ProductRow)
  })
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Product> {
  const row = await reader(ctx).row(selectProduct, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ? toProduct(row) : refuse('not_found', `There is no product '${id}'.`)
}

/** Products by their ids; those that do not exist are not in it. */
export async function findProducts(ctx: Ctx, ids: Id[]): Promise<Map<Id, ProductRow>> {
  const rows = await reader(ctx).rows(selectProducts, [ctx.scope.businessId, ctx.scope.livemode, ids])
  return new Map(rows.map((row) => [row.id, row]))
}

export async function list(ctx: Ctx, query: Static<typeof ProductQuery>): Promise<PageOf<Product>> {
  const page = await listPage<ProductRow>(
    reader(ctx),
    {
      table: 'products',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [
        ['active = ?', query.active],
        ['currency = ?', query.currency],
      ],
    },
    query,
  )
  return mapPage(page, toProduct)
}

/** The record as the API gives it. */
export function toProduct({ distribution_id, ...row }: ProductRow): Product {
  return { ...row, distribution: distribution_id }
}
