/**
 * Clients: wrk's where it is installed, else autocannon's, which take more of the machine for
 * themselves.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { installed, run } from './processes.ts'

/** Whose request it is, and what it may read. */
export type Owner = { key: string; transaction: string }

export type Load = {
  url: string
  /**
   * `payouts`, `keyed` (with an Idempotency-Key each) or a path to get, in which `{id}` is the
   * owner's transaction.
   */
  what: string
  /** Requests go round them; empty for requests without a key. */
  owners: Owner[]
  clients: number
  seconds: number
  /** Where files may be put. */
  dir: string
}

/** Who worked: the servers, PostgreSQL, and those who asked or were delivered to. */
export type Cpu = { server: number; postgres: number; clients: number }

export type Measure = {
  value: number
  /** Milliseconds. */
  p50?: number
  p99?: number
  /** Requests that were answered in the time. */
  requests?: number
  /** Those of them that were refused, or got no answer. */
  failed?: number
  /** Microseconds of one core that a request took. */
  cpu?: Cpu
  note?: string
}

export const wrk = installed('wrk')
let loads = 0

/**
 * Asks for so many seconds, each client again as soon as it was answered. The value is answers a
 * second.
 */
export async function measure(load: Load): Promise<Measure> {
  loads += 1
  return wrk ? withWrk(wrk, load, `run${loads}`) : withAutocannon(load, `run${loads}`)
}

async function withWrk(program: string, load: Load, name: string): Promise<Measure> {
  const file = join(load.dir, 'owners')
  writeFileSync(
    file,
    load.owners.map(({ key, transaction }) => `${key} ${transaction}\n`).join('') || '\n',
  )
  const script = fileURLToPath(new URL('load.lua', import.meta.url))
  const options = [
    '-t',
    load.clients > 1 ? '2' : '1',
    '-c',
    String(load.clients),
    '-d',
    `${load.seconds}s`,
  ]
  const printed = await run(program, [
    ...options,
    '--timeout',
    '20s',
    '-s',
    script,
    load.url,
    '--',
    file,
    name,
    load.what,
  ])
  const { requests, seconds, ...rest } = JSON.parse(/RESULT (.*)/.exec(printed)?.[1] as string)
  return { value: requests / seconds, requests, ...rest }
}

async function withAutocannon(load: Load, name: string): Promise<Measure> {
  const { url, what, owners, clients, seconds } = load
  const writes = !what.startsWith('/')
  let n = 0
  const result = await autocannon({
    url,
    connections: clients,
    duration: seconds,
    requests: [
      {
        setupRequest: (request) => {
          n += 1
          const owner = owners[n % owners.length]
          const headers: Record<string, string> = { 'content-type': 'application/json' }
          if (owner) headers.authorization = `Bearer ${owner.key}`
          if (!writes)
            return {
              ...request,
              method: 'GET',
              path: what.replace('{id}', owner?.transaction ?? ''),
              headers,
            }
          const reference = `${name}-${n}`
          if (what === 'keyed') headers['idempotency-key'] = reference
          const body = JSON.stringify({ reference, ...payout })
          return { ...request, method: 'POST', path: '/payouts', headers, body }
        },
      },
    ],
  })
  return {
    value: result.requests.total / result.duration,
    requests: result.requests.total,
    // `errors` counts timeouts too.
    failed: result.non2xx + result.errors,
    p50: result.latency.p50,
    p99: result.latency.p99,
    note: 'clients by autocannon; wrk is not installed',
  }
}

/** A payout but for its reference. */
export const payout = {
  amount: 10_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: { bank_code: '058', account_number: '0123456789' },
}
