import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  goodCard,
  type Merchant,
  newMerchant,
  newPayer,
  readPage,
} from '../../../test/support/actors.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'
import { languageFor } from '../../lib/languages.ts'
import { walletCurrencies } from '../../lib/money.ts'
import { readMoney } from '../../lib/typed-money.ts'
import { amountText } from './languages.ts'
import { stringsFor } from './view/strings.ts'

let server: TestServer
let merchant: Merchant

/** A page as a browser gets it that asks for these languages, with this cookie. */
async function open(url: string, languages: string, cookie = '') {
  const answer = await fetch(url, {
    headers: { 'accept-language': languages, cookie },
    redirect: 'manual',
  })
  const cookies = answer.headers.getSetCookie()
  const page = await readPage(answer)
  return { ...page, cookies, root: /<html lang="(\w+)" dir="(\w+)">/.exec(page.html)?.slice(1) }
}

describe('the language that a browser asks for', () => {
  it('is the one it wants most of those that there are', () => {
    const offered = ['en', 'fr', 'ar'] as const
    for (const [header, language] of [
      ['fr', 'fr'],
      ['fr-CA', 'fr'],
      ['ar-EG,ar;q=0.9,en;q=0.8', 'ar'],
      ['AR-eg', 'ar'],
      ['en;q=0.5, fr;q=0.9', 'fr'],
      ['en;q=0.5, fr;q=0.5', 'en'],
      ['ha, yo;q=0.9, fr-SN;q=0.1', 'fr'],
      ['fr;q=0, en;q=0.2', 'en'],
      ['fr;q=0, *;q=0.5', 'en'],
      ['en;q=0, *', 'fr'],
      ['*', 'en'],
      ['zh-Hant-TW, ar-u-nu-latn;q=0.001', 'ar'],
      // What is no header is nobody's wish.
      ['fr;q=2, ar;q=0.3', 'ar'],
      ['fr;quality=1, ar;q=0.3', 'ar'],
      ['francais', null],
      ['', null],
      [';;;,,,q=1', null],
      ['de', null],
      [`${'x,'.repeat(50_000)}fr`, null],
    ] as const)
      assert.equal(languageFor(header, offered), language, header.slice(0, 40))
  })
})

describe('an amount that is printed for a payer', () => {
  it('is read back in each of the languages', () => {
    for (const language of ['en', 'fr', 'ar'] as const)
      for (const currency of walletCurrencies)
        for (const amount of [5n, 150_000n, 123_456_789n]) {
          const { locale } = stringsFor(language)
          const text = amountText({ locale }, amount, currency)
          assert.deepEqual(readMoney(text, locale, currency), { amount }, text)
        }
  })
})

