/**
 * A double of Bridge: a real HTTP server with books of its own, webhooks and faults, written from
 * Bridge's pages. `bridge-contract.test.ts` checks what it takes and answers by the OpenAPI
 * document that these pages embed; what neither says is a guess of whoever wrote the adapter.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Answer,
  type Json,
  type Operation,
  type OperationName,
  operations,
  Refused,
  refuse,
} from './bridge/api.ts'
import { openBooks, type Transfer, type TransferState } from './bridge/books.ts'
import { makeKeys, openEvents } from './bridge/events.ts'
import { disconnecterOf } from './connections.ts'
import {
  type AnswerFault,
  beforeFaults,
  type Fault,
  openRules,
  type Rule,
} from './paystack/faults.ts'
import { json, sendAnswer } from './sending.ts'

export type { OperationName } from './bridge/api.ts'
export { type Fault, faults, webhookFaults } from './paystack/faults.ts'

const table = operations as Record<OperationName, Operation>

/** Every operation that the double knows. */
export const operationNames = Object.keys(table) as OperationName[]
const dayMs = 24 * 3_600_000

/** How Bridge refuses a key: its OpenAPI document has this example. */
const wrongKey = {
  code: 'invalid',
  location: 'header',
  name: 'Api-Key',
  message: 'Invalid Api-Key header',
}

/**
 * A refusal that a test has Bridge give. `number`: of external accounts, and of transfers to them,
 * with this bank account alone.
 */
export type Refusing = {
  operation: OperationName
  status: number
  code: string
  message?: string
  key?: string
  number?: string
}

/** Whether a fault can befall an operation: an answer without an amount cannot have another one. */
export function applies(operation: OperationName, fault: Fault): boolean {
  const { says = [], events } = table[operation]
  if (fault === 'arrives_late') return operation === 'create_transfer'
  if (fault.startsWith('other_')) return says.some((part) => fault === `other_${part}`)
  return !fault.startsWith('webhook_') || events !== undefined
}

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
export type Double = Awaited<ReturnType<typeof startBridge>>

const routes = (Object.entries(table) as [OperationName, Operation][]).map(([name, operation]) => ({
  name,
  operation,
  pattern: new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

/** What is wrong with a body, by the fields that an operation takes: each as a sentence. */
function mistakesIn({ fields = {} }: Operation, body: Json): string[] {
  const given = (value: Json, path: string): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, part]) =>
          given(part, path === '' ? name : `${path}.${name}`),
        )
      : [path]
  const has = given(body, '')
  return [
    ...has.filter((path) => !(path in fields)).map((path) => `${path} is not known`),
    ...Object.entries(fields).flatMap(([path, needed]) =>
      needed && !has.includes(path) ? [`${path} is missing`] : [],
    ),
  ]
}

