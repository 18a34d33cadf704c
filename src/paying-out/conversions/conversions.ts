/**
 * Conversions between a business's wallets at a quote's rate and fee. Each is one transaction; the
 * exchange position keeps the rounding remainder.
 */
import { recordAct } from '../../books/audit/audit.ts'
import { changeLimits, openLimits, positionsOf } from '../../books/exchange/exchange.ts'
import { openBooks, type Posting } from '../../books/ledger/ledger.ts'
import { listOfficial } from '../../books/pricing/pricing.ts'
import { rangeOf } from '../../books/profiles/profiles.ts'
import { recordTransactions } from '../../books/transactions/transactions.ts'
import { creditIn, walletAccounts, walletIn } from '../../books/wallets/wallets.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import { assertCarryable, formatMoney, type WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { emit } from '../../platform/events/events.ts'
import { conversionEvents } from './events.ts'
import { refuse } from './refusals.ts'
import type {
  ConversionIn,
  ConversionQuery,
  ConversionQuoteIn,
  ConversionQuoteRecord,
  ConversionRecord,
  ExchangeLimitsIn,
  ExchangeRecord,
} from './schema.ts'
import * as statements from './sql.ts'
import { type ConversionRow, conversions, type QuoteRow, quotes } from './sql.ts'

export { decideRate, fetchOfficial, rateIn } from './official.ts'

export type Conversion = Static<typeof ConversionRecord>
export type ConversionQuote = Static<typeof ConversionQuoteRecord>

const quoteLifeMs = 5 * 60_000

function toConversion({
  quote_id,
  transaction_id,
  destination_transaction_id,
  ...row
}: ConversionRow): Conversion {
  return {
    ...row,
    quote: quote_id,
    transaction: transaction_id,
    destination_transaction: destination_transaction_id,
  } as unknown as Conversion
}

/** @throws {Refusal} `rate_unavailable` */
function priceOf(
  { pricing }: View,
  amount: bigint,
  currency: WalletCurrency,
  to: WalletCurrency,
): NonNullable<ReturnType<View['pricing']['convert']>> {
  return (
    pricing.convert(amount, currency, to) ??
    refuse('rate_unavailable', `The operator of this server has no rate from ${currency} to ${to}.`)
  )
}

/**
 * Checks that there is a rate between two wallets, before an amount is known.
 * @throws {Refusal} `rate_unavailable`
 */
export const assertConvertible = (view: View, from: WalletCurrency, to: WalletCurrency): void =>
  void priceOf(view, 100n, from, to)

/**
 * Creates a quote, which fixes rate and fee for five minutes. It moves no money.
 * @throws {Refusal} `same_currency`, `rate_unavailable`, `conversion_too_small`, `amount_too_large`
 */
export async function quote(
  work: Work,
  input: Static<typeof ConversionQuoteIn>,
): Promise<ConversionQuote> {
  const { currency, destination_currency: to } = input
  const amount = BigInt(input.amount)
  if (currency === to)
    refuse('same_currency', 'Name two wallets: `currency` and `destination_currency` differ.')
  const price = priceOf(work, amount, currency, to)
  if (price.net <= 0n || price.destinationAmount === 0n)
    refuse(
      'conversion_too_small',
      `${formatMoney(amount, currency)} would not come to the least ${to} amount.`,
    )
  assertCarryable(price.destinationAmount)
  const { now } = work.scope
  // The rate's age follows the machine's clock; the quote expires in the business's time, which a
  // test clock may have advanced.
  const expiresAt = later(now, Math.min(quoteLifeMs, price.leftMs ?? quoteLifeMs))
  const row = (await insert(work, quotes, {
    id: newId(now),
    amount,
    currency,
    fee: price.fee,
    fee_breakdown: price.breakdown as { type: 'fx'; amount: bigint }[],
    rate: price.rate,
    rate_source: price.source,
    rate_fetched_at: price.fetchedAt,
    rate_valid_until: price.validUntil,
    destination_amount: price.destinationAmount,
    destination_currency: to,
    created_at: now,
    expires_at: expiresAt,
  })) as QuoteRow & { livemode: boolean }
  const { available } = await walletIn(work, currency)
  return {
    ...row,
    livemode: work.scope.livemode,
    sufficient_funds: available >= amount,
    metadata: {},
    updated_at: now,
  } as never
}

/**
 * Converts by a quote.
 * @throws {Refusal} `quote_not_found`, `quote_used`, `quote_expired`, `duplicate_reference` (409),
 * `insufficient_funds`, `amount_too_large`, `exchange_limit_exceeded`
 */
