/**
 * Creates refunds: chooses where the money goes, holds the amount, and enqueues the first query.
 */
import { recordAct } from '../../books/audit/audit.ts'
import { openLimits as openExchange } from '../../books/exchange/exchange.ts'
import { recordTransaction, transactionIn } from '../../books/transactions/transactions.ts'
import { hold } from '../../books/wallets/wallets.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { type Decimal, formatDecimal, formatMoney, multiplyDown, smaller } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import * as payouts from '../../paying-out/payouts/payouts.ts'
import { emit } from '../../platform/events/events.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { requireRightNow } from '../../platform/team/team.ts'
import { canPayOut, canRefund, payoutTerms, railToRefund } from '../../rails/accounts/choice.ts'
import type { Charge } from '../../rails/ports/rail.ts'
import type { PaymentMethod, PaymentRow, Reversals } from '../payments/payments.ts'
import * as payments from '../payments/payments.ts'
import { refundEvents } from './events.ts'
import { payoutReference, queryTask, type Refund, toRefund } from './record.ts'
import { refuse } from './refusals.ts'
import type { RefundIn } from './schema.ts'
import {
  chargesOf,
  keyOf,
  payerDestination,
  type RefundRoute,
  routeBack,
  type SourceOfFunds,
  sourcesOf,
  unknownSource,
} from './sources.ts'
import { type RefundRow, refunds, selectInProgress, sumOfCharge } from './sql.ts'

/** A destination that the merchant named, with its holder. */
type NamedDestination = {
  method: payouts.PayoutOrder['method']
  looked: payouts.LookedUp
}

/** A request for a refund, with the destination that it names, if any. */
export type NewRefund = { input: Static<typeof RefundIn>; named: NamedDestination | null }

/**
 * Reads the refund's destination, and looks up the account's holder at the bank.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`
 */
export async function prepare(ctx: Ctx, input: Static<typeof RefundIn>): Promise<NewRefund> {
  const { destination } = input
  if (destination === undefined) return { input, named: null }
  const isOnChain = destination.chain !== undefined || destination.address !== undefined
  const method = isOnChain ? 'crypto' : 'bank_transfer'
  return { input, named: { method, looked: await payouts.lookUp(ctx, { method, destination }) } }
}

/**
 * Refunds a payment, in whole or in part.
 * @throws {Refusal} `not_found` for the payment; `payment_not_refundable`; `refund_in_progress` and
 * `duplicate_reference` (409); `refund_too_large`; `destination_required`; `insufficient_funds`. To
 * another destination than the source of the money: `scope_missing`, and the codes of a payout.
 */
export async function create(work: Work, { input, named }: NewRefund): Promise<Refund> {
  const payment = await payments.lock(work, input.payment)
  if (payment.status === 'pending')
    refuse(
      'payment_not_refundable',
      'The payment is pending; cancel it, or wait until it has ended.',
    )
  if (payment.amount_received === 0n) refuse('payment_not_refundable', 'Nothing was paid.')
  if (await work.row(selectInProgress, [payment.id]))
    refuse('refund_in_progress', 'A refund of the payment is in progress; wait until it has ended.')
  const { route, left, elsewhere } = await chooseRoute(work, payment, named, input)
  const amount = input.amount === undefined ? left : BigInt(input.amount)
  if (amount > left || left === 0n)
    refuse('refund_too_large', `${formatMoney(left, payment.currency)} can be refunded this way.`, {
      left: Number(left),
    })
  if (elsewhere !== null) await requireRightNow(work, 'refund_elsewhere')
  return initiate(work, payment, { ...input, amount, automatic: false }, route, elsewhere)
}

/**
 * Where a refund goes.
 * @property left how much can go there, in minor units
 * @property elsewhere the destination when it is not the source of the money; otherwise null
 */
type ChosenRoute = { route: RefundRoute; left: bigint; elsewhere: NamedDestination | null }

/** What can be refunded of a payment. `total` in minor units, in all; sources have funds left. */
type Refundable = { total: bigint; sources: SourceOfFunds[]; isDisputed: boolean }

type Wanted = Pick<Static<typeof RefundIn>, 'transaction' | 'amount'>

/**
 * Chooses where a refund goes, and how much can. Money goes back to its source: that of the named
 * transaction, otherwise the latest source with funds left. The merchant may name another
 * destination for transfers. What a card paid always goes back to the card.
 * @throws {Refusal} `refund_too_large`, `destination_required`, `invalid_destination`, `not_found`
 * for the transaction
 */
async function chooseRoute(
  work: Work,
  payment: PaymentRow,
  named: NamedDestination | null,
  wanted: Wanted,
): Promise<ChosenRoute> {
  const refundable = await findRefundable(work, payment)
  const own = named && routeToNamedSource(refundable, named, wanted)
  if (own) return own
  if (named && wanted.transaction === undefined) return routeElsewhere(refundable, named)
  return routeToSource(refundable, named, wanted.transaction)
}

