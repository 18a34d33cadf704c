/**
 * A double of Monnify: a real HTTP server with a wallet and transfers of its own, webhooks and
 * faults. Written from Monnify's pages and from bodies that its sandbox answered (the tests of
 * Monnify/monnify-dotnet-lib, 2026-07); no schema is published. It speaks naira with decimals, as
 * Monnify does.
 */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { disconnecterOf } from './connections.ts'
import {
  falsified,
  naira,
  type Status,
  sentBody,
  type Transfer,
  transferBody,
} from './monnify/bodies.ts'
import { openEvents } from './monnify/events.ts'
import { openReserved, reservedOperations, reservedRoutes } from './monnify/reserved.ts'
import { slashed, withOffset } from './monnify/times.ts'
import {
  type AnswerFault,
  beforeFaults,
  type Fault,
  openRules,
  type Rule,
} from './paystack/faults.ts'
import { json, sendAnswer } from './sending.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json; subject?: string }

type Row = { id: string; amount: number; narration: string; at: Date }

/** Every operation that the double knows. */
export const operations = [
  'login',
  'balance',
  'validate',
  'create_transfer',
  'summary',
  'search',
  'statement',
  ...reservedOperations,
] as const
export type OperationName = (typeof operations)[number]
export type Recorded = {
  operation: OperationName
  method: string
  path: string
  query: Record<string, string>
  body: Json
  fault: AnswerFault | null
  /** What was answered, or would have been: null where nothing was done. */
  answer: Answer | null
}
export type Double = Awaited<ReturnType<typeof startMonnify>>

const routes: [OperationName, string, RegExp][] = [
  ['login', 'POST', /^\/api\/v1\/auth\/login$/],
  ['balance', 'GET', /^\/api\/v2\/disbursements\/wallet-balance$/],
  ['validate', 'GET', /^\/api\/v1\/disbursements\/account\/validate$/],
  ['create_transfer', 'POST', /^\/api\/v2\/disbursements\/single$/],
  ['summary', 'GET', /^\/api\/v2\/disbursements\/single\/summary$/],
  ['search', 'GET', /^\/api\/v2\/disbursements\/search-transactions$/],
  ['statement', 'GET', /^\/api\/v1\/disbursements\/wallet\/(\d+)\/statement$/],
  ...reservedRoutes,
]
const fields = [
  'amount',
  'reference',
  'narration',
  'destinationBankCode',
  'destinationAccountNumber',
  'currency',
].concat('sourceAccountNumber', 'destinationAccountName')

/**
 * Whether a fault can befall an operation: an answer without an amount cannot have another one, and
 * none of Monnify's names its mode.
 */
export function applies(operation: OperationName, fault: Fault): boolean {
  if (fault === 'arrives_late' || fault === 'unclear_after') return operation === 'create_transfer'
  if (fault === 'other_reference' || fault === 'other_amount')
    return (
      operation === 'create_transfer' ||
      operation === 'summary' ||
      (operation === 'validate' && fault === 'other_reference')
    )
  if (fault.startsWith('other_')) return false
  return !fault.startsWith('webhook_') || operation === 'create_transfer'
}

class Refused extends Error {
  readonly answer: Answer
  constructor(status: number, code: string, message: string) {
    super(message)
    this.answer = { status, body: refusal(code, message) }
  }
}
const refusal = (code: string, message: string): Json => ({
  requestSuccessful: false,
  responseMessage: message,
  responseCode: code,
})
const ok = (responseBody: Json, subject?: string): Answer => ({
  status: 200,
  body: { requestSuccessful: true, responseMessage: 'success', responseCode: '0', responseBody },
  ...(subject === undefined ? {} : { subject }),
})
/**
 * A refusal of no reason of its own, by the name that `sending.ts` gives it: one that is documented
 * as final, and the one that is not.
 */
const unnamed = (name: string, message: string): Json =>
  refusal(name === 'invalid_parameters' ? 'D01' : '99', message)
