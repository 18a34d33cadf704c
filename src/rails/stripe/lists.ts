/** Reads Stripe's lists page by page. */
import type { Urgency } from '../http/bucket.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Account } from './account.ts'

const perPage = 100
/** A longer list is an error. */
const mostPages = 1_000

/**
 * Returns all rows of a list, each with an id, in Stripe's order; null if a page failed or the list
 * does not end.
 */
export async function readList(
  { client }: Pick<Account, 'client'>,
  path: `/v2/${string}`,
  filter: Record<string, string>,
  urgency: Urgency,
): Promise<Record<string, unknown>[] | null> {
  const found: Record<string, unknown>[] = []
  let query: Record<string, string> = { limit: String(perPage), ...filter }
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({ method: 'GET', path, query, urgency })
    if (answer.is !== 'answered' || !Array.isArray(answer.data.data)) return null
    for (const row of answer.data.data.map(asObject)) {
      if (row === null || textOf(row.id) === null) return null
      found.push(row)
    }
    const next = textOf(answer.data.next_page_url)
    if (next === null) return found
    query = Object.fromEntries(new URL(next, 'https://api.stripe.com').searchParams)
  }
  return null
}

/** The same for API v1, newest first. */
export async function readListV1(
  { client }: Pick<Account, 'client'>,
  path: `/v1/${string}`,
  filter: Record<string, string>,
  urgency: Urgency,
): Promise<Record<string, unknown>[] | null> {
  const found: Record<string, unknown>[] = []
  let query: Record<string, string> = { limit: String(perPage), ...filter }
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({ method: 'GET', path, query, urgency })
    if (answer.is !== 'answered' || !Array.isArray(answer.data.data)) return null
    const rows = answer.data.data.map(asObject)
    if (rows.some((row) => textOf(row?.id) === null)) return null
    found.push(...rows.filter((row) => row !== null))
    const last = textOf(rows.at(-1)?.id)
    if (answer.data.has_more !== true || last === null) return found
    query = { ...query, starting_after: last }
  }
  return null
}
