/**
 * How a server takes connections: many may wait, and many are taken at a time.
 */
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'

export type Address = { port: number; host: string }

/**
 * Connections that may wait until the process takes them. The kernel drops the one that comes after them, and its client knocks again a second later, then
 * three, seven, fifteen and 31 after the first time. Node.js has 511, which many clients that come at once outrun; Linux itself ends at 4,096.
 */
export const backlog = 4_096

/** Whether several sockets may listen at one port, each with a queue of its own in the kernel. Of the others' ways Node.js knows none. */
export const ownQueues = process.platform === 'linux'

/**
 * From each socket libuv takes one connection each time that it goes around its loop (https://github.com/libuv/libuv/pull/3696), and to go around takes tens of
 * milliseconds where hundreds of requests are answered: at one socket a new client waits for seconds behind those that have a connection.
 */
const sockets = 16

/** Listens where others are to, so that it is known whether they can. @throws {Error} `EADDRINUSE` */
export function holdPort({ port, host }: Address): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.on('error', reject)
    server.listen({ port, host, reusePort: port === 0 && ownQueues }, () => resolve(server))
  })
}

/** @throws {Error} `EADDRINUSE` where somebody listens, whether or not the port could be shared; a port that is to be given is free */
export async function requireFree(address: Address): Promise<void> {
  if (address.port !== 0) await close(await holdPort(address))
}

/** Stops listening. It ends when the last of its connections has. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

/**
 * Has a server that listens, with `reusePort`, be handed connections by more sockets at its address, where the system can.
 * @returns ends with the last connection that came by them, and listens no more from when it is called
 */
export async function listenMore(server: HttpServer): Promise<() => Promise<void>> {
  if (!ownQueues) return async () => {}
  const { port, address: host } = server.address() as AddressInfo
  const more = Array.from({ length: sockets - 1 }, () =>
    // As node:http has them.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit('connection', socket)),
  )
  await Promise.all(
    more.map(
      (one) =>
        new Promise<void>((resolve, reject) => {
          one.once('error', reject)
          one.listen({ port, host, backlog, reusePort: true }, () => resolve())
        }),
    ),
  )
  return async () => void (await Promise.all(more.map(close)))
}
