/**
 * Goal: a journal has every posting of the business once, and its accounts hold what the wallets
 * hold, to the minor unit; whatever is refused writes nothing. Method: money moves over HTTP, and
 * the texts are read back by a few lines; `test/system/books` has other programs read them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  assertRefused,
  type Merchant,
  newBusiness,
  newMerchant,
} from '../../../test/support/actors.ts'
import {
  allowRefundsElsewhere,
  bankPayout,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { send } from '../../../test/support/http.ts'
import { dayOf } from '../../lib/days.ts'

type Format = 'hledger' | 'ledger' | 'beancount'

/** The sums of a journal's legs by account and commodity, in hundredths. */
function sumsOf(text: string): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  // A line that states a balance goes on after its commodity.
  for (const [, account, amount = '', commodity] of text.matchAll(
    /^ {4}(\w\S*) {2}(-?\d+\.\d\d) (\w+)$/gm,
  )) {
    const key = `${account} ${commodity}`
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount.replace('.', '')))
  }
  return sums
}

describe('journals', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    await allowRefundsElsewhere(server.app, server.businessId)
    merchant = newMerchant(server, { price: 500_000 })
    await server.fund('ngn', 100_000_000)
    const paid = await merchant.takePayment('card')
    await merchant.refund(paid, { amount: 10_000 })
    await merchant.refundsEnded(paid.id, 1)
    await merchant.payOut(bankPayout('rent-1', 50_000))
    const payout = () => must(server.call('GET', '/payouts/rent-1'))
    await until(async () => (await payout()).status === 'completed')
  })
  after(() => server.stop())

  const ask = async (query: string, key = server.testKey) => {
    const answer = await send(`${server.url}/exports/journal?${query}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return answer
  }
  const text = async (query: string): Promise<string> => {
    const answer = await ask(query)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    return answer.text
  }
  const postingsOf = (journal: string): string[] =>
    [...journal.matchAll(/posting: "?(\d+)/g)].map(([, id]) => id as string)

  it('have each posting once, and come to what the wallets hold', async () => {
    const { available, pending } = await merchant.wallet()
    for (const format of ['hledger', 'ledger', 'beancount'] as Format[]) {
      const journal = await text(`format=${format}`)
      const sums = sumsOf(journal)
      assert.equal(sums.get('Assets:Bursar:Available NGN'), BigInt(available), format)
      assert.equal(sums.get('Assets:Bursar:Pending NGN') ?? 0n, BigInt(pending), format)
      assert.equal(
        [...sums.values()].reduce((all, one) => all + one, 0n),
        0n,
        format,
      )
      const rows = await server.app.db.query<{ id: bigint }>(
        `select id from ledger_postings where business_id = $1 and not livemode and kind <> 'rail_fee' order by id`,
        [server.businessId],
      )
      assert.deepEqual(
        postingsOf(journal),
        rows.map(({ id }) => String(id)),
        format,
      )
      assert.match(journal, /Payout sent"? "?rent-1/)
    }
  })

  it('begin with what was held before, and state what is held after', async () => {
    const today = dayOf(new Date(await merchant.now()), 'UTC')
    const journal = await text(`format=hledger&from=${today}T00:00:00Z`)
    assert.doesNotMatch(journal, /Opening balance/)
    await merchant.advance('3d')
    const { available } = await merchant.wallet()
    const amount = `${Math.floor(available / 100)}.${String(available % 100).padStart(2, '0')}`
    const later = dayOf(new Date(await merchant.now()), 'UTC')
    const next = await text(`format=beancount&from=${later}`)
    assert.match(
      next,
      new RegExp(`Opening balance" ""\\n    Assets:Bursar:Available  ${amount} NGN`),
    )
    assert.match(next, new RegExp(`balance Assets:Bursar:Available  ${amount} ~ 0 NGN`))
    assert.deepEqual(postingsOf(next), [])
  })

  it('take the accounts of another chart', async () => {
    const accounts =
      'fees=Expenses:Bank:Fees,pending=Assets:Bank,available=Assets:Bank,opening=Equity:Start'
    const journal = await text(`format=ledger&accounts=${encodeURIComponent(accounts)}`)
    assert.match(journal, /^account Assets:Bank\n/m)
    assert.doesNotMatch(journal, /Assets:Bursar:(Available|Pending)|Expenses:Fees/)
    const { available, pending } = await merchant.wallet()
    assert.equal(sumsOf(journal).get('Assets:Bank NGN'), BigInt(available + pending))
    assert.match(journal, /Assets:Bank {2}0\.00 NGN = /)
    // What is held cannot be stated of an account that has other amounts too.
    const mixed = await text(
      `format=ledger&accounts=${encodeURIComponent('payments=Assets:Bursar:Available')}`,
    )
    assert.doesNotMatch(mixed, /Available {2}0\.00/)
  })

  it('book a refund that is paid out elsewhere as a refund', async () => {
    const paid = await merchant.takePayment('bank_transfer', { amount: 90_000 })
    const elsewhere = { destination: { bank_code: '058', account_number: '0690000034' } }
    const answer = await merchant.refund(paid, { amount: 40_000, ...elsewhere })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    const { data } = answer
    await merchant.refundEnded(data)
    const journal = await text('format=hledger')
    assert.match(journal, /Payout sent .*\n(?: {4};.*\n){3} {4}Income:Refunds {2}400\.00 NGN/)
  })

  it('do not state what accounts below have other amounts', async () => {
    const accounts = 'available=Assets:Bank,payouts=Assets:Bank:Clearing'
    const journal = await text(`format=beancount&accounts=${encodeURIComponent(accounts)}`)
    assert.doesNotMatch(journal, /balance Assets:Bank /)
    assert.match(journal, /balance Assets:Bursar:Pending /)
  })

  it('are refused with what is wrong', async () => {
    for (const [query, says] of [
      ['format=excel', /format/],
      ['', /format/],
      ['format=ledger&accounts=costs=Expenses:A', /no role 'costs': there are available/],
      ['format=ledger&accounts=fees=expenses:a', /write an account such as Expenses:Fees/],
      ['format=ledger&accounts=fees=Expenses:A%20%0A', /accounts/],
      ['format=ledger&accounts=fees=Expenses:A,fees=Expenses:B', /names 'fees' twice/],
      ['format=ledger&from=2026-02-01&to=2026-01-01', /to must not be before from/],
      ['format=ledger&from=2099-01-01', /from must not be in the future/],
    ] as const) {
      const { status, text: answer } = await ask(query)
      assert.equal(status, 422, `${query}: ${answer}`)
      assert.match(answer, says)
    }
    const stranger = await newBusiness(server)
    assert.equal((await stranger('GET', '/exports/journal')).status, 422)
  })

  it('are not written of books that differ', async () => {
    await server.asOwner(
      `update ledger_accounts set balance = balance + 1 where business_id = '${server.businessId}' and not livemode and purpose = 'wallet_available' and currency = 'ngn'`,
    )
    const call = () => server.call('GET', '/exports/journal?format=hledger')
    await assertRefused(server, 409, 'unbalanced_period', call)
    await server.asOwner(
      `update ledger_accounts set balance = balance - 1 where business_id = '${server.businessId}' and not livemode and purpose = 'wallet_available' and currency = 'ngn'`,
    )
    assert.equal((await ask('format=hledger')).status, 200)
  })
})
