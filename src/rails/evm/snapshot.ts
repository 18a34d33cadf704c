/**
 * How the chain stands for transactions that are signed: everything that one round of following
 * them needs, from one endpoint.
 */

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
  /** Of the transactions that were looked for; null: none of its hashes is mined. */
  receipts: Map<string, Mined | null>
  /** The hashes of blocks that are deep enough, on the chain as it is. */
  canonical: Map<bigint, string | undefined>
  /**
   * Transactions that wait longer than they should, though blocks were made that could have taken
   * them.
   */
  stuck: SentRow[]
  fees: Fees | null
  /** What the senders of those that are stuck hold, in wei. */
  coins: Map<string, bigint>
  /** The gas that those that are stuck would be given today. */
  limits: Map<string, bigint>
}

/** How many receipts one round asks for at most. */
const receiptsAtOnce = 50

/** How many transactions of a row's sender are mined, or are mined and waiting. */
export const noncesOf = ({ nonces }: Pick<Snapshot, 'nonces'>, row: SentRow): Nonces =>
  nonces.get(row.sender) as Nonces

/**
 * @param confirmations how many blocks on top make one deep enough
 * @param stuckSince what was signed before, in Unix milliseconds, should be mined by now
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
 * The gas limit of the next version: never less than before, and more when the transfer takes more
 * by now.
 */
async function limitOf(endpoint: Endpoint, row: SentRow): Promise<bigint> {
  const now = await endpoint
    .gas({ from: row.sender, ...callOf(row, BigInt(row.units)) })
    .then(gasLimit)
    .catch(() => row.gas)
  return larger(now, row.gas)
}

/** One that cannot be had is looked for the next time. @throws when none can be had */
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
