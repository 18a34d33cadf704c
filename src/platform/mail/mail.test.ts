/**
 * Goal: an invoice's mail and its reminders go out once, to the right address, at the right time,
 * and tell of it; none is lost or doubled. Method: a real SMTP server on this machine keeps what it
 * gets; without one, mails are read where they are kept.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  assertRefused,
  day,
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { type Output, runCommand } from '../../../test/support/command-line.ts'
import {
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import {
  type MailRow,
  mailsOfInvoice,
  type Received,
  sentEventsOf,
  startMailServer,
} from '../../../test/support/mail-server.ts'
import { type SignedIn, signIn } from '../../../test/support/people.ts'
import { outside } from '../../core/outside.ts'
import { invoiceTasks, mailTasks } from '../../selling/invoices/invoices.ts'
import { addMember } from '../team/team.ts'
import { mostAskedInDay } from './mail.ts'

let server: TestServer
let merchant: Merchant

const mailsOf = (invoice: { id: string }): Promise<MailRow[]> => mailsOfInvoice(server.app, invoice)
const sentOf = (invoice: { id: string }, by = merchant): Promise<Json[]> =>
  sentEventsOf(by, invoice)

/** The same merchant with the live key. */
const liveMerchant = (): Merchant => newMerchant(server, { call: server.callAs(server.liveKey) })
/** A live invoice that is open, as if it had been finalized with a rail. */
async function openedLive(): Promise<Json> {
  const live = liveMerchant()
  const draft = await live.draftInvoice()
  await server.app.db.query(
    `update invoices set status = 'open', number = 1, slug = 'LiveLiveLiveLiveLiveLive', collect_currency = currency,
            collect_amount = total, finalized_at = created_at,
            bill_to = '{"name": "Ada Obi", "email": "ada@example.com", "address": null}' where id = $1`,
    [draft.id],
  )
  return live.readInvoice(draft)
}
/** Has an invoice name its customer as no request may: rows of before have such names. */
const rename = (open: Json, name: string): Promise<unknown> =>
  server.app.db.query(
    `update invoices set bill_to = bill_to || jsonb_build_object('name', $2::text) where id = $1`,
    [open.id, name],
  )
const liveScope = () =>
  outside(server.app, { businessId: server.businessId, livemode: true, now: new Date() })

const bursarMail = (...args: string[]): Promise<Output> => runCommand(server.app, ['mail', ...args])

