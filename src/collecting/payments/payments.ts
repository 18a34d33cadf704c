/** Payments are one-time checkouts. This public file of the module opens, reads and ends them. */

import { recordAct } from '../../books/audit/audit.ts'
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
  matchParts,
  matchReference,
  parseAmounts,
} from '../../db/lists/matches.ts'
import { Moved } from '../../db/moves/moved.ts'
import { newLocator } from '../../lib/cells.ts'
import { endOfTime, later } from '../../lib/clock.ts'
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
import { queryCharge } from './cards.ts'
import {
  expireTask,
  find,
  lock,
  type Payment,
  queryAttemptTask,
  save,
  toPayment,
  transition,
} from './record.ts'
import { hasOpenPage, resumeRedirect } from './redirects.ts'
import { refuse } from './refusals.ts'
import { type PaymentIn, type PaymentMethod, type PaymentQuery, paymentMethods } from './schema.ts'
import type { LinkRow, PaymentRow } from './sql.ts'
import * as statements from './sql.ts'
import { mismatchBy } from './transfers.ts'

export { attemptOf, hasAttemptsLeft, latestAttempt } from './attempts.ts'
export { answerChallenge, chargeCard, takesCard } from './cards.ts'
export { paymentEvents } from './events.ts'
export type { PaymentOrigin, Reversals } from './origins.ts'
export { hasEmail, keepPayerEmail, keepPayerLanguage, type Payer, payerOf } from './payer.ts'
export { forgetPayersTask } from './personal.ts'
export { mailRefundReceipt, paidMail, type ReceiptMail } from './receipts.ts'
export {
  amountDue,
  amountToRequest,
  isCovered,
  lockToReceive,
  pricingOf,
  type Receipt,
  receive,
  totalDue,
} from './receive.ts'
export { checkoutUrl, find, isOpen, lock, type Payment, toPayment } from './record.ts'
export { checkoutApplier, hasOpenPage, queryAfterReturn, startRedirect } from './redirects.ts'
export { paymentRefusals } from './refusals.ts'
export { type PaymentMethod, PaymentRecord, paymentMethods } from './schema.ts'
export type { CardAttemptRow, CryptoQuoteRow, PaymentRow } from './sql.ts'
export { countTried, mostTried, type Tried } from './success.ts'
export * from './transfers.ts'

const staysOpen = 'The payment of an invoice stays open until it is paid or the invoice is voided.'
const moneyInFlight =
  'A card is being charged for the payment, or a transfer is being confirmed; try again later.'
/** Delay before an expiry that found money in flight runs again. It doubles each time. */
const firstRecheckMs = 1_000
const longestRecheckMs = 5 * 60_000

/**
 * The collection or invoice that a payment belongs to. An invoice's payment stays open until it is
 * paid or the invoice is voided.
 */
export type Origin = { collection?: Id; invoice?: Id }

/**
 * Opens a payment. A used reference is refused before anything else is checked: the request may be
 * a retry after a lost answer, with an `expires_at` that has passed since.
 * @throws {Refusal} `duplicate_reference` (409), `customer_not_found`, `invalid_redirect_url`,
 * `rail_not_configured`, `amount_too_large` with the payer's fee, `validation_failed` for the
 * expiry
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
  const methods = input.methods ?? availableMethods(work, input.currency)
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
 * Returns the payment methods that this server has a rail for, in this mode and currency.
 * @throws {Refusal} `rail_not_configured` when there is none
 */
export function availableMethods(view: View, currency: WalletCurrency): PaymentMethod[] {
  const { addresses } = view.terms[modeOf(view.scope.livemode)]
  const methods = paymentMethods.filter((method) =>
    method === 'crypto' ? addresses !== null : isServed(view, method, currency),
  )
  if (methods.length === 0)
    refuse(
      'rail_not_configured',
      `No live rail that accepts ${currency} payments is configured on this server.`,
    )
  return methods
}

const slugLength = 24
/** May end with the letter of its cell. */
const slugForm = new RegExp(`^[0-9A-Za-z]{${slugLength},${slugLength + 1}}$`)

/** Makes a slug that cannot be guessed: 142 random bits. */
export const newSlug = (): string => newLocator(slugLength)

/** Records the slug of a hosted page. */
export async function addLink(
  work: Work,
  slug: string,
  kind: LinkRow['kind'],
  subject: Id,
): Promise<void> {
  await work.rows(statements.insertLink, [slug, kind, subject])
}

/**
 * Returns a text for each payment, by id, that changes with everything its payer sees. Payments may
 * belong to any businesses.
 */
