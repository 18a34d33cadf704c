/**
 * Distributions: plans that share what a product sells for. Each share has a ledger account of its
 * own; what it holds is its balance, never a number beside it.
 */
import { openAccounts } from '../../books/ledger/ledger.ts'
import { insert, update as updateRow, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, type PageOf } from '../../db/lists/list.ts'
import { nameContains } from '../../db/lists/matches.ts'
import { readPart, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type DestinationInput,
  readDestination,
  type StoredDestination,
} from '../../platform/destinations/destinations.ts'
import {
  destinationChange,
  isSameDestination,
  type PaidTo,
  paidTo,
  recordChanges,
} from './paid-to.ts'
import { refuse } from './refusals.ts'
import type {
  DistributionChange,
  DistributionIn,
  DistributionQuery,
  DistributionRecord,
  PreviewIn,
  PreviewRecord,
} from './schema.ts'
import { split } from './split.ts'
import type { DistributionRow, ShareRow } from './sql.ts'
import * as statements from './sql.ts'

export { creditSale, distributionRefunds, type SoldLine } from './accrual.ts'
export { distributionReferenceRefusals } from './refusals.ts'
export type Distribution = Static<typeof DistributionRecord>

/** What of distributions speaks against closing a business, as a sentence; null: nothing. */
export async function describeHeldShares(view: View): Promise<string | null> {
  const [first] = await view.rows(statements.selectHeld)
  if (!first) return null
  return `Shares of its live distributions hold ${formatMoney(first.held, first.currency)}: settle them first, then close the business.`
}

type ShareInput = Static<typeof DistributionIn>['shares'][number]

/** What a sale in a currency is collected and shared in: euros are collected in dollars. */
export const settlementCurrency = (currency: DistributionRow['currency']): 'usd' | 'ngn' =>
  currency === 'ngn' ? 'ngn' : 'usd'

/**
 * Makes a distribution. Whoever names destinations needs the right `manage`.
 * @throws {Refusal} `validation_failed` for shares that do not add up, `scope_missing`, and as
 * `readDestination`
 */
export async function create(
  work: Work,
  input: Static<typeof DistributionIn>,
): Promise<Distribution> {
  const { now } = work.scope
  checkShares(input.shares)
  const row = (await insert(work, statements.distributions, {
    id: newId(now),
    name: input.name,
    currency: input.currency,
    active: true,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })) as DistributionRow
  const changes = await saveShares(work, row, input.shares, [])
  const made = await toRecord(work, row)
  await recordChanges(work, made, changes)
  return made
}

/**
 * Changes what is given. A share is known by its id, else by its name; what is shared already stays
 * with its share. Whoever changes a destination needs the right `manage`.
 * @throws {Refusal} `not_found`, `scope_missing`, `share_not_settled` for a share left out that
 * holds money, and as `create`
 */
export async function update(
  work: Work,
  id: string,
  input: Static<typeof DistributionChange>,
): Promise<Distribution> {
  if (input.shares) checkShares(input.shares)
  const old = await lock(work, id)
  const changes = input.shares
    ? await saveShares(work, old, input.shares, await sharesOf(work, [old.id]))
    : []
  const changed = await changeDistribution(work, old, {
    name: input.name ?? old.name,
    metadata: input.metadata ?? old.metadata,
  })
  await recordChanges(work, changed, changes)
  return changed
}

/**
 * Turns a distribution on or off. One that is off splits nothing, and no product can name it.
 * @throws {Refusal} `not_found`
 */
export async function setActive(work: Work, id: string, active: boolean): Promise<Distribution> {
  return changeDistribution(work, await lock(work, id), { active })
}

/** @throws {Refusal} `not_found` */
async function lock(work: Work, id: string): Promise<DistributionRow> {
  return (await work.row(statements.lockDistribution, [id])) ?? unknownDistribution(id)
}

/** @throws {Refusal} always, `not_found` */
function unknownDistribution(id: string): never {
  refuse('not_found', `There is no distribution '${id}'.`)
}

/** Stores what changes of a distribution that the caller has locked. */
async function changeDistribution(
  work: Work,
  { id }: DistributionRow,
  changes: Partial<DistributionRow>,
): Promise<Distribution> {
  return toRecord(
    work,
    await updateRow(work, statements.distributions, id, { ...changes, updated_at: work.scope.now }),
  )
}

function checkShares(shares: ShareInput[]): void {
  const issue = (path: string, message: string): never =>
    refuseInput([{ path, message, location: 'body' }])
  const names = new Set<string>()
  const ids = new Set<string>()
  let sum = 0
  shares.forEach((share, i) => {
    const path = `shares.${i}`
    if ((share.percentage_bps === undefined) === (share.flat_amount === undefined))
      issue(`${path}.percentage_bps`, `${path} needs either percentage_bps or flat_amount`)
    if (names.has(share.name)) issue(`${path}.name`, `${path}.name is there twice`)
    names.add(share.name)
    if (share.id !== undefined && ids.has(share.id))
      issue(`${path}.id`, `${path}.id is there twice`)
    if (share.id !== undefined) ids.add(share.id)
    sum += share.percentage_bps ?? 0
  })
  if (sum > 10_000)
    issue('shares', `shares ask for ${sum} basis points together; the whole is 10000`)
}

