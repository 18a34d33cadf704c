/**
 * A double of Stripe's Checkout Sessions (API v1): a real HTTP server with sessions and payments of
 * its own, snapshot events and faults. Its bodies are checked against the types of Stripe's library
 * when they are compiled, and it takes no parameter that it does not know.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Stripe } from 'stripe'
import { disconnecterOf } from './connections.ts'
import {
  type AnswerFault,
  beforeFaults,
  type Fault,
  openRules,
  type Rule,
} from './paystack/faults.ts'
import { json, sendAnswer } from './sending.ts'
import { bookOperations, bookRoutes, openBooks } from './stripe-cards/books.ts'
import { cashOperations, cashRoutes, openCash } from './stripe-cards/cash.ts'
import { openSnapshots } from './stripe-cards/events.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json; subject?: string }

/** Every operation that the double knows. */
export const operations = [
  'create_session',
  'get_session',
  'get_payment',
  'list_events',
  'create_refund',
  'get_refund',
  'list_refunds',
  ...cashOperations,
  ...bookOperations,
] as const
export type OperationName = (typeof operations)[number]
export type Recorded = {
  operation: OperationName
  method: string
  path: string
  body: string
  fault: AnswerFault | null
  /** What was answered, or would have been: null where nothing was done. */
  answer: Answer | null
}
export type Double = Awaited<ReturnType<typeof startStripeCards>>

/** A payment at the double; `declines` has the code of each card that was declined. */
export type KeptPayment = {
  id: string
  status: 'requires_payment_method' | 'processing' | 'succeeded'
  received: number
  error: { code: string; decline_code: string } | null
  refunded: boolean
  card: { brand: string; last4: string }
}
export type KeptSession = {
  id: string
  reference: string
  amount: number
  created: number
  expires_at: number
  status: 'open' | 'complete' | 'expired'
  payment: KeptPayment | null
  form: URLSearchParams
}

/** Whether a fault can befall an operation. */
export function applies(operation: OperationName, fault: Fault): boolean {
  if (operation === 'create_payment' || operation === 'create_customer')
    return fault !== 'arrives_late' && !fault.startsWith('webhook_') && fault !== 'other_amount'
  if (operation === 'create_refund') return !fault.startsWith('webhook_') && fault !== 'other_mode'
  if (operation !== 'create_session' && operation !== 'get_session') return false
  if (fault === 'arrives_late' || fault.startsWith('webhook_'))
    return operation === 'create_session'
  return true
}

/** Cents. */
export type KeptRefund = {
  id: string
  reference: string
  payment: string
  amount: number
  status: 'pending' | 'succeeded' | 'failed'
}

class Refused extends Error {
  readonly answer: Answer
  constructor(status: number, code: string, message: string, type?: string) {
    super(message)
    this.answer = { status, body: refusal(code, message, type) }
  }
}
const refusal = (code: string, message: string, type = 'invalid_request_error'): Json => ({
  error: { type, code, message },
})
const dayMs = 86_400_000
const keptPerMille = 29
const fixedFee = 30

/** What a session may be made of, and what it must. */
const fields =
  /^(mode|client_reference_id|metadata\[bursar_id\]|allowed_payment_method_types\[0\]|adaptive_pricing\[enabled\]|line_items\[0\]\[(quantity|price_data\]\[(currency|unit_amount|product_data\]\[name))\]|payment_intent_data\[(capture_method|metadata\]\[bursar_id)\]|success_url|cancel_url|expires_at|customer_email)$/

/**
 * @param options.now the double's time; `slowMs`: how long it takes where it is slow; `livemode`:
 * what it says of its mode
 */
