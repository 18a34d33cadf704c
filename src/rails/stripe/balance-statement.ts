/**
 * Movements of the balance of an account that takes money at Stripe, from its balance transactions
 * (API v1): card and cash balance payments, refunds, disputes, and transfers to the operator's
 * bank. https://docs.stripe.com/reports/balance-transaction-types
 */
import type { Stripe } from 'stripe'
import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { Dispute, Movement, ProviderStatement, StatementRail } from '../ports/statement.ts'
import type { Account } from './account.ts'
import { isWaiting } from './disputes.ts'
import { readListV1 } from './lists.ts'
import { isUnknown } from './unconfirmed.ts'

type Row = Record<string, unknown>
type Change = Movement['kind'] | 'to_bank' | 'top_up'

/**
 * Balance changes by type; types not listed, such as a dispute or Stripe's own fee, are neither.
 */
const changes: Record<string, Change> = {
  charge: 'payment',
  payment: 'payment',
  refund: 'refund',
  payment_refund: 'refund',
  refund_failure: 'refund',
  payment_failure_refund: 'refund',
  payout: 'to_bank',
  payout_failure: 'top_up',
  payout_cancel: 'top_up',
  topup: 'top_up',
} satisfies Partial<Record<Stripe.BalanceTransaction.Type, Change>>

const refundStates: Record<string, Movement['state']> = {
  pending: 'open',
  requires_action: 'open',
  succeeded: 'done',
  failed: 'ended',
  canceled: 'ended',
}

const disputeStates: Record<string, Dispute['state']> = {
  warning_needs_response: 'open',
  warning_under_review: 'open',
  needs_response: 'open',
  under_review: 'open',
  appeal_needs_response: 'open',
  appeal_under_review: 'open',
  lost: 'lost',
  // An inquiry that was closed has taken nothing.
  won: 'won',
  warning_closed: 'won',
  prevented: 'won',
} satisfies Partial<Record<Stripe.Dispute.Status, Dispute['state']>>

const seconds = (at: Date): string => String(Math.floor(at.getTime() / 1_000))

export function balanceStatement(account: Account): StatementRail {
  return {
    dispute: (id) => disputeOf(account, id),
    payment: (id) => paymentAt(account, id),
    async read(from, onRead = () => {}) {
      const query = { 'created[gte]': seconds(from), 'expand[0]': 'data.source' }
      const listed = await readListV1(account, '/v1/balance_transactions', query, 'sweep')
      if (listed === null) throw new Error('Stripe did not list all of /v1/balance_transactions')
      onRead(listed.length)
      const rows = listed
        .filter(({ currency }) => currency === 'usd')
        .map((row) => ({ row, change: changeOf(row) }))
      const of = (change: Change | null): Row[] =>
        rows.filter((one) => one.change === change).map(({ row }) => row)
      const refunds = Map.groupBy(
        of('refund'),
        (row) => textOf(asObject(row.source)?.id) ?? fail(row, 'source'),
      )
      return {
        currency: 'usd',
        movements: [...of('payment').map(paymentOf), ...[...refunds.values()].map(refundOf)],
        settlements: of('to_bank').map((row) => ({
          providerId: textOf(asObject(row.source)?.id) ?? idIn(row),
          amount: -wholeIn(row, 'net'),
          to: 'bank' as const,
          at: timeIn(row),
          payments: [],
        })),
        topUps: of('top_up').map((row) => ({
          providerId: idIn(row),
          amount: wholeIn(row, 'net'),
          at: timeIn(row),
        })),
        others: of(null)
          .filter((row) => wholeIn(row, 'net') !== 0n)
          .map((row) => ({
            providerId: idIn(row),
            amount: wholeIn(row, 'net'),
            at: timeIn(row),
            what: textOf(row.reporting_category) ?? String(row.type),
            of: textOf(asObject(row.source)?.id),
          })),
        ...(await readBalance(account)),
      } satisfies ProviderStatement
    },
  }
}

/** Money from outside that is no payment is never negative. */
function changeOf(row: Row): Change | null {
  const change = changes[String(row.type)] ?? null
  return change === 'top_up' && wholeIn(row, 'net') <= 0n ? null : change
}

function fail(row: Row, name: string): never {
  throw new Error(`Stripe lists ${String(row.id ?? 'a row')} without a readable ${name}`)
}
const wholeIn = (row: Row, name: string): bigint => wholeOf(row[name]) ?? fail(row, name)
const idIn = (row: Row): string => textOf(row.id) ?? fail(row, 'id')
const timeIn = (row: Row): Date => new Date(Number(wholeIn(row, 'created')) * 1_000)

