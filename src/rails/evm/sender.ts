/**
 * Payouts on one EVM network. The rail only stores orders; the periodic task signs each once with
 * the treasury's key and follows it. They share only the database, so API processes need no key.
 */
import type { Database } from '../../db/db.ts'
import type { CryptoCurrency } from '../../lib/money.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { OrderState, PayoutOrder, PayoutRail } from '../ports/rail.ts'
import { heldObstruction, outgoingOf } from '../records/outgoing.ts'
import { isChecksumAddress } from '../reference/eip55.ts'
import { isSqlFailure, onChecked } from './asking.ts'
import { broadcast, type Signed, sign, store } from './broadcasts.ts'
import { follow } from './following.ts'
import { isFeeTooHigh, obstacleOf, shortOfGas, unitsOf } from './funds.ts'
import type { Signer } from './keys.ts'
import type { ChainParts } from './parts.ts'
import { atOnce, makePlan, type Plan, type TreasuryBalance } from './planning.ts'
import { messageOf } from './rpc-errors.ts'
import type { SenderRow } from './sender-sql.ts'
import * as sql from './sender-sql.ts'
import { recordObstacle } from './states.ts'

/** The queue length read per token, above `atOnce` because some may not be estimable. */
const lookedAt = 2 * atOnce
/** The most signed transactions followed per round. */
const followedAtOnce = 500
/** How long balances are valid while there is nothing to do. */
const idleMs = 15_000
/** A transfer's gas before any estimate: more than supported tokens use. */
const usualGas = 100_000n
/** The longest wait between two queries of a pending payout. */
const longestWaitMs = 60_000
/**
 * The approximate block time. Ethereum and its test network: https://ethereum.org; Arbitrum a
 * quarter of a second; most others two seconds.
 */
const blockMs: Record<number, number> = { 1: 12_000, 11155111: 12_000, 42161: 250 }

type PayoutParts = Omit<ChainParts, 'log'>
type Network = ChainParts['chain']['network']

/**
 * The payout rail of one network's treasury. It needs no key: it stores orders and reads their
 * state.
 */
export function evmPayoutRail(parts: PayoutParts): PayoutRail {
  const { db, clock, chain } = parts
  const { network } = chain

  const rowOf = (order: PayoutOrder): unknown[] => {
    const { id, attempt } = order
    const row = {
      network: network.id,
      id,
      kind: 'payout',
      sender: null,
      key_index: null,
      attempt,
      now: clock.now(),
    }
    return sql.transactionOf({ ...row, ...transferOf(network, order) })
  }

  return {
    name: 'evm',
    holdMs: 0,
    // It reads its own table, where an order is written before anything is sent.
    orderLifeMs: 0,
    arrivalMs: (network.confirmations + 1) * (blockMs[network.chain_id] ?? 2_000),

    async send(order) {
      const added = await db.row(sql.addTransaction, rowOf(order))
      if (!added) await db.rows(sql.takeAgain, [network.id, order.id, order.attempt, clock.now()])
      return stateOf(parts, order)
    },
    async ask(order) {
      const said = await stateOf(parts, order)
      if (said.state !== 'processing' || said.txHash) return said
      // Its own units are among what the treasury has promised.
      const { contract } = transferOf(network, order)
      const found = await obstacleOf(db, network, clock.now(), { contract, units: 0n })
      return found === null ? said : { ...said, waits: found.obstacle }
    },
    async obstacle(order) {
      const { contract, units } = transferOf(network, order)
      const now = clock.now()
      const found = await obstacleOf(db, network, now, { contract, units })
      if (found !== null) await db.rows(recordObstacle, [network.id, contract, units, now])
      return found
    },
    // The statement says whether it was signed first.
    withdraw: async (order) => (await db.row(sql.recallTransaction, rowOf(order))) !== null,
    async recall(order) {
      const said = await stateOf(parts, order)
      if (said.state === 'recalled') return true
      const unsigned = said.state === 'not_found' || (said.state === 'processing' && !said.txHash)
      if (!unsigned || !(await isFeeTooHigh(db, network, clock.now()))) return false
      // What was signed meanwhile, or submitted again, goes on: the statement says which of the two
      // was first.
      return (await db.row(sql.recallTransaction, rowOf(order))) !== null
    },
  }
}

