/**
 * Goal: a refusal of a transfer ends a payout only where Monnify says that it is final; whatever
 * else it answers, the money stays held until it says how the transfer stands. Method: a whole
 * server over the double of Monnify, asked over HTTP; its books, the double's and the incidents are
 * compared.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import type { PayoutOrder } from '../../../src/rails/ports/rail.ts'
import { minuteMs } from '../../support/dollars.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { openTill, type Till } from '../../support/monnify.ts'

describe('a transfer that Monnify refuses', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())
  beforeEach(() =>
    Object.assign(till.double.settings, { refuses: null, atOnce: false, takesAll: false }),
  )

  const refuse = (code: string, message: string, { status = 400, taken = false } = {}): void => {
    till.double.settings.refuses = { status, code, message, taken }
  }
  const available = async (): Promise<number> => {
    const wallets: Json[] = await must(till.live('GET', '/wallets'))
    return wallets.find(({ currency }) => currency === 'ngn')?.available
  }
  const incidentsOf = async ({ id }: Json) =>
    (await listIncidents(till.server.app.db, { closed: true })).filter(
      ({ subject }) => subject === id,
    )
  const sentFor = ({ id }: Json) =>
    till.double.requests.filter(
      ({ operation, body }) =>
        operation === 'create_transfer' && body.reference.startsWith(`po-${id}`),
    )

  for (const status of [200, 400, 404, 409, 422])
    it(`with 99 and status ${status}, though it was taken, keeps its money held, shows a person why, and is paid once`, async () => {
      const before = await available()
      refuse('99', 'An unexpected error occurred while processing the transaction', {
        status,
        taken: true,
      })
      const payout = await till.payOut()
      const [waiting, held] = [await till.payout(payout.reference), await available()]
      assert.deepEqual([waiting.status, before - held], ['processing', payout.amount])
      // A conflict says less than a refusal: there is no code to show.
      if (status !== 409) {
        const [incident] = await until(async () => {
          const found = await incidentsOf(payout)
          return found.length > 0 ? found : null
        })
        assert.equal(incident?.kind, 'quarantined')
        assert.match(
          incident?.detail.says as string,
          /this version does not know: 99 \((200|400|404|422)\)/,
        )
      }
      till.double.settings.refuses = null
      till.double.transfer.succeed(`po-${payout.id}`)
      await till.pass(minuteMs)
      await till.pass(30 * minuteMs)
      assert.equal((await till.payout(payout.reference)).status, 'completed')
      assert.deepEqual([till.transfersOf(payout.id).length, sentFor(payout).length], [1, 1])
      assert.equal(before - (await available()), payout.amount)
      assert.deepEqual(await till.eventsOf(payout.id), ['payout.initiated', 'payout.completed'])
      await till.assertSound()
    })

  it('with 99, and that it does not know ten minutes later, is sent again under the same reference', async () => {
    refuse('99', 'Invalid account details supplied.')
    const payout = await till.payOut()
    await till.pass(5 * minuteMs)
    assert.deepEqual(
      [(await till.payout(payout.reference)).status, sentFor(payout).length],
      ['processing', 1],
    )
    till.double.settings.refuses = null
    await till.pass(6 * minuteMs)
    till.double.transfer.succeed(`po-${payout.id}`)
    await till.pass(10 * minuteMs)
    assert.equal((await till.payout(payout.reference)).status, 'completed')
    assert.deepEqual(
      sentFor(payout).map(({ body }) => body.reference),
      [`po-${payout.id}`, `po-${payout.id}`],
    )
    await till.assertSound()
  })

  const open: [string, string][] = [
    ['D01', 'Transaction processing in progress'],
    ['D01', 'Transaction timed out while waiting for destination bank'],
    ['D01', 'Delayed processing from NIP'],
    ['D01', 'Unable to complete the transaction at this time'],
    ['D08', 'Insufficient wallet balance'],
    ['99', 'Beneficiary account limit exceeded'],
    ['insufficient_balance', 'account not found'],
  ]
  for (const [code, message] of open)
    it(`with ${code}, “${message}”, is asked about`, async () => {
      refuse(code, message)
      const payout = await till.payOut()
      assert.equal((await till.payout(payout.reference)).status, 'processing')
      till.double.settings.refuses = null
    })

  const final: [string, string, string][] = [
    ['D01', 'Beneficiary account name mismatch', 'name_mismatch'],
    ['D01', 'Dormant beneficiary account', 'invalid_account'],
    ['D01', 'Unknown destination bank code', 'invalid_account'],
    ['D01', 'Beneficiary account limit exceeded', 'limit_exceeded'],
    ['D01', 'Suspected fraud', 'rejected'],
    ['D02', 'Transaction does not exist', 'rejected'],
    ['D03', 'Invalid account details supplied', 'invalid_account'],
  ]
  for (const [code, message, reason] of final)
    it(`with ${code}, “${message}”, has failed, and its money is back`, async () => {
      const before = await available()
      refuse(code, message)
      const payout = await till.payOut()
      const { status, failure_reason } = await till.payout(payout.reference)
      assert.deepEqual([status, failure_reason, await available()], ['failed', reason, before])
    })

  const waiting: [string, string, string, number][] = [
    ['D04', 'Insufficient wallet balance', 'balance_too_low', 400],
    ['D06', 'Unauthorized request', 'not_enabled', 403],
    ['D06', 'Unauthorized request', 'not_enabled', 401],
    ['99', 'Supplied account number does not belong to merchant', 'not_enabled', 400],
  ]
  for (const [code, message, reason, status] of waiting)
    it(`with ${status} ${code}, “${message}”, waits as ${reason}, and is paid when that is over`, async () => {
      refuse(code, message, { status })
      const payout = await till.payOut()
      const [row] = await till.server.app.db.query<Json>(
        'select status, waits from payouts where id = $1',
        [payout.id],
      )
      assert.deepEqual([row?.status, row?.waits?.for], ['pending', reason])
      till.double.settings.refuses = null
      await till.pass(11 * minuteMs)
      till.double.transfer.succeed(till.transfersOf(payout.id)[0]?.reference as string)
      await till.pass(minuteMs)
      assert.equal((await till.payout(payout.reference)).status, 'completed')
      await till.assertSound()
    })

  it('with D05 was sent before under its reference: how that stands is what counts', async () => {
    const payout = await till.payOut()
    const rail = till.server.app.rails.live.accounts.monnify?.ports.payout
    const { destination } = payout
    const amount = BigInt(till.transfersOf(payout.id)[0]?.amount as number)
    const order = {
      id: payout.id,
      attempt: 1,
      businessId: till.server.businessId,
      amount,
      at: till.server.app.clock.now(),
      currency: 'ngn',
      destination: { ...destination, type: 'ng_bank', account_name: null },
    } as PayoutOrder
    assert.equal((await rail?.send(order))?.state, 'processing')
    assert.equal(till.double.requests.at(-2)?.answer?.body.responseCode, 'D05')
  })
})

describe('a transfer that Monnify takes', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  it('and answers as done, without its own name of it, is known by that name', async () => {
    till.double.settings.atOnce = true
    const payout = await till.payOut()
    till.double.settings.atOnce = false
    const { status, provider_reference } = await till.payout(payout.reference)
    const [transfer] = till.transfersOf(payout.id)
    assert.deepEqual([status, provider_reference], ['completed', transfer?.id])
    await till.pass(31 * minuteMs)
    const account = findReconcilable(till.server.app, true, 'monnify') as ReconciledAccount
    await reconcile(till.server.app, account, { opening: true })
    const { findings, difference } = await reconcile(till.server.app, account)
    assert.deepEqual([findings, difference], [[], 0n])
    await till.assertSound()
  })

  it('and fails later as the wallet has too little, waits for money, and is paid under another reference', async () => {
    const { wallet, transfer, settings } = till.double
    settings.takesAll = true
    await till.payOut()
    const full = wallet.balance
    // Somebody else spends it, and the balance was just read.
    wallet.balance = 1_000
    const payout = await till.payOut()
    assert.equal((await till.payout(payout.reference)).status, 'processing')
    const [first] = till.transfersOf(payout.id)
    assert.ok(first)
    settings.takesAll = false
    transfer.failForMoney(first.reference)
    await till.double.events.deliver()
    const waiting = await until(async () => {
      const said = await till.payout(payout.reference)
      return said.status === 'pending' ? said : null
    })
    assert.equal(waiting.failure_reason, null)
    await till.pass(minuteMs)
    assert.equal(till.transfersOf(payout.id).length, 1)
    wallet.balance = full
    await till.pass(2 * minuteMs)
    const second = till.transfersOf(payout.id)[1]
    assert.equal(second?.reference, `po-${payout.id}-2`)
    transfer.succeed(second?.reference as string)
    await till.pass(minuteMs)
    assert.equal((await till.payout(payout.reference)).status, 'completed')
    await till.assertSound()
  })

  it('costs its fee too: a payout that would leave the wallet without it waits', async () => {
    const { wallet } = till.double
    const full = wallet.balance
    // ₦10 below ten thousand, ₦20 below fifty thousand, ₦40 above.
    for (const [amount, fee] of [
      [9_000_00, 10_00],
      [20_000_00, 20_00],
      [60_000_00, 40_00],
    ] as const) {
      const { net_amount: net } = await must(
        till.live('POST', '/payouts/quote', {
          amount,
          currency: 'ngn',
          method: 'bank_transfer',
          destination: { bank_code: '058', account_number: '2000000001' },
        }),
      )
      wallet.balance = net + fee - 1
      await till.pass(minuteMs)
      const payout = await till.payOut(amount)
      assert.equal(sentOf(till, payout.id), 0, `${amount}`)
      wallet.balance = full
      await till.pass(2 * minuteMs)
      assert.equal(sentOf(till, payout.id), 1, `${amount}`)
    }
  })
})

const sentOf = ({ double }: Till, id: string): number =>
  double.requests.filter(
    ({ operation, body }) => operation === 'create_transfer' && body.reference === `po-${id}`,
  ).length
