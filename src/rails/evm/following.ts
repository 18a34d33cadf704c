/**
 * Follows signed transactions: resends, replaces stuck ones, and ends them at their final depth.
 * All versions of a transaction share one nonce, so at most one is mined.
 */
import { keccak256 } from 'viem'
import { transaction } from '../../db/db.ts'
import { onChecked, poll, type Vote } from './asking.ts'
import { broadcast, sign } from './broadcasts.ts'
import type { Fees } from './endpoint.ts'
import { bumpFees } from './funds.ts'
import type { Signer } from './keys.ts'
import type { ChainParts } from './parts.ts'
import {
  addBroadcast,
  broadcastOf,
  endOf,
  endTransaction,
  recordBlock,
  recordReplacement,
  type SentRow,
  selectSent,
} from './sender-sql.ts'
import {
  type Mined,
  minedOf,
  noncesOf,
  readSnapshot,
  receiptsOf,
  type Snapshot,
} from './snapshot.ts'

type Reverted = { row: SentRow; mined: Mined }

/** The next step for a transaction, from the snapshot. */
type Next =
  | { kind: 'nothing' | 'broadcast' }
  | { kind: 'trouble'; trouble: string }
  | { kind: 'reverted'; mined: Mined }

/**
 * Follows signed transactions: ends those deep enough, records mined ones, resends those the
 * network lacks, and replaces stuck ones.
 * @param signerOf a sender's key, or null if not available: its transactions are then not replaced
 * @param onShort receives what a sender lacks for a replacement, in wei, with headroom
 * @returns what keeps transactions from being mined, for people
 * @throws transport errors, when no endpoint can be reached
 */
export async function follow(
  parts: ChainParts,
  rows: SentRow[],
  signerOf: (row: SentRow) => Signer | null,
  onShort: (row: SentRow, wei: bigint) => Promise<void> = async () => {},
): Promise<string[]> {
  if (rows.length === 0) return []
  const { clock, chain } = parts
  const { confirmations, stuckMs } = chain.network
  const stuckSince = clock.now().getTime() - stuckMs
  const snapshot = await onChecked(chain, (endpoint) =>
    readSnapshot(endpoint, rows, confirmations, stuckSince),
  )
  const troubles: string[] = []
  const reverted: Reverted[] = []
  let again: { id: string; raw: string }[] = []
  for (const row of rows) {
    const next = await followOne(parts, row, snapshot)
    if (next.kind === 'broadcast') again.push(row)
    else if (next.kind === 'reverted') reverted.push({ row, mined: next.mined })
    else if (next.kind === 'trouble') troubles.push(next.trouble)
  }
  troubles.push(...(await failReverted(parts, reverted)))
  for (const row of snapshot.stuck) {
    const answer = await replace(parts, row, snapshot, signerOf(row), onShort)
    if ('raw' in answer) again = [...again.filter((one) => one.id !== row.id), answer]
    else if (answer.trouble) troubles.push(answer.trouble)
  }
  return [...troubles, ...(await broadcast(chain, again))]
}

/** Records a transaction's state, and ends it when final. */
async function followOne(parts: ChainParts, row: SentRow, snapshot: Snapshot): Promise<Next> {
  const { db, clock, chain } = parts
  const { network } = chain
  const record = (block: bigint | null, passed: bigint | null, hash: string | null) =>
    db.rows(recordBlock, [network.id, row.id, block, passed, hash, clock.now()])
  const { latest, pending } = noncesOf(snapshot, row)
  if (row.nonce >= latest) {
    if (row.block_number !== null || row.passed_at !== null) await record(null, null, null)
    return { kind: row.nonce >= pending ? 'broadcast' : 'nothing' }
  }
  const mined = snapshot.receipts.get(row.id)
  if (mined === undefined) return { kind: 'nothing' }
  if (mined === null) {
    // Nodes behind one URL may differ, so this is believed only after the number of blocks that
    // makes a transaction final.
    const since = row.passed_at ?? snapshot.tip
    if (row.passed_at === null || row.block_number !== null) await record(null, since, null)
    if (snapshot.tip <= since || snapshot.tip - since < network.confirmations)
      return { kind: 'nothing' }
    return {
      kind: 'trouble',
      trouble: `nonce ${row.nonce} of ${row.sender} on ${network.id} was used by a transaction that is not ours, and ${row.kind} ${row.id} was not sent with it: find out who else has the key`,
    }
  }
  if (snapshot.tip - mined.blockNumber < network.confirmations) {
    if (row.block_number !== mined.blockNumber || row.hash !== mined.hash)
      await record(mined.blockNumber, null, mined.hash)
  } else if (snapshot.canonical.get(mined.blockNumber) === mined.blockHash) {
    if (!mined.success) return { kind: 'reverted', mined }
    await end(parts, row, mined, 'completed', null)
  }
  return { kind: 'nothing' }
}

/**
 * Queries every endpoint, because a failure returns the money for good, while a signed transaction
 * could still be mined.
 */
async function failReverted(parts: ChainParts, reverted: Reverted[]): Promise<string[]> {
  if (reverted.length === 0) return []
  const { chain } = parts
  const rows = reverted.map(({ row }) => row)
  const votes = await poll(chain, rows.length, async (endpoint) => {
    const receipts = await receiptsOf(endpoint, rows)
    return reverted.map(({ row, mined }) => {
      const there = receipts.get(row.id)
      if (there === undefined) return null
      return (
        there?.success === false && there.hash === mined.hash && there.blockHash === mined.blockHash
      )
    })
  })
  const troubles: string[] = []
  for (const [i, { row, mined }] of reverted.entries()) {
    const { yes, of, certain } = votes[i] as Vote
    if (certain) await end(parts, row, mined, 'failed', 'reverted')
    else
      troubles.push(
        `${row.kind} ${row.id} has failed in block ${mined.blockNumber} of ${chain.network.id} by the word of ${yes} of ${of} endpoints: it waits until all that answer say so, and two at least`,
      )
  }
  return troubles
}

