/**
 * Closes connections whose request was answered before it had fully arrived. Closing a socket with
 * unread bytes resets it, which discards the answer. So the sending side closes first, and further
 * bytes are dropped until the client closes too (RFC 9112, section 9.6).
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The most bytes and time spent on a client that does not stop sending. */
const most = 16 * 1024 * 1024
const longestMs = 2_000
const everyMs = 20

/** Closes connections with an incomplete request in two steps. */
export function closeInSteps(server: FastifyInstance): void {
  server.addHook('onSend', ({ raw: request }, { raw: answer }, _payload, done) => {
    const { socket } = answer
    if (!request.complete && socket !== null) closeAfter(request, socket)
    done()
  })
}

function closeAfter(request: IncomingMessage, socket: Socket): void {
  // Node.js calls it after writing the answer, and only on connections that are not kept alive.
  socket.destroySoon = () => {
    request.unpipe().resume()
    endInSteps(socket)
  }
}

function endInSteps(socket: Socket): void {
  const before = socket.bytesRead
  const end = () => socket.destroy()
  const late = setTimeout(end, longestMs)
  const watch = setInterval(() => {
    if (socket.bytesRead - before > most) end()
  }, everyMs)
  socket.once('close', () => {
    clearTimeout(late)
    clearInterval(watch)
  })
  socket.end()
}
