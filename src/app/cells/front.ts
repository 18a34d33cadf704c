/**
 * What stands before the cells: it passes a request on to the cell that it names, as it came, and
 * answers for one that is down. It keeps nothing.
 */
import {
  Agent,
  request as ask,
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import { cellHeader } from '../../lib/cells.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { close, hasTwoHosts, localUrl, requestTimes, serveAt } from '../../lib/listening.ts'
import type { Log } from '../../lib/log.ts'
import { type Choice, cellCookie, choose } from './choosing.ts'
import type { Cell } from './file.ts'
import { type CellAnswer, isOfAllCells, isOfKeys, silentOf, togetherOf } from './proofs.ts'

/**
 * How often each cell is asked how it is, and how long it may take to say so. One that says nothing
 * may be busy, and is waited for by requests; one that says nothing twice is down.
 */
const lookEveryMs = 500
const lookMs = 1_000
const mostSilent = 2
const waitMs = 2_000

/**
 * How long a request waits for a cell that has just moved to another database, and is being started
 * there: less than clients wait for an answer.
 */
const moveMs = 25_000
const moveEveryMs = 50
/** Where two cells each say that the other has it, somebody must stop. */
const mostAsked = 4

/**
 * Bytes of bodies that are kept, of all requests together, until they are answered. What is beyond
 * is passed on, and not asked for again elsewhere.
 */
const mostKept = 64 * 1024 * 1024

/**
 * Requests that name one business, and are told to go elsewhere, are remembered: so many texts that
 * do.
 */
const mostRemembered = 100_000

/**
 * @property url where its processes answer; null while there are none. @property silent how often
 * it said nothing, since it last did
 */
type Standing = {
  cell: Cell
  agent: Agent
  url: string | null
  up: boolean
  silent: number
  health: unknown
  waiting: Set<Waiting>
}
type Waiting = { since: number; giveUp(): void }

/**
 * A request while it is passed on: what was read of its body is kept until it is answered, as it
 * may have to be asked again elsewhere.
 * @property body null: no copy is kept
 */
type Passing = {
  incoming: IncomingMessage
  outgoing: ServerResponse
  body: Buffer[] | null
  choice: Choice
  asked: number
  startedAt: number
}

export type Front = {
  url: string
  /** Where a cell answers from now on; null: nowhere. */
  move(letter: string, url: string | null): void
  /** The cells that there are from now on. */
  follow(cells: readonly Cell[]): void
  stop(): Promise<void>
}

/**
 * @property only the cells that are served here; null: all. Of others it knows that they are
 * elsewhere
 */
type Options = { port: number; host: string; only: readonly string[] | null; log: Log }

/** @throws {Error} `EADDRINUSE` when the port is taken */
export async function startFront(
  given: readonly Cell[],
  { port, host, only, log }: Options,
): Promise<Front> {
  let cells = given
  const standings = new Map<string, Standing>()
  /** Where what names one cell is by now, as that cell has said. */
  const elsewhere = new Map<string, string>()
  /** Bytes of bodies that are kept. */
  let kept = 0

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const path = incoming.url ?? '/'
    // To a cell one of them is passed on.
    if (hasTwoHosts(incoming)) {
      refuse(outgoing, 400, 'bad_request', 'The request has two Host headers: send one.')
      return
    }
    if (path === '/health' || path.startsWith('/health?')) {
      sayHealth(outgoing)
      return
    }
    if (isOfAllCells(path) && (incoming.method === 'GET' || incoming.method === 'HEAD')) {
      void sayTogether(incoming, outgoing, path)
      return
    }
    const { authorization = '', cookie = '' } = incoming.headers
    const choice = choose(cells, { path, authorization, cookie })
    if (choice === null) {
      refuse(outgoing, 404, 'not_found', 'There is no such cell.')
      return
    }
    const passing: Passing = {
      incoming,
      outgoing,
      body: [],
      choice,
      asked: 0,
      startedAt: performance.now(),
    }
    outgoing.on('close', () => forget(passing))
    send(passing, (choice.locator && elsewhere.get(choice.locator)) || choice.letter)
  }

  /** Keeps what was read of a body, where there is room. */
  function keep(passing: Passing, chunk: Buffer): void {
    if (passing.body === null || passing.outgoing.headersSent) return
    if (kept + chunk.length > mostKept) {
      forget(passing)
      return
    }
    kept += chunk.length
    passing.body.push(chunk)
  }

  function forget(passing: Passing): void {
    for (const { length } of passing.body ?? []) kept -= length
    passing.body = null
  }

  function send(passing: Passing, letter: string): void {
    const { choice, outgoing } = passing
    const named = standings.get(letter) ?? (standings.get(choice.letter) as Standing)
    // What is for any cell, as the documents are, is any cell's that is up.
    const standing =
      named.up || choice.names ? named : ([...standings.values()].find(({ up }) => up) ?? named)
    if (standing.up && standing.url !== null) pass(passing, standing)
    else refuseDown(outgoing, standing)
  }

  function pass(passing: Passing, standing: Standing): void {
    const { incoming, outgoing, choice } = passing
    const { path, sets } = choice
    const url = standing.url as string
    const { hostname, port: to } = new URL(url)
    const { method = 'GET', headers } = incoming
    passing.asked++
    let isOver = false
    const upstream = ask({
      hostname,
      port: to,
      method,
      path,
      agent: standing.agent,
      headers: { ...headers, 'x-forwarded-for': forwardedFor(incoming) },
    })
    const waiting: Waiting = {
      since: performance.now(),
      giveUp() {
        isOver = true
        upstream.destroy()
        if (!outgoing.headersSent) refuseDown(outgoing, standing)
      },
    }
    standing.waiting.add(waiting)
    const late = setTimeout(() => {
      if (!standing.up || standing.silent > 0) waiting.giveUp()
    }, waitMs)
    const waited = (): void => {
      clearTimeout(late)
      standing.waiting.delete(waiting)
    }
    upstream.on('response', (answered) => {
      waited()
      if (outgoing.headersSent) return void answered.resume()
      // Those of a connection are not the client's.
      const {
        [cellHeader]: cell,
        connection: _closes,
        'keep-alive': _keeps,
        ...sent
      } = answered.headers
      const isRead = incoming.readableEnded
      if (typeof cell === 'string' && answered.statusCode === 503) {
        isOver = true
        answered.resume()
        // It has not read all of the body, and gets no more of it.
        if (!isRead) answered.on('end', () => upstream.destroy())
        incoming.unpipe(forwarded)
        return void askElsewhere(passing, standing, url, cell)
      }
      forget(passing)
      // It is answered before the body is there, of which it gets no more. A client may send all of
      // it before it reads an answer.
      if (!isRead) {
        isOver = true
        incoming.unpipe(forwarded)
        incoming.resume()
        answered.on('end', () => upstream.destroy())
      }
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
      waited()
      if (isOver) return
      if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
      log.warn({ err: error, cell: standing.cell.letter }, 'a cell did not answer')
      refuseDown(outgoing, standing)
    })
    // Who asks is gone: so is what was asked for.
    outgoing.on('close', () => {
      waited()
      if (!outgoing.writableFinished && !isOver) upstream.destroy()
    })
    for (const chunk of passing.body ?? []) upstream.write(chunk)
    const forwarded = afterAnswers()
    forwarded.pipe(upstream)
    if (passing.asked === 1) incoming.on('data', (chunk: Buffer) => keep(passing, chunk))
    if (incoming.readableEnded) forwarded.end()
    else incoming.pipe(forwarded)
  }

  /**
   * A cell said that another has what it was asked for, and that it has done nothing. Where it is
   * the same one, in another database, its processes there are waited for.
   */
  async function askElsewhere(
    passing: Passing,
    standing: Standing,
    url: string,
    cell: string,
  ): Promise<void> {
    const { choice, outgoing, startedAt } = passing
    const { letter } = standing.cell
    if (cell !== letter && choice.locator !== null) {
      if (elsewhere.size >= mostRemembered) elsewhere.clear()
      elsewhere.set(choice.locator, cell)
    }
    const isThere = (): boolean => {
      const there = standings.get(cell)
      return there?.up === true && (cell !== letter || there.url !== url)
    }
    while (!isThere() && !outgoing.destroyed && performance.now() - startedAt < moveMs)
      await new Promise((resolve) => setTimeout(resolve, moveEveryMs))
    if (outgoing.destroyed) return
    if (isThere() && passing.asked < mostAsked && passing.body !== null) send(passing, cell)
    else refuseDown(outgoing, standings.get(cell) ?? standing)
  }

  const isServed = ({ cell }: Standing): boolean => only === null || only.includes(cell.letter)

  function sayHealth(outgoing: ServerResponse): void {
    const all = [...standings.values()].filter(isServed)
    const up = all.filter((one) => one.up).length
    const data = {
      status: up === all.length ? 'ok' : up > 0 ? 'partly_unavailable' : 'unavailable',
      cells: Object.fromEntries(
        all.map(({ cell, up: isUp, health }) => [
          cell.letter,
          { status: isUp ? 'ok' : 'unavailable', health },
        ]),
      ),
    }
    const message = up === all.length ? 'Ready' : up > 0 ? 'Ready in part' : 'Not ready'
    sendJson(outgoing, up > 0 ? 200 : 503, { message, data })
  }

  async function sayTogether(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    path: string,
  ): Promise<void> {
    const from = forwardedFor(incoming)
    // Of a day, cells that are served elsewhere are named; the keys are those of the cells here.
    const all = [...standings.values()].filter((one) => isServed(one) || !isOfKeys(path))
    const answers = await Promise.all(
      all.map(async ({ cell, url, up }): Promise<CellAnswer> => {
        const answer =
          up && url !== null
            ? await answerOf(`${url}${path}`, waitMs, { 'x-forwarded-for': from })
            : null
        return { cell: cell.letter, answer }
      }),
    )
    const together = togetherOf(answers)
    if (together) sendJson(outgoing, together.status, together.body)
    else refuseDown(outgoing, standings.get(silentOf(answers)[0] as string) ?? (all[0] as Standing))
  }

  /** Each by itself: none waits for another. */
  async function look(standing: Standing): Promise<void> {
    const { cell } = standing
    const said = standing.url === null ? null : await healthOf(standing.url)
    standing.silent = said === null ? standing.silent + 1 : 0
    if (said !== null) standing.health = said.data
    const up = said === null ? standing.up && standing.silent < mostSilent : said.status === 200
    if (up !== standing.up)
      log[up ? 'info' : 'error']({ cell: cell.letter }, up ? 'a cell answers' : 'a cell is down')
    standing.up = up
    if (up && said !== null) return
    const late = performance.now() - waitMs
    for (const waiting of standing.waiting) if (waiting.since < late) waiting.giveUp()
  }

  let stopping = false
  const watch = async (standing: Standing): Promise<void> => {
    while (!stopping && standings.get(standing.cell.letter) === standing) {
      await look(standing)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs).unref())
    }
  }

  function follow(known: readonly Cell[]): void {
    cells = known
    for (const [letter, { agent }] of standings)
      if (!known.some((cell) => cell.letter === letter)) {
        standings.delete(letter)
        agent.destroy()
      }
    for (const cell of known) {
      const standing = standings.get(cell.letter)
      if (standing) {
        standing.cell = cell
        continue
      }
      const agent = new Agent({ keepAlive: true })
      const made: Standing = {
        cell,
        agent,
        url: null,
        up: false,
        silent: 0,
        health: null,
        waiting: new Set(),
      }
      standings.set(cell.letter, made)
      void watch(made)
    }
  }

  // Longer than a proxy before it keeps a connection, as Fastify does.
  const server = createServer({ keepAliveTimeout: 72_000, ...requestTimes }, answer)
  const closeMore = await serveAt(server, { port, host }).catch((error) => {
    server.close()
    throw error
  })
  follow(given)
  return {
    url: localUrl({ port: (server.address() as AddressInfo).port, host }),
    move(letter, url) {
      const standing = standings.get(letter)
      if (!standing) return
      standing.url = url
      if (url === null) standing.up = false
      else void look(standing)
    },
    follow,
    async stop() {
      stopping = true
      const closed = Promise.all([closeMore(), close(server)])
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), waitMs).unref()
      await closed
      for (const { agent } of standings.values()) agent.destroy()
    },
  }
}

