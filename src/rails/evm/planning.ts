/**
 * Plans which queued payouts the treasury can sign in this round, with nonces and fees from one
 * endpoint.
 */
import type { Hex } from 'viem'
import { type CryptoCurrency, larger } from '../../lib/money.ts'
import { isAnswer } from './asking.ts'
import { callOf } from './broadcasts.ts'
import type { Chain } from './chain.ts'
import type { Endpoint, Fees } from './endpoint.ts'
import {
  affordable,
  type Funds,
  feesWithin,
  feeTooHigh,
  gasLimit,
  leastFee,
  shortOfGas,
  shortOfToken,
} from './funds.ts'
import { messageOf, WouldRevert } from './rpc-errors.ts'
import type { SentRow, TransactionRow } from './sender-sql.ts'
import { type EvmNetwork, tokensOf } from './settings.ts'

/** A treasury's balances, the lowest gas price, and the fees to pay. */
export type TreasuryBalance = {
  native: bigint
  tokens: Partial<Record<CryptoCurrency, bigint>>
  leastFee: bigint
  fees: Fees
}
type Estimated = { row: TransactionRow; gas: bigint } | { row: TransactionRow; refused: string }
type Unclear = { own: string }
export type Plan = {
  balance: TreasuryBalance
  block: bigint
  /** The nonce of the first transaction to sign. */
  first: bigint
  ready: Estimated[]
  troubles: string[]
  /** Wei that no signed transaction will use. */
  spendable: bigint
}

/**
 * The most transactions of ours in the network's pool: go-ethereum keeps at least sixteen per
 * account.
 */
export const atOnce = 16
/** The most transactions named that cannot be estimated. */
const unclearNamed = 3

/**
 * @param expected the treasury's next nonce by our books
 * @param sent its signed transactions that are not final
 */
export async function makePlan(
  { network }: Chain,
  endpoint: Endpoint,
  {
    address,
    expected,
    queued,
    sent,
  }: { address: Hex; expected: bigint; queued: TransactionRow[]; sent: SentRow[] },
): Promise<Plan> {
  const { tip, latest, pending, balance, funds } = await readTreasury(network, endpoint, address)
  const unmined = sent.filter((row) => row.nonce >= latest)
  const free = withoutSigned(funds, unmined)
  // Without unmined transactions of ours, foreign ones in the pool come first.
  const known = unmined.length === 0 ? larger(latest, pending) : latest
  const first = larger(expected, known)
  const spendable = free.get(null) as bigint
  const plan: Plan = { balance, block: tip.number, first, ready: [], troubles: [], spendable }
  if (queued.length === 0) return plan
  const blocked = (trouble: string): Plan => ({ ...plan, troubles: [trouble] })
  // Each nonce between the chain's and ours must belong to an unmined transaction, because those
  // behind a gap are never mined.
  if (latest < expected && BigInt(unmined.length) !== expected - latest)
    return blocked(
      `${address} has used ${latest} nonces on ${network.id} and ours begin at ${expected}, with ${unmined.length} on their way: the node is behind, the chain was reset, or a transaction that is not ours is awaited`,
    )
  const fees = feesWithin(network.maxFeePerGas, balance.fees)
  if (fees === null) return blocked(feeTooHigh(network, balance.leastFee))
  balance.fees = fees

  const estimateOf = (row: TransactionRow) => estimate(endpoint, tip.number, address, row)
  const { ready, short, unclear } = await choose(queued, free, atOnce - unmined.length, estimateOf)
  plan.ready = ready
  for (const [contract, lack] of short) {
    const has = funds.get(contract) ?? 0n
    if (contract === null) plan.troubles.push(shortOfGas(network, address, has, has + lack))
    else plan.troubles.push(shortOfToken(network, address, contract, has, has + lack))
  }
  plan.troubles.push(...unclear.slice(0, unclearNamed).map(({ own }) => `${own} on ${network.id}`))
  if (unclear.length > unclearNamed)
    plan.troubles.push(`${unclear.length - unclearNamed} more on ${network.id} cannot be estimated`)
  return plan
}

