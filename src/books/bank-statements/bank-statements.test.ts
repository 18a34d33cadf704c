/**
 * Goal: a statement has every movement of a wallet once, and comes from its opening to its closing
 * balance to the minor unit; what is refused writes nothing. Method: money moves over HTTP on
 * several days of the test clock; the files are read back by a few lines. `test/system/integrators`
 * has other programs read them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { assertRefused, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { type ReadStatement, readCamt, readMt940 } from '../../../test/support/bank-files.ts'
import {
  bankPayout,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { send } from '../../../test/support/http.ts'
import { tradeMonths } from '../../../test/support/months.ts'
import { runs } from '../../../test/support/runs.ts'
import { dayAfter, dayOf } from '../../lib/days.ts'
import { foldPostingsOf } from '../statements/statements.ts'

const formats = ['camt.053.001.08', 'camt.053.001.02', 'mt940'] as const
const sumOf = ({ entries }: ReadStatement): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, 0n)

async function fileOf(server: TestServer, query: string, key = server.testKey): Promise<string> {
  const { status, text } = await send(`${server.url}/exports/statement?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  assert.equal(status, 200, `${query}: ${text}`)
  return text
}
const readFile = (format: string, text: string): ReadStatement =>
  format === 'mt940' ? readMt940(text) : readCamt(text)

describe('bank statements', () => {
  let server: TestServer
  let merchant: Merchant
  let months: string[]
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    months = await tradeMonths(server, merchant, 2, async () => {
      const quote = await must(
        server.call('POST', '/conversions/quote', {
          amount: 155_000,
          currency: 'ngn',
          destination_currency: 'usd',
        }),
      )
      await must(server.call('POST', '/conversions', { quote: quote.id }))
      await merchant.takePayment('crypto', { currency: 'usd', amount: 30_000 })
    })
    await merchant.advance('31d')
  })
  after(() => server.stop())

  const daysOf = (month: string): string => {
    const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0))
    return `from=${month}-01&to=${last.toISOString().slice(0, 10)}`
  }

  it('have the balances of the monthly statement, and each posting between them once', async () => {
    for (const month of months) {
      const { wallets } = await must(server.call('GET', `/statements/${month}`))
      for (const { currency, opening, closing } of wallets)
        for (const format of formats) {
          const query = `currency=${currency}&format=${format}&${daysOf(month)}`
          const read = readFile(format, await fileOf(server, query))
          assert.deepEqual([read.opening, read.closing], [BigInt(opening), BigInt(closing)], query)
          assert.equal(read.opening + sumOf(read), read.closing, query)
          assert.equal(read.account, `${server.businessId}-${currency.toUpperCase()}-TEST`)
          assert.equal(read.currency, currency.toUpperCase())
          const rows = await server.app.db.query<{ id: bigint }>(
            `select p.id from ledger_postings p
               join ledger_accounts c on c.id = p.credit_account join ledger_accounts d on d.id = p.debit_account
              where p.business_id = $1 and not p.livemode and p.currency = $2 and to_char(p.posted_at at time zone 'UTC', 'YYYY-MM') = $3
                and (c.purpose in ('wallet_available', 'wallet_pending')) <> (d.purpose in ('wallet_available', 'wallet_pending'))
              order by p.posted_at, p.id`,
            [server.businessId, currency, month],
          )
          assert.deepEqual(
            read.entries.map(({ id }) => id),
            rows.map(({ id }) => String(id)),
            query,
          )
        }
    }
  })

  it('name each movement by its bank transaction code, and mark what takes another back', async () => {
    const [month = ''] = months
    const query = `currency=ngn&${daysOf(month)}`
    const camt = readCamt(await fileOf(server, `${query}&format=camt.053.001.08`))
    const swift = readMt940(await fileOf(server, `${query}&format=mt940`))
    const seen = new Map(
      camt.entries.map(({ code, amount, isReversal }, at) => [
        `${code} ${amount > 0n ? 'in' : 'out'}${isReversal ? ' reversal' : ''}`,
        swift.entries[at]?.code,
      ]),
    )
    assert.deepEqual(Object.fromEntries([...seen].sort()), {
      'ACMT/MDOP/CHRG out': 'CHG',
      'FORX/SPOT/OTHR out': 'FEX',
      'PMNT/ICDT/DMCT out': 'TRF',
      'PMNT/MCOP/OTHR in': 'MSC',
      'PMNT/MCRD/POSP in': 'MSC',
      'PMNT/MCRD/RIMB out reversal': 'RTI',
      'PMNT/RCDT/DMCT in': 'TRF',
    })
    const payout = camt.entries.find(({ code }) => code === 'PMNT/ICDT/DMCT')
    assert.equal(payout?.reference, 'done-1')
    const usd = readCamt(
      await fileOf(server, `currency=usd&${daysOf(month)}&format=camt.053.001.08`),
    )
    const codes = usd.entries.map(({ code }) => code)
    assert.ok(codes.includes('FORX/SPOT/OTHR') && codes.includes('PMNT/RCDT/OTHR'), `${codes}`)
  })

  it('name the payer and the recipient, in the characters of the format', async () => {
    const day = dayOf(new Date(await merchant.now()), 'UTC')
    await server.fund('ngn', 500_000)
    await merchant.takeTransfer(
      { account_name: 'Ọlá Łukasz & Søn', account_number: '0123456789' },
      { amount: 40_000 },
    )
    await merchant.payOut(bankPayout('a-reference-that-is-longer-than-35-characters', 30_000))
    await merchant.payoutEnded('a-reference-that-is-longer-than-35-characters')
    await merchant.advance('2d')
    const query = `currency=ngn&from=${day}&to=${day}`
    const camt = await fileOf(server, `${query}&format=camt.053.001.08`)
    assert.match(camt, /<Dbtr><Pty><Nm>Ọlá Łukasz &amp; Søn<\/Nm><\/Pty><\/Dbtr>/)
    assert.match(camt, /<DbtrAcct><Id><Othr><Id>0123456789</)
    assert.match(camt, /<CdtrAcct>/)
    assert.match(camt, /NOTPROVIDED.*<Ustrd>a-reference-that-is-longer-than-35-characters</)
    const old = await fileOf(server, `${query}&format=camt.053.001.02`)
    assert.match(old, /<Sts>BOOK<\/Sts>.*<Dbtr><Nm>Ọlá Łukasz &amp; Søn<\/Nm><\/Dbtr>/)
    const swift = await fileOf(server, `${query}&format=mt940`)
    assert.match(swift, /:86:Payment received .*Ola Lukasz \+ Son/s)
    assert.match(swift, /NTRFNONREF\/\//)
  })

  it('are of one day unless days are named, and never of a day that is not over', async () => {
    const now = await merchant.now()
    const today = dayOf(new Date(now), 'UTC')
    const yesterday = dayAfter(today, -1)
    const text = await fileOf(server, 'currency=ngn&format=camt.053.001.08')
    assert.match(text, new RegExp(`<Id>NGN-${yesterday}-${yesterday}</Id>`))
    for (const [query, says] of [
      [`to=${today}`, new RegExp(`to must be a day that is over: ${yesterday} is the last`)],
      ['to=2000-01-01', /to must not be before \d{4}-\d\d-\d\d, the first day of the business/],
      [`from=${today}&to=${yesterday}`, /from must not be after to/],
      ['to=2026-02-30', /to/],
      ['format=csv', /format/],
      ['currency=usdc', /currency/],
    ] as const) {
      const path = `/exports/statement?${new URLSearchParams({
        currency: 'ngn',
        format: 'mt940',
        ...Object.fromEntries(new URLSearchParams(query)),
      })}`
      const answer = await server.call('GET', path)
      assert.equal(answer.code, 'validation_failed', `${query}: ${JSON.stringify(answer)}`)
      assert.match(JSON.stringify(answer.body), says)
    }
  })

  it('are not written of books that differ, and break off where entries do', async () => {
    const { created_at: since } = await must(server.call('GET', '/business'))
    const all = `currency=ngn&format=camt.053.001.08&from=${since.slice(0, 10)}`
    await server.asOwner(
      `update ledger_accounts set balance = balance + 1 where business_id = '${server.businessId}' and not livemode and purpose = 'wallet_available' and currency = 'ngn'`,
    )
    await assertRefused(server, 409, 'unbalanced_period', () =>
      server.call('GET', `/exports/statement?${all}`),
    )
    await server.asOwner(
      `update ledger_accounts set balance = balance - 1 where business_id = '${server.businessId}' and not livemode and purpose = 'wallet_available' and currency = 'ngn'`,
    )
    await fileOf(server, all)
    // Sums and postings differ: seen only once all entries were written.
    await until(async () => {
      await foldPostingsOf(server.app.db)
      const left = await server.app.db.query(
        'select from ledger_postings where position >= (select position from folded_postings) limit 1',
      )
      return left.length === 0
    }, 120_000)
    const add = (amount: number) =>
      server.asOwner(
        `update posting_sums set amount = amount + ${amount} where business_id = '${server.businessId}' and not livemode and kind = 'simulated_fund' and currency = 'ngn'`,
      )
    await add(1)
    const query = `currency=ngn&format=mt940&${daysOf(months[1] as string)}`
    await assert.rejects(fileOf(server, query), /terminated|aborted|fetch failed|socket/)
    await add(-1)
    await fileOf(server, query)
  })
})

describe('a statement of a trillion', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    await server.fund('usd', 100_000_000_000_000)
    await newMerchant(server).advance('2d')
  })
  after(() => server.stop())

  it('is refused as MT940, and written as camt.053', async () => {
    const { created_at: since } = await must(server.call('GET', '/business'))
    const query = `currency=usd&from=${since.slice(0, 10)}`
    await assertRefused(server, 409, 'statement_too_large', () =>
      server.call('GET', `/exports/statement?${query}&format=mt940`),
    )
    const camt = await fileOf(server, `${query}&format=camt.053.001.08`)
    assert.match(camt, /<Amt Ccy="USD">1000000000000\.00</)
  })
})

describe('statements of random histories', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  it('come from opening to closing, and open with what the one before closed with', async () => {
    const first = dayOf(new Date(await merchant.now()), 'UTC')
    let count = 0
    const act = async (amount: number): Promise<void> => {
      count++
      if (amount % 3 === 0) await server.fund('ngn', amount)
      else if (amount % 3 === 1) await merchant.takePayment('card', { amount: amount + 10_000 })
      else {
        await merchant.payOut(bankPayout(`p-${count}`, amount + 20_000))
        await merchant.payoutEnded(`p-${count}`)
      }
    }
    const days = fc.array(fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    })
    await fc.assert(
      fc.asyncProperty(days, async (history) => {
        for (const amounts of history) {
          for (const amount of amounts) await act(amount)
          await merchant.advance('1d')
        }
        const over = dayAfter(dayOf(new Date(await merchant.now()), 'UTC'), -1)
        const query = `currency=ngn&format=mt940&to=${over}`
        const whole = readMt940(await fileOf(server, `${query}&from=${first}`))
        let held = 0n
        const parts: string[] = []
        for (let day = first; day <= over; day = dayAfter(day, 1)) {
          const one = readMt940(await fileOf(server, `currency=ngn&format=mt940&to=${day}`))
          assert.equal(one.opening, held, day)
          assert.equal(one.opening + sumOf(one), one.closing, day)
          held = one.closing
          parts.push(...one.entries.map(({ id }) => id))
        }
        assert.equal(held, whole.closing)
        assert.deepEqual(
          parts,
          whole.entries.map(({ id }) => id),
        )
        const { available, pending } = await merchant.balance()
        assert.equal(held, BigInt(available) + BigInt(pending))
      }),
      { numRuns: runs(4), endOnFailure: true },
    )
  })
})
