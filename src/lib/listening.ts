/** Listens for connections: a long backlog and several sockets, for bursts of new clients. */
import type { Server as HttpServer, IncomingMessage } from 'node:http'
import { type AddressInfo, createServer, isIPv6, type ListenOptions, type Server } from 'node:net'

export type Address = { port: number; host: string }

/** Whether the host stands for all addresses of the machine. */
export const isEverywhere = (host: string): boolean =>
  /^(0\.0\.0\.0|::|0:0:0:0:0:0:0:0)$/.test(host)

/** Returns the URL of the server for clients on its machine. */
export function localUrl({ port, host }: Address): string {
  const name =
    isEverywhere(host) || host === '127.0.0.1' ? 'localhost' : isIPv6(host) ? `[${host}]` : host
  return `http://${name}:${port}`
}

/**
 * The kernel's queue of unaccepted connections. It drops further ones, whose clients retry after 1,
 * 3, 7, 15 and 31 seconds. Node.js defaults to 511, which bursts exceed; Linux allows 4,096.
 */
const backlog = 4_096

/**
 * Timeouts for receiving a request and its head. Node.js waits a minute for the head, and checks
 * every 30 seconds.
 */
export const requestTimes = {
  requestTimeout: 30_000,
  headersTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
}

/** Whether a request has two Host headers, of which a proxy may have read the other one. */
export function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
  return hosts > 1
}

/**
 * Whether several sockets with separate queues can share a port. Linux only: elsewhere a parent
 * passes connections to children, and one in transit to a killed child hangs.
 */
const ownQueues = process.platform === 'linux'

/**
 * libuv accepts one connection per socket and turn of its loop
 * (https://github.com/libuv/libuv/pull/3696). A turn takes tens of milliseconds under load, so with
 * one socket new clients would wait for seconds.
 */
const sockets = 16

/**
 * Listens at the address to check that others can.
 * @throws {Error} `EADDRINUSE`
 */
export async function holdPort({ port, host }: Address): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  await listen(server, { port, host, reusePort: port === 0 && ownQueues })
  return server
}

/**
 * Claims an address until this process ends or releases it. Sockets that share a port do not
 * exclude each other, so a second, unshared name is used. Port 0 is never taken.
 * @returns the release
 * @throws {Error} `EADDRINUSE` if another process has claimed it or listens there
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

/** @throws {Error} if it cannot listen */
function listen(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Stops listening. It resolves after the last connection has closed. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

type Serving = {
  /** Whether to claim the address; a child uses its parent's claim. */
  claims?: boolean
  /** Starts the server's own socket, if that needs special handling. */
  begin?(options: ListenOptions): Promise<unknown>
}

/**
 * Makes a server listen at a claimed address, with additional sockets if the system allows. The
 * server's own close closes its own socket.
 * @returns the release of the address and the additional sockets; it resolves after their last
 * connection
 * @throws {Error} `EADDRINUSE` and others
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
 * @returns the release of the additional sockets
 * @throws {Error} if one cannot listen; then none does
 */
async function listenMore(server: HttpServer): Promise<() => Promise<void>> {
  const { port, address: host } = server.address() as AddressInfo
  const more = Array.from({ length: sockets - 1 }, () =>
    // The same options as in node:http.
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
