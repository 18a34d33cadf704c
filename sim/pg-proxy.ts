/**
 * Stands between one process of ours and PostgreSQL, and sees each COMMIT before PostgreSQL does: the point at which a process that is
 * killed, or a connection that is cut, leaves the most in doubt. It knows as much of the protocol as that needs.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What becomes of one COMMIT that does not just go through: it never arrives, or it arrives, and the answer does not. */
export type CommitFate = { at: 'before' | 'after'; kill: boolean }

export type PgProxy = {
  /** The same address for the process, by way of here. */
  url: string
  /** Cuts the next statement that is sent: its first half arrives. @returns whether there is anybody to send one */
  cutNext(): boolean
  /** Cuts every connection there is. */
  cutAll(): number
  close(): Promise<void>
}

/** A simple query of one word: its type, its length with its own four bytes, the text, and a zero. */
const query = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x51, 0, 0, 0, 4 + text.length + 1]), Buffer.from(`${text}\0`)])
const commits = [query('COMMIT'), query('commit')]
/** The tag that PostgreSQL answers a COMMIT with. */
const committed = Buffer.from('COMMIT\0')

/** The longest that a COMMIT waits for the answer that it is not to get. */
const longestMs = 2_000

const placeOf = (chunk: Buffer): number => {
  for (const commit of commits) {
    const at = chunk.indexOf(commit)
    if (at >= 0) return at
  }
  return -1
}

/**
 * @param url of PostgreSQL, by a socket's folder or by host and port
 * @param fateOf asked at each COMMIT
 * @param sealed called once a fate has come true: what was to arrive has, what was not to has not
 */
export async function startPgProxy(
  url: string,
  fateOf: () => CommitFate | null,
  sealed: (fate: CommitFate) => void,
): Promise<PgProxy> {
  const at = new URL(url.replace('@/', '@localhost/'))
  const folder = at.searchParams.get('host')
  const port = at.searchParams.get('port') ?? at.port
  const target = folder ? { path: `${folder}/.s.PGSQL.${port}` } : { host: at.hostname, port: Number(port) }
  const open = new Set<Socket>()
  let cutting = false

  const server = createServer((client) => {
    const upstream = connect(target)
    let fate: CommitFate | null = null
    const cut = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (chunk) => {
      if (cutting) {
        cutting = false
        upstream.write(chunk.subarray(0, chunk.length >> 1))
        cut()
        return
      }
      const place = fate === null ? placeOf(chunk) : -1
      if (place >= 0) fate = fateOf()
      // Where the transaction had failed, its COMMIT is answered otherwise; nobody is to wait for that for ever.
      if (place >= 0 && fate?.at === 'after') setTimeout(cut, longestMs).unref()
      if (fate?.at === 'before') {
        upstream.write(chunk.subarray(0, place))
        sealed(fate)
        cut()
      } else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (fate === null) client.write(chunk)
      else if (chunk.includes(committed)) {
        sealed(fate)
        cut()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `postgres://${at.username}:${at.password}@127.0.0.1:${(server.address() as AddressInfo).port}${at.pathname}`,
    cutNext() {
      cutting = true
      return open.size > 0
    },
    cutAll() {
      const sockets = open.size
      for (const socket of open) socket.destroy()
      return sockets
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}