/** Its source is the charge, which names the payment. */
function paymentOf(row: Row): Movement {
  const charge = asObject(row.source) ?? fail(row, 'source')
  return {
    kind: 'payment',
    state: 'done',
    providerId: textOf(charge.payment_intent) ?? idIn(charge),
    reference: textOf(asObject(charge.metadata)?.bursar_id),
    amount: wholeIn(row, 'amount'),
    fee: wholeIn(row, 'fee'),
    effect: wholeIn(row, 'net'),
    at: timeIn(row),
  }
}

/** A refund's debit, and its credit if it failed. @param rows of one refund */
function refundOf(rows: Row[]): Movement {
  const refund = asObject(rows[0]?.source) as Row
  return {
    kind: 'refund',
    state: refundStates[String(refund.status)] ?? fail(refund, 'status'),
    providerId: idIn(refund),
    reference: textOf(asObject(refund.metadata)?.bursar_id),
    amount: wholeIn(refund, 'amount'),
    fee: rows.reduce((sum, row) => sum + wholeIn(row, 'fee'), 0n),
    effect: rows.reduce((sum, row) => sum + wholeIn(row, 'net'), 0n),
    at: new Date(Math.max(...rows.map((row) => timeIn(row).getTime()))),
  }
}

/** Returns the current and pending dollars. */
async function readBalance({
  client,
}: Account): Promise<Pick<ProviderStatement, 'available' | 'unsettled'>> {
  const answer = await client.ask({ method: 'GET', path: '/v1/balance', urgency: 'sweep' })
  if (answer.is !== 'answered')
    throw new Error(`Stripe could not be asked for the balance (${answer.is})`)
  const sumOf = (name: 'available' | 'pending'): bigint => {
    const all = answer.data[name]
    if (!Array.isArray(all)) return fail(answer.data, name)
    const dollars = all.map(asObject).filter((one) => one?.currency === 'usd')
    return dollars.reduce((sum, one) => sum + wholeIn(one as Row, 'amount'), 0n)
  }
  return { available: sumOf('available'), unsettled: sumOf('pending') }
}

async function disputeOf({ client, livemode }: Account, id: string): Promise<Dispute | null> {
  const answer = await client.ask({
    method: 'GET',
    path: '/v1/disputes/{id}',
    params: { id },
    urgency: 'ask',
  })
  if (answer.is !== 'answered') return null
  const { data } = answer
  const [payment, amount, state] = [
    textOf(data.payment_intent),
    wholeOf(data.amount),
    disputeStates[String(data.status)],
  ]
  if (data.id !== id || data.livemode !== livemode || data.currency !== 'usd') return null
  if (payment === null || amount === null || state === undefined) return null
  const due = wholeOf(asObject(data.evidence_details)?.due_by)
  return {
    payment,
    reference: textOf(asObject(data.metadata)?.bursar_id),
    amount,
    currency: 'usd',
    state,
    reason: textOf(data.reason),
    dueAt: due === null ? null : new Date(Number(due) * 1_000),
    isWaiting: isWaiting(data.status),
  }
}

const expanded = { 'expand[0]': 'latest_charge.balance_transaction' }

async function paymentAt({ client, livemode }: Account, id: string) {
  const path = '/v1/payment_intents/{id}'
  const answer = await client.ask({
    method: 'GET',
    path,
    params: { id },
    query: expanded,
    urgency: 'ask',
  })
  if (answer.is === 'refused' && isUnknown(answer)) return null
  if (answer.is !== 'answered')
    throw new Error(`Stripe could not be asked for the payment (${answer.is})`)
  const { data } = answer
  if (data.id !== id || data.livemode !== livemode || data.currency !== 'usd') return null
  const charge = asObject(data.latest_charge)
  const change = asObject(charge?.balance_transaction)
  const paid = data.status === 'succeeded' && charge !== null && change !== null
  const movement: Movement = paid
    ? paymentOf({ ...change, source: { ...charge, payment_intent: id } })
    : {
        kind: 'payment',
        state: 'open',
        providerId: id,
        reference: null,
        amount: wholeIn(data, 'amount'),
        fee: null,
        effect: 0n,
        at: timeIn(data),
      }
  return { movement, currency: 'usd' as const, givenBack: charge?.refunded === true }
}
