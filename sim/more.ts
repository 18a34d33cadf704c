/**
 * Writes to what money is asked for and told by: invoices, disputes, batches of payouts, tokens,
 * endpoints, settings.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import {
  accounts,
  expectDeposit,
  expectDispute,
  expectInvoicePayment,
  expectPayout,
  own,
  touched,
} from './model.ts'
import { type Operation, refundAs, simulatePayment, sizes } from './money.ts'
import type { Json } from './requests.ts'

/**
 * An invoice from its draft to where this client leaves it: its payment is pending while it is
 * open, and canceled once it is void.
 */
async function invoice(client: Client): Promise<void> {
  const { by, model } = client
  const customer = await client.write('createCustomer', 'POST', '/customers', {
    name: 'Ada Okafor',
    email: `${client.name('inv')}@example.com`,
  })
  const product = await client.write('createProduct', 'POST', '/products', {
    name: 'Shoes',
    amount: 10_000 + by.below(1e6),
    currency: 'ngn',
  })
  if (!customer || !product) return
  const line = { product: product.data.id, quantity: 1 + by.below(3) }
  if (by.happens(0.2)) await preview(client, line)
  const made = await client.write('createInvoice', 'POST', '/invoices', {
    customer: customer.data.id,
    lines: [line],
    memo: 'Thank you',
  })
  if (!made) return
  const path = `/invoices/${made.data.id}`
  let record = made.data
  const then = async (
    operation: string,
    method: string,
    more: string,
    body?: Json,
  ): Promise<void> => {
    const done = await client.write(operation, method, `${path}${more}`, body, twice[operation])
    record = done?.data ?? (await client.get(path)).data
  }
  if (by.happens(0.5)) await then('updateInvoice', 'PUT', '', { memo: null, lines: [line, line] })
  if (by.happens(0.2)) {
    await client.write('deleteInvoice', 'DELETE', path, undefined, ['not_found'])
    model.absent.add(path)
    return
  }
  await then('finalizeInvoice', 'POST', '/finalize')
  if (!record.payment)
    return client.tally.finding('answered otherwise', `${path} is finalized and has no payment`)
  const payment = (await client.get(`/payments/${record.payment}`)).data
  expectInvoicePayment(model, payment)
  if (by.happens(0.5)) await then('sendInvoice', 'POST', '/send')
  if (by.happens(0.3)) return payAndCredit(client, made.data.id, payment)
  if (by.happens(0.5)) {
    await then('voidInvoice', 'POST', '/void')
    touched(model, payment.id).ends = new Set(['canceled'])
  }
  own(model, path, record)
}
const twice: Record<string, readonly string[]> = {}

async function preview(client: Client, line: Json): Promise<void> {
  const body = { currency: 'ngn', lines: [line, line] }
  const shown = await client.write('previewInvoice', 'POST', '/invoices/preview', body)
  const total = shown?.data.lines.reduce((sum: number, one: Json) => sum + one.total, 0)
  if (shown && shown.data.total !== total)
    client.tally.finding('answered otherwise', `a preview of ${total} has ${shown.data.total}`)
}

/** An invoice is paid, refunded, and its credit note mailed once it is there. */
async function payAndCredit(client: Client, invoice: string, payment: Json): Promise<void> {
  const { by } = client
  await simulatePayment(client, { id: payment.id, amount: payment.amount }, 'completed')
  if (by.happens(0.5) || !touched(client.model, payment.id).ends.has('completed')) return
  await refundAs(client, { payment: payment.id, reference: client.name('rf') })
  const { data } = await client.get(`/credit-notes?invoice=${invoice}`)
  for (const { id } of data.docs)
    await client.write('sendCreditNote', 'POST', `/credit-notes/${id}/send`, undefined, [
      'credit_note_void',
    ])
}

/**
 * A payer's bank takes money back, this much at most. @returns the dispute; null where there is
 * none
 */
export async function openDispute(client: Client, most: number): Promise<Json | null> {
  const { by, model } = client
  const paid = model.paid.slice(-20)
  if (paid.length === 0) return null
  const payment = by.one(paid)
  const amount = 1 + by.below(Math.min(payment.amount, most))
  const made = await client.write(
    'simulateDispute',
    'POST',
    `/payments/${payment.id}/simulate-dispute`,
    { amount },
    ['payment_not_disputable', 'dispute_amount_too_large'],
  )
  if (!made) return null
  expectDispute(model, made.data)
  return made.data
}

