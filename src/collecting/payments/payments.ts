/**
 * Payments: one-time checkouts. This file is the room's face: it opens, reads and ends them; `cards.ts` and `transfers.ts` are the
 * ways to pay, and `receive.ts` books what comes.
 */
import { type App, type Ctx, inTransaction, railOf, reader, scopeOf } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { later } from '../../lib/clock.ts'
import { refuse, refusingFirst } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { assertCarryable } from '../../lib/money.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import { randomText } from '../../lib/secrets.ts'
import { readReturnUrl } from '../../lib/urls.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { RailSet } from '../../rails/rail.ts'
import { findCustomer } from '../customers/customers.ts'
import { askCharge } from './cards.ts'
import { askChargeTask, expireTask, find, lock, type Payment, save, toPayment, transition } from './record.ts'
import { type PaymentIn, type PaymentMethod, type PaymentQuery, paymentMethods } from './schema.ts'
import {
  columns,
  insertLink,
  insertPayment,
  type LinkRow,
  type PaymentRow,
  selectByReference,
  selectLink,
  selectOpenAttempt,
  selectVersions,
} from './sql.ts'

export { answerChallenge, chargeCard, latestAttempt, takesCards } from './cards.ts'
export { askedOf, dueOf, isCovered, lockToReceive, type Receipt, receive, wholeOf } from './receive.ts'
export { checkoutUrl, find, isOpen, lock, type Payment, toPayment } from './record.ts'
export { type PaymentMethod, PaymentRecord, paymentMethods } from './schema.ts'
export type { AttemptRow, CryptoQuoteRow, PaymentRow } from './sql.ts'
export { chooseToken, cryptoQuotes, isCurrent, mayCount, openTransfer, tokensOf } from './transfers.ts'

const staysOpen = 'The payment of an invoice stays open until it is paid or the invoice is voided.'
const underWay = 'A card is being charged for the payment, or a transfer is being confirmed; try again later.'
/** How soon an expiry that found money under way looks again. */
const lookAgainMs = 1_000
const longestLookMs = 5 * 60_000
/** The last time that four digits of a year can say. */
const endOfTime = new Date('9999-12-31T23:59:59.999Z')

/** The rail that each method needs. */
const railOfMethod: Record<PaymentMethod, keyof RailSet> = {
  card: 'cards',
  bank_transfer: 'accounts',
  crypto: 'addresses',
}

/** Where a payment stems from, when not from `POST /payments`. An invoice's stays open until it is paid or the invoice is voided. */
export type Origin = { collection?: Id; invoice?: Id }

/**
 * Opens a payment. Whatever is wrong with the request, one whose reference is used hears of that: it may be sent again for want of
 * an answer, after its `expires_at` has passed.
 * @throws {Refusal} `duplicate_reference` (409), `customer_not_found`, `invalid_redirect_url`, `rail_not_configured`,
 *   `amount_too_large` when it would be with the fee that the payer bears, `validation_failed` for the expiry
 */
export function create(ctx: Ctx, input: Static<typeof PaymentIn>, origin: Origin = {}): Promise<Payment> {
  const refuseTaken = async () => {
    if (input.reference !== undefined && (await findByReference(ctx, input.reference))) refuseTwin(input.reference)
  }
  return refusingFirst(refuseTaken, () => open(ctx, input, origin))
}

