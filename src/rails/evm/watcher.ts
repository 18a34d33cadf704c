/**
 * The watcher of one network: reads the transfers of its tokens in order, keeps its place in the database, and tells the room that
 * books deposits. A block is read once and for all by the transaction that moves the place over it; a place that has left the chain
 * is moved back first. Several processes may watch one network: whoever comes second finds the place moved, and throws away what
 * it read.
 */
import { EventEmitter } from 'node:events'
import { type Database, type Tx, transaction } from '../../db/db.ts'
import { type Clock, later } from '../../lib/clock.ts'
import { type Audit, auditStep, newAudit } from './auditing.ts'
import { type Chain, ChainMismatch, type Endpoint, messageOf, type Transfer } from './chain.ts'
import { creditDue, fewestDue } from './crediting.ts'
import {
  ask,
  Behind,
  type Found,
  margin,
  newPace,
  OurFailure,
  own,
  type Pace,
  type Place,
  readOn,
  readPlace,
} from './reading.ts'
import type { EvmNetwork } from './settings.ts'
import {
  clearMismatch,
  deleteBlocksAbove,
  haltNetwork,
  insertBlocks,
  lockPlace,
  type NetworkRow,
  noteLook,
  pruneBlocks,
  resumeNetwork,
  selectBlocks,
  selectNetwork,
  setPlace,
  takeLease,
} from './watcher-sql.ts'

/** What books deposits: the room above, given by the composition. A rail knows no domain. */
export type DepositBook = {
  /** The deposit addresses of a mode, or null when they are more than `limit`. */
  addresses(livemode: boolean, limit: number): Promise<string[] | null>
  /**
   * Notes transfers at first sight, in the transaction that moves the watcher on; those to addresses that are not ours are left
   * out there. Told twice, the second time does nothing; a dropped one that is mined again in another block lives again.
   * @returns how many it did not know
   */
  seen(tx: Tx, network: EvmNetwork, transfers: Transfer[]): Promise<number>
  /**
   * Everything above `block` is gone from the chain: drops what is pending there.
   * @returns the ids of deposits that were credited already and are gone
   */
  gone(tx: Tx, network: EvmNetwork, block: bigint): Promise<string[]>
  /** Pending deposits in blocks up to `through`, oldest first, at most `limit`. Amounts in cents. */
  due(
    network: EvmNetwork,
    through: bigint,
    limit: number,
  ): Promise<{ id: string; businessId: string; blockNumber: bigint; blockHash: string; amount: bigint }[]>
  /** Credits a deposit, once, in a transaction of its own. Does nothing when it is not pending any more or its block is another now. */
  credit(network: EvmNetwork, deposit: { id: string; businessId: string; blockHash: string }): Promise<void>
}

/** What a watcher needs of the logger. */
export type WatchLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>

export type WatchParts = {
  db: Database
  clock: Clock
  log: WatchLog
  chain: Chain
  book: DepositBook
  /** Of this process, for the lease. */
  name: string
}

/** What a watcher remembers from step to step. None of it has to be right: it spares requests and words. */
export type Memory = {
  pace: Pace
  /** Endpoints that have shown that they are this chain. */
  checked: WeakSet<Endpoint>
  /** Whether a mismatch that an earlier process halted for was looked at again. */
  rechecked: boolean
  failures: number
  notBefore: Date | null
  /** Since when the endpoint lacks blocks, or changes its answers. */
  waitingSince: Date | null
  /** When the other endpoints were last asked whether the chain stands still. */
  comparedAt: Date | null
  /** How many due deposits are looked at: more when those at the front cannot be credited. */
  dueLimit: number
  audit: Audit
}

/** How a step ended, and whether the next one has something to do at once. */
export type Step = { result: 'done' | 'waiting' | 'failed' | 'elsewhere' | 'halted'; more: boolean }

