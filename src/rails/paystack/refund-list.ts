/** Reads the refunds of a transaction from Paystack: which are ours, and the refunded total. */
import type { Account } from './account.ts'
import { asObject, type Call, wholeOf } from './client.ts'

type Data = Record<string, unknown>

/** A bound above the refunds of one transaction, so that an endless list stops. */
const mostPages = 20
const perPage = 100

/**
 * The note by which a refund is found; Paystack returns it as sent (nanafox/paystack_sdk, test API
 * of 2026-10-09). Text around it is ignored. If Paystack loses it, a person checks refunds whose
 * answer was lost.
 */
export const noteOf = (id: string, attempt: number): string =>
  `bursar ${id}${attempt > 1 ? `-${attempt}` : ''}`

/** The refund in a note, or null if it has none of ours. */
export const noteIn = ({ merchant_note: note }: Data): string | null =>
  (typeof note === 'string' && /\bbursar ([0-9a-f]{24})(-\d+)?\b/.exec(note)?.[1]) || null

/** The transaction of a refund: an object in one answer, only its id in the others. */
export const transactionIn = ({ transaction }: Data): string | null =>
  wholeOf(asObject(transaction)?.id ?? transaction)?.toString() ?? null

/**
 * Reads all refunds of a transaction, or null if a page failed. The list is filtered by id, because
 * by reference it finds none; refunds of other transactions are dropped.
 */
export async function refundsOf(
  { client }: Pick<Account, 'client'>,
  transaction: string,
): Promise<Data[] | null> {
  const all: Data[] = []
  for (let page = 1; page <= mostPages; page++) {
    const question = { method: 'GET', path: '/refund', urgency: 'ask' } satisfies Call
    const answer = await client.ask({
      ...question,
      query: { transaction, perPage: String(perPage), page: String(page) },
    })
    if (answer.is !== 'answered' || !Array.isArray(answer.data)) return null
    const rows = answer.data.map(asObject)
    for (const row of rows) if (row !== null && transactionIn(row) === transaction) all.push(row)
    if (rows.length < perPage) return all
  }
  return null
}

/**
 * Returns the unrefunded rest of a paid transaction, in kobo; null if Paystack does not say. A
 * transaction with a small refund has been listed as `reversed` (airbytehq/airbyte, a test account
 * of 2023-03), so only its refunds tell the amount; without any, the whole was returned another
 * way.
 */
export async function leftOf(account: Pick<Account, 'client'>, row: Data): Promise<bigint | null> {
  const [id, amount] = [wholeOf(row.id), wholeOf(row.amount)]
  const refunds = id === null ? null : await refundsOf(account, String(id))
  if (refunds === null || amount === null) return null
  const back = refunds
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, refund) => sum + (wholeOf(refund.amount) ?? 0n), 0n)
  return back >= amount || (back === 0n && row.status === 'reversed') ? 0n : amount - back
}
