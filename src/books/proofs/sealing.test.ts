/**
 * Goal: each posting is sealed once and in order, also with concurrent writers and sealers, and
 * every row that a superuser changes, deletes or inserts is named. Method: real postings and
 * tampering as a superuser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { day } from '../../../test/support/actors.ts'
import { runCommand } from '../../../test/support/command-line.ts'
import {
  bankPayout,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { newClient, openDatabase } from '../../db/db.ts'
import { forgetMoved } from '../../db/moves/forget.ts'
import { manualClock } from '../../lib/clock.ts'
import { createBusiness } from '../businesses/businesses.ts'
import { type ChainVerdict, keepMovedChain, sealPostings, verifyChain } from './proofs.ts'

/** Waits for all writers, seals everything, and verifies. */
async function sealed({ app }: TestServer): Promise<ChainVerdict> {
  await until(async () => {
    await sealPostings(app)
    return (await verifyChain(app)).unsealed === 0
  })
  return verifyChain(app)
}

/**
 * Seals everything.
 * @returns the most rows that one statement read
 */
async function mostReadSealing({ app }: TestServer): Promise<number> {
  let most = 0
  const connect = async () => {
    const client = await app.db.pool.connect()
    const { query, release } = client
    const watched = async (...asked: unknown[]) => {
      const result = await Reflect.apply(query, client, asked)
      most = Math.max(most, result.rows.length)
      return result
    }
    return Object.assign(client, {
      query: watched,
      release: (broken?: Error) => Object.assign(client, { query, release }).release(broken),
    })
  }
  await sealPostings({ ...app, db: { ...app.db, pool: { connect } as never } })
  return most
}

/** Runs statements as a superuser with triggers disabled. */
async function tamper(server: TestServer, ...texts: string[]): Promise<void> {
  const client = newClient(server.superuserUrl)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const text of texts) await client.query(text)
  } finally {
    await client.end()
  }
}

describe('sealing postings', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({}, undefined, undefined, 'workers')
    // Makes and changes rows without the ledger.
    server.leaveBooksUnverified()
    await server.fund('ngn', 5_000_000)
  })
  after(() => server.stop())

  it('seals each once and in order, while many post and several seal', async () => {
    const posting = Promise.all(
      Array.from({ length: 200 }, (_, i) => server.fund('ngn', 1_000 + i)),
    )
    const sealing = Promise.all(Array.from({ length: 20 }, () => sealPostings(server.app)))
    await Promise.all([posting, sealing])
    const verdict = await sealed(server)
    assert.deepEqual(verdict.differences, [])
    const [count] = await server.app.db.query<{ n: bigint; sealed: bigint }>(
      'select (select count(*) from ledger_postings) as n, (select sum(postings) from posting_seals)::bigint as sealed',
    )
    assert.ok(Number(count?.n) > 200)
    assert.equal(count?.sealed, count?.n)
    assert.equal(verdict.postings, Number(count?.n))
  })

  it('seals a posting that commits late, behind those that came before', async () => {
    const late = newClient(server.ownerUrl)
    await late.connect()
    await late.query('begin')
    await late.query(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select business_id, livemode, debit_account, credit_account, 77, currency, kind, subject, transaction_id, posted_at
         from ledger_postings limit 1`,
    )
    await server.fund('ngn', 4_000)
    await sealPostings(server.app)
    assert.ok(
      (await verifyChain(server.app)).unsealed > 0,
      'what came after the one that is open waits too',
    )
    await late.query('commit')
    await late.end()
    assert.deepEqual((await sealed(server)).differences, [])
  })

  it('leaves what was posted for the next time where it fails in the middle', async () => {
    await server.asOwner(
      `create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$;
       create trigger broken before insert on posting_seals for each statement execute function broken()`,
    )
    try {
      await server.fund('ngn', 4_500)
      await assert.rejects(() => until(() => sealPostings(server.app)), /broken off/)
      const { unsealed, differences } = await verifyChain(server.app)
      assert.ok(unsealed > 0)
      assert.deepEqual(differences, [])
    } finally {
      await server.asOwner('drop trigger broken on posting_seals; drop function broken()')
    }
    assert.deepEqual((await sealed(server)).differences, [])
  })

  it('makes no seal of more than 1,024, so that proofs stay short, and reads no more at once of one transaction', async () => {
    await tamper(
      server,
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select business_id, livemode, debit_account, credit_account, n, currency, kind, subject, transaction_id, posted_at
         from (select * from ledger_postings limit 1) one cross join generate_series(1, 3000) n`,
    )
    let read = 0
    await until(async () => {
      read = Math.max(read, await mostReadSealing(server))
      return (await verifyChain(server.app)).unsealed === 0
    })
    assert.ok(read >= 500 && read <= 1_024, `${read} postings were read at once`)
    assert.deepEqual((await sealed(server)).differences, [])
    const [most] = await server.app.db.query<{ most: number }>(
      'select max(postings) as most from posting_seals',
    )
    assert.equal(most?.most, 1024)
  })

  it('goes on from nothing once test data were emptied', async () => {
    const own = await createBusiness(server.app, 'Emptied')
    await must(
      server.callAs(own.test_key)('POST', '/wallets/simulate-fund', {
        currency: 'ngn',
        amount: 9_000,
      }),
    )
    await sealed(server)
    const seals = async (): Promise<bigint[]> =>
      (
        await server.app.db.query<{ number: bigint }>(
          'select number from posting_seals where business_id = $1 order by number',
          [own.business.id],
        )
      ).map(({ number }) => number)
    assert.deepEqual(await seals(), [1n])
    await server.app.db.query(
      `insert into test_data_removals (business_id, id, requested_by, requested_at) values ($1, $2, '{"type": "operator"}', $3)`,
      [own.business.id, '0123456789abcdef01234567', server.app.clock.now()],
    )
    await until(async () => (await seals()).length === 0)
    assert.deepEqual((await sealed(server)).differences, [])
    await until(
      async () =>
        (
          await server.callAs(own.test_key)('POST', '/wallets/simulate-fund', {
            currency: 'ngn',
            amount: 9_000,
          })
        ).status === 200,
    )
    assert.deepEqual((await sealed(server)).differences, [])
    assert.deepEqual(await seals(), [1n])
  })

  it('cannot be undone by the role that serves, nor by the owner of the tables', async () => {
    for (const table of ['posting_seals', 'seal_salts', 'proof_keys'])
      for (const text of [
        `delete from ${table}`,
        `update ${table} set ${table === 'proof_keys' ? 'id = id' : 'livemode = livemode'}`,
      ]) {
        await assert.rejects(() => server.app.db.query(text), /permission denied/, text)
        await assert.rejects(() => server.asOwner(text), /append-only/, text)
      }
  })
})