/**
 * Passes on a body so that an answer that is there already is read first: what is written to a cell
 * that has closed its connection loses its answer.
 */
const afterAnswers = (): Transform =>
  new Transform({
    transform(chunk, _encoding, done) {
      setImmediate(done, null, chunk)
    },
  })

/** Where a request comes from, as a cell is told. */
function forwardedFor({ headers, socket }: IncomingMessage): string {
  const before = headers['x-forwarded-for']
  const from = socket.remoteAddress ?? ''
  return before === undefined ? from : `${before}, ${from}`
}

async function healthOf(url: string): Promise<{ status: number; data: unknown } | null> {
  const answer = await answerOf(`${url}/health`, lookMs)
  return answer && { status: answer.status, data: answer.body.data }
}

/** What a cell answers within a time; null where it does not, or not in JSON. */
async function answerOf(
  url: string,
  withinMs: number,
  headers: Record<string, string> = {},
): Promise<CellAnswer['answer']> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(withinMs) })
    return { status: answer.status, body: (await answer.json()) as { data?: unknown } }
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
  sendJson(outgoing, status, { message, data: null, errors: { code } })
}

function sendJson(outgoing: ServerResponse, status: number, body: object): void {
  if (outgoing.destroyed || outgoing.headersSent) return
  outgoing.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': newId(systemClock.now()),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  outgoing.end(JSON.stringify(body))
}
