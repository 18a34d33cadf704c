/**
 * Broadcasts signed transactions. Each is stored and committed first, so that after a crash the
 * same bytes are sent again.
 */
import { encodeFunctionData, erc20Abi, type Hex, keccak256 } from 'viem'
import { transaction } from '../../db/db.ts'
import { isAnswer, onChecked } from './asking.ts'
import type { Chain } from './chain.ts'
import type { Fees } from './endpoint.ts'
import type { Signer, Unsigned } from './keys.ts'
import type { ChainParts } from './parts.ts'
import { messageOf } from './rpc-errors.ts'
import {
  addBroadcast,
  advanceNonce,
  broadcastOf,
  lockSender,
  nonceOf,
  type TransactionRow,
  takeNonce,
} from './sender-sql.ts'

/** A signed transaction, ready to be stored. */
export type Signed = { id: string; raw: Hex; unsigned: Unsigned; units: bigint }

/** The call data of an ERC-20 transfer. */
export const transferCall = (to: string, units: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to as Hex, units] })

/** The call of a queued transaction. */
export function callOf(row: Pick<TransactionRow, 'contract_address' | 'recipient'>, units: bigint) {
  return row.contract_address === null
    ? { to: row.recipient as Hex, data: '0x' as Hex, value: units }
    : { to: row.contract_address as Hex, data: transferCall(row.recipient, units), value: 0n }
}

/** Signs a queued transaction with a nonce and fees. */
export async function sign(
  { network }: Chain,
  signer: Signer,
  row: Pick<TransactionRow, 'id' | 'contract_address' | 'recipient'>,
  { nonce, units, ...gas }: Fees & { nonce: bigint; units: bigint; gas: bigint },
): Promise<Signed> {
  const unsigned = {
    chainId: network.chain_id,
    nonce: Number(nonce),
    ...callOf(row, units),
    ...gas,
  }
  return { id: row.id, raw: await signer.sign(unsigned), unsigned, units }
}

/**
 * Stores signed transactions and advances the nonce in one commit.
 * @param expected the sender's next nonce when they were signed
 * @param block the newest block at that time
 * @returns false, and stores nothing, when another process advanced the nonce or took a transaction
 */
export async function store(
  { db, clock, chain }: ChainParts,
  sender: string,
  expected: bigint,
  block: bigint,
  signed: Signed[],
): Promise<boolean> {
  const network = chain.network.id
  const now = clock.now()
  const overtaken = new Error('another process was first')
  const last = signed.at(-1)
  if (!last) return true
  return transaction(db, async (tx) => {
    const row = await tx.row(lockSender, [network, sender])
    if (row?.next_nonce !== expected) return false
    for (const { id, raw, unsigned, units } of signed) {
      const { nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = unsigned
      const hash = keccak256(raw)
      const taken = await tx.row(
        takeNonce,
        nonceOf({ network, id, sender, nonce, gas, units, hash, now }),
      )
      if (!taken) throw overtaken
      const fees = { maxFee: maxFeePerGas, priorityFee: maxPriorityFeePerGas }
      await tx.rows(addBroadcast, broadcastOf({ network, hash, id, raw, ...fees, block, now }))
    }
    await tx.rows(advanceNonce, [network, sender, BigInt(last.unsigned.nonce) + 1n])
    return true
  }).catch((error) => {
    if (error === overtaken) return false
    throw error
  })
}

/**
 * Broadcasts stored transactions. A node that already has one reports no error.
 * @returns the node's objections
 * @throws transport errors, when no endpoint can be reached
 */
export async function broadcast(
  chain: Chain,
  transactions: { id: string; raw: string }[],
): Promise<string[]> {
  if (transactions.length === 0) return []
  return onChecked(chain, async (endpoint) => {
    const answers = await Promise.all(
      transactions.map(async ({ id, raw }) => {
        try {
          await endpoint.send(raw as Hex)
          return null
        } catch (error) {
          if (!isAnswer(error)) throw error
          // The receipt decides about a used nonce.
          if (
            /already (known|imported|exists)|known transaction|nonce (is )?too low/i.test(
              messageOf(error),
            )
          )
            return null
          return `the node does not take transaction ${id}: ${messageOf(error)}`
        }
      }),
    )
    return answers.filter((answer) => answer !== null)
  })
}
