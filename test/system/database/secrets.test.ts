/**
 * The key that seals secrets is changed while a server runs: over HTTP and the command, the old key
 * opens everything until the end, and nothing of a dump afterwards.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { open, sealedColumns, serve } from '../../../src/app/main.ts'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { documentOwner } from '../../../src/collecting/customers/documents.ts'
import {
  type Database,
  openDatabase,
  sqlOfAll,
  sqlOfMany,
  transaction,
} from '../../../src/db/db.ts'
import { keysInUse, resealAll, useKeys } from '../../../src/db/sealed.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { keyringOf, seal, unseal } from '../../../src/lib/secrets.ts'
import { newDatabase } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import { command } from '../../support/commands.ts'
import { type Call, type Json, makeCall, must, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const [oldKey, newKey] = [Buffer.alloc(32, 0x0d), Buffer.alloc(32, 0xae)]
const hex = (key: Buffer): string => key.toString('hex')
const idOf = (key: Buffer): string => keyringOf(key)[0].id
const number = '22987654321'

/** Every value of every table, as a dump has it: its row as text, and what is bytes. */
async function dumpOf(db: Database): Promise<{ text: string; bytes: Buffer[] }> {
  const tables = await db.query<{ name: string; columns: string[] | null }>(
    `select format('%I.%I', t.table_schema, t.table_name) as name,
            (select array_agg(format('%I', c.column_name)::text) from information_schema.columns c
              where c.table_schema = t.table_schema and c.table_name = t.table_name and c.data_type = 'bytea') as columns
       from information_schema.tables t
      where t.table_schema in ('public', 'graphile_worker') and t.table_type = 'BASE TABLE'`,
  )
  const texts: string[] = []
  const bytes: Buffer[] = []
  for (const { name, columns } of tables) {
    texts.push(
      ...(await db.query<{ row: string }>(`select t::text as row from ${name} t`)).map(
        ({ row }) => row,
      ),
    )
    for (const column of columns ?? [])
      bytes.push(
        ...(
          await db.query<{ value: Buffer }>(
            `select ${column} as value from ${name} where ${column} is not null`,
          )
        ).map(({ value }) => value),
      )
  }
  return { text: texts.join('\n'), bytes }
}

/**
 * What of a dump a key opens, for any purpose and any owner: without the check of the tag,
 * plaintext gives itself away.
 */
function openedBy(key: Buffer, { bytes }: { bytes: Buffer[] }): Buffer[] {
  const purposes = ['webhook secret', 'identity number', 'kept answer']
  const keys = [
    key,
    ...purposes.map((purpose) => Buffer.from(hkdfSync('sha256', key, '', `bursar ${purpose}`, 32))),
  ]
  const says = /weh_\w{32}|"message":|^\d{11}$/
  return bytes.filter((value) =>
    keys.some((one) =>
      [1, 9].some((at) => {
        if (value.length < at + 28) return false
        const decipher = createDecipheriv('aes-256-gcm', one, value.subarray(at, at + 12))
        return says.test(decipher.update(value.subarray(at + 28)).toString('latin1'))
      }),
    ),
  )
}

