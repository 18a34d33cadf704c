/**
 * What a user writes, compiled against the installed package under `strict`. It is not run. A line
 * under `@ts-expect-error` must not compile.
 */
import {
  APIConnectionError,
  APITimeoutError,
  ApiError,
  Bursar,
  BursarError,
  ConflictError,
  type CreatePayout,
  type Payout,
  RateLimitError,
  SignatureVerificationError,
  type WebhookEvent,
  webhooks,
} from '@bursar/sdk'

const bursar = new Bursar({ apiKey: 'sk_test_…', baseUrl: 'https://pay.example', timeout: 10_000 })

export async function payRent(): Promise<number> {
  const order: CreatePayout = {
    reference: 'rent-2026-11',
    amount: 5_000_000,
    currency: 'ngn',
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: '0123456789' },
  }
  const payout: Payout = await bursar.payouts.create(order, {
    idempotencyKey: 'rent-2026-11',
    signal: new AbortController().signal,
  })
  const first: number | undefined = payout.fee_breakdown[0]?.amount
  // @ts-expect-error: it is no field of a payout
  payout.colour
  // @ts-expect-error: amounts are numbers here
  const big: bigint = payout.amount
  // @ts-expect-error: it is no currency
  await bursar.payouts.create({ ...order, currency: 'gbp' })
  // @ts-expect-error: a payout has a reference
  await bursar.payouts.create({ amount: 1, currency: 'ngn' })
  // @ts-expect-error: what takes no Idempotency-Key has none to give
  await bursar.products.archive('6925f3a1c0ffee00c0ffee01', { idempotencyKey: 'x' })
  return payout.amount + (first ?? 0) + Number(big)
}

export async function lists(): Promise<void> {
  const page = await bursar.payments.list({ status: 'completed', limit: 50 })
  const more: boolean = page.hasNextPage
  const total: number = page.totalDocs
  for await (const payment of bursar.payments.list({ currency: 'ngn' })) {
    const amount: number = payment.amount
    const reference: string = payment.reference
    console.log(amount, reference, more, total)
  }
  for await (const line of bursar.payoutBatches.listLines('6925f3a1c0ffee00c0ffee01'))
    console.log(line.line)
  const [wallets, banks] = await Promise.all([bursar.wallets.list(), bursar.banks.list('ng')])
  console.log(wallets[0]?.available, banks[0]?.code)
  const pdf: Uint8Array = await bursar.invoices.getPdf('6925f3a1c0ffee00c0ffee01')
  console.log(pdf.length)
  // @ts-expect-error: it is no status of a payment
  bursar.payments.list({ status: 'gone' })
}

export async function exact(): Promise<bigint> {
  const exactly = new Bursar({
    apiKey: 'sk_test_…',
    baseUrl: 'https://pay.example',
    money: 'bigint',
  })
  const wallets = await exactly.wallets.list()
  const available: bigint = wallets[0]?.available ?? 0n
  const page = await exactly.payouts.list({ amount: 5_000_000n })
  const total: number = page.totalDocs
  await exactly.products.create({
    name: 'A yacht',
    amount: 9_007_199_254_740_991n,
    currency: 'ngn',
  })
  for (const event of (await exactly.events.list()).docs)
    if (event.type === 'payout.completed') return event.payload.amount
  // @ts-expect-error: amounts are bigints here
  const small: number = available
  return available + BigInt(total) + BigInt(small)
}

export async function errors(): Promise<string> {
  try {
    await bursar.payouts.get('rent-2026-11')
  } catch (error) {
    if (error instanceof RateLimitError) return `later: ${error.retryAfter}`
    if (error instanceof ConflictError && error.code === 'duplicate_reference') return 'done before'
    if (error instanceof ApiError) {
      // @ts-expect-error: no refusal has this code
      if (error.code === 'insuficient_funds') return 'a slip'
      const { status, requestId, errors: issues, details } = error
      return `${status} ${requestId} ${issues[0]?.path} ${details.available}`
    }
    if (error instanceof APITimeoutError || error instanceof APIConnectionError) return 'unknown'
    if (error instanceof BursarError) return error.message
  }
  return 'ok'
}

/** As an edge runtime gives a request. */
export async function receive(request: Request): Promise<Response> {
  let event: WebhookEvent
  try {
    event = await webhooks.verify(await request.text(), request.headers, ['weh_new', 'weh_old'], {
      tolerance: 60,
    })
  } catch (error) {
    if (error instanceof SignatureVerificationError)
      return new Response(error.message, { status: 401 })
    throw error
  }
  handle(event)
  return new Response(null, { status: 204 })
}

export function handle(event: WebhookEvent): number | string {
  switch (event.type) {
    case 'payment.completed':
      return event.payload.amount_received
    case 'payout.failed':
      return event.payload.failure_reason ?? 'unknown'
    case 'customer.document.verified':
      return event.payload.id_type
    // @ts-expect-error: there is no such event
    case 'payment.complete':
      return 0
    default:
      // Types that a later server has.
      return event.id
  }
}

export async function follow(place: string | undefined): Promise<void> {
  const stream = bursar.events.stream(place === undefined ? {} : { after: place })
  for await (const event of stream) {
    handle(event)
    console.log(stream.lastEventId)
    break
  }
}
