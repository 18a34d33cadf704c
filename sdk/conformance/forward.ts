/**
 * A forward proxy, as HTTP_PROXY names one: it takes requests for any host to one server, and notes
 * for which.
 */
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export type Forward = { url: string; hosts: Set<string>; stop(): Promise<void> }

export async function startForward(target: string): Promise<Forward> {
  const hosts = new Set<string>()
  const sockets = new Set<Socket>()
  const { hostname, port } = new URL(target)
  const server = createServer((asked, response) => {
    const url = new URL(asked.url ?? '')
    hosts.add(url.hostname)
    const headers = { ...asked.headers, connection: 'close' }
    const sent = request(
      { hostname, port, path: url.pathname + url.search, method: asked.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode as number, answer.headers)
        answer.pipe(response)
      },
    )
    asked.pipe(sent)
  })
  server.on('connect', (asked, client: Socket) => {
    hosts.add((asked.url ?? '').split(':')[0] as string)
    const through = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(through).pipe(client)
    })
    sockets.add(through)
    for (const socket of [client, through]) socket.on('error', () => socket.destroy())
  })
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hosts,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
