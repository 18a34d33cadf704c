/**
 * Failover: connects to the primary among the servers of a URL in libpq's form
 * (`postgres://user@one:5432,two:5432/bursar`, or `?host=one,two&port=5432,5432`). If two servers
 * accept writes, the one with the newer timeline is the primary. PostgreSQL starts a timeline at
 * each promotion, so the other is a former primary, and writes to it would be lost.
 */
import type pg from 'pg'
import { SessionClient } from './session.ts'

/** The timeout of one server's answer, and the interval at which the others are probed. */
const probeTimeoutMs = 1_500
const probeIntervalMs = 1_000

/** A server in the URL. */
type Server = { host: string; port: number }

const nameOf = ({ host, port }: Server): string => `${host}:${port}`

/** The state of a server; `timeline` is null while it is a standby. */
type ServerState = { server: Server; timeline: number | null }

/** The name of a WAL segment begins with the timeline. A standby reports none. */
const timelineQuery = `select case when not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'
  then pg_walfile_name(pg_current_wal_insert_lsn()) end as segment`

async function timelineOf(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ segment: string | null }>(timelineQuery)
  const segment = rows[0]?.segment
  return segment ? Number.parseInt(segment.slice(0, 8), 16) : null
}

/** Creates an error in the form of a socket's error. */
const unreachable = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ENOPRIMARY' })

/**
 * Parses the hosts of a URL. Also returns the URL with one host, for the driver.
 * @throws {Error} if hosts and ports differ in number, or `target_session_attrs` asks for another
 * server than the primary
 */
export function parseHosts(url: string): { url: string; servers: Server[] } {
  const [, scheme = '', authority = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  const at = rest.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : rest.slice(at + 1))
  const inQuery = query.get('host')?.includes(',') ?? false
  if (!inQuery && !authority.includes(',')) return { url, servers: [] }
  const wanted = query.get('target_session_attrs')
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary')
    throw new Error(
      `target_session_attrs=${wanted}: with several hosts it is read-write or primary`,
    )
  const ports = query.get('port')?.split(',') ?? []
  const named = inQuery ? (query.get('host') as string).split(',') : authority.split(',')
  if (ports.length > 1 && ports.length !== named.length)
    throw new Error('there are not as many ports as hosts')
  const hosts = named.map((one, i) => {
    // An IPv6 address stands in brackets because of its colons, and the folder of a socket begins
    // with a slash.
    const [, host = one, own] =
      (inQuery ? null : /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(decodeURIComponent(one))) ?? []
    const port = Number(own ?? ports[i] ?? ports[0] ?? 5432)
    if (host === '' || !Number.isInteger(port)) throw new Error('a host or its port cannot be read')
    return { host: host.replace(/^\[|\]$/g, ''), port }
  })
  for (const name of ['host', 'port', 'target_session_attrs']) query.delete(name)
  const path = at < 0 ? rest : rest.slice(0, at)
  const left = query.size > 0 ? `?${query}` : ''
  return { url: `${scheme}localhost${path}${left}`, servers: hosts }
}

/** The servers of one URL and their sessions, as this process knows them. */
class PrimaryFinder {
  /** The primary; null if it is unknown. */
  private currentPrimary: Server | null = null
  /** The newest timeline seen. A server with an older one is a former primary. */
  private newestTimeline = 0
  private search: Promise<Server> | null = null
  private readonly sessions = new Map<pg.Client, Server>()
  private readonly probes = new Map<Server, pg.Client>()
  private probeTimer: NodeJS.Timeout | null = null
  private isProbing = false
  private readonly url: string
  private readonly servers: Server[]

  constructor(url: string, servers: Server[]) {
    this.url = url
    this.servers = servers
  }

  /**
   * Returns the primary.
   * @throws {Error} if no server accepts writes
   */
  async primary(): Promise<Server> {
    if (this.currentPrimary) return this.currentPrimary
    this.search ??= this.findPrimary().finally(() => {
      this.search = null
    })
    return this.search
  }

  /** Records a failed connection: the next session searches for the primary again. */
  markFailed(server: Server): void {
    if (this.currentPrimary === server) this.currentPrimary = null
  }

  /**
   * Registers an open session, which is closed when another server becomes the primary.
   * @throws {Error} if the server is a standby or a former primary
   */
  async admitSession(client: pg.Client, server: Server): Promise<void> {
    const found = { server, timeline: await timelineOf(client) }
    this.recordState(found)
    if (found.timeline === null || found.timeline < this.newestTimeline)
      throw unreachable(this.describe(server, found))
    this.sessions.set(client, server)
    client.once('end', () => this.forgetSession(client))
    this.probeTimer ??= setInterval(() => void this.probeOthers(), probeIntervalMs).unref()
  }

