/**
 * How an SDK is driven: by a program in its language, which takes a JSON object a line and gives
 * one back.
 *
 * in
 * {"id":1,"call":"payouts.create","args":["path","parameters"],"query":{},"body":{},"options":{"idempotency_key":"…","max_retries":2,"timeout_ms":500},"client":{"base_url":"…","api_key":"…"}}
 * {"id":2,"collect":"payments.list","args":[],"query":{"limit":2},"take":7,"client":{…}} walks all
 * pages, or a stream, and stops after so many
 * {"id":3,"verify":{"body":"<base64>","headers":{},"secrets":["…"],"tolerance":300,"allowXSignature":false}}
 * or "parsed": an object, which must be refused
 *      {"id":4,"fork":{"how":"fork","workers":4,"each":20,"prefix":"a"},"client":{…}}
 * {"id":5,"show":true,"client":{…}} makes a client, asks by it for wallets, which fails, and shows
 * both in all ways that the language has: a list of texts out {"id":1,"ok":<value>}
 * {"id":1,"error":{"type":"ConflictError","status":409,"code":"duplicate_reference","message":"…","request_id":"…","errors":[],"retry_after":2}}
 *
 * `call` names are those of `sdk/generate/names.ts`. `args` are the parameters of the path. `query`
 * is there where the operation has one and `body` where it takes one, so a driver need not know
 * which. `errors` are the issues of a 422 (`path`, `message`, `location`), else empty;
 * `retry_after` is in seconds. What an error has not is left out or null. Bytes come as
 * {"bytes":"<base64>"}. An integer that a reader of JSON might round is sent as
 * {"$int":"9007199254740993"}, which a driver makes an integer of its language; it answers with
 * plain JSON integers. `fork` asks for the server with one client, forks so many workers, and makes
 * with the same client, in each worker and meanwhile in the process itself (the last worker), so
 * many payments of 1000 + worker and payouts of 10000 + worker, by the references
 * `a-pay-<worker>-<i>` and `a-out-<worker>-<i>`. It answers with `made`, how many answers were the
 * worker's own; `others`, those that were not; `failed`, messages. A driver may answer in another
 * order than it was asked in, and may do one after the other: what must be at once is asked of two
 * of them. It ends when its input does.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

// biome-ignore lint/suspicious/noExplicitAny: values have every shape
export type Json = any

/** In milliseconds; as a text, what JSON has no number for. */
export type Timeout = number | 'Infinity' | '-Infinity' | 'NaN'
export type ClientOptions = {
  base_url: string
  api_key: string
  max_retries?: number
  money?: 'number' | 'bigint'
  timeout_ms?: Timeout
}
export type CallOptions = { idempotency_key?: string; max_retries?: number; timeout_ms?: Timeout }
/** What workers of a driver do that is forked. */
export type Fork = {
  how: 'fork' | 'multiprocessing'
  workers: number
  each: number
  prefix: string
}
export type Forked = { made: number; others: string[]; failed: string[] }
export type Message =
  | { fork: Fork; client: ClientOptions }
  | { show: true; client: ClientOptions }
  | {
      call: string
      args?: string[]
      query?: Json
      body?: Json
      options?: CallOptions
      client: ClientOptions
    }
  | { collect: string; args?: string[]; query?: Json; take: number; client: ClientOptions }
  | {
      verify: ({ body: string } | { parsed: Json }) & {
        headers: Record<string, string>
        secrets: string[]
        tolerance?: number
        allowXSignature?: boolean
      }
    }

export type Failure = {
  type: string
  status?: number | null
  code?: string | null
  message: string
  request_id?: string | null
  errors?: { path: string; message: string; location: string }[] | null
  retry_after?: number | null
}
export type Reply = { ok: Json } | { error: Failure }

/** One that has started. */
export type Running = {
  /** @throws {Error} when it ends instead of answering */
  ask(message: Message): Promise<Reply>
  stop(): Promise<void>
}

export type Driver = {
  /** What the table calls it. */
  name: string
  /** How its `User-Agent` begins. */
  agent: string
  /** Where integers end that it gives exactly: `2^53` throws beyond, `int64` does not. */
  integers: '2^53' | 'int64'
  /**
   * What else it can: `bigint` has clients with `money`; `fork` and `multiprocessing` are the ways
   * in which it makes workers; `proxies` obeys HTTP_PROXY, `proxies refused` refuses it.
   */
  can?: ('bigint' | 'fork' | 'multiprocessing' | 'proxies' | 'proxies refused')[]
  /** Leaves out the cases that wait. */
  quick?: boolean
  /** @param env what its environment has besides */
  start(env?: Record<string, string>): Promise<Running>
}

/** Runs a program to its end. @throws {Error} with what it said when it fails */
export function runToEnd(command: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(said)
        : reject(new Error(`${command} ${args.join(' ')} ended with ${code}\n${said}`)),
    )
  })
}

/** A driver that is a program. */
export async function startProgram(
  command: string,
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<Running> {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
  const waiting = new Map<number, { resolve(reply: Reply): void; reject(error: Error): void }>()
  let said = ''
  let ended: Error | null = null
  const end = (why: string): void => {
    ended ??= new Error(`${command} ${args.join(' ')} ${why}\n${said.slice(-4_000)}`)
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  child.stderr?.on('data', (chunk) => {
    said += chunk
  })
  child.stdin?.on('error', () => end('does not read'))
  child.on('error', (error) => end(error.message))
  child.on('close', (code) => end(`ended with ${code}`))
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    try {
      const { id, ...reply } = parseExact(line)
      waiting.get(id)?.resolve(reply)
      waiting.delete(id)
    } catch {
      said += `${line}\n`
    }
  })
  let ids = 0
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended)
        const id = ++ids
        waiting.set(id, { resolve, reject })
        child.stdin?.write(`${JSON.stringify({ id, ...message })}\n`)
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.stdin?.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await closed
      clearTimeout(timer)
    },
  }
}

/** As `JSON.parse`, but for integers beyond 2^53, which come as `{$int}`. */
export function parseExact(text: string): Json {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? { $int: context?.source }
      : value
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown)
}
