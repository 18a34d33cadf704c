/**
 * A double of Paystack: a real server with books of its own, in both modes, told apart by the key
 * as Paystack does. What it is unsure of is in `paystack/settings.ts`, what can go wrong in
 * `paystack/faults.ts`, what a test can do to its world in `paystack/world.ts`.
 */
import { randomBytes } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { disconnecterOf } from './connections.ts'
import { falsified, invalidKey, sendAnswer, sendJson, serverError } from './paystack/answers.ts'
import { moneyInOperations } from './paystack/api-in.ts'
import { moneyOutOperations } from './paystack/api-out.ts'
import { type Books, type Mode, openBooks } from './paystack/books.ts'
import { type Answer, type Operation, Refused } from './paystack/calls.ts'
import { contractOf } from './paystack/contract.ts'
import {
  type AnswerFault,
  beforeFaults,
  type Fault,
  openRules,
  type Rule,
  type Rules,
} from './paystack/faults.ts'
import { openLimits } from './paystack/limits.ts'
import { answerPage } from './paystack/page.ts'
import { type Settings, usual } from './paystack/settings.ts'
import { type Json, transferBody } from './paystack/shapes.ts'
import { type Events, type Keys, openEvents, post, sign } from './paystack/webhooks.ts'
import { openWorld, type World } from './paystack/world.ts'

export type { Mode } from './paystack/books.ts'
export { answerFaults, beforeFaults, type Fault, faults, webhookFaults } from './paystack/faults.ts'
export { paymentFee, transferFee } from './paystack/fees.ts'
export { type Settings, usual } from './paystack/settings.ts'
export { sign } from './paystack/webhooks.ts'

const table: Record<string, Operation> = { ...moneyInOperations, ...moneyOutOperations }
export type OperationName = keyof typeof moneyInOperations | keyof typeof moneyOutOperations

/** Every operation that the double knows. */
export const operations = Object.keys(table) as OperationName[]

/** Those that an order of ours begins with, in the words of the design's matrix. */
export const orderOperations = [
  'initialize',
  'charge',
  'create_customer',
  'open_account',
  'create_recipient',
  'transfer',
  'refund',
  'resolve',
  'identify',
] as const satisfies OperationName[]

/** Whether a fault can befall an operation: an answer without an amount cannot have another one. */
export function applies(operation: OperationName, fault: Fault): boolean {
  const { says = [], events } = table[operation] as Operation
  if (fault === 'arrives_late') return operation === 'transfer' || operation === 'refund'
  if (fault.startsWith('other_')) return says.some((part) => fault === `other_${part}`)
  if (fault === 'webhook_out_of_order') return events === 'several'
  return !fault.startsWith('webhook_') || events !== undefined
}

export type Recorded = {
  mode: Mode
  operation: OperationName
  method: string
  path: string
  query: Record<string, string>
  body: Json | undefined
  fault: AnswerFault | null
  /** What was answered, or would have been: null where nothing was done. */
  answer: Answer | null
}

/** One mode: its books, its events, its hands. */
export type Side = World & {
  books: Books
  events: Events
  settings: Settings
  approvals: AskedApproval[]
}

/**
 * A transfer that was to be approved, the body that asked, and what the answer was: 0 where there
 * was none.
 */
export type AskedApproval = { reference: string; body: string; status: number }

export type Options = {
  settings?: Partial<Settings>
  /** Serve https, with a certificate of its own authority. */
  tls?: boolean
  now?: () => Date
  /** The folder of the published document. */
  specs?: string | undefined
}

export type Double = {
  url: string
  /** Where the hosted pages are: another host than the API's, as at Paystack. */
  checkoutUrl: string
  /** The authority of both, where they serve https. */
  ca: string | null
  keys: Keys
  live: Side
  test: Side
  requests: Recorded[]
  /** Uploaded files by name. */
  uploads: Map<string, Buffer>
  /** What was wrong with requests, a sentence each. Tests assert that there is none. */
  violations: string[]
  /** Whether requests were held against the published schema too. */
  published: boolean
  /**
   * Sets a fault for the next requests of an operation, or the next events that it leads to.
   * @param options.after with `no_connection`: the operation after whose answer nobody connects any
   * more; else it is at once
   */
  fault(
    operation: OperationName,
    fault: Fault,
    options?: { mode?: Mode; times?: number; after?: OperationName },
  ): Promise<Rule>
  /** Does what was lost on its way, and arrives late. */
  arrive(): void
  /** Lifts all faults, and connects again. */
  clearFaults(): Promise<void>
  /** Gives an integration a new secret key; the former signs what is said to be signed by it. */
  rollKey(mode: Mode): string
  /** Refuses connections, as a provider that is away. */
  disconnect(): Promise<void>
  connect(): Promise<void>
  /** What is wrong with the books of both modes. */
  audit(): string[]
  stop(): Promise<void>
}