  private forgetSession(client: pg.Client): void {
    this.sessions.delete(client)
    if (this.sessions.size > 0 || this.probeTimer === null) return
    clearInterval(this.probeTimer)
    this.probeTimer = null
    for (const probe of this.probes.values()) void probe.end().catch(() => {})
    this.probes.clear()
  }

  /** A server with a newer timeline is the new primary. Sessions with other servers are closed. */
  private recordState({ server, timeline }: ServerState): void {
    if (timeline === null || timeline <= this.newestTimeline) return
    this.newestTimeline = timeline
    this.currentPrimary = server
    for (const [client, of] of this.sessions) if (of !== server) destroyConnection(client)
  }

  private async findPrimary(): Promise<Server> {
    const found = await Promise.all(this.servers.map((server) => this.probe(server)))
    for (const one of found) if (one) this.recordState(one)
    const able = found.filter(
      (one) => one?.timeline === this.newestTimeline && this.newestTimeline > 0,
    ) as ServerState[]
    if (able.length > 1)
      throw unreachable(
        `${able.map(({ server }) => nameOf(server)).join(' and ')} accept writes in timeline ${this.newestTimeline}: stop the server that was promoted by mistake`,
      )
    if (!able[0])
      throw unreachable(
        this.servers.map((server, i) => this.describe(server, found[i] ?? null)).join('; '),
      )
    this.currentPrimary = able[0].server
    return this.currentPrimary
  }

  private describe(server: Server, found: ServerState | null): string {
    if (found === null) return `${nameOf(server)} does not answer`
    if (found.timeline === null) return `${nameOf(server)} accepts no writes`
    return `${nameOf(server)} has timeline ${found.timeline} and was the primary before timeline ${this.newestTimeline}`
  }

  /**
   * Probes the other servers for a new primary: sessions that wait for the old one would not notice
   * a failover.
   */
  private async probeOthers(): Promise<void> {
    if (this.isProbing) return
    this.isProbing = true
    const others = this.servers.filter((server) => server !== this.currentPrimary)
    for (const one of await Promise.all(others.map((server) => this.probe(server))))
      if (one) this.recordState(one)
    this.isProbing = false
  }

  private async probe(server: Server): Promise<ServerState | null> {
    let client = this.probes.get(server)
    try {
      if (!client) {
        client = new SessionClient({
          connectionString: this.url,
          application_name: 'bursar-hosts',
          connectionTimeoutMillis: probeTimeoutMs,
          query_timeout: probeTimeoutMs,
        })
        setHost(client, server)
        client.on('error', () => {})
        await client.connect()
      }
      const timeline = await timelineOf(client)
      // Kept only while sessions are open, so that commands can exit.
      if (this.sessions.size > 0 && !this.probes.has(server)) this.probes.set(server, client)
      else if (this.probes.get(server) !== client) void client.end().catch(() => {})
      return { server, timeline }
    } catch {
      if (client) {
        if (this.probes.get(server) === client) this.probes.delete(server)
        destroyConnection(client)
      }
      return null
    }
  }
}

/** Sets the server that an unconnected client will connect to. */
function setHost(client: pg.Client, { host, port }: Server): void {
  Object.assign(client, { host, port })
}

/**
 * Closes a connection without waiting for the server, which may never answer. Pending queries fail.
 */
function destroyConnection(client: pg.Client): void {
  ;(
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy()
}

const connections = new Map<string, { url: string; Client: typeof pg.Client }>()

/**
 * Returns the URL for the driver, and a client class that finds the primary if the URL names
 * several servers.
 * @throws {Error} if the hosts cannot be parsed
 */
export function connectionOf(text: string): { url: string; Client: typeof pg.Client } {
  const before = connections.get(text)
  if (before) return before
  const { url, servers } = parseHosts(text)
  const made = {
    url,
    Client: servers.length > 0 ? clientOf(new PrimaryFinder(url, servers)) : SessionClient,
  }
  connections.set(text, made)
  return made
}

function clientOf(finder: PrimaryFinder): typeof pg.Client {
  return class extends SessionClient {
    override connect(): Promise<pg.Client>
    override connect(done: (error: Error | null) => void): void
    override connect(done?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connected = this.connectToPrimary()
      if (!done) return connected
      connected.then(
        () => done(null),
        (error: Error) => done(error),
      )
    }

    private async connectToPrimary(): Promise<pg.Client> {
      // Until the session is admitted nothing else listens, and an unhandled error would end the
      // process.
      this.on('error', () => {})
      const server = await finder.primary()
      setHost(this, server)
      try {
        await super.connect()
        await finder.admitSession(this, server)
        return this
      } catch (error) {
        finder.markFailed(server)
        destroyConnection(this)
        throw error
      }
    }
  } as typeof pg.Client
}