describe('an old posting that a superuser tampers with', () => {
  let server: TestServer
  const clock = manualClock(new Date('2026-11-20T10:00:00Z'))
  let ids: bigint[]
  before(async () => {
    server = await startServer({}, undefined, clock)
    for (const amount of [100_000, 200_000, 300_000, 400_000]) await server.fund('ngn', amount)
    await must(server.call('POST', '/payouts', bankPayout('first', 50_000)))
    await settled(server.app)
    await server.asOwner(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select business_id, true, min(id), max(id), 700, currency, 'deposit', repeat('b', 24), repeat('c', 24), '2026-11-20T10:00:00Z'
         from ledger_accounts where livemode and currency = 'ngn' and purpose in ('wallet_available', 'wallet_pending')
        group by business_id, currency`,
    )
    await sealed(server)
    clock.advance(day)
    await server.fund('ngn', 500_000)
    await sealed(server)
    ids = (
      await server.app.db.query<{ id: bigint }>(
        'select id from ledger_postings where business_id = $1 and not livemode order by position, id',
        [server.businessId],
      )
    ).map(({ id }) => id)
    assert.ok(ids.length >= 7)
  })
  after(() => server.stop())

  /**
   * Tampers, verifies, and undoes it.
   * @returns the differences of the one business, as text
   */
  const found = async (
    tampering: string[],
    undoing: string[],
    then: () => Promise<unknown> = async () => {},
  ): Promise<string[]> => {
    await tamper(server, ...tampering)
    await then()
    const { differences } = await verifyChain(server.app)
    await tamper(server, ...undoing)
    assert.deepEqual((await verifyChain(server.app)).differences, [], 'it is as it was')
    for (const { business_id } of differences)
      assert.ok(business_id === server.businessId || business_id === null)
    // The number of seals of a day depends on the speed of the server.
    return differences.map(({ what, said }) => `${what} ${said}`.replace(/seal \d+ of/, 'seal of'))
  }
  const kept = 'create table kept_rows as select * from'
  const restored = [
    'insert into ledger_postings overriding system value select * from kept_rows',
    'drop table kept_rows',
  ]

  for (const [column, value] of [
    ['amount', 'amount + 1'],
    ['debit_account', 'credit_account, credit_account = debit_account'],
    ['kind', `'payout_fee'`],
    ['transaction_id', `'${'a'.repeat(24)}'`],
    ['posted_at', `posted_at + interval '1 millisecond'`],
  ] as const)
    it(`is named where its ${column} is changed`, async () => {
      const id = ids[1] as bigint
      const said = await found(
        [
          `${kept} ledger_postings where id = ${id}`,
          `update ledger_postings set ${column} = ${value} where id = ${id}`,
        ],
        [`delete from ledger_postings where id = ${id}`, ...restored],
      )
      assert.deepEqual(said, [`posting ${id} was changed (seal of 2026-11-20)`])
    })

  it('is named where it is missing', async () => {
    const id = ids[2] as bigint
    const said = await found(
      [`${kept} ledger_postings where id = ${id}`, `delete from ledger_postings where id = ${id}`],
      restored,
    )
    assert.deepEqual(said, [`posting ${id} is missing (seal of 2026-11-20)`])
  })

  it('is named where it was inserted among others, or behind them', async () => {
    const copy = (position: string): string =>
      `insert into ledger_postings (business_id, livemode, id, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at, position)
       overriding system value
       select business_id, livemode, 999999, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at, ${position}
         from ledger_postings where id = ${ids[0]}`
    const gone = ['delete from ledger_postings where id = 999999']
    assert.deepEqual(await found([copy('position')], gone), [
      'posting 999999 was inserted (seal of 2026-11-20)',
    ])
    const [last] = await server.app.db.query<{ position: bigint }>(
      'select position - 1 as position from sealed_postings',
    )
    assert.deepEqual(await found([copy(String(last?.position))], gone), [
      'posting 999999 was inserted: it is in no seal',
    ])
  })

  it('is found by the proof of its day where it was sealed anew', async () => {
    const saved = [
      'create table kept_rows as select * from posting_seals',
      'create table kept_mark as select * from sealed_postings',
    ]
    const change = (by: number): string =>
      `update ledger_postings set amount = amount + ${by} where livemode`
    const anew = (day: string): string =>
      `update sealed_postings set position = (select min(position) from ledger_postings), day = '${day}'`
    const restoring = [
      change(-1),
      'delete from posting_seals',
      'insert into posting_seals select * from kept_rows',
      'drop table kept_rows',
      'delete from sealed_postings',
      'insert into sealed_postings select * from kept_mark',
      'drop table kept_mark',
    ]
    const forged = (day: string): Promise<string[]> =>
      found([...saved, change(1), 'delete from posting_seals', anew(day)], restoring, () =>
        sealPostings({ ...server.app, clock: manualClock(new Date(`${day}T12:00:00Z`)) }),
      )
    assert.deepEqual(await forged('2026-11-20'), [
      'the seals of 2026-11-20 are not those of its proof',
      'the seals of 2026-11-20 are not those of its proof',
      'the proof of 2026-11-20 is made, and sealing was set back to that day',
    ])
    assert.deepEqual(await forged('2026-11-21'), [
      'the proof of 2026-11-20 has 1 chains more than there are',
    ])
  })

  it('is of the days that are asked for alone, where older postings are elsewhere', async () => {
    const older = `from ledger_postings where posted_at < '2026-11-21'`
    const [newest] = ids.slice(-1)
    const from = async () => {
      const { differences, postings } = await verifyChain(server.app, '2026-11-21')
      return {
        postings,
        said: differences.map(({ what, said }) =>
          `${what} ${said}`.replace(/seal \d+ of/, 'seal of'),
        ),
      }
    }
    await tamper(server, `create table kept_rows as select * ${older}`, `delete ${older}`)
    try {
      const [left] = await server.app.db.query<{ n: bigint }>(
        'select count(*) as n from ledger_postings',
      )
      assert.deepEqual(await from(), { postings: Number(left?.n), said: [] })
      assert.ok((await verifyChain(server.app)).differences.length > 0, 'all of it is not there')
      // Later postings are compared with their seals, older seals only with their hashes.
      await tamper(server, `update ledger_postings set amount = amount + 1 where id = ${newest}`)
      assert.deepEqual((await from()).said, [`posting ${newest} was changed (seal of 2026-11-21)`])
      await tamper(server, `update ledger_postings set amount = amount - 1 where id = ${newest}`)
      await tamper(
        server,
        'create table kept_seals as select * from posting_seals',
        `update posting_seals set postings = postings + 1 where day = '2026-11-20' and not livemode`,
      )
      assert.match(
        (await from()).said.join(),
        /^seal of 2026-11-20 has another hash than what it says$/,
      )
      await tamper(
        server,
        'delete from posting_seals',
        'insert into posting_seals select * from kept_seals',
      )
      assert.deepEqual((await from()).said, [])
    } finally {
      await tamper(server, ...restored, 'drop table if exists kept_seals')
    }
    assert.deepEqual((await verifyChain(server.app)).differences, [])
  })

  it('is said by the command, which then ends with 1', async () => {
    const verify = (...args: string[]) =>
      runCommand(server.app, ['ledger', 'verify', '--chain', ...args])
    const clean = await verify()
    assert.match(
      clean.out,
      /^The chains are whole: 2 chains, \d+ seals of \d+ postings, 1 proofs of days; 0 postings are not sealed yet\.\n$/,
    )
    assert.equal(clean.code, 0, clean.err)
    await tamper(server, `update ledger_postings set amount = amount + 1 where id = ${ids[1]}`)
    const odd = await verify('--json')
    const later = await verify('--from', '2026-11-21')
    await tamper(server, `update ledger_postings set amount = amount - 1 where id = ${ids[1]}`)
    assert.equal(odd.code, 1)
    const [difference, ...others] = JSON.parse(odd.out).differences
    const { said, ...rest } = difference
    assert.deepEqual(
      [rest, others],
      [{ business_id: server.businessId, livemode: false, what: `posting ${ids[1]}` }, []],
    )
    assert.match(said, /^was changed \(seal \d+ of 2026-11-20\)$/)
    assert.equal(later.code, 0, later.out)
  })

  it('whose whole chain is gone is told from one whose business has moved', async () => {
    const [moves, goes] = await Promise.all(
      ['Moves', 'Goes'].map(
        async (name) => (await createBusiness(server.app, name)).business.id as string,
      ),
    )
    await server.asOwner(
      `insert into ledger_postings (business_id, livemode, debit_account, credit_account, amount, currency, kind, subject, transaction_id, posted_at)
       select business_id, true, min(id), max(id), 900, currency, 'deposit', repeat('d', 24), substr(business_id, 1, 24), '2026-11-21T10:00:00Z'
         from ledger_accounts where livemode and currency = 'ngn' and purpose in ('wallet_available', 'wallet_pending')
          and business_id in ('${moves}', '${goes}')
        group by business_id, currency`,
    )
    await sealed(server)
    clock.advance(day)
    await server.fund('ngn', 600_000)
    const before = await sealed(server)
    assert.deepEqual([before.differences, before.days], [[], 2])

    const client = newClient(server.ownerUrl)
    await client.connect()
    const owners = openDatabase(server.ownerUrl, { max: 1, onError() {} })
    const forget = () =>
      forgetMoved(
        client,
        moves as string,
        () => keepMovedChain(owners, moves as string, clock.now()),
        () => {},
      )
    try {
      await tamper(
        server,
        `insert into cell_moves values ('${moves}', 'w', '2026-11-22', '2026-11-22')`,
      )
      await forget()
      assert.deepEqual((await verifyChain(server.app)).differences, [], 'it is in another cell')
      // A repeated run after an interruption has nothing more to store.
      await forget()
      const after = await verifyChain(server.app)
      assert.deepEqual([after.differences, before.chains - after.chains], [[], 1])
    } finally {
      await Promise.all([client.end(), owners.close()])
    }

    const said = async (): Promise<string[]> =>
      (await verifyChain(server.app)).differences.map(
        ({ business_id, what, said }) => `${business_id} ${what} ${said}`,
      )
    // As if split off by a server that stored no leaves: one chain may then be missing from any
    // day.
    await tamper(
      server,
      'create table kept_chains as select * from moved_chains',
      'delete from moved_chains',
    )
    await tamper(server, 'update cell_moves set chains_kept_at = null')
    assert.deepEqual(await said(), [])
    await tamper(
      server,
      'insert into moved_chains select * from kept_chains',
      'drop table kept_chains',
    )
    await tamper(server, `update cell_moves set chains_kept_at = '2026-11-22'`)

    const throwAway = (business: string, ...tables: string[]): Promise<void> =>
      tamper(
        server,
        ...tables.map(
          (name) => `delete from ${name} where business_id = '${business}' and livemode`,
        ),
      )
    const gone =
      'null the proof of 2026-11-21 has 1 chains more than there are, here and of those that have moved'
    await throwAway(goes as string, 'ledger_postings', 'posting_seals')
    assert.deepEqual(await said(), [`${goes} the chain is missing: no seal is left of it`, gone])
    await throwAway(goes as string, 'seal_salts')
    assert.deepEqual(await said(), [gone])
    // A day on which the moved business sealed nothing.
    await throwAway(server.businessId, 'ledger_postings', 'posting_seals', 'seal_salts')
    assert.deepEqual(await said(), [
      'null the proof of 2026-11-20 has 1 chains more than there are',
      gone,
    ])
  })
})
