/** Reads Monnify's lists page by page. */
import { asObject } from '../http/values.ts'
import type { Account } from './account.ts'

const perPage = 100
const mostPages = 1_000

/**
 * Returns all rows of a list.
 * @param names the list's names for its pages
 * @param refused the result when Monnify does not know the list. Default: throws
 * @throws {Error} a sentence, when a page failed
 */
export async function readList(
  { client }: Pick<Account, 'client'>,
  path: `/${string}`,
  query: Record<string, string>,
  names: { page: string; size: string } = { page: 'pageNo', size: 'pageSize' },
  refused: Record<string, unknown>[] | null = null,
): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = []
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({
      method: 'GET',
      path,
      urgency: 'sweep',
      query: { ...query, [names.page]: String(page), [names.size]: String(perPage) },
    })
    if (answer.is === 'refused' && refused !== null) return refused
    const content =
      answer.is === 'answered' && Array.isArray(answer.data.content) ? answer.data.content : null
    if (content === null) throw new Error(`Monnify did not list all of ${path} (${answer.is})`)
    found.push(...content.map((row) => asObject(row) ?? {}))
    if (content.length < perPage) return found
  }
  throw new Error(`Monnify’s list ${path} does not end`)
}

/** Lists the payments of a settlement; none if Monnify does not know its reference. */
export const listSettled = (
  account: Pick<Account, 'client'>,
  reference: string,
): Promise<Record<string, unknown>[]> =>
  readList(
    account,
    '/api/v1/transactions/find-by-settlement-reference',
    { reference },
    { page: 'page', size: 'size' },
    [],
  )
