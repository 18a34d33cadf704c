/**
 * Goal: what a person types is the amount that is booked, or it is refused and nothing moves.
 * Method: a team over HTTP in businesses of several locales; a property over every locale that this
 * Node.js knows.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { currencies } from '../../lib/money.ts'
import { readMoney } from '../../lib/typed-money.ts'
import { showFor } from './show.ts'

describe('an amount that the product prints', () => {
  it('is read back from what the product prints, in every locale', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const two = letters.flatMap((a) => letters.map((b) => a + b))
    const languages = Intl.NumberFormat.supportedLocalesOf([
      ...two,
      ...two.flatMap((a) => letters.map((b) => a + b)),
    ])
    const regions = [
      'fr-CH',
      'de-CH',
      'de-AT',
      'de-LI',
      'it-CH',
      'en-ZA',
      'en-IN',
      'en-CH',
      'es-MX',
      'es-CR',
      'pt-PT',
    ]
    const others = [
      'ar-EG',
      'ar-SA',
      'ar-u-nu-latn',
      'zh-u-nu-hanidec',
      'hi-u-nu-deva',
      'ur-IN',
      'fa-AF',
      'pt-AO',
      'sr-Latn',
    ]
    const locales = [...languages, ...regions, ...others]
    assert.ok(languages.length > 150)
    const check = (locale: string, amount: bigint): void => {
      for (const currency of currencies) {
        const { money } = showFor({ locale, time_zone: 'UTC' })
        const text = money(amount, currency)
        assert.deepEqual(readMoney(text, locale, currency), { amount }, `${text} in ${locale}`)
      }
    }
    for (const locale of locales)
      for (const amount of [5n, 150_000n, 123_456_789n]) check(locale, amount)
    fc.assert(
      fc.property(
        fc.constantFrom(...locales),
        fc.bigInt({ min: 0n, max: 999_999_999_999_999n }),
        check,
      ),
      {
        numRuns: 300,
      },
    )
  })
})

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('an amount in a form of the dashboard', () => {
  let server: TestServer
  let person: Visitor
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 200_000_000)
    person = await signedIn(server, 'owner')
  })
  after(() => server.stop())

  const inLocale = (locale: string): Promise<unknown> =>
    must(server.call('PUT', '/business', { locale }))
  const fill = async (path: string, fields: Record<string, string>): Promise<PageText> =>
    person.post(path, { ...hiddenOf(await shown(person.get(path))), step: 'do', ...fields })
  const amountsOf = async (reference: string): Promise<number[]> =>
    (await must(server.call('GET', `/payments?reference=${reference}`))).docs.map(
      (one: { amount: number }) => one.amount,
    )
  const payment = (amount: string, reference: string) =>
    fill('/payments/-/new', { amount, reference, currency: 'ngn' })

  it('is what the person means, in three locales', async () => {
    for (const [locale, typed] of [
      ['fr-FR', { '12,50': 1_250, '1500,50': 150_050, '40,5': 4_050, '1 500,00': 150_000 }],
      ['en-NG', { '12,50': 1_250, '1,500': 150_000, '1,500.5': 150_050, '₦40.50': 4_050 }],
      ['de-DE', { '12,50': 1_250, '1.500': 150_000, '1.500,50': 150_050, '40,5': 4_050 }],
    ] as const) {
      await inLocale(locale)
      for (const [text, amount] of Object.entries(typed)) {
        const reference = `typed-${locale}-${amount}-${text.length}`
        assert.equal((await payment(text, reference)).status, 303, `${text} in ${locale}`)
        assert.deepEqual(await amountsOf(reference), [amount], `${text} in ${locale}`)
      }
    }
  })

  it('that can be read in two ways is refused with both, and nothing is made', async () => {
    await inLocale('fr-FR')
    const answer = await payment('1,500', 'twofold')
    assert.equal(answer.status, 422)
    assert.match(
      textOf(answer.html),
      /“1,500” can be read as 1 500,00 or as 1,50\. Type 1500,00 or 1,50\./,
    )
    assert.deepEqual(await amountsOf('twofold'), [])
    const none = await payment('ten', 'none')
    assert.match(
      textOf(none.html),
      /Type an amount such as 1 500,50 or 1500,50, with at most two decimals\./,
    )
  })

  it('is repeated in the words of the locale before money moves', async () => {
    await inLocale('fr-FR')
    const { id } = await must(
      server.call('POST', '/payments', {
        reference: 'to-refund',
        amount: 500_000,
        currency: 'ngn',
      }),
    )
    await must(
      server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed', method: 'card' }),
    )
    const path = `/payments/${id}/refund`
    const review = await fill(path, { amount: '12,50', step: 'review' })
    assert.match(textOf(review.html), /Amount in NGN: 12,50 nairas nigérians\./)
    assert.match(textOf(review.html), /12,50 ₦ leaves your NGN wallet/)
    await fill(path, { ...hiddenOf(review.html), step: 'do' })
    const { docs } = await must(server.call('GET', '/refunds'))
    assert.equal(docs[0].amount, 1_250)
  })

  it('converts that much by the quote that the review has shown', async () => {
    await inLocale('fr-FR')
    const path = '/conversions/-/new'
    const review = await fill(path, { amount: '1500,50', currency: 'ngn', step: 'review' })
    assert.equal(review.status, 200, review.html)
    assert.match(review.html, /name="quote" value="[0-9a-f]{24}"/)
    assert.equal((await person.post(path, { ...hiddenOf(review.html), step: 'do' })).status, 303)
    const { docs } = await must(server.call('GET', '/conversions'))
    assert.deepEqual(
      docs.map(({ amount }: { amount: number }) => amount),
      [150_050],
    )
    const none = await fill(path, { amount: '', currency: 'ngn', step: 'review' })
    assert.match(none.html, /id="f-amount-error"/)
  })

  it('is the same in prices, limits, filters, searches and the test tools', async () => {
    await inLocale('fr-FR')
    assert.equal(
      (await fill('/products/-/new', { name: 'Tea', amount: '7,99', currency: 'ngn' })).status,
      303,
    )
    assert.equal((await must(server.call('GET', '/products'))).docs[0].amount, 799)
    const before = (await must(server.call('GET', '/wallets'))).find(
      (one: { currency: string }) => one.currency === 'ngn',
    ).available
    const tools = hiddenOf(await shown(person.get('/test-tools')))
    await person.post('/test-tools/money', { ...tools, currency: 'ngn', amount: '1 500,50' })
    const after = (await must(server.call('GET', '/wallets'))).find(
      (one: { currency: string }) => one.currency === 'ngn',
    ).available
    assert.equal(after - before, 150_050)
    await must(
      server.call('POST', '/payments', { reference: 'sought', amount: 765_432, currency: 'ngn' }),
    )
    for (const query of [
      'amount=7654,32',
      'amount=7 654,32',
      'search=7 654,32',
      'search=7654,32 ₦',
    ])
      assert.match(await shown(person.get(`/payments?${query}`)), /sought/, query)
    const twofold = await person.get('/payments?amount=7,654')
    assert.match(textOf(twofold.html), /can be read as 7 654,00 or as 7,654\. Type 7654,00\./)
  })
})

describe('the amounts of a file', () => {
  let server: TestServer
  let person: Visitor
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 200_000_000)
    person = await signedIn(server, 'finance')
  })
  after(() => server.stop())

  let made = 0
  const upload = async (csv: string): Promise<PageText> =>
    person.post('/payout-batches/-/new', {
      ...hiddenOf(await shown(person.get('/payout-batches/-/new'))),
      csv,
      reference: `file-${made++}`,
      currency: 'ngn',
      step: 'do',
    })
  const file = (...amounts: string[]): string =>
    `amount;bank_code;account_number\n${amounts.map((one, i) => `${one};058;012345678${i}`).join('\n')}\n`
  const amountsOf = async (csv: string): Promise<number[]> => {
    const answer = await upload(csv)
    assert.equal(answer.status, 303, textOf(answer.html))
    const id = /payout-batches\/([^?]+)/.exec(answer.location as string)?.[1]
    const { docs } = await must(server.call('GET', `/payout-batches/${id}/lines`))
    return docs
      .map((one: { amount: number }) => one.amount)
      .toSorted((a: number, b: number) => a - b)
  }

  it('are read by one sign, which one of them shows', async () => {
    assert.deepEqual(await amountsOf(file('1500,50', '20,00')), [2_000, 150_050])
    assert.deepEqual(await amountsOf(file('1.500', '20,00')), [2_000, 150_000])
    assert.deepEqual(await amountsOf(file('1,500', '20.00')), [2_000, 150_000])
    assert.deepEqual(await amountsOf(file('1,500', '2,000')), [150_000, 200_000])
  })

  it('are refused with their line where they have two readings, or are written in two ways', async () => {
    const refused = async (csv: string, says: RegExp): Promise<void> => {
      const answer = await upload(csv)
      assert.equal(answer.status, 422)
      assert.match(textOf(answer.html), says)
    }
    const { totalDocs } = await must(server.call('GET', '/payout-batches'))
    await refused(
      file('20', '1.500'),
      /Row 3, column amount: “1\.500” can be read as 1,500\.00 or as 1\.50/,
    )
    await refused(
      file('1.50', '20,00'),
      /a comma before their decimals in row 3, and a point in row 2/,
    )
    assert.equal((await must(server.call('GET', '/payout-batches'))).totalDocs, totalDocs)
  })
})
