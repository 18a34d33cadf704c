import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  ada,
  address,
  americanAccount,
  assertRefused,
  bankAccount,
  cards,
  type Json,
  type Merchant,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer, until } from '../../../test/support/harness.ts'

const bank = bankAccount()

describe('where refunds go', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 500_000 })
    await server.fund('ngn', 50_000_000)
    await server.fund('usd', 5_000_000)
  })
  after(() => server.stop())

  const other = { account_name: 'Bola Eze', bank_code: '044', account_number: '0690000031' }
  /**
   * 200,000 from Ada, 120,000 from Bola, 80,000 from nobody knows whom, and the last 100,000 by
   * card.
   */
  async function mixed(): Promise<{ payment: Json; transactions: string[] }> {
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    const transactions = []
    for (const [amount, sender] of [
      [200_000, ada],
      [120_000, other],
      [80_000, null],
    ] as const)
      transactions.push((await payer.transfer(amount, sender)).id as string)
    await merchant.simulate(payment, 'completed', 'card')
    const paid = await merchant.readPayment(payment)
    assert.deepEqual(
      [paid.status, paid.amount_received, paid.method],
      ['completed', 500_000, 'card'],
    )
    return { payment: paid, transactions: [...transactions, paid.transaction] }
  }

  it('sends each part back to where it came from, and no more than came from there', async () => {
    const { payment, transactions } = await mixed()
    const [fromAda, fromBola, fromNobody, fromCard] = transactions
    const foreign = (await merchant.takePayment('card')).transaction
    const before = await merchant.balance()
    const {
      body: { errors: largest },
    } = await assertRefused(server, 400, 'refund_too_large', () =>
      merchant.refund(payment, { amount: 100_001 }),
    )
    assert.equal(largest.left, 100_000)
    for (const [transaction, left] of [
      [fromAda, 200_000],
      [fromBola, 120_000],
      [fromCard, 100_000],
    ] as const) {
      const ask = () => merchant.refund(payment, { transaction, amount: left + 1 })
      assert.equal(
        (await assertRefused(server, 400, 'refund_too_large', ask)).body.errors.left,
        left,
      )
    }
    await assertRefused(server, 400, 'destination_required', () =>
      merchant.refund(payment, { transaction: fromNobody }),
    )
    await assertRefused(server, 400, 'invalid_destination', () =>
      merchant.refund(payment, { transaction: fromCard, destination: bank }),
    )
    for (const transaction of [foreign, noId])
      await assertRefused(server, 404, 'not_found', () => merchant.refund(payment, { transaction }))
    await assertRefused(server, 422, 'validation_failed', () =>
      merchant.refund(payment, { transaction: 'nonsense' }),
    )

    for (const [more, amount, last] of [
      [{ transaction: fromAda, amount: 50_000 }, 50_000, '0123456789'],
      [{}, 100_000, '4242'],
      [{ transaction: fromAda }, 150_000, '0123456789'],
      [{ transaction: fromNobody, destination: bank }, 80_000, '0123456789'],
      [{}, 120_000, '0690000031'],
    ] as const) {
      const { status, data } = await merchant.refund(payment, more)
      assert.equal(status, 201, JSON.stringify([more, data]))
      assert.deepEqual(
        [data.amount, data.destination.card?.last4 ?? data.destination.account_number],
        [amount, last],
      )
      assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
    }
    await assertRefused(server, 400, 'refund_too_large', () => merchant.refund(payment))
    for (const transaction of transactions)
      await assertRefused(server, 404, 'not_found', () => merchant.refund(payment, { transaction }))
    assert.equal((await merchant.readPayment(payment)).amount_refunded, 500_000)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 500_000,
      pending: 0,
    })
  })

  it('does not give back what a lost dispute took, and takes it from no other source', async () => {
    const lose = async (payment: Json): Promise<void> => {
      const dispute = await merchant.ask('POST', `/payments/${payment.id}/simulate-dispute`, {})
      await merchant.ask('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'lost' })
    }
    const whole = await merchant.takePayment('card')
    await lose(whole)
    const none = await assertRefused(server, 400, 'refund_too_large', () => merchant.refund(whole))
    assert.equal(none.body.errors.left, 0)

    const { payment, transactions } = await mixed()
    await lose(payment)
    const [fromAda, fromBola, fromNobody, fromCard] = transactions
    await assertRefused(server, 404, 'not_found', () =>
      merchant.refund(payment, { transaction: fromCard }),
    )
    for (const [more, amount] of [
      [{ destination: bankAccount('0123456701'), amount: 100_000 }, 100_000],
      [{ transaction: fromAda }, 200_000],
      [{ transaction: fromBola }, 100_000],
    ] as const) {
      const { status, data } = await merchant.refund(payment, more)
      assert.deepEqual([status, data.amount], [201, amount], JSON.stringify([more, data]))
      await merchant.refundEnded(data.id)
    }
    await assertRefused(server, 404, 'not_found', () =>
      merchant.refund(payment, { transaction: fromNobody }),
    )
    await assertRefused(server, 400, 'refund_too_large', () => merchant.refund(payment))
  })

  it('sends to a destination what did not come by card, and no more', async () => {
    const { payment, transactions } = await mixed()
    const destination = americanAccount
    const {
      body: { errors: largest },
    } = await assertRefused(server, 400, 'refund_too_large', () =>
      merchant.refund(payment, { destination, amount: 400_001 }),
    )
    assert.equal(largest.left, 400_000)
    const first = await merchant.refund(payment, { transaction: transactions[1], amount: 100_000 })
    await merchant.refundEnded(first.data.id)
    const second = await merchant.refund(payment, { destination, amount: 150_000 })
    await merchant.refundEnded(second.data.id)
    // Of the four hundred that came by transfer, a hundred and fifty are left, however they are
    // asked for.
    let back = 0
    for (const transaction of transactions.slice(0, 3)) {
      const { status, data } = await merchant.refund(payment, { transaction, destination: bank })
      assert.ok(status === 201 || status === 404, JSON.stringify(data))
      if (status !== 201) continue
      back += data.amount
      await merchant.refundEnded(data.id)
    }
    assert.equal(back, 150_000)
    await assertRefused(server, 400, 'invalid_destination', () =>
      merchant.refund(payment, { destination }),
    )
    const { data } = await merchant.refund(payment)
    assert.deepEqual([data.method, data.amount], ['card', 100_000])
    await merchant.refundEnded(data.id)
  })

  it('takes what goes elsewhere from the transaction that is named, and leaves the others whole', async () => {
    const { payment, transactions } = await mixed()
    const [fromAda, fromBola, fromNobody] = transactions
    for (const [transaction, destination, amount] of [
      [fromAda, americanAccount, 200_000],
      [fromNobody, bank, 80_000],
      [fromBola, undefined, 120_000],
    ] as const) {
      const { status, data } = await merchant.refund(payment, { transaction, destination })
      assert.deepEqual([status, data.amount], [201, amount])
      await merchant.refundEnded(data.id)
    }
  })

  it('takes what goes to one payer beyond their part from what the others sent, not from the card', async () => {
    const { payment, transactions } = await mixed()
    const destination = { bank_code: ada.bank_code, account_number: ada.account_number }
    const { data } = await merchant.refund(payment, { destination, amount: 350_000 })
    await merchant.refundEnded(data.id)
    let back = 0
    for (const transaction of transactions.slice(0, 3)) {
      const rest = await merchant.refund(payment, { transaction, destination: bank })
      if (rest.status === 404) continue
      back += rest.data.amount
      await merchant.refundEnded(rest.data.id)
    }
    assert.equal(back, 50_000)
    const card = await merchant.refund(payment)
    assert.deepEqual([card.data.method, card.data.amount], ['card', 100_000])
    await merchant.refundEnded(card.data.id)
  })

  it('counts a failed refund as none, also where it went', async () => {
    const { payment, transactions } = await mixed()
    const [, , fromNobody] = transactions
    const destination = { bank_code: '058', account_number: '0000000001' }
    const first = await merchant.refund(payment, { transaction: fromNobody, destination })
    assert.equal((await merchant.refundEnded(first.data.id)).status, 'failed')
    const { data } = await merchant.refund(payment, { transaction: fromNobody, destination: bank })
    assert.equal(data.amount, 80_000)
    await merchant.refundEnded(data.id)
  })

  it('sends a card payment back to its card only', async () => {
    for (const [number, brand, last4] of [
      ['5555 5555 5555 4444', 'mastercard', '4444'],
      ['5060666666666666666', 'verve', '6666'],
      [cards.lostAnswer, 'visa', '0259'],
    ] as const) {
      const opened = await merchant.takeCard(number, { currency: 'usd', amount: 2_000 })
      const payment = await until(async () => {
        const data = await merchant.readPayment(opened)
        return data.status === 'completed' ? data : null
      })
      for (const destination of [
        bank,
        americanAccount,
        { currency: 'usdc', chain: 'base', address },
      ])
        await assertRefused(server, 400, 'invalid_destination', () =>
          merchant.refund(payment, { destination }),
        )
      const { data } = await merchant.refund(payment)
      assert.deepEqual([data.method, data.destination], ['card', { card: { brand, last4 } }])
      assert.deepEqual(
        [data.amount, data.destination_amount, data.destination_currency],
        [2_000, 2_000, 'usd'],
      )
      assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
    }
  })

  it('sends a transfer back to the account it came from', async () => {
    const naira = await merchant.refund(await merchant.takeTransfer(ada))
    assert.equal(naira.data.method, 'bank_transfer')
    assert.deepEqual(naira.data.destination, { ...ada, currency: 'ngn', country: 'ng' })
    const dollars = await merchant.refund(
      await merchant.takePayment('bank_transfer', { currency: 'usd', amount: 9_900 }),
    )
    assert.deepEqual(dollars.data.destination, {
      ...americanAccount,
      currency: 'usd',
      bank_name: 'Sandbox Bank',
    })
    assert.deepEqual(
      [dollars.data.destination_amount, dollars.data.destination_currency],
      [9_900, 'usd'],
    )
    for (const { data } of [naira, dollars])
      assert.equal((await merchant.refundEnded(data.id)).status, 'completed')
  })

  it('knows a naira sender by the name of the bank', async () => {
    const { status, data } = await merchant.refund(
      await merchant.takeTransfer({ ...ada, bank_code: undefined }),
    )
    assert.deepEqual([status, data.destination], [201, { ...ada, currency: 'ngn', country: 'ng' }])
    await merchant.refundEnded(data.id)
  })

  it('knows a dollar sender by the routing number that stands as its bank code', async () => {
    const sender = {
      account_name: 'Ada Okafor',
      account_number: '000123456789',
      bank_code: '110000000',
    }
    const { status, data } = await merchant.refund(
      await merchant.takeTransfer(sender, { currency: 'usd', amount: 9_900 }),
    )
    assert.equal(status, 201)
    assert.deepEqual(data.destination, {
      ...americanAccount,
      currency: 'usd',
      bank_name: 'Sandbox Bank',
    })
    await merchant.refundEnded(data.id)
  })

  it('asks for a destination when the sender is not known well enough', async () => {
    for (const [sender, currency] of [
      [null, 'ngn'],
      [{ account_name: 'Ada Okafor' }, 'ngn'],
      [{ account_number: '0123456789' }, 'ngn'],
      [{ ...ada, account_number: '012345678' }, 'ngn'],
      [{ ...ada, bank_code: '000' }, 'ngn'],
      [{ ...ada, bank_code: undefined, bank_name: 'Bank of Nowhere' }, 'ngn'],
      [{ account_number: '000123456789', bank_code: '110000000' }, 'usd'],
      [{ account_name: 'Ada', account_number: '000123456789', bank_code: '110000001' }, 'usd'],
    ] as const) {
      const payment = await merchant.takeTransfer(sender, { currency, amount: 40_000 })
      await assertRefused(server, 400, 'destination_required', () => merchant.refund(payment))
      const destination = currency === 'ngn' ? bank : americanAccount
      const { status, data } = await merchant.refund(payment, { destination })
      assert.deepEqual(
        [status, data.method, data.destination_currency],
        [201, 'bank_transfer', currency],
      )
      assert.equal(data.destination.account_number, destination.account_number)
      if (currency === 'ngn') assert.match(data.destination.resolved_account_name, /\w+ \w+/)
      await merchant.refundEnded(data.id)
    }
  })

  it('sends it where the merchant says, in the currency that arrives there', async () => {
    const other = { bank_code: '044', account_number: '0690000031' }
    const { data } = await merchant.refund(await merchant.takeTransfer(ada), { destination: other })
    assert.deepEqual(
      [data.destination.bank_code, data.destination.account_number, data.rate],
      ['044', '0690000031', '1'],
    )
    const abroad = await merchant.refund(await merchant.takeTransfer(ada, { amount: 15_500_000 }), {
      destination: americanAccount,
    })
    assert.deepEqual(
      [abroad.data.destination_currency, abroad.data.destination_amount],
      ['usd', 9_999],
    )
    const token = await merchant.refund(
      await merchant.takeTransfer(null, { currency: 'usd', amount: 9_900 }),
      {
        destination: { currency: 'usdc', chain: 'base', address },
      },
    )
    assert.deepEqual(
      [
        token.data.method,
        token.data.rate,
        token.data.destination_amount,
        token.data.destination_currency,
      ],
      ['crypto', '1', 9_900, 'usdc'],
    )
    for (const { data: made } of [{ data }, abroad, token])
      assert.equal((await merchant.refundEnded(made.id)).status, 'completed')
  })

  const badDestinations: [string, object, number, string][] = [
    ['unknown bank', { bank_code: '000', account_number: '0123456789' }, 400, 'unknown_bank'],
    ['nine digits', { bank_code: '058', account_number: '012345678' }, 400, 'invalid_destination'],
    [
      'no such account',
      { bank_code: '058', account_number: '0000000003' },
      400,
      'account_not_found',
    ],
    ['dollars to a Nigerian bank', { ...bank, currency: 'usd' }, 400, 'currency_mismatch'],
    ['no account', { bank_code: '058' }, 422, 'validation_failed'],
    ['nothing', {}, 422, 'validation_failed'],
    ['a card', { card: { last4: '4242' } }, 422, 'validation_failed'],
    ['a chain on a bank', { ...bank, chain: 'base' }, 422, 'validation_failed'],
    ['a token without a chain', { currency: 'usdc', address }, 422, 'validation_failed'],
    ['a token without an address', { currency: 'usdc', chain: 'base' }, 422, 'validation_failed'],
    ['another chain', { currency: 'usdc', chain: 'bitcoin', address }, 400, 'unsupported_chain'],
    ['naira on a chain', { currency: 'ngn', chain: 'base', address }, 400, 'currency_mismatch'],
    [
      'no capitals',
      { currency: 'usdc', chain: 'base', address: address.toLowerCase() },
      400,
      'invalid_address',
    ],
    [
      'nobody',
      { currency: 'usdc', chain: 'base', address: `0x${'0'.repeat(40)}` },
      400,
      'invalid_destination',
    ],
    [
      'a wrong check digit',
      { ...americanAccount, routing_number: '110000001' },
      400,
      'invalid_destination',
    ],
    ['no account type', { ...americanAccount, account_type: undefined }, 422, 'validation_failed'],
  ]
  it('refuses a bad destination', async () => {
    const payment = await merchant.takeTransfer(null)
    for (const [what, destination, status, code] of badDestinations)
      await assertRefused(server, status, code, () =>
        merchant.refund(payment, { destination }),
      ).catch((error) => {
        throw new Error(what, { cause: error })
      })
  })

  it('sends tokens back to where they came from, in the same token', async () => {
    const dollars = await merchant.refund(
      await merchant.takePayment('crypto', { currency: 'usd', amount: 9_900 }),
    )
    assert.deepEqual(
      [dollars.data.method, dollars.data.destination.address, dollars.data.destination_amount],
      ['crypto', address, 9_900],
    )
    const { tx_hash, status } = await merchant.refundEnded(dollars.data.id)
    assert.equal(status, 'completed')
    assert.match(tx_hash, /^0x[0-9a-f]{64}$/)

    const naira = await merchant.takePayment('crypto', { amount: 1_000_000 })
    const before = await merchant.balance()
    for (const amount of [1, 1_550])
      await assertRefused(server, 400, 'amount_too_small', () => merchant.refund(naira, { amount }))
    const dust = await merchant.refund(naira, { amount: 1_551 })
    assert.deepEqual([dust.data.amount, dust.data.destination_amount], [1_551, 1])
    await merchant.refundEnded(dust.data.id)
    const rest = await merchant.refund(naira)
    // 998,449 kobo at 0.00064516129 are 644.16 cents.
    assert.deepEqual(
      [
        rest.data.amount,
        rest.data.destination_amount,
        rest.data.destination_currency,
        rest.data.rate,
      ],
      [998_449, 644, rest.data.destination.currency, '0.00064516129'],
    )
    assert.match(rest.data.destination.currency, /^usd[ct]$/)
    await merchant.refundEnded(rest.data.id)
    assert.deepEqual(await merchant.balance(), {
      available: before.available - 1_000_000,
      pending: 0,
    })
  })
})
