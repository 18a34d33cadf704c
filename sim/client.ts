/**
 * One client of a business: it writes with its own decisions, and keeps in the business' model what
 * it was answered.
 */
import type { Chance } from '../test/support/chance.ts'
import type { Model } from './model.ts'
import { type Answer, type Asking, ask, type Json } from './requests.ts'
import type { Tally } from './tally.ts'

export type Client = {
  by: Chance
  model: Model
  tally: Tally
  /** How it asks, for what asks otherwise than by the API. */
  asking: Asking
  number: number
  /**
   * The same with a second key, which decides on payouts and makes none; null where a business has
   * none.
   */
  decider: Client | null
  /** A name that nobody else gives. */
  name(of: string): string
  get(path: string): Promise<Answer>
  /**
   * Writes, and counts the operation.
   * @param allowed codes that it may be refused with as things are
   * @returns the record; null when it was refused
   */
  write(
    operation: string,
    method: string,
    path: string,
    body: Json,
    allowed?: readonly string[],
  ): Promise<Written | null>
}

export type Written = { data: Json; again: boolean }

/** How often a request is sent twice at once, as by a double click. */
const doubleClicks = 0.02

export function newClient(asking: Asking, model: Model, number: number): Client {
  const { by, tally } = asking
  let made = 0
  const client: Client = {
    by,
    model,
    tally,
    asking,
    number,
    decider: null,
    name: (of) => `${of}-${number}-${++made}`,
    get: (path) => ask(asking, 'GET', path),
    async write(operation, method, path, body, allowed = []) {
      const key = method === 'POST' ? client.name('key') : null
      model.requests++
      const send = (): Promise<Answer> => ask(asking, method, path, body, key)
      const twice = key !== null && by.happens(doubleClicks)
      const [answer, other = null] = await Promise.all(twice ? [send(), send()] : [send()])
      tally.operation(operation)
      if (other !== null) {
        tally.fault('double click')
        if (
          other.status !== answer?.status ||
          other.data?.id !== answer?.data?.id ||
          other.code !== answer?.code
        )
          tally.finding(
            'two answers to one key',
            `${operation} ${path}: ${shown(answer)} and ${shown(other)}`,
          )
      }
      const { status, data, code, again } = answer as Answer
      if (status < 300) return { data, again: again || (other?.again ?? false) }
      tally.refusal(`${operation} ${code ?? status}`)
      if (!allowed.includes(code ?? ''))
        tally.finding(
          status >= 500 ? 'server error' : 'refused',
          `${operation} ${path} ${JSON.stringify(body)}: ${shown(answer)}`,
        )
      return null
    },
  }
  return client
}

export const shown = (answer: Answer | undefined): string =>
  `${answer?.status} ${answer?.code ?? ''} ${answer?.message ?? ''} ${JSON.stringify(answer?.data ?? null).slice(0, 300)}`
