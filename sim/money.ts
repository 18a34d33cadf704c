/**
 * Writes that move money, by any client of a business on any record of it.
 */
import type { Client } from './client.ts'
import {
  accounts,
  bvns,
  type Expected,
  expectConversion,
  expectDeposit,
  expectPayment,
  expectPayout,
  expectRefund,
  touched,
} from './model.ts'
import type { Json } from './requests.ts'

export type Operation = { weight: number; run(client: Client): Promise<void> }

const most = Number.MAX_SAFE_INTEGER
/**
 * What comes in: never so much that a wallet is full, which would hold up what was charged already.
 */
const incoming = ({ by }: Client): number =>
  by.one([
    () => 1 + by.below(200),
    () => 10_000 + by.below(90_000),
    () => 10_000 + by.below(5_000_000),
  ])()
/** What is asked to go out: from the smallest amount to the largest. */
const outgoing = (client: Client): number =>
  client.by.one([
    () => incoming(client),
    () => incoming(client),
    () => incoming(client),
    () => most - client.by.below(3),
  ])()

/** What an amount may be refused for. */
export const sizes = ['insufficient_funds', 'amount_too_small', 'amount_too_large']

async function fund(client: Client): Promise<void> {
  const { by, model } = client
  const currency = by.one(['ngn', 'ngn', 'usd'] as const)
  const amount = 1 + by.below(50_000_000)
  const made = await client.write(
    'simulateFunding',
    'POST',
    '/wallets/simulate-fund',
    { currency, amount },
    sizes,
  )
  if (made) model.given[currency] = (model.given[currency] ?? 0n) + BigInt(amount)
}

async function payOut(client: Client): Promise<void> {
  const { by, model } = client
  const reference = client.name('po')
  const body = {
    reference,
    amount: outgoing(client),
    currency: 'ngn',
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: by.one(accounts) },
  }
  const quote = by.happens(0.2)
    ? await client.write(
        'quotePayout',
        'POST',
        '/payouts/quote',
        { ...body, reference: undefined },
        sizes,
      )
    : null
  const given = quote === null ? body : { ...body, quote: quote.data.id }
  const made = await client.write('createPayout', 'POST', '/payouts', given, [
    ...sizes,
    'quote_expired',
  ])
  if (made) expectPayout(model, made.data)
  else model.absent.add(`/payouts/${reference}`)
}

/** Fills the wallet to the brim: then what is paid out is the largest amount there is. */
async function fill(client: Client): Promise<void> {
  const { model, by } = client
  const amount = most - by.below(2)
  const made = await client.write(
    'simulateFunding',
    'POST',
    '/wallets/simulate-fund',
    { currency: 'ngn', amount },
    sizes,
  )
  if (made) model.given.ngn = (model.given.ngn ?? 0n) + BigInt(amount)
}

/** A reference that was used before: whatever else is asked, it is refused, and leaves no hold. */
async function payOutAgain(client: Client): Promise<void> {
  const reference = latest(client)
  if (reference === undefined) return
  const body = {
    reference,
    amount: 10_000 + client.by.below(90_000),
    currency: 'ngn',
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: client.by.one(accounts) },
  }
  const made = await client.write('createPayout', 'POST', '/payouts', body, [
    ...sizes,
    'duplicate_reference',
  ])
  if (made) client.tally.finding('one reference, two payouts', reference)
}

const latest = ({ by, model }: Client): string | undefined =>
  model.payouts.at(-1 - by.below(Math.min(12, model.payouts.length || 1)))

/** The payout of a reference, in the model. */
const payoutOf = ({ model }: Client, reference: string): Expected =>
  touched(model, model.byReference.get(reference) as string)

async function cancelPayout(client: Client): Promise<void> {
  const reference = latest(client)
  if (reference === undefined) return
  const done = await client.write(
    'cancelPayout',
    'POST',
    `/payouts/${reference}/cancel`,
    undefined,
    ['payout_not_cancelable'],
  )
  if (done) payoutOf(client, reference).ends = new Set(['canceled'])
}