/** @param options.now the double's time; `slowMs`: how long it takes where it is slow */
export async function startBridge(options: { now?: () => Date; slowMs?: number } = {}) {
  const { now = () => new Date(), slowMs = 350 } = options
  const apiKey = 'sk-live-double'
  const keys = makeKeys()
  const rules = openRules()
  const books = openBooks(now)
  const events = openEvents(keys, rules, books)
  const requests: Recorded[] = []
  const violations: string[] = []
  const remembered = new Map<string, { body: string; answer: Answer; at: Date }>()
  const underWay: (() => void)[] = []
  const goneAfter = new Set<OperationName>()
  const refusing: Refusing[] = []
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

  /** @throws {Refused} where a test has this refused */
  function refuseIf(name: OperationName, body: Json): void {
    const given = body?.destination?.external_account_id
    const number =
      body?.account?.account_number ?? books.accounts.find(({ id }) => id === given)?.number
    const one = refusing.find(
      (rule) => rule.operation === name && (rule.number ?? number) === number,
    )
    if (one === undefined) return
    const source = one.key === undefined ? {} : { source: { location: 'body', key: one.key } }
    refuse(one.status, one.code, one.message ?? 'Refused', source)
  }

  /**
   * Does what is asked, once for each key of idempotency: a key answers for a day, and is refused
   * afterwards, and with another body.
   */
  function execute(
    { name, operation }: { name: OperationName; operation: Operation },
    call: {
      params: Record<string, string>
      query: Record<string, string>
      body: Json
      key: string | undefined
    },
  ): Answer {
    const run = (): Answer => {
      try {
        refuseIf(name, call.body)
        return operation.run({ ...call, books })
      } catch (error) {
        if (error instanceof Refused) return error.answer
        throw error
      }
    }
    if (call.key === undefined) return run()
    const body = JSON.stringify(call.body)
    const known = remembered.get(call.key)
    const isOld = known !== undefined && now().getTime() - known.at.getTime() > dayMs
    if (known && double.spentKey !== null) return double.spentKey
    if (known && (isOld || known.body !== body)) return isOld ? oldKey : usedKey
    if (known) return { status: known.answer.status, body: known.answer.body }
    const made = run()
    remembered.set(call.key, { body, answer: made, at: now() })
    return made
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', 'http://double')
    const path = decodeURIComponent(url.pathname)
    const route = routes.find(
      ({ operation, pattern }) => operation.method === request.method && pattern.test(path),
    )
    if (request.headers['api-key'] !== apiKey) return json(response, 401, wrongKey)
    if (route === undefined) {
      violations.push(
        `${request.method} ${path}: Bridge has no such operation, or the double does not know it`,
      )
      return json(response, 404, { code: 'not_found', message: 'Not found' })
    }
    const { name, operation } = route
    const key = request.headers['idempotency-key'] as string | undefined
    if ((key !== undefined) !== (operation.method === 'POST'))
      violations.push(`${name}: an Idempotency-Key too few or too many`)
    const body = raw === '' ? undefined : (JSON.parse(raw) as Json)
    for (const mistake of operation.method === 'POST' ? mistakesIn(operation, body) : [])
      violations.push(`${name}: ${mistake}`)
    const call = {
      params: { ...route.pattern.exec(path)?.groups },
      query: Object.fromEntries(url.searchParams),
      body,
      key,
    }
    const fault = rules.ofAnswer('live', name)
    if (fault === 'arrives_late') underWay.push(() => void execute(route, call))
    const done = fault !== null && beforeFaults.includes(fault) ? null : execute(route, call)
    const asked = { method: operation.method, path, query: call.query, body }
    requests.push({ operation: name, ...asked, fault, answer: done })
    if (rules.overtakes('live', name) && done?.subject !== undefined) {
      transfer.succeed(done.subject)
      await events.deliver()
    }
    if (goneAfter.delete(name)) {
      response.setHeader('connection', 'close')
      response.once('close', () => void close(server))
    }
    sendAnswer(response, done, fault, { slowMs, falsified, refusal })
  }

  const become = (reference: string, ...states: TransferState[]): void => {
    const one = books.transfer(reference)
    for (const state of states) {
      books.become(one, state)
      events.emit('create_transfer', one)
    }
  }
  /** The hands of a test: what banks and Bridge's staff do. */
  const transfer = {
    succeed: (reference: string) => become(reference, 'payment_submitted', 'payment_processed'),
    /** The bank sends it back: Bridge has it, and then the wallet. */
    comeBack: (reference: string) => become(reference, 'returned', 'refunded'),
    become,
    of: (reference: string): Transfer => books.transfer(reference),
  }

  const double = {
    url: `http://127.0.0.1:${port}`,
    apiKey,
    keys,
    books,
    events,
    transfer,
    requests,
    violations,
    refusing,
    /** How every key is refused that was used before, where a test says so. */
    spentKey: null as Answer | null,
    async fault(
      operation: OperationName,
      fault: Fault,
      { times = 1, after }: { times?: number; after?: OperationName } = {},
    ): Promise<Rule> {
      const rule: Rule = { mode: 'live', operation, fault, times, applied: 0 }
      if (fault !== 'no_connection') {
        rules.add(rule)
        return rule
      }
      if (after === undefined) await double.disconnect()
      else goneAfter.add(after)
      return rule
    },
    /** What was under way arrives. */
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

/** Documented: of a key that came with another body, and of one that is older than a day. */
const usedKey: Answer = {
  status: 400,
  body: { code: 'duplicate_record', message: 'Other parameters before' },
}
const oldKey: Answer = {
  status: 422,
  body: { code: 'unprocessable_entity', message: 'Unprocessable' },
}

const refusal = (code: string, message: string): Json =>
  code === 'unauthorized' ? wrongKey : { code, message }

/** The answer with what a fault changes of it. */
function falsified(body: Json, fault: AnswerFault): Json {
  const one = (row: Json): Json => {
    if (fault === 'other_amount') return { ...row, amount: '77.77' }
    if (fault === 'other_currency')
      return 'destination' in row
        ? { ...row, destination: { ...row.destination, currency: 'eur' } }
        : { ...row, currency: 'eur' }
    return 'account' in row
      ? { ...row, account: { ...row.account, last_4: '0000' } }
      : { ...row, client_reference_id: `${row.client_reference_id}0` }
  }
  return Array.isArray(body.data) ? { ...body, data: body.data.map(one) } : one(body)
}