const routes = operations
  .map((name) => ({ name, operation: table[name] as Operation }))
  .map(({ name, operation }) => {
    const pattern = operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    return { name, operation, pattern: new RegExp(`^${pattern}$`) }
  })
  // A path that is written out comes before one with a place in it: `/dedicated_account/requery` is
  // no account.
  .sort((a, b) => Number(a.operation.path.includes('{')) - Number(b.operation.path.includes('{')))

/** What is done, with nobody's hand, when the world goes by itself. */
const byItself: OperationName[] = ['transfer', 'refund', 'identify', 'open_account']

/** The good end of what an operation began. */
function conclude(
  { payer, bank, transfer, refund, identity, account, books }: Side,
  name: OperationName,
  subject: string | number,
): void {
  if (name === 'initialize') payer.pay(String(subject))
  if (name === 'charge') {
    const waiting = books.transaction(String(subject))
    bank.credit(String(waiting.account?.number), { amount: bank.dueOf(waiting) })
  }
  if (
    name === 'transfer' &&
    ['pending', 'received'].includes(books.transfer(String(subject)).status)
  )
    transfer.succeed(String(subject))
  if (name === 'refund') refund.process(Number(subject))
  if (name === 'identify') identity.succeed(String(subject))
  if (
    name === 'open_account' &&
    books.accounts.some((one) => one.id === subject && one.number === null)
  )
    account.assign(Number(subject))
}

function openSide(mode: Mode, keys: Keys, rules: Rules, options: Options, now: () => Date): Side {
  const settings = { ...usual, ...options.settings }
  const books = openBooks(mode, now)
  const events = openEvents(mode, keys, rules, settings, now)
  return { ...openWorld(books, events, settings), books, events, settings, approvals: [] }
}

