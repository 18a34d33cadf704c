/** Checks an adapter's assumptions, and evaluates the answers. */
import type { Assumption, CheckParts, Finding, Seen } from '../ports/assumptions.ts'
import type { Failure, Refused } from './client.ts'
import { masked } from './masking.ts'

type Answer = { is: 'answered' } | Failure

/**
 * Checks assumptions in order, because later ones use records of earlier ones.
 * @param secrets texts that no finding may show
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

/** An assumption with its probe: the requests of a check, and results of earlier steps. */
export type ProbeRow<Probe> = Omit<Assumption, 'look'> & { look(probe: Probe): Promise<Seen> }

/** Returns the assumptions of rows, checked in order with one probe. */
export const checkedWith = <Probe>(probe: Probe, rows: readonly ProbeRow<Probe>[]): Assumption[] =>
  rows.map((row) => ({ ...row, look: () => row.look(probe) }))

export const notReachable = (why: string): Seen => ({ saw: why, fits: null })
export const found = (saw: string | null, otherwise = 'nothing of it'): Seen => ({
  saw: saw ?? otherwise,
  fits: saw !== null,
})

/** Evaluates a success. Without an answer from the provider, nothing is known. */
export async function whenAnswered<A extends Answer>(
  answer: A,
  look: (answer: Extract<A, { is: 'answered' }>) => Seen | Promise<Seen>,
): Promise<Seen> {
  if (answer.is === 'answered') return look(answer as Extract<A, { is: 'answered' }>)
  return { saw: inWords(answer), fits: answer.is === 'refused' ? false : null }
}

/** Evaluates a balance as its adapter reads it. `why` names an unexpected form. */
export function balanceSeen(held: { amount: bigint } | Failure): Seen {
  if ('amount' in held) return found('a balance')
  const isInOtherForm = held.is === 'unknown' && /another|without|no amount/.test(held.why)
  return { saw: inWords(held), fits: held.is === 'refused' || isInOtherForm ? false : null }
}

/** Evaluates an expected refusal. */
export function whenRefused(answer: Answer, fits: (refusal: Refused) => boolean): Seen {
  if (answer.is === 'answered') return { saw: 'it was taken', fits: false }
  return { saw: inWords(answer), fits: answer.is === 'refused' ? fits(answer) : null }
}

/** Describes an answer in few words. */
export function inWords(answer: Answer): string {
  if (answer.is === 'refused') {
    const type = answer.type ? `, type '${answer.type}'` : ''
    return `refused with ${answer.status}${type}, code '${answer.code}', message '${answer.message}'`
  }
  if (answer.is === 'rate_limited') return `too many requests, again in ${answer.againInMs} ms`
  return 'why' in answer ? `${answer.is}: ${answer.why}` : answer.is
}

const everyMs = 2_000

/** Looks every two seconds until there is a value or the time is over. */
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
 * Assumptions that no test key can check. @param lines the id, the assumption with its source, and
 * why it cannot be checked
 */
export const beyondTestKeys = (lines: [id: string, assumed: string, why: string][]): Assumption[] =>
  lines.map(([id, assumed, why]) => ({
    id,
    assumed,
    asked: 'not asked',
    source: '[U]',
    look: async () => notReachable(why),
  }))
