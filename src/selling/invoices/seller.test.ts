/**
 * Goal: the documents and mails of an invoice show who sells, as it was when the invoice was
 * finalized, and look like the business. Method: PDFs are read back, and mails where an SMTP server
 * on this machine keeps them.
 */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { getDocumentProxy } from 'unpdf'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { must, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { chunk, makePng, pictures } from '../../../test/support/pictures.ts'

describe('the seller of an invoice', () => {
  let server: TestServer
  let merchant: Merchant
  const mails: string[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (part: Buffer) => chunks.push(part))
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks).toString('latin1'))
        done()
      })
    },
  })

  before(async () => {
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()))
    server = await startServer({
      SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    })
    await signIn(server, 'viewer', { email: 'ada@example.com' })
    merchant = newMerchant(server, { price: 250_000 })
  })
  after(async () => {
    await server.stop()
    await new Promise<void>((resolve) => smtp.close(() => resolve()))
  })

  const change = (input: object): Promise<Json> => must(server.call('PUT', '/business', input))
  const seller = {
    name: 'Ada’s Bakery',
    tax_id: '12345678-0001',
    registration_number: 'RC 1234567',
    address: {
      line1: '12 Allen Avenue',
      city: 'Ikeja',
      state: 'Lagos',
      postal_code: '100271',
      country: 'ng',
    },
    support_email: 'help@ada.example',
    support_phone: '+2348012345678',
  }
  /** The text of a PDF, and how many pictures it has. */
  async function read({ id }: Json): Promise<{ text: string; pictures: number }> {
    const response = await fetch(`${server.url}/invoices/${id}/pdf`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    assert.equal(response.status, 200)
    const bytes = new Uint8Array(await response.arrayBuffer())
    const found =
      Buffer.from(bytes)
        .toString('latin1')
        .match(/\/Subtype \/Image/g)?.length ?? 0
    const document = await getDocumentProxy(bytes)
    const content = await (await document.getPage(1)).getTextContent()
    await document.cleanup()
    return {
      text: content.items.map((item) => ('str' in item ? item.str : '')).join(' '),
      pictures: found,
    }
  }
  const shows = (text: string, parts: string[]) => {
    for (const part of parts) assert.ok(text.includes(part), `${part}: ${text}`)
  }

  it('is on the PDF with its address and numbers, as it was when the invoice was finalized', async () => {
    await change(seller)
    const open = await merchant.openInvoice()
    const parts = [
      'Ada’s Bakery',
      '12 Allen Avenue',
      '100271 Ikeja Lagos',
      'Nigeria',
      'RC 1234567',
      'Tax ID 12345678-0001',
    ]
    shows((await read(open)).text, [...parts, 'help@ada.example', '+2348012345678'])
    const draft = await merchant.draftInvoice()
    await change({
      name: 'Moved',
      address: null,
      tax_id: null,
      registration_number: null,
      support_email: 'new@ada.example',
    })
    const { text } = await read(open)
    shows(text, [...parts, 'new@ada.example'])
    assert.ok(!text.includes('Moved'))
    const later = await read(draft)
    shows(later.text, ['Moved'])
    assert.ok(!later.text.includes('Allen Avenue'))
  })

  it('has its logo on the PDF, whatever kind of PNG or JPEG it is', async () => {
    await change(seller)
    const open = await merchant.openInvoice()
    assert.equal((await read(open)).pictures, 0)
    const palette = chunk('PLTE', Buffer.from([10, 92, 54, 255, 255, 255]))
    const clear = chunk('tRNS', Buffer.from([0]))
    const kinds: [string, Buffer, number][] = [
      ['grey', makePng(), 1],
      ['one bit', makePng({ depth: 1 }), 1],
      ['16 bits', makePng({ depth: 16, color: 2, samples: 3 }), 1],
      ['grey and clear', makePng({ color: 4, samples: 2 }), 2],
      ['colour and clear, 16 bits', makePng({ depth: 16, color: 6, samples: 4 }), 2],
      ['palette', makePng({ color: 3, more: [palette] }), 1],
      [
        'palette of four bits and clear',
        makePng({ depth: 4, color: 3, more: [palette, clear] }),
        2,
      ],
      [
        'one colour clear',
        makePng({ color: 2, samples: 3, more: [chunk('tRNS', Buffer.alloc(6))] }),
        1,
      ],
      ['as a browser saves it', pictures.png, 2],
      ['JPEG', pictures.jpeg, 1],
      ['WebP, which no PDF holds', pictures.webp, 0],
    ]
    for (const [kind, logo, count] of kinds) {
      await change({ logo: logo.toString('base64') })
      const pdf = await read(open)
      assert.equal(pdf.pictures, count, kind)
      shows(pdf.text, ['Ada’s Bakery'])
    }
    await change({ logo: null })
  })

  it('signs its mails, and has the answers to them', async () => {
    await change({ ...seller, terms_url: 'https://ada.example/terms' })
    const open = await merchant.openInvoice({}, { customer: { name: '<b>Ada</b>' } })
    const mailed = async (): Promise<string> => {
      mails.length = 0
      await must(server.call('POST', `/invoices/${open.id}/send`))
      await until(async () => mails.length > 0)
      return (mails[0] as string).replaceAll('=\r\n', '')
    }
    const plain = await mailed()
    assert.match(plain, /^Reply-To: help@ada\.example\r$/m)
    assert.doesNotMatch(plain, /text\/html/)
    const [row] = await server.app.db.query<{ body: string }>(
      'select body from mails where invoice_id = $1',
      [open.id],
    )
    assert.ok(
      row?.body.includes(
        [
          'Ada’s Bakery',
          '12 Allen Avenue, 100271 Ikeja Lagos, Nigeria',
          'RC 1234567',
          'Tax ID 12345678-0001',
          'Questions? help@ada.example or +2348012345678',
          'Terms: https://ada.example/terms',
        ].join('\n'),
      ),
      row?.body,
    )
    await change({ color: '#ffcc00', logo: pictures.jpeg.toString('base64') })
    const colored = await mailed()
    assert.match(colored, /Content-Type: text\/html/)
    assert.match(colored, /background:#ffcc00;color:#000000/)
    assert.match(colored, /src=3D"cid:logo"/)
    assert.match(
      colored.replaceAll('=\r\n', '').replaceAll('=\n', ''),
      />See it and pay it here<\/a>/,
      'a button says what it does',
    )
    assert.match(colored, /Content-ID: <logo>/i)
    assert.match(colored, /&lt;b&gt;Ada&lt;\/b&gt;/)
    assert.doesNotMatch(colored.split('text/html')[1] ?? '', /<b>/)
    await change({ color: null, logo: null })
  })
})