const newKey = (mode: Mode): string => `sk_${mode}_${randomBytes(20).toString('hex')}`

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.removeAllListeners('error').once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Starts a double on ports of its own. */
export async function startPaystack(options: Options = {}): Promise<Double> {
  const now = options.now ?? (() => new Date())
  const keys: Keys = {
    live: newKey('live'),
    test: newKey('test'),
    previous: { live: null, test: null },
  }
  const rules = openRules()
  const count = openLimits(now)
  const contract = contractOf('specs' in options ? options.specs : process.env.PROVIDER_SPECS)
  const sides = {
    live: openSide('live', keys, rules, options, now),
    test: openSide('test', keys, rules, options, now),
  }
  const requests: Recorded[] = []
  const uploads = new Map<string, Buffer>()
  const violations: string[] = []
  const goneAfter = new Set<OperationName>()
  const underWay: (() => void)[] = []
  const failed = (error: unknown): void => {
    violations.push(`The double failed: ${error instanceof Error ? error.stack : error}`)
  }

  const made = options.tls
    ? await generate([{ name: 'commonName', value: 'paystack.double' }], {
        keySize: 2048,
        algorithm: 'sha256',
        extensions: [
          { name: 'basicConstraints', cA: true },
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ],
          },
        ],
      })
    : null
  const open = (listener: RequestListener): Server =>
    made === null
      ? createServer(listener)
      : (createTlsServer({ key: made.private, cert: made.cert }, listener) as unknown as Server)
  const scheme = made === null ? 'http' : 'https'

  const pages = open((request, response) => answerPage(Object.values(sides), request, response))
  const api = open((request, response) => {
    answer(request, response).catch((error: unknown) => {
      failed(error)
      if (!response.headersSent) sendJson(response, 500, serverError)
    })
  })
  const checkoutUrl = `${scheme}://localhost:${await listen(pages, 0)}`
  const disconnect = disconnecterOf(api)
  const port = await listen(api, 0)

  function modeOf(request: IncomingMessage): Mode | null {
    const key = request.headers.authorization?.match(/^Bearer (.+)$/)?.[1]
    return key === keys.live ? 'live' : key === keys.test ? 'test' : null
  }

  function execute(
    operation: Operation,
    side: Side,
    params: Record<string, string>,
    query: Record<string, string>,
    body: Json,
  ): Answer {
    try {
      const { books, settings } = side
      return operation.run({
        body,
        query,
        params,
        books,
        world: side,
        settings,
        checkout: checkoutUrl,
        storage: `${double.url}/storage`,
      })
    } catch (error) {
      if (error instanceof Refused) return error.answer
      throw error
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await bodyOf(request)
    const raw = bytes.toString()
    const url = new URL(request.url ?? '/', 'http://double')
    if (request.method === 'PUT' && url.pathname.startsWith('/storage/')) {
      uploads.set(url.pathname.split('/').at(-1) as string, bytes)
      return void response.writeHead(200).end()
    }
    const mode = modeOf(request)
    if (mode === null) return sendJson(response, 401, invalidKey)
    const path = decodeURIComponent(url.pathname)
    const route = routes.find(
      ({ operation, pattern }) => operation.method === request.method && pattern.test(path),
    )
    if (route === undefined) {
      violations.push(
        `${request.method} ${path}: Paystack has no such operation, or the double does not know it`,
      )
      return sendJson(response, 404, {
        status: false,
        message: 'Resource not found',
        type: 'validation_error',
        code: 'not_found',
      })
    }
    const { name, operation } = route
    const side = sides[mode]
    const query = Object.fromEntries(url.searchParams)
    const params = { ...route.pattern.exec(path)?.groups }
    const body = parsed(raw)
    for (const problem of contract.check(
      name,
      operation,
      request.headers['content-type'],
      query,
      body,
    ))
      violations.push(`${name}: ${problem}`)

    const limit = count(mode, operation.limit ?? 'usual')
    const fault =
      side.settings.rateLimits && limit.over ? 'rate_limited' : rules.ofAnswer(mode, name)
    const isDone = fault === null || !beforeFaults.includes(fault)
    if (fault === 'arrives_late')
      underWay.push(() => void execute(operation, side, params, query, body ?? {}))
    const done = isDone ? execute(operation, side, params, query, body ?? {}) : null
    requests.push({
      mode,
      operation: name,
      method: operation.method,
      path,
      query,
      body,
      fault,
      answer: done,
    })
    const overtaken = rules.overtakes(mode, name)
    if (overtaken && done?.subject !== undefined) {
      conclude(side, name, done.subject)
      await side.events.deliver()
    }
    if (goneAfter.delete(name)) {
      response.setHeader('connection', 'close')
      response.once('close', () => void close(api))
    }
    sendAnswer(
      response,
      done === null ? null : falsified(done, fault),
      fault,
      limit.headers,
      side.settings.slowMs,
    )
    if (done?.subject !== undefined && !overtaken)
      setImmediate(() => goOn(side, name, done.subject as string | number).catch(failed))
  }

  /**
   * What follows when an operation was answered: the operator's approval, and the good end if the
   * world goes by itself.
   */
  async function goOn(side: Side, name: OperationName, subject: string | number): Promise<void> {
    const { approvalUrl, autopilot } = side.settings
    if (
      name === 'transfer' &&
      approvalUrl !== null &&
      side.books.transfer(String(subject)).status === 'pending'
    ) {
      const asked = JSON.stringify(
        transferBody(side.books, side.books.transfer(String(subject)), true),
      )
      const status = await post(
        approvalUrl,
        asked,
        sign(asked, keys[side.books.mode]),
        side.events.ca,
      )
      side.approvals.push({ reference: String(subject), body: asked, status })
      if (status !== 200) return side.transfer.end(String(subject), 'rejected')
    }
    if (autopilot && byItself.includes(name)) conclude(side, name, subject)
  }

  const double: Double = {
    url: `${scheme}://localhost:${port}`,
    checkoutUrl,
    ca: made?.cert ?? null,
    keys,
    ...sides,
    requests,
    uploads,
    violations,
    published: contract.published,
    async fault(operation, fault, { mode = 'live', times = 1, after } = {}) {
      const rule = { mode, operation, fault, times, applied: 0 }
      if (fault !== 'no_connection') return rules.add(rule)
      if (after === undefined) await double.disconnect()
      else goneAfter.add(after)
      return rule
    },
    arrive() {
      for (const done of underWay.splice(0)) done()
    },
    async clearFaults() {
      rules.clear()
      goneAfter.clear()
      await double.connect()
    },
    rollKey(mode) {
      keys.previous[mode] = keys[mode]
      keys[mode] = newKey(mode)
      return keys[mode]
    },
    disconnect,
    async connect() {
      if (!api.listening) await listen(api, port)
    },
    audit: () =>
      Object.values(sides).flatMap(({ books }) =>
        books.audit().map((problem) => `${books.mode}: ${problem}`),
      ),
    async stop() {
      await Promise.all([close(api), close(pages)])
    },
  }
  return double
}

function parsed(raw: string): Json | undefined {
  if (raw === '') return undefined
  try {
    return JSON.parse(raw) as Json
  } catch {
    return { unreadable: raw }
  }
}
