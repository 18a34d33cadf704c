/**
 * Goal: each refusal that Bridge documents does what it means to its payout and to the account; one
 * that nobody knows releases nothing. Method: whole servers over a double that refuses as it is
 * told to; what the double's books have is held against what the server says.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import type { Refusing } from '../../doubles/bridge.ts'
import { openTill, type Till } from '../../support/bridge.ts'
import { holderAddress, minuteMs, passHours } from '../../support/dollars.ts'
import { type Json, must } from '../../support/harness.ts'

const transfer = (refusal: Partial<Refusing> & { code: string }): Refusing => ({
  operation: 'create_transfer',
  status: 400,
  ...refusal,
})

describe('a payout that Bridge refuses', () => {
  let till: Till
  let made = 0
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())
  beforeEach(() => {
    till.double.refusing.splice(0)
  })

  const payee = () => ({
    country: 'us',
    routing_number: '021000021',
    account_number: String(700_000_000 + ++made),
    account_name: 'Ada Okafor',
    account_type: 'checking',
    holder_address: holderAddress,
  })
  const statusOf = async ({ reference }: Json): Promise<string> =>
    (await till.payout(reference)).status
  const waitsOf = async ({ id }: Json): Promise<string | null> => {
    const [row] = await till.server.app.db.query<{ waits: { for: string } | null }>(
      'select waits from payouts where id = $1',
      [id],
    )
    return row?.waits?.for ?? null
  }
  const hours = (count: number): Promise<void> => passHours(till, count)
  const incidentsOf = async ({ id }: Json): Promise<[string, unknown][]> =>
    (await listIncidents(till.server.app.db, {}))
      .filter(({ subject }) => subject === id)
      .map(({ kind, detail }) => [kind, detail.says])
  const available = async (): Promise<number> =>
    (await must(till.live('GET', '/wallets'))).find(({ currency }: Json) => currency === 'usd')
      .available

  for (const [status, code] of [
    [400, 'frozen'],
    [400, 'has_not_accepted_tos'],
    [400, 'requires_active_kyc_status'],
    [401, 'not_allowed'],
    [403, 'missing_required_endorsements'],
  ] as const)
    for (const operation of ['create_transfer', 'create_external_account'] as const)
      it(`waits while the customer may not pay, and no key is blamed: ${operation}, ${status} ${code}`, async () => {
        till.double.refusing.push({ operation, status, code })
        const all = [await till.payOut(), await till.payOut()]
        await hours(1)
        for (const one of all)
          assert.deepEqual([await statusOf(one), await waitsOf(one)], ['pending', 'not_enabled'])
        till.double.refusing.splice(0)
        await hours(1)
        for (const one of all) assert.equal(till.transfersOf(one.id).length, 1)
        await till.assertSound()
      })

  it('waits for the reason for which Bridge does not show the wallet', async () => {
    for (const [code, obstacle] of [
      ['not_allowed', 'not_enabled'],
      ['invalid_api_key', 'bad_credentials'],
    ] as const) {
      till.double.refusing.push({ operation: 'get_wallet', status: 401, code })
      await till.pass(minuteMs)
      const one = await till.payOut()
      assert.deepEqual([await statusOf(one), await waitsOf(one)], ['pending', obstacle])
      const { bridge } = till.server.app.rails.live.accounts
      assert.equal((await bridge?.check?.())?.obstacle, obstacle)
      till.double.refusing.splice(0)
      await till.pass(10 * minuteMs)
      assert.equal(till.transfersOf(one.id).length, 1)
    }
    await till.assertSound()
  })

  it('waits alone for the limits of the developer, and is paid once Bridge takes it', async () => {
    const to = payee()
    till.double.refusing.push(
      transfer({ status: 403, code: 'developer_limits_exceeded', number: to.account_number }),
    )
    const one = await till.payOut(100_00, { destination: to })
    const other = await till.payOut()
    await hours(2)
    assert.deepEqual([await statusOf(one), await statusOf(other)], ['pending', 'processing'])
    till.double.refusing.splice(0)
    await hours(2)
    assert.equal(till.transfersOf(one.id).length, 1)
    await till.assertSound()
  })

  it('waits where Bridge does not take the key', async () => {
    await till.double.fault('create_transfer', 'unauthorized')
    await till.double.fault('create_external_account', 'unauthorized')
    const one = await till.payOut()
    assert.deepEqual([await statusOf(one), await waitsOf(one)], ['pending', 'bad_credentials'])
    await till.double.clearFaults()
    await hours(1)
    assert.equal(till.transfersOf(one.id).length, 1)
    await till.assertSound()
  })

  for (const [refusal, reason] of [
    [{ code: 'invalid_parameters', key: 'amount' }, 'limit_exceeded'],
    [{ code: 'invalid_parameters' }, 'rejected'],
  ] as const)
    it(`fails with ${reason} where Bridge refuses it for good: ${Object.values(refusal).join(' ')}`, async () => {
      till.double.refusing.push(transfer(refusal))
      const { reference } = await till.payOut()
      const payout = await till.payout(reference)
      assert.deepEqual([payout.status, payout.failure_reason], ['failed', reason])
      till.double.refusing.splice(0)
      await till.assertSound()
    })

  it('fails where the address of its holder is not valid, and so does one to the account that is there already', async () => {
    const { books } = till.double
    const to = payee()
    books.addressValid = false
    const one = await till.payOut(100_00, { destination: to })
    assert.equal((await till.payout(one.reference)).failure_reason, 'rejected')
    books.addressValid = true
    const corrected = { ...to, holder_address: { ...holderAddress, line1: '14 Main Street' } }
    const other = await till.payOut(100_00, { destination: corrected })
    assert.equal((await till.payout(other.reference)).failure_reason, 'rejected')
    assert.deepEqual(
      (await incidentsOf(other)).map(([kind]) => kind),
      ['needs_attention'],
    )
    await till.assertSound()
  })

  it('is not failed where its answer was lost and its key is refused for another body', async () => {
    const { double } = till
    await double.fault('create_transfer', 'reset_after')
    await double.fault('list_transfers', 'error_before', { times: 99 })
    const one = await till.payOut()
    await hours(1)
    await double.clearFaults()
    const there = double.transfer.of(`po-${one.id}`)
    const { updatedAt } = there
    there.updatedAt = new Date(0)
    double.spentKey = {
      status: 400,
      body: { code: 'duplicate_record', message: 'Other parameters before' },
    }
    await hours(12)
    assert.equal(await statusOf(one), 'processing')
    assert.equal((await incidentsOf(one))[0]?.[0], 'quarantined')
    double.spentKey = null
    there.updatedAt = updatedAt
    double.transfer.succeed(`po-${one.id}`)
    await hours(24)
    assert.equal(await statusOf(one), 'completed')
    await till.assertSound()
  })

  it('is under way while it is pending, and left to a person where Bridge knows it no more', async () => {
    const one = await till.payOut()
    till.double.transfer.become(`po-${one.id}`, 'pending')
    await till.pass(minuteMs)
    assert.equal(await statusOf(one), 'processing')
    assert.deepEqual(await incidentsOf(one), [])
    const { transfers } = till.double.books
    const there = transfers.pop()
    assert.ok(there)
    for (const status of [404, 400]) {
      till.double.books.unknownStatus = status
      await hours(12)
      const told = (await listIncidents(till.server.app.db, {})).find(
        ({ subject }) => subject === `po-${one.id}`,
      )
      assert.match(String(told?.detail.says), /does not know a transfer any more/)
    }
    transfers.push(there)
    till.double.transfer.succeed(`po-${one.id}`)
    await hours(12)
    assert.equal(await statusOf(one), 'completed')
    await till.assertSound()
  })

  it('goes to no other account that Bridge names in place of its own', async () => {
    const { books } = till.double
    const [elsewhere, to] = [payee(), payee()]
    for (const destination of [elsewhere, to]) await till.payOut(100_00, { destination })
    const idOf = (number: string): string =>
      books.accounts.find((one) => one.number === number)?.id as string
    // Nothing is kept of it here: the same payee with another address.
    const again = { ...to, holder_address: { ...holderAddress, line1: '15 Main Street' } }
    books.namesInstead = idOf(elsewhere.account_number)
    const one = await till.payOut(100_00, { destination: again })
    await hours(1)
    assert.deepEqual([await statusOf(one), till.transfersOf(one.id)], ['pending', []])
    assert.deepEqual(await incidentsOf(one), [
      [
        'quarantined',
        'Bridge says that the external account is there already, and names another account',
      ],
    ])
    books.namesInstead = null
    await hours(48)
    assert.deepEqual(
      till.transfersOf(one.id).map(({ account }) => account.id),
      [idOf(to.account_number)],
    )
    await till.assertSound()
  })

  it('waits, and a person is told, where the refusal of its external account is not known', async () => {
    till.double.refusing.push({
      operation: 'create_external_account',
      status: 400,
      code: 'new_code',
    })
    const one = await till.payOut()
    await hours(1)
    assert.equal(await statusOf(one), 'pending')
    assert.deepEqual(await incidentsOf(one), [
      ['quarantined', 'a refusal that this version does not know: new_code (400)'],
    ])
    till.double.refusing.splice(0)
    await hours(1)
    assert.equal(till.transfersOf(one.id).length, 1)
    await till.assertSound()
  })

  it('keeps its money held, and one incident names the code, where the refusal is not known', async () => {
    const odd = [
      { code: 'new_code' },
      { code: 'bad_request' },
      { code: 'external_account_new', status: 409 },
      { code: 'not_found', key: 'source.bridge_wallet_id' },
      { code: 'limit_new', message: 'The maximum amount' },
      { code: 'kyc_new', status: 404 },
      { code: 'forbidden', status: 403 },
      { code: 'unprocessable_entity', status: 422 },
    ]
    const payouts: Json[] = []
    for (const refusal of odd) {
      const to = payee()
      till.double.refusing.push(transfer({ ...refusal, number: to.account_number }))
      const before = await available()
      payouts.push(await till.payOut(100_00, { destination: to }))
      assert.ok((await available()) <= before - 100_00)
    }
    const held = await available()
    await hours(2)
    assert.equal(await available(), held)
    for (const [i, refusal] of odd.entries()) {
      assert.equal(await statusOf(payouts[i]), 'processing', `after ${refusal.code}`)
      const told = await incidentsOf(payouts[i])
      // Of 409 Bridge says that it may be under way.
      if (refusal.status === 409) continue
      assert.deepEqual([told.length, told[0]?.[0]], [1, 'quarantined'])
      assert.match(String(told[0]?.[1]), new RegExp(refusal.code))
    }
    till.double.refusing.splice(0)
    // Bridge answers a key for a day as it did first, and takes it no more afterwards: nobody can
    // be paid by it.
    await hours(48)
    assert.equal(await available(), held)
    for (const one of payouts)
      assert.deepEqual([await statusOf(one), till.transfersOf(one.id)], ['processing', []])
    await till.assertSound()
  })
})
