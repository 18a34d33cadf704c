/**
 * How a server takes connections: many may wait, and many are taken at a time.
 */
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, isIPv6, type ListenOptions, type Server } from 'node:net'

export type Address = { port: number; host: string }

/** Whether a server that listens there can be reached at every address of its machine. */
export const isEverywhere = (host: string): boolean =>
  /^(0\.0\.0\.0|::|0:0:0:0:0:0:0:0)$/.test(host)

/** The URL of a server that listens there, for clients on its machine. */
export function localUrl({ port, host }: Address): string {
  const name =
    isEverywhere(host) || host === '127.0.0.1' ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * Connections that may wait until the process takes them. The kernel drops the one that comes after
 * them, and its client knocks again a second later, then three, seven, fifteen and 31 after the
 * first time. Node.js has 511, which many clients that come at once outrun; Linux itself ends at
 * 4,096.
 */
const backlog = 4_096

/**
 * How long a client may take to send its request, and the head of it. Node.js's own bounds are a
 * minute for the head, and half a minute more until it looks.
 */
export const requestTimes = {
  requestTimeout: 30_000,
  headersTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
}

/**
 * Whether a request names its host twice. What stands before the server may have read the other
 * one.
 */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
  return hosts > 1
}

/**
 * Whether several sockets listen at one port, each with a queue of its own in the kernel. Tried on
 * Linux alone; macOS and Windows have no such thing: there a parent hands connections on to its
 * children, and one that is in transit to a child that is killed then hangs.
 */
const ownQueues = process.platform === 'linux'

/**
 * From each socket libuv takes one connection each time that it goes around its loop
 * (https://github.com/libuv/libuv/pull/3696), and to go around takes tens of milliseconds where
 * hundreds of requests are answered: at one socket a new client waits for seconds behind those that
 * have a connection.
 */
const sockets = 16

/**
 * Listens where others are to, so that it is known whether they can. @throws {Error} `EADDRINUSE`
 */
export async function holdPort({ port, host }: Address): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await listen(server, { port, host, reusePort: port === 0 && ownQueues })
  return server
}

/**
 * Makes an address this process' own until it ends, or lets go: sockets that share a port keep out
 * nobody who shares it, too, and so another name is taken that cannot be shared. A port that is
 * still to be given is nobody else's.
 * @returns lets go
 * @throws {Error} `EADDRINUSE` where another process has it, or listens there
 */
export async function claimAddress(address: Address): Promise<() => Promise<void>> {
  if (address.port === 0) return async () => {}
  const claimed = createServer().unref()
  if (ownQueues) await listen(claimed, { path: `\0bursar ${address.host}:${address.port}` })
  const letGo = (): Promise<void> => close(claimed)
  try {
    await close(await holdPort(address))
  } catch (error) {
    await letGo()
    throw error
  }
  return letGo
}

/** @throws {Error} why it cannot */
function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Stops listening. It ends when the last of its connections has. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

type Serving = {
  /** Whether the address is claimed: a child's is its parent's. */
  claims?: boolean
  /** Has the server's own socket listen, where that is not for everybody to do. */
  begin?(options: ListenOptions): Promise<unknown>
}

/**
 * Has a server listen at an address that is its process' own, and be handed connections by more
 * sockets there (of several addresses, at the first), where the system can. Its own socket is
 * closed by its own close.
 * @returns gives up the address and the other sockets at once, and ends with the last connection
 * that came by these
 * @throws {Error} `EADDRINUSE` and others: the server's own socket alone may listen then
 */
export async function serveAt(
  server: HttpServer,
  address: Address,
  { claims = true, begin = (options) => listen(server, options) }: Serving = {},
): Promise<() => Promise<void>> {
  const letGo = claims ? await claimAddress(address) : async () => {}
  try {
    await begin({ ...address, backlog, reusePort: ownQueues })
    const closeMore = ownQueues ? await listenMore(server) : async () => {}
    return async () => void (await Promise.all([letGo(), closeMore()]))
  } catch (error) {
    await letGo()
    throw error
  }
}

/**
 * @returns as `serveAt` does of the other sockets. @throws {Error} where one cannot listen: none
 * does then
 */
async function listenMore(server: HttpServer): Promise<() => Promise<void>> {
  const { port, address: host } = server.address() as AddressInfo
  const more = Array.from({ length: sockets - 1 }, () =>
    // As node:http has them.
    createServer(
      { allowHalfOpen: true, noDelay: true },
      (socket) => void server.emit('connection', socket),
    ),
  )
  const closeAll = async (): Promise<void> => void (await Promise.all(more.map(close)))
  const began = await Promise.allSettled(
    more.map((one) => listen(one, { port, host, backlog, reusePort: true })),
  )
  const failed = began.find((one) => one.status === 'rejected')
  if (failed) {
    await closeAll()
    throw failed.reason
  }
  return closeAll
}
