/**
 * Makes one HTTP request, and reports whether a byte of it had left and whether a whole answer came.
 * It uses `node:https`: `fetch` does not say whether a byte had left when it failed.
 */
import { Agent as PlainAgent, request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import type { Socket } from 'node:net'

/** A provider's address and timeouts. Only tests change them. */
export type Reach = { host: string; connectMs: number; wholeMs: number; ca?: string }

/** Returns the same with the host of a setting; null: the provider's own. */
export const reachAt = <R extends Reach>(reach: R, baseUrl: string | null): R =>
  baseUrl === null ? reach : { ...reach, host: baseUrl.replace(/\/$/, '') }

/**
 * The result of a request. `sent`: a byte may have been sent. `error`: why there is no complete
 * answer; the other fields are what had arrived.
 */
export type Exchange = {
  sent: boolean
  status: number | null
  headers: Record<string, string | string[] | undefined>
  body: string
  error: string | null
}

/** The largest answer, in bytes: ten times a list of a hundred rows. */
const mostBytes = 1024 * 1024

type HttpRequest = {
  url: URL
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

/** Opens an agent with kept connections. It follows no redirects, and never throws. */
export function openExchange({
  host,
  connectMs,
  wholeMs,
  ca,
}: Reach): (request: HttpRequest) => Promise<Exchange> {
  const secure = host.startsWith('https:')
  const kept = { keepAlive: true, timeout: 10_000 }
  const agent = secure
    ? new Agent({ ...kept, ...(ca === undefined ? {} : { ca }) })
    : new PlainAgent(kept)

  return ({ url, method, headers: own, body }) => {
    const came: Exchange = { sent: false, status: null, headers: {}, body: '', error: null }
    return new Promise((resolve) => {
      const headers = {
        accept: 'application/json',
        'user-agent': 'bursar',
        ...(body === null
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...own,
      }
      const sending = (secure ? request : plainRequest)(url, { method, headers, agent })
      const end = (error: string | null): void => {
        clearTimeout(whole)
        clearTimeout(connecting)
        came.error ??= error
        resolve(came)
        if (error !== null) sending.destroy()
      }
      const whole = setTimeout(() => end(`no complete answer within ${wholeMs} ms`), wholeMs)
      const connecting = setTimeout(() => {
        if (!came.sent) end(`no connection within ${connectMs} ms`)
      }, connectMs)
      sending.on('socket', (socket: Socket) => {
        const connected = (): void => {
          came.sent = true
          clearTimeout(connecting)
        }
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connected)
        else connected()
      })
      sending.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
      sending.on('response', (response) => {
        came.status = response.statusCode ?? null
        came.headers = response.headers
        const chunks: Buffer[] = []
        let bytes = 0
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > mostBytes) end('an answer without an end')
          else chunks.push(chunk)
        })
        response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
        response.on('end', () => {
          came.body = Buffer.concat(chunks).toString()
          end(response.complete ? null : 'an answer that broke off')
        })
      })
      sending.end(body ?? undefined)
    })
  }
}
