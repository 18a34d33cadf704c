/**
 * Goal: a collection is paid by whoever has its link, by as many as it has places for, and counts
 * exactly the money that is kept. Method: payers open its page, begin payments of their own and
 * pay; after each its counters are compared with the payments listed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import {
  assertRefused,
  bankAccount,
  cards,
  chargesOf,
  goodCard,
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  newPayer,
  noId,
  type Payer,
  pathOf,
  unchanged,
} from '../../../test/support/actors.ts'
import { ctxOf, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { chooseToken, tokensOf } from '../payments/payments.ts'

describe('collections', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await shareServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const create = (more: object = {}): Promise<Json> =>
    merchant.ask('POST', '/collections', { name: 'School fees', currency: 'ngn', ...more })
  const read = (collection: Json): Promise<Json> =>
    merchant.ask('GET', `/collections/${collection.id}`)

  /** The payment whose page a payer is at. */
  const paymentAt = async ({ url }: Payer): Promise<Json> => {
    const { docs } = await merchant.ask('GET', '/payments?limit=100')
    return docs.find((payment: Json) => payment.checkout_url === url)
  }
  /** Someone who pays by card, from the link to the end. @returns the payment as it stands then */
  async function payByCard(collection: Json, fields: Record<string, string> = {}): Promise<Json> {
    const payer = newPayer(collection)
    await payer.start(fields)
    await payer.payByCard()
    return paymentAt(payer)
  }
  /** The counters must be the sums of the payments, as the API tells of both. */
  async function assertCounted(collection: Json, count: number, amount: number): Promise<void> {
    const { payments_count, amount_collected } = await read(collection)
    const { docs } = await merchant.ask('GET', `/collections/${collection.id}/payments?limit=100`)
    const completed = docs.filter((payment: Json) => payment.status === 'completed')
    assert.deepEqual([payments_count, completed.length], [count, count])
    const sum = completed.reduce(
      (total: number, payment: Json) => total + payment.net + payment.fee,
      0,
    )
    assert.deepEqual([amount_collected, sum], [amount, amount])
  }

  it('are made, with a link of their own', async () => {
    const made = await create({
      description: 'Term 1',
      amount: 150_000,
      redirect_url: 'https://school.example/thanks',
      max_payments: 40,
      metadata: { term: 1 },
    })
    assert.match(made.checkout_url, /\/pay\/a[0-9A-Za-z]{24}$/)
    assert.deepEqual(
      { ...made, id: '', checkout_url: '', created_at: '', updated_at: '' },
      {
        id: '',
        name: 'School fees',
        description: 'Term 1',
        currency: 'ngn',
        amount: 150_000,
        min_amount: null,
        max_amount: null,
        active: true,
        canceled_at: null,
        redirect_url: 'https://school.example/thanks',
        max_payments: 40,
        checkout_url: '',
        payments_count: 0,
        amount_collected: 0,
        livemode: false,
        metadata: { term: 1 },
        created_at: '',
        updated_at: '',
      },
    )
    assert.deepEqual(await read(made), made)
    const chosen = await create({ currency: 'usd', min_amount: 500, max_amount: 500 })
    assert.deepEqual([chosen.amount, chosen.min_amount, chosen.max_amount], [null, 500, 500])
    assert.notEqual(chosen.checkout_url, made.checkout_url)
    const nulls = await create({
      amount: null,
      min_amount: null,
      max_amount: null,
      max_payments: null,
      description: null,
      redirect_url: null,
    })
    assert.deepEqual(
      [nulls.amount, nulls.max_payments, nulls.description, nulls.redirect_url],
      [null, null, null, null],
    )
  })

  const bad: [string, object, number, string][] = [
    ['least above most', { min_amount: 2, max_amount: 1 }, 422, 'validation_failed'],
    ['fixed with a least', { amount: 5, min_amount: 1 }, 422, 'validation_failed'],
    ['fixed with a most', { amount: 5, max_amount: 9 }, 422, 'validation_failed'],
    ['zero', { amount: 0 }, 422, 'validation_failed'],
    ['a negative least', { min_amount: -1 }, 422, 'validation_failed'],
    ['half a kobo', { amount: 1.5 }, 422, 'validation_failed'],
    ['text', { amount: '5' }, 422, 'validation_failed'],
    ['more than can be carried', { amount: 9_007_199_254_740_992 }, 422, 'validation_failed'],
    ['no places', { max_payments: 0 }, 422, 'validation_failed'],
    ['no name', { name: undefined }, 422, 'validation_failed'],
    ['an empty name', { name: '' }, 422, 'validation_failed'],
    ['a long name', { name: 'x'.repeat(201) }, 422, 'validation_failed'],
    ['a long description', { description: 'x'.repeat(1_001) }, 422, 'validation_failed'],
    ['another currency', { currency: 'eur' }, 422, 'validation_failed'],
    ['no currency', { currency: undefined }, 422, 'validation_failed'],
    ['an unknown field', { amuont: 5 }, 422, 'validation_failed'],
    ['a counter', { payments_count: 5 }, 422, 'validation_failed'],
    ['NUL in text', { description: 'a\u0000b' }, 422, 'validation_failed'],
    ['a page without TLS', { redirect_url: 'http://school.example' }, 400, 'invalid_redirect_url'],
    ['a script', { redirect_url: 'javascript:alert(1)' }, 400, 'invalid_redirect_url'],
    ['no URL', { redirect_url: 'school' }, 400, 'invalid_redirect_url'],
  ]
  it('are refused with bad input, new or changed', async () => {
    const old = await create()
    for (const [what, change, status, code] of bad) {
      const body = { name: 'Bad', currency: 'ngn', ...change }
      const answer = await assertRefused(server, status, code, () =>
        server.call('POST', '/collections', body),
      )
      if (status === 422) assert.equal(answer.data[0].location, 'body', what)
      if (/no name|no currency/.test(what)) continue
      await assertRefused(server, status, code, () =>
        server.call('PUT', `/collections/${old.id}`, change),
      )
    }
    await assertRefused(server, 422, 'validation_failed', () =>
      server.call('PUT', `/collections/${old.id}`, { currency: 'usd' }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      server.call('PUT', `/collections/${old.id}`, { name: null }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      server.call('PUT', `/collections/${old.id}`, { active: null }),
    )
  })

  it('are listed newest first, by activity and currency', async () => {
    const mine = await newBusiness(server, 'Lister')
    const made: Json[] = []
    for (let i = 0; i < 5; i++)
      made.unshift(
        (
          await mine('POST', '/collections', {
            name: `Number ${i}`,
            currency: i % 2 ? 'usd' : 'ngn',
          })
        ).data,
      )
    const names = async (query: string): Promise<string[]> =>
      (await mine('GET', `/collections?${query}`)).data.docs.map((one: Json) => one.name)
    const all = (await mine('GET', '/collections')).data
    assert.deepEqual(all.docs, made)
    assert.equal(all.totalDocs, 5)
    await mine('POST', `/collections/${made[1].id}/cancel`)
    await mine('PUT', `/collections/${made[2].id}`, { active: false })
    assert.deepEqual(await names('active=true'), ['Number 4', 'Number 1', 'Number 0'])
    assert.deepEqual(await names('active=false'), ['Number 3', 'Number 2'])
    assert.deepEqual(await names('currency=usd'), ['Number 3', 'Number 1'])
    assert.deepEqual(await names('currency=usd&active=true'), ['Number 1'])
    assert.deepEqual(await names('limit=2&page=2'), ['Number 2', 'Number 1'])
    assert.deepEqual(await names(`limit=100&after=${made[3].id}`), ['Number 0'])
    for (const query of [
      'limit=101',
      'limit=0',
      'page=0',
      'active=maybe',
      'currency=eur',
      'name=x',
    ]) {
      const { status, code } = await mine('GET', `/collections?${query}`)
      assert.deepEqual([status, code], [422, 'validation_failed'], query)
    }
  })

  it('are found by their own business and mode only', async () => {
    const { id } = await create()
    const stranger = await newBusiness(server)
    for (const call of [stranger, server.callAs(server.liveKey)])
      for (const [method, path, body] of [
        ['GET', `/collections/${id}`],
        ['PUT', `/collections/${id}`, { name: 'Mine' }],
        ['POST', `/collections/${id}/cancel`],
        ['GET', `/collections/${id}/payments`],
      ] as const)
        await assertRefused(server, 404, 'not_found', () => call(method, path, body))
    for (const unknown of [noId, 'nonsense'])
      await assertRefused(server, 404, 'not_found', () =>
        server.call('POST', `/collections/${unknown}/cancel`),
      )
  })

  it('change in what is given, and in nothing else', async () => {
    const old = await create({
      description: 'Term 1',
      min_amount: 100,
      max_amount: 900,
      redirect_url: 'https://school.example/',
      max_payments: 3,
      metadata: { term: 1 },
    })
    const put = (body: object): Promise<Json> => merchant.ask('PUT', `/collections/${old.id}`, body)
    const same = (record: Json): Json => ({ ...record, updated_at: '' })
    assert.deepEqual(same(await put({})), same(old))
    assert.deepEqual(same(await put({ name: 'Fees' })), same({ ...old, name: 'Fees' }))
    const nulls = {
      description: null,
      min_amount: null,
      max_amount: null,
      redirect_url: null,
      max_payments: null,
    }
    const bare = await put(nulls)
    assert.deepEqual(same(bare), same({ ...old, name: 'Fees', ...nulls }))
    const fixed = await put({ amount: 700, metadata: {}, active: false })
    assert.deepEqual(same(fixed), same({ ...bare, amount: 700, metadata: {}, active: false }))
    const chosen = await put({ amount: null, min_amount: 5, active: true })
    assert.deepEqual([chosen.amount, chosen.min_amount, chosen.active], [null, 5, true])
    assert.deepEqual(await read(old), chosen)
    // What was there before counts in whether the whole is good.
    await assertRefused(server, 422, 'validation_failed', () =>
      server.call('PUT', `/collections/${old.id}`, { max_amount: 4 }),
    )
    await assertRefused(server, 422, 'validation_failed', () =>
      server.call('PUT', `/collections/${old.id}`, { amount: 5 }),
    )
  })

  it('are canceled once, for good', async () => {
    const old = await create({ amount: 700 })
    const canceled = await merchant.ask('POST', `/collections/${old.id}/cancel`)
    assert.equal(old.canceled_at, null)
    assert.deepEqual(canceled, {
      ...old,
      active: false,
      canceled_at: canceled.updated_at,
      updated_at: canceled.updated_at,
    })
    assert.notEqual(canceled.canceled_at, null)
    assert.deepEqual(await read(old), canceled)
    const events = await merchant.eventsOf(old.id)
    assert.deepEqual(
      events.map((event) => event.type),
      ['collection.canceled'],
    )
    assert.deepEqual(events[0].payload, canceled)
    await assertRefused(server, 400, 'collection_canceled', () =>
      server.call('POST', `/collections/${old.id}/cancel`),
    )
    for (const change of [{ active: true }, { name: 'Again' }, {}])
      await assertRefused(server, 400, 'collection_canceled', () =>
        server.call('PUT', `/collections/${old.id}`, change),
      )
    const { status, html } = await newPayer(old).open()
    assert.deepEqual([status, /<form/.test(html)], [200, false])
    assert.match(html, /This has ended/)
  })

  it('are paid by an amount that the payer types', async () => {
    const collection = await create({
      min_amount: 100_000,
      max_amount: 200_000,
      redirect_url: 'https://school.example/thanks',
      metadata: { term: 2 },
    })
    const payer = newPayer(collection)
    const page = await payer.open()
    assert.equal(page.status, 200)
    assert.match(page.html, /School fees/)
    await payer.start({ amount: '1,500.50', email: 'ada@example.com' })
    const opened = await paymentAt(payer)
    assert.deepEqual(
      [
        opened.amount,
        opened.currency,
        opened.email,
        opened.collection,
        opened.status,
        opened.description,
      ],
      [150_050, 'ngn', 'ada@example.com', collection.id, 'pending', 'School fees'],
    )
    assert.deepEqual(
      [opened.metadata, opened.redirect_url],
      [{ term: 2 }, 'https://school.example/thanks'],
    )
    await assertCounted(collection, 0, 0)

    const answer = await payer.post('card', goodCard)
    assert.deepEqual([answer.status, answer.location], [303, `${pathOf(opened)}?method=card`])
    const payment = await merchant.ask('GET', `/payments/${opened.id}`)
    assert.equal(payment.status, 'completed')
    await assertCounted(collection, 1, 150_050)
    const receipt = await payer.open()
    assert.ok(receipt.html.includes(`https://school.example/thanks?reference=${payment.reference}`))
    // The link is there for the next payer.
    await payByCard(collection, { amount: '2000' })
    await assertCounted(collection, 2, 350_050)
  })

  it('tell of a payment, with the payment inside, beside the payment itself', async () => {
    const collection = await create({ amount: 70_000, metadata: { term: 3 } })
    const payment = await payByCard(collection)
    const [told, ...more] = await merchant.eventsOf(collection.id)
    assert.deepEqual([told.type, more.length], ['collection.completed', 0])
    assert.deepEqual(told.payload, { ...(await read(collection)), payment })
    const beside = await merchant.eventsOf(payment.id)
    assert.deepEqual(
      beside.map((event) => event.type),
      ['payment.completed'],
    )
    assert.deepEqual(beside[0].payload, payment)

    const document = (await server.callAs(null)('GET', '/openapi.json')).body
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema(document, 'api')
    await merchant.ask('POST', `/collections/${collection.id}/cancel`)
    for (const { id, type, payload, created_at: timestamp } of await merchant.eventsOf(
      collection.id,
    )) {
      const check = ajv.getSchema(
        `api#/webhooks/${type}/post/requestBody/content/application~1json/schema`,
      )
      assert.ok(
        check?.({ id, type, timestamp, payload }),
        JSON.stringify([type, check?.errors, payload]),
      )
      const { properties } = document.components.schemas.Collection
      const extra = Object.keys(payload).filter((field) => !(field in properties))
      assert.deepEqual(extra, type === 'collection.completed' ? ['payment'] : [])
    }
  })

  it('say what is wrong with what was typed, and open nothing', async () => {
    const collection = await create({ min_amount: 100_000, max_amount: 200_000 })
    const payer = newPayer(collection)
    await payer.open()
    for (const [fields, words] of [
      [{ amount: '999.99' }, /too small/],
      [{ amount: '0' }, /too small/],
      [{ amount: '2000.01' }, /too large/],
      [{ amount: '9999999999999' }, /too large/],
      [{}, /Enter the amount/],
      [{ amount: '' }, /Enter the amount/],
      [{ amount: 'ten' }, /Enter the amount/],
      [{ amount: '-1500' }, /Enter the amount/],
      [{ amount: '1500.505' }, /Enter the amount/],
      [{ amount: '1500', email: 'ada' }, /Check the email/],
      [{ amount: '1500', email: 'a da@example.com' }, /Check the email/],
    ] as [Record<string, string>, RegExp][]) {
      const { status, html } = await unchanged(server, () => payer.send('start', fields))
      assert.equal(status, 400, JSON.stringify(fields))
      assert.match(html, words, JSON.stringify(fields))
      for (const typed of Object.values(fields))
        assert.ok(html.includes(`value="${typed}"`), `${typed} is kept`)
    }
    const limits = await payer.open()
    assert.ok(limits.html.includes('₦1,000.00') && limits.html.includes('₦2,000.00'))
    // A payer without the cookie, or with a token of another page, begins nothing either.
    const other = newPayer(await create())
    await other.open()
    other.url = payer.url
    await unchanged(server, async () => {
      assert.equal((await newPayer(collection).send('start', { amount: '1500' })).status, 400)
      assert.equal((await other.send('start', { amount: '1500' })).status, 400)
    })
    // The least and the most are both good.
    await payByCard(collection, { amount: '1000' })
    await payByCard(collection, { amount: '2 000.00' })
    await assertCounted(collection, 2, 300_000)
  })

  it('start one payment by one form, however often it is sent, and none with another amount', async () => {
    const collection = await create({ min_amount: 100_000, max_amount: 200_000 })
    const payer = newPayer(collection)
    await payer.open()
    const send = (amount: string) => payer.send('start', { amount })
    const started = async (): Promise<Json[]> =>
      (await merchant.ask('GET', `/collections/${collection.id}/payments`)).docs
    const together = await Promise.all(['1500', '1500', '1500', '1500'].map(send))
    for (const { status, location } of [...together, await send('1500')])
      assert.deepEqual([status, location], [303, together[0]?.location])
    assert.equal((await started()).length, 1)
    const other = await send('1600')
    assert.equal(other.status, 400)
    assert.match(other.html, /out of date/)
    assert.equal((await started()).length, 1)
    await payer.open()
    assert.notEqual(
      (await send('1500')).location,
      together[0]?.location,
      'a form that is loaded again starts another',
    )
  })

  it('with a fixed amount take no other', async () => {
    const collection = await create({ currency: 'usd', amount: 2_599 })
    const payment = await payByCard(collection, { amount: '1' })
    assert.deepEqual(
      [payment.amount, payment.currency, payment.status],
      [2_599, 'usd', 'completed'],
    )
    await assertCounted(collection, 1, 2_599)
  })

  it('keep the price of a payment that was opened before a change', async () => {
    const collection = await create({ amount: 1_000 })
    const payer = newPayer(collection)
    await payer.start()
    await merchant.ask('PUT', `/collections/${collection.id}`, { amount: 9_000 })
    await payer.payByCard()
    assert.equal((await paymentAt(payer)).amount_received, 1_000)
    await payByCard(collection)
    await assertCounted(collection, 2, 10_000)
  })

  it('count what is kept, surplus and all, and not what is refunded', async () => {
    const collection = await create({ amount: 100_000 })
    const payer = newPayer(collection)
    await payer.start()
    const { id } = await paymentAt(payer)
    await merchant.simulate(id, 'underpaid', 'bank_transfer')
    await assertCounted(collection, 0, 0)
    await merchant.simulate(id, 'overpaid', 'bank_transfer')
    // Half, then the other half and a tenth of it.
    await assertCounted(collection, 1, 105_001)
    const { docs } = await merchant.ask('GET', '/virtual-accounts?limit=100')
    const account = docs.find((one: Json) => one.payment === id)
    await merchant.ask('POST', `/virtual-accounts/${account.id}/simulate-deposit`, { amount: 7 })
    await assertCounted(collection, 1, 105_008)
    await server.fund('ngn', 10_000)
    const refund = await merchant.ask('POST', '/refunds', {
      payment: id,
      destination: bankAccount(),
    })
    assert.equal((await merchant.refundEnded(refund)).status, 'completed')
    await assertCounted(collection, 1, 105_008)
    assert.equal((await merchant.eventsOf(collection.id)).length, 1)
  })

  it('take no more payments than they have places', async () => {
    const collection = await create({ amount: 5_000, max_payments: 2 })
    const late = newPayer(collection)
    await late.start()
    await late.open()
    await payByCard(collection)
    await payByCard(collection)
    const full = await newPayer(collection).open()
    assert.match(full.html, /This is fully paid/)
    assert.doesNotMatch(full.html, /<form/)
    // Whoever had opened a payment before is led to the page that says so, and their card is not
    // asked.
    const charges = await chargesOf(server)
    const told = await late.send('card', goodCard)
    assert.deepEqual([told.status, told.location], [303, pathOf(collection)])
    assert.equal(await chargesOf(server), charges)
    const payment = await paymentAt(late)
    assert.deepEqual([payment.status, payment.attempts], ['pending', 0])
    for (const method of ['card', 'bank_transfer', 'crypto']) {
      const body = { outcome: 'completed', method }
      const { body: answer } = await assertRefused(server, 400, 'collection_full', () =>
        server.call('POST', `/payments/${payment.id}/simulate`, body),
      )
      assert.equal(answer.message, 'As many have paid as may. You have not been charged.')
    }
    await assertCounted(collection, 2, 10_000)
    // A place more, and the same payment can be paid.
    await merchant.ask('PUT', `/collections/${collection.id}`, { max_payments: 3 })
    await late.payByCard()
    assert.equal((await paymentAt(late)).status, 'completed')
    await assertCounted(collection, 3, 15_000)
    // A place that another holds is not paid for: who finds none is told to come back.
    await merchant.ask('PUT', `/collections/${collection.id}`, { max_payments: 4 })
    const [holder, waiting] = [newPayer(collection), newPayer(collection)]
    for (const payer of [holder, waiting]) await payer.start()
    await holder.post('transfer')
    const { id } = await paymentAt(waiting)
    const { body: busy } = await assertRefused(server, 400, 'collection_full', () =>
      server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }),
    )
    assert.match(busy.message, /try again in a few minutes. You have not been charged/)
    await merchant.cancelPayment(await paymentAt(holder))
    // Fewer places than have paid: full, and nothing else.
    await merchant.ask('PUT', `/collections/${collection.id}`, { max_payments: 1 })
    assert.match((await newPayer(collection).open()).html, /This is fully paid/)
    await merchant.ask('PUT', `/collections/${collection.id}`, { max_payments: null })
    await payByCard(collection)
    await assertCounted(collection, 4, 20_000)
  })

  it('that are full turn a payer away before an address is taken for them', async () => {
    const collection = await create({ amount: 5_000, max_payments: 1 })
    const [first, second] = [newPayer(collection), newPayer(collection)]
    for (const payer of [first, second]) await payer.start()
    await first.payByCard()
    const indexes = () =>
      server.app.db.query('select key, next_index from crypto_keys order by key')
    const before = await indexes()
    const { id } = await paymentAt(second)
    const [token] = tokensOf(await ctxOf(server))
    assert.ok(token)
    const choosing = chooseToken(await ctxOf(server), id, token.currency, token.network)
    await assert.rejects(choosing, { code: 'collection_full' })
    assert.deepEqual(await indexes(), before)
  })

  it('give the place of a payment back that ends unpaid', async () => {
    const collection = await create({ amount: 5_000, max_payments: 1 })
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => merchant.cancelPayment(id),
      (id) => merchant.simulate(id, 'expired'),
      (id) => merchant.simulate(id, 'failed'),
      () => merchant.advance('61m'),
    ]
    const forms: [string, Record<string, string>][] = [
      ['transfer', {}],
      ['crypto', { choice: 'usdc.base-sepolia' }],
      ['card', { ...goodCard, number: cards.declined }],
      ['card', { ...goodCard, number: cards.challenged }],
    ]
    const begun: Json[] = []
    for (const [i, end] of ends.entries()) {
      const payer = newPayer(collection)
      await payer.start()
      const [form, fields] = forms[i] as (typeof forms)[number]
      const shown = await payer.post(form, fields)
      assert.equal(shown.status, 303, shown.html)
      const payment = await paymentAt(payer)
      assert.equal(payment.status, 'pending')
      const busy = await newPayer(collection).open()
      assert.match(busy.html, /Someone is paying right now/, form)
      assert.match(
        busy.html,
        new RegExp(`<a [^>]*href="${pathOf(collection)}"[^>]*>Try again`),
        form,
      )
      assert.doesNotMatch(busy.html, /This is fully paid|<form/, form)
      await end(payment.id)
      assert.notEqual((await paymentAt(payer)).status, 'pending')
      assert.match((await newPayer(collection).open()).html, /<form/, form)
      begun.push(payment)
    }
    // One that has only opened the page takes no place, and gives none back.
    const idle = newPayer(collection)
    await idle.start()
    assert.match((await newPayer(collection).open()).html, /<form/)
    await merchant.cancelPayment(await paymentAt(idle))
    await payByCard(collection)
    await assertCounted(collection, 1, 5_000)
    // Money for a payment that has ended is booked, and takes no place.
    const [{ id }] = (await merchant.ask('GET', '/virtual-accounts?limit=100')).docs.filter(
      (account: Json) => account.payment === begun[0].id,
    )
    const late = await merchant.ask('POST', `/virtual-accounts/${id}/simulate-deposit`, {})
    assert.equal(late.late, true)
    await assertCounted(collection, 1, 5_000)
  })

  it('let a payer finish who has begun when they are canceled', async () => {
    const collection = await create({ amount: 5_000, max_payments: 2 })
    const payer = newPayer(collection)
    await payer.start()
    await payer.payByCard(cards.declined)
    const other = newPayer(collection)
    await other.start()
    await other.open()
    await merchant.ask('POST', `/collections/${collection.id}/cancel`)

    const charges = await chargesOf(server)
    const told = await other.send('card', goodCard)
    assert.deepEqual([told.status, told.location], [303, pathOf(collection)])
    assert.match((await newPayer(collection).open()).html, /This has ended/)
    assert.equal(await chargesOf(server), charges)
    const { id, status } = await paymentAt(other)
    assert.equal(status, 'pending')
    for (const method of ['bank_transfer', 'crypto'])
      await assertRefused(server, 400, 'collection_canceled', () =>
        server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed', method }),
      )

    await payer.payByCard()
    assert.equal((await paymentAt(payer)).status, 'completed')
    await assertCounted(collection, 1, 5_000)
    assert.equal((await read(collection)).active, false)
  })

  it('tell a payer who comes with an old page that they have ended', async () => {
    for (const end of [{ active: false }, 'cancel'] as const) {
      const collection = await create({ amount: 5_000 })
      const payer = newPayer(collection)
      await payer.open()
      if (end === 'cancel') await merchant.ask('POST', `/collections/${collection.id}/cancel`)
      else await merchant.ask('PUT', `/collections/${collection.id}`, end)
      await unchanged(server, async () => {
        const { status, location } = await payer.send('start')
        assert.deepEqual([status, location], [303, pathOf(collection)])
        assert.match((await payer.open()).html, /This has ended/)
      })
      if (end === 'cancel') continue
      await merchant.ask('PUT', `/collections/${collection.id}`, { active: true })
      await payByCard(collection)
      await assertCounted(collection, 1, 5_000)
    }
  })

  it('list their own payments', async () => {
    const [collection, other] = [await create({ amount: 5_000 }), await create({ amount: 6_000 })]
    const made: Json[] = []
    for (let i = 0; i < 3; i++) made.unshift(await payByCard(collection))
    await payByCard(other)
    const path = `/collections/${collection.id}/payments`
    const all = await merchant.ask('GET', path)
    assert.deepEqual(all.docs, made)
    assert.equal(all.totalDocs, 3)
    assert.deepEqual((await merchant.ask('GET', `${path}?limit=1&page=2`)).docs, [made[1]])
    assert.deepEqual((await merchant.ask('GET', `${path}?after=${made[1].id}`)).docs, [made[2]])
    for (const query of ['limit=101', 'page=0', 'status=pending'])
      assert.equal((await server.call('GET', `${path}?${query}`)).status, 422, query)
    const unknown = await server.call('GET', `/collections/${noId}/payments`)
    assert.deepEqual([unknown.status, unknown.code], [404, 'not_found'])
  })
})