describe('mail in test mode without an SMTP server', () => {
  before(async () => {
    server = await startServer()
    // An invoice is made live here without its payment.
    server.leaveBooksUnverified()
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  it('is captured: the invoice counts as sent, and tells of it', async () => {
    assert.deepEqual(await bursarMail(), { code: 0, out: 'There is no mail.\n', err: '' })
    const open = await merchant.openInvoice({
      due_date: '2099-12-24',
      memo: 'Thank you for the order.',
    })
    const sent = await merchant.sendInvoice(open)
    const { sent_at, updated_at } = sent
    assert.ok(Date.parse(sent_at) >= Date.parse(open.finalized_at))
    assert.deepEqual(sent, { ...open, sent_at, updated_at })
    assert.deepEqual(await merchant.readInvoice(open), sent)
    const [event, ...more] = await sentOf(open)
    assert.deepEqual([event.payload, more], [sent, []])

    const [mail, ...others] = await mailsOf(open)
    assert.ok(mail)
    assert.deepEqual(others, [])
    const { id, body, sent_at: at, ...rest } = mail
    assert.deepEqual(rest, {
      recipient: 'ada@example.com',
      subject: 'Invoice 1 from Test Business',
      status: 'captured',
    })
    assert.equal(at?.toISOString(), sent_at)
    assert.deepEqual(body.split('\n'), [
      'Hello Ada Obi,',
      '',
      'Test Business has sent you invoice 1 for ₦5,000.00.',
      'It is due on 24 December 2099.',
      '',
      'See it and pay it here:',
      open.payment_url,
      '',
      'Thank you for the order.',
      '',
      'Test Business',
      '',
      '(Test mode: no real money moves.)',
      '',
    ])

    const list = await bursarMail()
    assert.deepEqual([list.code, list.err], [0, ''])
    const [line, ...rows] = list.out.trimEnd().split('\n')
    assert.deepEqual(rows, [])
    assert.equal(line, `${id}  captured  ${sent_at}  ada@example.com  Invoice 1 from Test Business`)
    const one = await bursarMail(id)
    assert.deepEqual([one.code, one.out], [0, `${line}\n\n${body}\n`])
    // Arabic with an isolate and marks; what overrides the order of letters does not reach the
    // terminal.
    const arabic = 'مرحبا \u{2068}Ada\u{2069} \u{200f}\u{61c}₦5,000.00'
    await server.app.db.query('update mails set body = $2 where id = $1', [id, `${arabic}\u{202e}`])
    assert.equal((await bursarMail(id)).out, `${line}\n\n${arabic}\u{fffd}\n`)
    await server.app.db.query('update mails set body = $2 where id = $1', [id, body])
    const none = await bursarMail(noId)
    assert.deepEqual([none.code, none.out], [1, ''])
    assert.match(none.err, /^bursar: There is no mail '0{24}'/)
  })

  it('is listed from the latest on, as many as asked for', async () => {
    const open = await merchant.openInvoice()
    for (let i = 0; i < 3; i++) await merchant.sendInvoice(open)
    const ids = (await mailsOf(open)).map((mail) => mail.id).reverse()
    const { out } = await bursarMail('--limit', '2')
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
      ids.slice(0, 2),
    )
    for (const limit of ['-1', '0', '1.5', 'many']) {
      const { code, out, err } = await bursarMail('--limit', limit)
      assert.deepEqual([code, out], [1, ''], limit)
      assert.match(err, /^bursar: --limit must be [^\n]+\n$/, limit)
    }
    assert.equal((await sentOf(open)).length, 3)
  })

  it('of an invoice in euros says what is paid in dollars', async () => {
    const open = await merchant.openInvoice({}, { currency: 'eur' })
    await merchant.sendInvoice(open)
    const [mail] = await mailsOf(open)
    assert.match(mail?.body ?? '', /invoice \d+ for €5,000\.00\./)
    const dollars = (open.collect_amount / 100).toLocaleString('en', { minimumFractionDigits: 2 })
    assert.ok(mail?.body.includes(`It is paid in dollars: $${dollars}.`), mail?.body)
  })

  it('is of open invoices only', async () => {
    const [draft, paid, gone] = [
      await merchant.draftInvoice(),
      await merchant.openInvoice(),
      await merchant.openInvoice(),
    ]
    await merchant.simulate(paid.payment, 'completed', 'card')
    await merchant.voidInvoice(gone)
    for (const { id } of [draft, paid, gone])
      await merchant.isRefused('POST', `/invoices/${id}/send`, undefined, 400, 'invoice_not_open')
  })

  it('goes once for an Idempotency-Key, and as often as asked without', async () => {
    const open = await merchant.openInvoice()
    const path = `/invoices/${open.id}/send`
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        server.call('POST', path, undefined, { 'idempotency-key': 'mail-1' }),
      ),
    )
    for (const { status } of answers) assert.equal(status, 200)
    assert.equal((await mailsOf(open)).length, 1)
    await merchant.sendInvoice(open)
    assert.equal((await mailsOf(open)).length, 2)
    assert.equal((await sentOf(open)).length, 2)
  })

  it('goes on while the invoice is paid, and ends with it', async () => {
    for (let round = 0; round < 5; round++) {
      const open = await merchant.openInvoice()
      const [sent] = await Promise.all([
        server.call('POST', `/invoices/${open.id}/send`),
        merchant.simulate(open.payment, 'completed', 'card'),
      ])
      const now = await merchant.readInvoice(open)
      assert.equal(now.status, 'paid')
      if (sent.status === 200) assert.equal(now.sent_at, sent.data.sent_at)
      else assert.deepEqual([sent.code, now.sent_at], ['invoice_not_open', null])
      assert.equal((await sentOf(open)).length, sent.status === 200 ? 1 : 0)
    }
  })

  it('is refused in live mode', async () => {
    const live = liveMerchant()
    const open = await openedLive()
    await live.isRefused('POST', `/invoices/${open.id}/send`, undefined, 400, 'smtp_not_configured')
    assert.deepEqual(await live.readInvoice(open), open)
    assert.deepEqual(await mailsOf(open), [])
    // A reminder has nobody to refuse to, and is left out.
    await invoiceTasks['invoices.remind']?.(
      liveScope(),
      { invoice_id: open.id, day: 1 },
      new AbortController().signal,
    )
    assert.deepEqual(await live.readInvoice(open), open)
    assert.deepEqual(await mailsOf(open), [])
  })

  it('cannot move the cursor of the operator who looks at it', async () => {
    const open = await merchant.openInvoice()
    await rename(open, 'Ada\u001b[2J\u009b31m\rObi')
    const memo = 'First line\nSecond \u001b]0;title\u0007 line'
    await server.app.db.query('update invoices set memo = $2 where id = $1', [open.id, memo])
    await merchant.sendInvoice(open)
    const [mail] = await mailsOf(open)
    for (const { out } of [await bursarMail(), await bursarMail(mail?.id ?? '')]) {
      assert.ok(out.includes(mail?.id ?? 'nothing'))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
    const { out } = await bursarMail(mail?.id ?? '')
    assert.match(out, /First line\nSecond/)
  })
})

