/**
 * How many requests a process answers at once. What comes while more wait than it answers within a moment is refused at once, before it costs anything:
 * who is let in has an answer soon, however many ask, and who is not knows when to come back.
 */
import { generalRefusal } from '../../lib/errors.ts'

/** So many may wait, however slow the answers are: a rush that is soon over. */
const few = 256
/** So many, for two seconds since more than those came: of what comes for longer, fewer wait for whatever else the machine does for a moment. */
const fewer = 128
/** How long what waits may take, at the rate at which requests are answered. */
const mostWaitMs = 70
const tickMs = 200
/** Two seconds are looked at. */
const ticks = 10
/** Where nothing was answered for so many ticks, requests wait for something else than for each other: a lock, a database that is moved. */
const stalledTicks = 5

/**
 * Counts the requests that began within the last two seconds and are not answered, against those that were answered within them. What takes longer, such as a
 * stream, or a business whose wallets somebody holds, is not counted: it keeps nobody else from an answer.
 * @param elapsed milliseconds since any moment; never back
 */
export function makeAdmission(elapsed: () => number = () => performance.now()) {
  const began = new Uint32Array(ticks)
  const answered = new Uint32Array(ticks)
  let waiting = 0
  let ended = 0
  let tick = Math.floor(elapsed() / tickMs)
  let lastAnswer = tick
  let lastFull = tick - ticks

  function advance(): number {
    const at = Math.floor(elapsed() / tickMs)
    if (at - tick > ticks) tick = at - ticks
    while (tick < at) {
      const place = ++tick % ticks
      waiting -= began[place] as number
      ended -= answered[place] as number
      began[place] = answered[place] = 0
    }
    return at
  }

  return {
    /** @returns what `leave` is told. @throws {Refusal} `overloaded` */
    enter(): number {
      const at = advance()
      const atLeast = at - lastFull < ticks ? fewer : few
      if (waiting >= Math.max(atLeast, (ended * mostWaitMs) / (ticks * tickMs)) && at - lastAnswer < stalledTicks) {
        if (waiting >= few) lastFull = at
        throw generalRefusal(
          'overloaded',
          'The server has more to do than it can take; nothing was done. Try again in a second.',
        )
      }
      ;(began[at % ticks] as number)++
      waiting++
      return at
    },
    /** It was answered. */
    leave(entered: number): void {
      const at = advance()
      lastAnswer = at
      ;(answered[at % ticks] as number)++
      ended++
      if (at - entered >= ticks) return
      ;(began[entered % ticks] as number)--
      waiting--
    },
  }
}

export type Admission = ReturnType<typeof makeAdmission>
