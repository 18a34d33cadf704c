/**
 * Payments that the double of Paystack has taken, booked as what takes them would, and their refunds.
 */
import { recordReceipt } from '../src/books/receipts/receipts.ts'
import * as payments from '../src/collecting/payments/payments.ts'
import { outside, scopeOf } from '../src/core/outside.ts'
import { newId } from '../src/lib/ids.ts'
import { askerOf, dataOf } from './doubles/paystack/asking.ts'
import type { Double } from './doubles/paystack.ts'
import { type Json, must } from './harness.ts'
import { minuteMs, openTill, type Till } from './paystack.ts'

type Transaction = ReturnType<Double['live']['books']['transaction']>
type Refund = Double['live']['books']['refunds'][number]
export type Sold = { payment: Json; transaction: Transaction }

/** Live payments by card and by transfer are taken. */
export const openShop = (more: Parameters<typeof openTill>[0] = {}): Promise<Till> =>
  openTill({ ...more, routes: { 'card.ngn': ['bank'], 'bank_transfer.ngn': ['bank'] } })

/** A payment that was paid at Paystack. */
export async function sell(till: Till, method: 'card' | 'bank_transfer', amount = 500_000): Promise<Sold> {
  const payment = await must(till.live('POST', '/payments', { amount, currency: 'ngn' }))
  const channels = [method]
  const { reference } = dataOf(await askerOf(till.double).initialize(amount, { channels }))
  const transaction = till.double.live.payer.pay(reference)
  const { app, businessId } = till.server
  const ctx = outside(app, await scopeOf(app, businessId, true))
  const attempt = newId(ctx.scope.now)
  const taken = await ctx.write(async (work) => {
    const locked = await payments.lock(work, payment.id)
    const id = newId(work.scope.now)
    await recordReceipt(work, {
      ...({ rail: 'paystack', kind: 'charge', providerId: String(transaction.id), subject: payment.id } as const),
      ...({ transaction: id, amount: BigInt(amount), currency: 'ngn', availableAt: null } as const),
      fee: BigInt(transaction.fees as number),
    })
    const source =
      method === 'card'
        ? { brand: 'visa', last4: '4081' }
        : { account_name: 'ADA OKAFOR', bank_name: 'Guaranty Trust Bank', account_number: 'XXXXXX6789' }
    const related: Record<string, string> = method === 'card' ? { card_try: attempt } : {}
    const receipt = { transaction: id, method, amount: BigInt(amount), rail: 'paystack', source, related }
    return payments.receive(work, locked, receipt)
  })
  if (method === 'card')
    await app.db.query(
      `insert into payment_attempts (business_id, livemode, id, payment_id, status, rail, amount, brand, last4, provider_reference,
                                     transaction_id, created_at, updated_at)
       values ($1, true, $2, $3, 'succeeded', 'paystack', $4, 'visa', '4081', $5, $6, now(), now())`,
      [businessId, attempt, payment.id, amount, String(transaction.id), taken.id],
    )
  return { payment: await must(till.live('GET', `/payments/${payment.id}`)), transaction }
}

/** Refunds a payment, and waits until that was sent, or waits. */
export async function giveBack(till: Till, { payment }: Sold, more: object = {}): Promise<Json> {
  const refund = await must(till.live('POST', '/refunds', { payment: payment.id, ...more }))
  await till.pass(0)
  return refund
}

export const refundOf = (till: Till, { id }: Json): Promise<Json> => must(till.live('GET', `/refunds/${id}`))

/** What the double gave back of a sale. */
export const givenBack = (till: Till, { transaction }: Sold): Refund[] =>
  till.double.live.books.refunds.filter((one) => one.transaction === transaction)

/** Has the double give back what it has taken on, and time go by, until a refund is at its end. */
export async function ended(till: Till, sold: Sold, refund: Json): Promise<Json> {
  for (let round = 0; round < 12; round++) {
    const read = await refundOf(till, refund)
    if (read.status !== 'initiated') return read
    for (const one of givenBack(till, sold)) if (one.status === 'pending') till.double.live.refund.process(one.id)
    await till.pass(6 * minuteMs)
  }
  throw new Error(`it never ended: ${JSON.stringify(await refundOf(till, refund))}`)
}

/** What the books say that Paystack owes, kobo. */
export async function clearing(till: Till): Promise<number> {
  const [row] = await till.server.app.db.query<{ owed: string }>(
    `select coalesce(-sum(balance), 0)::text as owed from ledger_accounts
      where livemode and purpose = 'rail_clearing' and subject = 'paystack'`,
  )
  return Number(row?.owed)
}
