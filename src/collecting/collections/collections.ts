/**
 * Collections: reusable checkout links. Each use opens a payment of its own; a place is taken when a payer begins to pay, and
 * given back when the payment ends unpaid, so that no more payments are ever completed than there are places.
 */
import { type Ctx, inTransaction, type PaymentListener, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { later } from '../../lib/clock.ts'
import { refuse, refuseInput } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { readReturnUrl } from '../../lib/urls.ts'
import { emit } from '../../platform/events/events.ts'
import {
  addLink,
  checkoutUrl,
  create as createPayment,
  get as getPayment,
  list as listPayments,
  methodsHere,
  newSlug,
  type Payment,
} from '../payments/payments.ts'
import type { CollectionChange, CollectionIn, CollectionQuery, CollectionRecord } from './schema.ts'
import {
  addSurplus,
  type CollectionRow,
  columns,
  countPayment,
  givePlaceBack,
  insertCollection,
  lockCollection,
  selectCollection,
  takePlace,
  updateCollection,
} from './sql.ts'

export { CollectionRecord } from './schema.ts'
export type { CollectionRow } from './sql.ts'
export type Collection = Static<typeof CollectionRecord>

/** How long a payer who opened the link may take: an unpaid payment keeps its place that long at most. */
const paymentLifeMs = 30 * 60_000

type Limits = {
  amount?: number | bigint | null
  min_amount?: number | bigint | null
  max_amount?: number | bigint | null
}

/** @throws {Refusal} `validation_failed` for limits that leave no amount, `invalid_redirect_url`, `rail_not_configured` */
export function create(ctx: Ctx, input: Static<typeof CollectionIn>): Promise<Collection> {
  const { businessId, livemode, now } = ctx.scope
  checkLimits(input)
  methodsHere(ctx)
  const redirectUrl = readReturnUrl('redirect_url', input.redirect_url)
  return inTransaction(ctx, async (tx) => {
    const id = newId(now)
    const slug = newSlug()
    const row = await tx.row(insertCollection, [
      businessId,
      livemode,
      id,
      slug,
      input.name,
      input.description ?? null,
      input.currency,
      input.amount ?? null,
      input.min_amount ?? null,
      input.max_amount ?? null,
      redirectUrl,
      input.max_payments ?? null,
      toJson(input.metadata ?? {}),
      now,
    ])
    await addLink({ ...ctx, tx }, slug, 'collection', id)
    return toCollection(ctx, row as CollectionRow)
  })
}

function checkLimits({ amount, min_amount: min, max_amount: max }: Limits): void {
  const issue = (path: string, message: string): never => refuseInput([{ path, message, location: 'body' }])
  if (amount != null && min != null) issue('min_amount', 'min_amount goes with an amount the payer chooses')
  if (amount != null && max != null) issue('max_amount', 'max_amount goes with an amount the payer chooses')
  if (min != null && max != null && min > max) issue('min_amount', 'min_amount must not be above max_amount')
}

/**
 * Changes what is given; what payers have opened already stays as it was.
 * @throws {Refusal} `not_found`, `collection_canceled`, and as `create`
 */
export function update(ctx: Ctx, id: string, input: Static<typeof CollectionChange>): Promise<Collection> {
  return inTransaction(ctx, async (tx) => {
    const old = await lock({ ...ctx, tx }, id)
    if (old.canceled_at) refuse('collection_canceled', 'The collection was canceled, and cannot be changed any more.')
    const redirectUrl = readReturnUrl('redirect_url', input.redirect_url)
    const changed: CollectionRow = {
      ...old,
      name: input.name ?? old.name,
      description: input.description === undefined ? old.description : input.description,
      amount: changedAmount(input.amount, old.amount),
      min_amount: changedAmount(input.min_amount, old.min_amount),
      max_amount: changedAmount(input.max_amount, old.max_amount),
      active: input.active ?? old.active,
      redirect_url: input.redirect_url === undefined ? old.redirect_url : redirectUrl,
      max_payments: changedAmount(input.max_payments, old.max_payments),
      metadata: input.metadata ?? old.metadata,
    }
    checkLimits(changed)
    return toCollection(ctx, await save({ ...ctx, tx }, changed))
  })
}

const changedAmount = (input: number | null | undefined, old: bigint | null): bigint | null =>
  input === undefined ? old : input === null ? null : BigInt(input)

/**
 * Ends a collection for good. Payers who have begun to pay can finish.
 * @throws {Refusal} `not_found`, `collection_canceled`
 */
export function cancel(ctx: Ctx, id: string): Promise<Collection> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const old = await lock(inside, id)
    if (old.canceled_at) refuse('collection_canceled', 'The collection was canceled before.')
    const collection = toCollection(ctx, await save(inside, { ...old, active: false, canceled_at: ctx.scope.now }))
    await emit(tx, ctx, 'collection.canceled', collection)
    return collection
  })
}