async function simulatePayout(client: Client): Promise<void> {
  const reference = latest(client)
  if (reference === undefined) return
  const outcome = client.by.one(['completed', 'failed', 'returned'])
  const expected = payoutOf(client, reference)
  const before = new Set(expected.ends)
  const codes = ['payout_already_final', 'payout_not_completed', 'payout_not_cancelable']
  // The sandbox is told before the payout is: whoever asks it meanwhile finds the outcome there,
  // and then this is refused as too late.
  if (outcome !== 'returned') expected.ends.add(outcome)
  const done = await client.write(
    'simulatePayout',
    'POST',
    `/payouts/${reference}/simulate`,
    { outcome },
    codes,
  )
  if (done && !expected.ends.has('returned')) expected.ends = new Set([outcome])
  else if (done) expected.ends = new Set(['returned'])
  else if (!before.has('returned')) expected.ends.add([...before][0] as string)
}

async function pay(client: Client): Promise<void> {
  const { by, model } = client
  const amount = incoming(client)
  const body = {
    reference: client.name('pay'),
    amount,
    currency: 'ngn',
    fee_bearer: by.one(['business', 'customer']),
  }
  const made = await client.write('createPayment', 'POST', '/payments', body, sizes)
  if (!made) return
  expectPayment(model, made.data)
  model.payments.push({ id: made.data.id, amount })
  if (by.happens(0.7)) await simulatePayment(client, model.payments.at(-1) as Paid)
}

export type Paid = { id: string; amount: number }

export async function simulatePayment(
  client: Client,
  payment: Paid,
  outcome = client.by.one(['completed', 'completed', 'completed', 'failed', 'expired']),
): Promise<void> {
  const { model } = client
  const expected = touched(model, payment.id)
  const path = `/payments/${payment.id}/simulate`
  const body = outcome === 'completed' ? { outcome, method: 'card' } : { outcome }
  expected.ends.add(outcome)
  const done = await client.write('simulatePayment', 'POST', path, body, [
    'payment_not_pending',
    'payment_already_final',
    ...sizes,
  ])
  if (!done) return
  // A card whose answer was lost is asked about: until then the payment is pending, and after that
  // it is what the scheme has, or somebody has canceled it.
  const canceled = expected.ends.has('canceled') ? ['canceled'] : []
  expected.ends = new Set(
    done.data.status === 'pending'
      ? ['pending', 'expired', 'failed', outcome, ...canceled]
      : [done.data.status],
  )
  if (done.data.status === 'completed') {
    model.paid.push(payment)
    expected.fields = {
      ...expected.fields,
      fee: done.data.fee,
      net: done.data.net,
      amount_received: done.data.amount_received,
    }
  }
}

async function cancelPayment(client: Client): Promise<void> {
  const { by, model } = client
  const payment = model.payments.at(-1 - by.below(Math.min(8, model.payments.length || 1)))
  if (!payment) return
  const done = await client.write(
    'cancelPayment',
    'POST',
    `/payments/${payment.id}/cancel`,
    undefined,
    [
      'payment_not_pending',
      'payment_processing',
      'payment_not_cancelable',
      'payment_already_final',
    ],
  )
  if (done) touched(model, payment.id).ends = new Set(['canceled'])
}

async function refund(client: Client): Promise<void> {
  const { by, model } = client
  const paid = model.paid.slice(-20)
  if (paid.length === 0) return
  const payment = by.one(paid)
  const body = {
    payment: payment.id,
    reference: client.name('rf'),
    ...(by.happens(0.3) ? {} : { amount: 1 + by.below(Math.min(payment.amount, 1_000_000)) }),
  }
  await refundAs(client, body)
}

