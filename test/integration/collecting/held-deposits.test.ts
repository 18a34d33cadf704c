/**
 * Goal: money from whom a list has is in pending at once and in no wallet until a person has let it
 * go, once, whoever decides at the same time; nothing that it pays for is paid before. Method:
 * deposits from listed senders over HTTP, by simulated banks and tokens and by transfers of a local
 * chain; the books, events and reviews.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { chainDeposits } from '../../../src/collecting/deposits/deposits.ts'
import { chooseToken } from '../../../src/collecting/payments/payments.ts'
import { transaction } from '../../../src/db/db.ts'
import { type EvmNetwork, readEvmFile } from '../../../src/rails/evm/settings.ts'
import { type Json, type Merchant, newMerchant } from '../../support/actors.ts'
import { type LocalNetwork, startNetwork } from '../../support/evm.ts'
import {
  bankPayout,
  type Call,
  ctxOf,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const listed = {
  account_name: 'Obi Eze',
  account_number: '0000000011',
  bank_name: 'GTBank',
  bank_code: '058',
}
const listedAddress = '0x0000000000000000000000000000000000000011'

describe('deposits that screening holds', () => {
  let local: LocalNetwork
  let receiver: Receiver
  let server: TestServer
  let merchant: Merchant
  let reviewer: Call
  let network: EvmNetwork
  before(async () => {
    local = await startNetwork({ poll: '1h' })
    receiver = await startReceiver()
    server = await startServer({
      ...local.env,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    merchant = newMerchant(server)
    reviewer = await operatorOf(server)
    network = readEvmFile(local.env.EVM_FILE as string).test?.networks[0] as EvmNetwork
    await merchant.create('/webhooks', { url: receiver.url })
  })
  after(async () => {
    await server?.stop()
    await receiver?.stop()
    await local?.stop()
  })

  const wallet = async (currency: string): Promise<{ available: number; pending: number }> => {
    const { available, pending } = (await merchant.ask('GET', '/wallets')).find(
      (one: Json) => one.currency === currency,
    )
    return { available, pending }
  }
  const read = (id: string): Promise<Json> => merchant.verify(id)
  const waiting = async (): Promise<Json[]> =>
    (await must(reviewer('GET', '/operator/reviews?status=waiting'))).docs
  const reviewOf = async (subject: string): Promise<Json> =>
    (await must(reviewer('GET', '/operator/reviews?limit=100'))).docs.find(
      (one: Json) => one.subject === subject,
    )
  const decide = async (subject: string, how: 'release' | 'refuse') =>
    reviewer('POST', `/operator/reviews/${(await reviewOf(subject)).id}/${how}`, {})
  const told = async (type: string, id: string): Promise<number> =>
    (await merchant.allEvents()).filter((one) => one.type === type && one.payload.id === id).length

  it('are in pending of the wallet, and credited, told of and counted once they are released', async () => {
    const account = await merchant.openAccount({ kind: 'dynamic', currency: 'ngn', amount: 50_000 })
    const before = await wallet('ngn')
    const held = await merchant.deposit(account, {
      amount: 50_000,
      sender: listed,
      notice: 'held-1',
    })
    assert.deepEqual(
      [held.status, held.type, held.amount, held.review.reason, held.source],
      ['pending', 'deposit', 50_000, 'sanctions_list', listed],
    )
    assert.deepEqual(await wallet('ngn'), { ...before, pending: before.pending + 50_000 })
    // The same notice again is the same deposit.
    assert.equal(
      (await merchant.deposit(account, { amount: 50_000, sender: listed, notice: 'held-1' })).id,
      held.id,
    )
    assert.equal((await merchant.ask('GET', `/virtual-accounts/${account.id}`)).status, 'active')
    assert.equal(await told('virtual_account.deposit', held.id), 0)
    const review = await reviewOf(held.id)
    assert.deepEqual(
      [review.kind, review.status, review.business],
      ['deposit', 'waiting', server.businessId],
    )
    assert.match(review.what, /500.00 from 0000000011 GTBank Obi Eze/)
    await server.assertBooksClean()

    assert.equal((await decide(held.id, 'release')).status, 200)
    const booked = await read(held.id)
    assert.deepEqual([booked.status, booked.review, booked.late], ['completed', undefined, false])
    assert.deepEqual(await wallet('ngn'), {
      ...before,
      available: before.available + 50_000 - booked.fee,
    })
    assert.equal((await merchant.ask('GET', `/virtual-accounts/${account.id}`)).status, 'closed')
    const event = await merchant.eventOf(held.id, 'virtual_account.deposit')
    assert.deepEqual([event.payload.status, event.payload.amount], ['completed', 50_000])
    const again = await decide(held.id, 'refuse')
    assert.deepEqual([again.status, again.code], [409, 'review_decided'])
    assert.equal(
      (await merchant.deposit(account, { amount: 50_000, sender: listed, notice: 'held-1' })).id,
      held.id,
    )
  })

  it('stay in pending when they are refused, and are never fees', async () => {
    const customer = await merchant.addCustomer()
    const account = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const before = await wallet('ngn')
    const held = await merchant.deposit(account, { amount: 7_000, sender: listed })
    assert.equal((await decide(held.id, 'refuse')).status, 200)
    const refused = await read(held.id)
    assert.deepEqual(
      [refused.status, refused.review.reason, refused.customer],
      ['pending', 'sanctions_list', customer.id],
    )
    assert.deepEqual(await wallet('ngn'), { ...before, pending: before.pending + 7_000 })
    assert.equal(await told('virtual_account.deposit', held.id), 0)
    assert.equal((await reviewOf(held.id)).status, 'refused')
    await server.assertBooksClean()

    // Who has not seen that it was refused cannot release it.
    const late = await decide(held.id, 'release')
    assert.deepEqual([late.status, late.code], [409, 'review_decided'])
    const { id } = await reviewOf(held.id)
    const all = await Promise.all(
      [1, 2, 3].map(() =>
        reviewer('POST', `/operator/reviews/${id}/release`, { after_refusal: true }),
      ),
    )
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, 409, 409])
    const booked = await read(held.id)
    assert.deepEqual([booked.status, booked.review], ['completed', undefined])
    assert.deepEqual(await wallet('ngn'), {
      ...before,
      available: before.available + 7_000 - booked.fee,
    })
    assert.equal(await told('virtual_account.deposit', held.id), 1)
  })

  it('are late when they came too late, and not for the time that somebody took', async () => {
    const account = await merchant.openAccount({ kind: 'dynamic', currency: 'ngn', amount: 4_000 })
    const held = await merchant.deposit(account, { amount: 4_000, sender: listed })
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    const after = await merchant.deposit(account, { amount: 4_000, sender: listed })
    for (const { id } of [held, after]) assert.equal((await decide(id, 'release')).status, 200)
    assert.deepEqual([(await read(held.id)).late, (await read(after.id)).late], [false, true])
  })

  it('leave nothing of who paid in their review, once the customer is erased', async () => {
    const customer = await merchant.addCustomer()
    const account = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const held = await merchant.deposit(account, { amount: 4_100, sender: listed })
    const { id } = await reviewOf(held.id)
    await must(reviewer('POST', `/operator/reviews/${id}/release`, { note: 'Obi Eze has called' }))
    assert.match(JSON.stringify(await reviewOf(held.id)), /0000000011/)
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    await merchant.ask('POST', `/customers/${customer.id}/erase`, {})
    const review = await reviewOf(held.id)
    assert.doesNotMatch(JSON.stringify(review), /0000000011|Obi Eze/)
    assert.deepEqual(
      [review.status, review.note, review.hits[0].value],
      ['released', null, 'erased'],
    )
  })

  it('are described beside the payouts that wait', async () => {
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const held = await merchant.deposit(account, { amount: 8_100, sender: listed })
    const destination = { bank_code: '058', account_number: listed.account_number }
    await merchant.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 })
    const payout = await merchant.ask(
      'POST',
      '/payouts',
      bankPayout('held-beside', 90_000, { destination }),
    )
    await until(async () => (await reviewOf(payout.id)) !== undefined)
    assert.match((await reviewOf(held.id)).what, /81.00 from 0000000011/)
    assert.match((await reviewOf(payout.id)).what, /900.00 to .*0000000011/)
  })

  it('pay a payment when they are released, and not before', async () => {
    const payment = await merchant.openPayment({ amount: 30_000 })
    const held = await merchant.payerOf(payment).transfer(undefined, listed)
    assert.deepEqual(
      [held.status, held.type, held.related.payment],
      ['pending', 'payment', payment.id],
    )
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    await decide(held.id, 'release')
    const paid = await merchant.readPayment(payment)
    assert.deepEqual([paid.status, paid.amount_received], ['completed', 30_000])
    assert.deepEqual(await merchant.eventTypesOf(payment), ['payment.completed'])
    assert.equal(await told('virtual_account.deposit', held.id), 1)
    // After the payment's end: money that is let go late is booked as such.
    const late = await merchant.openPayment({ amount: 30_000 })
    const second = await merchant.payerOf(late).transfer(undefined, listed)
    await merchant.ask('POST', `/payments/${late.id}/cancel`)
    await decide(second.id, 'release')
    assert.deepEqual(
      [(await read(second.id)).late, (await merchant.readPayment(late)).status],
      [true, 'canceled'],
    )
  })

  it('have one end, however many decide at once', async () => {
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const before = await wallet('ngn')
    const outcomes: string[] = []
    let fees = 0
    for (let round = 0; round < 4; round++) {
      const held = await merchant.deposit(account, { amount: 1_000, sender: listed })
      const answers = await Promise.all(
        (['release', 'refuse', 'release', 'refuse'] as const).map((how) => decide(held.id, how)),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      const { status } = await reviewOf(held.id)
      outcomes.push(status)
      if (status === 'released') fees += (await read(held.id)).fee
    }
    const released = outcomes.filter((one) => one === 'released').length
    assert.deepEqual(await wallet('ngn'), {
      available: before.available + released * 1_000 - fees,
      pending: before.pending + (4 - released) * 1_000,
    })
  })

  it('are tokens too, in dollars', async () => {
    const { id } = await merchant.openCryptoWallet()
    const before = await wallet('usd')
    const send = {
      amount: 5_000,
      currency: 'usdc',
      chain: 'base',
      sender: listedAddress,
      notice: 'token-1',
    }
    const held = await merchant.ask('POST', `/crypto/wallets/${id}/simulate-deposit`, send)
    assert.deepEqual([held.status, held.review.reason], ['pending', 'sanctions_list'])
    assert.equal(
      (await merchant.ask('POST', `/crypto/wallets/${id}/simulate-deposit`, send)).id,
      held.id,
    )
    assert.equal((await wallet('usd')).pending, before.pending + held.amount)
    await server.assertBooksClean()
    await decide(held.id, 'release')
    const booked = await read(held.id)
    assert.deepEqual([booked.status, booked.amount], ['completed', held.amount])
    assert.equal((await wallet('usd')).available, before.available + booked.amount - booked.fee)
    assert.equal(await told('crypto.deposit', held.id), 1)
  })

  it('are transfers on a chain, once they are deep enough, for a wallet and for a payment', async () => {
    let hashes = 0
    const newHash = (): string => `0x${(++hashes).toString(16).padStart(64, '0')}`
    const book = chainDeposits(server.app)
    const arrive = async (to: string, units: bigint): Promise<void> => {
      const block = {
        blockNumber: 100n + BigInt(hashes),
        blockHash: newHash(),
        txHash: newHash(),
        logIndex: 0,
        position: 0,
      }
      const sent = {
        currency: 'usdc' as const,
        contract: local.usdc,
        from: listedAddress,
        to,
        units,
        ...block,
      }
      await transaction(server.app.db, (tx) => book.recordTransfers(tx, network, [sent]))
      for (const due of await book.due(network, 10_000n, 100)) await book.credit(network, due)
    }
    const crypto = await merchant.openCryptoWallet()
    const before = await wallet('usd')
    // With what is less than a cent.
    await arrive(crypto.address, 12_340_007n)
    const [deposit] = await merchant.cryptoDepositsOf(crypto)
    assert.equal(deposit.status, 'held')
    const held = await read(deposit.transaction)
    assert.deepEqual(
      [held.status, held.review.reason, held.amount],
      ['pending', 'sanctions_list', 1_234],
    )
    assert.deepEqual(await wallet('usd'), { ...before, pending: before.pending + 1_234 })
    // Its block goes, and comes back: it is as deep as it was.
    await transaction(server.app.db, (tx) => book.dropReorganised(tx, network, 1n))
    assert.equal((await merchant.cryptoDepositsOf(crypto))[0].status, 'held')
    await server.assertBooksClean()
    await decide(deposit.transaction, 'release')
    const booked = await read(deposit.transaction)
    assert.deepEqual(
      [booked.status, (await merchant.cryptoDepositsOf(crypto))[0].status],
      ['completed', 'credited'],
    )
    assert.deepEqual(await wallet('usd'), {
      ...before,
      available: before.available + 1_234 - booked.fee,
    })

    const payment = await merchant.openPayment({
      amount: 2_500,
      currency: 'usd',
      methods: ['crypto'],
    })
    const { address } = await chooseToken(await ctxOf(server), payment.id, 'usdc', 'anvil')
    await arrive(address, 25_000_000n)
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    await server.assertBooksClean()
    const [review] = (await waiting()).filter(({ what }) => what.includes('25.00'))
    await decide(review?.subject, 'release')
    assert.equal((await merchant.readPayment(payment)).status, 'completed')
    await server.assertBooksClean()

    // A payment waits no more for what was refused; released after all, it is late.
    const other = await merchant.openPayment({
      amount: 2_600,
      currency: 'usd',
      methods: ['crypto'],
    })
    const chosen = await chooseToken(await ctxOf(server), other.id, 'usdc', 'anvil')
    await arrive(chosen.address, 26_000_000n)
    assert.equal(
      (await merchant.call('POST', `/payments/${other.id}/cancel`)).code,
      'payment_processing',
    )
    const [refused] = (await waiting()).filter(({ what }) => what.includes('26.00'))
    await decide(refused?.subject, 'refuse')
    assert.equal((await merchant.readPayment(other)).amount_confirming, 0)
    await server.assertBooksClean()
    await merchant.ask('POST', `/payments/${other.id}/cancel`)
    await must(
      reviewer('POST', `/operator/reviews/${refused?.id}/release`, { after_refusal: true }),
    )
    const last = await read(refused?.subject)
    assert.deepEqual([last.status, last.late], ['completed', true])
    assert.equal((await merchant.readPayment(other)).amount_confirming, 0)
  })

  it('are found by ledger verify when nobody would ever look', async () => {
    const account = await merchant.openAccount({
      customer: (await merchant.addCustomer()).id,
      currency: 'ngn',
    })
    const held = await merchant.deposit(account, { amount: 1_000, sender: listed })
    const { id } = await reviewOf(held.id)
    await server.asOwner(
      `update screening_reviews set status = 'ended', decided_at = now() where id = '${id}'`,
    )
    await assert.rejects(server.assertBooksClean(), /held deposit/)
    await server.asOwner(
      `update screening_reviews set status = 'waiting', decided_at = null where id = '${id}'`,
    )
    await server.assertBooksClean()
  })

  describe('by their customer’s identity tier', () => {
    const limit = (limits: object[]): Promise<Json> =>
      must(reviewer('PUT', '/operator/tier-limits', { limits }))
    const fired = async (rule: string): Promise<number> =>
      (await merchant.ask('GET', '/limits/rules')).rules.find((one: Json) => one.rule === rule)
        .today
    const send = (account: Json, amount: number, more: object = {}): Promise<Json> =>
      merchant.deposit(account, { amount, ...more })
    const accountOf = async (customer: Json): Promise<Json> =>
      merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    after(() =>
      limit(
        [0, 1, 2].flatMap((tier) =>
          ['ngn', 'usd'].map((currency) => ({
            tier,
            currency,
            max_deposit: null,
            max_daily: null,
            max_daily_count: null,
          })),
        ),
      ),
    )

    it('wait above what a deposit may be, and above what a day may, and more where more is verified', async () => {
      const { limits } = await limit([
        { tier: 0, currency: 'ngn', max_deposit: 10_000, max_daily: 25_000 },
        { tier: 1, currency: 'ngn', max_deposit: 50_000 },
      ])
      assert.deepEqual(
        limits.find((one: Json) => one.tier === 1 && one.currency === 'ngn'),
        { tier: 1, currency: 'ngn', max_deposit: 50_000, max_daily: null, max_daily_count: null },
      )
      const customer = await merchant.addCustomer()
      const account = await accountOf(customer)
      assert.equal((await send(account, 10_000, { notice: 'tier-1' })).status, 'completed')
      // Told again, it is not counted again.
      assert.equal((await send(account, 10_000, { notice: 'tier-1' })).status, 'completed')
      const above = await send(account, 10_001)
      assert.deepEqual([above.status, above.review.reason], ['pending', 'customer_limit'])
      const { hits } = await reviewOf(above.id)
      assert.deepEqual(hits, [
        {
          list: 'limits of customers',
          matched: 'limit',
          value: 'tier_max_deposit',
          reason: 'identity tier 0',
        },
      ])
      // What waits has come in the day too.
      const day = await send(account, 5_000)
      assert.deepEqual(
        [day.status, (await reviewOf(day.id)).hits[0].value],
        ['pending', 'tier_max_daily'],
      )
      await merchant.ask('POST', `/customers/${customer.id}/documents`, {
        id_type: 'bvn',
        id_number: '22123456789',
      })
      assert.equal((await send(account, 50_000)).status, 'completed')
      assert.equal((await send(account, 50_001)).status, 'pending')
      assert.deepEqual([await fired('tier_max_deposit'), await fired('tier_max_daily')], [2, 1])
      // Nobody's money is not limited.
      const dynamic = await merchant.openAccount({
        kind: 'dynamic',
        currency: 'ngn',
        amount: 900_000,
      })
      assert.equal((await send(dynamic, 900_000)).status, 'completed')
      await decide(above.id, 'release')
      assert.equal((await read(above.id)).status, 'completed')
      const { docs } = await must(reviewer('GET', '/operator/audit-log?action=tier_limits.changed'))
      assert.equal(docs[0].after['ngn 1'].max_deposit, 50_000)
      await server.assertBooksClean()
    })

    it('let no more through than a day may, however many come at once', async () => {
      await limit([
        { tier: 0, currency: 'ngn', max_deposit: null, max_daily: 7_000, max_daily_count: 5 },
      ])
      const account = await accountOf(await merchant.addCustomer())
      const before = await wallet('ngn')
      const all = await Promise.all(Array.from({ length: 20 }, () => send(account, 1_000)))
      const passed = all.filter(({ status }) => status === 'completed')
      assert.equal(passed.length, 5)
      assert.deepEqual(await wallet('ngn'), {
        available: before.available + passed.reduce((sum, { net }) => sum + net, 0),
        pending: before.pending + 15_000,
      })
      await server.assertBooksClean()
    })

    it('are tokens of a customer’s wallet too', async () => {
      await limit([{ tier: 0, currency: 'usd', max_deposit: 1_000 }])
      const { id } = await merchant.openCryptoWallet({
        customer: (await merchant.addCustomer()).id,
      })
      const tokens = (amount: number) =>
        merchant.ask('POST', `/crypto/wallets/${id}/simulate-deposit`, {
          amount,
          currency: 'usdc',
          chain: 'base',
        })
      assert.equal((await tokens(900)).status, 'completed')
      assert.equal((await tokens(2_000)).status, 'pending')
      await server.assertBooksClean()
    })
  })
})