describe('reminders', () => {
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(() => server.stop())

  /** When the test clock stands. */
  const dueIn = async (days: number): Promise<string> =>
    new Date((await merchant.now()) + days * day).toISOString()
  const at = (due: string, days: number): string =>
    new Date(Date.parse(due) + days * day).toISOString()

  it('go out before, on and after the due date, at their time', async () => {
    const due = await dueIn(10)
    const open = await merchant.openInvoice({
      due_date: due,
      reminders: { days_before: [3, 1], days_after: [0, 2] },
    })
    const said = 'for ₦5,000.00'
    const expected = [
      [-3, `Invoice 1 ${said} is due in 3 days.`],
      [-1, `Invoice 1 ${said} is due in 1 day.`],
      [0, `Invoice 1 ${said} is due today.`],
      [2, `Invoice 1 ${said} was due 2 days ago, and has not been paid yet.`],
    ] as const
    await merchant.advance('6d')
    assert.deepEqual(await mailsOf(open), [])
    for (const [i, by] of ['25h', '2d', '1d', '2d'].entries()) {
      const { fired } = await merchant.advance(by)
      const [days, text] = expected[i] as (typeof expected)[number]
      assert.deepEqual(
        fired
          .filter((one: Json) => one.subject === open.id)
          .map((one: Json) => [one.task, one.due_at]),
        [['invoices.remind', at(due, days)]],
      )
      const mails = await mailsOf(open)
      assert.equal(mails.length, i + 1)
      const mail = mails[i] as MailRow
      assert.deepEqual(
        [mail.subject, mail.recipient, mail.status, mail.sent_at?.toISOString()],
        ['Reminder: Invoice 1 from Test Business', 'ada@example.com', 'captured', at(due, days)],
      )
      assert.equal(mail.body.split('\n')[2], text)
      assert.ok(mail.body.includes(open.payment_url))
      const invoice = await merchant.readInvoice(open)
      assert.equal(invoice.sent_at, at(due, days))
      const events = await sentOf(open)
      assert.deepEqual([events.length, events[i].payload], [i + 1, invoice])
    }
    await merchant.advance('90d')
    assert.equal((await mailsOf(open)).length, 4)
  })

  it('all go out when the clock passes them in one step, each with its own time', async () => {
    const due = await dueIn(5)
    const open = await merchant.openInvoice({
      due_date: due,
      reminders: { days_before: [2], days_after: [3] },
    })
    await merchant.advance('30d')
    assert.deepEqual(
      (await mailsOf(open)).map((mail) => mail.sent_at?.toISOString()),
      [at(due, -2), at(due, 3)],
    )
  })

  it('go out once, though the job that sends one runs twice', async () => {
    const due = await dueIn(5)
    const open = await merchant.openInvoice({
      due_date: due,
      reminders: { days_before: [2], days_after: [] },
    })
    await merchant.advance('73h')
    const [mail] = await mailsOf(open)
    const scope = {
      businessId: server.businessId,
      livemode: false,
      now: new Date(await merchant.now()),
    }
    const remind = (invoice_id: string, day: number) =>
      invoiceTasks['invoices.remind']?.(
        outside(server.app, scope),
        { invoice_id, day },
        new AbortController().signal,
      )
    await remind(open.id, -2)
    assert.deepEqual(await mailsOf(open), [mail])
    assert.equal((await sentOf(open)).length, 1)
    // Another day and another invoice are other reminders.
    const other = await merchant.openInvoice({ due_date: due })
    await remind(open.id, -1)
    await remind(other.id, -1)
    assert.deepEqual([(await mailsOf(open)).length, (await mailsOf(other)).length], [2, 1])
  })

  it('end when the invoice is paid or void', async () => {
    const due = await dueIn(5)
    const more = { due_date: due, reminders: { days_before: [4, 1], days_after: [0, 1] } }
    const [paid, gone, open] = [
      await merchant.openInvoice(more),
      await merchant.openInvoice(more),
      await merchant.openInvoice(more),
    ]
    await merchant.advance('25h')
    await merchant.simulate(paid.payment, 'completed', 'card')
    await merchant.voidInvoice(gone)
    const [before, ended] = [await merchant.readInvoice(paid), await merchant.readInvoice(gone)]
    await merchant.advance('30d')
    const counts = await Promise.all(
      [paid, gone, open].map(async (one) => (await mailsOf(one)).length),
    )
    assert.deepEqual(counts, [1, 1, 4])
    assert.deepEqual(
      [await merchant.readInvoice(paid), await merchant.readInvoice(gone)],
      [before, ended],
    )
  })

  it('are not sent for times that were over when it was finalized, nor for drafts', async () => {
    const reminders = { days_before: [7, 0], days_after: [1] }
    const late = await merchant.openInvoice({ due_date: await dueIn(-3), reminders })
    const soon = await merchant.openInvoice({ due_date: await dueIn(3), reminders })
    const draft = await merchant.draftInvoice({ due_date: await dueIn(3), reminders })
    await merchant.advance('20d')
    const counts = await Promise.all(
      [late, soon, draft].map(async (one) => (await mailsOf(one)).length),
    )
    assert.deepEqual(counts, [0, 2, 0])
  })

  it('are as the draft was changed to', async () => {
    const due = await dueIn(10)
    const draft = await merchant.draftInvoice({
      due_date: await dueIn(2),
      reminders: { days_before: [1], days_after: [1] },
    })
    await merchant.ask('PUT', `/invoices/${draft.id}`, {
      due_date: due,
      reminders: { days_before: [2] },
    })
    await merchant.finalizeInvoice(draft)
    await merchant.advance('30d')
    assert.deepEqual(
      (await mailsOf(draft)).map((mail) => mail.sent_at?.toISOString()),
      [at(due, -2)],
    )
  })
})