export async function convert(work: Work, input: Static<typeof ConversionIn>): Promise<Conversion> {
  const { now } = work.scope
  // Serializes conversions of one quote.
  const quoted = await work.row(statements.lockQuote, [input.quote])
  if (!quoted)
    return refuse('quote_not_found', `There is no quote '${input.quote}' of a conversion.`)
  if (await work.row(statements.selectOfQuote, [quoted.id]))
    refuse('quote_used', `The quote '${quoted.id}' has made a conversion: ask for a new one.`)
  if (quoted.expires_at <= now)
    refuse(
      'quote_expired',
      `The quote expired at ${quoted.expires_at.toISOString()}; ask for a new one.`,
    )
  const { id: _id, created_at: _at, expires_at: _until, ...price } = quoted
  const row = await insert(
    work,
    conversions,
    {
      id: newId(now),
      quote_id: quoted.id,
      reference: input.reference ?? null,
      ...price,
      transaction_id: newId(now),
      destination_transaction_id: newId(now),
      metadata: input.metadata ?? {},
      created_at: now,
      updated_at: now,
    },
    '(business_id, livemode, reference) do nothing',
  )
  if (!row)
    return refuse(
      'duplicate_reference',
      `A conversion with the reference '${input.reference}' exists already.`,
    )
  const limits = await openLimits(work.tx, [
    { scope: work.scope, currency: row.destination_currency },
  ])
  limits.refuseTooShort({
    scope: work.scope,
    currency: row.destination_currency,
    amount: row.destination_amount,
  })
  const after = await move(work, row)
  await recordTransactions(work.tx, transactionsOf(work, row, after))
  const record = { ...toConversion(row), livemode: work.scope.livemode }
  const { id: subject, amount, currency } = row
  const about = { amount, currency }
  await recordAct(work, { action: 'conversion.created', subject, about })
  await emit(work, conversionEvents, 'conversion.completed', record)
  return record
}

type After = { left: bigint; came: bigint }

/** Posts both legs to the exchange position, and the fee in the wallet's own currency. */
async function move({ tx, scope }: Work, row: ConversionRow): Promise<After> {
  const { currency, destination_currency: to, amount, fee, destination_amount } = row
  const [from, into] = [
    { purpose: 'wallet_available', currency } as const,
    { purpose: 'wallet_available', currency: to } as const,
  ]
  const fees = { purpose: 'fees', currency } as const
  const position = { purpose: 'exchange', currency } as const
  const other = { purpose: 'exchange', currency: to } as const
  const keys = [...walletAccounts(currency), ...walletAccounts(to), fees, position, other]
  const books = await openBooks(tx, [{ scope, keys }])
  const available = books.balanceOf(scope, from)
  if (available < amount)
    refuse(
      'insufficient_funds',
      `The ${currency} wallet has ${formatMoney(available, currency)} available; the conversion needs ${formatMoney(amount, currency)}.`,
      { available: Number(available), needed: Number(amount) },
    )
  const of = { subject: row.id, transaction: row.transaction_id }
  const leaving: Posting[] = [
    { debit: from, credit: position, amount: amount - fee, kind: 'conversion', ...of },
  ]
  if (fee > 0n)
    leaving.push({ debit: from, credit: fees, amount: fee, kind: 'conversion_fee', ...of })
  const left = books.post(scope, leaving)(from)
  const coming: Posting = {
    debit: other,
    credit: into,
    amount: destination_amount,
    kind: 'conversion' as const,
    subject: row.id,
    transaction: row.destination_transaction_id,
  }
  const came = creditIn(books, scope, to, [coming])
  await books.write()
  return { left, came }
}

function transactionsOf({ scope }: Work, row: ConversionRow, { left, came }: After) {
  const { currency, destination_currency, amount, fee, destination_amount, reference, metadata } =
    row
  const shared = {
    scope,
    type: 'conversion',
    method: 'wallet',
    status: 'completed',
    reference,
    metadata,
  } as const
  const related = { conversion: row.id }
  return [
    {
      ...shared,
      id: row.transaction_id,
      direction: 'debit' as const,
      currency,
      amount,
      fee,
      balanceAfter: left,
      related,
    },
    {
      ...shared,
      id: row.destination_transaction_id,
      direction: 'credit' as const,
      currency: destination_currency,
      amount: destination_amount,
      fee: 0n,
      balanceAfter: came,
      related,
    },
  ]
}

/** @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<Conversion> {
  const row = await view.row(statements.selectConversion, [id])
  return row ? toConversion(row) : refuse('not_found', `There is no conversion '${id}'.`)
}

/** Newest first. */
export async function list(
  ctx: Ctx,
  query: Static<typeof ConversionQuery>,
): Promise<PageOf<Conversion>> {
  const page = await listPage<ConversionRow>(ctx, conversions, query, {
    facets: { currency: query.currency },
    ...(await rangeOf(ctx, query)),
  })
  return mapPage(page, toConversion)
}

// For the operator
// -------------------------------------------------------------------------------------------------

/** Returns the exchange positions of all businesses, and their limits. */
export async function exchangeOf({
  reader,
}: Pick<View, 'reader'>): Promise<Static<typeof ExchangeRecord>> {
  const rows = await positionsOf(reader)
  const positions = rows.map(({ livemode, ...row }) => ({ mode: modeOf(livemode), ...row }))
  return { positions, rates: await listOfficial(reader) } as never
}

/** Changes the limits of positions, from now on. */
export async function changeExchangeLimits(
  work: Work,
  { currencies }: Static<typeof ExchangeLimitsIn>,
): Promise<Static<typeof ExchangeRecord>> {
  await changeLimits(work, currencies)
  return exchangeOf(work)
}
