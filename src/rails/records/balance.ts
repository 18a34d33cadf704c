/** An account's balance minus this process's orders that have no answer yet. */
import type { Clock } from '../../lib/clock.ts'
import type { Failure } from '../http/client.ts'

/** How long an answer is cached. */
const goodForMs = 10_000

/**
 * How long an order without an answer is subtracted. Afterwards the balance includes it, or it was
 * never accepted.
 */
const countedForMs = 3_600_000

/** The balance in minor units, or why it could not be read. */
export type BalanceAnswer = { amount: bigint } | Failure

export type Balance = {
  /** Returns the spendable amount, at most ten seconds old. */
  available(): Promise<BalanceAnswer>
  /** Records that an order is being sent. */
  spend(order: string, amount: bigint): void
  /**
   * Records an answer about an order, which the next balance includes. `taken` false: it was
   * refused.
   */
  answered(order: string, taken: boolean): void
  /** Drops the cached balance. */
  forget(): void
}

/** @param ask queries the provider now */
export function openBalance(clock: Clock, ask: () => Promise<BalanceAnswer>): Balance {
  const nowMs = (): number => clock.now().getTime()
  let read: { amount: bigint; at: number } | null = null
  let reading: Promise<BalanceAnswer> | null = null
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
