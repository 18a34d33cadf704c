/**
 * Reads a chain from a cursor at one endpoint. It writes nothing, and trusts blocks only if they
 * link to their neighbours.
 */
import type { Transfer } from '../ports/chains.ts'
import type { Block, Endpoint } from './endpoint.ts'
import { NodeBehind, RangeTooWide } from './rpc-errors.ts'
import type { EvmNetwork } from './settings.ts'

/** A block that was read. */
export type BlockRef = { number: bigint; hash: string }

export type Found =
  /** The cursor is the newest block. */
  | { kind: 'nothing'; tip: Block }
  /** Blocks after the cursor and their transfers; `more`: the chain continues behind them. */
  | {
      kind: 'read'
      tip: Block
      blocks: [BlockRef, ...BlockRef[]]
      transfers: Transfer[]
      more: boolean
    }
  /**
   * The cursor was reorganised away; `fork` is the last stored block that is still on the chain.
   */
  | { kind: 'reorganised'; tip: Block; fork: BlockRef }
  /** The cursor and every stored block down to `lowest` were reorganised away. */
  | { kind: 'too_deep'; tip: Block; lowest: bigint }
  /** The chain changed during the read: read it again. */
  | { kind: 'unsettled'; tip: Block }

/** The inputs from our side. */
export type Sources = {
  network: EvmNetwork
  /** Returns the deposit addresses, or null if there are more than `limit`. */
  addresses(limit: number): Promise<string[] | null>
  /** The blocks that were read, from `through` downward, newest first. */
  kept(through: bigint, limit: number): Promise<BlockRef[]>
  pace: Pace
}

/**
 * The number of blocks per request, reduced after a failure. A range that a provider rejects is
 * retried much later.
 */
export type Pace = { range: number; ceiling: number; atCeiling: number; blocks: number }

/** The most addresses in a filter; with more, all transfers of the tokens are read. */
export const filterLimit = 500
/** The most blocks of one step near the tip. */
const blocksAtOnce = 32
/** How often a range must succeed before a wider one is tried. */
const patience = 20

/**
 * How far below the tip blocks are read one by one and each is checked against its parent. Deeper
 * ones are read in ranges, with only the last block's hash known, so a reorganisation must not be
 * that deep.
 */
export function margin({ confirmations }: EvmNetwork): bigint {
  return BigInt(Math.max(confirmations, 64))
}

export function newPace({ maxRange }: EvmNetwork): Pace {
  return { range: maxRange, ceiling: maxRange, atCeiling: 0, blocks: blocksAtOnce }
}

/**
 * Reads blocks after a cursor.
 * @param tip the endpoint's newest block, not below the cursor
 * @throws {NodeBehind}, and transport errors
 */
export async function readOn(
  endpoint: Endpoint,
  tip: Block,
  cursor: BlockRef,
  sources: Sources,
): Promise<Found> {
  if (tip.number === cursor.number)
    return tip.hash === cursor.hash
      ? { kind: 'nothing', tip }
      : findFork(endpoint, tip, cursor, sources)
  if (tip.number - cursor.number > margin(sources.network))
    return readRange(endpoint, tip, cursor, sources)
  return gently(sources.pace, () => readBlocks(endpoint, tip, cursor, sources))
}

/**
 * Adapts the number of blocks. Each block takes one or two requests, so with many blocks a
 * sometimes failing provider would fail every time.
 */
async function gently<T>(pace: Pace, work: () => Promise<T>): Promise<T> {
  try {
    const found = await work()
    pace.blocks = Math.min(blocksAtOnce, pace.blocks * 2)
    return found
  } catch (error) {
    pace.blocks = Math.max(1, Math.floor(pace.blocks / 2))
    throw error
  }
}

/**
 * Returns a block to start at, with the hashes below it in case the chain reorganises there; null
 * if the answers do not fit together.
 * @throws {NodeBehind}, and transport errors
 */
export function readStart(
  endpoint: Endpoint,
  number: bigint,
  { network, pace }: Sources,
): Promise<BlockRef[] | null> {
  return gently(pace, async () => {
    const below = pace.blocks < blocksAtOnce ? BigInt(pace.blocks) : margin(network)
    const lowest = number > below ? number - below : 0n
    const blocks = await blocksOf(endpoint, lowest, number)
    if (blocks.length <= number - lowest)
      throw new NodeBehind(`the endpoint does not have block ${number} yet`)
    return linked(blocks, null) === blocks.length ? blocks : null
  })
}

async function readBlocks(
  endpoint: Endpoint,
  tip: Block,
  cursor: BlockRef,
  sources: Sources,
): Promise<Found> {
  const last = cursor.number + BigInt(sources.pace.blocks)
  const there = await blocksOf(endpoint, cursor.number + 1n, last < tip.number ? last : tip.number)
  if (there.length === 0)
    throw new NodeBehind(`the endpoint does not have block ${cursor.number + 1n} yet`)
  const count = linked(there, cursor.hash)
  if (count === 0) return findFork(endpoint, tip, cursor, sources)
  const blocks = there.slice(0, count) as [Block, ...Block[]]
  // Queried after the blocks: an address is published before money can be sent to it, so all
  // addresses that these blocks pay are known by now.
  const to = await sources.addresses(filterLimit)
  const newest = blocks.at(-1) as Block
  let transfers: Transfer[]
  try {
    transfers =
      to?.length === 0
        ? []
        : (await Promise.all(blocks.map((block) => transfersOf(endpoint, block, to)))).flat()
  } catch (error) {
    // A node that has reorganised rejects the hash it has just returned.
    const now = await endpoint.block(newest.number)
    if (now?.hash !== newest.hash) return { kind: 'unsettled', tip }
    throw error
  }
  return {
    kind: 'read',
    tip,
    blocks,
    transfers: worthwhile(transfers),
    more: newest.number < tip.number,
  }
}

