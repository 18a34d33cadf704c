/**
 * Goal: a receipt with the public keys proves exactly what it says, offline, by the command and by
 * the Python code in docs/proofs.md; any changed field invalidates it. Method: receipts of a server
 * whose days the test moves, checked unchanged and with each field changed.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { day, noId } from '../../../test/support/actors.ts'
import { runAddedCommand } from '../../../test/support/command-line.ts'
import {
  bankPayout,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { addReceiptCommand } from '../../app/cli/receipt.ts'
import { manualClock } from '../../lib/clock.ts'
import { readConfig } from '../../lib/config.ts'
import { createBusiness } from '../businesses/businesses.ts'
import { checkReceipt, NotProven } from './checking.ts'
import { proofText } from './forms.ts'
import { sealPostings, verifyChain } from './proofs.ts'

const newKey = () => generateKeyPairSync('ed25519').privateKey
const pemOf = (key: ReturnType<typeof newKey>): string =>
  key.export({ format: 'pem', type: 'pkcs8' }) as string

describe('receipts and proofs of days', () => {
  const clock = manualClock(new Date('2026-11-20T10:00:00Z'))
  const [first, second] = [newKey(), newKey()]
  const dir = mkdtempSync(join(tmpdir(), 'bursar-receipts-'))
  let server: TestServer
  let call: TestServer['call']
  /**
   * One transaction on the 20th, one over two days, and one on the 22nd after the key was rolled.
   */
  let old: Json
  let lasting: Json
  let recent: Json
  let oldKeys: Json
  let keys: Json

  const sealAll = (): Promise<unknown> =>
    until(async () => {
      await sealPostings(server.app)
      return (await verifyChain(server.app)).unsealed === 0
    })
  /** Seals everything, moves to the next day and makes the proof of this one. */
  const nextDay = async (): Promise<void> => {
    await settled(server.app)
    await sealAll()
    clock.advance(day)
    await sealAll()
  }
  const receiptOf = (id: string): Promise<Json> => must(call('GET', `/transactions/${id}/receipt`))
  const transactionOf = async (type: string): Promise<string> =>
    (await must(call('GET', `/transactions?type=${type}`))).docs[0].id

  before(async () => {
    server = await startServer({ PROOF_KEY: pemOf(first) }, undefined, clock)
    call = server.call
    await server.fund('ngn', 5_000_000)
    for (const amount of [1_000, 2_000, 3_000]) await server.fund('usd', amount)
    const other = await createBusiness(server.app, 'Other')
    await must(
      server.callAs(other.test_key)('POST', '/wallets/simulate-fund', {
        currency: 'ngn',
        amount: 7_000,
      }),
    )
    const funding = await transactionOf('simulated_fund')
    const slow = bankPayout('slow', 80_000, {
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    await must(call('POST', '/payouts', slow))
    await sealAll()
    await nextDay()
    old = await receiptOf(funding)
    oldKeys = await must(call('GET', '/proofs/keys'))
    lasting = await receiptOf(await transactionOf('payout'))
    await nextDay()
    server.app.config.PROOF_KEY = second
    await server.fund('ngn', 9_999)
    const rolled = await transactionOf('simulated_fund')
    await nextDay()
    recent = await receiptOf(rolled)
    keys = await must(call('GET', '/proofs/keys'))
  })
  after(async () => {
    await server.stop()
    rmSync(dir, { recursive: true })
  })

  it('prove what was moved', () => {
    const proven = checkReceipt(old, keys)
    assert.equal(proven.business, server.businessId)
    assert.deepEqual(
      proven.postings.map(({ amount, currency, credit, kind, day: on }) => [
        amount,
        currency,
        credit,
        kind,
        on,
      ]),
      [['3000', 'usd', 'wallet_available:usd', 'simulated_fund', '2026-11-20']],
    )
    assert.ok(checkReceipt(lasting, keys).postings.length >= 2)
    assert.deepEqual(
      checkReceipt({ message: 'Receipt', data: recent }, { data: keys }).days[0]?.day,
      '2026-11-22',
    )
  })

  it('stay valid when the key is rolled, and an old key signs no new day', () => {
    assert.deepEqual(
      keys.map(({ from, until: last }: Json) => [from, last]),
      [
        ['2026-11-20', '2026-11-21'],
        ['2026-11-22', null],
      ],
    )
    checkReceipt(old, oldKeys)
    assert.throws(
      () => checkReceipt(recent, oldKeys),
      /2026-11-22 is signed by key [0-9a-f]{16}, which is none of the keys/,
    )
    const forged = structuredClone(recent)
    const [proof] = forged.days
    proof.key = keys[0].id
    proof.signature = sign(null, Buffer.from(proofText(proof)), first).toString('base64')
    assert.throws(() => checkReceipt(forged, keys), /key [0-9a-f]{16} was not in use on 2026-11-22/)
  })

  it('prove nothing once any field of them is changed', () => {
    const changed = (value: Json): Json => {
      if (typeof value === 'number') return value + 1
      if (typeof value !== 'string') return value
      if (/^\d+$/.test(value)) return String(Number(value) + 1)
      const last = value.at(-1)
      return value.slice(0, -1) + (last === '0' ? '1' : '0')
    }
    let tried = 0
    const visit = (whole: Json, at: Json, path: string): void => {
      for (const name of Object.keys(at)) {
        const was = at[name]
        if (typeof was === 'object' && was !== null) {
          visit(whole, was, `${path}.${name}`)
          continue
        }
        // The last base64 digit has bits that decoders ignore.
        at[name] =
          name === 'signature' ? `${was[0] === 'A' ? 'B' : 'A'}${was.slice(1)}` : changed(was)
        assert.throws(() => checkReceipt(whole, keys), NotProven, `${path}.${name}`)
        at[name] = was
        tried++
      }
    }
    for (const receipt of [old, lasting, recent]) {
      visit(receipt, receipt, 'receipt')
      checkReceipt(receipt, keys)
    }
    assert.ok(tried > 60, `${tried} fields`)
    // A repeated entry would prove a movement twice.
    let copied = 0
    const copy = (whole: Json, list: Json[], what: string): void => {
      for (const one of [...list]) {
        list.push(structuredClone(one))
        assert.throws(
          () => checkReceipt(whole, keys),
          /(posting|seal|\d) (\d+ )?is there twice/,
          what,
        )
        list.pop()
        copied++
      }
    }
    for (const receipt of [old, lasting, recent]) {
      copy(receipt, receipt.days, 'day')
      for (const inDay of receipt.days) {
        copy(receipt, inDay.seals, 'seal')
        for (const seal of inDay.seals) copy(receipt, seal.postings, 'posting')
      }
      checkReceipt(receipt, keys)
    }
    assert.ok(copied >= 9, `${copied} copies`)
  })

  it('prove nothing of another business, mode, transaction or day, nor without postings', () => {
    for (const change of [
      { business: noId },
      { mode: 'live' },
      { transaction: recent.transaction },
      { days: recent.days },
      { days: [{ ...old.days[0], day: '2026-11-21' }] },
      { days: [{ ...old.days[0], seals: [] }] },
      { days: [] },
      { format: 'bursar receipt 2' },
    ])
      assert.throws(
        () => checkReceipt({ ...old, ...change }, keys),
        NotProven,
        JSON.stringify(change).slice(0, 80),
      )
    for (const garbage of [null, 7, 'text', [], {}, { data: null }])
      assert.throws(() => checkReceipt(garbage, keys), NotProven)
    assert.throws(() => checkReceipt(old, []), NotProven)
  })

  const saved = (name: string, data: Json): string => {
    const file = join(dir, name)
    writeFileSync(file, JSON.stringify({ message: 'OK', data }))
    return file
  }

  it('are checked by the command without a server, and its exit says what it found', async () => {
    const run = (url: string, ...args: string[]) =>
      runAddedCommand(
        (program, print) =>
          addReceiptCommand(program, { XDG_CONFIG_HOME: dir, BURSAR_URL: url }, print),
        ['receipt', 'verify', ...args],
      )
    const nobody = 'http://localhost:9'
    const verify = (receipt: Json, known: Json) =>
      run(nobody, saved('receipt.json', receipt), '--keys', saved('keys.json', known))
    const good = await verify(old, keys)
    assert.equal(good.code, 0, good.err)
    assert.match(
      good.out,
      /^PROVEN {2}transaction [0-9a-f]{24} of business [0-9a-f]{24}, test mode\n.*simulated_fund {2}3000 usd/,
    )
    const forged = structuredClone(old)
    forged.days[0].seals[0].postings[0].amount = 300_000
    const bad = await verify(forged, keys)
    assert.deepEqual([bad.code, bad.out], [1, ''])
    assert.match(bad.err, /^bursar: NOT PROVEN: /)
    const asked = await run(server.url, saved('receipt.json', old))
    assert.equal(asked.code, 0, asked.err)
    const unreachable = await run(nobody, saved('receipt.json', old))
    assert.match(unreachable.err, /does not answer: give the keys by --keys/)
  })

  it('without one of their postings are proven as well, and the command says that they may not be whole', async () => {
    const part = structuredClone(lasting)
    const seal = part.days[0].seals.find(({ postings }: Json) => postings.length > 1)
    seal.postings.pop()
    assert.equal(
      checkReceipt(part, keys).postings.length,
      checkReceipt(lasting, keys).postings.length - 1,
    )
    const { code, out } = await runAddedCommand(
      (program, print) => addReceiptCommand(program, { XDG_CONFIG_HOME: dir }, print),
      ['receipt', 'verify', saved('receipt.json', part), '--keys', saved('keys.json', keys)],
    )
    assert.equal(code, 0)
    assert.match(
      out,
      /^PROVEN[\s\S]*\nThis proves these postings\. It does not prove that the transaction has no others\.\n$/,
    )
  })

  it('are checked by the lines of Python in docs/proofs.md', (t) => {
    const document = readFileSync(new URL('../../../docs/proofs.md', import.meta.url), 'utf8')
    const [, program = ''] = /```python\n([\s\S]*?)```/.exec(document) ?? []
    assert.ok(program.includes('Ed25519PublicKey'))
    const ready = spawnSync('python3', ['-c', 'import cryptography'])
    if (ready.status !== 0) return t.skip('there is no python3 with the package cryptography here')
    const script = join(dir, 'verify.py')
    writeFileSync(script, program)
    const verify = (receipt: Json, known: Json) =>
      spawnSync('python3', [script, saved('receipt.json', receipt), saved('keys.json', known)], {
        cwd: dir,
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
      })
    for (const receipt of [old, lasting, recent]) {
      const { stdout, stderr, status } = verify(receipt, keys)
      assert.deepEqual([stdout, status], ['proven\n', 0], stderr)
    }
    const edited = (change: (receipt: Json) => void): Json => {
      const copy = structuredClone(old)
      change(copy)
      return copy
    }
    for (const [what, receipt, known] of [
      ['amount', edited((copy) => copy.days[0].seals[0].postings[0].amount++), keys],
      ['business', { ...old, business: noId }, keys],
      [
        'a posting twice',
        edited(({ days: [{ seals }] }) => seals[0].postings.push(seals[0].postings[0])),
        keys,
      ],
      ['a day twice', { ...old, days: [...old.days, ...old.days] }, keys],
      ['no day', { ...old, days: [] }, keys],
      ['another day', edited((copy) => Object.assign(copy.days[0], { day: '2026-11-21' })), keys],
      ['old key', recent, oldKeys],
      [
        'signature',
        edited((copy) => Object.assign(copy.days[0], { signature: recent.days[0].signature })),
        keys,
      ],
    ] as [string, Json, Json][]) {
      const { stdout, status } = verify(receipt, known)
      assert.deepEqual([stdout, status], ['', 1], what)
    }
  })

  it('are of days that are over, and say when', async () => {
    await server.fund('ngn', 1_234)
    const id = await transactionOf('simulated_fund')
    const early = await call('GET', `/transactions/${id}/receipt`)
    assert.deepEqual([early.status, early.code], [409, 'receipt_not_ready'])
    assert.equal(early.body.errors.day_ends_at, '2026-11-24T00:00:00.000Z')
    await sealAll()
    assert.equal(
      (await call('GET', `/transactions/${id}/receipt`)).body.errors.day_ends_at,
      '2026-11-24T00:00:00.000Z',
    )
    clock.advance(day)
    await sealAll()
    checkReceipt(await receiptOf(id), keys)
    assert.equal((await call('GET', `/transactions/${noId}/receipt`)).status, 404)
  })

  it('are nobody else’s', async () => {
    const other = await createBusiness(server.app, 'Curious')
    const asked = await server.callAs(other.test_key)(
      'GET',
      `/transactions/${old.transaction}/receipt`,
    )
    assert.equal(asked.status, 404)
    const text = JSON.stringify(old)
    assert.ok(!text.includes(other.business.id))
  })

  it('publish a proof of each day, by which nobody is named, and which does not change', async () => {
    const anyone = server.callAs(null)
    const { data } = await anyone('GET', '/proofs/2026-11-20')
    assert.deepEqual(data.cells, [
      (
        (({ cell, root, previous, key, signature }) => ({
          cell,
          root,
          previous,
          key,
          signature,
        })) as (of: Json) => Json
      )(old.days[0]),
    ])
    assert.deepEqual([data.missing, data.unavailable], [[], []])
    assert.equal(data.cells[0].previous, '0'.repeat(64))
    assert.ok(!JSON.stringify(data).includes(server.businessId))
    const today = await anyone('GET', `/proofs/${clock.now().toISOString().slice(0, 10)}`)
    assert.deepEqual([today.data.cells, today.data.missing], [[], ['a']])
    for (const path of ['/proofs/2026-11-19', '/proofs/2026-02-30', '/proofs/yesterday']) {
      const none = await anyone('GET', path)
      assert.deepEqual([none.status, none.code], [404, 'not_found'], path)
    }
    await assert.rejects(
      () => server.app.db.query(`update proofs set root = 'x'`),
      /permission denied/,
    )
    await assert.rejects(() => server.asOwner(`update proofs set root = 'x'`), /append-only/)
    await assert.rejects(
      () => server.app.db.query(`update proofs set signature = 'x'`),
      /append-only/,
    )
    await assert.rejects(() => server.asOwner('delete from proofs'), /append-only/)
    assert.deepEqual((await verifyChain(server.app)).differences, [])
  })

  it('are made for each day that a server was away, and of one on which nothing moved', async () => {
    clock.advance(3 * day)
    await sealAll()
    const days = await server.app.db.query<{ day: string }>(
      'select day::text from proofs order by day',
    )
    const last = new Date(clock.now().getTime() - day).toISOString().slice(0, 10)
    assert.equal(days.at(-1)?.day, last)
    assert.deepEqual((await verifyChain(server.app)).differences, [])
  })
})

