/**
 * Distributions: plans that share what a product sells for. Each share has a ledger account of its own; what it holds is its
 * balance, never a number beside it.
 */

import { openAccounts } from '../../books/ledger/ledger.ts'
import { type Ctx, inTransaction, reader } from '../../core/context.ts'
import { listPage, type PageOf } from '../../db/list.ts'
import { readPart, refuse, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type DestinationInput,
  readDestination,
  type StoredDestination,
} from '../../paying-out/destinations/destinations.ts'
import type {
  DistributionChange,
  DistributionIn,
  DistributionQuery,
  DistributionRecord,
  PreviewIn,
  PreviewRecord,
} from './schema.ts'
import { split } from './split.ts'
import {
  columns,
  type DistributionRow,
  insertDistribution,
  lockDistribution,
  removeShares,
  type ShareRow,
  selectDistribution,
  selectShares,
  updateDistribution,
  upsertShare,
} from './sql.ts'

export { accrue, distributionRefundListener, type SoldLine } from './accrual.ts'
export type Distribution = Static<typeof DistributionRecord>

type ShareInput = Static<typeof DistributionIn>['shares'][number]

/** What a sale in a currency is collected and shared in: euros are collected in dollars. */
export const settlementCurrency = (currency: DistributionRow['currency']): 'usd' | 'ngn' =>
  currency === 'ngn' ? 'ngn' : 'usd'

/** @throws {Refusal} `validation_failed` for shares that do not add up, and as `readDestination` */
export async function create(ctx: Ctx, input: Static<typeof DistributionIn>): Promise<Distribution> {
  const { businessId, livemode, now } = ctx.scope
  checkShares(input.shares)
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const row = (await tx.row(insertDistribution, [
      businessId,
      livemode,
      newId(now),
      input.name,
      input.currency,
      toJson(input.metadata ?? {}),
      now,
    ])) as DistributionRow
    await saveShares(inside, row, input.shares, [])
    return record(inside, row)
  })
}

/**
 * Changes what is given. A share is known by its id, else by its name; what is shared already stays with its share.
 * @throws {Refusal} `not_found`, `share_not_settled` for a share left out that holds money, and as `create`
 */
export async function update(ctx: Ctx, id: string, input: Static<typeof DistributionChange>): Promise<Distribution> {
  if (input.shares) checkShares(input.shares)
  return change(ctx, id, async (inside, row) => {
    if (input.shares) await saveShares(inside, row, input.shares, await sharesOf(inside, [row.id]))
    return { ...row, name: input.name ?? row.name, metadata: input.metadata ?? row.metadata }
  })
}

/** Turns a distribution on or off. One that is off splits nothing, and no product can name it. @throws {Refusal} `not_found` */
export function setActive(ctx: Ctx, id: string, active: boolean): Promise<Distribution> {
  return change(ctx, id, async (_inside, row) => ({ ...row, active }))
}

function change(
  ctx: Ctx,
  id: string,
  make: (inside: Ctx, row: DistributionRow) => Promise<DistributionRow>,
): Promise<Distribution> {
  const { businessId, livemode, now } = ctx.scope
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const old = await tx.row(lockDistribution, [businessId, livemode, id])
    if (!old) return refuse('not_found', `There is no distribution '${id}'.`)
    const { name, active, metadata } = await make(inside, old)
    const row = await tx.row(updateDistribution, [businessId, livemode, old.id, name, active, toJson(metadata), now])
    return record(inside, row as DistributionRow)
  })
}

function checkShares(shares: ShareInput[]): void {
  const issue = (path: string, message: string): never => refuseInput([{ path, message, location: 'body' }])
  const names = new Set<string>()
  const ids = new Set<string>()
  let sum = 0
  shares.forEach((share, i) => {
    const path = `shares.${i}`
    if ((share.percentage_bps === undefined) === (share.flat_amount === undefined))
      issue(`${path}.percentage_bps`, `${path} needs either percentage_bps or flat_amount`)
    if (names.has(share.name)) issue(`${path}.name`, `${path}.name is there twice`)
    names.add(share.name)
    if (share.id !== undefined && ids.has(share.id)) issue(`${path}.id`, `${path}.id is there twice`)
    if (share.id !== undefined) ids.add(share.id)
    sum += share.percentage_bps ?? 0
  })
  if (sum > 10_000) issue('shares', `shares ask for ${sum} basis points together; the whole is 10000`)
}

