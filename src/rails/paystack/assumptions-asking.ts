/** Requests for checking assumptions about Paystack. */
import { randomBytes } from 'node:crypto'
import { whenAnswered } from '../http/findings.ts'
import type { Seen } from '../ports/assumptions.ts'
import type { Account } from './account.ts'
import { type Answer, asObject, type Call } from './client.ts'

export const newEmail = (): string => `check-${randomBytes(6).toString('hex')}@example.com`
export const newReference = (): string => `tr-${randomBytes(12).toString('hex')}`

export type Asking = ReturnType<typeof askingOf>

export const askingOf = ({ client, clock }: Account) => ({
  clock,
  ask: (method: Call['method'], path: Call['path'], more: Partial<Call> = {}): Promise<Answer> =>
    client.ask({ method, path, urgency: 'send', ...more }),
})

/** Returns the facts of a success from its `data`, as an object and raw. */
export const answered = (
  answer: Answer,
  look: (data: Record<string, unknown>, all: unknown) => Seen,
): Promise<Seen> => whenAnswered(answer, ({ data }) => look(asObject(data) ?? {}, data))
