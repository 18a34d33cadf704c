/**
 * The moment at which payouts come to be, for any number of them at once: what is held, written and told is one commit, decided
 * as if each had come alone, in their order.
 */

import { openBooks } from '../../books/ledger/ledger.ts'
import type { Price } from '../../books/pricing/pricing.ts'
import { recordTransactions } from '../../books/transactions/transactions.ts'
import { holdIn, walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/context.ts'
import { isSqlError, type Tx } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { type Outcome, refuse } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { toJson } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { emitMany } from '../../platform/events/events.ts'
import { addWaiting } from '../../platform/jobs/timers.ts'
import type { PayoutRail } from '../../rails/rail.ts'
import type { StoredDestination, Warning } from '../destinations/destinations.ts'
import { type Payout, submitTask } from './record.ts'
import type { PayoutIn } from './schema.ts'
import { insertPayouts, selectTaken } from './sql.ts'

/** A payout that only the wallet and the references can still refuse. Amounts in minor units. */
export type NewPayout = {
  scope: Scope
  rail: PayoutRail
  input: Static<typeof PayoutIn>
  amount: bigint
  destination: StoredDestination
  warnings: Warning[]
  price: Price
}

type Made = NewPayout & { payout: Payout; balanceAfter: bigint }

/**
 * Creates payouts in the caller's transaction. It locks their wallets before it looks at references, as every way to a payout
 * does, so that two of them never wait for each other.
 * @returns for each the payout, or its refusal: `duplicate_reference` (409), `insufficient_funds`
 * @throws {Error} when a twin elsewhere was quicker and several were asked for: nothing stands, ask for each alone
 */
export async function createMany(tx: Tx, orders: NewPayout[]): Promise<Outcome<Payout>[]> {
  const [books, takenRows] = await Promise.all([
    openBooks(
      tx,
      orders.map(({ scope, input }) => ({ scope, keys: walletAccounts(input.currency) })),
    ),
    tx.rows(selectTaken, [
      orders.map(({ scope }) => scope.businessId),
      orders.map(({ scope }) => scope.livemode),
      orders.map(({ input }) => input.reference),
    ]),
  ])
  const taken = new Set(takenRows.map(({ position }) => nameOf(orders[Number(position) - 1] as NewPayout)))
  const made: Made[] = []
  const outcomes = orders.map((order): Outcome<Payout> => {
    const name = nameOf(order)
    try {
      if (taken.has(name)) refuseTwin(order.input.reference)
      const payout = newPayout(order)
      const { amount, currency, id: subject, transaction } = payout
      const held = { amount, currency, kind: 'payout_hold', subject, transaction } as const
      const balanceAfter = holdIn(books, order.scope, 'payout', held)
      taken.add(name)
      made.push({ ...order, payout, balanceAfter })
      return { answer: payout }
    } catch (refusal) {
      return { refusal }
    }
  })
  if (made.length > 0)
    try {
      await Promise.all([books.write(), write(tx, made)])
    } catch (error) {
      if (orders.length > 1 || !isSqlError(error, '23505', 'payouts_business_id_livemode_reference_key')) throw error
      refuseTwin((orders[0] as NewPayout).input.reference)
    }
  return outcomes
}

const nameOf = ({ scope, input }: NewPayout): string => `${scope.businessId} ${scope.livemode} ${input.reference}`

/** @throws {Refusal} always, `duplicate_reference` */
export function refuseTwin(reference: string): never {
  refuse('duplicate_reference', `A payout with the reference '${reference}' exists already.`)
}

/** The record as it will be stored. */
function newPayout({ scope, input, amount, destination, warnings, price }: NewPayout): Payout {
  const { now } = scope
  return {
    id: newId(now),
    livemode: scope.livemode,
    reference: input.reference,
    amount,
    currency: input.currency,
    method: input.method,
    destination,
    quote: input.quote ?? null,
    fee: price.fee,
    net_amount: price.net,
    fee_breakdown: price.breakdown,
    rate: price.rate,
    destination_amount: price.destinationAmount,
    destination_currency: destination.currency,
    description: input.description ?? null,
    status: 'pending',
    failure_reason: null,
    provider_reference: null,
    transaction: newId(now),
    tx_hash: null,
    warnings,
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  }
}

/** Everything of payouts but what the ledger writes, without waiting in between. */
async function write(tx: Tx, made: Made[]): Promise<void> {
  const payouts = made.map(({ payout }) => payout)
  await Promise.all([
    tx.rows(insertPayouts, [
      made.map(({ scope }) => scope.businessId),
      made.map(({ scope }) => scope.livemode),
      payouts.map(({ id }) => id),
      payouts.map(({ reference }) => reference),
      payouts.map(({ amount }) => amount),
      payouts.map(({ currency }) => currency),
      payouts.map(({ method }) => method),
      payouts.map(({ destination }) => toJson(destination)),
      payouts.map(({ fee }) => fee),
      payouts.map(({ fee_breakdown }) => toJson(fee_breakdown)),
      payouts.map(({ rate }) => rate),
      payouts.map(({ destination_amount }) => destination_amount),
      payouts.map(({ destination_currency }) => destination_currency),
      payouts.map(({ quote }) => quote),
      payouts.map(({ description }) => description),
      payouts.map(({ warnings }) => toJson(warnings)),
      made.map(({ rail }) => rail.name),
      payouts.map(({ transaction }) => transaction),
      payouts.map(({ metadata }) => toJson(metadata)),
      payouts.map(({ created_at }) => created_at),
    ]),
    recordTransactions(
      tx,
      made.map(({ scope, payout, balanceAfter }) => ({
        scope,
        id: payout.transaction,
        type: 'payout',
        method: payout.method,
        direction: 'debit',
        status: 'pending',
        currency: payout.currency,
        amount: payout.amount,
        fee: payout.fee,
        balanceAfter,
        reference: payout.reference,
        related: { payout: payout.id },
        metadata: payout.metadata,
      })),
    ),
    emitMany(
      tx,
      made.map(({ scope, payout }) => ({ scope, type: 'payout.initiated', record: payout })),
    ),
    addWaiting(
      tx,
      made.map(({ scope, rail, payout }) => ({
        scope,
        dueAt: rail.holdMs === 0 ? null : later(scope.now, rail.holdMs),
        task: submitTask,
        subject: payout.id,
        payload: { payout_id: payout.id },
      })),
    ),
  ])
}
