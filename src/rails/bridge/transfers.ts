/**
 * Bridge's transfers. Bridge finds one only by its own id, so each order stores it; if the answer
 * with it was lost, all transfers changed since are searched.
 */

import { asObject, textOf } from '../http/values.ts'
import { findOrder, keepOrder } from '../records/provider-orders.ts'
import type { Account } from './account.ts'
import type { Refused } from './client.ts'

export type Transfer = Record<string, unknown>

const perPage = 100
/** A longer list is an error. */
const mostPages = 1_000

/**
 * Lists every transfer changed after a time, each once.
 * @param urgency `ask` when an order waits for it
 * @returns null when a page failed
 */
export async function listTransfers(
  { client }: Pick<Account, 'client'>,
  from: Date,
  urgency: 'ask' | 'sweep',
  onPage: (rows: number) => void = () => {},
): Promise<Transfer[] | null> {
  const found = new Map<string, Transfer>()
  let last: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({
      method: 'GET',
      path: '/transfers',
      urgency,
      query: {
        limit: String(perPage),
        updated_after_ms: String(from.getTime()),
        ...(last === null ? {} : { starting_after: last }),
      },
    })
    const rows =
      answer.is === 'answered' && Array.isArray(answer.data.data)
        ? answer.data.data.map(asObject)
        : null
    if (rows === null) return null
    const before = found.size
    for (const row of rows) {
      const id = textOf(row?.id)
      if (row === null || id === null) return null
      found.set(id, row)
      last = id
    }
    onPage(rows.length)
    // A page without new rows means that the list does not continue as assumed.
    if (rows.length < perPage) return [...found.values()]
    if (found.size === before) return null
  }
  return null
}

/**
 * Whether Bridge does not know a transfer: by status, or, as on its page on errors of transfers, by
 * a code with 400.
 */
const isUnknownTransfer = ({ status, code }: Refused): boolean =>
  status === 404 || code === 'not_found'

/**
 * Returns the transfer of a reference; null if Bridge has none; `unknown` if it did not say.
 * @param since when the reference was created: no older transfer has it
 */
export async function transferOf(
  account: Account,
  reference: string,
  since: Date,
): Promise<Transfer | null | 'unknown'> {
  const kept = await findOrder(account, reference)
  if (kept !== null) {
    const answer = await account.client.ask({
      method: 'GET',
      path: '/transfers/{id}',
      urgency: 'ask',
      params: { id: kept },
    })
    if (answer.is === 'answered') return answer.data
    if (answer.is === 'refused' && isUnknownTransfer(answer))
      account.report(
        'quarantined',
        reference,
        'Bridge does not know a transfer any more that it has answered about',
      )
    return 'unknown'
  }
  const all = await listTransfers(account, since, 'ask')
  if (all === null) return 'unknown'
  const ours = all.filter((one) => one.client_reference_id === reference)
  if (ours.length > 1) {
    account.report('quarantined', reference, `Bridge has ${ours.length} transfers of one reference`)
    return 'unknown'
  }
  const [found] = ours
  if (found === undefined) return null
  await keepOrder(account, reference, String(found.id))
  return found
}
