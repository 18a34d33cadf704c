/**
 * Goal: a PDF that cannot be drawn keeps back no mail. Method: the stored logo is damaged, and a
 * receipt, an invoice and a credit note are mailed by a real SMTP server.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { goodCard, type Json, newMerchant } from '../../../test/support/actors.ts'
import { until } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { makePng } from '../../../test/support/pictures.ts'
import { startMailingServer } from '../../../test/support/smtp.ts'
import { UndrawableError } from '../../lib/pdf/canvas.ts'
import { enclose, type Mail } from './mail.ts'

describe('a mail whose PDF cannot be drawn', () => {
  it('leaves without it, says so, and leads to the page', async (t) => {
    const { server, smtp, stop } = await startMailingServer()
    t.after(stop)
    const { email } = await signIn(server, 'viewer')
    const shop = newMerchant(server)
    await shop.ask('PUT', '/business', { name: 'Ada Bakery', logo: makePng().toString('base64') })
    await server.app.db.query(`update business_logos set content = '\\xdead'`)
    const stored = async (subject: string): Promise<Json> => {
      const rows = await until(async () => {
        const found = await server.app.db.query<Json>(
          `select id, status, body from mails where subject like '${subject}%' and status <> 'queued'`,
        )
        return found.length > 0 && found
      })
      return rows[0]
    }
    const assertWithout = async (subject: string, sentence: string, url: string) => {
      const mail = await stored(subject)
      assert.equal(mail.status, 'sent')
      const { text = '' } = smtp.received.find((one) => one.text.includes(`<${mail.id}@`)) ?? {}
      assert.doesNotMatch(text, /application\/pdf|is attached/)
      for (const part of [sentence, url]) {
        assert.ok(text.includes(part), `${part}: ${text}`)
        assert.ok(mail.body.includes(part), mail.body)
      }
    }

    const payment = await shop.openPayment({ email })
    await shop.payerOf(payment).post('card', goodCard)
    const receipt = 'The PDF of your receipt could not be made, so it is not attached.'
    await assertWithout('Your payment to Ada Bakery', receipt, payment.checkout_url)

    const sold = { customer: { email }, lines: [{ tax_rate_bps: 750 }] }
    const invoice = await shop.openInvoice({}, sold)
    await shop.sendInvoice(invoice)
    const invoiced = 'Its PDF could not be made, so it is not attached.'
    await assertWithout(`Invoice ${invoice.number} from`, invoiced, invoice.payment_url)
    assert.ok((await shop.readInvoice(invoice)).sent_at)

    await shop.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 })
    await shop.simulate(invoice.payment, 'completed', 'card')
    await shop.refund(invoice.payment)
    await shop.refundsEnded(invoice.payment, 1)
    const [note] = (await shop.ask('GET', `/credit-notes?invoice=${invoice.id}`)).docs
    await shop.ask('POST', `/credit-notes/${note.id}/send`)
    const credited = `The PDF of credit note ${note.number} could not be made`
    await assertWithout(`Credit note ${note.number} from`, credited, invoice.payment_url)
    assert.ok((await shop.ask('GET', `/credit-notes/${note.id}`)).sent_at)
  })

  it('logs why, and another error retries the mail', async () => {
    const logged: unknown[] = []
    const log = { error: (fields: object, text: string) => logged.push(fields, text) } as never
    const mail = { id: 'a'.repeat(24), body: 'attached' } as Mail
    const fails = (error: Error) =>
      enclose(
        { log },
        mail,
        () => Promise.reject(error),
        () => 'not attached',
      )
    const error = new UndrawableError('Unknown image format.')
    assert.deepEqual(await fails(error), { attachments: [], body: 'not attached' })
    assert.deepEqual(logged, [
      { err: error, mail: mail.id },
      'a PDF cannot be drawn, so its mail is sent without it',
    ])
    await assert.rejects(fails(new Error('no database')), /no database/)
    assert.equal(logged.length, 2)
  })
})
