/**
 * Payments that the double of Paystack has taken, booked as what takes them would, and their
 * refunds.
 */
import assert from 'node:assert/strict'
import { recordReceipt } from '../../src/books/receipts/receipts.ts'
import * as payments from '../../src/collecting/payments/payments.ts'
import { outside, scopeOf } from '../../src/core/outside.ts'
import { newId } from '../../src/lib/ids.ts'
import { openClient } from '../../src/rails/paystack/client.ts'
import { newReference } from '../doubles/paystack/asking.ts'
import type { Double } from '../doubles/paystack.ts'
import { type Json, must } from './harness.ts'
import { minuteMs } from './paystack.ts'
import { openShop as openCardShop, type Shop } from './paystack-cards.ts'

type Transaction = ReturnType<Double['live']['books']['transaction']>
type Refund = Double['live']['books']['refunds'][number]
export type Sold = { payment: Json; transaction: Transaction }

/**
 * Cards are paid on Paystack's page; transfers come to accounts of another provider's, and are
 * booked as Paystack's.
 */
export const openShop = (more: Parameters<typeof openCardShop>[0] = {}): Promise<Shop> =>
  openCardShop({ ...more, routes: { 'bank_transfer.ngn': ['bank'] } })

/**
 * A payment that was paid at Paystack. @param account_number of who sent it, by transfer: Paystack
 * masks it
 */
export function sell(
  shop: Shop,
  method: 'card' | 'bank_transfer',
  amount = 500_000,
  account_number = 'XXXXXX6789',
): Promise<Sold> {
  return method === 'card' ? sellByCard(shop, amount) : sellByTransfer(shop, amount, account_number)
}

async function sellByCard(shop: Shop, amount: number): Promise<Sold> {
  const { payment, payer, reference } = await shop.begin({ amount })
  const transaction = shop.double.live.payer.pay(reference)
  await shop.back(payer)
  return { payment: await shop.read(payment), transaction }
}

async function sellByTransfer(shop: Shop, amount: number, account_number: string): Promise<Sold> {
  const payment = await shop.open({ amount, methods: ['bank_transfer'] })
  const { app, businessId } = shop.server
  const transaction = await transferAt(shop, newReference('tr'), amount)
  const ctx = outside(app, await scopeOf(app, businessId, true))
  await ctx.write(async (work) => {
    const locked = await payments.lock(work, payment.id)
    const id = newId(work.scope.now)
    await recordReceipt(work, {
      rail: 'paystack',
      kind: 'deposit',
      providerId: String(transaction.id),
      subject: payment.id,
      transaction: id,
      amount: BigInt(amount),
      currency: 'ngn',
      availableAt: null,
      fee: BigInt(transaction.fees as number),
    })
    const source = { account_name: 'ADA OKAFOR', bank_name: 'Guaranty Trust Bank', account_number }
    const moved = {
      transaction: id,
      method: 'bank_transfer',
      amount: BigInt(amount),
      rail: 'paystack',
    } as const
    await payments.receive(work, locked, { ...moved, source, related: {} })
  })
  return { payment: await shop.read(payment), transaction }
}

/** A transaction at Paystack, paid by transfer. */
export async function transferAt(
  { double, server }: Shop,
  reference: string,
  amount: number,
): Promise<Transaction> {
  const { clock, log } = server.app
  const reach = {
    host: double.url,
    connectMs: 1_000,
    wholeMs: 5_000,
    ...(double.ca === null ? {} : { ca: double.ca }),
  }
  const client = openClient({ reach, secretKey: double.keys.live, livemode: true, clock, log })
  const body = {
    email: 'payer@shop.example',
    amount,
    currency: 'NGN',
    reference,
    channels: ['bank_transfer'],
  }
  const answer = await client.ask({
    method: 'POST',
    path: '/transaction/initialize',
    urgency: 'send',
    body,
  })
  assert.equal(answer.is, 'answered')
  return double.live.payer.pay(reference)
}

/** Refunds a payment, and waits until that was sent, or waits. */
export async function giveBack(till: Shop, { payment }: Sold, more: object = {}): Promise<Json> {
  const refund = await must(till.live('POST', '/refunds', { payment: payment.id, ...more }))
  await till.pass(0)
  return refund
}

export const refundOf = (till: Shop, { id }: Json): Promise<Json> =>
  must(till.live('GET', `/refunds/${id}`))

/** What the double gave back of a sale. */
export const givenBack = (till: Shop, { transaction }: Sold): Refund[] =>
  till.double.live.books.refunds.filter((one) => one.transaction === transaction)

/** Has the double give back what it has taken on, and time go by, until a refund is at its end. */
export async function ended(till: Shop, sold: Sold, refund: Json): Promise<Json> {
  for (let round = 0; round < 12; round++) {
    const read = await refundOf(till, refund)
    if (read.status !== 'initiated') return read
    for (const one of givenBack(till, sold))
      if (one.status === 'pending') till.double.live.refund.process(one.id)
    await till.pass(6 * minuteMs)
  }
  throw new Error(`it never ended: ${JSON.stringify(await refundOf(till, refund))}`)
}

/** What the books say that Paystack owes, kobo. */
export async function clearing(till: Shop): Promise<number> {
  const [row] = await till.server.app.db.query<{ owed: string }>(
    `select coalesce(-sum(balance), 0)::text as owed from ledger_accounts
      where livemode and purpose = 'rail_clearing' and subject = 'paystack'`,
  )
  return Number(row?.owed)
}
