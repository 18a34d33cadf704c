/** Forwards requests to cells, and again if a cell answers that another one has the business. */
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Transform } from 'node:stream'
import { cellHeader } from '../../lib/cells.ts'
import type { Log } from '../../lib/log.ts'
import { forwardedFor, refuseDown } from './answers.ts'
import { type Choice, cellCookie } from './choosing.ts'
import { type CellState, type CellStates, type InFlight, waitMs } from './states.ts'

/**
 * How long a request waits for a cell that has just moved to another database and starts there:
 * less than clients wait for an answer.
 */
const moveMs = 25_000
const movePollMs = 50
/** Ends a loop of two cells that each answer that the other one has the business. */
const mostAttempts = 4

/**
 * Bytes of request bodies that are kept, of all requests together, until there is an answer. A body
 * beyond it is forwarded, but cannot be sent again to another cell.
 */
const mostKeptBytes = 64 * 1024 * 1024

/** How many businesses are remembered that have left the cell that their keys name. */
const mostMoved = 100_000

type Forward = {
  incoming: IncomingMessage
  outgoing: ServerResponse
  /** The body as far as it was read, to send it again elsewhere; null: no copy is kept. */
  body: Buffer[] | null
  choice: Choice
  attempts: number
  startedAt: number
}

/** A request as it is sent to one cell. `isOver`: its end is not an error any more. */
type Attempt = {
  forward: Forward
  state: CellState
  url: string
  upstream: ClientRequest
  body: Transform
  isOver: boolean
}

export class Forwarder {
  readonly #states: CellStates
  readonly #log: Log
  /** The cells of businesses that have moved, by their locators. */
  readonly #moved = new Map<string, string>()
  #keptBytes = 0

  constructor(states: CellStates, log: Log) {
    this.#states = states
    this.#log = log
  }

  /** Forwards a request to its cell, and answers it. */
  forward(incoming: IncomingMessage, outgoing: ServerResponse, choice: Choice): void {
    const startedAt = performance.now()
    const forward: Forward = { incoming, outgoing, body: [], choice, attempts: 0, startedAt }
    outgoing.on('close', () => this.#discardBody(forward))
    this.#send(forward, (choice.locator && this.#moved.get(choice.locator)) || choice.letter)
  }

  /** Sends a request to a cell. A request that names no cell goes to any cell that is up. */
  #send(forward: Forward, letter: string): void {
    const { choice, outgoing } = forward
    const named = this.#states.get(letter) ?? (this.#states.get(choice.letter) as CellState)
    const state =
      named.isUp || choice.names ? named : (this.#states.all().find(({ isUp }) => isUp) ?? named)
    if (state.isUp && state.url !== null) this.#attempt(forward, state, state.url)
    else refuseDown(outgoing, state.cell.letter)
  }

  #attempt(forward: Forward, state: CellState, url: string): void {
    const { incoming, outgoing } = forward
    forward.attempts++
    const upstream = requestTo(url, forward, state)
    const attempt: Attempt = { forward, state, url, upstream, body: afterAnswers(), isOver: false }
    const stopWaiting = giveUpLate(attempt)
    upstream.on('response', (answer) => {
      stopWaiting()
      this.#onAnswer(attempt, answer)
    })
    upstream.on('error', (error) => {
      stopWaiting()
      this.#onError(attempt, error)
    })
    // The client has gone, and needs no answer.
    outgoing.on('close', () => {
      stopWaiting()
      if (!outgoing.writableFinished && !attempt.isOver) upstream.destroy()
    })
    for (const chunk of forward.body ?? []) upstream.write(chunk)
    attempt.body.pipe(upstream)
    if (forward.attempts === 1)
      incoming.on('data', (chunk: Buffer) => this.#keepChunk(forward, chunk))
    if (incoming.readableEnded) attempt.body.end()
    else incoming.pipe(attempt.body)
  }

  #onAnswer(attempt: Attempt, answer: IncomingMessage): void {
    const { forward, upstream } = attempt
    const { incoming, outgoing } = forward
    if (outgoing.headersSent) return void answer.resume()
    const isBodyRead = incoming.readableEnded
    const cell = answer.headers[cellHeader]
    const isElsewhere = typeof cell === 'string' && answer.statusCode === 503
    if (isElsewhere || !isBodyRead) {
      attempt.isOver = true
      incoming.unpipe(attempt.body)
      // The cell has answered without the rest of the body, and gets no more of it.
      if (!isBodyRead) answer.on('end', () => upstream.destroy())
    }
    if (isElsewhere) {
      answer.resume()
      return void this.#sendElsewhere(attempt, cell)
    }
    this.#discardBody(forward)
    // A client may send all of its body before it reads an answer.
    if (!isBodyRead) incoming.resume()
    outgoing.writeHead(answer.statusCode ?? 502, headersOf(forward, answer))
    outgoing.flushHeaders()
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  }

