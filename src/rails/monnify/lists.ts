/** Monnify's lists, page by page. */
import { asObject } from '../http/values.ts'
import type { Account } from './account.ts'

const perPage = 100
const mostPages = 1_000

/**
 * Every row of a list.
 * @param names what the list calls its pages
 * @param refused what it comes to when Monnify knows of no such list. Default: that it throws
 * @throws {Error} a sentence, when a page did not come
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

/** The payments of a settlement; none where Monnify knows no settlement of this reference. */
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
