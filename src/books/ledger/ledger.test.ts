import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { inFreshWorlds } from '../../../test/support/runs.ts'
import { verifyBooks } from '../../app/main.ts'
import type { Scope } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type AccountKey, Overdraft, type Posting, post } from './ledger.ts'

describe('the ledger', () => {
  let server: TestServer
  let scope: Scope
  let ctx: Ctx
  const open = async (): Promise<void> => {
    server = await startServer()
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
    ctx = outside(server.app, scope)
  }
  before(open)
  after(() => server.stop())

  const accounts: AccountKey[] = [
    { purpose: 'wallet_available', currency: 'ngn' },
    { purpose: 'wallet_pending', currency: 'ngn' },
    { purpose: 'fees', currency: 'ngn' },
    { purpose: 'rail_clearing', currency: 'ngn', subject: 'sandbox' },
    { purpose: 'exchange', currency: 'ngn' },
  ]
  const overdraft = (key: AccountKey): boolean =>
    key.purpose === 'rail_clearing' || key.purpose === 'exchange'
  const posting = (debit: AccountKey, credit: AccountKey, amount: bigint): Posting => ({
    debit,
    credit,
    amount,
    kind: 'simulated_fund',
    subject: newId(scope.now),
    transaction: newId(scope.now),
  })
  const balances = async (): Promise<bigint[]> => {
    const rows = await server.app.db.query<{ purpose: string; balance: bigint }>(
      `select purpose, balance from ledger_accounts where business_id = $1 and not livemode and currency = 'ngn' and subject in ('', 'sandbox')`,
      [scope.businessId],
    )
    return accounts.map((key) => rows.find((row) => row.purpose === key.purpose)?.balance ?? 0n)
  }

  it('does what a model of it does, for any batches', async () => {
    const move = fc
      .record({ debit: fc.nat(4), credit: fc.nat(4), amount: fc.bigInt(1n, 1_000n) })
      .filter(({ debit, credit }) => debit !== credit)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(move, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
        inFreshWorlds(
          () => server.stop().then(open, open),
          async (batches) => {
            const model = await balances()
            for (const batch of batches) {
              const next = [...model]
              for (const { debit, credit, amount } of batch) {
                next[debit] = (next[debit] as bigint) - amount
                next[credit] = (next[credit] as bigint) + amount
              }
              const fine = next.every(
                (balance, i) => balance >= 0n || overdraft(accounts[i] as AccountKey),
              )
              const posted = ctx.write((work) =>
                post(
                  work,
                  batch.map((m) =>
                    posting(
                      accounts[m.debit] as AccountKey,
                      accounts[m.credit] as AccountKey,
                      m.amount,
                    ),
                  ),
                ),
              )
              if (fine) {
                const after = await posted
                for (const i of new Set(batch.flatMap((m) => [m.debit, m.credit])))
                  assert.equal(after(accounts[i] as AccountKey), next[i])
                model.splice(0, model.length, ...next)
              } else await assert.rejects(posted, Overdraft)
            }
            assert.deepEqual(await balances(), model)
          },
        ),
      ),
      { numRuns: 40 },
    )
    const { differences } = await verifyBooks(server.app)
    assert.ok(
      differences.every(
        (difference) =>
          !difference.check.includes('balance is the sum') &&
          !difference.check.includes('sum to zero'),
      ),
    )
  })

  it('takes batches from many sides at once without a deadlock, and loses nothing', async () => {
    const [available, pending] = accounts as [AccountKey, AccountKey]
    const clearing = accounts[3] as AccountKey
    await ctx.write((work) =>
      post(work, [posting(clearing, available, 1_000n), posting(clearing, pending, 1_000n)]),
    )
    const [before] = await balances()
    await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ctx.write((work) =>
          post(
            work,
            i % 2
              ? [posting(available, pending, 1n), posting(clearing, available, 2n)]
              : [posting(pending, available, 1n), posting(available, clearing, 1n)],
          ),
        ),
      ),
    )
    const [now] = await balances()
    assert.equal(now, (before as bigint) + 100n)
  })

  it('refuses what is no posting', async () => {
    const [available, pending] = accounts as [AccountKey, AccountKey]
    const wrong: Posting[] = [
      posting(available, pending, 0n),
      posting(available, pending, -1n),
      posting(available, available, 1n),
      posting(available, { purpose: 'wallet_pending', currency: 'usd' }, 1n),
      posting(available, { purpose: 'rail_clearing', currency: 'ngn', subject: 'nowhere' }, 1n),
    ]
    const before = await balances()
    for (const bad of wrong) await assert.rejects(ctx.write((work) => post(work, [bad])))
    assert.deepEqual(await balances(), before)
  })

  it('cannot be changed or deleted, not even by the owner of its tables', async () => {
    await server.fund('usd', 100)
    for (const text of [
      'update ledger_postings set amount = amount + 1',
      'delete from ledger_postings',
      'truncate ledger_postings',
      'truncate ledger_accounts cascade',
      'delete from ledger_accounts',
      `update ledger_accounts set overdraft = true`,
      `update ledger_accounts set currency = 'usd' where currency = 'ngn'`,
      `update events set body = ''`,
      'delete from events',
      'truncate events',
      'delete from event_resends',
    ])
      await assert.rejects(server.asOwner(text), { code: '23001' }, text)
    await assert.rejects(
      server.app.db.query(
        `update ledger_accounts set balance = -1 where purpose = 'wallet_available'`,
      ),
      { code: '23514', constraint: 'ledger_accounts_no_overdraft' },
    )
  })

  it('is found out when somebody cheats', async () => {
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query(
      `update ledger_accounts set balance = balance + 5 where purpose = 'wallet_available' and currency = 'usd' and not livemode`,
    )
    const { differences } = await verifyBooks(server.app)
    const checks = differences
      .filter((difference) => difference.what.includes('usd'))
      .map((difference) => difference.check)
    assert.ok(checks.includes('every balance is the sum of its postings'))
    assert.ok(checks.includes('the balances of a currency sum to zero'))
    await admin.query(
      `update ledger_accounts set balance = balance - 5 where purpose = 'wallet_available' and currency = 'usd' and not livemode`,
    )
    await admin.query(
      `update transactions set amount = amount + 1, fee = 0 where type = 'simulated_fund'`,
    )
    const found = await verifyBooks(server.app)
    assert.ok(
      found.differences.some(
        (difference) => difference.check === 'every transaction moved its wallet by its amount',
      ),
    )
    await admin.end()
  })
})
