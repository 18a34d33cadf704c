/**
 * Goal: the double of Paystack keeps its books right and obeys what Paystack documents. Method: it
 * is asked by HTTP as an adapter asks, its world is moved by hand, and after each test its books
 * must explain every kobo and no request may have been wrong.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { inFreshWorlds } from '../support/runs.ts'
import { askerOf, dataOf } from './paystack/asking.ts'
import { type Double, paymentFee, sign, startPaystack, transferFee } from './paystack.ts'

const naira = (amount: number): number => amount * 100

let paystack: Double
let ask: ReturnType<typeof askerOf>
const open = async (): Promise<void> => {
  paystack = await startPaystack()
  ask = askerOf(paystack)
}
beforeEach(open)
afterEach(async () => {
  await paystack.stop()
  assert.deepEqual(paystack.violations, [])
  assert.deepEqual(paystack.audit(), [])
})

describe('the books', () => {
  it('explain every kobo of a day', async () => {
    const { live } = paystack
    const card = await ask.paid(naira(50_000))
    const waiting = dataOf(await ask.charge(naira(2_000)))
    assert.equal(live.bank.credit(waiting.account_number, { amount: naira(2_000) }), 'paid')
    const account = dataOf(await ask.account(dataOf(await ask.customer()).customer_code))
    assert.equal(live.bank.credit(account.account_number, { amount: naira(10_000) }), 'paid')
    const fees = naira(750 + 100) + naira(30) + naira(100)
    assert.equal(live.books.pots.pending, naira(62_000) - fees)

    live.operator.settle('balance')
    const sent = dataOf(await ask.transfer(naira(20_000)))
    live.transfer.succeed(sent.reference)
    live.transfer.reverse(sent.reference)
    const kept = dataOf(await ask.transfer(naira(20_000)))
    live.transfer.succeed(kept.reference)
    const refund = dataOf(await ask.refund(String(card.id), naira(5_000)))
    live.refund.process(refund.id)
    live.operator.topUp(naira(1_000))
    await ask.paid(naira(1_000))
    const { effective } = live.operator.settle('bank') ?? assert.fail('nothing was settled')
    assert.equal(effective, naira(1_000 - 15))
    assert.equal(
      live.books.owed(),
      naira(62_000) - fees - naira(20_000 + 25 + 50) - naira(5_000) + naira(1_000),
    )

    const [balance] = dataOf(await ask.get('/balance'))
    assert.deepEqual(balance, { currency: 'NGN', balance: live.books.owed() })
    const [newest] = dataOf(await ask.get('/balance/ledger'))
    assert.deepEqual([newest.balance, newest.difference], [live.books.owed(), naira(1_000)])
    const [settled] = dataOf(await ask.get('/settlement'))
    const rows = dataOf(await ask.get(`/settlement/${settled.id}/transactions`))
    assert.deepEqual(
      [settled.effective_amount, settled.total_amount, rows.length],
      [naira(985), naira(1_000), 1],
    )
  })

  it('explain every kobo of any run', async () => {
    const acts = fc.constantFrom(
      'pay',
      'deposit',
      'transfer',
      'end',
      'refund',
      'endRefund',
      'settle',
      'dispute',
      'topUp',
    )
    const step = fc.tuple(acts, fc.integer({ min: 1, max: 3_000_000 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        inFreshWorlds(
          () => paystack.stop().then(open),
          async (steps) => {
            const { live } = paystack
            const account = dataOf(
              await ask.account(dataOf(await ask.customer('one@shop.example')).customer_code),
            )
            for (const [act, amount] of steps) {
              const { transactions, transfers, refunds } = live.books
              const transaction = transactions[amount % (transactions.length || 1)]
              const transfer = transfers[amount % (transfers.length || 1)]
              const refund = refunds[amount % (refunds.length || 1)]
              if (act === 'pay') await ask.paid(amount)
              if (act === 'deposit') live.bank.credit(account.account_number, { amount })
              if (act === 'transfer') await ask.transfer(amount)
              if (act === 'refund' && transaction) await ask.refund(String(transaction.id), amount)
              if (act === 'settle') live.operator.settle(amount % 2 ? 'bank' : 'balance')
              if (act === 'topUp') live.operator.topUp(amount)
              try {
                if (act === 'end' && transfer)
                  live.transfer[(['succeed', 'fail', 'reverse'] as const)[amount % 3] as 'fail'](
                    transfer.reference,
                  )
                if (act === 'endRefund' && refund)
                  live.refund[amount % 2 ? 'process' : 'fail'](refund.id)
                if (act === 'dispute' && transaction)
                  live.payer.endDispute(
                    live.payer.dispute(transaction.reference),
                    amount % 2 ? 'won' : 'lost',
                  )
              } catch (error) {
                assert.match(String(error), /cannot|owes too little/)
              }
              assert.deepEqual(paystack.audit(), [])
            }
          },
        ),
      ),
      { numRuns: 10 },
    )
  })

  it('find a kobo that nothing explains', () => {
    paystack.live.books.pots.balance += 1
    assert.equal(paystack.audit().length, 2)
    paystack.live.books.pots.balance -= 1
    paystack.live.books.move('balance', 1, 'Transfer', 1, 'from nowhere')
    assert.deepEqual(paystack.audit(), ['live: owes 1, its records explain 0'])
    paystack.live.books.move('balance', -1, 'Transfer', 1, 'back')
  })

  it('of the two modes are apart, and answers say which', async () => {
    const { reference } = await ask.paid()
    const inTest = askerOf(paystack, 'test')
    assert.equal((await inTest.get(`/transaction/verify/${reference}`)).status, 400)
    assert.equal(dataOf(await ask.get(`/transaction/verify/${reference}`)).domain, 'live')
    assert.equal(
      dataOf(await inTest.get(`/transaction/verify/${(await inTest.paid()).reference}`)).domain,
      'test',
    )
    const answer = await fetch(`${paystack.url}/balance`, {
      headers: { authorization: 'Bearer sk_live_other' },
    })
    assert.equal(answer.status, 401)
  })

  it('take fees as the price list has them', () => {
    const fees = [2_499, 2_500, 50_000, 1_000_000].map((amount) =>
      paymentFee(naira(amount), 'card'),
    )
    assert.deepEqual(fees, [naira(37) + 49, naira(137) + 50, naira(850), naira(2_000)])
    assert.equal(paymentFee(naira(100_000), 'dedicated_nuban'), naira(300))
    // Stamp duty of 50 naira is part of it from 10,000 naira up.
    assert.deepEqual(
      [5_000, 9_999, 10_000, 50_001].map((amount) => transferFee(naira(amount))),
      [10, 25, 75, 100].map(naira),
    )
  })
})

describe('transactions', () => {
  it('answer 200 for a failed charge, and can be paid after it', async () => {
    const { reference } = dataOf(await ask.initialize())
    const verify = () => ask.get(`/transaction/verify/${reference}`)
    assert.equal(dataOf(await verify()).status, 'abandoned')
    paystack.live.payer.decline(reference, 'Insufficient Funds')
    const failed = await verify()
    assert.deepEqual(
      [failed.status, failed.body.status, dataOf(failed).status],
      [200, true, 'failed'],
    )
    assert.equal(paystack.live.events.queue.length, 0, 'there is no event of a declined charge')
    paystack.live.payer.pay(reference)
    assert.equal(dataOf(await verify()).status, 'success')
    assert.equal(dataOf(await verify()).authorization.brand, 'visa ')
    assert.throws(() => paystack.live.payer.pay(reference), /paid already/)
  })

  it('of an unknown reference are 400 or 404', async () => {
    const verify = () => ask.get('/transaction/verify/tr-nobody')
    assert.deepEqual(
      [(await verify()).status, (await verify()).body.code],
      [400, 'transaction_not_found'],
    )
    paystack.live.settings.unknownTransaction = 404
    assert.equal((await verify()).status, 404)
  })

  it('refuse a reference that is taken', async () => {
    const { reference } = dataOf(await ask.initialize())
    const again = await ask.initialize(500_000, { reference })
    assert.deepEqual([again.status, again.body.message], [400, 'Duplicate Transaction Reference'])
  })

  it('cost the payer more where the payer bears the fee', async () => {
    paystack.live.settings.feeBearer = 'customer'
    const { reference } = await ask.paid(naira(20_000))
    const { amount, requested_amount, fees } = dataOf(
      await ask.get(`/transaction/verify/${reference}`),
    )
    assert.equal(requested_amount, naira(20_000))
    assert.equal(amount - fees, requested_amount)
    assert.ok(amount > requested_amount)
  })

  it('are listed by status and time, page by page', async () => {
    for (const amount of [1_000, 2_000, 3_000]) await ask.paid(amount)
    await ask.initialize()
    const first = await ask.get(
      '/transaction?status=success&perPage=2&from=2020-01-01T00:00:00.000Z',
    )
    assert.deepEqual(
      dataOf(first).map(({ amount }: { amount: number }) => amount),
      [3_000, 2_000],
    )
    assert.deepEqual(first.body.meta, {
      total: 3,
      skipped: 0,
      perPage: 2,
      page: 1,
      pageCount: 2,
      total_volume: 6_000,
    })
    assert.equal(dataOf(await ask.get('/transaction?status=success&perPage=2&page=2')).length, 1)
    assert.deepEqual(dataOf(await ask.get('/transaction?to=2020-01-01T00:00:00.000Z')), [])
  })
})

describe('accounts', () => {
  it('for one time take the exact amount only, and once', async () => {
    const waiting = dataOf(await ask.charge(naira(500)))
    const { bank, events, books } = paystack.live
    assert.equal(bank.credit(waiting.account_number, { amount: naira(300) }), 'returned')
    assert.deepEqual(
      events.queue.map((one) => one.event),
      ['bank.transfer.rejected'],
    )
    assert.partialDeepStrictEqual(events.queue[0]?.data, {
      bank_transfer: { amount: '30000', message_type: 'INCORRECT_AMOUNT' },
    })
    assert.equal(books.owed(), 0)
    assert.equal(
      dataOf(await ask.get(`/charge/${waiting.reference}`)).status,
      'pending_bank_transfer',
    )
    assert.equal(bank.credit(waiting.account_number, { amount: naira(500) }), 'paid')
    assert.equal(bank.credit(waiting.account_number, { amount: naira(500) }), 'returned')
    assert.equal(
      dataOf(await ask.get(`/transaction/verify/${waiting.reference}`)).channel,
      'bank_transfer',
    )
  })

  it('for one time end between 15 minutes and 8 hours from now', async () => {
    const endOf = async (inMs: number): Promise<number> => {
      const account_expires_at = new Date(Date.now() + inMs).toISOString()
      const waiting = dataOf(
        await ask.charge(naira(500), { bank_transfer: { account_expires_at } }),
      )
      return Math.round((Date.parse(waiting.account_expires_at) - Date.now()) / 60_000)
    }
    assert.deepEqual(
      [await endOf(60_000), await endOf(3_600_000), await endOf(864e5)],
      [15, 60, 480],
    )
  })

  it('dedicated to a customer need a name and a telephone, and are one per customer and bank', async () => {
    const bare = dataOf(await ask.customer('bare@shop.example', { phone: '' }))
    assert.equal((await ask.account(bare.customer_code)).status, 400)
    const { customer_code, id } = dataOf(await ask.customer('bare@shop.example'))
    assert.equal(customer_code, bare.customer_code, 'the same address answers the same customer')
    const first = dataOf(await ask.account(customer_code, { phone: '+2348012345678' }))
    assert.deepEqual([first.assigned, first.active, first.bank.slug], [true, true, 'wema-bank'])
    assert.equal(dataOf(await ask.account(customer_code)).account_number, first.account_number)
    assert.equal(
      dataOf(await ask.get(`/dedicated_account?customer=${id}&currency=NGN&active=true`)).length,
      1,
    )
    await ask.delete(`/dedicated_account/${first.id}`)
    assert.equal(
      paystack.live.bank.credit(first.account_number, { amount: naira(500) }),
      'returned',
    )
    const [closed] = dataOf(await ask.get(`/dedicated_account?customer=${id}&active=true`))
    assert.deepEqual([closed.active, closed.assigned], [true, false])
    assert.notEqual(dataOf(await ask.account(customer_code)).account_number, first.account_number)
  })

  it('dedicated to a customer may come later, or never', async () => {
    paystack.live.settings.dedicatedAccounts = 'later'
    const [one, two] = [dataOf(await ask.customer()), dataOf(await ask.customer())]
    const pending = dataOf(await ask.account(one.customer_code))
    assert.deepEqual([pending.account_number, pending.assigned], [null, false])
    paystack.live.account.assign(pending.id)
    assert.match(
      dataOf(await ask.get(`/dedicated_account/${pending.id}`)).account_number,
      /^99\d{8}$/,
    )
    const never = dataOf(await ask.account(two.customer_code))
    paystack.live.account.fail(never.id)
    assert.equal((await ask.get(`/dedicated_account/${never.id}`)).status, 404)
    const events = paystack.live.events.queue.map((event) => event.event)
    assert.deepEqual(events, ['dedicatedaccount.assign.success', 'dedicatedaccount.assign.failed'])
  })

  it('take deposits, which name the account or not, and which a requery finds', async () => {
    const { customer_code } = dataOf(await ask.customer())
    const { account_number } = dataOf(await ask.account(customer_code))
    const { bank, books, settings } = paystack.live
    bank.credit(account_number, {
      amount: naira(700),
      sender: { name: 'EMEKA', account: '9876543210' },
    })
    settings.receiverOnCharge = false
    assert.equal(bank.credit(account_number, { amount: naira(800), unnoticed: true }), 'unnoticed')
    assert.equal(books.transactions.length, 1)
    await ask.get(
      `/dedicated_account/requery?account_number=${account_number}&provider_slug=wema-bank&date=2026-11-22`,
    )
    await new Promise((resolve) => setImmediate(resolve))
    const [second, first] = dataOf(await ask.get(`/transaction?customer_code=${customer_code}`))
    assert.deepEqual(
      [first.channel, first.authorization.sender_bank_account_number],
      ['dedicated_nuban', 'XXXXXX3210'],
    )
    assert.equal(first.authorization.receiver_bank_account_number, account_number)
    assert.equal('receiver_bank_account_number' in second.authorization, false)
  })
})

describe('customers', () => {
  it('are answered without a telephone and metadata that were not given', async () => {
    const bare = dataOf(await ask.post('/customer', { email: 'bare@example.com' }))
    for (const field of ['phone', 'metadata', 'international_format_phone'])
      assert.ok(!(field in bare), field)
    const given = { phone: '+2348012345678', metadata: { bursar_customer: 'x' } }
    const full = dataOf(await ask.post('/customer', { email: 'full@example.com', ...given }))
    assert.deepEqual({ phone: full.phone, metadata: full.metadata }, given)
  })
})

describe('names, banks, identity', () => {
  it('resolve accounts: with a test key three a day, but for the bank 001', async () => {
    assert.equal(dataOf(await ask.resolve()).account_name, 'ADA NGOZI OKAFOR')
    paystack.live.bank.name('058', '0123456789', null)
    assert.deepEqual(
      [(await ask.resolve()).status, (await ask.resolve('0123456789', '777')).status],
      [422, 422],
    )
    const inTest = askerOf(paystack, 'test')
    for (const _ of [1, 2, 3]) assert.equal((await inTest.resolve()).status, 200)
    const fourth = await inTest.resolve()
    assert.deepEqual(
      [fourth.status, fourth.headers.get('content-type')?.startsWith('application/json')],
      [429, true],
    )
    assert.match(dataOf(await inTest.resolve('0123456789', '001')).account_name, /^TEST ACCOUNT/)
  })

  it('list banks by a cursor', async () => {
    const codes: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const part = await ask.get(
        `/bank?country=nigeria&currency=NGN&use_cursor=true&perPage=5${next === '' ? '' : `&next=${next}`}`,
      )
      codes.push(...dataOf(part).map(({ code }: { code: string }) => code))
      next = (part.body.meta as { next: string | null }).next
    }
    assert.equal(codes.length, paystack.live.bank.banks.length)
    assert.ok(codes.includes('035A'))
  })

  it('identify a customer later, or not', async () => {
    const [one, two] = [dataOf(await ask.customer()), dataOf(await ask.customer())]
    assert.equal((await ask.identify(one.customer_code)).status, 202)
    assert.equal(dataOf(await ask.get(`/customer/${one.customer_code}`)).identified, false)
    paystack.live.identity.succeed(one.customer_code)
    assert.equal(dataOf(await ask.get(`/customer/${one.customer_code}`)).identified, true)
    await ask.identify(two.customer_code)
    paystack.live.identity.fail(two.customer_code)
    const ids = paystack.live.events.queue.map(({ event, data }) => [
      event,
      typeof data.customer_id,
    ])
    assert.deepEqual(ids, [
      ['customeridentification.success', 'string'],
      ['customeridentification.failed', 'number'],
    ])
  })
})

it('signatures are those of RFC 4231', () => {
  const expected =
    '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737'
  assert.equal(sign('what do ya want for nothing?', 'Jefe'), expected)
})
