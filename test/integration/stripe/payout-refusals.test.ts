/**
 * Goal: each refusal of Stripe's API v2 does what it means to its payout, to its payee and to the
 * account; one that nobody knows releases nothing. Method: whole servers over a double that refuses
 * as it is told to, by type and code; what the double's books have is held against what the server
 * says.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import type { Refusing } from '../../doubles/stripe-outbound.ts'
import { holderAddress, passHours } from '../../support/dollars.ts'
import { type Json, must } from '../../support/harness.ts'
import { openTill, type Till } from '../../support/stripe-outbound.ts'

const payment = (refusal: Partial<Refusing>): Refusing => ({
  operation: 'create_payment',
  status: 400,
  ...refusal,
})
const setup = (refusal: Partial<Refusing>): Refusing => ({
  operation: 'setup_bank',
  status: 400,
  ...refusal,
})

describe('a payout that Stripe refuses', () => {
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
  const asked = (operation: string): number =>
    till.double.requests.filter((one) => one.operation === operation).length
  const hours = (count: number): Promise<void> => passHours(till, count)
  const incidentsOf = async ({ id }: Json): Promise<[string, unknown][]> =>
    (await listIncidents(till.server.app.db, {}))
      .filter(({ subject }) => subject === id)
      .map(({ kind, detail }) => [kind, detail.says])
  const held = async (): Promise<[number, number]> => {
    const wallets = await must(till.live('GET', '/wallets'))
    const { available, ledger } = wallets.find(({ currency }: Json) => currency === 'usd')
    return [available, ledger]
  }

  for (const [title, refusal] of [
    ['feature', { status: 403, type: 'feature_not_enabled', code: 'recipient_feature_not_active' }],
    ['amount of money', { type: 'quota_exceeded', code: 'recipient_amount_limit_exceeded' }],
    ['number of payments', { type: 'quota_exceeded', code: 'recipient_count_limit_exceeded' }],
  ] as const)
    it(`waits alone for the ${title} of its payee, who is made once, and is paid once Stripe takes it`, async () => {
      const to = payee()
      till.double.refusing.push(payment({ ...refusal, number: to.account_number }))
      const before = asked('create_recipient')
      const one = await till.payOut(100_00, { destination: to })
      const other = await till.payOut(100_00)
      assert.deepEqual([await statusOf(one), await statusOf(other)], ['pending', 'processing'])
      await hours(3)
      assert.equal(await statusOf(one), 'pending')
      const sent = till.double.requests.filter(({ body }) =>
        body?.metadata?.bursar_id?.startsWith(`po-${one.id}`),
      )
      assert.ok(
        sent.length > 1 && sent.length < 20,
        `it was offered ${sent.length} times in three hours`,
      )
      till.double.refusing.splice(0)
      await hours(2)
      assert.equal(till.paymentsOf(one.id).length, 1)
      assert.equal(asked('create_recipient') - before, 2)
      assert.deepEqual(await incidentsOf(one), [])
      await till.assertSound()
    })

  for (const refusal of [
    { type: 'financial_account_not_open', code: 'financial_account_not_open' },
    { status: 403, type: 'capability_not_enabled', code: 'capability_not_enabled' },
    {
      type: 'feature_not_enabled',
      code: 'outbound_flow_from_closed_financial_account_unsupported',
    },
    { code: 'financial_address_creation_required' },
    { type: 'quota_exceeded', code: '' },
    { type: 'rate_limit', code: 'rate_limit' },
  ] as const)
    it(`waits while the account may not pay, and no payout fails by it: ${Object.values(refusal).join(' ')}`, async () => {
      till.double.refusing.push(payment(refusal))
      const all = [await till.payOut(), await till.payOut(), await till.payOut()]
      await hours(1)
      for (const one of all) assert.equal(await statusOf(one), 'pending')
      till.double.refusing.splice(0)
      await hours(2)
      for (const one of all) assert.equal(till.paymentsOf(one.id).length, 1)
      await till.assertSound()
    })

  for (const [refusal, reason] of [
    [{ type: 'blocked_by_stripe', code: 'blocked_payout_method' }, 'rejected'],
    [{ code: 'payout_method_disabled' }, 'invalid_account'],
    [{ code: 'amount_too_large_for_payout_method' }, 'limit_exceeded'],
    [{ code: 'invalid_fields' }, 'rejected'],
  ] as const)
    it(`fails with ${reason} where Stripe refuses it for good: ${Object.values(refusal).join(' ')}`, async () => {
      const to = payee()
      till.double.refusing.push(payment({ ...refusal, number: to.account_number }))
      const before = asked('create_recipient')
      for (let n = 0; n < 2; n++) {
        const one = await till.payOut(100_00, { destination: to })
        const payout = await till.payout(one.reference)
        assert.deepEqual([payout.status, payout.failure_reason], ['failed', reason])
      }
      till.double.refusing.splice(0)
      assert.equal(asked('create_recipient') - before, 1)
      await till.assertSound()
    })

  it('waits for the limit of bank accounts, with one recipient, and fails where the bank account is none', async () => {
    const [limited, blocked] = [payee(), payee()]
    till.double.refusing.push(
      setup({
        type: 'quota_exceeded',
        code: 'limit_payout_method',
        number: limited.account_number,
      }),
      setup({
        type: 'blocked_by_stripe',
        code: 'unsupported_payout_method',
        number: blocked.account_number,
      }),
    )
    const before = asked('create_recipient')
    const one = await till.payOut(100_00, { destination: limited })
    await hours(3)
    assert.equal(await statusOf(one), 'pending')
    const other = await till.payOut(100_00, { destination: blocked })
    assert.equal((await till.payout(other.reference)).failure_reason, 'invalid_account')
    till.double.refusing.splice(0)
    await hours(2)
    assert.equal(till.paymentsOf(one.id).length, 1)
    assert.equal(asked('create_recipient') - before, 2)
    await till.assertSound()
  })

  it('waits, and a person is told, where the refusal of its bank account is not known', async () => {
    const to = payee()
    till.double.refusing.push(
      setup({ type: 'of_next_year', code: 'new_code', number: to.account_number }),
    )
    const one = await till.payOut(100_00, { destination: to })
    await hours(1)
    assert.equal(await statusOf(one), 'pending')
    assert.deepEqual(await incidentsOf(one), [
      ['quarantined', 'a refusal that this version does not know: of_next_year new_code (400)'],
    ])
    till.double.refusing.splice(0)
    await hours(1)
    assert.equal(till.paymentsOf(one.id).length, 1)
    await till.assertSound()
  })

  it('keeps its money held, and one incident names the code, where the refusal is not known', async () => {
    const odd: Partial<Refusing>[] = [
      { type: 'of_next_year', code: 'new_code' },
      { code: 'recipient_something' },
      { code: 'balance_something' },
      { type: 'invalid_request_error', code: 'amount_something' },
      { status: 402, type: 'card_error', code: 'limit_something' },
      { status: 403, type: 'not_allowed', code: 'feature_something' },
      { status: 404, code: 'not_found' },
      { status: 422, code: 'unprocessable' },
    ]
    for (const refusal of odd) {
      const before = await held()
      till.double.refusing.push(payment(refusal))
      const one = await till.payOut(100_00)
      const [available, ledger] = await held()
      assert.ok(available <= before[0] - 100_00, `${refusal.code} released what was held`)
      await hours(2)
      assert.equal(await statusOf(one), 'processing', `after ${refusal.code}`)
      assert.deepEqual(await held(), [available, ledger])
      const words = [refusal.type, refusal.code, `(${refusal.status ?? 400})`].filter(
        (word) => word !== undefined,
      )
      assert.deepEqual(await incidentsOf(one), [
        ['quarantined', `a refusal that this version does not know: ${words.join(' ')}`],
      ])
      till.double.refusing.splice(0)
      await hours(12)
      assert.equal(till.paymentsOf(one.id).length, 1)
    }
    await till.assertSound()
  })
})
