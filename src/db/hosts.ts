/**
 * A URL that names several servers, of which one takes writes: connections go to that one, wherever
 * it is by now. Which it is, is asked of all of them, and of two that take writes it is the one of
 * the newer timeline: PostgreSQL begins a new one at each promotion, so the other was the primary
 * before it, and what is written there is lost. A URL of several hosts is libpq's:
 * `postgres://user@one:5432,two:5432/bursar`, or `?host=one,two&port=5432,5432`.
 */
import type pg from 'pg'
import { SessionClient } from './session.ts'

/** How long one server may take to answer who it is, and how often the others are looked at. */
const answerMs = 1_500
const lookMs = 1_000

/** A server that the URL names. */
type Place = { host: string; port: number }

const nameOf = ({ host, port }: Place): string => `${host}:${port}`

/** What a server is. Its timeline is null while it replays what another writes. */
type Found = { place: Place; timeline: number | null }

/**
 * In recovery a server does not say what timeline it would write; the name of a segment begins with
 * the timeline.
 */
const askedText = `select case when not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off'
  then pg_walfile_name(pg_current_wal_insert_lsn()) end as segment`

async function timelineOf(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ segment: string | null }>(askedText)
  const segment = rows[0]?.segment
  return segment ? Number.parseInt(segment.slice(0, 8), 16) : null
}

/** An error of a connection that cannot be made, in the form of a socket's. */
const unreachable = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ENOPRIMARY' })

/**
 * The hosts of a URL, and the URL with the first of them alone, which the driver can read.
 * @throws {Error} where their ports do not match, or others are wanted than one that takes writes
 */
export function readHosts(url: string): { url: string; places: Place[] } {
  const [, scheme = '', authority = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? []
  const at = rest.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : rest.slice(at + 1))
  const inQuery = query.get('host')?.includes(',') ?? false
  if (!inQuery && !authority.includes(',')) return { url, places: [] }
  const wanted = query.get('target_session_attrs')
  if (wanted !== null && wanted !== 'read-write' && wanted !== 'primary')
    throw new Error(
      `target_session_attrs=${wanted}: with several hosts it is read-write or primary`,
    )
  const ports = query.get('port')?.split(',') ?? []
  const named = inQuery ? (query.get('host') as string).split(',') : authority.split(',')
  if (ports.length > 1 && ports.length !== named.length)
    throw new Error('there are not as many ports as hosts')
  const places = named.map((one, i) => {
    // An address of IPv6 has colons and stands in brackets, and a folder of a socket begins with a
    // slash.
    const [, host = one, own] =
      (inQuery ? null : /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(decodeURIComponent(one))) ?? []
    const port = Number(own ?? ports[i] ?? ports[0] ?? 5432)
    if (host === '' || !Number.isInteger(port)) throw new Error('a host or its port cannot be read')
    return { host: host.replace(/^\[|\]$/g, ''), port }
  })
  for (const name of ['host', 'port', 'target_session_attrs']) query.delete(name)
  const path = at < 0 ? rest : rest.slice(0, at)
  const left = query.size > 0 ? `?${query}` : ''
  return { url: `${scheme}localhost${path}${left}`, places }
}

/** The servers of one URL, as this process knows them. */
class Hosts {
  /** The one that takes writes; null: not known now. */
  private current: Place | null = null
  /** The newest timeline that was seen. What is older was a primary once. */
  private newest = 0
  private finding: Promise<Place> | null = null
  private readonly sessions = new Map<pg.Client, Place>()
  private readonly probes = new Map<Place, pg.Client>()
  private watch: NodeJS.Timeout | null = null
  private looking = false
  private readonly url: string
  private readonly places: Place[]

  constructor(url: string, places: Place[]) {
    this.url = url
    this.places = places
  }

  /** Where a session is to be. @throws {Error} while no server takes writes */
  async where(): Promise<Place> {
    if (this.current) return this.current
    this.finding ??= this.find().finally(() => {
      this.finding = null
    })
    return this.finding
  }

  /** A connection to a server failed: the next one asks all of them again. */
  doubt(place: Place): void {
    if (this.current === place) this.current = null
  }

  /**
   * A session was opened. It is closed when another server takes its place.
   * @throws {Error} where the server takes no writes, or was the primary before another one
   */
  async admit(client: pg.Client, place: Place): Promise<void> {
    const found = { place, timeline: await timelineOf(client) }
    this.heard(found)
    if (found.timeline === null || found.timeline < this.newest)
      throw unreachable(this.describe(place, found))
    this.sessions.set(client, place)
    client.once('end', () => this.leave(client))
    this.watch ??= setInterval(() => void this.look(), lookMs).unref()
  }

