/**
 * A double of Dojah: a real server that looks numbers up among people whom a test has enrolled,
 * takes something from a wallet for each look-up, and does what can go wrong. Its bodies are
 * Dojah's published examples, with the number masked as clients of 2024 on show it; what they do
 * not show is marked [U] in `src/rails/dojah/unconfirmed.ts`, so that this proves nothing of those
 * by somebody else.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { disconnecterOf } from './connections.ts'

/** What can befall a look-up. Of those that end in `_before` nothing was looked up, nor paid. */
export const dojahFaults = [
  'no_connection',
  'reset_before',
  'reset_after',
  'timeout_before',
  'timeout_after',
  'error_before',
  'error_after',
  'upstream_away',
  'try_again',
  'rate_limited',
  'unauthorized',
  'wallet_empty',
  'truncated',
  'html',
  'empty',
  'endless',
  'redirect',
  'refused',
  'other_form',
  'entity_null',
  'number_object',
  'other_number',
  'no_name',
  'slow',
] as const
export type DojahFault = (typeof dojahFaults)[number]

const unpaid: readonly DojahFault[] = [
  'reset_before',
  'timeout_before',
  'error_before',
  'upstream_away',
  'try_again',
  'rate_limited',
  'unauthorized',
  'wallet_empty',
  'redirect',
  'refused',
  'other_form',
]

export type Person = { bvn?: string; nin?: string; first: string; middle?: string; last: string }
type Rule = { fault: DojahFault; times: number; applied: number }
export type LookUp = { type: 'bvn' | 'nin'; number: string; fault: DojahFault | null }

/** In naira, for each look-up that was done. */
export const lookUpPrice = 70

export type DojahDouble = {
  url: string
  appId: string
  key: string
  people: Person[]
  /** What was looked up, or asked for. */
  requests: LookUp[]
  /** What was wrong with requests, a sentence each: tests assert that there is none. */
  violations: string[]
  wallet: number
  /** Whether answers mask the number, as `2*****22222`; both have been seen. */
  masks: boolean
  /**
   * @param times how many look-ups it befalls: all, where it is left out. The fault that was set
   * last befalls first.
   */
  fault(fault: DojahFault, options?: { times?: number }): Promise<Rule>
  /** Lifts all faults, and connects again. */
  clearFaults(): Promise<void>
  connect(): Promise<void>
  /** How often the fault that was set last has befallen a look-up. */
  applied(): number
  stop(): Promise<void>
}

const paths: Record<string, 'bvn' | 'nin'> = {
  '/api/v1/kyc/bvn/full': 'bvn',
  '/api/v1/kyc/nin': 'nin',
}

