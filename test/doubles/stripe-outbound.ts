/**
 * A double of Stripe's Outbound Payments (API v2): a real HTTP server with a financial account,
 * recipients and payments of its own, thin events and faults. Stripe's own double knows nothing of
 * `/v2`, so this is written from the types of Stripe's library, which its bodies are checked
 * against when they are compiled.
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
import { openEvents } from './stripe-outbound/events.ts'

export { type Fault, faults, webhookFaults } from './paystack/faults.ts'

type Payment = Stripe.V2.MoneyManagement.OutboundPayment
type Entry = Stripe.V2.MoneyManagement.TransactionEntry
type Flow =
  | 'received_credit'
  | 'outbound_payment'
  | 'outbound_payment_reversal'
  | 'outbound_transfer'
  | 'stripe_fee'
type PayoutMethod = Stripe.V2.MoneyManagement.PayoutMethod
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json; subject?: string }

/** Every operation that the double knows. */
export const operations = [
  'get_funds',
  'create_recipient',
  'setup_bank',
  'create_payment',
  'get_payment',
  'list_payments',
  'list_events',
  'list_entries',
] as const
export type OperationName = (typeof operations)[number]
export type Recorded = {
  operation: OperationName
  method: string
  path: string
  body: Json
  fault: AnswerFault | null
  /** What was answered, or would have been: null where nothing was done. */
  answer: Answer | null
}
export type Double = Awaited<ReturnType<typeof startStripeOutbound>>
/** A payment with what was taken for it, and a history of its own. */
export type KeptPayment = Payment & { reference: string; fee: number }

const saysOf: Partial<Record<OperationName, string[]>> = {
  setup_bank: ['reference', 'mode'],
  create_recipient: ['mode'],
  create_payment: ['reference', 'amount', 'currency', 'mode'],
  get_payment: ['reference', 'amount', 'currency', 'mode'],
  list_payments: ['amount', 'currency', 'mode'],
  get_funds: ['mode'],
}

/** Whether a fault can befall an operation: an answer without an amount cannot have another one. */
export function applies(operation: OperationName, fault: Fault): boolean {
  if (fault === 'arrives_late') return operation === 'create_payment'
  if (fault.startsWith('other_'))
    return saysOf[operation]?.some((part) => fault === `other_${part}`) === true
  return !fault.startsWith('webhook_') || operation === 'create_payment'
}

class Refused extends Error {
  readonly answer: Answer
  constructor(status: number, code: string, message: string, type?: string) {
    super(message)
    this.answer = { status, body: refusal(code, message, type) }
  }
}
/**
 * A refusal as API v2 writes it: its type says which it is, or, where the library knows no type,
 * its code alone.
 */
const refusal = (code: string, message: string, type?: string): Json => ({
  error: { ...(type === undefined ? {} : { type }), code, message },
})
/** The doubles' common words in those of API v2. */
const ownWords: Record<string, [code: string, type?: string]> = {
  invalid_parameters: ['invalid_fields'],
  rate_limited: ['rate_limit', 'rate_limit'],
}

/**
 * A refusal that a test has Stripe give. `number`: of payments and setups for this bank account
 * alone.
 */
export type Refusing = {
  operation: OperationName
  status: number
  type?: string
  code?: string
  number?: string
}

const monthMs = 30 * 86_400_000