async function saveShares(ctx: Ctx, row: DistributionRow, shares: ShareInput[], known: ShareRow[]): Promise<void> {
  const { businessId, livemode, now } = ctx.scope
  const tx = ctx.tx
  if (!tx) throw new Error('shares are saved in the transaction of their distribution')
  const named = new Set(shares.map((share) => share.id))
  const ids = shares.map((share) => {
    const same = known.find((one) =>
      share.id === undefined ? one.name === share.name && !named.has(one.id) : one.id === share.id,
    )
    if (share.id !== undefined && !same) refuse('not_found', `The distribution has no share '${share.id}'.`)
    return same?.id ?? newId(now)
  })
  for (const gone of known.filter((one) => !ids.includes(one.id)))
    if (gone.accrued > 0n && !gone.removed)
      refuse(
        'share_not_settled',
        `'${gone.name}' holds ${formatMoney(gone.accrued, settlementCurrency(row.currency))}; settle it first.`,
      )
  await tx.rows(removeShares, [businessId, livemode, row.id, ids])
  for (const [position, share] of shares.entries())
    await tx.rows(upsertShare, [
      businessId,
      livemode,
      ids[position],
      row.id,
      position,
      share.name,
      share.percentage_bps ?? null,
      share.flat_amount ?? null,
      share.destination ? toJson(readShareDestination(ctx, share.destination, position)) : null,
    ])
  // Only those that are new: to open what is there would wait for who moves its money, who may be waiting for the share.
  const fresh = ids.filter((id) => !known.some((one) => one.id === id))
  await openAccounts(
    tx,
    ctx.scope,
    fresh.map((id) => ({ purpose: 'share', currency: settlementCurrency(row.currency), subject: id })),
  )
}

function readShareDestination(ctx: Ctx, input: DestinationInput, position: number): StoredDestination {
  const method = input.chain === undefined ? 'bank_transfer' : 'crypto'
  return readPart(`shares.${position}`, () => readDestination(ctx, method, input, true))
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Distribution> {
  const row = await findDistribution(ctx, id)
  return row ? record(ctx, row) : refuse('not_found', `There is no distribution '${id}'.`)
}

/** A distribution, or null. */
export function findDistribution(ctx: Ctx, id: string): Promise<DistributionRow | null> {
  return reader(ctx).row(selectDistribution, [ctx.scope.businessId, ctx.scope.livemode, id])
}

export async function list(ctx: Ctx, query: Static<typeof DistributionQuery>): Promise<PageOf<Distribution>> {
  const page = await listPage<DistributionRow>(
    reader(ctx),
    {
      table: 'distributions',
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
  const shares = await sharesOf(
    ctx,
    page.docs.map((row) => row.id),
  )
  return { ...page, docs: page.docs.map((row) => toDistribution(row, shares)) }
}

/** How an amount would be split. @throws {Refusal} `not_found` */
export async function preview(
  ctx: Ctx,
  id: string,
  { amount, quantity = 1 }: Static<typeof PreviewIn>,
): Promise<Static<typeof PreviewRecord>> {
  const row = await findDistribution(ctx, id)
  if (!row) return refuse('not_found', `There is no distribution '${id}'.`)
  const shares = (await sharesOf(ctx, [row.id])).filter((share) => !share.removed)
  const { parts, rest } = split(BigInt(amount), BigInt(quantity), shares)
  return {
    amount: BigInt(amount),
    quantity,
    shares: shares.map((share, i) => ({ id: share.id, name: share.name, amount: parts[i] as bigint })),
    rest,
  }
}

function sharesOf(ctx: Ctx, ids: Id[]): Promise<ShareRow[]> {
  return reader(ctx).rows(selectShares, [ctx.scope.businessId, ctx.scope.livemode, ids])
}

async function record(ctx: Ctx, row: DistributionRow): Promise<Distribution> {
  return toDistribution(row, await sharesOf(ctx, [row.id]))
}

function toDistribution(row: DistributionRow, shares: ShareRow[]): Distribution {
  return {
    ...row,
    settlement_currency: settlementCurrency(row.currency),
    shares: shares
      .filter((share) => share.distribution_id === row.id)
      .map(({ distribution_id: _of, flat, ...share }) => ({ ...share, flat_amount: flat })),
  }
}
