/** What the steps of a walk through Paystack's test mode share. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import type { Observation } from '../trial.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, type Question, type Refused } from './client.ts'

export type Said = Pick<Observation, 'saw' | 'fits'>
export type Step = Omit<Observation, 'saw' | 'fits' | 'settles'> & {
  settles?: string
  run(): Promise<Said>
}

export type Asking = ReturnType<typeof askingOf>

export const askingOf = ({ client, clock }: Account) => ({
  clock,
  ask: (method: Question['method'], path: Question['path'], more: Partial<Question> = {}): Promise<Answer> =>
    client.ask({ method, path, urgency: 'send', ...more }),
})

/** What is said of an answer that is expected. */
export const answered = (answer: Answer, look: (data: Record<string, unknown>, all: unknown) => Said): Said =>
  answer.is === 'answered' ? look(asObject(answer.data) ?? {}, answer.data) : { saw: inWords(answer), fits: false }

/** What is said of a refusal that is expected. */
export const refused = (answer: Answer, fits: (refusal: Refused) => boolean): Said =>
  answer.is === 'answered'
    ? { saw: 'it was taken', fits: false }
    : { saw: inWords(answer), fits: answer.is === 'refused' && fits(answer) }

export const found = (saw: string | null, otherwise = 'nothing of it'): Said => ({
  saw: saw ?? otherwise,
  fits: saw !== null,
})
export const skipped = (why: string): Said => ({ saw: `not tried: ${why}`, fits: null })

/** What came of a question, in few words: nothing of it is secret. */
export function inWords(answer: Answer): string {
  if (answer.is === 'refused')
    return `refused with ${answer.status}, code '${answer.code}', message '${answer.message}'`
  if (answer.is === 'rate_limited') return `too many requests, again in ${answer.againInMs} ms`
  return 'why' in answer ? `${answer.is}: ${answer.why}` : answer.is
}

/** Looks again and again until there is something to see, or the time is over. */
export async function lookUntil<T>(clock: Clock, wholeMs: number, look: () => Promise<T | null>): Promise<T | null> {
  const end = clock.now().getTime() + wholeMs
  for (let value = await look(); ; value = await look()) {
    if (value !== null || clock.now().getTime() >= end) return value
    await sleep(2_000)
  }
}