/** Of the wallet, nothing moves by it. */
async function dispute(client: Client): Promise<void> {
  const { by, model } = client
  const opened = await openDispute(client, 1)
  if (opened === null || by.happens(0.1)) return
  if (by.happens(0.4)) await answer(client, opened)
  const outcome = by.one(['won', 'lost'])
  // One that was accepted is lost by that.
  const done = await client.write(
    'simulateDisputeEnd',
    'POST',
    `/disputes/${opened.id}/simulate`,
    { outcome },
    ['dispute_already_closed'],
  )
  if (done) touched(model, opened.id).ends = new Set([outcome])
}

/** What the business says to a dispute: it sends evidence, or accepts it. */
async function answer(client: Client, { id }: Json): Promise<void> {
  const { by, model } = client
  const path = `/disputes/${id}`
  if (by.happens(0.3)) {
    const accepted = await client.write('acceptDispute', 'POST', `${path}/accept`, undefined)
    if (accepted) touched(model, id).ends = new Set(['lost'])
    return
  }
  const texts = { customer_name: 'Ada Okafor', explanation: 'Handed over at the shop.' }
  await client.write('updateDisputeEvidence', 'PUT', `${path}/evidence`, texts)
  await client.write('submitDisputeEvidence', 'POST', `${path}/submit`, undefined)
}

/** A batch from its lines to its end: each line that was paid is a payout like any. */
async function batch(client: Client): Promise<void> {
  const { by, model } = client
  const reference = client.name('batch')
  const lines = Array.from({ length: 1 + by.below(6) }, (_, n) => ({
    reference: `${reference}-${n}`,
    amount: 10_000 + by.below(90_000),
    destination: { bank_code: '058', account_number: by.one(accounts) },
  }))
  const draft = by.happens(0.6)
  const body = { reference, currency: 'ngn', lines, skip_bad: true, dry_run: draft }
  const made = await client.write('createPayoutBatch', 'POST', '/payouts/batch', body, [
    ...sizes,
    'batch_has_bad_lines',
  ])
  if (!made) {
    for (const line of lines) model.absent.add(`/payouts/${line.reference}`)
    return
  }
  await endBatch(client, made.data, draft)
}

/** What failed of an older batch is paid again, by a batch of its own. */
async function retryBatch(client: Client): Promise<void> {
  const { by, model } = client
  if (model.batches.length === 0) return
  const path = by.one(model.batches.slice(-20))
  const body = { reference: client.name('again') }
  const made = await client.write('retryPayoutBatch', 'POST', `${path}/retry`, body, [
    'batch_not_retriable',
  ])
  if (made) await endBatch(client, made.data, true)
}

/** Confirms a draft or cancels it, and waits until the batch is over. */
async function endBatch(client: Client, { id, status }: Json, draft: boolean): Promise<void> {
  const { by, model } = client
  const path = `/payout-batches/${id}`
  if (draft && by.happens(0.7))
    await client.write('confirmPayoutBatch', 'POST', `${path}/confirm`, { skip_bad: true }, [
      ...sizes,
      'batch_has_bad_lines',
    ])
  else if (draft || by.happens(0.2))
    await client.write('cancelPayoutBatch', 'POST', `${path}/cancel`, undefined, ['batch_over'])
  // Who makes payouts of it may be dead just now.
  for (let tries = 0; tries < 600; tries++) {
    const { data } = await client.get(path)
    if (data.status !== 'running') break
    await sleep(100 + 20 * Math.min(tries, 20))
  }
  model.batches.push(path)
  const { data } = await client.get(`${path}/lines?limit=100`)
  for (const line of data.docs)
    if (line.status === 'created')
      expectPayout(model, (await client.get(`/payouts/${line.reference}`)).data)
    else if (line.status === 'waiting' && status === 'running')
      client.tally.finding(
        'end',
        `${model.name}: line ${line.line} of ${path} waits though the batch is over`,
      )
    else if (line.reference) model.absent.add(`/payouts/${line.reference}`)
}

async function tokens(client: Client): Promise<void> {
  const { by, model } = client
  const wallet = await client.write('createCryptoWallet', 'POST', '/crypto/wallets', {
    label: 'Tokens',
  })
  if (!wallet) return
  for (let left = 1 + by.below(4); left > 0; left--) {
    const body = { amount: 1 + by.below(500_000), currency: 'usdc', chain: 'base' }
    const at = `/crypto/wallets/${wallet.data.id}/simulate-deposit`
    const made = await client.write('simulateCryptoWalletDeposit', 'POST', at, body, sizes)
    if (made) expectDeposit(model, made.data)
  }
}

