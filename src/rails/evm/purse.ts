/** What a treasury holds against what it has promised, and how it is said. */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { cryptoCurrencies, decimals, formatDecimal } from '../../lib/money.ts'
import type { Network, Token } from '../../lib/networks.ts'
import type { Chain } from './chain.ts'
import { selectPromised, selectTreasury } from './sender-sql.ts'

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
