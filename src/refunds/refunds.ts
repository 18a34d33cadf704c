/**
 * Refunds: money on its way back to a payer. The amount is held in the wallet when the refund is made; the rail is asked by a job
 * of that commit, and what it says ends the refund.
 */
import { type Ctx, inTransaction, railOf, reader } from '../context.ts'
import type { Tx } from '../db/db.ts'
import { listPage, mapPage, type PageOf } from '../db/list.ts'
import {
  type DestinationInput,
  readDestination,
  resolveHolder,
  type StoredDestination,
} from '../destinations/destinations.ts'
import { emit } from '../events/events.ts'
import { enqueue } from '../jobs/timers.ts'
import { Overdraft, post } from '../ledger/ledger.ts'
import { Refusal, refuse } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import { toJson } from '../lib/json.ts'
import { formatDecimal, formatMoney, multiplyDown, type WalletCurrency } from '../lib/money.ts'
import type { Static } from '../lib/schema.ts'
import { findBankByName } from '../lookups/lookups.ts'
import { chargeOf, lock, noteRefund, type PaymentMethod, type PaymentRow } from '../payments/payments.ts'
import { getTransaction, recordTransaction, type Source } from '../transactions/transactions.ts'
import { find, type Refund, settleTask, toRefund } from './record.ts'
import type { RefundIn, RefundQuery } from './schema.ts'
import { type CardDestination, columns, insertRefund, type RefundRow, selectInProgress } from './sql.ts'

/** Where a refund goes, and by what means. */
type Way = { method: PaymentMethod; destination: StoredDestination | CardDestination }

/**
 * Refunds a payment, in whole or in part.
 * @throws {Refusal} `not_found` for the payment; `payment_not_refundable`; `refund_in_progress` and `duplicate_reference` (409);
 *   `refund_too_large`; `destination_required`; `insufficient_funds`; those of `readDestination` and `resolveHolder`
 */
export async function create(ctx: Ctx, input: Static<typeof RefundIn>): Promise<Refund> {
  const named = input.destination === undefined ? null : await readNamed(ctx, input.destination)
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const payment = await lock(inside, input.payment)
    const { currency } = payment
    if (payment.status === 'pending')
      refuse('payment_not_refundable', 'The payment is pending; cancel it, or wait until it has ended.')
    if (payment.amount_received === 0n) refuse('payment_not_refundable', 'Nothing was paid.')
    if (await tx.row(selectInProgress, [ctx.scope.businessId, ctx.scope.livemode, payment.id]))
      refuse('refund_in_progress', 'A refund of the payment is in progress; wait until it has ended.')
    const left = payment.amount_received - payment.amount_refunded - payment.amount_refunding
    const amount = input.amount === undefined ? left : BigInt(input.amount)
    if (amount > left || left === 0n)
      refuse('refund_too_large', `${formatMoney(left, currency)} of the payment is left to refund.`, {
        left: Number(left),
      })
    const way = await wayBack(inside, payment, named)
    return initiate(inside, payment, { ...input, amount, automatic: false }, way)
  })
}

/**
 * Sends back what a payment does not keep, in the caller's transaction, which has locked the payment and booked the money.
 * Call it only when `canReturn`.
 */
export async function reverse(
  ctx: Ctx,
  payment: PaymentRow,
  amount: bigint,
  method: PaymentMethod,
  source: Source | null,
): Promise<void> {
  const destination = readSource(ctx, payment.currency, method, source)
  if (!destination) throw new Error(`the payer of payment ${payment.id} cannot be paid back`)
  const reason = payment.status === 'pending' ? 'The amount was not the one that was due.' : 'More came than was due.'
  await initiate(ctx, payment, { amount, automatic: true, reason }, { method, destination })
}

/** Whether an amount can go back to a payer by what the rail told of them. */
export function canReturn(
  ctx: Ctx,
  { currency }: PaymentRow,
  amount: bigint,
  method: PaymentMethod,
  source: Source | null,
): boolean {
  const destination = readSource(ctx, currency, method, source)
  if (!destination || (ctx.scope.livemode && !ctx.rails.live.payouts)) return false
  const rate = ctx.pricing.rate(currency, destination.currency)
  return rate !== null && multiplyDown(amount, rate) > 0n
}

type Order = {
  amount: bigint
  automatic: boolean
  reason?: string
  reference?: string
  metadata?: Record<string, unknown>
}

