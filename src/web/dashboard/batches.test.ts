/**
 * Goal: somebody with a file of payouts sees what is wrong with it, confirms the rest, and sees it
 * done. Method: a team over HTTP, as browsers without scripts; the sample file of the
 * documentation; the job of a batch runs as it does.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { must, shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { ordersFile, transferXml } from '../../../test/support/payment-orders.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('batches at the dashboard', () => {
  let server: TestServer
  let person: Visitor
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 200_000_000)
    person = await signedIn(server, 'finance')
  })
  after(() => server.stop())

  const upload = async (csv: string, reference: string): Promise<PageText> =>
    person.post('/payout-batches/-/new', {
      ...hiddenOf(await shown(person.get('/payout-batches/-/new'))),
      csv,
      reference,
      currency: 'ngn',
      step: 'do',
    })
  const pageOf = async (answer: PageText): Promise<[path: string, text: string]> => {
    assert.equal(answer.status, 303, textOf(answer.html))
    const path = (answer.location as string).replace(person.base, '')
    return [path.split('?')[0] as string, textOf(await shown(person.get(path)))]
  }

  it('name the three bad lines of a file of ten thousand, on a page that stays small', async () => {
    const rows = Array.from(
      { length: 10_000 },
      (_, i) => `50.00,058,${String(1_000_000 + i).padStart(10, '0')}`,
    )
    rows[16] = 'ten,058,0000000017'
    rows[4_711] = '50.00,999,0123456789'
    rows[9_999] = '50.00,058,123456789'
    const [path, text] = await pageOf(
      await upload(`amount,bank_code,account_number\r\n${rows.join('\r\n')}\r\n`, 'many'),
    )
    assert.match(text, /Nothing is paid until you confirm/)
    assert.match(text, /₦499,850\.00/)
    assert.match(text, /10,000: Waiting: 9,997, Bad: 3/)
    assert.match(
      text,
      / 18 – Bad This is no amount\. .* 4,713 .* No bank has the code .* 10,001 .* A Nigerian account/,
    )
    assert.ok((await shown(person.get(path))).length < 100_000)
    const form = await shown(person.get(`${path}/confirm`))
    const review = await shown(
      person.post(`${path}/confirm`, { ...hiddenOf(form), skip_bad: 'true', step: 'review' }),
    )
    assert.match(
      textOf(review),
      /₦499,850\.00 leaves .* Creates 9,997 payouts, with fees of .* 3 lines are skipped/,
    )
    const without = await person.post(`${path}/confirm`, { ...hiddenOf(form), step: 'do' })
    assert.match(textOf(without.html), /3 of 10000 lines cannot be paid/)
  })

  it('are confirmed, made and shown: the sample of the documentation', async () => {
    const doc = readFileSync('docs/payout-batches.md', 'utf8')
    const [, csv = ''] = /```csv\n([\s\S]*?)```/.exec(doc) ?? []
    const [path, text] = await pageOf(await upload(csv, 'wages'))
    assert.match(text, /Draft .* 2: Waiting: 2/)
    const review = await shown(person.get(`${path}/confirm`))
    assert.match(textOf(review), /₦248,000\.00 leaves your NGN wallet/)
    assert.match(
      textOf(await shown(person.get(`${path}/cancel`))),
      /2 payouts are not made\. No money moves/,
    )
    const fields = { ...hiddenOf(review), step: 'do' }
    const twice = await Promise.all([
      person.post(`${path}/confirm`, fields),
      person.post(`${path}/confirm`, fields),
    ])
    assert.ok(twice.every(({ status }) => status === 303))
    await until(async () => /Completed/.test(textOf(await shown(person.get(path)))))
    assert.match(textOf(await shown(person.get(path))), /Payouts Pending: 2/)
    const { amount, description } = await must(server.call('GET', '/payouts/wage-ada'))
    assert.deepEqual([amount, description], [15_000_000, 'Wage of November'])
    assert.equal((await must(server.call('GET', '/payouts'))).totalDocs, 2)
  })

  it('are read from payment orders of ISO 20022, all or none, and written as such for a bank', async () => {
    const { totalDocs } = await must(server.call('GET', '/payout-batches'))
    const orders = [
      transferXml({ id: 'iso-1', amount: '1500.50', text: 'Wage' }),
      transferXml({ id: 'iso-2', amount: '2000', bank: '999', name: 'Nobody' }),
    ]
    const refused = await upload(ordersFile(orders, { sum: '3500.51' }), 'orders')
    assert.equal(refused.status, 422)
    assert.match(textOf(refused.html), /GrpHdr says a sum of 3500\.51 \(CtrlSum\)/)
    assert.equal((await must(server.call('GET', '/payout-batches'))).totalDocs, totalDocs)
    const [path, text] = await pageOf(await upload(ordersFile(orders), 'orders'))
    assert.match(text, /₦1,500\.50 .* 2: Waiting: 1, Bad: 1/)
    assert.match(text, /No bank has the code/)
    assert.match(text, /Have your own bank pay it .* paid twice/)
    await must(server.call('POST', `/payout-batches/${path.split('/').at(-1)}/cancel`))
    const file = await person.get(`${path}/pain001?debtor_account=0123456789&debtor_bank=`)
    assert.equal(file.headers.get('content-type'), 'text/xml; charset=utf-8')
    assert.match(file.html, /<NbOfTxs>1<\/NbOfTxs><CtrlSum>1500\.50<.*<EndToEndId>iso-1</s)
    assert.equal((await person.get(`${path}/pain001?debtor_account=`)).status, 400)
  })

  it('say of a file that is none what is wrong with it', async () => {
    for (const [csv, says] of [
      ['amount,colour\n5,red', /the column “colour” is none of reference, amount/],
      ['bank_code\n058', /amount is none of them/],
      ['amount', /no line below/],
    ] as const) {
      const answer = await upload(csv, 'none')
      assert.equal(answer.status, 422)
      assert.match(textOf(answer.html), says)
    }
  })

  it('of a file that is not a table are refused with line and column, and nothing is made', async () => {
    const { totalDocs } = await must(server.call('GET', '/payout-batches'))
    for (const [csv, says] of [
      [
        'reference,bank_code,account_number,amount\nw-3,058,0123456789,150,000.00\n',
        /Line 2, column 5: the line has 5 cells, and the first line names 4/,
      ],
      [
        'amount,bank_code,account_number,description\n100,058,0123456789,"one\n200,058,0123456781,two\n300,058,0123456782,three\n',
        /Line 2, column description: the quote that opens here is never closed/,
      ],
      [
        'amount,amount,bank_code,account_number\n100,999999,058,0123456789\n',
        /Line 1, column 2: two columns are named amount/,
      ],
      [
        'amount,bank_code,account_number\n100,"058"0,0123456789\n',
        /Line 2, column bank_code: text follows a closing quote/,
      ],
    ] as const) {
      const answer = await upload(csv, `bad-${says}`.slice(0, 20))
      assert.equal(answer.status, 422, csv)
      assert.match(textOf(answer.html), says)
      assert.ok(answer.html.includes(csv.slice(0, 22)), 'what was typed stays')
    }
    assert.equal((await must(server.call('GET', '/payout-batches'))).totalDocs, totalDocs)
  })

  it('are read where Excel names the separator, and where lines end with CR', async () => {
    for (const csv of [
      'sep=;\r\namount;bank_code;account_number\r\n1500,50;058;0123456789\r\n',
      'amount;bank_code;account_number\r1500,50;058;0123456789\r',
    ])
      assert.match((await pageOf(await upload(csv, `from-excel-${csv.length}`)))[1], /₦1,500\.50/)
  })
  it('start from a template, which pays nobody before it is filled in', async () => {
    await must(
      server.call('POST', '/beneficiaries', {
        label: 'Landlord',
        method: 'bank_transfer',
        destination: { bank_code: '058', account_number: '0123456789' },
      }),
    )
    const form = await shown(person.get('/payout-batches/-/new'))
    const links = [...form.matchAll(/href="([^"]+\/template\?to=\w+)"/g)].map(([, href]) => href)
    assert.equal(links.length, 4)
    for (const href of links as string[]) {
      const { status, html, headers } = await person.get(href)
      assert.equal(status, 200)
      assert.match(
        headers.get('content-disposition') ?? '',
        /attachment; filename="?payouts-\w+\.csv/,
      )
      const [path] = await pageOf(await upload(html, `template-${href.slice(-5)}`))
      const { counts } = await must(server.call('GET', path))
      assert.deepEqual([counts.waiting, counts.bad], [0, 1], html)
    }
    const { html } = await person.get(links[3] as string)
    assert.match(html, /^reference,amount,beneficiary,description\r\n,,[0-9a-f]{24},Landlord\r\n$/)
    const [, text] = await pageOf(await upload(html.replace('\n,,', '\nrent,1500,'), 'rent'))
    assert.match(text, /Guaranty Trust Bank 0123456789 2 ₦1,500\.00/)
  })

  it('show whom they pay before they pay, by the rows of the spreadsheet', async () => {
    const rows = Array.from({ length: 30 }, (_, i) => `50.00,058,${String(2_000_000 + i)},Ada Obi`)
    const csv = `amount,bank_code,account_number,account_name\n\n${rows.join('\n')}\n`.replace(
      /,(\d{7}),/g,
      ',000$1,',
    )
    const [path, text] = await pageOf(await upload(csv, 'whom'))
    assert.match(
      text,
      /Recipients Recipient Row Amount .* You wrote Ada Obi Guaranty Trust Bank 0002000000 3 ₦50\.00 Waiting/,
    )
    assert.match(text, /All 30/)
    const more = textOf(await shown(person.get(`${path}/lines?page=2`)))
    assert.match(more, /0002000029 32 ₦50\.00/)
    assert.doesNotMatch(more, /0002000024/)
    assert.match(more, /30 lines Previous/)
    assert.match(textOf(await shown(person.get(`${path}/confirm`))), /See all recipients/)
    assert.equal((await person.get(`${path.slice(0, -3)}000/lines`)).status, 404)
  })

  it('offer no second payout to a recipient whom another payout pays', async () => {
    const [path] = await pageOf(
      await upload(
        'reference,amount,bank_code,account_number\npaid-before,1500,058,0000000021\npaid-once,1600,058,0000000022\n',
        'guarded',
      ),
    )
    const payout = { amount: 150_000, currency: 'ngn', method: 'bank_transfer' }
    const destination = { bank_code: '058', account_number: '0000000021' }
    await must(
      server.call('POST', '/payouts', { ...payout, destination, reference: 'paid-before' }),
    )
    const fields = { ...hiddenOf(await shown(person.get(`${path}/confirm`))), step: 'do' }
    await person.post(`${path}/confirm`, fields)
    await until(async () => /Completed/.test(textOf(await shown(person.get(path)))))
    assert.doesNotMatch(await shown(person.get(path)), /Retry failed lines/)
    await must(server.call('POST', '/payouts/paid-once/simulate', { outcome: 'failed' }))
    const form = await shown(person.get(`${path}/retry`))
    const typed = { ...hiddenOf(form), reference: 'guarded-again', step: 'review' }
    const review = textOf(await shown(person.post(`${path}/retry`, typed)))
    assert.match(review, /1 line becomes a new draft.*₦1,600\.00 to/)
    assert.doesNotMatch(review, /₦1,500\.00/)
  })

  it('say why payouts failed, lead to each, and pay them again after a review', async () => {
    const csv = 'amount,bank_code,account_number\n1500,058,0003000001\n1600,058,0003000002\n'
    const [path] = await pageOf(await upload(csv, 'parts'))
    await person.post(`${path}/confirm`, {
      ...hiddenOf(await shown(person.get(`${path}/confirm`))),
      step: 'do',
    })
    await until(async () => /Completed/.test(textOf(await shown(person.get(path)))))
    assert.doesNotMatch(await shown(person.get(path)), /Retry failed lines/)
    const outcome = { outcome: 'failed', failure_reason: 'bank_unavailable' }
    await must(server.call('POST', '/payouts/parts-2/simulate', outcome))
    const html = await shown(person.get(path))
    assert.match(html, /<a href="[^"]+\/payouts\/parts-2">parts-2<\/a>/)
    assert.match(textOf(html), /0003000002 3 ₦1,600\.00 Failed parts-2 The bank did not answer/)
    const form = await shown(person.get(`${path}/retry`))
    const typed = { ...hiddenOf(form), reference: 'parts-again' }
    const review = await shown(person.post(`${path}/retry`, { ...typed, step: 'review' }))
    assert.match(
      textOf(review),
      /1 line becomes a new draft\. Nothing is paid until you confirm it\. ₦1,600\.00 to .* 0003000002 , which failed: The bank did not answer/,
    )
    const fields = { ...hiddenOf(review), step: 'do' }
    const [draft, text] = await pageOf(await person.post(`${path}/retry`, fields))
    assert.match(text, /₦1,600\.00 Draft .* Pays again what failed of another batch/)
    assert.match(text, /0003000002 3 ₦1,600\.00 Waiting/)
    assert.equal(
      (await person.post(`${path}/retry`, fields)).location?.split('?')[0],
      person.base + draft,
    )
    const after = await shown(person.get(path))
    assert.match(after, new RegExp(`href="${person.base}${draft}"`))
    assert.doesNotMatch(after, /Retry failed lines/)
    assert.equal((await must(server.call('GET', '/payouts?search=parts'))).totalDocs, 2)
  })

  it('send their progress to a page that follows them, and to nobody else', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => `50.00,058,${4_000_000 + i}`)
    const csv = `amount,bank_code,account_number\n${rows.join('\n')}\n`
    const [path] = await pageOf(await upload(csv.replaceAll('058,', '058,000'), 'far'))
    assert.doesNotMatch(await shown(person.get(path)), /data-follow/)
    await must(server.call('POST', `${path}/confirm`))
    const html = await shown(person.get(path))
    const stream = /data-follow="([^"]+)"/.exec(html)?.[1] as string
    assert.equal(stream, `${person.base}${path}/progress?shows=running`)
    const gone = new AbortController()
    const response = await fetch(server.url + stream, {
      headers: { cookie: person.cookie },
      signal: gone.signal,
    })
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    let text = ''
    for await (const part of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      text += part
      if (text.includes('Pending: 250')) break
    }
    gone.abort()
    assert.match(text, /^data: .*<span id="batch-payouts"[^>]*>Pending: 250<\/span>/m)
    const stranger = await fetch(server.url + stream, { redirect: 'manual' })
    assert.equal(stranger.status, 303)
  })
})
