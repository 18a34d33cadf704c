/** Reads everything that one round of following needs from one endpoint. */

import { larger } from '../../lib/money.ts'
import { ofEach } from './asking.ts'
import { callOf } from './broadcasts.ts'
import type { Endpoint, Fees, Receipt } from './endpoint.ts'
import { gasLimit } from './funds.ts'
import type { SentRow } from './sender-sql.ts'

type Nonces = { latest: bigint; pending: bigint }

export type Mined = Receipt & { hash: string }

export type Snapshot = {
  tip: bigint
  nonces: Map<string, Nonces>
  /** The receipts that were read; null: no hash of the transaction is mined. */
  receipts: Map<string, Mined | null>
  /** The hashes of deep enough blocks on the current chain. */
  canonical: Map<bigint, string | undefined>
  /** Transactions unmined for too long, although blocks could have included them. */
  stuck: SentRow[]
  fees: Fees | null
  /** The coins of their senders, in wei. */
  coins: Map<string, bigint>
  /** The gas limits that they would get today. */
  limits: Map<string, bigint>
}

/** The most receipts per round. */
const receiptsAtOnce = 50

/** The nonces of a row's sender: mined, and pending included. */
export const noncesOf = ({ nonces }: Pick<Snapshot, 'nonces'>, row: SentRow): Nonces =>
  nonces.get(row.sender) as Nonces

/**
 * @param confirmations the blocks on top that make one deep enough
 * @param stuckSince transactions signed before, in Unix milliseconds, should be mined by now
 */
export async function readSnapshot(
  endpoint: Endpoint,
  rows: SentRow[],
  confirmations: number,
  stuckSince: number,
): Promise<Snapshot> {
  const senders = [...new Set(rows.map((row) => row.sender))]
  const [tip, nonces] = await Promise.all([
    endpoint.tip(),
    mapOf(senders, async (sender) => {
      const [latest, pending] = await Promise.all([
        endpoint.nonce(sender, 'latest'),
        endpoint.nonce(sender, 'pending'),
      ])
      return { latest: BigInt(latest), pending: BigInt(pending) }
    }),
  ])
  const isUsed = (row: SentRow): boolean => row.nonce < noncesOf({ nonces }, row).latest
  const isDeep = (block: bigint): boolean => tip.number - block >= confirmations
  const wanted = rows.filter(
    (row) => isUsed(row) && (row.block_number === null || isDeep(row.block_number)),
  )
  const receipts = await receiptsOf(endpoint, wanted.slice(0, receiptsAtOnce))
  const deep = [...receipts.values()].flatMap((one) =>
    one && isDeep(one.blockNumber) ? [one.blockNumber] : [],
  )
  const canonical = await mapOf(
    [...new Set(deep)],
    async (number) => (await endpoint.block(number))?.hash,
  )
  const stuck = rows.filter(
    (row) => !isUsed(row) && row.signed_at.getTime() <= stuckSince && tip.number > row.signed_block,
  )
  return {
    tip: tip.number,
    nonces,
    receipts,
    canonical,
    stuck,
    fees: stuck.length > 0 ? await endpoint.fees() : null,
    coins: await mapOf([...new Set(stuck.map((row) => row.sender))], (sender) =>
      endpoint.nativeBalance(sender),
    ),
    limits: new Map(
      await Promise.all(stuck.map(async (row) => [row.id, await limitOf(endpoint, row)] as const)),
    ),
  }
}

const mapOf = async <K, V>(keys: K[], work: (key: K) => Promise<V>): Promise<Map<K, V>> =>
  new Map(await Promise.all(keys.map(async (key) => [key, await work(key)] as const)))

/**
 * The gas limit of the next version: never lower, and higher when the transfer needs more by now.
 */
async function limitOf(endpoint: Endpoint, row: SentRow): Promise<bigint> {
  const now = await endpoint
    .gas({ from: row.sender, ...callOf(row, BigInt(row.units)) })
    .then(gasLimit)
    .catch(() => row.gas)
  return larger(now, row.gas)
}

/** Skips a receipt that cannot be read until the next round. @throws when none can be read */
export async function receiptsOf(
  endpoint: Endpoint,
  rows: SentRow[],
): Promise<Snapshot['receipts']> {
  const { had } = await ofEach(
    rows,
    async (row) => [row.id, await minedOf(endpoint, row.hashes)] as const,
  )
  return new Map(had)
}

export async function minedOf(endpoint: Endpoint, hashes: string[]): Promise<Mined | null> {
  const receipts = await Promise.all(
    hashes.map(async (hash) => {
      const receipt = await endpoint.receipt(hash)
      return receipt && { ...receipt, hash }
    }),
  )
  return receipts.find((receipt) => receipt !== null) ?? null
}
