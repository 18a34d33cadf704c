/**
 * What an account holds to pay out from, as its provider says, less what this process has sent and
 * has no answer about.
 */
import type { Clock } from '../../lib/clock.ts'

/** How long an answer is good for. */
const goodForMs = 10_000

/**
 * How long what was sent is counted that nobody ever answered about: by then it is in the balance,
 * or was never taken.
 */
const countedForMs = 3_600_000

/** What is held, in minor units; or what came of asking. */
export type Held<Failure> = { amount: bigint } | Failure

export type Balance<Failure extends object> = {
  /** What may be spent. At most ten seconds old. */
  available(): Promise<Held<Failure>>
  /** So much is being sent. */
  spend(order: string, amount: bigint): void
  /**
   * The order was answered about: the next answer about the balance has it. `taken` false: it was
   * refused.
   */
  answered(order: string, taken: boolean): void
  /** What was read is not true any more. */
  forget(): void
}

/** @param ask asks the provider, now */
export function openBalance<Failure extends object>(
  clock: Clock,
  ask: () => Promise<Held<Failure>>,
): Balance<Failure> {
  const nowMs = (): number => clock.now().getTime()
  let read: { amount: bigint; at: number } | null = null
  let reading: Promise<Held<Failure>> | null = null
  const spent = new Map<string, { amount: bigint; at: number; answeredAt: number | null }>()

  async function fresh() {
    const startedAt = nowMs()
    const said = await ask()
    if ('amount' in said) {
      read = { amount: said.amount, at: startedAt }
      for (const [order, { at, answeredAt }] of spent)
        if ((answeredAt !== null && answeredAt < startedAt) || at < startedAt - countedForMs)
          spent.delete(order)
    }
    return said
  }

  return {
    async available() {
      if (read === null || nowMs() - read.at > goodForMs) {
        reading ??= fresh().finally(() => {
          reading = null
        })
        const said = await reading
        if (!('amount' in said)) return said
      }
      const due = [...spent.values()].reduce((sum, one) => sum + one.amount, 0n)
      return { amount: (read as { amount: bigint }).amount - due }
    },
    spend(order, amount) {
      spent.set(order, { amount, at: nowMs(), answeredAt: null })
    },
    answered(order, taken) {
      const one = spent.get(order)
      if (!taken) spent.delete(order)
      else if (one) one.answeredAt ??= nowMs()
    },
    forget() {
      read = null
    },
  }
}
