/** A treasury's free funds and gas costs, and the sentences about what it lacks. */
import type { Queryable } from '../../db/db.ts'
import { decimals, formatDecimal, larger, smaller } from '../../lib/money.ts'
import type { Obstruction } from '../ports/rail.ts'
import type { Network, Token } from '../reference/networks.ts'
import type { Fees } from './endpoint.ts'
import {
  type SenderRow,
  selectPromised,
  selectTreasury,
  type TransactionRow,
} from './sender-sql.ts'
import { type EvmNetwork, tokensOf } from './settings.ts'

/** Balances older than this are ignored. */
const staleMs = 120_000

/** Converts cents to a token's own units. */
export const unitsOf = (cents: bigint, token: Token): bigint =>
  cents * 10n ** BigInt(token.decimals - decimals)

/** A sentence about missing tokens. Amounts in the token's own units. */
export function shortOfToken(
  network: Network,
  treasury: string,
  contract: string,
  has: bigint,
  needs: bigint,
): string {
  const token = tokensOf(network).find((one) => one.contract_address === contract)
  if (!token) return `${contract} is not a token of ${network.id} any more`
  const show = (units: bigint): string => showUnits(units, token.decimals)
  return `the treasury ${treasury} holds ${show(has)} ${token.currency.toUpperCase()} on ${network.id}; ${show(needs)} needed`
}

/** A sentence about missing gas coins. Amounts in wei. */
export function shortOfGas(network: Network, treasury: string, has: bigint, needs: bigint): string {
  const show = (wei: bigint): string =>
    `${formatDecimal({ units: wei, scale: 18 })} ${network.native_symbol}`
  return `the treasury ${treasury} holds ${show(has)} on ${network.id}; ${show(needs)} needed for gas`
}

/** A sentence about gas above the limit. @param least the lowest price of a unit of gas, in wei */
export function feeTooHigh({ id, maxFeePerGas }: EvmNetwork, least: bigint): string {
  const show = (wei: bigint): string => formatDecimal({ units: wei, scale: 9 })
  return `gas on ${id} costs ${show(least)} gwei; max_fee_gwei allows ${show(maxFeePerGas)}`
}

