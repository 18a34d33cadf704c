/**
 * Reads the chain as a step of the watcher. Transfers and the new cursor are one commit, which
 * applies only if the cursor has not moved since. A cursor that was reorganised away is moved back
 * first.
 */
import { type Database, type Tx, transaction } from '../../db/db.ts'
import { checkOnce, own } from './asking.ts'
import type { Endpoint } from './endpoint.ts'
import type { StepReport, WatchParts } from './parts.ts'
import {
  type BlockRef,
  type Found,
  margin,
  newPace,
  type Pace,
  readOn,
  readStart,
  type Sources,
} from './reading.ts'
import { ChainMismatch, messageOf, NodeBehind, OurFailure } from './rpc-errors.ts'
import type { EvmNetwork } from './settings.ts'
import type { NetworkRow } from './watcher-sql.ts'
import * as sql from './watcher-sql.ts'

/** The scanner's memory between steps. */
export type ScanMemory = {
  pace: Pace
  /** Whether a mismatch that halted an earlier process was rechecked. */
  rechecked: boolean
  /** Since when the endpoint lacks blocks or changes its answers. */
  waitingSince: Date | null
  /** When the other endpoints were last asked whether the chain is idle. */
  comparedAt: Date | null
}

/** Endpoints often differ by a block or two, and tips change; longer than this is a problem. */
const waitMs = 30_000
/** Without a new block for this long, the next endpoint is queried too. */
const idleMs = 120_000

export const newScanMemory = (network: EvmNetwork): ScanMemory => ({
  pace: newPace(network),
  rechecked: false,
  waitingSince: null,
  comparedAt: null,
})

/**
 * Reads the next range or a few blocks, or moves the cursor back after a reorganisation. Reports
 * endpoint errors.
 */
export async function scanStep(
  parts: WatchParts,
  memory: ScanMemory,
  row: NetworkRow,
  report: StepReport,
): Promise<void> {
  const compare = isTimeToCompare(parts, memory, row)
  let found: Found | Started
  try {
    found = await parts.chain.on((endpoint) => readFrom(endpoint, parts, memory, row, compare))
  } catch (error) {
    if (error instanceof OurFailure) throw error.cause
    if (error instanceof ChainMismatch) {
      memory.rechecked = true
      await halt(parts, parts.db, 'mismatch', error.message)
      report.result = 'halted'
    } else if (error instanceof NodeBehind) {
      memory.waitingSince ??= parts.clock.now()
      report.result = 'waiting'
      report.trouble = isLong(parts, memory.waitingSince, waitMs) ? messageOf(error) : row.trouble
    } else if (!(error instanceof IdleChain)) {
      report.result = 'failed'
      report.trouble = messageOf(error)
    }
    return
  }
  report.tip = found.tip.number
  if (found.kind === 'unsettled') {
    memory.waitingSince ??= parts.clock.now()
    report.result = 'waiting'
    return
  }
  memory.waitingSince = null
  if (found.kind !== 'nothing') report.result = await apply(parts, row, found)
  report.more =
    report.result === 'done' && (found.kind === 'read' ? found.more : found.kind !== 'nothing')
}

/** Whether to read an idle chain through its other endpoints too, because this one may be stuck. */
function isTimeToCompare(parts: WatchParts, memory: ScanMemory, row: NetworkRow): boolean {
  if (parts.chain.network.rpc.length < 2 || !isLong(parts, row.tip_at, idleMs)) return false
  if (memory.comparedAt !== null && !isLong(parts, memory.comparedAt, idleMs)) return false
  memory.comparedAt = parts.clock.now()
  return true
}

const isLong = ({ clock }: WatchParts, since: Date, ms: number): boolean =>
  clock.now().getTime() - since.getTime() > ms

/** The chain is idle at this endpoint; another one may have newer blocks. */
class IdleChain extends Error {}

/** Where to start: linked blocks, the last of which is the cursor. */
type Started = { kind: 'started'; tip: BlockRef; blocks: BlockRef[] }

