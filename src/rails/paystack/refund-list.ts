/**
 * The refunds of a transaction, as Paystack lists them: which of them are ours, and how much went
 * back in all.
 */
import type { Account } from './account.ts'
import { asObject, type Call, wholeOf } from './client.ts'

type Data = Record<string, unknown>

/** More pages than a transaction can have refunds: what goes on and on says nothing. */
const mostPages = 20
const perPage = 100

/**
 * The note of a refund, by which it is found: it comes back as it was sent (nanafox/paystack_sdk,
 * test API of 2026-10-09). What surrounds ours is overlooked. Where it does not come back, a refund
 * whose answer was lost is for a person to look at.
 */
export const noteOf = (id: string, attempt: number): string =>
  `bursar ${id}${attempt > 1 ? `-${attempt}` : ''}`

/** Whose refund it is by its note, or null when it has none of ours. */
export const noteIn = ({ merchant_note: note }: Data): string | null =>
  (typeof note === 'string' && /\bbursar ([0-9a-f]{24})(-\d+)?\b/.exec(note)?.[1]) || null

/** The transaction that a refund is of: an object in one answer, its id alone in the others. */
export const transactionIn = ({ transaction }: Data): string | null =>
  wholeOf(asObject(transaction)?.id ?? transaction)?.toString() ?? null

/**
 * Reads all refunds of a transaction, or null when a page did not come. The list is asked for by
 * number, as by reference it finds none; what it has of other transactions is left out.
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
 * What is left of a paid transaction, in kobo; null when Paystack does not say. One of which a
 * small part went back has been listed as `reversed` (airbytehq/airbyte, a test account of
 * 2023-03), so the refunds alone say how much did; without any, it went another way, and whole.
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
