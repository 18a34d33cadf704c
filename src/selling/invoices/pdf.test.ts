import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getDocumentProxy } from 'unpdf'
import { type Json, type Merchant, most, newMerchant } from '../../../test/support/actors.ts'
import { shareServer, startServer, type TestServer } from '../../../test/support/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { inVisualOrder } from '../../lib/pdf/bidi.ts'

/** A4 in points, and what of it is written on. */
const sheet = { width: 595.28, height: 841.89 }
const margin = { left: 56, right: 539, top: 50, bottom: 786 }

/** A piece of text: where it begins and ends, and how far its baseline is from the top. */
type Piece = { text: string; from: number; to: number; y: number; size: number; page: number }
type Read = {
  pages: number
  pieces: Piece[]
  lines: string[]
  links: string[]
  info: Json
  raw: string
}

let server: TestServer
let merchant: Merchant

/**
 * Fetches a PDF and reads it. With PDFS set, it is kept in that folder by its name, for people to
 * look at.
 */
async function read(url: string, name: string, key: string | null = server.testKey): Promise<Read> {
  const response = await fetch(
    url,
    key === null ? {} : { headers: { authorization: `Bearer ${key}` } },
  )
  assert.deepEqual(
    [response.status, response.headers.get('content-type')],
    [200, 'application/pdf'],
  )
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (process.env.PDFS) {
    mkdirSync(process.env.PDFS, { recursive: true })
    writeFileSync(join(process.env.PDFS, `${name}.pdf`), bytes)
  }
  const raw = Buffer.from(bytes).toString('latin1')
  const document = await getDocumentProxy(bytes)
  const pieces: Piece[] = []
  const links: string[] = []
  for (let page = 1; page <= document.numPages; page++) {
    const sheetOf = await document.getPage(page)
    const [, , width = 0, height = 0] = sheetOf.view
    assert.ok(
      Math.abs(width - sheet.width) < 1 && Math.abs(height - sheet.height) < 1,
      `${width} x ${height}`,
    )
    for (const item of (await sheetOf.getTextContent()).items)
      if ('str' in item && item.str.trim() !== '') {
        const [, , , size = 0, x = 0, y = 0] = item.transform
        pieces.push({ text: item.str, from: x, to: x + item.width, y: height - y, size, page })
      }
    for (const { url } of await sheetOf.getAnnotations()) if (url) links.push(url)
  }
  const { info } = await document.getMetadata()
  await document.cleanup()
  const rows = Map.groupBy(
    pieces,
    ({ page, y }) =>
      `${page} ${pieces.findIndex((one) => one.page === page && Math.abs(one.y - y) < 6)}`,
  )
  const lines = [...rows.values()].map((row) => row.map((piece) => piece.text).join(' '))
  return { pages: document.numPages, pieces, lines, links, info, raw }
}
const readApi = (invoice: { id: string }, name: string, key?: string): Promise<Read> =>
  read(`${server.url}/invoices/${invoice.id}/pdf`, name, key)

/** What stands at the foot of a page is no part of a text that goes on over it. */
const atFoot = ({ text }: Piece): boolean => /^Page \d+ of \d+$/.test(text)
const wholeText = ({ pieces }: Read): string =>
  pieces
    .filter((piece) => !atFoot(piece))
    .map((piece) => piece.text)
    .join(' ')
/** The words of a text alone, since lines are broken where there is no room. */
const words = (text: string): string => text.replaceAll(/\s+/g, '')
function assertShows(read: Read, ...texts: string[]): void {
  const shown = words(wholeText(read))
  for (const text of texts) assert.ok(shown.includes(words(text)), `${text}: ${wholeText(read)}`)
}

/**
 * Fails unless all text is within the margins, no two pieces of it lie on each other, and each page
 * has its number.
 */
function assertTidy({ pieces, pages }: Read): void {
  assert.deepEqual(
    pieces.filter(atFoot).map((piece) => [piece.page, piece.text]),
    Array.from({ length: pages }, (_, i) => [i + 1, `Page ${i + 1} of ${pages}`]),
  )
  for (const { text, from, to, y, page } of pieces)
    assert.ok(
      from > margin.left - 1 && to < margin.right + 1 && y > margin.top && y < margin.bottom,
      `page ${page}: '${text}' from ${from} to ${to}, at ${y}`,
    )
  for (const [i, one] of pieces.entries())
    for (const other of pieces.slice(i + 1)) {
      if (
        one.page !== other.page ||
        Math.abs(one.y - other.y) > Math.min(one.size, other.size) * 0.8
      )
        continue
      const shared = Math.min(one.to, other.to) - Math.max(one.from, other.from)
      assert.ok(
        shared < 1,
        `page ${one.page}: '${one.text}' and '${other.text}' share ${shared} points`,
      )
    }
}

