/** What a treasury holds against what it has promised, what gas may cost it, and how it is said. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { cryptoCurrencies, decimals, formatDecimal } from '../../lib/money.ts'
import type { Network, Token } from '../networks.ts'
import type { Chain, Fees } from './chain.ts'
import { selectPromised, selectTreasury, type TransactionRow } from './sender-sql.ts'

/** How old a balance may be before it says nothing. */
const staleMs = 120_000

/** Cents in a token's own units. */
export const unitsOf = (cents: bigint, token: Token): bigint => cents * 10n ** BigInt(token.decimals - decimals)

/** What a treasury lacks of a token, as a sentence. Amounts in the token's own units. */
export function shortOfToken(network: Network, treasury: string, contract: string, has: bigint, needs: bigint): string {
  const currency = cryptoCurrencies.find((one) => network.tokens[one]?.contract_address === contract)
  const token = currency && network.tokens[currency]
  if (!token) return `${contract} is not a token of ${network.id} any more`
  const show = (units: bigint): string => showUnits(units, token.decimals)
  return `the treasury ${treasury} holds ${show(has)} ${currency.toUpperCase()} on ${network.id}; ${show(needs)} needed`
}

/** What a treasury lacks of the network's coin, as a sentence. Amounts in wei. */
export function shortOfGas(network: Network, treasury: string, has: bigint, needs: bigint): string {
  const show = (wei: bigint): string => `${formatDecimal({ units: wei, scale: 18 })} ${network.native_symbol}`
  return `the treasury ${treasury} holds ${show(has)} on ${network.id}; ${show(needs)} needed for gas`
}

/** With two decimals at least, and no more than there are. */
function showUnits(units: bigint, scale: number): string {
  const [whole, fraction = ''] = formatDecimal({ units, scale }).split('.')
  return `${whole}.${fraction.padEnd(decimals, '0')}`
}

/** Amounts by contract in its own units; null: of the network's coin, in wei. */
export type Purse = Map<string | null, bigint>

/**
 * Which of a queue can be paid. Who came first is paid first: a small one does not pass a large one of the same token. What is short
 * holds up nothing but itself.
 * @param queued oldest first
 * @param left what is held and not promised
 * @param room how many at most
 * @returns those that can be paid, and of what is short how much more than is left is needed
 */
export function affordable(
  queued: TransactionRow[],
  left: Purse,
  room: number,
): { payable: TransactionRow[]; short: Purse } {
  const purse = new Map(left)
  const payable: TransactionRow[] = []
  const short: Purse = new Map()
  for (const row of queued) {
    if (payable.length >= room) break
    const contract = row.contract_address
    if (short.has(contract)) continue
    const rest = (purse.get(contract) ?? 0n) - BigInt(row.units)
    if (rest < 0n) {
      short.set(contract, -rest)
      continue
    }
    purse.set(contract, rest)
    payable.push(row)
  }
  return { payable, short }
}

/**
 * Why the treasury cannot pay now, or null when it can: from its last balances, less what is promised already.
 * @param order what is to be paid, in the token's own units
 */
export async function obstacleOf(
  { db, clock, chain }: { db: Database; clock: Clock; chain: Chain },
  order: { contract: string; units: bigint },
): Promise<string | null> {
  const { network } = chain
  const treasury = await db.row(selectTreasury, [network.id])
  if (!treasury) return `no worker that holds the payout key of ${network.id} has run yet`
  if (treasury.native_balance === null || treasury.transfer_cost === null)
    return treasury.trouble ?? `the treasury of ${network.id} has not been read yet`
  if (clock.now().getTime() - treasury.updated_at.getTime() > staleMs)
    return `${network.id} was last read at ${treasury.updated_at.toISOString()}${treasury.trouble ? `: ${treasury.trouble}` : ''}`

  const currency = cryptoCurrencies.find((one) => network.tokens[one]?.contract_address === order.contract)
  const has = BigInt((currency && treasury.token_balances[currency]) ?? 0)
  const cost = BigInt(treasury.transfer_cost)
  let needs = order.units
  let gas = cost
  for (const promised of await db.rows(selectPromised, [network.id, treasury.address])) {
    if (promised.contract_address === order.contract) needs += BigInt(promised.units)
    if (promised.contract_address === null) gas += BigInt(promised.units)
    gas += BigInt(promised.gas) + promised.unsigned * cost
  }
  if (has < needs) return shortOfToken(network, treasury.address, order.contract, has, needs)
  const coins = BigInt(treasury.native_balance)
  return coins < gas ? shortOfGas(network, treasury.address, coins, gas) : null
}