/** Refunds a payment, and may decide the refund. */
export async function refundAs(client: Client, body: Json): Promise<void> {
  const { by, model } = client
  const codes = [...sizes, 'refund_too_large', 'refund_in_progress', 'payment_not_refundable']
  const made = await client.write('createRefund', 'POST', '/refunds', body, codes)
  if (!made) return
  expectRefund(model, made.data)
  if (!by.happens(0.6)) return
  const outcome = by.one(['completed', 'failed'])
  const expected = touched(model, made.data.id)
  expected.ends.add(outcome)
  const done = await client.write(
    'simulateRefund',
    'POST',
    `/refunds/${made.data.id}/simulate`,
    { outcome },
    ['refund_already_final'],
  )
  if (done) expected.ends = new Set([outcome])
}

async function convert(client: Client): Promise<void> {
  const { by, model } = client
  const [currency, destination_currency] = by.one([
    ['ngn', 'usd'],
    ['usd', 'ngn'],
  ] as const)
  const body = { amount: 1 + by.below(5_000_000), currency, destination_currency }
  const quote = await client.write('quoteConversion', 'POST', '/conversions/quote', body, [
    ...sizes,
    'conversion_too_small',
  ])
  if (!quote) return
  const made = await client.write(
    'createConversion',
    'POST',
    '/conversions',
    { quote: quote.data.id },
    [...sizes, 'quote_expired'],
  )
  if (made) expectConversion(model, made.data)
}

/** Who pays into accounts of the sandbox. */
export const sender = {
  account_name: 'Obi Eze',
  account_number: '0123456789',
  bank_name: 'GTBank',
  bank_code: '058',
}

async function deposit(client: Client): Promise<void> {
  const { by, model } = client
  const customer = await client.write('createCustomer', 'POST', '/customers', {
    name: 'Ada Okafor',
    email: `${client.name('ada')}@example.com`,
  })
  const at = `/customers/${customer?.data.id}/documents`
  await client.write('verifyCustomerDocument', 'POST', at, {
    id_type: 'bvn',
    id_number: by.one(bvns),
  })
  const opened = await client.write('createVirtualAccount', 'POST', '/virtual-accounts', {
    customer: customer?.data.id,
    currency: 'ngn',
  })
  if (!opened) return
  const { id } = opened.data
  for (let left = 1 + by.below(5); left > 0; left--) {
    const body = { amount: incoming(client), sender }
    const path = `/virtual-accounts/${id}/simulate-deposit`
    const made = await client.write('simulateVirtualAccountDeposit', 'POST', path, body, sizes)
    if (made) expectDeposit(model, made.data)
  }
  if (by.happens(0.5))
    await client.write('closeVirtualAccount', 'PATCH', `/virtual-accounts/${id}/close`, undefined, [
      'account_not_active',
    ])
}

async function moveClock(client: Client): Promise<void> {
  const advance = client.by.one(['1s', '30s', '10m', '3h'])
  await client.write('advanceTestClock', 'POST', '/test/clock', { advance })
}

/** Reads in between, as a dashboard does: what was answered must be there at once. */
async function look(client: Client): Promise<void> {
  const reference = latest(client)
  if (reference === undefined) return
  const { status, data } = await client.get(`/payouts/${reference}`)
  if (status !== 200)
    client.tally.finding(
      'answered, and lost',
      `GET /payouts/${reference}: ${status} ${JSON.stringify(data)}`,
    )
}

export const money: Operation[] = [
  { weight: 10, run: fund },
  { weight: 40, run: payOut },
  { weight: 4, run: payOutAgain },
  { weight: 8, run: cancelPayout },
  { weight: 10, run: simulatePayout },
  { weight: 20, run: pay },
  { weight: 4, run: cancelPayment },
  { weight: 12, run: refund },
  { weight: 8, run: convert },
  { weight: 8, run: deposit },
  { weight: 4, run: moveClock },
  { weight: 6, run: look },
]

/** What a business does whose wallet is full: nothing comes in but what it fills it with. */
export const atTheBrim: Operation[] = [
  { weight: 3, run: fill },
  { weight: 12, run: payOut },
  { weight: 2, run: payOutAgain },
  { weight: 4, run: cancelPayout },
  { weight: 6, run: look },
]