async function lock(ctx: Ctx, id: string): Promise<CollectionRow> {
  const row = await (ctx.tx as Tx).row(lockCollection, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no collection '${id}'.`)
}

async function save(ctx: Ctx, row: CollectionRow): Promise<CollectionRow> {
  const saved = await (ctx.tx as Tx).row(updateCollection, [
    ctx.scope.businessId,
    ctx.scope.livemode,
    row.id,
    row.name,
    row.description,
    row.amount,
    row.min_amount,
    row.max_amount,
    row.active,
    row.redirect_url,
    row.max_payments,
    row.canceled_at,
    toJson(row.metadata),
    ctx.scope.now,
  ])
  return saved as CollectionRow
}

/** @throws {Refusal} `not_found` */
export async function find(ctx: Ctx, id: string): Promise<CollectionRow> {
  const row = await reader(ctx).row(selectCollection, [ctx.scope.businessId, ctx.scope.livemode, id])
  return row ?? refuse('not_found', `There is no collection '${id}'.`)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Collection> {
  return toCollection(ctx, await find(ctx, id))
}

export async function list(ctx: Ctx, query: Static<typeof CollectionQuery>): Promise<PageOf<Collection>> {
  const page = await listPage<CollectionRow>(
    reader(ctx),
    {
      table: 'collections',
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
  return mapPage(page, (row) => toCollection(ctx, row))
}

/** The payments made by a collection's link. @throws {Refusal} `not_found` */
export async function paymentsOf(
  ctx: Ctx,
  id: string,
  query: Parameters<typeof listPayments>[1],
): Promise<PageOf<Payment>> {
  const { id: collection } = await find(ctx, id)
  return listPayments(ctx, query, { collection })
}

/** Whether a payer can use the link now. `busy`: those who are paying now hold what is left, and may yet give it back. */
export function stateOf({ active, max_payments: max, ...row }: CollectionRow): 'open' | 'busy' | 'full' | 'ended' {
  if (!active) return 'ended'
  if (max === null || row.payments_count + row.places_held < max) return 'open'
  return row.payments_count >= max ? 'full' : 'busy'
}

/**
 * Opens a payment for a payer who uses the link. Its place is taken when they begin to pay.
 * @param amount what the payer chose, minor units; null when the collection's is fixed
 * @throws {Refusal} `collection_canceled`, `collection_full`, `amount_too_small`, `amount_too_large`
 */
export async function use(ctx: Ctx, row: CollectionRow, amount: bigint | null, email: string | null): Promise<Payment> {
  const state = stateOf(row)
  if (state !== 'open') refuseUse(state)
  const { currency, min_amount: min, max_amount: max } = row
  const chosen = row.amount ?? amount ?? 0n
  if (chosen < (min ?? 1n)) refuse('amount_too_small', `The least is ${formatMoney(min ?? 1n, currency)}.`)
  if (row.amount === null && max !== null && chosen > max)
    refuse('amount_too_large', `The most is ${formatMoney(max, currency)}.`)
  return createPayment(
    ctx,
    {
      amount: Number(chosen),
      currency,
      description: row.name,
      expires_at: later(ctx.scope.now, paymentLifeMs).toISOString(),
      ...(email === null ? {} : { email }),
      ...(row.redirect_url === null ? {} : { redirect_url: row.redirect_url }),
      metadata: row.metadata,
    },
    { collection: row.id },
  )
}

/** @param more what is added to the sentence */
function refuseUse(state: ReturnType<typeof stateOf>, more = ''): never {
  if (state === 'ended') refuse('collection_canceled', `The collection takes no payments any more.${more}`)
  if (state === 'full') refuse('collection_full', `As many have paid as may.${more}`)
  // One that is open by now had no place a moment ago.
  refuse('collection_full', `Others are paying for all that is left; try again in a few minutes.${more}`)
}

/** What collections do when one of their payments begins, receives, ends, or gets more than it was due. */
export const collectionListener: PaymentListener = {
  async starting(ctx, { collection_id: id }) {
    if (id === null) return
    const { businessId, livemode } = ctx.scope
    if (await (ctx.tx as Tx).row(takePlace, [businessId, livemode, id])) return
    const row = await find(ctx, id)
    refuseUse(stateOf(row), ' You have not been charged.')
  },
  async receiving(ctx, { collection_id: id }) {
    if (id !== null) await lock(ctx, id)
  },
  async ended(ctx, { id: payment, collection_id: id, status, begun, amount_counted }) {
    if (id === null) return
    const tx = ctx.tx as Tx
    const key = [ctx.scope.businessId, ctx.scope.livemode, id]
    if (status !== 'completed') {
      if (begun) await tx.rows(givePlaceBack, key)
      return
    }
    const row = (await tx.row(countPayment, [...key, amount_counted, ctx.scope.now])) as CollectionRow
    const record = { ...toCollection(ctx, row), payment: await getPayment(ctx, payment) }
    await emit(tx, ctx, 'collection.completed', record)
  },
  async surplus(ctx, { collection_id: id }, amount) {
    if (id === null) return
    await (ctx.tx as Tx).rows(addSurplus, [ctx.scope.businessId, ctx.scope.livemode, id, amount, ctx.scope.now])
  },
}

/** The record as the API gives it. */
export function toCollection(ctx: Ctx, row: CollectionRow): Collection {
  const { slug, places_held: _held, ...shown } = row
  return { ...shown, checkout_url: checkoutUrl(ctx, slug) }
}