/** The base fee of the moment: `fees` gives twice that, and the priority fee. */
const baseFeeOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): bigint => (maxFeePerGas - maxPriorityFeePerGas) / 2n

/**
 * The fees of a new transaction: those of the moment, or the highest that we pay when it is mined at that too.
 * @throws {TooDear} when it is not
 */
export function feesWithin({ network }: Chain, current: Fees): Fees {
  const { maxFeePerGas, maxPriorityFeePerGas } = current
  const least = baseFeeOf(current) + maxPriorityFeePerGas
  if (least > network.maxFeePerGas)
    throw new TooDear(`gas on ${network.id} costs ${least} wei; max_fee_gwei allows ${network.maxFeePerGas}`)
  return { maxFeePerGas: smaller(maxFeePerGas, network.maxFeePerGas), maxPriorityFeePerGas }
}

/** The fees of a sweep, of which gas is ordered, or null when it has to wait until gas is cheaper: it can. */
export function sweepFees({ network }: Chain, current: Fees): Fees | null {
  const { maxFeePerGas, maxPriorityFeePerGas } = current
  if (baseFeeOf(current) + maxPriorityFeePerGas > network.maxSweepFeePerGas) return null
  return { maxFeePerGas: smaller(maxFeePerGas, network.maxSweepFeePerGas), maxPriorityFeePerGas }
}

/**
 * The fees that an address can sign with: less than those that gas was ordered for, when the base fee has risen since.
 * @param coins what it can spend on gas, in wei
 * @returns null when the base fee could not rise by a quarter any more
 */
export function feesFrom(coins: bigint, gas: bigint, wished: Fees, current: Fees): Fees | null {
  const { maxPriorityFeePerGas } = current
  const least = smaller(wished.maxFeePerGas, (baseFeeOf(current) * 5n) / 4n + maxPriorityFeePerGas)
  const maxFeePerGas = smaller(wished.maxFeePerGas, coins / gas)
  return maxFeePerGas < least ? null : { maxFeePerGas, maxPriorityFeePerGas }
}

/** Gas costs more than the operator pays. */
export class TooDear extends Error {}

/** Most gas that a transfer may take: far above what any of a supported token does, also where the estimate pays for the chain below. */
const mostGas = 2_000_000n

/** A node's estimate is more than a transfer can take. */
export class TooMuchGas extends Error {}

/**
 * Gas to allow for an estimate: a slot that is empty when it is mined, and was not when it was estimated, costs 17,100 more.
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
export const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
export const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The fees of the next version, or null when the highest that we pay is not enough of a raise. */
export function dearer(last: Fees, current: Fees, highest: bigint): Fees | null {
  const maxFeePerGas = smaller(highest, larger(current.maxFeePerGas, raise(last.maxFeePerGas)))
  const maxPriorityFeePerGas = smaller(
    maxFeePerGas,
    larger(current.maxPriorityFeePerGas, raise(last.maxPriorityFeePerGas)),
  )
  return maxFeePerGas < leastRaise(last.maxFeePerGas) || maxPriorityFeePerGas < leastRaise(last.maxPriorityFeePerGas)
    ? null
    : { maxFeePerGas, maxPriorityFeePerGas }
}
