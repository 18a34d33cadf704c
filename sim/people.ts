/**
 * What people do at the dashboard, and no key may. Its pages run in the simulator's own process, by
 * the operations that they have: PostgreSQL is taken away from them as from any, and who has lost
 * an answer does it again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Opened, operationsOf } from '../src/app/main.ts'
import type { Actor } from '../src/core/app.ts'
import { type Ctx, outside, scopeOf } from '../src/core/outside.ts'
import { Refusal } from '../src/lib/errors.ts'
import { newId } from '../src/lib/ids.ts'
import { operatorScope } from '../src/platform/operator/operator.ts'
import { addMember, createPerson, rightsOf } from '../src/platform/team/team.ts'
import type { Written } from './client.ts'
import { type Json, patience } from './requests.ts'
import type { Tally } from './tally.ts'

/** @returns null when it was refused as it may be */
export type Person = (
  operation: string,
  input?: { params?: Json; body?: Json },
  allowed?: readonly string[],
) => Promise<Written | null>

/** Of the operator's, where it is of no business. */
type Of = { id: string; livemode: boolean } | null

/**
 * An owner of a business, or who looks after the installation, who has just shown a second factor
 * whenever something is done.
 */
export async function openPerson(
  { app }: Pick<Opened, 'app'>,
  of: Of,
  tally: Tally,
): Promise<Person> {
  const operations = operationsOf(app, 'api')
  const email = `person-${newId(app.clock.now())}@example.com`
  /** PostgreSQL may be away just now. */
  const untilDone = async <T>(work: () => Promise<T>): Promise<T> => {
    for (const late = performance.now() + patience; ; await sleep(200))
      try {
        return await work()
      } catch (error) {
        if (performance.now() > late) throw error
      }
  }
  const { id } = await untilDone(() =>
    createPerson(app, { email, name: 'Ada Okafor', installationOwner: of === null }),
  )
  if (of !== null) await untilDone(() => addMember(app, of.id as never, id, 'owner'))
  const actorAt = (at: Date, scopes: readonly string[]): Actor => ({
    type: 'person',
    id,
    hint: email,
    scopes,
    address: '127.0.0.1',
    at,
    provedAt: at,
  })
  const visit = async (): Promise<Ctx> => {
    const at = app.clock.now()
    await app.prices.upTo(at)
    if (of === null) return outside(app, operatorScope(at, actorAt(at, ['operator', 'review'])))
    const scope = await scopeOf(app, of.id as never, of.livemode)
    return outside(app, {
      ...scope,
      actor: actorAt(at, rightsOf('owner', of.livemode)),
      stopped: null,
    })
  }
  return async (operation, input, allowed = []) => {
    const deadline = performance.now() + patience
    for (let tries = 0; ; tries++)
      try {
        const data = await operations.operate(await visit(), operation, input)
        tally.operation(operation)
        return { data, again: tries > 0 }
      } catch (error) {
        if (error instanceof Refusal && error.status < 500) {
          // What was done by a try before, whose answer was lost, is not there to be done again.
          const done = tries > 0 && error.code === 'not_found'
          tally.operation(operation)
          tally.refusal(`${operation} ${error.code}`)
          if (!done && !allowed.includes(error.code))
            tally.finding(
              'refused',
              `${operation} ${JSON.stringify(input)}: ${error.code} ${error.message}`,
            )
          return null
        }
        if (performance.now() > deadline) throw error
        await sleep(100 + 50 * Math.min(tries, 20))
      }
  }
}
