/**
 * Goal: a payer is mailed the receipt in the language of the page that was paid on. Method:
 * payments in test mode, whose mails are captured; and one mail that a real SMTP server takes.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { goodCard, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  type Json,
  settled,
  shareServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { assertLines, linesIn, piecesIn } from '../../../test/support/pdfs.ts'
import { signIn } from '../../../test/support/people.ts'
import { startMailingServer, startSmtp } from '../../../test/support/smtp.ts'
import { showMoney } from '../../lib/money.ts'
import { deliver } from '../../platform/mail/mail.ts'

describe('the receipt of a payer', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    const profile = {
      name: 'Ada Bakery',
      time_zone: 'Africa/Lagos',
      tax_id: '12345678-0001',
      locale: 'en-NG',
    }
    const ways = {
      support_email: 'help@ada.example',
      support_phone: '+2348012345678',
      terms_url: 'https://ada.example/t',
    }
    await merchant.ask('PUT', '/business', { ...profile, ...ways })
  })
  after(() => server.stop())

  const mailOf = (event: string): Promise<Json> =>
    until(async () => {
      const rows = await server.app.db.query<Json>(
        `select subject, body, language from mails where about = '${event}' and recipient = 'bisi@example.com'`,
      )
      return rows[0]
    })
  /**
   * Without what keeps the parts of a sentence from changing its order, and with spaces of one
   * kind.
   */
  const plain = (text: string): string =>
    text.replaceAll(/[\u2068\u2069]/g, '').replaceAll(/[\u00a0\u202f]/g, ' ')
  const pay = async (language: string): Promise<Json> => {
    const payment = await merchant.openPayment({
      email: 'bisi@example.com',
      description: 'Two loaves',
    })
    const payer = merchant.payerOf(payment)
    await payer.open()
    // Somebody has looked at it in English before: the latest form counts.
    await payer.send('crypto', { choice: 'usdc.base' }, { 'accept-language': 'en' })
    await payer.send('card', goodCard, { 'accept-language': language })
    return { ...(await mailOf(`payment.completed ${payment.id}`)), payment }
  }

  it('is in the language that the browser asked for when it was paid', async () => {
    const { subject, body, payment } = await pay('fr-SN')
    assert.equal(plain(subject), 'Votre paiement à Ada Bakery : 10 000,00 ₦')
    for (const part of [
      'Bonjour,',
      'Ada Bakery a bien reçu votre paiement de 10 000,00 ₦. Merci !',
      'Objet : Two loaves',
      'Payé par : Visa se terminant par 4242',
      `Référence : ${payment.reference}`,
      'Des questions ? help@ada.example ou +234',
      'N° d’identification fiscale 12345678-0001',
      'Conditions générales : https://ada.example/t',
      'Mode test',
    ])
      assert.ok(plain(body).includes(part), `${part}: ${body}`)
    const refund = await merchant.ask('POST', '/refunds', { payment: payment.id, amount: 400_000 })
    const back = await mailOf(`refund.completed ${refund.id}`)
    assert.equal(plain(back.subject), 'Votre remboursement par Ada Bakery : 4 000,00 ₦')
    assert.match(
      plain(back.body),
      /quelques jours pour que votre banque[\s\S]*Remboursé par : Carte/,
    )
  })

  it('is in Arabic for who has switched to it, whatever the browser asks for, with links that are whole', async () => {
    const payment = await merchant.openPayment({ email: 'bisi@example.com' })
    const payer = merchant.payerOf(payment)
    await payer.open()
    const cookie = `${payer.cookie}; bursar_language=ar`
    await payer.send('card', goodCard, { 'accept-language': 'fr', cookie })
    const mail = await mailOf(`payment.completed ${payment.id}`)
    assert.equal(mail.language, 'ar')
    assert.match(mail.subject, /^دفعتكم إلى \u2068Ada Bakery\u2069: \u2068.*10,000\.00.*\u2069$/)
    assert.match(mail.body, /شكرًا لكم/)
    assert.ok(mail.body.split('\n').includes(payment.checkout_url), mail.body)
    assert.match(mail.body, /help@ada\.example أو \+2348012345678\n/)
  })

  it('is in the language of the business where no page was used, and in English where that is none of ours', async () => {
    for (const [locale, hello] of [
      ['fr-SN', 'Bonjour,'],
      ['sw-KE', 'Hello,'],
    ] as const) {
      await merchant.ask('PUT', '/business', { locale })
      const payment = await merchant.openPayment({ email: 'bisi@example.com' })
      await merchant.ask('POST', `/payments/${payment.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      })
      assert.ok((await mailOf(`payment.completed ${payment.id}`)).body.startsWith(`${hello}\n`))
    }
    await merchant.ask('PUT', '/business', { locale: 'en-NG' })
    const { subject, body } = await pay('de')
    assert.equal(subject, 'Your payment to Ada Bakery: ₦10,000.00')
    assert.match(
      body,
      /Questions\? help@ada\.example or \+2348012345678\nTerms: https:\/\/ada\.example\/t\n/,
    )
  })

  const paidMail = async (payment: Json): Promise<string> =>
    plain((await mailOf(`payment.completed ${payment.id}`)).body)
  const pdfOf = async (payment: Json, language = 'en'): Promise<string[]> =>
    linesIn(await fileOf(payment, language))
  const fileOf = async (payment: Json, language: string): Promise<Uint8Array> => {
    const answer = await fetch(`${payment.checkout_url}/receipt.pdf?lang=${language}`)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/pdf')
    assert.match(answer.headers.get('content-disposition') ?? '', /filename="receipt-[\w.-]+\.pdf"/)
    return new Uint8Array(await answer.arrayBuffer())
  }

  it('names each line of an invoice, its taxes, and the time where the business is, in mail and PDF', async () => {
    const customer = { name: 'Bisi Ade', email: 'bisi@example.com' }
    const invoice = await merchant.openInvoice(
      {},
      {
        customer,
        lines: [
          { name: 'Loaf', amount: 150_000, quantity: 2, tax_rate_bps: 750 },
          { name: 'Delivery', amount: 50_000 },
        ],
      },
    )
    await merchant.simulate(invoice.payment, 'completed', 'bank_transfer')
    const payment = await merchant.readPayment(invoice.payment)
    assert.equal(payment.amount_received, 372_500)
    const body = await paidMail(payment)
    const at = new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Africa/Lagos',
      timeZoneName: 'short',
    }).format(new Date(payment.paid_at))
    for (const line of [
      'Loaf, 2 × ₦1,500.00: ₦3,000.00',
      'Delivery: ₦500.00',
      'Without tax: ₦3,500.00',
      'Tax of 7.5% on ₦3,000.00: ₦225.00',
      `For: Invoice ${invoice.number}`,
      'Paid by: Bank transfer',
      `Date: ${at}`,
      `Reference: ${payment.reference}`,
      'Your receipt is attached as a PDF.',
    ])
      assert.ok(body.split('\n').includes(line), `${line}: ${body}`)
    // The business has paid the fee: it is none of the payer's business.
    assert.doesNotMatch(body, /\bFee\b/)
    const lines = (await pdfOf(payment)).map(plain)
    assertLines(
      lines,
      'Loaf ₦3,000.00',
      '2 × ₦1,500.00 · plus 7.5% tax',
      'Delivery ₦500.00',
      'Tax of 7.5% on ₦3,000.00 ₦225.00',
      'Paid ₦3,725.00',
      `Date ${at}`,
      `For Invoice ${invoice.number}`,
      `Reference ${payment.reference}`,
      'Billed to Bisi Ade',
      'Test mode: no real money moves',
    )
    assert.ok(lines.some((line) => line.includes('Ada Bakery') && line.includes('Receipt')))
    assert.doesNotMatch(lines.join('\n'), /bisi@example\.com/)
  })

  it('names the fee where the payer has paid it', async () => {
    const payment = await merchant.openPayment({
      email: 'bisi@example.com',
      fee_bearer: 'customer',
    })
    await merchant.simulate(payment, 'completed', 'card')
    const { amount_received: received } = await merchant.readPayment(payment)
    const [price, fee, total] = [1_000_000, received - 1_000_000, received].map((amount) =>
      showMoney(BigInt(amount), 'ngn'),
    )
    const body = await paidMail(payment)
    for (const line of [`Price: ${price}`, `Fee for paying this way: ${fee}`, `Total: ${total}`])
      assert.ok(body.split('\n').includes(line), `${line}: ${body}`)
    assert.doesNotMatch(body, /For:/)
    assertLines((await pdfOf(payment)).map(plain), `Price ${price}`, `Paid ${total}`)
  })

  it('is a PDF in the language of the page, which says what was refunded, and is there once it is paid', async () => {
    const payment = await merchant.openPayment({ email: 'bisi@example.com', description: 'خبز' })
    const early = await fetch(`${payment.checkout_url}/receipt.pdf`)
    assert.equal(early.status, 404)
    const payer = merchant.payerOf(payment)
    await payer.post('card', goodCard)
    const page = await payer.open('?lang=fr')
    assert.ok(page.html.includes('/receipt.pdf?lang=fr'), page.html)
    assert.match(page.text, /Reçu \(PDF\)/)
    const french = (await pdfOf(payment, 'fr')).map(plain)
    assertLines(french, 'Payé 10 000,00 ₦', 'Payé par Visa se terminant par 4242', 'Page 1 sur 1')
    const refund = await merchant.ask('POST', '/refunds', { payment: payment.id, amount: 400_000 })
    await mailOf(`refund.completed ${refund.id}`)
    assertLines((await pdfOf(payment, 'fr')).map(plain), 'Remboursé 4 000,00 ₦')
    assert.match((await pdfOf(payment, 'ar')).join('\n'), /[\u0600-\u06ff\ufe70-\ufefc]/)
  })

  it('is mirrored in Arabic: labels begin at the right, and amounts stand at the left', async () => {
    const payment = await merchant.openPayment({ email: 'bisi@example.com', description: 'خبز' })
    await merchant.payerOf(payment).post('card', goodCard)
    const [left, right] = [56, 539]
    /** Where each line begins and ends, with its digits and Latin letters. */
    const rowsOf = async (language: string) => {
      const [page = []] = await piecesIn(await fileOf(payment, language))
      return [...Map.groupBy(page, ({ y }) => Math.round(y)).values()].map((row) => ({
        from: Math.min(...row.map(({ x }) => x)),
        to: Math.max(...row.map(({ x, width }) => x + width)),
        pieces: row.toSorted((a, b) => a.x - b.x),
      }))
    }
    const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 2
    const rows = await rowsOf('ar')
    const reference = rows.find(({ pieces }) =>
      pieces.some(({ text }) => text.includes(payment.reference)),
    )
    assert.ok(reference && isNear(reference.to, right), JSON.stringify(reference))
    assert.match(reference.pieces.at(-1)?.text ?? '', /\p{Script=Arabic}/u)
    const amounts = rows.filter(({ pieces }) =>
      pieces.some(({ text }) => text.includes('10,000.00')),
    )
    assert.ok(amounts.length > 0 && amounts.every(({ from }) => isNear(from, left)))
    // No line stands outside of the page's margins.
    for (const { from, to } of rows) assert.ok(from > left - 2 && to < right + 2, `${from} ${to}`)
    const english = await rowsOf('en')
    assert.ok(english.filter(({ from }) => isNear(from, left)).length > 4)
    if (process.env.SCREENSHOTS === '1') {
      mkdirSync('test/browser/screenshots', { recursive: true })
      writeFileSync('test/browser/screenshots/receipt-ar.pdf', await fileOf(payment, 'ar'))
    }
  })

  it('names the card that paid, where another was tried before that was known', async () => {
    const payment = await merchant.openPayment({ email: 'bisi@example.com' })
    await merchant.payerOf(payment).post('card', goodCard)
    await server.app.db.query(
      `insert into payment_attempts
       select (jsonb_populate_record(a, jsonb_build_object('id', $2::text, 'status', 'failed',
                 'last4', '5559', 'transaction_id', null, 'created_at', a.created_at + interval '1 minute'))).*
         from payment_attempts a where payment_id = $1`,
      [payment.id, 'a'.repeat(24)],
    )
    const lines = (await pdfOf(payment)).map(plain)
    assertLines(lines, 'Paid by Visa ending in 4242')
    assert.doesNotMatch(lines.join(), /5559/)
  })

  it('is attached as a PDF to the one mail of a payment', async (t) => {
    const { server: mailing, smtp, stop } = await startMailingServer()
    t.after(stop)
    const { email } = await signIn(mailing, 'viewer')
    const shop = newMerchant(mailing)
    const payment = await shop.openPayment({ email })
    await shop.payerOf(payment).post('card', goodCard)
    await until(async () => smtp.received.length > 0)
    const [mail] = smtp.received
    assert.match(mail?.text ?? '', /Content-Type: application\/pdf;\s+name="?receipt-/)
    const [, coded = ''] =
      /filename="?receipt-[^\r]*\.pdf"?\r\n\r\n([\w+/=\r\n]+)/.exec(mail?.text ?? '') ?? []
    const lines = await linesIn(new Uint8Array(Buffer.from(coded, 'base64')))
    assertLines(lines.map(plain), 'Paid ₦10,000.00', `Reference ${payment.reference}`)
    await settled(mailing.app)
    assert.equal(smtp.received.length, 1)
  })

  it('is kept without a change of the payment that anybody is told of', async () => {
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    await payer.open()
    await payer.send('crypto', { choice: 'no.thing' }, { 'accept-language': 'fr' })
    const [row] = await server.app.db.query<Json>(
      `select language from payments where id = '${payment.id}'`,
    )
    assert.equal(row.language, 'fr')
    assert.deepEqual(await merchant.readPayment(payment), payment)
  })

  it('is HTML from right to left where its language is, as any reader of mails shows it', async (t) => {
    const smtp = await startSmtp()
    t.after(() => smtp.stop())
    const app = { ...server.app, config: { ...server.app.config, SMTP_URL: smtp.url } }
    const letter = {
      id: 'a'.repeat(24),
      recipient: 'bisi@example.com',
      subject: 'دفعتكم',
      body: 'مرحبًا،\n\n<b>',
    }
    const look = { business: 'Ada', replyTo: null, color: null, logo: null }
    for (const language of ['ar', 'fr']) await deliver(app, { ...letter, language }, [], look)
    await deliver(app, { ...letter, language: 'fr' }, [], { ...look, color: '#aa0000' })
    const [arabic, plainText, french] = smtp.received.map(({ text }) => text)
    assert.match(
      arabic ?? '',
      /<html lang="ar" dir="rtl">[\s\S]*<div lang="ar" dir="rtl"[\s\S]*&lt;b&gt;/,
    )
    assert.doesNotMatch(plainText ?? '', /<html/)
    assert.match(french ?? '', /<html lang="fr" dir="ltr">/)
  })
})
