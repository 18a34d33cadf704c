/**
 * Goal: what failed of a batch is paid again once, by lines with new references, and nothing that
 * was paid or canceled by a person is. Method: payouts of a batch are ended in each way; retries
 * race each other, are canceled and retried; the ledger is verified at the end.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newBusiness } from '../../../test/support/actors.ts'
import {
  type Json,
  must,
  shareServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'

const to = (n: number) => ({
  bank_code: '058',
  account_number: String(1_000_000 + n).padStart(10, '0'),
})

describe('a batch that is paid again', () => {
  let server: TestServer
  let count = 0
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  const make = (lines: object[], more: object = {}): Promise<Json> =>
    must(
      server.call('POST', '/payouts/batch', {
        reference: `again-${++count}`,
        currency: 'ngn',
        lines,
        ...more,
      }),
    )
  const read = (id: string): Promise<Json> => must(server.call('GET', `/payout-batches/${id}`))
  const linesOf = async (id: string, query = ''): Promise<Json[]> =>
    (await must(server.call('GET', `/payout-batches/${id}/lines?limit=100${query}`))).docs
  const made = (id: string): Promise<Json> =>
    until(async () => {
      const batch = await read(id)
      return batch.status === 'completed' ? batch : null
    })
  const end = (reference: string, outcome: string): Promise<Json> =>
    must(server.call('POST', `/payouts/${reference}/simulate`, { outcome }))
  const retry = (id: string, more: object = {}) =>
    server.call('POST', `/payout-batches/${id}/retry`, { reference: `retry-${++count}`, ...more })
  const confirm = (id: string) => server.call('POST', `/payout-batches/${id}/confirm`)

  /** Five lines: the second fails, the third comes back, the fourth is canceled, the last is paid. */
  async function endedBatch(): Promise<Json> {
    const { id, reference } = await make(
      [1, 2, 3, 4, 5].map((n) => ({
        amount: 20_000 + n,
        destination: { ...to(n), account_name: 'Ada Obi' },
        description: `Wage ${n}`,
        row: n + 3,
      })),
    )
    await made(id)
    await end(`${reference}-2`, 'failed')
    await end(`${reference}-3`, 'completed')
    await end(`${reference}-3`, 'returned')
    await must(server.call('POST', `/payouts/${reference}-4/cancel`))
    await end(`${reference}-5`, 'completed')
    return read(id)
  }

  it('names recipient, row and payout of each line, and which failed', async () => {
    const { id, reference, retriable } = await endedBatch()
    assert.equal(retriable, 2)
    const lines = await linesOf(id)
    assert.deepEqual(
      lines.map(({ row, payout_status }) => [row, payout_status]),
      [
        [4, 'pending'],
        [5, 'failed'],
        [6, 'returned'],
        [7, 'canceled'],
        [8, 'completed'],
      ],
    )
    const [first] = lines
    assert.equal(first?.reference, `${reference}-1`)
    assert.equal(first?.destination.bank_name, 'Guaranty Trust Bank')
    assert.equal(first?.destination.account_number, '0001000001')
    const failed = await must(server.call('GET', `/payout-batches/${id}/lines?failed=true`))
    assert.deepEqual([failed.totalDocs, failed.docs.map(({ line }: Json) => line)], [3, [2, 3, 4]])
    assert.ok(failed.docs[0].failure_reason)
    const others = await must(server.call('GET', `/payout-batches/${id}/lines?failed=false`))
    assert.equal(others.totalDocs, 2)
  })

  it('is a draft of what failed, with new references, which pays once it is confirmed', async () => {
    const { id, reference } = await endedBatch()
    const before = (await must(server.call('GET', '/payouts'))).totalDocs
    const draft = await must(retry(id))
    assert.deepEqual(
      [draft.status, draft.retry_of, draft.counts.lines, draft.amount],
      ['draft', id, 2, 40_005],
    )
    const lines = await linesOf(draft.id)
    assert.deepEqual(
      lines.map(({ reference, row, amount }) => [reference, row, amount]),
      [
        [`${draft.reference}-1`, 5, 20_002],
        [`${draft.reference}-2`, 6, 20_003],
      ],
    )
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, before)
    assert.deepEqual(
      (await linesOf(id)).map(({ retried_in }) => retried_in),
      [null, draft.id, draft.id, null, null],
    )
    assert.equal((await read(id)).retriable, 0)
    await must(confirm(draft.id))
    await made(draft.id)
    const paid = await must(server.call('GET', `/payouts/${draft.reference}-1`))
    assert.deepEqual([paid.amount, paid.description], [20_002, 'Wage 2'])
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, before + 2)
    assert.equal((await must(server.call('GET', `/payouts/${reference}-2`))).status, 'failed')
  })

  it('is not paid twice: by retries at once, after another, or of a line that another pays', async () => {
    const { id } = await endedBatch()
    const answers = await Promise.all([1, 2, 3, 4].map(() => retry(id)))
    const won = answers.filter(({ status }) => status === 201)
    assert.equal(won.length, 1)
    for (const { status, code } of answers)
      if (status !== 201) assert.deepEqual([status, code], [400, 'batch_not_retriable'])
    const draft = won[0]?.body.data
    await must(confirm(draft.id))
    await made(draft.id)
    assert.equal((await retry(id)).code, 'batch_not_retriable')
    // A retry that failed is paid again from its own batch, and from no other.
    await end(`${draft.reference}-1`, 'failed')
    assert.equal((await retry(id)).code, 'batch_not_retriable')
    const again = await must(retry(draft.id))
    assert.deepEqual([again.counts.lines, again.retry_of], [1, draft.id])
  })

  it('is not paid again where another payout has the reference of the line', async () => {
    const reference = `elsewhere-${++count}`
    const draft = await make(
      [
        { amount: 20_000, destination: to(1), reference },
        { amount: 20_000, destination: to(2) },
      ],
      { dry_run: true },
    )
    const payout = { amount: 20_000, currency: 'ngn', method: 'bank_transfer', reference }
    await must(server.call('POST', '/payouts', { ...payout, destination: to(1) }))
    await must(confirm(draft.id))
    await made(draft.id)
    const [line] = await linesOf(draft.id)
    assert.deepEqual([line?.status, line?.code], ['refused', 'duplicate_reference'])
    assert.equal(line?.retriable, false)
    assert.equal((await read(draft.id)).retriable, 0)
    const before = (await must(server.call('GET', '/payout-batches'))).totalDocs
    assert.equal((await retry(draft.id)).code, 'batch_not_retriable')
    await end(`${draft.reference}-2`, 'failed')
    assert.equal((await retry(draft.id, { lines: [1] })).code, 'batch_not_retriable')
    assert.equal((await must(server.call('GET', '/payout-batches'))).totalDocs, before)
    const again = await must(retry(draft.id))
    assert.deepEqual(
      (await linesOf(again.id)).map(({ destination }) => destination.account_number),
      [to(2).account_number],
    )
  })

  it('can be paid again where the draft was canceled, and by chosen lines', async () => {
    const { id, reference } = await endedBatch()
    const draft = await must(retry(id, { lines: [3] }))
    assert.deepEqual([draft.counts.lines, (await read(id)).retriable], [1, 1])
    assert.equal((await retry(id, { lines: [3] })).code, 'batch_not_retriable')
    assert.match((await retry(id, { lines: [2, 5] })).body.message, /^Line 5 cannot be paid again/)
    assert.equal((await retry(id, { lines: [4] })).code, 'batch_not_retriable')
    assert.equal((await retry(id, { reference })).code, 'duplicate_reference')
    assert.equal((await read(id)).retriable, 1)
    await must(server.call('POST', `/payout-batches/${draft.id}/cancel`))
    assert.equal((await read(id)).retriable, 2)
    assert.equal((await must(retry(id))).counts.lines, 2)
  })

  it('gives the same draft to a request that is sent again, and none to a stranger', async () => {
    const { id } = await endedBatch()
    const key = { 'idempotency-key': `retry-${id}` }
    const body = { reference: `once-${id}` }
    const path = `/payout-batches/${id}/retry`
    const [one, two] = [
      await must(server.call('POST', path, body, key)),
      await must(server.call('POST', path, body, key)),
    ]
    assert.equal(one.id, two.id)
    const stranger = await newBusiness(server)
    assert.equal((await stranger('POST', path, { reference: 'theirs' })).code, 'not_found')
  })

  it('is refused while the batch is not over', async () => {
    const draft = await make([{ amount: 20_000, destination: to(1) }], { dry_run: true })
    const { status, code } = await retry(draft.id)
    assert.deepEqual([status, code], [400, 'batch_not_retriable'])
    assert.equal((await read(draft.id)).retriable, 0)
  })

  it('names bad lines by their row', async () => {
    const answer = await server.call('POST', '/payouts/batch', {
      reference: `again-${++count}`,
      currency: 'ngn',
      lines: [{ amount: 20_000, destination: { bank_code: '999', account_number: '1' }, row: 17 }],
    })
    assert.equal(answer.code, 'batch_has_bad_lines')
    assert.match(answer.body.message, /: row 17: /)
    const draft = await make([{ amount: 20_000, destination: to(1), row: 'ten' }], {
      dry_run: true,
    })
    const [line] = await linesOf(draft.id)
    assert.deepEqual([line?.status, line?.field, line?.row], ['bad', 'row', null])
  })
})
