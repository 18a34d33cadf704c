/** How the lines of Paystack's assumptions ask. */

import { whenAnswered } from '../http/findings.ts'
import type { Seen } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, type Call } from './client.ts'

export type Asking = ReturnType<typeof askingOf>

export const askingOf = ({ client, clock }: Account) => ({
  clock,
  ask: (method: Call['method'], path: Call['path'], more: Partial<Call> = {}): Promise<Answer> =>
    client.ask({ method, path, urgency: 'send', ...more }),
})

/** What is seen of an answer that is assumed to be given: its `data` as an object, and as it is. */
export const answered = (
  answer: Answer,
  look: (data: Record<string, unknown>, all: unknown) => Seen,
): Promise<Seen> => whenAnswered(answer, ({ data }) => look(asObject(data) ?? {}, data))
