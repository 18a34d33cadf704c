/**
 * Payouts: money on its way out of a wallet. The amount is held before any rail is asked, and every change of state is
 * one database transaction with its postings, its transaction record and its event.
 */

import type { Price } from '../../books/pricing/pricing.ts'
import { listWallets } from '../../books/wallets/wallets.ts'
import { type Ctx, inTransaction, payoutRail, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { later } from '../../lib/clock.ts'
import { answerOf, type Outcome, refuse, refusingFirst } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { assertCarryable, formatMoney } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { schedule } from '../../platform/jobs/timers.ts'
import { readDestination, resolveHolder, type StoredDestination } from '../destinations/destinations.ts'
import { createMany, type NewPayout, refuseTwin } from './creation.ts'
import { expireQuoteTask, find, type Payout, toPayout } from './record.ts'
import type { PayoutIn, PayoutQuery, QuoteIn, QuoteRecord } from './schema.ts'
import { columns, insertQuote, lockById, type PayoutRow, selectByReference, selectQuote } from './sql.ts'
import { transition } from './transition.ts'

export type Quote = Static<typeof QuoteRecord>

const quoteLifeMs = 5 * 60 * 1000

/**
 * Prices a payout: what it would cost, and what would arrive. Asks the bank, so it is done outside of any transaction.
 * @returns what holds the price for five minutes; it moves nothing
 * @throws {Refusal} as `readDestination`; `unsupported_currency` when the price table does not sell it
 */
export async function prepareQuote(ctx: Ctx, input: Static<typeof QuoteIn>): Promise<(tx: Tx) => Promise<Quote>> {
  const { businessId, livemode, now } = ctx.scope
  const read = readDestination(ctx, input.method, input.destination, false)
  const rail = payoutRail(ctx, read)
  const { destination, warnings } = await resolveHolder(ctx, rail, read)
  const amount = BigInt(input.amount)
  const price = priceOf(ctx, input, amount, destination)
  const id = newId(now)
  const expiresAt = later(now, quoteLifeMs)
  return async (tx) => {
    const row = await tx.row(insertQuote, [
      businessId,
      livemode,
      id,
      amount,
      input.currency,
      input.method,
      toJson(destination),
      price.fee,
      toJson(price.breakdown),
      price.rate,
      price.destinationAmount,
      destination.currency,
      now,
      expiresAt,
    ])
    if (!row) throw new Error('the quote was not stored')
    await schedule(tx, ctx.scope, { task: expireQuoteTask, subject: id, dueAt: expiresAt, payload: { quote_id: id } })
    const [wallet] = await listWallets({ ...ctx, tx }, input.currency)
    const { status: _status, ...stored } = row
    return {
      ...stored,
      fee_breakdown: price.breakdown,
      net_amount: price.net,
      estimated_arrival: later(now, rail.arrivalMs),
      sufficient_funds: (wallet?.available ?? 0n) >= amount,
      warnings,
      metadata: {},
      updated_at: now,
    }
  }
}

/**
 * Reads the destination of a payout, and asks the bank who holds it: outside of any transaction, where one is to create many.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`; `rail_not_configured`
 */
export function lookUp(ctx: Ctx, input: Pick<Static<typeof PayoutIn>, 'method' | 'destination'>) {
  const read = readDestination(ctx, input.method, input.destination, true)
  return resolveHolder(ctx, payoutRail(ctx, read), read)
}

/**
 * Reads the request for a payout, and prices it. Nothing is held yet: `createMany` has the last word. Whatever is wrong with the
 * request, one whose reference is used hears of that: it may be sent again for want of an answer, after its quote has expired.
 * @param looked what `lookUp` has found, where the caller has asked already
 * @throws {Refusal} `duplicate_reference` (409); `amount_too_small`, those of `lookUp`, and `quote_not_found`, `quote_expired`,
 *   `quote_mismatch`
 */
export function prepare(
  ctx: Ctx,
  input: Static<typeof PayoutIn>,
  looked?: Awaited<ReturnType<typeof lookUp>>,
): Promise<NewPayout> {
  const { businessId, livemode } = ctx.scope
  const refuseTaken = async () => {
    if (await reader(ctx).row(selectByReference, [businessId, livemode, input.reference])) refuseTwin(input.reference)
  }
  return refusingFirst(refuseTaken, () => readOrder(ctx, input, looked))
}

async function readOrder(
  ctx: Ctx,
  input: Static<typeof PayoutIn>,
  looked?: Awaited<ReturnType<typeof lookUp>>,
): Promise<NewPayout> {
  const { scope } = ctx
  const amount = BigInt(input.amount)
  const { destination, warnings } = looked ?? (await lookUp(ctx, input))
  const rail = payoutRail(ctx, destination)
  const price = input.quote
    ? await quotedPrice(ctx, input.quote, input, destination)
    : priceOf(ctx, input, amount, destination)
  if (price.net <= 0n || price.destinationAmount <= 0n)
    refuse(
      'amount_too_small',
      `The fee is ${formatMoney(price.fee, input.currency)}; ${formatMoney(amount, input.currency)} leaves nothing to pay out.`,
      { fee: Number(price.fee) },
    )
  return { scope, rail, input, amount, destination, warnings, price }
}

/**
 * Creates a payout: holds its amount, and hands it to the rail by a job of the same commit.
 * @throws {Refusal} `duplicate_reference` (409), `insufficient_funds`, those of `prepare`
 */
export async function create(
  ctx: Ctx,
  input: Static<typeof PayoutIn>,
  looked?: Awaited<ReturnType<typeof lookUp>>,
): Promise<Payout> {
  const order = await prepare(ctx, input, looked)
  return inTransaction(ctx, async (tx) => answerOf((await createMany(tx, [order]))[0] as Outcome<Payout>))
}

/**
 * Cancels a payout that the rail was not asked for yet; the amount is available again.
 * @throws {Refusal} `not_found`, `payout_not_cancelable`
 */
export function cancel(ctx: Ctx, reference: string): Promise<Payout> {
  return inTransaction(ctx, async (tx) => {
    const found = await find({ ...ctx, tx }, reference)
    const row = (await tx.row(lockById, [ctx.scope.businessId, ctx.scope.livemode, found.id])) as PayoutRow
    if (row.status !== 'pending')
      refuse('payout_not_cancelable', `The payout is ${row.status}; only a pending payout can be canceled.`)
    return toPayout(await transition({ ...ctx, tx }, row, 'cancel'))
  })
}

/**
 * One payout by its reference.
 * @throws {Refusal} `not_found`
 */
export async function get(ctx: Ctx, reference: string): Promise<Payout> {
  return toPayout(await find(ctx, reference))
}

export async function list(ctx: Ctx, query: Static<typeof PayoutQuery>): Promise<PageOf<Payout>> {
  const { businessId, livemode } = ctx.scope
  const page = await listPage<PayoutRow>(
    reader(ctx),
    {
      table: 'payouts',
      columns,
      business: businessId,
      livemode,
      facets: { currency: query.currency, method: query.method, status: query.status },
    },
    query,
  )
  return mapPage(page, toPayout)
}

type Order = Pick<Static<typeof QuoteIn>, 'currency' | 'method'>

/** @throws {Refusal} `unsupported_currency`, `amount_too_large` */
function priceOf(ctx: Ctx, { currency, method }: Order, amount: bigint, destination: StoredDestination): Price {
  const price = ctx.pricing.price({
    amount,
    currency,
    method,
    destinationCurrency: destination.currency,
    chain: destination.chain ?? null,
  })
  if (!price)
    refuse(
      'unsupported_currency',
      `A ${currency} wallet cannot pay out ${destination.currency} by ${method} on this server.`,
    )
  assertCarryable(price.destinationAmount)
  return price
}

/**
 * What the integrator says of where the money goes, but for the holder's name, which may be spelled in another way. The rest of a
 * destination is looked up, and may be answered otherwise later.
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

/** The price a quote locked. @throws {Refusal} `quote_not_found`, `quote_expired`, `quote_mismatch` */
async function quotedPrice(
  ctx: Ctx,
  quoteId: Id,
  { amount, currency, method }: Static<typeof PayoutIn>,
  destination: StoredDestination,
): Promise<Price> {
  const { businessId, livemode, now } = ctx.scope
  const row = await reader(ctx).row(selectQuote, [businessId, livemode, quoteId])
  if (!row) refuse('quote_not_found', `There is no quote '${quoteId}'.`)
  if (row.status === 'expired' || row.expires_at <= now)
    refuse('quote_expired', `The quote expired at ${row.expires_at.toISOString()}; ask for a new one.`)
  const differs: string[] = []
  if (row.amount !== BigInt(amount)) differs.push('amount')
  if (row.currency !== currency) differs.push('currency')
  if (row.method !== method) differs.push('method')
  for (const field of quotedFields)
    if (row.destination[field] !== undefined && row.destination[field] !== destination[field])
      differs.push(`destination.${field}`)
  if (differs.length > 0)
    refuse('quote_mismatch', `The payout differs from its quote in ${differs.join(', ')}; ask for a new quote.`)
  return {
    fee: row.fee,
    breakdown: row.fee_breakdown.map((part) => ({ type: part.type, amount: BigInt(part.amount) })),
    rate: row.rate,
    net: row.amount - row.fee,
    destinationAmount: row.destination_amount,
  }
}
