/**
 * Each operation once, on the server itself: what is asked arrives, and what is answered comes out.
 */
import assert from 'node:assert/strict'
import { bankAccount, noId, sender } from '../../test/support/actors.ts'
import { confirmOwn } from '../../test/support/approvers.ts'
import { until } from '../../test/support/harness.ts'
import { proveNow } from '../../test/support/proven.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Json } from './driver.ts'

const bytes = ({ bytes: text }: Json): Buffer => Buffer.from(text, 'base64')

const customerOf = (t: Bench): Promise<Json> =>
  t.call('customers.create', {
    body: { name: 'Ada Okafor', email: `${t.unique('ada')}@example.com` },
  })

const productOf = (t: Bench, amount = 1_250_000): Promise<Json> =>
  t.call('products.create', { body: { name: 'Running shoes', amount, currency: 'ngn' } })

const order = {
  amount: 5_000_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: bankAccount(),
}

async function invoiceOf(t: Bench): Promise<Json> {
  const [customer, product] = [await customerOf(t), await productOf(t)]
  return t.call('invoices.create', {
    body: { customer: customer.id, lines: [{ product: product.id, quantity: 2 }] },
  })
}

async function paymentOf(t: Bench): Promise<Json> {
  const { id } = await t.call('payments.create', { body: { amount: 1_250_000, currency: 'ngn' } })
  return t.call('payments.simulate', { args: [id], body: { outcome: 'completed', method: 'card' } })
}

const list = async (t: Bench, name: string, id?: string): Promise<void> => {
  const page = await t.call(name, { query: { limit: 100 } })
  assert.equal(typeof page.totalDocs, 'number', name)
  if (id !== undefined)
    assert.ok(
      page.docs.some((one: Json) => one.id === id),
      name,
    )
}

async function assertCsv(t: Bench, name: string, given = {}): Promise<void> {
  const text = bytes(await t.call(name, given)).toString()
  assert.match(text, /^\uFEFF?\w+(,[\w ()]+)+\r?\n/, `${name}: ${text.slice(0, 200)}`)
}

async function assertPdf(t: Bench, name: string, id: string): Promise<void> {
  assert.equal(
    bytes(await t.call(name, { args: [id] }))
      .subarray(0, 5)
      .toString(),
    '%PDF-',
    name,
  )
}

