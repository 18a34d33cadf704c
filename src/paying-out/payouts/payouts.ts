/**
 * Payouts: money out of a wallet. The amount is held before a rail is called. Each state change is
 * one database transaction with its postings, its transaction record and its event.
 */

import { recordAct } from '../../books/audit/audit.ts'
import { walletIn } from '../../books/wallets/wallets.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PayoutMethod, Price, PriceAtRate } from '../../core/pricing.ts'
import { later } from '../../lib/clock.ts'
import { answerOf, type Outcome, refuseInput, refusingFirst } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { assertCarryable, formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type DestinationInput,
  readDestination,
  resolveHolder,
  type StoredDestination,
} from '../../platform/destinations/destinations.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import type { Maker } from '../../platform/team/team.ts'
import { payoutTerms } from '../../rails/accounts/choice.ts'
import { mayBeSent } from '../../rails/records/outgoing.ts'
import { type BeneficiaryRow, requireBeneficiary } from '../beneficiaries/beneficiaries.ts'
import {
  createMany,
  type NewPayout,
  type PayoutOfRefund,
  type PayoutOrder,
  refuseDuplicate,
  refuseUsed,
} from './creation.ts'
import { expireQuoteTask, find, type Payout, toPayout } from './record.ts'
import { refuse } from './refusals.ts'
import type { PayoutIn, QuoteIn, QuoteRecord } from './schema.ts'
import {
  lockById,
  type PayoutRow,
  quotes,
  selectByReference,
  selectQuote,
  selectReferences,
} from './sql.ts'
import { transition } from './transition.ts'

export {
  createMany,
  type NewPayout,
  type PayoutOfRefund,
  type PayoutOrder,
  refuseDuplicate,
} from './creation.ts'
export { findTroubled, list } from './list.ts'
export type { Payout } from './record.ts'
export { payoutRefusals } from './refusals.ts'
export { failureReasons, PayoutReference, payoutStatuses } from './schema.ts'
export type { PayoutFollower, PayoutOfRefundFollower } from './transition.ts'
export type Quote = Static<typeof QuoteRecord>

const quoteLifeMs = 5 * 60 * 1000

/**
 * Prices a payout: its cost and the amount that arrives. Queries the bank.
 * @throws {Refusal} as `readDestination`; `unsupported_currency` when the price table lacks it
 */
export async function prepareQuote(ctx: Ctx, input: Static<typeof QuoteIn>) {
  const read = readDestination(ctx, input.method, input.destination, false)
  const { arrivalMs } = payoutTerms(ctx, read)
  const { destination, warnings } = await resolveHolder(ctx, read)
  const price = priceOf(ctx, input, BigInt(input.amount), destination)
  return { input, destination, warnings, price, arrivalMs }
}

/**
 * Creates a quote, which fixes its price for five minutes, or less if its rate expires earlier. It
 * moves no money.
 */
export async function quote(
  work: Work,
  prepared: Awaited<ReturnType<typeof prepareQuote>>,
): Promise<Quote> {
  const { input, destination, warnings, price, arrivalMs } = prepared
  const { now } = work.scope
  const amount = BigInt(input.amount)
  const id = newId(now)
  // The rate's age follows the machine's clock; the quote expires in the business's time, which a
  // test clock may have advanced.
  const expiresAt = later(now, Math.min(quoteLifeMs, price.leftMs ?? quoteLifeMs))
  const row = await insert(work, quotes, {
    id,
    amount,
    currency: input.currency,
    method: input.method,
    destination,
    fee: price.fee,
    fee_breakdown: price.breakdown,
    rate: price.rate,
    rate_source: price.source,
    rate_fetched_at: price.fetchedAt,
    rate_valid_until: price.validUntil,
    destination_amount: price.destinationAmount,
    destination_currency: destination.currency,
    created_at: now,
    expires_at: expiresAt,
  })
  if (!row) throw new Error('the quote was not stored')
  await schedule(work, {
    task: expireQuoteTask,
    subject: id,
    dueAt: expiresAt,
    payload: { quote_id: id },
  })
  const { available } = await walletIn(work, input.currency)
  const { status: _status, ...stored } = row
  return {
    ...stored,
    fee_breakdown: price.breakdown,
    net_amount: price.net,
    estimated_arrival: later(now, arrivalMs),
    sufficient_funds: available >= amount,
    warnings,
    metadata: {},
    updated_at: now,
  }
}

