/**
 * Goal: a provider's movement and its fee are booked once, whoever reports it and however many at
 * once. Method: the module's functions on a server's database, with an account at a provider in its
 * books.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { verifyBooks } from '../../app/main.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { newId } from '../../lib/ids.ts'
import { post } from '../ledger/ledger.ts'
import { recordTransaction } from '../transactions/transactions.ts'
import { feePostings, type Receipt, recordReceipt, recordReceipts, settleFee } from './receipts.ts'

describe('receipts of a provider', () => {
  let server: TestServer
  let ctx: Ctx
  before(async () => {
    server = await startServer()
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    await server.app.db.query(`insert into rail_accounts values (true, 'acme', 'testpay', $1)`, [
      new Date(),
    ])
    ctx = outside(server.app, await scopeOf(server.app, server.businessId, true))
  })
  after(() => server.stop())

  let last = 0
  const receipt = (more: Partial<Receipt> = {}): Receipt => ({
    rail: 'acme',
    kind: 'deposit',
    providerId: String(++last),
    subject: newId(ctx.scope.now),
    transaction: newId(ctx.scope.now),
    amount: 1_000n,
    fee: 15n,
    currency: 'ngn',
    availableAt: null,
    ...more,
  })
  /** Books a deposit as modules do. */
  const book = (of: Receipt): Promise<boolean> =>
    ctx.write(async (work) => {
      if (!(await recordReceipt(work, of))) return false
      const { amount, rail, subject, transaction } = of
      const debit = { purpose: 'rail_clearing', currency: 'ngn', subject: rail } as const
      const credit = { purpose: 'wallet_available', currency: 'ngn' } as const
      const after = await post(work, [
        { debit, credit, amount, kind: 'deposit', subject, transaction },
      ])
      await recordTransaction(work, {
        id: transaction,
        type: 'deposit',
        method: 'bank_transfer',
        direction: 'credit',
        status: 'completed',
        currency: 'ngn',
        amount,
        fee: 0n,
        balanceAfter: after(credit),
        reference: null,
        related: {},
        metadata: {},
      })
      return true
    })
  const holds = async (purpose: string): Promise<bigint> => {
    const [row] = await server.app.db.query<{ balance: bigint }>(
      `select balance from ledger_accounts where business_id = $1 and livemode and purpose = $2 and currency = 'ngn' and subject in ('', 'acme')`,
      [server.businessId, purpose],
    )
    return row?.balance ?? 0n
  }
  /** Returns the changes of the wallet, of the provider's fees and of its debt. */
  const changes = async (work: () => Promise<unknown>): Promise<bigint[]> => {
    const purposes = ['wallet_available', 'rail_fees', 'rail_clearing']
    const before = await Promise.all(purposes.map(holds))
    await work()
    return Promise.all(
      purposes.map(async (purpose, i) => (await holds(purpose)) - (before[i] as bigint)),
    )
  }

  it('book a movement and what the provider keeps for it', async () => {
    assert.deepEqual(await changes(() => book(receipt())), [1_000n, -15n, -985n])
  })

  it('book it once, however many notice it at the same time, and under whichever name', async () => {
    const one = receipt()
    const told = () =>
      book({ ...one, subject: newId(ctx.scope.now), transaction: newId(ctx.scope.now) })
    const all = await Promise.all([book(one), ...Array.from({ length: 9 }, told)])
    assert.equal(all.filter(Boolean).length, 1)
    assert.equal(await book(receipt({ providerId: one.providerId, kind: 'charge' })), false)
  })

  it('keep apart what left and what came back of it, and other accounts', async () => {
    const one = receipt({ kind: 'payout', fee: null })
    for (const more of [{}, { kind: 'payout_return' }, { kind: 'refund' }] as const)
      assert.equal(await book({ ...one, ...more, transaction: newId(ctx.scope.now) }), true)
  })

  it('post a fee that is said later, once, and one that is given back', async () => {
    const one = receipt({ fee: null })
    assert.deepEqual(await changes(() => book(one)), [1_000n, 0n, -1_000n])
    const settle = (fee: bigint) => ctx.write((work) => settleFee(work, { ...one, fee }))
    const said = await changes(async () => {
      const all = await Promise.all([settle(20n), settle(20n), settle(20n)])
      assert.equal(all.filter(Boolean).length, 1)
    })
    assert.deepEqual(said, [0n, -20n, 20n])
    assert.equal(await settle(0n), false)
    assert.deepEqual(await changes(() => book(receipt({ fee: -7n }))), [1_000n, 7n, -1_007n])
  })

  it('are many at once, for the books of a caller of its own', async () => {
    const scope = ctx.scope
    const [one, other] = [receipt({ fee: null }), receipt({ fee: 0n })]
    await book(other)
    const recorded = await ctx.write(({ tx }) =>
      recordReceipts(
        tx,
        [one, one, other, { ...one, rail: 'sandbox' }].map((each) => ({ ...each, scope })),
      ),
    )
    assert.deepEqual(recorded, [true, false, false, true])
    assert.deepEqual(
      [feePostings(one), feePostings(other), feePostings({ ...one, rail: 'evm', fee: 5n })],
      [[], [], []],
    )
    assert.deepEqual(
      feePostings({ ...one, fee: 5n }).map(({ amount, kind }) => [amount, kind]),
      [[5n, 'rail_fee']],
    )
    await server.app.db.query('delete from provider_receipts where transaction_id = $1', [
      one.transaction,
    ])
  })

  it('do not deadlock with what moves the same accounts without one', async () => {
    const without = () =>
      ctx.write((work) => {
        const debit = { purpose: 'rail_clearing', currency: 'ngn', subject: 'acme' } as const
        const credit = { purpose: 'wallet_available', currency: 'ngn' } as const
        const of = {
          debit,
          credit,
          amount: 1n,
          subject: newId(work.scope.now),
          transaction: newId(work.scope.now),
        }
        return post(work, [{ ...of, kind: 'deposit' }]).then(() =>
          post(work, [{ ...of, debit: credit, credit: debit, kind: 'deposit' }]),
        )
      })
    await Promise.all(Array.from({ length: 60 }, (_, i) => (i % 2 ? without() : book(receipt()))))
  })

  it('are found out when their fee or their transaction is missing', async () => {
    const { db } = server.app
    await db.query(
      `update provider_receipts set fee = fee + 1 where fee = 15 and provider_id = '1'`,
    )
    await db.query(
      `insert into provider_receipts values ($1, true, 'acme', 'deposit', 'lost', $2, $2, 'ngn', 5, 0, null, null, null, $3)`,
      [server.businessId, newId(ctx.scope.now), new Date()],
    )
    const { differences } = await verifyBooks(server.app)
    assert.deepEqual(
      differences.map(({ check }) => check),
      ['every receipt of a provider has its transaction', 'every fee of a provider is posted once'],
    )
  })
})

describe('the operator’s business', () => {
  it('can have no key and no wallet, and nobody is shown it', async (t) => {
    const server = await startServer()
    t.after(() => server.stop())
    const id = '000000000000000000000001'
    const refused = { code: '23514' }
    await assert.rejects(
      server.app.db.query(
        `insert into api_keys (business_id, livemode, id, key_hash, hint, name, allow_ips, scopes, created_at)
         select $1, livemode, $2, '\\x00', hint, name, allow_ips, scopes, created_at from api_keys limit 1`,
        [id, newId(new Date())],
      ),
      refused,
    )
    await assert.rejects(
      server.app.db.query(`insert into test_clocks (business_id, offset_ms) values ($1, 0)`, [id]),
      refused,
    )
    const { listBusinesses } = await import('../businesses/businesses.ts')
    assert.deepEqual(
      (await listBusinesses(server.app)).map((one) => one.id),
      [server.businessId],
    )
  })
})
