/**
 * Payments: one-time checkouts. This file is the module's public module: it opens, reads and ends
 * them; `cards.ts` and `transfers.ts` are the payment methods, and `receive.ts` books what comes.
 */

import { localeOf, rangeOf } from '../../books/profiles/profiles.ts'
import type { App } from '../../core/app.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Task } from '../../core/module.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import {
  matchAmount,
  matchEmail,
  matchesOfText,
  matchId,
  matchReference,
  parseAmounts,
} from '../../db/lists/matches.ts'
import { Moved } from '../../db/moves/moved.ts'
import { newLocator } from '../../lib/cells.ts'
import { later } from '../../lib/clock.ts'
import { tidyEmail } from '../../lib/email.ts'
import { refusingFirst } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { assertCarryable, type WalletCurrency } from '../../lib/money.ts'
import { readExpiry, type Static } from '../../lib/schema.ts'
import { readReturnUrl } from '../../lib/urls.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { accountFor, addressTerms, isServed } from '../../rails/accounts/choice.ts'
import { findCustomer, ofCustomersNamed, ofCustomersWith } from '../customers/customers.ts'
import { attemptOf } from './attempts.ts'
import { askCharge } from './cards.ts'
import {
  askChargeTask,
  expireTask,
  find,
  lock,
  type Payment,
  save,
  toPayment,
  transition,
} from './record.ts'
import { goOn, isAway } from './redirects.ts'
import { refuse } from './refusals.ts'
import { type PaymentIn, type PaymentMethod, type PaymentQuery, paymentMethods } from './schema.ts'
import type { LinkRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'
import { mismatchBy } from './transfers.ts'

export { attemptOf, hasAttemptsLeft, latestAttempt, railOfAttempt } from './attempts.ts'
export { answerChallenge, chargeCard, takesCard } from './cards.ts'
export { paymentEvents } from './events.ts'
export type { PaymentOrigin, Reversals } from './origins.ts'
export { hasEmail, keepPayerEmail, keepPayerLanguage, type Payer, payerOf } from './payer.ts'
export { forgetPayersTask } from './personal.ts'
export { mailRefundReceipt, type ReceiptMail } from './receipts.ts'
export {
  askedOf,
  dueOf,
  isCovered,
  lockToReceive,
  pricingOf,
  type Receipt,
  receive,
  wholeOf,
} from './receive.ts'
export { checkoutUrl, find, isOpen, lock, type Payment, toPayment } from './record.ts'
export { checkoutApplier, comeBack, isAway, leave } from './redirects.ts'
export { paymentRefusals } from './refusals.ts'
export { type PaymentMethod, PaymentRecord, paymentMethods } from './schema.ts'
export type { CardAttemptRow, CryptoQuoteRow, PaymentRow } from './sql.ts'
export * from './transfers.ts'

const staysOpen = 'The payment of an invoice stays open until it is paid or the invoice is voided.'
const underWay =
  'A card is being charged for the payment, or a transfer is being confirmed; try again later.'
/** How soon an expiry that found money under way looks again. */
const lookAgainMs = 1_000
const longestLookMs = 5 * 60_000
/** The last time that four digits of a year can say. */
const endOfTime = new Date('9999-12-31T23:59:59.999Z')

/**
 * What a payment belongs to, when it was not opened by `POST /payments`. An invoice's stays open
 * until it is paid or the invoice is voided.
 */
export type Origin = { collection?: Id; invoice?: Id }

/**
 * Opens a payment. Whatever else is wrong with the request, one whose reference is used is refused
 * for that: it may be a retry after a lost answer, when its `expires_at` has passed.
 * @throws {Refusal} `duplicate_reference` (409), `customer_not_found`, `invalid_redirect_url`,
 * `rail_not_configured`,
 * `amount_too_large` when it would be with the fee that the payer bears, `validation_failed` for
 * the expiry
 */
export function create(
  work: Work,
  input: Static<typeof PaymentIn>,
  origin: Origin = {},
): Promise<Payment> {
  const refuseTaken = async () => {
    if (input.reference !== undefined && (await findByReference(work, input.reference)))
      refuseDuplicate(input.reference)
  }
  return refusingFirst(refuseTaken, () => insertPayment(work, input, origin))
}

async function insertPayment(
  work: Work,
  input: Static<typeof PaymentIn>,
  origin: Origin,
): Promise<Payment> {
  const { now } = work.scope
  const methods = input.methods ?? methodsHere(work, input.currency)
  for (const method of methods) {
    if (method === 'crypto') addressTerms(work)
    else accountFor(work, method, input.currency)
  }
  const expiresAt = origin.invoice ? endOfTime : readExpiry(now, input.expires_at)
  if (input.fee_bearer === 'customer')
    for (const method of methods)
      assertCarryable(work.pricing.grossOf(method, input.currency, BigInt(input.amount)))
  const redirectUrl = readReturnUrl('redirect_url', input.redirect_url, work.scope.livemode)
  const cancelUrl = readReturnUrl('cancel_url', input.cancel_url, work.scope.livemode)
  const customer = input.customer === undefined ? null : await findCustomer(work, input.customer)
  if (input.customer !== undefined && !customer)
    refuse('customer_not_found', `There is no customer '${input.customer}'.`)
  const id = newId(now)
  const slug = newSlug()
  const reference = input.reference ?? `pay_${id}`
  const payment = {
    id,
    reference,
    amount: BigInt(input.amount),
    currency: input.currency,
    customer_id: customer?.id ?? null,
    email: input.email === undefined ? (customer?.email ?? null) : tidyEmail(input.email),
    description: input.description ?? null,
    methods,
    redirect_url: redirectUrl,
    cancel_url: cancelUrl,
    expires_at: expiresAt,
    fee_bearer: input.fee_bearer ?? 'business',
    on_mismatch: input.on_mismatch ?? 'accept',
    mismatch_by: mismatchBy(work, { methods, currency: input.currency }),
    slug,
    status: 'pending',
    collection_id: origin.collection ?? null,
    invoice_id: origin.invoice ?? null,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  } as const
  const row = await insert(
    work,
    statements.payments,
    payment,
    '(business_id, livemode, reference) do nothing',
  )
  if (!row) refuseDuplicate(reference)
  await addLink(work, slug, 'payment', id)
  if (!origin.invoice)
    await schedule(work, {
      task: expireTask,
      subject: id,
      dueAt: expiresAt,
      payload: { payment_id: id },
    })
  return toPayment(work, row)
}

function refuseDuplicate(reference: string): never {
  refuse('duplicate_reference', `A payment with the reference '${reference}' exists already.`)
}

/**
 * The payment methods that this server has a rail for, in this mode and currency.
 * @throws {Refusal} `rail_not_configured` when there is none
 */
export function methodsHere(view: View, currency: WalletCurrency): PaymentMethod[] {
  const { addresses } = view.terms[modeOf(view.scope.livemode)]
  const methods = paymentMethods.filter((method) =>
    method === 'crypto' ? addresses !== null : isServed(view, method, currency),
  )
  if (methods.length === 0)
    refuse(
      'rail_not_configured',
      `No rail that takes ${currency} in is configured in live mode on this server.`,
    )
  return methods
}

const slugLength = 24
/** With the letter of its cell; those of a time before have none. */
const slugForm = new RegExp(`^[0-9A-Za-z]{${slugLength},${slugLength + 1}}$`)

/** A slug that nobody can guess: 142 random bits. */
export const newSlug = (): string => newLocator(slugLength)

/** Gives a hosted page its slug. */
export async function addLink(
  work: Work,
  slug: string,
  kind: LinkRow['kind'],
  subject: Id,
): Promise<void> {
  await work.rows(statements.insertLink, [slug, kind, subject])
}

/**
 * A text for each payment that changes whenever anything its payer sees has changed. By id; of any
 * business.
 */
export async function versionsOf(
  { db }: Pick<App, 'db'>,
  keys: { businessId: Id; livemode: boolean; id: Id }[],
): Promise<Map<Id, string>> {
  const rows = await db.rows(statements.selectVersions, [
    keys.map((key) => key.businessId),
    keys.map((key) => key.livemode),
    keys.map((key) => key.id),
  ])
  return new Map(rows.map((row) => [row.id, row.version]))
}

/**
 * What a slug leads to, and the context of whose it is; null when it leads nowhere. @throws {Moved}
 * when it leads to another database
 */
export async function follow(
  app: App,
  slug: string,
): Promise<{ ctx: Ctx; kind: LinkRow['kind']; subject: Id } | null> {
  if (!slugForm.test(slug)) return null
  const link = await app.db.row(statements.selectLink, [slug])
  if (!link) return null
  if (link.moved_to !== null) throw new Moved(link.moved_to)
  const scope = await scopeOf(app, link.business_id, link.livemode)
  return { ctx: outside(app, scope), kind: link.kind, subject: link.subject }
}

/** What of payments speaks against closing a business, as a sentence; null: nothing. */
export async function openPayments(view: View): Promise<string | null> {
  const count = Number((await view.row(statements.countOpen))?.count ?? 0n)
  if (count === 0) return null
  const are = count === 1 ? '1 live payment is' : `${count} live payments are`
  return `${are} still open: cancel them and void open invoices, or wait until they have ended, then close the business.`
}

/** @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<Payment> {
  return toPayment(view, await find(view, id))
}

/** @throws {Refusal} `not_found` */
export async function getByReference(view: View, reference: string): Promise<Payment> {
  const row = await findByReference(view, reference)
  return row
    ? toPayment(view, row)
    : refuse('not_found', `There is no payment with the reference '${reference}'.`)
}

/** Returns what came for payments and counts toward their prices, by id, in minor units. */
export async function countedOf(view: View, ids: Id[]): Promise<Map<Id, bigint>> {
  const rows = await view.rows(statements.selectCounted, [ids])
  return new Map(rows.map(({ id, amount_counted }) => [id, amount_counted]))
}

/** The payment of a reference, or null. */
export function findByReference(view: View, reference: string): Promise<PaymentRow | null> {
  return view.row(statements.selectByReference, [reference])
}

/** Payments, newest first; those of a collection when one is named. */
export async function list(
  ctx: Ctx,
  query: Static<typeof PaymentQuery>,
  origin: Origin = {},
): Promise<PageOf<Payment>> {
  const page = await listPage<PaymentRow>(ctx, statements.payments, query, {
    facets: { currency: query.currency, method: query.method, status: query.status },
    filters: [
      ['customer_id = ?', query.customer],
      ['collection_id = ?', origin.collection],
    ],
    ...(await rangeOf(ctx, query)),
    searches: [
      query.reference === undefined ? undefined : [matchReference(query.reference, 'payments')],
      query.email === undefined
        ? undefined
        : [
            matchEmail(query.email),
            matchEmail(query.email, 'payer_email'),
            await ofCustomersWith(ctx, query.email),
          ],
      await matchesOfText(query.search, (text) => matchesOf(ctx, text)),
      query.amount === undefined ? undefined : [matchAmount([query.amount])],
    ],
  })
  return mapPage(page, (row) => toPayment(ctx, row))
}

/** The newest that were made since a time and paid otherwise than they were due. */
export async function paidOtherwise(view: View, since: Date, limit: number): Promise<PaymentRow[]> {
  return view.rows(statements.selectVaried, [since, limit])
}

/** What a text that a person typed may be of a payment. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    matchReference(text, 'payments'),
    matchId(text),
    matchEmail(text),
    matchEmail(text, 'payer_email'),
    await ofCustomersNamed(ctx, text),
    matchAmount(parseAmounts(text, await localeOf(ctx))),
  ]
}

/**
 * Cancels a payment. Money that still comes is booked, and marked late.
 * @param invoice the invoice that ends with it: nobody else can cancel an invoice's payment
 * @throws {Refusal} `not_found`, `payment_of_invoice`, `payment_not_pending`, `payment_processing`
 * while money is under way
 */
export async function cancel(work: Work, id: string, invoice: Id | null = null): Promise<Payment> {
  const payment = await lock(work, id)
  if (payment.invoice_id !== invoice)
    refuse(
      'payment_of_invoice',
      `The payment belongs to invoice ${payment.invoice_id}; void the invoice instead.`,
    )
  if (payment.status !== 'pending')
    refuse(
      'payment_not_pending',
      `The payment is ${payment.status}; only a pending payment can be canceled.`,
    )
  if (await isUnderWay(work, payment)) refuse('payment_processing', underWay)
  return toPayment(work, await transition(work, payment, 'cancel'))
}

/**
 * Expires a payment whose time is over; while money is under way, or its payer is at a provider's
 * page, it waits for the outcome.
 * @param early ends it though its time is not over: for test keys
 * @param looked how often it was looked at before: each wait is twice as long, up to five minutes
 * @throws {Refusal} `payment_processing` when it is to end early while money is under way
 */
export async function expire(work: Work, id: Id, early = false, looked = 0): Promise<PaymentRow> {
  const { now } = work.scope
  const payment = await lock(work, id)
  if (payment.status !== 'pending' || (!early && payment.expires_at > now)) return payment
  if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
  const busy = await isUnderWay(work, payment)
  const attempt = early ? null : await work.row(statements.selectActiveAttempt, [id])
  const awayUntil = attempt !== null && isAway(work, attempt) ? attempt.ends_at : null
  if (!busy && awayUntil === null) return transition(work, payment, 'expire')
  if (early) refuse('payment_processing', underWay)
  const dueAt = awayUntil ?? later(now, Math.min(lookAgainMs * 2 ** looked, longestLookMs))
  const payload = { payment_id: id, looked: Math.min(looked + 1, 20) }
  await schedule(work, { task: expireTask, subject: id, dueAt, payload })
  return payment
}

/**
 * Whether money is on its way that cannot be given up: a card is being charged, or a transfer was
 * seen on a chain.
 */
async function isUnderWay(work: Work, payment: PaymentRow): Promise<boolean> {
  const { amount_confirming: confirming } = payment
  // Less than what is due holds nothing up: anybody can send a cent to an address.
  if (confirming > 0n && confirming >= payment.amount - payment.amount_counted) return true
  const attempt = await work.row(statements.selectActiveAttempt, [payment.id])
  return attempt?.status === 'processing' || attempt?.confirming === true
}

/**
 * Fails a test payment for good, as a rail would that declines for good.
 * @throws {Refusal} `not_found`, `payment_not_pending`, `payment_of_invoice`, `payment_processing`
 */
export async function failForGood(work: Work, id: string, reason: string): Promise<PaymentRow> {
  const payment = await lock(work, id)
  if (payment.status !== 'pending')
    refuse('payment_not_pending', `The payment is ${payment.status} already.`)
  if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
  if (await isUnderWay(work, payment)) refuse('payment_processing', underWay)
  return transition(work, payment, 'fail', { failure_reason: reason })
}

/**
 * Changes what refunds hold and have given back, in minor units, of a payment that the caller has
 * locked.
 */
export function recordRefund(
  work: Work,
  payment: PaymentRow,
  change: { refunding: bigint; refunded: bigint },
): Promise<PaymentRow> {
  return save(work, payment, {
    amount_refunding: payment.amount_refunding + change.refunding,
    amount_refunded: payment.amount_refunded + change.refunded,
  })
}

/** Changes how much is being confirmed, in minor units, of a payment that the caller has locked. */
export function recordConfirming(
  work: Work,
  payment: PaymentRow,
  change: bigint,
): Promise<PaymentRow> {
  return save(work, payment, { amount_confirming: payment.amount_confirming + change })
}

/** The jobs of this module. */
export const paymentTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    await ctx.write((work) =>
      expire(work, payload.payment_id as Id, false, Number(payload.looked ?? 0)),
    )
  },
  [askChargeTask]: async (ctx, payload) => {
    const attempt = await attemptOf(ctx, payload.attempt_id as Id)
    await (attempt.starts === null ? askCharge(ctx, attempt) : goOn(ctx, attempt))
  },
}