/** Where the pieces that match end. */
const endsOf = ({ pieces }: Read, pattern: RegExp): number[] =>
  pieces.filter((piece) => pattern.test(piece.text)).map((piece) => piece.to)
function assertAligned(ends: number[]): void {
  assert.ok(ends.length > 1, 'fewer than two pieces')
  assert.ok(Math.max(...ends) - Math.min(...ends) < 1, `they end at ${ends}`)
}

describe('the PDF of an invoice', () => {
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server, { price: 250_000 })
  })
  after(() => server.stop())

  it('shows number, parties, lines, totals, memo and where to pay', async () => {
    const open = await merchant.openInvoice(
      { due_date: '2099-12-24', memo: 'Thank you.\nPlease pay soon.' },
      {
        lines: [
          { name: 'Novel', amount: 250_000, quantity: 3 },
          { name: 'Shelf\nof oak', amount: 12_345_678, quantity: 12_000 },
          { name: 'Pen', amount: 5 },
        ],
        customer: {
          address: {
            line1: 'Flat 3\r\n12 Allen Avenue',
            city: 'Ikeja\n',
            state: 'Lagos\r\nState',
            postal_code: '100271',
            country: 'NG',
          },
        },
      },
    )
    const pdf = await readApi(open, 'open')
    assert.equal(pdf.pages, 1)
    assert.ok(pdf.raw.startsWith('%PDF-'))
    for (const line of [
      /^Test Business Invoice 1$/,
      /^₦1,481,488,860\.05 Total$/,
      /^24 December 2099 Due$/,
      /^Description Quantity Unit price Amount$/,
      /^3 ₦2,500\.00 ₦7,500\.00 Novel$/,
      /^12,000 ₦123,456\.78 ₦1,481,481,360\.00 Shelf$/,
      /^of oak$/,
      /^1 ₦0\.05 ₦0\.05 Pen$/,
      /^Test Business Ada Obi$/,
      /^Flat 3$/,
      /^12 Allen Avenue$/,
      /^100271 Ikeja Lagos State$/,
      /^Thank you\.$/,
      /^Please pay soon\.$/,
    ])
      assert.ok(
        pdf.lines.some((shown) => line.test(shown)),
        `${line}: ${pdf.lines.join('\n')}`,
      )
    assertShows(pdf, 'ada@example.com', 'no real money moves', 'Pay online', open.payment_url)
    assert.deepEqual(pdf.links, [open.payment_url])
    assert.equal(pdf.info.Title, 'Invoice 1')
    assertTidy(pdf)
  })

  it('aligns money to the right, and embeds its fonts', async () => {
    const lines = [1, 99, 12_345, 1_234_567, 123_456_789].map((amount, i) => ({
      amount,
      quantity: [3, 7, 50, 600, 12_000][i] as number,
    }))
    const pdf = await readApi(await merchant.openInvoice({}, { lines }), 'aligned')
    const money = pdf.pieces.filter((piece) => /^₦[\d,]+\.\d\d$/.test(piece.text))
    assert.equal(money.length, 11, pdf.lines.join('\n'))
    const totals = money.filter((piece) => piece.to > 530)
    assert.equal(totals.length, 6)
    assertAligned(totals.map((piece) => piece.to))
    const prices = money.filter((piece) => !totals.includes(piece))
    assertAligned([...endsOf(pdf, /^Unit price$/), ...prices.map((piece) => piece.to)])
    assertAligned([...endsOf(pdf, /^Amount$/), ...totals.map((piece) => piece.to)])
    assertAligned([...endsOf(pdf, /^Quantity$/), ...endsOf(pdf, /^(3|7|50|600|12,000)$/)])
    const fonts = pdf.raw.match(/\/Type \/FontDescriptor/g)?.length ?? 0
    assert.ok(fonts >= 2, `${fonts} fonts`)
    assert.equal(pdf.raw.match(/\/FontFile[23]? \d+ 0 R/g)?.length, fonts)
    assert.doesNotMatch(pdf.raw, /\/Subtype \/Type1\b/)
    assertTidy(pdf)
  })

  it('is in the sign of each currency, and in euros says what is paid in dollars', async () => {
    assertShows(
      await readApi(await merchant.openInvoice({}, { currency: 'usd' }), 'dollars'),
      '$2,500.00',
    )
    const open = await merchant.openInvoice({}, { currency: 'eur' })
    const pdf = await readApi(open, 'euros')
    const dollars = `$${(open.collect_amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`
    assert.ok(pdf.lines.includes(`€1 = $${open.exchange_rate} Rate`), pdf.lines.join('\n'))
    assert.ok(pdf.lines.includes('€2,500.00 Total in euros'))
    assert.ok(pdf.lines.includes(`${dollars} Total`))
    assertTidy(pdf)
    const draft = await readApi(await merchant.draftInvoice({}, { currency: 'eur' }), 'euros-draft')
    assertShows(draft, 'Total in euros', '€2,500.00')
  })

  it('says what it is: a draft, paid, or void', async () => {
    const draft = await merchant.draftInvoice({ due_date: '2099-12-24' })
    const asDraft = await readApi(draft, 'draft')
    assertShows(asDraft, 'Draft invoice', '24 December 2099')
    assert.equal(asDraft.info.Title, 'Draft invoice')
    assert.deepEqual(asDraft.links, [])

    const paid = await merchant.openInvoice()
    await merchant.simulate(paid.payment, 'completed', 'card')
    const asPaid = await readApi(paid, 'paid')
    const on = new Date((await merchant.readInvoice(paid)).paid_at).toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone: 'UTC',
    })
    assert.ok(asPaid.lines.includes(`${on} Paid`), asPaid.lines.join('\n'))
    assert.ok(asPaid.lines.some((line) => line.endsWith(`Invoice ${paid.number}`)))
    assert.deepEqual(asPaid.links, [])

    const gone = await merchant.openInvoice()
    await merchant.voidInvoice(gone)
    const asVoid = await readApi(gone, 'void')
    assertShows(asVoid, `Void invoice ${gone.number}`, `${on} Voided`)
    assert.deepEqual(asVoid.links, [])
    for (const pdf of [asDraft, asPaid, asVoid]) {
      assert.ok(!wholeText(pdf).includes('Pay online'))
      assertTidy(pdf)
    }
  })

  it('is behind the page too, with its number as its name, for who knows the page', async () => {
    const open = await merchant.openInvoice()
    const response = await fetch(`${open.payment_url}/invoice.pdf`)
    assert.match(
      response.headers.get('content-disposition') ?? '',
      new RegExp(`filename="?invoice-${open.number}\\.pdf`),
    )
    await response.arrayBuffer()
    const [page, api] = [
      await read(`${open.payment_url}/invoice.pdf`, 'page', null),
      await readApi(open, 'api'),
    ]
    assert.deepEqual(page.lines, api.lines)
  })

  it('shows letters of many scripts', async () => {
    const { test_key: key } = await createBusiness(server.app, 'Ọjà Ẹ̀kọ́ & Ṣọ́ọ̀bù')
    const other = newMerchant(server, { call: server.callAs(key), price: 250_000 })
    const name = 'Жанна Ελένη'
    const open = await other.openInvoice(
      { memo: 'Ẹ ṣé gan-an' },
      {
        lines: [
          { name: 'Книга Βιβλίο' },
          { name: 'كتاب' },
          { name: 'Ìwé àkọ́kọ́' },
          { name: 'Żółć, ßtraße, naïve — “so”' },
        ],
        customer: { name },
      },
    )
    const pdf = await readApi(open, 'scripts', key)
    assertShows(pdf, 'Жанна Ελένη', 'Книга Βιβλίο', 'Żółć, ßtraße, naïve — “so”', 'Ẹ ṣé gan-an')
    // Some marks come apart from their letters, or before them.
    const bare = (text: string) => words(text.normalize('NFKD').replaceAll(/\p{M}/gu, ''))
    const shown = bare(wholeText(pdf))
    for (const text of ['Ọjà Ẹ̀kọ́ & Ṣọ́ọ̀bù', 'Ìwé àkọ́kọ́', 'كتاب'])
      assert.ok(shown.includes(bare(text)), `${text}: ${shown}`)
    assertTidy(pdf)
  })

  it('sets words from right to left where they are read so, and leaves all others as they are', async () => {
    for (const [text, pieces] of [
      ['Book (two) 24', ['Book (two) 24']],
      ['كتاب الحساب', ['الحساب', ' ', 'كتاب']],
      ['كتاب Bursar 24', ['Bursar 24', ' ', 'كتاب']],
      ['Book كتاب الحساب two', ['Book ', 'الحساب', ' ', 'كتاب', ' two']],
      ['كتاب 24.50 الحساب', ['الحساب', ' ', '24.50', ' ', 'كتاب']],
      ['قلم (أزرق)', [')أزرق(', ' ', 'قلم']],
      ['ספר 3 Bursar', ['Bursar', ' ', '3', ' ', 'ספר']],
      ['3كتاب', ['كتاب', '3']],
      ['', ['']],
      // What the full algorithm alone knows: brackets belong to what is in them, signs to their
      // numbers, isolates and overrides are heeded.
      ['كتاب (two) الحساب', ['الحساب', ' ', '(', 'two', ')', ' ', 'كتاب']],
      ['كتاب: Bursar 2.0 (beta) الآن', ['الآن', ' ', 'Bursar 2.0 (beta)', ' ', 'كتاب:']],
      ['سعر -24.50% اليوم', ['اليوم', ' ', '%', '24.50', '-', ' ', 'سعر']],
      ['ספר 1-2 3', ['3', ' ', '1-2', ' ', 'ספר']],
      ['Book \u2067كتاب, two\u2069, three', ['Book ', 'two', ' ', 'كتاب,', ', three']],
      ['\u202elive', ['evil']],
      ['a 𞤀𞤣 b', ['a ', '𞤣𞤀', ' b']],
    ] as const)
      assert.deepEqual(inVisualOrder(text), pieces, text)
    // A line has the direction of its paragraph.
    assert.deepEqual(inVisualOrder('كتاب Bursar 24', 5), ['Bursar 24'])
    assert.deepEqual(inVisualOrder('كتاب one (two) كتاب', 5), ['كتاب', ' ', 'one (two)'])
    const names = ['كتاب الحساب', 'كتاب Bursar 24', 'Book كتاب الحساب two', 'قلم (أزرق) 24.50']
    const lines = names.map((name) => ({ name }))
    const open = await merchant.openInvoice({}, { lines, customer: { name: 'عبد الرحمن محمد' } })
    const pdf = await readApi(open, 'arabic')
    const shown = words(wholeText(pdf).normalize('NFKC'))
    for (const word of ['Bursar', '24', 'Book', 'two', 'كتاب', 'الحساب', 'محمد'])
      assert.ok(shown.includes(word), shown)
    assertTidy(pdf)
  })

  it('lets what has no letters in any font be, and never fails', async () => {
    for (const name of ['📚 Books', '書籍', 'x\u0301\u0302\u0303', '👩‍👩‍👧‍👦', '\ufeff\u200b ']) {
      const pdf = await readApi(
        await merchant.openInvoice(
          { memo: name },
          { lines: [{ name }], customer: { name: `A ${name}` } },
        ),
        'odd',
      )
      assertShows(pdf, '₦2,500.00')
    }
    // No request has such names any more.
    for (const name of ['a\u0007b\u001bc', '\u202eevil']) {
      const open = await merchant.openInvoice()
      const named = `update invoices set memo = $2, bill_to = bill_to || jsonb_build_object('name', $2::text) where id = $1`
      await server.app.db.query(named, [open.id, name])
      assertShows(await readApi(open, 'odd'), '₦2,500.00')
    }
  })

  it('goes over several pages, each with the head of the table', async () => {
    const lines = Array.from({ length: 100 }, (_, i) => ({
      name: `Article number ${i + 1}`,
      amount: 100 + i,
    }))
    const pdf = await readApi(await merchant.openInvoice({ memo: 'The end.' }, { lines }), 'many')
    assert.ok(pdf.pages >= 3, `${pdf.pages} pages`)
    assertTidy(pdf)
    for (let page = 1; page <= pdf.pages; page++) {
      const pieces = pdf.pieces.filter((piece) => piece.page === page)
      const has = (text: string) => pieces.some((piece) => piece.text === text)
      if (pieces.some((piece) => piece.text.startsWith('Article')))
        assert.ok(has('Description') && has('Amount'))
    }
    const articles = pdf.pieces
      .filter((piece) => piece.text.startsWith('Article'))
      .map((piece) => piece.text)
    assert.deepEqual(
      articles,
      lines.map((line) => line.name),
    )
    assert.equal(pdf.lines.filter((line) => /^₦\d+\.\d\d Total$/.test(line)).length, 1)
    assertShows(pdf, 'The end.', 'Pay online')
  })

  describe('keeps to the page', () => {
    let customer: string
    const products: string[] = []
    before(async () => {
      customer = (await merchant.addCustomer()).id
      for (let i = 0; i < 30; i++) {
        const name = `${i} ${'Wide name of a thing '.repeat(9)}`.slice(0, 200)
        products.push((await merchant.addProduct({ name })).id)
      }
    })

    for (const count of [1, 12, 20, 24, 25, 26, 27, 28, 30])
      it(`with ${count} lines and much to say`, async () => {
        const lines = products.slice(0, count).map((product) => ({ product, quantity: 1 }))
        for (const memo of [
          'Sentence after sentence. '.repeat(40),
          Array.from({ length: 120 }, (_, i) => `Row ${i}`).join('\n'),
        ]) {
          const made = { customer, lines, memo: memo.trim() }
          const open = await merchant.finalizeInvoice(await merchant.create('/invoices', made))
          const pdf = await readApi(open, `much-${count}`)
          assertTidy(pdf)
          assertShows(pdf, memo, 'Pay online')
        }
      })
  })

  it('has room for names without end', async () => {
    const { test_key: key } = await createBusiness(
      server.app,
      'Wide & Sons of Warri '.repeat(9).trim(),
    )
    const wideMerchant = newMerchant(server, { call: server.callAs(key), price: 250_000 })
    const wide = 'W'.repeat(200)
    const address = { line1: wide, city: wide, state: wide, postal_code: wide, country: 'NG' }
    const lines = [
      { name: wide },
      { name: 'Short' },
      ...Array.from({ length: 12 }, () => ({ name: wide })),
    ]
    const customer = { name: wide, email: `${'e'.repeat(60)}@${'example.'.repeat(22)}com`, address }
    const open = await wideMerchant.openInvoice(
      { memo: 'W'.repeat(1_000), due_date: '2099-12-24' },
      { lines, customer },
    )
    const pdf = await readApi(open, 'wide', key)
    assertTidy(pdf)
    assertShows(pdf, 'Wide & Sons', wide, 'Short', 'W'.repeat(1_000), 'Pay online')
  })

  it('has room for the largest amounts', async () => {
    for (const currency of ['ngn', 'usd', 'eur']) {
      const lines = [{ amount: most - 1_000_000 }, { quantity: 1_000_000, amount: 1 }]
      // In dollars it would be more than an amount can be, so that it stays a draft in euros.
      const largest = await (currency === 'eur' ? merchant.draftInvoice : merchant.openInvoice)(
        {},
        { lines, currency },
      )
      const pdf = await readApi(largest, `largest-${currency}`)
      assertTidy(pdf)
      const sign = { ngn: '₦', usd: '$', eur: '€' }[currency] as string
      assertShows(pdf, `${sign}90,071,992,547,409.91`, '1,000,000', `${sign}90,071,992,537,409.91`)
    }
  })

  it('breaks an address of the page that is longer than a line', async () => {
    const first = server
    server = await startServer({ BASE_URL: `https://payments.${'long.'.repeat(16)}example` })
    merchant = newMerchant(server, { price: 250_000 })
    try {
      const open = await merchant.openInvoice()
      assert.match(open.payment_url, /^https:\/\/payments\.long\./)
      const pdf = await readApi(open, 'long-address')
      assertTidy(pdf)
      assertShows(pdf, open.payment_url)
      assert.deepEqual([...new Set(pdf.links)], [open.payment_url])
    } finally {
      await server.stop()
      server = first
    }
  })

  it('can be given fonts for other scripts', async () => {
    const font = new URL(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf')).pathname
    const first = server
    server = await startServer({ PDF_FONTS: font })
    merchant = newMerchant(server, { price: 250_000 })
    try {
      // The first letter is in the given font alone.
      const pdf = await readApi(
        await merchant.openInvoice({}, { lines: [{ name: '⌓ Novel' }] }),
        'fonts',
      )
      assertShows(pdf, '⌓ Novel', '₦2,500.00')
      assert.match(pdf.raw, /\/FontName \/\w+\+DejaVuSansMono\b/)
    } finally {
      await server.stop()
      server = first
    }
  })
})
