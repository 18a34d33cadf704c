/** How an adapter asks about its assumptions, and what it makes of the answers. */
import type { Assumption, CheckParts, Finding, Seen } from '../ports/assumptions.ts'
import type { Failure, Refused } from './client.ts'
import { masked } from './masking.ts'

type Answer = { is: 'answered' } | Failure

/**
 * Checks one assumption after the other, in their order: later ones use what earlier ones have
 * made. @param secrets none of which a finding shows
 */
export async function* findingsOf(
  assumptions: Assumption[],
  secrets: readonly string[],
): AsyncGenerator<Finding> {
  for (const { look, ...assumption } of assumptions) {
    const { saw, fits } = await look()
    const verdict = fits === null ? 'not reachable' : fits ? 'confirmed' : 'contradicted'
    yield { ...assumption, verdict, saw: masked(saw, secrets) }
  }
}

export const notReachable = (why: string): Seen => ({ saw: why, fits: null })
export const found = (saw: string | null, otherwise = 'nothing of it'): Seen => ({
  saw: saw ?? otherwise,
  fits: saw !== null,
})

/**
 * What is seen of an answer that is assumed to be given. Where the provider gave none, nothing is
 * known.
 */
export async function whenAnswered<A extends Answer>(
  answer: A,
  look: (answer: Extract<A, { is: 'answered' }>) => Seen | Promise<Seen>,
): Promise<Seen> {
  if (answer.is === 'answered') return look(answer as Extract<A, { is: 'answered' }>)
  return { saw: inWords(answer), fits: answer.is === 'refused' ? false : null }
}

/**
 * What is seen of a balance as its adapter reads it: one in another form says so in `why`, as does
 * one that did not come.
 */
export function balanceSeen(held: { amount: bigint } | Failure): Seen {
  if ('amount' in held) return found('a balance')
  const isInOtherForm = held.is === 'unknown' && /another|without|no amount/.test(held.why)
  return { saw: inWords(held), fits: held.is === 'refused' || isInOtherForm ? false : null }
}

/** What is seen of a refusal that is assumed to be given. */
export function whenRefused(answer: Answer, fits: (refusal: Refused) => boolean): Seen {
  if (answer.is === 'answered') return { saw: 'it was taken', fits: false }
  return { saw: inWords(answer), fits: answer.is === 'refused' ? fits(answer) : null }
}

/** What came of a question, in few words. */
export function inWords(answer: Answer): string {
  if (answer.is === 'refused') {
    const type = answer.type ? `, type '${answer.type}'` : ''
    return `refused with ${answer.status}${type}, code '${answer.code}', message '${answer.message}'`
  }
  if (answer.is === 'rate_limited') return `too many requests, again in ${answer.againInMs} ms`
  return 'why' in answer ? `${answer.is}: ${answer.why}` : answer.is
}

const everyMs = 2_000

/** Looks every two seconds until there is something to see, or the time is over. */
export async function lookUntil<T>(
  { wait }: CheckParts,
  wholeMs: number,
  look: () => Promise<T | null>,
): Promise<T | null> {
  for (let left = wholeMs; ; left -= everyMs) {
    const value = await look()
    if (value !== null || left <= 0) return value
    await wait(everyMs)
  }
}

/**
 * What no test key finds out. @param lines the id, what is assumed and its source, and why it
 * cannot be asked
 */
export const beyondTestKeys = (lines: [id: string, assumed: string, why: string][]): Assumption[] =>
  lines.map(([id, assumed, why]) => ({
    id,
    assumed,
    asked: 'not asked',
    source: '[U]',
    look: async () => notReachable(why),
  }))