async function readFrom(
  endpoint: Endpoint,
  parts: WatchParts,
  memory: ScanMemory,
  row: NetworkRow,
  compare: boolean,
): Promise<Found | Started> {
  const { db, book, chain } = parts
  const { network } = chain
  const tip = await endpoint.tip()
  // A node that is still syncing lacks the tokens' contracts: it is behind, not on another chain.
  if (row.block_number !== null && tip.number < row.block_number)
    throw new NodeBehind(
      `the endpoint does not have block ${row.block_number}, which was read before`,
    )
  await checkOnce(endpoint)
  const sources: Sources = {
    network,
    pace: memory.pace,
    addresses: (limit) => own(book.addresses(network.livemode, limit)),
    kept: (through, limit) => own(db.rows(sql.selectBlocks, [network.id, through, limit])),
  }
  if (row.block_number === null || row.block_hash === null) {
    const before = network.startBlock === null ? tip.number : network.startBlock - 1n
    const blocks = await readStart(
      endpoint,
      row.block_number ?? (before < 0n ? 0n : before),
      sources,
    )
    return blocks === null ? { kind: 'unsettled', tip } : { kind: 'started', tip, blocks }
  }
  const cursor = { number: row.block_number, hash: row.block_hash }
  const found = await readOn(endpoint, tip, cursor, sources)
  if (found.kind === 'nothing' && compare) throw new IdleChain()
  if (
    found.kind === 'unsettled' &&
    memory.waitingSince &&
    isLong(parts, memory.waitingSince, waitMs)
  )
    throw new NodeBehind('the answers of the endpoint do not fit together')
  return found
}

/** Writes the findings, unless another process has moved the cursor. */
async function apply(
  parts: WatchParts,
  row: NetworkRow,
  found: Exclude<Found | Started, { kind: 'nothing' | 'unsettled' }>,
): Promise<StepReport['result']> {
  const { db, log, chain, book } = parts
  const { network } = chain
  const now = parts.clock.now()
  const fields = { network: network.id, block: row.block_number, tip: found.tip.number }
  return transaction(db, async (tx) => {
    const current = await tx.row(sql.lockCursor, [network.id])
    if (current === null || current.halted !== null) return 'halted'
    if (current.block_number !== row.block_number || current.block_hash !== row.block_hash)
      return 'elsewhere'
    const keep = async (blocks: BlockRef[]): Promise<void> => {
      const { number, hash } = blocks.at(-1) as BlockRef
      await tx.rows(sql.insertBlocks, [
        network.id,
        blocks.map((block) => block.number),
        blocks.map((block) => block.hash),
      ])
      await tx.rows(sql.setCursor, [network.id, number, hash, now])
    }
    const stop = async (reason: string): Promise<'halted'> => {
      await halt(parts, tx, 'reorganisation', reason)
      return 'halted'
    }
    switch (found.kind) {
      case 'read':
        if (found.transfers.length > 0) await book.recordTransfers(tx, network, found.transfers)
        await keep(found.blocks)
        await tx.rows(sql.pruneBlocks, [network.id, Math.max(256, 2 * Number(margin(network)))])
        return 'done'
      case 'started': {
        const { number } = found.blocks.at(-1) as BlockRef
        await tx.rows(sql.deleteBlocksAbove, [network.id, -1n])
        if (row.block_number !== null) {
          const credited = await book.dropReorganised(tx, network, number)
          if (credited.length > 0)
            log.warn({ ...fields, credited }, 'credited deposits are to be read again')
        }
        await keep(found.blocks)
        tx.afterCommit(() => log.info({ ...fields, from: number }, 'watching starts after a block'))
        return 'done'
      }
      case 'too_deep':
        return stop(
          `the chain has reorganised below block ${found.lowest}, the lowest that was kept; look at what was credited, then resume from an earlier block`,
        )
      case 'reorganised': {
        const { fork } = found
        const gone = await book.dropReorganised(tx, network, fork.number)
        await tx.rows(sql.deleteBlocksAbove, [network.id, fork.number])
        await tx.rows(sql.setCursor, [network.id, fork.number, fork.hash, now])
        tx.afterCommit(() =>
          log.warn({ ...fields, fork: fork.number, gone }, 'the chain has reorganised'),
        )
        if (gone.length === 0) return 'done'
        return stop(
          `the chain has reorganised above block ${fork.number}, deeper than what was credited there: ${gone.slice(0, 10).join(', ')}${gone.length > 10 ? ` and ${gone.length - 10} more` : ''}`,
        )
      }
    }
  })
}

/**
 * Rechecks, once per process, a mismatch that halted an earlier process. Other halts need a person.
 */
export async function liftMismatch(
  parts: WatchParts,
  memory: ScanMemory,
  row: NetworkRow,
): Promise<boolean> {
  if (row.halted_for !== 'mismatch' || memory.rechecked) return false
  try {
    await parts.chain.on((endpoint) => endpoint.check())
  } catch (error) {
    memory.rechecked = error instanceof ChainMismatch
    return false
  }
  memory.rechecked = true
  await parts.db.rows(sql.clearMismatch, [parts.chain.network.id, parts.clock.now()])
  return true
}

async function halt(
  { clock, log, chain }: WatchParts,
  target: Database | Tx,
  cause: 'mismatch' | 'reorganisation',
  reason: string,
): Promise<void> {
  await target.rows(sql.haltNetwork, [chain.network.id, reason, cause, clock.now()])
  log.error(
    { network: chain.network.id, reason },
    'watching a network has stopped until a person has looked',
  )
}