describe('a server without PROOF_KEY', () => {
  const clock = manualClock(new Date('2026-11-20T10:00:00Z'))
  let server: TestServer
  before(async () => {
    server = await startServer({}, undefined, clock)
    await server.fund('ngn', 5_000)
  })
  after(() => server.stop())

  it('refuses receipts and proofs with a sentence, and signs what it has once there is a key', async () => {
    const id = (await must(server.call('GET', '/transactions'))).docs[0].id
    const seal = () =>
      until(async () => {
        await sealPostings(server.app)
        return (await verifyChain(server.app)).unsealed === 0
      })
    await seal()
    clock.advance(day)
    await seal()
    const receipt = await server.call('GET', `/transactions/${id}/receipt`)
    assert.deepEqual([receipt.status, receipt.code], [409, 'proofs_off'])
    const proof = await server.call('GET', '/proofs/2026-11-20')
    assert.deepEqual([proof.status, proof.code], [404, 'not_found'])
    assert.match(proof.body.message, /signs no proofs/)
    server.app.config.PROOF_KEY = newKey()
    await sealPostings(server.app)
    const keys = await must(server.call('GET', '/proofs/keys'))
    checkReceipt(await must(server.call('GET', `/transactions/${id}/receipt`)), keys)
  })

  it('has no receipt of what moved nothing', async () => {
    await server.asOwner(
      `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee, balance_after, late, related, metadata, created_at, updated_at)
       select business_id, livemode, '${'d'.repeat(24)}', type, method, direction, 'failed', currency, amount, fee, balance_after, late, related, metadata, created_at, updated_at
         from transactions limit 1`,
    )
    const { status, code } = await server.call('GET', `/transactions/${'d'.repeat(24)}/receipt`)
    assert.deepEqual([status, code], [409, 'nothing_posted'])
  })

  it('takes no other key than one of Ed25519, and shows nothing of it', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      format: 'pem',
      type: 'pkcs8',
    })
    for (const text of ['secret text', rsa as string])
      assert.throws(
        () => readConfig({ PROOF_KEY: text }),
        ({ message }: Error) =>
          /^PROOF_KEY: must be an Ed25519 private key in PEM/.test(message) &&
          !message.includes('secret text'),
      )
  })
})