/** The published steps, in kobo: ₦10, ₦20 from ₦10,000, ₦40 from ₦50,000. */
const feeOf = (kobo: number): number =>
  kobo < 1_000_000 ? 1_000 : kobo < 5_000_000 ? 2_000 : 4_000
const tokenSeconds = 3_600

/** What a failed transfer says for which the wallet held too little, in a published sample. */
export const noMoney =
  'You do not have sufficient balance to process this request. Please fund your account and try again.'

/**
 * @param options.now the double's time; `slowMs`: how long it takes where it is slow; `sandbox`: it
 * is Monnify's sandbox, which signs no webhook
 */
export async function startMonnify(
  options: { now?: () => Date; slowMs?: number; sandbox?: boolean } = {},
) {
  const { now = () => new Date(), slowMs = 350, sandbox = false } = options
  const keys = {
    api: sandbox ? 'MK_TEST_DOUBLE' : 'MK_PROD_DOUBLE',
    secret: 'monnify-secret',
    previous: 'monnify-secret-before',
    other: 'another',
  }
  const wallet = { number: '8016472829', balance: 0 }
  const rules = openRules()
  const requests: Recorded[] = []
  const violations: string[] = []
  const transfers: Transfer[] = []
  const statement: Row[] = []
  const tokens = new Map<string, Date>()
  const underWay: (() => void)[] = []
  const goneAfter = new Set<OperationName>()
  /**
   * What the double does that it can be told to. `codes`: it asks for one; `listed`: the asker's
   * address is; `atOnce`: a transfer succeeds in its own answer; `takesAll`: one without the money
   * for it too, which fails afterwards; `refuses`: what it answers to a transfer, which it has
   * taken or not.
   */
  const settings = {
    codes: false,
    listed: true,
    atOnce: false,
    takesAll: false,
    refuses: null as { status: number; code: string; message: string; taken: boolean } | null,
  }
  let last = 0
  const id = (prefix: string): string => `${prefix}${String(++last).padStart(12, '0')}`

  const move = (amount: number, narration: string): void => {
    wallet.balance += amount
    statement.push({ id: id('WT'), amount, narration, at: now() })
  }
  const found = (reference: string): Transfer => {
    const one = transfers.find((other) => other.reference === reference)
    if (one === undefined) throw new Error(`The double has no transfer ${reference}.`)
    return one
  }
  const bodyOf = (one: Transfer): Json => ({
    ...transferBody(one),
    sourceAccountNumber: wallet.number,
  })
  const events = openEvents({
    rules,
    now,
    signs: !sandbox,
    bodyOf: (one: Transfer) => ({
      ...bodyOf(one),
      createdOn: slashed(one.at),
      completedOn: slashed(now()),
    }),
    sign: (raw, secret) => createHmac('sha512', secret).update(raw).digest('hex'),
    secrets: keys,
  })
  const become = (reference: string, status: Status, why = ''): void => {
    const one = found(reference)
    if (status === 'FAILED' || status === 'REVERSED' || status === 'EXPIRED')
      if (one.status !== 'PENDING_AUTHORIZATION' && one.why !== noMoney)
        move(one.amount + one.fee, `Reversal of disbursement ${reference}`)
    Object.assign(one, { status, why })
    events.emit(one)
  }
  const reserved = openReserved({
    now,
    id,
    ok,
    move,
    violations,
    emit: events.tell,
    refused: (status, code, message) => new Refused(status, code, message),
  })
  /** The hands of a test: what banks and Monnify do. */
  const transfer = {
    of: found,
    succeed: (reference: string) => become(reference, 'SUCCESS', 'Transaction successful'),
    fail: (reference: string, why = 'Beneficiary account is dormant') =>
      become(reference, 'FAILED', why),
    comeBack: (reference: string) => become(reference, 'REVERSED', 'Account closed'),
    /** It was taken, and the wallet had too little for it. */
    failForMoney(reference: string): void {
      become(reference, 'FAILED', noMoney)
    },
    /** Somebody types the code that was sent by mail. */
    release(reference: string): void {
      const one = found(reference)
      move(-(one.amount + one.fee), `Disbursement ${reference}`)
      one.status = 'IN_PROGRESS'
    },
  }

  function makeTransfer(body: Json): Answer {
    for (const name of Object.keys(body))
      if (!fields.includes(name)) violations.push(`transfer: ${name} is not known`)
    const kobo = Math.round(body.amount * 100)
    if (typeof body.amount !== 'number' || Math.abs(body.amount * 100 - kobo) > 1e-6)
      violations.push(`transfer: the amount ${body.amount} has parts of a kobo`)
    if (body.currency !== 'NGN' || body.sourceAccountNumber !== wallet.number)
      violations.push('transfer: another wallet')
    if (!settings.listed) throw new Refused(403, 'D06', 'Unauthorized request')
    if (settings.refuses?.taken === false) throw unwilling(settings.refuses)
    if (transfers.some((one) => one.reference === body.reference))
      throw new Refused(400, 'D05', 'Supplied reference already exists!')
    const same = transfers.some(
      (one) =>
        one.amount === kobo &&
        one.number === body.destinationAccountNumber &&
        now().getTime() - one.at.getTime() < 120_000,
    )
    if (same) throw new Refused(400, 'D07', 'Duplicate request')
    if (!/^\d{10}$/.test(body.destinationAccountNumber))
      throw new Refused(400, 'D03', 'Invalid account details supplied')
    const fee = feeOf(kobo)
    const isShort = wallet.balance < kobo + fee
    if (isShort && !settings.takesAll) throw new Refused(400, 'D04', 'Insufficient wallet balance')
    const made: Transfer = {
      id: id('MFDS'),
      reference: body.reference,
      amount: kobo,
      fee,
      at: now(),
      bank: body.destinationBankCode,
      number: body.destinationAccountNumber,
      status: settings.codes ? 'PENDING_AUTHORIZATION' : 'PENDING',
      why: isShort ? noMoney : '',
    }
    transfers.push(made)
    if (!settings.codes && !isShort) move(-(kobo + fee), `Disbursement ${body.reference}`)
    if (settings.atOnce) become(made.reference, 'SUCCESS', 'Transaction successful')
    if (settings.refuses !== null) throw unwilling(settings.refuses)
    return ok(sentBody(made), made.reference)
  }
  const unwilling = ({ status, code, message }: NonNullable<typeof settings.refuses>): Refused =>
    new Refused(status, code, message)

  const page = <T>(
    rows: T[],
    at: (row: T) => Date,
    query: URLSearchParams,
    body: (row: T) => Json,
  ): Answer => {
    const [from, to] = [Number(query.get('startDate')), Number(query.get('endDate'))]
    const size = Number(query.get('pageSize') ?? 10)
    const start = Number(query.get('pageNo') ?? 0) * size
    const within = rows.filter((row) => at(row).getTime() >= from && at(row).getTime() <= to)
    return ok({
      content: within.slice(start, start + size).map(body),
      last: start + size >= within.length,
    })
  }

  function run(name: OperationName, query: URLSearchParams, body: Json, path: string): Answer {
    switch (name) {
      case 'login': {
        const token = id('token')
        tokens.set(token, new Date(now().getTime() + tokenSeconds * 1_000))
        return ok({ accessToken: token, expiresIn: tokenSeconds })
      }
      case 'balance':
        return ok({ availableBalance: naira(wallet.balance), ledgerBalance: naira(wallet.balance) })
      case 'validate': {
        const [accountNumber, bankCode] = [query.get('accountNumber'), query.get('bankCode')]
        if (!/^\d{10}$/.test(accountNumber ?? '') || accountNumber === '0000000000')
          throw new Refused(400, '99', 'Invalid account details supplied.')
        return ok({ accountNumber, accountName: 'ADA NGOZI OKAFOR', bankCode })
      }
      case 'create_transfer':
        return makeTransfer(body)
      case 'summary': {
        const one = transfers.find(({ reference }) => reference === query.get('reference'))
        if (one === undefined)
          throw new Refused(
            404,
            'D02',
            'Could not find disbursement transaction for given reference',
          )
        return ok(bodyOf(one))
      }
      case 'search':
        return page(transfers, ({ at }) => at, query, bodyOf)
      case 'statement':
        return page(
          statement,
          ({ at }) => at,
          query,
          (row) => ({
            walletTransactionReference: row.id,
            amount: naira(Math.abs(row.amount)),
            narration: row.narration,
            transactionType: row.amount > 0 ? 'CREDIT' : 'DEBIT',
            transactionDate: withOffset(row.at),
          }),
        )
      default:
        return reserved.run[name]({ path, query, body })
    }
  }
  function execute(name: OperationName, query: URLSearchParams, body: Json, path: string): Answer {
    try {
      return run(name, query, body, path)
    } catch (error) {
      if (error instanceof Refused) return error.answer
      throw error
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://double')
    const [name] =
      routes.find(([, method, path]) => method === request.method && path.test(pathname)) ?? []
    if (name === undefined) {
      violations.push(
        `${request.method} ${pathname}: Monnify has no such operation, or the double does not know it`,
      )
      return json(response, 404, refusal('99', 'Not found'))
    }
    const said = request.headers.authorization ?? ''
    const basic = `Basic ${Buffer.from(`${keys.api}:${keys.secret}`).toString('base64')}`
    const allowed =
      name === 'login' ? said === basic : (tokens.get(said.slice(7)) ?? new Date(0)) > now()
    if (!allowed) return json(response, 401, refusal('99', 'Unauthorized'))
    const body = raw === '' ? undefined : (JSON.parse(raw) as Json)
    const fault = rules.ofAnswer('live', name)
    if (fault === 'arrives_late') underWay.push(() => void execute(name, query, body, pathname))
    const done =
      fault !== null && beforeFaults.includes(fault) ? null : execute(name, query, body, pathname)
    const asked = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(query),
      body,
    }
    requests.push({ operation: name, ...asked, fault, answer: done })
    if (rules.overtakes('live', name) && done?.subject !== undefined) {
      transfer.succeed(done.subject)
      await events.deliver()
    }
    if (goneAfter.delete(name)) {
      response.setHeader('connection', 'close')
      response.once('close', () => void close(server))
    }
    sendAnswer(response, done, fault, { slowMs, refusal: unnamed, falsified })
  }

  const server: Server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      violations.push(`The double failed: ${error instanceof Error ? error.stack : error}`)
      if (!response.headersSent) json(response, 500, refusal('99', 'Error'))
    })
  })
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.removeAllListeners('error').once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  const disconnect = disconnecterOf(server)
  const port = await listen(0)

  const double = {
    url: `http://127.0.0.1:${port}`,
    keys,
    wallet,
    transfers,
    transfer,
    reserved,
    events,
    requests,
    violations,
    settings,
    tokens,
    topUp: (kobo: number): void => move(kobo, 'Wallet funding'),
    /** Somebody sends money into the wallet, with words of his own. */
    receive: move,
    /** What cannot be so, as sentences. */
    audit(): string[] {
      const taken = transfers.filter(
        ({ status, why }) =>
          why !== noMoney &&
          (status === 'PENDING' || status === 'IN_PROGRESS' || status === 'SUCCESS'),
      )
      const came = statement.filter(
        ({ narration }) =>
          narration === 'Wallet funding' || /^Settlement |MFYSETTL/.test(narration),
      )
      const due =
        came.reduce((sum, { amount }) => sum + amount, 0) -
        taken.reduce((sum, one) => sum + one.amount + one.fee, 0)
      return [
        ...(due === wallet.balance ? [] : [`the wallet has ${wallet.balance}, not ${due}`]),
        ...(wallet.balance < 0 ? ['the wallet is below zero'] : []),
        ...(new Set(transfers.map(({ reference }) => reference)).size === transfers.length
          ? []
          : ['a reference has two transfers']),
      ]
    },
    async fault(
      operation: OperationName,
      fault: Fault,
      { times = 1, after }: { times?: number; after?: OperationName } = {},
    ): Promise<Rule> {
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

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