describe('the key that seals secrets', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let receiver: Receiver
  let db: Database
  before(async () => {
    database = await newDatabase()
    receiver = await startReceiver()
    db = openDatabase(database.url, { max: 4, onError() {} })
  })
  after(async () => {
    await db.close()
    await receiver.stop()
    await database.drop()
  })

  const settings = (current: Buffer, ...old: Buffer[]): Record<string, string> => ({
    DATABASE_URL: database.url,
    SECRETS_KEY: hex(current),
    SECRETS_KEYS_OLD: old.map(hex).join(),
    PORT: '0',
    RATE_LIMIT_MAX: '0',
    SANDBOX_DELAY: '0s',
    LOG_LEVEL: 'fatal',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: receiver.caFile,
  })

  const started = async (current: Buffer, ...old: Buffer[]) => {
    const opened = await open(readConfig(settings(current, ...old)), 'all')
    const running = await serve(opened)
    return {
      app: opened.app,
      url: running.url,
      async stop() {
        await running.stop()
        await opened.close()
      },
    }
  }

  let testKey: string
  let businessId: string
  let hooks: { id: string; secrets: string[] }[]
  let customer: string
  const asked: { path: string; body: unknown; key: string; answer: Json }[] = []

  const ask = async (call: Call, path: string, body: unknown, key: string): Promise<Json> => {
    const { body: answer, status } = await call('POST', path, body, { 'idempotency-key': key })
    assert.ok(status < 300, JSON.stringify(answer))
    asked.push({ path, body, key, answer })
    return answer.data
  }

  /**
   * Everything works as it did: deliveries are signed with the secrets that were shown, requests
   * are known again.
   */
  const assertAllWell = async (call: Call): Promise<void> => {
    for (const { id, secrets } of hooks) {
      const seen = receiver.requests.length
      await must(call('POST', `/webhooks/${id}/test`, { type: 'payout.completed' }))
      const request = await until(async () =>
        receiver.requests.slice(seen).find(({ path }) => path === `/${id}`),
      )
      const signed = secrets.map(
        (secret) => `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`,
      )
      const { 'x-signature': now, 'x-signature-previous': previous } = request.headers
      assert.deepEqual([now, previous].slice(0, secrets.length), signed)
    }
    for (const one of asked) {
      const again = await call('POST', one.path, one.body, { 'idempotency-key': one.key })
      assert.deepEqual(
        [again.body, again.headers.get('idempotent-replayed')],
        [one.answer, 'true'],
        one.path,
      )
      const other = await call(
        'POST',
        one.path,
        { ...(one.body as object), x: 1 },
        { 'idempotency-key': one.key },
      )
      assert.ok(other.status === 409 || other.status === 422, JSON.stringify(other.body))
    }
  }

  const heldBy = async (): Promise<Record<string, number>> => {
    const rows = await db.query<{ id: string | null; count: bigint }>(
      `select case get_byte(v, 0) when 2 then encode(substring(v from 2 for 8), 'hex') end as id, count(*) as count
         from (select secret as v from webhooks union all select previous_secret from webhooks
               union all select id_number from customer_documents union all select body from idempotency_keys) sealed
        where v is not null group by 1`,
    )
    return Object.fromEntries(rows.map(({ id, count }) => [id ?? 'none', Number(count)]))
  }

  it('is not changed before a server has it', async () => {
    const server = await started(oldKey)
    try {
      const made = await createBusiness(server.app, 'Sealed')
      testKey = made.test_key
      businessId = made.business.id
      const call = makeCall(server.url, testKey)
      hooks = []
      for (const at of ['one', 'two']) {
        const { id, secret } = await ask(
          call,
          '/webhooks',
          { url: `${receiver.url}/${at}` },
          `hook-${at}`,
        )
        await must(call('PUT', `/webhooks/${id}`, { url: `${receiver.url}/${id}` }))
        hooks.push({ id, secrets: [secret] })
      }
      const rolled = await ask(call, `/webhooks/${hooks[0]?.id}/roll-secret`, {}, 'roll')
      hooks[0]?.secrets.unshift(rolled.secret)
      customer = (
        await must(call('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' }))
      ).id
      await ask(
        call,
        `/customers/${customer}/documents`,
        { id_type: 'bvn', id_number: number },
        'bvn',
      )
      await ask(call, '/wallets/simulate-fund', { currency: 'ngn', amount: 5_000 }, 'fund')
      await assertAllWell(call)

      const early = await runCommandWith(settings(newKey, oldKey), ['secrets', 'rotate'])
      assert.equal(early.code, 1)
      assert.match(
        early.err,
        new RegExp(`^bursar: The servers do not seal under key ${idOf(newKey)} yet: .*\\n$`),
      )
      assert.deepEqual(Object.keys(await heldBy()), [idOf(oldKey)])
    } finally {
      await server.stop()
    }
  })

  it('stops the start when it is another, with one line', async () => {
    for (const wrong of [
      await command(['serve'], settings(newKey)),
      await runCommandWith(settings(newKey), ['serve', '--role', 'api']),
    ]) {
      assert.equal(wrong.code, 1)
      assert.match(
        wrong.err,
        new RegExp(
          `^bursar: SECRETS_KEY: is not the key of this database, .*key ${idOf(oldKey)} .*\\n$`,
        ),
      )
      assert.ok(!wrong.err.includes(hex(newKey)))
    }
    // A command may look all the same.
    assert.equal((await runCommandWith(settings(newKey), ['keys', 'list'])).code, 0)
  })

  it('is changed under a running server, by a command that is killed half way and run again', async () => {
    const plain = keyringOf(oldKey)
    const second = hooks[1] as (typeof hooks)[0]
    const many = Array.from({ length: 5_000 }, (_, i) => `many-${i}`)
    const answer = JSON.stringify({ message: 'Made', data: { id: 'x' } })
    await db.query(
      `insert into idempotency_keys (business_id, livemode, key, status, body, created_at)
       select $1, false, unnest($2::text[]), 200, unnest($3::bytea[]), $4`,
      [
        businessId,
        many,
        many.map((key) =>
          seal(plain, 'kept answer', `mark ${answer}`, [businessId, false, key].join()),
        ),
        new Date(),
      ],
    )
    assert.ok(
      openedBy(oldKey, await dumpOf(db)).length > 5_000,
      'the look into a dump finds what a key opens',
    )

    const server = await started(newKey, oldKey)
    const call = makeCall(server.url, testKey)
    try {
      await assertAllWell(call)
      const half = await killedAtFirstPage(['secrets', 'rotate'], settings(newKey, oldKey))
      assert.match(half, /sealed again/)
      const between = await heldBy()
      const [before, since] = [between[idOf(oldKey)] ?? 0, between[idOf(newKey)] ?? 0]
      assert.ok(before > 0 && since > 0, JSON.stringify(between))
      await assertAllWell(call)

      let rotating = true
      const writing = (async () => {
        for (let n = 0; rotating || n < 3; n++) {
          const rolled = await ask(call, `/webhooks/${second.id}/roll-secret`, {}, `roll-${n}`)
          second.secrets = [rolled.secret, second.secrets[0] as string]
          await ask(
            call,
            `/customers/${customer}/documents`,
            { id_type: 'nin', id_number: number },
            `nin-${n}`,
          )
        }
      })()
      const rest = await runCommandWith(settings(newKey, oldKey), ['secrets', 'rotate'])
      rotating = false
      await writing
      assert.deepEqual([rest.code, rest.err], [0, ''])
      assert.match(
        rest.out,
        new RegExp(
          `Everything .* is sealed under key ${idOf(newKey)}\\.\nEmpty SECRETS_KEYS_OLD now\\.`,
        ),
      )
      assert.deepEqual(Object.keys(await heldBy()), [idOf(newKey)])
      await assertAllWell(call)
    } finally {
      await server.stop()
    }
  })

  it('opens nothing in a dump once it was changed, and is not needed', async () => {
    const dump = await dumpOf(db)
    assert.ok(dump.bytes.length > 5_000)
    assert.deepEqual(openedBy(oldKey, dump), [])
    assert.ok(openedBy(newKey, dump).length > 5_000)
    // Neither its id stands anywhere, nor what was made with it, nor what was sealed.
    for (const secret of [idOf(oldKey), number, ...hooks.flatMap(({ secrets }) => secrets)])
      assert.ok(!dump.text.includes(secret), secret)

    const server = await started(newKey)
    try {
      await assertAllWell(makeCall(server.url, testKey))
      const [row] = await db.query<{ id_number: Buffer }>(
        `select id_number from customer_documents where customer_id = $1 and id_type = 'bvn'`,
        [customer],
      )
      const owner = documentOwner({ scope: { businessId, livemode: false } }, customer, 'bvn')
      assert.equal(
        unseal(server.app.secrets, 'identity number', (row as typeof row & {}).id_number, owner),
        number,
      )
    } finally {
      await server.stop()
    }
    const late = await runCommandWith(settings(oldKey), ['serve'])
    assert.match(late.err, new RegExp(`is not the key of this database, .*key ${idOf(newKey)} `))
  })

  it('can be given up when it is lost', async () => {
    const id = idOf(newKey)
    assert.match(
      (await runCommandWith(settings(newKey), ['secrets', 'forget', id])).err,
      /^bursar: Key \w+ is not lost: /,
    )
    assert.match(
      (await runCommandWith(settings(oldKey), ['secrets', 'forget', '0'.repeat(16)])).err,
      /^bursar: Nothing is known/,
    )
    const shown = await runCommandWith(settings(oldKey), ['secrets', 'status'])
    assert.match(shown.out, new RegExp(`^key ${idOf(oldKey)}  in use\nkey ${id}  MISSING\n`))
    assert.match(shown.out, new RegExp(`webhooks\\.secret  2 sealed by ${id}  MISSING\n`))
    assert.equal((await runCommandWith(settings(oldKey), ['secrets', 'forget', id])).code, 0)
    const server = await started(oldKey)
    try {
      const rotated = await runCommandWith(settings(oldKey), ['secrets', 'rotate'])
      assert.equal(rotated.code, 0)
      assert.match(
        rotated.out,
        /LOOK {2}2 of webhooks\.secret are sealed under a key that is not given/,
      )
    } finally {
      await server.stop()
    }
  })
})