async function transfersOf(
  endpoint: Endpoint,
  block: BlockRef,
  to: string[] | null,
): Promise<Transfer[]> {
  const transfers = await endpoint.transfersIn(block.hash, to)
  if (
    transfers.some(
      (transfer) => transfer.blockHash !== block.hash || transfer.blockNumber !== block.number,
    )
  )
    throw new Error(`the endpoint answers for other blocks than ${block.number}`)
  return transfers
}

async function readRange(
  endpoint: Endpoint,
  tip: Block,
  cursor: BlockRef,
  sources: Sources,
): Promise<Found> {
  const { pace, network } = sources
  const target = tip.number - margin(network)
  for (;;) {
    const wished = cursor.number + BigInt(pace.range)
    const through = wished < target ? wished : target
    const last = await endpoint.block(through)
    if (last === null)
      throw new NodeBehind(`the endpoint says that it has ${tip.number} blocks, but not ${through}`)
    const to = await sources.addresses(filterLimit)
    try {
      // A node that lacks blocks answers a range with what it has. So the same call reads both
      // ends, to be compared with their earlier hashes.
      const [transfers, before, after] = await Promise.all([
        to?.length === 0 ? [] : endpoint.transfersBetween(cursor.number + 1n, through, to),
        endpoint.block(cursor.number),
        endpoint.block(through),
      ])
      if (before === null) throw new NodeBehind(`the endpoint does not have block ${cursor.number}`)
      if (before.hash !== cursor.hash) return findFork(endpoint, tip, cursor, sources)
      if (after?.hash !== last.hash) return { kind: 'unsettled', tip }
      for (const { blockNumber, blockHash } of transfers)
        if (
          blockNumber <= cursor.number ||
          blockNumber > through ||
          (blockNumber === through && blockHash !== last.hash)
        )
          throw new Error(
            `the endpoint answers for other blocks than ${cursor.number + 1n} to ${through}`,
          )
      widen(pace, network)
      return { kind: 'read', tip, blocks: [last], transfers: worthwhile(transfers), more: true }
    } catch (error) {
      if (error instanceof NodeBehind) throw error
      const half = Math.max(1, Math.floor(Number(through - cursor.number) / 2))
      pace.range = Math.min(pace.range, half)
      // Not every provider says that the range is the reason, and a slow one says nothing: whatever
      // it was, the next request is smaller.
      if (!(error instanceof RangeTooWide)) throw error
      pace.ceiling = half
      pace.atCeiling = 0
    }
  }
}

function widen(pace: Pace, { maxRange }: EvmNetwork): void {
  if (pace.range < pace.ceiling) pace.range = Math.min(pace.ceiling, pace.range * 2)
  else if (pace.ceiling < maxRange && ++pace.atCeiling >= patience) {
    pace.ceiling = pace.range = Math.min(maxRange, Math.ceil(pace.ceiling * 1.25))
    pace.atCeiling = 0
  }
}

/** Walks back through the stored blocks to the last one that is still on the chain. */
async function findFork(
  endpoint: Endpoint,
  tip: Block,
  cursor: BlockRef,
  sources: Sources,
): Promise<Found> {
  let through = cursor.number
  for (;;) {
    const kept = await sources.kept(through, blocksAtOnce)
    if (kept.length === 0) return { kind: 'too_deep', tip, lowest: through + 1n }
    const there = await Promise.all(kept.map(({ number }) => endpoint.block(number)))
    if (there.includes(null)) throw new NodeBehind(`the endpoint lacks blocks up to ${through}`)
    const fork = kept.find(({ hash }, index) => there[index]?.hash === hash)
    // The cursor is on the chain after all: it was reorganised away briefly, or nodes behind the
    // URL differ.
    if (fork?.number === cursor.number) return { kind: 'unsettled', tip }
    if (fork) return { kind: 'reorganised', tip, fork }
    through = (kept.at(-1) as BlockRef).number - 1n
  }
}

/** Returns blocks by number, up to the first that the endpoint lacks. */
async function blocksOf(endpoint: Endpoint, from: bigint, through: bigint): Promise<Block[]> {
  const numbers = Array.from(
    { length: Number(through - from) + 1 },
    (_, index) => from + BigInt(index),
  )
  const blocks = await Promise.all(numbers.map((number) => endpoint.block(number)))
  const missing = blocks.indexOf(null)
  return (missing === -1 ? blocks : blocks.slice(0, missing)) as Block[]
}

/** Counts the leading blocks that each link to the one before. */
function linked(blocks: Block[], parent: string | null): number {
  let before = parent
  for (const [index, block] of blocks.entries()) {
    if (before !== null && block.parentHash !== before) return index
    before = block.hash
  }
  return blocks.length
}

/**
 * Drops zero transfers: they are not payments, but put look-alike addresses into a payer's history.
 */
export const worthwhile = (transfers: Transfer[]): Transfer[] =>
  transfers.filter(({ units }) => units > 0n)