/** A validated destination whose holder is known. */
export type LookedUp = Awaited<ReturnType<typeof resolveHolder>>

/**
 * Validates the destination of a payout and queries the bank for its holder.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`; `rail_not_configured`
 */
export async function lookUp(
  ctx: Ctx,
  input: { method: PayoutMethod; destination: DestinationInput },
): Promise<LookedUp> {
  const read = readDestination(ctx, input.method, input.destination, true)
  payoutTerms(ctx, read)
  return resolveHolder(ctx, read)
}

/**
 * Validates and prices a payout. It holds nothing yet; `createMany` decides. A used reference is
 * refused first, because the request may be a retry after a lost answer whose quote has expired.
 * @throws {Refusal} `duplicate_reference` (409); `amount_too_small`, `beneficiary_not_found`, those
 * of `lookUp`, and `quote_not_found`, `quote_expired`, `quote_used`, `quote_mismatch`
 */
export function prepare(ctx: Ctx, input: Static<typeof PayoutIn>): Promise<NewPayout> {
  const refuseTaken = async () => {
    if (await ctx.row(selectByReference, [input.reference])) refuseDuplicate(input.reference)
  }
  return refusingFirst(refuseTaken, () => readPayee(ctx, input))
}

/**
 * Reads the recipient: the beneficiary's saved destination, or the request's. @throws {Refusal}
 * `validation_failed` if the request has neither or both
 */
async function readPayee(ctx: Ctx, input: Static<typeof PayoutIn>): Promise<NewPayout> {
  const where = readWhere(input)
  if (where !== null)
    return readOrder(ctx, { ...input, method: where.method }, await lookUp(ctx, where))
  const payee = await requireBeneficiary(ctx, input.beneficiary as Id)
  return readOrder(ctx, forPayee(input, payee), payee, payee)
}

/**
 * Validates and prices a payout without queries: neither for the holder nor for a used reference.
 * @param payee the beneficiary that it names, or null if there is none
 * @throws {Refusal} those of `prepare`, except those of the queries
 */
export function checkOrder(
  view: View,
  input: Static<typeof PayoutIn>,
  payee: BeneficiaryRow | null,
): NewPayout {
  const where = readWhere(input)
  if (where !== null) {
    const destination = readDestination(view, where.method, where.destination, true)
    return pricedOrder(view, { ...input, method: where.method }, { destination, warnings: [] })
  }
  if (payee === null)
    refuse('beneficiary_not_found', `There is no beneficiary '${input.beneficiary}'.`)
  return pricedOrder(view, forPayee(input, payee), payee, payee)
}

/**
 * Returns the request's destination; null if it names a beneficiary. @throws {Refusal}
 * `validation_failed`
 */
function readWhere({ method, destination, beneficiary }: Static<typeof PayoutIn>) {
  if (beneficiary !== undefined)
    return destination === undefined
      ? null
      : wrong('destination', 'destination does not belong beside beneficiary')
  if (method === undefined) return wrong('method', 'method is required')
  if (destination === undefined)
    return wrong('destination', 'destination is required, or beneficiary')
  return { method, destination }
}

/** @throws {Refusal} `validation_failed` */
function forPayee(input: Static<typeof PayoutIn>, { method }: BeneficiaryRow): PayoutOrder {
  if (input.method !== undefined && input.method !== method)
    wrong('method', `method must be that of the beneficiary, ${method}`)
  return { ...input, method }
}

function wrong(path: string, message: string): never {
  refuseInput([{ path, message, location: 'body' }])
}

