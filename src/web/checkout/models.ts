/**
 * Makes the models of the pages from the records. It formats every amount, so that the views decide
 * nothing.
 */
import { addressLines, type Business, getBusiness } from '../../books/profiles/profiles.ts'
import { type CollectionRow, stateOf } from '../../collecting/collections/collections.ts'
import type {
  CardAttemptRow,
  PaymentMethod,
  PaymentRow,
} from '../../collecting/payments/payments.ts'
import * as payments from '../../collecting/payments/payments.ts'
import {
  type AccountRow,
  accountOfPayment,
} from '../../collecting/virtual-accounts/virtual-accounts.ts'
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PageRequest } from '../../core/route.ts'
import { showDay } from '../../lib/days.ts'
import type { Id } from '../../lib/ids.ts'
import type { Currency, WalletCurrency } from '../../lib/money.ts'
import { readingsIn, readMoney } from '../../lib/typed-money.ts'
import { withParams } from '../../lib/urls.ts'
import {
  asksForEmail,
  cardBrands,
  leavesForCards,
  takesCardNumbers,
} from '../../rails/accounts/choice.ts'
import {
  type InvoiceRow,
  linesOfPayment,
  type SoldInvoice,
  taxTotals,
} from '../../selling/invoices/invoices.ts'
import { maskEmail } from './forms.ts'
import { amountText, languageOf } from './languages.ts'
import { choicesOf, chosenToken } from './tokens.ts'
import { type CardFault, earliestMonth } from './view/cards.ts'
import type { Brand, CollectionPage, Money, PaymentPage, Taxes } from './view/model.ts'
import { rateText, type Strings, stringsFor } from './view/strings.ts'

/** Returns the path of a slug's page on this server. */
export const pathOf = (slug: string): string => `/pay/${slug}`

/** Returns how amounts are formatted in a language. */
const amountsIn = (t: Strings) => ({
  money: (amount: bigint, currency: WalletCurrency): Money => ({
    amount,
    currency,
    formatted: amountText(t, amount, currency),
  }),
  shown: (amount: bigint, currency: Currency): string => amountText(t, amount, currency),
})
type Amounts = ReturnType<typeof amountsIn>

/** Returns the parts of a business that pages show besides its name. */
export function brandOf(t: Strings, business: Business): Brand {
  const { logo, color, registration_number: registration, tax_id: taxId } = business
  const place = addressLines(business.address, t.locale)
  return {
    logo: logo && { path: new URL(logo.url).pathname, ...logo },
    color,
    email: business.support_email,
    phone: business.support_phone,
    terms: business.terms_url,
    legal: [place.join(', '), registration, taxId && t.taxId(taxId)].filter(
      (line): line is string => Boolean(line),
    ),
  }
}

/** A card that was typed wrong, as far as it may be shown again. */
export type WrongCard = { faults: CardFault[]; expiry: string }

/** Returns the page of a payment as its payer sees it now. */
export async function modelOf(
  ctx: Ctx,
  id: Id,
  request: PageRequest,
  token: string,
  wrongCard: WrongCard | null = null,
): Promise<PaymentPage> {
  const { businessId, livemode } = ctx.scope
  // The version is read before the records: a page that is older than its version would wait for a
  // change that it has missed.
  const versions = await payments.findVersions(ctx, [{ businessId, livemode, id }])
  const seen = await readSeen(ctx, id, request)
  const { payment, business, t, method, isPending } = seen
  const { currency } = payment
  const back = (url: string | null): string | null =>
    url === null ? null : withParams(url, { reference: payment.reference, status: payment.status })
  return {
    language: seen.language,
    path: pathOf(payment.slug),
    livemode: payment.livemode,
    secure: request.secure,
    business: business.name,
    brand: brandOf(t, business),
    reference: payment.reference,
    ...invoicePart(seen),
    ...moneyPart(ctx, seen),
    ...timePart(ctx, seen),
    methods: seen.methods,
    method,
    token,
    version: versions.get(id) ?? '',
    payer: {
      asked: isPending && isAsked(ctx, payment, method),
      email: payment.payer_email === null ? null : maskEmail(payment.payer_email),
      wrong: request.query.wrong === 'email',
    },
    card: cardPart(ctx, seen, request.query.wrong, wrongCard),
    ...transferOf(ctx, payment, seen.account, seen.due, request),
    crypto: {
      ...choicesOf(ctx, t, currency),
      chosen:
        isPending && method === 'crypto'
          ? await chosenToken(ctx, t, payment, business.time_zone)
          : null,
    },
    returnUrl: isPending ? null : back(payment.redirect_url),
    cancelUrl: isPending ? back(payment.cancel_url) : null,
  }
}