  #onError({ forward, state, isOver }: Attempt, error: Error): void {
    const { outgoing } = forward
    if (isOver) return
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
    const { letter } = state.cell
    this.#log.warn({ err: error, cell: letter }, 'a cell did not answer')
    refuseDown(outgoing, letter)
  }

  /**
   * Sends a request again after a cell answered that another one has the business, and that it did
   * nothing. If it names itself, in another database, the request waits for its processes there.
   */
  async #sendElsewhere({ forward, state, url }: Attempt, cell: string): Promise<void> {
    const { choice, outgoing, startedAt } = forward
    const isSameCell = cell === state.cell.letter
    if (!isSameCell && choice.locator !== null) {
      if (this.#moved.size >= mostMoved) this.#moved.clear()
      this.#moved.set(choice.locator, cell)
    }
    const isThere = (): boolean => {
      const target = this.#states.get(cell)
      return target?.isUp === true && (!isSameCell || target.url !== url)
    }
    while (!isThere() && !outgoing.destroyed && performance.now() - startedAt < moveMs)
      await new Promise((resolve) => setTimeout(resolve, movePollMs))
    if (outgoing.destroyed) return
    if (isThere() && forward.attempts < mostAttempts && forward.body !== null)
      this.#send(forward, cell)
    else refuseDown(outgoing, (this.#states.get(cell) ?? state).cell.letter)
  }

  /** Keeps a chunk of a body if there is room, else discards the whole copy. */
  #keepChunk(forward: Forward, chunk: Buffer): void {
    if (forward.body === null || forward.outgoing.headersSent) return
    if (this.#keptBytes + chunk.length > mostKeptBytes) this.#discardBody(forward)
    else {
      this.#keptBytes += chunk.length
      forward.body.push(chunk)
    }
  }

  #discardBody(forward: Forward): void {
    for (const { length } of forward.body ?? []) this.#keptBytes -= length
    forward.body = null
  }
}

function requestTo(
  url: string,
  { incoming, choice }: Forward,
  { agent }: CellState,
): ClientRequest {
  const { hostname, port } = new URL(url)
  const { method = 'GET' } = incoming
  const headers = { ...incoming.headers, 'x-forwarded-for': forwardedFor(incoming) }
  return request({ hostname, port, method, path: choice.path, agent, headers })
}

/**
 * Gives an attempt up once its cell is down, or misses health checks, for too long.
 * @returns stops that, after the cell has answered
 */
function giveUpLate(attempt: Attempt): () => void {
  const { forward, state, upstream } = attempt
  const request: InFlight = {
    since: performance.now(),
    giveUp() {
      attempt.isOver = true
      upstream.destroy()
      if (!forward.outgoing.headersSent) refuseDown(forward.outgoing, state.cell.letter)
    },
  }
  state.inFlight.add(request)
  const timer = setTimeout(() => {
    if (!state.isUp || state.misses > 0) request.giveUp()
  }, waitMs)
  return () => {
    clearTimeout(timer)
    state.inFlight.delete(request)
  }
}

/** Returns the headers for the client: those of the connection to the cell are not the client's. */
function headersOf({ incoming, choice }: Forward, answer: IncomingMessage) {
  const { [cellHeader]: _cell, connection: _closes, 'keep-alive': _keeps, ...sent } = answer.headers
  if (choice.sets !== null) {
    const secure = incoming.headers['x-forwarded-proto'] === 'https' ? '; Secure' : ''
    const cookie = `${cellCookie}=${choice.sets}; Path=/dashboard; HttpOnly; SameSite=Lax; Max-Age=31536000${secure}`
    sent['set-cookie'] = [...(sent['set-cookie'] ?? []), cookie]
  }
  return sent
}

/**
 * Delays each chunk of a body until an answer that has arrived is read. A write to a cell that has
 * closed its connection would lose its answer.
 */
const afterAnswers = (): Transform =>
  new Transform({
    transform(chunk, _encoding, done) {
      setImmediate(done, null, chunk)
    },
  })
