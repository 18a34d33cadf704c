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
    assert.match(text, /Nobody is paid before you confirm it/)
    assert.match(text, /₦499,850\.00/)
    assert.match(text, /10,000: Waiting: 9,997, Bad: 3/)
    assert.match(
      text,
      /17 This is no amount\. .* 4,712 No bank has the code .* 10,000 A Nigerian account/,
    )
    assert.ok((await shown(person.get(path))).length < 100_000)
    const form = await shown(person.get(`${path}/confirm`))
    const review = await shown(
      person.post(`${path}/confirm`, { ...hiddenOf(form), skip_bad: 'true', step: 'review' }),
    )
    assert.match(
      textOf(review),
      /₦499,850\.00 leaves .* That is 9,997 payouts, with fees of .* 3 lines are left out/,
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
})