async function open(ctx: Ctx, input: Static<typeof PaymentIn>, origin: Origin): Promise<Payment> {
  const { businessId, livemode, now } = ctx.scope
  const methods = input.methods ?? methodsHere(ctx)
  for (const method of methods) railOf(ctx, railOfMethod[method])
  const expiresAt = origin.invoice ? endOfTime : readExpiry(now, input.expires_at)
  if (input.fee_bearer === 'customer')
    for (const method of methods) assertCarryable(ctx.pricing.grossOf(method, input.currency, BigInt(input.amount)))
  const redirectUrl = readReturnUrl('redirect_url', input.redirect_url)
  const cancelUrl = readReturnUrl('cancel_url', input.cancel_url)
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const customer = input.customer === undefined ? null : await findCustomer(inside, input.customer)
    if (input.customer !== undefined && !customer)
      refuse('customer_not_found', `There is no customer '${input.customer}'.`)
    const id = newId(now)
    const slug = newSlug()
    const reference = input.reference ?? `pay_${id}`
    const row = await tx.row(insertPayment, [
      businessId,
      livemode,
      id,
      reference,
      BigInt(input.amount),
      input.currency,
      customer?.id ?? null,
      input.email ?? customer?.email ?? null,
      input.description ?? null,
      methods,
      redirectUrl,
      cancelUrl,
      expiresAt,
      input.fee_bearer ?? 'business',
      input.on_mismatch ?? 'accept',
      slug,
      origin.collection ?? null,
      origin.invoice ?? null,
      toJson(input.metadata ?? {}),
      now,
    ])
    if (!row) refuseTwin(reference)
    await addLink(inside, slug, 'payment', id)
    if (!origin.invoice)
      await schedule(tx, ctx.scope, { task: expireTask, subject: id, dueAt: expiresAt, payload: { payment_id: id } })
    return toPayment(ctx, row)
  })
}

function refuseTwin(reference: string): never {
  refuse('duplicate_reference', `A payment with the reference '${reference}' exists already.`)
}

/**
 * The ways to pay that this server has a rail for, in this mode.
 * @throws {Refusal} `rail_not_configured` when there is none
 */
export function methodsHere(ctx: Ctx): PaymentMethod[] {
  const rails = ctx.scope.livemode ? ctx.rails.live : ctx.rails.test
  const methods = paymentMethods.filter((method) => rails[railOfMethod[method]] !== null)
  if (methods.length === 0) refuse('rail_not_configured', 'No rail that takes money in is configured in live mode.')
  return methods
}

const slugLength = 24
const slugForm = new RegExp(`^[0-9A-Za-z]{${slugLength}}$`)

/** A slug that nobody can guess: 142 random bits. */
export const newSlug = (): string => randomText(slugLength)

/** Gives a hosted page its slug. */
export async function addLink(ctx: Ctx, slug: string, kind: LinkRow['kind'], subject: Id): Promise<void> {
  await (ctx.tx as Tx).rows(insertLink, [slug, ctx.scope.businessId, ctx.scope.livemode, kind, subject])
}

/** A text for each payment that changes whenever anything its payer sees has changed. By id; of any business. */
export async function versionsOf(
  app: App,
  keys: { businessId: Id; livemode: boolean; id: Id }[],
): Promise<Map<Id, string>> {
  const rows = await app.db.rows(selectVersions, [
    keys.map((key) => key.businessId),
    keys.map((key) => key.livemode),
    keys.map((key) => key.id),
  ])
  return new Map(rows.map((row) => [row.id, row.version]))
}

/** What a slug leads to, and the context of whose it is; null when it leads nowhere. */
export async function follow(app: App, slug: string): Promise<{ ctx: Ctx; kind: LinkRow['kind']; subject: Id } | null> {
  if (!slugForm.test(slug)) return null
  const link = await app.db.row(selectLink, [slug])
  if (!link) return null
  const scope = await scopeOf(app, link.business_id, link.livemode)
  return { ctx: { ...app, scope }, kind: link.kind, subject: link.subject }
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Payment> {
  return toPayment(ctx, await find(ctx, id))
}

/** @throws {Refusal} `not_found` */
export async function getByReference(ctx: Ctx, reference: string): Promise<Payment> {
  const row = await findByReference(ctx, reference)
  return row ? toPayment(ctx, row) : refuse('not_found', `There is no payment with the reference '${reference}'.`)
}

function findByReference(ctx: Ctx, reference: string): Promise<PaymentRow | null> {
  return reader(ctx).row(selectByReference, [ctx.scope.businessId, ctx.scope.livemode, reference])
}

/** Payments, newest first; those of a collection when one is named. */
export async function list(
  ctx: Ctx,
  query: Static<typeof PaymentQuery>,
  origin: Origin = {},
): Promise<PageOf<Payment>> {
  const page = await listPage<PaymentRow>(
    reader(ctx),
    {
      table: 'payments',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      facets: { currency: query.currency, method: query.method, status: query.status },
      filters: [
        ['customer_id = ?', query.customer],
        ['collection_id = ?', origin.collection],
      ],
    },
    query,
  )
  return mapPage(page, (row) => toPayment(ctx, row))
}

/**
 * Cancels a payment. Money that still comes is booked, and marked late.
 * @param invoice the invoice that ends with it: nobody else can cancel an invoice's payment
 * @throws {Refusal} `not_found`, `payment_of_invoice`, `payment_not_pending`, `payment_processing` while money is under way
 */
export function cancel(ctx: Ctx, id: string, invoice: Id | null = null): Promise<Payment> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, id)
    if (payment.invoice_id !== invoice)
      refuse('payment_of_invoice', `The payment belongs to invoice ${payment.invoice_id}; void the invoice instead.`)
    if (payment.status !== 'pending')
      refuse('payment_not_pending', `The payment is ${payment.status}; only a pending payment can be canceled.`)
    if (await isUnderWay(inside, payment)) refuse('payment_processing', underWay)
    return toPayment(ctx, await transition(inside, payment, 'cancel'))
  })
}