/** How long a network belongs to the process that took it, when that one does not come back. */
const leaseMs = 15_000
/** Endpoints differ by a block or two all the time, and tips change; after this it is trouble. */
const waitMs = 30_000
/** With no new block for this long, the next endpoint is asked as well. */
const stillMs = 120_000
const longestBackoffMs = 60_000

/** The chore that watches a chain. It runs one step at a time, so that a server which stops never waits for a long backfill. */
export function watchChore(parts: WatchParts): {
  name: string
  everyMs: number
  bell: EventEmitter
  run(): Promise<void>
} {
  const { network } = parts.chain
  const memory = newMemory(network)
  const bell = new EventEmitter()
  return {
    name: `watch ${network.id}`,
    everyMs: network.pollMs,
    bell,
    async run() {
      if (memory.notBefore && parts.clock.now() < memory.notBefore) return
      const { more } = await step(parts, memory)
      if (more) bell.emit('ring')
    },
  }
}

/**
 * Lets a halted network go on, after a person has looked.
 * @param from the last block that counts as read; without it, the watcher goes on where it stands
 * @returns whether there is such a network
 */
export async function resume(db: Database, network: string, from: bigint | null = null): Promise<boolean> {
  return (await db.row(resumeNetwork, [network, from])) !== null
}

export function newMemory(network: EvmNetwork): Memory {
  return {
    pace: newPace(network),
    checked: new WeakSet(),
    rechecked: false,
    failures: 0,
    notBefore: null,
    waitingSince: null,
    comparedAt: null,
    dueLimit: fewestDue,
    audit: newAudit(network),
  }
}

/**
 * One look at the chain: reads on by one range or a few blocks, or moves back where the chain has reorganised; then credits what is
 * deep enough. What endpoints do wrong is noted on the network; errors of our own side are thrown.
 */
export async function step(parts: WatchParts, memory: Memory = newMemory(parts.chain.network)): Promise<Step> {
  const row = await takeTurn(parts)
  if (row === null) return { result: 'elsewhere', more: false }
  if (row.halted !== null && !(await liftMismatch(parts, memory, row))) return { result: 'halted', more: false }

  const look: Look = { result: 'done', more: false, tip: row.tip, trouble: null }
  const failures: unknown[] = []
  // What cannot be noted must not keep what was noted from being credited.
  for (const part of [readStep, auditStep, creditStep])
    if (look.result !== 'halted')
      await part(parts, memory, row, look).catch((error: unknown) => {
        look.trouble ??= `on our side: ${messageOf(error)}`
        failures.push(error)
      })
  // A database that is gone cannot be told so.
  await note(parts, row, look).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  if (look.result === 'failed') {
    memory.failures++
    const { pollMs } = parts.chain.network
    memory.notBefore = later(parts.clock.now(), Math.min(longestBackoffMs, pollMs * 2 ** Math.min(memory.failures, 16)))
  } else {
    memory.failures = 0
    memory.notBefore = null
  }
  return { result: look.result, more: look.more && look.result === 'done' }
}

type Look = Step & { tip: bigint; trouble: string | null }

async function readStep(parts: WatchParts, memory: Memory, row: NetworkRow, look: Look): Promise<void> {
  const compare = isTimeToCompare(parts, memory, row)
  let found: Found | Begun
  try {
    found = await ask(parts.chain, (endpoint) => lookAt(endpoint, parts, memory, row, compare))
  } catch (error) {
    if (error instanceof OurFailure) throw error.cause
    if (error instanceof ChainMismatch) {
      memory.rechecked = true
      await halt(parts, parts.db, 'mismatch', error.message)
      look.result = 'halted'
    } else if (error instanceof Behind) {
      memory.waitingSince ??= parts.clock.now()
      look.result = 'waiting'
      look.trouble = isLong(parts, memory.waitingSince, waitMs) ? messageOf(error) : row.trouble
    } else if (!(error instanceof Still)) {
      look.result = 'failed'
      look.trouble = messageOf(error)
    }
    return
  }
  look.tip = found.tip.number
  if (found.kind === 'unsettled') {
    memory.waitingSince ??= parts.clock.now()
    look.result = 'waiting'
    return
  }
  memory.waitingSince = null
  if (found.kind !== 'nothing') look.result = await apply(parts, row, found)
  look.more = look.result === 'done' && (found.kind === 'read' ? found.more : found.kind !== 'nothing')
}

