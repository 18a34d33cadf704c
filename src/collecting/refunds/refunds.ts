/**
 * Refunds: money on its way back to a payer. The amount is held in the wallet when the refund is
 * made; the rail is asked by a job of that commit, and what it says ends the refund.
 */

import { openLimits as openExchange } from '../../books/exchange/exchange.ts'
import { localeOf, rangeOf } from '../../books/profiles/profiles.ts'
import { recordTransaction, transactionIn } from '../../books/transactions/transactions.ts'
import { hold } from '../../books/wallets/wallets.ts'
import { insert, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import {
  matchAmount,
  matchEmail,
  matchesOfText,
  matchId,
  matchReference,
  parseAmounts,
} from '../../db/lists/matches.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { formatDecimal, formatMoney, multiplyDown } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import * as payouts from '../../paying-out/payouts/payouts.ts'
import type { DestinationInput } from '../../platform/destinations/destinations.ts'
import { emit } from '../../platform/events/events.ts'
import { enqueue } from '../../platform/jobs/timers.ts'
import { requireRightNow } from '../../platform/team/team.ts'
import { canPayOut, canRefund, payoutTerms, railToRefund } from '../../rails/accounts/choice.ts'
import type { Charge } from '../../rails/ports/rail.ts'
import { ofCustomersNamed, ofCustomersWith } from '../customers/customers.ts'
import type { PaymentMethod, PaymentRow, Reversals } from '../payments/payments.ts'
import * as payments from '../payments/payments.ts'
import { refundEvents } from './events.ts'
import { askTask, find, payoutReference, type Refund, toRefund } from './record.ts'
import { refuse } from './refusals.ts'
import type { RefundIn, RefundQuery } from './schema.ts'
import {
  chargesOf,
  keyOf,
  payerDestination,
  type RefundRoute,
  routeBack,
  sourcesOf,
  unknownSource,
} from './sources.ts'
import { type RefundRow, refunds, selectInProgress, sumOfCharge } from './sql.ts'

/**
 * What a refund that is made, and how it ends, does to a module whose sale the payment was, in the
 * transaction of the change.
 */
export type RefundFollower = {
  /** A refund is about to hold its amount in the wallet; the payment counts it already. */
  starting?(work: Work, refund: RefundRow): Promise<void>
  /** It reached the payer. Called last: nothing is posted after it. */
  completed?(work: Work, refund: RefundRow): Promise<void>
  /** It failed, or came back after it had completed, and its amount is back in the wallet. */
  failed(work: Work, refund: RefundRow): Promise<void>
}

declare module '../../core/app.ts' {
  interface Strategies {
    /** Of payments that belong to an invoice. */
    refunds: readonly RefundFollower[]
    /**
     * What payers' banks take back of a payment, or have taken: it is not given back once more. In
     * minor units, by the transactions that booked the money.
     */
    disputed(view: View, payment: Id): Promise<ReadonlyMap<Id, bigint>>
  }
}

/** A destination that the merchant named, with who holds it. */
type Named = { method: payouts.PayoutOrder['method']; looked: payouts.LookedUp }

/** A refund that was asked for, and where the merchant wants it to go, if they say. */
export type NewRefund = { input: Static<typeof RefundIn>; named: Named | null }

/**
 * Reads where a refund is to go, and asks the bank who holds the account.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`
 */
export async function prepare(ctx: Ctx, input: Static<typeof RefundIn>): Promise<NewRefund> {
  return {
    input,
    named: input.destination === undefined ? null : await readNamed(ctx, input.destination),
  }
}

/**
 * Refunds a payment, in whole or in part.
 * @throws {Refusal} `not_found` for the payment; `payment_not_refundable`; `refund_in_progress` and
 * `duplicate_reference` (409);
 * `refund_too_large`; `destination_required`; `insufficient_funds`; to where the money did not come
 * from: `scope_missing`, and whatever
 *   refuses a payout
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
 * @property left how much can go there. @property elsewhere where it goes to where the money did
 * not come from; null: back to its source
 */
type Chosen = { route: RefundRoute; left: bigint; elsewhere: Named | null }

/**
 * Where a refund goes, and how much can. Money goes back to where it came from: the source of the
 * transaction that is named, else the latest that has funds left. A destination that the merchant
 * names may be such a source. Another is for what came by transfer: what a card paid goes back to
 * the card.
 * @throws {Refusal} `refund_too_large`, `destination_required`, `invalid_destination`, `not_found`
 * for the transaction
 */
async function chooseRoute(
  work: Work,
  payment: PaymentRow,
  named: Named | null,
  { transaction, amount: wanted }: Pick<Static<typeof RefundIn>, 'transaction' | 'amount'>,
): Promise<Chosen> {
  const taken = await work.strategies.disputed(work, payment.id)
  const disputed = [...taken.values()].reduce((sum, amount) => sum + amount, 0n)
  const rest =
    payment.amount_received - payment.amount_refunded - payment.amount_refunding - disputed
  const whole = rest > 0n ? rest : 0n
  const sources = (await sourcesOf(work, payment, taken)).filter((source) => source.left > 0n)
  const most = (left: bigint): bigint => (left < whole ? left : whole)
  const to = named && {
    key: keyOf(named.looked.destination),
    method: named.method,
    destination: named.looked.destination,
    rail: null,
  }
  const own = sources.find(
    (one) =>
      to !== null &&
      one.account === to.key &&
      (transaction === undefined || one.transactions.includes(transaction)) &&
      (wanted === undefined || wanted <= one.left),
  )
  if (own?.route && whole > 0n) return { route: own.route, left: most(own.left), elsewhere: null }
  if (to && transaction === undefined) {
    const onCards = sources
      .filter((one) => one.route?.method === 'card')
      .reduce((sum, one) => sum + one.left, 0n)
    if (whole > 0n && whole <= onCards)
      refuse(
        'invalid_destination',
        'What a card paid goes back to the card; leave out the destination.',
      )
    return { route: to, left: whole - onCards > 0n ? whole - onCards : 0n, elsewhere: named }
  }
  const source =
    transaction === undefined
      ? sources[0]
      : sources.find((one) => one.transactions.includes(transaction))
  if (!source || whole === 0n) {
    if (transaction !== undefined && !source)
      refuse('not_found', `Nothing is left of a transaction '${transaction}' of the payment.`)
    return refuse(
      'refund_too_large',
      disputed > 0n
        ? 'All of the payment has been refunded, or is disputed: what the payer’s bank takes back is not given back once more.'
        : 'All of the payment has been refunded.',
      { left: 0 },
    )
  }
  if (to && source.route?.method === 'card')
    refuse(
      'invalid_destination',
      'What a card paid goes back to the card; leave out the destination.',
    )
  // Wherever it goes: it is that source's money.
  const route = to ? { ...to, key: source.route?.key ?? unknownSource } : source.route
  if (!route)
    refuse(
      'destination_required',
      'The account that paid is not known; name a destination for the refund.',
    )
  return { route, left: most(source.left), elsewhere: named }
}

/** How payments send back what they do not keep. */
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
 * Holds the money, inserts the refund, and has a job of the same commit send it to the rail.
 * @param elsewhere where it goes to where the money did not come from: by a payout
 */
async function initiate(
  work: Work,
  payment: PaymentRow,
  wanted: RefundTerms,
  { key, method, destination, rail }: RefundRoute,
  elsewhere: Named | null,
): Promise<Refund> {
  const { now } = work.scope
  const { currency } = payment
  const arrives = 'currency' in destination ? destination.currency : currency
  const rate = work.pricing.rate(currency, arrives)
  if (!rate)
    refuse('unsupported_currency', `A ${currency} wallet cannot pay out ${arrives} on this server.`)
  const destinationAmount = multiplyDown(wanted.amount, rate)
  if (destinationAmount === 0n)
    refuse(
      'amount_too_small',
      `${formatMoney(wanted.amount, currency)} is less than the least ${arrives} amount.`,
    )
  const id = newId(now)
  const transaction = newId(now)
  const payout = elsewhere && newId(now)
  const row = await insert(
    work,
    refunds,
    {
      id,
      payment_id: payment.id,
      customer_id: payment.customer_id,
      email: payment.email ?? payment.payer_email,
      reference: wanted.reference ?? null,
      amount: wanted.amount,
      currency,
      reason: wanted.reason ?? null,
      method,
      destination,
      rate: formatDecimal(rate),
      destination_amount: destinationAmount,
      destination_currency: arrives,
      automatic: wanted.automatic,
      way: key,
      rail:
        'charge' in destination
          ? railToRefund(work, rail as string, method as Charge['method'])
          : payoutTerms(work, destination).name,
      status: 'initiated',
      payout_id: payout,
      transaction_id: transaction,
      metadata: wanted.metadata ?? {},
      created_at: now,
      updated_at: now,
    },
    '(business_id, livemode, reference) do nothing',
  )
  if (!row)
    refuse(
      'duplicate_reference',
      `A refund with the reference '${wanted.reference}' exists already.`,
    )
  await payments.recordRefund(work, payment, { refunding: wanted.amount, refunded: 0n })
  await emit(work, refundEvents, 'refund.initiated', toRefund(row), row.customer_id)
  // Before wallets, which followers lock: as whatever exchanges.
  if (payout !== null && arrives !== currency)
    await openExchange(work.tx, [{ scope: work.scope, currency: arrives }])
  if (payout === null)
    await enqueue(work, [{ task: askTask, subject: id, payload: { refund_id: id } }])
  if (payment.invoice_id !== null)
    for (const follower of work.strategies.refunds) await follower.starting?.(work, row)
  if (elsewhere !== null && payout !== null) {
    const order = {
      reference: payoutReference(row),
      amount: Number(wanted.amount),
      currency,
      method: elsewhere.method,
      description: `Refund of the payment ${payment.reference}`.slice(0, 500),
      metadata: row.metadata,
    }
    const price = { rate: row.rate, destinationAmount }
    await payouts.createForRefund(work, order, elsewhere.looked, price, {
      refund: id,
      payout,
      transaction,
      customer: row.customer_id,
    })
    return toRefund(row)
  }
  const balanceAfter = await hold(work, 'refund', {
    amount: wanted.amount,
    currency,
    kind: 'refund_hold',
    subject: id,
    transaction,
  })
  await recordTransaction(work, {
    id: transaction,
    type: 'refund',
    method,
    direction: 'debit',
    status: 'pending',
    currency,
    amount: wanted.amount,
    fee: 0n,
    balanceAfter,
    reference: wanted.reference ?? null,
    customer: payment.customer_id,
    related: { refund: id, payment: payment.id },
    metadata: row.metadata,
  })
  return toRefund(row)
}

/** A destination that the merchant named. */
async function readNamed(ctx: Ctx, destination: DestinationInput): Promise<Named> {
  const method =
    destination.chain !== undefined || destination.address !== undefined
      ? 'crypto'
      : 'bank_transfer'
  return { method, looked: await payouts.lookUp(ctx, { method, destination }) }
}

export { payoutReference } from './record.ts'

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Refund> {
  return toRefund(await find(ctx, id))
}

export async function list(ctx: Ctx, query: Static<typeof RefundQuery>): Promise<PageOf<Refund>> {
  const page = await listPage<RefundRow>(ctx, refunds, query, {
    facets: { status: query.status },
    filters: [['payment_id = ?', query.payment]],
    ...(await rangeOf(ctx, query)),
    searches: [
      query.reference === undefined ? undefined : [matchReference(query.reference, 'refunds')],
      query.email === undefined
        ? undefined
        : [matchEmail(query.email), await ofCustomersWith(ctx, query.email)],
      await matchesOfText(query.search, (text) => matchesOf(ctx, text)),
      query.amount === undefined ? undefined : [matchAmount([query.amount])],
    ],
  })
  return mapPage(page, toRefund)
}

/** What a text that a person typed may be of a refund. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    matchReference(text, 'refunds'),
    matchId(text),
    matchId(text, 'payment_id'),
    matchEmail(text),
    await ofCustomersNamed(ctx, text),
    matchAmount(parseAmounts(text, await localeOf(ctx))),
  ]
}
