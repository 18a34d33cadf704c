/** Versions of higher fees, for transactions that are stuck. */
import { transaction } from '../../db/db.ts'
import { callOf, hashOf } from './broadcasts.ts'
import type { Fees } from './endpoint.ts'
import { bumpFees } from './funds.ts'
import type { Signer } from './keys.ts'
import type { ChainParts } from './parts.ts'
import { addBroadcast, recordReplacement, type SentRow } from './sender-sql.ts'
import { noncesOf, type Snapshot } from './snapshot.ts'

/** Signs and stores a version of higher fees, which the caller sends. @returns it, or what is in its way */
export async function replace(
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
  // What waits behind another is not stuck itself, unless its fee has become too low too.
  if (row.nonce > latest && last.maxFeePerGas >= current.maxFeePerGas) return { trouble: null }
  const what = `${row.kind} ${row.id} on ${network.id}, nonce ${row.nonce} of ${row.sender}, is not mined`
  if (signer === null) return { trouble: `${what}, and the key to replace it is not here` }
  const [highest, setting] =
    row.kind === 'sweep' ? [network.maxSweepFeePerGas, 'max_sweep_fee_gwei'] : [network.maxFeePerGas, 'max_fee_gwei']
  const fees = bumpFees(last, current, highest)
  if (fees === null) return { trouble: `${what} at ${row.max_fee} wei for gas, the most that ${setting} allows` }
  const units = BigInt(row.units)
  const gas = snapshot.limits.get(row.id) ?? row.gas
  const cost = gas * fees.maxFeePerGas + (row.contract_address === null ? units : 0n)
  const lack = cost - (snapshot.coins.get(row.sender) ?? 0n)
  if (lack > 0n) {
    await onShort(row, lack + cost / 2n)
    return { trouble: `${what}, and ${row.sender} lacks the ${network.native_symbol} for a higher fee` }
  }
  const raw = await signer.sign({
    chainId: network.chain_id,
    nonce: Number(row.nonce),
    ...callOf(row, units),
    gas,
    ...fees,
  })
  const hash = hashOf(raw)
  const now = clock.now()
  const stored = await transaction(db, async (tx) => {
    const replaced = await tx.row(recordReplacement, [network.id, row.id, row.hash, hash, now, gas])
    if (!replaced) return false
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    await tx.rows(addBroadcast, [network.id, hash, row.id, raw, maxFeePerGas, maxPriorityFeePerGas, snapshot.tip, now])
    return true
  })
  if (!stored) return { trouble: null }
  log.info({ network: network.id, id: row.id, hash, replaces: row.hash }, 'a stuck transaction is sent at a higher fee')
  return { id: row.id, raw }
}