/** The records of a payment's page, and the method that the payer has chosen. */
type Seen = Awaited<ReturnType<typeof readSeen>>

async function readSeen(ctx: Ctx, id: Id, request: PageRequest) {
  const payment = await payments.find(ctx, id)
  const { currency } = payment
  const [business, attempt, account, sold, hasAttemptsLeft] = await Promise.all([
    getBusiness(ctx),
    payments.latestAttempt(ctx, id),
    accountOfPayment(ctx, id),
    linesOfPayment(ctx, payment.invoice_id),
    payments.hasAttemptsLeft(ctx, payment),
  ])
  const language = languageOf(request, business.locale)
  const t = stringsFor(language)
  const amounts = amountsIn(t)
  // The payer of a live payment types the card number at the provider: this page has no form for it.
  const leaves = leavesForCards(ctx, currency)
  const methods = payment.methods.filter(
    (one) => one !== 'card' || leaves || takesCardNumbers(ctx, currency),
  )
  const method = methodOf(payment, methods, attempt, request.query.method)
  const priced = method ?? (payment.methods[0] as PaymentMethod)
  const due = amounts.money(payments.amountToRequest(ctx, payment, priced), currency)
  const isPending = payment.status === 'pending'
  return {
    ...{ payment, business, attempt, account, sold, hasAttemptsLeft, isPending },
    ...{ language, t, amounts, leaves, methods, method, priced, due },
  }
}

/** Returns the parts of an invoice, which a payment without one lacks. */
function invoicePart({
  payment,
  sold,
  t,
  amounts,
}: Seen): Pick<PaymentPage, 'description' | 'lines' | 'billedTo' | 'taxes' | 'document'> {
  if (!sold)
    return {
      description: payment.description,
      lines: [],
      billedTo: null,
      taxes: null,
      document: null,
    }
  const { invoice, lines } = sold
  return {
    description: describe(t, amounts, invoice),
    lines: lines.map((line) => ({
      name: line.name,
      quantity: Number(line.quantity),
      unit: `${amounts.shown(line.amount, invoice.currency)}${line.discount > 0n ? ` − ${amounts.shown(line.discount, invoice.currency)}` : ''}`,
      total: amounts.shown(line.total, invoice.currency),
      tax:
        line.tax_rate_bps === null
          ? null
          : { rate: rateText(t, line.tax_rate_bps), inclusive: line.tax_inclusive },
    })),
    billedTo: invoice.bill_to?.name ?? null,
    taxes: taxesOf(t, amounts, sold),
    document: {
      href: `${pathOf(payment.slug)}/invoice.pdf`,
      number: String(invoice.number),
    },
  }
}

function moneyPart(
  ctx: Ctx,
  { payment, amounts, method, priced, due, isPending }: Seen,
): Pick<PaymentPage, 'price' | 'fee' | 'due' | 'received' | 'kept' | 'confirming' | 'surplus'> {
  const { amount, amount_confirming: confirming, currency } = payment
  const { money } = amounts
  const whole = payments.totalDue(ctx, payment, priced)
  const kept = keptOf(payment)
  return {
    price: money(amount, currency),
    fee: method && whole > amount ? money(whole - amount, currency) : null,
    due,
    received: receivedOf(amounts, payment),
    kept: isPending && kept > 0n ? money(kept, currency) : null,
    confirming:
      confirming === 0n
        ? null
        : { ...money(confirming, currency), covers: payments.isCovered(ctx, payment, priced) },
    surplus: surplusOf(ctx, amounts, payment),
  }
}

function timePart(
  { scope }: Ctx,
  { payment, business }: Seen,
): Pick<PaymentPage, 'status' | 'late' | 'expiresAt' | 'secondsLeft' | 'paidAt' | 'timeZone'> {
  const { status, variance, expires_at: expiresAt, paid_at: paidAt } = payment
  const msLeft = expiresAt.getTime() - scope.now.getTime()
  return {
    status,
    // The payer need not ask about money that came late and went back at once.
    late: variance === 'late' && (uncountedOf(payment) === 0n || keptOf(payment) > 0n),
    expiresAt: expiresAt.toISOString(),
    secondsLeft: Math.max(0, Math.ceil(msLeft / 1000)),
    paidAt: paidAt?.toISOString() ?? null,
    timeZone: business.time_zone,
  }
}

