/**
 * Asks a server as a program of one's own would: over HTTP, with an API key.
 */
import { type Access, refusalOf, unreachable } from './access.ts'
import { printable, UserError } from './terminal.ts'

export type Fields = Record<string, unknown>
export type Doc = Fields & { id: string }

export type Api = {
  /**
   * @returns the `data` of the answer. @throws {UserError} what the server says, when it refuses
   */
  (method: 'GET' | 'POST', path: string, body?: Fields): Promise<Doc>
  /**
   * How many requests the server allows this address, and how many of them are left until when;
   * null where it sets no limit.
   */
  allowance(): Allowance | null
  /** @returns the parts of a file. @throws {UserError} what the server says, when it refuses */
  file(path: string): Promise<AsyncIterable<Uint8Array>>
  /** Begins a payment at the hosted page of a collection, as a payer's browser does. */
  begin(page: string): Promise<void>
}

export type Allowance = { limit: number; left: number; resetsInMs: number }

const answerWithinMs = 30_000
const pageSize = 100

export function makeApi({ url, key }: Access): Api {
  let allowance: Allowance | null = null
  const ask = async (
    target: string,
    init: RequestInit,
    signal = AbortSignal.timeout(answerWithinMs),
  ): Promise<Response> => {
    try {
      const response = await fetch(target, { ...init, redirect: 'manual', signal })
      allowance = allowanceOf(response)
      return response
    } catch (error) {
      throw unreachable(url, error)
    }
  }
  const api = async (method: 'GET' | 'POST', path: string, body?: Fields): Promise<Doc> => {
    const response = await ask(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (response.ok) {
      const answer = (await response.json().catch(() => null)) as { data?: Doc } | null
      if (answer?.data === undefined) throw await refusalOf(url, response)
      return answer.data
    }
    return refuse(`${method} ${path}`, response)
  }
  const refuse = async (request: string, response: Response): Promise<never> => {
    const said = (await response
      .clone()
      .json()
      .catch(() => null)) as {
      message?: unknown
      data?: unknown
      errors?: { code?: unknown } | null
    } | null
    const isOther = typeof said?.message !== 'string' || said.errors?.code === 'route_not_found'
    if ([401, 403].includes(response.status) || response.status < 400 || isOther)
      throw await refusalOf(url, response)
    // Of a request that is not valid, each fault is named.
    const faults = Array.isArray(said.data)
      ? said.data.map((fault) => String(fault?.message)).join('; ')
      : ''
    const reason = faults || String(said.message)
    throw new UserError(`${request} is refused: ${printable(reason)}`)
  }
  return Object.assign(api, {
    allowance: () => allowance,
    async file(path: string) {
      // The answer has to begin in time; a large file may take longer.
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), answerWithinMs)
      const headers = { authorization: `Bearer ${key}` }
      const response = await ask(`${url}${path}`, { headers }, late.signal)
      clearTimeout(timer)
      return response.ok && response.body ? response.body : refuse(`GET ${path}`, response)
    },
    async begin(page: string) {
      const opened = await ask(page, {})
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
      const token = /name="token" value="([^"]+)"/.exec(await opened.text())?.[1] ?? ''
      const body = new URLSearchParams({ token })
      const begun = await ask(`${page}/start`, { method: 'POST', headers: { cookie }, body })
      if (begun.status !== 303)
        throw new UserError(`${page} begins no payment: HTTP ${begun.status}`)
    },
  })
}

/**
 * From the headers of
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-07, in seconds.
 */
function allowanceOf({ headers }: Response): Allowance | null {
  const [limit = 0, left = 0, reset = 0] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`ratelimit-${name}`)),
  )
  return limit > 0 ? { limit, left, resetsInMs: reset * 1_000 } : null
}

/** The records of a list, newest first: page by page, and not more than are wanted. */
export async function* listOf(
  api: Api,
  path: string,
  query: Record<string, string>,
  most: number,
): AsyncGenerator<Doc> {
  let left = most
  let after: string | undefined
  while (left > 0) {
    const limit = String(Math.min(left, pageSize))
    const { docs, hasNextPage } = await api(
      'GET',
      `${path}?${new URLSearchParams({ ...query, limit, ...(after === undefined ? {} : { after }) })}`,
    )
    for (const doc of docs as Doc[]) yield doc
    left -= (docs as Doc[]).length
    after = (docs as Doc[]).at(-1)?.id
    if (!hasNextPage || after === undefined) return
  }
}