/** Reads the treasury: nonces before balances, so that spent funds are not counted. */
async function readTreasury(network: EvmNetwork, endpoint: Endpoint, address: Hex) {
  const [tip, latest, pending] = await Promise.all([
    endpoint.tip(),
    endpoint.nonce(address, 'latest').then(BigInt),
    endpoint.nonce(address, 'pending').then(BigInt),
  ])
  const [native, fees, ...balances] = await Promise.all([
    endpoint.nativeBalance(address),
    endpoint.fees(),
    ...tokensOf(network).map(async ({ currency, contract_address: contract }) => {
      return { currency, contract, units: await endpoint.tokenBalance(contract, address) }
    }),
  ])
  const tokens = Object.fromEntries(balances.map(({ currency, units }) => [currency, units]))
  const funds: Funds = new Map(balances.map(({ contract, units }) => [contract, units]))
  const balance: TreasuryBalance = { native, tokens, leastFee: leastFee(fees), fees }
  return { tip, latest, pending, balance, funds: funds.set(null, native) }
}

/** Subtracts signed and unmined transactions from the funds. */
function withoutSigned(funds: Funds, unmined: SentRow[]): Funds {
  const free = new Map(funds)
  const take = (contract: string | null, units: bigint) =>
    free.set(contract, (free.get(contract) ?? 0n) - units)
  for (const row of unmined) {
    take(row.contract_address, BigInt(row.units))
    take(null, row.gas * BigInt(row.max_fee))
  }
  return free
}

/**
 * Chooses which queued transactions can be paid. One that cannot be estimated leaves its capacity
 * and funds to later ones.
 */
async function choose(
  queued: TransactionRow[],
  free: Funds,
  capacity: number,
  estimateOf: (row: TransactionRow) => Promise<Estimated | Unclear>,
): Promise<{ ready: Estimated[]; short: Funds; unclear: Unclear[] }> {
  const tried = new Map<string, Estimated | Unclear>()
  const isUnclear = (row: TransactionRow): boolean => 'own' in (tried.get(row.id) ?? {})
  for (;;) {
    const clear = queued.filter((row) => !isUnclear(row))
    const { payable, short } = affordable(clear, free, capacity)
    const untried = payable.filter((row) => !tried.has(row.id))
    await Promise.all(untried.map(async (row) => tried.set(row.id, await estimateOf(row))))
    if (untried.some(isUnclear)) continue
    const ready = payable.map((row) => tried.get(row.id) as Estimated)
    return { ready, short, unclear: [...tried.values()].filter((one) => 'own' in one) }
  }
}

/**
 * Estimates a transaction's gas, or says that it cannot succeed, because of the recipient or of us.
 */
async function estimate(
  endpoint: Endpoint,
  block: bigint,
  from: Hex,
  row: TransactionRow,
): Promise<Estimated | Unclear> {
  const units = BigInt(row.units)
  const call = { from, ...callOf(row, units) }
  try {
    return { row, gas: gasLimit(await endpoint.gas(call)) }
  } catch (error) {
    if (!isAnswer(error)) throw error
    // A transaction that cannot be estimated waits and must not delay the others.
    const unclear = { own: `${row.kind} ${row.id} cannot be estimated: ${messageOf(error)}` }
    if (!(error instanceof WouldRevert)) return unclear
    // A transfer to ourselves also fails when we lack the tokens, or the token is paused or has
    // blocked us: not the recipient's fault. Both are checked on one block, because nodes behind
    // one URL differ and a failed payout is final.
    const toSelf = { from, ...callOf({ ...row, recipient: from }, units) }
    try {
      const own = await endpoint.refusal(toSelf, block)
      if (own !== null)
        return { own: `${row.contract_address ?? 'the network'} lets ${from} send nothing: ${own}` }
      const refused = await endpoint.refusal(call, block)
      return refused === null ? unclear : { row, refused }
    } catch (failure) {
      if (!isAnswer(failure)) throw failure
      return unclear
    }
  }
}
