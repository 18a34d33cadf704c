/**
 * Goal: a refund to where the money did not come from is judged as a payout, by everything that
 * judges payouts, and needs a scope that no key has by itself; one to where it came from is
 * screened. Method: refunds by keys of several scopes at limits, beneficiaries and block lists;
 * after each refusal nothing has moved, and after each end payment, wallet, payout and events say
 * the same.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  ada,
  assertRefused,
  bankAccount,
  type Json,
  type Merchant,
  newMerchant,
} from '../../../test/support/actors.ts'
import { keyWith } from '../../../test/support/approvers.ts'
import {
  type Call,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { assertUnlocked, holdRows } from '../../../test/support/held.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { newClient } from '../../db/db.ts'
import { type Reach, reachOf } from '../../db/lists/reach.ts'
import { refundChecks } from './verify.ts'

const elsewhere = bankAccount('0123456701')

describe('refunds to where the money did not come from', () => {
  let server: TestServer
  let merchant: Merchant
  let manager: Call
  let approver: Call
  let operator: Call
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 500_000 })
    manager = (await keyWith(server, ['manage', 'read'])).call
    approver = (await keyWith(server, ['approve', 'read'])).call
    operator = await operatorOf(server)
    await server.fund('ngn', 50_000_000)
  })
  after(() => server.stop())
  beforeEach(() => limit({ approve_above: null, refuse_above: null, refuse_above_daily: null }))

  const limit = (limits: object) =>
    must(
      manager('PUT', '/limits', {
        currencies: [{ currency: 'ngn', ...limits }],
        payouts_by_key: 'any',
      }),
    )
  const refuse = (code: string, payment: Json, status = 403) =>
    assertRefused(server, status, code, () => merchant.refund(payment, { destination: elsewhere }))
  const payoutOf = async (refund: Json): Promise<Json> =>
    (await must(server.call('GET', `/payouts?search=${refund.payout}`))).docs[0]
  const typesOf = async (refund: Json): Promise<string[]> =>
    (await merchant.allEvents())
      .filter(({ payload }) => payload.id === refund.id || payload.id === refund.payout)
      .map(({ type }) => type)

  it('go by a payout that costs nothing, and end as it does', async () => {
    const payment = await merchant.takeTransfer(ada)
    const before = await merchant.balance()
    const { data } = await merchant.refund(payment, {
      destination: elsewhere,
      amount: 120_000,
      metadata: { ticket: 9 },
    })
    const payout = await payoutOf(data)
    assert.deepEqual(
      [
        payout.refund,
        payout.amount,
        payout.fee,
        payout.reference,
        payout.transaction,
        payout.metadata,
      ],
      [data.id, 120_000, 0, `refund_${data.id}`, data.transaction, { ticket: 9 }],
    )
    const done = await merchant.refundEnded(data.id)
    assert.deepEqual(
      [done.status, done.provider_reference],
      ['completed', (await payoutOf(data)).provider_reference],
    )
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 120_000,
      pending: 0,
    })
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 120_000)
    assert.deepEqual(await typesOf(data), [
      'refund.initiated',
      'payout.initiated',
      'payout.completed',
      'refund.completed',
    ])
    const told = JSON.stringify(await merchant.ask('GET', `/explain/${data.id}`))
    assert.match(told, /The payout arrived/)

    await assertRefused(server, 400, 'refund_not_simulated', () =>
      merchant.call('POST', `/refunds/${data.id}/simulate`, { outcome: 'returned' }),
    )
    await must(
      merchant.call('POST', `/payouts/${payout.reference}/simulate`, { outcome: 'returned' }),
    )
    const { return_transaction } = await payoutOf(data)
    const returned = await merchant.ask('GET', `/refunds/${data.id}`)
    assert.deepEqual([returned.status, returned.return_transaction], ['failed', return_transaction])
    assert.deepEqual(await merchant.balance(), before)
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 0)
  })

  it('fail when the payout fails or is canceled, and can be made again', async () => {
    const payment = await merchant.takeTransfer(ada)
    const before = await merchant.balance()
    const failing = await merchant.refund(payment, { destination: bankAccount('0000000001') })
    assert.equal((await merchant.refundEnded(failing.data.id)).status, 'failed')
    await limit({ approve_above: 1 })
    const { data } = await merchant.refund(payment, { destination: elsewhere })
    await must(server.call('POST', `/payouts/${(await payoutOf(data)).reference}/cancel`))
    const canceled = await merchant.ask('GET', `/refunds/${data.id}`)
    assert.deepEqual([canceled.status, canceled.failure_reason], ['failed', 'canceled'])
    assert.deepEqual(await merchant.balance(), before)
    await limit({ approve_above: null })
    const again = await merchant.refund(payment, { destination: elsewhere })
    assert.deepEqual([again.status, again.data.amount], [201, 500_000])
    assert.equal((await merchant.refundEnded(again.data.id)).status, 'completed')
  })

  it('need a scope of their own; back to the source a refund does not', async () => {
    const payment = await merchant.takeTransfer(ada)
    const clerk = newMerchant(server, {
      call: (await keyWith(server, ['read', 'refund', 'collect', 'payout', 'manage'])).call,
    })
    const { body } = await assertRefused(server, 403, 'scope_missing', () =>
      clerk.refund(payment, { destination: elsewhere }),
    )
    assert.match(body.message, /refund_elsewhere/)
    const usdc = {
      currency: 'usdc',
      chain: 'base',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    }
    await assertRefused(server, 403, 'scope_missing', () =>
      clerk.refund(payment, { destination: usdc }),
    )
    // More than came from there goes to more than the source.
    const { bank_code, account_number } = ada
    const own = await clerk.refund(payment, {
      destination: { bank_code, account_number },
      amount: 200_000,
    })
    assert.deepEqual([own.status, own.data.payout], [201, null])
    await merchant.refundEnded(own.data.id)
    const rest = await clerk.refund(payment)
    assert.deepEqual([rest.data.amount, rest.data.payout], [300_000, null])
    await merchant.refundEnded(rest.data.id)
  })

  it('are refused above what the business and the operator let out, and count in its day', async () => {
    const payment = await merchant.takeTransfer(ada)
    await limit({ refuse_above: 499_999 })
    await refuse('limit_exceeded', payment)
    await limit({ refuse_above: null })
    const ceilings = `/operator/businesses/${server.businessId}/limits`
    const ceiling = (max_payout: number | null) =>
      must(operator('PUT', ceilings, { currencies: [{ currency: 'ngn', max_payout }] }))
    await ceiling(499_999)
    await refuse('operator_limit_exceeded', payment)
    await ceiling(null)
    await must(
      manager('PUT', '/limits', {
        currencies: [{ currency: 'ngn', refuse_above_daily: 90_000_000 }],
      }),
    )
    const paidOut = async () => (await must(manager('GET', '/limits'))).currencies[0].paid_out_today
    const before = await paidOut()
    const { data } = await merchant.refund(payment, { destination: elsewhere })
    await merchant.refundEnded(data.id)
    assert.equal(await paidOut(), before + 500_000)
    await limit({ refuse_above_daily: before + 500_001 })
    await refuse('limit_exceeded', await merchant.takeTransfer(ada))
  })

  it('are refused where they would take more of another currency than the operator lets', async () => {
    const payment = await merchant.takeTransfer(ada)
    const ofUsdc = (max_short: number | null) =>
      must(
        operator('PUT', '/operator/exchange/limits', {
          currencies: [{ currency: 'usdc', max_short }],
        }),
      )
    await ofUsdc(1)
    const destination = {
      currency: 'usdc',
      chain: 'base',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    }
    await assertRefused(server, 403, 'exchange_limit_exceeded', () =>
      merchant.refund(payment, { destination }),
    )
    await ofUsdc(null)
    const { data } = await merchant.refund(payment, { destination })
    assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
  })

  it('wait for a second person, who lets them go or refuses them', async () => {
    await limit({ approve_above: 100_000 })
    for (const [decision, status, reason] of [
      ['approve', 'completed', null],
      ['refuse', 'failed', 'canceled'],
    ] as const) {
      const payment = await merchant.takeTransfer(ada)
      const before = await merchant.balance()
      const { data } = await merchant.refund(payment, { destination: elsewhere })
      const payout = await payoutOf(data)
      assert.deepEqual(
        [data.status, payout.status, payout.approval],
        ['initiated', 'pending', 'waiting'],
      )
      assert.deepEqual(await merchant.balance(), {
        available: before.available - 500_000,
        pending: 500_000,
      })
      assert.equal((await merchant.refund(payment)).code, 'refund_in_progress')
      await must(approver('POST', `/payouts/${payout.reference}/${decision}`))
      const ended = await merchant.refundEnded(data.id)
      assert.deepEqual([ended.status, ended.failure_reason], [status, reason])
      assert.equal(
        (await merchant.balance()).available,
        before.available - (status === 'completed' ? 500_000 : 0),
      )
    }
  })

  it('go to beneficiaries alone where keys pay no others, once they have cooled off', async () => {
    const payment = await merchant.takeTransfer(ada)
    await must(
      manager('PUT', '/limits', {
        payouts_by_key: 'beneficiaries',
        beneficiary_cooling_off_hours: 24,
      }),
    )
    await refuse('destination_not_allowed', payment)
    await must(
      manager('POST', '/beneficiaries', {
        label: 'Ada',
        method: 'bank_transfer',
        destination: elsewhere,
      }),
    )
    await refuse('beneficiary_cooling_off', payment, 400)
    await merchant.advance('25h')
    const { data } = await merchant.refund(payment, { destination: elsewhere })
    assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
  })

  it('lock the payments of several in one order, whatever order they were made in', async () => {
    await limit({ approve_above: 1 })
    const first = await merchant.takeTransfer(ada)
    await merchant.advance('1h')
    const second = await merchant.takeTransfer(ada)
    const references: string[] = []
    for (const payment of [second, first]) {
      await merchant.advance('1h')
      const { data } = await merchant.refund(payment, { destination: elsewhere, amount: 1_000 })
      references.push((await payoutOf(data)).reference)
    }
    const row = 'select from payments where id = $1'
    const held = await holdRows(server, row, [first.id])
    const refused = approver('POST', '/payouts/decisions', { decision: 'refuse', references })
    await held.waiting(1)
    await assertUnlocked(server, row, [second.id]).finally(held.release)
    assert.equal((await must(refused)).decided.length, 2)
  })

  it('are found by the ledger’s verification where refund and payout differ, whichever was changed since', async () => {
    const [check] = refundChecks.filter(
      ({ name }) => name === 'every refund to elsewhere agrees with its payout',
    )
    const text = check?.text as (reach: Reach) => string
    const { data } = await merchant.refund(await merchant.takeTransfer(ada), {
      destination: elsewhere,
    })
    await merchant.refundEnded(data.id)
    const admin = newClient(server.superuserUrl)
    await admin.connect()
    await admin.query('set session_replication_role = replica')
    const found = () =>
      server.app.db.query<Json>(text(reachOf({ position: 0n, closed_at: new Date('2030-01-01') })))
    const set = (table: string, id: string, to: string) =>
      admin.query(`update ${table} set ${to} where id = '${id}'`)
    assert.deepEqual(await found(), [])
    const old = `updated_at = '2026-01-01'`
    const now = `updated_at = '2030-01-02'`
    for (const [table, id, wrong, right] of [
      ['payouts', data.payout, 'amount = amount + 1', 'amount = amount - 1'],
      ['refunds', data.id, 'amount = amount + 1', 'amount = amount - 1'],
      ['refunds', data.id, 'payout_id = null', `payout_id = '${data.payout}'`],
      ['payouts', data.payout, 'refund_id = null', `refund_id = '${data.id}'`],
    ] as const) {
      const losesLink = wrong.endsWith('null')
      const [changed, other] =
        (table === 'payouts') !== losesLink ? ['payouts', 'refunds'] : ['refunds', 'payouts']
      const idOf = (one: string) => (one === 'payouts' ? data.payout : data.id)
      await set(table, id, wrong)
      await set(other as string, idOf(other as string), old)
      await set(changed as string, idOf(changed as string), now)
      assert.deepEqual(
        (await found()).map(({ what }) => what),
        [`refund ${data.id}, payout ${data.payout}`],
        `${table} ${wrong}`,
      )
      await set(table, id, right)
      assert.deepEqual(await found(), [], `${table} ${right}`)
    }
    await admin.end()
  })

  const block = (value: string) =>
    must(operator('POST', '/operator/screening/entries', { type: 'account', kind: 'block', value }))
  const reviewOf = async (subject: string): Promise<string> =>
    until(async () => {
      const { docs } = await must(operator('GET', '/operator/reviews?status=waiting'))
      return docs.find((one: Json) => one.subject === subject)?.id
    })

  it('are screened', async () => {
    const payment = await merchant.takeTransfer(ada)
    const before = await merchant.balance()
    await block('0123456702')
    const { data } = await merchant.refund(payment, { destination: bankAccount('0123456702') })
    const review = await reviewOf(data.payout)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 500_000,
      pending: 500_000,
    })
    await must(operator('POST', `/operator/reviews/${review}/refuse`))
    const ended = await merchant.refundEnded(data.id)
    assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'rejected'])
    assert.deepEqual(await merchant.balance(), before)
  })

  describe('back to the account that paid', () => {
    it('are screened, and wait with their amount held for a person', async () => {
      for (const [account_number, decision, status] of [
        ['0123456703', 'release', 'completed'],
        ['0123456704', 'refuse', 'failed'],
      ] as const) {
        const payment = await merchant.takeTransfer({ ...ada, account_number })
        const before = await merchant.balance()
        await block(account_number)
        const { data } = await merchant.refund(payment)
        const review = await reviewOf(data.id)
        await settled(server.app)
        const held = await merchant.ask('GET', `/refunds/${data.id}`)
        assert.deepEqual(
          [held.status, held.payout, held.review.reason],
          ['initiated', null, 'block_list'],
        )
        assert.deepEqual(await merchant.balance(), {
          available: before.available - 500_000,
          pending: 500_000,
        })
        assert.deepEqual(
          await server.app.db.query('select from sandbox_orders where id = $1', [data.id]),
          [],
        )
        await assertRefused(server, 400, 'refund_under_review', () =>
          server.call('POST', `/refunds/${data.id}/simulate`, { outcome: 'completed' }),
        )
        await must(operator('POST', `/operator/reviews/${review}/${decision}`))
        assert.equal((await merchant.refundEnded(data.id)).status, status)
        assert.equal(
          (await merchant.balance()).available,
          before.available - (status === 'completed' ? 500_000 : 0),
        )
        assert.deepEqual(await typesOf(data), ['refund.initiated', `refund.${status}`])
      }
    })

    it('are screened where they are automatic', async () => {
      const account_number = '0123456705'
      await block(account_number)
      const payment = await merchant.openPayment({ on_mismatch: 'reverse' })
      await merchant.payerOf(payment).transfer(200_000, { ...ada, account_number })
      // What came is held itself first.
      const held = await until(async () => {
        const { docs } = await must(operator('GET', '/operator/reviews?status=waiting'))
        return docs.find((one: Json) => one.kind === 'deposit')?.id
      })
      await must(operator('POST', `/operator/reviews/${held}/release`))
      const refund = await until(async () => (await merchant.refundsOf(payment))[0])
      assert.deepEqual([refund.automatic, refund.amount, refund.payout], [true, 200_000, null])
      await must(operator('POST', `/operator/reviews/${await reviewOf(refund.id)}/refuse`))
      assert.equal((await merchant.refundEnded(refund.id)).status, 'failed')
    })
  })
})
