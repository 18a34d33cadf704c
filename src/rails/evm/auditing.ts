/**
 * Reads blocks a second time, well below the tip and at another endpoint if there is one, because a
 * node may return no logs for a block it has just received. Recorded transfers are not recorded
 * twice.
 */
import { transaction } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { smaller } from '../../lib/money.ts'
import type { Transfer } from '../ports/chains.ts'
import { onChecked, own } from './asking.ts'
import { type Chain, openChain } from './chain.ts'
import type { Endpoint } from './endpoint.ts'
import type { WatchParts } from './parts.ts'
import { filterLimit, margin, worthwhile } from './reading.ts'
import { messageOf, NodeBehind, OurFailure, RangeTooWide } from './rpc-errors.ts'
import type { EvmNetwork } from './settings.ts'
import { lockCursor, type NetworkRow, selectBlocks, setAudited } from './watcher-sql.ts'

/** The auditor's memory between steps. */
export type AuditMemory = {
  /** The same network, with endpoints in reverse order of preference. */
  chain: Chain
  /** The number of blocks per request, reduced after a failure. */
  range: number
  notBefore: Date | null
}

/** How often blocks are read a second time, once all deep ones were. */
const everyMs = 60_000

export const newAuditMemory = (network: EvmNetwork): AuditMemory => ({
  chain: openChain({ ...network, rpc: [...network.rpc.slice(1), ...network.rpc.slice(0, 1)] }),
  range: network.maxRange,
  notBefore: null,
})

/** Reads a range a second time when due. Endpoint errors are logged and stop nothing else. */
export async function auditStep(
  parts: WatchParts,
  memory: AuditMemory,
  row: NetworkRow,
  tip: bigint,
): Promise<void> {
  const { clock, log, chain } = parts
  const { network } = chain
  const now = clock.now()
  memory.notBefore ??= later(now, everyMs)
  if (row.audited === null || row.block_number === null || now < memory.notBefore) return
  const deep = smaller(row.block_number, tip - margin(network))
  const through = smaller(deep, row.audited + BigInt(memory.range))
  const span = { after: row.audited, through }
  if (through === deep) memory.notBefore = later(now, everyMs)
  if (through <= span.after) return
  let found: Transfer[]
  try {
    found = await onChecked(memory.chain, (endpoint) => readAgain(endpoint, parts, span))
  } catch (error) {
    if (error instanceof OurFailure) throw error.cause
    memory.range = Math.max(1, Math.floor(memory.range / 2))
    if (error instanceof RangeTooWide) return
    memory.notBefore = later(now, everyMs)
    log.warn(
      { network: network.id, ...span, trouble: messageOf(error) },
      'blocks could not be read a second time',
    )
    return
  }
  memory.range = Math.min(network.maxRange, Math.ceil(memory.range * 1.25))
  const missed = await recordMissed(parts, span, found)
  if (missed > 0)
    log.error(
      { network: network.id, ...span, deposits: missed },
      'deposits were missing from the first reading',
    )
}

type Span = { after: bigint; through: bigint }

async function readAgain(
  endpoint: Endpoint,
  { chain, book }: WatchParts,
  { after, through }: Span,
): Promise<Transfer[]> {
  const to = await own(book.addresses(chain.network.livemode, filterLimit))
  if (to?.length === 0) return []
  const [tip, transfers] = await Promise.all([
    endpoint.tip(),
    endpoint.transfersBetween(after + 1n, through, to),
  ])
  if (tip.number < through) throw new NodeBehind(`the endpoint does not have block ${through} yet`)
  return worthwhile(transfers).filter(
    ({ blockNumber }) => blockNumber > after && blockNumber <= through,
  )
}

/**
 * @returns the number of newly recorded transfers; 0 when another process has audited further, or
 * the cursor has moved back
 */
async function recordMissed(
  { db, chain, book }: WatchParts,
  { after, through }: Span,
  found: Transfer[],
): Promise<number> {
  const { network } = chain
  return transaction(db, async (tx) => {
    const current = await tx.row(lockCursor, [network.id])
    if (
      current === null ||
      current.halted !== null ||
      current.audited !== after ||
      (current.block_number ?? -1n) < through
    )
      return 0
    await tx.rows(setAudited, [network.id, through])
    // An endpoint on a fork must not replace the blocks that were read.
    const blocks = await tx.rows(selectBlocks, [network.id, through, Number(through - after)])
    const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
    const standing = found.filter(
      (one) => (hashes.get(one.blockNumber) ?? one.blockHash) === one.blockHash,
    )
    return standing.length === 0 ? 0 : book.recordTransfers(tx, network, standing)
  })
}
