/**
 * Refunds: money on its way back to a payer. The amount is held in the wallet when the refund is made; the rail is asked by a job
 * of that commit, and what it says ends the refund.
 */

import { getTransaction, recordTransaction } from '../../books/transactions/transactions.ts'
import { hold } from '../../books/wallets/wallets.ts'
import { type Ctx, canPayOut, inTransaction, payoutRail, type Reversals, reader } from '../../core/context.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/list.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import { formatDecimal, formatMoney, multiplyDown } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { type DestinationInput, readDestination, resolveHolder } from '../../paying-out/destinations/destinations.ts'
import { emit } from '../../platform/events/events.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { lock, noteRefund, type PaymentMethod, type PaymentRow } from '../payments/payments.ts'
import { find, type Refund, settleTask, toRefund } from './record.ts'
import type { RefundIn, RefundQuery } from './schema.ts'
import { columns, insertRefund, type RefundRow, selectInProgress } from './sql.ts'
import { originsOf, readSource, textOf, unknownOrigin, type Way, wayOf } from './ways.ts'

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
    if (payment.status === 'pending')
      refuse('payment_not_refundable', 'The payment is pending; cancel it, or wait until it has ended.')
    if (payment.amount_received === 0n) refuse('payment_not_refundable', 'Nothing was paid.')
    if (await tx.row(selectInProgress, [ctx.scope.businessId, ctx.scope.livemode, payment.id]))
      refuse('refund_in_progress', 'A refund of the payment is in progress; wait until it has ended.')
    const { way, left } = await chooseWay(inside, payment, named, input.transaction ?? null)
    const amount = input.amount === undefined ? left : BigInt(input.amount)
    if (amount > left || left === 0n)
      refuse('refund_too_large', `${formatMoney(left, payment.currency)} can be refunded this way.`, {
        left: Number(left),
      })
    return initiate(inside, payment, { ...input, amount, automatic: false }, way)
  })
}

/**
 * Where a refund goes, and how much can. Money goes back to where it came from: the origin of the transaction that is named, else the
 * latest that is left. A destination of the merchant's choice is for what came by transfer: what a card paid goes back to the card.
 * @throws {Refusal} `refund_too_large`, `destination_required`, `invalid_destination`, `not_found` for the transaction
 */
async function chooseWay(
  ctx: Ctx,
  payment: PaymentRow,
  named: Way | null,
  transaction: Id | null,
): Promise<{ way: Way; left: bigint }> {
  const whole = payment.amount_received - payment.amount_refunded - payment.amount_refunding
  const origins = (await originsOf(ctx, payment)).filter((origin) => origin.left > 0n)
  const most = (left: bigint): bigint => (left < whole ? left : whole)
  if (named && transaction === null) {
    const onCards = origins.filter((one) => one.back?.method === 'card').reduce((sum, one) => sum + one.left, 0n)
    if (whole > 0n && whole <= onCards)
      refuse('invalid_destination', 'What a card paid goes back to the card; leave out the destination.')
    return { way: named, left: whole - onCards > 0n ? whole - onCards : 0n }
  }
  const origin = transaction === null ? origins[0] : origins.find((one) => one.transactions.includes(transaction))
  if (!origin || whole === 0n) {
    if (transaction !== null && !origin)
      refuse('not_found', `Nothing is left of a transaction '${transaction}' of the payment.`)
    return refuse('refund_too_large', 'All of the payment has been refunded.', { left: 0 })
  }
  if (named && origin.back?.method === 'card')
    refuse('invalid_destination', 'What a card paid goes back to the card; leave out the destination.')
  // Wherever it goes: it is that origin's money.
  const way = named ? { ...named, way: origin.back?.way ?? unknownOrigin } : origin.back
  if (!way) refuse('destination_required', 'The account that paid is not known; name a destination for the refund.')
  return { way, left: most(origin.left) }
}

/** How payments send back what they do not keep. */
export const reversals: Reversals = {
  possible(ctx, { method, currency, source }, amount) {
    if (!source) return false
    if (method === 'card') return canPayOut(ctx, {})
    const destination = readSource(ctx, currency, method as PaymentMethod, source)
    if (!destination || !canPayOut(ctx, destination)) return false
    const rate = ctx.pricing.rate(currency, destination.currency)
    return rate !== null && multiplyDown(amount, rate) > 0n
  },
  async make(ctx, paymentId, transaction, amount) {
    const payment = await lock(ctx, paymentId)
    const way = wayOf(ctx, await getTransaction(ctx, transaction))
    if (!way) throw new Error(`the payer of transaction ${transaction} cannot be paid back`)
    const reason = payment.status === 'pending' ? 'The amount was not the one that was due.' : 'More came than was due.'
    await initiate(ctx, payment, { amount, automatic: true, reason }, way)
  },
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
    way.way,
    payoutRail(ctx, way.destination as { chain?: string }).name,
    transaction,
    toJson(order.metadata ?? {}),
    scope.now,
  ])
  if (!row) refuse('duplicate_reference', `A refund with the reference '${order.reference}' exists already.`)
  await noteRefund(ctx, payment, { refunding: order.amount, refunded: 0n })
  await emit(tx, ctx, 'refund.initiated', toRefund(row))
  await enqueue(tx, scope, [{ task: settleTask, subject: id, payload: { refund_id: id } }])
  if (payment.invoice_id !== null) for (const listener of ctx.listeners.refunds) await listener.starting?.(ctx, row)
  const balanceAfter = await hold(ctx, 'refund', {
    amount: order.amount,
    currency,
    kind: 'refund_hold',
    subject: id,
    transaction,
  })
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

/** A destination that the merchant named. */
async function readNamed(ctx: Ctx, input: DestinationInput): Promise<Way> {
  const method = input.chain !== undefined || input.address !== undefined ? 'crypto' : 'bank_transfer'
  const read = readDestination(ctx, method, input, true)
  const { destination } = await resolveHolder(ctx, payoutRail(ctx, read), read)
  return { way: textOf(destination), method, destination }
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
      facets: { status: query.status },
      filters: [['payment_id = ?', query.payment]],
    },
    query,
  )
  return mapPage(page, toRefund)
}