async function readOrder(
  view: View,
  input: PayoutOrder,
  looked: LookedUp,
  beneficiary: NewPayout['beneficiary'] = null,
): Promise<NewPayout> {
  const quoted =
    input.quote === undefined
      ? undefined
      : await quotedPrice(view, input.quote, input, looked.destination)
  return pricedOrder(view, input, looked, beneficiary, quoted)
}

function pricedOrder(
  view: View,
  input: PayoutOrder,
  { destination, warnings }: LookedUp,
  payee: NewPayout['beneficiary'] = null,
  price: Price = priceOf(view, input, BigInt(input.amount), destination),
): NewPayout {
  const amount = BigInt(input.amount)
  if (price.net <= 0n || price.destinationAmount <= 0n)
    refuse(
      'amount_too_small',
      `The fee is ${formatMoney(price.fee, input.currency)}; ${formatMoney(amount, input.currency)} leaves nothing to pay out.`,
      { fee: Number(price.fee) },
    )
  const terms = payoutTerms(view, destination)
  const beneficiary = payee && { id: payee.id, revision: payee.revision }
  return { scope: view.scope, terms, input, amount, destination, beneficiary, warnings, price }
}

/** Returns those of the references that payouts already use. */
export async function takenReferences(view: View, references: string[]): Promise<string[]> {
  return (await view.rows(selectReferences, [references])).map(({ reference }) => reference)
}

/**
 * Creates a payout: holds its amount and enqueues, in the same commit, the job that submits it.
 * @throws {Refusal} `duplicate_reference` (409), `insufficient_funds`
 */
export async function create(work: Work, order: NewPayout): Promise<Payout> {
  return answerOf((await createMany(work.tx, [order], work.secrets))[0] as Outcome<Payout>)
}

/**
 * Creates a payout whose destination was already looked up.
 * @throws {Refusal} those of `prepare` and `create`
 */
export async function createIn(work: Work, input: PayoutOrder, looked: LookedUp): Promise<Payout> {
  return create(work, await readOrder(work, input, looked))
}

/**
 * Creates the payout that pays a refund, whose destination was already looked up. It has no fee;
 * limits and approval apply as to any other.
 * @throws {Refusal} `rail_not_configured`, and those of `createMany`
 */
export async function createForRefund(
  work: Work,
  input: PayoutOrder,
  looked: LookedUp,
  { rate, destinationAmount }: Pick<Price, 'rate' | 'destinationAmount'>,
  refund: PayoutOfRefund,
): Promise<void> {
  const price = { fee: 0n, breakdown: [], rate, net: BigInt(input.amount), destinationAmount }
  await create(work, { ...pricedOrder(work, input, looked, null, price), refund })
}

/**
 * Creates a payout to a beneficiary on behalf of a maker who is not acting now.
 * @throws {Refusal} `amount_too_small`, `rail_not_configured`, `unsupported_currency`, and those of
 * `createMany`
 */
export async function createFor(
  work: Work,
  {
    maker,
    ...input
  }: Omit<PayoutOrder, 'method' | 'destination' | 'beneficiary'> & { maker: Maker },
  { id, revision, method, ...payee }: BeneficiaryRow,
): Promise<Payout> {
  const order = await readOrder(work, { ...input, method }, payee, { id, revision })
  return create(work, { ...order, maker })
}

/**
 * Checks that this server can pay a beneficiary from a wallet.
 * @throws {Refusal} `rail_not_configured`, `unsupported_currency`
 */
export function assertPayable(
  view: View,
  currency: WalletCurrency,
  { method, destination }: BeneficiaryRow,
): void {
  payoutTerms(view, destination)
  if (!view.pricing.rate(currency, destination.currency))
    refuse(
      'unsupported_currency',
      `There is no rate from ${currency} to ${destination.currency} on this server for now: ask its operator.`,
    )
  priceOf(view, { currency, method }, 0n, destination)
}

/**
 * Cancels a payout that was not sent to a rail yet; its amount is available again.
 * @throws {Refusal} `not_found`, `payout_not_cancelable`
 */