/** @throws {Error} for an order that is not for an account and a token of the network */
function transferOf(network: Network, order: PayoutOrder) {
  const { destination } = order
  if (
    destination.type !== 'crypto' ||
    destination.chain !== network.id ||
    !isChecksumAddress(destination.address)
  )
    throw new Error(`order ${order.id} is not for an account of ${network.id}`)
  const token = network.tokens[destination.currency]
  if (
    token?.contract_address !== destination.contract_address ||
    destination.currency !== order.currency
  )
    throw new Error(
      `order ${order.id}: ${destination.contract_address} is not the ${order.currency} of ${network.id}`,
    )
  return {
    recipient: destination.address,
    contract: token.contract_address,
    units: unitsOf(order.amount, token),
  }
}

async function stateOf(
  { db, clock, chain: { network } }: PayoutParts,
  order: PayoutOrder,
): Promise<OrderState> {
  const row = await db.row(sql.selectTransaction, [network.id, order.id])
  if (!row) return { state: 'not_found' }
  const { recipient, contract, units } = transferOf(network, order)
  const same =
    row.kind === 'payout' &&
    row.recipient === recipient &&
    row.contract_address === contract &&
    BigInt(row.units) === units
  if (!same) throw new Error(`order ${order.id} was taken on ${network.id} as another one`)
  switch (row.status) {
    case 'recalled':
      return row.attempt < order.attempt
        ? { state: 'not_found' }
        : { state: 'recalled', attempt: order.attempt }
    case 'completed':
      return { state: 'completed', providerReference: row.hash as string, txHash: row.hash }
    case 'failed':
      return {
        state: 'failed',
        // The token refused it outright, or, when it was mined, for a reason that the chain does
        // not keep.
        reason: row.hash === null ? 'rejected' : 'network_error',
        providerReference: row.hash,
        txHash: row.hash,
      }
    default: {
      const waited = clock.now().getTime() - row.created_at.getTime()
      const askAgainInMs = Math.min(longestWaitMs, Math.max(network.pollMs, Math.floor(waited / 4)))
      return { state: 'processing', providerReference: row.hash, txHash: row.hash, askAgainInMs }
    }
  }
}

type SendParts = ChainParts & { signer: Signer }

/**
 * The periodic task that pays what is queued on one network: payouts, and gas for sweeps. Any
 * number of processes may run it at once.
 */
export function sendTask(parts: SendParts) {
  const { db, clock, log, chain, signer } = parts
  const { network } = chain
  const { address } = signer
  return {
    name: `send on ${network.id}`,
    everyMs: network.pollMs,
    async run() {
      const known = await db.row(sql.selectSender, [network.id, address])
      if (!known) await db.rows(sql.addSender, [network.id, address, 'treasury', clock.now()])
      const before = known ?? ((await db.row(sql.selectSender, [network.id, address])) as SenderRow)
      let result: Round
      try {
        const troubles = await follow(parts, await sentOf(parts), (row) =>
          row.sender === address ? signer : null,
        )
        const outgoing = await outgoingOf(db)
        result =
          outgoing.heldAt === null
            ? await pay(parts, before, troubles)
            : { troubles: [...troubles, heldObstruction(outgoing).sentence], balance: null }
      } catch (error) {
        if (isSqlFailure(error)) throw error
        result = {
          troubles: [`${network.id} cannot be worked with: ${messageOf(error)}`],
          balance: null,
        }
      }
      const { balance } = result
      const trouble = result.troubles.length === 0 ? null : result.troubles.join('; ')
      if (trouble !== before.trouble) {
        if (trouble === null) log.info({ network: network.id }, 'payouts are sent again')
        else log.error({ network: network.id, trouble }, 'payouts are held up')
      }
      if (balance === null && trouble === before.trouble) return
      await db.rows(sql.recordSender, [
        network.id,
        address,
        balance?.native ?? null,
        balance &&
          JSON.stringify(balance.tokens, (_key, value) =>
            typeof value === 'bigint' ? value.toString() : value,
          ),
        balance && usualGas * balance.fees.maxFeePerGas,
        balance?.leastFee ?? null,
        trouble,
        clock.now(),
      ])
    },
  } satisfies PeriodicTask
}

const sentOf = ({ db, chain }: ChainParts) =>
  db.rows(sql.selectSent, [chain.network.id, ['payout', 'gas'], followedAtOnce])

/** What came of a round; no balance where none was read. */
type Round = { troubles: string[]; balance: TreasuryBalance | null }