type Part = { headers: Record<string, string>; body: string }

/** A part of a mail, its transfer encoding undone; as bytes in latin1. */
function partOf(raw: string): Part & { count: Record<string, number> } {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers: Record<string, string> = {}
  const count: Record<string, number> = {}
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:\s]+): ?(.*)$/.exec(line) ?? []
    headers[name.toLowerCase()] = value
    count[name.toLowerCase()] = (count[name.toLowerCase()] ?? 0) + 1
  }
  const body = raw.slice(end + 4)
  const encoding = headers['content-transfer-encoding']
  const decoded =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('latin1')
      : encoding === 'quoted-printable'
        ? body
            .replaceAll(/=\r\n/g, '')
            .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) =>
              String.fromCharCode(Number.parseInt(hex, 16)),
            )
        : body
  return { headers, count, body: decoded }
}
const utf8 = (bytes: string): string =>
  Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')

/** A whole mail: its headers, its text and its attachments. */
function readMail({ raw }: Received) {
  const { headers, body, count } = partOf(raw)
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1]
  assert.ok(boundary, headers['content-type'])
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')))
  const [text, ...attachments] = parts
  const decoded = (value = '') =>
    value
      .replaceAll(/\?=\s+=\?/g, '?==?')
      .replaceAll(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_all, kind: string, coded: string) =>
        kind.toUpperCase() === 'B'
          ? Buffer.from(coded, 'base64').toString('utf8')
          : utf8(
              partOf(
                `content-transfer-encoding: quoted-printable\r\n\r\n${coded.replaceAll('_', ' ')}`,
              ).body,
            ),
      )
  return {
    headers,
    count,
    subject: decoded(headers.subject),
    text: utf8(text?.body ?? ''),
    attachments,
  }
}