  private leave(client: pg.Client): void {
    this.sessions.delete(client)
    if (this.sessions.size > 0 || this.watch === null) return
    clearInterval(this.watch)
    this.watch = null
    for (const probe of this.probes.values()) void probe.end().catch(() => {})
    this.probes.clear()
  }

  /**
   * A newer timeline is the primary's: whoever speaks with another server speaks with one that was
   * left behind.
   */
  private heard({ place, timeline }: Found): void {
    if (timeline === null || timeline <= this.newest) return
    this.newest = timeline
    this.current = place
    for (const [client, of] of this.sessions) if (of !== place) cut(client)
  }

  private async find(): Promise<Place> {
    const found = await Promise.all(this.places.map((place) => this.ask(place)))
    for (const one of found) if (one) this.heard(one)
    const able = found.filter((one) => one?.timeline === this.newest && this.newest > 0) as Found[]
    if (able.length > 1)
      throw unreachable(
        `${able.map(({ place }) => nameOf(place)).join(' and ')} take writes in timeline ${this.newest}: stop what was promoted by mistake`,
      )
    if (!able[0])
      throw unreachable(
        this.places.map((place, i) => this.describe(place, found[i] ?? null)).join('; '),
      )
    this.current = able[0].place
    return this.current
  }

  private describe(place: Place, found: Found | null): string {
    if (found === null) return `${nameOf(place)} does not answer`
    if (found.timeline === null) return `${nameOf(place)} takes no writes`
    return `${nameOf(place)} is of timeline ${found.timeline}, and was the primary before ${this.newest} began`
  }

  /**
   * Looks whether one of the others has become the primary, of which a session that waits for the
   * old one would hear nothing.
   */
  private async look(): Promise<void> {
    if (this.looking) return
    this.looking = true
    const others = this.places.filter((place) => place !== this.current)
    for (const one of await Promise.all(others.map((place) => this.ask(place))))
      if (one) this.heard(one)
    this.looking = false
  }

  private async ask(place: Place): Promise<Found | null> {
    let client = this.probes.get(place)
    try {
      if (!client) {
        client = new SessionClient({
          connectionString: this.url,
          application_name: 'bursar-hosts',
          connectionTimeoutMillis: answerMs,
          query_timeout: answerMs,
        })
        direct(client, place)
        client.on('error', () => {})
        await client.connect()
      }
      const timeline = await timelineOf(client)
      // Kept only while somebody is connected: a command is to end.
      if (this.sessions.size > 0 && !this.probes.has(place)) this.probes.set(place, client)
      else if (this.probes.get(place) !== client) void client.end().catch(() => {})
      return { place, timeline }
    } catch {
      if (client) {
        if (this.probes.get(place) === client) this.probes.delete(place)
        cut(client)
      }
      return null
    }
  }
}

/** Has a client that is not connected yet connect to a server. */
function direct(client: pg.Client, { host, port }: Place): void {
  Object.assign(client, { host, port })
}

/**
 * Ends a connection without a word to the other side, which may never answer. Who waits for an
 * answer hears that it is lost.
 */
function cut(client: pg.Client): void {
  ;(
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy()
}

const known = new Map<string, { url: string; Client: typeof pg.Client }>()

/**
 * How to connect to what a URL names: the URL that the driver reads, and its client, which finds
 * the server that takes writes where the URL names several.
 * @throws {Error} where the URL's hosts cannot be read
 */
export function connecting(text: string): { url: string; Client: typeof pg.Client } {
  const before = known.get(text)
  if (before) return before
  const { url, places } = readHosts(text)
  const made = { url, Client: places.length > 0 ? clientOf(new Hosts(url, places)) : SessionClient }
  known.set(text, made)
  return made
}

function clientOf(hosts: Hosts): typeof pg.Client {
  return class extends SessionClient {
    override connect(): Promise<pg.Client>
    override connect(done: (error: Error | null) => void): void
    override connect(done?: (error: Error | null) => void): Promise<pg.Client> | undefined {
      const connected = this.toPrimary()
      if (!done) return connected
      connected.then(
        () => done(null),
        (error: Error) => done(error),
      )
    }

    private async toPrimary(): Promise<pg.Client> {
      // Until it is admitted nobody else listens, and an error that nobody hears would end the
      // process.
      this.on('error', () => {})
      const place = await hosts.where()
      direct(this, place)
      try {
        await super.connect()
        await hosts.admit(this, place)
        return this
      } catch (error) {
        hosts.doubt(place)
        cut(this)
        throw error
      }
    }
  } as typeof pg.Client
}
