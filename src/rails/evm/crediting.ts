/**
 * Crediting of deposits that are deep enough: each is held against the chain once more before it is
 * credited.
 */
import type { StepReport, WatchParts } from './parts.ts'
import { messageOf } from './rpc-errors.ts'
import { selectNetwork } from './watcher-sql.ts'

/**
 * How many due deposits are looked at in one step: more when those at the front cannot be credited.
 */
export type CreditMemory = { limit: number }

const fewestDue = 200
const mostDue = 20_000

export const newCreditMemory = (): CreditMemory => ({ limit: fewestDue })

/**
 * Credits what has the network's confirmations on top. One that cannot be credited is left for the
 * next step, and keeps no other waiting. What endpoints do wrong is reported.
 */
export async function creditStep(
  parts: WatchParts,
  memory: CreditMemory,
  report: StepReport,
): Promise<void> {
  try {
    await creditDue(parts, memory, report)
  } catch (error) {
    report.result = 'failed'
    report.trouble ??= messageOf(error)
  }
}

async function creditDue(
  { db, log, chain, book }: WatchParts,
  memory: CreditMemory,
  report: StepReport,
): Promise<void> {
  const { network } = chain
  const confirmations = BigInt(network.confirmations)
  const through = report.tip - confirmations
  const due = through < 0n ? [] : await book.due(network, through, memory.limit)
  if (due.length === 0) return

  const isLarge = (amount: bigint): boolean =>
    network.finalizedAbove !== null && amount > network.finalizedAbove
  let trouble: string | null = null
  // Tip and blocks come from one endpoint: how deep a deposit is, is a question to one chain.
  const { ready, hashes } = await chain.on(async (endpoint) => {
    trouble = null
    const [now, finalized] = await Promise.all([
      endpoint.tip(),
      due.some(({ amount }) => isLarge(amount))
        ? endpoint.finalized().catch((error: unknown) => {
            trouble = `large deposits wait for the finalized block: ${messageOf(error)}`
            return -1n
          })
        : -1n,
    ])
    const ready = due.filter(
      ({ blockNumber, amount }) =>
        now.number - blockNumber >= confirmations && (!isLarge(amount) || blockNumber <= finalized),
    )
    const numbers = [...new Set(ready.map(({ blockNumber }) => blockNumber))]
    const blocks = await Promise.all(numbers.map((number) => endpoint.block(number)))
    return { ready, hashes: new Map(numbers.map((number, index) => [number, blocks[index]?.hash])) }
  })

  let credited = 0
  for (const deposit of ready) {
    const fields = { network: network.id, deposit: deposit.id, block: deposit.blockNumber }
    if (hashes.get(deposit.blockNumber) !== deposit.blockHash) {
      log.warn(fields, 'a deposit is due whose block is not on the chain as it is now')
      continue
    }
    // Another process may have found in the meantime that the chain is not to be trusted.
    if ((await db.row(selectNetwork, [network.id]))?.halted !== null) break
    try {
      await book.credit(network, deposit)
      credited++
    } catch (error) {
      log.error(
        { ...fields, err: error },
        'a deposit could not be credited and will be tried again',
      )
      trouble ??= `a deposit could not be credited: ${messageOf(error)}`
    }
  }
  // What cannot be credited stands at the front of the list, and must not hide what comes behind
  // it.
  const full = due.length === memory.limit
  if (full && credited === 0) memory.limit = Math.min(mostDue, memory.limit * 2)
  else if (due.length < fewestDue) memory.limit = fewestDue
  report.more ||= full && credited > 0
  report.trouble ??= trouble
}
