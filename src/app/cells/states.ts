/** The state of each cell: where it answers, and whether its health checks succeed. */
import { Agent } from 'node:http'
import type { Log } from '../../lib/log.ts'
import { fetchAnswer } from './answers.ts'
import type { Cell } from './file.ts'

const checkEveryMs = 500
const checkWithinMs = 1_000
/** A cell that misses one check may be busy, and requests wait for it. At two, it is down. */
const missesUntilDown = 2
/** How long a request waits for a cell that is down or misses checks. */
export const waitMs = 2_000

/** A request that a cell has not answered yet. */
export type InFlight = { since: number; giveUp(): void }

export type CellState = {
  cell: Cell
  agent: Agent
  /** Where its processes answer; null while there are none. */
  url: string | null
  isUp: boolean
  /** Health checks without an answer since the last answer. */
  misses: number
  health: unknown
  inFlight: Set<InFlight>
}

/** The states of all cells, each checked on its own. */
export class CellStates {
  readonly #states = new Map<string, CellState>()
  readonly #log: Log
  readonly #withinMs: number
  #isStopped = false

  /** @param withinMs how long a health check waits for its answer */
  constructor(log: Log, withinMs = checkWithinMs) {
    this.#log = log
    this.#withinMs = withinMs
  }

  all(): CellState[] {
    return [...this.#states.values()]
  }

  get(letter: string): CellState | undefined {
    return this.#states.get(letter)
  }

  /** Adds new cells, and removes those that are not in the list any more. */
  follow(cells: readonly Cell[]): void {
    for (const [letter, { agent }] of this.#states)
      if (!cells.some((cell) => cell.letter === letter)) {
        this.#states.delete(letter)
        agent.destroy()
      }
    for (const cell of cells) {
      const known = this.#states.get(cell.letter)
      if (known) known.cell = cell
      else this.#add(cell)
    }
  }

  #add(cell: Cell): void {
    const state: CellState = {
      cell,
      agent: new Agent({ keepAlive: true }),
      url: null,
      isUp: false,
      misses: 0,
      health: null,
      inFlight: new Set(),
    }
    this.#states.set(cell.letter, state)
    void this.#watch(state)
  }

  /** Sets where a cell answers from now on; null: nowhere. */
  move(letter: string, url: string | null): void {
    const state = this.#states.get(letter)
    if (!state) return
    state.url = url
    if (url === null) state.isUp = false
    else void this.#check(state)
  }

  /** Ends the health checks. */
  stopChecks(): void {
    this.#isStopped = true
  }

  closeConnections(): void {
    for (const { agent } of this.#states.values()) agent.destroy()
  }

  async #watch(state: CellState): Promise<void> {
    while (!this.#isStopped && this.#states.get(state.cell.letter) === state) {
      await this.#check(state)
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs).unref())
    }
  }

  async #check(state: CellState): Promise<void> {
    const answer =
      state.url === null ? null : await fetchAnswer(`${state.url}/health`, this.#withinMs)
    state.misses = answer === null ? state.misses + 1 : 0
    if (answer !== null) state.health = answer.body.data
    const isUp =
      answer === null ? state.isUp && state.misses < missesUntilDown : answer.status === 200
    if (isUp !== state.isUp) this.#logChange(state, isUp)
    state.isUp = isUp
    if (isUp && answer !== null) return
    const latest = performance.now() - waitMs
    for (const request of state.inFlight) if (request.since < latest) request.giveUp()
  }

  #logChange({ cell }: CellState, isUp: boolean): void {
    if (isUp) this.#log.info({ cell: cell.letter }, 'a cell answers')
    else this.#log.error({ cell: cell.letter }, 'a cell is down')
  }
}
