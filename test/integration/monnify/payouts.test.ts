/**
 * Goal: a payout in naira with a live key is paid by Monnify's transfer, once, whatever Monnify
 * answers. Method: whole servers over the double of Monnify, asked over HTTP; what the double's
 * books have is held against what the server says.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { nairaIn, withAmount } from '../../../src/rails/monnify/wallet.ts'
import { monnifyInbound } from '../../../src/rails/monnify/webhooks.ts'
import { unblockAccount } from '../../../src/rails/records/blocks.ts'
import { minuteMs } from '../../support/dollars.ts'
import { must, until } from '../../support/harness.ts'
import { openTill, type Till } from '../../support/monnify.ts'

const dayMs = 24 * 60 * minuteMs
const reconcileNow = async ({ server }: Till, asked = {}) =>
  reconcile(server.app, findReconcilable(server.app, true, 'monnify') as ReconciledAccount, asked)

describe('a live payout in naira by Monnify', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  it('is a transfer of its exact amount, to a holder whose name was asked for, and completes when Monnify says so', async () => {
    const { id, reference, destination, fee } = await till.payOut(12_345_67)
    const [transfer] = till.transfersOf(id)
    assert.deepEqual(
      [
        transfer?.reference,
        transfer?.amount,
        transfer?.number,
        transfer?.bank,
        destination.resolved_account_name,
      ],
      [`po-${id}`, 12_345_67 - fee, destination.account_number, '058', 'ADA NGOZI OKAFOR'],
    )
    assert.equal((await till.payout(reference)).status, 'processing')
    till.double.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    const payout = await till.payout(reference)
    assert.deepEqual([payout.status, payout.provider_reference], ['completed', transfer?.id])
    assert.deepEqual(await till.eventsOf(id), ['payout.initiated', 'payout.completed'])
    await till.assertSound()
  })

  it('fails when Monnify says so, and the wallet has the money again', async () => {
    const { id, reference } = await till.payOut()
    till.double.transfer.fail(`po-${id}`)
    await till.double.events.deliver()
    await until(async () => (await till.payout(reference)).status === 'failed')
    assert.equal((await till.payout(reference)).failure_reason, 'invalid_account')
    await till.assertSound()
  })

  it('is returned when it comes back after it arrived, which a webhook tells, and nothing of the webhook is believed', async () => {
    const { id, reference } = await till.payOut()
    const { events, transfer } = till.double
    transfer.succeed(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'completed')
    const other = await till.payOut()
    const lie = {
      eventType: 'FAILED_DISBURSEMENT',
      eventData: { reference: `po-${other.id}`, status: 'FAILED' },
    }
    assert.equal(await events.post(JSON.stringify(lie)), 200)
    // In live mode nothing is taken without a signature.
    const unsigned = await fetch(events.url as string, {
      method: 'POST',
      body: JSON.stringify(lie),
    })
    assert.equal(unsigned.status, 401)
    transfer.comeBack(`po-${id}`)
    await events.deliver()
    await until(async () => (await till.payout(reference)).status === 'returned')
    assert.equal((await till.payout(other.reference)).status, 'processing')
    assert.deepEqual(await till.eventsOf(id), [
      'payout.initiated',
      'payout.completed',
      'payout.returned',
    ])
    await till.assertSound()
  })

  it('waits while the wallet holds too little, and for two minutes after the same amount to the same account', async () => {
    const { balance } = till.double.wallet
    till.double.wallet.balance = 1_000
    await till.pass(minuteMs)
    const { id, reference } = await till.payOut()
    assert.deepEqual(
      [till.transfersOf(id).length, (await till.payout(reference)).status],
      [0, 'pending'],
    )
    till.double.wallet.balance = balance
    await till.pass(2 * minuteMs)
    const [first] = till.transfersOf(id)
    assert.equal(first?.status, 'PENDING')
    const { bank_code, account_number } = (await till.payout(reference)).destination
    const again = await till.payOut(undefined, { destination: { bank_code, account_number } })
    assert.equal(till.transfersOf(again.id).length, 0)
    await till.pass(minuteMs)
    assert.equal(till.transfersOf(again.id).length, 0)
    await till.pass(3 * minuteMs)
    assert.equal(till.transfersOf(again.id).length, 1)
    await till.assertSound()
  })

  it('waits for no code: an account that asks for one pays nothing more until a person has acted, and goes on then', async () => {
    till.double.settings.codes = true
    const { id, reference } = await till.payOut()
    const next = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'processing')
    assert.deepEqual(
      [till.transfersOf(next.id).length, (await till.payout(next.reference)).status],
      [0, 'pending'],
    )
    const told = (await listIncidents(till.server.app.db, {})).filter(
      ({ kind }) => kind === 'otp_required',
    )
    assert.equal(told.length, 1)
    till.double.settings.codes = false
    till.double.transfer.release(`po-${id}`)
    till.double.transfer.succeed(`po-${id}`)
    await unblockAccount(till.server.app.db, true, 'monnify')
    await till.pass(15 * minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.equal(till.transfersOf(next.id).length, 1)
    await till.assertSound()
  })

  it('comes to a difference of zero when the books are held against the wallet', async () => {
    for (const one of till.double.transfers)
      if (one.status === 'PENDING') till.double.transfer.succeed(one.reference)
    await till.pass(31 * minuteMs)
    await reconcileNow(till, { opening: true })
    till.double.topUp(123_45)
    const back = await till.payOut()
    till.double.transfer.succeed(`po-${back.id}`)
    await till.pass(minuteMs)
    assert.deepEqual((await reconcileNow(till)).findings, [])
    // Nobody is told that it came back: the statement says so.
    till.double.transfer.comeBack(`po-${back.id}`)
    till.double.events.queue.splice(0)
    await till.pass(dayMs)
    const report = await reconcileNow(till)
    assert.deepEqual([report.findings, report.difference], [[], 0n])
    assert.equal((await till.payout(back.reference)).status, 'returned')
    assert.equal(report.available, BigInt(till.double.wallet.balance))
    await till.assertSound()
  })

  it('says how its account stands', async () => {
    const { accounts } = till.server.app.rails.live
    assert.deepEqual(await accounts.monnify?.check?.(), {
      fatal: null,
      keyWorks: true,
      obstacle: null,
      warnings: [],
      balances: { ngn: BigInt(till.double.wallet.balance) },
    })
    await must(till.live('GET', '/health'))
  })
})

describe('what Monnify writes', () => {
  it('is signed as its published sample is', () => {
    const body =
      '{"eventData":{"product":{"reference":"111222333","type":"OFFLINE_PAYMENT_AGENT"},"transactionReference":"MNFY|76|20211117154810|000001","paymentReference":"0.01462001097368737","paidOn":"17/11/2021 3:48:10 PM","paymentDescription":"Mockaroo Jesse","metaData":{},"destinationAccountInformation":{},"paymentSourceInformation":{},"amountPaid":78000,"totalPayable":78000,"offlineProductInformation":{"code":"41470","type":"DYNAMIC"},"cardDetails":{},"paymentMethod":"CASH","currency":"NGN","settlementAmount":77600,"paymentStatus":"PAID","customer":{"name":"Mockaroo Jesse","email":"111222333@ZZAMZ4WT4Y3E.monnify"}},"eventType":"SUCCESSFUL_TRANSACTION"}'
    const signature =
      'f04fb635e04d71648bd3cc7999003da6861483342c856d05ddfa9b2dafacb873b0de1d0f8f67405d0010b4348b721c49fa171d317972618debba6b638aedcd3c'
    const { verify, read } = monnifyInbound(true, ['91MUDL9N6U3BQRXBQ2PJ9M0PW4J22M1Y'])
    assert.equal(verify(Buffer.from(body), { 'monnify-signature': signature }), true)
    assert.equal(verify(Buffer.from(`${body} `), { 'monnify-signature': signature }), false)
    assert.equal(verify(Buffer.from(body), {}), false)
    const empty = createHmac('sha512', '').update(body).digest('hex')
    assert.equal(verify(Buffer.from(body), { 'monnify-signature': empty }), false)
    assert.equal(read(Buffer.from(body)), null)
  })

  it('is read to the kobo, and nothing that has parts of one', () => {
    const amounts: [unknown, bigint | null][] = [
      ...([
        [20, 2_000n],
        [20.5, 2_050n],
        ['9965.00', 996_500n],
        [0.07, 7n],
        ['20.000', 2_000n],
      ] as [unknown, bigint][]),
      ...([
        [20.005, null],
        ['1e3', null],
        [-1, null],
        [Number.NaN, null],
        [null, null],
        ['', null],
      ] as [unknown, null][]),
      [9_999_999_999_999.99, 999_999_999_999_999n],
    ]
    for (const [said, amount] of amounts) assert.equal(nairaIn(said), amount, String(said))
    assert.equal(withAmount(9_007_199_254_740_991n, { a: 1 }), '{"amount":90071992547409.91,"a":1}')
  })
})