/** Holds the money, writes the refund, and hands it to the rail by a job of the same commit. */
async function initiate(ctx: Ctx, payment: PaymentRow, order: Order, way: Way): Promise<Refund> {
  const { scope } = ctx
  const tx = ctx.tx as Tx
  const { currency } = payment
  const arrives = 'currency' in way.destination ? way.destination.currency : currency
  const rate = ctx.pricing.rate(currency, arrives)
  if (!rate) refuse('unsupported_currency', `A ${currency} wallet cannot pay out ${arrives} on this server.`)
  const destinationAmount = multiplyDown(order.amount, rate)
  if (destinationAmount === 0n)
    refuse('amount_too_small', `${formatMoney(order.amount, currency)} is less than the least ${arrives} amount.`)
  const id = newId(scope.now)
  const transaction = newId(scope.now)
  const row = await tx.row(insertRefund, [
    scope.businessId,
    scope.livemode,
    id,
    payment.id,
    order.reference ?? null,
    order.amount,
    currency,
    order.reason ?? null,
    way.method,
    toJson(way.destination),
    formatDecimal(rate),
    destinationAmount,
    arrives,
    order.automatic,
    railOf(ctx, 'payouts').name,
    transaction,
    toJson(order.metadata ?? {}),
    scope.now,
  ])
  if (!row) refuse('duplicate_reference', `A refund with the reference '${order.reference}' exists already.`)
  await noteRefund(ctx, payment, { refunding: order.amount, refunded: 0n })
  await emit(tx, ctx, 'refund.initiated', toRefund(row))
  await enqueue(tx, scope, [{ task: settleTask, subject: id, payload: { refund_id: id } }])
  const balanceAfter = await hold(ctx, row)
  await recordTransaction(ctx, {
    id: transaction,
    type: 'refund',
    method: way.method,
    direction: 'debit',
    status: 'pending',
    currency,
    amount: order.amount,
    fee: 0n,
    balanceAfter,
    reference: order.reference ?? null,
    customer: payment.customer_id,
    related: { refund: id, payment: payment.id },
    metadata: row.metadata,
  })
  return toRefund(row)
}

/** Moves the amount from available to pending. @returns what is available then */
async function hold(ctx: Ctx, { id, amount, currency, transaction_id: transaction }: RefundRow): Promise<bigint> {
  const available = { purpose: 'wallet_available', currency } as const
  const pending = { purpose: 'wallet_pending', currency } as const
  try {
    const balanceOf = await post(ctx.tx as Tx, ctx.scope, [
      { debit: available, credit: pending, amount, kind: 'refund_hold', subject: id, transaction },
    ])
    return balanceOf(available)
  } catch (error) {
    if (!(error instanceof Overdraft)) throw error
    return refuse(
      'insufficient_funds',
      `The ${currency} wallet has ${formatMoney(error.balance, currency)} available; the refund needs ${formatMoney(amount, currency)}.`,
      { available: Number(error.balance), needed: Number(amount) },
    )
  }
}

/** A destination that the merchant named. */
async function readNamed(ctx: Ctx, input: DestinationInput): Promise<Way> {
  const method = input.chain !== undefined || input.address !== undefined ? 'crypto' : 'bank_transfer'
  const read = readDestination(ctx, method, input, true)
  const { destination } = await resolveHolder(railOf(ctx, 'payouts'), read)
  return { method, destination }
}

/** The card that was charged, the destination that was named, or else the account that paid. */
async function wayBack(ctx: Ctx, payment: PaymentRow, named: Way | null): Promise<Way> {
  const charge = await chargeOf(ctx, payment)
  if (charge) {
    if (named) refuse('invalid_destination', 'A card payment goes back to the card; leave out the destination.')
    return { method: 'card', destination: { charge: charge.id, brand: charge.brand, last4: charge.last4 } }
  }
  if (named) return named
  const paid = payment.transaction_id === null ? null : await getTransaction(ctx, payment.transaction_id)
  const method = paid?.method as PaymentMethod | undefined
  const destination = method ? readSource(ctx, payment.currency, method, (paid?.source ?? null) as Source | null) : null
  if (!method || !destination)
    refuse('destination_required', 'The account that paid is not known; name a destination for the refund.')
  return { method, destination }
}

/**
 * Who paid, as a destination, or null when that is not known well enough.
 * @param currency the payment's: what a bank code means follows from it, and dollars come from a routing number
 */
function readSource(
  ctx: Ctx,
  currency: WalletCurrency,
  method: PaymentMethod,
  source: Source | null,
): StoredDestination | null {
  if (!source) return null
  const { account_name, account_number, account_type } = source
  const input =
    method === 'crypto'
      ? { currency: source.currency, chain: source.chain, address: source.address }
      : currency === 'ngn'
        ? {
            bank_code: source.bank_code ?? findBankByName(source.bank_name ?? '')?.code,
            account_number,
            ...(account_name === undefined ? {} : { account_name }),
          }
        : {
            country: 'us',
            routing_number: source.routing_number ?? source.bank_code,
            account_number,
            account_name,
            account_type: account_type ?? 'checking',
          }
  try {
    return readDestination(ctx, method === 'crypto' ? 'crypto' : 'bank_transfer', input as DestinationInput, true)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Refund> {
  return toRefund(await find(ctx, id))
}

export async function list(ctx: Ctx, query: Static<typeof RefundQuery>): Promise<PageOf<Refund>> {
  const page = await listPage<RefundRow>(
    reader(ctx),
    {
      table: 'refunds',
      columns,
      business: ctx.scope.businessId,
      livemode: ctx.scope.livemode,
      filters: [
        ['payment_id = ?', query.payment],
        ['status = ?', query.status],
      ],
    },
    query,
  )
  return mapPage(page, toRefund)
}