describe('the hosted page in other languages', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    await merchant.ask('PUT', '/business', { time_zone: 'Africa/Lagos', tax_id: '12345678-0001' })
  })
  after(() => server.stop())

  it('is in the language of the browser, and in English where there is no other', async () => {
    const { checkout_url: url } = await merchant.openPayment()
    const french = await open(url, 'fr-SN, en;q=0.5')
    assert.deepEqual(french.root, ['fr', 'ltr'])
    assert.match(french.text, /Comment souhaitez-vous payer/)
    assert.match(french.text, /N° d’identification fiscale 12345678-0001/)
    assert.match(french.html, /<title>Payer [^<]+ – 10\u202f000,00\u00a0₦<\/title>/)
    const arabic = await open(url, 'ar')
    assert.deepEqual(arabic.root, ['ar', 'rtl'])
    assert.match(arabic.text, /كيف تودّون الدفع؟/)
    assert.match(arabic.text, /10,000\.00/)
    const dollars = await merchant.openPayment({ currency: 'usd', amount: 12_300 })
    const { text: inDollars } = await open(dollars.checkout_url, 'ar')
    assert.match(inDollars, /123\.00\u00a0\$/)
    assert.doesNotMatch(inDollars, /US\$/, 'from right to left it would be read as $US')
    assert.deepEqual((await open(url, 'de, ja')).root, ['en', 'ltr'])
    assert.deepEqual(
      arabic.cookies.filter((cookie) => cookie.startsWith('bursar_language')),
      [],
    )
  })

  it('is in the language of the business for whose reader there is no other', async () => {
    const { checkout_url: url } = await merchant.openPayment()
    await merchant.ask('PUT', '/business', { locale: 'fr-SN' })
    assert.deepEqual((await open(url, 'wo')).root, ['fr', 'ltr'])
    assert.deepEqual((await open(url, 'wo, en;q=0.1')).root, ['en', 'ltr'])
    await merchant.ask('PUT', '/business', { locale: 'en-NG' })
  })

  it('is switched by a link that keeps the payment and the way to pay, and remembers it for hosted pages alone', async () => {
    const payment = await merchant.openPayment()
    const page = await open(`${payment.checkout_url}?method=card`, 'en')
    const path = new URL(payment.checkout_url).pathname
    const links = [
      ...page.html.matchAll(/<a href="([^"]+)" lang="(\w+)" hreflang="\w+" dir="(\w+)">/g),
    ]
    assert.deepEqual(
      links.map((link) => link.slice(1)),
      [
        [`${path}?method=card&amp;lang=fr`, 'fr', 'ltr'],
        [`${path}?method=card&amp;lang=ar`, 'ar', 'rtl'],
      ],
    )
    const arabic = await open(`${payment.checkout_url}?method=card&lang=ar`, 'en')
    assert.deepEqual(arabic.root, ['ar', 'rtl'])
    assert.match(arabic.html, /<h2 id="way">الدفع بالبطاقة<\/h2>/)
    const cookie = arabic.cookies.find((one) => one.startsWith('bursar_language=')) as string
    assert.equal(cookie, 'bursar_language=ar; Path=/pay; HttpOnly; SameSite=Lax; Max-Age=15552000')
    const later = await open(payment.checkout_url, 'en', 'bursar_language=ar')
    assert.deepEqual(later.root, ['ar', 'rtl'])
    for (const nonsense of ['xx', '<b>', 'constructor', '__proto__'])
      assert.deepEqual((await open(`${payment.checkout_url}?lang=${nonsense}`, 'en')).root, [
        'en',
        'ltr',
      ])
    assert.deepEqual((await open(payment.checkout_url, 'en', 'bursar_language=toString')).root, [
      'en',
      'ltr',
    ])
  })

  it('says what is wrong, how it ended and when, and what there is not, in that language', async () => {
    const payment = await merchant.openPayment({ methods: ['card'] })
    const payer = newPayer(payment)
    await payer.open('?lang=fr')
    payer.cookie = payer.cookie.replace(/,.*/, '')
    const card = { ...goodCard, number: '4242 4242 4242 4241' }
    const wrong = await payer.send('card', card, { 'accept-language': 'fr' })
    assert.match(wrong.text, /Un chiffre de ce numéro est faux\./)
    assert.match(wrong.html, /<title>Erreur/)
    await payer.post('card', goodCard)
    const done = await open(payment.checkout_url, 'fr')
    assert.match(done.text, /Paiement effectué/)
    // The test clock stands in summer or winter: Lagos is an hour ahead all year.
    assert.match(done.text, /\d{4},? (à )?\d\d:\d\d UTC\+1/)
    assert.match(done.text, /Visa se terminant par 4242/)
    const missing = await open(`${server.url}/pay/${'A'.repeat(24)}`, 'ar;q=0.9')
    assert.equal(missing.status, 404)
    assert.deepEqual(missing.root, ['ar', 'rtl'])
    assert.match(missing.text, /تعذّر العثور على هذه الصفحة/)
  })

  it('is so for collections and invoices too', async () => {
    const collection = await merchant.create('/collections', {
      name: 'Sortie',
      currency: 'ngn',
      min_amount: 100,
    })
    const page = await open(collection.checkout_url, 'fr')
    assert.match(page.text, /Au moins 1,00\s₦/)
    const payer = newPayer({ checkout_url: collection.checkout_url })
    await payer.open()
    const refused = await payer.send('start', { amount: '0,50' }, { 'accept-language': 'fr' })
    assert.match(refused.text, /Ce montant est trop petit/)
    const started = await payer.send('start', { amount: '49,50' }, { 'accept-language': 'fr' })
    assert.match((await open(`${server.url}${started.location}`, 'fr')).text, /49,50\s₦/)
    const invoice = await merchant.openInvoice({ due_date: '2027-03-01' })
    const due = await open(invoice.payment_url, 'ar')
    assert.match(due.text, /الفاتورة/)
    assert.doesNotMatch(due.text, /Invoice|\bdue\b/)
  })
})
