/**
 * Goal: the double of Paystack sends money as Paystack documents, oddities included. Method: as in
 * `paystack.test.ts`.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { askerOf, dataOf, newReference } from './paystack/asking.ts'
import { type Double, startPaystack } from './paystack.ts'

const naira = (amount: number): number => amount * 100

let paystack: Double
let ask: ReturnType<typeof askerOf>
beforeEach(async () => {
  paystack = await startPaystack()
  ask = askerOf(paystack)
})
afterEach(async () => {
  await paystack.stop()
  assert.deepEqual(paystack.violations, [])
  assert.deepEqual(paystack.audit(), [])
})

describe('transfers', () => {
  beforeEach(() => paystack.live.operator.topUp(naira(100_000)))

  it('are done once: a second one under the reference is refused and answers nothing of the first', async () => {
    const reference = newReference('po')
    assert.equal((await ask.transfer(naira(100), { reference })).status, 200)
    const again = await ask.transfer(naira(100), { reference })
    assert.deepEqual(
      [again.status, again.body.code, again.body.data],
      [400, 'duplicate_transfer_reference', undefined],
    )
    assert.equal(paystack.live.books.transfers.length, 1)
  })

  it('are refused where the balance is too low, which may use up the reference', async () => {
    const reference = newReference('po')
    const refused = await ask.transfer(naira(100_000), { reference })
    assert.deepEqual(
      [refused.status, refused.body.message],
      [400, 'Your balance is not enough to fulfil this request'],
    )
    paystack.live.operator.topUp(naira(100))
    assert.equal((await ask.transfer(naira(100_000), { reference })).status, 200)
    paystack.live.settings.refusedTransferBurnsReference = true
    const burnt = newReference('po')
    await ask.transfer(naira(100_000), { reference: burnt })
    assert.equal(
      (await ask.transfer(naira(1), { reference: burnt })).body.code,
      'duplicate_transfer_reference',
    )
    assert.equal((await ask.get(`/transfer/verify/${burnt}`)).status, 404)
  })

  it('are refused to a starter business, and to a recipient that there is not', async () => {
    assert.equal(
      (await ask.transfer(1_000, { recipient: 'RCP_nobody' })).body.code,
      'invalid_transfer_recipient',
    )
    paystack.live.settings.thirdPartyPayouts = false
    assert.match(String((await ask.transfer()).body.message), /third party payouts/)
  })

  it('wait for a code where it is asked for, and can be released by who has it', async () => {
    paystack.live.settings.otp = true
    const { reference, status } = dataOf(await ask.transfer(naira(100)))
    assert.equal(status, 'otp')
    assert.equal(paystack.live.books.pots.balance, naira(100_000))
    paystack.live.transfer.release(reference)
    assert.equal(paystack.live.books.pots.balance, naira(100_000 - 110))
    const left = dataOf(await ask.transfer(naira(100)))
    paystack.live.transfer.end(left.reference, 'abandoned')
    assert.equal(dataOf(await ask.get(`/transfer/verify/${left.reference}`)).status, 'abandoned')
  })

  it('succeed and come back later, with the fee or without it', async () => {
    for (const keepsFee of [false, true]) {
      paystack.live.settings.reversalKeepsFee = keepsFee
      const before = paystack.live.books.pots.balance
      const { reference } = dataOf(await ask.transfer(naira(10_000)))
      paystack.live.transfer.succeed(reference)
      assert.equal(
        dataOf(await ask.get(`/transfer/verify/${reference}`)).fee_charged,
        naira(25 + 50),
      )
      paystack.live.transfer.reverse(reference)
      assert.equal(dataOf(await ask.get(`/transfer/verify/${reference}`)).status, 'reversed')
      assert.equal(paystack.live.books.pots.balance, before - (keepsFee ? naira(75) : 0))
      assert.throws(() => paystack.live.transfer.succeed(reference), /cannot succeed/)
    }
  })

  it('answer the recipient that is there for the same account and name', async () => {
    const [first, second] = [await ask.recipient(), await ask.recipient()]
    assert.deepEqual(
      [first.status, dataOf(first).recipient_code],
      [201, dataOf(second).recipient_code],
    )
    assert.equal(
      (await ask.recipient({ bank_code: '09998' })).status,
      400,
      'a bank that is switched off',
    )
    // Paystack's own test account fails the check digit.
    assert.equal(
      (await ask.recipient({ account_number: '0000000000', bank_code: '057' })).status,
      201,
    )
  })
})

describe('refunds', () => {
  it('are not idempotent: a repeat is a second refund, up to what is left', async () => {
    const { id } = await ask.paid(naira(1_000))
    await ask.paid(naira(1_000))
    for (const _ of [1, 2]) assert.equal((await ask.refund(String(id), naira(400))).status, 200)
    assert.equal((await ask.refund(String(id), naira(400))).status, 400)
    const listed = dataOf(await ask.get(`/refund?transaction=${id}`))
    assert.deepEqual(
      listed.map((one: { merchant_note: string }) => one.merchant_note),
      ['bursar 1', 'bursar 1'],
    )
  })

  it('are refused where too little is owed, and give back what was taken when they fail', async () => {
    const { id } = await ask.paid(naira(1_000))
    assert.match(
      String((await ask.refund(String(id), naira(1_000))).body.message),
      /balance is not enough/,
    )
    paystack.live.operator.topUp(naira(50))
    const refund = dataOf(await ask.refund(String(id), naira(1_000)))
    paystack.live.refund.process(refund.id)
    assert.equal(paystack.live.books.transactions[0]?.status, 'reversed')
    paystack.live.refund.fail(refund.id)
    assert.equal(paystack.live.books.owed(), naira(1_000 - 15 + 50))
  })

  it('that need attention take an account, and no other does', async () => {
    const { id } = await ask.paid(naira(2_000))
    const refund = dataOf(await ask.refund(String(id), naira(1_000)))
    const retry = () => {
      const refund_account_details = { currency: 'NGN', account_number: '0123456789', bank_id: '9' }
      return ask.post(`/refund/retry_with_customer_details/${refund.id}`, {
        refund_account_details,
      })
    }
    assert.deepEqual([(await retry()).status, (await retry()).body.code], [422, 'invalid_params'])
    paystack.live.refund.needAttention(refund.id)
    assert.equal(dataOf(await retry()).status, 'processing')
  })

  it('notify with text or numbers, and mostly without an id', async () => {
    const { id, reference } = await ask.paid(naira(2_000))
    const refund = dataOf(await ask.refund(String(id), naira(1_000)))
    paystack.live.refund.needAttention(refund.id)
    paystack.live.refund.fail(refund.id)
    const bodies = paystack.live.events.queue
      .slice(1)
      .map(({ data }) => [data.status, data.amount, data.id, data.transaction_reference])
    assert.deepEqual(bodies, [
      ['pending', '100000', undefined, reference],
      ['needs-attention', 100_000, String(refund.id), reference],
      ['failed', 100_000, undefined, reference],
    ])
  })
})
