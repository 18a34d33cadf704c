/**
 * Goal: a customer that is erased is nowhere any more, and no money has changed. Method: a customer
 * whose values cannot be anybody else's, driven through whatever copies them; then all rows of all
 * tables as text, and all log lines, are searched for the values.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  type Call,
  type Json,
  makeCall,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { operatorOf } from '../../../test/support/operators.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { serve } from '../../app/main.ts'
import { forgetErasedTask } from './customers.ts'

const person = {
  email: 'zuri.quill@erase-me.example',
  before: 'zuri.old@erase-me.example',
  first: 'Zuriquill',
  last: 'Obaxterly',
  phone: '+2348099911177',
  street: '77 Zephyrwharf Lane',
  bvn: '22998877665',
  masked: '*******7665',
  sender: 'Quillsender',
  account: '0123987654',
  elsewhere: '0123987655',
  reference: 'ref-zuriq',
  note: 'likes-xylographs',
}
const values = Object.values(person)
const from = {
  account_name: `${person.sender} O`,
  account_number: person.account,
  bank_name: 'GTBank',
  bank_code: '058',
}
const elsewhere = {
  bank_code: '058',
  account_number: person.elsewhere,
  account_name: `${person.first} ${person.last}`,
}
const bank = {
  bank_code: '058',
  account_number: person.account,
  account_name: `${person.first} ${person.last}`,
}

describe('a customer who is erased', () => {
  let receiver: Receiver
  let server: TestServer
  let second: Awaited<ReturnType<typeof serve>>
  let merchant: Merchant
  let operator: Call
  const lines: string[] = []
  before(async () => {
    receiver = await startReceiver()
    // It says again what it is sent.
    receiver.answer = ({ body }, response) => void response.writeHead(200).end(body)
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    second = await serve({ app: { ...server.app, log }, url: server.databaseUrl, evm: null })
    const logged = makeCall(second.url, server.testKey)
    // Refusals are held against the document by the server's own call.
    merchant = newMerchant(server, {
      call: (...asked) => (asked[1].includes('/erase') ? server.call(...asked) : logged(...asked)),
    })
    operator = await operatorOf(server)
    await merchant.create('/webhooks', { url: receiver.url })
    await merchant.ask('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 100_000_000 })
  })
  after(async () => {
    await second.stop()
    await server.stop()
    await receiver.stop()
  })

  const tables = (): Promise<{ name: string }[]> =>
    server.app.db.query(
      `select quote_ident(nspname) || '.' || quote_ident(relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
        where relkind in ('r', 'p') and not relispartition and nspname in ('public', 'graphile_worker') order by 1`,
    )
  /** Which tables have which of the values, in any column, `bytea` too. */
  const found = async (): Promise<string[]> => {
    const needles = [
      ...values.map((value) => value.toLowerCase()),
      ...values.map((value) => Buffer.from(value).toString('hex')),
    ]
    const all: string[] = []
    for (const { name } of await tables()) {
      const rows = await server.app.db.query<{ value: string }>(
        `select distinct sought.needle as value from ${name} t, unnest($1::text[]) as sought (needle)
          where position(sought.needle in lower(t::text)) > 0`,
        [needles],
      )
      all.push(...rows.map(({ value }) => `${name}: ${value}`))
    }
    return all
  }
  const erase = (id: string): Promise<Json> => merchant.ask('POST', `/customers/${id}/erase`)
  const addPerson = (more: object = {}): Promise<Json> =>
    merchant.create('/customers', {
      first_name: person.first,
      last_name: person.last,
      email: person.before,
      phone: person.phone,
      metadata: { note: person.note },
      address: { line1: person.street, city: 'Lagos', country: 'ng' },
      ...more,
    })
  /** Whatever copies what is known of a customer. */
  async function drive(): Promise<{
    id: string
    account: Json
    paid: Json
    refund: Json
    invoice: Json
  }> {
    const made = await addPerson({ reference: person.reference })
    const { id } = made
    await merchant.call('POST', '/customers', {
      first_name: person.first,
      last_name: person.last,
      email: person.email,
      x: 1,
    })
    await merchant.ask(
      'GET',
      `/customers?email=${encodeURIComponent(person.email)}&search=${person.last}`,
    )
    await merchant.takePayment('card', { customer: id })
    await merchant.ask('PUT', `/customers/${id}`, { email: person.email })
    await merchant.ask('POST', `/customers/${id}/documents`, {
      id_type: 'bvn',
      id_number: person.bvn,
    })
    await merchant.ask('POST', `/customers/${id}/documents`, {
      id_type: 'nin',
      id_number: '00000000011',
    })
    const account = await merchant.openAccount({ customer: id, currency: 'ngn' })
    await merchant.deposit(account, { amount: 5_000, sender: from })
    const paid = await merchant.takeTransfer(from, { customer: id })
    const { data: refund } = await merchant.refund(paid, { amount: 1_000, destination: bank })
    await merchant.refundsEnded(paid, 1)
    await merchant.refund(paid, { amount: 2_000 })
    await merchant.refundsEnded(paid, 2)
    await merchant.refund(paid, { amount: 1_000, destination: elsewhere })
    await merchant.refundsEnded(paid, 3)
    // Payments of nobody, by the same payer.
    const unnamed = await merchant.takeTransfer(from, { email: person.email })
    await merchant.refund(unnamed, { amount: 1_000 })
    await merchant.refundsEnded(unnamed, 1)
    await merchant.refund(unnamed, { amount: 1_000, destination: elsewhere })
    await merchant.refundsEnded(unnamed, 2)
    await holdRefunds(paid, 4)
    await holdRefunds(unnamed, 3)
    const product = await merchant.addProduct()
    const draft = await merchant.create('/invoices', {
      customer: id,
      lines: [{ product: product.id, quantity: 1 }],
    })
    const open = await merchant.finalizeInvoice(draft)
    await merchant.sendInvoice(open)
    await merchant.simulate(open.payment, 'completed', 'card')
    // Told of the same thing at two addresses.
    await server.asOwner(`insert into mails (business_id, livemode, id, recipient, subject, body, status, about, created_at)
      select '${server.businessId}', false, substr(md5(email), 1, 24), email, 'Hello', 'Hello', 'captured', 'told once', now()
        from unnest(array['${person.email}', '${person.before}']) as email`)
    const wallet = await merchant.openCryptoWallet({ customer: id, label: `${person.first}’s` })
    await merchant.ask('PATCH', `/crypto/wallets/${wallet.id}/close`)
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    await until(async () => {
      const [row] = await server.app.db.query(
        `select from customer_documents where status = 'pending'`,
      )
      return row === undefined
    })
    await settled(server.app)
    await until(async () => {
      const [row] = await server.app.db.query(`select from requests where body is not null`)
      return row !== undefined
    })
    return { id, account, paid, refund, invoice: open }
  }
  /**
   * Refunds that screening holds, back to the account that paid and elsewhere; both are released.
   */
  async function holdRefunds(payment: Json, nth: number): Promise<void> {
    for (const [i, destination] of [undefined, elsewhere].entries()) {
      const value = destination?.account_number ?? from.account_number
      const entry = await must(
        operator('POST', '/operator/screening/entries', { type: 'account', kind: 'block', value }),
      )
      const { data: refund } = await merchant.refund(payment, {
        amount: 500,
        ...(destination ? { destination } : {}),
      })
      const review = await until(async () => {
        const { docs } = await must(operator('GET', '/operator/reviews?status=waiting'))
        return docs.find((one: Json) => one.subject === (refund.payout ?? refund.id))
      })
      const note = `Looked at ${person.note}`
      await must(operator('POST', `/operator/reviews/${review.id}/release`, { note }))
      await must(operator('DELETE', `/operator/screening/entries/${entry.id}`))
      await merchant.refundsEnded(payment, nth + i)
    }
  }
  const forgotten = (id: string): Promise<unknown> =>
    until(async () => {
      const rows = await server.app.db.query(
        'select from customer_keys where customer_id = $1 and rewritten_at is not null and at_work is null',
        [id],
      )
      return rows.length === 1
    })

  it('is in no table and in no log line, and its money is where it was', async () => {
    const { id, account, paid, refund, invoice } = await drive()
    const there = await found()
    for (const table of [
      'customers',
      'customer_words',
      'invoices',
      'mails',
      'payments',
      'payouts',
      'refunds',
      'requests',
      'screening_reviews',
      'transactions',
      'webhook_attempts',
    ])
      assert.ok(
        there.some((one) => one.startsWith(`public.${table}: `)),
        `nothing of it in ${table}: ${there}`,
      )
    const { data: exported } = await merchant.call('GET', `/customers/${id}/export`)
    assert.equal(exported.customer.email, person.email)
    assert.deepEqual(Object.keys(exported.records).sort(), [
      'crypto_wallets',
      'dispute_evidence',
      'dispute_files',
      'disputes',
      'events',
      'invoices',
      'mails',
      'payments',
      'payouts',
      'refunds',
      'transactions',
      'virtual_accounts',
    ])
    const text = JSON.stringify(exported)
    for (const value of values.filter((one) => one !== person.bvn))
      assert.ok(text.includes(value), `${value} is not exported`)
    assert.ok(!text.includes(person.bvn))
    assert.deepEqual(exported.cut, [])

    const wallets = await merchant.ask('GET', '/wallets')
    const transactions = (await merchant.ask('GET', '/transactions?limit=100')).docs
    const answer = await erase(id)
    assert.equal(answer.id, id)
    assert.deepEqual(await erase(id), answer)
    await forgotten(id)
    await settled(server.app)
    assert.deepEqual(await found(), [])
    for (const line of lines) for (const value of values) assert.ok(!line.includes(value), line)

    assert.deepEqual(await merchant.ask('GET', '/wallets'), wallets)
    const bare = ({ source: _source, ...one }: Json): Json => one
    assert.deepEqual(
      (await merchant.ask('GET', '/transactions?limit=100')).docs.map(bare),
      transactions.map(bare),
    )
    for (const path of [
      `/customers/${id}`,
      `/customers/${id}/export`,
      `/customers/${id}/documents`,
    ])
      assert.equal((await merchant.call('GET', path)).status, 404, path)
    const missing = await server.call('GET', `/customers/${id}/export`)
    assert.deepEqual([missing.status, missing.code], [404, 'not_found'])
    assert.equal((await merchant.readPayment(paid)).email, null)
    assert.equal((await merchant.ask('GET', `/refunds/${refund.id}`)).destination.bank_code, '058')
    assert.equal(
      (await merchant.ask('GET', `/virtual-accounts/${account.id}`)).account_name,
      'erased',
    )
    assert.equal((await server.call('GET', `/invoices/${invoice.id}/pdf`)).status, 200)
    for (const record of [id, paid.id, refund.id, invoice.id, account.id])
      assert.equal((await merchant.call('GET', `/explain/${record}`)).status, 200)
    assert.equal((await merchant.call('GET', '/customers?search=zuriquill')).data.docs.length, 0)

    const events = await merchant.allEvents()
    assert.ok(events.some(({ payload }) => payload.customer === id && payload.amount > 0))
    const [erased] = events.filter(({ type }) => type === 'customer.erased')
    assert.deepEqual([erased?.payload.id, erased?.payload.erased_at], [id, answer.erased_at])
    const [audited] = (await merchant.ask('GET', '/audit?action=customer.erased')).docs
    assert.deepEqual([audited.subject, audited.after], [id, { erased_at: answer.erased_at }])
    assert.equal((await merchant.ask('GET', '/audit?action=customer.erased')).totalDocs, 1)
  })

  it('is emptied also of what comes later, which is booked', async () => {
    const { id } = await addPerson()
    const account = await merchant.openAccount({ customer: id, currency: 'ngn' })
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    await erase(id)
    const available = await merchant.available()
    const deposit = await merchant.deposit(account, { amount: 7_000, sender: from })
    assert.deepEqual([deposit.customer, deposit.late, deposit.source], [id, true, from])
    await forgetErasedTask(server.app).run('test')
    const [booked] = (await merchant.ask('GET', `/transactions?customer=${id}`)).docs
    assert.deepEqual([booked.id, booked.source], [deposit.id, undefined])
    assert.equal((await merchant.available()) - available, 7_000 - deposit.fee)
    await settled(server.app)
    await forgetErasedTask(server.app).run('test')
    assert.deepEqual(await found(), [])
  })

  it('is refused while something is open that needs it, and then nothing is erased', async () => {
    const { id } = await addPerson()
    const refused = async (about: string): Promise<void> => {
      const answer = await merchant.isRefused(
        'POST',
        `/customers/${id}/erase`,
        undefined,
        409,
        'customer_in_use',
        server.call,
      )
      assert.ok(answer.body.message.includes(about), answer.body.message)
      assert.equal((await merchant.ask('GET', `/customers/${id}`)).email, person.before)
    }
    const payment = await merchant.openPayment({ customer: id })
    await refused(payment.id)
    await merchant.simulate(payment, 'completed', 'bank_transfer')
    const dispute = await merchant.ask('POST', `/payments/${payment.id}/simulate-dispute`, {})
    await refused(dispute.id)
    await merchant.ask('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'won' })
    const product = await merchant.addProduct()
    const lines_ = [{ product: product.id, quantity: 1 }]
    const draft = await merchant.create('/invoices', { customer: id, lines: lines_ })
    await refused(draft.id)
    await merchant.finalizeInvoice(draft)
    await merchant.voidInvoice(draft)
    const account = await merchant.openAccount({ customer: id, currency: 'ngn' })
    await refused(account.id)
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    const wallet = await merchant.openCryptoWallet({ customer: id })
    await refused(wallet.id)
    await merchant.ask('PATCH', `/crypto/wallets/${wallet.id}/close`)
    await merchant.ask('POST', `/customers/${id}/documents`, {
      id_type: 'passport',
      id_number: 'A00000021',
    })
    await refused('passport')
    await server.asOwner(`delete from customer_documents where customer_id = '${id}'`)
    await server.asOwner(`update refunds set status = 'initiated', customer_id = '${id}'
                           where id = (select max(id) from refunds)`)
    await refused('Refund')
    await server.asOwner(
      `update refunds set status = 'completed', customer_id = null where id = (select max(id) from refunds)`,
    )
    await merchant.ask('DELETE', `/customers/${id}`)
    await erase(id)
    const nobody = await server.call('POST', `/customers/${'0'.repeat(24)}/erase`)
    assert.deepEqual([nobody.status, nobody.code], [404, 'not_found'])
  })

  it('has no payment that was made for it meanwhile: one of the two is refused', async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await addPerson()
      const pays = Array.from({ length: 5 }, (_, i) =>
        new Promise((resolve) => setTimeout(resolve, i * round)).then(() =>
          server.call('POST', '/payments', { customer: id, amount: 1_000, currency: 'ngn' }),
        ),
      )
      const [erasing, ...paying] = await Promise.all([
        server.call('POST', `/customers/${id}/erase`),
        ...pays,
      ])
      const made = paying.filter(({ status }) => status === 201)
      assert.ok(paying.every(({ status, code }) => status === 201 || code === 'customer_not_found'))
      assert.equal(
        erasing?.status,
        made.length > 0 ? 409 : 200,
        JSON.stringify([erasing?.body, made.length]),
      )
      if (made.length > 0) {
        assert.equal((await must(server.call('GET', `/customers/${id}`))).email, person.before)
        for (const { data } of made) await merchant.cancelPayment(data)
        await erase(id)
      }
      await forgotten(id)
    }
    await settled(server.app)
    const rows = await server.app.db.query(`select id from payments where email = $1`, [
      person.before,
    ])
    assert.deepEqual(rows, [])
  })
})