/** @param options.now the double's time; `slowMs`: how long it takes where it is slow */
export async function startStripeOutbound(options: { now?: () => Date; slowMs?: number } = {}) {
  const { now = () => new Date(), slowMs = 350 } = options
  const secretKey = 'sk_live_double'
  const secrets = { live: 'whsec_live', previous: 'whsec_before', other: 'whsec_other' }
  const rules = openRules()
  const requests: Recorded[] = []
  const violations: string[] = []
  const recipients = new Map<string, Json>()
  const methods = new Map<string, PayoutMethod & { recipient: string; number: string }>()
  const payments: KeptPayment[] = []
  const funds = { id: 'fa_treasury', available: 0, enabled: true }
  const entries: Entry[] = []
  const remembered = new Map<string, { body: string; answer: Answer; at: Date }>()
  const underWay: (() => void)[] = []
  const goneAfter = new Set<OperationName>()
  const refusing: Refusing[] = []
  let last = 0
  const id = (prefix: string): string => `${prefix}_${String(++last).padStart(10, '0')}`

  /** Every change of the balance is an entry. */
  const move = (category: Flow, value: number, of: string): void => {
    funds.available += value
    const nothing = { value: 0, currency: 'usd' }
    const at = now().toISOString()
    entries.push({
      id: id('txne'),
      object: 'v2.money_management.transaction_entry',
      created: at,
      effective_at: at,
      livemode: true,
      balance_impact: {
        available: { value, currency: 'usd' },
        inbound_pending: nothing,
        outbound_pending: nothing,
      },
      transaction: id('txn'),
      transaction_details: { category, financial_account: funds.id },
    })
    const details = entries.at(-1)
      ?.transaction_details as Stripe.V2.MoneyManagement.TransactionEntry.TransactionDetails
    if (category === 'received_credit')
      details.flow = { type: 'received_credit', received_credit: of }
    if (category.startsWith('outbound_payment'))
      details.flow = { type: 'outbound_payment', outbound_payment: of }
  }

  const events = openEvents({ rules, secrets, now, id })
  const found = (reference: string): KeptPayment => {
    const payment = payments.find((one) => one.reference === reference)
    if (payment === undefined) throw new Error(`The double has no payment ${reference}.`)
    return payment
  }
  const become = (
    reference: string,
    status: Payment['status'],
    details: Payment['status_details'] = {},
  ): void => {
    const payment = found(reference)
    if (status !== 'posted') move('outbound_payment_reversal', payment.amount.value, payment.id)
    const at = { ...payment.status_transitions, [`${status}_at`]: now().toISOString() }
    Object.assign(payment, { status, status_details: details, status_transitions: at })
    events.emit(payment)
  }
  /** The hands of a test: what banks and Stripe do. */
  const payment = {
    of: found,
    post: (reference: string) => become(reference, 'posted'),
    cancel: (reference: string) => become(reference, 'canceled'),
    fail: (
      reference: string,
      reason: Stripe.V2.MoneyManagement.OutboundPayment.StatusDetails.Failed.Reason,
    ) => become(reference, 'failed', { failed: { reason } }),
    comeBack: (
      reference: string,
      reason: Stripe.V2.MoneyManagement.OutboundPayment.StatusDetails.Returned.Reason,
    ) => become(reference, 'returned', { returned: { reason } }),
  }

  const bodyOf = ({ reference: _, fee: __, ...body }: KeptPayment): Payment => body
  const page = <T>(rows: T[], query: URLSearchParams, path: string): Json => {
    const limit = Number(query.get('limit') ?? 20)
    const from = Number(query.get('page') ?? 0)
    const next = new URLSearchParams(query)
    next.set('page', String(from + limit))
    const more = from + limit < rows.length
    return {
      data: rows.slice(from, from + limit),
      next_page_url: more ? `${path}?${next}` : null,
      previous_page_url: null,
    }
  }

  type Call = { body: Json; query: URLSearchParams; path: string; context: string | undefined }
  const run: Record<OperationName, (call: Call) => Answer> = {
    get_funds({ path }) {
      if (!path.endsWith(`/${funds.id}`))
        throw new Refused(404, 'not_found', 'No such financial account')
      const amount = { value: funds.available, currency: 'usd' }
      const balance = { available: { usd: amount }, inbound_pending: {}, outbound_pending: {} }
      return {
        status: 200,
        body: { id: funds.id, livemode: true, balance, status: 'open', type: 'storage' },
      }
    },
    create_recipient({ body }) {
      const made = { ...body, id: id('acct'), object: 'v2.core.account', livemode: true }
      recipients.set(made.id, made)
      return { status: 200, body: made }
    },
    setup_bank({ body, context }) {
      if (context === undefined || !recipients.has(context))
        throw new Refused(404, 'not_found', 'No such account')
      const { account_number, routing_number, country, bank_account_type } =
        body.payout_method_data.bank_account
      if (!/^\d{4,17}$/.test(account_number))
        throw new Refused(
          400,
          'invalid_payout_method',
          'No account number',
          'invalid_payout_method',
        )
      const created = now().toISOString()
      const method: PayoutMethod = {
        id: id('usba'),
        object: 'v2.money_management.payout_method',
        archived: false,
        created,
        livemode: true,
        bank_account: {
          bank_account_type,
          bank_name: 'Test Bank',
          country,
          last4: account_number.slice(-4),
          routing_number,
          supported_currencies: ['usd'],
        },
        restricted: false,
        type: 'bank_account',
        usage_status: { payments: 'eligible', transfers: 'ineligible' },
      }
      methods.set(method.id, { ...method, recipient: context, number: account_number })
      const intent: Stripe.V2.MoneyManagement.OutboundSetupIntent = {
        id: id('osi'),
        object: 'v2.money_management.outbound_setup_intent',
        created,
        livemode: true,
        payout_method: method,
        status: 'succeeded',
        usage_intent: 'payment',
      }
      return { status: 200, body: intent }
    },
    create_payment({ body }) {
      const given = body as Stripe.V2.MoneyManagement.OutboundPaymentCreateParams
      if (!funds.enabled)
        throw new Refused(400, 'storer_capability_missing', 'Not enabled', 'feature_not_enabled')
      const method = methods.get(given.to.payout_method ?? '')
      if (method === undefined || method.recipient !== given.to.recipient || method.archived)
        throw new Refused(400, 'payout_method_archived', 'No such payout method')
      if (given.from.financial_account !== funds.id)
        throw new Refused(404, 'not_found', 'No such financial account')
      if (given.amount.value > funds.available)
        throw new Refused(
          400,
          'insufficient_funds',
          'The financial account holds too little',
          'insufficient_funds',
        )
      const made: KeptPayment = {
        id: id('obp'),
        object: 'v2.money_management.outbound_payment',
        amount: given.amount,
        cancelable: true,
        created: now().toISOString(),
        livemode: true,
        metadata: given.metadata as Record<string, string>,
        from: { debited: given.amount, financial_account: funds.id },
        to: { credited: given.amount, payout_method: method.id, recipient: method.recipient },
        recipient_notification: { setting: 'none' },
        statement_descriptor: 'BURSAR',
        status: 'processing',
        reference: String((given.metadata as Json)?.bursar_id),
        fee: 0,
      }
      payments.push(made)
      move('outbound_payment', -given.amount.value, made.id)
      return { status: 200, body: bodyOf(made), subject: made.reference }
    },
    get_payment({ path }) {
      const one = payments.find((other) => path.endsWith(`/${other.id}`))
      if (one === undefined) throw new Refused(404, 'not_found', 'No such payment')
      return { status: 200, body: bodyOf(one) }
    },
    list_payments({ query, path }) {
      const since = query.get('created[gte]') ?? ''
      const rows = payments.filter(({ created }) => created >= since).toReversed()
      return { status: 200, body: page(rows.map(bodyOf), query, path) }
    },
    list_entries({ query, path }) {
      const since = query.get('created[gte]') ?? ''
      return {
        status: 200,
        body: page(entries.filter(({ created }) => created >= since).toReversed(), query, path),
      }
    },
    list_events({ query, path }) {
      const [from, to] = [query.get('created[gte]') ?? '', query.get('created[lte]') ?? '9']
      const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
      const rows = events.all.filter(
        (one) => one.created >= from && one.created <= to && types.includes(one.type),
      )
      return { status: 200, body: page(rows.toReversed(), query, path) }
    },
  }
  const fields: Partial<Record<OperationName, RegExp>> = {
    create_recipient: /^(display_name|contact_email|identity|configuration|include)$/,
    setup_bank: /^(usage_intent|payout_method_data)$/,
    create_payment: /^(amount|from|to|metadata|recipient_notification)$/,
  }
  const routes: [method: string, pattern: RegExp, name: OperationName][] = [
    ['GET', /^\/v2\/money_management\/financial_accounts\/\w+$/, 'get_funds'],
    ['POST', /^\/v2\/core\/accounts$/, 'create_recipient'],
    ['POST', /^\/v2\/money_management\/outbound_setup_intents$/, 'setup_bank'],
    ['POST', /^\/v2\/money_management\/outbound_payments$/, 'create_payment'],
    ['GET', /^\/v2\/money_management\/outbound_payments\/\w+$/, 'get_payment'],
    ['GET', /^\/v2\/money_management\/outbound_payments$/, 'list_payments'],
    ['GET', /^\/v2\/core\/events$/, 'list_events'],
    ['GET', /^\/v2\/money_management\/transaction_entries$/, 'list_entries'],
  ]

  /** @throws {Refused} where a test has this refused */
  function refuseIf(name: OperationName, { body }: Call): void {
    const number =
      body?.payout_method_data?.bank_account.account_number ??
      methods.get(body?.to?.payout_method ?? '')?.number
    const one = refusing.find(
      (rule) => rule.operation === name && (rule.number ?? number) === number,
    )
    if (one !== undefined) throw new Refused(one.status, one.code ?? '', 'Refused', one.type)
  }

  /**
   * A key of idempotency is executed once in thirty days; what failed is tried again, as API v2 has
   * it.
   */
  function execute(name: OperationName, call: Call, key: string | undefined): Answer {
    const attempt = (): Answer => {
      try {
        refuseIf(name, call)
        return run[name](call)
      } catch (error) {
        if (error instanceof Refused) return error.answer
        throw error
      }
    }
    if (key === undefined) return attempt()
    const body = JSON.stringify(call.body)
    const known = remembered.get(key)
    if (known && now().getTime() - known.at.getTime() < monthMs) {
      if (known.body !== body)
        return {
          status: 400,
          body: refusal('idempotency_error', 'Another body', 'idempotency_error'),
        }
      if (known.answer.status < 300) return { status: 200, body: known.answer.body }
    }
    const made = attempt()
    remembered.set(key, { body, answer: made, at: now() })
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
    const raw = Buffer.concat(chunks).toString()
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://double')
    const {
      authorization,
      'stripe-version': version,
      'stripe-context': context,
      'idempotency-key': key,
    } = request.headers
    if (authorization !== `Bearer ${secretKey}`)
      return json(response, 401, refusal('api_key_invalid', 'No key'))
    const name = routes.find(
      ([method, pattern]) => method === request.method && pattern.test(path),
    )?.[2]
    if (name === undefined) {
      violations.push(`${request.method} ${path}: the double knows no such operation`)
      return json(response, 404, refusal('not_found', 'Not found'))
    }
    if (version !== '2026-10-28.endive') violations.push(`${name}: Stripe-Version is ${version}`)
    if ((key !== undefined) !== (request.method === 'POST'))
      violations.push(`${name}: an Idempotency-Key too few or too many`)
    const body = raw === '' ? undefined : (JSON.parse(raw) as Json)
    for (const field of Object.keys(body ?? {}))
      if (fields[name]?.test(field) !== true) violations.push(`${name}: ${field} is not known`)
    const call: Call = { body, query, path, context: context as string | undefined }
    const fault = rules.ofAnswer('live', name)
    if (fault === 'arrives_late') underWay.push(() => void execute(name, call, key as string))
    const done =
      fault !== null && beforeFaults.includes(fault)
        ? null
        : execute(name, call, key as string | undefined)
    const asked = { method: request.method as string, path: request.url as string, body }
    requests.push({ operation: name, ...asked, fault, answer: done })
    if (rules.overtakes('live', name) && done?.subject !== undefined) {
      payment.post(done.subject)
      await events.deliver()
    }
    if (goneAfter.delete(name)) {
      response.setHeader('connection', 'close')
      response.once('close', () => void close(server))
    }
    const inOwnWords = (code: string, message: string): Json => {
      const [own, type] = ownWords[code] ?? [code]
      return refusal(own, message, type)
    }
    sendAnswer(response, done, fault, { slowMs, refusal: inOwnWords, falsified })
  }

  const double = {
    url: `http://127.0.0.1:${port}`,
    secretKey,
    secrets,
    funds,
    recipients,
    methods,
    payments,
    payment,
    events,
    requests,
    violations,
    refusing,
    topUp: (cents: number): void => move('received_credit', cents, id('rc')),
    /** To the operator's own bank. */
    withdraw: (cents: number): void => move('outbound_transfer', -cents, id('obt')),
    charge: (cents: number): void => move('stripe_fee', -cents, id('fee')),
    async fault(
      operation: OperationName,
      fault: Fault,
      { times = 1, after }: { times?: number; after?: OperationName } = {},
    ) {
      const rule: Rule = { mode: 'live', operation, fault, times, applied: 0 }
      if (fault !== 'no_connection') rules.add(rule)
      else if (after === undefined) await double.disconnect()
      else goneAfter.add(after)
      return rule
    },
    arrive(): void {
      for (const done of underWay.splice(0)) done()
    },
    async clearFaults(): Promise<void> {
      rules.clear()
      goneAfter.clear()
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
  const one = (row: Json): Json => {
    if (fault === 'other_mode') return { ...row, livemode: false }
    if (fault === 'other_amount')
      return { ...row, amount: { ...row.amount, value: row.amount.value + 100 } }
    if (fault === 'other_currency') return { ...row, amount: { ...row.amount, currency: 'eur' } }
    return 'payout_method' in row
      ? { ...row, payout_method: { ...row.payout_method, bank_account: { last4: '0000' } } }
      : { ...row, metadata: { bursar_id: `${row.metadata?.bursar_id}0` } }
  }
  return Array.isArray(body.data) ? { ...body, data: body.data.map(one) } : one(body)
}
