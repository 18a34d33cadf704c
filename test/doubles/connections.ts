/** Takes a double off the network so that each of its clients has seen it. */
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

/** A client that stands still does not end its connections: it is not waited for any longer. */
const mostMs = 10_000

/**
 * Keeps the connections of a server. Returns a function that refuses new connections, ends those
 * that there are, and waits until their clients have ended them too. A client that had not seen it
 * would write its next request into a connection that is gone, where it should be refused one.
 */
export function disconnecterOf(server: Server): () => Promise<void> {
  const connections = new Map<Socket, Promise<void>>()
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    connections.set(
      socket,
      closed.then(() => void connections.delete(socket)),
    )
  })
  return async () => {
    if (!server.listening) return
    // The method of `net`: that of `http` cuts idle connections at once.
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(server, () => resolve()),
    )
    const timer = setTimeout(() => server.closeAllConnections(), mostMs)
    for (const socket of connections.keys()) socket.end()
    await Promise.all(connections.values())
    await closed
    clearTimeout(timer)
  }
}
