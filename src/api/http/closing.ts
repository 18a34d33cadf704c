/**
 * How a connection ends whose request was answered before all of it was there. A socket that is
 * closed with unread bytes resets the connection, and a reset discards the answer before the client
 * has read it; so the sending side is closed first, and what still comes is read and dropped until
 * the client closes too (RFC 9112, section 9.6).
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What is dropped at most of a client that does not stop sending, and for how long. */
const most = 16 * 1024 * 1024
const longestMs = 2_000
const everyMs = 20

/** Closes in two steps each connection that is to close before its request is complete. */
export function closeInSteps(server: FastifyInstance): void {
  server.addHook('onSend', async ({ raw: request }) => {
    // A request that was destroyed meanwhile has no socket, whatever its type says.
    const { socket } = request as { socket: Socket | null }
    if (request.complete || socket === null) return
    // Node.js calls it once the answer is written, and only on connections that are not kept.
    socket.destroySoon = () => {
      request.unpipe().resume()
      endInSteps(socket)
    }
  })
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
