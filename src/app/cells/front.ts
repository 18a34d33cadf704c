/**
 * The front of an installation with several cells. It forwards each request to the cell that it
 * names, and answers for a cell that is down. It stores nothing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { close, hasTwoHosts, localUrl, requestTimes, serveAt } from '../../lib/listening.ts'
import type { Log } from '../../lib/log.ts'
import { fetchAnswer, forwardedFor, refuse, refuseDown, sendJson } from './answers.ts'
import { choose } from './choosing.ts'
import type { Cell } from './file.ts'
import { Forwarder } from './forwarding.ts'
import { type CellAnswer, isOfAllCells, isOfKeys, silentOf, togetherOf } from './proofs.ts'
import { type CellState, CellStates, waitMs } from './states.ts'

export type Front = {
  url: string
  /** Sets where a cell answers from now on; null: nowhere. */
  move(letter: string, url: string | null): void
  /** Sets the cells that there are from now on. */
  follow(cells: readonly Cell[]): void
  stop(): Promise<void>
}

/**
 * `only`: the letters of the cells that this machine serves; null: all. `checkWithinMs`: how long a
 * health check waits, if not as usual.
 */
type Options = {
  port: number
  host: string
  only: readonly string[] | null
  log: Log
  checkWithinMs?: number
}

/** Starts the front. @throws {Error} `EADDRINUSE` when the port is taken */
export async function startFront(
  initialCells: readonly Cell[],
  { port, host, only, log, checkWithinMs }: Options,
): Promise<Front> {
  let cells = initialCells
  const states = new CellStates(log, checkWithinMs)
  const forwarder = new Forwarder(states, log)
  const isServed = ({ cell }: CellState): boolean => only === null || only.includes(cell.letter)

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url: path = '/' } = incoming
    // Forwarded to a cell, the request would have one of them.
    if (hasTwoHosts(incoming)) refuse(outgoing, twoHosts)
    else if (path === '/health' || path.startsWith('/health?'))
      sendHealth(outgoing, states.all().filter(isServed))
    else if (isOfAllCells(path) && (method === 'GET' || method === 'HEAD')) {
      // The answer for a day names the cells of other machines; the keys are those of this one.
      const asked = states.all().filter((one) => isServed(one) || !isOfKeys(path))
      void sendTogether(incoming, outgoing, asked)
    } else forward(incoming, outgoing, path)
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, path: string): void {
    const { authorization = '', cookie = '' } = incoming.headers
    const choice = choose(cells, { path, authorization, cookie })
    if (choice === null) refuse(outgoing, noSuchCell)
    else forwarder.forward(incoming, outgoing, choice)
  }

  function follow(known: readonly Cell[]): void {
    cells = known
    states.follow(known)
  }

  // Like Fastify, it keeps a connection for longer than a proxy in front of it does.
  const server = createServer({ keepAliveTimeout: 72_000, ...requestTimes }, answer)
  const closeMore = await serveAt(server, { port, host }).catch((error) => {
    server.close()
    throw error
  })
  follow(initialCells)
  return {
    url: localUrl({ port: (server.address() as AddressInfo).port, host }),
    move: (letter, url) => states.move(letter, url),
    follow,
    async stop() {
      states.stopChecks()
      const closed = Promise.all([closeMore(), close(server)])
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), waitMs).unref()
      await closed
      states.closeConnections()
    },
  }
}

const twoHosts = {
  status: 400,
  code: 'bad_request',
  message: 'The request has two Host headers: send one.',
}
const noSuchCell = { status: 404, code: 'not_found', message: 'There is no such cell.' }

/** Answers the health of the installation, from the latest check of each cell. */
function sendHealth(outgoing: ServerResponse, states: CellState[]): void {
  const up = states.filter(({ isUp }) => isUp).length
  const [status, message] =
    up === states.length
      ? ['ok', 'Ready']
      : up > 0
        ? ['partly_unavailable', 'Ready in part']
        : ['unavailable', 'Not ready']
  const cells = states.map(({ cell, isUp, health }) => [
    cell.letter,
    { status: isUp ? 'ok' : 'unavailable', health },
  ])
  sendJson(outgoing, up > 0 ? 200 : 503, {
    message,
    data: { status, cells: Object.fromEntries(cells) },
  })
}

/** Answers a request for something that all cells have a part of. */
async function sendTogether(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  states: CellState[],
): Promise<void> {
  const headers = { 'x-forwarded-for': forwardedFor(incoming) }
  const answers = await Promise.all(
    states.map(async ({ cell, url, isUp }): Promise<CellAnswer> => {
      const canAnswer = isUp && url !== null
      const answer = canAnswer ? await fetchAnswer(`${url}${incoming.url}`, waitMs, headers) : null
      return { cell: cell.letter, answer }
    }),
  )
  const together = togetherOf(answers)
  if (together) sendJson(outgoing, together.status, together.body)
  else refuseDown(outgoing, silentOf(answers)[0] ?? (answers[0]?.cell as string))
}