/** A share whose destination is another one now, and how it was before; null: the share is new. */
type DestinationChange = { share: Pick<ShareRow, 'id'> & PaidTo; before: ShareRow | null }

/** @returns whose destinations are others now */
async function saveShares(
  work: Work,
  row: DistributionRow,
  shares: ShareInput[],
  known: ShareRow[],
): Promise<DestinationChange[]> {
  const named = new Set(shares.map((share) => share.id))
  const ids = shares.map((share) => {
    const same = known.find((one) =>
      share.id === undefined ? one.name === share.name && !named.has(one.id) : one.id === share.id,
    )
    if (share.id !== undefined && !same)
      refuse('not_found', `The distribution has no share '${share.id}'.`)
    return same?.id ?? newId(work.scope.now)
  })
  for (const gone of known.filter((one) => !ids.includes(one.id)))
    if (gone.accrued > 0n && !gone.removed)
      refuse(
        'share_not_settled',
        `'${gone.name}' holds ${formatMoney(gone.accrued, settlementCurrency(row.currency))}; settle it first.`,
      )
  const before = ids.map((id) => known.find((one) => one.id === id) ?? null)
  const destinations = shares.map(({ destination }, position) =>
    destination ? readShareDestination(work, destination, position) : null,
  )
  const isChanged = destinations.map(
    (destination, i) => !isSameDestination(destination, before[i]?.destination ?? null),
  )
  const since = isChanged.includes(true)
    ? await destinationChange(work, known.length === 0 ? 'new' : 'known')
    : null
  await work.rows(statements.removeShares, [row.id, ids])
  const changes: DestinationChange[] = []
  for (const [position, share] of shares.entries()) {
    const paid = since && isChanged[position] ? since : paidTo(before[position] ?? null)
    const saved = {
      id: ids[position] as Id,
      distribution_id: row.id,
      position,
      name: share.name,
      percentage_bps: share.percentage_bps ?? null,
      flat: share.flat_amount === undefined ? null : BigInt(share.flat_amount),
      ...paid,
      destination: destinations[position] ?? null,
    }
    await insert(work, statements.shares, saved, statements.onKnownShare)
    if (isChanged[position]) changes.push({ share: saved, before: before[position] ?? null })
  }
  // Only those that are new: to open what is there would wait for who moves its money, who may be
  // waiting for the share.
  const fresh = ids.filter((id) => !known.some((one) => one.id === id))
  await openAccounts(
    work,
    fresh.map((id) => ({
      purpose: 'share',
      currency: settlementCurrency(row.currency),
      subject: id,
    })),
  )
  return changes
}

function readShareDestination(
  view: View,
  input: DestinationInput,
  position: number,
): StoredDestination {
  const method = input.chain === undefined ? 'bank_transfer' : 'crypto'
  return readPart(`shares.${position}`, () => readDestination(view, method, input, true))
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Distribution> {
  return toRecord(ctx, await find(ctx, id))
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<DistributionRow> {
  return (await findDistribution(view, id)) ?? unknownDistribution(id)
}

/** A distribution, or null. */
export function findDistribution(view: View, id: string): Promise<DistributionRow | null> {
  return view.row(statements.selectDistribution, [id])
}

export async function list(
  ctx: Ctx,
  query: Static<typeof DistributionQuery>,
): Promise<PageOf<Distribution>> {
  const page = await listPage<DistributionRow>(ctx, statements.distributions, query, {
    filters: [
      ['active = ?', query.active],
      ['currency = ?', query.currency],
      nameContains(query.search),
    ],
  })
  const shares = await sharesOf(
    ctx,
    page.docs.map((row) => row.id),
  )
  return { ...page, docs: page.docs.map((row) => toDistribution(row, shares)) }
}

/** How an amount would be split. @throws {Refusal} `not_found` */
export async function preview(
  view: View,
  id: string,
  { amount, quantity = 1 }: Static<typeof PreviewIn>,
): Promise<Static<typeof PreviewRecord>> {
  const row = await find(view, id)
  const shares = (await sharesOf(view, [row.id])).filter((share) => !share.removed)
  const { parts, remainder } = split(BigInt(amount), BigInt(quantity), shares)
  return {
    amount: BigInt(amount),
    quantity,
    shares: shares.map((share, i) => ({
      id: share.id,
      name: share.name,
      amount: parts[i] as bigint,
      ...paidTo(share),
    })),
    rest: remainder,
  }
}

function sharesOf(view: View, ids: Id[]): Promise<ShareRow[]> {
  return view.rows(statements.selectShares, [ids])
}

async function toRecord(view: View, row: DistributionRow): Promise<Distribution> {
  return toDistribution(row, await sharesOf(view, [row.id]))
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
