/** What an account holds to pay out from, as Paystack says, less what this process has sent and has no answer about. */

import type { Account } from './account.ts'
import { type Answer, asObject, wholeOf } from './client.ts'

/** How long an answer is good for. */
const goodForMs = 10_000

/** How long what was sent is counted that nobody ever answered about: by then it is in the balance, or was never taken. */
const countedForMs = 3_600_000

export type Balance = {
  /** What may be spent, in kobo; or what came of asking. At most ten seconds old. */
  available(): Promise<{ amount: bigint } | Exclude<Answer, { is: 'answered' }>>
  /** So much is being sent. */
  spend(order: string, amount: bigint): void
  /** The order was answered about: the next answer about the balance has it. `taken` false: it was refused. */
  answered(order: string, taken: boolean): void
  /** What was read is not true any more. */
  forget(): void
}

export function openBalance(account: Pick<Account, 'client' | 'clock'>): Balance {
  const nowMs = (): number => account.clock.now().getTime()
  let read: { amount: bigint; at: number } | null = null
  let reading: ReturnType<typeof readBalance> | null = null
  const spent = new Map<string, { amount: bigint; at: number; answeredAt: number | null }>()

  async function fresh() {
    const startedAt = nowMs()
    const said = await readBalance(account)
    if ('amount' in said) {
      read = { amount: said.amount, at: startedAt }
      for (const [order, { at, answeredAt }] of spent)
        if ((answeredAt !== null && answeredAt < startedAt) || at < startedAt - countedForMs) spent.delete(order)
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

/** The naira that Paystack holds, asked now. */
export async function readBalance({
  client,
}: Pick<Account, 'client'>): Promise<{ amount: bigint } | Exclude<Answer, { is: 'answered' }>> {
  const answer = await client.ask({ method: 'GET', path: '/balance', urgency: 'ask' })
  if (answer.is !== 'answered') return answer
  const rows = Array.isArray(answer.data) ? answer.data.map(asObject) : []
  const amount = wholeOf(rows.find((row) => row?.currency === 'NGN')?.balance)
  return amount === null ? { is: 'unknown', why: 'a balance without naira' } : { amount }
}