/** Runs a command and kills it as soon as it has said something. @returns what it had said */
function killedAtFirstPage(args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const bin = new URL('../../../bin/bursar.js', import.meta.url).pathname
    const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, ...env },
    })
    let out = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
      if (out.includes('idempotency_keys.body')) child.kill('SIGKILL')
    })
    child.on('close', () => resolve(out))
  })
}

describe('sealing again', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let db: Database
  const [both, old, current] = [keyringOf(newKey, [oldKey]), keyringOf(oldKey), keyringOf(newKey)]
  const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(24))
  before(async () => {
    database = await newDatabase()
    db = openDatabase(database.url, { max: 4, onError() {} })
  })
  after(async () => {
    await db.close()
    await database.drop()
  })

  const insertOld = sqlOfMany(
    'test.insert_webhooks',
    `insert into webhooks (business_id, livemode, id, url, events, active, secret, created_at, updated_at)
     values ($1, true, $2, 'https://example.com', '{*}', true, $3, $4, $4)
     on conflict (business_id, livemode, id) do update set secret = excluded.secret`,
  )
  const setSecret = sqlOfAll('test.set_secret', 'update webhooks set secret = $2 where id = $1')
  const inserted = async (): Promise<void> => {
    for (const id of ids)
      await db.rows(insertOld, [
        'f'.repeat(24),
        id,
        seal(old, 'webhook secret', `secret of ${id}`, id),
        new Date(),
      ])
  }
  const opened = async (): Promise<string[]> =>
    (
      await db.query<{ id: string; secret: Buffer }>('select id, secret from webhooks order by id')
    ).map(({ id, secret }) => unseal(current, 'webhook secret', secret, id))

  it('leaves alone what changed since it was read, whoever sealed that', async () => {
    await inserted()
    const [a, b, c] = ids as [string, string, string]
    const replace = sealedColumns.find(({ name }) => name === 'webhooks.secret')?.replace
    let replaced = 0
    const meddled: Database = {
      ...db,
      async rows(statement, params) {
        if ((statement as object) === replace && replaced++ === 0) {
          await db.rows(setSecret, [a, seal(both, 'webhook secret', 'new of a', a)])
          await db.rows(setSecret, [b, seal(old, 'webhook secret', 'old of b', b)])
        }
        return db.rows(statement, params)
      },
    }
    assert.deepEqual(await resealAll(meddled, both, sealedColumns, () => {}), new Map())
    assert.deepEqual(await opened(), ['new of a', 'old of b', `secret of ${c}`])
    assert.equal(replaced, 2)
  })

  it('waits for nobody, and comes back to what another was writing', async () => {
    await inserted()
    const id = ids[1] as string
    let done = false
    let resealing: Promise<unknown> = Promise.resolve()
    await transaction(db, async (tx) => {
      await tx.rows(setSecret, [id, seal(old, 'webhook secret', 'rolled', id)])
      resealing = resealAll(db, both, sealedColumns, () => {}).then(() => {
        done = true
      })
      // The others are sealed again while this one is held.
      await until(async () => {
        const [row] = await db.query<{ n: bigint }>(
          `select count(*) as n from webhooks where encode(substring(secret from 2 for 8), 'hex') = $1`,
          [idOf(newKey)],
        )
        return row?.n === 2n
      })
      assert.ok(!done)
    })
    await resealing
    assert.deepEqual(await opened(), [`secret of ${ids[0]}`, 'rolled', `secret of ${ids[2]}`])
  })

  it('is known to need each key that has sealed', async () => {
    await db.query('delete from sealing_keys')
    const now = new Date()
    assert.deepEqual(await useKeys(db, old, new Date(now.getTime() - 1)), [])
    assert.deepEqual(await useKeys(db, both, now), [])
    assert.deepEqual(await keysInUse(db), [idOf(newKey), idOf(oldKey)])
    assert.deepEqual(await useKeys(db, current, now), [idOf(oldKey)])
    const since = new Date(now.getTime() + 1)
    assert.deepEqual(await useKeys(db, keyringOf(oldKey, [newKey]), since), [])
    assert.deepEqual(await keysInUse(db), [idOf(oldKey), idOf(newKey)])
    // Two that start at once on a new database, each with a key of its own: one of them does not.
    await db.query('delete from sealing_keys')
    const lacking = await Promise.all([useKeys(db, old, now), useKeys(db, current, now)])
    assert.equal(lacking.filter((ids) => ids.length === 1).length, 1)
  })
})