export async function startDojah({ slowMs = 350 }: { slowMs?: number } = {}): Promise<DojahDouble> {
  const requests: LookUp[] = []
  const violations: string[] = []
  /** The one that was set last comes first. */
  const rules: Rule[] = []
  const server = createServer((request, response) => answer(request, response))
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve())
    })
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const disconnect = disconnecterOf(server)
  await listen(0)
  const { port } = server.address() as AddressInfo
  const json = (response: ServerResponse, status: number, body: unknown): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body))

  function entityOf(type: 'bvn' | 'nin', number: string): object | null {
    const person = double.people.find((one) => one[type] === number)
    if (person === undefined) return null
    const said = double.masks ? masked(number) : number
    const names = {
      first_name: person.first,
      middle_name: person.middle ?? '',
      last_name: person.last,
    }
    const rest = { gender: 'Male', date_of_birth: '1982-01-01', photo: 'aGVsbG8=' }
    return type === 'bvn'
      ? { bvn: said, ...names, ...rest, phone_number1: '08012345678', phone_number2: '08012345678' }
      : {
          nin: said,
          ...names,
          ...rest,
          email: 'abc@gmail.com',
          phone_number: '08012345678',
          employment_status: 'unemployment',
        }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://double')
    const { appid, authorization } = request.headers
    const type = paths[url.pathname]
    if (request.method !== 'GET')
      violations.push(`${request.method} ${url.pathname}: it knows GET alone`)
    if (appid !== double.appId || authorization !== double.key)
      json(response, 401, { error: 'Unauthorized' })
    else if (url.pathname === '/api/v1/balance')
      json(response, 200, { entity: { wallet_balance: `${double.wallet}` } })
    else if (type !== undefined) lookUp(type, url.searchParams, response)
    else {
      violations.push(`${url.pathname}: it has no such operation`)
      json(response, 404, { error: 'Not found' })
    }
  }

  function lookUp(type: 'bvn' | 'nin', query: URLSearchParams, response: ServerResponse): void {
    const number = query.get(type) ?? ''
    const given = [...query.keys()].join()
    if (given !== type || !/^\d{11}$/.test(number))
      violations.push(`a ${type} was asked for with ${given}`)
    const rule = rules.find(({ times, applied }) => applied < times)
    const fault = rule?.fault ?? null
    if (rule) rule.applied++
    requests.push({ type, number, fault })
    if (fault === null || !unpaid.includes(fault)) double.wallet -= lookUpPrice
    const entity = entityOf(type, number)
    send(response, fault, entity, () =>
      entity === null
        ? json(response, 404, { error: `${type.toUpperCase()} not found` })
        : json(response, 200, { entity }),
    )
  }

  function send(
    response: ServerResponse,
    fault: DojahFault | null,
    entity: object | null,
    usual: () => void,
  ): void {
    const whole = JSON.stringify({ entity })
    switch (fault) {
      case 'reset_before':
      case 'reset_after':
        response.destroy()
        break
      case 'timeout_before':
      case 'timeout_after':
        break
      case 'slow':
        setTimeout(usual, slowMs).unref()
        break
      case 'error_before':
      case 'error_after':
        json(response, 500, { error: 'Something went wrong' })
        break
      case 'upstream_away':
        json(response, 424, { error: 'Service unavailable, try again later' })
        break
      case 'try_again':
        json(response, 400, { error: 'The source did not answer, try again' })
        break
      case 'rate_limited':
        json(response, 429, { error: 'Too many requests' })
        break
      case 'unauthorized':
        json(response, 401, { error: 'Unauthorized' })
        break
      case 'wallet_empty':
        json(response, 402, { error: 'Your balance is low, pls visit the dashboard' })
        break
      case 'refused':
        json(response, 400, { error: 'The request could not be processed' })
        break
      case 'other_form':
        json(response, 200, { status: false, message: 'No' })
        break
      case 'entity_null':
        json(response, 200, { entity: null })
        break
      case 'number_object':
        json(response, 200, { entity: inObjects(entity) })
        break
      case 'other_number':
        json(response, 200, { entity: { ...entity, bvn: '22200000009', nin: '22200000009' } })
        break
      case 'no_name':
        json(response, 200, { entity: { ...entity, last_name: null } })
        break
      case 'redirect':
        response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
        break
      case 'html':
        response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
        break
      case 'empty':
        response.writeHead(200, { 'content-type': 'application/json' }).end()
        break
      case 'truncated':
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(whole.slice(0, whole.length / 2))
        break
      case 'endless':
        sendEndless(response)
        break
      default:
        usual()
    }
  }

  const double: DojahDouble = {
    url: `http://127.0.0.1:${port}`,
    appId: 'app-of-the-double',
    key: `prod_sk_${randomBytes(12).toString('hex')}`,
    people: [],
    requests,
    violations,
    wallet: 100_000,
    masks: true,
    async fault(fault, { times = Number.POSITIVE_INFINITY } = {}) {
      const rule: Rule = { fault, times, applied: 0 }
      if (fault === 'no_connection') await disconnect()
      if (fault !== 'no_connection' || times === Number.POSITIVE_INFINITY) rules.unshift(rule)
      return rule
    },
    async clearFaults() {
      rules.splice(0)
      await double.connect()
    },
    async connect() {
      if (!server.listening) await listen(port)
    },
    applied: () => rules[0]?.applied ?? 0,
    stop: close,
  }
  return double
}

/** As recorded: `2*****22222`. */
const masked = (number: string): string => `${number[0]}*****${number.slice(-5)}`

/** An entity whose numbers are objects, as those of Dojah's form that validates one. */
const inObjects = (entity: object | null): object | null =>
  entity &&
  Object.fromEntries(
    Object.entries(entity).map(([name, value]) => [
      name,
      name === 'bvn' || name === 'nin' ? { value, status: true } : value,
    ]),
  )

/** Text without an end, until the other side has had enough. */
function sendEndless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = (): void => {
    if (response.destroyed) return
    if (response.write('x'.repeat(64 * 1024))) setImmediate(more)
    else response.once('drain', more)
  }
  more()
}
