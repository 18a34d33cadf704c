/**
 * A proxy before the server that loses, refuses and breaks what it is told to, and writes down
 * everything that it is asked.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** What becomes of a request. */
export type Fault =
  | 'pass'
  /** The connection ends before the server has the request. */
  | 'lose request'
  /** The server does it, and nobody hears of it. */
  | 'lose answer'
  /** The server does it; half of its answer comes. */
  | 'cut answer'
  /** No answer ever; the server never has it. */
  | 'hang'
  /** No answer ever; the server does it. */
  | 'hang after'
  /** The server does it; its answer names another request. */
  | 'mix up'
  /**
   * The server does it; its answer names no request, as one of an older server, or over a proxy
   * that leaves headers out.
   */
  | 'leave name out'
  /** A stream ends, without a word, after so many events. */
  | { cutAfter: number }
  /** An answer that is not the server's. */
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }

export type Asked = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** In milliseconds of the process. */
  at: number
}

export type LossyProxy = {
  url: string
  log: Asked[]
  /** How many connections were opened. */
  opened: number
  /** Each POST that ever came without an Idempotency-Key. */
  keyless: Asked[]
  /**
   * What becomes of the next requests, in order; those after pass. Forgets what it was told before,
   * and its log.
   */
  next(...faults: Fault[]): void
  stop(): Promise<void>
}

const read = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export async function startProxy(target: string): Promise<LossyProxy> {
  const sockets = new Set<Socket>()
  let faults: Fault[] = []
  const proxy: LossyProxy = {
    url: '',
    log: [],
    opened: 0,
    keyless: [],
    next(...told) {
      faults = told
      proxy.log.length = 0
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }

  const forward = (asked: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { host: _host, connection: _connection, ...headers } = asked.headers
      const sent = request(
        target + asked.url,
        { method: asked.method as string, headers, agent: false },
        resolve,
      )
      sent.on('error', reject)
      sent.end(body)
    })

  async function handle(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(asked)
    const fault = faults.shift() ?? 'pass'
    const { method = '', url: path = '', headers } = asked
    const written: Asked = { method, path, headers, body: body.toString(), at: performance.now() }
    proxy.log.push(written)
    if (method === 'POST' && headers['idempotency-key'] === undefined) proxy.keyless.push(written)
    if (fault === 'hang') return
    if (fault === 'lose request') return void asked.socket.destroy()
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
      return void response.end(fault.body ?? '')
    }
    const answer = await forward(asked, body)
    if (typeof fault === 'object') {
      response.writeHead(answer.statusCode as number, answer.headers)
      response.flushHeaders()
      let events = 0
      for await (const chunk of answer) {
        for (const part of String(chunk).split(/(?<=\n\n)/)) {
          if (part.includes('data:') && ++events > fault.cutAfter) {
            setTimeout(() => asked.socket.destroy(), 20)
            return
          }
          await new Promise((resolve) => response.write(part, resolve))
        }
      }
      return void response.end()
    }
    if (fault === 'pass' && /event-stream/.test(answer.headers['content-type'] ?? '')) {
      // How the body is cut up is each connection's own: one of HTTP/1.0 has no chunks.
      const { 'transfer-encoding': _chunked, ...headers } = answer.headers
      response.writeHead(answer.statusCode as number, headers)
      response.on('close', () => answer.destroy())
      return void answer.pipe(response)
    }
    const whole = await read(answer)
    if (fault === 'hang after') return
    if (fault === 'lose answer') return void asked.socket.destroy()
    // A connection's own: that of the client stays open, as it does at a server.
    const { connection: _connection, 'keep-alive': _kept, ...own } = answer.headers
    if (fault === 'leave name out') delete own['x-client-request-id']
    if (fault === 'mix up') own['x-client-request-id'] = 'of-another-request'
    response.writeHead(answer.statusCode as number, own)
    if (fault !== 'cut answer') return void response.end(whole)
    response.write(whole.subarray(0, whole.length >> 1), () =>
      setTimeout(() => asked.socket.destroy(), 20),
    )
  }

  const server = createServer((asked, response) => {
    handle(asked, response).catch(() => asked.socket.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    sockets.add(socket)
    proxy.opened++
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
