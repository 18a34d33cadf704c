/**
 * What stands before the cells: it passes a request on to the cell that it names, as it came, and answers for one that is down. It keeps nothing.
 */
import { Agent, request as ask, createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { cellCookie, choose } from './choosing.ts'
import type { Cell } from './file.ts'

/** How often each cell is asked how it is, how long it may take to say so, and how long one that says nothing is waited for by requests. */
const lookEveryMs = 500
const lookMs = 1_000
const waitMs = 2_000

/** @property url where its processes answer; null while there are none */
type Standing = { cell: Cell; agent: Agent; url: string | null; up: boolean; health: unknown; waiting: Set<Waiting> }
type Waiting = { since: number; giveUp(): void }

export type Front = {
  url: string
  /** Where a cell answers from now on; null: nowhere. */
  move(letter: string, url: string | null): void
  stop(): Promise<void>
}

type Options = { port: number; host: string; log: Log }

/** @throws {Error} `EADDRINUSE` when the port is taken */
export async function startFront(cells: readonly Cell[], { port, host, log }: Options): Promise<Front> {
  const standings = new Map<string, Standing>(
    cells.map((cell): [string, Standing] => [
      cell.letter,
      { cell, agent: new Agent({ keepAlive: true }), url: null, up: false, health: null, waiting: new Set() },
    ]),
  )

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const path = incoming.url ?? '/'
    if (path === '/health' || path.startsWith('/health?')) {
      sayHealth(outgoing)
      return
    }
    const { authorization = '', cookie = '' } = incoming.headers
    const choice = choose(cells, { path, authorization, cookie })
    if (choice === null) {
      refuse(outgoing, 404, 'not_found', 'There is no such cell.')
      return
    }
    const named = standings.get(choice.letter) as Standing
    // What is for any cell, as the documents are, is any cell's that is up.
    const standing = named.up || choice.names ? named : ([...standings.values()].find(({ up }) => up) ?? named)
    if (standing.up && standing.url !== null) pass(incoming, outgoing, standing, choice)
    else refuseDown(outgoing, standing)
  }

  function pass(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    standing: Standing,
    { path, sets }: { path: string; sets: string | null },
  ): void {
    const { hostname, port: to } = new URL(standing.url as string)
    const { method = 'GET', headers, socket } = incoming
    const before = headers['x-forwarded-for']
    const from = socket.remoteAddress ?? ''
    const upstream = ask({
      ...{ hostname, port: to, method, path, agent: standing.agent },
      headers: { ...headers, 'x-forwarded-for': before === undefined ? from : `${before}, ${from}` },
    })
    const waiting: Waiting = {
      since: performance.now(),
      giveUp() {
        upstream.destroy()
        if (!outgoing.headersSent) refuseDown(outgoing, standing)
      },
    }
    standing.waiting.add(waiting)
    upstream.on('response', (answered) => {
      standing.waiting.delete(waiting)
      if (outgoing.headersSent) return void answered.resume()
      const sent = answered.headers
      if (sets !== null) {
        const secure = headers['x-forwarded-proto'] === 'https' ? '; Secure' : ''
        const kept = `${cellCookie}=${sets}; Path=/dashboard; HttpOnly; SameSite=Lax; Max-Age=31536000${secure}`
        sent['set-cookie'] = [...(sent['set-cookie'] ?? []), kept]
      }
      outgoing.writeHead(answered.statusCode ?? 502, sent)
      outgoing.flushHeaders()
      answered.pipe(outgoing)
      answered.on('error', () => outgoing.destroy())
    })
    upstream.on('error', (error) => {
      standing.waiting.delete(waiting)
      if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
      log.warn({ err: error, cell: standing.cell.letter }, 'a cell did not answer')
      refuseDown(outgoing, standing)
    })
    // Who asks is gone: so is what was asked for.
    outgoing.on('close', () => {
      standing.waiting.delete(waiting)
      if (!outgoing.writableFinished) upstream.destroy()
    })
    incoming.pipe(upstream)
  }

  function sayHealth(outgoing: ServerResponse): void {
    const all = [...standings.values()]
    const up = all.filter((one) => one.up).length
    const data = {
      status: up === all.length ? 'ok' : up > 0 ? 'partly_unavailable' : 'unavailable',
      cells: Object.fromEntries(
        all.map(({ cell, up: isUp, health }) => [cell.letter, { status: isUp ? 'ok' : 'unavailable', health }]),
      ),
    }
    const message = up === all.length ? 'Ready' : up > 0 ? 'Ready in part' : 'Not ready'
    send(outgoing, up > 0 ? 200 : 503, { message, data })
  }

  /** Each by itself: none waits for another. */
  async function look(standing: Standing): Promise<void> {
    const { cell } = standing
    const said = standing.url === null ? null : await healthOf(standing.url)
    if (said !== null) standing.health = said.data
    const up = said?.status === 200
    if (up !== standing.up) log[up ? 'info' : 'error']({ cell: cell.letter }, up ? 'a cell answers' : 'a cell is down')
    standing.up = up
    if (up) return
    const late = performance.now() - waitMs + lookMs
    for (const waiting of standing.waiting) if (waiting.since < late) waiting.giveUp()
  }

  let stopping = false
  const watch = async (standing: Standing): Promise<void> => {
    while (!stopping) {
      await look(standing)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs).unref())
    }
  }

  const server = createServer(answer)
  await listen(server, port, host)
  for (const standing of standings.values()) void watch(standing)
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    move(letter, url) {
      const standing = standings.get(letter) as Standing
      standing.url = url
      if (url === null) standing.up = false
      else void look(standing)
    },
    async stop() {
      stopping = true
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), waitMs).unref()
      })
      for (const { agent } of standings.values()) agent.destroy()
    },
  }
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })

async function healthOf(url: string): Promise<{ status: number; data: unknown } | null> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(lookMs) })
    return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data }
  } catch {
    return null
  }
}

function refuseDown(outgoing: ServerResponse, { cell }: Standing): void {
  outgoing.setHeader('retry-after', '1')
  refuse(
    outgoing,
    503,
    'cell_unavailable',
    `The part of this installation that has what you ask for (cell ${cell.letter}) does not answer now. Ask again; what you write, with the same Idempotency-Key.`,
  )
}

function refuse(outgoing: ServerResponse, status: number, code: string, message: string): void {
  send(outgoing, status, { message, data: null, errors: { code } })
}

function send(outgoing: ServerResponse, status: number, body: object): void {
  if (outgoing.destroyed) return
  outgoing.writeHead(status, {
    ...{ 'content-type': 'application/json; charset=utf-8', 'x-request-id': newId(systemClock.now()) },
    ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  })
  outgoing.end(JSON.stringify(body))
}
