/**
 * Collections are reusable checkout links. A payer who starts to pay takes a place, and releases it
 * when the payment ends unpaid, so completed payments never exceed the limit.
 */
import { recordAct } from '../../books/audit/audit.ts'
import { requireActiveNow } from '../../books/businesses/businesses.ts'
import { insert, update as updateRow, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { nameContains } from '../../db/lists/matches.ts'
import { later } from '../../lib/clock.ts'
import { refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { readReturnUrl } from '../../lib/urls.ts'
import { emit } from '../../platform/events/events.ts'
import * as payments from '../payments/payments.ts'
import { collectionEvents } from './events.ts'
import { refuse } from './refusals.ts'
import type { CollectionChange, CollectionIn, CollectionQuery, CollectionRecord } from './schema.ts'
import type { CollectionRow } from './sql.ts'
import * as statements from './sql.ts'

export { collectionRefusals } from './refusals.ts'
export { CollectionRecord } from './schema.ts'
export type { CollectionRow } from './sql.ts'
export type Collection = Static<typeof CollectionRecord>

/** Lifetime of a link's payment: the longest that an unpaid payment keeps its place. */
const paymentLifeMs = 30 * 60_000

type Limits = {
  amount?: number | bigint | null
  min_amount?: number | bigint | null
  max_amount?: number | bigint | null
}

/**
 * @throws {Refusal} `validation_failed` for limits that leave no amount, `invalid_redirect_url`,
 * `rail_not_configured`
 */
export async function create(work: Work, input: Static<typeof CollectionIn>): Promise<Collection> {
  const { now } = work.scope
  checkLimits(input)
  payments.availableMethods(work, input.currency)
  const row = (await insert(work, statements.collections, {
    id: newId(now),
    slug: payments.newSlug(),
    name: input.name,
    description: input.description ?? null,
    currency: input.currency,
    amount: amountOf(input.amount, null),
    min_amount: amountOf(input.min_amount, null),
    max_amount: amountOf(input.max_amount, null),
    active: true,
    redirect_url: readReturnUrl('redirect_url', input.redirect_url, work.scope.livemode),
    max_payments: amountOf(input.max_payments, null),
    canceled_at: null,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })) as CollectionRow
  await payments.addLink(work, row.slug, 'collection', row.id)
  return toCollection(work, row)
}

function checkLimits({ amount, min_amount: min, max_amount: max }: Limits): void {
  const issue = (path: string, message: string): never =>
    refuseInput([{ path, message, location: 'body' }])
  if (amount != null && min != null)
    issue('min_amount', 'min_amount goes with an amount the payer chooses')
  if (amount != null && max != null)
    issue('max_amount', 'max_amount goes with an amount the payer chooses')
  if (min != null && max != null && min > max)
    issue('min_amount', 'min_amount must not be above max_amount')
}

/**
 * Changes the given fields. Payments that payers have opened stay as they are.
 * @throws {Refusal} `not_found`, `collection_canceled`, and as `create`
 */
export async function update(
  work: Work,
  id: string,
  input: Static<typeof CollectionChange>,
): Promise<Collection> {
  const old = await lock(work, id)
  if (old.canceled_at)
    refuse('collection_canceled', 'The collection was canceled, and cannot be changed any more.')
  const redirectUrl = readReturnUrl('redirect_url', input.redirect_url, work.scope.livemode)
  const changed = {
    name: input.name ?? old.name,
    description: input.description === undefined ? old.description : input.description,
    amount: amountOf(input.amount, old.amount),
    min_amount: amountOf(input.min_amount, old.min_amount),
    max_amount: amountOf(input.max_amount, old.max_amount),
    active: input.active ?? old.active,
    redirect_url: input.redirect_url === undefined ? old.redirect_url : redirectUrl,
    max_payments: amountOf(input.max_payments, old.max_payments),
    metadata: input.metadata ?? old.metadata,
    updated_at: work.scope.now,
  }
  checkLimits(changed)
  return toCollection(work, await updateRow(work, statements.collections, old.id, changed))
}

/** @param unsaid what it is where the input leaves it out */
const amountOf = (input: number | null | undefined, unsaid: bigint | null): bigint | null =>
  input === undefined ? unsaid : input === null ? null : BigInt(input)

/**
 * Cancels a collection. Payers who have started to pay can finish.
 * @throws {Refusal} `not_found`, `collection_canceled`
 */
export async function cancel(work: Work, id: string): Promise<Collection> {
  const { now } = work.scope
  const old = await lock(work, id)
  if (old.canceled_at) refuse('collection_canceled', 'The collection was canceled before.')
  const ended = { active: false, canceled_at: now, updated_at: now }
  const collection = toCollection(
    work,
    await updateRow(work, statements.collections, old.id, ended),
  )
  const { name } = old
  await recordAct(work, { action: 'collection.canceled', subject: old.id, about: { name } })
  await emit(work, collectionEvents, 'collection.canceled', collection)
  return collection
}

async function lock(work: Work, id: string): Promise<CollectionRow> {
  const row = await work.row(statements.lockCollection, [id])
  return row ?? refuse('not_found', `There is no collection '${id}'.`)
}

/** @throws {Refusal} `not_found` */
export async function find(view: View, id: string): Promise<CollectionRow> {
  const row = await view.row(statements.selectCollection, [id])
  return row ?? refuse('not_found', `There is no collection '${id}'.`)
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Collection> {
  return toCollection(ctx, await find(ctx, id))
}

export async function list(
  ctx: Ctx,
  query: Static<typeof CollectionQuery>,
): Promise<PageOf<Collection>> {
  const page = await listPage<CollectionRow>(ctx, statements.collections, query, {
    filters: [
      ['active = ?', query.active],
      ['currency = ?', query.currency],
      nameContains(query.search),
    ],
  })
  return mapPage(page, (row) => toCollection(ctx, row))
}

/** Lists the payments of a collection's link. @throws {Refusal} `not_found` */
export async function paymentsOf(
  ctx: Ctx,
  id: string,
  query: Parameters<typeof payments.list>[1],
): Promise<PageOf<payments.Payment>> {
  const { id: collection } = await find(ctx, id)
  return payments.list(ctx, query, { collection })
}

/** Whether a payer can use the link now. `busy`: current payers hold all places that are left. */
export function stateOf({
  active,
  max_payments: max,
  ...row
}: CollectionRow): 'open' | 'busy' | 'full' | 'ended' {
  if (!active) return 'ended'
  if (max === null || row.payments_count + row.places_held < max) return 'open'
  return row.payments_count >= max ? 'full' : 'busy'
}

/**
 * Opens a payment for a payer who uses the link. Its place is taken when they start to pay.
 * @param amount what the payer chose, minor units; null when the collection's is fixed
 * @param attempt the id that the form carries: sent again, it opens no other payment
 * @throws {Refusal} `duplicate_reference` when the form has opened a payment of another amount or
 * email address, or does so at this moment;
 * `collection_canceled`, `collection_full`, `amount_too_small`, `amount_too_large`,
 * `business_suspended`, `business_closed`
 */
export async function use(
  work: Work,
  row: CollectionRow,
  amount: bigint | null,
  email: string | null,
  attempt: Id,
): Promise<payments.Payment> {
  await requireActiveNow(work)
  const reference = `pay_${attempt}`
  const made = await payments.findByReference(work, reference)
  if (
    made?.collection_id === row.id &&
    made.amount === (row.amount ?? amount) &&
    made.email === email
  )
    return payments.get(work, made.id)
  const state = stateOf(row)
  if (state !== 'open') refuseUse(state)
  const { currency, min_amount: min, max_amount: max } = row
  const chosen = row.amount ?? amount ?? 0n
  if (chosen < (min ?? 1n))
    refuse('amount_too_small', `The least is ${formatMoney(min ?? 1n, currency)}.`)
  if (row.amount === null && max !== null && chosen > max)
    refuse('amount_too_large', `The most is ${formatMoney(max, currency)}.`)
  return payments.create(
    work,
    {
      reference,
      amount: Number(chosen),
      currency,
      description: row.name,
      expires_at: later(work.scope.now, paymentLifeMs).toISOString(),
      ...(email === null ? {} : { email }),
      ...(row.redirect_url === null ? {} : { redirect_url: row.redirect_url }),
      metadata: row.metadata,
    },
    { collection: row.id },
  )
}

/** @param more what is added to the sentence */
function refuseUse(state: ReturnType<typeof stateOf>, more = ''): never {
  if (state === 'ended')
    refuse('collection_canceled', `The collection takes no payments any more.${more}`)
  if (state === 'full') refuse('collection_full', `As many have paid as may.${more}`)
  // One that is open by now had no place a moment ago.
  refuse(
    'collection_full',
    `Others are paying for all that is left; try again in a few minutes.${more}`,
  )
}

/** The strategy of collections for their payments. */
export const collectionOrigin: payments.PaymentOrigin = {
  async assertOpen(view, id) {
    const state = stateOf(await find(view, id))
    if (state !== 'open') refuseUse(state, ' You have not been charged.')
  },
  async starting(work, id) {
    if (await work.row(statements.takePlace, [id])) return
    refuseUse(stateOf(await find(work, id)), ' You have not been charged.')
  },
  async receiving(work, id) {
    await lock(work, id)
  },
  async ended(work, id, { id: payment, status, begun, amount_counted }) {
    if (status !== 'completed') {
      if (begun) await work.rows(statements.releasePlace, [id])
      return
    }
    const row = (await work.row(statements.countPayment, [
      id,
      amount_counted,
      work.scope.now,
    ])) as CollectionRow
    const record = { ...toCollection(work, row), payment: await payments.get(work, payment) }
    await emit(work, collectionEvents, 'collection.completed', record)
  },
  async surplus(work, id, _payment, amount) {
    await work.rows(statements.addSurplus, [id, amount, work.scope.now])
  },
}

/** Converts a row to the API's record. */
function toCollection(view: View, row: CollectionRow): Collection {
  const { slug, places_held: _held, ...shown } = row
  return { ...shown, checkout_url: payments.checkoutUrl(view, slug) }
}