function cardPart(
  ctx: Ctx,
  seen: Seen,
  wrong: string | undefined,
  typed: WrongCard | null,
): PaymentPage['card'] {
  const { payment, amounts, hasAttemptsLeft, attempt, leaves } = seen
  const { currency, methods } = payment
  return {
    ...(leaves
      ? leavingCard(amounts, hasAttemptsLeft, attempt, currency)
      : cardOf(amounts, hasAttemptsLeft, attempt, currency, wrong)),
    ...(typed && { ...typed, failure: null }),
    earliest: earliestMonth(ctx.scope.now),
    brands: methods.includes('card') ? cardBrands(ctx, currency) : [],
  }
}

/** Returns the taxes of an invoice; null without any. */
function taxesOf(t: Strings, amounts: Amounts, { invoice, lines }: SoldInvoice): Taxes | null {
  const { subtotal, taxes } = taxTotals(invoice, lines)
  const shown = (amount: bigint): string => amounts.shown(amount, invoice.currency)
  if (taxes.length === 0) return null
  return {
    net: shown(subtotal),
    rates: taxes.map(({ rate_bps, net, tax }) => ({
      rate: rateText(t, rate_bps),
      net: shown(net),
      tax: shown(tax),
    })),
  }
}

/** Describes an invoice: its number, due day, exchange rate and the merchant's note. */
function describe(t: Strings, { shown }: Amounts, invoice: InvoiceRow): string {
  const { due_day: due, exchange_rate: rate, memo } = invoice
  const number = String(invoice.number)
  return [
    invoice.status === 'void' ? t.voided(number) : t.invoice(number),
    due && t.dueOn(showDay(due, t.locale)),
    rate && t.exchanged(shown(invoice.total, invoice.currency), '€1', `$${rate}`),
    // The note keeps its own direction of writing.
    memo && `\u2068${memo}\u2069`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Returns the account that the payment can be paid to now. */
function transferOf(
  ctx: Ctx,
  payment: PaymentRow,
  account: AccountRow | null,
  due: Money,
  request: PageRequest,
): Pick<PaymentPage, 'transfer' | 'transferNews'> {
  const refused = request.query.wrong === 'transfer' || account?.status === 'failed'
  if (account === null || payment.status !== 'pending' || !payments.isUsable(ctx, payment, account))
    return { transfer: null, transferNews: refused ? 'unavailable' : null }
  const { account_number: accountNumber, bank_name: bankName } = account
  if (accountNumber === null || bankName === null)
    return { transfer: null, transferNews: 'opening' }
  return {
    transfer: {
      amount: due,
      accountNumber,
      bankName,
      accountName: account.account_name,
      routingNumber: account.routing_number,
      returned: uncountedOf(payment) > 0n && keptOf(payment) === 0n,
    },
    transferNews: account.sent_back_at === null ? null : 'sent_back',
  }
}

/** Returns the method that the payer has chosen. A card that is being charged comes first. */
function methodOf(
  payment: PaymentRow,
  methods: PaymentMethod[],
  attempt: CardAttemptRow | null,
  asked: string | undefined,
): PaymentMethod | null {
  if (payment.status !== 'pending') return payment.method
  if (
    attempt &&
    (attempt.status === 'processing' || attempt.status === 'challenge' || attempt.confirming)
  )
    return 'card'
  const named = methods.find((method) => method === asked)
  if (named === undefined && attempt?.status === 'away') return 'card'
  return named ?? (methods.length === 1 ? (methods[0] as PaymentMethod) : null)
}

/** Returns whether the chosen method needs the payer's email address, and it is missing. */
const isAsked = (ctx: Ctx, payment: PaymentRow, method: PaymentMethod | null): boolean =>
  (method === 'card' || method === 'bank_transfer') &&
  !payments.hasEmail(payment) &&
  asksForEmail(ctx, method, payment.currency)

/** Returns the received amount that does not count, since it is refunded. */
const uncountedOf = (payment: PaymentRow): bigint =>
  payment.amount_received - payment.amount_counted

/** Returns the part of it that the rail could not refund. */
function keptOf(payment: PaymentRow): bigint {
  const kept = uncountedOf(payment) - payment.amount_refunding - payment.amount_refunded
  return kept > 0n ? kept : 0n
}

/** Returns the amount that counts. After the end, the part that could not be refunded is added. */
function receivedOf({ money }: Amounts, payment: PaymentRow): Money | null {
  const received = payment.amount_counted + (payment.status === 'pending' ? 0n : keptOf(payment))
  return received > 0n ? money(received, payment.currency) : null
}

/** Returns the amount above the price of a completed payment that was kept. */
function surplusOf(view: View, { money }: Amounts, payment: PaymentRow): Money | null {
  const { status, variance, method, amount, amount_counted: counted, currency } = payment
  if (status !== 'completed' || method === null) return null
  const whole =
    payment.fee_bearer === 'customer'
      ? payments.pricingOf(view, payment).grossOf(method, currency, amount)
      : amount
  const over = variance === 'overpaid' && counted > whole ? counted - whole : 0n
  const surplus = over + keptOf(payment)
  return surplus > 0n ? money(surplus, currency) : null
}

/** The parts of a card that its latest try determines. */
type CardState = Omit<PaymentPage['card'], 'brands' | 'earliest'>

function cardOf(
  { money }: Amounts,
  hasAttemptsLeft: boolean,
  attempt: CardAttemptRow | null,
  currency: WalletCurrency,
  wrong: string | undefined,
): CardState {
  const untried = hasAttemptsLeft ? 'form' : 'closed'
  const state =
    attempt?.status === 'processing' || attempt?.status === 'challenge' ? attempt.status : untried
  const declined = attempt?.status === 'failed' ? attempt.failure_reason : null
  return {
    state,
    failure: wrong === 'card' ? 'real_card' : declined,
    faults: wrong !== 'card' && declined === 'incorrect_cvc' ? ['cvc'] : [],
    expiry: '',
    amount: attempt && money(attempt.amount, currency),
    last4: attempt?.last4 ?? null,
    brand: attempt?.brand ?? null,
  }
}

/** Returns the state of a card that is typed at a provider, where the payer goes for it. */
function leavingCard(
  { money }: Amounts,
  hasAttemptsLeft: boolean,
  attempt: CardAttemptRow | null,
  currency: WalletCurrency,
): CardState {
  const status = attempt?.status
  const failure =
    status === 'away' || status === 'failed' ? (attempt?.failure_reason ?? null) : null
  const neverLeft = status === 'failed' && attempt?.url === null
  return {
    state: stateOfLeaving(hasAttemptsLeft, attempt),
    faults: [],
    expiry: '',
    failure: neverLeft ? 'not_begun' : failure,
    amount: attempt && money(attempt.amount, currency),
    last4: attempt?.last4 ?? null,
    brand: attempt?.brand ?? null,
  }
}

function stateOfLeaving(
  hasAttemptsLeft: boolean,
  attempt: CardAttemptRow | null,
): PaymentPage['card']['state'] {
  if (attempt?.status === 'processing') return 'starting'
  if (attempt?.status === 'away') return attempt.confirming ? 'confirming' : 'away'
  return hasAttemptsLeft ? 'leave' : 'closed'
}

export async function collectionModel(
  ctx: Ctx,
  row: CollectionRow,
  request: PageRequest,
  token: string,
  typed: { error: string | null; amount: string; email: string },
): Promise<CollectionPage> {
  const business = await getBusiness(ctx)
  const language = languageOf(request, business.locale)
  const t = stringsFor(language)
  const { money } = amountsIn(t)
  const shown = (amount: bigint | null): Money | null =>
    amount === null ? null : money(amount, row.currency)
  const read = readMoney(typed.amount, t.locale, row.currency)
  return {
    language,
    path: pathOf(row.slug),
    livemode: row.livemode,
    business: business.name,
    brand: brandOf(t, business),
    name: row.name,
    description: row.description,
    state: stateOf(row),
    amount: shown(row.amount),
    currency: row.currency,
    min: shown(row.min_amount),
    max: shown(row.max_amount),
    error: typed.error,
    readings:
      read.amount === null && read.readings ? readingsIn(read.readings, t.locale).read : null,
    values: { amount: typed.amount, email: typed.email },
    token,
  }
}
