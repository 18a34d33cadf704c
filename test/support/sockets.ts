/**
 * Requests over plain sockets that are kept and used again: Node.js's own client takes more of the
 * machine than the server that it asks.
 */
import { connect, type Socket } from 'node:net'

/** What came of a request. @property status 0 where nothing whole came */
export type Answered = { status: number; retryAfter: boolean; body: string }

/** A server closes what was idle for five seconds, and might as it is used again. */
const mostIdleMs = 3_000

type Line = {
  socket: Socket
  answered: (answer: Answered) => void
  continued: () => void
  idleSince: number
}

/** What a server says that has read a head, and waits for the body. */
const toContinue = 'HTTP/1.1 100 Continue\r\n\r\n'

/** Asks one server. Its answers have a Content-Length each. */
export function newSockets(url: string) {
  const { hostname, port } = new URL(url)
  const idle: Line[] = []
  const all = new Set<Socket>()

  function open(): Line {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const line: Line = { socket, answered: () => {}, continued: () => {}, idleSince: 0 }
    let got = ''
    all.add(socket)
    // What is counted is bytes.
    socket.setEncoding('latin1')
    socket.on('data', (some) => {
      got += some
      if (got.startsWith(toContinue)) {
        got = got.slice(toContinue.length)
        line.continued()
      }
      const head = got.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(got)?.[1])
      if (got.length < head + 4 + length) return
      const answer = {
        status: Number(got.slice(9, 12)),
        retryAfter: /\r\nretry-after: /i.test(got.slice(0, head)),
        body: got.slice(head + 4),
      }
      got = ''
      line.idleSince = performance.now()
      idle.push(line)
      line.answered(answer)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      all.delete(socket)
      const at = idle.indexOf(line)
      if (at >= 0) idle.splice(at, 1)
      else line.answered({ status: 0, retryAfter: false, body: '' })
    })
    return line
  }

  function free(): Line {
    for (let line = idle.pop(); line; line = idle.pop()) {
      if (performance.now() - line.idleSince < mostIdleMs) return line
      line.answered = () => {}
      line.socket.destroy()
    }
    return open()
  }

  const headOf = (
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string,
  ): string => {
    const lines = [`${method} ${path} HTTP/1.1`, `host: ${hostname}`]
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
    if (body !== '') lines.push(`content-length: ${Buffer.byteLength(body)}`)
    return `${lines.join('\r\n')}\r\n\r\n`
  }

  return {
    ask(
      method: string,
      path: string,
      headers: Record<string, string>,
      body = '',
    ): Promise<Answered> {
      return new Promise((resolve) => {
        const line = free()
        line.answered = resolve
        line.socket.write(`${headOf(method, path, headers, body)}${body}`)
      })
    },
    /**
     * Posts a head alone. @returns `continued` once the server has read it; `finish` sends the body
     */
    half(path: string, headers: Record<string, string>, body: string) {
      const line = free()
      const { promise: continued, resolve } = Promise.withResolvers<void>()
      line.continued = resolve
      line.socket.write(headOf('POST', path, { ...headers, expect: '100-continue' }, body))
      return {
        continued,
        finish: (): Promise<Answered> =>
          new Promise((answered) => {
            line.answered = answered
            line.socket.write(body)
          }),
      }
    },
    close: () => {
      for (const socket of all) socket.destroy()
    },
  }
}
