/** Credits deposits at their confirmation depth, after checking each against the chain again. */
import type { StepReport, WatchParts } from './parts.ts'
import { messageOf } from './rpc-errors.ts'
import { selectNetwork } from './watcher-sql.ts'

/** The number of due deposits per step, increased while the first ones cannot be credited. */
export type CreditMemory = { limit: number }

const fewestDue = 200
const mostDue = 20_000

export const newCreditMemory = (): CreditMemory => ({ limit: fewestDue })

/**
 * Credits deposits with the network's confirmations. A deposit that cannot be credited is left for
 * the next step and does not delay others. Reports endpoint errors.
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
  // Tip and blocks come from one endpoint, because depth is only defined on one chain.
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
    // Another process may meanwhile have halted the network.
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
  // Deposits that cannot be credited stay first in the list and must not hide those behind them.
  const full = due.length === memory.limit
  if (full && credited === 0) memory.limit = Math.min(mostDue, memory.limit * 2)
  else if (due.length < fewestDue) memory.limit = fewestDue
  report.more ||= full && credited > 0
  report.trouble ??= trouble
}
