/**
 * Goal: the sweep finds payments that no webhook told of, however Paystack takes its filters.
 * Method: lists that are given.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Account } from './account.ts'
import type { Answer } from './client.ts'
import { missed } from './deposits.ts'

const now = new Date('2026-11-29T12:00:00Z')
const row = (status: string, id: number) => ({
  id,
  status,
  reference: `r-${id}`,
  channel: 'dedicated_nuban',
  paid_at: now.toISOString(),
  created_at: now.toISOString(),
  currency: 'NGN',
  domain: 'live',
  amount: 100,
  customer: { customer_code: 'CUS_1' },
  authorization: {},
})
const listed = (data: object[]): Answer => ({ is: 'answered', data, meta: null })
const refused: Answer = { is: 'refused', status: 400, code: 'invalid_params', message: 'status' }

async function found(answer: (query: Record<string, string>) => Answer): Promise<number | null> {
  const client = { ask: async ({ query }: { query: Record<string, string> }) => answer(query) }
  const log = { info() {}, warn() {}, error() {} }
  const account = { name: 'paystack', livemode: true, log, client } as unknown as Account
  return (await missed(account, new Date('2026-11-29T11:45:00Z'), now))?.length ?? null
}

describe('payments that no webhook told of', () => {
  it('are found', async () => {
    assert.equal(
      await found(({ status }) => listed(status === 'success' ? [row('success', 1)] : [])),
      1,
    )
  })

  it('are found where the filter `reversed` is refused', async () => {
    assert.equal(
      await found(({ status }) => (status === 'success' ? listed([row('success', 1)]) : refused)),
      1,
    )
  })

  it('are not known where the filter `success` is refused', async () => {
    assert.equal(await found(() => refused), null)
  })

  it('are found behind a page of others where the filter is ignored', async () => {
    const first = Array.from({ length: 100 }, (_, n) => row('abandoned', 1_000 - n))
    assert.equal(
      await found(({ page }) =>
        listed(page === '1' ? first : page === '2' ? [row('success', 1)] : []),
      ),
      1,
    )
  })
})