/** With two decimals or more, without trailing zeros. */
function showUnits(units: bigint, scale: number): string {
  const [whole, fraction = ''] = formatDecimal({ units, scale }).split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

/** Amounts by contract in its own units; null: the network's coin, in wei. */
export type Funds = Map<string | null, bigint>

/**
 * Chooses which queued transactions can be paid. Of one token, the oldest is paid first: a small
 * one does not pass a large one. A short token delays only its own queue.
 * @param queued oldest first
 * @param left the free amounts
 * @param capacity the most to choose
 * @returns the payable ones, and the missing amount of each short token
 */
export function affordable(
  queued: TransactionRow[],
  left: Funds,
  capacity: number,
): { payable: TransactionRow[]; short: Funds } {
  const funds = new Map(left)
  const payable: TransactionRow[] = []
  const short: Funds = new Map()
  for (const row of queued) {
    if (payable.length >= capacity) break
    const contract = row.contract_address
    if (short.has(contract)) continue
    const remainder = (funds.get(contract) ?? 0n) - BigInt(row.units)
    if (remainder < 0n) {
      short.set(contract, -remainder)
      continue
    }
    funds.set(contract, remainder)
    payable.push(row)
  }
  return { payable, short }
}

/** Whether the treasury's balances and fees were read too long ago. */
const isStale = (treasury: SenderRow, now: Date): boolean =>
  now.getTime() - treasury.updated_at.getTime() > staleMs

/** Why no payout of a network can be signed now, or null: the last-read gas price is too high. */
const feeObstacle = (network: EvmNetwork, { least_fee }: SenderRow): string | null =>
  least_fee !== null && BigInt(least_fee) > network.maxFeePerGas
    ? feeTooHigh(network, BigInt(least_fee))
    : null

/** Whether the last-read gas price is above the limit. */
export async function isFeeTooHigh(
  db: Queryable,
  network: EvmNetwork,
  now: Date,
): Promise<boolean> {
  const treasury = await db.row(selectTreasury, [network.id])
  return treasury !== null && !isStale(treasury, now) && feeObstacle(network, treasury) !== null
}

/**
 * Why the treasury cannot pay now, or null: from its last balances minus promised amounts.
 * @param order the amount to pay, in the token's own units
 */
export async function obstacleOf(
  db: Queryable,
  network: EvmNetwork,
  now: Date,
  order: { contract: string; units: bigint },
): Promise<Obstruction | null> {
  const down = (sentence: string): Obstruction => ({ obstacle: 'provider_down', sentence })
  const short = (sentence: string): Obstruction => ({ obstacle: 'balance_too_low', sentence })
  const treasury = await db.row(selectTreasury, [network.id])
  if (!treasury) return down(`no worker that holds the payout key of ${network.id} has run yet`)
  if (treasury.native_balance === null || treasury.transfer_cost === null)
    return down(treasury.trouble ?? `the treasury of ${network.id} has not been read yet`)
  if (isStale(treasury, now)) {
    const at = treasury.updated_at.toISOString()
    return down(
      `${network.id} was last read at ${at}${treasury.trouble ? `: ${treasury.trouble}` : ''}`,
    )
  }
  const fee = feeObstacle(network, treasury)
  if (fee !== null) return down(fee)

  const token = tokensOf(network).find((one) => one.contract_address === order.contract)
  const has = BigInt((token && treasury.token_balances[token.currency]) ?? 0)
  const cost = BigInt(treasury.transfer_cost)
  let needs = order.units
  let gas = cost
  for (const promised of await db.rows(selectPromised, [network.id, treasury.address])) {
    if (promised.contract_address === order.contract) needs += BigInt(promised.units)
    if (promised.contract_address === null) gas += BigInt(promised.units)
    gas += BigInt(promised.gas) + promised.unsigned * cost
  }
  if (has < needs) return short(shortOfToken(network, treasury.address, order.contract, has, needs))
  const coins = BigInt(treasury.native_balance)
  return coins < gas ? short(shortOfGas(network, treasury.address, coins, gas)) : null
}

/** The current base fee: `fees` returns twice the base fee plus the priority fee. */
const baseFeeOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint =>
  (maxFeePerGas - maxPriorityFeePerGas) / 2n

/** The lowest current price of a unit of gas, in wei. */
export const leastFee = (current: Fees): bigint => baseFeeOf(current) + current.maxPriorityFeePerGas

/**
 * The fees of a new transaction: the current ones, or our limit if that is still mined.
 * @returns null when it is not
 */
export function feesWithin(highest: bigint, current: Fees): Fees | null {
  if (leastFee(current) > highest) return null
  return { ...current, maxFeePerGas: smaller(current.maxFeePerGas, highest) }
}

/**
 * The fees that an address can afford: lower than those gas was ordered for, if the base fee has
 * risen since.
 * @param coins spendable on gas, in wei
 * @returns null when there is no room for a base fee a quarter higher
 */
export function feesFrom(coins: bigint, gas: bigint, wished: Fees, current: Fees): Fees | null {
  const { maxPriorityFeePerGas } = current
  const least = smaller(wished.maxFeePerGas, (baseFeeOf(current) * 5n) / 4n + maxPriorityFeePerGas)
  const maxFeePerGas = smaller(wished.maxFeePerGas, coins / gas)
  return maxFeePerGas < least ? null : { maxFeePerGas, maxPriorityFeePerGas }
}

/**
 * The most gas for a transfer: far above the need of any supported token, including estimates that
 * cover L1 data.
 */
const mostGas = 2_000_000n

/** A node's estimate is above the most that a transfer can use. */
export class TooMuchGas extends Error {}

/**
 * The gas limit for an estimate. A storage slot that is empty when the transaction is mined, but
 * was not when estimated, costs 17,100 more.
 * @throws {TooMuchGas}
 */
export function gasLimit(estimate: bigint): bigint {
  if (estimate > mostGas)
    throw new TooMuchGas(`it would take ${estimate} gas, and ${mostGas} is the most that we allow`)
  return (estimate * 6n) / 5n + 20_000n
}

/** A node accepts a replacement when both fees rise by a tenth (the default of go-ethereum). */
const leastRaise = (fee: bigint): bigint => (fee * 11n + 9n) / 10n
/** Our raise: an eighth, and at least one wei. */
const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

/** The fees of the next version, or null when our limit is below the needed raise. */
export function bumpFees(last: Fees, current: Fees, highest: bigint): Fees | null {
  const maxFeePerGas = smaller(highest, larger(current.maxFeePerGas, raise(last.maxFeePerGas)))
  const maxPriorityFeePerGas = smaller(
    maxFeePerGas,
    larger(current.maxPriorityFeePerGas, raise(last.maxPriorityFeePerGas)),
  )
  return maxFeePerGas < leastRaise(last.maxFeePerGas) ||
    maxPriorityFeePerGas < leastRaise(last.maxPriorityFeePerGas)
    ? null
    : { maxFeePerGas, maxPriorityFeePerGas }
}
