/**
 * Reading a chain on from a cursor, at one endpoint. It writes nothing: what it finds is believed
 * only where the blocks before and after agree with each other.
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
  /** Blocks after the cursor and their transfers; `more` when the chain goes on behind them. */
  | {
      kind: 'read'
      tip: Block
      blocks: [BlockRef, ...BlockRef[]]
      transfers: Transfer[]
      more: boolean
    }
  /**
   * The cursor was reorganised away; `fork` is the last kept block that still stands on the chain.
   */
  | { kind: 'reorganised'; tip: Block; fork: BlockRef }
  /** The cursor was reorganised away, and so was every block that was kept, down to `lowest`. */
  | { kind: 'too_deep'; tip: Block; lowest: bigint }
  /** The chain changed while it was read: to be read again. */
  | { kind: 'unsettled'; tip: Block }

/** What reading needs of our own side. */
export type Sources = {
  network: EvmNetwork
  /** The deposit addresses, or null when they are more than `limit`. */
  addresses(limit: number): Promise<string[] | null>
  /** Blocks that were read, from `through` downward, newest first. */
  kept(through: bigint, limit: number): Promise<BlockRef[]>
  pace: Pace
}

/**
 * How many blocks are asked for at once: fewer after a failure. A range that a provider refuses is
 * tried again much later.
 */
export type Pace = { range: number; ceiling: number; atCeiling: number; blocks: number }

/** Most addresses that a filter names; with more, every transfer of the tokens is read. */
export const filterLimit = 500
/** Most blocks of one step near the tip. */
const blocksAtOnce = 32
/** How often a range must succeed before a wider one is tried. */
const patience = 20

/**
 * How far below the tip blocks are read one by one, each held against its parent. Deeper ones are
 * read in ranges, of which only the last block's hash is known: a chain must not be expected to
 * reorganise as deep as that.
 */
export function margin({ confirmations }: EvmNetwork): bigint {
  return BigInt(Math.max(confirmations, 64))
}

export function newPace({ maxRange }: EvmNetwork): Pace {
  return { range: maxRange, ceiling: maxRange, atCeiling: 0, blocks: blocksAtOnce }
}

/**
 * Reads on from a cursor.
 * @param tip the endpoint's newest block, not below the cursor
 * @throws {NodeBehind}, and what the transport throws
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
 * Each block is a request or two: a provider that fails now and then would fail each time that it
 * is asked for many.
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
 * A block to begin at, with the hashes below it in case the chain reorganises there; null when the
 * answers do not fit together.
 * @throws {NodeBehind}, and what the transport throws
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
  // Asked after the blocks: an address is given out before money can be sent to it, so what these
  // blocks hold can only be for addresses that are known by now.
  const to = await sources.addresses(filterLimit)
  const newest = blocks.at(-1) as Block
  let transfers: Transfer[]
  try {
    transfers =
      to?.length === 0
        ? []
        : (await Promise.all(blocks.map((block) => transfersOf(endpoint, block, to)))).flat()
  } catch (error) {
    // A node that has reorganised refuses the hash that it has just given.
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
      // A node that lacks blocks answers a range with what it has. So both ends are asked for in
      // the same call, to be held against what they were before.
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
      // Not every provider says that it is the range, and a slow one says nothing: whatever it was,
      // less is asked next time.
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

/** Walks back through the blocks that were read, to the last that still stands on the chain. */
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
    // The cursor stands after all: it was reorganised away for a moment, or the endpoint answers
    // with more than one tongue.
    if (fork?.number === cursor.number) return { kind: 'unsettled', tip }
    if (fork) return { kind: 'reorganised', tip, fork }
    through = (kept.at(-1) as BlockRef).number - 1n
  }
}

/** Blocks by their numbers, up to the first that the endpoint does not have. */
async function blocksOf(endpoint: Endpoint, from: bigint, through: bigint): Promise<Block[]> {
  const numbers = Array.from(
    { length: Number(through - from) + 1 },
    (_, index) => from + BigInt(index),
  )
  const blocks = await Promise.all(numbers.map((number) => endpoint.block(number)))
  const missing = blocks.indexOf(null)
  return (missing === -1 ? blocks : blocks.slice(0, missing)) as Block[]
}

/** How many blocks from the first on are each the child of the one before. */
function linked(blocks: Block[], parent: string | null): number {
  let before = parent
  for (const [index, block] of blocks.entries()) {
    if (before !== null && block.parentHash !== before) return index
    before = block.hash
  }
  return blocks.length
}

/**
 * A transfer of nothing is how look-alike addresses are put into a payer's history; it is no
 * payment.
 */
export const worthwhile = (transfers: Transfer[]): Transfer[] =>
  transfers.filter(({ units }) => units > 0n)
