/**
 * What an operation of the API is: where it is asked, what it does; and how Paystack answers and
 * refuses.
 */
import type { Books } from './books.ts'
import type { Settings } from './settings.ts'
import type { Json } from './shapes.ts'
import type { World } from './world.ts'

export type Call = {
  body: Json
  query: Record<string, string>
  params: Record<string, string>
  books: Books
  world: World
  settings: Settings
  /** Where the hosted page is. */
  checkout: string
  /** Where files are uploaded to. */
  storage: string
}

/** `subject` is the record that the operation made: what its events will be about. */
export type Answer = { status: number; body: Json; subject?: string | number }

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in the published document. */
  path: string
  /** Which of the documented limits counts it. */
  limit?: 'verify' | 'resolve' | 'charge' | 'transfer'
  /** What of the answer a fault can falsify. */
  says?: ('reference' | 'amount' | 'currency' | 'mode')[]
  /** Whether webhooks follow, about how many states. */
  events?: 'one' | 'several'
  run(call: Call): Answer
}

/** A refusal in Paystack's error form. Thrown by operations, answered by the server. */
export class Refused extends Error {
  readonly answer: Answer
  constructor(status: number, message: string, code: string, type = 'validation_error') {
    super(message)
    const meta = { nextStep: 'Ensure that the value(s) you are passing are valid.' }
    this.answer = { status, body: { status: false, message, meta, type, code } }
  }
}

export function refuse(status: number, message: string, code: string, type?: string): never {
  throw new Refused(status, message, code, type)
}

export const ok = (message: string, data: unknown, subject?: string | number): Answer => ({
  status: 200,
  body: { status: true, message, data },
  ...(subject === undefined ? {} : { subject }),
})

/** A page of a list, newest first, with Paystack's `meta`. */
export function page<T>(call: Call, message: string, all: T[], body: (one: T) => unknown): Answer {
  const perPage = Math.min(Number(call.query.perPage ?? call.query.per_page ?? 50), 100)
  const number = Number(call.query.page ?? 1)
  const rows = all.toReversed().slice((number - 1) * perPage, number * perPage)
  const meta = {
    total: all.length,
    skipped: (number - 1) * perPage,
    perPage,
    page: number,
    pageCount: Math.ceil(all.length / perPage),
  }
  return { status: 200, body: { status: true, message, data: rows.map(body), meta } }
}

const dayMs = 86_400_000

/**
 * Those of a time, by the query's `from` and `to`: as moments, or as days of which `from` is left
 * out and `to` has its whole day.
 */
export function within<T>(
  { query }: Call,
  all: T[],
  at: (one: T) => Date | null,
  by: 'moments' | 'days',
): T[] {
  const given = { from: Date.parse(query.from ?? ''), to: Date.parse(query.to ?? '') }
  for (const name of ['from', 'to'] as const)
    if (query[name] !== undefined && Number.isNaN(given[name]))
      refuse(400, `"${name}" must be a date`, 'invalid_params')
  const day = (time: number): number => Math.floor(time / dayMs)
  return all.filter((one) => {
    const time = at(one)?.getTime()
    if (time === undefined) return false
    if (by === 'moments') return !(time < given.from) && !(time > given.to)
    return !(day(time) <= day(given.from)) && !(day(time) > day(given.to))
  })
}

export const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** A whole number of kobo above zero, or a refusal. */
export function amountIn(body: Json): number {
  const amount = Number(body.amount)
  if (!Number.isSafeInteger(amount) || amount <= 0)
    refuse(400, 'Invalid Amount Sent', 'invalid_amount')
  return amount
}

export function nairaOnly(body: Json): void {
  if (body.currency !== undefined && body.currency !== 'NGN')
    refuse(403, 'Currency not supported by merchant', 'unsupported_currency')
}