/** Signs what the treasury can pay, oldest first, and sends it. */
async function pay(parts: SendParts, sender: SenderRow, troubles: string[]): Promise<Round> {
  const { db, clock, log, chain, signer } = parts
  const { network } = chain
  const { address } = signer
  // Before anything is read of the chain: another process that signs afterwards moves the nonce,
  // and nothing is stored here.
  const { next_nonce: expected } = (await db.row(sql.selectSender, [
    network.id,
    address,
  ])) as SenderRow
  const queued = await db.rows(sql.selectQueued, [network.id, lookedAt])
  const sent = (await sentOf(parts)).filter((row) => row.sender === address)
  const fresh =
    sender.native_balance !== null && clock.now().getTime() - sender.updated_at.getTime() < idleMs
  if (
    queued.length === 0 &&
    sent.length === 0 &&
    fresh &&
    troubles.length === 0 &&
    sender.trouble === null
  )
    return { troubles, balance: null }

  const plan = await onChecked(chain, (endpoint) =>
    makePlan(chain, endpoint, { address, expected, queued, sent }),
  )
  const { balance, block, first } = plan
  const { signed, troubles: short } = await signAffordable(parts, plan)
  const stored = await store(parts, address, expected, block, signed)
  if (stored && signed.length > 0 && expected > 0n && first > expected)
    log.error(
      { network: network.id, sender: address, nonce: expected },
      `another program has sent from the treasury: its next nonce was ${first}, not ${expected}`,
    )
  const refusals = stored ? await broadcast(chain, signed) : []
  return { troubles: [...troubles, ...plan.troubles, ...short, ...refusals], balance }
}

/** Signs the transactions of a plan, in order, while the treasury can pay for them. */
async function signAffordable(
  parts: SendParts,
  { balance, first, spendable, ready }: Plan,
): Promise<{ signed: Signed[]; troubles: string[] }> {
  const { chain, signer } = parts
  const signed: Signed[] = []
  let left = spendable
  for (const estimated of ready) {
    const { row } = estimated
    if ('refused' in estimated) {
      await endRefused(parts, row, estimated.refused)
      continue
    }
    const units = BigInt(row.units)
    const cost =
      estimated.gas * balance.fees.maxFeePerGas + (row.contract_address === null ? units : 0n)
    if (left < cost) {
      const needed = balance.native - left + cost
      return {
        signed,
        troubles: [shortOfGas(chain.network, signer.address, balance.native, needed)],
      }
    }
    left -= cost
    const nonce = first + BigInt(signed.length)
    signed.push(
      await sign(chain, signer, row, { nonce, units, gas: estimated.gas, ...balance.fees }),
    )
  }
  return { signed, troubles: [] }
}

/** Ends a transaction that cannot succeed, which is not sent. */
async function endRefused(
  { db, clock, log, chain: { network } }: SendParts,
  { id }: { id: string },
  reason: string,
): Promise<void> {
  const end = { status: 'failed', failure: reason, hash: null, block: null, now: clock.now() }
  await db.rows(sql.endTransaction, sql.endOf({ network: network.id, id, ...end, from: 'queued' }))
  log.warn({ network: network.id, id, reason }, 'a transaction cannot succeed; not sent')
}

/**
 * How a treasury stands. Balances are what was last read of the chain; null before anything was.
 */
export type SenderState = {
  network: string
  address: string
  /** In wei. */
  nativeBalance: bigint | null
  /** In the tokens' own units. */
  tokenBalances: Partial<Record<CryptoCurrency, bigint>>
  /** Orders that are not signed yet. */
  queued: number
  /** Transactions that are signed and not final. */
  sent: number
  /** When the oldest order that is not signed was taken. */
  oldestQueuedAt: Date | null
  /** What holds payouts up, for people; null when nothing does. */
  trouble: string | null
  /** When the balances were read; a former key's treasury keeps its last ones. */
  updatedAt: Date
}

/** How each treasury stands, for health and metrics. Asks the database only. */
export async function senderStates(db: Database): Promise<SenderState[]> {
  return (await db.rows(sql.selectTreasuries)).map((row) => ({
    network: row.network,
    address: row.address,
    nativeBalance: row.native_balance === null ? null : BigInt(row.native_balance),
    tokenBalances: Object.fromEntries(
      Object.entries(row.token_balances).map(([currency, units]) => [currency, BigInt(units)]),
    ),
    queued: Number(row.queued),
    sent: Number(row.sent),
    oldestQueuedAt: row.oldest_at,
    trouble: row.trouble,
    updatedAt: row.updated_at,
  }))
}
