/**
 * What Paystack keeps, kobo. From its public price list for Nigeria; stamp duty on transfers since
 * 2026 is from a third party [U].
 */
import type { Channel } from './books.ts'

const naira = (amount: number): number => amount * 100

/**
 * The fee on a payment: 1.5 % and 100 naira, the latter from 2,500 naira up, at most 2,000 naira;
 * to a dedicated account 1 %, at most 300 naira.
 */
export function paymentFee(amount: number, channel: Channel): number {
  if (channel === 'dedicated_nuban') return Math.min(Math.ceil(amount / 100), naira(300))
  const flat = amount < naira(2_500) ? 0 : naira(100)
  return Math.min(Math.ceil((amount * 15) / 1_000) + flat, naira(2_000))
}

/**
 * The fee that a payer bears, so that what is asked for is left when Paystack has taken its fee on
 * all of it.
 */
export function feeOnTop(requested: number, channel: Channel): number {
  let fee = paymentFee(requested, channel)
  while (paymentFee(requested + fee, channel) > fee) fee = paymentFee(requested + fee, channel)
  return fee
}

/** The fee on a transfer, with the stamp duty of 50 naira from 10,000 naira up. */
export function transferFee(amount: number): number {
  const fee = amount <= naira(5_000) ? naira(10) : amount <= naira(50_000) ? naira(25) : naira(50)
  return fee + stampDuty(amount)
}

export const stampDuty = (amount: number): number => (amount >= naira(10_000) ? naira(50) : 0)