describe('mail by an SMTP server', () => {
  let smtp: Awaited<ReturnType<typeof startMailServer>>
  let ada: SignedIn
  before(async () => {
    smtp = await startMailServer(0, { login: ['bursar', 's3cret'] })
    const env = {
      SMTP_URL: `smtp://bursar:s3cret@127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Zuma <bills@zuma.example>',
    }
    server = await startServer(env)
    server.leaveBooksUnverified()
    // Nobody else is written to in test mode.
    ada = await signIn(server, 'viewer', { email: 'ada@example.com' })
    merchant = newMerchant(server, { price: 500_000 })
  })
  after(async () => {
    await server.stop()
    await smtp.stop()
  })

  /** What the SMTP server got for an invoice, once it is told as sent. */
  async function delivered(invoice: { id: string }, by = merchant): Promise<Received> {
    await until(async () => (await sentOf(invoice, by)).length > 0)
    await settled(server.app)
    const [mail] = await mailsOf(invoice)
    const found = smtp.received.filter(({ raw }) => raw.includes(mail?.id ?? 'nothing'))
    assert.equal(found.length, 1)
    return found[0] as Received
  }

  it('is one mail, with text, link and PDF; then the invoice counts as sent', async () => {
    const open = await merchant.openInvoice({ due_date: '2099-12-24' })
    const asking = await merchant.sendInvoice(open)
    assert.deepEqual([asking.sent_at, asking.status], [null, 'open'])
    const mail = await delivered(open)
    assert.deepEqual([mail.from, mail.to], ['bills@zuma.example', ['ada@example.com']])
    const { headers, subject, text, attachments } = readMail(mail)
    assert.deepEqual(
      [headers.from, headers.to, subject],
      ['Zuma <bills@zuma.example>', 'ada@example.com', `Invoice ${open.number} from Test Business`],
    )
    const [row] = await mailsOf(open)
    assert.equal(text.trimEnd(), row?.body.trimEnd())
    for (const part of ['₦5,000.00', open.payment_url, '24 December 2099', 'Hello Ada Obi,'])
      assert.ok(text.includes(part), part)
    assert.equal(attachments.length, 1)
    const [pdf] = attachments
    assert.equal(pdf?.headers['content-type']?.split(';')[0], 'application/pdf')
    assert.ok(pdf?.headers['content-disposition']?.includes(`invoice-${open.number}.pdf`))
    assert.ok(pdf?.body.startsWith('%PDF-'))
    assert.match(pdf?.body ?? '', /%%EOF\s*$/)

    const sent = await merchant.readInvoice(open)
    assert.deepEqual([row?.status, row?.sent_at?.toISOString()], ['sent', sent.sent_at])
    assert.ok(sent.sent_at !== null)
    assert.deepEqual(
      (await sentOf(open)).map((event) => event.payload),
      [sent],
    )
    const { out } = await bursarMail()
    assert.match(out, new RegExp(`^${row?.id}  sent      `, 'm'))
  })

  it('goes out in live mode too, without a word of test mode', async () => {
    const live = liveMerchant()
    const open = await openedLive()
    await live.sendInvoice(open)
    const { text } = readMail(await delivered(open, live))
    assert.ok(text.includes(`${server.url}/pay/LiveLiveLiveLiveLiveLive`))
    assert.ok(!text.includes('Test mode'))
    const remind = invoiceTasks['invoices.remind']
    await remind?.(liveScope(), { invoice_id: open.id, day: 2 }, new AbortController().signal)
    await until(async () => (await sentOf(open, live)).length === 2)
    assert.deepEqual(
      (await mailsOf(open)).map((mail) => [mail.subject, mail.status]),
      [
        ['Invoice 1 from Test Business', 'sent'],
        ['Reminder: Invoice 1 from Test Business', 'sent'],
      ],
    )
  })

  it('goes to one recipient ten times a day in live mode, and then not any more', async () => {
    const [open] = await server.app.db.query<{ id: string }>(
      `select id from invoices where slug = 'LiveLiveLiveLiveLiveLive'`,
    )
    const send = () => server.callAs(server.liveKey)('POST', `/invoices/${open?.id}/send`)
    for (let n = 1; n < mostAskedInDay; n++) assert.equal((await send()).status, 200)
    await settled(server.app)
    const { body } = await assertRefused(server, 429, 'too_many_mails', send)
    assert.match(body.message, /^10 mails were sent to ada@example\.com within a day/)
  })

  it('goes to one recipient so often, however the domain of the address is spelled', async () => {
    const live = server.callAs(server.liveKey)
    const [open] = await server.app.db.query<{ id: string; customer_id: string }>(
      `select id, customer_id from invoices where slug = 'LiveLiveLiveLiveLiveLive'`,
    )
    const send = () => live('POST', `/invoices/${open?.id}/send`)
    for (const [times, email] of [
      [6, 'ada@bücher.example'],
      [4, 'ada@xn--bcher-kva.example'],
    ] as const) {
      await must(live('PUT', `/customers/${open?.customer_id}`, { email }))
      for (let n = 0; n < times; n++) assert.equal((await send()).status, 200)
    }
    await settled(server.app)
    await assertRefused(server, 429, 'too_many_mails', send)
    await must(live('PUT', `/customers/${open?.customer_id}`, { email: 'ada@BÜCHER.example' }))
    await assertRefused(server, 429, 'too_many_mails', send)
    await must(live('PUT', `/customers/${open?.customer_id}`, { email: 'ada@example.com' }))
  })

  it('is captured in test mode where it would go to anybody but the team', async () => {
    const open = await merchant.openInvoice({}, { customer: { email: 'stranger@example.com' } })
    const sent = await merchant.sendInvoice(open)
    assert.ok(sent.sent_at !== null)
    assert.deepEqual(
      (await mailsOf(open)).map(({ status }) => status),
      ['captured'],
    )
    await settled(server.app)
    assert.ok(!smtp.received.some(({ to }) => to.includes('stranger@example.com')))
  })

  it('has no control characters of a name in its text, nor any that turn it round', async () => {
    const open = await merchant.openInvoice()
    await rename(open, 'Ada\u001b[31m\u202eObi\u0007')
    await merchant.sendInvoice(open)
    assert.ok(readMail(await delivered(open)).text.includes('Hello Ada[31mObi,'))
  })

  it('is not sent again by a job that runs twice', async () => {
    const open = await merchant.openInvoice()
    await merchant.sendInvoice(open)
    await delivered(open)
    const [mail] = await mailsOf(open)
    const scope = { businessId: server.businessId, livemode: false, now: new Date() }
    const again = { mail_id: mail?.id, invoice_id: open.id }
    await mailTasks['invoices.mail']?.(
      outside(server.app, scope),
      again,
      new AbortController().signal,
    )
    await delivered(open)
    assert.equal((await sentOf(open)).length, 1)
  })

  it('keeps letters of every script, and has no header that a name put there', async () => {
    const evil = 'Ada\r\nBcc: evil@example.com\r\n\r\n<b>Ọlá</b> Ελένη'
    const call = await newBusiness(server, 'Bùkátà\r\nBcc: evil@example.com\nX-Evil: yes')
    const other = newMerchant(server, { call, price: 500_000 })
    await addMember(server.app, (await other.ask('GET', '/business')).id, ada.personId, 'viewer')
    const open = await other.openInvoice({ memo: '.\r\nQUIT\r\nЖ' })
    await rename(open, evil)
    await other.sendInvoice(open)
    const mail = await delivered(open, other)
    assert.deepEqual(mail.to, ['ada@example.com'])
    const { headers, count, subject, text, attachments } = readMail(mail)
    for (const name of ['bcc', 'x-evil']) assert.equal(count[name], undefined, name)
    for (const name of ['subject', 'to', 'from']) assert.equal(count[name], 1, name)
    assert.equal(headers.to, 'ada@example.com')
    assert.equal(subject, `Invoice ${open.number} from Bùkátà Bcc: evil@example.com X-Evil: yes`)
    for (const part of ['<b>Ọlá</b> Ελένη', '\n.\nQUIT\nЖ\n']) assert.ok(text.includes(part), text)
    assert.equal(attachments.length, 1)
  })

  it('has one recipient, whatever address the API takes', async () => {
    for (const email of [
      "o'neil+tag@example.com",
      '{a}|b@example.com',
      'a=b/c?d@example.com',
      '!x%y@example.com',
      'ada@bücher.example',
    ]) {
      await signIn(server, 'viewer', { email })
      const open = await merchant.openInvoice({}, { customer: { email } })
      await merchant.sendInvoice(open)
      assert.deepEqual((await delivered(open)).to, [email])
    }
    for (const email of [
      'ada@example.com, evil@example.com',
      'ada@example.com\r\nBcc: evil@example.com',
      'Ada <ada@example.com>',
      'ada@example.com>',
      '"a, evil@example.com"@example.com',
    ])
      assert.equal(
        (await server.call('POST', '/customers', { name: 'Ada', email })).status,
        422,
        email,
      )
  })
})