async function findRefundable(work: Work, payment: PaymentRow): Promise<Refundable> {
  const disputedAmounts = await work.strategies.disputed(work, payment.id)
  const disputed = [...disputedAmounts.values()].reduce((sum, amount) => sum + amount, 0n)
  const total =
    payment.amount_received - payment.amount_refunded - payment.amount_refunding - disputed
  const sources = await sourcesOf(work, payment, disputedAmounts)
  return {
    total: total > 0n ? total : 0n,
    sources: sources.filter(({ left }) => left > 0n),
    isDisputed: disputed > 0n,
  }
}

const routeOfNamed = ({ method, looked: { destination } }: NamedDestination): RefundRoute => ({
  key: keyOf(destination),
  method,
  destination,
  rail: null,
})

/** Returns the route to a source of funds whose account the merchant named; null without one. */
function routeToNamedSource(
  { total, sources }: Refundable,
  named: NamedDestination,
  { transaction, amount }: Wanted,
): ChosenRoute | null {
  const key = keyOf(named.looked.destination)
  const source = sources.find(
    ({ account, transactions, left }) =>
      account === key &&
      (transaction === undefined || transactions.includes(transaction)) &&
      (amount === undefined || amount <= left),
  )
  if (!source?.route || total === 0n) return null
  return { route: source.route, left: smaller(source.left, total), elsewhere: null }
}

function refuseCardElsewhere(): never {
  refuse(
    'invalid_destination',
    'What a card paid goes back to the card; leave out the destination.',
  )
}

/** Routes everything that no card paid to a destination that is not a source of the money. */
function routeElsewhere({ total, sources }: Refundable, named: NamedDestination): ChosenRoute {
  const onCards = sources
    .filter(({ route }) => route?.method === 'card')
    .reduce((sum, { left }) => sum + left, 0n)
  if (total > 0n && total <= onCards) refuseCardElsewhere()
  const left = total > onCards ? total - onCards : 0n
  return { route: routeOfNamed(named), left, elsewhere: named }
}

/** Routes a refund to the source of a transaction, or to the latest, unless another is named. */
function routeToSource(
  { total, sources, isDisputed }: Refundable,
  named: NamedDestination | null,
  transaction: string | undefined,
): ChosenRoute {
  const source =
    transaction === undefined
      ? sources[0]
      : sources.find(({ transactions }) => transactions.includes(transaction))
  if (transaction !== undefined && !source)
    refuse('not_found', `Nothing is left of a transaction '${transaction}' of the payment.`)
  if (!source || total === 0n)
    return refuse(
      'refund_too_large',
      isDisputed
        ? 'All of the payment has been refunded or is disputed; a disputed amount cannot be refunded as well.'
        : 'All of the payment has been refunded.',
      { left: 0 },
    )
  if (named && source.route?.method === 'card') refuseCardElsewhere()
  // The funds are the source's, wherever they go.
  const route = named
    ? { ...routeOfNamed(named), key: source.route?.key ?? unknownSource }
    : source.route
  if (!route)
    refuse(
      'destination_required',
      'The account that paid is not known; name a destination for the refund.',
    )
  return { route, left: smaller(source.left, total), elsewhere: named }
}

/** Sends back what payments do not keep. */
export const reversals: Reversals = {
  possible(view, { method, currency, rail, source }, amount) {
    if (method !== 'crypto' && canRefund(view, rail, method as Charge['method'])) return true
    if (!source || method === 'card') return false
    const destination = payerDestination(view, currency, method as PaymentMethod, source)
    if (!destination || !canPayOut(view, destination)) return false
    const rate = view.pricing.rate(currency, destination.currency)
    return rate !== null && multiplyDown(amount, rate) > 0n
  },
  async make(work, paymentId, transaction, amount) {
    const payment = await payments.lock(work, paymentId)
    const receipt = await transactionIn(work, transaction)
    const taken = (await chargesOf(work, [receipt])).get(transaction) ?? null
    const route = routeBack(work, receipt, taken)
    if (!route) throw new Error(`the payer of transaction ${transaction} cannot be paid back`)
    const reason =
      payment.status === 'pending'
        ? 'The amount was not the one that was due.'
        : 'More came than was due.'
    await initiate(work, payment, { amount, automatic: true, reason }, route, null)
  },
  async sentBack(view, paymentId, charge) {
    return (await view.row(sumOfCharge, [paymentId, charge]))?.amount ?? 0n
  },
}

type RefundTerms = {
  amount: bigint
  automatic: boolean
  reason?: string
  reference?: string
  metadata?: Record<string, unknown>
}

/**
 * Holds the amount and inserts the refund. A job of the same commit sends it to the rail.
 * @param elsewhere the destination when it is not the source of the money: a payout pays it
 */