/** An endpoint for what never happens here, so that it gets its tests alone. */
async function endpoint(client: Client): Promise<void> {
  const { by, model } = client
  const url = `${new URL(model.endpoints[0]?.url as string).origin}/spare`
  const made = await client.write(
    'createWebhook',
    'POST',
    '/webhooks',
    { url, events: ['virtual_account.failed'] },
    ['too_many_webhooks'],
  )
  if (!made) return
  const path = `/webhooks/${made.data.id}`
  await client.write('testWebhook', 'POST', `${path}/test`, { type: 'virtual_account.failed' }, [
    'webhook_inactive',
  ])
  if (by.happens(0.5)) await client.write('updateWebhook', 'PUT', path, { description: 'Spare' })
  await client.write('deleteWebhook', 'DELETE', path, undefined, ['not_found'])
  model.absent.add(path)
}

async function sendAgain(client: Client): Promise<void> {
  const { by, model } = client
  const { data } = await client.get('/events?limit=20')
  const body = { event_id: by.one<Json>(data.docs)?.id, webhook_id: by.one(model.endpoints).id }
  if (body.event_id) model.resent.add(body.event_id)
  if (body.event_id) await client.write('resendEvent', 'POST', '/webhooks/events/resend', body)
  if (by.happens(0.4))
    await client.write('recoverWebhook', 'POST', `/webhooks/${body.webhook_id}/recover`, {
      since: new Date(Date.now() - 60_000).toISOString(),
    })
}

/** What one client alone changes of the business itself. Nothing is as high as these limits. */
async function settings(client: Client): Promise<void> {
  const { by, model } = client
  if (client.number !== 0) return
  for (let left = 1 + by.below(20); left > 0; left--) {
    const name = by.one(['Zuma Shoes', 'Adá “Ọkáfọ̀” 🙂'])
    const business = await client.write('updateBusiness', 'PUT', '/business', {
      metadata: { name },
    })
    if (business) own(model, '/business', business.data)
    // Who pays out may only make them stricter.
    const refuse_above = Number.MAX_SAFE_INTEGER - model.stricter++
    await client.write('updateLimits', 'PUT', '/limits', {
      currencies: [{ currency: 'usd', refuse_above }],
    })
  }
}

/** What is refused as things are: these keys pay out, and so decide on no payout. */
async function asksInVain(client: Client): Promise<void> {
  const { by, model } = client
  const reference = model.payouts.at(-1 - by.below(Math.min(20, model.payouts.length || 1)))
  if (reference === undefined) return
  await client.write('approvePayout', 'POST', `/payouts/${reference}/approve`, undefined, [
    'scope_missing',
  ])
  await client.write('refusePayout', 'POST', `/payouts/${reference}/refuse`, undefined, [
    'scope_missing',
  ])
  const decision = { decision: 'approve', references: [reference] }
  await client.write('decidePayouts', 'POST', '/payouts/decisions', decision, ['scope_missing'])
}

async function shares(client: Client): Promise<void> {
  const made = await client.write('createDistribution', 'POST', '/distributions', {
    name: 'Shoemaker',
    currency: 'ngn',
    shares: [
      {
        name: 'A',
        percentage_bps: 2_500,
        destination: { bank_code: '058', account_number: '0123456789' },
      },
      {
        name: 'B',
        percentage_bps: 1,
        destination: { bank_code: '058', account_number: '0123456789' },
      },
    ],
  })
  if (!made) return
  const path = `/distributions/${made.data.id}`
  await client.write('previewDistribution', 'POST', `${path}/preview`, {
    amount: 1 + client.by.below(1e6),
  })
  await client.write('settleDistribution', 'POST', `${path}/settle`, undefined, sizes)
}

/** A person is erased for good: what is left of the record reads as not found. */
async function erase(client: Client): Promise<void> {
  const { model } = client
  const made = await client.write('createCustomer', 'POST', '/customers', {
    name: 'Ngozi Eze',
    email: `${client.name('gone')}@example.com`,
  })
  if (!made) return
  await client.write('eraseCustomer', 'POST', `/customers/${made.data.id}/erase`, undefined)
  model.absent.add(`/customers/${made.data.id}`)
}

export const more: Operation[] = [
  { weight: 30, run: invoice },
  { weight: 16, run: dispute },
  { weight: 20, run: batch },
  { weight: 10, run: retryBatch },
  { weight: 6, run: tokens },
  { weight: 16, run: endpoint },
  { weight: 24, run: sendAgain },
  { weight: 16, run: settings },
  { weight: 6, run: asksInVain },
  { weight: 14, run: shares },
  { weight: 14, run: erase },
]