async function creditStep(parts: WatchParts, memory: Memory, _row: NetworkRow, look: Look): Promise<void> {
  try {
    const { more, trouble } = await creditDue(parts, memory, look.tip)
    look.more ||= more
    look.trouble ??= trouble
  } catch (error) {
    if (error instanceof OurFailure) throw error.cause
    look.result = 'failed'
    look.trouble ??= messageOf(error)
  }
}

/** Whether a chain that stands still is to be looked at through its other endpoints as well: this one may have stopped following. */
function isTimeToCompare(parts: WatchParts, memory: Memory, row: NetworkRow): boolean {
  if (parts.chain.network.rpc.length < 2 || !isLong(parts, row.tip_at, stillMs)) return false
  if (memory.comparedAt !== null && !isLong(parts, memory.comparedAt, stillMs)) return false
  memory.comparedAt = parts.clock.now()
  return true
}

const isLong = ({ clock }: WatchParts, since: Date, ms: number): boolean => clock.now().getTime() - since.getTime() > ms

/** The chain stands still at this endpoint; another one may know better. */
class Still extends Error {}

/** Where to begin: blocks that follow each other, the last of which is the place. */
type Begun = { kind: 'begun'; tip: Place; blocks: Place[] }

async function lookAt(
  endpoint: Endpoint,
  parts: WatchParts,
  memory: Memory,
  row: NetworkRow,
  compare: boolean,
): Promise<Found | Begun> {
  const { db, book, chain } = parts
  const { network } = chain
  const tip = await endpoint.tip()
  // A node that still catches up does not have the tokens' contracts yet: it is behind, not another chain.
  if (row.block_number !== null && tip.number < row.block_number)
    throw new Behind(`the endpoint does not have block ${row.block_number}, which was read before`)
  if (!memory.checked.has(endpoint)) {
    await endpoint.check()
    memory.checked.add(endpoint)
  }
  if (row.block_number === null || row.block_hash === null) {
    const before = network.startBlock === null ? tip.number : network.startBlock - 1n
    const blocks = await readPlace(endpoint, row.block_number ?? (before < 0n ? 0n : before), {
      network,
      pace: memory.pace,
    })
    return blocks === null ? { kind: 'unsettled', tip } : { kind: 'begun', tip, blocks }
  }
  const place = { number: row.block_number, hash: row.block_hash }
  const found = await readOn(endpoint, tip, place, {
    network,
    pace: memory.pace,
    addresses: (limit) => own(book.addresses(network.livemode, limit)),
    kept: (through, limit) => own(db.rows(selectBlocks, [network.id, through, limit])),
  })
  if (found.kind === 'nothing' && compare) throw new Still()
  if (found.kind === 'unsettled' && memory.waitingSince && isLong(parts, memory.waitingSince, waitMs))
    throw new Behind('the answers of the endpoint do not fit together')
  return found
}

