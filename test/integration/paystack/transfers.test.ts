/**
 * Goal: a live payment by bank transfer is paid to a one-time account of Paystack's, which our own
 * page shows, and is booked once. Method: a whole server over the double of Paystack, with payers
 * at the page by HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { newPayer } from '../../support/actors.ts'
import { type Json, listAll, must, until } from '../../support/harness.ts'
import { minuteMs, type Till } from '../../support/paystack.ts'
import { openInlet, readAccount, sweepNow } from '../../support/paystack-in.ts'

const hourMs = 60 * minuteMs

describe('a live payment by bank transfer', () => {
  let till: Till
  let made = 0
  before(async () => {
    till = await openInlet()
  })
  after(() => till.stop())

  const open = async (more: object = {}) => {
    const body = {
      reference: `transfer-${++made}`,
      amount: 500_000,
      currency: 'ngn',
      methods: ['bank_transfer'],
      ...more,
    }
    const payment = await must(till.live('POST', '/payments', body))
    const payer = newPayer({
      checkout_url: `${till.server.url}${new URL(payment.checkout_url).pathname}`,
    })
    return { payment, payer }
  }
  const accountsOf = async ({ id }: Json): Promise<Json[]> =>
    (await listAll(till.live, '/virtual-accounts')).filter((one) => one.payment === id)
  /** The payer has the page show the account. */
  const shown = async (more: object = {}) => {
    const { payment, payer } = await open(more)
    assert.equal(
      (await payer.post('transfer')).location,
      `${new URL(payer.url).pathname}?method=bank_transfer`,
    )
    const [account] = await accountsOf(payment)
    return { payment, payer, account: account as Json }
  }
  const read = ({ id }: Json): Promise<Json> => must(till.live('GET', `/payments/${id}`))
  const paid = (payment: Json): Promise<Json> =>
    until(async () => {
      const now = await read(payment)
      return now.status === 'completed' && now
    })
  const send = (account: Json, amount: number) =>
    till.double.live.bank.credit(account.account_number, { amount })

  it('is paid to the account that the page shows, once, whoever tells of it', async () => {
    const { payment, payer, account } = await shown()
    const there = till.double.live.books.transactions.find(
      ({ reference }) => reference === `va-${account.id}`,
    )
    assert.deepEqual(
      [
        account.status,
        account.account_number,
        account.bank_name,
        account.account_name,
        account.amount,
      ],
      ['active', there?.account?.number, there?.account?.bank.name, 'PAYSTACK CHECKOUT', 500_000],
    )
    assert.equal(account.expires_at, there?.account?.expiresAt.toISOString())
    const page = await payer.reads('bank_transfer')
    for (const text of [account.account_number, account.bank_name, '₦5,000.00'])
      assert.ok(page.includes(text), text)
    assert.equal((await accountsOf(payment)).length, 1)
    assert.equal(send(account, 500_000), 'paid')
    await till.double.live.events.deliver()
    const done = await paid(payment)
    assert.deepEqual(
      [done.method, done.amount_received, done.variance, done.mismatch_by],
      ['bank_transfer', 500_000, 'exact', 'rail'],
    )
    assert.match(await payer.reads(), /Payment complete/)
    await till.pass(16 * minuteMs)
    await sweepNow(till)
    await till.pass(30 * hourMs)
    assert.equal((await read(payment)).amount_received, 500_000)
    assert.deepEqual(await till.eventsOf(payment.id), ['payment.completed'])
    const [receipt] = await till.server.app.db.query<Json>(
      'select * from provider_receipts where provider_id = $1',
      [String(there?.id)],
    )
    assert.deepEqual(
      [receipt?.kind, receipt?.subject, receipt?.transaction_id, receipt?.fee],
      ['charge', payment.id, done.transaction, BigInt(there?.fees as number)],
    )
    await till.assertSound()
  })

  it('is booked as it was asked for where the payer bears Paystack’s fee', async () => {
    till.double.live.settings.feeBearer = 'customer'
    const { payment, account } = await shown()
    const there = till.double.live.books.transactions.find(
      ({ reference }) => reference === `va-${account.id}`,
    )
    const due = till.double.live.bank.dueOf(there as never)
    assert.equal(send(account, due), 'paid')
    till.double.live.settings.feeBearer = 'business'
    await till.double.live.events.deliver()
    assert.equal((await paid(payment)).amount_received, 500_000)
    await till.assertSound()
  })

  for (const noticed of ['by the sweep', 'by its timer'] as const)
    it(`is noticed ${noticed} when no webhook comes`, async () => {
      const { payment, account } = await shown()
      send(account, 500_000)
      till.double.live.events.queue.splice(0)
      await till.pass(noticed === 'by the sweep' ? 16 * minuteMs : 12 * hourMs)
      if (noticed === 'by the sweep') await sweepNow(till)
      await paid(payment)
      await till.assertSound()
    })

  it('is not changed by a wrong amount, which Paystack sends back: the page alone says so', async () => {
    const { payment, payer, account } = await shown({ on_mismatch: 'accept' })
    assert.equal(send(account, 300_000), 'returned')
    await till.double.live.events.deliver()
    const page = await until(async () => {
      const text = await payer.reads('bank_transfer')
      return /sent back by the bank\. Please send exactly ₦5,000\.00/.test(text) && text
    })
    assert.ok(page.includes(account.account_number) && !page.includes('3,000'))
    const same = await read(payment)
    assert.deepEqual([same.status, same.amount_received, same.mismatch_by], ['pending', 0, 'rail'])
    assert.deepEqual(await till.eventsOf(payment.id), [])
    send(account, 500_000)
    await till.double.live.events.deliver()
    await paid(payment)
    await till.assertSound()
  })

  it('shows a new account when the bank has ended the one before, and takes what comes to either', async () => {
    const { payment, payer, account } = await shown()
    assert.ok(Date.parse(account.expires_at) < Date.parse(payment.expires_at))
    send(account, 500_000)
    till.double.live.events.queue.splice(0)
    await till.pass(8 * hourMs + 3 * minuteMs)
    await paid(payment)
    assert.match(await payer.reads(), /Payment complete/)

    const again = await shown()
    await till.pass(9 * hourMs)
    assert.ok(!(await again.payer.reads('bank_transfer')).includes(again.account.account_number))
    await again.payer.post('transfer')
    const all = await accountsOf(again.payment)
    assert.deepEqual(all.map(({ status }) => status).sort(), ['active', 'expired'])
    const next = all.find(({ status }) => status === 'active') as Json
    assert.notEqual(next.id, again.account.id)
    send(next, 500_000)
    await till.double.live.events.deliver()
    await paid(again.payment)
    await till.assertSound()
  })

  for (const fault of [
    'timeout_after',
    'error_before',
    'other_amount',
    'other_reference',
    'truncated',
  ] as const)
    it(`has its account in a moment when the answer is lost: ${fault}`, async () => {
      const { payment, payer } = await open()
      await till.double.fault('charge', fault)
      await payer.post('transfer')
      const [pending] = await accountsOf(payment)
      assert.equal(pending?.status, 'pending')
      assert.match(await payer.reads('bank_transfer'), /The bank is opening an account/)
      await till.pass(minuteMs)
      const opened = await readAccount(till, pending?.id)
      assert.equal(opened.status, 'active')
      assert.ok((await payer.reads('bank_transfer')).includes(opened.account_number))
      const charges = till.double.live.books.transactions.filter(
        ({ reference }) => reference === `va-${opened.id}`,
      )
      assert.equal(charges.length, 1)
      send(opened, 500_000)
      await till.double.live.events.deliver()
      await paid(payment)
      await till.assertSound()
    })

  it('says that the bank gives no account where it gives none', async (t) => {
    const small = await open({ amount: 5_000 })
    assert.match((await small.payer.post('transfer')).location, /wrong=transfer/)
    assert.match(
      await small.payer.reads('bank_transfer&wrong=transfer'),
      /gives no account for this payment/,
    )
    const { settings } = till.double.live
    settings.oneTimeAccounts = false
    t.after(() => Object.assign(settings, { oneTimeAccounts: true }))
    const { payment, payer } = await open()
    assert.match((await payer.post('transfer')).location, /wrong=transfer/)
    assert.deepEqual(await accountsOf(payment), [])
    assert.equal((await read(payment)).status, 'pending')
  })

  it('is nothing when Paystack says another amount than was asked for: a person is told', async () => {
    const { payment, account } = await shown()
    send(account, 500_000)
    await till.double.fault('verify_transaction', 'other_amount', { times: 9 })
    await till.double.live.events.deliver()
    await until(async () =>
      (await listIncidents(till.server.app.db, { rail: 'paystack' })).some(
        ({ kind, detail }) => kind === 'quarantined' && detail.reference === `va-${account.id}`,
      ),
    )
    assert.equal((await read(payment)).amount_received, 0)
    await till.double.clearFaults()
  })

  it('may be a payment of no customer, by the API alone', async () => {
    const body = { kind: 'dynamic', currency: 'ngn', amount: 250_000, reference: 'alone' }
    const account = await must(till.live('POST', '/virtual-accounts', body))
    assert.equal(account.status, 'active')
    const small = await till.live('POST', '/virtual-accounts', {
      ...body,
      reference: 'small',
      amount: 9_999,
    })
    assert.deepEqual([small.status, small.code], [422, 'validation_failed'])
    send(account, 250_000)
    await till.double.live.events.deliver()
    await until(async () => (await readAccount(till, account.id)).status === 'closed')
    const late = await must(till.live('POST', '/virtual-accounts', { ...body, reference: 'late' }))
    send(late, 250_000)
    await must(till.live('PATCH', `/virtual-accounts/${late.id}/close`))
    await till.double.live.events.deliver()
    const booked = await until(async () =>
      (await listAll(till.live, '/transactions?type=deposit')).find(
        ({ related }) => related.virtual_account === late.id,
      ),
    )
    assert.equal(booked.late, true)
    await till.assertSound()
  })

  it('is refunded by Paystack, which took it', async () => {
    const { payment, account } = await shown()
    send(account, 500_000)
    await till.double.live.events.deliver()
    await paid(payment)
    const refund = await must(till.live('POST', '/refunds', { payment: payment.id }))
    const there = await until(async () => till.double.live.books.refunds.at(-1))
    assert.equal(there.transaction.reference, `va-${account.id}`)
    till.double.live.refund.process(there.id)
    await till.pass(hourMs)
    assert.equal((await must(till.live('GET', `/refunds/${refund.id}`))).status, 'completed')
    await till.assertSound()
  })
})