export async function cancel(work: Work, reference: string): Promise<Payout> {
  const { id } = await find(work, reference)
  const row = (await work.row(lockById, [id])) as PayoutRow
  if (row.status !== 'pending')
    refuse(
      'payout_not_cancelable',
      `The payout is ${row.status}; only a pending payout can be canceled.`,
    )
  await assertUnsent(work, row)
  const { amount, currency } = row
  const about = { reference, amount, currency }
  await recordAct(work, { action: 'payout.canceled', subject: row.id, about })
  return toPayout(await transition(work, row, 'cancel'))
}

/** @throws {Refusal} `payout_not_cancelable` for a pending payout that a rail may still have */
export async function assertUnsent(work: Work, row: PayoutRow): Promise<void> {
  if (await mayBeSent(work, row))
    refuse(
      'payout_not_cancelable',
      'The data of this server were restored from a backup, and the payout may have been sent since it was made: it can be canceled once the operator has let outgoing money go.',
    )
}

/**
 * Returns a payout by its reference.
 * @throws {Refusal} `not_found`
 */
export async function get(ctx: Ctx, reference: string): Promise<Payout> {
  return toPayout(await find(ctx, reference))
}

/** @throws {Refusal} `unsupported_currency`, `amount_too_large` */
function priceOf(
  view: View,
  { currency, method }: Pick<Static<typeof QuoteIn>, 'currency' | 'method'>,
  amount: bigint,
  destination: StoredDestination,
): PriceAtRate {
  const price = view.pricing.price({
    amount,
    currency,
    method,
    destinationCurrency: destination.currency,
    chain: destination.chain ?? null,
  })
  if (!price && !view.pricing.rate(currency, destination.currency))
    refuse(
      'rate_unavailable',
      `There is no rate from ${currency} to ${destination.currency} on this server for now: try again later, or ask its operator.`,
    )
  if (!price)
    refuse(
      'unsupported_currency',
      `A ${currency} wallet cannot pay out ${destination.currency} by ${method} on this server.`,
    )
  assertCarryable(price.destinationAmount)
  return price
}

/**
 * The integrator's destination fields, except the holder's name, whose spelling varies. Other
 * fields are looked up and may change later.
 */
const quotedFields = [
  'currency',
  'chain',
  'address',
  'country',
  'bank_code',
  'routing_number',
  'account_number',
  'account_type',
] as const satisfies (keyof StoredDestination)[]

/**
 * Returns the price that a quote fixed. @throws {Refusal} `quote_not_found`, `quote_used`,
 * `quote_expired`, `quote_mismatch`
 */
async function quotedPrice(
  view: View,
  quoteId: Id,
  { amount, currency, method }: PayoutOrder,
  destination: StoredDestination,
): Promise<Price> {
  const { now } = view.scope
  const row = await view.row(selectQuote, [quoteId])
  if (!row) refuse('quote_not_found', `There is no quote '${quoteId}'.`)
  if (row.status === 'used') refuseUsed(quoteId)
  if (row.status === 'expired' || row.expires_at <= now)
    refuse(
      'quote_expired',
      `The quote expired at ${row.expires_at.toISOString()}; ask for a new one.`,
    )
  const differs: string[] = []
  if (row.amount !== BigInt(amount)) differs.push('amount')
  if (row.currency !== currency) differs.push('currency')
  if (row.method !== method) differs.push('method')
  for (const field of quotedFields)
    if (row.destination[field] !== undefined && row.destination[field] !== destination[field])
      differs.push(`destination.${field}`)
  if (differs.length > 0)
    refuse(
      'quote_mismatch',
      `The payout differs from its quote in ${differs.join(', ')}; ask for a new quote.`,
    )
  return {
    fee: row.fee,
    breakdown: row.fee_breakdown.map((part) => ({ type: part.type, amount: BigInt(part.amount) })),
    rate: row.rate,
    net: row.amount - row.fee,
    destinationAmount: row.destination_amount,
  }
}
