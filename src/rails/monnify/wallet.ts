/** The operator's wallet at Monnify, and Monnify's amounts: naira with decimals. */
import { majorOf, minorOf } from '../../lib/money.ts'
import type { Failure } from '../http/client.ts'
import type { Account } from './account.ts'

/**
 * Converts naira, a number or text of JSON, to kobo: exact up to seventy trillion naira, beyond
 * which a JSON number cannot hold kobo. Null for no amount, or for parts of a kobo.
 */
export function nairaIn(value: unknown): bigint | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const text = String(value)
  if (!/^\d{1,15}(\.\d+)?$/.test(text)) return null
  try {
    return minorOf(text)
  } catch {
    return null
  }
}

/** Returns a JSON body with an amount that was never a float. @param amount kobo */
export const withAmount = (amount: bigint, body: object): string =>
  `{"amount":${majorOf(amount)},${JSON.stringify(body).slice(1)}`

/**
 * Returns the fee of a transfer at the published prices (2026-11): ₦10, ₦20 from ₦10,000, ₦40 from
 * ₦50,000. An account may have others.
 * @param amount kobo
 * @returns kobo
 */
export const transferFee = (amount: bigint): bigint =>
  amount < 10_000_00n ? 10_00n : amount < 50_000_00n ? 20_00n : 40_00n

/** Queries the wallet's current available balance, in kobo. */
export async function readWallet({
  client,
  wallet,
}: Pick<Account, 'client' | 'wallet'>): Promise<{ amount: bigint } | Failure> {
  const answer = await client.ask({
    method: 'GET',
    path: '/api/v2/disbursements/wallet-balance',
    urgency: 'ask',
    query: { accountNumber: wallet },
  })
  if (answer.is !== 'answered') return answer
  const amount = nairaIn(answer.data.availableBalance)
  return amount === null ? { is: 'unknown', why: 'a balance that is no amount' } : { amount }
}