/** Writes what a look found, unless another process has moved the place since. */
async function apply(
  parts: WatchParts,
  row: NetworkRow,
  found: Exclude<Found | Begun, { kind: 'nothing' | 'unsettled' }>,
): Promise<Step['result']> {
  const { db, log, chain, book } = parts
  const { network } = chain
  const now = parts.clock.now()
  const fields = { network: network.id, block: row.block_number, tip: found.tip.number }
  return transaction(db, async (tx) => {
    const held = await tx.row(lockPlace, [network.id])
    if (held === null || held.halted !== null) return 'halted'
    if (held.block_number !== row.block_number || held.block_hash !== row.block_hash) return 'elsewhere'
    const keep = async (blocks: Place[]): Promise<void> => {
      const { number, hash } = blocks.at(-1) as Place
      await tx.rows(insertBlocks, [network.id, blocks.map((block) => block.number), blocks.map((block) => block.hash)])
      await tx.rows(setPlace, [network.id, number, hash, now])
    }
    switch (found.kind) {
      case 'read':
        if (found.transfers.length > 0) await book.seen(tx, network, found.transfers)
        await keep(found.blocks)
        await tx.rows(pruneBlocks, [network.id, Math.max(256, 2 * Number(margin(network)))])
        return 'done'
      case 'begun': {
        const { number } = found.blocks.at(-1) as Place
        await tx.rows(deleteBlocksAbove, [network.id, -1n])
        if (row.block_number !== null) {
          const credited = await book.gone(tx, network, number)
          if (credited.length > 0) log.warn({ ...fields, credited }, 'credited deposits are to be read again')
        }
        await keep(found.blocks)
        tx.afterCommit(() => log.info({ ...fields, from: number }, 'watching begins after a block'))
        return 'done'
      }
      case 'lost':
        await halt(
          parts,
          tx,
          'reorganisation',
          `the chain has reorganised below block ${found.lowest}, the lowest that was kept; look at what was credited, then resume from an earlier block`,
        )
        return 'halted'
      case 'reorganised': {
        const { fork } = found
        const gone = await book.gone(tx, network, fork.number)
        await tx.rows(deleteBlocksAbove, [network.id, fork.number])
        await tx.rows(setPlace, [network.id, fork.number, fork.hash, now])
        tx.afterCommit(() => log.warn({ ...fields, fork: fork.number, gone }, 'the chain has reorganised'))
        if (gone.length === 0) return 'done'
        await halt(
          parts,
          tx,
          'reorganisation',
          `the chain has reorganised above block ${fork.number}, deeper than what was credited there: ${gone.slice(0, 10).join(', ')}${gone.length > 10 ? ` and ${gone.length - 10} more` : ''}`,
        )
        return 'halted'
      }
    }
  })
}

/** Takes the network's turn. @returns its row, or null when it is another process's turn */
async function takeTurn({ db, clock, chain, name }: WatchParts): Promise<NetworkRow | null> {
  const { id } = chain.network
  const now = clock.now()
  const row = await db.row(selectNetwork, [id])
  const left = row?.leased_until ? row.leased_until.getTime() - now.getTime() : 0
  if (row && row.leased_by !== name && row.leased_by !== null && left > 0) return null
  if (row?.leased_by === name && left > leaseMs / 2) return row
  return db.row(takeLease, [id, name, now, later(now, leaseMs)])
}

/** Whether a mismatch that an earlier process has halted for is mended. Once for each process; what else halts is a person's. */
async function liftMismatch(parts: WatchParts, memory: Memory, row: NetworkRow): Promise<boolean> {
  if (row.halted_for !== 'mismatch' || memory.rechecked) return false
  try {
    await parts.chain.on((endpoint) => endpoint.check())
  } catch (error) {
    memory.rechecked = error instanceof ChainMismatch
    return false
  }
  memory.rechecked = true
  await parts.db.rows(clearMismatch, [parts.chain.network.id, parts.clock.now()])
  return true
}

async function halt(
  { clock, log, chain }: WatchParts,
  target: Database | Tx,
  cause: 'mismatch' | 'reorganisation',
  reason: string,
): Promise<void> {
  await target.rows(haltNetwork, [chain.network.id, reason, cause, clock.now()])
  log.error({ network: chain.network.id, reason }, 'watching a network has stopped until a person has looked')
}

async function note({ db, clock, log, chain }: WatchParts, row: NetworkRow, look: Look): Promise<void> {
  if (look.tip === row.tip && look.trouble === row.trouble) return
  await db.rows(noteLook, [chain.network.id, look.tip, look.trouble, clock.now()])
  if (look.trouble !== null && look.trouble !== row.trouble)
    log.warn({ network: chain.network.id, trouble: look.trouble }, 'watching a network has trouble')
}
