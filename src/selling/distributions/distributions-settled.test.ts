import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { address, americanAccount, bankAccount, type Json } from '../../../test/support/actors.ts'
import { shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { holdWallets } from '../../../test/support/held.ts'
import {
  half,
  newSharingMerchant,
  type SharingMerchant,
  sum,
} from '../../../test/support/sharing.ts'

describe('distributions that are settled', () => {
  let server: TestServer
  let merchant: SharingMerchant
  before(async () => {
    // Payouts and refunds wait until a test says how they end.
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    merchant = newSharingMerchant(server)
  })
  after(() => server.stop())

  const eventsOf = async (reference: string): Promise<string[]> => {
    const { docs } = await merchant.ask('GET', '/events?limit=100')
    return docs
      .filter((one: Json) => one.payload.reference === reference)
      .map((one: Json) => one.type)
  }

  it('are paid out by ordinary payouts, and skipped where they cannot be', async () => {
    const plan = await merchant.makePlan([
      { name: 'Ada', percentage_bps: 1_000, destination: bankAccount() },
      { name: 'Nowhere', percentage_bps: 1_000 },
      { name: 'Little', flat_amount: 3_500, destination: bankAccount() },
      { name: 'Unknown', percentage_bps: 500, destination: bankAccount('0000000003') },
      { name: 'Nothing', flat_amount: 1, destination: bankAccount() },
      {
        name: 'Token',
        percentage_bps: 4_000,
        destination: { currency: 'usdc', chain: 'base', address },
      },
      { name: 'Dollars', percentage_bps: 500, destination: americanAccount },
    ])
    await merchant.sell([plan, 10_003_501, 1])
    assert.deepEqual(
      await merchant.held(plan),
      [1_000_000, 1_000_000, 3_500, 500_000, 1, 4_000_000, 500_000],
    )
    const wallet = await merchant.available()
    const { payouts, skipped } = await merchant.settle(plan)
    const [ids, amounts] = [plan.shares.map((one: Json) => one.id), await merchant.settled(plan)]
    assert.deepEqual(
      payouts.map((one: Json) => [ids.indexOf(one.share), one.amount]),
      [
        [0, 1_000_000],
        [5, 4_000_000],
        [6, 500_000],
      ],
    )
    assert.deepEqual(
      skipped.map((one: Json) => [ids.indexOf(one.share), one.amount, one.code]),
      [
        [1, 1_000_000, 'no_destination'],
        [2, 3_500, 'amount_too_small'],
        [3, 500_000, 'account_not_found'],
        [4, 1, 'amount_too_small'],
      ],
    )
    for (const one of skipped) assert.ok(one.message.length > 10)
    assert.deepEqual(amounts, [1_000_000, 0, 0, 0, 0, 4_000_000, 500_000])
    assert.deepEqual(await merchant.held(plan), [0, 1_000_000, 3_500, 500_000, 1, 0, 0])
    assert.equal(await merchant.available(), wallet)
    const [first] = payouts
    const payout = await merchant.ask('GET', `/payouts/${first.reference}`)
    assert.deepEqual(
      [payout.id, payout.amount, payout.fee, payout.status, payout.description, payout.metadata],
      [
        first.payout,
        1_000_000,
        3_500,
        'pending',
        'Makers: Ada',
        { distribution: plan.id, share: plan.shares[0].id },
      ],
    )
    const token = await merchant.ask('GET', `/payouts/${payouts[1].reference}`)
    assert.deepEqual(
      [token.method, token.destination.chain, token.destination_currency],
      ['crypto', 'base', 'usdc'],
    )
    for (const one of payouts) {
      await merchant.endPayout(one, 'completed')
      assert.deepEqual((await eventsOf(one.reference)).sort(), [
        'payout.completed',
        'payout.initiated',
      ])
    }
    assert.deepEqual(await merchant.settled(plan), amounts)
    assert.equal(await merchant.available(), wallet)
    // To settle again finds what was skipped, and nothing else.
    const again = await merchant.settle(plan)
    assert.deepEqual([again.payouts, again.skipped], [[], skipped])
  })

  it('tell of both crossings of the wallet', async () => {
    const plan = await merchant.makePlan(half)
    await merchant.sell([plan, 100_000, 1])
    const wallet = await merchant.available()
    const { payouts } = await merchant.settle(plan)
    const related = { share: plan.shares[0].id }
    const shares = async () =>
      (await merchant.ask('GET', '/transactions?limit=4')).docs
        .filter((one: Json) => one.related.share)
        .map((one: Json) => [one.type, one.direction, one.amount, one.balance_after, one.related])
    assert.deepEqual(await shares(), [['share', 'credit', 50_000, wallet + 50_000, related]])
    await merchant.endPayout(payouts[0], 'failed')
    assert.deepEqual(await shares(), [
      ['share', 'debit', 50_000, wallet, related],
      ['share', 'credit', 50_000, wallet + 50_000, related],
    ])
  })

  it('pay out with an empty wallet, also when they have nothing to pay', async () => {
    const plan = await merchant.makePlan(half)
    assert.deepEqual(await merchant.settle(plan), { payouts: [], skipped: [] })
    await merchant.sell([plan, 100_000, 1])
    await merchant.emptyWallet()
    const { payouts } = await merchant.settle(plan)
    assert.deepEqual(
      payouts.map((one: Json) => one.amount),
      [50_000],
    )
    assert.equal(await merchant.available(), 0)
    await merchant.endPayout(payouts[0], 'failed')
    assert.deepEqual([await merchant.held(plan), await merchant.available()], [[50_000], 0])
  })

  it('settle while they are off: what is theirs is theirs', async () => {
    const plan = await merchant.makePlan(half)
    await merchant.sell([plan, 100_000, 1])
    await merchant.ask('PATCH', `/distributions/${plan.id}/deactivate`)
    const { payouts } = await merchant.settle(plan)
    assert.equal(payouts.length, 1)
    assert.deepEqual(await merchant.held(plan), [0])
  })

  it('get their money back when a payout fails, is told to fail or is canceled', async () => {
    const plan = await merchant.makePlan([
      { name: 'Ada', percentage_bps: 1_000, destination: bankAccount('0000000001') },
      { name: 'Bola', percentage_bps: 2_000, destination: bankAccount() },
      { name: 'Chidi', percentage_bps: 3_000, destination: bankAccount() },
      { name: 'Dayo', percentage_bps: 500, destination: bankAccount() },
    ])
    await merchant.sell([plan, 1_000_000, 1])
    const wallet = await merchant.available()
    const { payouts } = await merchant.settle(plan)
    assert.deepEqual(await merchant.held(plan), [0, 0, 0, 0])
    await merchant.ask('POST', `/payouts/${payouts[1].reference}/cancel`)
    assert.deepEqual(
      [await merchant.held(plan), await merchant.settled(plan)],
      [
        [0, 200_000, 0, 0],
        [100_000, 0, 300_000, 50_000],
      ],
    )
    await merchant.endPayout(payouts[2], 'failed')
    assert.deepEqual(await merchant.held(plan), [0, 200_000, 300_000, 0])
    assert.equal(await merchant.available(), wallet)
    // The bank says by itself what the account of the first is.
    await merchant.advance('3h')
    const failed = await until(async () => {
      const data = await merchant.ask('GET', `/payouts/${payouts[0].reference}`)
      return data.status === 'failed' ? data : null
    })
    assert.equal(failed.failure_reason, 'invalid_account')
    await until(
      async () =>
        (await merchant.ask('GET', `/payouts/${payouts[3].reference}`)).status === 'completed',
    )
    assert.deepEqual(
      [await merchant.held(plan), await merchant.settled(plan)],
      [
        [100_000, 200_000, 300_000, 0],
        [0, 0, 0, 50_000],
      ],
    )
    for (const [i, type] of [
      'payout.failed',
      'payout.canceled',
      'payout.failed',
      'payout.completed',
    ].entries())
      assert.deepEqual(
        (await eventsOf(payouts[i].reference)).sort(),
        [type, 'payout.initiated'].sort(),
      )
    // And it can go out again.
    const again = await merchant.settle(plan)
    assert.deepEqual(
      again.payouts.map((one: Json) => one.amount),
      [100_000, 200_000, 300_000],
    )
  })

  it('get what had arrived of a payout that is returned', async () => {
    const plan = await merchant.makePlan([
      { name: 'Ada', percentage_bps: 1_000, destination: bankAccount() },
    ])
    await merchant.sell([plan, 1_000_000, 1])
    const wallet = await merchant.available()
    const { payouts } = await merchant.settle(plan)
    const { amount } = payouts[0]
    await merchant.endPayout(payouts[0], 'completed')
    const { fee, net_amount } = await merchant.readPayout(payouts[0].reference)
    await merchant.endPayout(payouts[0], 'returned')
    assert.deepEqual(
      [await merchant.held(plan), await merchant.settled(plan)],
      [[net_amount], [amount - net_amount]],
    )
    assert.equal(amount - net_amount, fee)
    assert.equal(await merchant.available(), wallet)
  })

  it('are paid once when they are settled twice at once', async () => {
    for (let round = 0; round < 5; round++) {
      const plan = await merchant.makePlan([
        { name: 'Ada', percentage_bps: 1_000, destination: bankAccount() },
        { name: 'Bola', percentage_bps: 2_000, destination: bankAccount() },
      ])
      await merchant.sell([plan, 1_000_000, 1])
      const answers = await Promise.all([
        merchant.settle(plan),
        merchant.settle(plan),
        merchant.settle(plan),
      ])
      const payouts = answers.flatMap((one) => one.payouts)
      assert.deepEqual(payouts.map((one: Json) => one.amount).sort(), [100_000, 200_000])
      assert.deepEqual(
        answers.flatMap((one) => one.skipped),
        [],
      )
      assert.deepEqual(await merchant.settled(plan), [100_000, 200_000])
    }
  })

  it('settle while other payouts of theirs fail and other sales are paid', async () => {
    const plan = await merchant.makePlan([
      { name: 'Ada', percentage_bps: 1_000, destination: bankAccount() },
      { name: 'Bola', percentage_bps: 2_000, destination: bankAccount() },
    ])
    let expected = 0
    for (let round = 0; round < 8; round++) {
      await merchant.sell([plan, 1_000_000, 1])
      const { payouts } = await merchant.settle(plan)
      const invoices = [
        await merchant.bill([plan, 1_000_000, 1]),
        await merchant.bill([plan, 1_000_000, 1]),
      ]
      await merchant.pay(invoices[0])
      const answers = await Promise.all([
        ...payouts.map((one: Json) =>
          merchant.call('POST', `/payouts/${one.reference}/simulate`, { outcome: 'failed' }),
        ),
        merchant.call('POST', `/distributions/${plan.id}/settle`),
        merchant.call('POST', `/payments/${invoices[1].payment}/simulate`, {
          outcome: 'completed',
          method: 'bank_transfer',
        }),
        merchant.call('PUT', `/distributions/${plan.id}`, {
          shares: plan.shares.map(({ name, percentage_bps }: Json) => ({
            name,
            percentage_bps,
            destination: bankAccount(),
          })),
        }),
      ])
      assert.deepEqual(
        answers.map((one) => one.status),
        answers.map(() => 200),
        JSON.stringify(answers.map((one) => one.body.errors)),
      )
      expected += 900_000
      const { shares } = await merchant.readPlan(plan)
      assert.equal(sum(shares.flatMap((one: Json) => [one.accrued, one.settled])), expected)
    }
  })

  it('pay out what a refund has left when both come at once', async () => {
    const plan = await merchant.makePlan([
      ...half,
      { name: 'Bola', percentage_bps: 1_000, destination: bankAccount() },
    ])
    const payments = [
      await merchant.sell([plan, 100_000, 1]),
      await merchant.sell([plan, 200_000, 1]),
    ]
    await server.fund('ngn', 300_000)
    // Someone holds the wallet; the refund waits for it, and then the settlement behind the refund.
    const held = await holdWallets(server)
    const refund = merchant.refund(payments[0])
    await held.waiting(1)
    const settle = merchant.call('POST', `/distributions/${plan.id}/settle`)
    await held.waiting(2)
    await held.release()
    assert.equal((await refund).status, 201)
    const { status, data, body } = await settle
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      data.payouts.map((one: Json) => one.amount),
      [100_000, 20_000],
    )
    assert.deepEqual(await merchant.held(plan), [0, 0])
  })

  it('are not let go by a change while a sale is paid', async () => {
    for (let round = 0; round < 8; round++) {
      const plan = await merchant.makePlan(half)
      const invoice = await merchant.bill([plan, 100_000, 1])
      const [paid] = await Promise.all([
        merchant.call('POST', `/payments/${invoice.payment}/simulate`, {
          outcome: 'completed',
          method: 'bank_transfer',
        }),
        merchant.call('PUT', `/distributions/${plan.id}`, {
          shares: [{ name: 'Bola', percentage_bps: 5_000 }],
        }),
      ])
      assert.equal(paid?.status, 200)
      // Whoever was in the plan when it was paid holds the part, and is shown.
      assert.equal(sum(await merchant.held(plan)), 50_000)
    }
  })
})