async function initiate(
  work: Work,
  payment: PaymentRow,
  terms: RefundTerms,
  route: RefundRoute,
  elsewhere: NamedDestination | null,
): Promise<Refund> {
  const row = await insertRefund(work, payment, terms, route, elsewhere !== null)
  await payments.recordRefund(work, payment, { refunding: row.amount, refunded: 0n })
  await emit(work, refundEvents, 'refund.initiated', toRefund(row), row.customer_id)
  if (!terms.automatic) {
    const { id: subject, amount, currency } = row
    const about = { payment: payment.id, amount, currency }
    await recordAct(work, { action: 'refund.created', subject, about })
  }
  if (elsewhere === null)
    await enqueue(work, [{ task: queryTask, subject: row.id, payload: { refund_id: row.id } }])
  // Lock order: exchange limits before wallets, which followers lock.
  else if (row.destination_currency !== row.currency)
    await openExchange(work.tx, [{ scope: work.scope, currency: row.destination_currency }])
  if (payment.invoice_id !== null)
    for (const follower of work.strategies.refunds) await follower.starting?.(work, row)
  if (elsewhere === null) await holdAmount(work, payment, row)
  else await createPayout(work, payment, row, elsewhere)
  return toRefund(row)
}

/** @throws {Refusal} `duplicate_reference`, and those of `exchangedAmount` */
async function insertRefund(
  work: Work,
  payment: PaymentRow,
  terms: RefundTerms,
  { key, method, destination, rail }: RefundRoute,
  isPayout: boolean,
): Promise<RefundRow> {
  const { now } = work.scope
  const { currency } = payment
  const destinationCurrency = 'currency' in destination ? destination.currency : currency
  const { rate, amount: destinationAmount } = exchangedAmount(
    work,
    { amount: terms.amount, currency },
    destinationCurrency,
  )
  const row = await insert(
    work,
    refunds,
    {
      id: newId(now),
      payment_id: payment.id,
      customer_id: payment.customer_id,
      email: payment.email ?? payment.payer_email,
      reference: terms.reference ?? null,
      amount: terms.amount,
      currency,
      reason: terms.reason ?? null,
      method,
      destination,
      rate: formatDecimal(rate),
      destination_amount: destinationAmount,
      destination_currency: destinationCurrency,
      automatic: terms.automatic,
      way: key,
      rail:
        'charge' in destination
          ? railToRefund(work, rail as string, method as Charge['method'])
          : payoutTerms(work, destination).name,
      status: 'initiated',
      payout_id: isPayout ? newId(now) : null,
      transaction_id: newId(now),
      metadata: terms.metadata ?? {},
      created_at: now,
      updated_at: now,
    },
    '(business_id, livemode, reference) do nothing',
  )
  return (
    row ??
    refuse(
      'duplicate_reference',
      `A refund with the reference '${terms.reference}' exists already.`,
    )
  )
}

/** @throws {Refusal} `unsupported_currency`; `amount_too_small` when nothing would arrive */
function exchangedAmount(
  view: View,
  { amount, currency }: Pick<PaymentRow, 'amount' | 'currency'>,
  to: RefundRow['destination_currency'],
): { rate: Decimal; amount: bigint } {
  const rate = view.pricing.rate(currency, to)
  if (!rate)
    refuse('unsupported_currency', `A ${currency} wallet cannot pay out ${to} on this server.`)
  const exchanged = multiplyDown(amount, rate)
  if (exchanged === 0n)
    refuse(
      'amount_too_small',
      `${formatMoney(amount, currency)} is less than the smallest ${to} amount.`,
    )
  return { rate, amount: exchanged }
}

/** Creates the payout that pays a refund. It holds the amount, and its end ends the refund. */
async function createPayout(
  work: Work,
  payment: PaymentRow,
  refund: RefundRow,
  { method, looked }: NamedDestination,
): Promise<void> {
  const order = {
    reference: payoutReference(refund),
    amount: Number(refund.amount),
    currency: refund.currency,
    method,
    description: `Refund of the payment ${payment.reference}`.slice(0, 500),
    metadata: refund.metadata,
  }
  const price = { rate: refund.rate, destinationAmount: refund.destination_amount }
  await payouts.createForRefund(work, order, looked, price, {
    refund: refund.id,
    payout: refund.payout_id as Id,
    transaction: refund.transaction_id,
    customer: refund.customer_id,
  })
}

async function holdAmount(work: Work, payment: PaymentRow, refund: RefundRow): Promise<void> {
  const { id, amount, currency, transaction_id: transaction } = refund
  const balanceAfter = await hold(work, 'refund', {
    amount,
    currency,
    kind: 'refund_hold',
    subject: id,
    transaction,
  })
  await recordTransaction(work, {
    id: transaction,
    type: 'refund',
    method: refund.method,
    direction: 'debit',
    status: 'pending',
    currency,
    amount,
    fee: 0n,
    balanceAfter,
    reference: refund.reference,
    customer: payment.customer_id,
    related: { refund: id, payment: payment.id },
    metadata: refund.metadata,
  })
}
