/**
 * Finds transactions that the treasuries sent after a restored backup. A transfer has no reference
 * of ours, but each has used a nonce.
 */
import type { Database } from '../../db/db.ts'
import { onChecked } from './asking.ts'
import type { Chain } from './chain.ts'
import { messageOf } from './rpc-errors.ts'
import * as sql from './sender-sql.ts'

/**
 * `sent`: the number of transactions on the chain or in its pool that our books lack; null if
 * unknown, because the node did not answer.
 */
export type LostTransactions = {
  network: string
  address: string
  /** The first nonce that our books have not used. */
  next_nonce: bigint
  sent: bigint | null
  trouble: string | null
}

/** Returns the state of each configured network's treasury by one node's answer now. */
export async function lostTransactions(
  chains: readonly Chain[],
  db: Database,
): Promise<LostTransactions[]> {
  const treasuries = await db.rows(sql.selectTreasuries)
  return Promise.all(
    treasuries.map(async ({ network, address, next_nonce }) => {
      const chain = chains.find((one) => one.network.id === network)
      const of = { network, address, next_nonce }
      if (!chain) return { ...of, sent: null, trouble: `${network} is not in EVM_FILE` }
      try {
        const used = await onChecked(chain, (endpoint) =>
          Promise.all([endpoint.nonce(address, 'latest'), endpoint.nonce(address, 'pending')]),
        )
        const beyond = BigInt(Math.max(...used)) - next_nonce
        return { ...of, sent: beyond > 0n ? beyond : 0n, trouble: null }
      } catch (error) {
        return { ...of, sent: null, trouble: messageOf(error) }
      }
    }),
  )
}
