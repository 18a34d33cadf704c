/**
 * Goal: a closing contains exactly what was posted, under any concurrency; the short verification
 * skips closed history, the whole one reads it. Method: random concurrent writers and closers;
 * opening balances are compared with sums of the postings. Then a superuser changes old rows.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { runCommand } from '../../../test/support/command-line.ts'
import {
  bankPayout,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { inFreshWorlds } from '../../../test/support/runs.ts'
import { closeBooks } from '../../app/closing.ts'
import { verifyBooks } from '../../app/main.ts'
import type { Scope } from '../../core/app.ts'
import { type Ctx, outside } from '../../core/outside.ts'
import { newClient } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { foldPostingsOf } from '../statements/statements.ts'
import { closeUpTo } from './closing.ts'
import { type AccountKey, post } from './ledger.ts'
import { ledgerChecks, verify } from './verify.ts'

type Sums = { debits: bigint; credits: bigint; postings: bigint }

describe('closing the ledger', () => {
  let server: TestServer
  let admin: ReturnType<typeof newClient>
  let ctx: Ctx
  const open = async (): Promise<void> => {
    server = await startServer()
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    const scope: Scope = {
      businessId: server.businessId,
      livemode: false,
      now: server.app.clock.now(),
    }
    ctx = outside(server.app, scope)
    admin = newClient(server.superuserUrl)
    await admin.connect()
  }
  const stop = async (): Promise<void> => {
    await admin.end()
    await server.stop()
  }
  before(open)
  after(stop)

  const wallet: AccountKey = { purpose: 'wallet_available', currency: 'usd' }
  const accounts: AccountKey[] = [
    { purpose: 'exchange', currency: 'usd' },
    { purpose: 'rail_clearing', currency: 'usd', subject: 'sandbox' },
    wallet,
  ]
  const move = (from: number, amount: bigint): Promise<unknown> =>
    ctx.write((work) =>
      post(work, [
        {
          debit: accounts[from % 2] as AccountKey,
          credit: accounts[(from % 2) + 1] as AccountKey,
          amount,
          kind: 'simulated_fund',
          subject: newId(ctx.scope.now),
          transaction: newId(ctx.scope.now),
        },
      ]),
    )
  /** Skips the check of records: these postings have none. */
  const close = async (): Promise<bigint | null> => {
    const closed_at = server.app.clock.now()
    const position = await foldPostingsOf(server.app.db)
    return position === null ? null : closeUpTo(server.app.db, { position, closed_at })
  }
  const closings = (): Promise<{ position: bigint }[]> =>
    server.app.db.query('select position from ledger_closings order by position')
  /**
   * Returns opening balances by account and position, as stored and as recomputed from postings.
   */
  const openings = async (): Promise<Record<'kept' | 'real', Record<string, Sums>>> => {
    const ends = (await closings()).map(({ position }) => position)
    const rows = await server.app.db.query<{
      debit: bigint
      credit: bigint
      amount: bigint
      position: bigint
    }>(
      'select debit_account as debit, credit_account as credit, amount, position from ledger_postings order by position',
    )
    const sums = new Map<bigint, Sums>()
    const real: Record<string, Sums> = {}
    let next = 0
    for (const end of ends) {
      const moved = new Set<bigint>()
      for (; next < rows.length && (rows[next]?.position ?? -1n) < end; next++) {
        const { debit, credit, amount } = rows[next] as (typeof rows)[number]
        for (const [account, side] of [
          [debit, 'debits'],
          [credit, 'credits'],
        ] as const) {
          const sum = sums.get(account) ?? { debits: 0n, credits: 0n, postings: 0n }
          sums.set(account, { ...sum, [side]: sum[side] + amount, postings: sum.postings + 1n })
          moved.add(account)
        }
      }
      for (const account of moved) real[`${account} at ${end}`] = sums.get(account) as Sums
    }
    const kept = await server.app.db.query<{
      key: string
      debits: string
      credits: string
      postings: bigint
    }>(
      `select account || ' at ' || position as key, debits, credits, postings from opening_balances`,
    )
    return {
      kept: Object.fromEntries(
        kept.map(({ key, debits, credits, postings }) => [
          key,
          { debits: BigInt(debits), credits: BigInt(credits), postings },
        ]),
      ),
      real,
    }
  }
  const assertOpenings = async (): Promise<void> => {
    const { kept, real } = await openings()
    assert.deepEqual(kept, real)
    for (const whole of [false, true])
      assert.deepEqual((await verify(server.app.db, ledgerChecks, { whole })).differences, [])
  }
  /** Changes rows as a superuser. */
  const tamper = async (text: string): Promise<void> => {
    await admin.query(`begin; set local session_replication_role = replica; ${text}; commit`)
  }

  it('keeps what was posted below, at whatever moments and from however many sides it is closed', async () => {
    const writer = fc.array(
      fc.record({ from: fc.nat(1), amount: fc.bigInt(1n, 1_000n), pause: fc.nat(3) }),
      {
        maxLength: 15,
      },
    )
    const closer = fc.array(fc.nat(25), { minLength: 1, maxLength: 5 })
    let closed = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(writer, { maxLength: 6 }),
        fc.array(closer, { maxLength: 3 }),
        inFreshWorlds(
          () => stop().then(open, open),
          async (all, closers) => {
            await Promise.all([
              ...all.map(async (moves) => {
                for (const { from, amount, pause } of moves) {
                  await move(from, amount)
                  await sleep(pause)
                }
              }),
              ...closers.map(async (pauses) => {
                for (const pause of pauses) {
                  if ((await close()) !== null) closed++
                  const { differences } = await verify(server.app.db, ledgerChecks)
                  assert.deepEqual(differences, [], 'also while others post')
                  await sleep(pause)
                }
              }),
            ])
            await assertOpenings()
          },
        ),
      ),
      { numRuns: 25 },
    )
    assert.ok(closed > 10)
  })

  it('goes over what positions were left out', async () => {
    await tamper('delete from opening_balances; delete from ledger_closings')
    for (let i = 0; i < 2; i++) {
      await server.asOwner('select leave_event_positions()')
      await move(i, 7n)
      await sleep(5)
      await move(i, 9n)
    }
    const postings = (await server.app.db.query('select from ledger_postings')).length
    let total = 0n
    await until(async () => {
      total += (await close()) ?? 0n
      return total === BigInt(postings)
    })
    assert.ok((await closings()).length > 1, 'in steps')
    await assertOpenings()
    assert.equal((await verify(server.app.db, ledgerChecks)).postings, BigInt(postings))
    await until(async () => (await close()) === 0n)
    await move(0, 5n)
    assert.equal(await until(close), 1n)
    await assertOpenings()
  })

  it('finds what was changed in a closed period when it reads all, and names the first opening balance that differs', async () => {
    await until(async () => (await close()) !== null)
    const [first, second] = await server.app.db.query<{
      id: bigint
      account: bigint
      position: bigint
    }>(
      `select p.id, p.credit_account as account, c.position
         from (select position, lag(position) over (order by position) as since from ledger_closings) c
        cross join lateral (select * from ledger_postings where position >= c.since and position < c.position limit 1) p
        order by c.position`,
    )
    assert.ok(first && second && first.position < second.position)
    for (const { id, position } of [first, second]) {
      const by = (amount: number) =>
        tamper(`update ledger_postings set amount = amount + ${amount} where id = ${id}`)
      await by(1)
      assert.deepEqual(
        (await verify(server.app.db, ledgerChecks)).differences,
        [],
        'it is not read',
      )
      const { differences } = await verify(server.app.db, ledgerChecks, { whole: true })
      assert.equal(differences.filter(({ check }) => check === ledgerChecks[0]?.name).length, 2)
      const found = differences.filter(({ check }) => check === ledgerChecks.at(-1)?.name)
      assert.equal(found.length, 2, 'both accounts, each once')
      for (const { what } of found)
        assert.match(what, new RegExp(` usd (sandbox )?at ${position} of 20`))
      await by(-1)
    }
    // With the balance changed too, only the opening balance shows it.
    const { id, account } = first
    const both = (amount: number) =>
      tamper(
        `update ledger_postings set amount = amount + ${amount} where id = ${id};
         update ledger_accounts set balance = balance + ${amount} where id = ${account};
         update ledger_accounts set balance = balance - ${amount} where id = (select debit_account from ledger_postings where id = ${id})`,
      )
    await both(3)
    const { differences } = await verify(server.app.db, ledgerChecks, { whole: true })
    assert.deepEqual(
      [...new Set(differences.map(({ check }) => check))],
      [ledgerChecks.at(-1)?.name],
    )
    assert.equal((await verify(server.app.db, ledgerChecks)).differences.length, 2)
    await both(-3)
    // Both verifications find a changed opening balance.
    const latest = `account = ${account} and position = (select max(position) from opening_balances where account = ${account})`
    await tamper(`update opening_balances set credits = credits + 2 where ${latest}`)
    for (const [whole, check] of [
      [false, ledgerChecks[0]],
      [true, ledgerChecks.at(-1)],
    ] as const)
      assert.deepEqual(
        (await verify(server.app.db, ledgerChecks, { whole })).differences.map((one) => one.check),
        [check?.name],
      )
    await tamper(`update opening_balances set credits = credits - 2 where ${latest}`)
    await assertOpenings()
  })

  it('cannot be changed or deleted, not even by the owner of the tables', async () => {
    for (const table of ['ledger_closings', 'opening_balances'])
      for (const text of [
        `update ${table} set position = 0`,
        `delete from ${table}`,
        `truncate ${table} cascade`,
      ])
        await assert.rejects(server.asOwner(text), { code: '23001' }, text)
  })

  describe('whose records are held against it', () => {
    let other: TestServer
    let root: ReturnType<typeof newClient>
    const ledger = (...args: string[]) => runCommand(other.app, ['ledger', ...args])
    const change = (text: string) =>
      root.query(`begin; set local session_replication_role = replica; ${text}; commit`)
    before(async () => {
      other = await startServer({}, undefined, undefined, 'workers')
      root = newClient(other.superuserUrl)
      await root.connect()
    })
    after(async () => {
      await root.end()
      await other.stop()
    })

    it('is closed by the server when a month begins, and stays clean under load', async () => {
      await until(
        async () => (await other.app.db.query('select from ledger_closings')).length === 1,
      )
      await other.fund('ngn', 100_000_000)
      let stop = false
      const load = Array.from({ length: 4 }, async (_, n) => {
        for (let i = 0; !stop; i++)
          await must(other.call('POST', '/payouts', bankPayout(`closing-${n}-${i}`, 10_000 + i)))
      })
      for (let i = 0; i < 5; i++) {
        const closed = await until(() => closeBooks(other.app))
        assert.deepEqual(closed.differences, [])
        assert.deepEqual((await verifyBooks(other.app)).differences, [])
      }
      stop = true
      await Promise.all(load)
      await settled(other.app)
      await other.assertBooksClean()
    })

    it('is not closed while anything differs, and shows it each time', async () => {
      const payout = await must(other.call('POST', '/payouts', bankPayout('differs', 5_000)))
      await settled(other.app)
      const before = await other.app.db.query('select position from ledger_closings')
      await change(`update payouts set fee = fee + 1 where id = '${payout.id}'`)
      for (let i = 0; i < 2; i++) {
        const { code, out } = await ledger('close')
        assert.equal(code, 1)
        assert.match(out, new RegExp(`^DIFFERENCE .*payout ${payout.id}`))
        assert.match(out, /\d differences: nothing was closed\.\n$/)
      }
      assert.deepEqual(await other.app.db.query('select position from ledger_closings'), before)
      await change(`update payouts set fee = fee - 1 where id = '${payout.id}'`)
      const { code, out } = await ledger('close', '--json')
      assert.equal(code, 0, out)
      assert.deepEqual(Object.keys(JSON.parse(out)), [
        'clean',
        'closed_at',
        'postings',
        'differences',
      ])
      const verified = await ledger('verify')
      assert.match(
        verified.out,
        /^The books are clean: \d+ accounts, \d+ postings\.\nRead from the closing of .*Z on; --whole reads all\.\n$/,
      )
      const whole = await ledger('verify', '--whole')
      assert.match(whole.out, /^The books are clean: \d+ accounts, \d+ postings\.\n$/)
      assert.equal(/(\d+) postings/.exec(whole.out)?.[1], /(\d+) postings/.exec(verified.out)?.[1])
    })
  })
})