export async function startStripeCards(
  options: { now?: () => Date; slowMs?: number; livemode?: boolean } = {},
) {
  const { now = () => new Date(), slowMs = 350, livemode = true } = options
  // As the other double's: accounts for cards and for payouts may share it.
  const secretKey = 'sk_live_double'
  const secrets = { live: 'whsec_cards', previous: 'whsec_cards_before', other: 'whsec_other' }
  const rules = openRules()
  const requests: Recorded[] = []
  const violations: string[] = []
  const sessions: KeptSession[] = []
  const refunds: KeptRefund[] = []
  const remembered = new Map<string, { raw: string; answer: Answer; at: Date }>()
  const underWay: (() => void)[] = []
  /** What becomes of refunds at once; and how they are refused, where a test says so. */
  const settings = {
    refunds: 'succeeded' as KeptRefund['status'],
    refuseRefunds: null as { status: number; type: string; code: string } | null,
  }
  let last = 0
  const id = (prefix: string): string => `${prefix}_live_${String(++last).padStart(12, '0')}`
  const seconds = (): number => Math.floor(now().getTime() / 1_000)
  const events = openSnapshots({ rules, secrets, now, id, livemode })

  const refused = (status: number, code: string, message: string): Error =>
    new Refused(status, code, message)
  const books = openBooks({ seconds, id, livemode, emit: events.emit, refused })
  const cash = openCash({ seconds, id, livemode, violations, books, emit: events.emit, refused })

  const paymentOf = (session: KeptSession): Json => {
    const { payment } = session
    if (payment === null) return null
    const change = books.all.find(
      ({ type, source }) => type === 'charge' && source().payment_intent === payment.id,
    )
    const charge: Partial<Omit<Stripe.Charge, 'payment_method_details' | 'balance_transaction'>> &
      Json = {
      id: `ch_${payment.id}`,
      object: 'charge',
      amount: payment.received,
      currency: 'usd',
      livemode,
      paid: true,
      refunded: payment.refunded,
      balance_transaction: change && books.bodyOf(change),
      payment_method_details: { type: 'card', card: payment.card },
    }
    const intent: Partial<Omit<Stripe.PaymentIntent, 'latest_charge' | 'last_payment_error'>> &
      Json = {
      id: payment.id,
      object: 'payment_intent',
      amount: session.amount,
      amount_received: payment.received,
      currency: 'usd',
      livemode,
      status: payment.status,
      metadata: { bursar_id: session.reference },
      latest_charge: payment.received > 0 ? charge : null,
      last_payment_error: payment.error === null ? null : { type: 'card_error', ...payment.error },
    }
    return intent
  }
  const bodyOf = (session: KeptSession): Json => {
    const isPaid = session.payment?.status === 'succeeded'
    const body: Partial<Omit<Stripe.Checkout.Session, 'payment_intent'>> & Json = {
      id: session.id,
      object: 'checkout.session',
      mode: 'payment',
      livemode,
      currency: 'usd',
      client_reference_id: session.reference,
      metadata: { bursar_id: session.reference },
      amount_total: session.amount,
      created: session.created,
      expires_at: session.expires_at,
      status: session.status,
      payment_status: isPaid ? 'paid' : 'unpaid',
      payment_intent: paymentOf(session),
      url: session.status === 'open' ? pageOf(session) : null,
    }
    return body
  }
  const pageOf = (session: Pick<KeptSession, 'id'>): string =>
    `https://checkout.stripe.com/c/pay/${session.id}`
  const tell = (session: KeptSession, type: string): void =>
    events.emit(
      type,
      session.reference,
      type.startsWith('payment_intent') ? paymentOf(session) : bodyOf(session),
    )

  const found = (reference: string): KeptSession => {
    const session = sessions.find((one) => one.reference === reference)
    if (session === undefined) throw new Error(`The double has no session ${reference}.`)
    return session
  }
  /** Stripe ends pages by its own clock. */
  const expireOld = (): void => {
    for (const session of sessions)
      if (session.status === 'open' && session.expires_at <= seconds()) {
        session.status = 'expired'
        tell(session, 'checkout.session.expired')
      }
  }
  const touched = (session: KeptSession): KeptPayment => {
    if (session.status !== 'open')
      throw new Error(`The page of ${session.reference} is ${session.status}.`)
    session.payment ??= {
      id: id('pi').replace('_live', ''),
      status: 'requires_payment_method',
      received: 0,
      error: null,
      refunded: false,
      card: { brand: 'visa', last4: '4242' },
    }
    return session.payment
  }
  /** What payers do on the page. */
  const payer = {
    of: found,
    isOpen(reference: string): boolean {
      expireOld()
      return found(reference).status === 'open'
    },
    pay(reference: string, card: Partial<KeptPayment['card']> = {}): void {
      expireOld()
      const session = found(reference)
      const payment = touched(session)
      Object.assign(payment, { status: 'succeeded', received: session.amount, error: null })
      Object.assign(payment.card, card)
      session.status = 'complete'
      const fee = Math.round((session.amount * keptPerMille) / 1_000) + fixedFee
      const metadata = { bursar_id: reference }
      const source = () => ({
        id: `ch_${payment.id}`,
        object: 'charge',
        payment_intent: payment.id,
        metadata,
      })
      books.add('charge', { amount: session.amount, fee, days: 2, source })
      tell(session, 'payment_intent.succeeded')
      tell(session, 'checkout.session.completed')
    },
    decline(reference: string, declineCode: string, code = 'card_declined'): void {
      const session = found(reference)
      touched(session).error = { code, decline_code: declineCode }
      tell(session, 'payment_intent.payment_failed')
    },
    begin(reference: string): void {
      touched(found(reference)).status = 'processing'
    },
    giveBack(reference: string): void {
      ;(found(reference).payment as KeptPayment).refunded = true
    },
  }

  const refundBody = (one: KeptRefund): Json => {
    const body: Partial<Stripe.Refund> = {
      id: one.id,
      object: 'refund',
      amount: one.amount,
      currency: 'usd',
      payment_intent: one.payment,
      status: one.status,
      metadata: one.reference === '' ? {} : { bursar_id: one.reference },
    }
    return body
  }
  const keepRefund = (made: KeptRefund): void => {
    refunds.push(made)
    if (made.status !== 'failed')
      books.add('refund', { amount: -made.amount, source: () => refundBody(made) })
    events.emit('refund.created', made.reference, refundBody(made))
  }
  /** What the bank of a card does with what is given back. */
  const refund = {
    /** The operator gives back at Stripe's dashboard. */
    atDashboard(payment: string, amount: number): void {
      keepRefund({
        id: id('re').replace('_live', ''),
        reference: '',
        payment,
        amount,
        status: 'succeeded',
      })
    },
    become(reference: string, status: KeptRefund['status']): void {
      const one = refunds.find((other) => other.reference === reference)
      if (one === undefined) throw new Error(`The double has no refund ${reference}.`)
      if (status === 'failed' && one.status !== 'failed')
        books.add('refund_failure', { amount: one.amount, source: () => refundBody(one) })
      one.status = status
      events.emit(
        status === 'failed' ? 'refund.failed' : 'refund.updated',
        one.reference,
        refundBody(one),
      )
    },
  }

  type Call = { form: URLSearchParams; query: URLSearchParams; path: string; raw: Buffer }
  const run: Record<OperationName, (call: Call) => Answer> = {
    create_session({ form }) {
      for (const name of form.keys())
        if (!fields.test(name)) violations.push(`create_session: ${name} is not known`)
      const must = (name: string, wanted: string): void => {
        if (form.get(name) !== wanted)
          violations.push(`create_session: ${name} is ${form.get(name)}`)
      }
      must('mode', 'payment')
      must('adaptive_pricing[enabled]', 'false')
      must('allowed_payment_method_types[0]', 'card')
      must('line_items[0][quantity]', '1')
      must('line_items[0][price_data][currency]', 'usd')
      const reference = form.get('client_reference_id') ?? ''
      must('metadata[bursar_id]', reference)
      must('payment_intent_data[metadata][bursar_id]', reference)
      const amount = Number(form.get('line_items[0][price_data][unit_amount]'))
      const endsAt = Number(form.get('expires_at'))
      if (amount < 50)
        throw new Refused(400, 'amount_too_small', 'The amount must be at least $0.50')
      if (endsAt < seconds() + 1_800 || endsAt > seconds() + 86_400)
        throw new Refused(
          400,
          'expires_at',
          'expires_at must be between half an hour and a day from now',
        )
      const session: KeptSession = {
        id: id('cs'),
        reference,
        amount,
        created: seconds(),
        expires_at: endsAt,
        status: 'open',
        payment: null,
        form,
      }
      sessions.push(session)
      return { status: 200, body: bodyOf(session), subject: reference }
    },
    get_session({ path }) {
      const session = sessions.find((one) => path.endsWith(`/${one.id}`))
      if (!session) throw new Refused(404, 'resource_missing', 'No such session')
      return { status: 200, body: bodyOf(session) }
    },
    ...cash.run,
    ...books.run,
    get_payment({ path }) {
      const taking = cash.takings.find((one) => path.endsWith(`/${one.id}`))
      if (taking) return { status: 200, body: cash.bodyOf(taking) }
      const session = sessions.find(
        (one) => one.payment !== null && path.endsWith(`/${one.payment.id}`),
      )
      if (!session) throw new Refused(404, 'resource_missing', 'No such payment_intent')
      return { status: 200, body: paymentOf(session) }
    },
    list_events({ query }) {
      const [from, to] = [Number(query.get('created[gte]')), Number(query.get('created[lte]'))]
      const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
      const all = events.all.filter(
        ({ created, type }) => created >= from && created <= to && types.includes(type),
      )
      const rows = all.toReversed()
      const start = rows.findIndex((one) => one.id === query.get('starting_after')) + 1
      const end = start + Number(query.get('limit') ?? 10)
      return {
        status: 200,
        body: { object: 'list', data: rows.slice(start, end), has_more: end < rows.length },
      }
    },
    create_refund({ form }) {
      const refused = settings.refuseRefunds
      if (refused !== null) throw new Refused(refused.status, refused.code, 'Refused', refused.type)
      for (const name of form.keys())
        if (!['payment_intent', 'amount', 'metadata[bursar_id]'].includes(name))
          violations.push(`create_refund: ${name} is not known`)
      const session = sessions.find(({ payment }) => payment?.id === form.get('payment_intent'))
      if (session?.payment?.status !== 'succeeded')
        throw new Refused(404, 'resource_missing', 'No such payment_intent')
      const [amount, payment] = [Number(form.get('amount')), session.payment.id]
      const back = refunds.filter((one) => one.payment === payment && one.status !== 'failed')
      if (amount > session.payment.received - back.reduce((sum, one) => sum + one.amount, 0))
        throw new Refused(
          400,
          'charge_already_refunded',
          'Refund amount is greater than what is left of the charge',
        )
      const reference = form.get('metadata[bursar_id]') ?? ''
      const made: KeptRefund = {
        id: id('re').replace('_live', ''),
        reference,
        payment,
        amount,
        status: settings.refunds,
      }
      keepRefund(made)
      return { status: 200, body: refundBody(made), subject: reference }
    },
    get_refund({ path }) {
      const one = refunds.find((other) => path.endsWith(`/${other.id}`))
      if (!one) throw new Refused(404, 'resource_missing', 'No such refund')
      return { status: 200, body: refundBody(one) }
    },
    list_refunds({ query }) {
      const rows = refunds
        .filter(({ payment }) => payment === query.get('payment_intent'))
        .toReversed()
      return { status: 200, body: { object: 'list', data: rows.map(refundBody), has_more: false } }
    },
  }
  const routes: [method: string, pattern: RegExp, name: OperationName][] = [
    ['POST', /^\/v1\/checkout\/sessions$/, 'create_session'],
    ['GET', /^\/v1\/checkout\/sessions\/cs_\w+$/, 'get_session'],
    ['GET', /^\/v1\/payment_intents\/pi_\w+$/, 'get_payment'],
    ...cashRoutes,
    ['POST', /^\/v1\/refunds$/, 'create_refund'],
    ['GET', /^\/v1\/refunds$/, 'list_refunds'],
    ['GET', /^\/v1\/refunds\/re_\w+$/, 'get_refund'],
    ['GET', /^\/v1\/events$/, 'list_events'],
    ...bookRoutes,
  ]

  /** API v1 answers a key of idempotency with what it said first, for a day. */
  function execute(name: OperationName, call: Call, key: string | undefined): Answer {
    expireOld()
    const raw = call.form.toString()
    const known = key === undefined ? undefined : remembered.get(key)
    if (known && now().getTime() - known.at.getTime() < dayMs)
      return known.raw === raw
        ? known.answer
        : { status: 400, body: refusal('idempotency_key_in_use', 'Another body') }
    let made: Answer
    try {
      made = run[name](call)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      made = error.answer
    }
    if (key !== undefined) remembered.set(key, { raw, answer: made, at: now() })
    return made
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      violations.push(`The double failed: ${error instanceof Error ? error.stack : error}`)
      if (!response.headersSent) response.writeHead(500).end()
    })
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = (one: Server): Promise<void> =>
    new Promise((resolve) => {
      one.close(() => resolve())
      one.closeAllConnections()
    })
  const disconnect = disconnecterOf(server)
  await listen(0)
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bytes = Buffer.concat(chunks)
    const raw = bytes.toString()
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://double')
    const { authorization, 'stripe-version': version, 'content-type': type } = request.headers
    const key = request.headers['idempotency-key'] as string | undefined
    if (authorization !== `Bearer ${secretKey}`)
      return json(response, 401, refusal('', 'Invalid API Key'))
    const name = routes.find(
      ([method, pattern]) => method === request.method && pattern.test(path),
    )?.[2]
    if (name === undefined) {
      violations.push(`${request.method} ${path}: the double knows no such operation`)
      return json(response, 404, refusal('', 'Unrecognized request URL'))
    }
    if (version !== '2026-10-28.endive') violations.push(`${name}: Stripe-Version is ${version}`)
    const wanted =
      name === 'upload_file' ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
    if (request.method === 'POST' && type?.split(';')[0] !== wanted)
      violations.push(`${name}: the body is ${type}`)
    if ((key !== undefined) !== (request.method === 'POST'))
      violations.push(`${name}: an Idempotency-Key too few or too many`)
    const call: Call = { form: new URLSearchParams(raw), query, path, raw: bytes }
    const fault = rules.ofAnswer('live', name)
    if (fault === 'arrives_late') underWay.push(() => void execute(name, call, key))
    const done = fault !== null && beforeFaults.includes(fault) ? null : execute(name, call, key)
    const asked = { method: request.method as string, path: request.url as string, body: raw }
    requests.push({ operation: name, ...asked, fault, answer: done })
    if (name === 'create_session' && rules.overtakes('live', name) && done?.subject !== undefined) {
      payer.pay(done.subject)
      await events.deliver()
    }
    sendAnswer(response, done, fault, { slowMs, refusal, falsified })
  }

  const double = {
    url: `http://127.0.0.1:${port}`,
    secretKey,
    secrets,
    sessions,
    payer,
    refunds,
    refund,
    settings,
    cash,
    books,
    pageOf,
    events,
    requests,
    violations,
    async fault(
      operation: OperationName,
      fault: Fault,
      { times = 1 }: { times?: number } = {},
    ): Promise<Rule> {
      const rule: Rule = { mode: 'live', operation, fault, times, applied: 0 }
      if (fault === 'no_connection') await double.disconnect()
      else rules.add(rule)
      return rule
    },
    arrive(): void {
      for (const done of underWay.splice(0)) done()
    },
    async clearFaults(): Promise<void> {
      rules.clear()
      await double.connect()
    },
    async connect(): Promise<void> {
      if (!server.listening) await listen(port)
    },
    disconnect,
    stop: () => close(server),
  }
  return double
}

/** The answer with what a fault changes of it. */
function falsified(body: Json, fault: AnswerFault): Json {
  if (body.object === 'refund') {
    if (fault === 'other_amount') return { ...body, amount: body.amount + 1 }
    if (fault === 'other_currency') return { ...body, currency: 'eur' }
    return { ...body, metadata: { bursar_id: `${body.metadata.bursar_id}0` } }
  }
  if (fault === 'other_mode') return { ...body, livemode: false }
  if (body.object === 'payment_intent' || body.object === 'customer') {
    if (fault === 'other_amount') return { ...body, amount: body.amount + 1 }
    if (fault === 'other_currency') return { ...body, currency: 'eur' }
    return { ...body, metadata: { bursar_id: 'another', bursar_customer: 'another' } }
  }
  if (fault === 'other_amount') return { ...body, amount_total: body.amount_total + 100 }
  if (fault === 'other_currency') return { ...body, currency: 'eur' }
  return { ...body, client_reference_id: `${body.client_reference_id}0` }
}
