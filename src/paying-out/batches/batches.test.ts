/**
 * Goal: each line of a batch is one payout, or is named with what is wrong with it, whatever dies
 * or repeats in between. Method: the job of a batch is run by hand, alone, several at once, and
 * with the database refusing in the middle.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { most, newBusiness, noId, setStatus } from '../../../test/support/actors.ts'
import { type KeyHolder, keyWith } from '../../../test/support/approvers.ts'
import { type Json, must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { tasks } from '../../app/modules.ts'
import type { Task } from '../../core/module.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { payTask } from './batches.ts'
import { payChunk } from './paying.ts'

const to = (account_number: string | number) => ({
  bank_code: '058',
  account_number: String(account_number).padStart(10, '0'),
})
const linesOf = (n: number, amount = 20_000): Json[] =>
  Array.from({ length: n }, (_, i) => ({ amount, destination: to(1_000_000 + i) }))

describe('batches of payouts', () => {
  let server: TestServer
  let own: Task | undefined
  let manager: KeyHolder
  let count = 0
  before(async () => {
    // By hand: the server's own waits to be tried again.
    own = tasks[payTask]
    tasks[payTask] = () => Promise.reject(new Error('by hand'))
    server = await startServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
    manager = await keyWith(server, ['manage', 'read'])
  })
  after(async () => {
    tasks[payTask] = own as Task
    await server.stop()
  })

  const ask = (more: object) =>
    server.call('POST', '/payouts/batch', {
      reference: `batch-${++count}`,
      currency: 'ngn',
      ...more,
    })
  const read = (id: string): Promise<Json> => must(server.call('GET', `/payout-batches/${id}`))
  const linesIn = async (id: string, status: string): Promise<Json[]> =>
    (await must(server.call('GET', `/payout-batches/${id}/lines?limit=100&status=${status}`))).docs
  const pay = async (id: string, businessId = server.businessId): Promise<void> =>
    payChunk(outside(server.app, await scopeOf(server.app, businessId, false)), id)
  /** Runs its jobs to the end. */
  async function finish(id: string): Promise<Json> {
    for (let i = 0; i < 200; i++) {
      await pay(id)
      const batch = await read(id)
      if (batch.status !== 'running') return batch
    }
    throw new Error('the batch does not end')
  }

  it('name the three bad lines of ten thousand, and make nothing of a draft', async () => {
    const lines = linesOf(10_000, 10_000)
    lines[16] = { amount: 'ten', destination: to(17) }
    lines[4_711] = {
      amount: 10_000,
      destination: { bank_code: '999', account_number: '0123456789' },
    }
    lines[9_999] = { amount: 10_000, destination: to(1), reference: 'batch-1-3' }
    const answer = await ask({ lines, dry_run: true })
    const draft = await must(Promise.resolve(answer))
    assert.deepEqual(draft.counts, {
      lines: 10_000,
      waiting: 9_997,
      bad: 3,
      created: 0,
      refused: 0,
      canceled: 0,
    })
    assert.deepEqual(
      [draft.status, draft.amount, draft.sufficient_funds],
      ['draft', 99_970_000, true],
    )
    assert.ok(draft.fee > 0)
    assert.deepEqual(
      (await linesIn(draft.id, 'bad')).map(({ line, field, code }) => [line, field, code]),
      [
        [17, 'amount', 'validation_failed'],
        [4_712, 'destination.bank_code', 'unknown_bank'],
        [10_000, 'reference', 'duplicate_reference'],
      ],
    )
    const refused = await ask({ lines, reference: draft.reference })
    assert.deepEqual([refused.status, refused.code], [400, 'batch_has_bad_lines'])
    assert.match(
      refused.body.message,
      /^3 of 10000 lines cannot be paid: line 17: amount must be a whole number/,
    )
    const confirm = (body?: object) =>
      server.call('POST', `/payout-batches/${draft.id}/confirm`, body)
    assert.equal((await confirm()).code, 'batch_has_bad_lines')
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, 0)
    const canceled = await must(server.call('POST', `/payout-batches/${draft.id}/cancel`))
    assert.deepEqual([canceled.status, canceled.counts.canceled], ['canceled', 9_997])
    assert.equal(
      (await server.call('POST', `/payout-batches/${draft.id}/cancel`)).code,
      'batch_over',
    )
    assert.equal((await confirm({ skip_bad: true })).code, 'batch_not_draft')
  })

  it('name what is wrong with a line as a payout would be refused', async () => {
    const stranger = await newBusiness(server)
    const theirs = await must(
      stranger('POST', '/beneficiaries', {
        label: 'Theirs',
        method: 'bank_transfer',
        destination: to(1),
      }),
    )
    const wrong: [object, string | null, string][] = [
      [{ amount: 10_000, beneficiary: theirs.id }, 'beneficiary', 'beneficiary_not_found'],
      [{ amount: 1, destination: to(1) }, 'amount', 'amount_too_small'],
      [{ amount: 10_000 }, 'destination', 'validation_failed'],
      [{ destination: to(1) }, 'amount', 'validation_failed'],
      [{ amount: 10_000, destination: to(1), colour: 'red' }, 'colour', 'validation_failed'],
      [
        { amount: 10_000, destination: { bank_code: '058' } },
        'destination.account_number',
        'validation_failed',
      ],
      [
        { amount: 10_000, destination: to(1), reference: 'export' },
        'reference',
        'validation_failed',
      ],
      [
        {
          amount: 10_000,
          destination: { currency: 'usdc', chain: 'solana', address: `0x${'1'.repeat(40)}` },
        },
        'destination.chain',
        'unsupported_chain',
      ],
    ]
    const draft = await must(ask({ lines: wrong.map(([line]) => line), dry_run: true }))
    assert.deepEqual(
      (await linesIn(draft.id, 'bad')).map(({ field, code }) => [field, code]),
      wrong.map(([, field, code]) => [field, code]),
    )
    assert.equal(
      (await ask({ lines: [{}], skip_bad: true })).code,
      'batch_has_bad_lines',
      'none is left',
    )
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/lines'],
      ['POST', '/confirm'],
      ['POST', '/cancel'],
    ] as const)
      assert.equal((await stranger(method, `/payout-batches/${draft.id}${path}`)).status, 404)
    assert.equal((await server.call('GET', `/payout-batches/${noId}`)).status, 404)
    assert.equal((await ask({ lines: [] })).status, 422)
    const large = await ask({ lines: linesOf(2, most), dry_run: true })
    assert.deepEqual([large.status, large.code], [400, 'amount_too_large'])
  })

  it('are made in chunks, each line once, though a chunk dies in the middle and is begun by several at once', async () => {
    const { id, reference } = await must(ask({ lines: linesOf(250), metadata: { month: '11' } }))
    await pay(id)
    assert.deepEqual((await read(id)).counts.created, 100)
    await server.asOwner(`create function fail_line() returns trigger language plpgsql as
      $$ begin raise 'the server dies here'; end $$`)
    await server.asOwner(`create trigger fail_line before update on payout_batch_lines for each row
      when (new.line = 150) execute function fail_line()`)
    await assert.rejects(pay(id), /the server dies here/)
    assert.equal((await read(id)).counts.created, 100)
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, 100)
    await server.asOwner('drop trigger fail_line on payout_batch_lines')
    await Promise.all(Array.from({ length: 4 }, () => pay(id)))
    const batch = await finish(id)
    assert.deepEqual(
      [batch.status, batch.counts.created, batch.payouts, batch.metadata],
      ['completed', 250, { pending: 250 }, { month: '11' }],
    )
    const rows = await server.app.db.query<{ n: bigint }>(
      `select count(distinct reference) as n from payouts where reference like $1`,
      [`${reference}-%`],
    )
    assert.equal(rows[0]?.n, 250n)
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, 250)
    const [first] = await linesIn(id, 'created')
    assert.equal((await must(server.call('GET', `/payouts/${first?.reference}`))).id, first?.payout)
    assert.equal((await must(server.call('GET', `/explain/${id}`))).kind, 'payout_batch')
  })

  it('are one for one reference and one Idempotency-Key, however often they are sent', async () => {
    const body = { reference: 'twice', currency: 'ngn', lines: linesOf(2) }
    const answers = await Promise.all(
      [1, 2, 3].map(() => server.call('POST', '/payouts/batch', body)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.code, 'duplicate_reference')
    const keyed = { ...body, reference: 'keyed' }
    const headers = { 'idempotency-key': 'batch' }
    const [one, two] = [
      await server.call('POST', '/payouts/batch', keyed, headers),
      await server.call('POST', '/payouts/batch', keyed, headers),
    ]
    assert.deepEqual(one.data, two.data)
    const draft = await must(ask({ lines: linesOf(2), dry_run: true }))
    const confirms = await Promise.all(
      [1, 2].map(() => server.call('POST', `/payout-batches/${draft.id}/confirm`)),
    )
    assert.deepEqual(confirms.map(({ code }) => code ?? 'done').sort(), ['batch_not_draft', 'done'])
    await finish(draft.id)
    const listed = await must(server.call('GET', '/payout-batches?status=completed'))
    assert.equal(listed.docs[0].id, draft.id)
    const bare = [linesOf(1), linesOf(1)].map((lines) =>
      server.call('POST', '/payouts/batch', { ...body, lines }),
    )
    assert.ok((await Promise.all(bare)).every(({ code }) => code === 'duplicate_reference'))
  })

  it('refuse the lines for which the wallet has no more, and those that a bank does not know, and go on', async () => {
    const call = await newBusiness(server)
    const fund = (amount: number) =>
      must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount }))
    const rows = await server.app.db.query<{ id: string }>(
      'select id from businesses order by created_at desc limit 1',
    )
    const businessId = rows[0]?.id as string
    await fund(3_000_000)
    const body = { reference: 'poor', currency: 'ngn', lines: linesOf(150) }
    assert.equal(
      (await call('POST', '/payouts/batch', { ...body, lines: linesOf(151) })).code,
      'insufficient_funds',
    )
    const draft = await must(
      call('POST', '/payouts/batch', {
        ...body,
        reference: 'dry',
        lines: linesOf(151),
        dry_run: true,
      }),
    )
    assert.equal(draft.sufficient_funds, false)
    assert.equal(
      (await call('POST', `/payout-batches/${draft.id}/confirm`)).code,
      'insufficient_funds',
    )
    body.lines[1] = { amount: 20_000, destination: to(3) }
    const { id } = await must(call('POST', '/payouts/batch', body))
    await pay(id, businessId)
    // 99 are made; somebody else takes what 11 of the others would need.
    const other = {
      reference: 'other',
      amount: 220_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: to(9),
    }
    await must(call('POST', '/payouts', other))
    // And one of the references.
    await must(call('POST', '/payouts', { ...other, amount: 20_000, reference: 'poor-120' }))
    while ((await must(call('GET', `/payout-batches/${id}`))).status === 'running')
      await pay(id, businessId)
    const { counts } = await must(call('GET', `/payout-batches/${id}`))
    const refused = (
      await must(call('GET', `/payout-batches/${id}/lines?status=refused&limit=100`))
    ).docs
    const by = (code: string) => refused.filter((line: Json) => line.code === code).length
    assert.deepEqual(
      [by('account_not_found'), by('duplicate_reference'), by('insufficient_funds')],
      [1, 1, 10],
    )
    assert.deepEqual([counts.created, counts.refused], [138, 12])
    assert.equal(
      (await must(call('GET', '/wallets'))).find((one: Json) => one.currency === 'ngn').available,
      0,
    )
  })

  it('are held to approval and to whom keys may pay, by who has confirmed them', async () => {
    const approver = await keyWith(server, ['approve', 'read'])
    await must(
      manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 25_000 }] }),
    )
    const { id } = await must(
      ask({
        lines: [...linesOf(2), ...linesOf(1, 30_000).map((one) => ({ ...one, reference: 'big' }))],
      }),
    )
    const batch = await finish(id)
    assert.deepEqual(batch.payouts, { pending: 2, waiting: 1 })
    const big = await must(server.call('GET', '/payouts/big'))
    assert.equal(big.approval_details.made_by.type, 'key')
    assert.equal((await must(approver.call('POST', '/payouts/big/approve'))).approval, 'approved')
    await must(manager.call('PUT', '/limits', { payouts_by_key: 'beneficiaries' }))
    const listed = await must(ask({ lines: linesOf(1), dry_run: true }))
    assert.equal((await linesIn(listed.id, 'bad'))[0]?.code, 'destination_not_allowed')
    await must(manager.call('PUT', '/limits', { payouts_by_key: 'any' }))
    const meanwhile = await must(ask({ lines: linesOf(1) }))
    await must(manager.call('PUT', '/limits', { payouts_by_key: 'beneficiaries' }))
    await finish(meanwhile.id)
    assert.equal((await linesIn(meanwhile.id, 'refused'))[0]?.code, 'destination_not_allowed')
    await must(manager.call('PUT', '/limits', { payouts_by_key: 'any' }))
  })

  it('make no more once the operator stops the business: the lines that are left are refused', async () => {
    const { id } = await must(ask({ lines: linesOf(150) }))
    await pay(id)
    await setStatus(server, 'suspended')
    const { counts } = await finish(id)
    await setStatus(server, 'active')
    assert.deepEqual([counts.created, counts.refused], [100, 50])
    assert.equal((await linesIn(id, 'refused'))[0]?.code, 'business_suspended')
  })

  it('make no more once they are canceled; what was made stays', async () => {
    const { id } = await must(ask({ lines: linesOf(150) }))
    await pay(id)
    const canceled = await must(server.call('POST', `/payout-batches/${id}/cancel`))
    assert.deepEqual(
      [canceled.counts.created, canceled.counts.canceled, canceled.counts.waiting],
      [100, 50, 0],
    )
    await pay(id)
    assert.deepEqual((await read(id)).payouts, { pending: 100 })
  })
})
