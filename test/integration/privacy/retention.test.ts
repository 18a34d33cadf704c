/**
 * Goal: what is kept of people goes by itself after the time that a setting says, and not before;
 * what is money stays. Method: the periodic tasks at times of our choice, beside records that are
 * too young, are waited for, or are somebody's.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { forgetDeletedTask } from '../../../src/collecting/customers/customers.ts'
import { forgetPayersTask } from '../../../src/collecting/payments/payments.ts'
import { later } from '../../../src/lib/clock.ts'
import { forgetOldMails } from '../../../src/platform/mail/mail.ts'
import { type Merchant, newMerchant } from '../../support/actors.ts'
import { type Json, must, settled, startServer, type TestServer } from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'

const day = 86_400_000
const from = {
  account_name: 'Quillsender O',
  account_number: '0123987654',
  bank_name: 'GTBank',
  bank_code: '058',
}

describe('what is kept of people for a time', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  /** The server in some days, with settings. */
  const inDays = (days: number, settings: Partial<TestServer['app']['config']>) => ({
    ...server.app,
    config: { ...server.app.config, ...settings },
    clock: { ...server.app.clock, now: () => later(new Date(), days * day) },
  })
  const erasedAt = async (id: string): Promise<Date | null> => {
    const [row] = await server.app.db.query<{ erased_at: Date | null }>(
      'select erased_at from customers where id = $1',
      [id],
    )
    return row?.erased_at ?? null
  }

  it('is erased of customers who were deleted, and of no others', async () => {
    const [kept, deleted, needed] = await Promise.all(
      ['a', 'b', 'c'].map((name) => merchant.addCustomer({ email: `${name}@kept.example` })),
    )
    const account = await merchant.openAccount({ customer: needed.id, currency: 'ngn' })
    for (const { id } of [deleted, needed]) await merchant.ask('DELETE', `/customers/${id}`)
    const run = (days: number, keep: number) =>
      forgetDeletedTask(inDays(days, { DELETED_CUSTOMERS_KEEP: keep * day })).run('test')
    await run(400, 0)
    await run(29, 30)
    assert.equal(await erasedAt(deleted.id), null)
    await run(31, 30)
    assert.notEqual(await erasedAt(deleted.id), null)
    assert.equal(await erasedAt(kept.id), null)
    assert.equal((await merchant.ask('GET', `/customers/${kept.id}`)).email, 'a@kept.example')
    // An account of it takes money yet.
    assert.equal(await erasedAt(needed.id), null)
    await merchant.ask('PATCH', `/virtual-accounts/${account.id}/close`)
    await run(32, 30)
    assert.notEqual(await erasedAt(needed.id), null)
    const erased = (await merchant.allEvents()).filter(({ type }) => type === 'customer.erased')
    assert.deepEqual(erased.map(({ payload }) => payload.id).sort(), [deleted.id, needed.id].sort())
    const audited = (await merchant.ask('GET', '/audit?action=customer.erased')).docs
    assert.deepEqual(
      audited.map(({ actor }: Json) => actor.type),
      ['operator', 'operator'],
    )
  })

  it('is emptied of payers who are no customers, with what their payments led to', async () => {
    const email = 'payer@somewhere.example'
    const customer = await merchant.addCustomer({ email: 'known@somewhere.example' })
    const paid = await merchant.takeTransfer(from, { email })
    await merchant.refund(paid, { amount: 1_000 })
    await merchant.refundsEnded(paid, 1)
    const own = await merchant.takeTransfer(from, { customer: customer.id })
    const pending = await merchant.openPayment({ email })
    await settled(server.app)
    const wallets = await merchant.ask('GET', '/wallets')
    const run = (days: number, keep: number) =>
      forgetPayersTask(inDays(days, { PAYERS_KEEP: keep * day })).run('test')
    await run(400, 0)
    await run(89, 90)
    assert.equal((await merchant.readPayment(paid)).email, email)
    await Promise.all([run(91, 90), run(91, 90)])
    assert.equal((await merchant.readPayment(paid)).email, null)
    assert.equal((await merchant.readPayment(pending)).email, email)
    assert.equal((await merchant.readPayment(own)).email, 'known@somewhere.example')
    const sources = (await merchant.ask('GET', '/transactions?limit=100')).docs
      .filter(({ type }: Json) => type === 'payment')
      .map(({ related, source }: Json) => [related.payment, source])
    assert.deepEqual(new Map(sources).get(paid.id), undefined)
    assert.deepEqual(new Map(sources).get(own.id), from)
    const [refund] = (await merchant.ask('GET', `/refunds?payment=${paid.id}`)).docs
    assert.equal(refund.destination.account_number, undefined)
    assert.deepEqual(await merchant.ask('GET', '/wallets'), wallets)
  })

  it('is emptied of who paid without an email address, and of what came late', async () => {
    const nameless = await merchant.takeTransfer(from, {})
    const listed = {
      account_name: 'Quillsender Held',
      account_number: '0000000011',
      bank_code: '058',
    }
    const payment = await merchant.openPayment({ email: 'late@somewhere.example' })
    const held = await merchant.payerOf(payment).transfer(undefined, listed)
    await merchant.ask('POST', `/payments/${payment.id}/cancel`)
    await settled(server.app)
    const run = (days: number) =>
      forgetPayersTask(inDays(days, { PAYERS_KEEP: 90 * day })).run('test')
    const sourceOf = async (id: string): Promise<unknown> => (await merchant.verify(id)).source
    const transactionOf = async (id: string): Promise<string> =>
      (await merchant.ask('GET', '/transactions?limit=100')).docs.find(
        ({ related }: Json) => related.payment === id,
      ).id
    const paid = await transactionOf(nameless.id)
    await run(89)
    assert.deepEqual(await sourceOf(paid), from)
    // Several workers at once, as where there are several processes.
    for (let n = 0; n < 8; n++)
      await merchant.refund(await merchant.takeTransfer(from, { email: `p${n}@somewhere.example` }))
    await settled(server.app)
    await Promise.all([1, 2, 3, 4].map(() => run(91)))
    await run(91)
    assert.equal(await sourceOf(paid), undefined)
    // What is held is needed by who decides about it.
    assert.deepEqual(await sourceOf(held.id), listed)
    const reviewer = await operatorOf(server)
    const { docs } = await must(reviewer('GET', '/operator/reviews'))
    await must(reviewer('POST', `/operator/reviews/${docs[0].id}/release`, {}))
    await run(92)
    assert.equal(await sourceOf(held.id), undefined)
    assert.doesNotMatch(
      JSON.stringify((await must(reviewer('GET', '/operator/reviews'))).docs),
      /0000000011/,
    )
  })

  it('is emptied of mails, once they were sent', async () => {
    await server.asOwner(`insert into mails (business_id, livemode, id, recipient, subject, body, status, about, created_at)
      select '${server.businessId}', false, substr(md5(status), 1, 24), status || '@mailed.example', 'Hello', 'Dear payer', status, 'told ' || status, now()
        from unnest(array['captured', 'queued']) as status`)
    const read = () =>
      server.app.db.query<Json>(
        `select status, recipient, body from mails where about like 'told %' order by status`,
      )
    await forgetOldMails(inDays(400, { MAILS_KEEP: 0 }))
    await forgetOldMails(inDays(6, { MAILS_KEEP: 7 * day }))
    assert.equal((await read())[0]?.recipient, 'captured@mailed.example')
    await forgetOldMails(inDays(8, { MAILS_KEEP: 7 * day }))
    const [captured, queued] = await read()
    assert.deepEqual([captured?.body, captured?.recipient.startsWith('erased ')], ['', true])
    assert.deepEqual([queued?.body, queued?.recipient], ['Dear payer', 'queued@mailed.example'])
  })
})
