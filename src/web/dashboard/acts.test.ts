/**
 * Goal: what a person confirms is done once, as it was said, and what cannot be done is said beside
 * what is wrong. Method: forms over HTTP as a browser without scripts sends them; then the API is
 * asked what became of it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  hiddenOf,
  type PageText,
  shown,
  signedIn,
  type Visitor,
} from '../../../test/support/dashboard.ts'
import { shareServer, type TestServer } from '../../../test/support/harness.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, '').replaceAll('&#39;', '’')

describe('what people do', () => {
  let server: TestServer
  let merchant: Merchant
  let person: Visitor
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
    person = await signedIn(server, 'finance')
    await server.fund('ngn', 10_000_000)
  })
  after(() => server.stop())

  /** Sends the hidden fields of a page, with what is typed. */
  const send = (path: string, html: string, typed: Record<string, string>): Promise<PageText> =>
    person.post(path, { ...hiddenOf(html), ...typed })

  const payoutForm = {
    currency: 'ngn',
    amount: '1,000',
    'destination.bank_code': '058',
    'destination.account_number': '0123456789',
  }

  it('pays out what was confirmed, once, at the price that was shown', async () => {
    const path = '/payouts/-/new'
    const form = await shown(person.get(path))
    const reference = /name="reference"|value="(payout-[^"]+)"/.exec(
      form.slice(form.indexOf('payout-') - 10),
    )?.[1]
    assert.ok(reference, 'a reference is there')
    const review = await shown(send(path, form, { ...payoutForm, reference, step: 'review' }))
    const said = textOf(review)
    assert.match(
      said,
      /₦1,000\.00 leaves your NGN wallet, which has ₦100,000\.00 available, and ₦99,000\.00 then/,
    )
    assert.match(said, /The fee is ₦[\d.]+/)
    assert.match(
      said,
      /Destination:Chidi NwosuGuaranty Trust Bank · 0123456789/,
      'the holder is named',
    )
    assert.match(said, /no real money moves/)
    assert.equal((await merchant.ask('GET', '/payouts')).totalDocs, 0, 'nothing is done yet')

    const twice = await Promise.all([
      send(path, review, { step: 'do' }),
      send(path, review, { step: 'do' }),
    ])
    for (const { status, location } of twice)
      assert.deepEqual([status, location], [303, `${person.base}/payouts/${reference}?done=new`])
    const { docs } = await merchant.ask('GET', '/payouts')
    assert.equal(docs.length, 1)
    assert.equal(docs[0].quote, hiddenOf(review).quote)
    assert.match(await shown(person.get(`/payouts/${reference}?done=new`)), /Payout created/)
  })

  it('says what is wrong beside the field, in the words of the API', async () => {
    const path = '/payouts/-/new'
    const form = await shown(person.get(path))
    const fill = { ...payoutForm, reference: 'wrong' }
    for (const [typed, field, sentence] of [
      [{ amount: 'much' }, 'amount', /Type an amount/],
      [{ amount: '' }, 'amount', /Fill this in/],
      [{ amount: '0' }, 'amount', /Amount must be/],
      [
        { 'destination.account_number': '12' },
        'destination-account_number',
        /Account number must be/,
      ],
      [{ 'destination.account_number': '0000000004' }, null, /./],
      [{ 'destination.bank_code': '000' }, 'destination-bank_code', /bank/],
      [{ reference: 'a b' }, 'reference', /Reference may only have letters/],
    ] as const) {
      const { status, html } = await send(path, form, { ...fill, ...typed, step: 'review' })
      if (field === null && status === 200) continue
      assert.ok(status >= 400 && status < 500, `${status} ${JSON.stringify(typed)}`)
      const error = new RegExp(`id="f-${field}-error">([^<]+)<`).exec(html)?.[1]
      assert.match(error ?? assert.fail(`nothing beside ${field}: ${textOf(html)}`), sentence)
      assert.match(html, /<title>Error: New payout/)
    }
    const poor = textOf(
      (await send(path, form, { ...fill, amount: '90,000,000', step: 'review' })).html,
    )
    assert.match(poor, /Your NGN wallet has ₦99,000\.00 available\. Type that or less/)
    assert.doesNotMatch(poor, /Pay out/, 'no button is live')
    const refused = await send(path, form, { ...fill, amount: '90,000,000', step: 'do' })
    assert.match(refused.html, /id="f-amount-error">[^<]*ngn/)
    assert.match(refused.html, /value="90,000,000"/, 'what was typed is kept')
  })

  it('refunds a payment in parts, says what is left, and never more', async () => {
    const payment = await merchant.takePayment('card', { amount: 500_000 })
    const path = `/payments/${payment.id}/refund`
    const form = await shown(person.get(path))
    assert.match(form, /name="amount"[^>]*>|value="5000.00"/)
    const review = await shown(
      send(path, form, { amount: '2000', reason: 'Wrong size', step: 'review' }),
    )
    assert.match(textOf(review), /₦2,000\.00 of ₦5,000\.00 will then be refunded/)
    const done = await send(path, review, { step: 'do' })
    assert.match(done.location ?? '', /\/refunds\/[0-9a-f]{24}\?done=payments\.refund$/)
    assert.match(await shown(person.get(done.location ?? '')), /Refund started/)
    const [refund] = await merchant.refundsEnded(payment, 1)
    assert.deepEqual([refund.amount, refund.reason], [200_000, 'Wrong size'])
    const page = textOf(await shown(person.get(`/payments/${payment.id}`)))
    assert.match(page, /Refunded₦2,000\.00/)
    const more = await send(path, form, { amount: '4000', step: 'do' })
    assert.match(more.html, /id="f-amount-error">[^<]*can be refunded this way/)
  })

  it('does nothing by a form of another session, of another site, or without a key', async () => {
    const payment = await merchant.openPayment()
    const path = `/payments/${payment.id}/cancel`
    const hidden = hiddenOf(await shown(person.get(path)))
    for (const [fields, headers] of [
      [{ ...hidden, csrf: 'forged' }, {}],
      [hidden, { 'sec-fetch-site': 'cross-site' }],
      [{ ...hidden, key: '' }, {}],
    ] as const)
      assert.equal((await person.post(path, { ...fields, step: 'do' }, headers)).status, 400)
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    assert.equal((await person.post(path, { ...hidden, step: 'do' })).status, 303)
    assert.equal((await merchant.readPayment(payment)).status, 'canceled')
    const late = await shown(person.get(`/payments/${payment.id}`))
    assert.doesNotMatch(late, /\/cancel"/, 'what the state does not allow is not offered')
    assert.equal((await person.get(path)).status, 303)
  })

  it('makes a customer, a product and an invoice of lines, and asks for its money', async () => {
    const customer = await person.post('/customers/-/new', {
      ...hiddenOf(await shown(person.get('/customers/-/new'))),
      name: 'Ngozi Eze',
      email: 'ngozi@shop.example',
      type: 'individual',
      step: 'do',
    })
    assert.match(customer.location ?? '', /\/customers\/[0-9a-f]{24}\?done=new$/)
    for (const name of ['Shoes', 'Socks'])
      await person.post('/products/-/new', {
        ...hiddenOf(await shown(person.get('/products/-/new'))),
        name,
        amount: '2,500.50',
        currency: 'ngn',
        step: 'do',
      })
    const form = await shown(person.get('/invoices/-/new'))
    const [, socks = '', shoes = ''] =
      /value="([0-9a-f]{24})">Socks[\s\S]*?value="([0-9a-f]{24})">Shoes/.exec(form) ?? []
    const fill = {
      'lines.2.product': socks,
      'lines.2.quantity': '0',
      'lines.0.product': shoes,
      due_date: '2027-01-31',
    }
    const stranger = await send('/invoices/-/new', form, {
      ...fill,
      customer: 'nobody',
      step: 'do',
    })
    assert.match(stranger.html, /id="f-customer-error">No customer matches/)
    const none = await send('/invoices/-/new', form, { ...fill, customer: 'ngozi', step: 'do' })
    assert.match(
      none.html,
      /id="f-lines-1-quantity-error">Quantity must be/,
      'empty rows are left out',
    )
    const grown = await shown(
      send('/invoices/-/new', form, { ...fill, 'lines.1.product': socks, step: 'more' }),
    )
    assert.match(grown, /name="lines\.3\.product"/)
    const made = await send('/invoices/-/new', form, {
      ...fill,
      'lines.2.quantity': '3',
      customer: 'ngozi',
      step: 'do',
    })
    const path = (made.location ?? assert.fail(textOf(made.html))).split('?')[0] as string
    const review = await shown(person.get(`${path}/finalize`))
    assert.match(textOf(review), /owes ₦10,002\.00/)
    assert.match(review, /<h1>Finalize invoice<\/h1>/)
    assert.match(
      await shown(person.get(path)),
      /class="button" href="[^"]+\/finalize"/,
      'what comes next stands out',
    )
    await send(`${path}/finalize`, review, { step: 'do' })
    const page = textOf(await shown(person.get(`${path}?done=finalize`)))
    assert.match(page, /Invoice 1 · ₦10,002\.00Open/)
    assert.match(page, /Ngozi Eze/)
    const file = await person.get(`${path}/pdf`)
    assert.match(file.html, /^%PDF-/)
  })

  it('makes, changes, pauses and cancels a collection', async () => {
    const form = await shown(person.get('/collections/-/new'))
    const made = await send('/collections/-/new', form, {
      name: 'Fees',
      currency: 'ngn',
      amount: '50',
      step: 'do',
    })
    const path = (made.location ?? assert.fail(textOf(made.html))).split('?')[0] as string
    const read = async () => merchant.ask('GET', `/collections/${path.split('/').at(-1)}`)
    const edit = await shown(person.get(`${path}/edit`))
    assert.match(edit, /value="50.00"/)
    await send(`${path}/edit`, edit, {
      name: 'Term fees',
      amount: '',
      min_amount: '10',
      step: 'do',
    })
    const changed = await read()
    assert.deepEqual([changed.name, changed.amount, changed.min_amount], ['Term fees', null, 1_000])
    for (const [action, active] of [
      ['pause', false],
      ['resume', true],
      ['cancel', false],
    ] as const) {
      assert.equal(
        (
          await send(`${path}/${action}`, await shown(person.get(`${path}/${action}`)), {
            step: 'do',
          })
        ).status,
        303,
      )
      assert.equal((await read()).active, active, action)
    }
  })

  it('has who lost the session in the middle sign in, and does nothing', async () => {
    const leaver = await signedIn(server, 'finance')
    const payment = await merchant.openPayment()
    const path = `/payments/${payment.id}/cancel`
    const hidden = hiddenOf(await shown(leaver.get(path)))
    assert.equal((await leaver.post('/dashboard/sign-out')).status, 303)
    const { status, location } = await leaver.post(path, { ...hidden, step: 'do' })
    assert.deepEqual([status, location?.startsWith('/dashboard/sign-in')], [303, true])
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
  })

  it('gives back once what is confirmed twice at once', async () => {
    const paid = await merchant.simulate(await merchant.openPayment(), 'completed', 'card')
    const path = `/payments/${paid.id}/refund`
    const review = await shown(
      send(path, await shown(person.get(path)), { amount: '10', step: 'review' }),
    )
    const twice = await Promise.all([
      send(path, review, { step: 'do' }),
      send(path, review, { step: 'do' }),
    ])
    assert.deepEqual(
      twice.map(({ status }) => status),
      [303, 303],
    )
    assert.equal(twice[0]?.location, twice[1]?.location)
    assert.equal((await merchant.ask('GET', `/refunds?payment=${paid.id}`)).totalDocs, 1)
  })

  it('does nothing by a page that went out of date, and says how it stands', async () => {
    const payment = await merchant.openPayment()
    const path = `/payments/${payment.id}/cancel`
    const page = await shown(person.get(path))
    await merchant.simulate(payment, 'completed', 'card')
    const { status, html } = await send(path, page, { step: 'do' })
    assert.equal(status, 400)
    assert.match(textOf(html), /The payment is completed/)
    assert.equal((await merchant.readPayment(payment)).status, 'completed')
  })

  it('shows nothing to who was taken out of the team in the middle', async () => {
    const leaver = await signedIn(server, 'admin')
    const payment = await merchant.openPayment()
    const path = `/payments/${payment.id}/cancel`
    const hidden = hiddenOf(await shown(leaver.get(path)))
    await server.app.db.query(`delete from memberships where business_id = $1 and role = 'admin'`, [
      server.businessId,
    ])
    for (const { status, html } of [
      await leaver.post(path, { ...hidden, step: 'do' }),
      await leaver.get('/payments'),
    ]) {
      assert.equal(status, 404)
      assert.doesNotMatch(html, /Test Business/)
    }
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
  })

  it('knows nobody who lost the role in the middle', async () => {
    const payment = await merchant.openPayment()
    const path = `/payments/${payment.id}/cancel`
    const hidden = hiddenOf(await shown(person.get(path)))
    await server.app.db.query(
      `update memberships set role = 'viewer' where business_id = $1 and role = 'finance'`,
      [server.businessId],
    )
    assert.equal((await person.post(path, { ...hidden, step: 'do' })).status, 403)
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
  })
})