export async function findVersions(
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
 * Returns the subject of a slug with the context of its business; null when there is none.
 * @throws {Moved} when it is in another database
 */
export async function resolveLink(
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

/** Returns a sentence on open payments, which keep a business from closing; null when none are. */
export async function describeOpenPayments(view: View): Promise<string | null> {
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

/** Returns the amounts received that count toward the prices of payments, by id, in minor units. */
export async function countedAmounts(view: View, ids: Id[]): Promise<Map<Id, bigint>> {
  const rows = await view.rows(statements.selectCounted, [ids])
  return new Map(rows.map(({ id, amount_counted }) => [id, amount_counted]))
}

/** Returns the payment with a reference, or null. */
export function findByReference(view: View, reference: string): Promise<PaymentRow | null> {
  return view.row(statements.selectByReference, [reference])
}

/** Lists payments, newest first, optionally of one collection. */
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
      [`variance <> 'exact' and variance = ?`, query.variance],
      // The index has refunded payments alone.
      ['amount_refunded > 0 and amount_refunded >= ?', query.refunded ? 1n : undefined],
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

/**
 * Returns the newest payments whose amount or time differed from what was due, and that no person
 * has dealt with.
 */
export async function findMismatched(view: View, limit: number): Promise<PaymentRow[]> {
  return view.rows(statements.selectVaried, [limit])
}

/** Returns the fields of a payment that a typed search text may match. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    matchReference(text, 'payments'),
    matchId(text),
    matchEmail(text),
    matchEmail(text, 'payer_email'),
    await ofCustomersNamed(ctx, text),
    matchAmount(parseAmounts(text, await localeOf(ctx))),
    await matchParts(text, (values) => ctx.rows(statements.selectByPart, values)),
  ]
}

/**
 * Cancels a payment. Money that still arrives is booked, and marked late.
 * @param invoice the invoice that ends with it: only its invoice can cancel an invoice's payment
 * @throws {Refusal} `not_found`, `payment_of_invoice`, `payment_not_pending`, `payment_processing`
 * while money is in flight
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
  if (await hasMoneyInFlight(work, payment)) refuse('payment_processing', moneyInFlight)
  if (invoice === null) {
    const { reference, currency } = payment
    const about = { reference, amount: payment.amount, currency }
    await recordAct(work, { action: 'payment.canceled', subject: payment.id, about })
  }
  return toPayment(work, await transition(work, payment, 'cancel'))
}

/**
 * Expires a payment whose time is over. While money is in flight, or its payer is at a provider's
 * page, it schedules another check instead.
 * @property early expires it though its time is not over: for test keys
 * @property checks number of checks before: each delay doubles, up to five minutes
 * @throws {Refusal} `payment_processing` when it should end early while money is in flight
 */
export async function expire(
  work: Work,
  id: Id,
  { early = false, checks = 0 }: { early?: boolean; checks?: number } = {},
): Promise<PaymentRow> {
  const { now } = work.scope
  const payment = await lock(work, id)
  if (payment.status !== 'pending' || (!early && payment.expires_at > now)) return payment
  if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
  const busy = await hasMoneyInFlight(work, payment)
  const attempt = early ? null : await work.row(statements.selectActiveAttempt, [id])
  const awayUntil = attempt !== null && hasOpenPage(work, attempt) ? attempt.ends_at : null
  if (!busy && awayUntil === null) return transition(work, payment, 'expire')
  if (early) refuse('payment_processing', moneyInFlight)
  const dueAt = awayUntil ?? later(now, Math.min(firstRecheckMs * 2 ** checks, longestRecheckMs))
  const payload = { payment_id: id, looked: Math.min(checks + 1, 20) }
  await schedule(work, { task: expireTask, subject: id, dueAt, payload })
  return payment
}

/** Whether money may still arrive: a card is being charged, or a transfer was seen on a chain. */
async function hasMoneyInFlight(work: Work, payment: PaymentRow): Promise<boolean> {
  const { amount_confirming: confirming } = payment
  // Less than the amount due does not count: anyone can send a cent to an address.
  if (confirming > 0n && confirming >= payment.amount - payment.amount_counted) return true
  const attempt = await work.row(statements.selectActiveAttempt, [payment.id])
  return attempt?.status === 'processing' || attempt?.confirming === true
}

/**
 * Fails a test payment, as a final decline by a rail does.
 * @throws {Refusal} `not_found`, `payment_not_pending`, `payment_of_invoice`, `payment_processing`
 */
export async function failPayment(work: Work, id: string, reason: string): Promise<PaymentRow> {
  const payment = await lock(work, id)
  if (payment.status !== 'pending')
    refuse('payment_not_pending', `The payment is ${payment.status} already.`)
  if (payment.invoice_id !== null) refuse('payment_of_invoice', staysOpen)
  if (await hasMoneyInFlight(work, payment)) refuse('payment_processing', moneyInFlight)
  return transition(work, payment, 'fail', { failure_reason: reason })
}

/**
 * Changes the amounts, in minor units, that refunds hold and have paid back. The caller has locked
 * the payment.
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

/** Changes the unconfirmed amount, in minor units. The caller has locked the payment. */
export function recordConfirming(
  work: Work,
  payment: PaymentRow,
  change: bigint,
): Promise<PaymentRow> {
  return save(work, payment, { amount_confirming: payment.amount_confirming + change })
}

export const paymentTasks: Record<string, Task> = {
  [expireTask]: async (ctx, payload) => {
    await ctx.write((work) =>
      expire(work, payload.payment_id as Id, { checks: Number(payload.looked ?? 0) }),
    )
  },
  [queryAttemptTask]: async (ctx, payload) => {
    const attempt = await attemptOf(ctx, payload.attempt_id as Id)
    await (attempt.starts === null ? queryCharge(ctx, attempt) : resumeRedirect(ctx, attempt))
  },
}
