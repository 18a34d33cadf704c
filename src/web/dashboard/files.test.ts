/**
 * Goal: the bytes of a file that a person uploads become the text that the person wrote, or the
 * file is refused and the form is kept. Method: forms of batches as browsers send them, by
 * multipart/form-data.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { must, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { ordersFile, transferXml } from '../../../test/support/payment-orders.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('a file of payouts', () => {
  let server: TestServer
  let person: Visitor
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 200_000_000_000)
    await server.fund('usd', 100_000)
    person = await signedIn(server, 'finance')
  })
  after(() => server.stop())

  let made = 0
  const upload = async (file: Uint8Array | string, given: Record<string, string> = {}) => {
    const path = '/payout-batches/-/new'
    const form = new FormData()
    const { fileField = 'csv_file', ...more } = given
    const own = {
      currency: 'ngn',
      csv: '',
      description: 'kept',
      reference: `upload-${made++}`,
      step: 'do',
      ...more,
    }
    const blob = new Blob([file as Uint8Array<ArrayBuffer>], { type: 'text/csv' })
    for (const [name, value] of Object.entries({
      ...hiddenOf(await shown(person.get(path))),
      ...own,
    })) {
      // Where a browser puts it: before the text of the area.
      if (name === 'csv') form.append(fileField, blob, 'pay.csv')
      form.append(name, value)
    }
    const { location, ...answer } = await person.send(path, form)
    return { ...answer, location: location ?? '' }
  }
  const countOf = async (): Promise<number> =>
    (await must(server.call('GET', '/payout-batches'))).totalDocs
  const us = 'amount,country,routing_number,account_number,account_name,account_type\r\n'
  const line = '100,us,021000021,12345678,Zoé Müller,checking\r\n'

  it('may be payment orders in XML, of which nothing of its own is opened', async () => {
    const orders = ordersFile([transferXml({ id: 'xml-1', amount: '0.30', name: 'Zoé Müller' })])
    const taken = await upload(`\uFEFF${orders}`)
    assert.equal(taken.status, 303, textOf(taken.html))
    const id = /payout-batches\/([^?]+)/.exec(taken.location)?.[1]
    const { docs } = await must(server.call('GET', `/payout-batches/${id}/lines`))
    assert.deepEqual([docs[0].reference, docs[0].amount], ['xml-1', 30])
    const before = await countOf()
    const entity = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>'
    const refused = await upload(orders.replace('<Document', `${entity}<Document`))
    assert.equal(refused.status, 422)
    assert.match(textOf(refused.html), /Line 2, column \d+: a document type is not read/)
    assert.equal(await countOf(), before)
  })

  it('is decoded by its byte order mark, or as UTF-8', async () => {
    const utf16 = Buffer.from(`\uFEFF${us}${line}`, 'utf16le')
    for (const file of [us + line, `\uFEFF${us}${line}`, utf16, Buffer.from(utf16).swap16()]) {
      const { status, html, location } = await upload(file, { currency: 'usd' })
      assert.equal(status, 303, textOf(html))
      const id = /payout-batches\/([^?]+)/.exec(location)?.[1]
      const { counts } = await must(server.call('GET', `/payout-batches/${id}`))
      assert.equal(counts.waiting, 1)
      const { rows } = await server.app.db
        .query<{ line: unknown }>(
          'select to_jsonb(l) as line from payout_batch_lines l where batch_id = $1',
          [id],
        )
        .then((found) => ({ rows: found }))
      assert.match(JSON.stringify(rows), /Zoé Müller/)
    }
  })

  it('that is not UTF-8 is refused with what to save it as, and the form is kept', async () => {
    const before = await countOf()
    const windows = Buffer.from(us + line, 'latin1')
    for (const file of [
      windows,
      us + line.replace('é', '\uFFFD'),
      Buffer.from(`${us}${line}`, 'utf16le'),
    ]) {
      const { status, html } = await upload(file, { currency: 'usd' })
      assert.equal(status, 422)
      assert.match(textOf(html), /The file is not UTF-8 text\. In Excel, save it as “CSV UTF-8/)
      assert.match(html, /value="kept"/)
      assert.match(html, /<option value="usd" selected>/)
    }
    const pasted = await upload('', { csv: us + line.replace('é', '\uFFFD'), currency: 'usd' })
    assert.equal(pasted.status, 422)
    assert.match(
      textOf(pasted.html),
      /Row 2, column account_name: it must not contain U\+FFFD, which stands for a lost letter/,
    )
    assert.equal(await countOf(), before)
  })

  it('with a character that does something where it is shown is refused by line and column', async () => {
    const before = await countOf()
    for (const character of ['\u0007', '\u001b', '\u0085', '\u2028']) {
      const text = `${us}${line}100,us,021000021,12345678,Zo${character}é,checking\r\n`
      for (const { status, html } of [
        await upload(text, { currency: 'usd' }),
        await upload('', { csv: text, currency: 'usd' }),
      ]) {
        assert.equal(status, 422)
        assert.match(
          textOf(html),
          /Row 3, column account_name: it must not contain control characters/,
        )
        assert.doesNotMatch(html, /lines\.\d/)
        assert.match(html, /value="kept"/)
      }
    }
    assert.equal(await countOf(), before)
  })

  it('of 10,000 lines in Yoruba is taken, and one of more than 2 MiB is refused with the form kept', async () => {
    const head = 'reference,amount,bank_code,account_number,description\n'
    const lines = Array.from(
      { length: 10_000 },
      (_, i) =>
        `w-${i},"150,000.00",058,${String(1_000_000 + i).padStart(10, '0')},"Owó oṣù Bélú fún ẹ̀ka Ìkẹjà, ọ̀gbẹ́ni àti ìyáàfin Adébáyọ̀ Ọlátúnjí, ẹ kú iṣẹ́"\n`,
    )
    const { status, html } = await upload(head + lines.join(''))
    assert.equal(status, 303, textOf(html).slice(0, 500))
    const before = await countOf()
    const large = await upload(head + 'x'.repeat(2_200_000))
    assert.equal(large.status, 422)
    assert.match(textOf(large.html), /The file has more than 2 MiB\. Divide it into several/)
    assert.match(large.html, /value="kept"/)
    assert.equal(await countOf(), before)
  })

  it('that is larger than any form is refused with the form kept, whatever its size up to 64 MiB', async () => {
    const before = await countOf()
    const line = '100,058,0123456789\n'
    for (const bytes of [4_194_304, 4_400_000, 9_000_000, 60_000_000]) {
      const file = `amount,bank_code,account_number\n${line.repeat(bytes / line.length)}`
      const { status, html } = await upload(file, {
        description: 'payroll of May',
        reference: 'large-1',
      })
      assert.equal(status, 422, `${bytes}: ${textOf(html).slice(0, 300)}`)
      assert.match(textOf(html), /The file has more than 2 MiB\. Divide it into several/)
      assert.match(html, /value="payroll of May"/)
      assert.match(html, /value="large-1"/)
    }
    const pasted = await upload('', { csv: line.repeat(300_000) })
    assert.equal(pasted.status, 400)
    assert.match(pasted.html, /larger than this page takes/)
    assert.match((await upload(Buffer.alloc(70_000_000))).html, /larger than this page takes/)
    assert.equal(await countOf(), before)
  })

  it('takes the place of its own area alone, whatever field it is sent for', async () => {
    const before = await countOf()
    const sent = {
      description: 'own',
      reference: 'own-1',
      csv: 'amount,bank_code,account_number\n100,058,0123456789\n',
    }
    for (const [fileField, text] of [
      ['step_file', 'edit'],
      ['key_file', 'none'],
      ['currency_file', 'usd'],
      ['description', 'another'],
      ['description_file', 'another'],
      ['reference_file', 'another-1'],
      ['csv', 'amount\n1\n'],
    ] as const) {
      const { status, html, location } = await upload(text, {
        ...sent,
        reference: `own-${fileField}`,
        fileField,
      })
      assert.equal(status, 303, `${fileField}: ${textOf(html).slice(0, 300)}`)
      const made = await must(
        server.call('GET', `/payout-batches/${/payout-batches\/([^?]+)/.exec(location)?.[1]}`),
      )
      assert.deepEqual(
        [made.reference, made.description, made.currency, made.counts.waiting],
        [`own-${fileField}`, 'own', 'ngn', 1],
      )
    }
    assert.equal(await countOf(), before + 7)
  })

  it('is refused without the session’s own text', async () => {
    const before = await countOf()
    const { html } = await upload('amount,bank_code,account_number\n1,058,0123456789\n', {
      csrf: 'forged',
    })
    assert.match(textOf(html), /out of date/)
    assert.equal(await countOf(), before)
  })
})

describe('a name or a text of the API', () => {
  it('with U+FFFD is refused, and metadata keeps it', async (t) => {
    const server = await shareServer()
    t.after(() => server.stop())
    const refused = await server.call('POST', '/customers', {
      name: 'Zo\uFFFD',
      email: 'zoe@example.com',
    })
    assert.equal(refused.code, 'validation_failed')
    assert.match(refused.body.message, /name must not contain U\+FFFD/)
    const metadata = { note: 'Zo\uFFFD' }
    const kept = await must(
      server.call('POST', '/customers', { name: 'Zoé', email: 'zoe@example.com', metadata }),
    )
    assert.deepEqual(kept.metadata, metadata)
  })
})
