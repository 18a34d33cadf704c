/** What a treasury holds against what it has promised, what gas may cost it, and how it is said. */
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

/** How old a balance may be before it says nothing. */
const staleMs = 120_000

/** Cents in a token's own units. */
export const unitsOf = (cents: bigint, token: Token): bigint =>
  cents * 10n ** BigInt(token.decimals - decimals)

/** What a treasury lacks of a token, as a sentence. Amounts in the token's own units. */
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

/** What a treasury lacks of the network's coin, as a sentence. Amounts in wei. */
export function shortOfGas(network: Network, treasury: string, has: bigint, needs: bigint): string {
  const show = (wei: bigint): string =>
    `${formatDecimal({ units: wei, scale: 18 })} ${network.native_symbol}`
  return `the treasury ${treasury} holds ${show(has)} on ${network.id}; ${show(needs)} needed for gas`
}

/**
 * That gas costs more than is paid for it, as a sentence. @param least what a unit of it costs at
 * least, in wei
 */
export function feeTooHigh({ id, maxFeePerGas }: EvmNetwork, least: bigint): string {
  const show = (wei: bigint): string => formatDecimal({ units: wei, scale: 9 })
  return `gas on ${id} costs ${show(least)} gwei; max_fee_gwei allows ${show(maxFeePerGas)}`
}

/** With two decimals at least, and no more than there are. */
function showUnits(units: bigint, scale: number): string {
  const [whole, fraction = ''] = formatDecimal({ units, scale }).split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

/** Amounts by contract in its own units; null: of the network's coin, in wei. */
export type Funds = Map<string | null, bigint>

/**
 * Which of a queue can be paid. Who came first is paid first: a small one does not pass a large one
 * of the same token. What is short holds up nothing but itself.
 * @param queued oldest first
 * @param left what is held and not promised
 * @param capacity how many at most
 * @returns those that can be paid, and of what is short how much more than is left is needed
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

/**
 * Why no payout of a network can be signed whatever it pays, or null: by what gas cost when it was
 * last read.
 */
const feeObstacle = (network: EvmNetwork, { least_fee }: SenderRow): string | null =>
  least_fee !== null && BigInt(least_fee) > network.maxFeePerGas
    ? feeTooHigh(network, BigInt(least_fee))
    : null

/** Whether gas is known to cost more than is paid for it. */
export async function isFeeTooHigh(
  db: Queryable,
  network: EvmNetwork,
  now: Date,
): Promise<boolean> {
  const treasury = await db.row(selectTreasury, [network.id])
  return treasury !== null && !isStale(treasury, now) && feeObstacle(network, treasury) !== null
}

/**
 * Why the treasury cannot pay now, or null when it can: from its last balances, less what is
 * promised already.
 * @param order what is to be paid, in the token's own units
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

/** The base fee of the moment: `fees` gives twice that, and the priority fee. */
const baseFeeOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint =>
  (maxFeePerGas - maxPriorityFeePerGas) / 2n

/** The least that a unit of gas costs now, in wei. */
export const leastFee = (current: Fees): bigint => baseFeeOf(current) + current.maxPriorityFeePerGas

/**
 * The fees of a new transaction: those of the moment, or the highest that we pay when it is mined
 * at that too.
 * @returns null when it is not
 */
export function feesWithin(highest: bigint, current: Fees): Fees | null {
  if (leastFee(current) > highest) return null
  return { ...current, maxFeePerGas: smaller(current.maxFeePerGas, highest) }
}

/**
 * The fees that an address can sign with: less than those that gas was ordered for, when the base
 * fee has risen since.
 * @param coins what it can spend on gas, in wei
 * @returns null when the base fee could not rise by a quarter any more
 */
export function feesFrom(coins: bigint, gas: bigint, wished: Fees, current: Fees): Fees | null {
  const { maxPriorityFeePerGas } = current
  const least = smaller(wished.maxFeePerGas, (baseFeeOf(current) * 5n) / 4n + maxPriorityFeePerGas)
  const maxFeePerGas = smaller(wished.maxFeePerGas, coins / gas)
  return maxFeePerGas < least ? null : { maxFeePerGas, maxPriorityFeePerGas }
}

/**
 * Most gas that a transfer may take: far above what any of a supported token does, also where the
 * estimate pays for the chain below.
 */
const mostGas = 2_000_000n

/** A node's estimate is more than a transfer can take. */
export class TooMuchGas extends Error {}

/**
 * Gas to allow for an estimate: a slot that is empty when it is mined, and was not when it was
 * estimated, costs 17,100 more.
 * @throws {TooMuchGas}
 */
export function gasLimit(estimate: bigint): bigint {
  if (estimate > mostGas)
    throw new TooMuchGas(`it would take ${estimate} gas, and ${mostGas} is the most that we allow`)
  return (estimate * 6n) / 5n + 20_000n
}

/** A node replaces a transaction when both fees rise by a tenth (the default of go-ethereum). */
const leastRaise = (fee: bigint): bigint => (fee * 11n + 9n) / 10n
/** What we raise by: an eighth, and at least one wei. */
const raise = (fee: bigint): bigint => (fee * 9n) / 8n + 1n

/** The fees of the next version, or null when the highest that we pay is not enough of a raise. */
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
