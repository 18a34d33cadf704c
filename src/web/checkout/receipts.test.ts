/**
 * Goal: a payer is mailed the receipt in the language of the page that was paid on. Method:
 * payments in test mode, whose mails are captured; and one mail that a real SMTP server takes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { goodCard, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { type Json, shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
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
      'Payé par : Carte',
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