/**
 * Ends a payment whose time is over; while money is under way it waits for the outcome.
 * @param early ends it though its time is not over: for test keys
 * @param looked how often it was looked at before: each wait is twice as long, up to five minutes
 * @throws {Refusal} `payment_processing` when it is to end early while money is under way
 */
export function expire(ctx: Ctx, id: Id, early = false, looked = 0): Promise<PaymentRow> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, id)
    if (payment.status !== 'pending' || (!early && payment.expires_at > ctx.scope.now)) return payment
    if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
    if (!(await isUnderWay(inside, payment))) return transition(inside, payment, 'expire')
    if (early) refuse('payment_processing', underWay)
    const dueAt = later(ctx.scope.now, Math.min(lookAgainMs * 2 ** looked, longestLookMs))
    const payload = { payment_id: id, looked: Math.min(looked + 1, 20) }
    await schedule(tx, ctx.scope, { task: expireTask, subject: id, dueAt, payload })
    return payment
  })
}

/** Whether money is on its way that cannot be given up: a card is being charged, or a transfer was seen on a chain. */
async function isUnderWay(ctx: Ctx, payment: PaymentRow): Promise<boolean> {
  const { amount_confirming: confirming } = payment
  // Less than what is due holds nothing up: anybody can send a cent to an address.
  if (confirming > 0n && confirming >= payment.amount - payment.amount_counted) return true
  const { businessId, livemode } = ctx.scope
  const attempt = await (ctx.tx as Tx).row(selectOpenAttempt, [businessId, livemode, payment.id])
  return attempt?.status === 'processing'
}

/**
 * Fails a test payment for good, as a rail would that declines for good.
 * @throws {Refusal} `not_found`, `payment_not_pending`, `payment_of_invoice`, `payment_processing`
 */
export function failForGood(ctx: Ctx, id: string, reason: string): Promise<PaymentRow> {
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, id)
    if (payment.status !== 'pending') refuse('payment_not_pending', `The payment is ${payment.status} already.`)
    if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
    if (await isUnderWay(inside, payment)) refuse('payment_processing', underWay)
    return transition(inside, { ...payment, failure_reason: reason }, 'fail')
  })
}

/** Changes what refunds hold and have given back, in minor units, of a payment that the caller has locked. */
export function noteRefund(
  ctx: Ctx,
  payment: PaymentRow,
  change: { refunding: bigint; refunded: bigint },
): Promise<PaymentRow> {
  return save(ctx, {
    ...payment,
    amount_refunding: payment.amount_refunding + change.refunding,
    amount_refunded: payment.amount_refunded + change.refunded,
  })
}

/** Changes how much is being confirmed, in minor units, of a payment that the caller has locked. */
export function noteConfirming(ctx: Ctx, payment: PaymentRow, change: bigint): Promise<PaymentRow> {
  return save(ctx, { ...payment, amount_confirming: payment.amount_confirming + change })
}

/** The jobs of this room. */
export const paymentTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    await expire(ctx, payload.payment_id as Id, false, Number(payload.looked ?? 0))
  },
  [askChargeTask]: (ctx, payload) => askCharge(ctx, payload.payment_id as Id, payload.attempt_id as Id),
}