async function end(
  { db, clock, log, chain }: ChainParts,
  row: SentRow,
  mined: Mined,
  status: 'completed' | 'failed',
  failure: string | null,
): Promise<void> {
  const network = chain.network.id
  const { hash, blockNumber } = mined
  const end = {
    network,
    id: row.id,
    status,
    failure,
    hash,
    block: blockNumber,
    now: clock.now(),
    from: 'sent',
  }
  await db.rows(endTransaction, endOf(end))
  log.info({ network, id: row.id, hash, end: status }, 'a transaction is final')
}

/**
 * Signs and stores a version with higher fees, which the caller sends. @returns it, or the obstacle
 */
async function replace(
  { db, clock, log, chain }: ChainParts,
  row: SentRow,
  snapshot: Snapshot,
  signer: Signer | null,
  onShort: (row: SentRow, wei: bigint) => Promise<void>,
): Promise<{ id: string; raw: string } | { trouble: string | null }> {
  const { network } = chain
  const last = { maxFeePerGas: BigInt(row.max_fee), maxPriorityFeePerGas: BigInt(row.priority_fee) }
  const current = snapshot.fees as Fees
  const { latest } = noncesOf(snapshot, row)
  // A transaction behind another one is not stuck itself, unless its own fee is too low as well.
  if (row.nonce > latest && last.maxFeePerGas >= current.maxFeePerGas) return { trouble: null }
  const what = `${row.kind} ${row.id} on ${network.id}, nonce ${row.nonce} of ${row.sender}, is not mined`
  if (signer === null) return { trouble: `${what}, and the key to replace it is not here` }
  const [highest, setting] =
    row.kind === 'sweep'
      ? [network.maxSweepFeePerGas, 'max_sweep_fee_gwei']
      : [network.maxFeePerGas, 'max_fee_gwei']
  const fees = bumpFees(last, current, highest)
  if (fees === null)
    return { trouble: `${what} at ${row.max_fee} wei for gas, the most that ${setting} allows` }
  const units = BigInt(row.units)
  const gas = snapshot.limits.get(row.id) ?? row.gas
  const cost = gas * fees.maxFeePerGas + (row.contract_address === null ? units : 0n)
  const lack = cost - (snapshot.coins.get(row.sender) ?? 0n)
  if (lack > 0n) {
    await onShort(row, lack + cost / 2n)
    return {
      trouble: `${what}, and ${row.sender} lacks the ${network.native_symbol} for a higher fee`,
    }
  }
  const { raw } = await sign(chain, signer, row, { nonce: row.nonce, units, gas, ...fees })
  const hash = keccak256(raw)
  const now = clock.now()
  const stored = await transaction(db, async (tx) => {
    const replaced = await tx.row(recordReplacement, [network.id, row.id, row.hash, hash, now, gas])
    if (!replaced) return false
    const paid = {
      maxFee: fees.maxFeePerGas,
      priorityFee: fees.maxPriorityFeePerGas,
      block: snapshot.tip,
    }
    await tx.rows(
      addBroadcast,
      broadcastOf({ network: network.id, hash, id: row.id, raw, ...paid, now }),
    )
    return true
  })
  if (!stored) return { trouble: null }
  log.info(
    { network: network.id, id: row.id, hash, replaces: row.hash },
    'a stuck transaction is sent at a higher fee',
  )
  return { id: row.id, raw }
}

/**
 * Gives up a transaction whose nonce a foreign transaction used: it fails, and a payout's money is
 * returned. For an operator who identified that transaction. Do not give up when it is the same
 * payment, sent from a lost database.
 * @returns whether it was given up: only after the nonce was used at the network's depth, and if
 * none of its hashes is mined
 * @throws when too few endpoints answer to be certain
 */
export async function giveUp({ db, clock, log, chain }: ChainParts, id: string): Promise<boolean> {
  const { network } = chain
  const row = (await db.rows(selectSent, [network.id, ['payout', 'gas', 'sweep'], null])).find(
    (one) => one.id === id,
  )
  if (!row || row.passed_at === null) return false
  const [vote] = (await poll(chain, 1, async (endpoint) => {
    const [tip, latest, mined] = await Promise.all([
      endpoint.tip(),
      endpoint.nonce(row.sender, 'latest'),
      minedOf(endpoint, row.hashes),
    ])
    return [
      mined === null &&
        row.nonce < latest &&
        tip.number - (row.passed_at as bigint) >= network.confirmations,
    ]
  })) as [Vote]
  if (vote.no > 0) return false
  if (!vote.certain)
    throw new Error(`only ${vote.yes} of ${vote.of} endpoints of ${network.id} answer: too few`)
  const end = {
    network: network.id,
    id,
    status: 'failed',
    failure: 'lost',
    hash: null,
    block: null,
    from: 'sent',
  }
  const ended = await db.row(endTransaction, endOf({ ...end, now: clock.now() }))
  if (ended)
    log.warn(
      { network: network.id, id },
      'a transaction whose nonce was used by another is given up',
    )
  return ended !== null
}
