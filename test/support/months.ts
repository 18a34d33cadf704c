/**
 * Months in which money of every kind has moved, for tests of what is said of a period.
 */
import type { Merchant } from './actors.ts'
import { bankPayout, settled, type TestServer } from './harness.ts'

/** The month that it is in test mode, as `2026-11`. */
export const thisMonth = async (merchant: Merchant): Promise<string> =>
  new Date(await merchant.now()).toISOString().slice(0, 7)

/**
 * Moves money in and out of every kind in each of so many months, which the test clock brings.
 * @param more what else happens in each
 * @returns the months, from the first; references of payouts end in their numbers, from 1
 */
export async function tradeMonths(
  server: TestServer,
  merchant: Merchant,
  count: number,
  more: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const months: string[] = []
  for (let n = 1; n <= count; n++) {
    if (n > 1) await merchant.advance('31d')
    months.push(await thisMonth(merchant))
    await server.fund('ngn', 5_000_000)
    await server.fund('usd', 100_000)
    const paid = await merchant.takePayment('card', { amount: 250_000 })
    await merchant.takePayment('bank_transfer', { amount: 90_000 })
    await more()
    await merchant.refundEnded((await merchant.refund(paid, { amount: 50_000 })).data)
    await merchant.payOut(bankPayout(`done-${n}`, 300_000))
    await merchant.payoutEnded(`done-${n}`)
    const failing = { destination: { bank_code: '058', account_number: '0000000001' } }
    await merchant.payOut(bankPayout(`fails-${n}`, 40_000, failing))
    await merchant.payoutEnded(`fails-${n}`)
    await settled(server.app)
  }
  return months
}