const cases: Record<string, (t: Bench) => Promise<void>> = {
  async server(t) {
    assert.equal((await t.call('server.get')).name, 'bursar')
    assert.equal((await t.call('server.getHealth')).status, 'ok')
    // It needs no key.
    assert.equal(
      (await t.call('server.getHealth', { client: { api_key: 'sk_test_none' } })).status,
      'ok',
    )
  },
  async wallets(t) {
    const funded = await t.call('wallets.simulateFunding', {
      body: { currency: 'ngn', amount: 9_000_000_000 },
    })
    assert.equal(funded.available, 9_000_000_000)
    const wallets = await t.call('wallets.list', { query: { currency: 'ngn' } })
    assert.deepEqual(
      wallets.map(({ currency }: Json) => currency),
      ['ngn'],
    )
    assert.equal(wallets[0].available, 9_000_000_000)
  },
  async customers(t) {
    const name = 'Adá “Ọkáfọ̀” 🙂'
    const made = await t.call('customers.create', {
      body: {
        name,
        email: 'ada+1@example.com',
        metadata: { deep: { list: [1, null, true, 'x'] } },
      },
    })
    assert.deepEqual([made.name, made.metadata], [name, { deep: { list: [1, null, true, 'x'] } }])
    assert.equal((await t.call('customers.get', { args: [made.id] })).email, 'ada+1@example.com')
    const found = await t.call('customers.list', { query: { email: 'ada+1@example.com' } })
    assert.deepEqual(
      found.docs.map(({ id }: Json) => id),
      [made.id],
    )
    const changed = await t.call('customers.update', {
      args: [made.id],
      body: { phone: '+2348087654321' },
    })
    assert.equal(changed.phone, '+2348087654321')
    await assertCsv(t, 'customers.export')
    const document = await t.call('customers.verifyDocument', {
      args: [made.id],
      body: { id_type: 'bvn', id_number: '22123456789' },
    })
    assert.equal(document.status, 'verified')
    const documents = await t.call('customers.listDocuments', { args: [made.id] })
    assert.deepEqual(
      documents.map(({ id_type }: Json) => id_type),
      ['bvn'],
    )
    assert.equal(
      (await t.call('customers.exportData', { args: [made.id] })).customer.email,
      'ada+1@example.com',
    )
    assert.equal((await t.call('customers.delete', { args: [made.id] })).id, made.id)
    assert.equal((await t.call('customers.erase', { args: [made.id] })).id, made.id)
  },
  async 'virtual accounts'(t) {
    const customer = await customerOf(t)
    await t.call('customers.verifyDocument', {
      args: [customer.id],
      body: { id_type: 'bvn', id_number: '22123456789' },
    })
    const made = await t.call('virtualAccounts.create', {
      body: { customer: customer.id, currency: 'ngn' },
    })
    assert.equal(
      (await t.call('virtualAccounts.get', { args: [made.id] })).account_number,
      made.account_number,
    )
    await list(t, 'virtualAccounts.list', made.id)
    await assertCsv(t, 'virtualAccounts.export', { query: { currency: 'ngn' } })
    const deposit = await t.call('virtualAccounts.simulateDeposit', {
      args: [made.id],
      body: { amount: 500_000, sender },
    })
    assert.deepEqual([deposit.type, deposit.amount], ['deposit', 500_000])
    assert.equal((await t.call('virtualAccounts.close', { args: [made.id] })).status, 'closed')
  },
  async crypto(t) {
    assert.ok((await t.call('cryptoTokens.list')).some(({ currency }: Json) => currency === 'usdc'))
    const made = await t.call('cryptoWallets.create', { body: { label: 'Deposits' } })
    assert.equal((await t.call('cryptoWallets.get', { args: [made.id] })).address, made.address)
    await list(t, 'cryptoWallets.list', made.id)
    await assertCsv(t, 'cryptoWallets.export')
    const deposit = await t.call('cryptoWallets.simulateDeposit', {
      args: [made.id],
      body: { amount: 5_000, currency: 'usdc' },
    })
    assert.equal(deposit.method, 'crypto')
    assert.equal((await t.call('cryptoWallets.listDeposits', { args: [made.id] })).limit, 20)
    assert.equal((await t.call('cryptoWallets.close', { args: [made.id] })).status, 'closed')
  },
  async payments(t) {
    const reference = t.unique('order')
    const body = {
      reference,
      amount: 1_250_000,
      currency: 'ngn',
      redirect_url: null,
      metadata: { cart: '8121' },
    }
    const made = await t.call('payments.create', {
      body: { ...body, redirect_url: 'https://shop.example/thanks?a=1&b=2' },
    })
    assert.deepEqual([made.reference, made.amount, made.status], [reference, 1_250_000, 'pending'])
    assert.equal(
      (await t.call('payments.get', { args: [made.id] })).redirect_url,
      'https://shop.example/thanks?a=1&b=2',
    )
    assert.equal((await t.call('payments.getByReference', { args: [reference] })).id, made.id)
    const found = await t.call('payments.list', {
      query: { reference, status: 'pending', amount: 1_250_000 },
    })
    assert.deepEqual(
      found.docs.map(({ id }: Json) => id),
      [made.id],
    )
    await assertCsv(t, 'payments.export', { query: { status: 'pending' } })
    assert.equal((await t.call('payments.cancel', { args: [made.id] })).status, 'canceled')
    assert.equal((await paymentOf(t)).status, 'completed')
  },
  async collections(t) {
    const made = await t.call('collections.create', {
      body: { name: 'School fees', currency: 'ngn', amount: 5_000_000 },
    })
    assert.equal((await t.call('collections.get', { args: [made.id] })).amount, 5_000_000)
    await list(t, 'collections.list', made.id)
    // `false` is a value of a query, too.
    const off = await t.call('collections.list', { query: { active: false } })
    assert.ok(!off.docs.some(({ id }: Json) => id === made.id))
    await assertCsv(t, 'collections.export')
    const changed = await t.call('collections.update', {
      args: [made.id],
      body: { description: null, amount: 5_500_000 },
    })
    assert.deepEqual([changed.description, changed.amount], [null, 5_500_000])
    assert.deepEqual((await t.call('collections.listPayments', { args: [made.id] })).docs, [])
    assert.ok((await t.call('collections.cancel', { args: [made.id] })).canceled_at)
  },
  async disputes(t) {
    const payment = await paymentOf(t)
    const made = await t.call('payments.simulateDispute', {
      args: [payment.id],
      body: { amount: 250_000 },
    })
    assert.equal((await t.call('disputes.get', { args: [made.id] })).status, 'open')
    await list(t, 'disputes.list', made.id)
    await assertCsv(t, 'disputes.export', { query: { payment: payment.id } })
    const evidence = { explanation: 'Handed over in the shop.', customer_name: 'Ada Okafor' }
    await t.call('disputes.updateEvidence', { args: [made.id], body: evidence })
    const kept = await t.call('disputes.getEvidence', { args: [made.id] })
    assert.deepEqual([kept.explanation, kept.status], [evidence.explanation, 'draft'])
    await assertPdf(t, 'disputes.evidencePdf', made.id)
    await t.call('disputes.submit', { args: [made.id] })
    const ended = await t.call('disputes.simulate', { args: [made.id], body: { outcome: 'lost' } })
    assert.equal(ended.status, 'lost')
    const other = await t.call('payments.simulateDispute', {
      args: [payment.id],
      body: { amount: 100_000 },
    })
    assert.equal((await t.call('disputes.accept', { args: [other.id] })).accepts, true)
  },

  async conversions(t) {
    const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }
    const quote = await t.call('conversions.quote', { body: swap })
    const made = await t.call('conversions.create', { body: { quote: quote.id } })
    assert.deepEqual(await t.call('conversions.get', { args: [made.id] }), made)
    await list(t, 'conversions.list', made.id)
    await assertCsv(t, 'conversions.export')
  },

  async refunds(t) {
    const payment = await paymentOf(t)
    const made = await t.call('refunds.create', { body: { payment: payment.id, amount: 250_000 } })
    assert.equal((await t.call('refunds.get', { args: [made.id] })).status, 'initiated')
    await list(t, 'refunds.list', made.id)
    await assertCsv(t, 'refunds.export', { query: { payment: payment.id } })
    const ended = await t.call('refunds.simulate', {
      args: [made.id],
      body: { outcome: 'completed' },
    })
    assert.equal(ended.status, 'completed')
  },
  async products(t) {
    const made = await productOf(t)
    assert.equal((await t.call('products.get', { args: [made.id] })).name, 'Running shoes')
    await list(t, 'products.list', made.id)
    await assertCsv(t, 'products.export', { query: { active: true } })
    assert.equal(
      (await t.call('products.update', { args: [made.id], body: { amount: 1_400_000 } })).amount,
      1_400_000,
    )
    assert.equal((await t.call('products.archive', { args: [made.id] })).active, false)
    assert.equal((await t.call('products.unarchive', { args: [made.id] })).active, true)
  },
  async distributions(t) {
    const shares = [{ name: 'Shoemaker', percentage_bps: 6_000, destination: bankAccount() }]
    const made = await t.call('distributions.create', {
      body: { name: 'Shoemaker', currency: 'ngn', shares },
    })
    const at = { args: [made.id] }
    assert.equal((await t.call('distributions.get', at)).shares[0].percentage_bps, 6_000)
    await list(t, 'distributions.list', made.id)
    await assertCsv(t, 'distributions.export')
    const changed = await t.call('distributions.update', {
      ...at,
      body: { name: 'Shoemaker alone' },
    })
    assert.equal(changed.name, 'Shoemaker alone')
    assert.equal((await t.call('distributions.deactivate', at)).active, false)
    assert.equal((await t.call('distributions.activate', at)).active, true)
    const preview = await t.call('distributions.preview', { ...at, body: { amount: 1_000 } })
    assert.deepEqual([preview.shares[0].amount, preview.rest], [600, 400])
    assert.deepEqual(await t.call('distributions.settle', at), { payouts: [], skipped: [] })
  },
  async invoices(t) {
    const draft = await invoiceOf(t)
    assert.equal((await t.call('invoices.get', { args: [draft.id] })).total, 2_500_000)
    await list(t, 'invoices.list', draft.id)
    await assertCsv(t, 'invoices.export')
    const lines = [{ name: 'Repair', amount: 10_000, quantity: 2, discount_bps: 1_000 }]
    const preview = await t.call('invoices.preview', { body: { currency: 'ngn', lines } })
    assert.equal(preview.total, 18_000)
    assert.equal(
      (await t.call('invoices.update', { args: [draft.id], body: { memo: 'Thank you' } })).memo,
      'Thank you',
    )
    assert.equal((await t.call('invoices.delete', { args: [draft.id] })).id, draft.id)
    const { id } = await invoiceOf(t)
    assert.equal((await t.call('invoices.finalize', { args: [id] })).status, 'open')
    assert.equal((await t.call('invoices.send', { args: [id] })).id, id)
    await assertPdf(t, 'invoices.getPdf', id)
    assert.equal((await t.call('invoices.void', { args: [id] })).status, 'void')
  },
  async 'credit notes'(t) {
    const { payment, id } = await t.call('invoices.finalize', { args: [(await invoiceOf(t)).id] })
    await t.call('payments.simulate', {
      args: [payment],
      body: { outcome: 'completed', method: 'card' },
    })
    const refund = await t.call('refunds.create', { body: { payment } })
    await t.call('refunds.simulate', { args: [refund.id], body: { outcome: 'completed' } })
    const { docs } = await t.call('creditNotes.list', { query: { invoice: id } })
    assert.equal(docs.length, 1)
    assert.equal((await t.call('creditNotes.get', { args: [docs[0].id] })).refund, refund.id)
    await assertCsv(t, 'creditNotes.export')
    await assertPdf(t, 'creditNotes.getPdf', docs[0].id)
    assert.equal((await t.call('creditNotes.send', { args: [docs[0].id] })).id, docs[0].id)
  },
  async payouts(t) {
    const quote = await t.call('payouts.quote', { body: order })
    assert.equal(quote.amount, 5_000_000)
    const reference = t.unique('rent')
    const made = await t.call('payouts.create', { body: { reference, ...order, quote: quote.id } })
    assert.deepEqual([made.reference, made.quote, made.status], [reference, quote.id, 'pending'])
    assert.equal((await t.call('payouts.get', { args: [reference] })).id, made.id)
    const found = await t.call('payouts.list', { query: { reference } })
    assert.deepEqual(
      found.docs.map(({ id }: Json) => id),
      [made.id],
    )
    await assertCsv(t, 'payouts.export')
    const ended = await t.call('payouts.simulate', {
      args: [reference],
      body: { outcome: 'completed' },
    })
    assert.equal(ended.status, 'completed')
    const other = t.unique('rent:2=a.b')
    await t.call('payouts.create', { body: { reference: other, ...order } })
    assert.equal((await t.call('payouts.cancel', { args: [other] })).status, 'canceled')
  },
  async approvals(t) {
    assert.equal((await t.call('limits.get')).currencies.length, 2)
    assert.ok((await t.call('limits.rules')).rules.length > 5)
    const currencies = [{ currency: 'ngn', approve_above: 4_000_000 }]
    const limits = await t.call('limits.update', { body: { currencies } })
    assert.equal(
      limits.currencies.find(({ currency }: Json) => currency === 'ngn').approve_above,
      4_000_000,
    )
    const [first, second, third] = [t.unique('big'), t.unique('big'), t.unique('big')]
    for (const reference of [first, second, third]) {
      const { approval } = await t.call('payouts.create', { body: { reference, ...order } })
      assert.equal(approval, 'waiting')
    }
    const client = t.approver
    assert.equal((await t.call('payouts.approve', { args: [first], client })).approval, 'approved')
    assert.equal((await t.call('payouts.refuse', { args: [second], client })).approval, 'refused')
    const body = { decision: 'approve', references: [third, first] }
    const { decided, skipped } = await t.call('payouts.decide', { body, client })
    assert.deepEqual([decided[0].reference, skipped[0].code], [third, 'payout_not_waiting'])
    // What loosens limits waits in live mode alone.
    const none = { type: 'NotFoundError', status: 404, code: 'not_found' } as const
    await t.refused(t.call('limits.confirmPending', { args: [noId], client }), none)
    await t.refused(t.call('limits.cancelPending', { args: [noId] }), none)
  },
  async 'payout batches'(t) {
    const reference = t.unique('wages')
    const lines = [1, 2, 3].map((n) => ({ amount: n * 100_000, destination: bankAccount() }))
    const made = await t.call('payoutBatches.create', {
      body: { reference, currency: 'ngn', dry_run: true, lines },
    })
    const at = { args: [made.id] }
    assert.equal((await t.call('payoutBatches.get', at)).counts.lines, 3)
    await list(t, 'payoutBatches.list', made.id)
    const page = await t.call('payoutBatches.listLines', { ...at, query: { limit: 2 } })
    assert.deepEqual(
      page.docs.map(({ line }: Json) => line),
      [1, 2],
    )
    assert.notEqual(
      (await t.call('payoutBatches.confirm', { ...at, body: { skip_bad: true } })).status,
      'draft',
    )
    const more = await t.call('payoutBatches.create', {
      body: { reference: t.unique('wages'), currency: 'ngn', dry_run: true, lines },
    })
    await t.refused(
      t.call('payoutBatches.retry', { args: [more.id], body: { reference: t.unique('again') } }),
      { type: 'InvalidRequestError', status: 400, code: 'batch_not_retriable' },
    )
    assert.equal((await t.call('payoutBatches.cancel', { args: [more.id] })).status, 'canceled')
    const orders = await t.call('payoutBatches.export', {
      args: [more.id],
      query: { debtor_account: '0123456789' },
    })
    assert.match(bytes(orders).toString(), /<NbOfTxs>3<\/NbOfTxs><CtrlSum>6000\.00</)
  },
  async 'beneficiaries and schedules'(t) {
    const body = {
      label: 'Our account',
      method: 'bank_transfer',
      destination: bankAccount(),
      own: true,
    }
    const { id } = await t.call('beneficiaries.create', { body })
    await list(t, 'beneficiaries.list', id)
    await assertCsv(t, 'beneficiaries.export', { query: { own: true } })
    const changed = await t.call('beneficiaries.update', { args: [id], body: { label: 'Ours' } })
    assert.equal(changed.label, 'Ours')
    await confirmOwn(t.server, id)
    assert.ok((await t.call('beneficiaries.get', { args: [id] })).confirmed_at)
    const schedule = await t.call('payoutSchedules.create', {
      body: { currency: 'ngn', beneficiary: id, interval: 'daily' },
    })
    const at = { args: [schedule.id] }
    assert.equal((await t.call('payoutSchedules.get', at)).interval, 'daily')
    await list(t, 'payoutSchedules.list', schedule.id)
    const paused = await t.call('payoutSchedules.update', { ...at, body: { status: 'paused' } })
    assert.equal(paused.status, 'paused')
    assert.deepEqual((await t.call('payoutSchedules.listRuns', at)).docs, [])
    assert.equal((await t.call('payoutSchedules.delete', at)).id, schedule.id)
    assert.equal((await t.call('beneficiaries.delete', { args: [id] })).id, id)
  },
  async 'transactions, statements and reports'(t) {
    const { docs } = await t.call('transactions.list', { query: { type: 'simulated_fund' } })
    assert.equal(
      (await t.call('transactions.verify', { args: [docs[0].id] })).amount,
      docs[0].amount,
    )
    await assertCsv(t, 'transactions.export', { query: { currency: 'ngn' } })
    await proveNow(t.server)
    const receipt = await t.call('transactions.getReceipt', { args: [docs[0].id] })
    const [{ day, root }] = receipt.days
    const [cell] = (await t.call('proofs.get', { args: [day] })).cells
    assert.equal(cell.root, root)
    assert.ok((await t.call('proofs.listKeys')).some(({ id }: Json) => id === cell.key))
    const month = docs[0].created_at.slice(0, 7)
    assert.equal((await t.call('statements.get', { args: [month] })).month, month)
    await assertCsv(t, 'statements.getCsv', { args: [month] })
    await assertPdf(t, 'statements.getPdf', month)
    const journal = bytes(await t.call('exports.journal', { query: { format: 'hledger' } }))
    assert.match(journal.toString(), /^account Income:Payments$/m)
    // The first day of the business is not over.
    const wallet = { currency: 'ngn', format: 'mt940' }
    await t.refused(t.call('exports.statement', { query: wallet }), {
      status: 422,
      code: 'validation_failed',
    })
    const query = { from: `${month}-01`, to: `${month}-28` }
    for (const name of ['reports.getFees', 'reports.getSettlements', 'reports.getPayouts'])
      assert.ok(Array.isArray((await t.call(name, { query })).lines), name)
    for (const name of ['reports.getFeesCsv', 'reports.getSettlementsCsv'])
      await assertCsv(t, name, { query: { ...query, by: 'month' } })
  },
  async 'banks, business and records'(t) {
    assert.ok(
      (await t.call('banks.list', { args: ['ng'] })).some(({ code }: Json) => code === '058'),
    )
    const resolved = await t.call('banks.resolve', { args: ['ng'], query: bankAccount() })
    assert.equal(typeof resolved.account_name, 'string')
    assert.equal((await t.call('business.get')).livemode, false)
    assert.equal((await t.call('business.update', { body: { locale: 'en-NG' } })).locale, 'en-NG')
    await list(t, 'audit.list')
    await assertCsv(t, 'audit.export')
    const { docs } = await t.call('payments.list')
    assert.equal((await t.call('records.explain', { args: [docs[0].id] })).kind, 'payment')
    const [request] = await until(async () => {
      const requests = (await t.call('requests.list', { query: { method: 'PUT' } })).docs
      return requests.length > 0 && requests
    })
    assert.equal((await t.call('requests.get', { args: [request.id] })).method, 'PUT')
  },
  async webhooks(t) {
    const url = `${t.receiver.url}/${t.unique('operations')}`
    const made = await t.call('webhooks.create', { body: { url, events: ['payout.completed'] } })
    const at = { args: [made.id] }
    assert.match(made.secret, /^weh_/)
    assert.equal((await t.call('webhooks.get', at)).url, url)
    await list(t, 'webhooks.list', made.id)
    assert.deepEqual((await t.call('webhooks.update', { ...at, body: { events: ['*'] } })).events, [
      '*',
    ])
    assert.notEqual((await t.call('webhooks.rollSecret', at)).secret, made.secret)
    const delivery = await t.call('webhooks.test', { ...at, body: { type: 'payout.completed' } })
    assert.equal(
      (await t.call('webhookDeliveries.get', { args: [delivery.id] })).webhook_id,
      made.id,
    )
    const deliveries = await t.call('webhookDeliveries.list', { query: { webhook_id: made.id } })
    assert.equal(deliveries.docs[0].id, delivery.id)
    assert.equal(
      (await t.call('webhooks.recover', { ...at, body: { since: '2026-01-01T00:00:00Z' } }))
        .recovered,
      0,
    )
    const { docs } = await t.call('events.list', { query: { type: 'payout.completed' } })
    assert.equal((await t.call('events.get', { args: [docs[0].id] })).type, 'payout.completed')
    const again = await t.call('events.resend', {
      body: { event_id: docs[0].id, webhook_id: made.id },
    })
    assert.equal(again.event_id, docs[0].id)
    assert.equal((await t.call('webhooks.delete', at)).id, made.id)
  },
  async 'test clock'(t) {
    const before = await t.call('testClock.get')
    const after = await t.call('testClock.advance', { body: { advance: '90s' } })
    assert.ok(after.offset_ms >= before.offset_ms + 90_000)
  },
}

export const operations: Case[] = Object.entries(cases).map(([name, run]) => ({
  group: 'operations',
  name,
  run,
}))
